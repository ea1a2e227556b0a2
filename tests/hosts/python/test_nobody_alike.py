"""Where no two threads are alike in the first executions, the search goes on without symmetry, and says the same."""

from __future__ import annotations

from pathlib import Path

import pytest

import isospin
from isospin.core.verdict import Outcome
from isospin.engines.stateless.ahead import AheadDpor

TOLD = """
import threading
a, b, c, x = threading.Lock(), threading.Lock(), threading.Lock(), 0
def work(n):
    global x
    with a: x += n
    with b: pass
    with c: {last}
threads = [threading.Thread(target=work, args=({number},)) for n in (1, 2, 4)]
for t in threads: t.start()
for t in threads: t.join()
{end}
"""


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A file in which is noted how often a program was searched without symmetry."""
    noted, search = tmp_path / "noted", AheadDpor.search

    def noting(self: AheadDpor) -> None:
        with noted.open("a") as file:
            file.write("+")
        search(self)

    monkeypatch.setattr(AheadDpor, "search", noting)
    return noted


def test_the_same_executions(alone: Path, tmp_path: Path) -> None:
    file = tmp_path / "told.py"
    file.write_text(TOLD.format(last="pass", number="n", end=""))
    found, want = isospin.check(file), isospin.check(file, search="dpor", symmetry="none")
    assert alone.read_text() == "++"
    assert found.outcome is want.outcome is Outcome.HOLDS
    assert found.statistics.executions == want.statistics.executions == 6**3
    assert found.statistics.reversals == want.statistics.reversals != ()
    assert found.symmetry.strategy == "discovered"
    assert "is used with +" in str(found.symmetry.refused)
    asked = isospin.check(file, search="dpor", symmetry="discovered")  # then it stays what it is
    assert asked.statistics.reversals == want.statistics.reversals
    assert alone.read_text() == "++"


def test_a_failure_that_comes_late(alone: Path, tmp_path: Path) -> None:
    file = tmp_path / "late.py"
    file.write_text(TOLD.format(last="x = x * 2 + n", number="n", end="assert x != 66"))
    found = isospin.check(file)
    assert alone.exists()
    assert found.outcome is Outcome.VIOLATED
    assert [v.kind for v in found.violations] == ["assertion"]


def test_who_is_alike_is_folded(alone: Path, tmp_path: Path) -> None:
    file = tmp_path / "alike.py"
    file.write_text(TOLD.format(last="pass", number="1", end=""))
    assert (isospin.check(file).statistics.executions or 0) in range(1, 6**3)
    assert not alone.exists()
