#!/usr/bin/env python3
"""The symbolic engine, measured: run.py [threads] [contexts] [tree] [exclusion] [families]

  threads    Bluetooth against threads, K = 1 to 8 (CBA paper, Fig. 6a), and a plot
  contexts   Bluetooth with 3 threads against K (Fig. 6b), and a plot
  tree       the search tree, small and at the size of Fig. 7
  exclusion  the models of Fig. 8 at its sizes, by tuples, by joint states and by what is chosen; and through Spin
  families   models that one thing makes hard: nodes, bytes, seconds

Processor time, since other work may share the machine. LIMIT: seconds per run. Plots go beside this file."""
import json, os, resource, shutil, subprocess, sys, tempfile
sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "examples", "bp"))
import make
HEDDLE = os.environ.get("HEDDLE", os.path.join(ROOT, "build", "heddle"))
LIMIT = float(os.environ.get("LIMIT", "60"))
WORK = tempfile.mkdtemp(prefix="heddle-bench-")


def timed(args, cwd=WORK):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (int(LIMIT), int(LIMIT) + 1))
    run = subprocess.run(args, capture_output=True, text=True, cwd=cwd, preexec_fn=limit)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode < 0:
        return None, ""
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, run.stdout


def model(name, lines):
    path = os.path.join(WORK, name)
    with open(path, "w") as f:
        f.write("\n".join(lines) + "\n")
    return path


def check(path, *options):
    seconds, out = timed([HEDDLE, "check", path, "--json", *options])
    return (None, {}) if seconds is None else (seconds, json.loads(out))


def show(seconds):
    return f"> {LIMIT:.0f}" if seconds is None else f"{seconds:.2f}"


def row(*cells):
    print("| " + " | ".join(str(c) for c in cells) + " |", flush=True)


def head(*cells):
    row(*cells)
    row(*["---"] * len(cells))


COLORS = ("#1b6ca8", "#c8553d", "#588157", "#8a5a9e", "#b5892f", "#444444", "#2a9d8f")


