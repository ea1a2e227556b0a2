"""Random models of alike processes that all name each other, one way or another; some names are used as numbers."""

from __future__ import annotations

from random import Random

_NAMING = (
    "{k} != _pid -> box[{k}]!_pid",
    "box[{k}]!_pid",
    "{k} != me -> flag[{k}] = 1",
    "flag[{k}] && {k} != _pid -> last[_pid] = {k}; flag[{k}] = 0",
    "last[{k}] == _pid -> last[{k}] = 7",
    "{k} == _pid -> x = 1 - x",
    "box[{k}]?eval(_pid) -> x = 1 - x",
    "last[_pid] != {k} -> last[_pid] = last[{k}]; x = 1",
)
_SHARED = (
    "flag[_pid] -> flag[_pid] = 0; x = 1 - x",
    "box[_pid]?q -> last[_pid] = q",
    "box[_pid]?q -> if :: q == _pid -> x = 0 :: else -> last[q] = _pid fi",
    "d_step { i = 0; do :: i < N -> if :: i != _pid && flag[i] -> s = s + 1 :: else fi; i = i + 1 :: else -> break od;"
    " i = 0; x = s > 0; s = 0 }",
    "d_step { i = 0; do :: i < N -> flag[i] = 0; i = i + 1 :: else -> break od; i = 0 }",
    "atomic { i = 0; do :: i < N -> if :: last[i] == _pid -> last[i] = 7 :: else fi; i = i + 1 :: else -> break od;"
    " i = 0 }",
    "x = 1 - x; assert(flag[me] < 2)",
    "me == _pid -> flag[me] = !flag[me]",
)
_TELLING = (
    "_pid > 0 -> x = 1",
    "x = _pid % 2",
    "flag[(_pid + 1) % N] -> x = 0",
    "_pid == 1 -> x = 1",
    "flag[0] -> x = 1 - x",
    "number == 1 -> x = 1",
    "x = number % 2",
    "flag[number] -> flag[number] = 0",
    "last[_pid] = number",
    "box[0]!number",
    "last[_pid] > 1 -> last[_pid] = 0",
    "_pid -> x = 1",
    "x = flag[me + 0]",
)


def generate(seed: int) -> str:
    random = Random(seed)
    n = random.choice((2, 3, 3, 4))
    options = [text.replace("{k}", str(k)) for text in random.sample(_NAMING, random.randint(0, 2)) for k in range(n)]
    if random.random() < 0.15 and options:
        options.pop(random.randrange(len(options)))
    options += random.sample(_SHARED, random.randint(1, 3))
    options += random.sample(_TELLING, random.choice((0, 0, 0, 1, 1, 2)))
    random.shuffle(options)
    body = "\n  ".join(f":: {option}" for option in options)
    locals_ = "byte i, s; pid q; byte me = _pid;"
    head = f"#define N {n}\nchan box[N] = [1] of {{ byte }}; bool flag[N]; byte last[N] = 7; byte x;\n"
    if "number" in body:
        values = random.choice((list(range(n)), [0] * n, list(range(1, n + 1)), random.sample(range(n), n)))
        starts = " ".join(f"run P({value});" for value in values)
        return f"{head}proctype P(byte number) {{ {locals_}\n  do {body} od }}\ninit {{ atomic {{ {starts} }} }}\n"
    return f"{head}active [N] proctype P() {{ {locals_}\n  do {body} od }}\n"
