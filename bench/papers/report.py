"""What the papers' experiments have in common: running tools, tables, figures, and checks of what came out.

A section is a function of a Report. It prints Markdown; whatever must not change (order, growth, what a peer has, too) is a
check(), which prints nothing if it holds and is listed at the end if it does not. The cells of a row are row(): a whole run
writes them to rows.tsv, a quick one compares what it runs of them with that."""
import glob, gzip, json, math, os, re, resource, shutil, signal, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
HEDDLE = os.environ.get("HEDDLE", os.path.join(ROOT, "build", "heddle"))
FULL = bool(os.environ.get("FULL"))
SPIN_EXAMPLES = "/usr/share/doc/spin/examples/Examples/"
COLORS = ("#1b6ca8", "#c8553d", "#588157", "#8a5a9e", "#b5892f", "#444444", "#2a9d8f", "#d17ba0")


def processor_seconds(pid):
    """Of a process with all that it started; what has ended and was not waited for is missing."""
    try:
        with open(f"/proc/{pid}/stat") as f:
            ticks = sum(map(int, f.read().rpartition(")")[2].split()[11:15]))
        with open(f"/proc/{pid}/task/{pid}/children") as f:
            children = f.read().split()
    except OSError:
        return 0
    return ticks / os.sysconf("SC_CLK_TCK") + sum(map(processor_seconds, children))


