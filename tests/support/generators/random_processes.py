"""Random Promela models that terminate: variables, channels, rendezvous, atomic, d_step, else, timeout, run, _nr_pr."""

from __future__ import annotations

from random import Random


def generate(seed: int) -> str:
    random = Random(seed)
    chan = random.choice(("chan c = [1] of { byte };", "chan c = [0] of { byte };", "chan c = [2] of { byte };"))
    head = f"byte x, y, a[2];\nbool m;\n{chan}\n"
    shared = [statement(random, 1) for _ in range(random.randint(1, 2))]
    texts = []
    for name in ("P", "Q"):
        own = [statement(random, 1) for _ in range(random.choice((0, 1, 1, 2)))]
        body = "\n".join("  " + s for s in ["byte l;", *own, *shared])
        texts.append(f"proctype {name}() {{\n{body}\n}}\n")
    runs = random.choice((("P", "P"), ("P", "Q"), ("P", "Q"), ("Q", "P"), ("P", "P", "Q")))
    start = " ".join(f"run {p}();" for p in runs)
    last = random.choice(("", "", "(_nr_pr == 1);", "x = 1;", "timeout -> assert(x != 1);", "c!1;", "c?_;"))
    init = f"init {{ atomic {{ {start} }} {last} }}\n"
    if random.random() < 0.2:
        init = f"init {{ {start} {last} }}\n"
    return head + "".join(texts) + init


def statement(random: Random, depth: int) -> str:
    number, name = random.randrange(3), random.choice(("x", "y", "a[l % 2]", "a[1]", "a[x % 2]"))
    simple = [
        f"{name} = {number};", f"{name} = l + 1;", f"l = {name};", f"l = {name};", f"{name}++;", "c!l;", "c?l;", "c?1;",
        f"assert({name} != {number});", f"assert(l != {number});", f"({name} != {number});", "skip;",
        "atomic { !m -> m = true }; x = l; m = false;", f"a[_pid % 2] = {number};",
    ]  # fmt: skip
    if depth and random.random() < 0.3:
        inner = [statement(random, 0) for _ in range(2)]
        guard = random.choice((f"{name} == {number}", "l == 0", "len(c) == 0" if random.random() < 0.5 else "x > 0"))
        return random.choice((
            f"if :: {guard} -> {inner[0]} :: else -> {inner[1]} fi;",
            f"if :: {guard} -> {inner[0]} :: {inner[1]} fi;",
            f"atomic {{ {inner[0]} {inner[1]} }};",
            f"d_step {{ l = {name}; {random.choice(('x', 'y'))} = l + 1; }};",
        ))  # fmt: skip
    return random.choice(simple)
