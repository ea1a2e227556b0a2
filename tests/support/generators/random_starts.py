"""Random models of alike processes that begin differently: parameters, initial values, started one by one, some ended.

Small enough for brute force.  What tells processes apart for ever (a constant, `_pid`, arithmetic) is among it.
"""

from __future__ import annotations

from random import Random

CELLS = 3


def generate(seed: int) -> str:
    random = Random(seed)
    count = random.choice((2, 3, 3))
    way = random.choice(("active", "atomic", "one by one", "one by one", "loop"))
    me = "_pid" if way == "active" or random.random() < 0.15 else "me"
    cells = ", ".join(str(random.randrange(2)) for _ in range(CELLS))
    turn = random.randrange(2)
    head = [f"byte cell[{CELLS}] = {{ {cells} }};", f"byte turn = {turn}, x;", "chan c = [2] of { byte };"]
    if me == "_pid" and way != "active":
        head[0] = f"byte cell[{CELLS + 2}];"
    body = [_statement(random, me) for _ in range(random.randint(2, 4))]
    if random.random() < 0.3:
        body = ["do", *[f":: skip; {s.rstrip(';')}" for s in body], ":: break", "od;"]
    text = "\n  ".join(["byte l;", *body, *_ending(random, me)])
    if way == "active":
        return "\n".join([*head, f"active [{count}] proctype P() {{\n  {text}\n}}\n"])
    parameter = "byte me" if me == "me" else "byte unused"
    head.append(f"proctype P({parameter}) {{\n  {text}\n}}")
    return "\n".join([*head, _init(random, count, way)])


def _init(random: Random, count: int, way: str) -> str:
    order = random.sample(range(count), count)
    starts = [f"run P({i});" for i in order]
    if random.random() < 0.2:  # a channel of its own, which everybody may have
        return f"init {{ chan own = [1] of {{ byte }}; c = own; atomic {{ {' '.join(starts)} }} }}\n"
    if way == "loop":
        return f"init {{ byte i; do :: i < {count} -> run P(i); i++ :: else -> break od }}\n"
    if way == "one by one":
        between = random.choice(("", "", "x = 1;", "c!0;"))
        return f"init {{ {f' {between} '.join(starts)} }}\n"
    return f"init {{ atomic {{ {' '.join(starts)} }} }}\n"


def _statement(random: Random, me: str) -> str:
    mine, number = f"cell[{me}]", random.randrange(2)
    return random.choice((
        f"{mine} = 1 - {mine};", f"{mine} = l;", f"l = {mine};", f"turn = {me};", f"(turn != {me});",
        f"(turn == {me});", "x++;", "x = 0;", f"({mine} == {number});", "l = 1;", "atomic { x == 0 -> x = 1 };",
        f"c!{me};", "c?l; l = 0;",
        f"if :: {mine} == 1 -> x = 1 :: else fi;", f"if :: turn == {me} -> l = 1 :: else -> x++ fi;", f"c?eval({me});",
    ))  # fmt: skip


def _ending(random: Random, me: str) -> list[str]:
    return random.choice((
        [], [], ["assert(x < 2);"], [f"assert(cell[{me}] == 0 || x > 0);"], [f"assert(turn != {me} || l == 0);"],
        ["assert(l == 0);"], [f"if :: {me} == 1 -> x = 2 :: else fi;"], ["x = x * 2; x = x % 3;"],
    ))  # fmt: skip
