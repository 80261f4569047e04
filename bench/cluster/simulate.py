#!/usr/bin/env python3
"""How good is `heddle check --plan`? Its numbers against real jobs of 1, 2 and 4 processes on this machine (messages, bytes,
processor time), and against a simulation of up to 4,096 processes that replays what each round of a real run sent.

  HEDDLE=build/heddle bench/cluster/simulate.py [latency=2us,bandwidth=10GB]

The formula behind --plan (doc/cluster.md) knows sums and averages. The simulation goes through the rounds one by one: the states of
each are shared out at random, every process fills and sends its batches, all of them wait for the last one and agree."""
import json, math, os, random, re, shutil, subprocess, sys, resource

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
HEDDLE = os.path.abspath(os.environ.get("HEDDLE", ROOT + "/build/heddle"))
NETWORK = sys.argv[1] if len(sys.argv) > 1 else ""
MODELS = [("peterson.pml", ["-DN=4", "--no-por"]), ("anderson.pml", ["-DN=7", "--no-por"]), ("window.pml", ["-DW=2", "-DK=5"]),
          ("elevator.pml", ["-DP=2", "-DF=7", "--no-por"]), ("philosophers.pml", ["-DN=8", "--no-por", "--search=bfs"])]
SIZES = (2, 4, 16, 256, 4096)
# As src/check/plan.c has them.
ITEM, MESSAGE, HEADER = [float(re.search(rf"{name}(?:_SECONDS| =) ([0-9.e-]+)", open(ROOT + "/src/check/plan.c").read())[1])
                         for name in ("ITEM", "MESSAGE", "HEADER")]


def poisson(mean, rng):
    if mean > 50:
        return max(0, round(rng.gauss(mean, math.sqrt(mean))))
    limit, n, product = math.exp(-mean), 0, rng.random()
    while product > limit:
        n, product = n + 1, product * rng.random()
    return n


def batches(items, others, size, rng):
    """Messages of a process that has so many items for the others: full ones, and one for everybody who gets the rest."""
    if items > 20 * others:
        return items // size + others
    got = {}
    for _ in range(items):
        to = rng.randrange(others)
        got[to] = got.get(to, 0) + 1
    return sum(math.ceil(n / size) for n in got.values())


def simulate(plan, ranks, rng):
    measured, before = plan["measured"], {"states": 0, "arrivals": 0, "seconds": 0}
    item, latency, bandwidth = measured["bytes_per_arrival"], plan["latency_seconds"], plan["bandwidth_bytes"]
    size = int((max(min(1 << 16, (1 << 22) // ranks), 1 << 11) - HEADER) // item)
    seconds = messages = traffic = 0
    for r in measured["rounds"]:
        arrivals = r["arrivals"] - before["arrivals"]
        share_of_all = arrivals / measured["rounds"][-1]["arrivals"]
        # Of the seconds of a round, nearly all are somebody else's if it is a small one and the machine is busy.
        work, states = measured["seconds"] * share_of_all, max(measured["states"] * share_of_all, 1)
        before, slowest = r, 0
        for _ in range(ranks):
            share = poisson(states / ranks, rng) / states
            sent = poisson(arrivals * share * (ranks - 1) / ranks, rng)
            came = poisson(arrivals / ranks * (ranks - 1) / ranks, rng)
            parts = batches(sent, ranks - 1, size, rng)
            wire = max(sent * item + parts * HEADER, came * item) / bandwidth
            busy = work * share + (sent + came) * ITEM / 2 + parts * MESSAGE
            slowest = max(slowest, busy, wire)
            messages += parts
            traffic += sent * item + parts * HEADER
        seconds += slowest + 2 * math.ceil(math.log2(ranks)) * latency
    return seconds, messages, traffic


def run(words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(words, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: exit {done.returncode}: {done.stderr[-300:]}")
    return json.loads(done.stdout), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def job(words, ranks):
    mpi = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"] if shutil.which("mpirun.openmpi") else ["mpirun.mpich"]
    return run([*mpi, "-n", str(ranks), *words, "--json", "-j", "1"])


def main():
    rng = random.Random(1)
    print(f"load {os.getloadavg()[0]:.1f}")
    for model, options in MODELS:
        words = [HEDDLE, "check", f"{ROOT}/bench/explicit/models/{model}", *options]
        plan = run(words + ["--plan=" + NETWORK, "--json", "--time", "400", "-j", "1"])[0]
        m = plan["measured"]
        print(f"\n{model} {' '.join(options)}: {m['states']:,} states, {len(m['rounds'])} rounds, {m['seconds']:.2f} s")
        print(f"{'processes':>9} {'plan':>9} {'simulated':>9} {'':>6}   {'messages of all: plan':>22} {'simulated':>11} {'real':>11}   "
              f"{'MB: plan':>9} {'simulated':>9} {'real':>9}")
        needs = {n["processes"]: n["least"] for n in plan["needs"]}
        for ranks in SIZES:
            seconds, messages, traffic = simulate(plan, ranks, rng)
            real = job(words, ranks)[0]["cluster"] if ranks <= 4 else {"messages": 0, "bytes": 0}
            n = needs[ranks]
            print(f"{ranks:>9} {n['seconds']:>9.4f} {seconds:>9.4f} {n['seconds'] / seconds:>6.2f}   {n['messages'] * ranks:>22,.0f} {messages:>11,} "
                  f"{real['messages'] or '':>11}   {n['traffic_bytes'] * ranks / 1e6:>9.1f} {traffic / 1e6:>9.1f} "
                  f"{real['bytes'] / 1e6 or '':>9}", flush=True)


main()
