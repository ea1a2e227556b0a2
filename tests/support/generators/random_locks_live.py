"""Random tiny models whose processes take locks and give them back for ever, and formulas about them.

`generate(seed)` is a pure function.  The sections are those of `random_locks`, in loops that may be left, with labels
and with steps between them that need no lock.
"""

from __future__ import annotations

from random import Random

from .random_live import LTL_BINARY, LTL_UNARY, Live
from .random_locks import ODD, Writer

HEAD = """typedef Node { bool locked; bit val; Node *next }
Node *g0, *g1;
bool busy, other;
bit n, x;
"""
TAKE = (
    "atomic { !{p}->locked -> {p}->locked = true }", "atomic { !busy -> busy = true }",
    "d_step { {p}->locked == 0 -> {p}->locked = 1 }", "atomic { !busy && n == 0 -> busy = true }",
    "atomic { !busy && !other -> busy = true; other = true }", "atomic { n == 1 && !busy -> busy = true }",
)  # fmt: skip
TOUCH = (
    "{p}->val = 1 - {p}->val", "{p}->val = n", "n = 1 - n", "n = {p}->val", "{p}->val = 0", "n = 0",
    "{p}->next = new Node", "{p}->next = null", "if :: {p}->val == 1 -> n = 1 :: else -> {p}->val = 1 fi",
    "atomic { {p}->val = 1; n = 1; {p}->val = 0 }", "x = {p}->val", "x = 1 - x", "assert({p}->locked || busy)",
)  # fmt: skip
OPEN = ("x = 1 - x", "x = 0", "x = n", "n = 1 - n", "skip", "x == 1", "g1 = p", "p = g1", "p = g0", "p = new Node",
        "x = g0->val", "!busy", "if :: busy -> x = 1 :: else fi")  # fmt: skip
START = ("g0 = new Node; g1 = g0", "g0 = new Node; g1 = new Node")


class LoopWriter(Writer):
    """Sections with numbers of one bit, so that models stay small, and never without an object."""

    takes, touches, odd = TAKE, TOUCH, tuple(line.replace("= 2", "= 1") for line in ODD)

    def loop(self) -> list[str]:
        pick, chance = self.random.choice, self.random.random
        lines = [pick(("p = g0", "p = g0", "p = g1", "p = new Node")), f"{pick(('', '', 'accept: ', 'progress: '))}do"]
        for number in range(pick((1, 1, 2))):
            body = self.section(pick((1, 1, 2)), second=False)
            if chance() < 0.4:
                body.insert(pick((0, len(body))), pick(OPEN))
            if chance() < 0.25:
                body = self.spoil(body)
            mark = pick(("", "", f"in{number}: ", f"progress{number}: ", f"accept{number}: "))
            body[-1] = mark + body[-1]
            lines.append(":: " + "; ".join([*body, *(["break"] if chance() < 0.15 else [])]))
        return [*lines, "od", f"there: {pick(OPEN[:5])}"]


def generate(seed: int) -> Live:
    random = Random(seed)
    writer = LoopWriter(random)
    bodies = [writer.loop() for _ in range(random.choice((1, 1, 2)))]
    counts = [random.choice((1, 2, 2)), 1] if len(bodies) == 1 else [1, 1]
    if len(bodies) == 1 and counts[0] == 1:
        bodies.append(writer.loop())
    text = HEAD
    for i, lines in enumerate(bodies):
        text += f"proctype P{i}()\n{{\n\tNode *p, *q = g1;\n\t" + ";\n\t".join(lines).replace("do;", "do") + "\n}\n"
    runs = [f"run P{i}()" for i in range(len(bodies)) for _ in range(counts[i])]
    text += f"init {{ atomic {{ {random.choice(START)}; {'; '.join(runs)} }} }}\n"
    return Live(text, _wish(random))


def _wish(random: Random) -> str:
    """A formula of the kinds that people write, or any."""
    a, b = _atom(random), _atom(random)
    usual = [f"[]<> ({a})", f"<> ({a})", f"[] (({a}) -> <> ({b}))", f"<>[] ({a})", f"[]<> ({a}) -> []<> ({b})"]
    return random.choice([*usual, *[_formula(random, random.randint(2, 3)) for _ in usual[2:]]])


def _atom(random: Random) -> str:
    """Mostly what no lock protects: what a formula looks at is protected by none."""
    seen = ("x == 1", "x == 1", "x == 0", "P0[1]@there", "g0 == g1", "x == 1 && P0[1]@there")
    return random.choice(seen if random.random() < 0.8 else ("n == 1", "busy", "g0->val == 1", "P0[1]:p == g0"))


def _formula(random: Random, size: int) -> str:
    if size <= 1:
        return f"({random.choice(('', '!'))}({_atom(random)}))"
    if random.random() < 0.6:
        return f"({random.choice(LTL_UNARY)} {_formula(random, size - 1)})"
    return f"({_formula(random, 1)} {random.choice(LTL_BINARY)} {_formula(random, size - 1)})"
