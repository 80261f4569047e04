#!/usr/bin/env python3
"""Heddle against Spin on models that scale: time to the verdict, transitions per second, bytes per state.

    bench/explicit/run.py [--quick | --agree] [MODEL...]

  default against default   heddle check with -j1 and -j2, pan as `spin -a` and `cc -O2 -DSAFETY` make it: both reduce
  plain against plain       --exact --no-por (ordered and breadth first), spin -o1 -o2 -o3 and pan -DNOREDUCE: the same states
pan gets a hash table that fits (-w). On two cores it has -DBFS_PAR. The runs of a model take turns, and the best of
several rounds counts. --agree only compares the number of states of the plain searches, --quick runs one round and
writes nothing. Otherwise RESULTS.md and results.svg beside this file are written; what RESULTS.md says under "Where the
time goes" stays.
"""
import json, math, os, re, shutil, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
HEDDLE = os.environ.get("HEDDLE", os.path.join(HERE, "../../build/heddle"))
FLAGS = [a for a in sys.argv[1:] if a.startswith("-")]
WANTED = [a for a in sys.argv[1:] if not a.startswith("-")]
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "1" if "--quick" in FLAGS else "3"))
LIMIT = 600  # seconds for one run
LONG = 20  # seconds of a run after which it is not run again
MODELS = [("anderson", "-DN=6"), ("bakery", "-DM=14"), ("blocks", "-DN=8"), ("coherence", "-DN=4"), ("elevator", "-DP=2 -DF=6"),
          ("fastlock", "-DN=4"), ("files", "-DN=2"), ("fischer", "-DN=6 -DD=2"), ("forks", "-DN=5"),
          ("journal", "-DBLOCKS=4 -DWRITERS=2 -DLOG=3"), ("lamport", "-DN=4"), ("leader", "-DN=6"), ("lifts", "-DP=5"),
          ("negative", "-DW=3 -DK=3"), ("peterson", "-DN=4"), ("philosophers", "-DN=8"), ("rounds", "-DT=2"), ("scheduler", "-DN=5"),
          ("splitters", "-DN=4"), ("szymanski", "-DN=4"), ("telephony", "-DN=3"), ("tiles", "-DW=5 -DH=2"),
          ("window", "-DW=2 -DK=5")]
PLAIN = ["--exact", "--no-por"]
OURS = {"-j1": [*PLAIN, "-j1"], "-j2": [*PLAIN, "-j2"], "bfs -j1": [*PLAIN, "-j1", "--search=bfs"], "bfs -j2": [*PLAIN, "-j2", "--search=bfs"],
        "no-por -j1": ["--no-por", "-j1"], "default -j1": ["-j1"], "default -j2": ["-j2"]}
PANS = {"pan": (False, ["-DNOREDUCE"]), "pan collapse": (False, ["-DNOREDUCE", "-DCOLLAPSE"]),
        "pan bfs_par": (False, ["-DNOREDUCE", "-DBFS_PAR"]), "pan default": (True, [])}


def measured(command, cwd, env=None):
    """(seconds, peak bytes, output) of a command, or None if it fails or takes too long."""
    started = time.time()
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen(command, cwd=cwd, stdout=out, stderr=subprocess.DEVNULL, env=env)
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            if time.time() - started > LIMIT:
                child.kill()
                os.wait4(child.pid, 0)
                return None
            time.sleep(0.002)
        out.seek(0)
        return time.time() - started, usage.ru_maxrss * 1024, out.read()


def heddle(model, defines, options, cache):
    """One check; `cache` is a folder for compiled models, and an empty one means that this model is compiled."""
    ran = measured([HEDDLE, "check", model, "--json", "--no-deadlock", *options, *defines], HERE, {**os.environ, "XDG_CACHE_HOME": cache})
    if not ran:
        return None
    answer = json.loads(ran[2])
    return {"states": answer["states"], "transitions": answer["transitions"], "search": answer["seconds"], "memory": ran[1],
            "verdict": answer["verdict"], "whole": ran[0]}


