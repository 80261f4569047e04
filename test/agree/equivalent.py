"""What may be printed for one failing execution of a C program: the fewest preemptions of all executions that have the
same steps in the same happens-before order. For programs of loads, stores, critical sections, branches, assertions."""
import collections, json

from program import LOCALS, LOCKS, SHARED


def flatten(threads):
    """Critical sections as lock and unlock."""
    def flat(stmts):
        out = []
        for s in stmts:
            if s[0] == "section":
                out += [("lock", s[1]), *flat(s[2]), ("unlock", s[1])]
            else:
                out.append(("if", s[1], flat(s[2]), flat(s[3])) if s[0] == "if" else s)
        return out
    return [flat(t) for t in threads]


def compile_thread(stmts):
    code = []
    for s in stmts:
        if s[0] == "if":
            then, other = compile_thread(s[2]), compile_thread(s[3])
            code.append(("branch", s[1], len(then) + 1))
            code += then + [("jump", len(other))] + other
        else:
            code.append(s)
    return code


def settle(code, pc, local):
    """Local steps cost nothing and are seen by nobody. Returns (pc, failed)."""
    while pc < len(code):
        s = code[pc]
        if s[0] == "branch":
            pc += 1 if local[s[1]] else 1 + s[2]
        elif s[0] == "jump":
            pc += 1 + s[1]
        elif s[0] == "assert":
            if local[s[1]] == s[3] and local[s[2]] != s[3]:
                return pc, True
            pc += 1
        else:
            break
    return pc, False


def with_main(threads):
    """The C program as it is run: a first thread creates the others and joins them; every thread ends with a step."""
    n = len(threads)
    main = [("create", i + 1) for i in range(n)] + [("join", i + 1) for i in range(n)]
    return [main] + [compile_thread(t) for t in threads]


class Run:
    """One execution of the C program, step by step; copies are cheap enough."""

    def __init__(self, codes):
        self.codes, n = codes, len(codes)
        self.pcs, self.locals = [0] * n, [[0] * LOCALS for _ in range(n)]
        self.shared, self.locks = [0] * SHARED, [False] * LOCKS
        self.alive, self.ended, self.failed = [True] + [False] * (n - 1), [False] * n, False

    def copy(self):
        other = Run.__new__(Run)
        other.codes, other.failed = self.codes, self.failed
        other.pcs, other.locals = list(self.pcs), [list(l) for l in self.locals]
        other.shared, other.locks = list(self.shared), list(self.locks)
        other.alive, other.ended = list(self.alive), list(self.ended)
        return other

    def op(self, t):
        return self.codes[t][self.pcs[t]] if self.pcs[t] < len(self.codes[t]) else ("exit",)

    def enabled(self, t):
        s = self.op(t)
        if not self.alive[t] or self.ended[t] or self.failed:
            return False
        return not (s[0] == "lock" and self.locks[s[1]]) and not (s[0] == "join" and not self.ended[s[1]])

    def settle(self, t):
        self.pcs[t], failed = settle(self.codes[t], self.pcs[t], self.locals[t])
        self.failed |= failed

    def step(self, t):
        s = self.op(t)
        if s[0] == "exit":
            self.ended[t] = True
            return s
        if s[0] == "load":
            self.locals[t][s[1]] = self.shared[s[2]]
        elif s[0] == "store":
            self.shared[s[1]] = self.locals[t][s[2]]
        elif s[0] == "set":
            self.shared[s[1]] = s[2]
        elif s[0] in ("lock", "unlock"):
            self.locks[s[1]] = s[0] == "lock"
        elif s[0] == "create":
            self.alive[s[1]] = True
            self.settle(s[1])
        self.pcs[t] += 1
        self.settle(t)
        return s


def touched(t, s):
    """(object, written) of a step; two steps depend on each other if they have an object in common and one writes."""
    if s[0] == "load":
        return ("x", s[2]), False
    if s[0] in ("store", "set"):
        return ("x", s[1]), True
    if s[0] in ("lock", "unlock"):
        return ("m", s[1]), True
    return None, False


def ordered(a, b):
    (t, s), (u, r) = a, b
    if t == u or s == ("create", u) or (s[0] == "exit" and r == ("join", t)):
        return True
    (x, written), (y, also) = touched(t, s), touched(u, r)
    return x is not None and x == y and (written or also)


def cheapest_equivalent(threads, schedule):
    """The fewest preemptions of an execution whose steps are some of the schedule's, closed under happens-before, that
    ends in the same failure; None if the schedule does not fail."""
    codes, run, events = with_main(threads), None, []
    run = Run(codes)
    for t in schedule:
        if not run.enabled(t):
            return None
        events.append((t, run.step(t)))
    deadlock = not run.failed
    if deadlock and any(run.enabled(t) for t in range(len(codes))):
        return None
    mine = [[i for i, e in enumerate(events) if e[0] == t] for t in range(len(codes))]
    before = [{j for j in range(i) if ordered(events[j], events[i])} for i in range(len(events))]
    best, queue = {}, collections.deque([(0, (0,) * len(codes), None, Run(codes))])
    while queue:
        cost, cut, last, at = queue.popleft()
        if best.get((cut, last), 1 << 30) <= cost:
            continue
        best[(cut, last)] = cost
        done = {i for t in range(len(codes)) for i in mine[t][:cut[t]]}
        if len(done) == len(events) if deadlock else len(events) - 1 in done:
            return cost
        for t in range(len(codes)):
            if cut[t] == len(mine[t]) or not before[mine[t][cut[t]]] <= done:
                continue
            after = at.copy()
            price = cost + (last is not None and t != last and at.enabled(last))
            after.step(t)
            key = (price, cut[:t] + (cut[t] + 1,) + cut[t + 1:], t, after)
            (queue.appendleft if price == cost else queue.append)(key)
    return None


def schedule_of(path):
    with open(path) as f:
        steps = json.load(f)["steps"]
    return [pick["thread"] for step in steps for pick in step.get("picks", [])]
