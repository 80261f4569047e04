"""The referee: all states and all schedules of a small program, by plain enumeration, with no code of Heddle.

A program is a dict (see program.py). Its statements are compiled here to one control graph per process; a state is a
tuple, a step is one statement. From the graph of all states follow
  - the fewest preemptions with which an assertion fails, and with which a deadlock is reached;
  - the fewest rounds of a round robin in which an assertion fails (for Boolean programs);
  - whether a formula, or a cycle property, is violated by an infinite run, and with how many preemptions.
"""
import collections


class TooLarge(Exception):
    """More states than the referee is ready to look at."""


class Failure(Exception):
    """An assertion fails in this step."""


WIDTH = {"bit": 1, "bool": 1, "byte": 255}
NOBODY = -1


def truncate(kind, value):
    if kind in WIDTH:
        return value & WIDTH[kind]
    bits = 16 if kind == "short" else 32
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


class Edge:
    __slots__ = ("guard", "effect", "target", "stays", "sends", "receives")

    def __init__(self, guard, effect, target, stays=False, sends=None, receives=None):
        self.guard, self.effect, self.target, self.stays = guard, effect, target, stays
        self.sends, self.receives = sends, receives  # rendezvous: (channel, values) and (channel, match, store)


class Process:
    """One control graph with its places in the state: pid, position, then the locals."""

    def __init__(self, machine, proc, number):
        self.machine, self.proc, self.number = machine, proc, number
        self.pid = machine.place()
        self.pc = machine.place()
        self.locals, self.initial = {}, {}
        self.edges, self.labels, self.breaks = [], {}, []
        for kind, name, init in list(proc["params"]) + list(proc["locals"]):
            self.declare(kind, name)
            self.initial[name] = truncate(kind, init)
        self.targets = {}  # of goto
        self.may_move = self.value(proc.get("provided") or ("c", 1))
        self.end = self.location()
        self.start = self.before(proc["body"])
        self.sequence(proc["body"], self.start, self.end)

    def declare(self, kind, name):
        self.locals[name] = (self.machine.place(), kind)

    def location(self):
        self.edges.append([])
        return len(self.edges) - 1

    def add(self, at, edge):
        self.edges[at].append(edge)
        return edge

    # ---- expressions ----

    def variable(self, ref):
        name = ref[1]
        return self.locals[name] if name in self.locals else self.machine.globals[name]

    def value(self, e):
        op, machine = e[0], self.machine
        if op == "c":
            n = e[1]
            return lambda s: n
        if op == "v":
            at = self.variable(e)[0]
            return lambda s: s[at]
        if op == "idx":
            at, index = machine.globals[e[1]][0], self.value(e[2])
            return lambda s: s[at + index(s)]
        if op == "pid":
            at = self.pid
            return lambda s: s[at]
        if op == "nrpr":
            return lambda s: s[machine.alive]
        if op == "at":
            return lambda s: int(machine.processes[e[1]].is_at(s, e[2]))
        if op == "of":
            return lambda s: machine.processes[e[1]].remote_value(s, e[2])
        if op == "np":
            return lambda s: int(not any(p.is_at(s, "progress") for p in machine.processes))
        if op == "timeout":
            return lambda s: machine.timeout
        if op == "!":
            a = self.value(e[1])
            return lambda s: int(not a(s))
        if op in ("len", "full", "empty", "nfull", "nempty"):
            at, capacity = machine.channels[e[1]]
            return {"len": lambda s: len(s[at]), "full": lambda s: int(len(s[at]) == capacity),
                    "empty": lambda s: int(not s[at]),
                    "nfull": lambda s: int(len(s[at]) < capacity), "nempty": lambda s: int(len(s[at]) > 0)}[op]
        if op == "poll":
            at, _ = machine.channels[e[1]]
            match = self.matcher(e[2])
            return lambda s: int(bool(s[at]) and match(s, s[at][0]))
        a, b = self.value(e[1]), self.value(e[2])
        return {"+": lambda s: a(s) + b(s), "-": lambda s: a(s) - b(s), "%": lambda s: a(s) % b(s),
                "&": lambda s: a(s) & b(s),
                "==": lambda s: int(a(s) == b(s)), "!=": lambda s: int(a(s) != b(s)), "<": lambda s: int(a(s) < b(s)),
                ">": lambda s: int(a(s) > b(s)), "&&": lambda s: int(bool(a(s) and b(s))),
                "||": lambda s: int(bool(a(s) or b(s)))}[op]

    def store(self, lhs):
        if lhs[0] == "idx":
            (at, kind), index = self.machine.globals[lhs[1]], self.value(lhs[2])

            def put(s, v):
                s[at + index(s)] = truncate(kind, v)
            return put
        at, kind = self.variable(lhs)

        def put_plain(s, v):
            s[at] = truncate(kind, v)
        return put_plain

    # ---- channels ----

    def matcher(self, patterns):
        tests = [(i, self.value(p[1])) for i, p in enumerate(patterns) if p[0] in ("const", "eval")]
        return lambda s, message: all(message[i] == test(s) for i, test in tests)

    def storer(self, patterns):
        puts = [(i, self.store(p[1])) for i, p in enumerate(patterns) if p[0] == "var"]

        def put_all(s, message):
            for i, put in puts:
                put(s, message[i])
        return put_all

    def send(self, st, at, out):
        _, channel, values, is_sorted = st
        place, capacity = self.machine.channels[channel]
        kinds = self.machine.kinds[channel]
        values = [self.value(v) for v in values]

        def message(s):
            return tuple(truncate(k, v(s)) for k, v in zip(kinds, values))
        if capacity == 0:
            return self.add(at, Edge(lambda s: True, lambda s: None, out, sends=(channel, message)))

        def put(s):
            new, old = message(s), s[place]
            where = next((i for i, m in enumerate(old) if m > new), len(old)) if is_sorted else len(old)
            s[place] = old[:where] + (new,) + old[where:]
        return self.add(at, Edge(lambda s: len(s[place]) < capacity, put, out))

    def receive(self, st, at, out):
        _, channel, patterns, anywhere, keeps = st
        place, capacity = self.machine.channels[channel]
        match, put = self.matcher(patterns), self.storer(patterns)
        if capacity == 0:
            return self.add(at, Edge(lambda s: True, lambda s: None, out, receives=(channel, match, put)))

        def position(s):
            candidates = range(len(s[place])) if anywhere else range(min(1, len(s[place])))
            return next((i for i in candidates if match(s, s[place][i])), None)

        def take(s):
            i = position(s)
            message = s[place][i]
            if not keeps:
                s[place] = s[place][:i] + s[place][i + 1:]
            put(s, message)
        return self.add(at, Edge(lambda s: position(s) is not None, take, out))

    # ---- statements ----

    def sequence(self, statements, at, out):
        """Edges of the statements from location at to location out."""
        statements = statements or [("skip",)]
        for i, st in enumerate(statements):
            last = i == len(statements) - 1
            if st[0] == "break":
                raise AssertionError("break is handled by the statement before it")
            jump = None if last else statements[i + 1]
            if jump and jump[0] in ("break", "goto"):
                self.statement(st, at, self.breaks[-1] if jump[0] == "break" else self.target(jump[1]))
                return
            after = out if last else self.before(statements[i + 1:])
            self.statement(st, at, after)
            at = after

    def target(self, name):
        if name not in self.targets:
            self.targets[name] = self.location()
        return self.targets[name]

    def before(self, statements):
        """The location before these statements: known already if a goto leads there."""
        is_target = statements and statements[0][0] == "label" and statements[0][1].startswith("L")
        return self.target(statements[0][1]) if is_target else self.location()

    def statement(self, st, at, out):
        kind = st[0]
        getattr(self, "do_" + kind)(st, at, out)

    def do_skip(self, st, at, out):
        self.add(at, Edge(lambda s: True, lambda s: None, out))

    def do_expr(self, st, at, out):
        test = self.value(st[1])
        self.add(at, Edge(test, lambda s: None, out))

    def do_set(self, st, at, out):
        effect = self.effect(st)
        self.add(at, Edge(lambda s: True, effect, out))

    do_assert = do_set

    def do_parallel(self, st, at, out):
        puts, values = [self.store(p) for p in st[1]], [self.value(v) for v in st[2]]

        def put_all(s):
            for put, v in zip(puts, [value(s) for value in values]):
                put(s, v)
        self.add(at, Edge(lambda s: True, put_all, out))

    def do_decl(self, st, at, out):
        _, kind, name, init = st
        if name not in self.locals:
            self.declare(kind, name)
            self.initial[name] = 0
        self.do_set(("set", ("v", name), init), at, out)

    def do_send(self, st, at, out):
        self.send(st, at, out)

    def do_recv(self, st, at, out):
        self.receive(st, at, out)

    def do_label(self, st, at, out):
        names = set()
        while st[0] == "label":
            names.add(st[1])
            st = st[2]
        self.labels.setdefault(at, set()).update(names)
        if st[0] == "do":
            self.do_do(st, at, out, names)
        else:
            self.statement(st, at, out)

    def is_at(self, s, label):
        return s[self.pid] >= 0 and label in self.labels.get(s[self.pc], ())

    def remote_value(self, s, name):
        return s[self.locals[name][0]] if s[self.pid] >= 0 else 0

    def do_run(self, st, at, out):
        target = lambda: self.machine.processes[st[1]]
        args = [self.value(a) for a in st[2]]

        def start(s):
            target().launch(s, [a(s) for a in args])
        self.add(at, Edge(lambda s: True, start, out))

    def do_if(self, st, at, out):
        _, options, other = st
        first = len(self.edges[at])
        for option in options:
            self.sequence(option, at, out)
        if other is not None:
            rivals = [e.guard for e in self.edges[at][first:]]
            chosen = self.location()  # else is a statement of its own
            self.add(at, Edge(self.none_of(rivals), lambda s: None, chosen))
            self.sequence(other, chosen, out)

    @staticmethod
    def unless(test, guard):
        return lambda s: not test(s) and guard(s)

    @staticmethod
    def none_of(rivals):
        return lambda s: not any(r(s) for r in rivals)

    def do_do(self, st, at, out, names=()):
        """The options leave from the location before the loop and, compiled a second time, from its head, which has the
        loop's labels too."""
        head = self.location()
        if names:
            self.labels[head] = set(names)
        self.breaks.append(out)
        self.do_if(st, at, head)
        self.do_if(st, head, head)
        self.breaks.pop()

    def do_atomic(self, st, at, out):
        before = {id(e) for edges in self.edges for e in edges}
        self.sequence(st[1], at, out)
        leaving = set(self.breaks) | {out}
        for edges in self.edges:
            for e in edges:
                if id(e) not in before and e.target not in leaving:
                    e.stays = True

    def do_d_step(self, st, at, out):
        """One step. Its first statement may be a condition; the others never block."""
        body = st[1]
        guard = self.value(body[0][1]) if body[0][0] == "expr" else lambda s: True
        effects = [self.effect(x) for x in (body[1:] if body[0][0] == "expr" else body)]

        def run_all(s):
            for f in effects:
                f(s)
        self.add(at, Edge(guard, run_all, out))

    def effect(self, st):
        if st[0] == "set":
            put, value = self.store(st[1]), self.value(st[2])
            return lambda s: put(s, value(s))
        if st[0] == "assert":
            test = self.value(st[1])

            def check(s):
                if not test(s):
                    raise Failure
            return check
        if st[0] == "if":  # inside d_step: conditions first, always with else
            options = [(self.value(o[0][1]), [self.effect(x) for x in o[1:]]) for o in st[1]]
            other = [self.effect(x) for x in st[2]]

            def choose(s):
                for f in next((effects for test, effects in options if test(s)), other):
                    f(s)
            return choose
        return lambda s: None

    def do_unless(self, st, at, out):
        _, main, escape = st
        known = {id(e) for edges in self.edges for e in edges}
        self.sequence(main, at, out)
        inside = sorted({i for i, edges in enumerate(self.edges) for e in edges if id(e) not in known})
        mains = {i: [e for e in self.edges[i] if id(e) not in known] for i in inside}
        test = self.value(escape[0][1])
        for i in inside:
            for e in mains[i]:
                e.guard = self.unless(test, e.guard)
            self.sequence(escape, i, out)

    # ---- life ----

    def launch(self, s, args):
        s[self.pid] = s[self.machine.alive]
        s[self.machine.alive] += 1
        s[self.pc] = self.start
        for name, (place, kind) in self.locals.items():
            s[place] = self.initial.get(name, 0)
        for (kind, name, _), value in zip(self.proc["params"], args):
            s[self.locals[name][0]] = truncate(kind, value)

    def end_life(self, s):
        s[self.pid], s[self.pc] = -1, 0
        for place, _ in self.locals.values():
            s[place] = 0
        s[self.machine.alive] -= 1

    def at_valid_end(self, s):
        return s[self.pc] == self.end or any(l.startswith("end") for l in self.labels.get(s[self.pc], ()))


