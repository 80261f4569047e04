"""Lal and Reps, "Reducing concurrent analysis under a context bound to sequential analysis": Figures 6 to 10."""
import importlib.util, os, re, shutil, sys
from report import FULL, HERE, NOT_ASKED, ROOT, Pan, heddle, printed
sys.path.insert(0, os.path.join(ROOT, "examples", "bp"))
import make

LIMIT = 600 if FULL else 30
SPIN_LIMIT = 600 if FULL else 20  # it runs for minutes or not long


def write(report, name, lines):
    path = os.path.join(report.work, name)
    with open(path, "w") as f:
        f.write("\n".join(lines) + "\n")
    return path


def check(report, path, *options, limit=LIMIT):
    return heddle(path, "-o", "b.trace", *options, cwd=report.work, seconds=limit)


def sizes(lines):
    """Shared variables, most local ones (with parameters), procedures and statements of a Boolean program."""
    text = "\n".join(line.partition("//")[0] for line in lines)
    shared, *procedures = re.split(r"(?:void|bool(?:<\d+>)?) \w+\(([^)]*)\) begin", text)
    parameters, bodies = procedures[::2], procedures[1::2]
    most = max(len(p.split(",")) * bool(p.strip()) + b.count("decl ") for p, b in zip(parameters, bodies))
    return shared.count("decl "), most, len(bodies), sum(b.count(";") - b.count("decl ") for b in bodies)


def size_text(lines):
    shared, most, procedures, statements = sizes(lines)
    return f"{shared} shared variables, at most {most} local ones in a procedure, {procedures} procedures and {statements} statements"


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


def bluetooth(n):
    return make.bluetooth(3, n - 1, 1)


def figure_6(report, threads, contexts):
    report.text("### Figure 6: the Bluetooth driver", "",
                "The paper's is a graph, of which its text prints no number: (a) against threads with four contexts each, (b) "
                "against contexts with three "
                "threads. Its model has 8 shared variables, at most 7 local ones in a procedure, 5 procedures and 37 "
                "statements; ours (version 3, "
                f"`examples/bp/make.py`, three threads) {size_text(bluetooth(3))}: one thread stops the device, the others "
                "start it. Processor seconds, up to "
                f"{LIMIT} each. `joint` keeps the states of all threads together, which the paper has not.")
    model = lambda n: write(report, f"bt{n}.bp", bluetooth(n))
    found_a = {m: until_slow(threads, lambda n: check(report, model(n), "-k", 4, *o)) for m, o in METHODS.items()}
    found_b = {m: until_slow(contexts, lambda k: check(report, model(3), "-k", k, *o)) for m, o in METHODS.items()}
    for name, title, xs, found in (("6a", "threads", threads, found_a), ("6b", "contexts", contexts, found_b)):
        report.table((title, *found), [[x, *(by_x.get(x, {}).get("cpu") for by_x in found.values())] for x in xs])
        for method, by_x in found.items():
            nodes(report, f"figure {name}, {method}", xs, by_x)
    line = lambda found: {m: [(x, r["cpu"]) for x, r in by_x.items()] for m, by_x in found.items()}
    report.figure("cba-fig6a", "Bluetooth, 4 contexts per thread (Fig. 6a)", "threads", "seconds", line(found_a), log_x=False)
    report.figure("cba-fig6b", "Bluetooth, 3 threads (Fig. 6b)", "contexts per thread", "seconds", line(found_b), log_x=False)
    explain_6(report, found_a, found_b)


def explain_6(report, found_a, found_b):
    lazy, eager = found_a["lazy"], found_a["eager"]
    faster = [n for n in eager if n in lazy and eager[n]["cpu"] < lazy[n]["cpu"]]
    report.text("In the paper time grows exponentially with contexts and linearly with threads, up to eight. Here the time by "
                "tuples grows two to "
                "six times with each context from three on, and two to four times with each thread up to six; with joint "
                "states it hardly grows, "
                "because shared states that come again are noticed. In the paper eager is faster than lazy with many threads "
                "or contexts; here "
                "eager tuples are faster with "
                + (f"{' and '.join(map(str, faster))} threads in this run, if not by much, and out of time with the most."
                   if faster else "no number of threads."))


