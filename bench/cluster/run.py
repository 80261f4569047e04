#!/usr/bin/env python3
"""Processes of a job against threads of one process: processor time, time, states a second, messages, bytes, idle share.

  HEDDLE=build/heddle bench/cluster/run.py [REPEATS]

The least of REPEATS runs (default 3) counts. Processor time is that of all processes of the job, with what its launcher
used; on a busy machine it is what can be compared."""
import json, os, resource, shutil, subprocess, sys, time

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
HEDDLE = os.path.abspath(os.environ.get("HEDDLE", ROOT + "/build/heddle"))
REPEATS = int(sys.argv[1]) if len(sys.argv) > 1 else 3
MODELS = [("peterson.pml", ["-DN=5", "--no-por", "-b", "2"]), ("anderson.pml", ["-DN=8", "--no-por"]),
          ("elevator.pml", ["-DP=2", "-DF=7", "--no-por"]), ("philosophers.pml", ["-DN=9", "--no-por", "--search=bfs"]),
          ("window.pml", ["-DW=3", "-DK=7", "--no-por"])]
LAYOUTS = [("-j 1", 1, 1), ("-j 2", 1, 2), ("-j 4", 1, 4), ("1 process", 1, 1), ("2 processes", 2, 1), ("4 processes", 4, 1),
           ("2 x -j 2", 2, 2)]


def run(words):
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
    done = subprocess.run(words, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    if done.returncode not in (0, 3):
        sys.exit(f"{' '.join(words)}: exit {done.returncode}: {done.stderr[-500:]}")
    return cpu, time.time() - began, json.loads(done.stdout)


def launcher(ranks):
    if shutil.which("mpirun.openmpi"):
        return ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n", str(ranks)]
    return ["mpirun.mpich", "-n", str(ranks)]


def measure(model, options, name, ranks, threads):
    words = [HEDDLE, "check", f"{ROOT}/bench/explicit/models/{model}", *options, "--json", "-j", str(threads)]
    if "process" in name or ranks > 1:
        words = launcher(ranks) + words
    runs = [run(words) for _ in range(REPEATS)]
    cpu, wall = min(r[0] for r in runs), min(r[1] for r in runs)
    result = min(runs, key=lambda r: r[0])[2]
    job = result.get("cluster", {})
    idle = 100 * job.get("idle_seconds", 0) / (ranks * result["seconds"])
    print(f"{name:<12} {cpu:8.2f} {wall:8.2f} {result['states'] / result['seconds'] / 1e6:8.2f} {job.get('messages', 0):10,} "
          f"{job.get('bytes', 0) / 1e6:8.1f} {idle:6.0f} %", flush=True)
    return cpu, wall


def main():
    print(f"load {os.getloadavg()[0]:.1f}, {len(os.sched_getaffinity(0))} processors")
    for model, options in MODELS:
        print(f"\n{model} {' '.join(options)}\n{'':<12} {'cpu s':>8} {'s':>8} {'M st/s':>8} {'messages':>10} {'MB':>8} {'idle':>8}")
        took = {name: measure(model, options, name, ranks, threads) for name, ranks, threads in LAYOUTS}
        ratio = [a / b for a, b in zip(took["2 processes"], took["-j 2"])]
        print(f"2 processes against -j 2: {ratio[0]:.2f} times the processor time, {ratio[1]:.2f} times the time")


main()
