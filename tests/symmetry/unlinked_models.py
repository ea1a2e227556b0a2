"""Random symmetric models in which nothing that belongs to a process names one: what one sort can fold.

``unlinked(seed)`` is a pure function.  Only shared variables and messages in shared channels hold process numbers.
"""

from __future__ import annotations

from random import Random

GUARDS = ("x == 1", "owner == _pid", "owner != _pid", "second == owner", "{flag}[_pid]", "!{flag}[_pid]", "k == 0",
          "count[_pid] < 2", "empty(post)", "nfull(post)", "({everybody})", "owner == {null}")  # fmt: skip
EFFECTS = ("x = 1 - x", "owner = _pid", "owner = {null}", "second = owner", "second = _pid", "k = 1 - k", "k = x",
           "{flag}[_pid] = !{flag}[_pid]", "count[_pid] = (count[_pid] + 1) % 3", "skip")  # fmt: skip
MESSAGES = ("post!_pid, k", "post!owner, x", "post?eval(_pid), k", "post?second, _", "post?_, k", "box[_pid]!x",
            "box[_pid]?k", "post??eval(_pid), _")  # fmt: skip


def option(random: Random, words: dict[str, str]) -> str:
    guard, effect = random.choice(GUARDS), "; ".join(random.choices(EFFECTS, k=random.randint(1, 2)))
    text = random.choice((f"atomic {{ {guard} -> {effect} }}", f"{guard} -> {effect}", random.choice(MESSAGES),
                          f"atomic {{ {random.choice(MESSAGES)}; {effect} }}",
                          f"assert({guard} || {random.choice(GUARDS)} || {random.choice(GUARDS)})"))  # fmt: skip
    for word, value in words.items():
        text = text.replace("{" + word + "}", value)
    return "    :: " + text


def unlinked(seed: int) -> str:
    random = Random(seed)
    sizes = [random.choice((2, 3, 4)) for _ in range(random.choice((1, 1, 2)))]
    before = random.choice((0, 0, 1, 14))  # others, with smaller process numbers
    style = random.choice(("active", "init", "late"))
    first = before + (style != "active")
    total = first + sum(sizes)
    null = total if style == "active" else 0
    lines = [
        f"bit x; pid owner = {null}; pid second = {null}; byte count[{total + 1}]; chan post = [2] of {{ pid, bit }};",
        f"chan box[{total + 1}] = [1] of {{ bit }};",
        *(f"active proctype other{i}() {{ end: do :: false od }}" for i in range(before)),
    ]
    runs = []
    for number, size in enumerate(sizes):
        start = first + sum(sizes[:number])
        flag = f"flag{number}"
        pids = range(start, start + size)
        words = {"flag": flag, "null": str(null), "everybody": " && ".join(f"!{flag}[{i}]" for i in pids)}
        options = [option(random, words) for _ in range(random.randint(2, 4))]
        head = f"active [{size}] proctype user{number}()" if style == "active" else f"proctype user{number}()"
        lines += [f"bool {flag}[{total + 1}];", head + " {", "    bit k;", "    do", *options, "    od", "}"]
        runs += [f"run user{number}();"] * size
    if style == "init":
        lines.append("init { atomic { " + " ".join(runs) + " } }")
    elif style == "late":
        lines.append("init { " + " ".join(runs) + " }")
    return "\n".join(lines) + "\n"
