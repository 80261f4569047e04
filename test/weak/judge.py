"""Litmus programs through Heddle's strategies, compared with what the referee says.

Many programs are one check: checked/interpreter.c chooses one of them, and the choice is explored like everything else.
It tells the number of the program and its outcome at the end of every execution, so that what each strategy has visited
is known program by program. After its search Heddle runs the program once more, which adds one line.
"""
import json, os, re, resource, subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
HEDDLE = os.environ.get("HEDDLE", os.path.join(HERE, "../../build/heddle"))
BUILD = os.environ.get("BUILD", "build")
REFEREE = os.path.join(HERE, "../..", BUILD, "weak/referee")
PSC = os.path.join(HERE, "../..", BUILD, "weak/psc")
SECONDS = 120  # of processor time, so that it does not matter how busy the machine is


class Answer:
    """What RC11 allows for one program: graphs (None if too many), outcomes {text: (graphs, cost)}, race, all_sc,
    stuck: threads can wait for ever, one of them in a loop; loops: it has some."""

    def __init__(self):
        self.graphs, self.race, self.all_sc, self.outcomes, self.costs = None, False, False, {}, {}
        self.stuck = self.loops = False

    def within(self, bound):
        return {o for o, (_, cost) in self.outcomes.items() if bound is None or 0 <= cost <= bound}


def ask(texts, *options):
    """One Answer for each program."""
    p = subprocess.run([REFEREE, *options], input="".join(t + "\n" for t in texts), capture_output=True,
                       text=True)
    if p.returncode:
        raise RuntimeError(p.stderr)
    answers, a = [], Answer()
    loops = ["until" in t for t in texts]
    for line in p.stdout.splitlines():
        word, _, rest = line.partition(" ")
        if word == "graphs":
            a.graphs = None if rest == "more" else int(rest)
        elif word == "race":
            a.race = rest == "yes"
        elif word == "stuck":
            a.stuck = rest == "yes"
        elif word == "all-sc":
            a.all_sc = rest == "yes"
        elif word == "outcome":
            outcome, _, numbers = rest.partition(" | ")
            graphs, *cost = numbers.split()
            a.outcomes[outcome] = int(graphs), int(cost[0]) if cost else None
        elif word == "cost":
            a.costs[int(rest.split()[0])] = int(rest.split()[1])
        else:
            a.loops = loops[len(answers)]
            answers.append(a)
            a = Answer()
    return answers


def judged(texts, most):
    """Answers with the costs that are promised: where everything is seq_cst, nothing but preemptions surprises."""
    answers = ask(texts, "--most", str(most), "--costs")
    strong = [i for i, a in enumerate(answers) if a.all_sc]
    for i, a in zip(strong, ask([texts[i] for i in strong], "--most", str(most), "--only-preemptions")):
        answers[i] = a
    return answers


# ---- Heddle ----

class Mode:
    """exact: one execution for each graph within the bound; sampled: some executions only; unwanted: the outcome that
    costs most is an assertion that fails, to be found with its cost and to be replayed."""

    def __init__(self, *options, bound=None, exact=False, sampled=False, unwanted=False):
        self.options, self.bound, self.exact, self.sampled, self.unwanted = options, bound, exact, sampled, unwanted
        if bound is not None:
            self.options += ("-b", str(bound))
        self.name = " ".join(self.options) + (", as an error" if unwanted else "")


OPTIMAL = Mode("--explore=optimal", exact=True)
REDUCED = [Mode("--portfolio=off"), Mode("--explore=bpor"), Mode("--explore=cb-por", exact=True), Mode("--explore=dpor"),
           *[Mode("--explore=bpor", bound=b) for b in (0, 1, 2, 3)],
           *[Mode("--explore=cb-por", bound=b, exact=True) for b in (0, 1, 2, 3)]]
FULL = [Mode("--explore=dfs"), Mode("--explore=icb"), Mode("--explore=delay"), Mode("--explore=delay-plain"),
        *[Mode(f"--explore={e}", bound=b) for e in ("icb", "dfs") for b in (0, 1, 2)]]
