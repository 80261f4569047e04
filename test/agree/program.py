"""Small random programs, of three kinds.

core       threads over shared bits with locks, conditions and read-modify-writes: the part that Promela, C and Boolean
           programs have in common (loops: not C; semaphores: not Boolean programs). `lower` makes a program of it.
promela    everything of Promela that is not in the core: channels, typedefs, atomic, d_step, unless, run, labels, and
           formulas to be checked.
recursive  Boolean programs with procedures. `lower` expands calls down to a depth; beyond it the program is cut, and
           then only errors are certain.

A program, as the referee and the printers take it, is a dict: globals [(type, name, initial, array size or None)],
channels [(name, capacity, [types])], procs [{name, active, params, locals, body}], fields {global: (variable, field)},
init (number of the process that is printed as init, or None). Expressions and statements are tuples; Process in
referee.py has the list.
"""

SHARED, LOCKS, LOCALS = 3, 2, 2
INTEGERS = ["bit", "byte", "byte", "short", "int"]


def const(n):
    return ("c", n)


def var(name):
    return ("v", name)


def eq(a, b):
    return ("==", a, b)


# ---- the core ----
# ("load", l, x) ("store", x, l) ("set", x, c) ("assert", l, k, c): not (l == c and k != c)   ("section", m, [..])
# ("flip", l, x): l = x, x = !x   ("swap", l, x, c): l = x, x = c   ("cas", l, x, a, b)   ("try", l, m, [..])
# ("down", s) ("up", s)   ("signal", c) ("broadcast", c)
# inside a section of m: ("wait", m), ("timedwait", l, m): on the condition variable that goes with m; l: timed out
# ("if", l, [..], [..])   ("loop", l, [..])

