#!/usr/bin/env python3
"""Heddle against Spin on models that scale: states, transitions per second, bytes a state, time.

    bench/explicit/run.py [--quick] [MODEL...]

Heddle with one thread and two, ordered and breadth first, without and with reduction; pan -O2 with a hash table that
fits (-w), and with -DCOLLAPSE; on two cores with -DBFS_PAR and -DNCORE=2, of which only the first process's memory is
seen. All see the same states (--exact, spin -o1 -o2 -o3) unless they reduce. They take turns, the best of several
rounds counts. Writes RESULTS.md and results.svg beside this file; what is said in RESULTS.md under "Where the time
goes" stays.
"""
import json, math, os, re, resource, shutil, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
HEDDLE = os.environ.get("HEDDLE", os.path.join(HERE, "../../build/heddle"))
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "1" if "--quick" in sys.argv else "3"))
MODELS = [("anderson", "-DN=6"), ("bakery", "-DM=14"), ("coherence", "-DN=4"), ("elevator", "-DP=2 -DF=6"), ("files", "-DN=2"),
          ("leader", "-DN=6"), ("peterson", "-DN=4"), ("philosophers", "-DN=8"), ("window", "-DW=2 -DK=5")]
WANTED = [a for a in sys.argv[1:] if not a.startswith("-")]
LIMIT = 150  # seconds for one run
OURS = [("heddle -j1", ["-j1"]), ("heddle -j2", ["-j2"]), ("heddle bfs -j1", ["-j1", "--search=bfs"]),
        ("heddle bfs -j2", ["-j2", "--search=bfs"])]


def measured(command, cwd):
    """(seconds, peak bytes, output) of a command, or None if it fails or takes too long."""
    started = time.time()
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen(command, cwd=cwd, stdout=out, stderr=subprocess.DEVNULL)
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            if time.time() - started > LIMIT:
                child.kill()
                os.wait4(child.pid, 0)
                return None
            time.sleep(0.005)
        out.seek(0)
        return time.time() - started, usage.ru_maxrss * 1024, out.read()


def heddle(model, defines, options):
    ran = measured([HEDDLE, "check", model, "--json", "--no-deadlock", *options, *defines], HERE)
    if not ran:
        return None
    answer = json.loads(ran[2])
    return {"states": answer["states"], "transitions": answer["transitions"], "seconds": ran[0], "search": answer["seconds"],
            "memory": ran[1], "verdict": answer["verdict"]}


