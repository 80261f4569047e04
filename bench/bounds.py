#!/usr/bin/env python3
"""Bounded search beside Spin's -DBCS, in one run on one machine. Times are processor seconds of the search.

  1. time at a bound / time without a bound, for Heddle's ordered search and for Spin with -DBCS -LN
  2. switches and preemptions in the counterexample: breadth-first, depth-first, Spin's BCS with and without -DREACH -i,
     and Heddle: depth-first and with --spin-bcs (both simplified), and the ordered search. All are counted by Heddle on the replayed trail, so that the same thing is counted everywhere.
"""
import glob, gzip, json, os, resource, shutil, subprocess, tempfile

EXAMPLES = "/usr/share/doc/spin/examples/Examples/"
HEDDLE = os.environ["HEDDLE"]
BOUNDS = [0, 1, 2, 4, 8, 16, 32]
COST_OF_BOUNDS = ["snoopy", "leader0", "LTL/pftp", "cambridge", "sort"]
OURS = os.path.dirname(os.path.abspath(__file__)) + "/../test/bcs/models/"
COUNTEREXAMPLES = ["snoopy", "hajek", "Book_1991/p312", "Book_1991/p117", "nbq", "fig6"]


def run(command, cwd):
    """(processor seconds, text)"""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    p = subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, p.stdout.decode("latin-1")


def copy_model(name, work):
    folder = os.path.join(work, name.replace("/", "_"))
    os.makedirs(folder)
    if os.path.exists(OURS + name + ".pml"):
        shutil.copy(OURS + name + ".pml", folder)
        return folder, name + ".pml"
    for source in glob.glob(os.path.dirname(EXAMPLES + name) + "/*"):
        if source.endswith(".gz"):
            open(os.path.join(folder, os.path.basename(source)[:-3]), "wb").write(gzip.open(source).read())
        elif os.path.isfile(source):
            shutil.copy(source, folder)
    return folder, os.path.basename(name) + ".pml"


def build(folder, model, name, *flags):
    run(["spin", "-o1", "-o2", "-o3", "-a", model], folder)
    run(["gcc", "-w", "-O2", "-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", *flags, "-o", name, "pan.c"], folder)


def best(command, folder):
    first = run(command, folder)[0]
    again = 0 if first > 2 else 2 if first > 0.5 else 11  # the shorter, the noisier
    return min([first] + [run(command, folder)[0] for _ in range(again)])


def cost_of_bounds(work):
    print("time at a bound / time without a bound (smaller is better)")
    print(f"  {'model':<12}{'':8}{'unbounded':>10}" + "".join(f"{'L' + str(b):>7}" for b in BOUNDS))
    for name in COST_OF_BOUNDS:
        folder, model = copy_model(name, work)
        build(folder, model, "plain")
        build(folder, model, "bcs", "-DBCS", "-DCONSERVATIVE=32")
        spin = best(["./plain", "-E", "-c0", "-m1000000"], folder)
        heddle_command = [HEDDLE, "check", "--exact", "--no-por", "--no-deadlock", "--all-errors", "-q", model, "-o", "x.trace"]
        heddle = best(heddle_command, folder)
        rows = (("heddle", heddle, lambda b: heddle_command + ["-b", str(b)]),
                ("spin", spin, lambda b: ["./bcs", "-E", "-c0", "-m1000000", f"-L{b}"]))
        for tool, base, command in rows:
            ratios = [best(command(b), folder) / max(base, 0.001) for b in BOUNDS]
            print(f"  {os.path.basename(name):<12}{tool:<8}{base:>8.2f} s" + "".join(f"{r:>7.2f}" for r in ratios), flush=True)


def count(folder, trace):
    steps = json.load(open(os.path.join(folder, trace)))["steps"]
    switches = preemptions = 0
    for before, step in zip(steps, steps[1:]):
        if step["thread"] != before.get("last", before["thread"]):
            switches += 1
            preemptions += step["previous_enabled"]
    return f"{switches}/{preemptions}"


def heddle_count(folder, model, *options):
    if os.path.exists(os.path.join(folder, "h.trace")):
        os.remove(os.path.join(folder, "h.trace"))
    run([HEDDLE, "check", "--exact", "-q", model, "-o", "h.trace", *options], folder)
    return count(folder, "h.trace") if os.path.exists(os.path.join(folder, "h.trace")) else "-"


def spin_count(folder, model, pan, *options):
    for old in glob.glob(folder + "/*.trail"):
        os.remove(old)
    run(["./" + pan, "-m100000", *options], folder)
    trails = glob.glob(folder + "/*.trail")
    if not trails:
        return "-"
    if os.path.exists(folder + "/t.trace"):
        os.remove(folder + "/t.trace")
    run([HEDDLE, "replay", trails[0], model, "-q", "-o", "t.trace"], folder)
    return count(folder, "t.trace") if os.path.exists(folder + "/t.trace") else "?"


def counterexamples(work):
    columns = ["pan bfs", "pan dfs", "pan -i", "bcs L0", "bcs L2", "bcs L8", "L2 -i", "heddle dfs", "heddle L2", "L2 shorten", "heddle"]
    print("\nswitches/preemptions in the counterexample")
    print(f"  {'model':<12}" + "".join(f"{c:>12}" for c in columns))
    for name in COUNTEREXAMPLES:
        folder, model = copy_model(name, os.path.join(work, "trails"))
        build(folder, model, "bfs", "-DBFS")
        build(folder, model, "dfs", "-DREACH")
        build(folder, model, "bcs", "-DBCS", "-DCONSERVATIVE=32")
        build(folder, model, "reach", "-DBCS", "-DREACH", "-DCONSERVATIVE=32")
        row = [spin_count(folder, model, "bfs"), spin_count(folder, model, "dfs"), spin_count(folder, model, "dfs", "-i"),
               spin_count(folder, model, "bcs", "-L0"), spin_count(folder, model, "bcs", "-L2"), spin_count(folder, model, "bcs", "-L8"),
               spin_count(folder, model, "reach", "-L2", "-i"), heddle_count(folder, model, "--search=dfs", "--no-por"),
               heddle_count(folder, model, "--spin-bcs", "-b2"), heddle_count(folder, model, "--spin-bcs", "-b2", "--shorten"),
               heddle_count(folder, model)]
        print(f"  {os.path.basename(name):<12}" + "".join(f"{c:>12}" for c in row), flush=True)


with tempfile.TemporaryDirectory() as directory:
    cost_of_bounds(directory)
    os.makedirs(directory + "/trails")
    counterexamples(directory)
