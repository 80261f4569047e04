"""The tables and figures of the papers on CB-POR and BPOR with real programs; run by bench/native_tables.sh."""
import json, math, os, re, subprocess, sys

HEDDLE, FOLDER, OUT = os.environ["HEDDLE"], os.environ["dir"], os.environ["out"]
LIMIT = os.environ["SECONDS_PER_CELL"]


def build(source, *flags):
    """Returns the path of the program."""
    path = f"{FOLDER}/{re.sub('[^a-z0-9]+', '-', source + ''.join(flags))}"
    driver = "c++" if source.endswith(".cc") else "cc"
    subprocess.run([HEDDLE, driver, "-O1", *flags, source, "-o", path], check=True)
    return path


def check(program, *options):
    words = [HEDDLE, "check", program, "--json", "--time", LIMIT, "-o", FOLDER + "/trace", *options]
    return json.loads(subprocess.run(words, capture_output=True, text=True, cwd=FOLDER).stdout)


def per_bound(r):
    """Executions of each bound that was completed; the result counts them together."""
    total, found = 0, {}
    for level in r["bounds"]:
        if r["bound"] is not None and level["bound"] <= r["bound"]:
            found[level["bound"]] = level["executions"] - total
        total = level["executions"]
    return found


def work_stealing_table():
    sizes, bounds = (3, 4, 5), range(5)
    print(f"work-stealing queue: executions per bound on preemptions (at most {LIMIT} s each)")
    print("bound " + "".join(f"  size {s}: {'cb-dfs':>10} {'cb-por':>10}" for s in sizes))
    cells = {}
    for size in sizes:
        program = build("bench/native/work-stealing.c", f"-DSIZE={size}")
        reduced = per_bound(check(program, "--explore=cb-por", "-b", str(bounds[-1])))
        for bound in bounds:
            plain = check(program, "--explore=dfs", "-b", str(bound))
            done = plain["verdict"] in ("bounded", "verified")
            cells[size, bound] = (plain["executions"] if done else None, reduced.get(bound))
    for bound in bounds:
        shown = [tuple(f"{n:,}" if n is not None else "-" for n in cells[s, bound]) for s in sizes]
        print(f"{bound:<6}" + "".join(f"          {a:>10} {b:>10}" for a, b in shown))
        for plain, reduced in (cells[s, bound] for s in sizes):
            assert plain is None or reduced is None or reduced <= plain, "a reduction that runs more"


BUGS = ["aba-stack.c", "bounded-buffer.c", "dining-philosophers.cc", "double-checked-locking.cc", "lock-order.c",
        "lost-update-atomic.c", "lost-update.c", "lost-wakeup.c", "reader-writer.c", "ticket-lock.c", "work-stealing.c"]
SEARCHES = [("dpor", ["--explore=dpor"]), ("bounded", ["--explore=icb"]),
            ("bpor, preemptions", ["--explore=bpor", "--fair-bound=-1"]), ("bpor, fair", ["--explore=fair"]),
            ("bpor, both", ["--explore=bpor"])]


def known_bug(source):
    return re.search(r"expect: (\w+)", open(source).read()).group(1)


def bug_table():
    print(f"schedules and milliseconds until the known bug is found (at most {LIMIT} s each)")
    print(f"{'':<26}" + "".join(f"{name:>20}" for name, _ in SEARCHES))
    for name in BUGS:
        source = f"examples/c/{name}"
        program, row = build(source), []
        for _, options in SEARCHES:
            r = check(program, *options)
            found = r["error"]["kind"] if r["error"] else None
            assert found in (None, known_bug(source)), f"{name}: found {found} instead of {known_bug(source)}"
            row.append(f"{r['executions']:,} {r['seconds'] * 1000:,.1f}" if found else "-")
        print(f"{name:<26}" + "".join(f"{cell:>20}" for cell in row), flush=True)


