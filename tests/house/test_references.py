"""What a file refers to is there: each `Reference:` that names a file of ours can be followed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.paths import ROOT, SOURCE

FILES = sorted(p for p in SOURCE.rglob("*") if p.suffix in (".py", ".c", ".h"))


def references(text: str) -> list[str]:
    """The names of files between `Reference:` and what follows it."""
    found = re.findall(r"Reference:(.*?)(?=Differs:|\n\s*\n|\"\"\"|\*/)", text, re.DOTALL)
    return [name for part in found for name in re.findall(r"[\w./-]+\.(?:md|py|c|h)\b", part)]


def is_there(name: str, file: Path) -> bool:
    """From the root of the project, from the package, or from a room that the file is in; a bare name, in that room."""
    places = [ROOT, SOURCE, *(p for p in file.parents if SOURCE in (p, *p.parents))]
    return any((place / name).exists() for place in places) or ("/" not in name and any(file.parent.parent.rglob(name)))


def test_references_can_be_followed() -> None:
    lost = [
        f"{file.relative_to(ROOT)}: {name}"
        for file in FILES
        for name in references(file.read_text(encoding="utf-8"))
        if not is_there(name, file)
    ]
    assert not lost, "\n" + "\n".join(lost)


def test_files_that_pages_name_are_there() -> None:
    """`analysis/ample.py` on a page is a file: from the root, or the end of a path in the package."""
    paths = [f"/{p.relative_to(ROOT)}" for p in SOURCE.rglob("*")]
    lost = [
        f"{page.relative_to(ROOT)}: {name}"
        for page in (ROOT / "docs").rglob("*.md")
        for name in re.findall(r"`((?:[a-z_]+/)+[a-z_.]*)`", page.read_text(encoding="utf-8"))
        if not (ROOT / name).exists() and not any(path.endswith(f"/{name.rstrip('/')}") for path in paths)
    ]
    assert not lost, "\n" + "\n".join(lost)


def test_tests_that_pages_name_are_there() -> None:
    """`tests/ltl/test_translate.py::test_words` on a page is a test of that file."""
    named = [
        (page.relative_to(ROOT), file, test)
        for page in (ROOT / "docs").rglob("*.md")
        for file, test in re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", page.read_text(encoding="utf-8"))
    ]
    assert len(named) > 20
    assert not [n for n in named if not re.search(rf"^def {n[2]}\(", (ROOT / n[1]).read_text(), re.MULTILINE)]


@pytest.mark.parametrize("name", ["docs/develop/nowhere.md", "ir/interp.py", "semantics/nothing.py"])
def test_one_that_is_lost_is_found(name: str) -> None:
    assert references(f'"""Text.\n\nReference: {name}, section 3.\nDiffers: no.\n"""') == [name]
    assert not is_there(name, SOURCE / "core" / "model.py")
