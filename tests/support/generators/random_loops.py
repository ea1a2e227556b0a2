"""Random Promela models in which processes go round by themselves or send messages round: loops of partial orders.

Few steps are shared, so that most processes may move alone most of the time; whoever is left out for ever has an
assertion that can fail, or waits for what never comes.
"""

from __future__ import annotations

from random import Random

Lines = list[str]


def generate(seed: int) -> str:
    """Two to four processes; channels that go round, or that two of them share."""
    random = Random(seed)
    count = random.choice((2, 2, 3, 3, 4))
    ring = random.random() < 0.6
    capacity = random.choice((1, 1, 2))
    lines = ["byte x; bit y;", f"chan q[{count}] = [{capacity}] of {{ byte }};"]
    if random.random() < 0.15:
        lines += [f"trace {{ do :: q[0]?{random.choice(('0', '1', '_'))} :: q[0]?_ od }}"]
    if random.random() < 0.4:
        alike = _process(random, "P", ring, count, "inp", "out")
        lines += ["proctype P(chan inp, out) {", *alike, "}"]
        starts = [f"run P(q[{i}], q[{(i + 1) % count}])" for i in range(count)]
        lines += ["init { atomic { " + "; ".join(starts) + " } }"]
        return "\n".join(lines) + "\n"
    for i in range(count):
        body = _process(random, f"P{i}", ring, count, f"q[{i}]", f"q[{(i + 1) % count}]")
        lines += [f"active proctype P{i}() {{", *body, "}"]
    return "\n".join(lines) + "\n"


def _process(random: Random, name: str, ring: bool, count: int, inp: str, out: str) -> Lines:
    lines = ["  byte i; bit b;"]
    if ring and random.random() < 0.6:
        lines.append(f"  {out}!{random.choice(('0', '1', 'b'))};")
    for _ in range(random.choice((1, 1, 2))):
        lines += _loop(random, inp, out, f"{name}_{len(lines)}") if random.random() < 0.8 else [_step(random, inp, out)]
    if random.random() < 0.5:
        lines.append(f"  {random.choice(('assert(x < 2)', 'assert(i < 3)', 'assert(!y)', 'x++', 'y = 1', 'x == 1'))};")
    return lines


def _loop(random: Random, inp: str, out: str, label: str) -> Lines:
    steps = [_step(random, inp, out) for _ in range(random.choice((1, 2, 2, 3)))]
    match random.choice(("counted", "counted", "endless", "either", "goto", "atomic")):
        case "counted":
            bound = random.choice((1, 2, 2, 3))
            return ["  i = 0;", "  do", f"  :: i < {bound} -> i++;", *steps, "  :: else -> break", "  od;"]
        case "endless":
            return ["  do", "  :: b = 1 - b;", *steps, "  od;"]
        case "either":
            more = [_step(random, inp, out)]
            leave = random.choice(("true", "b", "x > 0"))
            return ["  do", "  :: b = 1 - b;", *steps, "  :: b = 0;", *more, f"  :: {leave} -> break", "  od;"]
        case "goto":
            leave = random.choice(("b", "i > 1", "x > 0"))
            return [f"{label}: b = 1 - b;", *steps, f"  if :: {leave} :: else -> goto {label} fi;"]
        case _:
            return ["  do", f"  :: atomic {{ i < 2 -> i++; {steps[0].strip()} }}", "  :: i == 2 -> break", "  od;"]


def _step(random: Random, inp: str, out: str) -> str:
    local = ("b = 1 - b", "skip", "i = 0", "b = 0", "(b == 0 || b == 1)")
    queue = (f"{inp}?b", f"{out}!b", f"{out}!1", f"{inp}?_", f"if :: {inp}?b :: nempty({inp}) -> skip fi")
    shared = ("x = 1", "x = 0", "y = 1 - y", "assert(x < 2)", "assert(!y)", "x < 2 -> x++", "if :: y :: else fi")
    kind = random.choice((local, local, queue, queue, queue, shared))
    return f"    {random.choice(kind)};"