PAPER_7 = {(1, 1): (6.1, 21.6, 84.5, 314.8, 1054.8), (2, 1): (11.9, 46.8, 211.9, 832.0, 2995.6), (2, 2): (14.1, 64.4, 298.0, 1255.4, 4432.1)}


def figure_7(report, cells, values, contexts):
    report.text("### Figure 7: the binary search tree, lazy", "",
                f"Stand-in: the paper's model is not printed; `examples/bp/make.py bst` with {cells} cells has recursion, a "
                "finite heap, and inserters and "
                "searchers, too. The paper's has 72 shared variables, at most 52 local ones in a procedure, 15 procedures and "
                "155 statements, ours (1 + 1) "
                f"{size_text(make.bst(1, 1, cells, values))}. Processor seconds: paper / ours, up to {LIMIT} each.")
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


def symbolic_bench():
    """bench/symbolic/run.py, which has three of the algorithms in Promela."""
    spec = importlib.util.spec_from_file_location("symbolic_bench", os.path.join(ROOT, "bench", "symbolic", "run.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    shutil.rmtree(module.WORK)
    return module


def msmie_pml(slaves, masters, buffers, broken=0):
    """make.msmie() in Promela: a buffer is idle (0), a slave's (1), newest (2), or masters' (3)."""
    none = lambda b, s: " && ".join(["1"] + [f"buf[{a}] != {s}" for a in range(b)])
    first = lambda s: [f":: {none(b, s)} && buf[{b}] == {s} ->" for b in range(buffers)]
    take = [f"{guard} buf[{b}] = 1; mine = {b}" for b, guard in enumerate(first(0))]
    read = [f"{guard} mine = {b}" for b, guard in enumerate(first(3))]
    read += [f"{guard.replace('::', f':: {none(buffers, 3)} &&')} buf[{b}] = 3; mine = {b}" for b, guard in enumerate(first(2))]
    clear = " ".join(f"if :: buf[{b}] == 2 -> buf[{b}] = 0 :: else fi;" for b in range(buffers))
    return [f"byte buf[{buffers}]; byte readers;", f"active [{slaves}] proctype slave() {{ byte mine;", "do :: atomic { if", *take, "fi };",
            "  assert(buf[mine] == 1);", f"  atomic {{ {clear} buf[mine] = 2 }}", "od }", f"active [{masters}] proctype "
                            f"master() {{ byte mine;",
            "do :: atomic { if", *read, "fi; readers++ };", "  assert(buf[mine] == 3);",
            f"  atomic {{ readers--; if :: {1 if broken else 'readers == 0'} -> buf[mine] = 0 :: {0 if broken else 'else'} fi }}", "od }"]


# name, the algorithm with its arguments, whether it is correct, contexts; the paper's: shared and local variables, threads, seconds, Spin's
FIG_8 = (
    ("Anderson, N=6", "anderson", (6, 0), True, 2, (11, 4, 6, 52.46, "OOM")),
    ("Anderson, N=6, ERROR=1", "anderson", (6, 1), False, 2, (11, 4, 6, 54.90, "OOM")),
    ("Bakery, N=4, MAX=7", "bakery", (4, 7, 0), True, 2, (17, 7, 4, 5.87, 28.5)),
    ("Bakery, N=4, MAX=5, broken", "bakery", (4, 5, 1), False, 2, (17, 7, 4, 13.88, 44.2)),
    ("Peterson, N=4", "peterson", (4, 0), True, 3, (25, 7, 4, 5.46, 3.05)),
    ("Peterson, N=4, ERROR=1", "peterson", (4, 1), False, 3, (25, 7, 4, 25.72, "OOM")),
    ("Msmie, N=5, S=10, M=10", "msmie", (10, 10, 5, 0), True, 2, (23, 1, 20, 47.94, 31.0)),
    ("Msmie, 13 threads (printed: N=5, S=10, M=10), broken", "msmie", (10, 3, 5, 1), False, 2, (13, 1, 13, 1.29, 1.04)))


def spin_8(report, name, algorithm, arguments):
    """All states, as in the paper: with reduction, not ended by an error. The quick test does not wait for what does not end."""
    if not report.whole and report.known.get(f"CBA figure 8, {name}, Spin") == ["–"]:
        return {"states": NOT_ASKED}
    promela = msmie_pml if algorithm == "msmie" else getattr(symbolic_bench(), algorithm + "_pml")
    folder = os.path.join(report.work, f"{algorithm}{arguments}")
    os.makedirs(folder, exist_ok=True)
    path = write(report, os.path.join(folder, "m.pml"), promela(*arguments))
    return Pan(path, "-DSAFETY").run("-m20000000", "-c0", "-E", seconds=SPIN_LIMIT)


def row_8(report, name, algorithm, arguments, correct, k, paper, limit):
    lines = getattr(make, algorithm)(*arguments)
    r = check(report, write(report, "m.bp", lines), "-k", k, limit=limit)
    spin = spin_8(report, name, algorithm, arguments)
    verdict, seconds = r.get("verdict"), r.get("cpu")
    report.row(f"CBA figure 8, {name}", [verdict] if correct else [verdict, (r.get("error") or {}).get("switches")])
    report.row(f"CBA figure 8, {name}, Spin", [spin.get("states")])
    report.check(f"CBA figure 8, {name}: not ten times as slow as printed", r.get("cpu", limit) < 10 * paper[3], f"{seconds}, {paper[3]}")
    report.check(f"CBA figure 8, {name}: the right answer", verdict in (("verified", "bounded") if correct else ("error",)), f"{verdict}")
    if "errors" in spin:
        report.check(f"CBA figure 8, {name}: Spin's answer is the same", (spin["errors"] == 0) == correct, f"{spin['errors']}")
    return [name, "pos" if correct else "neg", *paper[:3], k, *printed(paper[3:]), *sizes(lines)[:2], seconds, verdict, spin.get("cpu"), spin.get("states")]


def figure_8(report, rows=FIG_8, limit=600 if FULL else 60):
    report.text("### Figure 8: mutual exclusion and buffers", "",
                "Written anew after the algorithms of the BEEM suite, at the paper's sizes (`examples/bp/make.py`); variables "
                "of ours are bits. Contexts per "
                "thread (#EC) are the paper's. Spin enumerates all states of the same algorithms in Promela "
                "(`bench/symbolic/run.py`; Msmie in "
                f"`bench/papers/cba.py`) in up to {SPIN_LIMIT} s, in the paper those of the suite's models.")
    table = [row_8(report, *row, limit) for row in rows]
    report.table(("model", "inst", "paper: #gvars", "#lvars", "#threads", "#EC", "s", "Spin, s", "ours: #gvars", "#lvars", "s", "verdict", "Spin, "
                    "s", "Spin: "
                    "states"), table)
    slower = [r[0] for r, row in zip(table, rows) if r[10] is not None and r[10] > row[5][3]]
    report.text("The bugs need no more than the two or three contexts of the paper. "
                + (f"Slower than printed: {', '.join(slower)}." if slower else "None takes longer than printed."))


# driver and instance -> seconds, Smv's, speedup, switches; and our stand-in
PAPER_10 = {("applicom", "pos"): (1.3, 147.1, 117.7, None), ("applicom", "neg"): (33.0, 147.1, 15.1, "1 to 3"),
            ("generic nvram", "pos"): (2.3, 88.1, 38.3, None),
            ("gpio", "pos"): (280.6, 92.8, 0.33, None), ("gpio", "neg"): (106.8, 299.6, 2.8, "1 to 6"),
            ("machzwd", "pos"): (0.9, 103.4, 120.2, None), ("machzwd", "neg"): (85.6, 4214.7, 49.2, "0 to 6"),
            ("nwbutton", "pos"): (0.19, 2.8, 14.6, None), ("nwbutton", "neg"): (0.88, 26.1, 29.7, "1 to 6"),
            ("toshiba", "pos"): (3.8, 197.1, 52.4, None), ("toshiba", "neg"): (192.8, 243.43, 1.3, "1 to 6")}
STAND_INS = {"nwbutton": "button", "gpio": "gpio", "machzwd": "watchdog"}


def driver(report, name, broken, kind):
    """The Boolean program (bp) or the Promela model (pml) of a driver."""
    with open(os.path.join(HERE, "drivers", f"{name}.{kind}")) as f:
        lines = [line.rstrip("\n") for line in f if not (broken and "// LOCK" in line)]
    return write(report, f"{name}{'-broken' if broken else ''}.{kind}", lines)


def row_10(report, name, broken):
    """seconds, verdict, switches; Spin's seconds and answer"""
    r = check(report, driver(report, name, broken, "bp"), "-k", 4)
    spin = Pan(driver(report, name, broken, "pml"), "-DSAFETY").run("-E", "-c0")
    label, switches = f"CBA figure 10, {name}{' broken' if broken else ''}", (r.get("error") or {}).get("switches")
    report.check(f"{label}: the right answer", (r.get("verdict") == "error") == broken, f"{r.get('verdict')}")
    report.check(f"{label}: Spin's answer is the same", (spin.get("errors", 0) > 0) == broken, f"{spin}")
    report.row(label, [r.get("verdict"), switches] if broken else [r.get("verdict")])
    report.row(f"{label}, Spin", [spin.get("states")])
    report.check(f"{label}: few switches", not broken or switches is not None and switches <= 6, f"{switches}")
    return r.get("cpu"), r.get("verdict"), switches, spin.get("cpu"), "error" if spin.get("errors") else "no error"


def figures_9_and_10(report):
    report.text("### Figures 9 and 10: drivers", "",
                "Stand-ins: the Boolean programs that DDVerify made are not to be had. Three small drivers were abstracted by hand "
                "(`bench/papers/drivers`: a button, a pin, a watchdog, after nwbutton, gpio and machzwd); the broken ones lack a lock. The "
                "paper's rows are sums over several properties, ours have one. Two threads, four contexts each, as in the "
                "paper. Smv, which the "
                "paper compares with, is not run: it is not here, and nothing makes its input of ours. Spin enumerates all "
                "states of the same "
                "drivers written in Promela.")
    rows = []
    for (name, kind), paper in PAPER_10.items():
        mine = STAND_INS.get(name)
        ours = row_10(report, mine, kind == "neg") if mine else [""] * 5
        rows.append([name, kind, *printed(paper), mine or "no stand-in", *ours])
    report.table(("paper: driver", "inst", "s", "Smv, s", "speedup", "#CS", "ours", "s", "verdict", "switches", "Spin, s", "Spin"), rows)
    points = lambda kind: [(smv, s) for (_, k), (s, smv, *_) in PAPER_10.items() if k == kind]
    report.figure("cba-fig9", "Drivers: seconds against those of Smv (Fig. 9), the sums of Fig. 10", "Smv, seconds", "seconds",
                  {"pos, paper": points("pos"), "neg, paper": points("neg")}, joined=False)
    report.text("Fig. 9 has a point for each file, of which the text prints none but that the median speedup was about 30; the "
                "picture has the "
                "sums of Fig. 10. Ours have no place in it, since Smv is not run. The paper finds bugs after 0 to 6 switches, "
                "ours need two or "
                "three. The programs are far smaller than those of DDVerify, so times say little.")


PLACES_ON_PAGE = (("Figs. 1 to 5", "the reductions and the lazy rules: `heddle seq`, `--eager`, `--lazy` (`doc/boolean-programs.md`)"),
          ("Figs. 6 to 10", "below"), ("Figs. 11 to 14, Table 1", "proofs and complexity in the appendix; nothing is measured"))


def section(report):
    report.text("## Context-bounded analysis of Boolean programs (Lal and Reps)")
    report.table(("in the paper", "here"), PLACES_ON_PAGE)
    figure_6(report, (2, 3, 4, 5, 6, 8) if not FULL else (2, 3, 4, 5, 6, 8, 12, 16), tuple(range(1, 7)))
    figure_7(report, 7, 8, (2, 3, 4, 5, 6))
    figure_8(report)
    figures_9_and_10(report)


def quick(report):
    figure_6(report, (2, 3, 4), (1, 2, 3, 4))
    figure_7(report, 7, 8, (2,))
    figure_8(report, FIG_8[2:6])
    figures_9_and_10(report)
