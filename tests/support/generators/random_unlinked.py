"""Random symmetric models in which nothing that belongs to a process names one: what one sort can fold.

``unlinked(seed)`` is a pure function.  Only shared variables and messages in shared channels hold process numbers, or
values of a scalarset, if there is one.
"""

from __future__ import annotations

from random import Random

GUARDS = ("x == 1", "owner == _pid", "owner != _pid", "second == owner", "{flag}[_pid]", "!{flag}[_pid]", "k == 0",
          "count[_pid] < 2", "empty(post)", "nfull(post)", "({everybody})", "owner == {null}")  # fmt: skip
EFFECTS = ("x = 1 - x", "owner = _pid", "owner = {null}", "second = owner", "second = _pid", "k = 1 - k", "k = x",
           "{flag}[_pid] = !{flag}[_pid]", "count[_pid] = (count[_pid] + 1) % 3", "skip")  # fmt: skip
MESSAGES = ("post!_pid, k", "post!owner, x", "post?eval(_pid), k", "post?second, _", "post?_, k", "box[_pid]!x",
            "box[_pid]?k", "post??eval(_pid), _")  # fmt: skip
VALUE_GUARDS = ("common == rival", "common != rival", "rival != undefined", "seen[common]", "!seen[rival]")
VALUE_EFFECTS = ("rival = common", "seen[common] = 1", "seen[rival] = 0", "common = undefined")
VALUE_MESSAGES = ("data!x, common", "data?_, rival", "data??_, eval(common)", "select (common : Value)")


def option(random: Random, words: dict[str, str], values: int) -> str:
    guards, effects, messages = list(GUARDS), list(EFFECTS), list(MESSAGES)
    if values:
        guards += VALUE_GUARDS
        effects += VALUE_EFFECTS
        messages += 2 * VALUE_MESSAGES
    guard, effect = random.choice(guards), "; ".join(random.choices(effects, k=random.randint(1, 2)))
    text = random.choice((f"atomic {{ {guard} -> {effect} }}", f"{guard} -> {effect}", random.choice(messages),
                          f"atomic {{ {random.choice(messages)}; {effect} }}",
                          f"assert({guard} || {random.choice(guards)} || {random.choice(guards)})"))  # fmt: skip
    for word, value in words.items():
        text = text.replace("{" + word + "}", value)
    return "    :: " + text


def unlinked(seed: int, values: int = 0) -> str:
    random = Random(seed)
    sizes = [random.choice((1, 2, 2) if values else (2, 3, 4)) for _ in range(random.choice((1, 1, 2)))]
    before = random.choice((0, 0, 1, 14))  # others, with smaller process numbers
    style = random.choice(("active", "init", "late"))
    first = before + (style != "active")
    total = first + sum(sizes)
    null = total if style == "active" else 0
    lines = [
        f"bit x; pid owner = {null}; pid second = {null}; byte count[{total + 1}]; chan post = [2] of {{ pid, bit }};",
        f"chan box[{total + 1}] = [1] of {{ bit }};",
        *([f"scalarset({values}) Value; Value common; Value rival; bool seen[Value];"] if values else []),
        *(["chan data = [1] of { bit, Value };"] if values else []),
        *(f"active proctype other{i}() {{ end: do :: false od }}" for i in range(before)),
    ]
    runs = []
    for number, size in enumerate(sizes):
        start = first + sum(sizes[:number])
        flag = f"flag{number}"
        pids = range(start, start + size)
        words = {"flag": flag, "null": str(null), "everybody": " && ".join(f"!{flag}[{i}]" for i in pids)}
        options = [option(random, words, values) for _ in range(random.randint(2, 4))]
        head = f"active [{size}] proctype user{number}()" if style == "active" else f"proctype user{number}()"
        lines += [f"bool {flag}[{total + 1}];", head + " {", "    bit k;", "    do", *options, "    od", "}"]
        runs += [f"run user{number}();"] * size
    if style == "init":
        lines.append("init { atomic { " + " ".join(runs) + " } }")
    elif style == "late":
        lines.append("init { " + " ".join(runs) + " }")
    return "\n".join(lines) + "\n"
