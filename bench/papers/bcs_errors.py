"""Holzmann and Florian, "Model checking with bounded context switching": Tables 2 to 4, Figure 11."""
import os
from bcs import BOUNDED, BOUNDS, LIMIT, MODELS, SAFETY, claimless
from report import Pan, heddle, trace_shape

PAPER_ERRORS = {  # Tables 2, 3, 4: BFS, DFS, L0, L1, L2, L4, L8, L16; without and with reduction
    "snoopy": (((5346, 3591, 1354, 1352, 1501, 1015, 1236, 1236), (None, 1249, 916, 560, 560, 560, 560, 560)),
               ((6576, 5507, 1524, 1522, 1698, 1130, 1403, 1402), (None, 1637, 1054, 636, 636, 636, 636, 636)),
               ((17, 1424, 414, 415, 445, 326, 387, 402), (None, 523, 335, 228, 228, 228, 228, 228))),
    "tpc": (((2497, 190, 243, 249, 249, 249, 249, 249), (None, 93, 243, 198, 198, 198, 198, 198)),
            ((3950, 320, 261, 276, 282, 282, 282, 282), (None, 99, 261, 244, 244, 244, 244, 244)),
            ((19, 70, 67, 67, 67, 67, 67, 67), (None, 33, 67, 109, 109, 109, 109, 109))),
    "nbq": (((385, 437, 56, 41, 41, 41, 41, 41), (None, 333, 41, 225, 293, 293, 293, 293)),
            ((565, 752, 57, 42, 42, 42, 42, 42), (None, 454, 277, 407, 417, 417, 417, 417)),
            ((10, 42, None, 4, 4, 4, 4, 4), (None, 32, 4, 6, 6, 6, 6, 6))),
    "mrf": (((None, 6330, None, 1309, 1745, 1848, 1848, 1848), (None, 5140, None, 1381, 1587, 1602, 1602, 1602)),
            ((None, 7357, None, 1332, 2565, 3066, 3074, 3074), (None, 5587, None, 1490, 2027, 2056, 2056, 2056)),
            ((None, 310, None, 6, 6, 6, 6, 6), (None, 294, None, 8, 8, 8, 8, 8))),
    "worst-case": (((33598, 59058, None, None, None, None, None, 59058), (None, 49224, None, None, None, None, None, 49224)),
                   ((147559, 378941, None, None, None, None, None, 517742), (None, 291801, None, None, None, None, None, 266645)),
                   ((10, 10, None, None, None, None, None, 10), (None, 10, None, None, None, None, None, 10))),
}
PAPER_SHORTENED = {  # Table 4, rows REACH: DFS, L0, L1, L2, L4, L8, L16; without and with reduction
    "snoopy": ((17, 15, 15, 15, 15, 15, 15), (17, 15, 17, 17, 17, 17, 17)),
    "tpc": ((20, 21, 16, 16, 16, 16, 16), (19, 21, 18, 18, 18, 18, 18)),
    "nbq": ((8, None, 4, 4, 4, 4, 4), (10, 4, 6, 6, 6, 6, 6)),
    "mrf": ((4, None, 4, 4, 4, 4, 4), (5, None, 8, 8, 8, 8, 8)),
    "worst-case": ((10, None, None, None, None, None, 10), (10, None, None, None, None, None, 10)),
}
NOTHING = (None,) * 4
LIVE = "mrf"  # its error is a cycle; the others' are failed assertions and invalid end states


def found(result, shape):
    """(states, transitions, switches, steps) of a search and of the error that it found."""
    return (result.get("states"), result.get("transitions"), *shape) if result.get("errors") and shape[0] is not None else NOTHING


def pans(model, name, reduce, *more):
    """The verifiers without and with a bound."""
    flags = (() if name == LIVE else SAFETY + claimless(name)) + (() if reduce else ("-DNOREDUCE",)) + more
    return (Pan(model, *flags, *bounded, spin=MODELS[name][1]) for bounded in ((), BOUNDED))


