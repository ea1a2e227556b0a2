"""Threads that get a number: folding them loses no outcome.

The reference is a search without symmetry, and without indices.  Every outcome (a failure by its kind and line, or the
final values of all variables) must be that of an execution with symmetry, up to a renaming of the numbers; and whatever
is found with symmetry must be found without.
"""

from __future__ import annotations

import sys
from itertools import permutations, product
from pathlib import Path
from typing import Any

import pytest

from isospin.engines.stateless.protocol import Found
from isospin.engines.stateless.registry import explore
from isospin.engines.stateless.search import SearchRequest
from isospin.hosts.python.control.indices import Index, number
from isospin.hosts.python.program import Learnt, PythonProgram
from tests.support.generators import random_indices

MOST_EXECUTIONS = 400
FEW_EXECUTIONS = 20
Values = tuple[Any, ...]
Outcomes = set[Values]


class Watched(PythonProgram):
    """Writes down how each execution ends."""

    def __init__(self, file: str) -> None:
        super().__init__(file)
        self.outcomes: Outcomes = set()

    def stuck(self) -> Found | None:
        found = super().stuck()
        if not self.now.outcome.found:
            self.outcomes.add(("stuck",) if found else final_values())
        return None


def final_values() -> Values:
    """Of the variables of a random program: by kind, and with ordinary numbers."""
    space = vars(sys.modules["__main__"])
    flag = space["flag"]
    flags = tuple(flag[k] for k in sorted(flag)) if isinstance(flag, dict) else tuple(flag)
    cells = (tuple(map(ordinary, space["cell"])), tuple(map(ordinary, flags)))
    keyed = frozenset((ordinary(k), ordinary(v)) for k, v in space["d"].items())
    owners = tuple(ordinary(b.owner) for b in space["boxes"])
    indices = (
        ordinary(space["last"]),
        tuple(map(ordinary, space["order"])),
        frozenset(map(ordinary, space["members"])),
        ordinary(space["box"].owner),
    )
    return cells, keyed, owners, indices, (repr(ordinary(space["x"])), repr(ordinary(space["y"])))


def ordinary(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(map(ordinary, value))
    return number(value) if type(value) is Index else value


def renamed(values: Values, images: tuple[int, ...], moving: tuple[bool, ...] = (True, True)) -> Values:
    """What a renaming of numbers makes of an outcome; a list that is never used by index stays as it is."""

    def of(value: Any) -> Any:
        return images[value] if type(value) is int and 0 <= value < len(images) else value

    def moved(items: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(item for _, item in sorted(enumerate(items), key=lambda pair: of(pair[0])))

    cells, keyed, owners, (last, order, members, owner), plain = values
    return (
        tuple(moved(c) if moves else c for c, moves in zip(cells, moving, strict=True)),
        frozenset((of(k), v) for k, v in keyed),
        moved(tuple(map(of, owners))),
        (of(last), tuple(map(of, order)), frozenset(map(of, members)), of(owner)),
        plain,
    )


def outcomes(file: Path, search: str, symmetry: str, most: int | None = None) -> tuple[Outcomes, int]:
    host = Watched(str(file))
    asked = SearchRequest(all_errors=True, symmetry=symmetry, max_executions=most)
    try:
        for _ in range(60):
            host.memory.begin_search()
            host.outcomes.clear()
            try:
                result = explore(host, search, asked)
            except Learnt:
                continue
            if result.incomplete:
                return set(), 0
            if not host.memory.again:
                found = {(f.found.kind, f.found.location.line) for f in result.findings}
                return host.outcomes | found, result.executions
        raise AssertionError("it never stops learning")
    finally:
        host.close()


def compare(seed: int, folder: Path, most: int = MOST_EXECUTIONS) -> tuple[int, int] | None:
    """How many executions without and with symmetry; None if there are too many to compare."""
    file = folder / f"random_{seed}.py"
    file.write_text(random_indices.program(seed))
    want, whole = outcomes(file, "dpor", "none", most)
    if not whole:
        return None
    got, executions = outcomes(file, "dpor", "discovered")
    assert got <= want, f"seed {seed}: not an outcome of the program: {got - want}"
    text = file.read_text()
    threads = int(text.split("N = ")[1].split()[0])
    for values in want - got:
        renamings = [*product(permutations(range(threads)), product((True, False), repeat=2))]
        images = [renamed(values, p, moving) for p, moving in renamings] if len(values) == 5 else []
        assert any(image in got for image in images), f"seed {seed}: lost {values}"
    ends = sorted((v for v in want if len(v) == 5), key=repr)
    if ends and text.endswith("t.join()\n") and most > FEW_EXECUTIONS:
        file.write_text(text + refuted(ends[seed % len(ends)]))
        got, _ = outcomes(file, "dpor", "discovered")
        assert any(v[0] == "assertion" for v in got), f"seed {seed}: {ends[seed % len(ends)]} is not found"
    return whole, executions


def refuted(values: Values) -> str:
    """The claim that a program does not end like this."""
    (cell, flag), keyed, owners, (last, order, members, owner), (x, y) = values
    held = f"{last}, {list(order)}, {set(members)}, {owner}, {x!r}, {y!r}"
    return (
        "seen = [*cell], [flag[k] for k in range(N)], dict(d), [b.owner for b in boxes], last, order, members\n"
        "seen = (*seen, box.owner, repr(x), repr(y))\n"
        f"assert seen != ({list(cell)}, {list(flag)}, {dict(sorted(keyed))}, {list(owners)}, {held})\n"
    )


@pytest.mark.parametrize("start", range(0, 160, 40))
def test_nothing_is_lost(start: int, tmp_path: Path) -> None:
    found = [c for seed in range(start, start + 40) if (c := compare(seed, tmp_path, FEW_EXECUTIONS)) is not None]
    assert sum(executions < whole for whole, executions in found) >= 5


@pytest.mark.slow
@pytest.mark.parametrize("start", range(10_000, 20_000, 500))
def test_nothing_is_lost_in_many(start: int, tmp_path: Path) -> None:
    found = [c for seed in range(start, start + 500) if (c := compare(seed, tmp_path)) is not None]
    assert sum(executions < whole for whole, executions in found) >= 100