class Machine:
    """A program as a transition system. strict_atomic: who blocks in an atomic section stops everybody."""

    def __init__(self, program, strict_atomic=False):
        self.program, self.strict = program, strict_atomic
        self.size, self.timeout = 0, 0
        self.holder, self.alive = self.place(), self.place()  # who holds atomicity; how many processes there are
        self.globals, self.channels, self.kinds, start = {}, {}, {}, {}
        for kind, name, init, count in program["globals"]:
            for i in range(count or 1):
                at = self.place()
                self.globals.setdefault(name, (at, kind))
                start[at] = truncate(kind, init)
        for name, capacity, kinds in program["channels"]:
            self.channels[name] = (self.place(), capacity)
            self.kinds[name] = kinds
            start[self.channels[name][0]] = ()
        self.processes = []
        for i, proc in enumerate(program["procs"]):
            self.processes.append(Process(self, proc, i))
        s = [0] * self.size
        for at, value in start.items():
            s[at] = value
        s[self.holder] = NOBODY
        for p in self.processes:
            s[p.pid] = -1
        for p in self.processes:
            if p.proc["active"]:
                p.launch(s, [])
        self.initial = tuple(s)

    def place(self):
        self.size += 1
        return self.size - 1

    def run_edge(self, s, p, e):
        """(state or None if an assertion fails, who moved last, who takes part) for every way to make this step."""
        if e.sends is None:
            if e.receives is not None or not e.guard(s):
                return
            new = list(s)
            try:
                e.effect(new)
            except Failure:
                yield None, p.number
                return
            new[p.pc] = e.target
            new[self.holder] = p.number if e.stays else NOBODY
            yield tuple(new), p.number
            return
        if not e.guard(s):
            return
        channel, message = e.sends
        values = message(s)
        for q in self.processes:
            if q is p or s[q.pid] < 0 or not q.may_move(s):
                continue
            for r in q.edges[s[q.pc]]:
                if r.receives is None or r.receives[0] != channel or not r.guard(s) or not r.receives[1](s, values):
                    continue
                new = list(s)
                r.receives[2](new, values)
                new[p.pc], new[q.pc] = e.target, r.target
                new[self.holder] = q.number if r.stays else NOBODY
                yield tuple(new), q.number

    def steps_of(self, s, p):
        if s[p.pid] < 0 or not p.may_move(s):
            return []
        if s[p.pc] == p.end:
            if s[p.pid] != s[self.alive] - 1:
                return []
            new = list(s)
            p.end_life(new)
            new[self.holder] = NOBODY
            return [(p.number, tuple(new), p.number)]
        return [(p.number, new, last) for e in p.edges[s[p.pc]] for new, last in self.run_edge(s, p, e)]

    def successors(self, s):
        """[(who moves, state or None for a failed assertion, who counts as the last one)]"""
        for self.timeout in (0, 1):
            if s[self.holder] != NOBODY:
                found = self.steps_of(s, self.processes[s[self.holder]])
                if found or self.strict:
                    return found
            found = [x for p in self.processes for x in self.steps_of(s, p)]
            if found:
                return found
        return []

    def whole_steps(self, s):
        done, waiting, seen = [], self.successors(s), set()
        while waiting:
            who, new, last = waiting.pop()
            if (who, new, last) in seen:
                continue
            seen.add((who, new, last))
            inner = self.steps_of(new, self.processes[new[self.holder]]) if new and new[self.holder] != NOBODY else []
            if inner:
                waiting += [(who, after, then) for _, after, then in inner]
            else:
                done.append((who, new, last))
        return done

    def is_valid_end(self, s):
        return all(s[p.pid] < 0 or p.at_valid_end(s) for p in self.processes)


