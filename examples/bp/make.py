#!/usr/bin/env python3
"""Prints a Boolean program with parameters: make.py NAME [key=value ...]

  bluetooth version=1..3 adders=N stoppers=N   the Windows driver of the KISS and CBA papers
  peterson n=N [broken=1]                      filter lock for N threads
  bakery n=N max=M [broken=1]                  tickets up to M
  anderson n=N [broken=1]                      array lock with N places
  msmie slaves=N masters=N buffers=N [broken=1]  multiprocessor shared-memory exchange
  bst inserters=N searchers=N [cells=N values=N broken=1]  search tree in a bounded heap, recursive
  copy n=N                                     parallel assignment of N bits
  parameters n=N                               recursion with N parameters and results
  procedures n=N                               N procedures, each called once
  calls n=N                                    N procedures that call the one before twice, three threads
  chains n=N                                   the same with parameters and results, and others may look in between
  toggles threads=N n=N                        threads that share nothing, with N bits each
  counter n=N                                  a counterexample of about 2^(N+1) steps
"""
import sys


def bits(n):
    """How many bits hold the numbers 0..n-1."""
    return max(1, (n - 1).bit_length())


class Num:
    """A number made of Boolean variables."""

    def __init__(self, name, width):
        self.names = [f"{name}_{i}" for i in range(width)]
        self.width = width

    def decl(self, value=None):
        return " ".join(f"decl {v}{'' if value is None else f' := {value >> i & 1}'};" for i, v in enumerate(self.names))

    def params(self):
        return ", ".join(self.names)

    def eq(self, k):
        return "(" + " & ".join(v if k >> i & 1 else f"!{v}" for i, v in enumerate(self.names)) + ")"

    def same(self, other):
        return "(" + " & ".join(f"({a} = {b})" for a, b in zip(self.names, other.names)) + ")"

    def less(self, other):
        out = "F"
        for a, b in zip(self.names, other.names):
            out = f"((!{a} & {b}) | (({a} = {b}) & {out}))"
        return out

    def set(self, k):
        return ", ".join(self.names) + " := " + ", ".join(str(k >> i & 1) for i in range(self.width))

    def copy(self, other):
        return ", ".join(self.names) + " := " + ", ".join(other.names)

    def plus_one(self, other=None):
        src = (other or self).names
        vals, carry = [], "T"
        for v in src:
            vals.append(f"({v} ^ {carry})")
            carry = f"({v} & {carry})"
        return ", ".join(self.names) + " := " + ", ".join(vals)

    def minus_one(self):
        vals, borrow = [], "T"
        for v in self.names:
            vals.append(f"({v} ^ {borrow})")
            borrow = f"(!{v} & {borrow})"
        return ", ".join(self.names) + " := " + ", ".join(vals)


def bluetooth(version=1, adders=1, stoppers=1):
    io = Num("pendingIo", 3)
    out = [f"// Bluetooth driver, version {version}: {adders} adder(s), {stoppers} stopper(s).",
           "decl stoppingFlag := 0; decl stoppingEvent := 0; decl stopped := 0;", io.decl(1), "",
           "void inc() begin", "  atomic begin", f"    assume(!{io.eq(7)});", f"    {io.plus_one()};", "  end", "end", "",
           "void dec() begin", "  decl zero;", "  atomic begin", f"    assume(!{io.eq(0)});", f"    {io.minus_one()};",
           f"    zero := {io.eq(0)};", "  end", "  if (zero) stoppingEvent := 1; fi", "end", "",
           "void stopper() begin", "  stoppingFlag := 1;", "  dec();", "  assume(stoppingEvent);", "  stopped := 1;", "end", ""]
    if version == 1:
        out += ["void adder() begin", "  if (!stoppingFlag)", "    inc();", "    assert(!stopped);", "    dec();", "  fi", "end"]
    else:
        last = ["  dec();"] if version == 2 else ["  if (ok) dec(); fi"]
        out += ["void adder() begin", "  decl ok;", "  inc();", "  if (stoppingFlag)", "    dec();", "    ok := 0;", "  else",
                "    ok := 1;", "  fi", "  if (ok) assert(!stopped); fi"] + last + ["end"]
    out.append("")
    out += [f"void thread_adder{i + 1}() begin adder(); end" for i in range(adders)]
    out += [f"void thread_stopper{i + 1}() begin stopper(); end" for i in range(stoppers)]
    return out


