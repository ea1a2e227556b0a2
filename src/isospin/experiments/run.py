"""Measuring: the runs of a table, each within its time, in as many processes as there are processors (at most two)."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator

from ..core.errors import IsospinError, UsageError
from ..core.records import dataclass
from . import TABLES
from .table import Measured, Table, TableRun

SHORT, LONG = 60.0, 3600.0  # seconds for one run, without and with --full
NOT_ASKED = "only with --full"
MOST_JOBS = 2


@dataclass(frozen=True)
class TableCell:
    """A run and what it gave; None: it was not made."""

    run: TableRun
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
class TableResult:
    """A table with what we measured."""

    table: Table
    cells: tuple[TableCell, ...]


def tables_named(names: list[str]) -> list[Table]:
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


def measure(table: Table, full: bool, seconds: float | None, tell: Callable[[str], None]) -> TableResult:
    """All runs of a table; `tell` hears how far it is."""
    limit = seconds or (LONG if full else SHORT)
    wanted = [i for i, run in enumerate(table.runs) if full or not run.full]
    found: dict[int, Measured | None] = {}
    for i, ours in _outcomes(table, wanted, limit):
        found[i] = ours
        tell(f"{table.name}: {len(found)} of {len(wanted)} rows")
    return TableResult(table, tuple(TableCell(run, found.get(i)) for i, run in enumerate(table.runs)))


def _outcomes(table: Table, wanted: list[int], limit: float) -> Iterator[tuple[int, Measured | None]]:
    jobs = min(MOST_JOBS, os.cpu_count() or 1, len(wanted))
    if table.alone or jobs < 2:
        yield from ((i, one(table.runs[i], limit)) for i in wanted)
        return
    # A fresh process has no threads of ours that a fork would lose, and CPU time of its own.
    with multiprocessing.get_context("spawn").Pool(jobs, _leave_quietly) as pool:
        yield from pool.imap_unordered(_one_of, [(table.name, i, limit) for i in wanted])


def _leave_quietly() -> None:
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))


def _one_of(job: tuple[str, int, float]) -> tuple[int, Measured | None]:
    """One row, in a process of its own: runs are found by name, since they cannot be sent."""
    name, index, limit = job
    table = next(t for t in TABLES if t.name == name)
    return index, one(table.runs[index], limit)


def one(run: TableRun, limit: float) -> Measured | None:
    if run.measure is None:
        return None
    try:
        return run.measure(limit)
    except IsospinError as error:  # a table goes on with its next row, and says why this one is empty
        return Measured(None, None, False, str(error).split("\n")[0])