def spin_errors(model, name, reduce):
    options = ("-m1000000",) + (("-a", "-N", "answered") if name == LIVE else ())
    cells = [NOTHING]
    if not reduce and name != LIVE:
        bfs = next(pans(model, name, reduce, "-DBFS"))
        cells = [found(bfs.run(*options, seconds=LIMIT), bfs.trail())]
    plain, bounded = pans(model, name, reduce)
    cells.append(found(plain.run(*options, seconds=LIMIT), plain.trail()))
    return cells + [found(bounded.run(*options, f"-L{b}", seconds=LIMIT), bounded.trail()) for b in BOUNDS]


def spin_shortened(model, name, reduce):
    """-DREACH and -i, which pan says are for safety properties only: its trails of mrf are no cycles any more."""
    if name == LIVE:
        return [NOTHING] * (1 + len(BOUNDS))
    plain, bounded = pans(model, name, reduce, "-DREACH")
    cells = [found(plain.run("-m1000000", "-i", seconds=LIMIT), plain.trail())]
    return cells + [found(bounded.run("-m1000000", "-i", f"-L{b}", seconds=LIMIT), bounded.trail()) for b in BOUNDS]


def heddle_error(model, name, reduce, *options):
    folder, base = os.path.dirname(model), os.path.basename(model)
    property_ = ("--ltl", "answered") if name == LIVE else () if name == "worst-case" else ("--no-claims",)
    r = heddle("--exact", "--por" if reduce else "--no-por", *property_, *MODELS[name][1], *options, base, "-o", "h.trace",
               cwd=folder, seconds=LIMIT)
    return found(r, trace_shape(os.path.join(folder, "h.trace")))


def heddle_errors(model, name, reduce, bounds=BOUNDS):
    one = lambda *options: heddle_error(model, name, reduce, *options)
    bounded = () if name == LIVE else ("--spin-bcs",)
    first = [one("--search=bfs"), one("--search=dfs")] if name != LIVE else [NOTHING, one()]
    return first + [one(*bounded, "-b", b) for b in bounds] + [one()]


def heddle_shortened(model, name, reduce, bounds=BOUNDS):
    one = lambda *options: heddle_error(model, name, reduce, "--shorten", *options)
    if name == LIVE:
        return [NOTHING] * (1 + len(bounds))
    return [one("--search=dfs")] + [one("--spin-bcs", "-b", b) for b in bounds]


def label_of(name, reduce):
    return f"tables 2 to 4, {name}{', reduced' if reduce else ''}"


# Cells of Spin's that are still what the paper has: (model, reduced) -> columns; BFS has changed since.
PRINTED = {("snoopy", False): range(1, 8), ("snoopy", True): range(1, 8), ("worst-case", False): (1, 7), ("worst-case", True): (1, 7)}


def check_spin(report, name, reduce, spin, shortened):
    label, printed = label_of(name, reduce), PAPER_ERRORS[name][0][reduce]
    for t, what in enumerate(("states", "transitions", "switches")):
        report.row(f"{label}, Spin, {what}", [c[t] for c in spin])
    report.row(f"table 4 shortened, {name}{', reduced' if reduce else ''}, Spin", [c[2] for c in shortened])
    same = all(spin[i][0] == printed[i] for i in PRINTED.get((name, reduce), ()))
    report.check(f"{label}: Spin has the paper's states", same, f"{[c[0] for c in spin]} and {printed}")
    if name in ("snoopy", "worst-case"):  # the paper counts one more
        ours = [c[2] and c[2] + 1 for c in shortened]
        report.check(f"{label}: Spin's shortened errors are the paper's", ours == list(PAPER_SHORTENED[name][reduce]), f"{ours}")


