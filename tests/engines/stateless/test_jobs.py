"""Subtrees that other processes search: the executions, findings and sums are those of one process."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any

import pytest

from isospin.engines.stateless import jobs, team
from isospin.engines.stateless.registry import explore
from isospin.engines.stateless.search import SearchProgress, SearchRequest, SearchResult
from isospin.hosts.memory import MemoryCell, MemoryCode, MemoryInstruction, MemoryProgram
from tests.support import memory_programs
from tests.support.searching import places, replayed, search


@pytest.fixture(autouse=True)
def gifts(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bool]]:
    """Whatever can be given away is; which gifts were taken back, and which were not believed."""
    found: list[bool] = []
    collect = jobs.JobSearch.collect

    def noting(self: Any, node: Any) -> bool:
        found.append(collect(self, node))
        return found[-1]

    made: list[int] = []
    fork = os.fork

    def forking() -> int:
        made.append(fork())
        return made[-1]

    monkeypatch.setattr(jobs, "GRAIN", 0.0)
    monkeypatch.setattr(jobs.JobSearch, "collect", noting)
    monkeypatch.setattr(os, "fork", forking)
    yield found
    for child in made:
        with pytest.raises(ChildProcessError):  # nobody is left behind
            os.waitpid(child, os.WNOHANG)


def counted(result: SearchResult) -> tuple[object, ...]:
    return (
        result.executions, result.blocked, result.transitions, result.depth, result.orbit_sum, result.incomplete,
        places(result),
    )  # fmt: skip


def compare(seed: int, most: int = 300) -> None:
    code = memory_programs.random_code(seed)
    for symmetry in ("none", "discovered"):
        alone = search(code, "dpor", symmetry, max_executions=most)
        if not alone.incomplete:
            for workers in (2, 3):
                together = search(code, "dpor", symmetry, workers=workers)
                assert counted(together) == counted(alone), (seed, symmetry, workers)


def test_the_same_executions(gifts: list[bool]) -> None:
    for seed in range(12):
        compare(seed)
    assert gifts.count(True) > 5


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 1300, 25))
def test_the_same_executions_in_many(start: int) -> None:
    for seed in range(start, start + 25):
        compare(seed, 1000)


def test_what_others_have_seen_is_waited_for(gifts: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    """With symmetry a subtree is left out by what was seen in another, which is still being explored."""
    asked = team.Letter()
    wait = jobs.JobSearch.what_was_seen

    def noting(self: Any, mark: Any) -> Any:
        asked.write(True)
        return wait(self, mark)

    monkeypatch.setattr(jobs.JobSearch, "what_was_seen", noting)
    for code in (memory_programs.figure_5(), *map(memory_programs.random_code, (6, 7, 9, 22, 23))):
        alone = search(code, "dpor", "discovered")
        assert counted(search(code, "dpor", "discovered", workers=3)) == counted(alone)
    assert any(gifts)
    assert asked.is_there


def failing(n: int) -> MemoryCode:
    """A lost update, if all but one are lost."""
    look = (
        MemoryInstruction("join", threads=frozenset(range(1, n + 1))), MemoryInstruction("read", MemoryCell("x")),
        MemoryInstruction("check", local=0, value=1),
    )  # fmt: skip
    code = memory_programs.counters(n)
    return MemoryCode(code.arrays, (look, *code.threads))


def test_a_failure_ends_all(gifts: list[bool]) -> None:
    for symmetry in ("none", "discovered") * 5:  # who finds it first is another one each time
        asked = SearchRequest(symmetry=symmetry, workers=3)
        result = explore(MemoryProgram(failing(4)), "dpor", asked)
        assert len(result.findings) == 1
        assert not result.incomplete
        assert replayed(failing(4), result.findings[0].steps, result.findings[0].found.kind)


def test_limits_and_progress(gifts: list[bool]) -> None:
    told: list[SearchProgress] = []
    code = memory_programs.counters(5)
    result = search(code, "dpor", workers=2, max_executions=300, progress=told.append, progress_interval=0.0)
    assert result.incomplete.endswith("executions (--max-executions)")
    assert 300 <= result.executions < 14400
    assert told[-1].executions > 0
    assert "time limit" in search(code, "dpor", workers=2, max_time=0.05).incomplete


def test_a_copy_that_knows_more_is_not_believed(gifts: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MemoryProgram, "has_learnt", lambda self: os.getpid())
    code = memory_programs.counters(4)
    assert counted(search(code, "dpor", workers=2)) == counted(search(code, "dpor"))
    assert gifts
    assert not any(gifts)


def test_a_copy_that_ends_is_not_believed(gifts: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MemoryProgram, "become_copy", lambda self: team.leave(3))
    code = memory_programs.counters(4)
    assert counted(search(code, "dpor", workers=2)) == counted(search(code, "dpor"))
    assert not any(gifts)


def test_what_cannot_be_told_is_not_told() -> None:
    """An object that is known by its place in memory is another one elsewhere."""
    letter = team.Letter()
    letter.write({object()})
    assert letter.is_there
    with pytest.raises(team.Unanswered):
        letter.read()
    letter.close()


def test_who_waits_lets_another_run() -> None:
    one = team.Team(1)
    assert not one.take()
    began = time.monotonic()
    letter = team.Letter()
    one.wait(lambda: time.monotonic() > began + 0.01, letter.bell, lambda: None)
    letter.close()
    assert one.holds
    one.release()
    assert one.take()
    one.close()


def test_a_lost_token_stops_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is killed has not given it back."""
    monkeypatch.setattr(team, "PATIENCE", 0.01)
    one, began = team.Team(1), time.monotonic()
    one.release()
    assert one.take()
    letter = team.Letter()
    one.wait(lambda: time.monotonic() > began + 0.01, letter.bell, lambda: None)
    letter.close()
    assert not one.holds
    one.close()


def test_where_no_process_can_be_made_one_goes_on(gifts: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> int:
        raise BlockingIOError

    monkeypatch.setattr(os, "fork", fail)
    code = memory_programs.counters(3)
    assert counted(search(code, "dpor", workers=2)) == counted(search(code, "dpor"))
    assert not gifts
