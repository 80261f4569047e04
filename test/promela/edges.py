"""Models at the edges of what the tables of a compiled model can hold: on this side they run, on that side they are refused by
a message with a place. (name, text, what the output must contain)

What must come out follows from the text: each model checks by an assertion that what lies at the edge is what it should be.
Spin is no referee here: it cuts the numbers of 256 proctypes itself, and needs its state vector enlarged by hand."""

GOOD, FALSE = "VERIFIED", "ERROR assertion: 0"


def repeat(count, text):
    return "".join(text.format(i=i) for i in range(count))


def names(count, text):
    return ",".join(text.format(i=i) for i in range(count))


def proctypes(n):
    """The last of them runs, and so does init, which alone can fail."""
    return (f"byte x; {repeat(n - 2, 'proctype p{i}() {{ skip }} ')} proctype last() {{ x = 1 }}\n"
            "init { run last(); x == 1 -> assert(false) }")


def processes(n):
    return f"byte x; proctype p() {{ x == 1 }} init {{ byte i; do :: i < {n - 1} -> run p(); i++ :: else -> break od; assert(_nr_pr != {n}) }}"


def control_states(n):
    """One per statement, and one behind the last."""
    return "byte x; init {\n" + "x = 1;\n" * (n - 2) + "assert(x == 1) }"


def queue(n):
    return f"chan c = [{n}] of {{ byte }}; init {{ byte x; c!3; c!4; c?x; assert(x == 3 && len(c) == 1) }}"


def fields(capacity, n):
    return (f"chan c = [{capacity}] of {{ {names(n, 'short')} }}; short x;\n"
            f"active proctype p() {{ c!{names(n, '{i}')} }} active proctype q() {{ c?{names(n - 1, '_')},x; assert(x == {n - 1}) }}")


def globals_of(n):
    return f"byte a[{n}]; init {{ a[{n - 1}] = 1; assert(a[0] == 0 && a[{n - 1}] == 1) }}"


def mtypes(n):
    return f"mtype = {{ {names(n, 'm{i}')} }}; mtype v = m0; init {{ assert(v == m0 && v == {n}); v = m{n - 1}; assert(v == 1) }}"


def deep(n, before, after):
    return "byte x; init { " + before * n + "x = 1" + after * n + "; assert(x == 1) }"


def value(text, result):
    return f"int x; init {{ x = {text}; assert(x == {result}) }}"


def labels(n):
    return f"byte x; init {{ goto L{n - 1};\n{repeat(n, 'L{i}: x++;')}\nassert(x == 1) }}"


def asked(n):
    """Each asks about the next, the last about a send that nobody will take."""
    return ("chan c = [0] of { byte }; byte x;\n" + repeat(n, "active proctype p{i}() {{ enabled({i} + 1) -> x++ }}\n") +
            f"active proctype s() {{ c!1 }} active proctype r() {{ x > {n} -> c?1 }}")


LARGEST = (1 << 24) - 4096  # bytes of a state
OVERHEAD = 8 + 1            # its shape, and where init is