def build_pan(model, defines, work, merged, flags):
    os.makedirs(work, exist_ok=True)
    options = [] if merged else ["-o1", "-o2", "-o3"]
    subprocess.run(["spin", *defines, *options, "-a", model], cwd=work, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cc", "-O2", "-w", "-DSAFETY", "-DMEMLIM=12000", "-DVECTORSZ=4096", *flags, "-o", "pan", "pan.c"], cwd=work, check=True)
    return work


def pan(work, states, parallel):
    width = max(20, math.ceil(math.log2(max(states, 2))) + 1)
    ran = measured(["./pan", "-E", *(["-u2"] if parallel == "-DBFS_PAR" else ["-m10000000"]), f"-w{width}", "-n"], work)
    if not ran or "states, stored" not in ran[2]:  # it ran out of something
        return None
    number = lambda pattern: int(float(re.search(pattern, ran[2]).group(1)))
    error = number(r"errors: (\d+)")
    return {"states": number(r"([\d.e+]+) states, stored"), "transitions": number(r"([\d.e+]+) transitions"),
            "seconds": ran[0], "search": float(re.search(r"elapsed time ([\d.e+-]+)", ran[2]).group(1)) if "elapsed" in ran[2] else ran[0],
            "memory": ran[1], "verdict": "error" if error else "verified"}


def better(a, b):
    if not a or not b:
        return a or b
    return {**min(a, b, key=lambda r: r["search"]), "memory": min(a["memory"], b["memory"])}


def contest(name, defines, tmp):
    model = os.path.join(HERE, "models", name + ".pml")
    defines = defines.split()
    full, reduced = ["--exact", "--no-por"], []
    first = heddle(model, defines, full + ["-j2"])
    rows = {}
    plans = [(label, lambda o=options: heddle(model, defines, full + o)) for label, options in OURS]
    plans += [("heddle reduced -j1", lambda: heddle(model, defines, ["-j1"])),
              ("heddle reduced -j2", lambda: heddle(model, defines, ["-j2"]))]
    for label, merged, flags in (("pan", False, ["-DNOREDUCE"]), ("pan collapse", False, ["-DNOREDUCE", "-DCOLLAPSE"]),
                                 ("pan bfs_par 2", False, ["-DNOREDUCE", "-DBFS_PAR"]),
                                 ("pan ncore 2", False, ["-DNOREDUCE", "-DNCORE=2"]), ("pan reduced", True, [])):
        work = build_pan(model, defines, os.path.join(tmp, name, label.replace(" ", "-")), merged, flags)
        plans.append((label, lambda w=work, f=flags: pan(w, first["states"], f[-1] if f else "")))
    for _ in range(ROUNDS):
        for label, plan in plans:
            rows[label] = better(rows.get(label), plan())
    return rows


def rate(row):
    return row["transitions"] / max(row["search"], 1e-3)


def mean(values):
    values = [v for v in values if v]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else 0


def table(results):
    lines = ["| model | mode | states | transitions | s | million transitions/s | bytes a state | of pan's speed |",
             "|---|---|--:|--:|--:|--:|--:|--:|"]
    for (name, defines), rows in results.items():
        for label, row in rows.items():
            peer = rows.get("pan reduced" if "reduced" in label else "pan")
            if not row:
                lines.append(f"| {name} {defines} | {label} | | | no end, or over {LIMIT} | | | |")
                continue
            # with reduction the states differ, and what counts is the time to the verdict
            ratio = (peer["search"] / max(row["search"], 1e-3) if "reduced" in label else rate(row) / rate(peer)) if peer else 0
            lines.append(f"| {name} {defines} | {label} | {row['states']:,} | {row['transitions']:,} | {row['search']:.2f} | {rate(row) / 1e6:.2f} | "
                         f"{row['memory'] / max(row['states'], 1):.1f} | {ratio:.2f} |")
    return lines


def summary(results):
    lines = []
    for label in [o[0] for o in OURS] + ["pan collapse", "pan bfs_par 2", "pan ncore 2"]:
        pairs = [(rows[label], rows["pan"]) for rows in results.values() if rows.get(label) and rows.get("pan")]
        if not pairs:
            continue
        ratios = [rate(a) / rate(b) for a, b in pairs]
        bytes_ = [a["memory"] / a["states"] for a, b in pairs if a["states"] > 1e6]
        theirs = [b["memory"] / b["states"] for a, b in pairs if a["states"] > 1e6]
        lines.append(f"- {label}: {mean(ratios):.2f} times pan's transitions per second (geometric mean of {len(ratios)}, from {min(ratios):.2f} to "
                     f"{max(ratios):.2f}); {mean(bytes_):.1f} bytes a state of peak resident memory where there are over a million states "
                     f"(pan {mean(theirs):.1f})")
    return lines


def draw(results, path):
    """Time and memory against states, both logarithmic, a dot for each run."""
    colours = {"heddle -j1": "#1f6feb", "heddle -j2": "#0b3d91", "heddle bfs -j1": "#2da44e", "heddle bfs -j2": "#116329", "pan": "#cf222e",
               "pan collapse": "#bf8700"}
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
        out.append(f'<circle cx="{70 + 140 * i}" cy="370" r="5" fill="{colour}"/><text x="{80 + 140 * i}" y="374">{label}</text>')
    open(path, "w").write("\n".join(out + ["</svg>\n"]))


def explained():
    """The part of RESULTS.md that is not measured."""
    try:
        found = re.search(r"## Where the time goes.*?(?=!\[)", open(os.path.join(HERE, "RESULTS.md")).read(), re.S)
    except OSError:
        found = None
    return found.group(0).splitlines() if found else []


def main():
    tmp = tempfile.mkdtemp()
    results = {}
    try:
        for name, defines in MODELS:
            if WANTED and name not in WANTED:
                continue
            results[name, defines] = rows = contest(name, defines, tmp)
            print("\n".join(table({(name, defines): rows})[2:]), flush=True)
            # parallel pan enters some states twice
            seen = {r["states"] for label, r in rows.items() if r and "reduced" not in label and not label.endswith(" 2")}
            if len(seen) > 1 or any(r["verdict"] != "verified" for r in rows.values() if r):
                print(f"bench/explicit: {name}: they do not agree: {seen}", file=sys.stderr)
                sys.exit(1)
    finally:
        shutil.rmtree(tmp)
    text = ["# Heddle and Spin on models that scale", "",
            "Written by `make bench-explicit`. Seconds are those of the search; bytes are the peak resident memory of the process, divided by the states;",
            "\"of pan's speed\" compares transitions per second or, with reduction, the time to the verdict. "
            + ("One round." if ROUNDS == 1 else f"Best of {ROUNDS} rounds."), "", *summary(results), "",
            *table(results), "", *explained(), "![time and memory](results.svg)", ""]
    print("\n".join(summary(results)))
    if not WANTED and "--quick" not in sys.argv:
        open(os.path.join(HERE, "RESULTS.md"), "w").write("\n".join(text))
        draw(results, os.path.join(HERE, "results.svg"))


main()
