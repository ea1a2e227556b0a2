"""Measuring: the runs of a table one after the other, each within its time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..errors import IsospinError, UsageError
from . import TABLES
from .table import Measured, Run, Table

SHORT, LONG = 60.0, 3600.0  # seconds for one run, without and with --full
NOT_ASKED = "only with --full"


@dataclass(frozen=True)
class Cell:
    """A run and what it gave; None: it was not made."""

    run: Run
    ours: Measured | None

    @property
    def agrees(self) -> bool | None:
        """Is our count the paper's?  The paper rounds large ones to three digits.  None: nothing to compare."""
        if self.ours is None or self.ours.value is None or self.run.paper is None or not self.ours.complete:
            return None
        if self.run.paper >= 1e6:
            return float(f"{self.ours.value:.2e}") == float(f"{self.run.paper:.2e}")
        return self.ours.value == self.run.paper


@dataclass(frozen=True)
class Result:
    table: Table
    cells: tuple[Cell, ...]


def chosen(names: list[str]) -> list[Table]:
    """The tables with these names, or whose names begin so: `red` is all of that paper."""
    if names == ["all"]:
        return list(TABLES)
    found: dict[str, Table] = {}
    for name in names:
        some = [t for t in TABLES if t.name == name] or [t for t in TABLES if t.name.startswith(f"{name}-")]
        if not some:
            raise UsageError(f"there is no table {name}; available: all, {', '.join(t.name for t in TABLES)}")
        found |= {t.name: t for t in some}
    return list(found.values())


def measure(table: Table, full: bool, seconds: float | None, tell: Callable[[str], None]) -> Result:
    """All runs of a table; `tell` hears which one is under way."""
    limit = seconds or (LONG if full else SHORT)
    cells = []
    for number, run in enumerate(table.runs, 1):
        tell(f"{table.name}: {run.size} {run.method} ({number} of {len(table.runs)})")
        cells.append(Cell(run, one(run, limit) if full or not run.full else None))
    return Result(table, tuple(cells))


def one(run: Run, limit: float) -> Measured | None:
    if run.measure is None:
        return None
    try:
        return run.measure(limit)
    except IsospinError as error:  # a table goes on with its next row, and says why this one is empty
        return Measured(None, None, False, str(error).split("\n")[0])
