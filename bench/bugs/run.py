#!/usr/bin/env python3
"""Time and schedules to the first bug, for every program of this folder and several strategies, beside published figures.

    bench/bugs/run.py            with the variables of bench/bugs.sh

A program names its rows in its first comment: "Row: NAME -DX=Y --option". Every finished run is a line of RAW, and a run
that is there already is not repeated, so an interrupted measurement goes on where it was. Writes RESULTS.md and
results.svg beside this file.
"""
import collections, concurrent.futures, glob, hashlib, json, math, os, platform, re, statistics, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
HEDDLE = os.environ["HEDDLE"]
RAW = os.environ["RAW"]
SEEDS, OTHER_SEEDS, JOBS = (int(os.environ[name]) for name in ("SEEDS", "OTHER_SEEDS", "JOBS"))
LIMIT = os.environ["LIMIT"]
STRATEGIES = os.environ["STRATEGIES"].split()
WANTED = os.environ["ROWS"].split()
OPTIONS = ["--races=explore", "--memory", "1G", "--json", *os.environ["OPTIONS"].split()]
COLORS = ["#36c", "#c33", "#393", "#c80", "#808", "#088", "#666", "#b48", "#260", "#a52"]
Row = collections.namedtuple("Row", "name source flags options expected")


def rows_of(source):
    """The rows that the first comment of a program names."""
    head = open(source).read().split("*/")[0]
    expected = re.search(r"Expect: (.*)", head).group(1).split()
    for line in re.findall(r"Row: (.*)", head):
        name, *words = line.split()
        yield Row(name, source, [w for w in words if not w.startswith("--")], [w for w in words if w.startswith("--")], expected)


