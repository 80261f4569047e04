"""Time and memory of heddle check against pan on models with ltl properties and never claims, in one run.
usage: liveness.py HEDDLE DIRECTORY [MODEL:PROPERTY ...]   (default: all models of the directory that have any)

Both as they come (reduced where they reduce; pan's reduction is unsound), then both without reduction. Seconds are
those of the search, the least of three runs taken in turns; what it takes to get there is in the column "before": spin and
gcc -O2, or all that heddle does. A violation is found wherever the search happens to look first, so its times are
shown but not compared. LIMIT=seconds for one run (default 60)."""
import json, os, re, subprocess, sys, tempfile, time

LIMIT = int(os.environ.get("LIMIT", 60))
ROW = "%-26s %-8s %11s %8s %7s %11s %8s %7s %6s %7s %7s"


def run(command, **more):
    """Output and seconds; None after the limit."""
    start = time.monotonic()
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=LIMIT, **more)
    except subprocess.TimeoutExpired:
        return None, LIMIT
    return done.stdout, time.monotonic() - start


def build_pan(flags):
    start = time.monotonic()
    ok = subprocess.call("spin -a m.pml && gcc -O2 %s -DMEMLIM=4000 -o pan pan.c" % flags, shell=True,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) == 0
    return ok, time.monotonic() - start


def run_pan(prop):
    name = [] if prop == "never_0" else ["-N", prop]
    out, _ = run(["./pan", "-a", "-m2000000"] + name)
    if out is None or "errors:" not in out:
        return None
    number = lambda pattern: float(re.search(pattern, out).group(1).replace("e+", "e"))
    return {"states": int(number(r"([0-9.e+]+) states, stored")), "seconds": number(r"elapsed time ([0-9.]+)"),
            "mb": number(r"([0-9.]+)\ttotal actual memory"), "error": "errors: 0" not in out}


def run_heddle(heddle, prop, options):
    choose = ["--claim", prop] if prop == "never_0" else ["--ltl", prop]
    out, total = run([heddle, "check", "m.pml", "-o", "trace", "--json"] + choose + options)
    if not out:
        return None
    d = json.loads(out)
    return {"states": d["states"], "seconds": d["seconds"], "mb": d["memory_bytes"] / 2**20, "error": d["verdict"] == "error",
            "before": total - d["seconds"]}


def best(a, b):
    return b if a is None or b is not None and b["seconds"] < a["seconds"] else a


def compare(heddle, name, prop, search, flags, options):
    ok, before = build_pan(flags)
    if not ok:
        return
    pan = mine = None
    for _ in range(3):
        pan, mine = best(pan, run_pan(prop)), best(mine, run_heddle(heddle, prop, options))
        if not pan or not mine or max(pan["seconds"], mine["seconds"]) > 5:
            break
    cell = lambda r, key, form: form % r[key] if r else "-"
    both = pan and mine and not pan["error"] and not mine["error"]
    ratio = "%.1f" % (pan["seconds"] / mine["seconds"]) if both and pan["seconds"] >= 0.05 else ""
    memory = "%.1f" % (pan["mb"] / mine["mb"]) if both else ""
    print(ROW % (name, search, cell(pan, "states", "%d"), cell(pan, "seconds", "%.2f"), cell(pan, "mb", "%.0f"),
                 cell(mine, "states", "%d"), cell(mine, "seconds", "%.2f"), cell(mine, "mb", "%.0f"), ratio or ("error" if pan and pan["error"] else ""),
                 memory, "%.1f/%.1f" % (before, mine["before"] if mine else 0)), flush=True)


def properties(text):
    names = re.findall(r"^\s*ltl\s*([A-Za-z_]\w*)?\s*\{", text, re.M)
    numbered = iter("ltl_%d" % i for i in range(len(names)))
    found = [n or next(numbered) for n in names]
    return found or (["never_0"] if re.search(r"^\s*never\b", text, re.M) else [])


def cases(directory):
    for where, _, files in sorted(os.walk(directory)):
        for f in sorted(files):
            path = os.path.join(where, f)
            if f.endswith((".pml", ".prom", ".pm")):
                for p in properties(open(path, errors="replace").read()):
                    yield path, p


def main():
    heddle, directory = os.path.realpath(sys.argv[1]), sys.argv[2]
    chosen = [(os.path.join(directory, c.rpartition(":")[0]), c.rpartition(":")[2]) for c in sys.argv[3:]] or list(cases(directory))
    print(ROW % ("", "", "pan", "", "", "heddle", "", "", "ratio", "ratio", ""))
    print(ROW % ("property", "search", "states", "seconds", "MB", "states", "seconds", "MB", "time", "memory", "before"))
    with tempfile.TemporaryDirectory() as work:
        for path, prop in chosen:
            subprocess.call(["cp", path, os.path.join(work, "m.pml")])
            os.chdir(work)
            name = "%s:%s" % (os.path.splitext(os.path.basename(path))[0], prop)
            compare(heddle, name, prop, "default", "", [])
            compare(heddle, name, prop, "full", "-DNOREDUCE", ["--no-por"])


main()
