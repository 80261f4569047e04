"""Real programs under the strategies: what the papers on CB-POR and BPOR have in common."""
import os
from report import FULL, HEDDLE, HERE, heddle, run

SECONDS = 120 if FULL else 8


def build(report, source, *flags):
    program = os.path.join(report.work, "-".join([os.path.basename(source)[:-2], *(f.strip("-") for f in flags)]))
    run([HEDDLE, "cc", "-O1", *flags, os.path.join(HERE, "programs", source), "-o", program])
    return program


def explore(report, program, how, *options, seconds=SECONDS):
    return heddle(program, "--explore=" + how, "--memory-model=sc", "-o", "x.trace", *options, cwd=report.work, seconds=seconds, partial=True)


def is_done(r):
    return r.get("verdict") in ("bounded", "verified")


def this_bound(r, bound):
    """Executions of that bound alone, if it was completed: with rising bounds the counts of a result are of all of them."""
    levels = {level["bound"]: level for level in r.get("bounds", []) if level.get("complete")}
    if bound not in levels:
        return None
    below = max((levels[b]["executions"] for b in levels if b < bound), default=0)
    return levels[bound]["executions"] - below
