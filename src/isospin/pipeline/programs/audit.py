"""`isospin audit` of a program: every search against the one that leaves nothing out, and what of it was compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from ...core import deadline
from ...core.records import dataclass
from ...engines.stateless.search import SearchResult
from .compare import AuditRow, ExecutionWatch, find_problems

__all__ = ["MOST_EXECUTIONS", "AuditRun", "ProgramAudit", "compare_runs"]

MOST_EXECUTIONS = 20_000  # of each search, unless something else was asked for
Say: TypeAlias = Callable[[str], None]
Explore: TypeAlias = Callable[[ExecutionWatch, "float | None"], SearchResult]  # in so many seconds


class AuditRun(NamedTuple):
    """A search that is to be compared."""

    name: str
    explore: Explore
    symmetric: bool = False
    watched: bool = True  # can we look at its executions?
    other_steps: bool = False


@dataclass(frozen=True)
class ProgramAudit:
    """What the searches said, and where they do not agree."""

    rows: tuple[AuditRow, ...]
    problems: tuple[str, ...]
    complete: bool  # all of them, and so is the one that leaves nothing out

    def lines(self) -> Iterator[str]:
        """A line for each search, for people."""
        for row in self.rows:
            result = row.result
            parts = [f"{result.executions:,} execution{'s' * (result.executions != 1)}"]
            parts += [f"{result.blocked:,} blocked"] if result.blocked else []
            parts += [f"{result.transitions:,} transitions"]
            if row.watch is not None and not row.other_steps:
                parts += [f"{len(row.watch.traces):,} trace{'s' * (len(row.watch.traces) != 1)}"]
            if row.watch is not None and row.watch.ends is not None:
                parts += [f"{len(row.watch.ends):,} final state{'s' * (len(row.watch.ends) != 1)} up to renaming"]
            parts += [", ".join(sorted(row.kinds)) or "nothing found"]
            cut = f" (cut: {result.incomplete})" if result.incomplete else ""
            yield f"{row.name}: {', '.join(parts)}{cut}"

    def coverage(self) -> str:
        """What was compared, and what was not."""
        done = [row for row in self.rows if row.complete]
        ends_early = any(row.kinds and row.watch is not None and not row.watch.goes_on for row in done)
        said = ["whether something is found, which ends an execution" if ends_early else "what is found"]
        done = [] if ends_early else done
        watches = {row.name: row.watch for row in done if row.is_plain and row.watch is not None}
        first = next(iter(watches.values()), None)
        same = [name for name, watch in watches.items() if first is not None and watch.has_names_of(first)]
        if len(same) > 1:
            other = [name for name in watches if name not in same]
            said.append("all traces, without symmetry" + (f" (not those of {', '.join(other)})" if other else ""))
        if any(row.symmetric and row.watch is not None for row in done):
            said.append("that every trace with symmetry is one of the program's")
        if any(row.watch is not None and row.watch.ends is not None for row in done):
            said.append("final states up to renaming")
        left = [row.name for row in self.rows if not row.complete]
        return f"compared: {', '.join(said)}" + (f"; not compared, since cut: {', '.join(left)}" if left else "")


def compare_runs(runs: Sequence[AuditRun], say: Say = lambda text: None, goes_on: bool = False) -> ProgramAudit:
    """Make all searches, the one that leaves nothing out first, and compare those that came to their ends.

    `goes_on`: the executions of this kind of program go on behind a failure."""
    rows: list[AuditRow] = []
    for number, run in enumerate(runs):
        say(f"{run.name} ...")
        left = deadline.remaining()
        watch = ExecutionWatch(goes_on)
        result = run.explore(watch, None if left is None else left / (len(runs) - number))
        rows.append(AuditRow.of(run.name, run.symmetric, result, watch if run.watched else None, run.other_steps))
    plain = [row for row in rows if row.complete and row.is_plain]
    others = [row for row in rows if row.complete and plain and row is not plain[0]]
    problems = [problem for row in others for problem in find_problems(plain[0], row)]
    return ProgramAudit(tuple(rows), tuple(problems), all(row.complete for row in rows))
