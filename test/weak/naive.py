"""The same question answered as naively as possible, to judge the referee itself on tiny programs.

Every interleaving of the threads; every read takes any write that was executed, every write goes anywhere behind the
initial one; what the axioms forbid is thrown away at the very end. Coherence is checked by the shapes of the literature
(CoRR, CoWR, CoRW, CoWW, no read from the future), psc pair by pair with loops over what may lie between. The surprises
are counted on the way.
"""


def graphs(program, places):
    """{graph: (outcome, fewest surprises, fewest preemptions of a run without other surprises, has a race)}"""
    initial, threads = program
    found, judged = {}, {}

    def step(todo, regs, events, mo, last, preempted, surprised):
        if not any(todo):
            finish(regs, events, mo, preempted, surprised)
            return
        for t in range(len(threads)):
            if can_go_on(todo[t], mo):
                switch = last is not None and last != t and can_go_on(todo[last], mo)
                run(t, todo, regs, events, mo, preempted + switch, surprised)

    def run(t, todo, regs, events, mo, preempted, surprised):
        s, rest = todo[t][0], todo[t][1:]
        mine = regs[t]
        value = lambda v: mine.get(v, 0) if isinstance(v, str) else v

        def go(rest, new_regs, new, new_mo, surprise):
            rest = skip(rest, new_regs)
            step(todo[:t] + (rest,) + todo[t + 1:], regs[:t] + (new_regs,) + regs[t + 1:], events + new, new_mo, t,
                 preempted, surprised + surprise)
        number = sum(e["thread"] == t for e in events)
        if s[0] == "fence":
            go(rest, mine, [event(t, number, "F", None, s[1])], mo, 0)
        elif s[0] == "acquire":
            halves = [event(t, number, "R", s[1], "acq", 0, mo[s[1]][-1], (t, number + 1)),
                      event(t, number + 1, "W", s[1], "acq", 1)]
            go(rest, mine, halves, put(mo, s[1], len(mo[s[1]]), (t, number + 1)), 0)
        elif s[0] == "release":
            w = event(t, number, "W", s[1], "rel", 0)
            go(rest, mine, [w], put(mo, s[1], len(mo[s[1]]), w["id"]), 0)
        elif s[0] == "store":
            w = event(t, number, "W", s[1], s[3], value(s[2]))
            for position in range(1, len(mo[s[1]]) + 1):
                go(rest, mine, [w], put(mo, s[1], position, w["id"]), position < len(mo[s[1]]))
        else:
            read(s, t, number, mine, value, mo, events, lambda *a: go(rest, *a))

    def read(s, t, number, mine, value, mo, events, go):
        kind, r, x = s[:3]
        for position, w in enumerate(mo[x]):
            seen = next((e["value"] for e in events if e["id"] == w), initial.get(x, 0))
            stale = position < len(mo[x]) - 1
            order = s[5] if kind == "cas" else s[-1]
            if kind == "load" or (kind == "cas" and seen != value(s[3])):
                order = s[6] if kind == "cas" else order
                go({**mine, r: seen}, [event(t, number, "R", x, order, seen, w)], mo, stale)
                continue
            written = value(s[4]) if kind == "cas" else value(s[3]) + (seen if kind == "add" else 0)
            halves = [event(t, number, "R", x, order, seen, w, (t, number + 1)),
                      event(t, number + 1, "W", x, order, written)]
            for at in range(1, len(mo[x]) + 1):
                go({**mine, r: seen}, halves, put(mo, x, at, (t, number + 1)), stale)

    def finish(regs, events, mo, preempted, surprised):
        key = (tuple(sorted((e["id"], e["from"]) for e in events)), tuple(sorted(mo.items())))
        if key not in judged:
            k = Relations(events, mo, everything)
            judged[key] = k.consistent(), k.race()
        if not judged[key][0]:
            return
        final = {x: next((e["value"] for e in events if e["id"] == mo[x][-1]), initial.get(x, 0)) for x in places}
        outcome = (tuple(tuple(sorted(r.items())) for r in regs), tuple(final.items()))
        cost, pure = preempted + surprised, preempted if not surprised else None
        if key in found:
            _, old, old_pure, _ = found[key]
            cost, pure = min(cost, old), min((p for p in (pure, old_pure) if p is not None), default=None)
        found[key] = outcome, cost, pure, judged[key][1]

    start = tuple(skip(tuple(t), {}) for t in threads)
    everything = list(places) + MUTEXES
    step(start, tuple({} for _ in threads), [], {x: (("initial", x),) for x in everything}, None, 0, 0)
    return found


