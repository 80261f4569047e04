"""Musuvathi and Qadeer, "Partial-order reduction for context-bounded state exploration": Table 1."""
from programs import build, explore, is_done, this_bound

PAPER = {  # size -> executions of cb-dfs and cb-por by bound
    3: ((2, 46, 756, 8918, 66374), (2, 46, 713, 7838, 48828)),
    4: ((2, 54, 898, 12711, 95935), (2, 54, 853, 8458, 52572)),
    5: ((2, 67, 1197, 19460, 161637), (2, 67, 1136, 14563, 95068)),
}


def cells(report, size, bounds):
    """By bound: executions of dfs, Algorithm 1 (and how many it gave up), Algorithm 2 over this and all lower bounds."""
    program, found = build(report, "wsq.c", f"-DSIZE={size}"), []
    rising = explore(report, program, "cb-por", "-b", bounds[-1])
    first = explore(report, program, "cb-por1", "-b", bounds[-1])
    graphs = {level["bound"]: level["executions"] for level in rising.get("bounds", []) if level.get("complete")}
    for b in bounds:
        plain = explore(report, program, "dfs", "-b", b)
        found.append((plain["executions"] if is_done(plain) else None, this_bound(first, b), graphs.get(b)))
    return found


def check_cells(report, size, found):
    for bound, (plain, first, second) in enumerate(found):
        if first is not None and second is not None:
            report.check(f"CB-POR table 1, size {size}, bound {bound}: Algorithm 1 runs the graphs of Algorithm 2", first == second, f"{first}, {second}")
        if plain is not None and second is not None:
            report.check(f"CB-POR table 1, size {size}, bound {bound}: not more graphs than schedules", second <= plain, f"{second}, {plain}")
    graphs = [c[2] for c in found if c[2] is not None]
    report.check(f"CB-POR table 1, size {size}: more graphs with each bound", graphs == sorted(set(graphs)), f"{graphs}")
    ratio = [c[2] / c[0] for c in found if c[0] and c[2]]
    report.check(f"CB-POR table 1, size {size}: redundancy grows with the bound", ratio == sorted(ratio, reverse=True), f"{ratio}")


def table1(report, sizes, bounds):
    report.text("### Table 1: terminal executions of a work-stealing queue", "",
                "Stand-in: the queue of the paper is 1000 lines of C++ that are not printed; `bench/papers/programs/wsq.c` has its circular buffer and its test driver. Executions "
                "within a bound: `--explore=dfs -b N`, `--explore=cb-por1` (Algorithm 1) and `--explore=cb-por` (Algorithm 2), both without those given up.")
    rows = []
    for size in sizes:
        found = cells(report, size, bounds)
        check_cells(report, size, found)
        rows += [[size, b, PAPER[size][0][b], PAPER[size][1][b], *found[b]] for b in bounds]
    report.table(("size", "bound", "paper: cb-dfs", "paper: cb-por", "dfs", "cb-por1", "cb-por"), rows)
    report.text("The order is the paper's: the larger the bound, the more of the schedules are equivalent to others. The paper has next to none at bounds 1 and 2, we have half and more. The reason "
                "is what is counted as a place to switch: here every atomic access is one, and two neighbouring places between which the thread does nothing that the other one "
                "cares about give the same graph. The paper's driver has switches at synchronisation variables only, nearly all of which both threads use: with the buffer's slots as "
                "plain memory there are 16 schedules instead of 22 with one preemption, and the same 10 graphs. The last column cannot be lower: each graph is run once.")


def section(report):
    report.text("## Partial order reduction within a context bound (Musuvathi and Qadeer)")
    table1(report, (3, 4, 5), range(5))


def quick(report):
    check_cells(report, 3, cells(report, 3, range(3)))
