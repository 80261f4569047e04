#!/bin/sh
# The symbolic engine: time against threads and against contexts (CBA paper, Fig. 6), the search tree (Fig. 7), and the
# mutual exclusion models as Boolean programs and as Promela through Spin and Heddle's explicit engine (Fig. 8).
# Processor time, since other work may share the machine. LIMIT: seconds per run.
cd "$(dirname "$0")/.." && exec python3 - "$@" <<'PY'
import json, os, resource, shutil, subprocess, sys, tempfile
sys.dont_write_bytecode = True
sys.path.insert(0, "examples/bp")
import make
HEDDLE = os.environ.get("HEDDLE", os.path.abspath("build/heddle"))
LIMIT = float(os.environ.get("LIMIT", "60"))
WORK = tempfile.mkdtemp(prefix="heddle-bench-")


def timed(args, cwd=WORK):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        run = subprocess.run(args, capture_output=True, text=True, timeout=LIMIT, cwd=cwd)
    except subprocess.TimeoutExpired:
        return None, ""
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, run.stdout


def model(name, lines):
    path = os.path.join(WORK, name)
    with open(path, "w") as f:
        f.write("\n".join(lines) + "\n")
    return path


def check(path, *options):
    seconds, out = timed([HEDDLE, "check", path, "--json", *options])
    if seconds is None:
        return None, {}
    return seconds, json.loads(out)


def show(seconds):
    return "   >limit" if seconds is None else f"{seconds:9.2f}"


def bar(seconds, scale):
    return "" if seconds is None else "#" * max(1, min(60, round(seconds * scale)))


def against_threads(k, counts):
    print(f"\nFig. 6a: Bluetooth version 3, one stopper, {k} contexts per thread; seconds of CPU against threads")
    print("threads      lazy     eager")
    rows = []
    slow = {"--lazy": False, "--eager": False}
    for n in counts:
        path = model(f"bt{n}.bp", make.bluetooth(3, n - 1, 1))
        times = []
        for mode in ("--lazy", "--eager"):
            t = None if slow[mode] else check(path, mode, "-k", str(k), "--no-proof")[0]
            slow[mode] = t is None
            times.append(t)
        rows.append((n, times))
    top = max(t for _, ts in rows for t in ts if t is not None)
    for n, ts in rows:
        print(f"{n:7} {show(ts[0])} {show(ts[1])}  lazy  {bar(ts[0], 50 / top)}\n{'':29}eager {bar(ts[1], 50 / top)}", flush=True)


def against_contexts():
    print("\nFig. 6b: Bluetooth version 3, 3 threads; seconds of CPU against contexts per thread")
    print("contexts     lazy     eager    proof for all schedules")
    path = model("bt3.bp", make.bluetooth(3, 2, 1))
    proof = check(path)[0]
    slow = {"--lazy": False, "--eager": False}
    for k in range(1, 9):
        times = []
        for mode in ("--lazy", "--eager"):
            t = None if slow[mode] else check(path, mode, "-k", str(k), "--no-proof")[0]
            slow[mode] = t is None
            times.append(t)
        print(f"{k:8} {show(times[0])} {show(times[1])} {show(proof) if k == 1 else ''}", flush=True)


def search_tree():
    print("\nFig. 7: binary search tree (recursive, heap of 3 cells), lazy; seconds of CPU per contexts per thread")
    print("inserters searchers        2         3         4    all schedules")
    for ins, sea in ((1, 1), (2, 1), (2, 2)):
        path = model("bst.bp", make.bst(ins, sea))
        cells = [show(check(path, "-k", str(k), "--no-proof")[0]) for k in (2, 3, 4)]
        t, r = check(path)
        print(f"{ins:9} {sea:9} {' '.join(cells)} {show(t)} {r.get('verdict', '')}", flush=True)


# The same algorithms as Promela: one process per thread, one statement per step of the Boolean program.
def peterson_pml(n, broken):
    out = [f"byte level[{n}]; byte last[{n}]; bit critical;", f"active [{n}] proctype P() {{ byte k, j;", "do :: ", "  k = 1;",
           f"  do :: k < {n} -> level[_pid] = k; last[k] = _pid; j = 0;",
           f"    do :: j < {n} -> (j == _pid || last[k] != _pid || level[j] < k + {broken}); j++ :: else -> break od; k++", "  :: else -> break od;",
           "  assert(!critical); critical = 1; critical = 0; level[_pid] = 0", "od }"]
    return out


