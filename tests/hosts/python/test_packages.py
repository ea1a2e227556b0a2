"""Packages without hooks that ask which thread they run in: no false alarm, and what is wrong is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from isospin.pipeline.programs.python import check_program
from isospin.pipeline.settings import ProgramOptions
from tests.support import paths

PROGRAMS = sorted((paths.PROGRAMS / "packages").glob("*.py"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_packages_are_told_the_controlled_thread(path: Path) -> None:
    outcome, *said = path.read_text().splitlines()[0].removeprefix("# expect: ").split(maxsplit=1)
    verdict = check_program(path, ProgramOptions(max_time=20))
    assert verdict.outcome.value == outcome, [v.message for v in verdict.violations] or verdict.reason
    assert outcome != "violated" or [v.kind for v in verdict.violations] == said
    assert outcome != "incomplete" or " ".join(said) in verdict.reason
    assert not verdict.warnings or outcome == "violated" or "file" in path.stem  # what orders accesses is in the file
