"""Litmus programs as values: random ones, smaller ones, and their text (litmus.h has the grammar).

A program is (initial, threads): {place: value} and a list of lists of statements, each a tuple:
("store", x, v, order) ("load", r, x, order) ("xchg", r, x, v, order) ("add", r, x, v, order)
("cas", r, x, wanted, v, order, failure) ("fence", order) ("lock", m, [..]) ("if", r, "==" or "!=", v, [..], [..]) ("until", r, "==" or "!=", v, [..])
where v is a number or the name of a register.
"""
import math, re

LOADS, STORES = ["rlx", "con", "acq", "sc"], ["rlx", "rel", "sc"]
ALL = ["rlx", "con", "acq", "rel", "ar", "sc"]
NOT_STRONGER = {"rlx": ["rlx"], "con": ["rlx", "con"], "acq": ["rlx", "con", "acq"], "rel": ["rlx"],
                "ar": ["rlx", "con", "acq"], "sc": LOADS}


def words(s):
    kind = s[0]
    if kind == "store":
        return f"{s[1]} = {s[2]} {s[3]}"
    if kind == "load":
        return f"{s[1]} = {s[2]} {s[3]}"
    if kind == "fence":
        return f"fence {s[1]}"
    if kind == "lock":
        return f"lock {s[1]} {{ {block(s[2])} }}"
    if kind == "until":
        return f"until {s[1]} {s[2]} {s[3]} {{ {block(s[4])} }}"
    if kind == "if":
        other = f" else {{ {block(s[5])} }}" if s[5] else ""
        return f"if {s[1]} {s[2]} {s[3]} {{ {block(s[4])} }}{other}"
    return f"{s[1]} = {kind} " + " ".join(str(w) for w in s[2:])


def block(stmts):
    return "; ".join(words(s) for s in stmts)


def text(program):
    initial, threads = program
    return "".join(f"{x}={v} " for x, v in initial.items() if v) + " ".join(f"{{ {block(t)} }}" for t in threads)


# ---- reading ----

def parse(source):
    """The program that a text of known programs says; it is taken to be right."""
    words = re.findall(r"[{};]|==|!=|=|[\w-]+", source)
    number = lambda w: int(w) if w.lstrip("-").isdigit() else w
    initial = {}
    while words[0] != "{":
        initial[words[0]] = int(words[2])
        del words[:3]

    def statement():
        if words[0] == "fence":
            return take(2, lambda w: ("fence", w[1]))
        if words[0] == "lock":
            return (*take(2, lambda w: ("lock", w[1])), block_of())
        if words[0] == "if":
            head = take(4, lambda w: ("if", w[1], w[2], number(w[3])))
            body = block_of()
            return (*head, body, words.pop(0) and block_of() if words and words[0] == "else" else [])
        if words[0] == "until":
            head = take(4, lambda w: ("until", w[1], w[2], number(w[3])))
            return (*head, block_of())
        if words[2] in ("xchg", "add"):
            return take(6, lambda w: (w[2], w[0], w[3], number(w[4]), w[5]))
        if words[2] == "cas":
            return take(8, lambda w: ("cas", w[0], w[3], number(w[4]), number(w[5]), w[6], w[7]))
        if re.fullmatch(r"r\d", words[0]):
            return take(4, lambda w: ("load", w[0], w[2], w[3]))
        return take(4, lambda w: ("store", w[0], number(w[2]), w[3]))

    def take(n, make_statement):
        made = make_statement(words[:n])
        del words[:n]
        return made

    def block_of():
        words.pop(0)
        found = []
        while words[0] != "}":
            if words[0] == ";":
                words.pop(0)
            else:
                found.append(statement())
        words.pop(0)
        return found
    threads = []
    while words:
        threads.append(block_of())
    return initial, threads


# ---- random programs ----

# How the orders of one program are chosen: all of them, or few, since what is interesting needs several that fit.
PALETTES = [ALL, ALL, ["rlx"], ["rlx", "rel", "acq", "ar"], ["rlx", "sc"], ["sc"], ["rel", "acq", "ar", "sc"],
            ["rlx", "ar", "sc"]]