def peterson(n=2, broken=0):
    """Filter lock. Broken: a thread that is alone on its level does not look at those ahead of it."""
    w = bits(n)
    level = [Num(f"level{i}", w) for i in range(n)]
    last = [Num(f"last{k}", w) for k in range(n)]
    out = [f"// Peterson's algorithm for {n} threads (filter lock){', broken' if broken else ''}.", "decl critical := 0;"]
    out += [x.decl(0) for x in level] + [last[k].decl(0) for k in range(1, n)] + [""]
    for i in range(n):
        out += [f"void thread{i}() begin", "  while (*) do"]
        for k in range(1, n):
            out += [f"    {level[i].set(k)};"]
            out += [f"    {last[k].set(i)};"]
            free = f"!{last[k].eq(i)}"
            for j in range(n):
                if j == i:
                    continue
                ahead = " | ".join(level[j].eq(x) for x in range(k if not broken else k + 1, n)) or "F"
                free_j = f"(!({ahead}) | {free})"
                out += [f"    assume({free_j});"]
        out += ["    assert(!critical);", "    critical := 1;", "    critical := 0;", f"    {level[i].set(0)};", "  od", "end", ""]
    return out


def bakery(n=2, max=3, broken=0):
    """Tickets up to max. Broken: who draws is not waited for."""
    w = bits(max + 1)
    num = [Num(f"num{i}", w) for i in range(n)]
    out = [f"// Bakery with {n} threads, tickets up to {max}{', broken' if broken else ''}.", "decl critical := 0;"]
    out += [f"decl choosing{i} := 0;" for i in range(n)] + [x.decl(0) for x in num] + [""]
    for i in range(n):
        best = Num("best", w)
        out += [f"void thread{i}() begin", "  " + best.decl(), "  while (*) do", f"    choosing{i} := 1;", f"    {best.set(0)};"]
        for j in range(n):
            if j != i:
                out += [f"    if ({best.less(num[j])}) {best.copy(num[j])}; fi"]
        out += [f"    assume(!{best.eq(max)});", f"    {num[i].plus_one(best)};", f"    choosing{i} := 0;"]
        for j in range(n):
            if j == i:
                continue
            if not broken:
                out += [f"    assume(!choosing{j});"]
            mine_first = num[i].less(num[j]) + (f" | {num[i].same(num[j])}" if i < j else "")
            out += [f"    assume({num[j].eq(0)} | {mine_first});"]
        out += ["    assert(!critical);", "    critical := 1;", "    critical := 0;", f"    {num[i].set(0)};", "  od", "end", ""]
    return out


def anderson(n=2, broken=0):
    """Array lock: fetch and increment a place, wait for its turn. Broken: one place too few."""
    places = n - 1 if broken else n
    w = bits(max(places, 2))
    nxt = Num("next", w)
    out = [f"// Anderson's array lock, {n} threads, {places} places{', broken' if broken else ''}.", "decl critical := 0;", nxt.decl(0)]
    out += [f"decl turn{k} := {1 if k == 0 else 0};" for k in range(places)] + [""]
    for i in range(n):
        place = Num("place", w)
        out += [f"void thread{i}() begin", "  " + place.decl(), "  while (*) do", "    atomic begin", f"      {place.copy(nxt)};",
                f"      if ({nxt.eq(places - 1)}) {nxt.set(0)}; else {nxt.plus_one()}; fi", "    end"]
        wait = " | ".join(f"({place.eq(k)} & turn{k})" for k in range(places))
        out += [f"    assume({wait});", "    assert(!critical);", "    critical := 1;", "    critical := 0;"]
        for k in range(places):
            out += [f"    {'if' if k == 0 else 'elsif'} ({place.eq(k)}) turn{k} := 0; turn{(k + 1) % places} := 1;"]
        out += ["    fi", "  od", "end", ""]
    return out


