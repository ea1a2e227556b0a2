"""What an answer is: the outcome, what it covers, and what it rests on.

A verdict never defaults to success: `holds` needs an exhaustive and exact search, `violated` a trace that replays;
everything else is `incomplete`, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field, replace
from enum import StrEnum
from os import PathLike
from typing import Any

from .errors import NOWHERE, Diagnostic, Location, UsageError
from .records import dataclass
from .trace import Trace, Wait


class Outcome(StrEnum):
    """Whether a property holds; there is no default."""

    HOLDS = "holds"
    VIOLATED = "violated"
    INCOMPLETE = "incomplete"

    @property
    def exit_status(self) -> int:
        return {"holds": 0, "violated": 1, "incomplete": 3}[self.value]


@dataclass(frozen=True)
class Violation:
    """Something that is wrong, confirmed by a trace that was run again."""

    kind: str
    property: str
    message: str
    location: Location
    trace: Trace
    details: tuple[str, ...] = ()  # lines: stacks; a line that is not indented is the heading of those that follow
    waits: tuple[Wait, ...] = ()  # of a deadlock: who waits for whom


@dataclass(frozen=True)
class Family:
    """Processes that can take each other's place, and the group that does it."""

    name: str
    size: int
    group: str


@dataclass(frozen=True)
class Refusal:
    """A line that keeps a permutation from being a symmetry, and why."""

    location: Location
    why: str


@dataclass(frozen=True)
class Symmetry:
    """Which symmetry was used, and why it may be."""

    strategy: str = "none"
    exactness: str = "canonical"
    group_order: str = "1"
    families: tuple[Family, ...] = ()
    justification: str = ""
    refused: tuple[Refusal, ...] = ()
    heap: bool = False  # objects are named by how they are reached
    started: tuple[str, ...] = ()  # processes of these are started at run time; those alive take each other's place


@dataclass(frozen=True)
class ReversedPair:
    """Two places of a program that were executed in both orders, and how often something had to be explored for it."""

    first: Location
    first_does: str  # read, write, lock, ...
    second: Location
    second_does: str
    times: int


@dataclass(frozen=True)
class Statistics:
    """How large a search was."""

    states: int = 0
    transitions: int = 0
    depth: int = 0
    executions: int | None = None
    blocked: int | None = None
    seconds: float = 0.0
    compile_seconds: float = 0.0  # of these, those in which a compiler worked
    cpu_seconds: float = 0.0
    memory_bytes: int = 0
    bytes_per_state: float | None = None
    omission_probability: float | None = None  # of searches that are not exact
    expected: float | None = None  # of a stateless search that was cut: how many executions there may be, an estimate
    reversals: tuple[ReversedPair, ...] = ()  # where its executions come from, the most first
    left_out: int = 0  # subtrees of executions that symmetry left out
    awaited: int = 0  # failed rounds of loops, which are waits since then
    sample: tuple[int, ...] = ()  # of a bit-state search with a seed: the least hashes of its states, for swarms

    @property
    def search_seconds(self) -> float:
        """Without the compiler: what a rate is about."""
        return max(self.seconds - self.compile_seconds, 0.0)


@dataclass(frozen=True)
class PropertyResult:
    """The outcome of one property."""

    name: str
    outcome: Outcome
    reason: str = ""
    formula: str = ""  # what a claim says
    statistics: Statistics | None = None  # of the search for this claim
    symmetry: Symmetry | None = None
    por: bool | None = None  # of a claim: were partial orders used?
    por_reason: str = ""  # why not


@dataclass(frozen=True)
class Unreached:
    """A statement that no run executes."""

    process: str
    location: Location
    statement: str


