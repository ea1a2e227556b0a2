"""Measuring: the runs of a table, each within its time, in as many processes as there are processors (at most two)."""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..core.errors import IsospinError, UsageError
from ..core.records import dataclass
from ..core.usage import seconds_spent
from . import TABLES
from .saved import SavedRows
from .table import AT_MOST, EQUAL, Measured, Table, TableRun

SHORT, LONG = 60.0, 3600.0  # seconds of CPU time for one run, without and with --full
ENOUGH = 0.8  # of its CPU time, and a run was really cut
ATTEMPTS, MOST_AT_ONCE, SOON = 4, 4.0, 0.1  # with more of the clock each time, at most so many times more
LIMIT = "time limit"
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

    @property
    def breaks_rule(self) -> bool:
        """Is our count one that it must not be?"""
        if self.run.rule == EQUAL:
            return self.agrees is False
        value = None if self.ours is None else self.ours.value  # more than it must be is too much, also if it was cut
        return self.run.rule == AT_MOST and None not in (value, self.run.paper) and (value or 0) > (self.run.paper or 0)

    @property
    def is_open(self) -> bool:
        """Was a count asked for that must be something, and not found?"""
        found = self.ours
        asked = self.run.rule and self.run.paper is not None and found is not None
        return bool(asked) and not (found is not None and found.complete and found.value is not None)


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


def measure(
    table: Table, full: bool, seconds: float | None, tell: Callable[[str], None], saved: SavedRows | None = None
) -> TableResult:
    """All runs of a table that are not saved yet; `tell` hears how far it is."""
    limit = seconds or (LONG if full else SHORT)
    wanted = [i for i, run in enumerate(table.runs) if full or not run.full]
    found: dict[int, Measured | None] = {}
    for i in wanted if saved is not None else ():
        if (known := saved.get(table, table.runs[i], limit) if saved is not None else None) is not None:
            found[i] = known
    for i, ours in _outcomes(table, [i for i in wanted if i not in found], limit):
        found[i] = ours
        if saved is not None and ours is not None:
            saved.add(table, table.runs[i], limit, ours)
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
    """One row.  The limit is one of CPU time: on a busy machine a run that was cut by the clock gets more of it."""
    if run.measure is None:
        return None
    given = limit * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    for attempt in range(ATTEMPTS):
        begin = _spent()
        try:
            with _fresh_cache():
                found = run.measure(given)
        except IsospinError as error:  # a table goes on with its next row, and says why this one is empty
            return Measured(None, None, False, str(error).split("\n")[0])
        spent = _spent() - begin
        found = found._replace(whole=spent if found.seconds is not None else None)
        if found.complete or LIMIT not in found.note or spent >= ENOUGH * limit or attempt == ATTEMPTS - 1:
            break
        given *= min(max(2.0, limit / max(spent, SOON)), MOST_AT_ONCE)
    return found


def _spent() -> float:
    return seconds_spent(resource.RUSAGE_SELF) + seconds_spent(resource.RUSAGE_CHILDREN)


@contextmanager
def _fresh_cache() -> Iterator[None]:
    """Every row compiles what it needs: otherwise the times of a row depend on what was run before."""
    before = os.environ.get("XDG_CACHE_HOME")
    with tempfile.TemporaryDirectory() as place:
        os.environ["XDG_CACHE_HOME"] = place
        try:
            yield
        finally:
            if before is None:
                del os.environ["XDG_CACHE_HOME"]
            else:
                os.environ["XDG_CACHE_HOME"] = before
