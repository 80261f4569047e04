"""Every mode of every engine, and what its answer may be once the referee has spoken.

VERIFIED is right only if there is no error at all, BOUNDED only if there is none within the bound; an error must be a
real one, within the bound, and where the search minimises have exactly the fewest preemptions. UNKNOWN is an answer
only for a search that may lose something. Each function here gives a list of modes for one program; a mode knows its
command line and its rule: a function from Heddle's answer to a complaint, or None."""
import json, os, random, subprocess

import equivalent, printers, referee
from program import words

LIMIT = 1500  # states; more are too many for the referee


class Mode:
    def __init__(self, name, file, options, rule, prepare=None):
        self.name, self.file, self.options, self.rule, self.prepare = name, file, options, rule, prepare

    def command(self):
        return ["check", self.file, *self.options]


def call(folder, *command):
    try:
        return subprocess.run([os.environ["HEDDLE"], *command], cwd=folder, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", "no answer within 300 s")


def ask(folder, mode):
    p = call(folder, *mode.command(), "--json", "-q", "-o", "found.trace")
    try:
        answer = json.loads(p.stdout)
    except ValueError:
        answer = {"verdict": f"exit status {p.returncode}", "said": (p.stdout + p.stderr)[-300:], "error": None,
                  "bound": None}
    expected = {"verified": 0, "bounded": 0, "error": 1, "unknown": 3}.get(answer["verdict"])
    if expected is not None and p.returncode != expected:
        answer["verdict"] += f" with exit status {p.returncode}"
    answer["folder"] = folder
    return answer


def show(answer):
    error = answer["error"]
    if error:
        return f"{answer['verdict']} {error['kind']}, {error['preemptions']} preemptions"
    return answer["verdict"] + (f" {answer['bound']}" if answer["verdict"] == "bounded"
                                else "") + (" " + answer["said"] if "said" in answer else "")


def unlike(answer, expected):
    return f"said {show(answer)}; the referee: {expected}"


# ---- safety ----

def by_preemptions(kinds, bound=None, minimal=False, lossy=False, partial=False, beyond=False, early=False):
    """kinds: {kind of error: fewest preemptions or None}. lossy: never more than UNKNOWN; partial: UNKNOWN is allowed;
    beyond: an error with more than bound preemptions may be reported; early: levels may end before the bound."""
    real = {k: n for k, n in kinds.items() if n is not None}
    least = min(real.values(), default=None)
    within = least is not None and (bound is None or least <= bound)
    expected = ", ".join(f"{k} with {n} preemptions" for k, n in real.items()) or "no error"

    def rule(answer):
        verdict, error = answer["verdict"], answer["error"]
        if verdict == "error":
            n = error["preemptions"]
            if error["kind"] not in real or n < real[error["kind"]] or (minimal and within and n != least):
                return unlike(answer, expected)
            return unlike(answer, expected) if bound is not None and n > bound and not beyond else None
        if verdict == "verified" and least is None and not lossy:
            return None
        if verdict == "bounded" and bound is not None and not within and not lossy:
            return None if answer["bound"] == bound or (early and answer["bound"] < bound) else unlike(answer, expected)
        return None if verdict == "unknown" and (lossy or partial) else unlike(answer, expected)
    return rule


def aimed(rng, kinds):
    """A bound: often the lowest at which there is an error, which is where one preemption too many would be noticed."""
    least = min((n for n in kinds if n is not None), default=None)
    return least if least is not None and rng.random() < 0.6 else rng.randrange(4)


def safety_modes(graph, rng, file):
    failing, stuck = graph.fewest()
    modes = []

    def add(*options, ends=True, **how):
        kinds = {"assertion": failing, "deadlock": stuck if ends else None}
        if not ends:
            options += ("--no-deadlock",)
        modes.append(Mode(" ".join(options) or "default", file, options, by_preemptions(kinds, **how)))
    for ends in (True, False):
        add(minimal=True, ends=ends)
        add("--exact", minimal=True, ends=ends)
        add("--no-por", minimal=True, ends=ends)
        add("--verify", minimal=True, ends=ends)
        add("--exact", "--no-por", minimal=True, ends=ends)
        for options in ((), ("--exact", "--no-por")):
            add("-j2", *options, minimal=True, ends=ends)
        add("-j2", "--search=bfs", ends=ends)
        for order in ("dfs", "bfs"):
            add(f"--search={order}", ends=ends)
            add(f"--search={order}", "--no-por", ends=ends)
        add("--search=dfs", "--exact", ends=ends)
        b = aimed(rng, (failing, stuck) if ends else (failing,))
        add("-b", str(b), bound=b, minimal=True, beyond=True, ends=ends)
        add("-b", str(b), "--exact", "--no-por", bound=b, minimal=True, ends=ends)
        if not ends:  # an assertion that a search for a property meets
            add("-b", str(b), "--ltl", "[] (0 == 0)", bound=b, minimal=True, early=True, ends=False)
        add("-b", str(b), "--spin-bcs", bound=b, beyond=True, ends=ends)
        add("-b", str(b), "--spin-bcs", "--no-por", bound=b, beyond=True, ends=ends)
        for variant in ("no-pids", "pairs", "naive"):
            add("-b", str(b), f"--spin-bcs={variant}", bound=b, beyond=True, lossy=True, ends=ends)
        add("--bitstate=1k", lossy=True, ends=ends)
        add("--bitstate", "--search=dfs", lossy=True, ends=ends)
        add("--hash-compact", partial=True, ends=ends) # nothing is lost where codes are short
        add("--hash-compact", "--search=bfs", partial=True, ends=ends)
        add("--search=dfs", "--shorten", ends=ends)
    return modes


# ---- properties ----

def by_violation(kind, find_least, bound=None, find_bounded=None, find_lowest=None, lossy=False, minimal=True):
    """lossy: never more than UNKNOWN; minimal: with a bound, an error must have the fewest preemptions. The functions are called when there is an answer to be judged. least: None if no run at all violates. With a
    bound, least_bounded is the fewest preemptions of a run that violates. With fairness as well, lowest is that number
    without fairness: a finite execution after which nothing can save the property is reported too, although going on
    fairly from there may need more preemptions."""
    def rule(answer):
        verdict, error = answer["verdict"], answer["error"]
        least, least_bounded, lowest = (f() if f else None for f in (find_least, find_bounded, find_lowest))
        within = least_bounded is not None and least_bounded <= bound if bound is not None else least is not None
        expected = "violated" if least is not None else "not violated"
        if bound is not None:
            expected += f", with finitely many preemptions: {'never' if least_bounded is None else least_bounded}"
        if verdict == "error":
            right = error["kind"] == kind and least is not None
            if not minimal:
                return None if right else unlike(answer, expected)
            if bound is not None and find_lowest:
                most = least_bounded if within else bound
                right = right and lowest is not None and lowest <= error["preemptions"] <= most
            elif bound is not None:
                right = right and within and error["preemptions"] == least_bounded
            return None if right else unlike(answer, expected)
        if lossy:
            return None if verdict == "unknown" else unlike(answer, expected)
        if verdict == "verified" and least is None and not within:
            return None
        # Levels end by themselves where nobody can be preempted any more, so the bound that is reported may be lower.
        if verdict == "bounded" and bound is not None and answer["bound"] <= bound and not within:
            return None
        return unlike(answer, expected)
    return rule


def certain(kind, find_least, bound=None, find_bounded=None):
    """A lossy store that is much too large to lose anything: UNKNOWN where there is no violation, and ERROR where there is
    one, but never more."""
    def rule(answer):
        least, counted = find_least(), find_bounded() if find_bounded else None
        must = least is not None if bound is None else counted is not None and counted <= bound
        if answer["verdict"] == "error":
            return None if answer["error"]["kind"] == kind and least is not None else unlike(answer, "no violation")
        return None if answer["verdict"] == "unknown" and not must else unlike(answer, "violated" if must else "UNKNOWN")
    return rule


def once_each(product):
    """violated(...) of the product as a function to be called later, computed once for each way to ask."""
    known = {}

    def later(**how):
        key = repr(sorted(how))

        def find():
            if key not in known:
                known[key] = product.violated(**how)
            return known[key]
        return find
    return later


def property_modes(program, graph, rng, file):
    modes = []
    for f in program["formulas"]:
        text = printers.promela_formula(program, f)
        violated, b = once_each(referee.Product(graph, f, stutter=True)), rng.randrange(4)

        def add(*options, rule):
            modes.append(Mode(" ".join(options) + " --ltl", file, (*options, "--ltl", text), rule))
        for options in ((), ("--no-por",), ("--exact",), ("--exact", "--no-por")):
            add(*options, rule=by_violation("ltl", violated()))
        for options in ((), ("--exact",)):
            add("--fair", *options, rule=by_violation("ltl", violated(fair=True)))
            add("-b", str(b), *options, rule=by_violation("ltl", violated(), b, find_bounded=violated(counted=True)))
        add("-b", str(b), "--fair", rule=by_violation("ltl", violated(fair=True), b,
                                                      find_bounded=violated(counted=True, fair=True),
                                                       find_lowest=violated(counted=True)))
        add("-b", str(b), "--no-por", rule=by_violation("ltl", violated(), b, find_bounded=violated(counted=True)))
        for jobs in ("-j1", "-j2"):
            add("--search=bfs", jobs, rule=by_violation("ltl", violated()))
            add("--search=bfs", jobs, "--fair", rule=by_violation("ltl", violated(fair=True)))
            add("--search=bfs", jobs, "-b", str(b),
                rule=by_violation("ltl", violated(), b, find_bounded=violated(counted=True)))
        add("--search=bfs", "-b", str(b), "--fair",
            rule=by_violation("ltl", violated(fair=True), b, find_bounded=violated(counted=True, fair=True),
                              find_lowest=violated(counted=True)))
        for fair in (False, True):
            fairly = ("--fair",) if fair else ()
            counted = violated(counted=True, fair=True) if fair else violated(counted=True)
            any_run = violated(fair=True) if fair else violated()
            add("-b", str(b), "--spin-bcs", *fairly,
                rule=by_violation("ltl", any_run, b, find_bounded=counted, minimal=False))
            for store in ("--hash-compact", "--bitstate=1M"):
                add(store, *fairly, rule=certain("ltl", any_run))
                for order in ((), ("--spin-bcs",)):
                    add(store, *order, "-b", str(b), *fairly, rule=certain("ltl", any_run, b, counted))
            add("--bitstate=1k", *fairly, rule=by_violation("ltl", any_run, lossy=True, minimal=False))
    return modes + cycle_modes(graph, file, rng)


def cycle_modes(graph, file, rng):
    """Cycles through labels. Executions that end are no cycles."""
    def labelled(prefix):
        machine = graph.machine

        def at(i):
            s = graph.states[i]
            return any(s[p.pid] >= 0 and any(l.startswith(prefix) for l in p.labels.get(s[p.pc], ()))
                       for p in machine.processes)
        return at
    progress, accept = labelled("progress"), labelled("accept")
    product, modes = referee.Product(graph, None, stutter=False), []  # nothing to guess
    b = rng.randrange(4)
    for name, how in (("progress", {"always": lambda i: not progress(i)}), ("acceptance", {"good": (accept,)})):
        kind = {"progress": "non-progress-cycle", "acceptance": "acceptance-cycle"}[name]
        fair = rng.random() < 0.5
        violated = once_each(product)
        least = violated(fair=fair, **how)
        words_ = (f"--{name}", *(["--fair"] if fair else []))
        for options in ((), ("--no-por",), ("--exact",), ("--search=bfs", "-j2"), ("--search=bfs", "--no-por")):
            modes.append(Mode(" ".join(words_ + options), file, words_ + options, by_violation(kind, least)))
        counted = violated(fair=fair, counted=True, **how)
        for store in ("--hash-compact", "--bitstate=1M"):
            modes.append(Mode(" ".join((*words_, store)), file, (*words_, store), certain(kind, least)))
            for order in ((), ("--spin-bcs",)):
                options = (*words_, store, *order, "-b", str(b))
                modes.append(Mode(" ".join(options), file, options, certain(kind, least, b, counted)))
        modes.append(Mode(" ".join(words_) + f" --spin-bcs -b {b}", file, (*words_, "--spin-bcs", "-b", str(b)),
                          by_violation(kind, least, b, find_bounded=counted, minimal=False)))
        for order in ((), ("--search=bfs",)):
            options = (*words_, *order, "-b", str(b))
            modes.append(Mode(" ".join(options), file, options, by_violation(kind, least, b, find_bounded=counted)))
    return modes


# ---- C ----

def simplest_rule(source, explore, sampled, kinds):
    """What a search prints that does not minimise must have the fewest preemptions of all equivalent executions."""
    plain = by_preemptions(kinds, minimal=explore == "cb-por", partial=sampled)
    is_old = not source["final"] and words(source["threads"]) <= {"load", "store", "set", "assert", "section",
                                                                  "if"} and not any(source["start"])

    def rule(answer):
        complaint = plain(answer)
        if complaint or answer["verdict"] != "error" or not is_old:
            return complaint
        threads = equivalent.flatten(source["threads"])
        least = equivalent.cheapest_equivalent(threads, equivalent.schedule_of(os.path.join(answer["folder"],
                                                                                            "found.trace")))
        if least != answer["error"]["preemptions"]:
            return f"printed {answer['error']['preemptions']} preemptions, but {least} are enough for the same steps"
        return None
    return rule


def c_modes(source, graph, rng):
    failing, stuck = graph.fewest()
    kinds, modes, b = {"assertion": failing, "deadlock": stuck}, [], rng.randrange(4)

    def add(*options, **how):
        modes.append(Mode(" ".join(options), "./p", options, by_preemptions(kinds, **how), prepare="c"))
    few = "--executions=1000"
    add("--explore=bpor", minimal=True)
    add("--explore=bpor", "-b", str(b), minimal=True, bound=b)
    add("--explore=icb", few, minimal=True, partial=True)
    add("--explore=icb", few, "-b", str(b), minimal=True, bound=b, partial=True)
    add("--explore=cb-por", "-b", str(b), minimal=True, bound=b)
    add("--isolate=fork", "--executions=200", minimal=True, partial=True)
    add("--races=explore", minimal=True)
    add("--verify", minimal=True)
    add("--points=all", few, minimal=True, partial=True)
    add("--explore=dfs", few, "-b", str(b), bound=b, partial=True)
    for explore in ("optimal", "dpor", "cb-por", "dfs", "random", "pct"):
        sampled = explore in ("dfs", "random", "pct")
        options = (f"--explore={explore}", *([few] if sampled else []))
        modes.append(Mode(" ".join(options), "./p", options, simplest_rule(source, explore, sampled, kinds),
                          prepare="c"))
    return modes


# ---- Boolean programs ----

def by_rounds(failing, rounds, cut, limit):
    """cut: the referee has not seen everything, so that only the errors it found are certain."""
    expected = f"{'an' if failing else 'no'} error, rounds: {rounds}{', perhaps less' if cut else ''}"

    def rule(answer):
        verdict = answer["verdict"]
        if verdict == "error":
            wrong = not cut and (not failing or (limit is not None and rounds > limit))
            return unlike(answer, expected) if wrong or answer["error"]["kind"] != "assertion" else None
        if verdict == "verified" and not failing:
            return None
        if verdict == "bounded" and answer["bound"] == (limit or 8) and (rounds is None or rounds > (limit or 8)):
            return None
        return unlike(answer, expected)
    return rule


def boolean_modes(source, program, rng):
    graph = referee.Graph(program, LIMIT, strict_atomic=True)
    failing = graph.fewest()[0] is not None
    order = list(range(len(program["procs"])))
    if program["init"] is not None:
        order = [program["init"]] + order[:-1]
    rounds = graph.fewest_rounds(order)
    cut = source["kind"] == "recursive" and any(graph.value_at(("v", "cut"))(i) for i in range(len(graph.states)))
    modes, k = [], rng.randint(1, 4)
    for options, limit in (((), None), (("--eager",), None), (("-k", str(k)), k), (("-k", str(k), "--eager"), k),
                           (("-k", str(k), "--no-proof"), k),
                           (("-k", str(k), "--reorder"), k), (("--verify",), None)):
        modes.append(Mode("bp " + " ".join(options), "p.bp", options, by_rounds(failing, rounds, cut, limit)))
    return modes