@dataclass(frozen=True, repr=False)
class Verdict:
    """The answer to a check: the outcome, what it covers, and what it rests on.

    It is true only if all that was asked for holds.  `str` says it in a line; in a notebook it is a page to look at.
    """

    outcome: Outcome
    reason: str
    file: str
    engine: str
    search: str
    properties: tuple[PropertyResult, ...] = ()
    violations: tuple[Violation, ...] = ()
    statistics: Statistics = field(default_factory=Statistics)
    symmetry: Symmetry = field(default_factory=Symmetry)
    por: bool = False
    orbit_sum: str | None = None  # what the states or executions stand for; with partial orders at least this
    mode: str = "exact"  # exact, bitstate, fingerprint
    engine_reason: str = ""  # why this engine
    unreached: tuple[Unreached, ...] = ()
    covered: bool = False  # `unreached` is known: the search has seen everything
    warnings: tuple[Diagnostic, ...] = ()
    memory: str = ""  # the memory model under which it was asked for; sc: sequential consistency
    outcomes: tuple[tuple[str, int], ...] = ()  # what the program said that it saw, and in how many executions
    page: Callable[[Verdict], str] | None = field(default=None, compare=False)  # makes its report

    def __str__(self) -> str:
        return f"{self.file}: {self.outcome.value} ({self._essence()})"

    def __repr__(self) -> str:
        return f"<Verdict {self}>"

    def _essence(self) -> str:
        if self.violations:
            first, more = self.violations[0], len(self.violations) - 1
            place = f" at {first.location}" if first.location != NOWHERE else ""
            return f"{first.kind}: {first.message}{place}" + (f", and {more} more" if more else "")
        size = f"{self.states:,} states" if self.statistics.executions is None else (
            f"{self.statistics.executions:,} executions")  # fmt: skip
        return self.reason or f"{', '.join(p.name for p in self.properties)}; {size}"

    def html(self) -> str:
        """The report, as `isospin check --html` saves it."""
        if self.page is None:
            raise UsageError("only verdicts of isospin.check(...) have a page")
        return self.page(self)

    def save_html(self, path: str | PathLike[str]) -> None:
        """Save the report as one page that needs nothing else."""
        with open(path, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(self.html())

    def _repr_html_(self) -> str:
        """For notebooks: the page in a frame, so that its style and its script stay inside."""
        from html import escape

        if self.page is None:
            return f"<code>{escape(str(self))}</code>"
        return f'<iframe srcdoc="{escape(self.html())}" width="100%" height="640" frameborder="0"></iframe>'

    def __bool__(self) -> bool:
        return self.outcome is Outcome.HOLDS

    @property
    def states(self) -> int:
        return self.statistics.states

    @property
    def transitions(self) -> int:
        return self.statistics.transitions

    @property
    def depth(self) -> int:
        return self.statistics.depth

    @property
    def reduction_factor(self) -> float | None:
        """How many of the unreduced search a state (or execution) stands for, where that is known and not one."""
        seen = self.states if self.statistics.executions is None else self.statistics.executions
        if self.orbit_sum is None or not seen or int(self.orbit_sum) <= seen:
            return None
        return int(self.orbit_sum) / seen


def conclude(file: str, engine: str, search: str, properties: Iterable[PropertyResult], **more: Any) -> Verdict:
    """The only place where a verdict is made: its outcome is what its properties say."""
    found = tuple(properties)
    outcome, reason = overall(found)
    return Verdict(outcome, reason, file, engine, search, found, **more)


def amend(verdict: Verdict, properties: Iterable[PropertyResult], **more: Any) -> Verdict:
    """The verdict with other properties, and the outcome that they have."""
    found = tuple(properties)
    outcome, reason = overall(found)
    return replace(verdict, outcome=outcome, reason=reason, properties=found, **more)


def unfinished(file: str, reason: str, engine: str = "auto") -> Verdict:
    """Nothing was decided, not even how to search."""
    return conclude(file, engine, "none", (PropertyResult("safety", Outcome.INCOMPLETE, reason),))


def overall(properties: Iterable[PropertyResult]) -> tuple[Outcome, str]:
    """One outcome for all: the worst news that is certain, then the first gap."""
    results = list(properties)
    if any(p.outcome is Outcome.VIOLATED for p in results):
        return Outcome.VIOLATED, ""
    for result in results:
        if result.outcome is Outcome.INCOMPLETE:
            return Outcome.INCOMPLETE, result.reason
    return (Outcome.HOLDS, "") if results else (Outcome.INCOMPLETE, "nothing was checked")
