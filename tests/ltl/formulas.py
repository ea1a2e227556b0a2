"""Formulas for tests: classic ones and random ones, as text in SPIN's syntax; words; and what SPIN makes of them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from random import Random

from isospin.core.model import BIT, Expr, Place, Temporal, Variable
from isospin.ltl.automaton import Buchi

NAMES = "pqr"
UNARY = ("!", "next", "eventually", "always")
BINARY = ("&&", "||", "until", "release", "implies", "weakuntil")
SYMBOL = {
    "!": "!", "next": "X", "eventually": "<>", "always": "[]", "&&": "&&", "||": "||", "until": "U", "release": "V",
    "implies": "->", "equivalent": "<->",
}  # fmt: skip
VARIABLES = {n: Place(Variable((n,), (0,), (), BIT, i, False)) for i, n in enumerate(NAMES)}
Word = Sequence[set[str]]


def letter(name: str) -> Temporal:
    return Temporal("atom", atom=VARIABLES[name])


def name_of(e: Expr) -> str:
    assert isinstance(e, Place)
    return e.variable.name


def f(op: str, *parts: Temporal | str) -> Temporal:
    return Temporal(op, tuple(letter(p) if isinstance(p, str) else p for p in parts))


def always(a: Temporal | str) -> Temporal:
    return f("always", a)


def eventually(a: Temporal | str) -> Temporal:
    return f("eventually", a)


# from Dwyer, Avrunin, Corbett 1999; Etessami and Holzmann 2000; Somenzi and Bloem 2000
CLASSIC = (
    always("p"), eventually("p"), f("until", "p", "q"), f("release", "p", "q"), f("weakuntil", "p", "q"),
    always(eventually("p")), eventually(always("p")), always(f("implies", "p", eventually("q"))),
    f("implies", always(eventually("p")), always(eventually("q"))),
    f("implies", eventually(always("p")), always(eventually("q"))),
    always(f("implies", "p", f("until", "q", "r"))), f("until", "p", f("until", "q", "r")),
    f("||", f("until", "p", "q"), f("until", "q", "r")), f("&&", eventually("p"), eventually("q")),
    f("&&", always(eventually("p")), always(eventually("q"))),
    f("!", f("until", "p", f("until", "q", "r"))),
    f("!", f("implies", always(eventually("p")), always(eventually("q")))),
    always(f("implies", "p", always("q"))), eventually(f("&&", "p", eventually("q"))),
    f("implies", eventually("r"), f("until", f("!", "p"), "r")),
    always(f("implies", f("&&", "q", f("!", "r")), f("weakuntil", "p", "r"))),
    f("weakuntil", f("!", "p"), f("weakuntil", "q", f("weakuntil", f("!", "r"), always("p")))),
    always(f("||", f("!", "q"), f("until", "p", "r"))), f("until", f("always", "p"), "q"),
)  # fmt: skip


def random_formula(random: Random, size: int, next_too: bool = True) -> Temporal:
    if size <= 1:
        return letter(random.choice(NAMES))
    if size == 2 or random.random() < 0.4:
        return f(
            random.choice([o for o in UNARY if next_too or o != "next"]), random_formula(random, size - 1, next_too)
        )
    left = random.randint(1, size - 2)
    op = "equivalent" if random.random() < 0.04 else random.choice(BINARY)
    return f(op, random_formula(random, left, next_too), random_formula(random, size - 1 - left, next_too))


def random_lasso(random: Random) -> tuple[Word, int]:
    length = random.randint(1, 7)
    return [{n for n in NAMES if random.random() < 0.5} for _ in range(length)], random.randrange(length)


def text(formula: Temporal) -> str:
    """In SPIN's syntax, which has no W on its command line."""
    if formula.atom is not None:
        return name_of(formula.atom)
    parts = [text(p) for p in formula.operands]
    if formula.op == "weakuntil":
        return f"(({parts[0]} U {parts[1]}) || ([] {parts[0]}))"
    if len(parts) == 1:
        return f"({SYMBOL[formula.op]} {parts[0]})"
    return f"({parts[0]} {SYMBOL[formula.op]} {parts[1]})"


def accepts(automaton: Buchi, word: Word, back: int) -> bool:
    """Is there an accepting run on the lasso?  Every node of the product is tried as the place where a cycle closes."""
    letters = [sum(1 << i for i, e in enumerate(automaton.atoms) if name_of(e) in w) for w in word]
    after: dict[tuple[int, int], list[tuple[int, int]]] = {}
    todo = [(0, 0)]
    while todo:
        node = todo.pop()
        if node not in after:
            i, q = node
            following = i + 1 if i + 1 < len(word) else back
            after[node] = [(following, t) for cube, t in automaton.edges[q] if cube.holds(letters[i])]
            todo += after[node]
    return any(q in automaton.accepting and reaches(after, (i, q)) for i, q in after)


def reaches(after: dict[tuple[int, int], list[tuple[int, int]]], node: tuple[int, int]) -> bool:
    todo, seen = list(after[node]), set(after[node])
    while todo:
        here = todo.pop()
        if here == node:
            return True
        for there in after[here]:
            if there not in seen:
                seen.add(there)
                todo.append(there)
    return False


def spin_size(formula: Temporal) -> int | None:
    """How many states SPIN's automaton has; None if SPIN does not answer in time."""
    try:
        done = subprocess.run(["spin", "-f", text(formula)], capture_output=True, text=True, timeout=20, check=False)
    except subprocess.TimeoutExpired:
        return None
    out = done.stdout
    labels = set(re.findall(r"^(\w+):", out, re.MULTILINE))
    if "accept_all" in labels and len(labels) > 1 and "goto accept_all" not in out and "assert" not in out:
        labels.discard("accept_all")  # SPIN writes it even where nothing leads there
    return len(labels) or None
