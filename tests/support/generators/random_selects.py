"""Random Promela models in which processes choose each other, or numbers, by `select` and by loops that look like it.

``generate(seed)`` is a pure function.  Some loops only choose, some may block, never end, show their middle to others
or compute with what they chose; what becomes of the choice is symmetric, or is not.
"""

from __future__ import annotations

from random import Random


def generate(seed: int) -> str:
    random = Random(seed)
    n = random.choice((2, 2, 3))
    started = random.random() < 0.3
    first = 1 if started else 0
    size = n + first
    body = _body(random, first, size - 1)
    if random.random() < 0.15:
        body = f"end: {body}" if random.random() < 0.5 else f"progress: {body}"
    lines = [
        f"#define LAST {size - 1}", f"#define FIRST {first}",
        f"byte to = {random.choice((size, 0))}, x, top = {size - 1}; bool flag[{size + 1}];",
        f"chan c = [{random.choice((0, 1, 1))}] of {{ byte }};", "inline pick(v) { select(v : FIRST .. LAST) }",
    ]  # fmt: skip
    provided = " provided (x < 3)" if random.random() < 0.05 else ""
    head = "proctype P()" if started else f"active [{n}] proctype P()"
    lines += [f"{head}{provided} {{ byte i, j; {random.choice(('', 'x = 1 - x;', 'skip;'))}", body, "}"]
    if random.random() < 0.15:
        lines += [f"active proctype Q() {{ assert(P[{first}]:i < {random.choice((1, 9))}) }}"]
    if started:
        runs = "; ".join(["run P()"] * n)
        lines += [f"init {{ atomic {{ {runs} }} }}" if random.random() < 0.6 else f"init {{ {runs} }}"]
    return "\n".join(lines) + "\n"


def _body(random: Random, first: int, last: int) -> str:
    options = [f"  :: {_choice(random, first, last)}; {_use(random)}" for _ in range(random.choice((1, 1, 2)))]
    options += [f"  :: {_use(random)}" for _ in range(random.choice((0, 1)))]
    if random.random() < 0.3:
        options.append(f"  :: to == i -> {random.choice(('break', 'assert(!flag[i])', 'skip'))}")
    loop = "\n".join(["do", *options, "  od"])
    if random.random() < 0.5:
        loop = "\n".join([_choice(random, first, last) + ";", _use(random) + ";", _use(random)])
    return f"  {{ {loop} }} unless {{ x == 2 }}" if random.random() < 0.08 else f"  {loop}"


def _choice(random: Random, first: int, last: int) -> str:
    v = random.choice(("i", "i", "j"))
    plain = [
        f"select({v} : FIRST .. LAST)", f"select({v} : FIRST + 0 .. LAST)", f"pick({v})",
        f"{v} = FIRST; do :: {v} < LAST -> {v}++ :: break od", f"{v} = LAST; do :: {v} > FIRST -> {v}-- :: break od",
        f"{v} = FIRST; do :: {v} != LAST -> {v} = {v} + 1 :: {v} < LAST + 1 -> break od",
        f"{v} = FIRST; do :: break :: {v} < LAST -> {v}++ :: {v} == FIRST -> {v} = LAST od",
    ]  # fmt: skip
    strange = [
        f"select({v} : FIRST .. top)", f"{v} = FIRST; do :: {v} < LAST -> {v}++ :: {v} < LAST -> break od",
        f"{v} = FIRST; do :: {v} < LAST -> {v}++ :: else -> break od", f"{v} = FIRST; do :: {v} = 1 - {v} :: break od",
        f"{v} = FIRST; do :: {v} < LAST -> {v}++; x = {v} :: break od", f"select(to : FIRST .. LAST); {v} = to",
        f"{v} = FIRST; do :: {v} < LAST -> {v}++ :: flag[{v}] -> break :: break od",
        f"select({v} : FIRST .. LAST - 1)", f"select({v} : FIRST + 1 .. LAST)", f"{v} = FIRST; do :: skip :: break od",
    ]  # fmt: skip
    text = random.choice(plain if random.random() < 0.75 else strange)
    wrap = random.random()
    before = random.choice(("", "", "c?j; ", "x < 2; ", "j = i; "))
    if wrap < 0.2:
        return f"atomic {{ {before}{text} }}"
    if wrap < 0.27 and "c?" not in before:
        return f"d_step {{ {before}{text} }}"
    return before + text


def _use(random: Random) -> str:
    v = random.choice(("i", "i", "j"))
    even = [
        f"flag[{v}] = 1 - flag[{v}]", f"to = {v}", f"c!{v}", f"c?{v}", f"flag[{v}] -> flag[{v}] = 0", f"{v} == _pid",
        f"if :: {v} == _pid -> x = 1 :: else -> x = 0 fi", f"to == _pid -> to = {v}", "i = j", "assert(!flag[_pid])",
        f"assert({v} == _pid || !flag[{v}])", f"atomic {{ !flag[{v}] -> flag[{v}] = 1 }}", "to != _pid",
        "to == i -> x = 1",
    ]  # fmt: skip
    odd = [f"x = {v}", f"{v} > _pid -> x = 1 - x", f"assert({v} < LAST)", f"{v}++", "flag[FIRST] = 1", "i = FIRST"]
    return random.choice(even if random.random() < 0.85 else odd)
