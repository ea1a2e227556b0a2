"""Would a search over graphs, without symmetry, do with fewer executions than `dpor`?  The first executions tell.

Reference: `hosts/c/runtime/graphs/worth.c`, which does the same for C programs.
Differs: over graphs, what nobody reads has no order (registers, see `graph.py`), but registers are not used together
with symmetry.  So after 4, 8, 16, 32 and 64 executions we look what was read in them.  If a quarter of them or more
differ from others in nothing but the order of writes that nobody has seen, a search over graphs is tried, with at most
as many executions as there were until then.  If it comes to its end, it has made fewer of them than `dpor` would; if
not, `dpor` goes on where it was.

An execution over graphs takes two or three times as long.  Where symmetry may not be used, and a quarter of those 64
have shown nothing new, we look at more of them.  If of 256 at least half have shown nothing new, `dpor` is given up for
graphs, however many there are: the more executions one looks at, the fewer of them are new, since the first ones differ
in their last steps only.  All of that is decided by one process, in order, so each run says the same.

Example: two threads store to x twice, a third one loads it.  `dpor` has 30 executions, or 10 if the two threads are
alike.  The load can see 5 different things, the initial value or one of four stores: so many executions there are over
graphs, which are more than 4 and not more than 8.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Sequence
from dataclasses import replace

from ..ahead import AheadDpor
from ..protocol import ExecutedStep, Program, Thread, replayer
from ..search import ScheduleFinding, Search, SearchEnds, SearchRequest, SearchResult
from ..symmetry import TransitionSymmetry
from .graph import EventName, may_use_register, touched
from .search import Branch, GraphSearch, Unsuited

__all__ = ["NobodyAlike", "run_or_change"]

TRIALS = (4, 8, 16, 32, 64)  # after so many executions
LAST_LOOK = 256
NOTHING_NEW = 4  # one of so many executions, at least, shows nothing new: graphs may be fewer
HALF_NEW = 2  # the same: they will be so much fewer that they are quicker
LONGEST = 256  # steps: where executions are longer, graphs may take more time all the same
STOPPED = "there are more executions over graphs"


def run_or_change(kind: type[Search], program: Program, asked: SearchRequest) -> SearchResult:
    """Search, or search over graphs instead, if that is seen to be shorter.  `NobodyAlike`: without symmetry it is."""
    if asked.watch is not None:  # who looks at all executions wants those that were asked for
        return kind(program, asked).run()
    started, cpu = time.monotonic(), time.process_time()
    early = list[ScheduleFinding]()

    def note(finding: ScheduleFinding) -> None:
        if _words(finding) not in map(_words, early):
            early.append(finding)
            if asked.found is not None:
                asked.found(finding)

    try:
        watch = _FirstExecutions(program, asked)
        search = kind(program, replace(asked, found=note, watch=watch))
        watch.symmetry = getattr(search, "symmetry", None)
        return search.run()
    except _Better as better:
        result = better.result
    except _Repeating:
        result = GraphSearch(program, replace(_without_symmetry(asked), found=note)).run()
    for finding in result.findings:
        note(finding)
    result.findings, result.over_graphs = early, True
    result.seconds, result.cpu_seconds = time.monotonic() - started, time.process_time() - cpu
    return result


def _words(finding: ScheduleFinding) -> tuple[str, str, str]:
    return finding.found.kind, str(finding.found.location), finding.found.message


class NobodyAlike(Exception):
    """No two threads were alike in the first executions, and the program is quicker without symmetry."""


class _Better(Exception):
    """A search over graphs came to its end, or has found something."""

    def __init__(self, result: SearchResult) -> None:
        super().__init__()
        self.result = result


class _Repeating(Exception):
    """Most executions show nothing new, and symmetry may not make them fewer."""


def _without_symmetry(asked: SearchRequest) -> SearchRequest:
    return replace(asked, symmetry="none", renamings=(), workers=1, may_change=False)


class _FirstExecutions:
    """Looks at the first executions of a search."""

    def __init__(self, program: Program, asked: SearchRequest) -> None:
        self._asked, self._replay = asked, replayer(program)
        self._count, self._given_up = 0, False
        self.symmetry: TransitionSymmetry | None = None  # of the search, if it uses any
        self._ordered: set[Hashable] = set()  # objects whose writes have an order that counts
        self._stored: set[Hashable] = set()  # objects that are overwritten
        self._seen: set[Hashable] = set()  # what was read, in each execution

    def begin(self) -> None:
        """The search begins."""

    def ended(self, events: Sequence[ExecutedStep], program: Program, failed: bool) -> bool:
        """See `Watching`: look, try graphs now and then, and decide at the end."""
        self._count += 1
        self._given_up |= len(events) > LONGEST
        if not self._given_up:
            self._look_at(events)
            if self._count in TRIALS and not failed and self._shows_little(NOTHING_NEW):
                self._try_graphs(program)
                self._replay(events)
        if self._count < TRIALS[-1]:
            return not self._given_up
        if self._asked.symmetry == "none":
            return self._looks_again()
        if self._is_quicker_alone(program):
            raise NobodyAlike
        return False  # from now on several processes may search

    def _looks_again(self) -> bool:
        """Without symmetry: are graphs so few that they are quicker, whatever is still to come?"""
        if self._given_up or not self._shows_little(HALF_NEW if self._count == LAST_LOOK else NOTHING_NEW):
            return False
        if self._count == LAST_LOOK:
            raise _Repeating
        return True

    def _is_quicker_alone(self, program: Program) -> bool:
        """Is a search with symmetry slower than one without, and has not found any?"""
        if self.symmetry is None or self.symmetry.found:
            return False
        return AheadDpor.suits(program, replace(self._asked, symmetry="none"))

    def _look_at(self, events: Sequence[ExecutedStep]) -> None:
        for event in events:
            if not may_use_register(event.op):
                self._ordered.update(touched(event.op))
            self._stored |= event.op.overwrites
        self._seen.add(what_is_read(events, self._ordered))

    def _shows_little(self, part: int) -> bool:
        """Do so many executions, one of each `part`, differ in orders that nobody sees?"""
        few = (self._count - len(self._seen)) * part >= self._count
        return few and not self._stored <= self._ordered

    def _try_graphs(self, program: Program) -> None:
        """If graphs are not more than the executions until now, they are the answer."""
        asked = replace(_without_symmetry(self._asked), watch=None, found=None, progress=None)
        try:
            trial = _ShortSearch(program, asked, self._count, self._ordered)
            result = trial.run()
        except Unsuited:
            self._given_up = True
            return
        if result.incomplete == "interrupted":
            raise KeyboardInterrupt
        if not result.incomplete:
            raise _Better(result)


def what_is_read(events: Sequence[ExecutedStep], ordered: set[Hashable]) -> Hashable:
    """Which write each operation has seen, whatever the order of events; what overwrites sees nothing."""
    last: dict[Hashable, EventName] = {}
    lengths: dict[Thread, int] = {}
    found = set[Hashable]()
    for thread, choice, op in events:
        name = EventName(thread, lengths.get(thread, 0))
        lengths[thread] = name.nth + 1
        seen = [(o, last.get(o)) for o in touched(op) if o in ordered or o not in op.overwrites]
        found.add((name, choice, frozenset(seen)))
        last.update(dict.fromkeys(op.writes, name))
    return frozenset(found)


class _ShortSearch(GraphSearch):
    """A search that is given up after so many executions, those counted that were begun in vain."""

    def __init__(self, program: Program, asked: SearchRequest, most: int, ordered: set[Hashable]) -> None:
        super().__init__(program, asked)
        self.chained |= ordered
        self._left = most

    def begin(self, branch: Branch) -> None:
        self._left -= 1
        if self._left < 0:
            raise SearchEnds(STOPPED)
        super().begin(branch)
