"""From the wheel to the first counterexample: two commands, in a clean environment."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import EXAMPLES, ROOT

pytestmark = pytest.mark.slow
PIP = ("--quiet", "--disable-pip-version-check")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "pip", *PIP, "wheel", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    if subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("there is nowhere to get the tools from that build a wheel")
    (found,) = folder.glob("isospin-*.whl")
    return found


@pytest.mark.parametrize("example", ["philosophers.pml", "pointer/mcs_bug.ptr", "python/bank.py", "c/bank.c"])
def test_two_commands(example: str, wheel: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "clean")], check=True)
    bin_folder = tmp_path / "clean" / "bin"
    surroundings = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), "PYTHONPATH": ""}
    subprocess.run([str(bin_folder / "pip"), *PIP, "install", str(wheel)], check=True, env=surroundings, cwd=tmp_path)
    check = [str(bin_folder / "isospin"), "check", str(EXAMPLES / example)]
    run = subprocess.run(check, capture_output=True, text=True, env=surroundings, cwd=tmp_path, check=False)
    assert run.returncode == 1, run.stderr
    assert "safety: violated" in run.stdout
    assert run.stderr == ""
