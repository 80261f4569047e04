"""What the papers' experiments have in common: running tools, tables, figures, and checks of what came out.

A section is a function of a Report. It prints Markdown; whatever must not change (order, growth, what a peer has, too) is a
check(), which prints nothing if it holds and is listed at the end if it does not. The cells of a row are row(): they are
compared with rows.tsv, which a whole run with ACCEPT=1 writes. A cell that is missing is a failure unless missing.tsv says why."""
import fnmatch, glob, gzip, json, math, os, re, resource, shutil, signal, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
HEDDLE = os.environ.get("HEDDLE", os.path.join(ROOT, "build", "heddle"))
FULL = bool(os.environ.get("FULL"))
ACCEPT = bool(os.environ.get("ACCEPT"))
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
    words = [str(a) for a in arguments]
    words += ["--probe=off"] if any(w.endswith(".pml") for w in words) else []  # the papers measure one search
    status, text, spent = run([HEDDLE, "check", "--json", *words], cwd, seconds)
    return {} if (status is None and not partial) or not text.startswith("{") else {**json.loads(text), "cpu": spent}


def number(value):
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.2f}" if value < 100 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def printed(values):
    """The paper's numbers with the digits that it has."""
    return [f"{v:,}" if isinstance(v, (int, float)) else v for v in values]


ROWS, MISSING = os.path.join(HERE, "rows.tsv"), os.path.join(HERE, "missing.tsv")


NOT_ASKED = "·"  # a cell that this run did not ask for


def fields(path):
    with open(path) as f:
        return [line.rstrip("\n").split("\t") for line in f if line.strip() and not line.startswith("#")]


def write_rows(rows):
    with open(ROWS, "w") as f:
        f.writelines("\t".join([name, *cells]) + "\n" for name, cells in rows.items())


class Missing:
    """The rows of missing.tsv: which rows (a pattern), which of their cells (numbers from 1, or "all"), whether nothing is there
    to be had ("none": then there must be none) or it is a matter of time ("limit"), and the reason."""

    def __init__(self):
        self.entries, self.missed = [tuple(f) for f in fields(MISSING)], {}

    def reason(self, row, cell):
        """(kind, why) of a cell that may be missing, or (None, None)."""
        for pattern, cells, kind, why in self.entries:
            if fnmatch.fnmatchcase(row, pattern) and (cells == "all" or str(cell) in cells.split(",")):
                return kind, why
        return None, None

    def note(self, row, cell):
        """It is missing in this run."""
        self.missed.setdefault(self.reason(row, cell)[1], {}).setdefault(row, []).append(cell)

    def why(self):
        """What was missing: [(why, rows with cells)]."""
        return [(why, "; ".join(f"{row} ({', '.join(map(str, cells))})" for row, cells in rows.items())) for why, rows in self.missed.items()]


def is_alike(cell, known, exact):
    """Exact, or of the same order of magnitude. Whether a cell may be missing is not asked here."""
    if NOT_ASKED == cell or "–" in (cell, known) or cell == known:
        return True
    if exact or not (cell.isdigit() and known.isdigit()):
        return False
    return max(int(cell), int(known)) <= 4 * min(int(cell), int(known))