class Core:
    def __init__(self, rng):
        self.rng = rng
        self.special = rng.sample(["flip", "swap", "cas", "try", "down", "up", "loop", "wait", "timedwait", "signal",
                                   "broadcast", "loop", "final"],
                                  rng.choice([0, 1, 2, 3]))
        self.monitor = rng.random() < 0.35
        if {"wait", "timedwait"} & set(self.special):
            self.special.append("signal")
        if "down" in self.special:
            self.special.append("up")
        self.nested = rng.random() < 0.4

    def bit(self):
        return self.rng.randrange(2)

    def statement(self, depth, held):
        rng = self.rng
        kinds = ["load", "load", "load", "store", "set", "set", "assert"] + (["if"] if depth else [])
        kinds += [k for k in self.special if k not in ("wait", "timedwait", "loop", "try", "final")
                  or (k in ("wait", "timedwait") and held is not None) or
                  (k in ("loop", "try") and depth)]
        kind = rng.choice(kinds)
        l, k, x = rng.randrange(LOCALS), rng.randrange(LOCALS), rng.randrange(SHARED)
        if kind == "try" and held is not None:
            kind = "load"
        return {"load": lambda: ("load", l, x), "store": lambda: ("store", x, l), "set": lambda: ("set", x, self.bit()),
                "assert": lambda: ("assert", l, k, self.bit()), "flip": lambda: ("flip", l, x),
                "swap": lambda: ("swap", l, x, self.bit()),
                "cas": lambda: ("cas", l, x, self.bit(), self.bit()), "down": lambda: ("down", 0),
                "up": lambda: ("up", 0),
                "wait": lambda: ("wait", held), "timedwait": lambda: ("timedwait", l, held),
                "signal": lambda: ("signal", rng.randrange(LOCKS)), "broadcast": lambda: ("broadcast", rng.randrange(LOCKS)),
                "try": lambda: ("try", l, rng.randrange(LOCKS), self.body(2, 0, 9)),
                "loop": lambda: ("loop", l, self.body(2, 0, held)),
                "if": lambda: ("if", l, self.body(2, 0, held), self.body(1, 0, held))}[kind]()

    def body(self, length, depth, held=None):
        """held: the lock that a wait may give up; 9: somebody else's business, so no wait."""
        held_here = None if held == 9 else held
        return [self.statement(depth, held_here) for _ in range(self.rng.randint(1, length))]

    def section(self):
        m = self.rng.randrange(LOCKS)
        inside = self.body(2, 0, m)
        if self.nested and self.rng.random() < 0.5:
            inside.append(("section", 1 - m, self.body(1, 0, 9)))
        return ("section", m, inside)

    def waits(self, m, x):
        """Waits for x, once or twice at most, so that a wake-up that is lost, or goes to another, can be seen."""
        wait = lambda: self.rng.choice([("wait", m), ("wait", m), ("timedwait", 1, m)])
        after = self.rng.choice([[("assert", 0, 1, 1)], [("set", x, 0)], [("load", 1, x)], [("signal", m)], [wait()], []])
        return [("section", m, [("load", 0, x), ("if", 0, [("load", 1, x)], [wait(), ("load", 0, x)]), *after])]

    def wakes(self, m, x):
        wake = (self.rng.choice(["signal", "signal", "broadcast"]), m if self.rng.random() < 0.9 else 1 - m)
        inside = [("set", x, 1), wake] if self.rng.random() < 0.5 else [("set", x, 1)]
        return [("section", m, inside), *([] if wake in inside else [wake]), *self.body(1, 0)]

    def chosen(self, m):
        """Two threads wait for certain when the third wakes one of them or both, and then looks which."""
        again = [("set", 0, 1), ("up", 0), ("wait", m)] if self.rng.random() < 0.3 else []
        waiting = [[("section", m, [("set", x, 1), ("up", 0), ("wait", m), ("set", x, 0), *(again if x == 0 else [])])]
                   for x in (0, 1)]
        wake = (self.rng.choice(["signal", "signal", "broadcast"]), m)
        look = [("section", m, [("load", 0, 0), ("load", 1, 1)]), ("assert", 0, 1, self.bit())]
        rescue = [(self.rng.choice(["signal", "broadcast"]), m)] if wake[0] == "signal" or self.rng.random() < 0.3 else []
        last = [("down", 0), ("section", m, [("broadcast", m)])] if again else []
        return [*waiting, [("down", 0), ("down", 0), ("section", m, [wake]), *look, ("section", m, rescue), *last]]

    def monitors(self):
        """Two or three threads that wait for each other; the last one wakes."""
        m, x = self.rng.randrange(LOCKS), self.rng.randrange(SHARED)
        if self.rng.random() < 0.3:
            return self.chosen(m)
        ways = [self.waits, self.rng.choice([self.waits, self.waits, self.wakes]), self.wakes]
        threads = [way(m, x) for way in self.rng.choice([ways, [self.waits, self.wakes]])]
        return [t + ([("assert", 0, 1, self.bit())] if self.rng.random() < 0.7 else []) for t in threads]

    def thread(self):
        out = self.body(3, 1)
        if self.rng.random() < 0.6:
            out.append(self.section())
        return out + self.body(2, 1) + [("assert", 0, 1, self.bit())]

    def source(self):
        threads = self.monitors() if self.monitor else [self.thread() for _ in range(self.rng.choice([2, 2, 2, 3]))]
        final = [(x, self.bit()) for x in self.rng.sample(range(SHARED), 2)] if "final" in self.special else None
        return {"kind": "core", "threads": threads, "final": final,
                "semaphore": 0 if self.monitor else self.bit(),
                "start": [self.bit() for _ in range(SHARED)],
                "how": self.rng.choice(["atomic", "d_step"])}


def words(threads):
    """The names of all statements in a core program."""
    found = set()

    def walk(x):
        if isinstance(x, tuple) and x and isinstance(x[0], str):
            found.add(x[0])
        if isinstance(x, (tuple, list)):
            for y in x:
                walk(y)
    walk(threads)
    return found


