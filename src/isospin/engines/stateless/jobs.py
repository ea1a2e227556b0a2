"""Subtrees of a depth-first search as jobs for other processes; the executions are the same as those of one process.

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
from contextlib import suppress
from dataclasses import field, replace
from typing import Any, Generic, NamedTuple, TypeAlias

from ...core.records import dataclass
from .depth_first import AnyNode, DepthFirst
from .protocol import Copyable, Program, Thread
from .search import LOST, Done, ScheduleFinding, SearchEnds, SearchRequest
from .team import Copy, Team, Unanswered, leave

__all__ = ["JobSearch", "Unseen", "Wish"]

GRAIN = 0.05  # seconds of work: a subtree is given away if the one before it takes at least so long


Pair: TypeAlias = tuple[Done, Done]  # whose order is reversed


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

    wishes: list[tuple[Wish, Pair | None]] = field(default_factory=list)
    seen: Any = None  # why the thread may sleep now
    findings: list[ScheduleFinding] = field(default_factory=list)
    counts: tuple[int, int, int, int] = (0, 0, 0, 0)  # executions, blocked, transitions, depth
    more: Any = None  # of the kind of search
    reversals: dict[Pair, int] = field(default_factory=dict)
    incomplete: str = ""
    stopped: bool = False  # before its end


class JobSearch(DepthFirst[AnyNode], Generic[AnyNode]):
    """A depth-first search that may give subtrees away."""

    def __init__(self, program: Program, asked: SearchRequest) -> None:
        super().__init__(program, asked)
        self.wishes: dict[Wish, Pair | None] = {}  # with what they are for
        self._copyable: Copyable | None = program if isinstance(program, Copyable) else None
        self._may_give = asked.workers > 1 and self._copyable is not None
        self.team: Team | None = None
        self._own: Copy | None = None  # in a copy: how it is seen from outside
        self._unseen: dict[Unseen, Copy] = {}
        self._made = 0

    # ---------------------------------------------------------------- hooks

    def carry_out(self, wish: Wish, pair: Pair | None) -> None:
        """What a copy has found for a node that is ours, or is to be passed on."""
        raise NotImplementedError

    def take_over(self, node: AnyNode, gift: Gift, seen: Any) -> None:
        """A thread was explored by a copy."""
        node.sleep[gift.thread] = seen

    def begin_part(self) -> None:
        """In a copy: what it counts begins now."""

    def more_counts(self) -> Any:
        """What else a copy has counted."""

    def add_counts(self, more: Any) -> None:
        """The same, added here."""

    # ---------------------------------------------------------------- giving away

    def go_to(self, depth: int) -> None:
        if self._may_give:
            self.give(depth)
        super().go_to(depth)

    def give(self, below: int) -> None:
        """The first thread that will keep somebody busy for some time, to a copy that may run.  As long as somebody
        looks at all executions, in their order, nobody can help."""
        if self.asked.watch is not None:
            return
        self.team = self.team or Team(self.asked.workers)
        now = time.process_time()
        for depth in range(self.base + 1, below):
            node = self.stack[depth]
            if node.todo and node.gift is None and now - node.begun >= GRAIN and node.todo[0] not in node.sleep:
                if self.team.take():
                    self.hand_over(depth, node)
                return

    def hand_over(self, depth: int, node: AnyNode) -> None:
        """Two processes come from here; the copy never gets behind it."""
        assert self.team is not None
        assert self._copyable is not None
        self._made += 1
        gift = node.gift = Gift(node.todo[0], node.thread, Copy(), Unseen(os.getpid(), self._made))
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
                self.team.release()
                leave(0)

    # ---------------------------------------------------------------- in the copy

    def be_copy(self, depth: int, node: AnyNode, gift: Gift, known: object) -> None:
        """Explore one thread at a node, and say what came of it, if that can be believed."""
        assert self._copyable is not None
        assert self.team is not None
        self.team.holds = True
        self._copyable.become_copy()
        self.asked = replace(self.asked, found=None, progress=None, max_executions=None)
        self.base, self.wishes, self._own = depth, {}, gift.copy
        self._unseen[gift.mark] = gift.copy
        self.result = type(self.result)()
        self.begin_part()
        stopped = False
        try:
            self.explore_given(depth, node, gift)
        except SearchEnds as end:
            stopped, self.result.incomplete = True, str(end) or self.result.incomplete
            self.end_copies()
        if self._copyable.has_learnt() != known:
            return
        result, seen = self.result, node.sleep.get(gift.thread)
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

    def explore_given(self, depth: int, node: AnyNode, gift: Gift) -> None:
        """The thread before it sleeps; what is above stays as it is, to tell what is explored there anyway."""
        for other in self.stack:
            other.gift = None
        del self.stack[depth + 1 :]
        self.at = -1
        node.thread, node.choices, node.todo = -1, [], [gift.thread]
        node.sleep = {**node.sleep, gift.after: self.sleeps_for(gift.mark)}
        self.go_through()

    def sleeps_for(self, mark: Unseen) -> Any:
        """Why the thread sleeps that the first process is exploring."""
        return None

    def what_was_seen(self, mark: Unseen) -> Any:
        """Wait until it is known."""
        copy = self._unseen[mark]
        assert self.team is not None
        self.team.wait(lambda: copy.earlier.is_there, self.check_limits)
        return copy.earlier.read()

    # ---------------------------------------------------------------- taking back

    def collect(self, node: AnyNode) -> bool:
        """The turn of the thread that was given away has come.  False: we have to explore it ourselves."""
        gift: Gift = node.gift
        assert self.team is not None
        self.team.wait(gift.copy.has_ended, self.check_limits)
        node.gift = None
        try:
            answer: _Answer = gift.copy.answer.read()
        except Unanswered:
            return False
        finally:
            gift.copy.close()
        if answer.stopped:  # for a reason that is one for all
            self.add_answer(answer)
            raise SearchEnds(answer.incomplete)
        node.todo.pop(0)
        node.thread = gift.thread
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

    def counts(self) -> tuple[int, int, int]:
        result = self.result
        own = result.executions, result.blocked, result.transitions
        given = [node.gift.copy.counts for node in self.stack if node.gift is not None]
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
        gifts = [node.gift for node in self.stack if node.gift is not None]
        if gifts:
            self.team.stop()
        for gift in gifts:
            gift.copy.end()
            try:
                self.add_answer(gift.copy.answer.read())
            except Unanswered:
                self.add_answer(_Answer(counts=(*gift.copy.counts, 0)))
            gift.copy.close()
