"""Completion is asked as a shell asks it, where the shell is installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from isospin import cli
from isospin.completion import SHELLS, script

FILES = ("model.pml", "lock.ptr", "bank.py", "scan.c", "bug.json", "notes.txt")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for name in FILES:
        (tmp_path / name).touch()
    (tmp_path / "below").mkdir()
    return tmp_path


def asked(shell: str, program: str, place: Path) -> list[str]:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    (place / f"script.{shell}").write_text(script(cli.parser(), shell))
    done = subprocess.run([shell, "-c", program], cwd=place, capture_output=True, text=True, check=True, timeout=20,
                          env={"PATH": "/usr/bin:/bin", "HOME": str(place)})  # fmt: skip
    (place / f"script.{shell}").unlink()
    return [line.split("\t")[0] for line in done.stdout.splitlines()]


def bash(line: str, place: Path) -> list[str]:
    words = " ".join(f"'{word}'" for word in line.split(" "))
    call = f"COMP_WORDS=({words}); COMP_CWORD={len(line.split(' ')) - 1}; COMP_LINE='{line}'; COMP_POINT={len(line)}"
    program = f"source ./script.bash; {call}; _shtab_isospin; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    return asked("bash", program, place)


def fish(line: str, place: Path) -> list[str]:
    return asked("fish", f"source ./script.fish; complete -C '{line}'", place)


@pytest.mark.parametrize("complete", [bash, fish])
def test_a_shell_completes(complete: object, place: Path) -> None:
    assert callable(complete)
    assert {"check", "replay", "doctor", "completion"} <= set(complete("isospin ", place))
    assert {"--max-states", "--max-time"} <= set(complete("isospin check --max-", place))
    assert set(complete("isospin check --engine s", place)) == {"symbolic", "stateless"}
    assert set(complete("isospin check ", place)) >= {"model.pml", "lock.ptr", "bank.py", "scan.c", "below/"}
    assert not {"notes.txt", "bug.json"} & set(complete("isospin check ", place))
    assert {"model.pml", "bank.py", "scan.c"} <= set(complete("isospin simulate ", place))
    assert "bug.json" in complete("isospin replay model.pml ", place)


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_one_of_the_shell(shell: str, place: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    (place / "script").write_text(script(cli.parser(), shell))
    subprocess.run([shell, "-n", "script"], cwd=place, check=True, timeout=20)


def test_the_command_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["completion", "bash"]) == 0
    assert capsys.readouterr().out.strip() == script(cli.parser(), "bash").strip()
    with pytest.raises(SystemExit):
        cli.main(["completion", "powershell"])
