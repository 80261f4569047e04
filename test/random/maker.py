"""Random Promela models."""
import re


class Maker:
    def __init__(self, rng):
        self.rng = rng
        self.in_d_step = 0
        self.rendezvous = rng.random() < 0.3
        self.starts = rng.random() < 0.4  # processes start others, which die
        self.capacity = [0 if self.rendezvous and i == 0 else rng.randint(1, 2) for i in range(3)]

    def pick(self, *choices):
        return self.rng.choice(choices)

    def value(self):
        return self.pick("0", "1", "2", "x", "y", "l", "l", "a[0]", "a[1]", "a[l & 1]", "(l + 1)", "_pid")

    def target(self):
        return self.pick("x", "y", "l", "l", "a[0]", "a[l & 1]", "h")

    def condition(self):
        return self.pick(f"x == {self.value()}", f"l < {self.value()}", f"y != {self.value()}", "len(c1) > 0", "len(c2) < 2",
                         "c1?[1]", "l > 1", f"a[1] <= {self.value()}", f"h > {self.value()}")

    def waited(self):
        """What is waited for, which may be a poll: those can be neither negated nor compared, and exclude else."""
        poll = f"{self.pick('nempty', 'nfull', 'empty', 'full')}({self.pick('c1', 'c2')})"
        return self.pick(poll, f"{poll} && {self.condition()}") if self.rng.random() < 0.15 else self.condition()

    def channel(self):
        return self.pick("c1", "c1", "c2", "mine") if self.in_d_step or not self.rendezvous else self.pick("c0", "c1", "c2", "mine")

    def basic(self):
        kind = self.rng.random()
        if kind < 0.45:
            return f"{self.target()} = ({self.value()} + {self.value()}) % 3"
        if kind < 0.57:
            return f"{self.channel()}!{self.value()}"
        if kind < 0.65:
            return f"{self.channel()}?{self.pick('l', 'x', '1', '_', 'eval(l)')}"
        if kind < 0.70:
            return f"({self.waited()})"
        if kind < 0.78:
            return f"assert(!({self.condition()} && {self.condition()} && {self.condition()}))"
        if kind < 0.88:  # sees whether somebody comes in between
            seen = self.pick("x", "y", "a[0]", "len(c1)")
            return f"l = {seen}; {self.pick('skip', 'y = 1', 'x = (x + 1) % 3')}; assert(l == {seen} || {self.condition()})"
        if kind < 0.91 and self.starts and not self.in_d_step:
            return f"run kid({self.value()}, {self.pick('c1', 'c2')})"
        return self.pick("skip", "l++", "h++", "x = 1 - (x & 1)", "printf(\"%d\", l)")

    def statement(self, depth):
        kind = self.rng.random()
        if depth and kind < 0.10:
            return "atomic { " + self.sequence(3, depth - 1) + " }"
        if depth and kind < 0.13:  # polls, then uses the channel on its own
            c = self.pick("c1", "c2")
            return f"atomic {{ {self.pick(f'nempty({c}) -> {c}?l', f'nfull({c}) -> {c}!{self.value()}')}; {self.sequence(2, 0)} }}"
        if depth and kind < 0.18:
            self.in_d_step += 1
            text = "d_step { l = (l + 1) % 3; " + self.pick("x = l", "y = l; l = 0", "if :: x > 0 -> y = x :: else fi; l = 0") + " }"
            self.in_d_step -= 1
            return text
        if depth and kind < 0.28:
            options = [f":: {self.guard()} -> {self.sequence(2, depth - 1)}" for _ in range(self.rng.randint(1, 3))]
            if self.rng.random() < (0.2 if any(re.search(r":: c?\w+[!?]", o) for o in options) else 0.4) and not any(
                    re.match(r":: (\(n?(empty|full)|timeout)", o) for o in options):
                options.append(f":: else -> {self.basic()}")
            return "if " + " ".join(options) + " fi"
        if depth and kind < 0.36:
            return f"do :: {self.guard()} -> {self.sequence(2, depth - 1)} :: {self.condition()} -> break od"
        if depth and kind < 0.40:
            return "{ " + self.sequence(2, 0) + " } unless { " + self.escape() + " -> " + self.basic() + " }"
        if depth and kind < 0.48:
            return self.loop(depth)
        return self.basic()

    def loop(self, depth):
        """Round and round: passing messages on, counting, or for ever."""
        end = self.pick(":: (x == 2) -> break ", ":: else -> break ", "", "")
        kind = self.rng.random()
        if kind < 0.3:
            return f"do :: {self.channel()}?l -> {self.sequence(2, depth - 1)}; {self.channel()}!l {end if 'else' not in end else ''}od"
        if kind < 0.6:
            return f"do :: l < {self.pick(2, 3)} -> {self.basic()}; l++ :: else -> break od"
        if kind < 0.8:
            return f"do :: {self.channel()}!{self.value()} -> {self.basic()} :: {self.channel()}?l -> {self.basic()} {end if 'x' in end else ''}od"
        return f"do :: skip -> {self.sequence(2, depth - 1)} {end if 'x' in end else ''}od"

    def escape(self):
        kind = self.rng.random()
        return f"{self.channel()}?l" if kind < 0.25 else f"{self.channel()}!1" if kind < 0.4 else f"({self.condition()})"

    def guard(self):
        if self.rng.random() < 0.04 and not self.in_d_step:
            return "timeout"
        return self.basic().split(";")[0] if self.rng.random() < 0.4 else f"({self.waited()})"

    def sequence(self, length, depth):
        return "; ".join(self.statement(depth) for _ in range(self.rng.randint(1, length)))

    def model(self):
        lines = [f"chan c{i} = [{n}] of {{ byte }};" for i, n in enumerate(self.capacity)]
        lines += ["byte x, y, a[2];", "hidden byte h;"]
        bodies = self.rng.randint(2, 3)
        starts, kids = [], self.starts
        self.starts = False
        kid = self.sequence(2, 1)
        lines += [f"proctype kid(byte l; chan mine) {{ {kid} }}"] if kids else []
        self.starts = kids
        for i in range(bodies):
            body = self.sequence(4, 2)
            end = self.pick("", "", "end: ", "")
            lines.append(f"proctype p{i}(chan mine) {{ byte l; {body}; {end}skip }}")
            starts.append(f"run p{i}({self.pick('c1', 'c2')})")
        lines.append("init { atomic { " + "; ".join(starts) + " } }")
        return "\n".join(lines) + "\n"
