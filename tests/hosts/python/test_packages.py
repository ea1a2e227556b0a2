"""Packages without hooks that ask which thread they run in: no false alarm, and what is wrong is found."""

from __future__ import annotations

import importlib
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from isospin.pipeline.programs.python import check_program
from isospin.pipeline.settings import ProgramOptions
from tests.support import expectations, paths
from tests.support.generators.random_packages import program
from tests.support.oracles import forced

HERE = paths.PROGRAMS / "packages"
PROGRAMS = sorted(HERE.glob("*.py"))


def check_expected(path: Path) -> None:
    document = expectations.check(path, "--max-time", "20")
    assert document["outcome"] == "violated" or not document["warnings"]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_packages_are_told_the_controlled_thread(path: Path) -> None:
    check_expected(path)


# ------------------------------------------------------------------------------------------------ made before


@pytest.fixture
def imported(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The package, as in a test that imports it before anything is checked."""
    monkeypatch.syspath_prepend(HERE / "site-packages")
    yield importlib.import_module("asks")
    del sys.modules["asks"]


@pytest.mark.parametrize("name", ["lock_taken_again", "one_at_a_time", "opposite_orders", "readers_that_write"])
def test_a_package_may_have_been_imported_before(name: str, imported: ModuleType) -> None:
    check_expected(HERE / f"{name}.py")


def test_a_lock_that_was_made_before_is_not_believed(tmp_path: Path, imported: ModuleType) -> None:
    """C lets both threads in: `n == 2` would fail, and does not in Python."""
    vars(imported)["before"] = imported.Guarded()
    path = tmp_path / "program.py"
    path.write_text((HERE / "one_at_a_time.py").read_text().replace("asks.Guarded()", "asks.before"))
    verdict = check_program(path, ProgramOptions(max_time=20))
    assert verdict.outcome.value == "incomplete", verdict.violations
    assert "a lock that was made before the check began, and is held at" in verdict.reason


# ------------------------------------------------------------------------------------------------ at random


def compare(seeds: range, runs: int, folder: Path) -> Counter[str]:
    """With packages nothing holds; what is found to be wrong is wrong, and nothing else was seen to be."""
    verdicts: dict[str, str] = {}
    for seed in seeds:
        path = folder / f"package_{seed}.py"
        path.write_text(program(seed))
        verdicts[str(path)] = check_program(path, ProgramOptions(max_time=20)).outcome.value
    for outcome, count in (("incomplete", runs), ("violated", 20_000)):
        files = [file for file, verdict in verdicts.items() if verdict == outcome]
        for file, failure in forced.fails(files, count).items():
            assert bool(failure) == (outcome == "violated"), f"{file}: {outcome}, but {failure or 'it never fails'}"
    return Counter(verdicts.values())


def test_the_real_interpreter_agrees(tmp_path: Path) -> None:
    assert compare(range(4, 7), 30, tmp_path) == {"incomplete": 2, "violated": 1}


@pytest.mark.slow
@pytest.mark.parametrize("start", range(100, 300, 50))
def test_the_real_interpreter_agrees_often(start: int, tmp_path: Path) -> None:
    found = compare(range(start, start + 50), 200, tmp_path)
    assert found["holds"] == 0
    assert found["violated"] >= 5
