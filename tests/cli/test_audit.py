"""`isospin audit` and `isospin symmetry` of programs: what is compared, and that a difference is noticed."""

from __future__ import annotations

import re
from pathlib import Path
from shutil import which
from typing import Any

import pytest

from isospin.cli import main
from isospin.engines.stateless.dpor import Dpor
from isospin.engines.stateless.protocol import ExecutedStep, Found, Op
from isospin.engines.stateless.search import ScheduleFinding, SearchResult
from isospin.engines.stateless.symmetry import TransitionSymmetry
from isospin.pipeline.programs.compare import AuditRow, ExecutionWatch, find_problems, trace_of
from tests.support import paths

PYTHON = str(paths.EXAMPLES / "python" / "bank.py")
C = paths.EXAMPLES / "c"
needs_c = pytest.mark.skipif(which("gcc") is None, reason="needs a C compiler")


@pytest.fixture(autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))


def rows(out: str) -> dict[str, str]:
    return dict(line.split(": ", 1) for line in out.splitlines() if ": " in line)


def test_a_python_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", PYTHON]) == 0
    out = capsys.readouterr().out
    told = rows(out)
    assert told["dfs"].startswith("10 executions, 62 transitions, 4 traces, assertion at ")
    assert told["optimal"].startswith("4 executions, 24 transitions, 4 traces, assertion at ")
    assert "2 traces," in told["dpor, discovered symmetry"]
    assert out.endswith("they agree\n")


@needs_c
@pytest.mark.slow
def test_c_programs_of_threads_and_of_processes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", str(C / "bank.c"), "-D", "FIXED"]) == 0
    told = rows(capsys.readouterr().out)
    # How many transitions are made depends on where a search begins its executions anew.
    dpor, optimal = (re.sub(r"\d+ transitions, ", "", told[search]) for search in ("dpor", "optimal"))
    assert dpor == optimal
    assert told["dpor, inside"] == told["dpor"].replace(", 6 traces", "")
    assert told["compared"] == "what is found, all traces, without symmetry"
    file = str(C / "dispatcher_fork.permutations")
    assert main(["audit", str(C / "dispatcher_fork.c"), "--permutation", file]) == 0
    told = rows(capsys.readouterr().out)
    assert "9 traces, 1 final state up to renaming" in told["dpor"]
    assert "2 traces, 1 final state up to renaming" in told["dpor, declared symmetry"]
    assert "final states up to renaming" in told["compared"]


def test_what_was_cut_is_not_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", PYTHON, "--max-executions", "5"]) == 3
    out = capsys.readouterr().out
    assert "not compared, since cut: dfs" in out
    assert out.endswith("not completed: nothing can be concluded about what was cut\n")


# -------------------------------------------------------------------------------------------------- differences


def test_a_search_that_misses_something_is_noticed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Never reverse a race: the traces are missed, though nothing is found in either case."""
    path = tmp_path / "two.py"
    path.write_text(
        "import threading\nx = 0\ndef w():\n    global x\n    x += 1\n"
        "ts = [threading.Thread(target=w) for _ in range(2)]\n[t.start() for t in ts]\n[t.join() for t in ts]\n"
    )
    assert main(["audit", str(path), "--symmetry", "none"]) == 0
    from isospin.engines.stateless.ahead import AheadDpor

    for kind in (AheadDpor, Dpor):
        monkeypatch.setattr(kind, "want", lambda self, thread, depth, first, op: None)
    assert main(["audit", str(path), "--symmetry", "none"]) == 4
    assert "disagreement: dpor misses" in capsys.readouterr().out


@needs_c
def test_a_symmetry_that_is_none_is_noticed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Believe every exchange: one of two processes that do not do the same is left out."""
    from isospin.engines.stateless.protocol import swap

    monkeypatch.setattr(TransitionSymmetry, "here", lambda self, a, b: swap(a, b))
    script = str(paths.PROGRAMS / "processes" / "script.c")
    assert main(["audit", script, "--", "", "w", "rW"]) == 4
    out = capsys.readouterr().out
    assert "disagreement: dfs ends in" in out


def event(thread: int, reads: str = "", writes: str = "", choice: int = 0) -> ExecutedStep:
    return ExecutedStep(thread, choice, Op("x", frozenset(reads), frozenset(writes)))


def test_traces_are_the_same_if_only_independent_events_change_places() -> None:
    a, b, c = event(0, writes="x"), event(1, reads="xy"), event(2, reads="x", writes="z")
    assert trace_of([a, b, c]) == trace_of([a, c, b])
    assert trace_of([a, b, c]) != trace_of([b, a, c])
    assert trace_of([event(0, choice=1)]) != trace_of([event(0)])
    assert trace_of([event(0), event(1)]) == trace_of([event(1), event(0)])


def row(name: str, symmetric: bool = False, found: Any = (), events: Any = (), goes_on: bool = True) -> AuditRow:
    watch = ExecutionWatch(goes_on)
    for execution in events:
        watch.ended(execution, None, False)  # type: ignore[arg-type]
    findings = [ScheduleFinding(Found(kind, ""), ()) for kind in found]
    return AuditRow.of(name, symmetric, SearchResult(findings), watch)


def test_what_speaks_against_a_search() -> None:
    one, other = [event(0, writes="x"), event(1, writes="x")], [event(1, writes="x"), event(0, writes="x")]
    plain = row("plain", events=[one, other])
    assert find_problems(plain, row("all", events=[other, one])) == []
    assert find_problems(plain, row("half", events=[one])) == ["half misses 1 of 2 traces"]
    assert find_problems(plain, row("half", True, events=[one])) == []
    assert find_problems(row("half", events=[one]), row("more", True, events=[one, other])) == [
        "more has 1 traces that half does not have"
    ]
    assert find_problems(plain, row("wrong", True, ["race"], [one])) == ["plain finds nothing; wrong finds race"]
    race, crash = (row(kind, found=[kind], events=[one], goes_on=False) for kind in ("race", "crash"))
    assert find_problems(race, crash) == []  # each ends its execution
    assert find_problems(race, row("none", goes_on=False)) == ["race finds race; none finds nothing"]


# -------------------------------------------------------------------------------------------------- symmetry


@needs_c
def test_the_symmetry_of_processes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["symmetry", str(paths.PROGRAMS / "processes" / "counter_semaphore.c")]) == 0
    out = capsys.readouterr().out
    assert "2 x process: symmetric" in out
    assert "generator (1 2)" in out
    assert main(["symmetry", str(C / "philosophers_fork.c"), "-D", "N=2"]) == 0
    out = capsys.readouterr().out
    assert "group of order 1" in out
    assert "where main does take semaphore 1 of set 0, child 1 does take semaphore 0 of set 0" in out
