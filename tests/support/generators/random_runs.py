"""Random small models whose processes start others, and in which mostly nobody can tell their numbers.

`generate(seed)` is a pure function.  Children read shared variables when they are started, are given channels of their
mothers, meet them, and end before or after them; a few models look at numbers after all.
"""

from __future__ import annotations

from random import Random

SEEN = ("l = _pid", "_nr_pr > 2", "l = run Leaf(l, up)", "timeout", "who!up", "assert(_nr_pr < 4)", "up != c",
        "if :: up > 3 -> l = 1 :: else fi")  # fmt: skip


class _Model:
    """One model."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.room, self.own = random.choice((0, 1, 1, 2)), random.choice((0, 0, 1))
        self.seen = random.choice(SEEN) if random.random() < 0.15 else ""

    def text(self) -> str:
        random = self.random
        head = f"byte x, y;\nchan c = [{self.room}] of {{ byte }};\nchan who = [1] of {{ chan }};\n"
        kinds = [self.process("Leaf", random.randint(1, 3), "")]
        if random.random() < 0.5:
            kinds.append(self.process("Node", random.randint(1, 2), "Leaf"))
        names = ["Leaf", "Node"][: len(kinds)]
        runs = [self.start(random.choice(names), "c") for _ in range(random.randint(2, 3) if len(kinds) == 1 else 2)]
        return head + "".join(kinds) + f"init {{ byte l; {self.arranged(runs)} }}\n"

    def arranged(self, runs: list[str]) -> str:
        """One by one, at once, or with something between them."""
        kind = self.random.random()
        if kind < 0.3:
            return f"atomic {{ {'; '.join(runs)} }}"
        if kind < 0.6:
            return "; ".join(runs)
        return "; ".join([runs[0], self.step("c"), *runs[1:], self.step("c")])

    def process(self, name: str, length: int, child: str) -> str:
        random, up = self.random, random_own(self.random, child)
        first = random.choice(("0", "x", "y", "len(c)", "v", "1 - x"))
        steps = [self.step("up") for _ in range(length)]
        if child:
            steps.insert(random.randrange(len(steps) + 1), self.start(child, up))
            steps += [random.choice((f"{up}?l", "skip", self.step("up")))]
        if self.seen and random.random() < 0.5:
            steps.insert(random.randrange(len(steps) + 1), self.seen)
        made = f"chan mine = [{self.own}] of {{ byte }}; " if up == "mine" else ""
        return f"proctype {name}(byte v; chan up) {{ byte l = {first}; {made}{'; '.join(steps)} }}\n"

    def start(self, name: str, up: str) -> str:
        run = f"run {name}({self.random.choice(('0', '1', 'x', 'l'))}, {up})"
        return self.random.choice((run, run, run, f"atomic {{ {run}; y = 1 }}", f"if :: x == 0 -> {run} :: else fi"))

    def step(self, up: str) -> str:
        pick = self.random.choice
        return pick((
            "x = 1 - x", "x = l", "l = x", "y = l", f"{up}!1", f"{up}!l", f"{up}?l", "c!1", "c?l", "l++", "x++",
            f"assert(x < {pick('12')})", "assert(y == 0)", "assert(l == 0)", "x == 1", "y == 0",
            "atomic { x == 0; y = 1 }",
            f"if :: {up}?l :: else -> y = 1 fi", "if :: x = 1 :: l = 1 fi", "do :: l < 2 -> l++ :: else -> break od",
            "d_step { l = x; x = 1 }", "if :: c!1 :: y = 1 fi", "assert(len(c) == 0)",
        ))  # fmt: skip


def random_own(random: Random, child: str) -> str:
    """What a child is given: a channel of its mother's own, or the one that all have."""
    return random.choice(("mine", "mine", "up")) if child else "up"


def generate(seed: int) -> str:
    return _Model(Random(seed)).text()
