"""The patterns for editors fit what is printed: mistakes, warnings, violations, and when a check begins and ends."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from isospin.cli import main
from isospin.report.ink import Console
from tests.support.paths import DOCS

PAGE = (DOCS / "howto" / "editor.md").read_text()
MODEL = "byte x;\nactive [2] proctype P() { x++; assert(x == 1) }\n"


def block(language: str) -> str:
    (text,) = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.S | re.M)
    return str(text)


def matchers() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(block("json"))["tasks"][0]["problemMatcher"]
    return found


def printed(
    text: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str
) -> str:
    """What a check says about a model of this text."""
    (place / "model.pml").write_text(text)
    monkeypatch.chdir(place)
    main(["check", "model.pml", "--no-color", *words])
    seen = capsys.readouterr()
    return seen.out + seen.err


@pytest.mark.parametrize(("text", "words", "which", "expected"), [
    (MODEL, (), 1, {"file": "model.pml", "line": "2", "column": "32", "message": "assertion: assert(x == 1) failed"}),
    (MODEL.replace("x++", "y++"), (), 0, {"file": "model.pml", "line": "2", "severity": "error"}),
    (MODEL, ("-D", "N=3"), 0, {"severity": "warning", "message": "the model never uses N"}),
])  # fmt: skip
def test_patterns_of_vs_code(
    text: str, words: tuple[str, ...], which: int, expected: dict[str, str], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    pattern = matchers()[which]["pattern"]
    said = printed(text, tmp_path, monkeypatch, capsys, *words)
    (found,) = [match for line in said.splitlines() if (match := re.match(pattern["regexp"], line))]
    assert {name: found[pattern[name]] for name in expected} == expected


def test_patterns_of_emacs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (pattern,) = re.findall(r"'\(\"(.*)\" 1 2 3\)", block("elisp"))
    swapped = {"\\\\(": "(", "\\\\)": ")", "(": r"\(", ")": r"\)"}  # groups have backslashes in Emacs, parentheses none
    ours = re.sub(r"\\\\[()]|[()]", lambda found: swapped[found[0]], pattern)
    said = printed(MODEL, tmp_path, monkeypatch, capsys)
    assert re.findall(ours, said, re.M) == [("model.pml", "2", "32")]


@pytest.mark.skipif(shutil.which("vim") is None, reason="there is no Vim here")
def test_vim_goes_to_the_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (form,) = re.findall(r"^set errorformat=.*$", block("vim"), re.M)
    (tmp_path / "form.vim").write_text(form)
    (tmp_path / "said").write_text(printed(MODEL, tmp_path, monkeypatch, capsys, "-D", "N=3", "--quiet"))
    seen = 'map(getqflist(), {_, q -> join([bufname(q.bufnr), q.lnum, q.col, q.text], ":")})'
    words = ["-S", "form.vim", "-c", "cgetfile said", "-c", f'call writefile({seen}, "list")', "-c", "qa!"]
    subprocess.run(["vim", "-Nu", "NONE", "-es", *words], check=False, timeout=60)
    assert "model.pml:2:32:assertion: assert(x == 1) failed" in (tmp_path / "list").read_text().splitlines()


def test_a_check_that_begins_and_ends() -> None:
    source = Path(DOCS.parent, "src", "isospin", "cli", "watch.py").read_text()
    out = StringIO()
    Console(file=out, width=60).rule("16:23:25 model.pml")
    for matcher in matchers():
        assert re.match(matcher["background"]["beginsPattern"], out.getvalue().splitlines()[0])
        assert matcher["background"]["endsPattern"].lstrip("^") in source
