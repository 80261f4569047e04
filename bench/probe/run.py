#!/usr/bin/env python3
"""Heddle's default check against pan and --search=dfs on models whose errors are deep: time to the first error and to the verdict.

    bench/probe/run.py [--cost] [MODEL...]

--cost measures instead what probes cost where there is no error, on the models of bench/explicit. Times of pan and of --search=dfs are
processor time, which is the time of the clock for one thread on an idle machine; of --search=dfs it is that of the search alone, and nothing
is made simpler afterwards. Of the default check there are the time of the clock,
and for an error that a probe found the processor time of the probes until then. Writes its part of RESULTS.md beside this file.
"""
import json, os, re, resource, shutil, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
HEDDLE = os.environ.get("HEDDLE", os.path.join(HERE, "../../build/heddle"))
LIMIT, MEMORY = int(os.environ.get("BENCH_SECONDS", "8")), "1500M"
CLOCK = int(os.environ.get("BENCH_CLOCK", LIMIT))  # for heddle: more on a machine with other work
WANTED = [a for a in sys.argv[1:] if not a.startswith("-")]
# name, options of heddle, how pan looks for it: its options, its defines
MODELS = [(n, [], [], ["-DSAFETY"]) for n in (
    "allocator", "buffer", "butler", "coherence", "commit", "committee", "countdown", "counters", "election", "handshakes", "locks",
    "mutex", "philosophers", "pipeline", "queue", "ripple", "token-ring", "trains", "window", "zigzag")]
MODELS += [("hidden-cycle", ["--acceptance"], ["-a"], []), ("long-cycle", ["--ltl", "returns"], ["-a"], []),
           ("no-progress", ["--progress"], ["-l"], ["-DNP"]), ("unanswered", ["--ltl", "answered"], ["-a"], []),
           ("writers", ["--ltl", "writes"], ["-a"], [])]
SAFE = [("bounded-counters", [], [], ["-DSAFETY"]), ("polite", [], [], ["-DSAFETY"]), ("fair-turns", ["--ltl", "together"], ["-a"], [])]
COST = [("anderson", "-DN=5"), ("bakery", "-DM=8"), ("elevator", "-DP=2 -DF=5"), ("leader", "-DN=6"), ("peterson", "-DN=4"),
        ("philosophers", "-DN=7"), ("window", "-DW=2 -DK=4")]


def measured(command, cwd, limit=LIMIT + 20):
    """Seconds of the clock and of a processor, and the output; None if it takes too long."""
    started = time.time()
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen(command, cwd=cwd, stdout=out, stderr=subprocess.DEVNULL)
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            if time.time() - started > limit * 4:
                child.kill()
                os.wait4(child.pid, 0)
                return None
            time.sleep(0.002)
        out.seek(0)
        return time.time() - started, usage.ru_utime + usage.ru_stime, out.read()


def heddle(model, options, tmp):
    ran = measured([HEDDLE, "check", model, "--json", "-o", os.path.join(tmp, "t.trace"), "--time", str(CLOCK), "--memory", MEMORY, *options], HERE)
    answer = json.loads(ran[2])
    error, probe = answer["error"] or {}, answer.get("probe")
    return {"verdict": answer["verdict"], "clock": ran[0], "processor": ran[1], "probe": probe, "preemptions": error.get("preemptions"),
            "at_least": error.get("at_least"), "steps": error.get("steps"), "states": answer["states"], "search": answer["seconds"]}


