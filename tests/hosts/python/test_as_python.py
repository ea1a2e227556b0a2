"""What Python lets a program do is no failure, and is done in a checked program as Python does it.

Each program in `data/programs/as_python` says its verdict first, and asks by assertions for what Python does;
those that hold run without a failure outside of the checker, too.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from isospin.cli import main
from isospin.pipeline.programs.python import check_program
from isospin.pipeline.settings import ProgramOptions
from tests.support import paths

PROGRAMS = sorted((paths.PROGRAMS / "as_python").glob("*.py"))
HOLDING = [p for p in PROGRAMS if p.read_text().startswith("# expect: holds")]


@pytest.mark.parametrize("symmetry", ["auto", "none"])
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_a_checked_program_does_what_python_does(path: Path, symmetry: str) -> None:
    outcome, *said = path.read_text().splitlines()[0].removeprefix("# expect: ").split(maxsplit=1)
    verdict = check_program(path, ProgramOptions(symmetry=symmetry))
    kinds = [v.kind for v in verdict.violations]
    assert verdict.outcome.value == outcome, kinds or verdict.reason
    assert outcome != "violated" or kinds == said
    assert outcome != "incomplete" or said[0] in verdict.reason


@pytest.mark.parametrize("path", HOLDING, ids=lambda p: p.stem)
def test_python_does_the_same(path: Path) -> None:
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 0, done.stderr


def test_failures_of_such_programs_are_replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in PROGRAMS:
        if path not in HOLDING and "violated" in path.read_text().splitlines()[0]:
            trace = tmp_path / f"{path.stem}.json"
            assert main(["check", str(path), "--trace", str(trace), "--quiet"]) == 1
            assert main(["replay", str(path), str(trace)]) == 1
            capsys.readouterr()