class Maker:
    def __init__(self, rng, palette=None, plain=False):
        self.rng = rng
        self.threads = rng.choice([2, 2, 2, 3, 3, 4])
        self.places = ["x", "y", "z"][:rng.choice([1, 2, 2, 2, 3])]
        self.palette = palette or rng.choice(PALETTES)
        self.plain = ["D"] if plain else []
        self.kinds = ["store"] * 4 + ["load"] * 4
        self.kinds += rng.sample(["xchg", "add", "cas", "fence", "fence", "if", "lock"], rng.choice([0, 1, 2, 3]))
        self.kinds += ["until"] * rng.choice([0, 0, 0, 1, 2])

    def order(self, permitted):
        return self.rng.choice([o for o in self.palette if o in permitted] or
                               (["sc"] if self.palette == ["sc"] else [permitted[0]]))

    def fresh(self):
        """A register that has not been set, so that every read is seen, as long as there are some."""
        self.set += 1
        return f"r{min(self.set - 1, 7)}"

    def value(self):
        if self.set and self.rng.random() < 0.2:
            return f"r{self.rng.randrange(min(self.set, 8))}"
        return self.rng.choice([1, 1, 2, 2, 3, 0])

    def condition(self, depth):
        tested = f"r{self.rng.randrange(min(self.set, 8))}"
        other = [self.statement(depth - 1)] if self.rng.random() < 0.4 else []
        return ("if", tested, self.rng.choice(["==", "!="]), self.rng.choice([0, 0, 1, 2]),
                [self.statement(depth - 1) for _ in range(self.rng.choice([1, 1, 2]))], other)

    def loop(self):
        """Loads, of which the last one decides, or a compare-exchange until it succeeds."""
        r, x, wanted = self.fresh(), self.rng.choice(self.places), self.rng.choice([0, 1, 1, 2])
        if self.rng.random() < 0.3:
            order = self.order(ALL)
            failure = self.rng.choice([o for o in NOT_STRONGER[order] if o in self.palette] or NOT_STRONGER[order])
            failure = "sc" if self.palette == ["sc"] else failure
            return ("until", r, "==", wanted, [("cas", r, x, wanted, self.value(), order, failure)])
        body = [("load", self.fresh(), self.rng.choice(self.places), self.order(LOADS))
                for _ in range(self.rng.choice([0, 0, 1]))]
        return ("until", r, self.rng.choice(["==", "!="]), wanted, [*body, ("load", r, x, self.order(LOADS))])

    def section(self):
        return ("lock", "m", [self.statement(0) for _ in range(self.rng.choice([1, 1, 2]))])

    def statement(self, depth=1):
        rng, kind = self.rng, self.rng.choice(self.kinds)
        x = rng.choice(self.places)
        if kind == "if":
            return self.condition(depth) if depth and self.set else ("load", self.fresh(), x, self.order(LOADS))
        if kind == "lock":
            return self.section() if depth else ("store", x, self.value(), self.order(STORES))
        if kind == "until":
            return self.loop() if depth else ("load", self.fresh(), x, self.order(LOADS))
        if kind == "fence":
            return ("fence", self.order(["ar", "acq", "rel", "sc", "con", "rlx"]))
        if self.plain and kind in ("store", "load") and rng.random() < 0.35:
            return ("store", "D", self.value(), "na") if kind == "store" else ("load", self.fresh(), "D", "na")
        if kind == "store":
            return ("store", x, self.value(), self.order(STORES))
        if kind == "load":
            return ("load", self.fresh(), x, self.order(LOADS))
        if kind == "cas":
            wanted, v, order = rng.choice([0, 0, 1, 2]), self.value(), self.order(ALL)
            failure = rng.choice([o for o in NOT_STRONGER[order] if o in self.palette] or NOT_STRONGER[order])
            return ("cas", self.fresh(), x, wanted, v, order, "sc" if self.palette == ["sc"] else failure)
        return (kind, self.fresh(), x, self.value(), self.order(ALL))

    def thread(self):
        self.set = 0
        most = {2: 5, 3: 4, 4: 3}[self.threads]
        return [self.statement() for _ in range(self.rng.randint(1, most))]

    def program(self):
        initial = {self.rng.choice(self.places): 1} if self.rng.random() < 0.1 else {}
        return initial, [self.thread() for _ in range(self.threads)]


