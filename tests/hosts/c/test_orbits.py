"""How often symmetry helps: as many executions as there are orbits, which brute force counts.

Two workers take jobs from a queue, under a lock, and add to a total, under another one.  Their group has order 2, and
still more than half of the executions can be saved: wherever they are alike again, what follows may be exchanged anew.
So of 4 orders with one job only one is left, and of 36 with three.  Where they remember what they did, they are alike
again less often.  More cannot be saved: the orbits are all that exchanges can make equal.  With a producer beside them,
who signals that there is something to do, 104 orders of one job fall into 24 orbits.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import NamedTuple, Protocol

import pytest

from isospin.engines.stateless.search import SearchRequest
from isospin.hosts.c.building import build
from isospin.hosts.c.building.compilers import find_compiler
from isospin.hosts.c.run import run
from tests.support import paths

pytest.importorskip("capstone")
pytest.importorskip("elftools")

from isospin.hosts.c.known import Places

FOLDER = paths.PROGRAMS / "c"
QUEUE, TOTALS = "queue", "totals"
MAIN, NOBODY = -1, -2


class Step(NamedTuple):
    """A worker or main, the lock under which it does something, and whom it wakes."""

    who: int
    lock: str
    wakes: int = NOBODY

    def renamed(self, to: tuple[int, ...]) -> Step:
        names = {MAIN: MAIN, NOBODY: NOBODY, **dict(enumerate(to))}
        return Step(names[self.who], self.lock, names[self.wakes])


Trace = tuple[tuple[Step, ...], ...]  # for each lock, who took it, in order


class Side(Protocol):
    """The state of a program: what may happen, and what there is to know about each worker."""

    @property
    def alike(self) -> tuple[object, ...]:
        """Workers of whom the same is known can take each other's place."""
        ...

    def steps(self) -> Iterator[tuple[Step, Side]]:
        """What may happen next."""
        ...


class Takers(NamedTuple):
    """Jobs that are left, the most that one worker had, and of each worker where it is, and how many it had."""

    left: int
    most: int
    alike: tuple[tuple[str, int], ...]
    counts: bool

    def steps(self) -> Iterator[tuple[Step, Takers]]:
        for who, (place, mine) in enumerate(self.alike):
            left, most, lock = self.left, self.most, TOTALS
            if place == "takes":
                lock, left = QUEUE, left - (left > 0)
                place = "adds" if self.left else "tells" if self.counts else "ended"
            elif place == "adds":
                place, mine = "takes", mine + self.counts
            elif place == "tells":
                place, most, mine = "ended", max(most, mine), 0
            else:
                continue
            workers = (*self.alike[:who], (place, mine), *self.alike[who + 1 :])
            yield Step(who, lock), Takers(left, most, workers, self.counts)


class Scanners(NamedTuple):
    """Names in the queue, what main has still to do, of each worker where it is and how many names it had; the most."""

    names: int
    main: tuple[str, ...]
    alike: tuple[tuple[str, int], ...]
    counts: bool = False
    most: int = 0

    def steps(self) -> Iterator[tuple[Step, Scanners]]:
        waiting = [who for who, (place, _) in enumerate(self.alike) if place == "waits"]
        if self.main == ("closes",):
            yield Step(MAIN, QUEUE), self._replace(main=(), alike=self.woken(waiting))
        elif self.main:
            for whom in waiting or [NOBODY]:
                woken = self.woken([whom])
                yield Step(MAIN, QUEUE, whom), self._replace(names=self.names + 1, main=self.main[1:], alike=woken)
        for who, (place, mine) in enumerate(self.alike):
            if place == "adds":
                yield Step(who, TOTALS), self.moved(who, "takes", mine + self.counts)
            elif place == "tells":
                yield Step(who, TOTALS), self.moved(who, "ended", 0)._replace(most=max(self.most, mine))
            elif place in ("takes", "woken"):
                there = "adds" if self.names else "waits" if self.main else "tells" if self.counts else "ended"
                yield Step(who, QUEUE), self.moved(who, there, mine)._replace(names=self.names - (self.names > 0))

    def woken(self, these: list[int]) -> tuple[tuple[str, int], ...]:
        return tuple(("woken" if who in these else place, mine) for who, (place, mine) in enumerate(self.alike))

    def moved(self, who: int, place: str, mine: int) -> Scanners:
        return self._replace(alike=(*self.alike[:who], (place, mine), *self.alike[who + 1 :]))


def executions(side: Side) -> Iterator[tuple[tuple[Step, ...], tuple[Side, ...]]]:
    """All of them: the steps, and the states on the way."""
    done = True
    for step, after in side.steps():
        done = False
        for steps, sides in executions(after):
            yield (step, *steps), (side, *sides)
    if done:
        yield (), (side,)


