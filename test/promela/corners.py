"""Models at the corners of the language. (name, text, what the output must contain, whether pan reports an error)

Every search mode that takes a model must answer alike. Pan's answer is kept here (None: it crashes); `run --spin corners` asks
Spin again. Where pan finds no error in xs-started-later, it has left out the order in which the other process sends last.
Pan takes a send that no process receives for an event, so that it reports errors in traces without one."""

GOOD, BAD = "VERIFIED", "ERROR model: array index out of range"
MODES = ([], ["--search=dfs"], ["--search=bfs"], ["--no-por"], ["--exact"], ["--exact", "--no-por"], ["--bitstate"], ["--spin-bcs"],
         ["-j", "1"], ["-j", "2"])
CHANNELS = "chan q[2] = [2] of { byte }; chan r[2] = [0] of { byte }; chan ok = [2] of { byte }; byte i = 2, x;\n"
TRACE = ("chan q = [1] of {{ byte }}; chan r = [0] of {{ byte }};\n"
         "active proctype A() {{ do :: q!1 :: r!2 :: r?3 od }}\nactive proctype B() {{ do :: q?1 :: r?2 -> r!3 od }}\n{}")
ONCE = ("chan q = [1] of {{ byte }}; chan r = [0] of {{ byte }}; byte x;\n"
        "active proctype A() {{ q!1; r!2; end: r!9 }}\nactive proctype B() {{ q?x; r?x; x = 3 }}\n{}")


def alone(statement):
    return CHANNELS + f"active proctype A() {{ {statement} }}"


def beside(statement):
    """The other process does not get into the way, and is where it may be at the end."""
    return alone(statement) + "\nactive proctype B() { ok!1; end: r[0]?x }"


XR, XS = "ERROR model: xr assertion violated", "ERROR model: xs assertion violated"
TAKES = "chan q = [2] of {{ byte }}; active proctype A() {{ {} byte a; end: do :: q?a od }}\n"

