"""Rates of the engine for real programs; run by bench/native.sh, which hands on the names of parts to run."""
import json, os, resource, subprocess, sys

HEDDLE, FOLDER = os.environ["HEDDLE"], os.environ["dir"]
PROGRAM = FOLDER + "/program"


def build(source, *flags):
    subprocess.run([HEDDLE, "cc", "-O2", *flags, f"bench/native/{source}.c", "-o", PROGRAM], check=True)


def check(*options, rounds=3):
    """The result, and the processor time of heddle and the program; the best of three for short runs."""
    best = None
    for _ in range(rounds):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        out = subprocess.run([HEDDLE, "check", PROGRAM, "--json", *options], capture_output=True, text=True).stdout
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if best is None or cpu < best:
            best = cpu
        if cpu > 2:
            break
    return json.loads(out), best


def steps(count, *options):
    r, cpu = check(*options)
    n = r["executions"]
    print(f"2 threads x {count:>3} steps  {options[0]:<17} {n:>9,} schedules  {n / cpu:>9,.0f} per second  "
          f"{cpu / n * 1e9 / (2 * count):>6.0f} ns per step", flush=True)


def family(name, n, start):
    build(name, f"-DN={n}")
    r, cpu = check("--explore=optimal")
    runs = r["executions"]
    assert r["verdict"] == "verified" and r["blocked"] == 0, r
    # where most of the time is the start, the rest is noise and no rate
    without = f"{runs / (cpu - start):>9,.0f}" if cpu > 3 * start else f"{'-':>9}"
    print(f"{name:<10} {n:>3} {runs:>9,} traces  {r['transitions'] / runs:>5.0f} steps each  {cpu:>7.3f} s  "
          f"{runs / cpu:>9,.0f} per second, start included  {without} without", flush=True)


def start_of(name, n):
    """What a check costs before the first schedule and after the last."""
    build(name, f"-DN={n}")
    return check("--explore=optimal", "--executions=1")[1]


def depths():
    """By length of an execution and strategy: every execution from the beginning of main, from where the threads begin, and resumed on the
    way, the last with one and two processes: per second of processor time of all of them, and by the clock, which says something on a quiet machine only."""
    for count in (25, 250, 2500):
        build("start", "-DNUMBERS=1000", f"-DSTEPS={count}")
        for strategy in ("bpor", "icb", "dpor", "dfs", "optimal", "cb-por", "random"):
            divides = strategy in ("bpor", "icb", "dpor", "dfs", "random")
            ways = [("main", "1"), ("start", "1"), ("reset", "1")] + [("reset", "2")] * divides
            for isolate, jobs in ways:
                r, cpu = check("--explore=" + strategy, "--time=2", "--max-steps=1000000", "--isolate=" + isolate, "-j" + jobs,
                               rounds=1)
                n = r["executions"] + r["blocked"]
                print(f"{r['depth']:>6,} steps deep  --explore={strategy:<8} --isolate={isolate:<5} -j {jobs} {n / cpu:>9,.0f} per second  "
                      f"{n / r['seconds']:>9,.0f} by the clock  {cpu / max(r['transitions'], 1) * 1e9:>7,.0f} ns per step  "
                      f"{r['memory_bytes'] >> 20:>5,} MB", flush=True)


def starts():
    """A start that is run once, and in every execution."""
    for numbers in (8, 1000, 1000000):
        build("start", f"-DNUMBERS={numbers}", "-DSTEPS=4")
        for isolate in ("reset", "main", "fork"):
            r, cpu = check("--explore=icb", "--time=3", "-j1", "--isolate=" + isolate)
            n = r["executions"] + r["blocked"]
            print(f"a start of {numbers:>9,} numbers  --isolate={isolate:<5} {n / cpu:>9,.0f} per second", flush=True)