class Graph:
    """All states: next[i] is [(who, j or None, last)], deadlock[i], and what the states are. With whole_atomic an atomic
    sequence is one step up to its end or to where it blocks: properties do not see what is inside."""

    def __init__(self, program, limit, strict_atomic=False, whole_atomic=False):
        self.machine = m = Machine(program, strict_atomic)
        self.states, self.next, self.deadlock, waits = [m.initial], [], [], []
        number = {m.initial: 0}
        for s in self.states:
            steps = []
            found = m.whole_steps(s) if whole_atomic else m.successors(s)
            waits.append(m.timeout)
            for who, new, last in found:
                if new is not None and new not in number:
                    number[new] = len(self.states)
                    self.states.append(new)
                    if len(self.states) > limit:
                        raise TooLarge
                steps.append((who, None if new is None else number[new], last))
            self.next.append(steps)
            self.deadlock.append(not found and not m.is_valid_end(s))
        self.movers = [{who for who, _, _ in steps} for steps in self.next]
        # To leave one of these is a preemption: who waits for timeout does not run.
        self.running = [set() if waiting else movers for waiting, movers in zip(waits, self.movers)]

    def has_endless_atomic(self):
        """Whether some atomic sequence can go on for ever."""
        held = {i for i, s in enumerate(self.states) if s[self.machine.holder] != NOBODY}
        inside = {i: [(j, who) for who, j, _ in self.next[i] if j in held
                      and who == self.states[i][self.machine.holder]] for i in held}
        return any(len(c) > 1 or any(j == c[0] for j, _ in inside[c[0]]) for c in components(inside))

    def arrivals(self):
        """{(state, last): fewest preemptions}, and the fewest for a failed assertion (None: never fails)."""
        best, failing = {(0, None): 0}, None
        queue = collections.deque([(0, None, 0)])
        while queue:
            i, last, cost = queue.popleft()
            if best[(i, last)] < cost:
                continue
            for who, j, after in self.next[i]:
                price = cost + (last is not None and who != last and last in self.running[i])
                if j is None:
                    failing = price if failing is None else min(failing, price)
                elif price < best.get((j, after), 1 << 30):
                    best[(j, after)] = price
                    (queue.appendleft if price == cost else queue.append)((j, after, price))
        return best, failing

    def fewest(self):
        """(preemptions to a failed assertion, preemptions to a deadlock); None where there is none."""
        best, failing = self.arrivals()
        stuck = [cost for (i, _), cost in best.items() if self.deadlock[i]]
        return failing, min(stuck) if stuck else None

    def fewest_rounds(self, order):
        """Rounds of a round robin of the processes in this order until an assertion fails; None if never."""
        n, holder = len(order), self.machine.holder
        best, queue = {(0, 0): 1}, collections.deque([(0, 0, 1)])
        while queue:
            i, turn, rounds = queue.popleft()
            if i is None:
                return rounds
            if best[(i, turn)] < rounds:
                continue
            moves = [(j, turn, rounds) for who, j, _ in self.next[i] if who == order[turn]]
            if self.states[i][holder] == NOBODY:
                moves.append((i, (turn + 1) % n, rounds + (turn == n - 1)))
            for j, t, r in moves:
                if r < best.get((j, t), 1 << 30):
                    best[(j, t)] = r
                    (queue.appendleft if r == rounds else queue.append)((j, t, r))
        return None

    def value_at(self, expression):
        """The expression over globals as a function of a state's number."""
        test = Process.value(self.machine.processes[0], expression)
        return lambda i: bool(test(self.states[i]))


