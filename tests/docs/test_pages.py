"""Every command and every example in the documentation does what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from isospin.engines.explicit.drive import build, program
from tests.docs.pages import FENCE, Reader
from tests.support.paths import DOCS

PAGES = ["../README.md", *sorted(str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md"))]
SLOW = {  # more than two seconds of CPU time each, most of it the C compiler's
    "howto/pointers.md", "howto/python.md", "howto/c.md", "howto/ci.md",
    "explanation/objects.md", "explanation/partial-orders.md", "explanation/soundness.md",
    "reference/pointer-automata.md", "reference/c-processes.md", "reference/c-programs.md",
}  # fmt: skip


@pytest.fixture(autouse=True)
def quick_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models are small here, and compiling them takes longest: without optimisation it is done at once."""
    monkeypatch.setattr(program, "checker", lambda text, level, *more: build.checker(text, "-O0", *more))


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] if n in SLOW else []) for n in PAGES])
def test_page(name: str, tmp_path: Path) -> None:
    wrong = Reader(tmp_path, name).follow((DOCS / name).read_text())
    assert not wrong, "\n" + "\n".join(wrong)


@pytest.mark.parametrize("name", PAGES)
def test_no_command_is_left_out(name: str) -> None:
    """A command outside of a console block would not be executed."""
    rest = FENCE.sub("", (DOCS / name).read_text())
    assert re.findall(r"^ {4,}\$? *(isospin [a-z]+ .*)", rest, re.M) == []


def test_the_reader_notices() -> None:
    """The reader itself: what it must not let pass."""
    from tempfile import TemporaryDirectory

    wrong = {
        "```console\n$ isospin check examples/peterson.pml\nsafety: violated\n...\n```\n": "is said to print",
        "```console\n$ isospin check nowhere.pml\n```\n": "ends with 2",
        "```python\n# holds\nassert False\n```\n": "the program is violated",
        "```sh\nisospin check examples/peterson.pml\n```\n": "could be run",
        "Save as `a.txt`:\n\n```text\none\n```\n\n```console\n$ cat a.txt\ntwo\n```\n": "and prints\none",
    }
    for page, what in wrong.items():
        with TemporaryDirectory() as place:
            (found,) = Reader(Path(place), "page").follow(page)
            assert what in found