def lower_core(source):
    threads, indivisible = source["threads"], source["how"]
    n, used = len(threads), words(threads)

    def local(l):
        return var(f"l{l}")

    def shared(x):
        return var(f"x{x}")

    def lower(stmts, t):
        return [out for s in stmts for out in one(s, t)]

    def one(s, t):
        kind = s[0]
        if kind == "load":
            return [("set", local(s[1]), shared(s[2]))]
        if kind == "store":
            return [("set", shared(s[1]), local(s[2]))]
        if kind == "set":
            return [("set", shared(s[1]), const(s[2]))]
        if kind == "assert":
            return [("assert", ("!", ("&&", eq(local(s[1]), const(s[3])), ("!=", local(s[2]), const(s[3])))))]
        if kind == "flip":
            return [("d_step", [("set", local(s[1]), shared(s[2])), ("set", shared(s[2]), ("!", shared(s[2])))])]
        if kind == "swap":
            return [("d_step", [("set", local(s[1]), shared(s[2])), ("set", shared(s[2]), const(s[3]))])]
        if kind == "cas":
            return [("d_step", [("if", [[("expr", eq(shared(s[2]), const(s[3]))), ("set", shared(s[2]), const(s[4])),
                                         ("set", local(s[1]), const(1))]], [("set", local(s[1]), const(0))])])]
        m = var(f"m{s[2] if kind in ('try', 'timedwait') else s[1]}")
        if kind == "section":
            return [(indivisible, [("expr", ("!", m)), ("set", m, const(1))]), *lower(s[2], t), ("set", m, const(0))]
        if kind == "try":
            return [("d_step", [("if", [[("expr", ("!", m)), ("set", m, const(1)), ("set", local(s[1]), const(1))]],
                                 [("set", local(s[1]), const(0))])]),
                    ("if", [[("expr", local(s[1])), *lower(s[3], t), ("set", m, const(0))]], [("skip",)])]
        if kind == "down":
            return [(indivisible, [("expr", (">", var("s0"), const(0))),
                                   ("set", var("s0"), ("-", var("s0"), const(1)))])]
        if kind == "up":
            return [("set", var("s0"), ("+", var("s0"), const(1)))]
        if kind == "wait":
            w = var(f"w{t}_{s[1]}")
            return [("d_step", [("set", w, const(1)), ("set", m, const(0))]),
                    (indivisible, [("expr", ("&&", ("!", w), ("!", m))), ("set", m, const(1))])]
        if kind == "timedwait":  # time is up for who was not woken yet, whoever has the mutex
            w = var(f"w{t}_{s[2]}")
            return [("d_step", [("set", w, const(1)), ("set", m, const(0))]),
                    ("d_step", [("set", local(s[1]), w), ("set", w, const(0))]),
                    (indivisible, [("expr", ("!", m)), ("set", m, const(1))])]
        if kind in ("signal", "broadcast"):
            waiting = [var(f"w{u}_{s[1]}") for u in range(n)]
            if kind == "broadcast":
                return [("d_step", [("set", w, const(0)) for w in waiting])]
            return [("atomic", [("if", [[("expr", w), ("set", w, const(0))] for w in waiting], [("skip",)])])]
        if kind == "if":
            return [("if", [[("expr", local(s[1])), *lower(s[2], t)]], lower(s[3], t))]
        assert kind == "loop"
        return [("do", [[("expr", local(s[1])), *lower(s[2], t)]], [("skip",), ("break",)])]

    names = [("bit", f"x{i}", source["start"][i], None) for i in range(SHARED)]
    names += [("bit", f"m{i}", 0, None) for i in range(LOCKS)] if used & {"section", "try", "wait", "timedwait"} else []
    names += [("byte", "s0", source["semaphore"], None)] if used & {"down", "up"} else []
    waits = used & {"wait", "timedwait", "signal", "broadcast"}
    names += [("bit", f"w{t}_{c}", 0, None) for t in range(n) for c in range(LOCKS)] if waits else []
    names += [("bit", f"d{t}", 0, None) for t in range(n)] if source["final"] else []
    procs = [{"name": f"thread{t}", "active": not source["final"], "params": [],
              "locals": [("bit", f"l{k}", 0) for k in range(LOCALS)],
              "body": lower(body, t) + ([("set", var(f"d{t}"), const(1))] if source["final"] else [])} for t,
             body in enumerate(threads)]
    init = None
    if source["final"]:
        init = n
        procs.append({"name": "main", "active": True, "params": [], "locals": [], "body": [
            ("atomic", [("run", t, []) for t in range(n)]), ("expr", conjunction([var(f"d{t}") for t in range(n)])),
            ("assert", ("!", conjunction([eq(shared(x), const(c)) for x, c in source["final"]])))]})
    return {"globals": names, "channels": [], "procs": procs, "fields": {}, "init": init}


def conjunction(terms):
    out = terms[0]
    for t in terms[1:]:
        out = ("&&", out, t)
    return out


# ---- Promela ----