def plot(name, title, xs, lines, x_title):
    """lines: label -> seconds by x, None where there is nothing. Seconds from 0.01 up, every step ten times as much."""
    import math
    width, height, left, top = 640, 360, 60, 40
    most = max(v for ys in lines.values() for v in ys if v is not None)
    decades = max(1, math.ceil(math.log10(max(most, 0.1) / 0.01)))
    x_at = lambda x: left + (width - left - 120) * (x - xs[0]) / max(1, xs[-1] - xs[0])
    y_at = lambda v: top + (height - top - 50) * (1 - math.log10(max(v, 0.01) / 0.01) / decades)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
           f'<rect width="{width}" height="{height}" fill="white"/>', f'<text x="{left}" y="20" font-size="14">{title}</text>']
    for d in range(decades + 1):
        y = y_at(0.01 * 10 ** d)
        out += [f'<line x1="{left}" y1="{y:.1f}" x2="{width - 120}" y2="{y:.1f}" stroke="#dddddd"/>',
                f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{0.01 * 10 ** d:g} s</text>']
    out += [f'<text x="{x_at(x):.1f}" y="{height - 30}" text-anchor="middle">{x}</text>' for x in xs]
    out += [f'<text x="{(width - 60) / 2:.0f}" y="{height - 10}" text-anchor="middle">{x_title}</text>']
    for i, (label, ys) in enumerate(lines.items()):
        points = [(x_at(x), y_at(v)) for x, v in zip(xs, ys) if v is not None]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        out += [f'<polyline points="{path}" fill="none" stroke="{COLORS[i % len(COLORS)]}" stroke-width="2"/>']
        if points:
            out += [f'<text x="{points[-1][0] + 6:.1f}" y="{points[-1][1] + 4:.1f}" fill="{COLORS[i % len(COLORS)]}">{label}</text>']
    with open(os.path.join(HERE, name), "w") as f:
        f.write("\n".join(out + ["</svg>"]) + "\n")


def against_threads():
    print("\nBluetooth version 3, one stopper; seconds of CPU by contexts per thread, and for all schedules\n")
    counts, ks = (2, 4, 8, 16, 32), (1, 2, 3, 4, 5, 6, 7, 8)
    columns, labels = [("-k", str(k)) for k in ks] + [()], [f"K = {k}" for k in ks] + ["all"]
    lines, slow = {x: [] for x in labels}, set()
    head("threads", *labels)
    for n in counts:
        path = model("bt.bp", make.bluetooth(3, n - 1, 1))
        for label, options in zip(labels, columns):
            t = None if label in slow else check(path, *options)[0]
            if t is None:
                slow.add(label)
            lines[label].append(t)
        row(n, *[show(lines[x][-1]) for x in labels])
    plot("threads.svg", "Bluetooth, version 3: seconds against threads", counts, lines, "threads")


def against_contexts():
    print("\nBluetooth version 3, 3 threads; seconds of CPU against contexts per thread\n")
    path, ks, lines, slow = model("bt3.bp", make.bluetooth(3, 2, 1)), range(1, 9), {"joint": [], "lazy": [], "eager": []}, set()
    head("contexts", *lines)
    for k in ks:
        for label, options in (("joint", ["--method", "joint"]), ("lazy", ["--method", "tuples"]), ("eager", ["--method", "tuples", "--eager"])):
            t = None if label in slow else check(path, "-k", str(k), *options)[0]
            if t is None:
                slow.add(label)
            lines[label].append(t)
        row(k, *[show(ys[-1]) for ys in lines.values()])
    plot("contexts.svg", "Bluetooth, 3 threads: seconds against contexts", list(ks), lines, "contexts per thread")


def search_tree():
    print("\nBinary search tree (recursive); seconds of CPU by tuples for K contexts, then for all schedules\n")
    head("cells", "shared bits", "inserters", "searchers", "K = 2", "K = 3", "K = 4", "all schedules", "verdict")
    for cells, values in ((3, 4), (7, 8)):
        for ins, sea in ((1, 1), (2, 1), (2, 2)):
            lines = make.bst(ins, sea, cells, values)
            path = model("bst.bp", lines)
            shared = sum(line.count("decl") for line in lines[:lines.index("")])
            times = []
            for k in (2, 3, 4):
                times.append(None if None in times else check(path, "-k", str(k), "--method", "tuples")[0])
            t, r = check(path)
            row(cells, shared, ins, sea, *map(show, times), show(t), r.get("verdict", ""))


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


def exclusion():
    print("\nMutual exclusion and buffers at the sizes of Fig. 8; seconds of CPU. Paper: what is printed there\n")
    head("model", "threads", "K", "tuples", "joint", "chosen", "answer", "paper", "Spin")
    rows = [("Anderson 6", make.anderson(6), anderson_pml(6, 0), 6, 2, 52.46), ("Anderson 6 broken", make.anderson(6, 1), anderson_pml(6, 1), 6, 2, 54.90),
            ("Bakery 4, tickets to 7", make.bakery(4, 7), bakery_pml(4, 7, 0), 4, 2, 5.87), ("Bakery 4, tickets to 5, broken", make.bakery(4, 5, 1), bakery_pml(4, 5, 1), 4, 2, 13.88),
            ("Peterson 4", make.peterson(4), peterson_pml(4, 0), 4, 3, 5.46), ("Peterson 4 broken", make.peterson(4, 1), peterson_pml(4, 1), 4, 3, 25.72),
            ("MSMIE 10 + 10, 5 buffers", make.msmie(10, 10, 5), None, 20, 2, 47.94), ("MSMIE 10 + 3, 5 buffers, broken", make.msmie(10, 3, 5, 1), None, 13, 2, 1.29)]
    for name, bp, pml, threads, k, paper in rows:
        path = model("m.bp", bp)
        times = [check(path, "-k", str(k), "--method", m)[0] for m in ("tuples", "joint")]
        t, r = check(path, "-k", str(k))
        spin = through_spin(model("m.pml", pml))[0] if pml else None
        row(name, threads, k, *map(show, times), show(t), r.get("verdict", "?"), paper, show(spin) if pml else "")


def families():
    print("\nFamilies\n")
    head("model", "verdict", "mode", "order", "variables", "nodes made", "MB", "seconds")
    rows = [("copy", dict(n=40)), ("copy", dict(n=400)), ("parameters", dict(n=24)), ("parameters", dict(n=200)), ("procedures", dict(n=1000)), ("procedures", dict(n=4000)),
            ("calls", dict(n=10)), ("calls", dict(n=20)), ("calls", dict(n=200)), ("chains", dict(n=8)), ("chains", dict(n=20)), ("toggles", dict(threads=6, n=8)), ("toggles", dict(threads=16, n=16)), ("counter", dict(n=10)), ("counter", dict(n=13))]
    rows = [(*x, ()) for x in rows] + [("toggles", dict(threads=6, n=8), ("--backward",)), ("chains", dict(n=40), ("--backward",)),
                                       ("bluetooth", dict(version=3, adders=7), ("-k", "4")), ("bluetooth", dict(version=3, adders=63), ("-k", "4"))]
    for name, args, options in rows:
        t, r = check(model("f.bp", make.MODELS[name](**args)), "-o", os.path.join(WORK, "f.trace"), *options)
        s = r.get("symbolic", {})
        row(f"{name} {' '.join([f'{k}={v}' for k, v in args.items()] + list(options))}", r.get("verdict", ""), s.get("mode", ""), s.get("order", ""), s.get("variables", ""),
            s.get("nodes", ""), r.get("memory_bytes", 0) >> 20, show(t))


PARTS = {"threads": against_threads, "contexts": against_contexts, "tree": search_tree, "exclusion": exclusion, "families": families}
if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
    shutil.rmtree(WORK)