def in_order(name):
    """reorder_5 comes before reorder_10."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def all_rows():
    sources = sorted(glob.glob(HERE + "/*.c") + glob.glob(HERE + "/*.cc"))
    rows = [row for source in sources for row in rows_of(source)]
    wanted = [r for r in rows if not WANTED or any(re.search(w, r.name) for w in WANTED)]
    return sorted(wanted, key=lambda r: in_order(r.name))


def published():
    """Row -> tool -> (trials that found the bug, trials, mean schedules to the bug)."""
    lines = [line.rstrip("\n").split("\t") for line in open(HERE + "/published.tsv") if not line.startswith("#")]
    table = {}
    for name, *cells in lines[1:]:
        table[name] = {}
        for tool, cell in zip(lines[0][1:], cells):
            found = re.match(r"(\d+)/(\d+)(?::([\d.]+))?", cell)
            if found:
                table[name][tool] = (int(found[1]), int(found[2]), float(found[3]) if found[3] else None)
    return lines[0][1:], table


def build(row, folder):
    path = f"{folder}/{re.sub('[^A-Za-z0-9]+', '-', row.name)}"
    if not os.path.exists(path):
        driver = "c++" if row.source.endswith(".cc") else "cc"
        subprocess.run([HEDDLE, driver, *row.flags, row.source, "-o", path], check=True)
    return path


def words_of(strategy):
    """"pos" is --explore=pos, "default" no option; further options follow after commas."""
    name, *more = strategy.split(",")
    return ([] if name == "default" else [f"--explore={name}"]) + more


def has_portfolio(strategy):
    return words_of(strategy) == []


def checked(program, options):
    """(JSON of the check, seconds until the process ended)."""
    words = [HEDDLE, "check", program, *OPTIONS, "-o", f"{program}.{'.'.join(options).replace('/', '-')}.trace", *options]
    started = time.time()
    ran = subprocess.run(words, capture_output=True, text=True, timeout=20 * float(LIMIT) + 60)
    try:
        return json.loads(ran.stdout), time.time() - started
    except json.JSONDecodeError:
        sys.exit(f"{' '.join(words)}: no answer (status {ran.returncode})\n{ran.stderr}")


def draws(strategy, row, folder):
    """Whether heddle accepts a seed with this strategy: if not, every run is the same, and one is enough."""
    words = [HEDDLE, "check", build(row, folder), *OPTIONS, *words_of(strategy), "--seed", "1", "--executions", "1", "-o", folder + "/trace"]
    return subprocess.run(words, capture_output=True).returncode != 2


def measured(row, strategy, seed, folder):
    options = ["--time", LIMIT, *row.options, *words_of(strategy), *(["--seed", str(seed)] if seed else [])]
    try:
        answer, wall = checked(build(row, folder), options)
    except subprocess.TimeoutExpired:
        return {"found": False, "kind": "no end", "schedules": None, "seconds": None, "wall": None, "preemptions": None, "same": False}
    error, team = answer["error"], answer.get("portfolio", [])
    finder = next((t for t in team if t["error"]), {})
    schedules = finder.get("search_executions", answer["executions"] + answer["blocked"]) + sum(t["executions"] for t in team)
    return {"found": bool(error) and error["kind"] in row.expected, "kind": error["kind"] if error else None,
            "schedules": schedules, "seconds": finder.get("seconds", answer["seconds"]), "wall": round(wall, 3),
            "preemptions": error.get("preemptions") if error else None, "same": has_portfolio(strategy) and not team}


def finished_runs():
    if not os.path.exists(RAW):
        return {}
    return {line["key"]: line for line in map(json.loads, open(RAW))}


def version():
    """Measurements of another heddle, or of another program, are not taken for these."""
    digest = hashlib.sha256(open(HEDDLE, "rb").read())
    for path in sorted(glob.glob(HERE + "/*.[ch]*")):
        digest.update(open(path, "rb").read())
    return digest.hexdigest()[:12]


def seeds_of(strategy, row, folder):
    if not draws(strategy, row, folder):
        return [0]
    return range(1, (SEEDS if has_portfolio(strategy) else OTHER_SEEDS) + 1)


def all_seeds(row, strategy, seeds, folder, pool, run):
    """The runs of a row. Where the search was done before other strategies began, all seeds give the same, and one is enough."""
    if not has_portfolio(strategy):
        return list(pool.map(lambda seed: run(row, strategy, seed, folder), seeds))
    runs = []
    for seed in seeds:
        runs.append(run(row, strategy, seed, folder))
        if runs[-1]["same"]:
            break
    return runs


def measure(rows, folder):
    """Row name -> strategy -> runs."""
    done, table, which = finished_runs(), collections.defaultdict(dict), version()
    seeds = {s: seeds_of(s, rows[0], folder) for s in STRATEGIES}

    def run(row, strategy, seed, folder):
        key = " ".join([which, row.name, strategy, str(seed), LIMIT, *OPTIONS])
        if key not in done:
            done[key] = {"key": key, **measured(row, strategy, seed, folder)}
            raw.write(json.dumps(done[key]) + "\n")
            raw.flush()
        return done[key]

    with open(RAW, "a") as raw, concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for row in rows:
            build(row, folder)
            for strategy in STRATEGIES:
                runs = table[row.name][strategy] = all_seeds(row, strategy, seeds[strategy], folder, pool, run)
                print(f"{row.name:<50} {strategy:<12} {cell(runs)}", flush=True)
    return table


def mean(values):
    return sum(values) / len(values)


def cell(runs):
    """Found in how many runs, mean schedules and mean seconds of these."""
    found = [r for r in runs if r["found"]]
    other = sorted({r["kind"] for r in runs if r["kind"] and not r["found"]})
    words = f"{len(found)}/{len(runs)}"
    if found:
        words += f" : {mean([r['schedules'] for r in found]):,.1f} : {mean([r['seconds'] for r in found]):.2f} s"
    return words + (f" ({', '.join(other)})" if other else "")


def published_cell(figure):
    if not figure:
        return "-"
    return f"{figure[0]}/{figure[1]}" + (f" : {figure[2]:,.1f}" if figure[2] is not None else "")


def best_published(figures):
    """Fewest mean schedules of the tools that found the bug most often."""
    most = max((f[0] for f in figures.values()), default=0)
    return min((f[2] for f in figures.values() if f[0] == most and f[2] is not None), default=None) if most else None


def results_table(table, tools, figures):
    names = [*STRATEGIES, *(f"{t} (published)" for t in tools)]
    lines = ["| row | " + " | ".join(names) + " |", "|---|" + "---|" * len(names)]
    for name, by_strategy in table.items():
        known = figures.get(name.split("+")[0], {})
        cells = [cell(by_strategy[s]) for s in STRATEGIES] + [published_cell(known.get(t)) for t in tools]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


def summary_line(name, means, always, sometimes, best):
    median = f"{statistics.median(means.values()):,.1f}" if means else "-"
    compared = [r for r in means if best.get(r) is not None]
    fewer = sum(means[r] <= best[r] for r in compared)
    return f"| {name} | {always} | {sometimes} | {median} | {fewer} of {len(compared)} |"


def summary(table, tools, figures):
    """One line for each strategy and tool, about the rows that were measured."""
    known = {name: figures.get(name.split("+")[0], {}) for name in table}
    best = {name: best_published(known[name]) for name in table}
    lines = ["| | found in every run | in some run | median of mean schedules | at most the best published tool's |", "|---|---|---|---|---|"]
    for s in STRATEGIES:
        hits = {name: [r["schedules"] for r in runs[s] if r["found"]] for name, runs in table.items()}
        always = sum(len(hits[name]) == len(table[name][s]) for name in table)
        lines.append(summary_line(s, {n: mean(h) for n, h in hits.items() if h}, always, sum(map(bool, hits.values())), best))
    for t in tools:
        mine = {name: known[name][t] for name in table if t in known[name]}
        means = {name: f[2] for name, f in mine.items() if f[2] is not None}
        lines.append(summary_line(t + " (published)", means, sum(f[0] == f[1] for f in mine.values()), sum(f[0] > 0 for f in mine.values()), best))
    return lines


def found_over_time(table, strategy):
    """Points (seconds, bugs found by then, averaged over the seeds)."""
    times = sorted((r["seconds"], 1 / len(runs[strategy])) for runs in table.values() for r in runs[strategy] if r["found"])
    points, total = [], 0
    for seconds, share in times:
        total += share
        points.append((seconds, total))
    return points


def svg(path, table):
    left, top, width, height, least = 60, 40, 480, 300, 1e-3
    decades = math.log10(float(LIMIT) / least)

    def x(seconds):
        return left + width * min(max(math.log10(max(seconds, least) / least), 0), decades) / decades

    def y(bugs):
        return top + height * (1 - bugs / len(table))

    out = ["<svg xmlns='http://www.w3.org/2000/svg' width='760' height='400' font-family='sans-serif' font-size='12'>",
           f"<rect width='760' height='400' fill='white'/><text x='{left}' y='24' font-size='15'>bugs found over time, of {len(table)}</text>",
           f"<path d='M{left} {top}V{top + height}H{left + width}' fill='none' stroke='black'/>"]
    for i in range(math.floor(decades) + 1):
        out.append(f"<text x='{x(least * 10 ** i) - 14:.0f}' y='{top + height + 18}'>{least * 10 ** i:g} s</text>")
    for i in range(5):
        out.append(f"<text x='24' y='{y(len(table) * i / 4) + 4:.0f}'>{len(table) * i / 4:.0f}</text>")
    for i, strategy in enumerate(STRATEGIES):
        color, points = COLORS[i % len(COLORS)], found_over_time(table, strategy)
        steps, last = [(left, y(0))], 0
        for seconds, bugs in points:
            steps += [(x(seconds), y(last)), (x(seconds), y(bugs))]
            last = bugs
        steps.append((left + width, y(last)))
        out.append(f"<polyline fill='none' stroke='{color}' stroke-width='2' points='{' '.join(f'{a:.1f},{b:.1f}' for a, b in steps)}'/>")
        out.append(f"<text x='{left + width + 20}' y='{60 + 20 * i}' fill='{color}'>{strategy} ({last:.1f})</text>")
    with open(path, "w") as f:
        f.write("\n".join(out) + "\n</svg>\n")


def conditions():
    cpu = re.search(r"model name\s*: (.*)", open("/proc/cpuinfo").read())
    load, processors = os.getloadavg()[0], len(os.sched_getaffinity(0))
    busy = " (others were at work on the machine, so seconds are too high)" if load > 2 * processors else ""
    return (f"{processors} processors ({cpu[1] if cpu else platform.machine()}), load {load:.1f} at the end{busy}. "
            f"At most {LIMIT} s for each run. The default has {SEEDS} seeds, or one where its search was done before other strategies began, "
            f"because then all seeds give the same. Other strategies that draw at random have {OTHER_SEEDS} seeds, the rest run once; "
            f"{JOBS} of these run at a time. Options: `{' '.join(OPTIONS)}`.")


def write_results(table):
    tools, figures = published()
    lines = ["# Bugs found: strategies beside each other and beside published tools", "",
             "Written by `make bench-bugs`; `bench/bugs.sh` says which variables choose rows, strategies, seeds and time.", "",
             f"Conditions: {conditions()}", "",
             "A cell says in how many runs the bug was found, and the mean schedules and seconds to the first bug of these runs.",
             "Schedules include those that were abandoned as redundant, and with the default those of its other strategies. If one of these",
             "found the bug, the time is that until then, not until the verdict. A word in brackets is an error of another kind than the",
             "seeded one. Published figures: RFF (ASPLOS 2024) with PCT, POS and Q-learning in its harness, and PERIOD (ICSE 2022).",
             "They are for the original programs; ours are rebuilt from their descriptions and can be easier or harder.", "",
             "## Summary", "", *summary(table, tools, figures), "", "![bugs found over time](results.svg)", "",
             "## Rows", "", *results_table(table, tools, figures), ""]
    with open(HERE + "/RESULTS.md", "w") as f:
        f.write("\n".join(lines))
    svg(HERE + "/results.svg", table)


rows = all_rows()
if not rows:
    sys.exit("no row has such a name")
with tempfile.TemporaryDirectory() as folder:
    write_results(measure(rows, folder))