def build_pan(model, defines, work, merged, flags):
    """Seconds that it took."""
    os.makedirs(work)
    started = time.time()
    options = [] if merged else ["-o1", "-o2", "-o3"]
    subprocess.run(["spin", *defines, *options, "-a", model], cwd=work, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cc", "-O2", "-w", "-DSAFETY", "-DMEMLIM=12000", "-DVECTORSZ=4096", *flags, "-o", "pan", "pan.c"], cwd=work, check=True)
    return time.time() - started


def pan(work, states, flags, compiled):
    width = max(20, math.ceil(math.log2(max(states, 2))) + 1)
    ran = measured(["./pan", "-E", *(["-u2"] if "-DBFS_PAR" in flags else ["-m10000000"]), f"-w{width}", "-n"], work)
    if not ran or "states, stored" not in ran[2]:  # it ran out of something
        return None
    number = lambda pattern: int(float(re.search(pattern, ran[2]).group(1)))
    return {"states": number(r"([\d.e+]+) states, stored"), "transitions": number(r"([\d.e+]+) transitions"),
            "search": float(re.search(r"elapsed time ([\d.e+-]+)", ran[2]).group(1)) if "elapsed" in ran[2] else ran[0],
            "memory": ran[1], "verdict": "error" if number(r"errors: (\d+)") else "verified", "whole": ran[0] + compiled}


def better(a, b):
    if not a or not b:
        return a or b
    return {**min(a, b, key=lambda r: r["search"]), "memory": min(a["memory"], b["memory"]), "whole": min(a["whole"], b["whole"])}


def cold_and_warm(model, defines, options, tmp):
    """Time to the verdict with compile time (nothing in the cache) and without (the compiled model is there)."""
    with tempfile.TemporaryDirectory(dir=tmp) as cache:
        cold, warm = (heddle(model, defines, options, cache) for _ in range(2))
    return warm and {**warm, "whole": cold["whole"]}


def contest(name, defines, tmp, ours, pans):
    """The best result of each search, by its label."""
    model = os.path.join(HERE, "models", name + ".pml")
    defines = defines.split()
    first = heddle(model, defines, [*PLAIN, "-j2", "--search=bfs"], tmp)
    plans = {label: lambda o=options: cold_and_warm(model, defines, o, tmp) for label, options in ours.items()}
    for label, (merged, flags) in pans.items():
        work = os.path.join(tmp, name, label.replace(" ", "-"))
        compiled = build_pan(model, defines, work, merged, flags)
        plans[label] = lambda w=work, f=flags, c=compiled: pan(w, first["states"], f, c)
    rows = {"counted": first}
    for turn in range(ROUNDS):
        for label, plan in plans.items():
            if turn == 0 or (rows[label] and rows[label]["whole"] < LONG):
                rows[label] = better(rows.get(label), plan())
    return rows


def rate(row):
    return row["transitions"] / max(row["search"], 1e-3)


def of(rows, ours, theirs, value):
    """How many times better we are; None if one of the two has no result."""
    a, b = rows.get(ours), rows.get(theirs)
    return value(a, b) if a and b else None


def sooner(a, b):
    return max(b["search"], 1e-3) / max(a["search"], 1e-3)


def sooner_with_compiler(a, b):
    return b["whole"] / a["whole"]


def faster(a, b):
    return rate(a) / rate(b)


def mean(values):
    values = [v for v in values if v]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else 0


def shown(value, form):
    return "-" if value is None else format(value, form)


def per_state(row):
    return row["memory"] / row["states"]


DEFAULT = (["model", "states", "pan's states", "s -j1", "s -j2", "pan s", "pan / -j1", "pan / -j2", "whole s -j1", "whole s -j2", "pan whole s",
            "pan / -j1", "pan / -j2"],
           [("default -j1", "states", ","), ("pan default", "states", ","), ("default -j1", "search", ".2f"), ("default -j2", "search", ".2f"),
            ("pan default", "search", ".2f"), ("default -j1", "pan default", sooner), ("default -j2", "pan default", sooner),
            ("default -j1", "whole", ".2f"), ("default -j2", "whole", ".2f"), ("pan default", "whole", ".2f"),
            ("default -j1", "pan default", sooner_with_compiler), ("default -j2", "pan default", sooner_with_compiler)])
PLAINLY = (["model", "states", "transitions", "s -j1", "s -j2", "s bfs -j1", "s bfs -j2", "pan s", "pan -DBFS_PAR s", "-j1 / pan", "-j2 / pan",
            "bfs -j1 / pan", "bfs -j2 / pan"],
           [("-j1", "states", ","), ("-j1", "transitions", ","), ("-j1", "search", ".2f"), ("-j2", "search", ".2f"), ("bfs -j1", "search", ".2f"),
            ("bfs -j2", "search", ".2f"), ("pan", "search", ".2f"), ("pan bfs_par", "search", ".2f"), ("-j1", "pan", faster), ("-j2", "pan", faster),
            ("bfs -j1", "pan", faster), ("bfs -j2", "pan", faster)])
MEMORY = (["model", "states", "-j1", "-j2", "bfs -j2", "pan", "pan -DCOLLAPSE"],
          [("-j1", "states", ","), ("-j1", per_state, ".1f"), ("-j2", per_state, ".1f"), ("bfs -j2", per_state, ".1f"), ("pan", per_state, ".1f"),
           ("pan collapse", per_state, ".1f")])
REDUCTION = (["model", "states", "states --no-por", "s", "s --no-por", "--no-por / default"],
             [("default -j1", "states", ","), ("no-por -j1", "states", ","), ("default -j1", "search", ".2f"), ("no-por -j1", "search", ".2f"),
              ("default -j1", "no-por -j1", sooner)])


def cell(rows, column):
    label, member, form = column
    if callable(form):
        return shown(of(rows, label, member, form), ".2f")
    row = rows.get(label)
    return shown(row and (row[member] if isinstance(member, str) else member(row)), form)


def table(plan, results):
    heads, columns = plan
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "--:|" * (len(heads) - 1)]
    for (name, defines), rows in results.items():
        lines.append("| " + " | ".join([f"{name} {defines}", *(cell(rows, c) for c in columns)]) + " |")
    return lines


