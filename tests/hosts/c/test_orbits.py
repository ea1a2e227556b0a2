"""How often symmetry helps: as many executions as there are orbits, which brute force counts.

Two workers take jobs from a queue, under a lock, and add to a total, under another one.  Their group has order 2, and
still more than half of the executions can be saved: wherever they are alike again, what follows may be exchanged anew.
So of 4 orders with one job only one is left, and of 36 with three.  Where they remember what they did, they are alike
again less often.  More cannot be saved: the orbits are all that exchanges can make equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import NamedTuple

import pytest

from isospin.engines.stateless.search import SearchRequest
from isospin.hosts.c.building import build
from isospin.hosts.c.building.compilers import find_compiler
from isospin.hosts.c.run import run
from tests.support import paths

pytest.importorskip("capstone")
pytest.importorskip("elftools")

from isospin.hosts.c.known import Places

SOURCE = paths.PROGRAMS / "c" / "takers.c"
QUEUE, TOTALS = "queue", "totals"
Step = tuple[int, str]  # a worker, and the lock under which it does something
Trace = tuple[tuple[int, ...], ...]  # for each lock, who took it, in order


class World(NamedTuple):
    """Jobs that are left, the most that one worker had, and of each worker where it is, and how many it had."""

    left: int
    most: int
    workers: tuple[tuple[str, int], ...]

    def step(self, who: int, counts: bool) -> tuple[World, str]:
        place, mine = self.workers[who]
        left, most, lock = self.left, self.most, TOTALS
        if place == "takes":
            lock, left = QUEUE, left - (left > 0)
            place = "adds" if self.left else "tells" if counts else "ended"
        elif place == "adds":
            place, mine = "takes", mine + counts
        else:
            place, most, mine = "ended", max(most, mine), 0
        return World(left, most, (*self.workers[:who], (place, mine), *self.workers[who + 1 :])), lock


def executions(world: World, counts: bool) -> Iterator[tuple[tuple[Step, ...], tuple[World, ...]]]:
    """All of them: the steps, and the states on the way."""
    alive = [who for who, (place, _) in enumerate(world.workers) if place != "ended"]
    if not alive:
        yield (), (world,)
    for who in alive:
        after, lock = world.step(who, counts)
        for steps, worlds in executions(after, counts):
            yield ((who, lock), *steps), (world, *worlds)


def trace(steps: tuple[Step, ...]) -> Trace:
    return tuple(tuple(who for who, lock in steps if lock == each) for each in (QUEUE, TOTALS))


def orbits(workers: int, jobs: int, counts: bool) -> tuple[int, int]:
    """How many traces, and how many classes of them: what follows a state may be exchanged by what fixes it."""
    first = World(jobs, 0, (("takes", 0),) * workers)
    every = list(executions(first, counts))
    same: dict[Trace, Trace] = {trace(steps): trace(steps) for steps, _ in every}

    def root(one: Trace) -> Trace:
        return one if same[one] == one else root(same[one])

    for steps, worlds in every:
        for at, world in enumerate(worlds):
            for to in permutations(range(workers)):
                if all(world.workers[to[who]] == world.workers[who] for who in range(workers)):
                    image = (*steps[:at], *((to[who], lock) for who, lock in steps[at:]))
                    same[root(trace(steps))] = root(trace(image))
    return len(same), len({root(one) for one in same})


@cache
def built() -> tuple[Path, Places]:
    path = build.build([SOURCE], (), "gcc")
    return path, Places(path, build.runtime_library(find_compiler("gcc")))


@pytest.mark.parametrize(
    ("workers", "jobs", "counts", "known"),
    [(2, 1, False, (4, 1)), (2, 2, False, (12, 1)), (3, 1, False, (18, 1)), (2, 1, True, (10, 5)),
     (2, 2, True, (30, 7)), (3, 1, True, (156, 14))],
)  # fmt: skip
def test_as_many_executions_as_orbits(workers: int, jobs: int, counts: bool, known: tuple[int, int]) -> None:
    path, places = built()
    words = [str(workers), str(jobs), *(["counts"] if counts else [])]
    asked = [SearchRequest(symmetry=kind, all_errors=True) for kind in ("none", "discovered")]
    every, folded = (run(path, each, words, answers=places, options={"leaks": 0}) for each in asked)
    assert (every.executions, folded.executions) == known == orbits(workers, jobs, counts)
    assert folded.executions < (folded.orbit_sum or 0) <= every.executions  # what is alike again later is not in it
