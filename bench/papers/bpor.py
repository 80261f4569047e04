"""Coons, Musuvathi and McKinley, "Bounded partial-order reduction": Figures 6 and 7, Table 1."""
import os
from programs import SECONDS, build, explore, is_done, this_bound
from report import FULL, NOT_ASKED

# program, flags, bounds, whether yields are bounded
FIGURES = (("MRSE", "mrse.c", ("-DWAITERS=3",), range(4), False), ("FFT", "fft.c", ("-O2", "-DTHREADS=4") if FULL else ("-O2", "-DTHREADS=2"), range(4), False),
           ("Exception", "ccr.c", ("-DWORKERS=3",) if FULL else ("-DWORKERS=2",), range(4), False), ("Fair", "regown.c", (), range(3), True))
SEARCHES = (("No BPOR", "icb"), ("BPOR", "bpor-plain"), ("BPOR, opt", "bpor"), ("DPOR", "dpor-plain"), ("DPOR, opt", "dpor"))
PLACES = ("--points=all", "--races=explore", "--spurious=0")  # the paper has no spurious wake-ups


def search(report, program, how, bound, fair, seconds=SECONDS):
    """One invocation with one bound, as the paper has it; what lower bounds ran is not counted."""
    options = list(PLACES) + ["--local-states"]
    if how not in ("dpor", "dpor-plain"):
        options += ["-b", str(bound)] + ([] if fair else ["--fair-bound=-1"])
    r = explore(report, program, how, *options, seconds=seconds)
    if not is_done(r):
        return None
    if how in ("dpor", "dpor-plain"):
        return r["executions"] + r["blocked"], r["states"], r["cpu"]
    level = [l for l in r["bounds"] if l.get("complete")]
    if not level:
        return None
    last, before = level[-1], level[-2] if len(level) > 1 else {"executions": 0, "seconds": 0}
    icb = how == "icb"  # which goes on from lower bounds, so that all of them count
    return (last["executions"] - (0 if icb else before["executions"]), last["states"], last["seconds"] - (0 if icb else before["seconds"]))


def figure(report, name, source, flags, bounds, fair):
    program, rows, curves = build(report, source, *flags), [], {}
    for label, how in SEARCHES:
        if how.startswith("dpor") and fair:
            continue  # its executions need not end
        found = []
        for b in bounds if not how.startswith("dpor") else (None,):
            if found and found[-1] is None:
                break
            found.append(search(report, program, how, b, fair))
            if found[-1]:
                rows.append([name, label, "–" if b is None else b, *found[-1]])
            else:
                rows.append([name, label, "–" if b is None else b, None, None, None])
        curves[label] = [(f[1], max(f[2], 0.001)) for f in found if f]
    check_figure(report, name, rows, fair)
    return rows, curves


def check_figure(report, name, rows, fair):
    at = {(r[1], r[2]): r for r in rows if r[3] is not None}
    for label, _ in SEARCHES:
        mine = [r for r in rows if r[1] == label]
        if not mine:
            continue  # DPOR, whose executions need not end
        report.row(f"BPOR figure 7, {name}, {label}, schedules", [r[3] for r in mine], exact=label == "No BPOR")
        report.row(f"BPOR figure 7, {name}, {label}, local states", [r[4] for r in mine])
        growth = [r[4] for r in mine if r[4] is not None]
        report.check(f"BPOR figure 7, {name}, {label}: more local states with each bound", growth == sorted(growth), f"{growth}")
    most = max((r[4] for k, r in at.items() if not k[0].startswith("DPOR")), default=0)
    beyond = [r[4] for k, r in at.items() if k[0].startswith("DPOR") and r[4] < most]
    report.check(f"BPOR figure 7, {name}: DPOR has all local states that a bound has", not beyond, f"{beyond}, {most}")
    for (label, bound), row in at.items():
        plain = at.get(("No BPOR", bound))
        if label == "BPOR, opt" and plain:
            report.check(f"BPOR figure 7, {name}, bound {bound}: the same local states with and without reduction", row[4] == plain[4], f"{row[4]}, "
                            f"{plain[4]}")
            report.check(f"BPOR figure 7, {name}, bound {bound}: not more schedules than without reduction", row[3] <= plain[3], f"{row[3]}, "
                            f"{plain[3]}")
        unoptimised = at.get((label.replace(", opt", ""), bound))
        if label.endswith("opt") and unoptimised:
            report.check(f"BPOR figure 7, {name}, {label}, {bound}: the optimisations do not add schedules", row[3] <= unoptimised[3], f"{row[3]}, "
                            f"{unoptimised[3]}")


