"""Liveness verdicts on SPIN's own examples, with and without symmetry, against those that SPIN gave (recorded)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from isospin.pipeline import Options, check, load
from tests.support.spin_examples import ROWS, folder, needs_examples

COLUMNS = ("accept_a", "accept_a_fair", "nonprogress_l", "nonprogress_l_fair")
QUICK = 1000  # states that SPIN needed
WAYS = (("none", "off"), ("exact", "on"), ("none", "on"), ("exact", "off"))  # symmetry, partial orders
# Few states for SPIN, many for the interpreter, or symmetries that take long to find.
SLOW = ("LTL/leader", "LTL/mobile", "LTL/bakery.pml", "LTL/train.pml accept_a_fair", "LTL/petersonN.pml non",
        "Book_1991/App.F", "Book_1991/p3")  # fmt: skip


class Entry(NamedTuple):
    file: str
    column: str
    claim: str  # empty: the only one
    verdict: str
    states: int

    @property
    def name(self) -> str:
        return f"{self.file} {self.column} {self.claim}".strip()


def entries() -> Iterator[Entry]:
    for row in ROWS:
        for column in COLUMNS:
            for piece in filter(None, (row[column] or "").split(" | ")):
                named = re.match(r"(\w+): (.*)", piece)
                claim, said = (named[1], named[2]) if named else ("", piece)
                size = re.search(r"states=(\d+)", said)
                if size and not said.startswith("inconclusive"):
                    verdict = "holds" if said.startswith("ok") else "violated"
                    yield Entry(row["file"], column, claim, verdict, int(size[1]))


ENTRIES = list(entries())


def is_slow(e: Entry) -> bool:
    return e.states > QUICK or e.name.startswith(SLOW)


def compare(entry: Entry, symmetry: str, por: str, engine: str) -> None:
    model = load(folder() / entry.file)
    fair, progress = entry.column.endswith("fair"), entry.column.startswith("non")
    name = None if progress else entry.claim or model.claims[0].name
    what = Options(engine=engine, symmetry=symmetry, por=por, fair=fair, non_progress=progress, ltl=name)
    assert check(model, what).outcome.value == entry.verdict


def test_the_table_is_read() -> None:
    assert len(ENTRIES) > 100
    assert {e.verdict for e in ENTRIES} == {"holds", "violated"}
    assert {e.column for e in ENTRIES} == set(COLUMNS)


@needs_examples
@pytest.mark.parametrize(("symmetry", "por"), WAYS[:2])
@pytest.mark.parametrize("entry", [e for e in ENTRIES if not is_slow(e)], ids=lambda e: e.name)
def test_as_spin(entry: Entry, symmetry: str, por: str) -> None:
    compare(entry, symmetry, por, "interp")


@pytest.mark.slow
@needs_examples
@pytest.mark.parametrize(("symmetry", "por"), WAYS)
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.name)
def test_all_as_spin(entry: Entry, symmetry: str, por: str) -> None:
    """The interpreter for small ones, the compiled engine for the rest: as for everybody who does not choose."""
    compare(entry, symmetry, por, "auto")


@pytest.mark.slow
@needs_examples
@pytest.mark.parametrize(("symmetry", "por"), WAYS[:2])
@pytest.mark.parametrize("entry", [e for e in ENTRIES if not is_slow(e)], ids=lambda e: e.name)
def test_small_ones_in_the_compiled_engine(entry: Entry, symmetry: str, por: str) -> None:
    compare(entry, symmetry, por, "explicit")