def pan(model, options, defines, tmp):
    work = os.path.join(tmp, "pan")
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    started = time.time()
    subprocess.run(["spin", "-a", model], cwd=work, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(["cc", "-O2", "-w", "-DMEMLIM=1500", "-DVECTORSZ=8192", *defines, "-o", "pan", "pan.c"], cwd=work, check=True)
    compiling = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    ran = measured(["sh", "-c", f"ulimit -t {LIMIT}; exec ./pan -m1000000 {' '.join(options)}"], work)
    if not ran or "errors:" not in ran[2]:
        return {"found": None, "processor": ran[1] if ran else LIMIT, "compiling": compiling}
    errors = int(re.search(r"errors: (\d+)", ran[2]).group(1))
    cut = "max search depth too small" in ran[2]
    depth = re.search(r"depth (?:reached )?(\d+)", ran[2])
    return {"found": errors > 0, "cut": cut, "processor": ran[1], "compiling": compiling, "depth": int(depth.group(1)) if depth else 0}


def words(seconds):
    return "" if seconds is None else f"{seconds:.2f}"


def row(name, options, pan_options, pan_defines, tmp):
    model = os.path.join(HERE, "models", name + ".pml")
    spin = pan(model, pan_options, pan_defines, tmp)
    plain = heddle(model, options + ["--probe=off"], tmp)
    dfs = heddle(model, options + ["--search=dfs", "--probe=off"], tmp) if not options else None
    ours = heddle(model, options, tmp)
    others = [spin["processor"]] if spin["found"] else []
    if dfs and dfs["verdict"] == "error":
        dfs["processor"] = min(dfs["processor"], dfs["search"])  # without what comes after the search
        others.append(dfs["processor"])
    first = min(ours["probe"]["seconds"], ours["clock"]) if ours["probe"] else ours["clock"] if ours["verdict"] == "error" else None
    own = ours["probe"]["processor_seconds"] if ours["probe"] else ours["processor"] if ours["verdict"] == "error" else None
    schedule = "" if ours["preemptions"] is None else f"{ours['preemptions']} / {ours['steps']}" + (
        f", at least {ours['at_least']}" if ours["at_least"] is not None else "")
    found_by = ours["probe"]["found_by"].replace("depth-first search", "dfs") if ours["probe"] else "ordered search" if first is not None else ""
    best = min(others) if others else None
    late = "" if first is None or best is None else f"{own - best:+.2f}"
    print(f"| {name} | {words(spin['compiling'])} | {words(spin['processor'])}{'' if spin['found'] else ' (none)'} | "
          f"{words(dfs['processor']) if dfs else ''}{'' if not dfs or dfs['verdict'] == 'error' else ' (none)'} | "
          f"{words(plain['processor'])}{'' if plain['verdict'] == 'error' else ' (' + plain['verdict'] + ')'} | {words(own)} | {words(first)} | {late} | "
          f"{words(ours['clock'])} ({ours['verdict']}) | {schedule} | {found_by} |", flush=True)


def cost_row(name, defines, tmp):
    model = os.path.join(HERE, "../explicit/models", name + ".pml")
    for jobs in ("-j1", "-j2"):
        runs = {}
        for _ in range(3):
            for probe in ("off", "on"):
                r = heddle(model, [*defines.split(), "--no-deadlock", "--exact", "--no-por", jobs, "--probe=" + probe], tmp)
                runs.setdefault(probe, []).append(r)
        off, on = (min(r["clock"] for r in runs[p]) for p in ("off", "on"))
        off_cpu, on_cpu = (min(r["processor"] for r in runs[p]) for p in ("off", "on"))
        same = len({(r["states"], r["verdict"]) for p in runs for r in runs[p]}) == 1
        print(f"| {name} {defines} {jobs} | {runs['on'][0]['verdict']} | {off:.2f} | {on:.2f} | {on / off:.2f} | {off_cpu:.2f} | {on_cpu:.2f} | "
              f"{on_cpu / off_cpu:.2f} | {'same' if same else 'DIFFERENT'} |", flush=True)


def main():
    tmp = tempfile.mkdtemp(prefix="heddle-bench-probe-")
    if "--cost" in sys.argv:
        print("| model | verdict | off, s | on, s | ratio | off, processor s | on | ratio | states |\n|---|---|--:|--:|--:|--:|--:|--:|---|")
        for name, defines in COST:
            if not WANTED or name in WANTED:
                cost_row(name, defines, tmp)
    else:
        print("| model | cc of pan | pan | --search=dfs | --probe=off | first error, processor of probes | first error, clock | later than the better | "
              "verdict, clock | preemptions / steps | found by |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|---|---|")
        for each in MODELS + SAFE:
            if not WANTED or each[0] in WANTED:
                row(*each, tmp)
    shutil.rmtree(tmp, ignore_errors=True)


main()