CORNERS = [
    # exclusive rights to a channel
    ("xr", TAKES.format("xr q;") + "active proctype B() { byte b; q!1; q?b }", XR, True),
    ("xr-blocked", TAKES.format("xr q;") + "active proctype B() { byte b; end: q?b }", XR, True),
    ("xr-kept", TAKES.format("xr q;") + "active proctype B() { q!1; q!2 }", GOOD, False),
    ("xr-in-option", TAKES.format("xr q;") + "active proctype B() { byte b; q!1; end: if :: q?2 :: q??3 fi }", XR, True),
    ("xr-peek", TAKES.format("xr q;") + "active proctype B() { byte b; q!1; end: q?<b> }", XR, True),
    ("xr-poll", TAKES.format("xr q;") + "active proctype B() { q!1; end: q?[1] }", XR, True),
    ("xr-length", TAKES.format("xr q;") + "active proctype B() { q!1; end: len(q) == 9 }", XR, True),
    ("xr-nempty", TAKES.format("xr q;") + "active proctype B() { q!1; end: nempty(q) }", XR, True),
    ("xr-nfull", TAKES.format("xr q;") + "active proctype B() { q!1; end: nfull(q) }", GOOD, False),
    ("xs-nempty", TAKES.format("") + "active proctype B() { xs q; q!1 } active proctype C() { end: nempty(q) }", GOOD, False),
    ("xr-full", TAKES.format("xr q;") + "active proctype B() { q!1; end: full(q) }", XR, True),
    ("xs-full-asked", TAKES.format("") + "active proctype B() { xs q; q!1 } active proctype C() { end: full(q) }", XS, True),
    ("xs-polled", TAKES.format("") + "active proctype B() { xs q; q!1 } active proctype C() { end: q?[1] }", XS, True),
    ("xr-own-looks", TAKES.format("xr q; end2: nempty(q); len(q) == 1; q?[1];") + "active proctype B() { q!1 }", GOOD, False),
    ("xr-rendezvous", "chan q = [0] of { byte }; active proctype A() { xr q; end: q?_ } active proctype B() { q!1 }",
     "ERROR model: xr chans cannot be used for rv", True),
    ("xr-in-d-step", TAKES.format("xr q;") + "active proctype B() { byte b; q!1; d_step { len(q) > 0; q?b } }", XR, True),
    ("xr-local", "proctype A(chan c) { xr c; byte a; c?a; end: a == 9 } chan q = [2] of { byte };\n"
     "init { run A(q); q!1; q!2; len(q) == 1; q?_ }", XR, True),
    ("xr-of-the-first-of-two", "chan q[2] = [1] of { byte }; byte x; active proctype A() { xr q[0]; end: q[0]?_ }\n"
     "active proctype B() { q[1]!1; q[1]?x }", GOOD, False),
    ("xs", "chan q = [2] of { byte }; active proctype A() { xs q; q!1; end: false } active proctype B() { q!2; q?_; q?_ }", XS, True),
    ("xs-full", "chan q = [1] of { byte }; active proctype A() { xs q; q!1; end: false } active proctype B() { len(q) == 1; end: q!2 }", XS, True),
    ("xs-and-xr", TAKES.format("xr q;") + "active proctype B() { xs q; q!1; q!2 }", GOOD, False),
    ("xs-started-later", "chan q = [2] of { byte }; byte x; proctype A() { xs q; q!1; end: x == 9 }\n"
     "active proctype B() { q!2; end: q!3 } init { q?2; run A() }", XS, False),
    # an element of an array of channels that does not exist, in every position
    ("send", beside("q[i]!1"), BAD, True), ("sorted-send", beside("q[i]!!1"), BAD, True),
    ("receive", beside("q[i]?x"), BAD, True), ("random-receive", beside("q[i]??x"), BAD, True),
    ("peek", beside("q[i]?<x>"), BAD, True), ("poll", beside("q[i]?[1]"), BAD, True),
    ("random-poll", beside("q[i]??[1] -> skip"), BAD, True),
    ("length", beside("len(q[i]) == 0"), BAD, True), ("full", beside("full(q[i])"), BAD, True),
    ("rendezvous-send", beside("r[i]!1"), BAD, True), ("rendezvous-receive", alone("r[i]?x") + "\nactive proctype B() { r[0]!1 }", BAD, True),
    ("message", beside("ok!len(q[i])"), BAD, True), ("send-in-d-step", beside("d_step { x = 1; q[i]!1 }"), BAD, None),
    ("first-in-d-step", beside("d_step { q[i]!1; x = 1 }"), BAD, None), ("send-in-atomic", beside("atomic { x = 1; q[i]!1 }"), BAD, True),
    ("option", beside("if :: q[i]!1 :: x == 5 fi"), BAD, True),
    ("existing-elements", CHANNELS + "active proctype A() { i = 1; q[i]!1; q[i]!!0; q[i]?x; q[i]??[1]; len(q[i]) == 1; r[i]!1 }\n"
     "active proctype B() { byte y; r[1]?y; assert(y == 1) }", GOOD, False),
    # names that stand for a proctype and for a claim
    ("claim-and-proctype", "byte x; proctype A() { L: x = 1; M: x = 2 } init { run A() }\n"
     "never A { accept: do :: !A[1]@M :: A[1]@M -> goto T od; T: do :: x == 9 od }", "VERIFIED", None),
    # assertions about events, with rendezvous
    ("trace", TRACE.format("trace { r!2; r!3 }"), "ERROR assertion: trace", True),
    ("trace-loop", TRACE.format("trace { do :: r!2; r!3 od }"), "VERIFIED", True),
    ("trace-receives", TRACE.format("trace { do :: r?2; r?3 od }"), "VERIFIED", False),
    ("trace-receives-once", TRACE.format("trace { r?2; r?3 }"), "ERROR assertion: trace", True),
    ("trace-both", TRACE.format("trace { do :: r!2; r?2; r!3; r?3 od }"), "VERIFIED", True),
    ("trace-both-wrong", TRACE.format("trace { do :: r!2; r?2; r!3; r?2 od }"), "ERROR assertion: trace", True),
    ("trace-buffered", TRACE.format("trace { do :: q!1; q?1 od }"), "VERIFIED", False),
    ("trace-mixed", TRACE.format("trace { do :: q!1 :: r!2 :: r!3 od }"), "VERIFIED", False),
    ("trace-any", TRACE.format("trace { do :: r!_ od }"), "VERIFIED", False),
    ("notrace", TRACE.format("notrace { r!2; r!3 }"), "ERROR assertion: notrace", True),
    ("notrace-receives", TRACE.format("notrace { r?2; r?3 }"), "ERROR assertion: notrace", True),
    ("notrace-other-way", TRACE.format("notrace { r!3; r!2 }"), "VERIFIED", False),
    ("trace-choice-of-receiver", "chan r = [0] of { byte }; byte x;\nactive proctype A() { r!2 }\n"
     "active [2] proctype B() { end: if :: r?2 :: r?x fi }\ntrace { r!3 }", "ERROR assertion: trace", True),
    ("trace-in-atomic", "chan r = [0] of { byte }; byte x;\nactive proctype A() { atomic { x = 1; r!2; x = 2 } }\n"
     "active proctype B() { d_step { r?2; x = 3 } }\ntrace { r!3 }", "ERROR assertion: trace", True),
    ("trace-ends", ONCE.format("trace { end: do :: r!2 :: r!9 od }"), "VERIFIED", False),
    ("trace-does-not-end", ONCE.format("trace { do :: r!2 :: r!9 od }"), "ERROR deadlock", True),
]
