#!/usr/bin/env python3
"""The audit as the referee of the tables: checks the programs of test/programs and the examples with --audit, and fails on every access of code
that is not observed to memory of several threads, unless unannounced.txt names the program, the function and the reason. Names given as arguments
limit the run to those files. `make audit` runs it."""
import os, re, shlex, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
HEDDLE = os.environ.get("HEDDLE", ROOT + "/build/heddle")
TEMP = tempfile.TemporaryDirectory(prefix="heddle-audit-")


def known():
    """Pairs of a program and a function; what follows them on the line is the reason."""
    lines = [line.split(None, 2) for line in open(HERE + "/unannounced.txt") if line.strip() and line[0] != "#"]
    assert all(len(words) == 3 for words in lines), "a reason is missing"
    return {(program, function) for program, function, reason in lines}


def run(*words, **more):
    return subprocess.run(words, cwd=TEMP.name, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=600, **more)


def words_of(text, kind):
    return shlex.split(os.path.expandvars(" ".join(re.findall(rf"{kind}: (.*)", text))))


def compile(path, text):
    link = words_of(text, "link")
    for package in re.findall(r"package: (.*)", text):
        link += run("pkg-config", "--cflags", "--libs", package).stdout.split()
    driver = "c++" if path.endswith(".cc") else "cc"
    program = os.path.join(TEMP.name, os.path.basename(path).replace(".", "-"))
    done = run(HEDDLE, driver, *(words_of(text, "flags") or ["-O1"]), path, "-o", program, *link)
    return program if not done.returncode else None


def check(path, excused):
    name, text = os.path.basename(path), open(path, errors="replace").read()
    program = compile(path, text)
    if not program:
        print(f"skip {name}: does not compile by itself")
        return
    environment = dict(os.environ, **dict(word.split("=", 1) for word in words_of(text, "environment")))
    out = run(HEDDLE, "check", program, "-q", "--audit", "--time", "10", env=environment).stdout
    last = (out.strip().split("\n") or [""])[-1]
    found = re.findall(r"not fully observed: (\S+) (.*?)(?=, not |, which|$)", last)
    new = [f"{function} {rest}" for function, rest in found if (name, function) not in excused]
    odd = "internal error" in last or "does not repeat itself" in last and "does not repeat" not in text
    print(f"FAIL {name}: {last}" if new or odd else f"ok {name}", flush=True)


def sources(names):
    folders = [ROOT + "/test/programs", ROOT + "/examples", ROOT + "/examples/c"]
    paths = [os.path.join(f, n) for f in folders for n in sorted(os.listdir(f)) if n.endswith((".c", ".cc"))]
    return [p for p in paths if not names or os.path.basename(p) in names]


for path in sources(sys.argv[1:]):
    check(path, known())
print("done")
