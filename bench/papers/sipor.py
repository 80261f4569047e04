"""Siegel, "What's wrong with on-the-fly partial order reduction": Figures 5 and 6."""
import os, re, subprocess
from report import FULL, ROOT, HEDDLE, Pan, heddle, run

BUILD = os.environ.get("BUILD", os.path.join(ROOT, "build"))
PAPER_5 = {("V0", "B1"): "unsound", ("V1", "B1"): "sound", ("V0", "B2"): "unsound", ("V1", "B2"): "unsound", ("V0", "B3"): "sound", ("V1", "B3"): "sound",
           ("V0", "B4"): "sound", ("V1", "B4"): "sound", ("V0", "B5"): "sound", ("V1", "B5"): "sound"}
SCOPE = {"B1": "2 to 5 states", "B2": "2", "B3": "5", "B4": "4", "B5": "4"}


def figure_5(report, share):
    report.text("### Figure 5: is the reduction sound?", "", "The paper asks Alloy for a program and an ample selector with C0, C1, C2 and C3' on which an error is lost. Here all programs of up to 3 states, or 4 with 2 operations, "
                f"are enumerated, and one in {share} (B5: {50 * share}) of those with 4 states and 3 operations (FULL=1: all, one in 50), each with all ample selectors, not only ours (`test/unit/por_selectors.c`). B5 is all "
                "automata in normal form. The paper goes to 5 states for B1 and B3.")
    text = subprocess.run([os.path.join(BUILD, "unit", "por_selectors")], env={**os.environ, "HEDDLE_SELECTORS": str(share)}, capture_output=True, text=True).stdout
    found = {(v, b): [int(x) for x in rest] for v, b, *rest in
             re.findall(r"(V\d) (B\d): (\d+) programs, (\d+) pairs, (\d+) with errors, (\d+) choices tried, lost on (\d+)", text)}
    rows = []
    for key, paper in PAPER_5.items():
        got = found.get(key)
        ours = None if not got else "unsound" if got[-1] else "sound"
        rows.append([*key, paper, ours, *(got or [None] * 5)])
        report.check(f"SI-POR figure 5, {' '.join(key)}: as printed", ours == paper, f"{ours}")
    report.table(("scheme", "automaton", "paper", "ours", "programs", "pairs", "with an error", "choices", "errors lost"), rows)
    report.text("All ten answers are the paper's. The choices are those of the selector that make a difference: the smallest ample sets and the full one, where they are reached.")


PAPER_6 = (("B3", "none", 18964912, 116510960, 25.8), ("B3", "Spin's", 4742982, 13823705, 3.6), ("B4", "Spin's", 4719514, 12503008, 3.4))


def peterson(n, claim):
    """The filter lock with one comparison for each other process; p is that process 0 can move."""
    others = " && ".join(f"(_pid == {i} || level[{i}] < k)" for i in range(n))
    mine = " && ".join(f"level[{i}] < level[0]" for i in range(1, n))
    return [f"#define N {n}", f"#define enabled0 (!user[0]@waiting || ({mine}) || last[level[0]] != 0)", "byte level[N], last[N];", "active [N] proctype user()", "{   byte k;", "    do",
            "    :: k = 1;", "       do", "       :: k < N -> level[_pid] = k; last[k] = _pid;", f"waiting:  (({others}) || last[k] != _pid); k++", "       :: else -> break", "       od;",
            "       level[_pid] = 0", "    od", "}", claim]


def figure_6(report, n):
    paper = PAPER_6 if n == 5 else tuple((*row[:2], None, None, None) for row in PAPER_6)
    report.text("### Figure 6: starvation freedom of Peterson's algorithm", "", f"{n} processes{'' if n == 5 else ' (the paper and FULL=1: 5)'}. The paper describes its model in one sentence and does not print it. ")
    rows, states = [], {}
    for (automaton, reduction, *printed) in paper:
        si = ("--si",) if automaton == "B4" else ()
        claim = run([HEDDLE, "ltl", "<>[]!enabled0", *si])[1]
        path = os.path.join(report.work, f"{automaton}{'-full' if reduction == 'none' else ''}", "p.pml")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write("\n".join(peterson(n, claim)) + "\n")
        pan = Pan(path, *(("-DNOREDUCE",) if reduction == "none" else ())).run("-a", "-m2000000", seconds=1500 if FULL else 100)
        ours = heddle("p.pml", "--claim", "never_0", *(("--no-por",) if reduction == "none" else ()), cwd=os.path.dirname(path), seconds=1500 if FULL else 100)
        states[automaton, reduction] = pan.get("states"), ours.get("states")
        rows.append([automaton, reduction, *printed, pan.get("states"), pan.get("transitions"), pan.get("cpu"), ours.get("states"), ours.get("transitions"), ours.get("cpu")])
        report.check(f"SI-POR figure 6, {automaton}, {reduction}: it holds", ours.get("verdict") == "verified" and pan.get("errors") == 0, f"{ours.get('verdict')}, {pan.get('errors')}")
    report.table(("automaton", "reduction", "paper: states", "transitions", "s", "Spin: states", "transitions", "s", "heddle: states", "transitions", "s"), rows)
    full, b3, b4 = (states[k] for k in (("B3", "none"), ("B3", "Spin's"), ("B4", "Spin's")))
    for tool in (0, 1):
        report.check(f"SI-POR figure 6, {'heddle' if tool else 'Spin'}: reduction pays, with the normal form too", max(b3[tool], b4[tool]) < full[tool], f"{full}, {b3}, {b4}")
    report.text("The effect is the paper's: reduction pays, and the normal form costs little. The numbers are not. Without reduction this model has 87,527 states for 4 processes and 2,817,781 for 5 (14,031,374 transitions) "
                "in Spin; with a statement in the critical section 90,181 for 4. If the process goes through the others one by one and waits for each there are 127,438 for 3 already, and more than two minutes' worth for 4. The paper has 18,964,912 for 5 with 6.1 "
                "transitions a state where ours has 5.0, so its processes wait less often or in smaller steps. The description (\"an n-process version of Peterson's algorithm\", starvation freedom for one process, p: it is enabled) leaves open how "
                "they wait, whether there is a section to be in, and which variables exist; the number was not met.")


def section(report):
    report.text("## Partial order reduction on the fly (Siegel)")
    figure_5(report, 1 if FULL else 50)
    figure_6(report, 5 if FULL else 4)


def quick(report):
    figure_6(report, 3)