MUTEXES = ["m", "n"]  # the names that locks may have


def can_go_on(todo, mo):
    """Something is left, and no mutex that is held stops it. A mutex that is free was written by pairs."""
    return bool(todo) and (todo[0][0] != "acquire" or len(mo[todo[0][1]]) % 2 == 1)


def skip(rest, regs):
    """What is left after conditions and fences that do nothing."""
    while rest and (rest[0][0] in ("if", "lock") or rest[0] == ("fence", "rlx")):
        s = rest[0]
        if s[0] == "fence":
            rest = rest[1:]
        elif s[0] == "lock":
            rest = (("acquire", s[1]), *s[2], ("release", s[1]), *rest[1:])
        else:
            operand = regs.get(s[3], 0) if isinstance(s[3], str) else s[3]
            same = regs.get(s[1], 0) == operand
            rest = tuple(s[4] if same == (s[2] == "==") else s[5]) + rest[1:]
    return rest


def event(t, number, kind, place, order, value=None, source=None, partner=None):
    return {"id": (t, number), "thread": t, "kind": kind, "place": place, "order": order, "value": value,
            "from": source, "partner": partner}


def put(mo, x, position, w):
    return {**mo, x: mo[x][:position] + (w,) + mo[x][position:]}


class Relations:
    def __init__(self, events, mo, places):
        start = [{**event("initial", x, "W", x, "na"), "id": ("initial", x)} for x in places]
        self.events = start + events
        self.by_id = {e["id"]: e for e in self.events}
        self.mo = mo
        self.ids = [e["id"] for e in self.events]
        self.hb = self.happens_before()

    def po(self, a, b):
        return b[0] != "initial" and (a[0] == "initial" or (a[0] == b[0] and a[1] < b[1]))

    def is_release(self, e):
        return e["order"] in ("rel", "ar", "sc") and e["kind"] != "R"

    def is_acquire(self, e):
        return e["order"] in ("con", "acq", "ar", "sc") and e["kind"] != "W"

    def chain(self, read):
        """The heads of release sequences that this read reads from: the write, and if that is half of a
        read-modify-write, those that the other half reads from."""
        w = self.by_id[read["from"]]
        heads = [w] if w["order"] != "na" else []
        other = next((e for e in self.events if e["partner"] == w["id"]), None)
        return heads + (self.chain(other) if other else [])

    def happens_before(self):
        edges = {(a, b) for a in self.ids for b in self.ids if self.po(a, b)}
        for r in self.events:
            if r["kind"] != "R" or r["order"] == "na":
                continue
            fences = [e for e in self.events if e["kind"] == "F"]
            ends = [f["id"] for f in fences if self.is_acquire(f) and self.po(r["id"], f["id"])]
            ends += [r["id"]] if self.is_acquire(r) else []
            for w in self.chain(r):
                starts = [f["id"] for f in fences if self.is_release(f) and self.po(f["id"], w["id"])]
                starts += [w["id"]] if self.is_release(w) else []
                edges |= {(a, b) for a in starts for b in ends}
        return closure(edges)

    def mo_before(self, a, b):
        x = self.by_id[a]["place"]
        order = self.mo.get(x, ())
        return a in order and b in order and order.index(a) < order.index(b)

    def rb(self, r, w):
        return self.by_id[r]["kind"] == "R" and self.mo_before(self.by_id[r]["from"], w)

    def coherent(self):
        before = lambda a, b: (a, b) in self.hb
        reads = [(e["id"], e["from"]) for e in self.events if e["kind"] == "R"]
        writes = [e["id"] for e in self.events if e["kind"] == "W"]
        if any(before(a, a) for a in self.ids):
            return False
        return not (any(before(r, w) for r, w in reads)
                    or any(self.mo_before(v, w) and before(w, v) for v in writes for w in writes)
                    or any(self.mo_before(w, v) and before(v, r) for r, w in reads for v in writes)
                    or any(before(r, v) and (self.mo_before(v, w) or v == w) for r, w in reads for v in writes)
                    or any(before(r, q) and self.mo_before(v, w) for r, w in reads for q, v in reads
                           if self.by_id[r]["place"] == self.by_id[q]["place"]))

    def atomic(self):
        for e in self.events:
            if e["partner"]:
                order = self.mo[e["place"]]
                if order.index(e["partner"]) != order.index(e["from"]) + 1:
                    return False
        return True

    def same_place(self, a, b):
        x = self.by_id[a]["place"]
        return x is not None and x == self.by_id[b]["place"]

    def scb(self, a, b):
        if self.po(a, b) or self.mo_before(a, b) or self.rb(a, b) or (self.same_place(a, b) and (a, b) in self.hb):
            return True
        return any(self.po(a, c) and not self.same_place(a, c) and (c, d) in self.hb and self.po(d, b)
                   and not self.same_place(d, b) for c in self.ids for d in self.ids)

    def psc(self):
        sc = [e["id"] for e in self.events if e["order"] == "sc"]
        fence = lambda a: self.by_id[a]["kind"] == "F"
        reach = lambda a, b: a == b or (a, b) in self.hb
        scb = {(c, d) for c in self.ids for d in self.ids if self.scb(c, d)}
        communicate = closure({(e["from"], e["id"]) for e in self.events if e["kind"] == "R"}
                              | {(a, b) for a in self.ids for b in self.ids if self.mo_before(a, b) or self.rb(a, b)})
        edges = set()
        for a in sc:
            for b in sc:
                base = any((c == a or (fence(a) and reach(a, c))) and (d == b or (fence(b) and reach(d, b)))
                           for c, d in scb)
                far = fence(a) and fence(b) and ((a, b) in self.hb or any(
                    (a, c) in self.hb and (d, b) in self.hb for c, d in communicate))
                if base or far:
                    edges.add((a, b))
        return edges

    def consistent(self):
        return self.coherent() and self.atomic() and not any(a == b for a, b in closure(self.psc()))

    def race(self):
        ordered = lambda a, b: (a["id"], b["id"]) in self.hb or (b["id"], a["id"]) in self.hb
        return any(a["id"] != b["id"] and self.same_place(a["id"], b["id"]) and a["kind"] == "W" and not ordered(a, b)
                   and "na" in (a["order"], b["order"]) for a in self.events for b in self.events)


