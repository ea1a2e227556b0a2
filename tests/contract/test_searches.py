"""What every stateless search keeps: a new one is tested as soon as it is in the registry.

A search that is not among the exhaustive ones must say that it has left something out.
"""

from __future__ import annotations

from functools import cache
from itertools import permutations

import pytest

from isospin.engines.stateless.registry import EXHAUSTIVE, SEARCHES, explore
from isospin.engines.stateless.search import SearchProgress, SearchRequest
from isospin.hosts.memory import MemoryProgram
from tests.support import memory_programs
from tests.support.oracles import brute_executions
from tests.support.searching import BOTH, kinds, places, replayed, search


@pytest.mark.parametrize("name", SEARCHES)
def test_every_search_finds_a_deadlock_and_its_schedule_replays(name: str) -> None:
    code = memory_programs.philosophers(3)
    result = explore(MemoryProgram(code), name, SearchRequest(max_executions=5000))
    assert kinds(result) == {"deadlock"}
    assert replayed(code, result.findings[0].steps, "deadlock")


@pytest.mark.parametrize("name", SEARCHES)
def test_only_exhaustive_searches_are_complete(name: str) -> None:
    result = search(memory_programs.lockers(3), name, max_executions=1000)
    assert not result.findings
    assert (result.incomplete == "") == (name in EXHAUSTIVE)


@pytest.mark.parametrize("name", EXHAUSTIVE)
def test_every_bound_is_told(name: str) -> None:
    code = memory_programs.lockers(3)
    assert "--max-depth" in search(code, name, max_depth=5).incomplete
    assert "--max-executions" in search(code, name, max_executions=1).incomplete
    assert "preemptions" in search(code, name, max_preemptions=0).incomplete
    assert "--max-time" in search(memory_programs.lockers(6), name, max_time=0.0).incomplete


@pytest.mark.parametrize("name", [name for name in SEARCHES if name not in EXHAUSTIVE])
def test_time_is_looked_at_in_the_middle_of_an_execution(name: str) -> None:
    """It may have no end."""
    result = search(memory_programs.lockers(6), name, max_time=0.0)
    assert "--max-time" in result.incomplete
    assert result.transitions == 0


@pytest.mark.parametrize("name", SEARCHES)
def test_same_question_same_answer(name: str) -> None:
    code = memory_programs.random_code(3)
    assert search(code, name).findings == search(code, name).findings


@pytest.mark.parametrize("name", SEARCHES)
def test_deadlocks_can_be_left_out(name: str) -> None:
    assert not search(memory_programs.philosophers(3), name, deadlock=False).findings


@pytest.mark.parametrize("name", EXHAUSTIVE)
def test_progress_comes_with_an_estimate(name: str) -> None:
    seen: list[SearchProgress] = []
    search(memory_programs.lockers(4), name, progress=seen.append, progress_interval=0.0)
    assert seen
    assert all(p.estimate >= 1 for p in seen)
    assert search(memory_programs.lockers(4), name).estimate == search(memory_programs.lockers(4), name).executions


# ------------------------------------------------------------------------------------------------ soundness


@cache
def brute_force(seed: int, most: int) -> tuple[dict[str, int], set[tuple[str, str]], set[str]] | None:
    """Of a random program: how many executions some searches need, and all findings; None: there are too many."""
    try:
        runs, found, wanted = brute_executions.executions(memory_programs.random_code(seed), most)
    except brute_executions.TooLarge:
        return None
    needed = {"dpor": brute_executions.traces(runs), "optimal": brute_executions.classes_by_what_is_read(runs)}
    return {name: len(classes) for name, classes in needed.items()}, found, wanted


def compare(seed: int, most: int, name: str, symmetry: str) -> None:
    """SOUND: a search against all executions."""
    known = brute_force(seed, most)
    if known is None:
        return
    code, (needed, found, wanted) = memory_programs.random_code(seed), known
    result = search(code, name, symmetry)
    assert not result.incomplete
    assert kinds(result) == wanted, seed
    assert (result.orbit_sum or 0) <= needed["dpor"], seed
    for finding in result.findings:
        assert replayed(code, finding.steps, finding.found.kind), seed
    if symmetry == "none":
        assert places(result) == found, seed
        if name in needed:
            assert result.executions == needed[name], seed
        if name == "optimal":
            assert result.blocked == 0, seed


@pytest.mark.parametrize(("name", "symmetry"), BOTH)
def test_the_one_execution_that_fails_is_found(name: str, symmetry: str) -> None:
    for order in permutations(range(4)):
        result = explore(MemoryProgram(memory_programs.needle(order)), name, SearchRequest(symmetry=symmetry))
        assert kinds(result) == {"assertion"}, order


@pytest.mark.parametrize(("name", "symmetry"), BOTH)
def test_random_programs(name: str, symmetry: str) -> None:
    for seed in range(200):
        compare(seed, 400, name, symmetry)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "symmetry"), BOTH)
@pytest.mark.parametrize("first", range(0, 2000, 100))
def test_many_random_programs(first: int, name: str, symmetry: str) -> None:
    for seed in range(first, first + 100):
        compare(seed, 3000, name, symmetry)


@pytest.mark.parametrize("name", [name for name in SEARCHES if name not in EXHAUSTIVE])
def test_what_other_searches_find_is_there(name: str) -> None:
    for seed in range(100):
        known = brute_force(seed, 400)
        if known is not None:
            assert places(search(memory_programs.random_code(seed), name, max_executions=20)) <= known[1], seed
