"""Liveness verdicts on SPIN's own examples, with and without symmetry, against those that SPIN gave (recorded)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from isospin.pipeline import Options, check, load
from tests.examples import ROWS, folder, needs_examples

COLUMNS = ("accept_a", "accept_a_fair", "nonprogress_l", "nonprogress_l_fair")
QUICK = 1000  # states that SPIN needed
# Too big for the interpreter (hundreds of thousands of states): for the compiled engine.
TOO_BIG = ("LTL/leader.pml", "LTL/leader_pre.pml", "LTL/petersonN.pml nonprogress_l_fair", "LTL/mobile1.pml accept",
           "Book_1991/p337.pftp.ses.pml", "Book_1991/p347.pftp.ses5.pml", "Book_1991/App.F.pftp.pml")  # fmt: skip
SLOW = ("LTL/mobile2.pml accept", "LTL/bakery.pml", "LTL/train.pml accept_a_fair c2", "LTL/train.pml accept_a_fair c3")


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


ENTRIES = [e for e in entries() if not e.name.startswith(TOO_BIG)]


def is_slow(e: Entry) -> bool:
    return e.states > QUICK or e.name.startswith(SLOW)


def compare(entry: Entry, symmetry: str) -> None:
    model = load(folder() / entry.file)
    fair, progress = entry.column.endswith("fair"), entry.column.startswith("non")
    name = None if progress else entry.claim or model.claims[0].name
    verdict = check(model, Options(engine="interp", symmetry=symmetry, fair=fair, non_progress=progress, ltl=name))
    assert verdict.outcome.value == entry.verdict


def test_the_table_is_read() -> None:
    assert len(ENTRIES) > 70
    assert {e.verdict for e in ENTRIES} == {"holds", "violated"}
    assert {e.column for e in ENTRIES} == set(COLUMNS)


@needs_examples
@pytest.mark.parametrize("symmetry", ["none", "exact"])
@pytest.mark.parametrize("entry", [e for e in ENTRIES if not is_slow(e)], ids=lambda e: e.name)
def test_as_spin(entry: Entry, symmetry: str) -> None:
    compare(entry, symmetry)


@pytest.mark.slow
@needs_examples
@pytest.mark.parametrize("symmetry", ["none", "exact"])
@pytest.mark.parametrize("entry", [e for e in ENTRIES if is_slow(e)], ids=lambda e: e.name)
def test_larger_ones_as_spin(entry: Entry, symmetry: str) -> None:
    compare(entry, symmetry)


@pytest.mark.slow
@needs_examples
@pytest.mark.parametrize("por", ["on", "off"])
@pytest.mark.parametrize("entry", [e for e in entries() if not e.column.endswith("fair")], ids=lambda e: e.name)
def test_compiled_as_spin(entry: Entry, por: str) -> None:
    """All of the table, also what is too big for the interpreter."""
    model = load(folder() / entry.file)
    progress = entry.column.startswith("non")
    name = None if progress else entry.claim or model.claims[0].name
    what = Options(engine="explicit", symmetry="none", por=por, non_progress=progress, ltl=name)
    assert check(model, what).outcome.value == entry.verdict