def msmie(slaves=2, masters=2, buffers=None, broken=0):
    """Buffers are idle, being written by a slave, newest, or read by masters. Broken: the last reader frees a newest buffer too early."""
    buffers = buffers or slaves + 2
    state = [Num(f"buf{b}", 2) for b in range(buffers)]  # 0 idle, 1 slave, 2 newest, 3 master
    w = bits(masters + 1)
    readers = Num("readers", w)
    out = [f"// MSMIE: {slaves} slave(s), {masters} master(s), {buffers} buffers{', broken' if broken else ''}."]
    out += [s.decl(0) for s in state] + [readers.decl(0), ""]
    for i in range(slaves):
        mine = Num("mine", bits(buffers))
        out += [f"void thread_slave{i}() begin", "  " + mine.decl(), "  while (*) do", "    atomic begin"]
        for b in range(buffers):
            out += [f"      {'if' if b == 0 else 'elsif'} ({state[b].eq(0)}) {state[b].set(1)}; {mine.set(b)};"]
        out += ["      else assume(F);", "      fi", "    end"]
        for b in range(buffers):
            out += [f"    if ({mine.eq(b)}) assert({state[b].eq(1)}); fi"]
        out += ["    atomic begin"]
        for b in range(buffers):
            out += [f"      if ({state[b].eq(2)}) {state[b].set(0)}; fi"]
        for b in range(buffers):
            out += [f"      {'if' if b == 0 else 'elsif'} ({mine.eq(b)}) {state[b].set(2)};"]
        out += ["      fi", "    end", "  od", "end", ""]
    for i in range(masters):
        mine = Num("mine", bits(buffers))
        out += [f"void thread_master{i}() begin", "  " + mine.decl(), "  while (*) do", "    atomic begin"]
        for b in range(buffers):
            out += [f"      {'if' if b == 0 else 'elsif'} ({state[b].eq(3)}) {mine.set(b)};"]
        for b in range(buffers):
            out += [f"      elsif ({state[b].eq(2)}) {state[b].set(3)}; {mine.set(b)};"]
        out += ["      else assume(F);", "      fi", f"      {readers.plus_one()};", "    end"]
        for b in range(buffers):
            out += [f"    if ({mine.eq(b)}) assert({state[b].eq(3)}); fi"]
        out += ["    atomic begin", f"      {readers.minus_one()};", f"      if ({'T' if broken else readers.eq(0)})"]
        for b in range(buffers):
            out += [f"        {'if' if b == 0 else 'elsif'} ({mine.eq(b)}) {state[b].set(0)};"]
        out += ["        fi", "      fi", "    end", "  od", "end", ""]
    return out


