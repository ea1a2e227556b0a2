"""Templates of the explicit engine: named as such, and opened in the order of one list."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

import isospin
from isospin.engines.explicit.codegen.templates import TEMPLATES, include
from isospin.engines.explicit.drive.build import RUNTIME, compiler, includes

OPENED = re.compile(rf'^# 1 "{re.escape(str(RUNTIME))}/([^"]+)\.inc\.h" 1', re.MULTILINE)
HEADERS = sorted(str(path.relative_to(RUNTIME)) for path in RUNTIME.rglob("*.h"))
STACK = """
typedef T { T *next };
T *top;
function push(byte n) { T *p; p = new T; atomic { p->next = top; top = p } }
"""
STARTING = "byte n; proctype P() { n++ } active proctype Q() { do :: n < 3 -> run P() od }"
KEEPING = "pid who; proctype P() { who = _pid; who != _pid } active proctype Q() { run P(); who != 0; run P() }"
WIDE = "byte a[60]; active [2] proctype P() { byte i; do :: a[i] > 9 -> a[i] = i; i = (i + 1) % 60 :: a[i]++ od }"
TOGGLES = "bool b; active [2] proctype P() { do :: b = !b od }"
MODELS: list[tuple[str, dict[str, Any]]] = [
    (STACK + "active [2] proctype P() { push(1) }", {}),
    (STACK + "active proctype P() { push(1) }", {}),
    (WIDE, {}),
    (TOGGLES, {"ltl": "<> b", "threads": 2}),
    (STARTING, {}),
    (KEEPING, {}),
    ("byte x; active [2] proctype P() { byte i; do :: i < 2 -> i++ :: else -> x++ od }", {}),  # goes round alone
    (TOGGLES, {"ltl": "<> b"}),
    (TOGGLES, {"ltl": "[]<> b", "fair": True}),
]


class _Generated(Exception):
    """Nothing needs to be compiled."""


def opened(place: Path, source: str, *defined: str) -> list[str]:
    """The templates that a file opens, as the preprocessor meets them."""
    command = [*compiler(), *defined, *includes(place), "-E", "-xc", "-"]
    text = subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout
    return [name for name in OPENED.findall(text) if name in TEMPLATES]


def in_order(names: list[str]) -> bool:
    return names == sorted(names, key=TEMPLATES.index)


def test_the_list_has_every_template() -> None:
    assert sorted(f"{name}.inc.h" for name in TEMPLATES) == [name for name in HEADERS if name.endswith(".inc.h")]
    with pytest.raises(AssertionError):
        include("core/engine")


def test_a_header_stands_for_itself(tmp_path: Path) -> None:
    headers = [name for name in HEADERS if not name.endswith(".inc.h")]
    assert headers
    assert opened(tmp_path, "".join(f'#include "{name}"\n' for name in headers)) == []


@pytest.mark.parametrize("claim", [(), ("-DCLAIMED=1",), ("-DCLAIMED=1", "-DFAIR=1"), ("-DCLAIMED=1", "-DSEVERAL=1")])
def test_the_smallest_model_opens_them_in_order(claim: tuple[str, ...], tmp_path: Path) -> None:
    found = opened(tmp_path, (RUNTIME / "search/lint.c").read_text(), *claim)
    assert "search/search" in found
    assert in_order(found)


def test_generated_files_open_them_in_order(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    sources: list[str] = []

    def only_look(source: str, *_: object) -> None:
        sources.append(source)
        raise _Generated

    monkeypatch.setattr("isospin.engines.explicit.compile_checker", only_look)
    for text, options in MODELS:
        with pytest.raises(_Generated):
            isospin.check(text, engine="explicit", **options)
    ranks = "-DCLUSTER=1"  # the program of an MPI job
    orders = [*(opened(tmp_path, source) for source in sources), opened(tmp_path, sources[-3], ranks)]
    assert {name for order in orders for name in order} == set(TEMPLATES)
    assert all(in_order(order) for order in orders)