class Promela:
    FLAVOURS = ["channels", "rendezvous", "atomic", "d_step", "unless", "timeout", "struct", "decl", "run", "loops",
                "labels", "polls", "initial", "pid", "goto", "remote", "provided"]

    def __init__(self, rng):
        self.rng = rng
        self.has = set(rng.sample(self.FLAVOURS, rng.randint(2, 6)))
        if rng.random() < 0.25:
            self.has.add("remote")
        self.property = rng.random() < 0.4
        if self.property:
            self.has.add("loops")
        self.channels = []
        if "channels" in self.has:
            self.channels += [("c0", rng.randint(1, 2), self.message()), ("c1", 1, self.message())]
        if "rendezvous" in self.has:
            self.channels.append(("h", 0, self.message()))
        self.count = rng.choice([2, 2, 2, 3])
        self.ends = {}  # of channels of which one process has one end each: who sends, who receives
        self.globals, self.fields = self.make_globals(), {}
        if "struct" in self.has:
            for name, variable, field, count in (("rf", "r", "f", None), ("rg", "r", "g", None), ("qf", "q", "f", 2),
                                                 ("qg", "q", "g", 2)):
                self.globals.append(("byte" if field == "f" else "bit", name, 0, count))
                self.fields[name] = (variable, field)
            if "initial" in self.has:
                first, second = rng.randrange(3), rng.randrange(2)
                self.globals = [(k, n, {"f": first, "g": second}[self.fields[n][1]] if n in self.fields else i, c)
                                for k, n, i, c in self.globals]
        self.declared = 0
        self.marks, self.mine = {}, []  # labels that others may look at: of the processes so far, of this one
        self.ways, self.number = [], None
        self.sees_locals = rng.random() < 0.5  # steps on locals that others look at are seen themselves

    def make_globals(self):
        rng = self.rng
        start = (lambda: rng.randrange(2)) if "initial" in self.has else (lambda: 0)
        return [(rng.choice(INTEGERS), "x", start(), None), (rng.choice(INTEGERS), "y", start(), None),
                ("byte", "a", start(), 2)]

    def message(self):
        return [self.rng.choice(["byte", "bit", "byte"]) for _ in range(self.rng.choice([1, 1, 2]))]

    def pick(self, *choices):
        return self.rng.choice(choices)

    def chance(self, p):
        return self.rng.random() < p

    # expressions; everything stays small, so that there are few states

    def place(self, names):
        kind, name, _, count = self.rng.choice([g for g in self.globals if names is None or g[1] in names])
        return var(name) if count is None else ("idx", name, self.pick(const(0), const(1), ("&", var("l"), const(1))))

    def value(self):
        leaf = [const(0), const(1), const(2), var("l"), var("l"), self.place(None), self.place(None)]
        if "pid" in self.has:
            leaf.append(("pid",))
        return self.rng.choice(leaf)

    def target(self):
        return self.pick(var("l"), self.place(None), self.place(None))

    def condition(self):
        simple = ["==", "!=", "<", "=="]
        if self.channels and self.chance(0.3):
            name, capacity, kinds = self.rng.choice(self.channels)
            if capacity and "polls" in self.has:
                return self.pick(("nempty", name), ("nfull", name), ("empty", name), ("full", name),
                                 (">", ("len", name), const(0)),
                                 ("poll", name, [("const", const(self.rng.randrange(2))) for _ in kinds]))
        if "remote" in self.has and self.chance(0.35):
            return self.remote()
        return (self.rng.choice(simple), self.value(), self.value())

    def approach(self):
        """A step that others see, then some that nobody sees, on the way to a label."""
        unseen = [self.pick(("skip",), ("set", var("l"), const(self.rng.randrange(3))), ("set", var("l"), var("l")))
                  for _ in range(self.rng.randrange(3))]
        seen, other = self.rng.sample(["x", "y"], 2)
        value, answer = const(self.rng.randint(1, 2)), const(self.rng.randint(1, 2))
        self.mine.append(f"M{len(self.mine) + 1}")
        there = ("expr", eq(var(other), answer)) if self.chance(0.5) else self.without_rendezvous()
        if there[0] == "assert" and self.property:
            there = ("skip",)
        self.ways.append((eq(var(seen), value), ("at", self.number, self.mine[-1]), ("set", var(other), answer)))
        return [("set", var(seen), value), *unseen, ("label", self.mine[-1], there)]

    def way(self):
        """Of the ways to labels one whose process is declared, and that is still there."""
        return self.rng.choice([w for w in self.ways if w[1][2] in self.marks.get(w[1][1], ())] or [None])

    def look(self):
        """Waits for a step of others, looks where they are, and perhaps lets them go on."""
        way = self.way()
        if not way:
            return [("expr", self.condition()), ("assert", self.remote())]
        seen, at, answer = way
        return [("expr", seen), ("assert", self.pick(at, ("||", at, self.condition()))), answer]

    def remote(self):
        """What others do, as far as a process can see it: only processes that are declared before it."""
        number = self.rng.choice(sorted(self.marks) or [None])
        if number is None or self.chance(0.15):
            return (self.pick("==", "<"), ("nrpr",), const(self.rng.randint(1, 3)))
        if self.sees_locals and (not self.marks[number] or self.chance(0.4)):
            return eq(("of", number, "l"), const(self.rng.randrange(3)))
        if not self.marks[number]:
            return eq(("nrpr",), const(2))
        at = ("at", number, self.rng.choice(self.marks[number]))
        return self.pick(at, ("!", at))

    def arithmetic(self):
        return self.pick(("%", ("+", self.value(), self.value()), const(3)), const(self.rng.randrange(3)), self.value(),
                         ("-", const(1), ("&", self.value(), const(1))))

    # statements

    def assignment(self):
        return ("set", self.target(), self.arithmetic())

    def channel_step(self):
        """With pipes, each channel has one who sends and one who receives, and what they do is mostly seen by nobody else:
        such steps are what reduction takes first, although they enable others."""
        name, capacity, kinds = self.rng.choice(self.channels)
        sends = self.chance(0.5)
        if name in self.ends and self.number not in self.ends[name]:
            return ("set", var("l"), const(self.rng.randrange(3)))
        if name in self.ends:
            sends = self.ends[name][0] == self.number
        if sends:
            values = [self.pick(const(1), var("l")) if name in self.ends else self.value() for _ in kinds]
            return ("send", name, values, capacity > 0 and self.chance(0.2))
        patterns = [self.pick(("var", var("l")), ("var", var("l") if name in self.ends else self.place(None)),
                              ("const", const(self.rng.randrange(2))), ("eval", self.value())) for _ in kinds]
        if len({p for p in patterns if p[0] == "var"}) < sum(p[0] == "var" for p in patterns):
            patterns[1] = ("const", const(1))  # a variable receives one field only
        return ("recv", name, patterns, capacity > 0 and self.chance(0.2), capacity > 0 and self.chance(0.15))

    def basic(self):
        kind = self.rng.random()
        if self.channels and kind < 0.3:
            return self.channel_step()
        if kind < 0.36:
            return ("expr", self.condition())
        if kind < 0.55 and not self.property:
            return ("assert", ("||", self.condition(), ("||", self.condition(), self.condition())))
        if kind < 0.6:
            return ("skip",)
        return self.assignment()

    def watched(self):
        """Sees whether somebody comes in between."""
        seen = self.place(["x", "y", "a"])
        between = [self.without_rendezvous()] if self.chance(0.5) else []
        return [("set", var("l"), seen), *between, ("assert", ("||", eq(var("l"), seen), self.condition()))]

    def statement(self, depth):
        if self.chance(0.12) and not self.property:
            return self.watched()
        if "remote" in self.has and self.chance(0.2):
            return self.approach() if self.property or self.chance(0.6) else self.look()
        kind = self.rng.choice(["basic"] * 5 + sorted(self.has & {"atomic", "d_step", "unless", "loops", "decl",
                                                                  "timeout", "labels"}) + ["if"])
        if kind == "decl":
            self.declared += 1
            name = f"k{self.declared}"
            use = ("set", self.target(), var(name)) if self.property else ("assert", ("||", ("<", var(name), const(2)),
                                                                                      self.condition()))
            return ("decl", self.rng.choice(INTEGERS), name, self.arithmetic()), use
        if kind == "labels":
            return ("label", self.pick("end", "progress", "accept"), self.labelled(depth))
        if kind == "timeout":
            return ("expr", ("timeout",))
        if kind == "d_step":
            body = [self.assignment() for _ in range(self.rng.randint(1, 2))]
            if self.chance(0.3):
                body.append(("if", [[("expr", self.condition()), self.assignment()]], [self.assignment()]))
            return ("d_step", ([("expr", self.condition())] if self.chance(0.4) else []) + body)
        if depth == 0 or kind == "basic":
            return self.basic()
        if kind == "atomic":
            first, *rest = self.sequence(3, depth - 1) or [("skip",)]
            while first[0] == "label":  # not allowed there
                first = first[2]
            return ("atomic", [first, *rest])
        if kind == "unless":
            main = [self.without_rendezvous() for _ in range(self.rng.randint(1, 2))]
            return ("unless", main[:1] + [self.marked(s) for s in main[1:]],
                    [("expr", self.condition()), self.marked(self.assignment())])
        options = [[self.guard(), *self.sequence(1, depth - 1)] for _ in range(self.rng.randint(1, 2))]
        plain = all(o[0][0] == "expr" or (o[0][0] in ("send", "recv") and o[0][1] != "h") for o in options)
        if kind == "loops":
            end = self.pick(None, "else" if plain else None, "guard")
            if end == "guard":
                options.append([("expr", self.condition()), ("break",)])
            st = ("do", options, [("skip",), ("break",)] if end == "else" else None)
        else:
            st = ("if", options, [self.assignment()] if plain and self.chance(0.5) else None)
        return st

    def labelled(self, depth):
        """A statement that can have a label: not a declaration, and not several."""
        while True:
            st = self.statement(depth) if self.chance(0.3) else self.basic()
            if not isinstance(st[0], tuple) and st[0] not in ("label", "unless") and not (self.property
                                                                                          and st[0] == "assert"):
                return st

    def marked(self, st):
        """Perhaps with labels that others can look at."""
        while "remote" in self.has and len(self.mine) < 4 and st[0] not in ("decl", "unless") and self.chance(0.35):
            self.mine.append(f"M{len(self.mine) + 1}")
            st = ("label", self.mine[-1], st)
        return st

    def without_rendezvous(self):
        st = self.basic()
        while st[0] in ("send", "recv") and st[1] == "h":
            st = self.basic()
        return st

    def guard(self):
        return ("expr", self.condition()) if self.chance(0.6) else self.pick(self.basic(), ("skip",))

    def sequence(self, length, depth):
        out = []
        for _ in range(self.rng.randint(1, length)):
            st = self.statement(depth)
            out += st if isinstance(st[0], tuple) else [st]
        return [self.marked(s) for s in out if not (self.property and s[0] == "assert")]

    def with_jump(self, body):
        """A goto in an option, to a statement of the body before or behind it."""
        jump = [("if", [[("expr", self.condition()), self.without_rendezvous(), ("goto", "L1")], [("skip",)]], None)]
        at, to = self.rng.randrange(len(body) + 1), self.rng.randrange(len(body) + 1)
        target = [("label", "L1", ("skip",))]
        self.mine.append("L1")
        if at <= to:
            return body[:at] + jump + body[at:to] + target + body[to:]
        return body[:to] + target + body[to:at] + jump + body[at:]

    def proc(self, number, runs):
        self.declared, self.mine, self.number = 0, [], number
        body = self.sequence(3, 2) or [("skip",)]
        if self.property and self.chance(0.6):
            body.append(("do", [[("skip",), *self.sequence(2, 1)], [("expr", self.condition()), *self.sequence(1, 1)]],
                         None))
        if "goto" in self.has:
            body = self.with_jump(body)
        if runs is not None:
            at = self.rng.randrange(len(body) + 1)
            body.insert(at, ("run", runs, [self.value()]))
        if body[0][0] == "decl":
            body.insert(0, ("skip",))  # at the head of a body it would be no step
        locals_ = [("byte", "l", self.rng.randrange(2) if "initial" in self.has else 0)]
        self.marks[number] = [name for name in self.mine if f"'label', '{name}'" in repr(body)]
        return {"name": f"p{number}", "active": True, "params": [], "locals": locals_, "body": body,
                "provided": self.provided() if "provided" in self.has and self.chance(0.5) else None}

    def provided(self):
        """Over globals, and true at first more often than not."""
        place = self.pick(var("x"), var("y"), ("idx", "a", const(self.rng.randrange(2))))
        return (self.pick("==", "!=", "<"), place, const(self.rng.randrange(3)))

    def source(self):
        count = self.count
        late = []
        if "run" in self.has:  # it is declared first
            late = [{**self.proc(count, None), "params": [("byte", "l", 0)], "active": False, "locals": []}]
        procs = [self.proc(i, count if late and i == 0 else None) for i in range(count)] + late
        return {"kind": "promela", "globals": self.globals, "channels": self.channels, "procs": procs,
                "fields": self.fields, "init": None,
                "formulas": [self.formula(self.rng.randint(1, 2)) for _ in range(8)] if self.property else []}

    def proposition(self):
        name, other = self.pick("x", "y"), self.pick("x", "y")
        if "remote" in self.has and self.chance(0.5):
            return ("p", self.remote())
        if "labels" in self.has and self.chance(0.2):
            return ("p", ("np",))
        return ("p", self.pick(eq(var(name), const(self.rng.randrange(3))), ("!=", var(name), const(0)),
                               (">", var(name), var(other)),
                               eq(("idx", "a", const(0)), const(1))))

    def formula(self, depth):
        p = self.proposition
        if depth == 0:
            return p()
        way = self.way()
        if way and self.chance(0.4):
            seen, at, _ = way
            return self.pick(("W", ("p", ("!", seen)), ("p", at)), ("[]", ("->", ("p", seen), ("p", at))),
                             ("[]", ("->", ("p", at), ("p", seen))), ("U", ("p", ("!", at)), ("p", seen)))
        a, b = self.formula(depth - 1), self.formula(self.rng.randint(0, depth - 1))
        return self.pick(("[]", a), ("<>", a), ("[]", ("<>", p())), ("<>", ("[]", p())), ("U", a, b), ("!", a),
                         ("->", a, b), ("&&", a, b),
                         ("||", a, b), ("[]", ("->", p(), ("<>", p()))), ("V", a, b), ("W", a, b), ("X", a),
                         ("[]", ("->", p(), p())), ("[]", ("->", p(), ("U", p(), p()))))