def trace(steps: tuple[Step, ...]) -> Trace:
    return tuple(tuple(step for step in steps if step.lock == each) for each in (QUEUE, TOTALS))


def orbits(first: Side) -> tuple[int, int]:
    """How many traces, and how many classes of them: what follows a state may be exchanged by what fixes it."""
    every = list(executions(first))
    same: dict[Trace, Trace] = {trace(steps): trace(steps) for steps, _ in every}

    def root(one: Trace) -> Trace:
        return one if same[one] == one else root(same[one])

    for steps, sides in every:
        for at, side in enumerate(sides):
            for to in permutations(range(len(side.alike))):
                if all(side.alike[to[who]] == known for who, known in enumerate(side.alike)):
                    image = (*steps[:at], *(step.renamed(to) for step in steps[at:]))
                    same[root(trace(steps))] = root(trace(image))
    return len(same), len({root(one) for one in same})


@cache
def built(name: str) -> tuple[Path, Places]:
    path = build.build([FOLDER / name if (FOLDER / name).exists() else paths.EXAMPLES / "c" / name], (), "gcc")
    return path, Places(path, build.runtime_library(find_compiler("gcc")))


def found(name: str, words: list[str]) -> tuple[int, ...]:
    """The executions without symmetry and with it."""
    path, places = built(name)
    asked = [SearchRequest(symmetry=kind, all_errors=True) for kind in ("none", "discovered")]
    return tuple(run(path, each, words, answers=places, options={"leaks": 0}).executions for each in asked)


@pytest.mark.parametrize(
    ("workers", "jobs", "counts", "known"),
    [(2, 1, False, (4, 1)), (2, 2, False, (12, 1)), (3, 1, False, (18, 1)), (2, 1, True, (10, 5)),
     (2, 2, True, (30, 7)), (3, 1, True, (156, 14))],
)  # fmt: skip
def test_as_many_executions_as_orbits(workers: int, jobs: int, counts: bool, known: tuple[int, int]) -> None:
    words = [str(workers), str(jobs), *(["counts"] if counts else [])]
    first = Takers(jobs, 0, (("takes", 0),) * workers, counts)
    assert found("takers.c", words) == known == orbits(first)


@pytest.mark.parametrize(
    ("workers", "files", "known"),
    [("2", 1, (104, 24)), ("2c", 1, (238, 95)), pytest.param("2", 2, (1564, 160), marks=pytest.mark.slow),
     pytest.param("3", 1, (2700, 69), marks=pytest.mark.slow)],
)  # fmt: skip
def test_as_many_executions_as_orbits_beside_a_producer(workers: str, files: int, known: tuple[int, int]) -> None:
    """A signal has as many outcomes as there are waiters: of those who are alike, one is enough."""
    first = Scanners(0, (*["gives"] * files, "closes"), (("takes", 0),) * int(workers[0]), workers[1:] == "c")
    assert found("scanners.c", [workers, *["needle"] * files]) == known == orbits(first)


def test_jobs_that_are_done_do_not_tell_workers_apart(tmp_path: Path) -> None:
    """They wrote to them without a lock, and nobody comes back to them."""
    (tmp_path / "file").write_text("hay needle hay\n")
    first = Scanners(0, ("gives", "closes"), (("takes", 0),) * 2)
    assert found("scanner.c", ["2", "needle", str(tmp_path / "file")]) == (104, 24) == orbits(first)


def test_blocks_that_were_freed_do_not_tell_workers_apart() -> None:
    """Each allocates for its name, and frees it: the orbits are those of workers who do not."""
    first = Scanners(0, ("gives", "closes"), (("takes", 0),) * 2)
    assert found("scanners.c", ["2m", "needle"]) == (104, 24) == orbits(first)


@pytest.mark.slow
def test_most_of_the_executions_of_a_scanner_of_trees_are_images(tmp_path: Path) -> None:
    """It also prints, and counts those who work: five locks.  A worker keeps the last name in a local variable whose
    address it gives away: an old one does not tell it apart."""
    (tmp_path / "file").write_text("hay needle hay\n")
    plain, symmetric = found("tree_scanner.c", ["needle", str(tmp_path / "file")])
    assert (plain, symmetric) == (6188, 1109)


@pytest.mark.slow
def test_no_orbit_is_lost_where_waiters_differ() -> None:
    """With two names they are alike less often than brute force knows; each orbit has an execution, or more."""
    traces, classes = orbits(Scanners(0, ("gives", "gives", "closes"), (("takes", 0),) * 2, counts=True))
    plain, symmetric = found("scanners.c", ["2c", "needle", "needle"])
    assert (plain, traces, classes) == (3572, 3572, 733)
    assert classes <= symmetric < plain // 4
