"""The road of a program to its verdict: learn, search, shorten and confirm, conclude.  Hosts differ, the road does not.

A kind of program has a class below `ProgramHost` (python.py, c.py, processes.py), which says how its program is
searched, run again and explained; `check_program` is the way that all of them go.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any, TypeAlias

from ...core.deadline import TimeIsOver
from ...core.errors import NOWHERE, Diagnostic, InternalError, Location, UsageError
from ...core.trace import Trace
from ...core.verdict import Outcome, PropertyResult, ReversedPair, Statistics, Symmetry, Verdict, Violation, conclude
from ...engines.contract import Progress
from ...engines.stateless.alike import ThreadSymmetry
from ...engines.stateless.protocol import Found, Renaming
from ...engines.stateless.registry import EXHAUSTIVE, SYMMETRIC, WHY_UNFOLDED, may_change
from ...engines.stateless.search import ScheduleFinding, SearchProgress, SearchRequest, SearchResult
from ...engines.stateless.shorten import same_failure
from ..settings import ProgramOptions

Tell: TypeAlias = Callable[[str, Any], None]  # a kind of news, and what it is about
INTERRUPTED = "interrupted"
MANY = 100  # executions
REDUCING = ("persistent", "dpor", "optimal")  # searches that leave out orders nobody can tell apart
MOST_PAIRS = 10  # of places that are told
Cut: TypeAlias = tuple[type[BaseException], ...]


class ProgramHost:
    """A program on the road: what differs between kinds of programs."""

    most_steps = 20_000  # of an execution, if nothing else was asked for
    symmetric: tuple[str, ...] = SYMMETRIC  # searches that use symmetry
    learnt: Cut = ()  # something is known now that the search should have known
    cannot: Cut = ()  # the program left what can be controlled
    cut: Cut = (TimeIsOver, KeyboardInterrupt)  # what may end the confirmation of a failure; who sees it says so
    differs = "files"  # what a program may depend on, so that a failure does not come again
    again = False  # was something learnt in the last execution?

    def __init__(self, file: str, options: ProgramOptions) -> None:
        self.file, self.options = file, options

    def learn(self) -> None:
        """Find out what the search must know, before it begins."""

    def declared_renamings(self) -> tuple[Renaming, ...]:
        """The permutations that the user declares."""
        return ()

    def begin_search(self) -> None:
        """From here on all executions go by the same knowledge."""

    def explore(self, search: str, asked: SearchRequest) -> SearchResult:
        """All executions that matter."""
        raise NotImplementedError

    def about(self, finding: ScheduleFinding) -> Any:
        """What is told about a failure as soon as it is found."""
        return finding

    def forgives(self, error: InternalError) -> bool:
        """A failure did not come again: may that be so?"""
        return False

    def confirm(self, finding: ScheduleFinding, result: SearchResult, tell: Tell) -> Violation:
        """Run a failing schedule again, and make it simple: `make_violation` makes the violation."""
        raise NotImplementedError

    def doubts(self, result: SearchResult) -> str:
        """Why `holds` would be too much, where nothing was found."""
        return ""

    def notes(self, result: SearchResult, outcome: Outcome) -> list[Diagnostic]:
        """What the user should know besides."""
        return []

    def searched(self, search: str, result: SearchResult) -> str:
        """The search that led to the result, if another one was needed in the end."""
        return "optimal" if result.over_graphs else search

    def memory(self, result: SearchResult) -> str:
        """The memory model under which the result counts; empty: whatever compilers and processors do."""
        memory = getattr(self.options, "memory", "auto")
        return "" if memory == "auto" else str(memory)

    def justification(self, symmetry: str, result: SearchResult) -> str:
        """Why threads may change places."""
        raise NotImplementedError

    def locate(self, place: Hashable) -> Location:
        """Where something was done that a search has reversed."""
        return place if isinstance(place, Location) else NOWHERE

    def families(self, result: SearchResult) -> ThreadSymmetry:
        """Which threads can change places where all have begun, and what keeps the others from it."""
        return ThreadSymmetry()


def check_program(host: ProgramHost, options: ProgramOptions, tell: Tell | None = None) -> Verdict:
    """Every schedule that matters.  `tell` hears what was begun, found and confirmed, as soon as it is."""
    news = tell or (lambda kind, what: None)
    began, cpu = time.monotonic(), _cpu_seconds()
    asked, search, result = SearchRequest(), options.search, SearchResult()
    cuts: Cut = (*host.cannot, TimeIsOver, KeyboardInterrupt)
    try:
        host.learn()
        asked = replace(question(host, tell), may_change=may_change(options.search, options.symmetry))
        search = options.search if options.search != "auto" else "dpor"
        if tell is not None:
            tell("begun", _verdict(host, search, asked, result, "not finished"))
        result = search_until_known(host, search, asked)
    except cuts as cut:
        result = SearchResult(incomplete=str(cut) or INTERRUPTED)
    if tell is not None and asked.progress is not None and result.executions:
        # Whatever ends this process from now on, that much was searched.
        counts = result.executions, result.blocked, result.transitions
        asked.progress(SearchProgress(*counts, result.seconds, result.estimate))
    seconds, cpu = time.monotonic() - began, _cpu_seconds() - cpu
    violations, unconfirmed = _confirm_all(host, result, news)
    reason = "" if violations else unconfirmed or result.incomplete or host.doubts(result)
    verdict = _verdict(host, search, asked, result, reason, violations)
    return replace(verdict, statistics=replace(verdict.statistics, seconds=seconds, cpu_seconds=cpu))


def question(host: ProgramHost, tell: Tell | None = None) -> SearchRequest:
    """What the search is asked, with the symmetry that it uses."""
    options = host.options
    can = options.search in ("auto", *host.symmetric)
    symmetry = options.symmetry if options.symmetry != "auto" else "discovered" if can else "none"
    if symmetry != "none" and not can:
        raise UsageError(f"--search {options.search} does not use symmetry; {', '.join(host.symmetric)} do")
    renamings = host.declared_renamings() if can and options.symmetry in ("auto", "declared") else ()
    listens = tell is not None or options.progress is not None

    def progress(now: SearchProgress) -> None:
        expected = now.estimate if options.search in ("auto", *EXHAUSTIVE) else None
        news = Progress(0, now.transitions, 0, 0, now.seconds, 0, now.executions, expected)
        if tell is not None:
            tell("progress", news)
        elif options.progress is not None:
            options.progress(news)

    return SearchRequest(
        all_errors=options.all_errors, deadlock=not options.no_deadlock,
        symmetry="declared" if renamings else symmetry, renamings=renamings,
        max_depth=options.max_depth or host.most_steps, max_time=options.max_time,
        max_preemptions=options.max_preemptions, max_executions=options.max_executions, seed=options.seed,
        workers=options.workers,
        progress=progress if listens else None,
        found=None if tell is None else lambda finding: tell("found", host.about(finding)),
    )  # fmt: skip


def search_until_known(host: ProgramHost, search: str, asked: SearchRequest) -> SearchResult:
    """Search until nothing new was learnt on the way: then all executions went by the same knowledge."""
    found: list[ScheduleFinding] = []

    def note(finding: ScheduleFinding) -> None:
        found.append(finding)
        if asked.found is not None:
            asked.found(finding)

    while True:
        host.begin_search()
        found.clear()
        try:
            result = host.explore(search, replace(asked, found=note))
        except host.learnt:
            continue
        except host.cannot as problem:  # what was found before remains
            return SearchResult(found, incomplete=str(problem))
        # SOUND: what was learnt in the last execution counts, too.  A failure is one, whatever was not known yet; that
        # there is none counts only if all was known.
        if (result.findings and not asked.all_errors) or result.incomplete or not host.again:
            return result


# -------------------------------------------------------------------------------------------------- confirm


def _confirm_all(host: ProgramHost, result: SearchResult, tell: Tell) -> tuple[tuple[Violation, ...], str]:
    """Those that could be run again, and why not all.  SOUND: only what comes again is shown."""
    violations, lost = list[Violation](), ""
    for finding in result.findings:
        try:
            violations.append(host.confirm(finding, result, tell))
        except InternalError as error:
            if not host.forgives(error):
                raise
            lost = str(error)
        except (*host.cannot, *host.cut) as cut:
            why = str(cut) or INTERRUPTED
            return tuple(violations), f"{why}; {finding.found.kind} was found, but not run again to be sure"
    return tuple(violations), lost


def make_violation(
    host: ProgramHost, finding: ScheduleFinding, found: Found | None, trace: Trace, known: dict[str, Any]
) -> Violation:
    """The violation, with all that must be known to run it again.

    A failure that does not come again is a bug of ours, or the program is not deterministic.
    """
    if found is None or not same_failure(found, finding.found):
        raise InternalError(
            f"{finding.found.kind} ({finding.found.message}) does not come again when its schedule is repeated; does "
            f"the program depend on something that is not the same in each run, such as {host.differs}?"
        )
    trace = replace(trace, host=known)
    return Violation(found.kind, "safety", found.message, found.location, trace, found.details, found.waits)


# -------------------------------------------------------------------------------------------------- verdict


def _verdict(
    host: ProgramHost, search: str, asked: SearchRequest, result: SearchResult, reason: str,
    violations: tuple[Violation, ...] = (),
) -> Verdict:  # fmt: skip
    """The verdict of a search: violated if something was confirmed, else incomplete if there is a reason."""
    outcome = Outcome.VIOLATED if violations else Outcome.INCOMPLETE if reason else Outcome.HOLDS
    begun = max(result.executions, 1 if result.findings else 0)  # one that fails may not go to its end
    statistics = Statistics(
        states=result.transitions + 1, transitions=result.transitions, depth=result.depth, executions=begun,
        blocked=result.blocked, sample=tuple(result.sample), reversals=tuple(reversed_pairs(host, result)),
        expected=result.estimate if reason and search in EXHAUSTIVE and result.estimate > begun else None,
        left_out=result.left_out, awaited=result.awaited,
    )  # fmt: skip
    stands_for = str(result.orbit_sum) if outcome is Outcome.HOLDS and result.orbit_sum else None
    search = host.searched(search, result)
    return conclude(
        host.file, "stateless", search, (PropertyResult("safety", outcome, reason),), violations=violations,
        statistics=statistics, por=search in REDUCING, warnings=tuple(host.notes(result, outcome)),
        symmetry=_symmetry(host, asked, result), orbit_sum=stands_for,
        outcomes=tuple(sorted(result.outcomes.items())),
        memory=host.memory(result),
    )  # fmt: skip


def reversed_pairs(host: ProgramHost, result: SearchResult) -> list[ReversedPair]:
    """Where most executions come from, by lines of the source; if there are so many that somebody may wonder."""
    if result.executions < MANY:
        return []
    found: Counter[tuple[tuple[Location, str], ...]] = Counter()
    for pair, times in result.reversals.items():
        lines = [(host.locate(done.place), done.kind) for done in pair]
        if all(location != NOWHERE for location, _ in lines):
            found[tuple(sorted(lines, key=str))] += times
    return [ReversedPair(*one, *other, times) for (one, other), times in found.most_common(MOST_PAIRS)]


def _symmetry(host: ProgramHost, asked: SearchRequest, result: SearchResult) -> Symmetry:
    if asked.symmetry == "none" or result.over_graphs:
        why = "not asked for" if asked.symmetry == "none" else WHY_UNFOLDED
        return Symmetry("none", justification=why)
    return host.families(result).report(asked.symmetry, host.justification(asked.symmetry, result))


def same_run(trace: Trace, document: dict[str, Any], file: str) -> None:
    """Is the run the one that was saved?"""
    if [(s.pid, s.statement) for s in trace.steps] != [(s["pid"], s["statement"]) for s in document["trace"]]:
        raise UsageError(f"the trace is not a run of {file}; was the program changed?")


def _cpu_seconds() -> float:
    """Of ours and of the processes that we waited for."""
    return sum(os.times()[:4])