SAMPLED = [Mode(f"--explore={e}", "--executions=300", sampled=True) for e in ("random", "pct", "pos", "surw", "rff", "rare")]
UNWANTED = [Mode(f"--explore={e}", unwanted=True) for e in ("bpor", "cb-por", "icb")]

STRATEGIES = os.environ.get("WEAK_STRATEGIES", "").split()
if STRATEGIES:
    REDUCED, FULL, SAMPLED, UNWANTED = ([m for m in modes if m.options[0].split("=")[1] in STRATEGIES]
                                        for modes in (REDUCED, FULL, SAMPLED, UNWANTED))


def has_models():
    return "--memory-model" in subprocess.run([HEDDLE, "check", "--help"], capture_output=True, text=True).stdout


def build(folder):
    """The referee, and the interpreter, compiled by `heddle cc`; what went wrong, or None."""
    p = subprocess.run(["make", "-s", "CI=1", f"BUILD={BUILD}", "weak-referee"], cwd=f"{HERE}/../..",
                       capture_output=True, text=True)
    if p.returncode:
        return p.stderr[-400:] or "failed"
    p = subprocess.run([HEDDLE, "cc", "-O1", f"{HERE}/checked/interpreter.c", f"{HERE}/parse.c", "-o",
                        f"{folder}/interpreter"], capture_output=True, text=True)
    return p.stderr[-400:] or "failed" if p.returncode else None


class Visit:
    """What one check saw: visited[i] = {outcome: executions} of program i, what it said, or what went wrong."""

    def __init__(self, count):
        self.visited, self.said, self.wrong = [{} for _ in range(count)], None, None


def check(folder, program, texts, mode, model, unwanted=None):
    """Runs one check of ./interpreter over these programs, or of a program of its own."""
    seen, listed = os.path.join(folder, "outcomes"), os.path.join(folder, "programs")
    with open(listed, "w") as f:
        f.write("".join(t + "\n" for t in texts))
    open(seen, "w").close()
    command = [HEDDLE, "check", program, "--json", "-q", "--files=real", "--audit=off", "-o", "found.trace", *mode.options]
    command += [f"--memory-model={model}"] if model else []
    visit = Visit(len(texts))
    visit.environment = dict(os.environ, WEAK_PROGRAMS=listed, WEAK_OUTCOMES=seen)
    if unwanted:
        visit.environment["WEAK_UNWANTED"] = f"0 {unwanted}"
    try:
        p = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=visit.environment,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS)))
        visit.said = json.loads(p.stdout)
    except ValueError:
        visit.wrong = f"exit status {p.returncode}: {(p.stdout + p.stderr)[-300:]}"
    collect(visit, seen, numbered=program == "./interpreter")
    return visit


def collect(visit, path, numbered):
    with open(path) as f:
        lines = f.read().splitlines()
    ends = visit.said["ends"] if visit.said else None
    tells_nothing = ends and ends["blocked"] and len(lines) <= ends["complete"]  # the first one, when it is repeated
    if visit.said and visit.said["verdict"] in ("verified", "bounded") and not tells_nothing:
        lines.pop()
    # A search that began anew had told of executions before. Of two searches side by side all executions count.
    if visit.said and "unbounded" not in visit.said:
        del lines[:max(0, len(lines) - visit.said["executions"])]
    for line in lines:
        number, _, outcome = line.partition(" ") if numbered else ("0", "", line)
        seen = visit.visited[int(number)]
        seen[outcome] = seen.get(outcome, 0) + 1


def verdict_wrong(visit, mode):
    """A complaint about the verdict of a check of programs without races."""
    if visit.wrong:
        return visit.wrong
    said = visit.said
    expected = ("unknown",) if mode.sampled else ("verified",) if mode.bound is None else ("verified", "bounded")
    if said["verdict"] not in expected:
        error = said["error"]
        return f"said {said['verdict']}" + (f" {error['kind']}: {error['message']}" if error else
                                            f": {said.get('covered')}")
    return None