def ratios(results, ours, theirs, value):
    found = {name: of(rows, ours, theirs, value) for (name, _), rows in results.items()}
    return {name: r for name, r in found.items() if r}


def said(results, label, theirs, value, goal):
    found = ratios(results, label, theirs, value)
    if not found:
        return "no result"
    least = min(found, key=found.get)
    return (f"{mean(found.values()):.2f} (goal {goal}; from {found[least]:.2f}, {least}, to {max(found.values()):.2f}; below 1: "
            f"{', '.join(sorted(n for n, r in found.items() if r < 1)) or 'none'})")


def summary(results):
    large = [rows for rows in results.values() if rows.get("-j2") and rows["-j2"]["states"] > 1e6]
    bytes_ = lambda label: mean(per_state(rows[label]) for rows in large if rows.get(label))
    return [f"Geometric means over {len(results)} models, as multiples of pan:", "",
            f"- time to the verdict, default against default, one core: {said(results, 'default -j1', 'pan default', sooner, 3)}",
            f"- the same on two cores: {said(results, 'default -j2', 'pan default', sooner, 5)}",
            f"- the same with compile time, one core: {said(results, 'default -j1', 'pan default', sooner_with_compiler, '-')}",
            f"- the same with compile time, two cores: {said(results, 'default -j2', 'pan default', sooner_with_compiler, '-')}",
            f"- transitions per second, plain against plain, one core: {said(results, '-j1', 'pan', faster, 3)}",
            f"- the same on two cores: {said(results, '-j2', 'pan', faster, 5)}",
            f"- the same breadth first on two cores: {said(results, 'bfs -j2', 'pan', faster, '-')}",
            f"- peak resident bytes per state where there are over a million states: {bytes_('-j1'):.1f} with -j1, {bytes_('-j2'):.1f} with -j2, "
            f"{bytes_('bfs -j2'):.1f} breadth first (goal 16; pan {bytes_('pan'):.1f}, with -DCOLLAPSE {bytes_('pan collapse'):.1f})"]


