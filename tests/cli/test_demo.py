"""What `make demo` shows: the verdicts that it names, and symmetry at work in a model, a Python and a C program."""

from __future__ import annotations

import re

import pytest

import isospin
from isospin.cli import main
from tests.support.paths import ROOT

SHOWN = re.findall(r"\$\(call shown,(\S+),(\d)\)", (ROOT / "Makefile").read_text())


@pytest.mark.parametrize(("file", "status"), SHOWN)
def test_what_is_shown(
    file: str, status: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    assert main(["check", file]) == int(status)
    assert ("times fewer by symmetry" in capsys.readouterr().out) == (status == "0")


def test_the_page_says_it_too() -> None:
    page = isospin.check(ROOT / "examples" / "python" / "shop.py").html()
    assert "One execution stands for at least 24: 24 times fewer." in page


def test_there_is_something_of_each_kind() -> None:
    assert {file.rpartition(".")[2] for file, status in SHOWN if status == "0"} == {"pml", "py", "c"}
    assert {status for _, status in SHOWN} == {"0", "1"}
