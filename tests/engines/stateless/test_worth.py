"""When `dpor` is given up for a search over graphs: it finds the same, and never makes more executions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from isospin.engines.stateless.protocol import Op, Thread
from isospin.engines.stateless.registry import explore, may_change
from isospin.engines.stateless.search import ScheduleFinding, SearchRequest
from isospin.hosts.memory import MemoryCell, MemoryCode, MemoryInstruction, MemoryProgram
from tests.support import memory_programs
from tests.support.oracles import brute_executions
from tests.support.rich_programs import register_code, rich_code
from tests.support.searching import kinds, places, replayed, search

X = MemoryCell("x")
STORING = ("read", "write", "write", "check", "skip", "locked")


def storing(*threads: Sequence[int], last: MemoryInstruction | None = None) -> MemoryCode:
    """Threads that store these values to x, and one that loads it."""
    writers = tuple(tuple(MemoryInstruction("write", X, value=v) for v in values) for values in threads)
    return MemoryCode({"x": (0,)}, (*writers, (last or MemoryInstruction("read", X),)))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 8])
@pytest.mark.parametrize("symmetry", ["none", "discovered"])
@pytest.mark.parametrize("alike", [True, False])
def test_n_stores_twice_and_a_load(n: int, symmetry: str, alike: bool) -> None:
    code = storing(range(1, n + 1), range(1, n + 1) if alike else range(11, n + 11))
    result = search(code, "dpor", symmetry, may_change=True)
    assert result.executions == 2 * n + 1
    assert not result.incomplete


def test_the_example() -> None:
    alike, different = storing([1, 2], [1, 2]), storing([1, 2], [11, 12])
    assert search(alike, "dpor", "discovered").executions == 10
    assert search(different, "dpor").executions == 30
    assert search(different, "dpor", may_change=True).executions == 5


def test_what_is_asked_for_is_done() -> None:
    assert [may_change("auto", s) for s in ("auto", "none", "discovered")] == [True, True, False]
    assert not may_change("dpor", "auto")
    result = search(storing([1, 2], [1, 2]), "dpor", "discovered")
    assert not result.over_graphs


def test_findings_are_told_once() -> None:
    """The trial tells nothing by itself: what it found is told when it counts."""
    told: list[ScheduleFinding] = []
    code = storing([1, 2, 3], [4, 5, 6])
    check = (*code.threads[-1], MemoryInstruction("check", value=0))
    code = replace(code, threads=(*code.threads[:-1], check))
    result = search(code, "dpor", may_change=True, found=told.append)
    assert result.over_graphs
    assert [f.found for f in told] == [f.found for f in result.findings]
    assert kinds(result) == kinds(search(code, "dpor")) == {"assertion"}


@pytest.mark.parametrize("kind", ["add", "await"])
def test_what_is_no_register_is_left_to_dpor(kind: str) -> None:
    code = storing([1, 2], [1, 2], last=MemoryInstruction(kind, X, value=2))
    want, result = search(code, "dpor", "discovered"), search(code, "dpor", "discovered", may_change=True)
    assert not result.over_graphs
    assert (result.executions, result.transitions) == (want.executions, want.transitions)


def test_several_processes_decide_the_same() -> None:
    for code in (storing(range(4), range(4)), memory_programs.lockers(4)):
        one, two = (search(code, "dpor", may_change=True, workers=n) for n in (1, 2))
        assert (one.executions, one.over_graphs) == (two.executions, two.over_graphs)


def test_many_graphs_are_taken_if_they_are_few_among_executions() -> None:
    """Each thread sees the initial value or what another one wrote, never in a circle: rooted forests with n nodes."""
    code = memory_programs.counters(4)
    assert search(code, "dpor").executions == 576
    for workers in (1, 2):
        result = search(code, "dpor", may_change=True, workers=workers)
        assert (result.executions, result.over_graphs, result.incomplete) == (5**3, True, "")
    assert not search(code, "dpor", "discovered", may_change=True).over_graphs
    assert not search(memory_programs.lockers(5), "dpor", may_change=True).over_graphs


class Astray(MemoryProgram):
    """What a thread does next is not decided by what it has seen: there are no graphs of such programs."""

    starts = 0

    def restart(self) -> None:
        self.starts += 1
        super().restart()

    def pending(self) -> dict[Thread, Op]:
        kind = f"in {self.starts}"
        return {t: op._replace(kind=kind) for t, op in super().pending().items()}


def test_a_program_without_graphs_is_left_to_dpor() -> None:
    code = storing([1, 2], [3, 4])
    result = explore(Astray(code), "dpor", SearchRequest(may_change=True))
    assert not result.over_graphs
    assert result.executions == 30


def compare(seed: int, most: int) -> int:
    """All executions against those of both kinds of search; how many changed?"""
    changed = 0
    for code in (register_code(seed), rich_code(seed, 0.7, kinds=STORING), rich_code(seed, 0.6, double=True)):
        try:
            _, found, wanted = brute_executions.executions(code, most)
        except brute_executions.TooLarge:
            continue
        for symmetry in ("none", "discovered"):
            result = search(code, "dpor", symmetry, may_change=True)
            assert not result.incomplete
            assert kinds(result) == wanted, (seed, symmetry)
            assert not (result.over_graphs or symmetry == "none") or places(result) == found, (seed, symmetry)
            assert all(replayed(code, f.steps, f.found.kind) for f in result.findings), (seed, symmetry)
            assert result.executions <= search(code, "dpor", symmetry).executions, (seed, symmetry)
            changed += result.over_graphs
    return changed


def test_random_programs() -> None:
    assert sum(compare(seed, 300) for seed in range(60)) > 10


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 6000, 250))
def test_many_random_programs(first: int) -> None:
    assert sum(compare(seed, 2000) for seed in range(first, first + 250)) > 50
