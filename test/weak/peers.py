"""What the referee does not know: weak memory together with objects for which threads wait, accesses of several sizes, assumptions that
fail and programs that end early. Random programs (checked/objects.c runs them) through every strategy that claims all schedules;
plain enumeration, which reduces nothing, is the judge."""
import os, random, subprocess

import judge

STRATEGIES = ("bpor", "dpor", "optimal", "cb-por")
MOST = 20000  # executions of plain enumeration; a program with more is left out
# On which a strategy said VERIFIED once: sizes, twice; a mutex kept by a failing assumption, and by the end of the program.
ONCE_WRONG = ("b00a04 w10b02 r10X0", "T0a04U0b00X2w10r05K1 Db02Vr10A0B", "L0w00r10A1U0 L0r00X0U0", "L0w00E L0r00X0U0")


def simple(rng):
    kind = rng.choice("rrwwafbh")
    orders = {"r": (0, 0, 2, 5), "b": (0, 2), "w": (0, 0, 3, 5), "h": (0, 3), "a": (0, 4), "f": (2, 3, 5)}[kind]
    text = f"{kind}{0 if kind in 'bhf' else rng.randrange(2)}{rng.choice(orders)}"
    return text + f"X{rng.randrange(3)}" if kind in "rab" and rng.random() < .3 else text


def block(rng):
    body = "".join(simple(rng) for _ in range(rng.randrange(1, 3)))
    mutex = rng.randrange(2)
    return rng.choice((
        lambda: f"L{mutex}{body}U{mutex}",
        lambda: f"L0{body}A{rng.randrange(2)}U0",
        lambda: f"T0{body}U0",
        lambda: f"{rng.choice('DW')}{body}V",
        lambda: rng.choice("SY") + body + rng.choice(("P", "P", "")),
        lambda: rng.choice((f"L0{body}CU0", f"L0{body}{rng.choice('NM')}U0")),
        lambda: "B",
        lambda: f"r{mutex}0A{rng.randrange(2)}",
        lambda: "E",
        lambda: rng.choice(("Z1", f"w1{rng.choice((0, 3))}K1", f"w1{rng.choice((0, 3))}r05K1")),
    ))()


def thread(rng):
    return "".join(block(rng) if rng.random() < .4 else simple(rng) for _ in range(rng.randrange(1, 4)))


def build(folder):
    subprocess.run([judge.HEDDLE, "cc", "-O1", f"{judge.HERE}/checked/objects.c", "-o", "objects"], cwd=folder, check=True)


def verdict(folder, texts, strategy, *options):
    command = [judge.HEDDLE, "check", "./objects", "-q", "-o", "/dev/null", "--explore=" + strategy, *options, "--", *texts]
    said = subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout.split("\n")[-2:][0]
    return "interleavings only" if "interleavings only" in said else said.split()[1] if said else "nothing"


def complaint(folder, texts):
    """What the strategies say otherwise than plain enumeration; None: nothing, or it does not come to an end."""
    right = verdict(folder, texts, "dfs", f"--executions={MOST}")
    if right == "UNKNOWN":
        return None
    wrong = {s: v for s, v in ((s, verdict(folder, texts, s)) for s in STRATEGIES) if v != right}
    return f"dfs says {right}, {wrong}: {' '.join(texts)}" if wrong else None


def programs(seed, count):
    yield from (texts.split() for texts in ONCE_WRONG)
    for number in range(count):
        rng = random.Random(f"peers.{seed}.{number}")
        yield [thread(rng) for _ in range(rng.choice((2, 2, 2, 3)))]


def judge_all(folder, seed, count):
    build(folder)
    return [c for c in (complaint(folder, texts) for texts in programs(seed, count)) if c]
