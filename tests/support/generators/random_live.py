"""Random tiny Promela models with labels, and random formulas about them; ``generate(seed)`` is a pure function."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

LTL_UNARY = ("!", "[]", "<>", "[]<>", "<>[]")
LTL_BINARY = ("&&", "||", "->", "U", "V", "W")


@dataclass(frozen=True)
class Live:
    text: str  # the model, without a claim
    formula: str


def generate(seed: int, next_too: bool = True, queues: bool = False) -> Live:
    if queues:
        return with_queues(Random(seed), next_too)
    random = Random(seed)
    n = random.choice([2, 2, 2, 3])
    channel = random.random() < 0.3
    lines = ["byte x;", f"bool b[{n}];", *(["chan c = [0] of { bit };"] if channel else [])]
    lines += [f"active [{n}] proctype P() {{", "    bit y;", *body(random, channel, "P"), "}"]
    if n == 2 and random.random() < 0.5:
        lines += ["active proctype Q() {", "    bit y;", *body(random, channel, "Q"), "}"]
    return Live("\n".join(lines) + "\n", wish(random, n, next_too))


def with_queues(random: Random, next_too: bool) -> Live:
    """Processes that meet at queues: here it matters who waits for room, for a message, or for a partner."""
    n = random.choice([2, 2, 3])
    sizes = [random.choice([0, 1, 1, 2]) for _ in range(2)]
    lines = ["byte x;", f"bool b[{n}];", *(f"chan q{i} = [{size}] of {{ bit }};" for i, size in enumerate(sizes))]
    lines += [f"active [{n}] proctype P() {{", "    bit y;", *queue_body(random, "P"), "}"]
    for name in ("Q", "R")[: random.choice([1, 1, 2]) if n == 2 else 1]:
        lines += [f"active proctype {name}() {{", "    bit y;", *queue_body(random, name), "}"]
    return Live("\n".join(lines) + "\n", wish(random, n, next_too))


def queue_body(random: Random, name: str) -> list[str]:
    lines = [f"    {queue_effect(random, name)};"] if random.random() < 0.3 else []
    lines.append(f"{label(random)}    do")
    for number in range(random.randint(1, 2)):
        first = random.choice(["q0!1", "q1!1", "q0?y", "q1?y", "q0?1", "q1??1", "y == 0", "true", "x == 1"])
        rest = [queue_effect(random, name) for _ in range(random.randint(0, 2))]
        mark = random.choice(["", "", f"accept{number}: ", f"progress{number}: "])
        lines.append(f"    :: {'; '.join([first, *rest])}; {mark}{effect(random, name)}")
    return [*lines, "    od;", f"there:    {effect(random, name)}"]


def queue_effect(random: Random, name: str) -> str:
    return random.choice(["q0!1", "q1!1", "q0?y", "q1?y", "y = 1 - y", effect(random, name), effect(random, name)])


def wish(random: Random, n: int, next_too: bool) -> str:
    """A formula of the kinds that people write, for which fairness matters; or any."""
    a, b = atom(random, n), atom(random, n)
    usual = [f"[]<> ({a})", f"<> ({a})", f"[] (({a}) -> <> ({b}))", f"<>[] ({a})", f"[]<> ({a}) -> []<> ({b})"]
    return random.choice([*usual, *[formula(random, n, random.randint(1, 4), next_too) for _ in usual]])


def body(random: Random, channel: bool, name: str) -> list[str]:
    lines = []
    if random.random() < 0.4:  # a loop without choices: here fairness decides
        steps = "; ".join(effect(random, name) for _ in range(random.randint(1, 3)))
        place = f"there: {effect(random, name)}"
        return [f"{label(random)}    do", f"    :: {guard(random, channel, name)} -> {steps}; {place}", "    od"]
    if random.random() < 0.3:
        lines.append(f"    {effect(random, name)};")
    lines.append(f"{label(random)}    do")
    for number in range(random.randint(1, 3)):
        lines.append(f"    :: {guard(random, channel, name)} -> {option(random, name, number)}")
    lines.append("    od;")
    lines.append(f"there:    {effect(random, name)}")
    return lines


def label(random: Random) -> str:
    return random.choice(["", "", "", "accept: ", "progress: ", "end: "])


def option(random: Random, name: str, number: int) -> str:
    first = effect(random, name)
    kind = random.random()
    if kind < 0.15:
        return f"{first}; break"
    if kind < 0.35:
        return f"atomic {{ {first}; {effect(random, name)} }}"
    if kind < 0.6:
        word = random.choice(["accept", "progress"])
        return f"{first}; {word}{number}: {effect(random, name)}"
    return first


def guard(random: Random, channel: bool, name: str) -> str:
    options = ["true", "true", "x == 0", "x == 1", "x < 2", "y == 0", "y == 1"]
    if name == "P":
        options += ["b[_pid]", "!b[_pid]"]
    if channel:
        options += ["c!1", "c?y", "c?1"]
    return random.choice(options)


def effect(random: Random, name: str) -> str:
    options = ["x = (x + 1) % 3", "x = 0", "x = 1", "y = 1 - y", "skip", "y = 0"]
    if name == "P":
        options += ["b[_pid] = 1 - b[_pid]", "b[_pid] = 1", "b[_pid] = 0"]
    return random.choice(options)


def atom(random: Random, n: int) -> str:
    some = " || ".join(f"b[{i}]" for i in range(n))
    every = " && ".join(f"b[{i}]" for i in range(n))
    there = " || ".join(f"P[{i}]@there" for i in range(n))
    one = random.randrange(n)
    return random.choice([
        "x == 0", "x == 1", "x > 1", f"({some})", f"({every})", f"({there})", f"b[{one}]", f"P[{one}]@there",
        f"P[{one}]:y == 1",
    ])  # fmt: skip


def formula(random: Random, n: int, size: int, next_too: bool) -> str:
    if size <= 1:
        return f"({random.choice(['', '!'])}({atom(random, n)}))"
    if random.random() < 0.5:
        operators = (*LTL_UNARY, "X") if next_too and random.random() < 0.2 else LTL_UNARY
        return f"({random.choice(operators)} {formula(random, n, size - 1, next_too)})"
    left = random.randint(1, size - 1)
    parts = formula(random, n, left, next_too), formula(random, n, max(size - 1 - left, 1), next_too)
    return f"({parts[0]} {random.choice(LTL_BINARY)} {parts[1]})"
