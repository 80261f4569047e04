"""Random small models with random properties: every way of checking them must give the same verdict.

usage: random.py HEDDLE COUNT SEED [spin]   With "spin", pan -DNOREDUCE judges too, with and without fairness.
Prints "ok"/"FAIL" lines and failing models; with KEEP=DIRECTORY in the environment they are kept there."""
import random, subprocess, sys, tempfile, os

heddle, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with_spin = "spin" in sys.argv[4:]
rnd = random.Random(seed)


def value():
    return rnd.choice(["0", "1", "2", "g", "h", "x", "(x + 1) % 3", "(g + h) % 3"])


def guard():
    return "%s %s %s" % (rnd.choice(["g", "h", "x", "x"]), rnd.choice(["==", "!=", "<"]), rnd.choice(["0", "1", "2", "x", "g"]))


def statement(depth):
    kind = rnd.random()
    if kind < 0.25: return "x = %s" % value()
    if kind < 0.45: return "%s = %s" % (rnd.choice("gh"), value())
    if kind < 0.55: return "(%s)" % guard()
    if kind < 0.63: return "c ! %s" % rnd.choice("012x")
    if kind < 0.71: return "c ? %s" % rnd.choice(["x", "g"])
    if kind < 0.76: return "r ! %s" % rnd.choice("012")
    if kind < 0.81: return "r ? %s" % rnd.choice("xg")
    if depth == 0: return "skip"
    if kind < 0.88: return "atomic { %s; %s }" % (statement(0), statement(0))
    return "if :: %s -> %s :: %s -> %s fi" % (guard(), statement(depth - 1), rnd.choice([guard(), "else"]), statement(depth - 1))


def process(n):
    body = [statement(1) for _ in range(rnd.randint(1, 3))]
    loop = [statement(1) for _ in range(rnd.randint(1, 3))]
    if rnd.random() < 0.5: loop.append("here: skip")
    labelled = "; ".join(body)
    text = "active proctype p%d() { byte x = %d; %s" % (n, rnd.randint(0, 1), labelled)
    if rnd.random() < 0.75: text += "; do :: %s" % "; ".join(loop) + (" :: %s -> break" % guard() if rnd.random() < 0.3 else "") + " od"
    else: text += "; here: skip"
    return text + " }", "here:" in text


def formula(depth, props):
    if depth == 0: return rnd.choice(props)
    a, b = formula(depth - 1, props), formula(rnd.randint(0, depth - 1), props)
    return rnd.choice(["(!%s)" % a, "([] %s)" % a, "(<> %s)" % a, "([]<> %s)" % a, "(<>[] %s)" % a, "(%s U %s)" % (a, b), "(%s -> %s)" % (a, b),
                       "([] (%s -> <> %s))" % (a, b), "(%s && %s)" % (a, b), "(%s || %s)" % (a, b)])


def model():
    processes = [process(i) for i in range(rnd.randint(2, 3))]
    props = ["(g == %d)" % rnd.randint(0, 2), "(h > 0)", "(len(c) == 0)"] + ["(p%d@here)" % i for i, p in enumerate(processes) if p[1]]
    rnd.shuffle(props)
    return "byte g, h; chan c = [1] of { byte }; chan r = [0] of { byte };\n%s\nltl f { %s }\n" % (
        "\n".join(p[0] for p in processes), formula(rnd.randint(1, 3), props[:2]))


def verdict(*options):
    out = subprocess.run([heddle, "check", "m.pml", "--ltl", "f", "-o", "m.trace", *options], capture_output=True, text=True, timeout=120)
    return (out.stdout.strip().splitlines() or [out.stderr])[-1].split()[1:2] if out.returncode in (0, 1, 3) else ["exit %d" % out.returncode]


def pan(*options):
    return ["VERIFIED"] if "errors: 0" in subprocess.run(["./pan", "-a", "-m100000", *options], capture_output=True, text=True).stdout else ["ERROR"]


ways = [["--no-por"], ["--exact"], ["--exact", "--no-por"]]
os.chdir(tempfile.mkdtemp() if not os.environ.get("KEEP") else os.environ["KEEP"])
failed = errors = 0
for i in range(count):
    text = model()
    open("m.pml", "w").write(text)
    first = verdict()
    errors += first == ["ERROR"]
    answers = {"default": first}
    for w in ways: answers[" ".join(w)] = verdict(*w)
    fair = {"--fair": verdict("--fair"), "--fair --exact": verdict("--fair", "--exact")}
    if with_spin and subprocess.run("spin -a m.pml && gcc -O1 -DNOREDUCE -DNFAIR=4 -o pan pan.c", shell=True, capture_output=True).returncode == 0:
        answers["pan"] = pan()
        # With -f pan does not let an execution that has come to its end go on, so it may report less.
        if pan("-f") == ["ERROR"]: fair["pan -f"] = ["ERROR"]
    # Executions that preempt for ever are not looked at with a bound: what holds is BOUNDED, and an error may be one of them.
    bounded = verdict("-b", "1000")
    if bounded not in ([["BOUNDED"]] if first == ["VERIFIED"] else [["BOUNDED"], ["ERROR"]]): answers["-b 1000"] = bounded
    for a in (answers, fair):
        if len(set(map(str, a.values()))) > 1:
            failed += 1
            print("FAIL ltl/random-%d-%d: %s" % (seed, i, a))
            open("failed-%d-%d.pml" % (seed, i), "w").write(text)
            print(text, file=sys.stderr)
if not failed: print("ok ltl/random-%d-models-%d-with-errors" % (count, errors))
