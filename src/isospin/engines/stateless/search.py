"""What all searches share, whatever they keep of an execution: limits, counting, findings, progress.

Searches that go through a tree of nodes are in `depth_first.py`; those that find and reverse races in `races.py`.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import field, replace
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from ...core import deadline
from ...core.deadline import TimeIsOver, within
from ...core.records import dataclass
from .protocol import ExecutedStep, Found, Program, Renaming, Step, Thread, choice_counter
from .trail import Trail

LOST = "a part of the search that another process did was lost (--workers)"


@dataclass(frozen=True)
class SearchProgress:
    """How far a search is; `estimate` is the number of executions to expect, from the shape of the tree so far."""

    executions: int
    blocked: int
    transitions: int
    seconds: float
    estimate: float


class Watching(Protocol):
    """Who looks at all executions of a search, see `compare.py`."""

    def begin(self) -> None:
        """A search begins."""

    def ended(self, events: Sequence[ExecutedStep], program: Program, failed: bool) -> bool:
        """An execution went to its end; `failed`: its last step did.  Are more to be looked at?"""


@dataclass(frozen=True)
class SearchRequest:
    """What to look for, and how far."""

    all_errors: bool = False
    deadlock: bool = True
    symmetry: str = "none"  # none, declared, discovered
    renamings: tuple[Renaming, ...] = ()  # the declared ones
    max_depth: int | None = None
    max_time: float | None = None
    max_preemptions: int | None = None
    max_executions: int | None = None
    workers: int = 1  # processes that search at a time
    may_change: bool = False  # `dpor` may be given up for a search over graphs, see `graphs/worth.py`
    seed: int = 0  # of random scheduling
    changes: int = 3  # of PCT: how many changes of priority
    progress: Callable[[SearchProgress], None] | None = None
    progress_interval: float = 0.5
    found: Callable[[ScheduleFinding], None] | None = None  # told at once what is found
    watch: Watching | None = None  # told how executions end


@dataclass(frozen=True)
class ScheduleFinding:
    """What was found, and the steps that lead to it."""

    found: Found
    steps: tuple[Step, ...]


class Done(NamedTuple):
    """Something that was done at a place, which the host knows (`Placing`)."""

    place: Hashable
    kind: str


@dataclass
class SearchResult:
    """What was seen.  `incomplete` says why something was not, and is empty if nothing was left out."""

    findings: list[ScheduleFinding] = field(default_factory=list)
    executions: int = 0  # that went to their end
    blocked: int = 0  # that were begun, and given up as redundant
    transitions: int = 0  # steps of the search, those of going back not counted
    depth: int = 0
    incomplete: str = ""
    orbit_sum: int | None = None  # how many executions those stand for, at least; None: not known
    sample: list[int] = field(default_factory=list)  # of executions that were chosen at random: their classes
    estimate: float = 0.0
    reversals: dict[tuple[Done, Done], int] = field(default_factory=dict)  # how often their order was reversed
    over_graphs: bool = False  # without symmetry, instead of the search that was asked for
    left_out: int = 0  # subtrees, by symmetry
    awaited: int = 0  # failed rounds of loops, which are waits since then
    outcomes: dict[str, int] = field(default_factory=dict)  # what the program said, and in how many executions
    seconds: float = 0.0
    cpu_seconds: float = 0.0


class SearchEnds(Exception):
    """The search ends here; the reason is empty if it found what it looked for."""


Todo = TypeVar("Todo")


@dataclass(slots=True, eq=False)
class Junction(Generic[Todo]):
    """A state of the execution from which more than one way may lead: which are still to be explored."""

    todo: list[Todo] = field(default_factory=list)
    choices: list[int] = field(default_factory=list)  # of the thread that is being explored, still to come
    explored: int = 0  # children
    gift: Any = None  # the next one in `todo`, if another process explores it (`jobs.py`)


class Search:
    """A search over the executions of a program; `search` is the loop of each kind."""

    def __init__(self, program: Program, asked: SearchRequest) -> None:
        self.program, self.asked = program, asked
        self.result = SearchResult()
        self.trail = Trail(program)
        self.count_choices = choice_counter(program)
        self.deepest = sys.maxsize if asked.max_depth is None else asked.max_depth
        self.in_a_hurry = False  # the time is over
        self._told: set[tuple[str, str, str]] = set()
        self._failing: object = None  # the event that was reported last
        self._started, self._cpu = time.monotonic(), time.process_time()
        self._reported = self._started

    def search(self) -> None:
        """All executions that are to be seen."""
        raise NotImplementedError

    def junctions(self) -> Sequence[Junction[Any]]:
        """Where the execution could still go another way, the first one first."""
        return ()

    def is_allowed(self, thread: Thread) -> bool:
        """Is the thread within the bound on preemptions, if it goes on from here?"""
        return True

    # ---------------------------------------------------------------- beginning and end

    def run(self) -> SearchResult:
        """Search until it is done or something ends it, and say which."""
        if self.asked.watch is not None:
            self.asked.watch.begin()
        try:
            with within(self.asked.max_time):
                self.search()
            if self.asked.max_preemptions is not None:
                # SOUND: backtracking is computed from what was seen; under the bound something was not.
                self.result.incomplete = f"at most {self.asked.max_preemptions} preemptions in an execution"
        except SearchEnds as stop:
            self.result.incomplete = str(stop) or self.result.incomplete
        except TimeIsOver as over:
            self.result.incomplete, self.in_a_hurry = str(over), True
        except KeyboardInterrupt:
            self.result.incomplete = "interrupted"
        self.finish()
        return self.result

    def finish(self) -> None:
        self.result.estimate = self.result.executions
        self.result.seconds = time.monotonic() - self._started
        self.result.cpu_seconds = time.process_time() - self._cpu

    # ---------------------------------------------------------------- limits, findings

    def count_execution(self) -> None:
        """An execution went to its end: nothing is enabled.  Is that as it should be?"""
        self.result.executions += 1
        if self.asked.watch is not None:
            events = self.trail.events
            if not self.asked.watch.ended(events, self.program, bool(events) and events[-1] is self._failing):
                self.asked = replace(self.asked, watch=None)
        problem = self.program.stuck()
        if problem is not None and (self.asked.deadlock or problem.kind != "deadlock"):
            self.report(problem)

    def check_limits(self) -> None:
        """After an execution: was that enough?"""
        self.tick()
        executions, *_ = self.counts()
        if self.asked.max_executions is not None and executions >= self.asked.max_executions:
            raise SearchEnds(f"stopped after {executions} executions (--max-executions)")

    def counts(self) -> tuple[int, int, int]:
        """Executions, those that were given up, and steps so far."""
        return self.result.executions, self.result.blocked, self.result.transitions

    def cut_off(self) -> None:
        """An execution is longer than it may be."""
        self.result.incomplete = f"executions longer than {self.deepest} steps were cut off (--max-depth)"

    def report(self, found: Found) -> None:
        """Note a failure once; the first one ends the search unless all were asked for."""
        self._failing = self.trail.events[-1] if self.trail.events else None
        self.note(ScheduleFinding(found, tuple(Step(e.thread, e.choice) for e in self.trail.events)))
        if not self.asked.all_errors:
            raise SearchEnds

    def note_reversals(self, pair: tuple[Done, Done] | None, times: int = 1) -> None:
        """Something has to be explored since these two can come in both orders."""
        if pair is not None:
            self.result.reversals[pair] = self.result.reversals.get(pair, 0) + times

    def note(self, finding: ScheduleFinding) -> None:
        """Keep what was found, if it is new."""
        found = finding.found
        key = (found.kind, str(found.location), found.message)
        if key not in self._told:
            self._told.add(key)
            self.result.findings.append(finding)
            if self.asked.found is not None:
                self.asked.found(finding)

    def tick(self) -> None:
        """Look at the time now and then, and tell how far we are."""
        now = time.monotonic()
        deadline.check()
        if self.asked.progress is not None and now - self._reported > self.asked.progress_interval:
            self._reported = now
            self.asked.progress(SearchProgress(*self.counts(), now - self._started, self.estimate()))

    def estimate(self) -> float:
        """How many executions there may be: those seen, divided by the part of the tree that was seen, if at each node
        all subtrees were alike (Knuth 1975)."""
        seen, share = 0.0, 1.0
        for junction in self.junctions():
            branches = junction.explored + len(junction.todo) + 1
            seen += share * junction.explored / branches
            share /= branches
        executions, *_ = self.counts()
        return executions / (seen + share) if executions else 1.0


def spread(seen: Counter[int]) -> tuple[int, float]:
    """Of what was met, each thing so many times: how many there are, and how many were not met, at least (Chao)."""
    once = sum(1 for times in seen.values() if times == 1)
    twice = sum(1 for times in seen.values() if times == 2)
    return len(seen), once * once / (2 * twice) if twice else once * (once - 1) / 2