class Pipes(Promela):
    """Two or three processes that send each other messages over channels with one at each end, and one that looks at what they
    do: what reduction takes first enables others here, and it is late and seldom that something is wrong. Bodies are
    short and made of little, so that those come up in which it matters."""
    FLAVOURS = ["initial", "polls", "atomic", "d_step", "loops", "timeout"]

    def __init__(self, rng):
        super().__init__(rng)
        self.property = self.property and self.chance(0.3)
        self.count = rng.choice([3, 3, 3, 4])
        self.channels = [(f"c{i}", 1, ["byte"]) for i in range(rng.choice([1, 1, 1, 2]))]
        self.ends = {name: rng.sample(range(1, self.count), 2) for name, _, _ in self.channels}

    def seen(self):
        return eq(var(self.pick("x", "y")), const(self.rng.randrange(2)))

    def basic(self):
        mine = [name for name in self.ends if self.number in self.ends[name]]
        if mine and self.chance(0.5):
            name = self.rng.choice(mine)
            sends = self.ends[name][0] == self.number
            return ("send", name, [const(1)], False) if sends else ("recv", name, [("var", var("l"))], False, False)
        _, place, value = self.seen()
        return ("set", place, value) if self.chance(0.9) else super().basic()

    def statement(self, depth):
        if depth == 0 or self.chance(0.7):
            return self.basic()
        return ("atomic", [self.basic(), self.basic()]) if self.chance(0.8) else super().statement(depth)

    def proc(self, number, runs):
        if number or self.property:
            return super().proc(number, runs)
        looks = [("expr", self.seen()) for _ in range(self.pick(0, 1, 1, 2))]
        wrong = ("assert", ("!", conjunction([self.seen() for _ in range(self.pick(1, 1, 2))])))
        return {"name": "p0", "active": True, "params": [], "locals": [("byte", "l", 0)], "body": [*looks, wrong],
                "provided": None}