def bst(inserters=1, searchers=1, cells=3, values=4, broken=0):
    """Cells of the heap: value, left, right, used; node 0 is nil. Insertion goes down recursively and links a new
    cell atomically if the place is still free (broken: without looking again). A searcher that finds an empty place
    where an inserted value belongs is fine; two equal values in one heap are the error."""
    cw, vw = bits(cells + 1), bits(values)
    value = [Num(f"value{c}", vw) for c in range(cells + 1)]
    left = [Num(f"left{c}", cw) for c in range(cells + 1)]
    right = [Num(f"right{c}", cw) for c in range(cells + 1)]
    root, free = Num("root", cw), Num("free", cw)
    at, key, cell = Num("at", cw), Num("key", vw), Num("cell", cw)
    out = [f"// Binary search tree: {inserters} inserter(s), {searchers} searcher(s), {cells} cells, {values} values{', broken' if broken else ''}."]
    for c in range(1, cells + 1):
        out += [value[c].decl(0), left[c].decl(0), right[c].decl(0), f"decl linked{c} := 0;"]
    out += [root.decl(0), free.decl(1), ""]
    # a new cell with the key
    out += [f"bool<{cw}> alloc({key.params()}) begin", "  " + cell.decl(), "  atomic begin", f"    assume(!{free.eq((cells + 1) % (1 << cw))} | F);" if (cells + 1) < (1 << cw) else "    skip;",
            f"    {cell.copy(free)};"]
    for c in range(1, cells + 1):
        out += [f"    {'if' if c == 1 else 'elsif'} ({cell.eq(c)}) {value[c].copy(key)};"]
    out += ["    else assume(F);", "    fi", f"    {free.plus_one()};", "  end", f"  return {cell.params()};", "end", ""]

    def read(dst, arr, idx):
        res = []
        for c in range(1, cells + 1):
            res += [f"  {'if' if c == 1 else 'elsif'} ({idx.eq(c)}) {dst.copy(arr[c])};"]
        return res + [f"  else {dst.set(0)};", "  fi"]

    go, child = Num("go", 1), Num("child", cw)
    v = Num("v", vw)
    # insert below `at`, which is not nil
    out += [f"void insert({at.params()}, {key.params()}) begin", "  " + v.decl(), "  " + child.decl(), "  " + cell.decl(), "  decl down;"]
    out += read(v, value, at)
    out += [f"  if ({v.same(key)}) return; fi", f"  down := {key.less(v)};", "  if (down)"] + read(child, left, at) + ["  else"] + read(child, right, at) + ["  fi"]
    out += [f"  if (!{child.eq(0)})", f"    insert({child.params()}, {key.params()});", "    return;", "  fi",
            f"  {cell.params()} := alloc({key.params()});", "  atomic begin", "  if (down)"]
    test = (lambda arr, c: "T") if broken else (lambda arr, c: arr[c].eq(0))
    for arr, word in ((left, None), (right, "  else")):
        if word:
            out += [word]
        for c in range(1, cells + 1):
            out += [f"    {'if' if c == 1 else 'elsif'} ({at.eq(c)})", f"      if ({test(arr, c)})", f"        {arr[c].copy(cell)};"]
            out += [f"        {'if' if x == 1 else 'elsif'} ({cell.eq(x)}) linked{x} := 1;" for x in range(1, cells + 1)]
            out += ["        fi", "        return_ok := 1;", "      fi"]
        out += ["    fi"]
    out += ["  fi", "  end", "  if (!return_ok)", f"    insert({at.params()}, {key.params()});", "  fi", "end", ""]
    i = next(k for k, l in enumerate(out) if l.startswith("void insert"))
    out[i] = out[i] + " decl return_ok := 0;"
    # search below `at`; found
    out += [f"bool search({at.params()}, {key.params()}) begin", "  " + v.decl(), "  " + child.decl(), "  decl found;",
            f"  if ({at.eq(0)}) return 0; fi"] + read(v, value, at) + [f"  if ({v.same(key)}) return 1; fi",
            f"  if ({key.less(v)})"] + read(child, left, at) + ["  else"] + read(child, right, at) + ["  fi",
            f"  found := search({child.params()}, {key.params()});", "  return found;", "end", ""]
    out += ["void init() begin", f"  {value[1].set(values // 2)};", "  linked1 := 1;", f"  {root.set(1)};", f"  {free.set(2)};", "end", ""]
    start = ", ".join("1" if b == "1" else "0" for b in reversed(format(1, f"0{cw}b")))
    for n in range(inserters):
        k = [0, values - 1, 1][n % 3] if not broken else 0
        ks = ", ".join(str(k >> b & 1) for b in range(vw))
        out += [f"void thread_inserter{n}() begin", "  decl found;", f"  insert({start}, {ks});", f"  found := search({start}, {ks});",
                "  assert(found);" , "end", ""]
        if broken:
            out[-5:-2] = [f"  insert({start}, {', '.join(str((n % 2) >> b & 1) for b in range(vw))});",
                          f"  found := search({start}, {', '.join(str((n % 2) >> b & 1) for b in range(vw))});", "  assert(found);"]
    for n in range(searchers):
        out += [f"void thread_searcher{n}() begin", "  decl found; " + key.decl(), f"  found := search({start}, {key.params()});", 
                f"  assert(found => ({' | '.join(f'(linked{c} & {value[c].same(key)})' for c in range(1, cells + 1))}));", "end", ""]
    return out