def check_heddle(report, name, reduce, ours, bounds=BOUNDS):
    label = label_of(name, reduce)
    for t, what in enumerate(("states", "transitions", "switches")):
        report.row(f"{label}, {what}", [c[t] for c in ours[:-1]], exact=False)
        report.row(f"ordered search, {label}, {what}", [ours[-1][t]], exact=False)
    report.check(f"{label}: the ordered search has the fewest switches", all(c[2] is None or ours[-1][2] <= c[2] for c in ours), f"{ours}")
    by_bound = [c[2] is not None for c in ours[2:-1]]
    report.check(f"{label}: once a bound has an error all higher ones do", by_bound == sorted(by_bound), f"{by_bound}")
    if name == "worst-case":
        report.check(f"{label}: nine preemptions are needed", by_bound == [b >= 9 for b in bounds], f"{by_bound}")
        report.check(f"{label}: ten switches, as printed", {c[2] for c in ours if c[2]} <= {9, 10}, f"{ours}")


def check_shortened(report, name, reduce, ours, shortened):
    """A search that goes on until nothing is shorter ends with no more steps than it began with."""
    report.row(f"table 4 shortened, {name}{', reduced' if reduce else ''}", [c[2] for c in shortened], exact=False)
    longer = [(a, b) for a, b in zip(shortened, ours[1:-1]) if a[3] is not None and b[3] is not None and a[3] > b[3]]
    report.check(f"{label_of(name, reduce)}: shortened errors have no more steps", not longer, f"{longer}")


def measure(report, name):
    model, results = report.copy(MODELS[name][0], name), {}
    for reduce in (False, True):
        spin, short = spin_errors(model, name, reduce), spin_shortened(model, name, reduce)
        ours, our_short = heddle_errors(model, name, reduce), heddle_shortened(model, name, reduce)
        check_spin(report, name, reduce, spin, short)
        check_heddle(report, name, reduce, ours)
        check_shortened(report, name, reduce, ours, our_short)
        results[name, reduce] = spin, ours, short, our_short
    return results


COLUMNS = ("BFS", "DFS", *(f"L{b}" for b in BOUNDS), "ordered")


def table(report, t, title, results):
    rows = []
    for (name, reduce), (spin, ours, short, our_short) in results.items():
        sign, printed = "+" if reduce else "−", PAPER_ERRORS[name][t][reduce]
        for who, cells in (("paper", (*printed, "")), ("Spin 6.5.2", (*(c[t] for c in spin), "")), ("heddle `--exact`", [c[t] for c in ours])):
            rows.append([f"**{name}**" if who == "paper" else "", sign + ("/−" if t == 2 else ""), who, *cells])
        if t == 2:
            printed = PAPER_SHORTENED[name][reduce]
            for who, cells in (("paper", printed), ("Spin 6.5.2 `-i`", [c[2] for c in short]), ("heddle `--shorten`", [c[2] for c in our_short])):
                rows.append(["", sign + "/+", who, None if who == "paper" else "", *cells, ""])
    report.text(f"### {title}")
    report.table(("model", "PO/REACH" if t == 2 else "PO", "", *COLUMNS), rows)


def explain(report, results):
    report.text("nbq, tpc and mrf are stand-ins, so only the shape can be compared. In the paper breadth-first counterexamples "
                "are short and "
                "depth-first ones have many switches; here that is not so of nbq, nor of mrf in heddle. Heddle's "
                "counterexamples are reordered before they are "
                "shown (`doc/searches.md`). The last column is the ordered search, which needs no bound and has the fewest "
                "preemptions there are, "
                "but for mrf: that is a liveness property, which is searched in that order with `-b` only, so its columns L0 "
                "to L16 are the "
                "search for lassos within that bound, and its columns of other orders are one and the same search; Spin runs "
                "`-a`. Of worst-case "
                "heddle's states are those of the search for assertions and of the one for its claim together. Switches are "
                "counted by Heddle on "
                "the replayed trail, forced ones too; where Spin's states are the paper's (snoopy, worst-case) that is one "
                "less than the paper has. "
                "Spin's and the paper's breadth-first counts differ.")
    report.text("The rows REACH are made with `-DREACH` and `-i`, iterative shortening; ours with `--shorten`. Spin's of "
                "snoopy and worst-case "
                "are the paper's but for the one switch less. Neither is for liveness: Spin 6.5.2 warns that `-i` works for "
                "safety properties "
                "only, and of eight trails of mrf that were looked at four run to their end without a cycle, so how the "
                "paper's rows of mrf came "
                "about is not known.")
    snoopy(report, results)


