"""Subtrees of a search as jobs for other processes; the executions are the same as those of one process.

Reference: Yang, Chen, Gopalakrishnan, Kirby, SPIN 2007 (distributed dynamic partial-order reduction); Simsa, Bryant,
Gibson, Hickey, RV 2012 (n-way exploration).
Differs: the tree is exactly the one of a single process.  At a node one thread is being explored, and those in `todo`
come after it in this order, whatever is found until then: more may be added behind them, and nothing is taken away.  So
the next one can be explored now, by a copy of the process in which the first one sleeps.  What the copy finds out about
nodes above its subtree (threads that races want to be explored there) is not decided by it: it is written down, and
decided when the turn of the thread comes, in the order in which it was found.  That is what one process would do.

With symmetry, what is left out in the copy may be the image of what is still being explored by the first process; then
the copy must know which operations were seen there (see `symmetric_dpor.py`), and waits until that is known.  A set of
operations that is not known yet is a mark (`Unseen`) in the sets of which it will be a part.

SOUND: a copy that does not come to its end, or has learnt something that the first process does not know, is not
believed: then the first process explores the subtree itself.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import field, replace
from typing import Any, NamedTuple, TypeAlias

from ...core.records import dataclass
from .protocol import Copyable, Program, Thread
from .search import LOST, Done, Junction, ScheduleFinding, Search, SearchEnds, SearchRequest
from .team import Copy, Team, Unanswered

__all__ = ["JobSearch", "Unseen", "Wish"]

GRAIN = 0.02  # seconds of work: a subtree is given away if the one before it takes at least so long
LOOKS = 8  # for somebody who could help, in that time: asking the system costs more than a step of some programs


Pair: TypeAlias = tuple[Done, Done]  # whose order is reversed
AnyJunction: TypeAlias = Junction[Thread]


class Wish(NamedTuple):
    """A thread that is to be explored at a node above the subtree of a copy: unless one of `first` is or was; without
    them: unless it cannot move there, then whoever can."""

    depth: int
    thread: Thread
    first: frozenset[Thread] | None


class Unseen(NamedTuple):
    """The operations of a subtree that is still being explored, in the set of those of another."""

    key: int  # the process that explores it
    number: int


@dataclass
class Gift:
    """A thread that a copy explores."""

    thread: Thread
    after: Thread  # who was being explored then, and sleeps in the copy
    copy: Copy
    mark: Unseen


@dataclass
class _Answer:
    """What a copy found."""

    wishes: list[tuple[Wish, Any]] = field(default_factory=list)
    seen: Any = None  # why the thread may sleep now
    findings: list[ScheduleFinding] = field(default_factory=list)
    counts: tuple[int, int, int, int] = (0, 0, 0, 0)  # executions, blocked, transitions, depth
    more: Any = None  # of the kind of search
    reversals: dict[Pair, int] = field(default_factory=dict)
    incomplete: str = ""
    stopped: bool = False  # before its end


class JobSearch(Search):
    """A search that goes depth first, and may give subtrees away."""

    base = -1  # where the subtree begins that is explored; what is above is not ours
    now = 0.0  # on the clock of the process, not long ago

    def __init__(self, program: Program, asked: SearchRequest) -> None:
        super().__init__(program, asked)
        self.wishes: dict[Wish, Any] = {}  # with what they are for
        self._copyable: Copyable | None = program if isinstance(program, Copyable) else None
        self.may_give = asked.workers > 1 and self._copyable is not None
        self.team: Team | None = None
        self._own: Copy | None = None  # in a copy: how it is seen from outside
        self._unseen: dict[Unseen, Copy] = {}
        self._made = 0
        self._next_look = 0.0
        self._grain = GRAIN  # twice as large after each copy that was not believed: its work is done again

    # ---------------------------------------------------------------- hooks

    def begun_at(self, below: int) -> Iterator[tuple[int, AnyJunction, float]]:
        """The junctions between the beginning of our subtree and this depth, the first one first, with the time at
        which the thread was chosen that is being explored there."""
        raise NotImplementedError

    def being_explored(self, depth: int) -> Thread:
        """The thread that is being explored at a junction."""
        raise NotImplementedError

    def explore_given(self, depth: int, node: Any, gift: Gift) -> Any:
        """In a copy: explore the thread, while the one before it sleeps; what is above stays as it is, to tell what is
        explored there anyway.  Why the thread may sleep now, if others need to know."""
        raise NotImplementedError

    def carry_out(self, wish: Wish, pair: Any) -> None:
        """What a copy has found for a node that is ours, or is to be passed on."""
        raise NotImplementedError

    def is_turn_of(self, node: Any, gift: Gift) -> None:
        """What a copy has found counts from now on."""

    def take_over(self, node: Any, gift: Gift, seen: Any) -> None:
        """A thread was explored by a copy: it sleeps."""
        raise NotImplementedError

    def begin_part(self) -> None:
        """In a copy: what it counts begins now."""

    def more_counts(self) -> Any:
        """What else a copy has counted."""

    def add_counts(self, more: Any) -> None:
        """The same, added here."""

    # ---------------------------------------------------------------- giving away

    def give(self, below: int) -> None:
        """The first thread that will keep somebody busy for some time, to a copy that may run.  As long as somebody
        looks at all executions, in their order, nobody can help."""
        clock = time.monotonic()
        if clock < self._next_look or self.asked.watch is not None:
            return
        self._next_look = clock + GRAIN / LOOKS
        self.team = self.team or Team(self.asked.workers)
        self.now = time.process_time()
        for depth, node, begun in self.begun_at(below):
            if node.todo and node.gift is None and self.now - begun >= self._grain:
                if self.team.take():
                    self.hand_over(depth, node)
                return

    def hand_over(self, depth: int, node: AnyJunction) -> None:
        """Two processes come from here; the copy never gets behind it."""
        assert self.team is not None
        assert self._copyable is not None
        self._made += 1
        gift = node.gift = Gift(node.todo[0], self.being_explored(depth), Copy(), Unseen(os.getpid(), self._made))
        known = self._copyable.has_learnt()
        try:
            is_copy = gift.copy.start()
        except OSError:  # there are too many processes: this one goes on alone
            node.gift = None
            self.team.give_back()
            return
        if is_copy:
            try:
                with suppress(Exception):
                    self.be_copy(depth, node, gift, known)
            finally:
                self.team.leave()

    # ---------------------------------------------------------------- in the copy

    def be_copy(self, depth: int, node: AnyJunction, gift: Gift, known: object) -> None:
        """Explore one thread at a node, and say what came of it, if that can be believed."""
        assert self._copyable is not None
        assert self.team is not None
        self.team.become_copy()
        self._copyable.become_copy()
        self.asked = replace(self.asked, found=None, progress=None, max_executions=None)
        self.base, self.wishes, self._own = depth, {}, gift.copy
        self.now = time.process_time()
        self._unseen[gift.mark] = gift.copy
        self.result = type(self.result)()
        self.begin_part()
        stopped, seen = False, None
        try:
            seen = self.explore_given(depth, node, gift)
        except SearchEnds as end:
            stopped, self.result.incomplete = True, str(end) or self.result.incomplete
            self.end_copies()
        if self._copyable.has_learnt() != known:
            return
        result = self.result
        counts = result.executions, result.blocked, result.transitions, result.depth
        gift.copy.answer.write(
            _Answer(
                list(self.wishes.items()),
                seen,
                result.findings,
                counts,
                self.more_counts(),
                result.reversals,
                result.incomplete,
                stopped,
            )
        )
        if result.findings and not self.asked.all_errors:
            self.team.stop()

    def what_was_seen(self, mark: Unseen) -> Any:
        """Wait until it is known."""
        copy = self._unseen[mark]
        assert self.team is not None
        self.team.wait(lambda: copy.earlier.is_there, copy.earlier.bell, self.check_limits)
        return copy.earlier.read()

    # ---------------------------------------------------------------- taking back

    def collect(self, node: AnyJunction) -> bool:
        """The turn of the thread that was given away has come.  False: we have to explore it ourselves."""
        gift: Gift = node.gift
        assert self.team is not None
        self.team.wait(gift.copy.is_done, gift.copy.answer.bell, self.check_limits)
        self.team.let_go(gift.copy)
        node.gift = None
        try:
            answer: _Answer = gift.copy.answer.read()
        except Unanswered:
            self._grain *= 2
            return False
        finally:
            gift.copy.close()
        if answer.stopped:  # for a reason that is one for all
            self.add_answer(answer)
            raise SearchEnds(answer.incomplete)
        node.todo.pop(0)
        self.is_turn_of(node, gift)
        self.add_answer(answer)
        for wish, pair in answer.wishes:
            self.carry_out(wish, pair)
        node.explored += 1
        self.take_over(node, gift, answer.seen)
        self.check_limits()
        return True

    def add_answer(self, answer: _Answer) -> None:
        result = self.result
        executions, blocked, transitions, depth = answer.counts
        result.executions += executions
        result.blocked += blocked
        result.transitions += transitions
        result.depth = max(result.depth, depth)
        result.incomplete = result.incomplete or answer.incomplete
        for pair, times in answer.reversals.items():
            self.note_reversals(pair, times)
        self.add_counts(answer.more)
        for finding in answer.findings:
            self.note(finding)

    # ---------------------------------------------------------------- all together

    def gifts(self) -> list[Gift]:
        """What others explore for us now."""
        return [] if self.team is None else [node.gift for node in self.junctions() if node.gift is not None]

    def counts(self) -> tuple[int, int, int]:
        result = self.result
        own = result.executions, result.blocked, result.transitions
        given = [gift.copy.counts for gift in self.gifts()]
        return tuple(map(sum, zip(own, *given, strict=True)))  # type: ignore[return-value]

    def check_limits(self) -> None:
        if self._own is not None:
            self._own.tell(*self.counts())
        if self.team is not None and self.team.is_stopped:
            raise SearchEnds
        super().check_limits()

    def finish(self) -> None:
        """Whoever was asked to help has to stop, and says what was found."""
        super().finish()
        if self.team is None:
            return
        self.end_copies()
        if not self.asked.all_errors:
            del self.result.findings[1:]
        if self.team.is_stopped and not self.result.findings:
            self.result.incomplete = self.result.incomplete or LOST
        self.team.close()

    def end_copies(self) -> None:
        """All that still run: they stop, and what they say is counted."""
        assert self.team is not None
        gifts = self.gifts()
        if gifts:
            self.team.stop()
        for gift in gifts:
            gift.copy.end()
            try:
                self.add_answer(gift.copy.answer.read())
            except Unanswered:
                self.add_answer(_Answer(counts=(*gift.copy.counts, 0)))
            gift.copy.close()