def shorts():
    """The same executions from where the threads begin and resumed on the way, turn by turn, the best of five; what a check costs before the
    first execution is taken off."""
    programs = [("start", n, "-DNUMBERS=1000", f"-DSTEPS={n}") for n in (25, 250, 2500)] + [
        ("sections", 9, "-DN=9"), ("work-stealing", 4, "-DSIZE=4"), ("weak", 4, "-DN=4")]
    for source, size, *flags in programs:
        build(source, *flags)
        for strategy in ("bpor", "icb", "dpor", "dfs", "optimal", "cb-por", "random"):
            options = ("--explore=" + strategy, "--max-steps=1000000", "-j1")
            count = {250: 3000, 2500: 300}.get(size, 20000) // (8 if strategy == "cb-por" else 1)
            begin = check(*options, "--executions=1")[1]
            cost = {}
            for isolate in ("start", "reset") * 5:
                r, cpu = check(*options, f"--executions={count}", "--isolate=" + isolate, rounds=1)
                cost[isolate] = min(cpu - begin, cost.get(isolate, 1e9))
            runs = r["executions"] + r["blocked"] - r.get("known", 0)
            print(f"{source:<13} {' '.join(flags):<24} {r['depth']:>6,} steps  --explore={strategy:<7} {runs:>6,} executions of {cost['start'] / runs * 1e6:>8,.1f} "
                  f"microseconds, resumed {cost['reset'] / runs * 1e6:>8,.1f} ({cost['start'] / max(cost['reset'], 1e-6):.2f} times, {r.get('resumed', 0):,} were)", flush=True)


def longs():
    """Executions of up to 13 milliseconds with their branches at the end: run from where the threads begin, and resumed at the branch. The
    same schedules, and what they cost in processor time. With the branches at the beginning there is nothing to gain."""
    for work, *flags in ((0,), (1000,), (10000,), (100000,), (10000, "-DMEET_FIRST"), (100000, "-DMEET_FIRST")):
        build("long", f"-DWORK={work}", "-DMEETINGS=5", *flags)
        for strategy in ("bpor", "icb", "dpor"):
            cost = {}
            for isolate in ("start", "reset", "fork"):
                r, cost[isolate] = check("--explore=" + strategy, "--executions=400", "-j1", "--isolate=" + isolate, rounds=2)
                runs = r["executions"] + r["blocked"] - r.get("known", 0)
            ratio = cost["start"] / cost["reset"]
            print(f"{r['depth']:>4} steps, {work:>7,} rounds before each {' '.join(flags):<13} --explore={strategy:<5} {runs:>4} executions: from the start "
                  f"{cost['start']:>6.2f} s, as it chooses {cost['reset']:>6.2f} s ({ratio:.1f} times), --isolate=fork {cost['fork']:>6.2f} s", flush=True)


def rising():
    """Bound after bound beside the last bound alone: how often it runs what a lower bound ran already."""
    programs = [("work-stealing", "-DSIZE=3"), ("work-stealing", "-DSIZE=4"), ("sections", "-DN=5"), ("last-zero", "-DN=5"),
                ("indexer", "-DN=13"), ("steps", "-DSTEPS=5", "-DREPEAT=1")]
    for source, *flags in programs:
        build(source, *flags)
        for strategy in ("bpor", "cb-por"):
            r, _ = check("--explore=" + strategy, "--time=20", "-j1", "--memory-model=sc", rounds=1)
            if r["verdict"] not in ("verified", "bounded"):
                continue
            runs = [b["executions"] for b in r["bounds"]]
            last = runs[-1] - (runs[-2] if len(runs) > 1 else 0)
            print(f"{source} {' '.join(flags):<22} --explore={strategy:<7} {runs[-1]:>8,} schedules over {len(runs)} bounds, the last alone "
                  f"{last:>8,}; {runs[-1] - r.get('known', 0):>8,} were run", flush=True)


