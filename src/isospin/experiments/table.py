"""What a table of a paper is: runs, each with what the paper has and a way to measure it here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from .. import pipeline
from ..core.errors import UsageError
from ..core.records import dataclass
from ..core.verdict import Verdict

PACKAGE = Path(__file__).parent.parent
APPROXIMATE = "may take different orbits for one"  # why such a strategy never says `holds`


EQUAL, AT_MOST = "equal", "at most"


class Measured(NamedTuple):
    """What a run gave; `complete` only if all of it was searched."""

    value: int | None
    seconds: float | None  # of CPU time, for the search alone; None where time says nothing
    complete: bool = True
    note: str = ""
    memory: int | None = None  # bytes of the search
    whole: float | None = None  # CPU seconds for everything: reading, finding symmetry, compiling, searching


Measure = Callable[[float], Measured]  # with at most so many seconds
Source = Callable[[], str | Path]  # a model: its text, or its file


@dataclass(frozen=True)
class TableRun:
    """One cell: a size, a method, what the paper has there, and how it is measured here."""

    size: str
    method: str
    paper: float | None  # what is counted; None: the paper has no figure
    paper_seconds: float | None = None
    measure: Measure | None = None  # None: only the paper's figure
    full: bool = False  # takes long: only with --full
    paper_note: str = ""  # such as "> 1e6"
    rule: str = ""  # what our count must be: EQUAL to the paper's, AT_MOST as large, or anything
    paper_memory: float | None = None  # kilobytes
    remark: str = ""  # why the shape differs


@dataclass(frozen=True)
class Table:
    """A table of a paper: its figures, and the runs of ours that go beside them."""

    name: str  # on the command line
    title: str
    paper: str
    counts: str  # what is counted: states, transitions, ...
    note: str  # how it may be compared
    runs: tuple[TableRun, ...]
    alone: bool = False  # one run at a time: their speed is compared


def example(name: str) -> Path:
    """A model of `examples/`: inside the package where it is installed, beside it in a checkout."""
    for root in (PACKAGE / "examples", PACKAGE.parent.parent / "examples"):
        if (root / name).exists():
            return root / name
    raise UsageError(f"examples/{name} is not here: install isospin from a wheel, or run it in its source tree")


def measured(verdict: Verdict, value: int) -> Measured:
    """What a verdict says about a count: a search that was cut has only a lower bound.

    An approximate strategy is never complete as a proof, but its count is what the paper counts.
    """
    why = verdict.reason or next((p.reason for p in verdict.properties if p.name == "safety"), "")
    cut = bool(why) and APPROXIMATE not in why
    folded = verdict.orbit_sum is not None and int(verdict.orbit_sum) > verdict.states
    least = "at least " if verdict.por else ""
    note = why if cut else f"for {least}{int(verdict.orbit_sum or 0):,} states" if folded else ""
    statistics = verdict.statistics
    return Measured(value, statistics.cpu_seconds, not cut, note, statistics.memory_bytes or None)


def states(source: Source, options: Mapping[str, Any], defines: tuple[str, ...] = ()) -> Measure:
    """Count the stored states of a model."""

    def run(seconds: float) -> Measured:
        model = pipeline.load(source(), defines)
        verdict = pipeline.check(model, pipeline.options(max_time=seconds, **options))
        return measured(verdict, verdict.states)

    return run