def row(name, n):
    return ", ".join(f"{name}{i}" for i in range(n))


def copy(n=40):
    return [f"decl a{i};" for i in range(n)] + [f"decl b{i};" for i in range(n)] + [
        "void main() begin", f"  {row('b', n)} := {row('a', n)};"] + [f"  assert(a{i} = b{i});" for i in (0, n - 1)] + ["end"]


def parameters(n=24):
    """Comes back with what it was given, however deep it went."""
    return [f"bool<{n}> f({row('p', n)}) begin", f"  decl {row('r', n)};", "  if (*)", f"    {row('r', n)} := f({row('p', n)});",
            f"    return {row('r', n)};", "  fi", f"  return {row('p', n)};", "end", "void main() begin", f"  decl {row('x', n)};",
            f"  decl {row('y', n)};", f"  {row('y', n)} := f({row('x', n)});"] + [f"  assert(x{i} = y{i});" for i in range(n)] + ["end"]


def procedures(n=1000):
    out = ["decl g := 0;"]
    for i in range(n):
        out += [f"bool f{i}(a) begin", "  decl x, y;", "  x := a;", "  y := !x;", "  g := y;", "  return !y;", "end"]
    return out + ["void main() begin", "  decl z;", "  z := 1;"] + [f"  z := f{i}(z);" for i in range(n)] + ["  assert(z);", "end"]


def calls(n=10):
    out = ["decl g := 0;", "void f0() begin", "  atomic begin g := !g; g := !g; end", "end"]
    for i in range(1, n + 1):
        out += [f"void f{i}() begin f{i - 1}(); f{i - 1}(); end"]
    return out + [f"void thread_a() begin f{n}(); end", f"void thread_b() begin f{n}(); end", "void thread_c() begin assert(!g); end"]


def chains(n=8):
    out = ["decl g := 0; decl h := 0; decl k := 0;", "bool f0(a) begin", "  decl x; x := a; h := !h; if (*) k := x; fi", "  atomic begin g := !g; g := !g; end", "  return !x;", "end"]
    for i in range(1, n + 1):
        out += [f"bool f{i}(a) begin decl x, y; x := f{i - 1}(a); k := h; y := f{i - 1}(x); return x ^ y ^ a; end"]
    return out + [f"void thread_a() begin decl r; r := f{n}(1); end", f"void thread_b() begin decl r; r := f{n}(0); end", "void thread_c() begin assert(!g); end"]


def toggles(threads=6, n=8):
    out = [f"decl s{t}_{i} := 0;" for t in range(threads) for i in range(n)]
    for t in range(threads):
        out += [f"void thread{t}() begin", "  while (*) do"] + [f"    s{t}_{i} := !s{t}_{i};" for i in range(n)]
        out += [f"    assert(s{t}_0 = s{t}_{n - 1});", "  od", "end"]
    return out


def counter(n=12):
    c = Num("c", n)
    return ["void main() begin", "  " + c.decl(), f"  {c.set(0)};", f"  while (!{c.eq(2 ** n - 1)}) do", f"    {c.plus_one()};", "  od",
            "  assert(F);", "end"]


MODELS = {f.__name__: f for f in (bluetooth, peterson, bakery, anderson, msmie, bst, copy, parameters, procedures, calls, chains, toggles, counter)}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in MODELS:
        sys.exit(__doc__)
    args = dict(a.split("=") for a in sys.argv[2:])
    print("\n".join(MODELS[sys.argv[1]](**{k: int(v) for k, v in args.items()})))
