"""Random Promela models with blocks in blocks, labels everywhere, inlines with labels, jumps and runs of skips.

``generate(seed)`` is a pure function: it takes a model of random_promela and changes it, statement by statement.  SPIN
refuses some of the models, for instance where a label stands at the start of a block.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from tests.support.generators import random_promela
from tests.support.generators.random_promela import Lines, indent

OPENING = re.compile(r"(?:\w+: )*(if|do|\{|atomic \{|d_step \{|for \(.*\{)$")
NO_STATEMENT = re.compile(r"(fi|od|\}|::|proctype|active|init|inline|typedef|chan|#|mtype|$)")
DECLARATION = re.compile(r"(?:bit|bool|byte|short|int|unsigned|pid|mtype|chan)\b")
LABELS = ("L", "L", "L", "end", "accept", "progress")


def level(line: str) -> int:
    return len(line) - len(line.lstrip())


class Blocks:
    """The lines of a model while they are changed."""

    def __init__(self, rng: Random, text: str) -> None:
        self.rng = rng
        self.lines = text.splitlines()
        self.labels = 0
        self.inlines = 0

    # ---------------------------------------------------------------- where statements are

    def bodies(self) -> list[range]:
        """The lines of each proctype, without its head and its end."""
        heads = [n for n, line in enumerate(self.lines) if re.match(r"(active|proctype|init)\b", line)]
        return [range(n + 1, next(m for m in range(n, len(self.lines)) if self.lines[m] == "}")) for n in heads]

    def starts(self, body: range) -> list[int]:
        found = [n for n in body if not NO_STATEMENT.match(self.lines[n].lstrip())]
        return [n for n in found if not DECLARATION.match(self.lines[n].lstrip())]

    def end(self, start: int) -> int:
        """The line behind the statement that starts here."""
        if not OPENING.match(self.lines[start].lstrip()):
            return start + 1
        n = start + 1
        while level(self.lines[n]) > level(self.lines[start]) or re.match(r"\s*\} unless|\s*::", self.lines[n]):
            n += 1
        return n + 1

    def pick(self) -> tuple[int, int, Lines, range]:
        """Some statement: its lines, without their indentation; and the body that it stands in."""
        body = self.rng.choice(self.bodies())
        start = self.rng.choice(self.starts(body))
        end, margin = self.end(start), level(self.lines[start])
        return start, end, [line[margin:] for line in self.lines[start:end]], body

    def put(self, start: int, end: int, lines: Lines) -> None:
        self.lines[start:end] = indent(lines, " " * level(self.lines[start]))

    # ---------------------------------------------------------------- changes

    def braces(self) -> None:
        start, end, lines, _ = self.pick()
        kind = self.rng.choice(["{", "{", "{", "atomic {", "atomic {", "d_step {"])
        if kind == "d_step {" and end > start + 1:
            kind = "{"
        self.put(start, end, [kind, *indent(lines), "};"])

    def unless(self) -> None:
        start, end, lines, _ = self.pick()
        escape = self.rng.choice(["skip;", "_nr_pr == 1;", "timeout;", "_pid == 0;"])
        self.put(start, end, ["{", *indent(lines), "} unless {", f"    {escape}", "};"])

    def label(self) -> None:
        start, end, lines, _ = self.pick()
        self.put(start, end, [f"{self.name()}: {lines[0]}", *lines[1:]])

    def guard(self) -> None:
        """A label on the first statement of an option."""
        options = [n for body in self.bodies() for n in body if re.match(r"\s*:: [^e]", self.lines[n])]
        if options:
            n = self.rng.choice(options)
            self.lines[n] = self.lines[n].replace(":: ", f":: {self.name()}: ", 1)

    def name(self) -> str:
        self.labels += 1
        return f"{self.rng.choice(LABELS)}_{self.labels}"

    def skips(self) -> None:
        start, end, lines, _ = self.pick()
        some = [self.rng.choice(["skip;", "skip;", "true;", 'printf("-");']) for _ in range(self.rng.randint(1, 3))]
        self.put(start, end, some + lines if self.rng.random() < 0.5 else lines + some)

    def jump(self) -> None:
        start, end, lines, body = self.pick()
        labels = re.findall(r"\b([A-Za-z]+(?:_\d+|\d*)): ", "\n".join(self.lines[n] for n in body))
        if not labels:
            return
        goto = f"goto {self.rng.choice(labels)};"
        choice = ["if", f":: _pid == {self.rng.choice('01')} ->", f"    {goto}", ":: else", "fi;"]
        added = self.rng.choice([choice, choice, [goto]])
        self.put(start, end, lines + added if self.rng.random() < 0.7 else added)

    def inline(self) -> None:
        """Move the statement into an inline, and call that once or twice."""
        start, end, lines, _ = self.pick()
        self.inlines += 1
        name = f"move{self.inlines}"
        self.put(start, end, [f"{name}();"] * self.rng.choice([1, 2, 2]))
        if self.rng.random() < 0.5:
            lines = ["if", ":: true ->", *indent(lines), ":: goto out;", "fi;", "out: skip;"]
        first = next(n for n, line in enumerate(self.lines) if re.match(r"(active|proctype|init)\b", line))
        self.lines[first:first] = [f"inline {name}() {{", *indent(lines), "}", ""]

    def changes(self) -> list[Callable[[], None]]:
        return [self.braces, self.braces, self.braces, self.label, self.label, self.guard, self.skips, self.jump,
                self.inline, self.unless]  # fmt: skip


def generate(seed: int) -> str:
    """The model with this number."""
    rng = Random(seed)
    text = random_promela.generate(seed)
    while "of {bit};" in text:  # SPIN's verifier loses what a single bit does not hold when it goes back
        text = random_promela.generate(rng.getrandbits(32))
    blocks = Blocks(rng, text)
    for _ in range(rng.randint(3, 9)):
        rng.choice(blocks.changes())()
    return "\n".join(blocks.lines) + "\n"