def run(command, cwd=None, seconds=None):
    """(exit status or None if it was ended, standard output, processor seconds). It is interrupted after so many seconds of
    processor time, so that a busy machine changes nothing."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = False
    with tempfile.TemporaryFile() as out:
        p = subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.DEVNULL)
        while p.poll() is None:
            try:
                p.wait(0.2)
            except subprocess.TimeoutExpired:
                if seconds and not ended and processor_seconds(p.pid) > seconds:
                    ended = True
                    p.send_signal(signal.SIGINT)
        out.seek(0)
        text = out.read().decode("latin-1")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (p.returncode if p.returncode >= 0 and not ended else None), text, spent


def heddle(*arguments, cwd=None, seconds=None, partial=False):
    """The JSON of a check with "cpu", or {} if it was ended; partial: what it had found out by then."""
    status, text, spent = run([HEDDLE, "check", "--json", *map(str, arguments)], cwd, seconds)
    return {} if (status is None and not partial) or not text.startswith("{") else {**json.loads(text), "cpu": spent}


def number(value):
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.2f}" if value < 100 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


ROWS = os.path.join(HERE, "rows.tsv")


def known_rows():
    with open(ROWS) as f:
        return {fields[0]: fields[1:] for fields in (line.rstrip("\n").split("\t") for line in f)}


def is_alike(cell, known, exact):
    """Exact, or of the same order of magnitude; what one of them has not cannot be compared."""
    if "–" in (cell, known):
        return True
    return cell == known or not exact and max(int(cell), int(known)) <= 4 * min(int(cell), int(known))


class Report:
    def __init__(self, whole=True):
        self.failed, self.passed, self.whole, self.work = [], 0, whole, tempfile.mkdtemp(prefix="heddle-papers-")
        self.rows, self.known = {}, {} if whole else known_rows()

    def row(self, name, cells, exact=True):
        """Counts that mean something: exact ones (states that there are, graphs, schedules), or those of a reduction or an order."""
        cells = ["–" if c is None else str(c) for c in cells]
        self.rows[name] = cells
        if self.known:
            known = self.known.get(name, [])
            alike = len(cells) <= len(known) and all(is_alike(c, k, exact) for c, k in zip(cells, known))
            self.check(f"row {name}", alike, f"{' '.join(cells)} instead of {' '.join(known) or 'nothing'}")

    def write_rows(self):
        rows = {**known_rows(), **self.rows}  # some are of sizes that only the quick test has
        with open(ROWS, "w") as f:
            f.writelines("\t".join([name, *cells]) + "\n" for name, cells in rows.items())

    def text(self, *lines):
        print("\n".join(lines) + "\n", flush=True)

    def table(self, head, rows):
        print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
        for row in rows:
            print("| " + " | ".join(number(c) for c in row) + " |")
        print(flush=True)

    def check(self, name, holds, detail=""):
        self.passed += bool(holds)
        if not holds:
            self.failed.append(f"{name}: {detail}")
            print(f"**does not hold:** {name}: {detail}\n", flush=True)

    def figure(self, name, title, x_title, y_title, lines, log_x=True):
        """lines: label -> [(x, y)]. Writes NAME.tsv and NAME.svg; both axes in powers of ten (x only if log_x)."""
        if not self.whole:
            return
        with open(os.path.join(HERE, name + ".tsv"), "w") as f:
            f.write(f"series\t{x_title}\t{y_title}\n")
            f.writelines(f"{label}\t{x}\t{y}\n" for label, points in lines.items() for x, y in points)
        with open(os.path.join(HERE, name + ".svg"), "w") as f:
            f.write(svg(title, x_title, y_title, lines, log_x))
        print(f"Data: bench/papers/{name}.tsv, picture: bench/papers/{name}.svg\n", flush=True)

    def copy(self, source, name):
        """A model with all that lies beside it, in a directory of its own; the path of the copy."""
        folder = tempfile.mkdtemp(prefix=name + "-", dir=self.work)
        for file in glob.glob(os.path.dirname(source) + "/*"):
            if file.endswith(".gz"):
                with open(os.path.join(folder, os.path.basename(file)[:-3]), "wb") as f:
                    f.write(gzip.open(file).read())
            elif os.path.isfile(file):
                shutil.copy(file, folder)
        return os.path.join(folder, os.path.basename(source))

    def close(self):
        shutil.rmtree(self.work, ignore_errors=True)


def svg(title, x_title, y_title, lines, log_x):
    width, height, left, top, right, bottom = 720, 400, 80, 40, 190, 50
    points = [p for ps in lines.values() for p in ps]
    shift = 1 if log_x and any(x <= 0 for x, _ in points) else 0  # a bound of 0 has a place, too
    scale_x = (lambda x: math.log10(x + shift)) if log_x else float
    scale_y = lambda y: math.log10(max(y, 1e-3))
    xs, ys = [scale_x(x) for x, _ in points], [scale_y(y) for _, y in points]
    x0, x1, y0, y1 = min(xs), max(xs), math.floor(min(ys)), math.ceil(max(ys))
    at_x = lambda x: left + (width - left - right) * (scale_x(x) - x0) / (x1 - x0 or 1)
    at_y = lambda y: top + (height - top - bottom) * (1 - (scale_y(y) - y0) / (y1 - y0 or 1))
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
           f'<rect width="{width}" height="{height}" fill="white"/>', f'<text x="{left}" y="20" font-size="14">{title}</text>']
    for d in range(y0, y1 + 1):
        y = at_y(10.0 ** d)
        out += [f'<line x1="{left}" y1="{y:.1f}" x2="{width - right}" y2="{y:.1f}" stroke="#dddddd"/>',
                f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{10.0 ** d:g}</text>']
    for x in sorted({x for x, _ in points}):
        out.append(f'<text x="{at_x(x):.1f}" y="{height - 30}" text-anchor="middle">{x:g}</text>')
    out += [f'<text x="{(width - right + left) / 2:.0f}" y="{height - 10}" text-anchor="middle">{x_title}</text>',
            f'<text x="14" y="{height / 2:.0f}" transform="rotate(-90 14 {height / 2:.0f})" text-anchor="middle">{y_title}</text>']
    for i, (label, ps) in enumerate(lines.items()):
        color, path = COLORS[i % len(COLORS)], " ".join(f"{at_x(x):.1f},{at_y(y):.1f}" for x, y in ps)
        dash = ' stroke-dasharray="5 3"' if i >= len(COLORS) else ""
        out.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"{dash}/>')
        out += [f'<circle cx="{at_x(x):.1f}" cy="{at_y(y):.1f}" r="2.5" fill="{color}"/>' for x, y in ps]
        out.append(f'<text x="{width - right + 10}" y="{top + 16 * i:.0f}" fill="{color}">{label}</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


class Pan:
    """A verifier that Spin makes of a model, in the model's directory."""
    optimise = "-O2"

    def __init__(self, model, *flags, spin=()):
        self.folder, self.model, self.name = os.path.dirname(model), os.path.basename(model), f"pan{abs(hash((flags, spin)))}"
        self.defines = [option for option in spin if option.startswith("-D")]
        run(["spin", *spin, "-a", self.model], self.folder)
        status, _, _ = run(["gcc", "-w", Pan.optimise, "-DVECTORSZ=4096", "-DMEMLIM=6000", *flags, "-o", self.name, "pan.c"], self.folder)
        self.built = status == 0

    def run(self, *options, seconds=None):
        """states, transitions, depth, errors, cpu; {} if it was ended or ran out of something."""
        for old in glob.glob(self.folder + "/*.trail"):
            os.remove(old)
        status, text, spent = run(["./" + self.name, *options], self.folder, seconds)
        found = {key: re.search(pattern, text) for key, pattern in (
            ("states", r"([\d.e+]+) states, stored"), ("transitions", r"([\d.e+]+) transitions"), ("depth", r"depth reached (\d+)"),
            ("errors", r"errors: (\d+)"))}
        if status is None or not all(found.values()) or "too small" in text or "out of memory" in text:
            return {}
        return {**{k: int(float(v.group(1))) for k, v in found.items()}, "cpu": spent}

    def switches(self):
        """In the trail that was just written, counted as those of Heddle are; None if there is none."""
        trails = glob.glob(self.folder + "/*.trail")
        if not trails:
            return None
        trace = os.path.join(self.folder, "spin.trace")
        run([HEDDLE, "replay", trails[0], self.model, *self.defines, "-q", "-o", trace], self.folder)
        return trace_switches(trace)


def trace_switches(path):
    if not os.path.exists(path):
        return None
    with open(path) as f:
        steps = json.load(f)["steps"]
    os.remove(path)
    return sum(b["thread"] != a.get("last", a["thread"]) for a, b in zip(steps, steps[1:]))
