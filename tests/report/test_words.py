"""Every kind of error has words, wherever it is found; and no words are left over."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from isospin.report.words import KINDS
from tests.support.paths import ROOT

SOURCE = ROOT / "src" / "isospin"
FAILURES = ("Fault", "Found", "Finding")  # what is found, by its kind
# In C: a failure that is reported, and the kinds that a field of one can have.
IN_C = re.compile(r"\bfail(?:_from)?\(\s*\"([a-z-]+)\"")
FIELD_IN_C = re.compile(r"\bkind = ([^;,}]*[;,}])")
WORD = re.compile(r"\"([a-z]+(?:-[a-z]+)*)\"")


def kinds_in_python(path: Path) -> Iterator[str]:
    """The first argument of what is found, and `cycle = ...` of those who watch a claim."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=str(kind)), *_]) if name in FAILURES:
                yield kind
            case ast.Assign(targets=[ast.Name(id="cycle")], value=ast.Constant(value=str(kind))):
                yield kind


def kinds_in_c(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    yield from IN_C.findall(text)
    for value in FIELD_IN_C.findall(text):
        yield from WORD.findall(value)


def found_somewhere() -> set[str]:
    found = {kind for path in SOURCE.rglob("*.py") for kind in kinds_in_python(path)}
    return found | {kind for path in (SOURCE / "hosts" / "c" / "runtime").rglob("*.c") for kind in kinds_in_c(path)}


def test_every_kind_that_is_found_has_words() -> None:
    found = found_somewhere()
    assert {"deadlock", "acceptance-cycle", "out-of-bounds", "lost-wakeup", "leak"} <= found
    assert found <= set(KINDS)


def test_no_words_without_a_kind() -> None:
    """Somebody must be able to find it: it stands in quotes somewhere else in the source."""
    texts = [p.read_text(encoding="utf-8") for p in SOURCE.rglob("*.[pc]*") if p.suffix in (".py", ".c")]
    elsewhere = "".join(text for text in texts if "KINDS: dict[str, str]" not in text)
    assert [kind for kind in KINDS if f'"{kind}"' not in elsewhere] == []
