"""Help in layers, guesses at wrong words, and checks that are made again when a file changes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from isospin import cli
from isospin.pipeline.kind_options import every_option
from isospin.pipeline.settings import OutputOptions

ALL = {**every_option(), **OutputOptions.declared}


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    try:
        status = cli.main(list(words))
    except SystemExit as end:
        status = int(end.code or 0)
    told = capsys.readouterr()
    return status, told.out + told.err


def test_the_help_of_check_fits_on_a_screen(capsys: pytest.CaptureFixture[str]) -> None:
    status, text = said(capsys, "check", "--help")
    assert status == 0
    assert len(text.splitlines()) <= 60
    for told in ("examples:", "exit status:", "--help-all", "-- 2 input.txt"):
        assert told in text
    shown = {name for name, option in ALL.items() if f"  {option.written(name)}" in text}
    assert shown == {name for name, option in ALL.items() if option.common}


def test_all_options_by_kind_of_input(capsys: pytest.CaptureFixture[str]) -> None:
    status, text = said(capsys, "check", "--help-all")
    assert status == 0
    assert [name for name, option in ALL.items() if f"  {option.written(name)}" not in text] == []
    titles = [line for line in text.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert titles[:3] == ["every input:", "models:", "programs:"]
    assert text.index("C programs (.c") < text.index("--cflags")


def test_a_bare_command_shows_what_there_is_and_is_no_success(capsys: pytest.CaptureFixture[str]) -> None:
    status, text = said(capsys)
    assert status == 2
    assert "\n  check       check a model, or run and check a program\n" in text
    assert "isospin check FILE --html bug.html" in text
    assert len(text.splitlines()) < 25


@pytest.mark.parametrize(("words", "meant"), [
    (("chek", "x.pml"), "there is no command chek; did you mean check?"),
    (("check", "x.pml", "--max-tme", "3"), "there is no option --max-tme; did you mean --max-time?"),
    (("check", "x.pml", "--zzzzzz"), "there is no option --zzzzzz\n"),
    (("frobnicate",), "there is no command frobnicate; available: check, "),
])  # fmt: skip
def test_a_wrong_word_is_guessed(words: tuple[str, ...], meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, text = said(capsys, *words)
    assert status == 2
    assert meant in text


def test_a_model_is_checked_again_when_it_changes(tmp_path: Path) -> None:
    model = tmp_path / "model.pml"
    model.write_text("byte x; active proctype P() { x = 1; assert(x == 1) }\n")
    command = [sys.executable, "-m", "isospin", "check", str(model), "--watch", "--engine", "interp", "--no-color"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as watching:
        assert watching.stdout is not None
        told = iter(watching.stdout.readline, "")
        assert any(line.startswith("safety: holds") for line in told)
        model.write_text(model.read_text().replace("x == 1", "x == 2"))
        assert any("model.pml ---" in line for line in told)
        assert any(line.startswith("safety: violated") for line in told)
        assert any(line.startswith("waiting for a change") for line in told)
        os.kill(watching.pid, signal.SIGTERM)  # as Ctrl-C, and heard also where that is ignored: in the background
        assert list(told) == []
    assert watching.returncode == 1
