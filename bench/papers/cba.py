"""Lal and Reps, "Reducing concurrent analysis under a context bound to sequential analysis": Figures 6 to 10."""
import os, sys
from report import FULL, HERE, ROOT, heddle
sys.path.insert(0, os.path.join(ROOT, "examples", "bp"))
import make

LIMIT = 600 if FULL else 30
DRIVERS = ("button", "gpio", "watchdog")


def write(report, name, lines):
    path = os.path.join(report.work, name)
    with open(path, "w") as f:
        f.write("\n".join(lines) + "\n")
    return path


def check(report, path, *options, limit=LIMIT):
    return heddle(path, "-o", "b.trace", *options, cwd=report.work, seconds=limit)


def until_slow(xs, measure):
    """{x: result} until one takes too long."""
    found = {}
    for x in xs:
        found[x] = measure(x)
        if "cpu" not in found[x]:
            del found[x]
            break
    return found


def nodes(report, name, xs, found):
    """The nodes that were made are what the time is spent on, and do not depend on the machine: they are the row, and grow."""
    counts = [found[x]["symbolic"]["nodes"] if x in found else None for x in xs]
    report.row(f"CBA {name}, nodes", counts, exact=False)
    known = [c for c in counts if c is not None]
    report.check(f"CBA {name}: the more there is the more nodes", known == sorted(known), f"{counts}")


METHODS = {"lazy": ("--method", "tuples"), "eager": ("--method", "tuples", "--eager"), "joint": ("--method", "joint")}


def figure_6(report, threads, contexts):
    report.text("### Figure 6: the Bluetooth driver", "", "The paper's is a graph: (a) against threads with four contexts each, (b) against contexts with three threads. Ours has one thread that stops the device, the others "
                f"start it (version 3, `examples/bp/make.py`); processor seconds, up to {LIMIT} each. `joint` keeps the states of all threads together, which the paper has not.")
    model = lambda n: write(report, f"bt{n}.bp", make.bluetooth(3, n - 1, 1))
    found_a = {m: until_slow(threads, lambda n: check(report, model(n), "-k", 4, *o)) for m, o in METHODS.items()}
    found_b = {m: until_slow(contexts, lambda k: check(report, model(3), "-k", k, *o)) for m, o in METHODS.items()}
    for name, title, xs, found in (("6a", "threads", threads, found_a), ("6b", "contexts", contexts, found_b)):
        report.table((title, *found), [[x, *(by_x.get(x, {}).get("cpu") for by_x in found.values())] for x in xs])
        for method, by_x in found.items():
            nodes(report, f"figure {name}, {method}", xs, by_x)
    line = lambda found: {m: [(x, r["cpu"]) for x, r in by_x.items()] for m, by_x in found.items()}
    report.figure("cba-fig6a", "Bluetooth, 4 contexts per thread (Fig. 6a)", "threads", "seconds", line(found_a), log_x=False)
    report.figure("cba-fig6b", "Bluetooth, 3 threads (Fig. 6b)", "contexts per thread", "seconds", line(found_b), log_x=False)
    report.check("CBA figure 6b: joint states get to the last number of contexts", len(found_b["joint"]) == len(contexts), f"{list(found_b['joint'])}")
    report.text("Time grows exponentially with contexts, as in the paper; with joint states it hardly grows, because shared states that come again are noticed. Against threads tuples grow about threefold with each up to five, where the paper's are linear, and eager tuples are never faster than lazy ones, which they are there with many threads.")


PAPER_7 = {(1, 1): (6.1, 21.6, 84.5, 314.8, 1054.8), (2, 1): (11.9, 46.8, 211.9, 832.0, 2995.6), (2, 2): (14.1, 64.4, 298.0, 1255.4, 4432.1)}


def figure_7(report, cells, values, contexts):
    report.text("### Figure 7: the binary search tree, lazy", "", f"Stand-in: the paper's model is not printed; `examples/bp/make.py bst` with {cells} cells has recursion, a finite heap, and inserters and searchers, too. "
                f"Processor seconds: paper / ours, up to {LIMIT} each.")
    rows = []
    for (inserters, searchers), paper in PAPER_7.items():
        path = write(report, "bst.bp", make.bst(inserters, searchers, cells, values))
        found = until_slow(contexts, lambda k: check(report, path, "-k", k, "--method", "tuples"))
        rows.append([inserters, searchers, *(f"{paper[k - 2]} / {found[k]['cpu']:.2f}" if k in found else f"{paper[k - 2]} / –" for k in contexts)])
        label = f"figure 7, {inserters} + {searchers}"
        report.check(f"CBA {label}: two contexts can be had", 2 in found, f"{list(found)}")
        slow = {k: r["cpu"] for k, r in found.items() if r["cpu"] > paper[k - 2]}
        report.check(f"CBA {label}: not slower than printed", not slow, f"{slow}")
        nodes(report, label, contexts, found)
    report.table(("inserters", "searchers", *(f"{k} contexts" for k in contexts)), rows)


