"""isospin in Python: what a verdict says about itself, its page, and cells of notebooks."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import isospin
from isospin.core.verdict import unfinished

GOOD = "byte x; active [2] proctype P() { x = 1 }\n"
BAD = "byte x; active proctype P() { x = 3; assert(x == 1) }\nltl safe { [] (x < 3) }\n"


def test_a_verdict_in_a_line() -> None:
    assert str(isospin.check(GOOD, engine="interp")) == "<text>: holds (safety; 2 states)"
    failed = isospin.check(BAD, engine="interp", no_claim=True)
    assert str(failed) == "<text>: violated (assertion: assert(x == 1) failed at <text>:1:38)"
    assert repr(failed) == f"<Verdict {failed}>"
    assert str(isospin.check(GOOD, engine="interp", max_states=1)).startswith("<text>: incomplete (")


def test_a_program_in_a_line(tmp_path: Path) -> None:
    file = tmp_path / "p.py"
    file.write_text("x = 1\n")
    assert str(isospin.check(file)) == f"{file}: holds (safety; 1 executions)"


def test_the_page_of_a_verdict(tmp_path: Path) -> None:
    file = tmp_path / "bad.pml"
    file.write_text(BAD)
    for source in (BAD, file, isospin.load(file)):
        verdict = isospin.check(source, engine="interp", no_claim=True)
        assert '"values":[[["x",0]' in verdict.html()  # with the variables of each state
    verdict.save_html(tmp_path / "bug.html")
    saved = (tmp_path / "bug.html").read_text()
    assert saved.startswith("<!DOCTYPE html>")
    framed = verdict._repr_html_()
    assert framed.startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;')
    assert '"' not in framed[len('<iframe srcdoc="') : framed.index('" width=')]


def test_the_page_of_a_program(tmp_path: Path) -> None:
    file = tmp_path / "p.py"
    file.write_text("import threading\nt = threading.Thread(target=print)\nt.start()\nt.join()\nassert t.name == ''\n")
    verdict = isospin.check(file)
    assert "assertion" in verdict.html()
    assert pickle.loads(pickle.dumps(verdict)).html() == verdict.html()


def test_a_verdict_that_nobody_checked_has_no_page() -> None:
    verdict = unfinished("<x>.pml", "why")
    with pytest.raises(isospin.UsageError, match="have a page"):
        verdict.html()
    assert verdict._repr_html_() == "<code>&lt;x&gt;.pml: incomplete (why)</code>"


class Shell:
    """As much of a notebook as is needed."""

    def register_magic_function(self, function: Callable[..., Any], magic_kind: str, magic_name: str) -> None:
        assert (magic_kind, magic_name) == ("cell", "promela")
        self.run = function


def test_cells_of_a_notebook(capsys: pytest.CaptureFixture[str]) -> None:
    shell = Shell()
    isospin.load_ipython_extension(shell)
    assert shell.run("--engine interp", GOOD)
    assert [p.name for p in shell.run("--engine interp --ltl safe -D N=1", BAD).properties] == ["safe"]
    capsys.readouterr()
    assert shell.run("", "byte x;\nactive proctype P() { y = 1 }") is None
    assert "line 2, column 23: " in capsys.readouterr().err
    assert shell.run("--engin interp --colour", GOOD) is None
    assert "there is no option --colour" in capsys.readouterr().err
    assert shell.run("--bitstate 1M --fingerprint", GOOD) is None
    assert "choose one" in capsys.readouterr().err