class Report:
    def __init__(self, whole=True):
        self.failed, self.passed, self.whole = [], 0, whole
        self.work = tempfile.mkdtemp(prefix="heddle-papers-")
        self.rows, self.missing = {}, Missing()
        self.known = {} if whole and (ACCEPT or FULL) else {f[0]: f[1:] for f in fields(ROWS)}

    def row(self, name, cells, exact=True):
        """Counts that mean something: exact ones (states that there are, graphs, schedules), or those of a reduction or an order.
        All cells that were asked for, None where there is none; a quick run asks for the first ones of a row only."""
        cells = ["–" if c is None else str(c) for c in cells]
        self.rows[name] = cells
        for i, c in enumerate(cells, 1):
            self.check_missing(name, i, c)
        if self.known:
            known = self.known.get(name, [])
            alike = len(cells) <= len(known) if not self.whole else len(cells) == len(known)
            alike = alike and all(is_alike(c, k, exact) for c, k in zip(cells, known))
            self.check(f"row {name}", alike, f"{' '.join(cells)} instead of {' '.join(known) or 'nothing'}")

    def check_missing(self, name, i, cell):
        kind, why = self.missing.reason(name, i) if not FULL else ("limit", "")
        if cell == "–":
            self.missing.note(name, i)
            self.check(f"row {name}, cell {i}", kind is not None, "is missing, and missing.tsv has no reason")
        elif kind == "none" and cell != NOT_ASKED:
            self.check(f"row {name}, cell {i}", False, f"is {cell}, but there should be none: {why}")

    def same_rows(self):
        """Of a whole run: no row has gone, but for those of sizes that only the quick test has."""
        gone = [name for name in self.known if name not in self.rows and "(quick)" not in name]
        self.check("every row is still there", not gone, f"{gone}")

    def write_rows(self, is_all):
        write_rows({**{f[0]: f[1:] for f in fields(ROWS) if not is_all or "(quick)" in f[0]}, **self.rows})

    def write_quick_rows(self):
        write_rows({**{f[0]: f[1:] for f in fields(ROWS)}, **{name: cells for name, cells in self.rows.items() if "(quick)" in name}})

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

    def figure(self, name, title, x_title, y_title, lines, log_x=True, joined=True):
        """lines: label -> [(x, y)]. Writes NAME.tsv and NAME.svg; both axes in powers of ten (x only if log_x)."""
        if not self.whole:
            return
        with open(os.path.join(HERE, name + ".tsv"), "w") as f:
            f.write(f"series\t{x_title}\t{y_title}\n")
            f.writelines(f"{label}\t{x}\t{y}\n" for label, points in lines.items() for x, y in points)
        with open(os.path.join(HERE, name + ".svg"), "w") as f:
            f.write(svg(title, x_title, y_title, lines, log_x, joined))
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
        copied = os.path.join(folder, os.path.basename(source))
        if copied.endswith(".pml"):
            drop_exclusive(copied)
        return copied

    def close(self):
        shutil.rmtree(self.work, ignore_errors=True)


def drop_exclusive(model):
    """The papers' searches have no reduction, so that Spin does not look at xr and xs; a violated one ends a run of Heddle's."""
    text = open(model).read()
    open(model, "w").write(re.sub(r"^\s*x[rs] \w+;", "", text, flags=re.M))