def bakery_pml(n, most, broken):
    wait = "" if broken else "!choosing[j];"
    return [f"byte num[{n}]; bool choosing[{n}]; bit critical;", f"active [{n}] proctype P() {{ byte best, j;", "do :: choosing[_pid] = 1; best = 0; j = 0;",
            f"  do :: j < {n} -> if :: num[j] > best -> best = num[j] :: else fi; j++ :: else -> break od;",
            f"  best < {most}; num[_pid] = best + 1; choosing[_pid] = 0; j = 0;",
            f"  do :: j < {n} -> if :: j != _pid -> {wait} (num[j] == 0 || num[_pid] < num[j] || (num[_pid] == num[j] && _pid < j)) :: else fi; j++ :: else -> break od;",
            "  assert(!critical); critical = 1; critical = 0; num[_pid] = 0", "od }"]


def anderson_pml(n, broken):
    places = n - 1 if broken else n
    return [f"bit turn[{places}] = 0; byte next; bit critical;", f"init {{ turn[0] = 1; byte i; for (i : 1 .. {n}) {{ run P() }} }}",
            "proctype P() { byte place;", f"do :: atomic {{ place = next; next = (next + 1) % {places} }};", "  turn[place];",
            "  assert(!critical); critical = 1; critical = 0;", f"  turn[place] = 0; turn[(place + 1) % {places}] = 1", "od }"]


def through_spin(path):
    """Seconds of spin -a, the compiler and pan together, and what pan says; None if spin or gcc is missing."""
    if not shutil.which("spin"):
        return None, "no spin"
    folder = tempfile.mkdtemp(dir=WORK)
    total = 0
    for args in (["spin", "-a", path], ["gcc", "-O2", "-DSAFETY", "-DNOFAIR", "-o", "pan", "pan.c"], ["./pan", "-E", "-m1000000", "-w24"]):
        t, out = timed(args, folder)
        if t is None:
            return None, ">limit"
        total += t
    return total, "error" if "errors: 0" not in out else "no error"


def models():
    print("\nFig. 8: mutual exclusion; seconds of CPU. BDD: rounds until the answer (K in brackets; all: every schedule)")
    print(f"{'model':24} {'threads':>7} {'BDD':>9} {'answer':>14} {'spin+gcc+pan':>13} {'':9} {'heddle .pml':>12}")
    rows = [("peterson n=3", make.peterson(3), peterson_pml(3, 0), 3), ("peterson n=3 broken", make.peterson(3, 1), peterson_pml(3, 1), 3),
            ("peterson n=4", make.peterson(4), peterson_pml(4, 0), 4), ("peterson n=4 broken", make.peterson(4, 1), peterson_pml(4, 1), 4),
            ("bakery n=3 max=5", make.bakery(3, 5), bakery_pml(3, 5, 0), 3), ("bakery n=3 max=5 broken", make.bakery(3, 5, 1), bakery_pml(3, 5, 1), 3),
            ("anderson n=4", make.anderson(4), anderson_pml(4, 0), 4), ("anderson n=4 broken", make.anderson(4, 1), anderson_pml(4, 1), 4),
            ("anderson n=6", make.anderson(6), anderson_pml(6, 0), 6), ("anderson n=6 broken", make.anderson(6, 1), anderson_pml(6, 1), 6),
            ("msmie 2 slaves 2 masters", make.msmie(2, 2, 4), None, 4), ("msmie 2+2 broken", make.msmie(2, 2, 4, 1), None, 4)]
    for name, bp, pml, threads in rows:
        seconds, r = check(model("m.bp", bp))
        answer = {"verified": "no error (all)", "error": "error", "bounded": f"no error ({r.get('bound')})"}.get(r.get("verdict"), "?")
        line = f"{name:24} {threads:7} {show(seconds)} {answer:>14}"
        if pml:
            path = model("m.pml", pml)
            spin, said = through_spin(path)
            own, explicit = check(path, "--no-deadlock")
            line += f" {show(spin):>13} {said:9} {show(own):>12} {explicit.get('verdict', '')}"
        print(line, flush=True)


against_threads(3, (2, 3, 4, 6, 8, 10, 12, 14, 16))
against_threads(4, (2, 3, 4, 6, 8))
against_contexts()
search_tree()
models()
shutil.rmtree(WORK)
PY