# ---- Boolean programs with procedures ----
# ("assign", [names], [expressions]) ("assume", e) ("assert", e) ("atomic", [..])
# ("if", e or None, [..], [..]) ("while", e or None, [..])
# ("call", target or None, procedure, argument) ("return", e) ("skip",)       e: None is an arbitrary choice

class Recursive:
    DEPTH = 3

    def __init__(self, rng):
        self.rng = rng

    def value(self):
        r = self.rng
        leaf = lambda: r.choice([var("x0"), var("x1"), var("l0"), var("l1"), const(0), const(1)])
        return r.choice([leaf, leaf, lambda: ("!", leaf()), lambda: ("&&", leaf(), leaf()),
                         lambda: ("||", leaf(), leaf()), lambda: eq(leaf(), leaf()),
                         lambda: ("!=", leaf(), leaf())])()

    def statement(self, depth, inside):
        r = self.rng
        kind = r.choice(["assign", "assign", "assign", "assume", "assert", "call", "call",
                         "skip"] + (["if", "if", "while", "atomic"] if depth else []))
        if kind == "assign":
            names = r.sample(["x0", "x1", "l0", "l1"], r.choice([1, 1, 2]))
            return ("assign", names, [r.choice([self.value(), self.value(), None]) for _ in names])
        if kind in ("assume", "assert"):
            return (kind, ("||", self.value(), self.value()))
        if kind == "call":
            return ("call", r.choice(["x0", "l0", "l1", None]), "f" if inside else r.choice(["f", "g"]), self.value())
        if kind == "if":
            return ("if", r.choice([None, self.value()]), self.body(2, depth - 1, inside),
                    self.body(1, depth - 1, inside))
        if kind == "while":
            return ("while", self.value(), self.body(1, depth - 1, inside))
        if kind == "atomic":
            return ("atomic", self.body(2, 0, inside))
        return ("skip",)

    def body(self, length, depth, inside=False):
        return [self.statement(depth, inside) for _ in range(self.rng.randint(1, length))]

    def procedure(self):
        """Calls itself in a branch, so that there is a way out."""
        inner = [("call", self.rng.choice(["x1", "l1", None]), self.rng.choice(["f", "g"]), self.value())]
        return self.body(1, 0, True)[:1] + [("if", self.rng.choice([None, var("l0"), self.value()]),
                                             inner + self.body(1, 0, True), self.body(1, 0, True)),
                                            ("return", self.value())]

    def plain(self, stmts):
        """Procedures call each other only where they are meant to."""
        return [s for s in stmts if s[0] != "call"] or [("skip",)]

    def source(self):
        f = self.procedure()
        g = self.plain(self.body(2, 1)) + [("return", self.value())]
        threads = [self.body(3, 1) + [("assert", ("||", self.value(), self.value()))] for _ in range(2)]
        return {"kind": "recursive", "procedures": {"f": f, "g": g}, "threads": threads,
                "start": [self.rng.randrange(2) for _ in range(2)]}