class Plot:
    """Points on axes in powers of ten (x only if log_x). What a series is of decides its colour, who made it how it is drawn:
    the paper's own numbers are open squares."""
    width, height, left, top, right, bottom = 760, 400, 80, 40, 230, 50

    def __init__(self, lines, log_x, joined):
        points = [p for ps in lines.values() for p in ps]
        self.lines, self.log_x, self.joined = lines, log_x, joined
        self.shift = 1 if log_x and any(x <= 0 for x, _ in points) else 0  # a bound of 0 has a place, too
        self.ticks = sorted({x for x, _ in points}) if joined else [10.0 ** d for d in range(-2, 6)]
        xs, ys = [self.scale_x(x) for x, _ in points], [self.scale_y(y) for _, y in points]
        self.x0, self.x1, self.y0, self.y1 = min(xs), max(xs), math.floor(min(ys)), math.ceil(max(ys))
        groups = list(dict.fromkeys(map(self.group, lines)))
        self.colors = {g: COLORS[i % len(COLORS)] for i, g in enumerate(groups)}
        self.again = set(groups[len(COLORS):])  # the same colours a second time

    def scale_x(self, x):
        return math.log10(x + self.shift) if self.log_x else float(x)

    def scale_y(self, y):
        return math.log10(max(y, 1e-3))

    def group(self, label):
        return ", ".join(part for part in label.split(", ") if part not in WHO)

    def at_x(self, x):
        return self.left + (self.width - self.left - self.right) * (self.scale_x(x) - self.x0) / (self.x1 - self.x0 or 1)

    def at_y(self, y):
        return self.top + (self.height - self.top - self.bottom) * (1 - (self.scale_y(y) - self.y0) / (self.y1 - self.y0 or 1))

    def axes(self, x_title, y_title):
        out, right = [], self.width - self.right
        for d in range(self.y0, self.y1 + 1):
            y = self.at_y(10.0 ** d)
            out += [f'<line x1="{self.left}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#dddddd"/>',
                    f'<text x="{self.left - 6}" y="{y + 4:.1f}" text-anchor="end">{10.0 ** d:g}</text>']
        ticks = [x for x in self.ticks if self.x0 <= self.scale_x(x) <= self.x1]
        ticks = ticks[::max(1, len(ticks) // 16)]  # not more labels than there is room for
        out += [f'<text x="{self.at_x(x):.1f}" y="{self.height - 30}" text-anchor="middle">{x:g}</text>' for x in ticks]
        middle = self.height / 2
        return out + [f'<text x="{(right + self.left) / 2:.0f}" y="{self.height - 10}" text-anchor="middle">{x_title}</text>',
                      f'<text x="14" y="{middle:.0f}" transform="rotate(-90 14 {middle:.0f})" text-anchor="middle">{y_title}</text>']

    def mark(self, x, y, color, is_paper):
        x, y = self.at_x(x), self.at_y(y)
        if is_paper:
            return f'<rect x="{x - 3.5:.1f}" y="{y - 3.5:.1f}" width="7" height="7" fill="none" stroke="{color}"/>'
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{color}"/>'

    def series(self, i, label, points):
        color, who = self.colors[self.group(label)], set(label.split(", ")) & set(WHO)
        dash = WHO[who.pop()] if who else "5 3" if self.group(label) in self.again else ""
        path = " ".join(f"{self.at_x(x):.1f},{self.at_y(y):.1f}" for x, y in points)
        style = f' stroke-dasharray="{dash}"' if dash else ""
        line = f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"{style}/>'
        marks = [self.mark(x, y, color, "paper" in label.split(", ")) for x, y in points]
        legend = f'<text x="{self.width - self.right + 10}" y="{self.top + 16 * i:.0f}" fill="{color}">{label}</text>'
        return [line] * self.joined + [*marks, legend]


WHO = {"paper": "1 4", "Spin": "6 3", "ordered": "", "heddle": ""}  # how their lines are dashed


def svg(title, x_title, y_title, lines, log_x, joined):
    plot = Plot(lines, log_x, joined)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {plot.width} {plot.height}" font-family="sans-serif" font-size="12">',
           f'<rect width="{plot.width}" height="{plot.height}" fill="white"/>', f'<text x="{plot.left}" y="20" font-size="14">{title}</text>']
    out += plot.axes(x_title, y_title)
    for i, (label, points) in enumerate(lines.items()):
        out += plot.series(i, label, points)
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

    def trail(self):
        """(switches, steps) of the trail that was just written, counted as those of Heddle are; (None, None) if there is none."""
        trails = glob.glob(self.folder + "/*.trail")
        if not trails:
            return None, None
        trace = os.path.join(self.folder, "spin.trace")
        run([HEDDLE, "replay", trails[0], self.model, *self.defines, "-q", "-o", trace], self.folder)
        return trace_shape(trace)


def trace_shape(path):
    if not os.path.exists(path):
        return None, None
    with open(path) as f:
        steps = json.load(f)["steps"]
    os.remove(path)
    return sum(b["thread"] != a.get("last", a["thread"]) for a, b in zip(steps, steps[1:])), len(steps)
