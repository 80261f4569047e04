#!/usr/bin/env python3
"""Every table and figure of the five papers that Heddle is about, with the paper's numbers, ours, and Spin's where it can run.

    bench/papers/run.py [--quick] [SECTION...]      sections: bcs cb-por bpor si-por cba

Prints Markdown (doc/papers.md is made of it) and writes the figures beside this file. Each row is checked for its shape: order of
magnitude, growth, and where counts are exact the count. FULL=1 takes the sizes of the papers where that is possible, and hours; PAPERS_MODELS="nbq snoopy" takes
some models of the first table only. ACCEPT=1 takes the counts that come out as those that rows.tsv has from now on; without it they are compared.
--quick runs the cheap cells of each section, compares them with rows.tsv, and prints "ok" or "FAIL" only; with ACCEPT=1 rows of its own are taken."""
import contextlib, datetime, io, os, sys
sys.dont_write_bytecode = True
import bcs, bcs_errors, bpor, cba, cbpor, sipor
from report import ACCEPT, FULL, Pan, Report

SECTIONS = {"bcs": (bcs, bcs_errors), "cb-por": (cbpor,), "bpor": (bpor,), "si-por": (sipor,), "cba": (cba,)}


def quick(names):
    Pan.optimise = "-O0"  # most of the time would be compiling
    for name in names:
        report, text = Report(whole=False), io.StringIO()
        with contextlib.redirect_stdout(text):
            for part in SECTIONS[name]:
                part.quick(report)
        if ACCEPT:
            report.write_quick_rows()
        report.close()
        print(f"FAIL papers/{name}: {'; '.join(report.failed)}" if report.failed else f"ok papers/{name} ({report.passed} "
                        "checks)", flush=True)
    print("done")


SMALLER = """Smaller than in the papers (FULL=1 has all of these at the papers' sizes, or as near as the stand-ins go):
tpc, DEOS and mrf, and all but three models of Table 1 of the first paper beyond four preemptions in the searches that are
depth-first; FFT with two threads and Exception with two workers; one in 50 of the largest programs of Fig. 5 of Siegel, and one
in 500 of the pairs with five states; Peterson's algorithm with four processes instead of five; the Bluetooth driver with up to
eight threads. A search of a Promela model gets 60 s of processor time (Peterson's algorithm: 100 s, the models of Fig. 8 of Lal and
Reps: 20 s), of a program 8 s, of a Boolean program 30 s (Fig. 8: 60 s)."""


def missing(report):
    report.text("## Cells that are missing", "",
                "A cell of ours or of Spin's with – fails the test of its row unless `bench/papers/missing.tsv` has a reason. "
                "Rows as `rows.tsv` calls them, "
                "with the numbers of their cells.")
    report.table(("why", "rows and cells"), report.missing.why())


def finish(report, is_all):
    """Rows are compared with those known; with ACCEPT=1 they are the known ones from now on."""
    if is_all and not FULL and not ACCEPT:
        report.same_rows()
    if ACCEPT and not FULL:
        report.write_rows(is_all)
    missing(report)
    report.text("## Checks", f"{report.passed} hold, {len(report.failed)} do not.", *(f"- {f}" for f in report.failed))
    report.close()


def introduce(report):
    size = "the papers' sizes where they can be had (FULL=1)" if FULL else "smaller sizes than the papers where those take long"
    report.text("# The papers' experiments, run again", "",
                f"Made by `make papers` with {size}. Times are processor seconds of the machine at hand and compare with those "
                "printed in order of magnitude only. – is what is not there, or did not end within the limit; the end of the page says "
                "which cells and why. In figures the papers' own numbers are open squares and Spin's lines are dashed; where a paper's "
                "text prints no number of a figure, the page says so.", *([] if FULL else ["", " ".join(SMALLER.split())]))


def whole(names):
    report = Report()
    introduce(report)
    for name in names:
        for part in SECTIONS[name]:
            part.section(report)
    finish(report, names == list(SECTIONS) and not os.environ.get("PAPERS_MODELS"))
    return 1 if report.failed else 0


def main():
    names = [a for a in sys.argv[1:] if not a.startswith("-")] or list(SECTIONS)
    sys.exit(quick(names) if "--quick" in sys.argv else whole(names))


if __name__ == "__main__":
    main()
