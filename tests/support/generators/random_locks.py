"""Random small models with locks: of objects and of the whole, mostly used as locks and sometimes not quite.

`generate(seed)` is a pure function.  Processes take a lock, touch what it should protect, and give it back; then lines
are spoilt: dropped, doubled, exchanged, moved out of the lock, or given an `else`.
"""

from __future__ import annotations

from random import Random

HEAD = """typedef Node { bool locked; byte val; Node *next }
Node *g0, *g1;
bool busy, other;
byte n;
"""
TAKE = (
    "atomic { !{p}->locked -> {p}->locked = true }", "atomic { !{p}->locked -> {p}->locked = true }",
    "d_step { {p}->locked == 0 -> {p}->locked = 1 }", "atomic { !busy && {p} != null -> busy = true }",
    "atomic { !busy -> busy = true }", "atomic { !busy && n < 3 -> n++; busy = true }",
    "atomic { !busy && !other -> busy = true; other = true }", "atomic { n < 3 && !busy -> busy = true }",
)  # fmt: skip
GIVE = {"p->": "{p}->locked = false", "bus": "busy = false", "oth": "other = false"}
TOUCH = (
    "{p}->val++", "{p}->val = n", "n = n + 1", "n = {p}->val", "{p}->next = {q}", "{q} = {p}->next", "{q} = {p}",
    "g1 = {p}", "g0 = {q}", "{q} = g1", "assert({p}->val < 2)", "assert(n < 3)", "{p}->val = 0", "n = 0",
    "{q} = new Node", "{q}->val = 1", "delete {p}", "{p} = {q}", "{q} = null", "{p}->next = new Node",
    "d_step { {q} = {p}; {p}->val = 1; {p} = null }", "atomic { {p}->val = 1; n = 1; {p}->val = 0 }",
    "d_step { {p}->locked = false; {p} = {q} }", "{q} = f({p})", "assert({p} != {q})", "g1->val = 1",
    "if :: {p}->val > 0 -> n = 1 :: else -> {p}->val = 1 fi", "assert({p}->locked)", "assert(busy)",
)  # fmt: skip
ODD = (
    "{p}->locked = false", "busy = false", "busy = true", "{p}->locked = true", "n = {p}->locked",
    "if :: atomic { !busy -> busy = true } :: else -> n = 2 fi", "atomic { n = 1; !busy -> busy = true }",
    "d_step { if :: !{p}->locked -> {p}->locked = true :: n == 0 -> n = 1 fi }", "g1->locked = false",
    "if :: atomic { !{p}->locked -> {p}->locked = true } :: n = 2 fi", "!busy", "!{p}->locked",
    "atomic { {p}->val < 2 && !{p}->locked -> {p}->locked = true }", "busy = n", "assert(!busy)",
    "{ {p}->val = 2; n = 2 } unless { busy }", "d_step { !busy -> busy = true; n = 1 }",
)  # fmt: skip


BEGIN = ("p = g0", "p = g0", "p = new Node", "atomic { p = new Node; p->locked = true; g1 = p }")
START = ("g0 = new Node; g1 = g0", "g0 = new Node; g1 = new Node", "g0 = new Node; g0->next = new Node")


MAYBE = (
    "if :: {q} == null :: {q} != null -> atomic { !{q}->locked -> {q}->locked = true } fi",
    "if :: {q} != null -> {q}->locked = false :: else fi",
)  # fmt: skip


class Writer:
    """Sections that a lock protects, and ways to spoil them."""

    takes: tuple[str, ...] = TAKE
    touches: tuple[str, ...] = TOUCH
    odd: tuple[str, ...] = ODD

    def __init__(self, random: Random) -> None:
        self.random = random

    def fill(self, text: str, first: str) -> str:
        second = "q" if first == "p" else "p"
        return text.replace("{p}", first).replace("{q}", second)

    def section(self, touches: int, second: bool = True) -> list[str]:
        """Take, touch, give back, and sometimes take a second lock inside."""
        pick = self.random.choice
        name, take = pick(("p", "p", "q")), pick(self.takes)
        lines = [take, *(pick(self.touches) for _ in range(touches))]
        lines.append(GIVE["p->"] if "->locked" in take else "d_step { busy = false; other = false }"
                     if "other" in take else GIVE["bus"])  # fmt: skip
        filled = [self.fill(line, name) for line in lines]
        if not second:
            return filled
        if self.random.random() < 0.2:
            there = pick(("{q} = {p}->next", "{q} = g1", "{q} = null", "{q} = new Node"))
            filled[1:1] = [self.fill(line, name) for line in (there, MAYBE[0])]
            filled.insert(pick((-1, len(filled))), self.fill(MAYBE[1], name))
        elif touches > 1 and self.random.random() < 0.3:
            filled[2:2] = [self.fill(pick(TAKE[:3]), "q" if name == "p" else "p")]
            filled.append(self.fill(GIVE["p->"], "q" if name == "p" else "p"))
        return filled

    def body(self, sections: int) -> list[str]:
        lines = [self.random.choice(BEGIN)]
        if self.random.random() < 0.5:
            lines.append(self.random.choice(("q = g1", "q = p", "q = new Node")))
        for _ in range(sections):
            lines += self.section(self.random.randint(1, 2 if sections > 1 else 3))
        return lines

    def spoil(self, lines: list[str]) -> list[str]:
        lines, pick = list(lines), self.random.randrange
        match self.random.choice(("keep", "keep", "keep", "drop", "double", "exchange", "odd", "odd")):
            case "drop":
                del lines[pick(len(lines))]
            case "double":
                i = pick(len(lines))
                lines.insert(i, lines[i])
            case "exchange":
                i, j = pick(len(lines)), pick(len(lines))
                lines[i], lines[j] = lines[j], lines[i]
            case "odd":
                lines.insert(pick(len(lines) + 1), self.fill(self.random.choice(self.odd), self.random.choice("pq")))
        return lines


def generate(seed: int) -> str:
    random = Random(seed)
    writer = Writer(random)
    count = random.choice((1, 2, 2))
    texts = [writer.spoil(writer.body(random.choice((1, 1, 2)))) for _ in range(random.choice((1, 1, 2)))]
    if sum(map(len, texts)) * count > 16:
        count = 1
    text, local = HEAD, "\tNode *p, *q;\n\t"
    if any("f(" in line for lines in texts for line in lines):
        inside = random.choice(("t->val = 1", "t->locked = false", "skip", "g1 = t"))
        text += f"function f(Node *t) : Node *\n{{\n\t{inside};\n\treturn t\n}}\n"
    for i, lines in enumerate(texts):
        text += f"proctype P{i}()\n{{\n{local}{(';' + chr(10) + chr(9)).join(lines)}\n}}\n"
    runs = [f"run P{i}()" for i in range(len(texts)) for _ in range(count if i == 0 else 1)]
    if len(runs) == 1:
        runs *= 2
    first = random.choice(START)
    return text + f"init {{ atomic {{ {first}; {'; '.join(runs)} }} }}\n"