def make(rng, palette=None):
    return Maker(rng, palette, plain=palette is None and rng.random() < 0.15).program()


class Aimed(Maker):
    """Near the order of seq_cst operations. The last access of each thread and the first one of the next are such that
    one can read or overwrite what the other did, all around: whether that can happen is for the axioms to say. Between
    them, and here and there, are fences of every kind, those that do nothing too, and other accesses."""

    COMMUNICATION = [("store", "load"), ("load", "store"), ("load", "store"), ("store", "store")]

    def __init__(self, rng):
        super().__init__(rng, ALL)
        self.threads = rng.choice([2, 3, 3, 3, 3, 4])
        self.places = ["x", "y", "z"][:rng.choice([2, 2, 2, 3])]
        self.kinds = ["store", "load"]
        self.values = 0

    def order(self, permitted):
        synchronising = [o for o in permitted if o not in ("rlx", "con", "sc")]
        return self.rng.choice(["sc", "sc", "rlx", self.rng.choice(synchronising)])

    def value(self):
        self.values += 1
        return self.values

    def fence(self):
        return ("fence", self.rng.choice(["sc", "sc", "sc", "rlx", "rlx", "acq", "rel", "ar"]))

    def access(self, kind, x):
        if self.rng.random() < 0.1:
            return ("add", self.fresh(), x, self.rng.choice([0, 1]), self.order(ALL))
        if kind == "load":
            return ("load", self.fresh(), x, self.order(LOADS))
        return ("store", x, self.value(), self.order(STORES))

    def between(self):
        return [self.fence()] if self.rng.random() < 0.75 else [self.statement(0)] if self.rng.random() < 0.3 else []

    def program(self):
        edges = [(*self.rng.choice(self.COMMUNICATION), self.rng.choice(self.places)) for _ in range(self.threads)]
        threads = []
        for before, after in zip(edges[-1:] + edges, edges):
            self.set = 0
            first, middle = self.access(before[1], before[2]), self.between()
            threads.append([first, *middle, self.access(after[0], after[2])])
            if self.rng.random() < 0.1:
                threads[-1].insert(self.rng.randrange(len(threads[-1]) + 1), self.statement(0))
        return {}, threads


class Variation(Maker):
    """A known program with some of its orders, accesses and places changed: near what is interesting."""

    def __init__(self, rng, known):
        super().__init__(rng, ALL)
        self.known, self.rate = known, rng.choice([0.1, 0.2, 0.4])
        self.places = [x for x in places_of(known) if x != "D"] or ["x"]

    def changed_order(self, o, permitted):
        return self.rng.choice(permitted) if o != "na" and self.rng.random() < self.rate else o

    def changed(self, s):
        rng, kind = self.rng, s[0]
        if kind == "if":
            return (*s[:4], self.block(s[4]), self.block(s[5]))
        if kind == "lock":
            return (*s[:2], self.block(s[2]))
        if kind == "fence":
            return ("fence", self.changed_order(s[1], ALL))
        if kind == "store" and s[3] != "na" and rng.random() < self.rate / 2:
            return (rng.choice(["xchg", "add"]), "r7", s[1], s[2], rng.choice(ALL))
        if kind == "load" and s[3] != "na" and rng.random() < self.rate / 2:
            return ("add", s[1], s[2], rng.choice([0, 1]), rng.choice(ALL))
        if kind in ("store", "load"):
            return (*s[:3], self.changed_order(s[3], STORES if kind == "store" else LOADS))
        if kind == "cas":
            order = self.changed_order(s[5], ALL)
            return (*s[:5], order, s[6] if s[6] in NOT_STRONGER[order] else rng.choice(NOT_STRONGER[order]))
        return (*s[:4], self.changed_order(s[4], ALL))

    def block(self, stmts):
        out = []
        for s in stmts:
            out.append(self.changed(s))
            if self.rng.random() < self.rate / 3:
                self.set = 6
                out.append(self.rng.choice([("fence", self.rng.choice(ALL)), self.statement(0)]))
        return out

    def program(self):
        threads = [self.block(t) for t in self.known[1]]
        if len(threads) < 4 and self.rng.random() < self.rate / 2:
            self.set = 0
            threads.append([self.statement(0)])
        return self.known[0], threads