def closure(edges):
    after = {}
    for a, b in edges:
        after.setdefault(a, set()).add(b)
    out = set()
    for a in after:
        left, seen = list(after[a]), set()
        while left:
            b = left.pop()
            if b not in seen:
                seen.add(b)
                left.extend(after.get(b, ()))
        out |= {(a, b) for b in seen}
    return out


def interleavings(program, places):
    """The outcomes of plain interleaving, every access seeing the newest value: all that seq_cst allows."""
    initial, threads = program
    outcomes, visited = set(), set()

    def step(todo, regs, memory):
        key = (tuple(len(t) for t in todo), repr(todo), repr(regs), repr(memory))
        if key in visited:
            return
        visited.add(key)
        if not any(todo):
            final = tuple((x, v) for x, v in memory.items() if x in places)
            outcomes.add((tuple(tuple(sorted(r.items())) for r in regs), final))
        for t in range(len(threads)):
            if todo[t] and (todo[t][0][0] != "acquire" or not memory.get(todo[t][0][1])):
                mine, new = execute(todo[t][0], regs[t], memory)
                step(todo[:t] + (skip(todo[t][1:], mine),) + todo[t + 1:], regs[:t] + (mine,) + regs[t + 1:], new)
    step(tuple(skip(tuple(t), {}) for t in threads), tuple({} for _ in threads), {x: initial.get(x, 0) for x in places})
    return outcomes


def execute(s, mine, memory):
    value = lambda v: mine.get(v, 0) if isinstance(v, str) else v
    if s[0] == "fence":
        return mine, memory
    if s[0] in ("acquire", "release"):
        return mine, {**memory, s[1]: s[0] == "acquire"}
    if s[0] == "store":
        return mine, {**memory, s[1]: value(s[2])}
    old = memory[s[2]]
    new = {"load": lambda: old, "xchg": lambda: value(s[3]), "add": lambda: old + value(s[3]),
           "cas": lambda: value(s[4]) if old == value(s[3]) else old}[s[0]]()
    return {**mine, s[1]: old}, {**memory, s[2]: new}