EDGES = [
    ("254 proctypes", proctypes(254), FALSE), ("255 proctypes", proctypes(255), FALSE), ("256 proctypes", proctypes(256), FALSE),
    ("257 proctypes", proctypes(257), FALSE), ("600 proctypes", proctypes(600), FALSE),
    ("255 processes", processes(255), "ERROR assertion"), ("256 processes", processes(256), "too many processes"),
    ("255 active", "byte x; active [255] proctype p() { assert(_nr_pr < 255) }", "ERROR assertion"),
    ("256 active", "byte x; active [128] proctype p() { skip } active [128] proctype q() { skip }", "too many processes"),
    ("255 channels", f"chan c[255] = [1] of {{ byte }}; init {{ c[254]!1; assert(len(c[0]) == 0 && len(c[254]) == 1) }}", GOOD),
    ("256 channels", f"chan c[200] = [1] of {{ byte }};\nchan d[56] = [1] of {{ byte }}; init {{ skip }}", "256 channels.pml:2:6: error"),
    ("255 local channels", "chan g = [1] of { byte }; active proctype p() { chan c[254] = [1] of { byte }; c[253]!1; assert(len(c[0]) == 0) }",
     GOOD),
    ("256 local channels", "chan g = [1] of { byte }; active proctype p() { chan c[255] = [1] of { byte }; skip }", "too many channels"),
    ("300 kinds of channels", repeat(300, "proctype p{i}() {{ chan c = [{i}] of {{ byte, short }}; c!1,2; assert(len(c) == 1) }} ") +
     "init { run p299() }", GOOD),
    ("255 mtypes", mtypes(255), GOOD), ("256 mtypes", mtypes(256), "at most 255 constants"),
    ("255 control states", control_states(255), GOOD), ("256 control states", control_states(256), GOOD),
    ("257 control states", control_states(257), GOOD), ("65535 control states", control_states(65535), GOOD),
    ("65536 control states", control_states(65536), "65536 control states.pml:1:9: error"),
    ("3000 labels", labels(3000), GOOD),
    ("255 messages", queue(255), GOOD), ("256 messages", queue(256), GOOD), ("65535 messages", queue(65535), GOOD),
    ("65536 messages", queue(65536), "65536 messages.pml:1:10: error"),
    ("255 fields", fields(1, 255), GOOD), ("256 fields", fields(1, 256), GOOD), ("1024 fields", fields(1, 1024), GOOD),
    ("1025 fields", fields(1, 1025), "1025 fields.pml:1:10: error"),
    ("256 fields of a rendezvous", fields(0, 256), GOOD), ("1024 fields of a rendezvous", fields(0, 1024), GOOD),
    ("256 KiB of globals", globals_of(262144 - OVERHEAD), GOOD), ("257 KiB of globals", globals_of(262144 - OVERHEAD + 1), GOOD),
    ("largest state", globals_of(LARGEST - OVERHEAD), GOOD),
    ("state with init too large", globals_of(LARGEST - OVERHEAD + 1), "the state grows too large"),
    ("state too large", globals_of(LARGEST), "state too large.pml:1:6: error"),
    ("2 GiB of globals", "\n".join(f"int a{i}[16000000];" for i in range(34)) + "\ninit { a33[15999999] = 1 }", "2 GiB of globals.pml:1:5: error"),
    ("2 GiB of channels", "\n".join(f"chan c{i}[250] = [65535] of {{ int, int, int }};" for i in range(1)) + "\ninit { c0[1]!1,2,3 }",
     "2 GiB of channels.pml:1:6: error"),
    ("300 KiB of locals", "proctype p() { byte a[300000]; a[299999] = 1; assert(a[0] == 0) } init { run p(); run p() }", GOOD),
    ("remote read of a large frame", "proctype p() { byte a[70000]; a[69999] = 1; end: false } init { assert(p[1]:a[69999] == 0); run p(); "
     "p[1]:a[69999] == 1; assert(p[7]:a[69999] == 0) }", GOOD),
    ("locals grow too large", "proctype p() { byte a[9000000]; skip } init { run p(); run p() }", "the state grows too large"),
    ("index far outside", "byte a[2]; byte b; active [2] proctype p() { b = 1; a[1000000] = 1 }", "array index out of range"),
    ("600 blocks deep", deep(600, "{ ", " }"), GOOD), ("600 selections deep", deep(600, "if :: ", " fi"), GOOD),
    ("300 loops deep", deep(300, "do :: ", "; break od"), GOOD),
    ("90000 sums", value("1" + "+1" * 90000, 90001), GOOD), ("90000 differences", value("90000" + "-1" * 90000, 0), GOOD),
    ("90000 products and quotients", value("1" + "*2/2" * 45000, 1), GOOD), ("45000 conjuncts", value("1==1" + " && 2" * 45000, 1), GOOD),
    ("45000 comparisons", value("1" + " == 1" * 45000, 1), GOOD), ("100001 operators", value("1" + "+1" * 100001, 1), "more than 100000 operators"),
    ("5000 minus signs", value("- " * 5000 + "1", 1), GOOD), ("9000 brackets", value("(" * 9000 + "1" + ")" * 9000, 1), GOOD),
    ("10001 brackets", value("(" * 10001 + "1" + ")" * 10001, 1), "nested more than 10000 levels deep"),
    ("400 sums to the right", value("1+(" * 400 + "1" + ")" * 400, 401), GOOD),
    ("2000 sums to the right", value("1+(" * 2000 + "1" + ")" * 2000, 2001), GOOD),
    ("1000 statements deep", deep(1001, "{ ", " }"), "nested more than 1000 levels deep"),
    ("enabled about itself", "active proctype p() { enabled(0) -> skip }", "asks whether it is itself true"),
    ("enabled in a circle", "active proctype p() { enabled(1) -> skip } active proctype q() { enabled(0) -> skip }", "asks whether it is itself true"),
    *((f"rendezvous under {n} times enabled", asked(n), "ERROR deadlock") for n in (6, 7, 8, 12)),
    ("too many fields", "chan c = [1] of { byte, byte }; byte x, y, z; init { c!1,2; c?x,y,z }", "wrong number of message fields"),
    ("too few fields", "chan c = [1] of { byte, byte }; byte x; init { c!1 }", "wrong number of message fields"),
    ("30 million rounds", "int i; init { d_step { do :: i < 30000000 -> i++ :: else -> break od }; assert(i != 30000000) }", "ERROR assertion"),
    ("endless loop", "byte i; init { d_step { i = 1; do :: i < 256 -> i++ :: else -> break od } }", "does not end"),
    ("endless for", "byte i, x; init { d_step { for (i : 1 .. 255) { x = i } } }", "does not end"),
    ("endless goto", "byte i; init { d_step { i = 1; L: i = i * 3; goto L } }", "does not end"),
    ("endless pair of loops", "byte i, j; init { d_step { do :: i++; j = 0; do :: j < 7 -> j++ :: else -> break od od } }", "does not end"),
]