def snoopy(report, results):
    """The two counterexamples that the text tells more of."""
    spin, ours, short, our_short = results["snoopy", False]
    reduced, our_reduced = results["snoopy", True][:2]
    best = lambda cells: min(((c[2], c[3]) for c in cells if c[2] is not None))
    shape = lambda pair: f"{pair[1]} steps and {pair[0]} switches"
    report.text("Of snoopy the paper says that the shortest counterexample has 42 steps and 17 switches, and the best one with "
                "a bound and reduction "
                f"552 steps and 228 switches. Spin's here have {shape(spin[0][2:])} (breadth-first) and "
                f"{shape(best(reduced[2:]))}, ours {shape(ours[0][2:])} "
                f"and {shape(best(our_reduced[2:-1]))}; after shortening {shape(best(short[1:]))} and "
                f"{shape(best(our_short[1:]))} without reduction. A "
                "step of `--exact` is one statement; Spin merges statements that nobody else can see.")


def figure_11(report, results):
    """One picture for each of the first four models, with all curves: without and with reduction, as found and shortened (-i)."""
    report.text("### Figure 11: switches against the bound", "",
                "The first four models of Table 4, with reduction and without (full), as found and shortened (-i), as the "
                "paper has them. Its points are "
                "those of Table 4.")
    at = lambda cells: [(b, c) for b, c in zip(BOUNDS, cells) if c is not None]
    for name in list(PAPER_ERRORS)[:4]:
        lines = {}
        for reduce, kind in ((False, "full"), (True, "reduced")):
            spin, ours, short, our_short = results[name, reduce]
            lines[f"{kind}, paper"], lines[f"{kind} -i, paper"] = at(PAPER_ERRORS[name][2][reduce][2:]), at(PAPER_SHORTENED[name][reduce][1:])
            lines[f"{kind}, Spin"], lines[f"{kind} -i, Spin"] = at([c[2] for c in spin[2:]]), at([c[2] for c in short[1:]])
            lines[f"{kind}, heddle"], lines[f"{kind} -i, heddle"] = at([c[2] for c in ours[2:-1]]), at([c[2] for c in our_short[1:]])
        report.figure(f"bcs-fig11-{name}", f"Switches in counterexamples of {name} (Fig. 11)", "bound", "switches",
                      {k: v for k, v in lines.items() if v})


def section(report):
    results = {}
    for name in PAPER_ERRORS:
        results |= measure(report, name)
    for t, title in enumerate(("Table 2: states up to the first error", "Table 3: transitions up to the first error",
                               "Table 4: switches in the counterexample")):
        table(report, t, title, results)
    explain(report, results)
    figure_11(report, results)


def quick(report):
    """Ours, and Spin's of the smallest model."""
    for name in PAPER_ERRORS:
        model, bounds = report.copy(MODELS[name][0], name), BOUNDS[:3] if name == "worst-case" else BOUNDS  # its higher ones take seconds
        for reduce in (False, True):
            ours = heddle_errors(model, name, reduce, bounds)
            check_heddle(report, name, reduce, ours, bounds)
            if name == "nbq":
                check_spin(report, name, reduce, spin_errors(model, name, reduce), spin_shortened(model, name, reduce))
            if name in ("tpc", "nbq"):
                check_shortened(report, name, reduce, ours, heddle_shortened(model, name, reduce, bounds))
