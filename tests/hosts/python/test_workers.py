"""Python programs that several processes search: the same executions, and what one of them finds counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import isospin
from isospin.core.verdict import Outcome
from isospin.engines.stateless import jobs
from isospin.engines.stateless.ahead import AheadDpor
from tests.support.generators.random_python import program

LOST = """
import threading

x = 0
done = []

def add(n):
    global x
    before = x
    done.append(n)
    x = before + 1

threads = [threading.Thread(target=add, args=(n,)) for n in (1, 2, 3)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert x > 1, "all but one are lost"
"""


@pytest.fixture(autouse=True)
def all_is_given_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "GRAIN", 0.0)


def compare(text: str, file: Path, symmetry: str = "auto") -> None:
    file.write_text(text)
    alone = isospin.check(file, search="dpor", symmetry=symmetry, all_errors=True, max_executions=400)
    if alone.reason:
        return
    for workers in (2, 3):
        found = isospin.check(file, search="dpor", symmetry=symmetry, all_errors=True, workers=workers)
        assert found.outcome is alone.outcome
        assert {(v.kind, v.message) for v in found.violations} == {(v.kind, v.message) for v in alone.violations}
        for name in ("executions", "blocked", "transitions", "depth", "left_out", "reversals"):
            assert getattr(found.statistics, name) == getattr(alone.statistics, name), (name, workers)


@pytest.mark.parametrize("seed", range(4))
def test_the_same_executions(seed: int, tmp_path: Path) -> None:
    for symmetry in ("none", "auto"):
        compare(program(seed), tmp_path / "random.py", symmetry)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(2000, 2200, 20))
def test_the_same_executions_in_many(start: int, tmp_path: Path) -> None:
    for seed in range(start, start + 20):
        for symmetry in ("none", "auto"):
            compare(program(seed), tmp_path / "random.py", symmetry)


def test_who_runs_ahead_gives_subtrees_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    noted, collect = tmp_path / "noted", AheadDpor.collect

    def noting(self: Any, node: Any) -> bool:
        believed = collect(self, node)
        with noted.open("a") as file:
            file.write("+" if believed else "-")
        return believed

    monkeypatch.setattr(AheadDpor, "collect", noting)
    compare(LOST, tmp_path / "lost.py", "none")
    assert noted.read_text().count("+") > 3
    assert "-" not in noted.read_text()


def test_a_failure_is_shown(tmp_path: Path) -> None:
    file = tmp_path / "lost.py"
    file.write_text(LOST)
    found = isospin.check(file, workers=2)
    assert found.outcome is Outcome.VIOLATED
    assert [v.kind for v in found.violations] == ["assertion"]
    assert found.violations[0].trace.steps
    compare(LOST, file)


def test_where_executions_come_from(tmp_path: Path) -> None:
    """The reading and the writing of all threads meet, and nothing else does."""
    file = tmp_path / "lost.py"
    file.write_text(LOST.replace("    done.append(n)\n", "").replace("(1, 2, 3)", "range(4)"))
    found = isospin.check(file, all_errors=True, symmetry="none", search="dpor", workers=2, max_executions=150)
    lines = file.read_text().splitlines()
    pairs = found.statistics.reversals
    assert {lines[place.line - 1].strip() for pair in pairs for place in (pair.first, pair.second)} <= {
        "before = x", "x = before + 1",
    }  # fmt: skip


def test_time_and_executions_are_limited(tmp_path: Path) -> None:
    file = tmp_path / "long.py"
    file.write_text(LOST.replace("(1, 2, 3)", "range(6)").replace("x > 1", "x > 0"))
    assert (
        "--max-executions" in isospin.check(file, workers=2, max_executions=50, symmetry="none", search="dpor").reason
    )
    assert "time limit" in isospin.check(file, workers=2, max_time=1.0, symmetry="none", search="dpor").reason