# ---- infinite runs ----

def desugar(f):
    """Formulas down to p, !, &&, X and U."""
    op = f[0]
    if op == "p":
        return f
    parts = [desugar(x) for x in f[1:]]
    no = lambda x: ("!", x)
    if op == "||":
        return no(("&&", no(parts[0]), no(parts[1])))
    if op == "->":
        return no(("&&", parts[0], no(parts[1])))
    if op == "<>":
        return ("U", ("p", ("c", 1)), parts[0])
    if op == "[]":
        return no(("U", ("p", ("c", 1)), no(parts[0])))
    if op == "V":
        return no(("U", no(parts[0]), no(parts[1])))
    if op == "W":  # a W b: not (not b U (not a and not b))
        return no(("U", no(parts[1]), ("&&", no(parts[0]), no(parts[1]))))
    return (op, *parts)


def temporal_parts(f, found):
    if f[0] == "p":
        return found
    for x in f[1:]:
        temporal_parts(x, found)
    if f[0] in ("U", "X") and f not in found:
        found.append(f)
    return found


def propositions(f, found):
    if f[0] == "p":
        if f not in found:
            found.append(f)
        return found
    for x in f[1:]:
        propositions(x, found)
    return found


class Product:
    """Runs of the graph beside guesses which temporal subformulas hold: a run is a violation if the guesses come true
    and the formula is false. Nodes of the graph are states or, when preemptions count, (state, last) pairs."""

    def __init__(self, graph, formula, stutter):
        self.graph, self.stutter = graph, stutter
        self.formula = desugar(formula) if formula else None
        self.parts = temporal_parts(self.formula, []) if formula else []
        self.propositions = propositions(self.formula, []) if formula else []
        tests = [graph.value_at(p[1]) for p in self.propositions]
        self.letters = [sum(test(i) << k for k, test in enumerate(tests)) for i in range(len(graph.states))]
        self.memory = {}

    def holds(self, f, letter, guess):
        op = f[0]
        if op == "p":
            return letter >> self.propositions.index(f) & 1
        if op == "!":
            return not self.holds(f[1], letter, guess)
        if op == "&&":
            return self.holds(f[1], letter, guess) and self.holds(f[2], letter, guess)
        return guess >> self.parts.index(f) & 1

    def guesses(self, letter):
        """The guesses that do not contradict themselves in a state with this letter."""
        if letter not in self.memory:
            self.memory[letter] = [g for g in range(1 << len(self.parts)) if all(
                self.is_possible(k, f, letter, g) for k, f in enumerate(self.parts))]
        return self.memory[letter]

    def is_possible(self, k, f, letter, g):
        if f[0] == "X":
            return True
        holds, now, on = g >> k & 1, self.holds(f[2], letter, g), self.holds(f[1], letter, g)
        return holds if now else not holds if not on else True

    def next_guesses(self, a, g, b):
        """The guesses in a state with letter b that make guess g, made before with letter a, come true."""
        key = (a, g, b)
        if key not in self.memory:
            self.memory[key] = [h for h in self.guesses(b) if self.follows(a, g, b, h)]
        return self.memory[key]

    def follows(self, a, g, b, h):
        for k, f in enumerate(self.parts):
            if f[0] == "X":
                if (g >> k & 1) != bool(self.holds(f[1], b, h)):
                    return False
            elif self.holds(f[1], a, g) and not self.holds(f[2], a, g) and (g >> k & 1) != (h >> k & 1):
                return False
        return True

    def steps(self, node, counted):
        """(next node, cost, who took part) of a graph node."""
        i, last = node
        found = self.graph.next[i]
        if not found:
            return [(node, 0, ())] if self.stutter else []
        if not counted:
            return [((j, None), 0, (who, after)) for who, j, after in found if j is not None]
        able = last is not None and last in self.graph.running[i]
        return [((j, after), int(able and who != last), (who, after)) for who, j, after in found if j is not None]

    def violated(self, counted=False, fair=False, good=(), always=None):
        """None if no run violates; else the fewest preemptions before a cycle without any (0 if they are not counted).
        good: functions of a state, each to be true again and again. always: to be true on the whole cycle."""
        start, letters = (0, None), self.letters
        first = [(start, g) for g in self.guesses(letters[0]) if not self.formula
                 or not self.holds(self.formula, letters[0], g)]
        dist, queue, arcs = {n: 0 for n in first}, collections.deque(first), {}
        while queue:
            at = queue.popleft()
            if at in arcs:
                continue
            node, g = at
            arcs[at] = out = []
            for new, cost, who in self.steps(node, counted):
                for h in self.next_guesses(letters[node[0]], g, letters[new[0]]):
                    to = (new, h)
                    out.append((to, cost, who))
                    if dist[at] + cost < dist.get(to, 1 << 30):
                        dist[to] = dist[at] + cost
                        (queue.append if cost else queue.appendleft)(to)
        return self.least_accepting(arcs, dist, fair, good, always)

    def least_accepting(self, arcs, dist, fair, good, always):
        inner = {n: [(to, who) for to, cost, who in out if cost == 0] for n,
                 out in arcs.items() if always is None or always(n[0][0])}
        inner = {n: [(to, who) for to, who in out if to in inner] for n, out in inner.items()}
        least = None
        for component in components(inner):
            if self.accepting(component, inner, fair, good):
                cost = min(dist[n] for n in component)
                least = cost if least is None else min(least, cost)
        return least

    def accepting(self, component, inner, fair, good):
        members = set(component)
        inside = [(n, who) for n in component for to, who in inner[n] if to in members]
        if not inside:
            return False
        for k, f in enumerate(self.parts):
            if f[0] == "U" and not any(not n[1] >> k & 1 or self.holds(f[2], self.letters[n[0][0]], n[1])
                                       for n in component):
                return False
        if not all(any(test(n[0][0]) for n in component) for test in good):
            return False
        if not fair:
            return True
        moving = {p for _, who in inside for p in who}
        return all(p in moving or any(p not in self.graph.movers[n[0][0]] for n in component)
                   for p in range(len(self.graph.machine.processes)))


def components(graph):
    """Strongly connected components (Tarjan, without recursion)."""
    index, low, on, stack, found = {}, {}, set(), [], []
    for root in graph:
        if root in index:
            continue
        work = [(root, iter(graph[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on.add(root)
        while work:
            node, it = work[-1]
            for to, _ in it:
                if to not in index:
                    index[to] = low[to] = len(index)
                    stack.append(to)
                    on.add(to)
                    work.append((to, iter(graph[to])))
                    break
                if to in on:
                    low[node] = min(low[node], index[to])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    component = []
                    while True:
                        n = stack.pop()
                        on.discard(n)
                        component.append(n)
                        if n == node:
                            break
                    found.append(component)
    return found
