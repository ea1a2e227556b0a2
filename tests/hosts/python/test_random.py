"""Which accesses are visible is learnt, and the searches leave schedules out: neither may lose an outcome.

The reference is a plain search of every interleaving in which every access is visible; the outcomes are the final
values of all variables, and deadlocks.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from isospin.engines.stateless.ahead import AheadDpor
from isospin.engines.stateless.dpor import Dpor
from isospin.engines.stateless.protocol import Found
from isospin.engines.stateless.registry import explore
from isospin.engines.stateless.search import Search, SearchRequest, SearchResult
from isospin.hosts.python.explain import run_guided
from isospin.hosts.python.program import Learnt, PythonProgram
from isospin.hosts.python.stdlib.api import renamings
from tests.support.generators.random_python import program

Outcomes = set[tuple[str, ...]]
WAYS = [("dpor", "none"), ("optimal", "none"), ("dpor", "discovered"), ("auto", "none"), ("auto", "discovered")]
LOOK = "at_the_end = repr((x, y, d, items, more, nest, box.v))\n"  # what nobody reads has no order over graphs
MOST_EXECUTIONS, MOST_CLASSES = 150, 1000


class Watched(PythonProgram):
    """Writes down how each execution ends."""

    def __init__(self, file: str) -> None:
        super().__init__(file)
        self.outcomes: Outcomes = set()

    def stuck(self) -> Found | None:
        found = super().stuck()
        self.outcomes.add(("stuck",) if found else self.values())
        return None

    def values(self) -> tuple[str, ...]:
        space: dict[str, Any] = vars(sys.modules["__main__"])
        return tuple(repr(space[n]) for n in ("x", "y", "d", "items", "more", "nest")) + (repr(space["box"].v),)


def outcomes(
    file: Path, search: str, symmetry: str = "none", everything: bool = False, kind: type[Watched] = Watched
) -> tuple[Outcomes, int, str]:
    host = kind(str(file))
    try:
        run_guided(host, ())
        most = MOST_EXECUTIONS if search == "dfs" else MOST_CLASSES if everything else None
        declared = renamings(host.now) if symmetry == "declared" else ()
        asked = SearchRequest(
            all_errors=True, symmetry=symmetry, renamings=declared, max_executions=most, may_change=search == "auto"
        )
        if everything:
            inside = [n for n, place in enumerate(host.sites.places) if place.function]  # not in main
            host.memory.learnt.shared.update(inside)
        while True:
            host.memory.begin_search()
            host.outcomes.clear()
            try:
                result = explore(host, "dpor" if search == "auto" else search, asked)
            except Learnt:
                continue
            if not host.memory.again:
                return set(host.outcomes), result.executions, result.incomplete
    finally:
        host.close()


def compare(seed: int, folder: Path) -> bool:
    file = folder / f"random_{seed}.py"
    file.write_text(program(seed) + LOOK)
    want, whole, incomplete = outcomes(file, "dfs", everything=True)
    if incomplete:  # too many: then at least learning is compared with not learning
        want, whole, too_many = outcomes(file, "dpor", everything=True)
        if too_many:
            return False
    for search, symmetry in WAYS:
        got, executions, cut = outcomes(file, search, symmetry)
        assert not cut
        # Exchanging threads does not change the variables: symmetry may not lose an outcome either.
        assert want == got, f"seed {seed}, {search}, symmetry {symmetry}: {want ^ got}"
        assert executions <= whole
    return not incomplete


@pytest.mark.parametrize("start", range(0, 20, 10))
def test_nothing_is_lost(start: int, tmp_path: Path) -> None:
    complete = sum(compare(seed, tmp_path) for seed in range(start, start + 10))
    assert complete >= 2


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 11_000, 250))
def test_nothing_is_lost_in_many(start: int, tmp_path: Path) -> None:
    assert sum(compare(seed, tmp_path) for seed in range(start, start + 250)) >= 50


# ------------------------------------------------------------------------------------------------ whole executions

TOSSES = """
import threading, isospin

lock, found = threading.Lock(), []

def child(n):
    if isospin.toss(2):
        with lock:
            found.append(n)

def parent(n):
    with lock:
        found.append(-n)
    inner = threading.Thread(target=child, args=(n,))
    inner.start()
    if isospin.toss(n):
        inner.join()

threads = [threading.Thread(target=parent, args=(n,)) for n in (1, 2)]
for t in threads:
    t.start()
assert isospin.toss(2) == 0 or not found, "tossed"
for t in threads:
    t.join()
"""


def counted(file: Path, kind: type[Search], depth: int | None = None) -> tuple[SearchResult, list[str]]:
    host = PythonProgram(str(file))
    try:
        while True:
            host.memory.begin_search()
            try:
                result = kind(host, SearchRequest(all_errors=True, max_depth=depth)).run()
            except Learnt:
                continue
            if not host.memory.again:
                return result, sorted(f.found.message for f in result.findings)
    finally:
        host.close()


@pytest.mark.parametrize("text", [TOSSES, *(program(seed) for seed in range(20, 26))])
def test_whole_executions_are_those_that_are_made_step_by_step(text: str, tmp_path: Path) -> None:
    """The two ways to search are the same search."""
    file = tmp_path / "both.py"
    file.write_text(text)
    for depth in (None, 7):
        steps, found = counted(file, Dpor, depth)
        whole, same = counted(file, AheadDpor, depth)
        assert found == same
        assert steps.incomplete == whole.incomplete
        assert (steps.executions, steps.blocked, steps.transitions, steps.depth) == (
            whole.executions, whole.blocked, whole.transitions, whole.depth,
        )  # fmt: skip


# ------------------------------------------------------------------------------------------------ threads of threads

FAMILIES = """
import threading, isospin

class Family:
    def __init__(self):
        self.begun, self.signal = threading.Event(), threading.Event()
        self.parent = self.child = None

def child(mine, other):
    mine.signal.set()
    mine.child = other.signal.is_set()

def parent(mine, other):
    other.begun.set()
    threading.Thread(target=child, args=(mine, other)).start()
    mine.parent = mine.signal.is_set()

x, y = Family(), Family()
threads = [threading.Thread(target=parent, args=pair) for pair in ((x, y), (y, x))]
isospin.permutation(threads, [x, y], [x.begun, y.begun], [x.signal, y.signal])
for t in threads:
    t.start()
for t in threads:
    t.join()
"""


class Families(Watched):
    """The outcome without the order of the two families, which may change places."""

    def values(self) -> tuple[str, ...]:
        space: dict[str, Any] = vars(sys.modules["__main__"])
        return tuple(sorted(f"{family.parent} {family.child}" for family in (space["x"], space["y"])))


def test_children_do_not_stay_when_their_parents_change_places(tmp_path: Path) -> None:
    """Renamings name the parents only.  Taking the children for fixed loses the outcome in which all see a signal."""
    file = tmp_path / "families.py"
    file.write_text(FAMILIES)
    want, traces, _ = outcomes(file, "dpor", kind=Families)
    got, executions, _ = outcomes(file, "dpor", "declared", kind=Families)
    assert ("True True", "True True") in want
    assert got == want
    assert executions < traces
