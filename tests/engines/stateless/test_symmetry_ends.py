"""Symmetry leaves out no end of a program: random programs whose threads are alike in part, with and without symmetry.

Memory holds no names of threads here, so that an exchange of threads leaves the memory at the end as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from isospin.engines.stateless.registry import explore
from isospin.engines.stateless.search import SearchRequest
from isospin.hosts.memory import MemoryCell, MemoryCode, MemoryInstruction, MemoryProgram

I = MemoryInstruction  # noqa: E741
NOTHING = I("read", MemoryCell("constant"))  # which nobody writes: it depends on nothing
LOCK = MemoryCell("lock")


class Ends(MemoryProgram):
    """Remembers the memory at the end of each execution."""

    def __init__(self, code: MemoryCode) -> None:
        self.ends: set[tuple[Any, ...]] = set()
        super().__init__(code)

    def stuck(self) -> Any:
        self.ends.add(self.state[0])
        return super().stuck()


def instruction(random: Random, shared: list[str]) -> MemoryInstruction:
    place = MemoryCell(random.choice(shared))
    match random.choice(("read", "write", "add", "read", "write", "nothing")):
        case "read":
            return I("read", place)
        case "write":
            return I("write", place, value=random.randint(1, 3))
        case "add":
            return I("add", place, value=1)
    return NOTHING


def thread(random: Random, shared: list[str]) -> tuple[MemoryInstruction, ...]:
    code = [instruction(random, shared) for _ in range(random.randint(1, 3))]
    if random.random() < 0.5:
        code.insert(0, NOTHING)
    if random.random() < 0.5:
        code.insert(random.randint(0, len(code)), I("skip", value=random.randint(0, 2), jump=1))
    if random.random() < 0.2:
        code = [I("lock", LOCK), *(i._replace(jump=0) for i in code), I("unlock", LOCK)]
    return tuple(code)


def program(random: Random) -> MemoryCode:
    shared = ["x", "y"][: random.choice((1, 2))]
    threads = [thread(random, shared)] * random.choice((2, 2, 3))
    others = (0, 1) if len(threads) == 3 else (0, 1, 1, 2)
    threads += [thread(random, shared) for _ in range(random.choice(others))]
    random.shuffle(threads)
    return MemoryCode({"x": (0,), "y": (0,), "constant": (0,), "lock": (0,)}, tuple(threads))


def ends(code: MemoryCode, symmetry: str, most: int) -> set[tuple[Any, ...]] | None:
    """None: too many executions."""
    explored = Ends(code)
    result = explore(explored, "dpor", SearchRequest(symmetry=symmetry, max_executions=most))
    return None if result.incomplete else explored.ends


def lost(seeds: range, most: int) -> Iterator[tuple[int, set[tuple[Any, ...]]]]:
    for seed in seeds:
        code = program(Random(seed))
        wanted = ends(code, "none", most)
        if wanted is not None:
            found = ends(code, "discovered", most)
            if found != wanted:
                yield seed, wanted - (found or set())


@pytest.mark.parametrize("before", [(NOTHING,), ()])
def test_the_third_may_be_first(before: tuple[MemoryInstruction, ...]) -> None:
    """The second is left out as the image of the first, which sleeps; that the third may come before both must not be
    left to what is left out."""
    alike = (NOTHING, I("add", MemoryCell("x"), value=1))
    code = MemoryCode({"constant": (0,), "x": (0,)}, (alike, alike, (*before, I("write", MemoryCell("x"), value=5))))
    assert ends(code, "discovered", 100) == {(0, 5), (0, 6), (0, 7)}


def test_symmetry_loses_no_end() -> None:
    assert list(lost(range(400, 500), 100)) == []


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 11000, 1000))
def test_symmetry_loses_no_end_of_many(first: int) -> None:
    assert list(lost(range(first, first + 1000), 1000)) == []
