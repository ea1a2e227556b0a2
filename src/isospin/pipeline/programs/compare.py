"""Searches against each other: what they find, the traces of their executions, and how these end.

Reference: Godefroid 1996 (a selective search makes at least one execution of each trace that goes to an end);
Mazurkiewicz 1986 (traces).
Differs: a trace is known by the order in which each object is touched, with reads between two writes as a set.  That
says the same as the order of dependent events, and is found in one pass.

What may be compared.  Without symmetry every search must make an execution of every trace, `optimal` just one; with
symmetry it may leave out those that are images, under renamings that hold in the middle of an execution only, so of
traces we can say no more than that each is one of the program's.  Then the final states count, up to renaming, where a
host tells them.  Where an execution ends with a failure, what others would still do is not known, so that a search with
reductions may leave out the other orders: if something is found, only that something is found is compared.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import field

from ...core.records import dataclass
from ...engines.stateless.protocol import Comparing, ExecutedStep, Program
from ...engines.stateless.search import ScheduleFinding, SearchResult

__all__ = ["AuditRow", "ExecutionWatch", "find_problems"]

PLACELESS = ("deadlock", "lost-wakeup", "divergence", "race", "leak")  # which of them is met is a matter of order


# A read or a write, by what has happened when the thread comes there: the write says too much, which harms nobody.
UNSTEADY = ("once",)


class ExecutionWatch:
    """Is told how each execution of a search ends."""

    def __init__(self, goes_on: bool = False) -> None:
        self.goes_on = goes_on  # behind a failure
        self.known: Hashable = None  # by what a host names threads and steps
        self.begin()

    def begin(self) -> None:
        """A search begins, perhaps for the second time, since it has learnt something."""
        self.traces: set[int] = set()
        self.unsteady = False  # an operation may be announced in two ways
        self.whole = 0  # executions that did not end in a failure
        self.ends: set[Hashable] | None = None  # None: the host does not tell

    def ended(self, events: Sequence[ExecutedStep], program: Program, failed: bool) -> bool:
        if isinstance(program, Comparing):
            self.ends = self.ends or set()
            self.ends.add(program.end_state())
        if self.goes_on or not failed:
            self.whole += 1
            self.traces.add(hash(trace_of(events)))
        self.unsteady = self.unsteady or any(event[2].kind in UNSTEADY for event in events)
        return True

    def has_names_of(self, other: ExecutionWatch) -> bool:
        """Can its traces be compared with those of the other?"""
        return self.known == other.known and not self.unsteady and not other.unsteady


def trace_of(events: Sequence[ExecutedStep]) -> frozenset[Hashable]:
    """What executions that differ in the order of independent events have in common."""
    counts: dict[int, int] = {}
    touched: dict[Hashable, list[set[Hashable]]] = {}  # of each object: readers, a writer, readers, ...
    for thread, choice, op in events:
        count = counts[thread] = counts.get(thread, 0) + 1
        name = (thread, count, choice)
        touched.setdefault((thread, count), [{choice}])
        for what in op.writes:
            touched.setdefault(what, [set()]).extend(({name}, set()))
        for what in op.reads - op.writes:
            touched.setdefault(what, [set()])[-1].add(name)
    return frozenset((what, tuple(map(frozenset, order))) for what, order in touched.items())


@dataclass(frozen=True)
class AuditRow:
    """A search, and what is to be compared of it."""

    name: str
    symmetric: bool
    result: SearchResult
    watch: ExecutionWatch | None = None  # None: nobody could look at its executions
    kinds: frozenset[str] = field(default=frozenset())
    other_steps: bool = False  # its traces are made of other steps than those of the others

    @property
    def complete(self) -> bool:
        return not self.result.incomplete

    @property
    def is_plain(self) -> bool:
        """Can the traces of others be compared with its own?"""
        return not self.symmetric and not self.other_steps and self.watch is not None

    @classmethod
    def of(
        cls, name: str, symmetric: bool, result: SearchResult, watch: ExecutionWatch | None, other_steps: bool = False
    ) -> AuditRow:
        return cls(name, symmetric, result, watch, frozenset(map(_kind, result.findings)), other_steps)


def _kind(finding: ScheduleFinding) -> str:
    found = finding.found
    return found.kind if found.kind in PLACELESS or not found.location.line else f"{found.kind} at {found.location}"


def find_problems(base: AuditRow, row: AuditRow) -> list[str]:
    """What a search does not have in common with one without reductions; both came to their ends."""
    found = []
    goes_on = base.watch is not None and base.watch.goes_on
    one, other = (_shown(r.kinds, row.symmetric, goes_on) for r in (base, row))
    if one != other:
        found.append(f"{base.name} finds {_listed(base.kinds)}; {row.name} finds {_listed(row.kinds)}")
    if base.watch is None or row.watch is None or (base.kinds and not goes_on):
        return found
    if row.other_steps or not row.watch.has_names_of(base.watch):
        return found + _differing_ends(base, row)
    if foreign := len(row.watch.traces - base.watch.traces):
        found.append(f"{row.name} has {foreign} traces that {base.name} does not have")
    if not row.symmetric and (missing := len(base.watch.traces - row.watch.traces)):
        found.append(f"{row.name} misses {missing} of {len(base.watch.traces)} traces")
    return found + _differing_ends(base, row)


def _differing_ends(base: AuditRow, row: AuditRow) -> list[str]:
    watches = [r.watch for r in (base, row) if r.watch is not None]
    if len({None if watch.ends is None else frozenset(watch.ends) for watch in watches}) < 2:
        return []
    ends = [0 if watch.ends is None else len(watch.ends) for watch in watches]
    return [f"{base.name} ends in {ends[0]} states up to renaming, {row.name} in {ends[1]}, not in the same ones"]


def _shown(kinds: frozenset[str], symmetric: bool, goes_on: bool) -> frozenset[str]:
    """What of the findings must be the same."""
    if not goes_on:
        return frozenset(["something"] if kinds else [])
    return frozenset(kind.partition(" ")[0] for kind in kinds) if symmetric else kinds


def _listed(kinds: set[str] | frozenset[str]) -> str:
    return ", ".join(sorted(kinds)) or "nothing"
