"""A swarm: many small searches that differ, instead of a large one that does not end.

Each search is by itself: bit-state searches of a model, depth first, each with an order of successors, a hash function,
a size and a depth of its own; executions of a program that are chosen at random, in one of three ways.  So they can run
wherever an executor of `concurrent.futures` puts them: in processes here, in an MPI job, in a cluster of Dask or Ray.

What is found is run again as always, and a shorter counterexample is looked for in a part of the time.  What was not
seen is estimated, and the verdict is never `holds`.

Reference: Holzmann, Joshi, Groce, "Swarm verification techniques", IEEE TSE 2011; Chao, Biometrics 1987 (what was seen
by one search only, and what by two, tells at least how much was seen by none).
Differs: states are compared across searches by the least of their hashes, which costs next to nothing.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import field
from itertools import count, islice
from typing import Any

from ..core.errors import SourceError, UsageError
from ..core.records import dataclass
from ..core.verdict import Outcome, PropertyResult, Statistics, Unreached, Verdict, Violation, conclude, unfinished
from ..engines.stateless.search import spread
from .kind_options import make_options
from .kinds import KINDS, InputKind

__all__ = ["SwarmReport", "SwarmSearch", "estimate_unseen", "fly", "swarm"]

SIZES = tuple(1 << bits for bits in (23, 25, 21, 27, 24))  # bytes of the arrays of bits
DEPTHS = (None, 10_000, 1_000, 100_000, 300)
WALKS = ("pos", "pct", "random")
SHARE = 8  # each search gets at most this part of the time ...
LONGEST, SHORTEST = 60.0, 1.0  # ... and so many seconds
SHORTENING = 0.25  # of the time, for a shorter counterexample
SHORTER = 0.7  # as long as the one before, at most
SHORT = 10  # steps: short enough
SCOUTED = 20  # executions of the first search, or thousands of states
SAMPLE_SPACE = 1 << 64


@dataclass(frozen=True)
class SwarmSearch:
    """One search of a swarm: all that it takes to run it elsewhere."""

    files: tuple[str, ...]
    kind: str
    options: Mapping[str, Any]


def fly(search: SwarmSearch) -> Verdict:
    """Run one search, in whatever process this is."""
    kind = KINDS[search.kind]
    found: Verdict = kind.on_road("check_files")(list(search.files), make_options(kind, search.options))
    return found


@dataclass
class SwarmReport:
    """What a swarm has seen so far."""

    is_program: bool
    searches: int = 0
    failed: int = 0  # searches that did not come back
    states: int = 0  # of all searches, also those that several have seen
    executions: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    violations: dict[tuple[str, str, str], Violation] = field(default_factory=dict)
    unreached: frozenset[Unreached] | None = None  # by none of the searches; None: not known
    samples: list[tuple[int, ...]] = field(default_factory=list)
    first: Verdict | None = None  # for what all searches have in common
    why_failed: str = ""
    interrupted: bool = False

    def add(self, verdict: Verdict) -> bool:
        """Note what a search has seen.  Is there something new, or shorter?"""
        known = verdict.statistics
        self.searches += 1
        self.states += known.states
        self.executions += known.executions or 0
        self.cpu_seconds += known.cpu_seconds
        if self.first is None and known.states > 1:
            self.first = verdict
        if self.first is not None and verdict.por == self.first.por:  # else its states are those of another model
            self.samples.append(known.sample)
        if not self.is_program and known.states > 1:
            seen = frozenset(verdict.unreached)
            self.unreached = seen if self.unreached is None else self.unreached & seen
        news = [self._note(violation) for violation in verdict.violations]
        return any(news)

    def _note(self, found: Violation) -> bool:
        key = found.kind, str(found.location), found.message
        before = self.violations.get(key)
        if before is not None and len(before.trace.steps) <= len(found.trace.steps):
            return False
        self.violations[key] = found
        return True

    def verdict(self, file: str) -> Verdict:
        """What a swarm says: never that something holds."""
        found = tuple(self.violations.values())
        what = f"{self.executions:,} executions" if self.is_program else f"{self.states:,} states"
        cut = "interrupted; " if self.interrupted else ""
        reason = f"{cut}a swarm of {self.searches} searches with {what} in all: there may be more"
        result = PropertyResult("safety", Outcome.VIOLATED if found else Outcome.INCOMPLETE, reason)
        like = unfinished(file, reason) if self.first is None else self.first
        statistics = Statistics(
            self.states, depth=like.statistics.depth, executions=self.executions if self.is_program else None,
            seconds=self.seconds, cpu_seconds=self.cpu_seconds,
        )  # fmt: skip
        return conclude(
            file, like.engine, "swarm", (result,), violations=found, statistics=statistics, symmetry=like.symmetry,
            por=like.por, mode=like.mode, memory=like.memory,
        )  # fmt: skip

    @property
    def estimate(self) -> tuple[float, float]:
        """How many different states (or classes of executions) were seen, and how many there are besides, at least."""
        if self.is_program:
            return _spread(Counter(h for sample in self.samples for h in sample), 1.0)
        return estimate_unseen(self.samples)


def estimate_unseen(samples: Sequence[tuple[int, ...]]) -> tuple[float, float]:
    """The same, from the least hashes that each search has met."""
    full = [sample[-1] for sample in samples if len(sample) >= _LEAST_SAMPLE]
    bound = min(full, default=SAMPLE_SPACE - 1)  # below it, each sample has all that its search has met
    share = (bound + 1) / SAMPLE_SPACE
    return _spread(Counter(h for sample in samples for h in set(sample) if h <= bound), share)


_LEAST_SAMPLE = 512  # as many as the runtime keeps: a shorter sample has all states


def _spread(seen: Counter[int], share: float) -> tuple[float, float]:
    known, unseen = spread(seen)
    return known / share, unseen / share


def searches(kind: InputKind, files: Sequence[str], given: Mapping[str, Any], seconds: float) -> Iterator[SwarmSearch]:
    """One search after the other, each another one; there is no end to them."""
    most = min(max(seconds / SHARE, SHORTEST), LONGEST)
    for number in count(1):
        seed = given.get("seed", 0) * 1_000_003 + number
        own = _walk(number) if kind.is_program else _descent(number)
        yield SwarmSearch(tuple(files), kind.name, {"max_time": most, **own, **given, "seed": seed})


def _walk(number: int) -> dict[str, Any]:
    return {"search": WALKS[number % len(WALKS)], "max_executions": 1_000_000}


def _descent(number: int) -> dict[str, Any]:
    """The first one is the plainest; reductions are left out now and then, since they change the order as well."""
    own: dict[str, Any] = {"search": "dfs", "engine": "explicit", "bitstate": SIZES[number % len(SIZES)],
                           "max_depth": DEPTHS[(number - 1) % len(DEPTHS)], "no_claim": True}  # fmt: skip
    return own if number % 4 else {**own, "por": "off"}


def swarm(
    kind: InputKind, files: Sequence[str], given: Mapping[str, Any], seconds: float, executor: Executor, workers: int,
    most: int | None = None, tell: Callable[[SwarmReport], None] = lambda report: None,
) -> SwarmReport:  # fmt: skip
    """Searches until something was found and made shorter, or until the time is over, or so many were begun."""
    found = searches(kind, files, given, seconds)
    return _Swarm(kind, islice(found, most), bool(given.get("all_errors")), seconds, executor, workers, tell).run()


class _Swarm:
    """The searches that are under way."""

    def __init__(
        self, kind: InputKind, searches: Iterator[SwarmSearch], all_errors: bool, seconds: float, executor: Executor,
        workers: int, tell: Callable[[SwarmReport], None],
    ) -> None:  # fmt: skip
        self._searches, self._all = searches, all_errors
        self._executor, self._workers, self._tell = executor, workers, tell
        self._begin, self._end = time.monotonic(), time.monotonic() + seconds
        self._patience = SHORTENING * seconds
        self._vain = 0  # searches since something was found that found nothing shorter
        self._flying: set[Future[Verdict]] = set()
        self.report = SwarmReport(kind.is_program)

    def run(self) -> SwarmReport:
        """Keep all workers busy; Ctrl-C ends it with what there is."""
        try:
            while self._fill() or self._flying:
                done, self._flying = wait(self._flying, timeout=1.0, return_when=FIRST_COMPLETED)
                for future in done:
                    self._hear(future)
                self.report.seconds = time.monotonic() - self._begin
                self._tell(self.report)
        except KeyboardInterrupt:
            self.report.interrupted = True
        for future in self._flying:
            future.cancel()
        if not self.report.searches and self.report.why_failed:
            raise UsageError(self.report.why_failed)
        return self.report

    def _fill(self) -> bool:
        """Is there still something to begin?"""
        left = self._end - time.monotonic()
        if left <= 0 or self.report.failed > self._workers + self.report.searches or self._is_found():
            return False
        scout = self.report.first is None
        for search in islice(self._searches, (1 if scout else self._workers) - len(self._flying)):
            asked = {**search.options, **(self._scouting(left) if scout else self._shorter())}
            asked["max_time"] = min(asked["max_time"], left)
            self._flying.add(self._executor.submit(fly, SwarmSearch(search.files, search.kind, asked)))
        return bool(self._flying)

    def _scouting(self, left: float) -> dict[str, Any]:
        """The first search is small, and may take all the time: it finds the symmetry and compiles for all others, and
        whatever is cut there has to be done again."""
        size = {"max_executions": SCOUTED} if self.report.is_program else {"max_states": 1000 * SCOUTED}
        return {**size, "max_time": left}

    def _is_found(self) -> bool:
        """All that was asked for: of a model also a shorter counterexample, if that is soon found."""
        found = bool(self.report.violations) and not self._all
        return found and (self.report.is_program or not self._shorter() or self._vain > 2 * self._workers)

    def _shorter(self) -> dict[str, Any]:
        """Limits of the next search, once something was found in a model: less deep, and not for long."""
        lengths = [len(v.trace.steps) for v in self.report.violations.values()]
        if self.report.is_program or self._all or not lengths or min(lengths) < SHORT:
            return {}
        return {"max_depth": int(min(lengths) * SHORTER), "max_time": self._patience / 4}

    def _hear(self, future: Future[Verdict]) -> None:
        try:
            verdict = future.result()
        except (SourceError, UsageError):  # the same for all searches
            raise
        except Exception as error:
            self.report.failed += 1
            self.report.why_failed = f"a search did not come back: {type(error).__name__}: {error}"
            return
        first = not self.report.violations
        self._vain = 0 if self.report.add(verdict) else self._vain + 1
        if first and self.report.violations and not self._all:
            self._end = min(self._end, time.monotonic() + self._patience)
