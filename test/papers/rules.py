#!/usr/bin/env python3
"""What the papers' tests must notice: cells that are missing, cells where there can be none, counts that change, rows that go."""
import contextlib, io, os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench", "papers"))
import report

KNOWN = {"a": ["100", "2000", "–"], "b": ["verified"]}
ENTRIES = [("a", "3", "limit", "takes long"), ("none*", "1", "none", "nothing to find")]
# name, cells, whether counts are exact, whether the row must pass
CASES = (("the same", "a", [100, 2000, None], True, True), ("the first cells only", "a", [100], True, True),
         ("a missing cell", "a", [100, None, None], True, False), ("a missing first cell", "a", [None], True, False),
         ("a cell that may be missing and is there", "a", [100, 2000, 7], True, True),
         ("another count", "a", [101, 2000, None], True, False), ("another count, not exact", "a", [101, 2000, None], False, True),
         ("another order of magnitude", "a", [1000, 2000, None], False, False), ("more cells", "a", [100, 2000, None, 1], True, False),
         ("another answer", "b", ["error"], True, False), ("no answer", "b", [None], True, False), ("a new row", "c", [1], True, False),
         ("a cell that was not asked for", "a", [report.NOT_ASKED, 2000], True, True))


def judge(name, cells, exact, whole=False):
    r = report.Report(whole=False)
    r.whole, r.known, r.missing.entries = whole, {**KNOWN, "none": ["–"]}, ENTRIES
    with contextlib.redirect_stdout(io.StringIO()):
        r.row(name, cells, exact)
    r.close()
    return r


def say(name, right):
    print(f"ok papers/rules/{name}" if right else f"FAIL papers/rules/{name}: the test of a row does not notice")


for label, name, cells, exact, passes in CASES:
    say(label, (not judge(name, cells, exact).failed) == passes)
say("nothing where there is none", not judge("none", [None], True).failed)
say("something where there is none", judge("none", [5], True).failed)
say("a shorter row of a whole run", judge("a", [100], True, whole=True).failed)
gone = judge("a", [100, 2000, None], True, whole=True)
with contextlib.redirect_stdout(io.StringIO()):
    gone.same_rows()
say("a row that has gone", gone.failed)
reasons = [f for f in report.fields(report.MISSING) if len(f) != 4 or f[2] not in ("none", "limit") or len(f[3]) < 10]
say("every cell that may be missing has a reason", not reasons)