FIG_8 = (  # name, program, threads, contexts, correct, paper's seconds, Spin's there
    ("Anderson, N=6", lambda: make.anderson(6), 6, 2, True, 52.46, "OOM"), ("Anderson, N=6, ERROR=1", lambda: make.anderson(6, 1), 6, 2, False, 54.90, "OOM"),
    ("Bakery, N=4, MAX=7", lambda: make.bakery(4, 7), 4, 2, True, 5.87, 28.5), ("Bakery, N=4, MAX=5, broken", lambda: make.bakery(4, 5, 1), 4, 2, False, 13.88, 44.2),
    ("Peterson, N=4", lambda: make.peterson(4), 4, 3, True, 5.46, 3.05), ("Peterson, N=4, ERROR=1", lambda: make.peterson(4, 1), 4, 3, False, 25.72, "OOM"),
    ("Msmie, S=10, M=10", lambda: make.msmie(10, 10, 5), 20, 2, True, 47.94, 31.0), ("Msmie, 13 threads (printed: S=10, M=10), broken", lambda: make.msmie(10, 3, 5, 1), 13, 2, False, 1.29, 1.04))


def figure_8(report, rows=FIG_8, limit=600 if FULL else 60):
    report.text("### Figure 8: mutual exclusion and buffers", "", "Written anew after the algorithms of the BEEM suite, at the paper's sizes (`examples/bp/make.py`). \"Spin\" is what the paper prints; "
                "`bench/symbolic/run.py exclusion` runs Spin on the same algorithms.")
    table = []
    for name, program, threads, k, correct, paper, spin in rows:
        r = check(report, write(report, "m.bp", program()), "-k", k, limit=limit)
        table.append([name, threads, k, "correct" if correct else "broken", paper, spin, r.get("cpu"), r.get("verdict")])
        wanted = ("verified", "bounded") if correct else ("error",)
        report.row(f"CBA figure 8, {name}", [r.get("verdict"), (r.get("error") or {}).get("switches")])
        report.check(f"CBA figure 8, {name}: not ten times as slow as printed", r.get("cpu", limit) < 10 * paper, f"{r.get('cpu')}, {paper}")
        report.check(f"CBA figure 8, {name}: the right answer", r.get("verdict") in wanted, f"{r.get('verdict')}")
    report.table(("model", "threads", "contexts", "", "paper (s)", "paper: Spin (s)", "heddle (s)", "verdict"), table)
    slower = [r[0] for r in table if r[6] is not None and r[6] > r[4]]
    report.text("The bugs need no more than the two or three contexts of the paper. " + (f"Slower than printed: {', '.join(slower)}." if slower else "None takes longer than printed."))


PAPER_10 = {"applicom": (1.3, 33.0), "generic nvram": (2.3, None), "gpio": (280.6, 106.8), "machzwd": (0.9, 85.6), "nwbutton": (0.19, 0.88), "toshiba": (3.8, 192.8)}


def driver(report, name, broken):
    with open(os.path.join(HERE, "drivers", name + ".bp")) as f:
        lines = [line.rstrip("\n") for line in f if not (broken and "// LOCK" in line)]
    return write(report, name + ("-broken" if broken else "") + ".bp", lines)


def figures_9_and_10(report):
    report.text("### Figures 9 and 10: drivers", "", "Stand-ins: the Boolean programs that DDVerify made are not to be had. Three small drivers were abstracted by hand (`bench/papers/drivers`: a button, a pin, a "
                "watchdog, after nwbutton, gpio and machzwd); the broken ones lack a lock. Two threads, four contexts each, as in the paper. SMV is not run.")
    rows, points = [], []
    for name in DRIVERS:
        for broken in (False, True):
            r = check(report, driver(report, name, broken), "-k", 4)
            error = r.get("error") or {}
            rows.append([name, "neg" if broken else "pos", r.get("cpu"), r.get("verdict"), error.get("switches")])
            points.append((len(points) + 1, max(r.get("cpu", 0), 0.001)))
            report.check(f"CBA figure 10, {name}{' broken' if broken else ''}: the right answer", (r.get("verdict") == "error") == broken, f"{r.get('verdict')}")
            report.row(f"CBA figure 10, {name}{' broken' if broken else ''}", [r.get("verdict"), error.get("switches")])
            report.check(f"CBA figure 10, {name}: few switches", not broken or error.get("switches", 99) <= 6, f"{error}")
    report.table(("driver", "", "heddle (s)", "verdict", "switches"), rows)
    report.table(("paper: driver", "pos (s)", "neg (s)"), [[n, *times] for n, times in PAPER_10.items()])
    report.figure("cba-fig9", "Drivers, seconds each (Fig. 9, stand-ins)", "program", "seconds", {"heddle": points}, log_x=False)
    report.text("The paper finds bugs after 0 to 6 switches, ours need two or three. The programs are far smaller than those of DDVerify, so times say little.")


def section(report):
    report.text("## Context-bounded analysis of Boolean programs (Lal and Reps)")
    figure_6(report, (2, 3, 4, 5, 6, 8) if not FULL else (2, 3, 4, 5, 6, 8, 12, 16), tuple(range(1, 7)))
    figure_7(report, 7, 8, (2, 3, 4, 5, 6))
    figure_8(report)
    figures_9_and_10(report)


def quick(report):
    figure_6(report, (2, 3, 4), (1, 2, 3, 4))
    figure_7(report, 7, 8, (2,))
    figure_8(report, FIG_8[2:6])
    figures_9_and_10(report)