def started(n, next):
    """Each proctype may start another one."""
    return ("byte x;\n" + "".join(f"proctype p{i}() {{ x = 1; if :: x == 9 -> run p{next(i) % n}() :: else fi }}\n" for i in range(n)) +
            "init { run p0() }")


FILL = "do :: i < 200000 -> a[i] = 1; i++ :: else -> break od"
# What takes far longer than the limit, or takes far more memory: within a generous margin there is an answer, and it is UNKNOWN.
LONG = [
    ("60000 proctypes", "byte x;\n" + repeat(60000, "proctype p{i}() {{ x = {i} % 7; x == 3 -> x++ }}\n") + "init { run p0() }"),
    ("30000 that start others", started(30000, lambda i: i * 7919 + 13)),
    ("60000 control states", "byte x; init { " + repeat(10000, "L{i}: x = {i} % 256; if :: x == {i} % 200 -> goto L0 :: else fi;\n") + "skip }"),
    ("filling a large state", f"int a[200000]; init {{ int i; {FILL}; assert(a[5] == 1) }}"),
    ("filling it by turns", f"int a[200000]; int i; active [2] proctype p() {{ {FILL}; assert(a[5] == 1) }}"),
    ("ways of forced steps", "int x, y; byte c; int a[60]; chan q = [1] of { int };\n" + repeat(200, "active proctype w{i}() {{ y < 0; y = 1 }}\n") +
     "active proctype p() { int i; do :: i = 0; if " + repeat(40, ":: c = {i} ") + "fi; do :: i < 4000 -> i++; a[i % 60] = x; x = (x * 31 + c + i) % "
     "1000003; q!x :: else -> break od od }\nactive proctype r() { int z; do :: q?z -> y = (y + z) % 100003 od }"),
    ("d_step", "int i, j; init { d_step { do :: j < 2000000000 -> i = i * 5 + 1; j++ :: else -> break od } }"),
    ("for in d_step", "int i, j; init { d_step { for (i : 1 .. 2000000000) { j = j * 5 + 1 } } }"),
    ("atomic", "int i; init { atomic { do :: i < 2000000000 -> i++ :: else -> break od } }"),
    ("atomic in two processes", "active [2] proctype p() { int i; do :: atomic { i = 0; do :: i < 2000000000 -> i++ :: else -> break od } od }"),
    ("atomic with choices", "int i; byte b; init { atomic { do :: i < 2000000000 -> if :: b = 1 :: b = 2 fi; i++ :: else -> break od } }"),
]