def complaint(answer, seen, mode):
    """What is wrong with the outcomes that were seen of one program, or None."""
    expected = answer.within(mode.bound)
    missing, extra = sorted(expected - set(seen)), sorted(set(seen) - expected)
    if extra:
        how = "" if mode.bound is None else f" (cost {answer.outcomes.get(extra[0], (0, 'forbidden'))[1]})"
        return f"visited what is forbidden: {extra[0]}{how}" + more(extra)
    if missing and not mode.sampled:
        how = "" if mode.bound is None else f" (cost {answer.outcomes[missing[0]][1]})"
        return f"missed {missing[0]}{how}" + more(missing)
    executions = sum(seen.values())
    graphs = sum(n for cost, n in answer.costs.items() if mode.bound is None or cost <= mode.bound)
    if answer.loops and answer.all_sc:
        return None # rounds that are repeated are executions of their own
    if mode.exact and answer.all_sc: # there a store that changes nothing counts as a read, so that graphs fall together
        return f"ran {executions} executions for {graphs} graphs" if executions > graphs else None
    if mode.exact and executions != graphs:
        return f"ran {executions} executions for {graphs} graphs" + which(answer, seen, mode)
    if mode.exact and which(answer, seen, mode):
        return f"ran as many executions as there are graphs, but not one for each{which(answer, seen, mode)}"
    return None


def more(outcomes):
    return f" and {len(outcomes) - 1} more" if len(outcomes) > 1 else ""


def which(answer, seen, mode):
    """An outcome that was not visited once for each graph that has it."""
    if mode.bound is not None:
        return ""
    wrong = [f"{o}: {n} for {answer.outcomes[o][0]}" for o, n in sorted(seen.items()) if n != answer.outcomes[o][0]]
    return f" ({wrong[0]}{more(wrong)})" if wrong else ""


def alone(folder, text, mode, model, most):
    """A complaint about one program by itself, or None; also None if the referee finds it too large."""
    answer = judged([text], most)[0]
    if answer.graphs is None:
        return None
    if mode.unwanted:
        return None if answer.race else unwanted_wrong(folder, text, answer, mode, model)
    visit = check(folder, "./interpreter", [text], mode, model)
    if answer.race:
        return race_wrong(visit)
    if answer.stuck:
        return stuck_wrong(visit)
    return verdict_wrong(visit, mode) or complaint(answer, visit.visited[0], mode)


def race_wrong(visit):
    if visit.wrong:
        return visit.wrong
    error = visit.said["error"]
    if visit.said["verdict"] != "error" or error["kind"] != "race":
        return f"missed a data race: said {visit.said['verdict']} {error['kind'] if error else ''}"
    return None


def stuck_wrong(visit):
    """A race may be found first: the referee looks for races in whole graphs only."""
    if visit.wrong:
        return visit.wrong
    error = visit.said["error"]
    if visit.said["verdict"] != "error" or error["kind"] not in ("livelock", "deadlock", "race"):
        return f"missed a livelock: said {visit.said['verdict']} {error['kind'] if error else ''}"
    return None


def unwanted_wrong(folder, text, answer, mode, model):
    """The outcome that costs most is found as an error at that bound, not below it, and shown again by a replay."""
    outcome = max(answer.outcomes, key=lambda o: (answer.outcomes[o][1], o))
    cost = answer.outcomes[outcome][1]
    visit = check(folder, "./interpreter", [text], mode, model, outcome)
    if visit.wrong:
        return visit.wrong
    said = visit.said
    if said["verdict"] != "error" or said["error"]["kind"] != "assertion":
        return f"missed {outcome} as an error: said {said['verdict']}"
    if said["bounds"][-1]["bound"] != cost:
        return f"found {outcome} at bound {said['bounds'][-1]['bound']}, but it costs {cost}"
    p = subprocess.run([HEDDLE, "replay", "--trust", "found.trace"], cwd=folder, capture_output=True, text=True,
                       env=visit.environment)
    last = (p.stdout.strip().splitlines() or [p.stderr[-200:]])[-1]
    if p.returncode != 1 or "ERROR assertion" not in last:
        return f"replay of {outcome}: exit status {p.returncode}, {last}"
    return None


def category(said):
    """What kind of complaint it is, so that a smaller program fails in the same way."""
    return re.match(r"\w+( \w+ \w+)?", said).group(0)
