"""Makes a program smaller as long as something is still wrong with it."""


def lists(x):
    """Smaller forms of a statement list, a formula or any tuple or list in which such are nested."""
    if isinstance(x, list):
        for i in range(len(x)):
            yield x[:i] + x[i + 1:]
        for i, y in enumerate(x):
            if isinstance(y, tuple):
                for inside in y[1:]:  # a compound statement becomes its body
                    if isinstance(inside, list) and inside and isinstance(inside[0], tuple):
                        yield x[:i] + inside + x[i + 1:]
        for i, y in enumerate(x):
            for z in lists(y):
                yield x[:i] + [z] + x[i + 1:]
    elif isinstance(x, tuple) and x and x[0] not in ("send", "recv", "run", "assign", "expr", "set", "assert"):
        for i, y in enumerate(x):
            if isinstance(y, (list, tuple)):
                for z in lists(y):
                    yield x[:i] + (z,) + x[i + 1:]


def is_sound(stmts, in_loop=False):
    """Whether what is left of a list of statements is still a program: jumps come last, breaks are in loops."""
    for i, s in enumerate(stmts):
        if not isinstance(s, tuple) or not s:
            return False
        if s[0] == "break" and (not in_loop or i != len(stmts) - 1 or i == 0):
            return False
        if s[0] == "goto" and i != len(stmts) - 1:
            return False
        if s[0] in ("if", "do") and isinstance(s[1], list):
            if not s[1] or not all(o and is_sound(o, in_loop or s[0] == "do") for o in s[1]):
                return False
            if s[2] is not None and not (s[2] and is_sound(s[2], in_loop or s[0] == "do")):
                return False
        if s[0] in ("atomic", "d_step", "unless"):
            if not all(part and is_sound(part) for part in s[1:]):
                return False
    return True


def variants(source):
    if source["kind"] == "core":
        for threads in lists(source["threads"]):
            if len(threads) > 0 and all(isinstance(t, list) for t in threads):
                yield {**source, "threads": threads}
        if source["final"]:
            yield {**source, "final": None}
    elif source["kind"] == "recursive":
        for threads in lists(source["threads"]):
            if len(threads) > 0:
                yield {**source, "threads": threads}
        for name, body in source["procedures"].items():
            for shorter in lists(body):
                if shorter and shorter[-1][0] == "return":
                    yield {**source, "procedures": {**source["procedures"], name: shorter}}
    else:
        yield from promela_variants(source)


def promela_variants(source):
    procs = source["procs"]
    used = repr([p["body"] for p in procs])
    for i in reversed(range(len(procs))):
        if i == len(procs) - 1 and len(procs) > 1 and "'run'" not in used:
            yield {**source, "procs": procs[:i]}
        if procs[i]["active"] and "'run'" not in used and len(procs) > 1:
            yield {**source, "procs": procs[:i] + procs[i + 1:]}
    for i, p in enumerate(procs):
        for body in lists(p["body"]):
            if is_sound(body) and ("'goto'" not in repr(body) or "'L1'" in repr(body).replace("('goto', 'L1')", "")):
                yield {**source, "procs": procs[:i] + [{**p, "body": body}] + procs[i + 1:]}
    for i in range(len(source["formulas"])):
        if len(source["formulas"]) > 1:
            yield {**source, "formulas": source["formulas"][:i] + source["formulas"][i + 1:]}
        for part in source["formulas"][i][1:]:
            if source["formulas"][i][0] != "p":
                yield {**source, "formulas": source["formulas"][:i] + [part] + source["formulas"][i + 1:]}
    text = repr(procs) + repr(source["formulas"])
    for i, g in enumerate(source["globals"]):
        if f"'{g[1]}'" not in text:
            yield {**source, "globals": source["globals"][:i] + source["globals"][i + 1:]}
    for i, c in enumerate(source["channels"]):
        if f"'{c[0]}'" not in text:
            yield {**source, "channels": source["channels"][:i] + source["channels"][i + 1:]}


def smallest(source, fails, found, tries=400):
    """(smaller program, what is wrong with it)"""
    progress = True
    while progress and tries > 0:
        progress = False
        for candidate in variants(source):
            tries -= 1
            if tries <= 0:
                break
            try:
                wrong = fails(candidate)
            except (KeyError, IndexError, TypeError, AssertionError, AttributeError, ValueError):
                continue  # what was left is no program
            if wrong:
                source, found, progress = candidate, wrong, True
                break
    return source, found