def lower_recursive(source):
    """Calls become copies of the procedure with locals of their own. Sets program["cut"] if a call was too deep."""
    program = {"globals": [("bit", f"x{i}", c, None) for i, c in enumerate(source["start"])] + [("bit", "cut", 0,
                                                                                                 None)],
               "channels": [], "procs": [], "fields": {}, "init": None}

    def rename(e, frame):
        if e[0] == "v":
            return var(f"{e[1]}_{frame}") if e[1].startswith("l") else e
        return e if e[0] == "c" else (e[0], *(rename(x, frame) for x in e[1:]))

    def place(name, frame):
        return rename(var(name), frame)

    for t, body in enumerate(source["threads"]):
        locals_ = []

        def new_frame():
            locals_.extend(("bit", f"l{k}_{len(locals_) // 2}", 0) for k in range(2))
            return len(locals_) // 2 - 1

        def lower(stmts, frame, depth):
            out = []
            for s in stmts:
                out += one(s, frame, depth)
            return out

        def branch(e, then, other, frame):
            if e is None:
                return [("if", [[("skip",), *then], [("skip",), *other]], None)]
            return [("if", [[("expr", rename(e, frame)), *then]], [("skip",), *other])]

        def one(s, frame, depth):
            if s[0] == "assign":
                return assign([place(n, frame) for n in s[1]], [None if e is None else rename(e, frame) for e in s[2]])
            if s[0] == "assume":
                return [("expr", rename(s[1], frame))]
            if s[0] == "assert":
                return [("assert", rename(s[1], frame))]
            if s[0] == "skip":
                return [s]
            if s[0] == "if":
                return branch(s[1], lower(s[2], frame, depth), lower(s[3], frame, depth), frame)
            if s[0] == "while":
                return [("do", [[("expr", rename(s[1], frame)), *lower(s[2], frame, depth)]], [("skip",), ("break",)])]
            if s[0] == "atomic":
                return [("atomic", [("skip",), *lower(s[1], frame, depth)])]
            assert s[0] == "call"
            if depth == Recursive.DEPTH:
                return [("set", var("cut"), const(1)), ("expr", const(0))]
            inner = new_frame()
            *rest, last = source["procedures"][s[2]]
            result = [] if s[1] is None else [("set", place(s[1], frame), rename(last[1], inner))]
            enter = assign([place("l0", inner), place("l1", inner)], [rename(s[3], frame), None])
            return enter + lower(rest, inner, depth + 1) + (result or [("skip",)])

        frame = new_frame()
        lowered = assign([place("l0", frame), place("l1", frame)], [None, None]) + lower(body, frame, 0)
        program["procs"].append({"name": f"thread{t}", "active": True, "params": [], "locals": locals_,
                                 "body": lowered})
    return program


def assign(places, values):
    """A parallel assignment, arbitrary where there is no value: one step for each choice."""
    choices = [[]]
    for v in values:
        choices = [c + [x] for c in choices for x in ([const(0), const(1)] if v is None else [v])]
    names = [p[1] for p in places]

    def reads(e):
        return e[0] == "v" and e[1] in names or any(reads(x) for x in e[1:] if isinstance(x, tuple))
    steps = []
    for values_now in choices:
        if len(places) == 1 or not any(reads(v) for v in values_now):
            steps.append(("d_step", [("set", p, v) for p, v in zip(places, values_now)]))
        else:
            steps.append(("parallel", places, values_now))
    return steps if len(steps) == 1 else [("if", [[s] for s in steps], None)]


def lower(source):
    if source["kind"] == "core":
        return lower_core(source)
    return lower_recursive(source) if source["kind"] == "recursive" else source


def maker(rng):
    """A class of programs."""
    kind = rng.random()
    return Core if kind < 0.25 else Recursive if kind < 0.3 else Pipes if kind < 0.4 else Promela