def orders():
    """Weak memory beside interleavings: the same program, and the algorithms of examples/c/weak. As many executions for each, so
    that what a check costs before the first and after the last can be taken off: many have but a few."""
    programs = [(f"weak.c, {n} rounds", "weak", f"-DN={n}") for n in (2, 3, 4)]
    programs += [(name, f"../../examples/c/weak/{name[:-2]}") for name in sorted(os.listdir("examples/c/weak"))]
    print("| | steps | c11 | sc | c11/sc |\n|---|---|---|---|---|")
    for name, source, *flags in programs:
        build(source, *flags)
        rates = [order_rate(model) for model in ("c11", "sc")]
        print(f"| {name} | {rates[0][1]:.0f} | {rates[0][0]:,.0f} | {rates[1][0]:,.0f} | {rates[0][0] / rates[1][0]:.2f} |", flush=True)


def order_rate(model):
    """Executions per second of processor time, and steps of one."""
    few, many = 1000, 50000
    options = ("--explore=random", "--memory-model=" + model, "-j1")
    start = check(*options, f"--executions={few}")[1]
    r, cpu = check(*options, f"--executions={many}")
    return (many - few) / (cpu - start), r["transitions"] / max(r["executions"], 1)


def leveldb():
    """The database of test/real, empty and with keys that are put before the threads begin: the same executions from the beginning of main, from
    where the threads begin, and resumed on the way. What a check costs before the first execution is taken off."""
    where = os.environ.get("REAL", "build/real") + "/leveldb"
    if not os.path.exists(where + "/made/libleveldb.a"):
        print("leveldb: not there; make test-real fetches it")
        return
    folders = [f"-I{where}", f"-I{where}/include", f"-I{where}/made", "-DLEVELDB_PLATFORM_POSIX=1"]
    for keys in (0, 100, 500):
        subprocess.run([HEDDLE, "c++", "-O1", "-std=c++17", f"-DKEYS={keys}", *folders, "test/real/leveldb.cc",
                        where + "/made/libleveldb.a", "-o", PROGRAM], check=True, env=dict(os.environ, CXX="g++"))
        for strategy in ("bpor", "dpor"):
            costs = []
            for isolate in ("main", "start", "reset"):
                options = ("--explore=" + strategy, "-j1", "--isolate=" + isolate)
                r, cpu = check(*options, "--executions=500", rounds=5)
                costs.append((cpu - check(*options, "--executions=1", rounds=5)[1]) / (r["executions"] + r["blocked"] - 1) * 1e6)
            print(f"leveldb, {keys:>3} keys  --explore={strategy}  {costs[0]:>8,.0f} us from main  {costs[1]:>6,.0f} from the threads  "
                  f"{costs[2]:>6,.0f} as it chooses: {costs[0] / costs[2]:.1f} times", flush=True)


def lengths():
    for count, repeat in ((5, 100), (9, 1)):
        build("steps", f"-DSTEPS={count}", f"-DREPEAT={repeat}")
        for strategy in ("dfs", "optimal", "dpor", "bpor", "cb-por"):
            steps(count, f"--explore={strategy}")
    for count in (5, 10, 20, 40, 80):
        build("steps", f"-DSTEPS={count}", "-DREPEAT=1")
        steps(count, "--explore=random", "--executions=100000")


def families():
    print("every trace once, with --explore=optimal. For orientation, on one core and on such programs: Nidhugg 500 to 18,000\n"
          "executions per second, GenMC 300 to 180,000, McMini 100 to 350")
    for name, sizes in (("writers", (5, 7, 9)), ("readers", (8, 12, 16)), ("sections", (5, 7, 9)),
                        ("last-zero", (5, 10, 11, 14)), ("indexer", (12, 13, 14, 15, 16))):
        for n in sizes:
            family(name, n, start_of(name, n))


PARTS = {f.__name__: f for f in (orders, starts, leveldb, depths, shorts, longs, rising, lengths, families)}
for name in sys.argv[1:] or PARTS:
    PARTS[name]()
