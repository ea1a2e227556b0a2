"""What Python lets a program do is no failure, and is done in a checked program as Python does it.

Each program in `data/programs/as_python` asks by assertions for what Python does (`contract/` checks them); those that
hold run without a failure outside of the checker, too.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from isospin.cli import main
from tests.support import paths
from tests.support.expectations import expectation

PROGRAMS = sorted((paths.PROGRAMS / "as_python").glob("*.py"))
HOLDING = [p for p in PROGRAMS if expectation(p).outcome == "holds"]


@pytest.mark.parametrize("path", HOLDING, ids=lambda p: p.stem)
def test_python_does_the_same(path: Path) -> None:
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 0, done.stderr


def test_failures_of_such_programs_are_replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in PROGRAMS:
        if expectation(path).outcome == "violated":
            trace = tmp_path / f"{path.stem}.json"
            assert main(["check", str(path), "--trace", str(trace), "--quiet"]) == 1
            assert main(["replay", str(path), str(trace)]) == 1
            capsys.readouterr()
