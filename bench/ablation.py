#!/usr/bin/env python3
"""States of the models that Debian's spin package ships, with all analyses, with each one left out, and Spin's own.

usage: ablation.py PROGRAM [PART OF A NAME ...]   PROGRAM is bench/ablation.c, built by ablation.sh; SECONDS (10) for each search

spin is `spin -a` as it comes, with reduction; spin-exact the same after -o1 -o2 -o3; never with claims. Read a column as: with
everything but this. The last two are without reduction, and without anything.
"""
import glob, gzip, os, re, shutil, subprocess, sys, tempfile

EXAMPLES = "/usr/share/doc/spin/examples"
OURS = os.path.dirname(os.path.abspath(__file__)) + "/../test/promela/models/"
SECONDS = os.environ.get("SECONDS", "10")
FLAGS = ["-O1", "-w", "-DSAFETY", "-DNOCLAIM", "-DMEMLIM=2000"]


def unpack(to):
    shutil.copytree(EXAMPLES, to, dirs_exist_ok=True)
    for path in glob.glob(to + "/**/*.gz", recursive=True):
        try:
            open(path[:-3], "wb").write(gzip.open(path).read())
        except EOFError:
            pass
    for path in glob.glob(OURS + "*step-*.pml") + glob.glob(OURS + "scratch.pml"):
        shutil.copy(path, to)
    return sorted(glob.glob(to + "/**/*.pml", recursive=True))


def run(command, cwd):
    limited = ["sh", "-c", f'ulimit -t {SECONDS}; exec "$@"', "sh", *command]
    return subprocess.run(limited, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True).stdout.decode("latin-1")


def spin(model, options):
    with tempfile.TemporaryDirectory() as work:
        for path in glob.glob(os.path.dirname(model) + "/*"):
            if os.path.isfile(path):
                shutil.copy(path, work)
        run(["spin", *options, "-a", os.path.basename(model)], work)
        run(["gcc", *FLAGS, "-o", "pan", "pan.c"], work)
        if not os.path.exists(work + "/pan"):
            return "-"
        text = run(["./pan", "-m1000000", "-n", "-E", "-c0"], work)
    states = re.search(r"([\d.e+]+) states, stored", text)
    cut = any(c in text for c in ("too small", "out of memory", "not completed", "aborting", "limit reached"))
    invalid = "!" if "reduction invalid" in text else ""  # an xr or xs that is not kept
    return "-" if cut or not states else str(int(float(states.group(1)))) + invalid


def main():
    program, wanted = os.path.abspath(sys.argv[1]), sys.argv[2:]
    with tempfile.TemporaryDirectory() as tmp:
        head = None
        for model in unpack(tmp):
            if wanted and not any(w in model for w in wanted):
                continue
            text = subprocess.run([program, SECONDS, model], cwd=os.path.dirname(model), capture_output=True, text=True).stdout
            row = dict(line.split() for line in text.splitlines())
            if not row:
                continue
            row.update({"spin": spin(model, []), "spin-exact": spin(model, ["-o1", "-o2", "-o3"])})
            if not head:
                head = list(row)
                print("| model | " + " | ".join(head) + " |\n|---" + "|---:" * len(head) + "|")
            print(f"| {os.path.relpath(model, tmp)} | " + " | ".join(row.get(h, "-") for h in head) + " |", flush=True)


main()