def coverage_by_bound(program, *options):
    """(seconds, local states) after each bound that was completed."""
    r = check(program, "--local-states", "-b", "5", *options)
    done = -1 if r["bound"] is None else r["bound"]
    return [(level["seconds"], level["states"]) for level in r["bounds"] if level["bound"] <= done]


def coverage_by_number(program, *options):
    """(seconds, local states) after 1, 10, 100, ... executions, until there are no more or time is up."""
    points, most = [], 1
    while True:
        r = check(program, "--local-states", f"--executions={most}", *options)
        points.append((r["seconds"], r["states"]))
        if r["executions"] + r["blocked"] < most or r["seconds"] >= float(LIMIT):
            return points
        most *= 10


COLORS = {"bounded": "#c33", "dpor": "#393", "bpor": "#36c"}


def svg(path, title, curves, most):
    left, top, width, height, decades = 70, 40, 420, 260, 5

    def x(share):
        return left + width * share

    def y(seconds):
        return top + height * (1 - min(max(math.log10(max(seconds, 1e-4)) + 4, 0), decades) / decades)

    out = [f"<svg xmlns='http://www.w3.org/2000/svg' width='640' height='360' font-family='sans-serif' font-size='12'>",
           f"<rect width='640' height='360' fill='white'/><text x='{left}' y='24' font-size='15'>{title}</text>",
           f"<path d='M{left} {top}V{top + height}H{left + width}' fill='none' stroke='black'/>"]
    for i in range(decades + 1):
        out.append(f"<text x='8' y='{top + height - height * i / decades + 4:.0f}'>{10.0 ** (i - 4):g} s</text>")
    for i in range(5):
        out.append(f"<text x='{x(i / 4) - 10:.0f}' y='{top + height + 18}'>{25 * i}%</text>")
    out.append(f"<text x='{left + 100}' y='{top + height + 40}'>share of the {most:,} local states reached</text>")
    for row, (name, points) in enumerate(curves):
        line = " ".join(f"{x(states / most):.1f},{y(seconds):.1f}" for seconds, states in points)
        out.append(f"<polyline fill='none' stroke='{COLORS[name]}' stroke-width='2' points='{line}'/>")
        out += [f"<circle cx='{x(states / most):.1f}' cy='{y(seconds):.1f}' r='3' fill='{COLORS[name]}'/>" for seconds, states in points]
        out.append(f"<text x='510' y='{60 + 20 * row}' fill='{COLORS[name]}'>{name}</text>")
    with open(path, "w") as f:
        f.write("\n".join(out) + "\n</svg>\n")


def plots():
    programs = [("work-stealing queue, three items", ["bench/native/work-stealing.c", "-DSIZE=3"], True),
                ("bounded buffer", ["examples/c/bounded-buffer-fixed.c"], True),
                ("eight threads on one lock", ["bench/native/sections.c", "-DN=8"], True),
                ("cyclic: a token and an observer", ["bench/native/cyclic.c"], False)]
    print(f"local states reached (at most {LIMIT} s each); one point per bound, for DPOR per power of ten of executions")
    for title, source, acyclic in programs:
        program = build(*source)
        curves = [("bounded", coverage_by_bound(program, "--explore=icb")), ("bpor", coverage_by_bound(program, "--explore=bpor"))]
        # DPOR is for executions that end; with cycles the fair bound has to see to that
        curves.append(("dpor", coverage_by_number(program, "--explore=dpor" if acyclic else "--explore=fair")))
        for a, b in zip(curves[0][1], curves[1][1]):
            assert a[1] == b[1], "within a bound both searches reach the same local states"
        most = max(states for _, points in curves for _, states in points)
        path = f"{OUT}/native-{re.sub('[^a-z0-9]+', '-', title)}.svg"
        svg(path, title, curves, most)
        print(f"{title} ({os.path.relpath(path)})")
        for name, points in curves:
            print(f"  {name:<8}" + "".join(f"  {states:,} in {seconds:.4f} s" for seconds, states in points), flush=True)


work_stealing_table()
bug_table()
plots()