def figures(report, chosen=FIGURES):
    report.text("### Figures 6 and 7: coverage against time", "",
                "Stand-ins for the unit tests of Microsoft's libraries, which are not printed (`bench/papers/programs`), "
                "switched at every access as in the paper (`--points=all "
                "--races=explore --memory-model=sc`). Schedules (with those given up, for DPOR), local states and seconds of "
                "one bound, as heddle reports them of the search, without what lower bounds ran (DPOR: of the whole run); \"No BPOR\" "
                "is `icb`, BPOR `bpor-plain`, \"opt\" `bpor` and `dpor`. Of these figures the paper's text prints the axes "
                "only (up to 100 % of the "
                "states of MRSE and FFT, 600,000 local states of Exception, 1,000 of Fair, three hours), so they have no "
                "points of its own. What "
                "it says of them: DPOR is done with MRSE and FFT before a bounded search has done one or two preemptions; Exception is not "
                "finished in three hours by DPOR, nor by a bounded search with two preemptions, but by BPOR.")
    rows = []
    for name, source, flags, bounds, fair in chosen:
        more, curves = figure(report, name, source, flags, bounds, fair)
        rows += more
        report.figure(f"bpor-fig7-{name.lower()}", f"{name}: local states against time (Figs. 6 and 7)", "local states", "seconds",
                      {k: v for k, v in curves.items() if v}, log_x=False)
    report.table(("program", "search", "bound", "schedules", "local states", "seconds"), rows)
    report.text("As in the paper, reduction reaches the same local states with far fewer schedules, the optimised versions "
                "with the fewest, and DPOR covers MRSE faster than a "
                "bounded search covers three preemptions. FFT and Exception are too small here to tell: FFT has two threads "
                "where the paper's has eight (with `-DTHREADS=4` `dpor` runs 144 schedules and `bpor` 2,232 within "
                "one preemption), and Exception, which DPOR does not finish in three hours there, has 148. Fair has a cyclic "
                "state space, which DPOR cannot explore; its bound is on preemptions with the usual bound "
                "on yields, where the paper varies that one.")


CYCLIC = (("RegOwn", "regown.c"), ("NQueens", "nqueens.c"), ("Matrix", "matrix.c"), ("token", "../../native/cyclic.c"), ("CCR", "ccr.c"))


def overhead(report, chosen=CYCLIC, bounds=range(5)):
    report.text("### Reduction against plain bounded search on cyclic and racy programs", "",
                "Schedules within each bound, and processor seconds of the whole run up to it (`-j1`, with compiling left out, "
                "the start of heddle left in). `bpor` goes through what lower bounds went through again with each bound (it "
                "follows executions of graphs that were run before and does not run them): "
                "\"this bound\" is one bound alone, \"all\" everything of all bounds, with those given up.")
    rows = []
    for name, source in chosen:
        program = build(report, source)
        for b in bounds:
            plain, reduced = (explore(report, program, how, *PLACES, "-b", b, "-j", 1) for how in ("icb", "bpor"))
            if not (is_done(plain) and is_done(reduced)):
                rows.append([name, b] + [None] * 5)
                break
            alone, everything = this_bound(reduced, b), reduced["executions"] + reduced["blocked"]
            rows.append([name, b, plain["executions"], alone, everything, plain["cpu"], reduced["cpu"]])
            # where a thread yields the first schedule is run twice: that yields have to be counted is known only then
            report.check(f"BPOR on {name}, bound {b}: one bound has no more schedules than plain search", alone is None or alone <= plain["executions"] + (b == 0), f"{rows[-1]}")
            report.check(f"BPOR on {name}, bound {b}: nor have all bounds together", b < 2 or everything <= plain["executions"], f"{rows[-1]}")
        for label, at in (("icb", 2), ("bpor", 4)):
            report.row(f"BPOR on {name}, {label}", [r[at] for r in rows if r[0] == name], exact=label == "icb")
    report.table(("program", "bound", "icb: schedules", "bpor: this bound", "bpor: all", "icb: s", "bpor: s"), rows)
    report.text("Reduction is ahead in schedules at every bound above 0, and in time where a search takes a tenth of a second, "
                "also with what it goes through again. At bound 0 of token it runs one schedule more than there are: that "
                "yields count is known only when one is seen, "
                "and the first schedule is begun anew then.")


# name, source, flags, what, the paper's seconds: DPOR, bounded, BPOR with yields bounded, BPOR with both (MRSE, CCR: preemptions alone)
BUGS = (
    ("MRSE", "mrse.c", ("-DBUG=1", "-DWAITERS=3"), "deadlock", (2, 6, None, 1)),
    ("CCR", "ccr.c", ("-DBUG=1", "-DTASKS=4"), "assertion", (69, 39, None, 9)),
    ("CCR", "ccr.c", ("-DBUG=2", "-DTASKS=4"), "assertion", (64, 35, None, 8)),
    ("NQueens", "nqueens.c", ("-DBUG=1",), "assertion", (None, 75, 5, 4)),
    ("NQueens", "nqueens.c", ("-DBUG=2", "-DROUNDS=2"), "livelock", (None, 3235, 502, 125)),
    ("NQueens", "nqueens.c", ("-DBUG=3",), "assertion", (None, 312, 80, 11)),
    ("Matrix", "matrix.c", ("-DBUG=3",), "assertion", (None, 54, 2, 2)),
    ("Matrix", "matrix.c", ("-DBUG=2", "-DROUNDS=2"), "livelock", (None, 1089, 787, 137)),
    ("Matrix", "matrix.c", ("-DBUG=2", "-DROUNDS=2", "-DWORKERS=2"), "livelock", (None, None, 694, 136)),
    ("RegOwn", "regown.c", ("-DBUG=1",), "assertion", (None, None, 3474, 1586)),
)
HUNTS = (("DPOR", "dpor"), ("No BPOR", "icb"), ("BPOR, fair", "fair"), ("BPOR, both", "bpor"))


