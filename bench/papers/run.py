#!/usr/bin/env python3
"""Every table and figure of the five papers that Heddle is about, with the paper's numbers, ours, and Spin's where it can run.

    bench/papers/run.py [--quick] [SECTION...]      sections: bcs cb-por bpor si-por cba

Prints Markdown (doc/papers.md is made of it) and writes the figures beside this file. Each row is checked for its shape: order of
magnitude, growth, and where counts are exact the count. FULL=1 takes the sizes of the papers where that is possible, and hours; PAPERS_MODELS="nbq snoopy" takes
some models of the first table only.
--quick runs the cheap cells of each section, compares them with rows.tsv, which a whole run writes, and prints "ok" or "FAIL" only."""
import contextlib, datetime, io, os, sys
sys.dont_write_bytecode = True
import bcs, bpor, cba, cbpor, sipor
from report import FULL, Pan, Report

SECTIONS = {"bcs": bcs, "cb-por": cbpor, "bpor": bpor, "si-por": sipor, "cba": cba}


def quick(names):
    Pan.optimise = "-O0"  # most of the time would be compiling
    for name in names:
        report, text = Report(whole=False), io.StringIO()
        with contextlib.redirect_stdout(text):
            SECTIONS[name].quick(report)
        report.close()
        print(f"FAIL papers/{name}: {'; '.join(report.failed)}" if report.failed else f"ok papers/{name} ({report.passed} checks)", flush=True)
    print("done")


def whole(names):
    report = Report()
    size = "the papers' sizes where they can be had (FULL=1)" if FULL else "smaller sizes than the papers where those take long (FULL=1 has all)"
    report.text("# The papers' experiments, run again", f"\nMade by `make papers` with {size}. Times are processor seconds of the machine at hand and compare "
                "with those printed in order of magnitude only. – is what is not there, or did not end within the limit.")
    for name in names:
        SECTIONS[name].section(report)
    if not FULL:
        report.write_rows()
    report.text("## Checks", f"{report.passed} hold, {len(report.failed)} do not.", *(f"- {f}" for f in report.failed))
    report.close()
    return 1 if report.failed else 0


def main():
    names = [a for a in sys.argv[1:] if not a.startswith("-")] or list(SECTIONS)
    sys.exit(quick(names) if "--quick" in sys.argv else whole(names))


main()
