"""Several models in one command, and what a job in continuous integration makes of it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from isospin.cli import main, parser
from isospin.completion import commands
from tests.support.paths import ROOT

GOOD = "byte x; active proctype P() { x = 1 }\n"
BAD = "byte x; active proctype P() { assert(x == 1 || x == 2) }\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("good.pml").write_text(GOOD)
    Path("bad.pml").write_text(BAD)
    Path("wrong.pml").write_text("active proctype {")
    return tmp_path


@pytest.mark.parametrize(("files", "status"), [
    (["good.pml", "good.pml"], 0), (["bad.pml", "good.pml"], 1), (["good.pml", "wrong.pml", "bad.pml"], 2),
])  # fmt: skip
def test_each_is_checked_and_the_worst_counts(
    files: list[str], status: int, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", *files, "--engine", "interp"]) == status
    said = capsys.readouterr().out
    assert [line.split()[0] for line in said.splitlines() if line.endswith("---")] == files


def test_what_is_for_one_file_is_refused(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "good.pml", "bad.pml", "--html", "x.html"]) == 2
    assert "--html is for one file; here are 2" in capsys.readouterr().err
    assert main(["check", "good.pml", "prog.c"]) == 2
    assert "good.pml cannot be checked together with files of C programs" in capsys.readouterr().err


def test_markdown(here: Path) -> None:
    assert main(["check", "bad.pml", "--engine", "interp", "--markdown", "out.md"]) == 1
    text = Path("out.md").read_text()
    assert text.startswith("### <code>bad.pml</code>: ❌ violated\n")
    assert "**assertion**: <code>assert(x == 1 &#124;&#124; x == 2) failed</code>" in text  # a bar would end the cell
    assert "| 1 | 1 | P 0 | <code>assert(x == 1 &#124;&#124; x == 2)</code> |  |" in text
    assert main(["check", "good.pml", "--engine", "interp", "--markdown", "out.md"]) == 0
    assert "✅ holds" in Path("out.md").read_text()
    assert main(["check", "wrong.pml", "--markdown", "out.md"]) == 2
    assert "cannot be read" in Path("out.md").read_text()


def test_the_action_checks_all_and_ends_with_the_worst(here: Path) -> None:
    steps = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
    (script,) = (step["run"] for step in steps if "check-files" in step.get("run", ""))
    summary = here / "summary.md"
    environment = {
        **os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_STEP_SUMMARY": str(summary), "FILES": "bad.pml good.pml", "OPTIONS": "--engine interp",
    }  # fmt: skip
    done = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "::error file=bad.pml,line=1" in done.stdout
    assert summary.read_text().count("### ") == 2
    assert {p.name for p in (here / "isospin-results").iterdir()} >= {"bad.pml.json", "bad.pml.html", "good.pml.html"}


def test_the_hook_is_a_command_that_there_is() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    program, command, *options = hook["entry"].split()
    assert program == "isospin"
    known = {name for action in commands(parser())[command]._actions for name in action.option_strings}
    assert {*options} <= known


@pytest.mark.slow
def test_from_the_wheel_to_the_first_counterexample() -> None:
    """Needs packages from an index; every kind of input is tried from the wheel alone."""
    done = subprocess.run([str(ROOT / ".ci" / "release"), sys.executable], capture_output=True, text=True, check=False)
    if done.returncode and "No matching distribution" in done.stderr + done.stdout:
        pytest.skip("no index of packages can be reached")
    assert done.returncode == 0, done.stdout + done.stderr
    for first in ("philosophers.pml", "pointer/mcs_bug.ptr", "python/bank.py", "c/bank.c"):
        assert re.search(rf"release: status 1, \d+ s: isospin check {first}\n", done.stdout), first