def hunt(report, program, how, kind, most):
    """(schedules, seconds) until it is found. most: schedules of a search that finds everything; what goes round long loops gets a
    few of them."""
    limit = ("--executions", most if how in ("icb", "bpor") else most // 5) if most else ()
    r = explore(report, program, how, *PLACES, *limit)
    error = r.get("error")
    if not error:
        return None, None
    name = f"BPOR table 1, {os.path.basename(program)}, {how}"
    report.check(f"{name}: the known bug", error["kind"] == kind, f"{error['kind']} instead of {kind}")
    return r["executions"], r["cpu"]


def check_bug(report, label, found, most):
    schedules = [f[0] for f in found]
    if most:  # a search that is cut off early is asked only for what needs half as many schedules at most
        late = [not k.isdigit() or int(k) > most // 10 for k in report.known.get(label, ["–"] * len(HUNTS))]
        schedules = [NOT_ASKED if late[i] and s is None and HUNTS[i][1] in ("dpor", "fair") else s for i, s in enumerate(schedules)]
    report.row(label, schedules, exact=False)
    plain, reduced = schedules[1], schedules[3]
    report.check(f"{label}: bounded reduction finds it", reduced is not None, f"{found}")
    if plain is not None and reduced is not None:
        report.check(f"{label}: not later than without reduction", reduced <= plain, f"{found}")


def bugs(report, most=None):
    report.text("### Table 1: time until a known bug is found", "",
                f"The paper has seconds, up to three hours; ours are schedules and processor seconds, within {SECONDS} s each. "
                "The bugs are seeded in the "
                "stand-ins. The paper's bounded searches begin with the smallest bound that has the bug; ours begin with 0 and "
                "count what lower bounds took.")
    rows = []
    for name, source, flags, kind, paper in BUGS:
        program = build(report, source, *flags)
        found = [hunt(report, program, how, kind, most) for _, how in HUNTS]
        rows.append([name, kind, *paper, *(f[1] for f in found), *(f[0] for f in found)])
        check_bug(report, f"BPOR table 1, {name} {' '.join(flags)}", found, most)
    heads = [f"{who}{h}{unit}" for who, unit in (("paper: ", ", s"), ("", ", s"), ("", ", schedules")) for h, _ in HUNTS]
    report.table(("program", "bug", *heads), rows)
    livelocks = [r for r in rows if r[1] == "livelock"]
    report.check("BPOR table 1: no livelock is found by DPOR, each by a bounded search", all(r[10] is None and r[11] for r in livelocks), f"{livelocks}")
    explain_bugs(report)


def explain_bugs(report):
    report.text("Every bug is found by bounded reduction, with no more schedules than a bounded search needs. "
                "The first of NQueens takes it more than twice as long all the same. `dpor` here also knows loops "
                "that wait and states that come again, so it finds the bug of RegOwn (an exception there), which the paper's "
                "does not; where "
                "it has – it found nothing in the time. That is so in all programs with a pool (NQueens, Matrix), where "
                "threads yield while they "
                "wait: it goes round and round their loops, as in the paper. Bounds on yields alone let threads be stopped "
                "anywhere: two bugs "
                "are not found with them in the time, three take more schedules than with both bounds (two of them hundreds of "
                "times as many), "
                "and five fewer; in the paper all seven take as long or longer, up to seven times. The paper's column of both "
                "bounds is of preemptions alone for MRSE and CCR, and it has no column of yields for them. The "
                "programs are much smaller than the paper's: most seconds of ours are the start of heddle and of the program, "
                "so schedules tell "
                "more.")


PLACES_ON_PAGE = (("Figs. 1 to 5", "examples and definitions; no numbers"),
                  ("Algorithms 1 and 2", "`--explore=bpor-plain`, with the optimisations of its Sec. 5 `--explore=bpor`; "
                                         "`fair` bounds yields alone"),
                  ("Figs. 6 and 7", "below; Fig. 6 is the curves \"No BPOR\" and DPOR of Fig. 7"), ("Table 1", "below"))


def section(report):
    report.text("## Bounded partial order reduction (Coons, Musuvathi and McKinley)")
    report.table(("in the paper", "here"), PLACES_ON_PAGE)
    figures(report)
    overhead(report)
    bugs(report)


def quick(report):
    figures(report, [(*f[:3], range(2), f[4]) for f in FIGURES])
    overhead(report, bounds=range(3))
    bugs(report, most=500)