def statements(stmts):
    """All statements, also those inside conditions."""
    for s in stmts:
        yield s
        if s[0] == "if":
            yield from statements(s[4])
            yield from statements(s[5])
        if s[0] == "lock":
            yield from statements(s[2])
        if s[0] == "until":
            yield from statements(s[4])


def places_of(program):
    accesses = [s for t in program[1] for s in statements(t) if s[0] not in ("if", "until", "fence", "lock")]
    return sorted({s[1] if s[0] == "store" else s[2] for s in accesses} | set(program[0]))


def registers_of(program):
    """Thread by thread the registers that are set."""
    return [sorted({s[1] for s in statements(t) if s[0] not in ("if", "until", "fence", "store", "lock")}) for t in program[1]]


def has_loops(program):
    return any(s[0] == "until" for t in program[1] for s in statements(t))


def has_locks(program):
    return any(s[0] == "lock" for t in program[1] for s in statements(t))


def size(program):
    return sum(len(list(statements(t))) for t in program[1])


def interleavings(program):
    """At most so many ways to run the threads, one statement after the other."""
    lengths = [sum({"if": 0, "until": 0, "lock": 2}.get(s[0], 1) for s in statements(t)) for t in program[1]]
    return math.factorial(sum(lengths)) // math.prod(math.factorial(n) for n in lengths)


# ---- smaller programs ----

WEAKER = {"sc": ["rlx", "ar", "rel", "acq"], "ar": ["rlx", "rel", "acq"], "rel": ["rlx"], "acq": ["rlx"],
          "con": ["acq", "rlx"]}


def smaller_statement(s):
    """Statements that are simpler than this one; [] stands for none."""
    if s[0] == "if":
        yield from (list(s[4]), list(s[5]), [])
        yield from ([(*s[:4], body, s[5])] for body in smaller_block(s[4]))
        yield from ([(*s[:5], body)] for body in smaller_block(s[5]))
        return
    if s[0] == "until":
        yield []
        yield from ([(*s[:4], body)] for body in smaller_block(s[4]) if body and len(body) <= len(s[4]))
        return
    if s[0] == "lock":
        yield from (list(s[2]), [])
        yield from ([(*s[:2], body)] for body in smaller_block(s[2]))
        return
    yield []
    if s[0] in ("xchg", "add", "cas"):
        order = s[5] if s[0] == "cas" else s[4]
        v = s[4] if s[0] == "cas" else s[3]
        yield [("load", s[1], s[2], order if order in LOADS else "rlx")]
        yield [("store", s[2], v, order if order in STORES else "rlx")]
    first = {"store": 3, "load": 3, "fence": 1, "cas": 5}.get(s[0], 4)
    permitted = {"store": STORES, "load": LOADS}.get(s[0], ALL)
    for i in range(first, len(s)):
        for o in WEAKER.get(s[i], ()):
            if o in (LOADS if i == 6 else permitted) and (s[0] != "cas" or i == 6 or s[6] in NOT_STRONGER[o]):
                yield [(*s[:i], o, *s[i + 1:])]


def smaller_block(stmts):
    for i, s in enumerate(stmts):
        for instead in smaller_statement(s):
            yield [*stmts[:i], *instead, *stmts[i + 1:]]


def smaller(program):
    initial, threads = program
    if initial:
        yield {}, threads
    for t in range(len(threads)):
        if len(threads) > 1:
            yield initial, [*threads[:t], *threads[t + 1:]]
        for body in smaller_block(threads[t]):
            yield initial, [*threads[:t], body, *threads[t + 1:]]


def shrink(program, fails, answer, most=400):
    """The smallest program found for which fails(program) is true; (program, what fails said of it)."""
    tried = 0
    found = True
    while found and tried < most:
        found = False
        for candidate in smaller(program):
            tried += 1
            said = fails(candidate)
            if said:
                program, answer, found = candidate, said, True
                break
            if tried >= most:
                break
    return program, answer
