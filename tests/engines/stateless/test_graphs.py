"""The search over execution graphs against all executions: what it finds, and how many executions it needs for it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from isospin.engines.stateless.graphs import folding, revisit
from isospin.engines.stateless.graphs import search as graph_search
from isospin.engines.stateless.graphs.graph import EventName, Graph
from isospin.engines.stateless.graphs.search import GraphSearch
from isospin.engines.stateless.protocol import Found, Op, Thread
from isospin.engines.stateless.registry import explore
from isospin.engines.stateless.search import SearchRequest
from isospin.hosts.memory import MemoryCell, MemoryCode, MemoryInstruction, MemoryProgram
from tests.support import memory_programs
from tests.support.oracles import brute_executions
from tests.support.rich_programs import register_code, rich_code
from tests.support.searching import kinds, places, replayed, search


def counts(code: MemoryCode, symmetry: str, most: int) -> tuple[int, int] | None:
    """How many executions there have to be, and how many there are; what is found is compared."""
    try:
        runs, found, wanted = brute_executions.executions(code, most)
    except brute_executions.TooLarge:
        return None
    result = search(code, "optimal", symmetry)
    assert not result.incomplete
    assert not result.blocked
    assert kinds(result) == wanted, code
    for finding in result.findings:
        assert replayed(code, finding.steps, finding.found.kind), code
    if symmetry == "none":
        assert places(result) == found, code
        return len(brute_executions.classes_by_what_is_read(runs)), result.executions
    return brute_executions.orbits(code, runs), result.executions


def compare(seeds: range, symmetry: str, double: bool, most: int) -> tuple[int, int]:
    """The sums over many programs; where no operation touches two objects, each must be right.  With symmetry one in
    some hundreds may not be: a thread that starts others can become like one of them, which is seen too late."""
    needed = made = 0
    repeating = []
    for seed in seeds:
        alike = 0.3 if symmetry == "none" else 0.75
        found = counts(rich_code(seed, alike, double), symmetry, most)
        if found is not None:
            assert found[0] <= found[1], seed
            repeating += [seed] if not double and found[0] < found[1] else []
            assert len(repeating) <= (0 if symmetry == "none" else len(seeds) // 250), repeating
            needed, made = needed + found[0], made + found[1]
    return needed, made


@pytest.mark.parametrize("symmetry", ["none", "discovered"])
def test_one_execution_for_each_class(symmetry: str) -> None:
    needed, made = compare(range(150), symmetry, False, 300)
    assert needed == made > 200


@pytest.mark.parametrize("symmetry", ["none", "discovered"])
def test_operations_with_two_objects_repeat_little_and_miss_nothing(symmetry: str) -> None:
    needed, made = compare(range(100), symmetry, True, 300)
    assert 100 < needed <= made < 1.05 * needed


@pytest.mark.parametrize("first", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(100, 5000, 100))])
def test_what_nobody_reads_has_no_order(first: int) -> None:
    for seed in range(first, first + 100):
        found = counts(register_code(seed), "none", 300 if not first else 3000)
        assert found is None or found[0] == found[1], seed


def overwriting(*threads: Sequence[int]) -> MemoryCode:
    """Threads that overwrite x with these values, and one that reads it."""
    x = MemoryCell("x")
    writers = tuple(tuple(MemoryInstruction("write", x, value=v) for v in values) for values in threads)
    return MemoryCode({"x": (0,)}, (*writers, (MemoryInstruction("read", x),)))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 6])
def test_two_threads_store_n_times_and_one_loads(n: int) -> None:
    assert search(overwriting(range(1, n + 1), range(11, n + 11)), "optimal").executions == 2 * n + 1


@pytest.mark.parametrize("n", [3, 5, 7])
def test_n_threads_store_once_and_one_loads_when_they_have_ended(n: int) -> None:
    code = overwriting(*([v] for v in range(1, n + 1)))
    join = MemoryInstruction("join", threads=frozenset(range(n)))
    code = MemoryCode(code.arrays, (*code.threads[:-1], (join, *code.threads[-1])))
    assert search(code, "optimal").executions == n


@pytest.mark.slow
@pytest.mark.parametrize("symmetry", ["none", "discovered"])
@pytest.mark.parametrize("double", [False, True])
@pytest.mark.parametrize("first", range(1000, 11_000, 500))
def test_many_programs(first: int, double: bool, symmetry: str) -> None:
    needed, made = compare(range(first, first + 500), symmetry, double, 2000)
    assert made < 1.05 * needed


@pytest.mark.parametrize("first", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(100, 3000, 100))])
def test_identical_threads(first: int) -> None:
    for seed in range(first, first + 100):
        found = counts(memory_programs.identical_code(seed), "discovered", 300 if not first else 3000)
        assert found is None or found[0] == found[1], seed


def test_what_a_thread_gives_way_to_tells_it_apart() -> None:
    """Three threads read, and take a lock for ever; a fourth writes.  One orbit was lost once."""
    assert counts(memory_programs.identical_code(1032), "discovered", 5000) == (6, 6)


# ------------------------------------------------------------------------------------------------ failures that end all


class Fatal(MemoryProgram):
    """A failure ends the program, as it does in Python, C and models."""

    over = False

    def restart(self) -> None:
        super().restart()
        self.over = False

    def pending(self) -> dict[Thread, Op]:
        return {} if self.over else dict(super().pending())

    def enabled(self) -> Sequence[Thread]:
        return [] if self.over else super().enabled()

    def step(self, thread: Thread, choice: int = 0) -> Sequence[Found]:
        found = super().step(thread, choice)
        self.over = bool(found)
        return found

    def stuck(self) -> Found | None:
        return None if self.over else super().stuck()


def all_findings(program: Fatal, found: set[tuple[str, str]], left: list[int]) -> None:
    """Of all executions from here on, as long as some are left."""
    here, enabled = program.save(), program.enabled()
    if not enabled:
        left[0] -= 1
        if (problem := program.stuck()) is not None:
            found.add((problem.kind, problem.message))
    for thread, choice in [(t, c) for t in enabled for c in range(program.choices(t))] if left[0] > 0 else ():
        found |= {(problem.kind, str(problem.location)) for problem in program.step(thread, choice)}
        all_findings(program, found, left)
        program.restore(here)
        program.over = False


@pytest.mark.parametrize("first", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(200, 6000, 200))])
def test_failures_that_end_everything_hide_no_other(first: int) -> None:
    failed = 0
    for seed in range(first, first + 200):
        code, found, left = memory_programs.random_code(seed), set[tuple[str, str]](), [300]
        all_findings(Fatal(code), found, left)
        if left[0] > 0:
            result = explore(Fatal(code), "optimal", SearchRequest(all_errors=True))
            assert places(result) == found, seed
            failed += any(kind == "assertion" for kind, _ in found)
    assert failed > 0


# ------------------------------------------------------------------------------------------------ broken on purpose


def test_without_marks_something_is_missed_or_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """An event that gave way may come before what it gave way to."""
    monkeypatch.setattr(Graph, "refused_by", lambda _self, _name: set())
    with pytest.raises(AssertionError):
        compare(range(150), "none", False, 300)


def test_if_everything_may_be_taken_back_it_is_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(revisit, "is_canonical", lambda *_: True)
    with pytest.raises((AssertionError, ValueError, KeyError)):
        compare(range(150), "none", False, 300)


def test_if_revisits_do_not_tell_threads_apart_orbits_are_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folding, "_find_kept", lambda _graph: set[EventName]())
    assert counts(memory_programs.identical_code(1032), "discovered", 5000) == (6, 5)


def test_an_object_that_somebody_waits_for_is_no_register(monkeypatch: pytest.MonkeyPatch) -> None:
    """If it was one, a deadlock that only one order of writes leads to would be lost."""
    await_it = (MemoryInstruction("await", MemoryCell("x"), value=1),)
    code = overwriting([1], [2])
    code = MemoryCode(code.arrays, (*code.threads[:-1], await_it))
    assert kinds(search(code, "optimal")) == {"deadlock"}
    monkeypatch.setattr(graph_search, "may_use_register", lambda op: len(op.reads) + len(op.writes) == 1)
    with pytest.raises((AssertionError, KeyError)):
        compare(range(150), "none", False, 300)


# ------------------------------------------------------------------------------------------------ alike from when on


def test_threads_that_are_started_one_by_one_are_alike() -> None:
    start = [MemoryInstruction("start", threads=frozenset({t})) for t in (1, 2, 3)]
    add = (MemoryInstruction("add", MemoryCell("x"), value=1),)
    code = MemoryCode({"x": (0,)}, (tuple(start), add, add, add))
    assert search(code, "optimal").executions == 6
    assert search(code, "optimal", "discovered").executions == 1


def test_what_can_come_before_they_were_alike_counts() -> None:
    """The first thread writes between starts: what it starts can come before that, and is no longer folded."""
    one, two = (MemoryInstruction("start", threads=frozenset({t})) for t in (1, 2))
    write = MemoryInstruction("write", MemoryCell("x"), value=1)
    look = (MemoryInstruction("read", MemoryCell("x")), MemoryInstruction("add", MemoryCell("y"), value=1))
    code = MemoryCode({"x": (0,), "y": (0,)}, ((one, write, two), look, look))
    runs, _, _ = brute_executions.executions(code)
    search_ = GraphSearch(MemoryProgram(code), SearchRequest(all_errors=True, symmetry="discovered"))
    assert search_.run().executions == len(brute_executions.traces(runs))
