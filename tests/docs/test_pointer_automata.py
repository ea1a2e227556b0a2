"""The models in docs/reference/pointer-automata.md mean what the page says; its commands are run by tests/docs."""

from __future__ import annotations

import re

import pytest

from isospin import pipeline
from isospin.core.errors import SourceError
from isospin.front.pointer.load import load_text
from tests.support import paths

PAGE = (paths.DOCS / "reference" / "pointer-automata.md").read_text()
BLOCKS = re.findall(r"```ptr\n(.*?)```", PAGE, re.DOTALL)
MCS, MISTAKE, DECLARATIONS, BROKEN = BLOCKS


def test_mcs_is_the_example() -> None:
    assert (paths.EXAMPLES / "pointer" / "mcs.ptr").read_text().endswith(MCS)


def test_the_mistake_has_a_place() -> None:
    with pytest.raises(SourceError) as error:
        load_text(MISTAKE, "model.ptr", 3)
    assert [(d.location.line, d.message) for d in error.value.diagnostics] == [(3, "expected ';', found ','")]


def test_declarations() -> None:
    model = load_text(DECLARATIONS, "model.ptr", 5)
    assert [i.template for i in model.instances[1:]] == ["producer"] * 2 + ["consumer"] * 2 + ["cell"]


def test_numbers_break_symmetry() -> None:
    found = pipeline.symmetry(load_text(BROKEN, "model.ptr", 3)).report
    assert found.group_order == "2"
    assert {r.location.line for r in found.refused} == {6}
    whole = BROKEN.replace("next[1]", "next")
    assert pipeline.symmetry(load_text(whole, "model.ptr", 3)).report.group_order == "6"