def draw(results, path):
    """Time and memory of the plain searches against states, both logarithmic, a dot for each run."""
    colours = {"-j1": "#1f6feb", "-j2": "#0b3d91", "bfs -j1": "#2da44e", "bfs -j2": "#116329", "pan": "#cf222e", "pan collapse": "#bf8700"}
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 920 400" font-family="sans-serif" font-size="12">',
           '<rect width="920" height="400" fill="white"/>']
    points = [(label, r) for rows in results.values() for label, r in rows.items() if r and label in colours]
    for k, (title, value) in enumerate((("seconds", lambda r: max(r["search"], 1e-2)), ("megabytes", lambda r: r["memory"] / 1e6))):
        xs, ys = [math.log10(r["states"]) for _, r in points], [math.log10(value(r)) for _, r in points]
        left, right, low, high = min(xs) - 0.1, max(xs) + 0.1, min(ys) - 0.1, max(ys) + 0.1
        x = lambda v: 60 + 460 * k + 360 * (v - left) / (right - left)
        y = lambda v: 320 - 280 * (v - low) / (high - low)
        out.append(f'<text x="{60 + 460 * k}" y="25">{title} against states</text>')
        for e in range(math.floor(low), math.ceil(high) + 1):
            if low <= e <= high:
                out.append(f'<line x1="{60 + 460 * k}" x2="{420 + 460 * k}" y1="{y(e):.0f}" y2="{y(e):.0f}" stroke="#ddd"/>'
                           f'<text x="{55 + 460 * k}" y="{y(e) + 4:.0f}" text-anchor="end">{10.0 ** e:g}</text>')
        for e in range(math.floor(left), math.ceil(right) + 1):
            if left <= e <= right:
                out.append(f'<line x1="{x(e):.0f}" x2="{x(e):.0f}" y1="40" y2="320" stroke="#ddd"/>'
                           f'<text x="{x(e):.0f}" y="336" text-anchor="middle">{10.0 ** e:g}</text>')
        for label, r in points:
            out.append(f'<circle cx="{x(math.log10(r["states"])):.1f}" cy="{y(math.log10(value(r))):.1f}" r="4" fill="{colours[label]}" '
                       f'fill-opacity="0.75"><title>{label}</title></circle>')
    for i, (label, colour) in enumerate(colours.items()):
        name = label if label.startswith("pan") else "heddle " + label
        out.append(f'<circle cx="{70 + 140 * i}" cy="370" r="5" fill="{colour}"/><text x="{80 + 140 * i}" y="374">{name}</text>')
    open(path, "w").write("\n".join(out + ["</svg>\n"]))


def explained():
    """The part of RESULTS.md that is not measured."""
    try:
        found = re.search(r"## Where the time goes.*?(?=!\[)", open(os.path.join(HERE, "RESULTS.md")).read(), re.S)
    except OSError:
        found = None
    return found.group(0).splitlines() if found else []


def disagreement(rows):
    """What is wrong with the plain searches of one model: they see the same states (parallel pan enters some twice) and no error."""
    reduced_or_double = {"no-por -j1", "default -j1", "default -j2", "pan default", "pan bfs_par"}
    seen = {label: r["states"] for label, r in rows.items() if r and label not in reduced_or_double}
    bad = [label for label, r in rows.items() if r and r["verdict"] != "verified"]
    return f"states {seen}" if len(set(seen.values())) > 1 else f"no verdict: {bad}" if bad else None


def all_results(tmp, ours, pans):
    results = {}
    for name, defines in MODELS:
        if WANTED and name not in WANTED:
            continue
        results[name, defines] = rows = contest(name, defines, tmp, ours, pans)
        wrong = disagreement(rows)
        if wrong:
            sys.exit(f"bench/explicit: {name}: {wrong}")
        for plan in (DEFAULT, PLAINLY) if "--agree" not in FLAGS else ():
            print("\n".join(table(plan, {(name, defines): rows})), flush=True)
        print(f"{name} {defines}: " + ", ".join(f"{label} {r['states'] if r else '-'}" for label, r in rows.items()), flush=True)
    return results


def report(results):
    return ["# Heddle and Spin on models that scale", "",
            f"`make bench-explicit` writes this file. Seconds are those of the search, the best of {ROUNDS} rounds (of one if a run takes over {LONG} s);",
            "\"whole\" seconds begin with the model's text and include the compilers, with nothing cached. \"-\": no end within "
            f"{LIMIT} s, or out of memory.", "", *summary(results), "",
            "## Default against default", "", *table(DEFAULT, results), "",
            "## Plain against plain", "", *table(PLAINLY, results), "",
            "## What reduction costs and saves (one core)", "", *table(REDUCTION, results), "",
            "## Peak resident bytes per state, plain searches", "", *table(MEMORY, results), "",
            *explained(), "![time and memory](results.svg)", ""]


def main():
    if "--agree" in FLAGS:
        with tempfile.TemporaryDirectory() as tmp:
            all_results(tmp, {}, {"pan": PANS["pan"]})
        return
    with tempfile.TemporaryDirectory() as tmp:
        results = all_results(tmp, OURS, PANS)
    print("\n".join(summary(results)))
    if not WANTED and "--quick" not in FLAGS:
        open(os.path.join(HERE, "RESULTS.md"), "w").write("\n".join(report(results)))
        draw(results, os.path.join(HERE, "results.svg"))


main()
