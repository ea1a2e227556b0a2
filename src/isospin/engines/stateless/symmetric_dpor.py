"""Dynamic partial-order reduction with symmetry that stays sound.

Reference: Abdulla, Aronis, Jonsson, Sagonas, JACM 2017 (Source-DPOR); Yang, Chen, Gopalakrishnan, Wang, SPIN 2009
(symmetry).
Differs: Figure 5 of the last paper is unsound: leaving out a thread that is symmetric to an explored one leaves out
also the races of its subtree with *earlier* events.  So of each subtree we remember which operations were pending in
it; when a thread is left out, we map those of its twin, and go back for each of them to the earlier events on which it
depends, as Flanagan and Godefroid do; what orders them behind the node is not known, and not assumed.  Every subtree is
then complete by itself, up to renaming, before the next one is begun, so that its threads may sleep there.

It does not help that a renaming maps the whole execution so far to itself, and that the races left out are images of
races that were seen: their reversals are explored later, where a sleeping thread may count on what was left out here.

Example: thread a writes x; b and c do the same, they add to x.  All three operations depend on each other, so without
symmetry there are 6 executions.  Each line is an execution, or what was left out:

    >>> symmetric("x=", "x+", "x+")
    abc
    after a: c is the image of b, explore c at the beginning
    bac
    bca
    at the beginning: c is the image of b
    3 executions

In abc, b and c race: c is wanted after a.  There b was explored, and exchanging b and c fixes the state, so acb is the
image of abc and is left out.  But in acb the operation of c would have raced with that of a, and reversing that race
needs c at the beginning: that is what goes back now, and what Figure 5 forgets.  There c is the image of b again, whose
two executions were seen by then, so nothing is lost; in general it may be the only way to a violation.
"""

from __future__ import annotations

from typing import Any

from .dpor import DporTree
from .jobs import Gift, Pair, Unseen, Wish
from .left_out import LeftOut
from .orbit import Lengths, Seen, SymmetricNode, find_covering, find_fixing, moved
from .orbit_sum import OrbitSum
from .protocol import JOIN, TURN, ExecutedStep, Op, Program, Thread, awake, dependent
from .search import SearchRequest
from .symmetry import TransitionSymmetry
from .team import Unanswered


class SymmetricDpor(DporTree[SymmetricNode]):
    """Source-DPOR that leaves out what is the image of something it has explored."""

    node_class = SymmetricNode

    def __init__(self, program: Program, asked: SearchRequest) -> None:
        super().__init__(program, asked)
        self.symmetry = TransitionSymmetry(program, asked)
        self.sum = OrbitSum()
        self.keys: dict[Op, tuple[Any, ...]] = {}  # of operations, to put them in order

    def count_execution(self) -> None:
        super().count_execution()
        self.sum.add(self.trail, self.stack)
        self.result.orbit_sum = None if self.met else self.sum.total  # who met is in no renaming of events

    # ---------------------------------------------------------------- nodes

    def begin(self, node: SymmetricNode) -> None:
        if len(self.stack) == 1:
            node.fixing = find_fixing(self.symmetry, list(node.pending))
        if (first := self.favourite(node.enabled, node.sleep)) is not None:
            node.todo.append(self.busiest(node, first))

    def busiest(self, node: SymmetricNode, first: Thread) -> Thread:
        """Who goes on: somebody else than one who draws a turn; if all do, the first of them."""
        if node.pending[first].kind != TURN:
            return first
        busy = [t for t in node.enabled if node.pending[t].kind != TURN]
        drawing = (t for t in node.enabled if t not in node.sleep and self.is_allowed(t))
        other = self.favourite(busy, node.sleep)
        return next(drawing, first) if other is None else other

    def child(self, node: SymmetricNode, event: ExecutedStep, child: SymmetricNode) -> None:
        if node.sleep:
            child.sleep = awake(node.sleep, node.pending, event.thread)
            child.asleep = set(child.sleep)
        child.lengths = lengths = {**node.lengths, event.thread: node.lengths.get(event.thread, 0) + 1}
        child.seen.update(((t, lengths.get(t, 0), op) for t, op in child.pending.items()), *child.sleep.values())
        if len(child.pending) > len(node.pending):
            child.fixing = find_fixing(self.symmetry, list(child.pending))
        child.covered = self.is_image(child)

    def closed(self, parent: SymmetricNode, child: SymmetricNode) -> None:
        thread = parent.thread
        seen = child.seen | {(thread, parent.lengths.get(thread, 0), parent.pending[thread])}
        parent.subtrees.append(seen)
        parent.seen.update(seen)

    def done(self, node: SymmetricNode, thread: Thread) -> None:
        node.sleep[thread] = set().union(*node.subtrees)
        node.subtrees = []
        if node.gift is not None:
            node.gift.copy.earlier.write(node.sleep[thread])

    # ---------------------------------------------------------------- what is left out

    def is_left_out(self, node: SymmetricNode, thread: Thread) -> bool:
        """Is there a thread, explored here or asleep, of which this one is the image?"""
        if node.sleep and self.at != len(self.stack) - 1:
            self.go_to(len(self.stack) - 1)
        for twin, seen in node.sleep.items():
            renaming = self.symmetry.here(twin, thread)
            if renaming is not None:
                if len(self.stack) - 1 == self.base:  # there is nothing to explore for this process
                    raise Unanswered
                self.skip(node, thread, moved(self.known(seen), renaming, node.lengths))
                return True
        return False

    def is_image(self, node: SymmetricNode) -> bool:
        """Is the execution so far the image of one that was explored?"""
        for base, fixed in enumerate(self.stack):
            covering = find_covering(self.trail, self.stack, base) if fixed.fixing else None
            if covering is not None:
                image, seen = covering
                self.result.left_out += 1
                self.racing = -1
                self.leave_out(node, image.back(self.known(seen), fixed.lengths))
                return True
        return False

    def skip(self, node: SymmetricNode, thread: Thread, images: Seen) -> None:
        """A thread is left out, in whose subtree these operations would have been pending."""
        self.result.left_out += 1
        self.leave_out(node, images)
        # SOUND: and the races with its own first operation.  Those of its twin may have been left to the subtree of a
        # sleeping thread, and that is where we are.
        node.sleep[thread] = images
        self.go_back_for_first(len(self.stack) - 1, thread, images)

    def go_back_for_first(self, index: int, thread: Thread, seen: Seen) -> None:
        """A thread is not explored here: whoever races with its first operation must be, as if it had been."""
        node = self.stack[index]
        first = node.pending[thread]
        for t, _, op in self.in_order(seen, node.lengths):
            if t != thread and op.kind != JOIN and dependent(op, first):
                self.go_back(index, t, None)

    def leave_out(self, node: SymmetricNode, images: Seen) -> None:
        # SOUND: the races of the subtree that is left out with earlier events; see above.
        left_out = LeftOut(self.trail, node.known, self.in_order(images, node.lengths))
        for index, thread, op in left_out.races():
            self.go_back(index, thread, self.reversed_by(index, op))
        node.seen.update(images)

    def in_order(self, seen: Seen, lengths: Lengths) -> list[tuple[Thread, int, Op]]:
        """What comes behind so many events of each thread, always in the same order: who is wanted first is explored
        first, and a set depends on how Python hashes text."""
        ahead = [which for which in seen if which[1] >= lengths.get(which[0], 0)]
        return sorted(ahead, key=lambda which: (*which[:2], self.key(which[2])))

    def key(self, op: Op) -> tuple[Any, ...]:
        found = self.keys.get(op)
        if found is None:
            objects = [sorted(map(repr, names)) for names in (op.reads, op.writes, op.deciding, op.overwrites)]
            found = self.keys[op] = (op.kind, *objects)
        return found

    def go_back(self, index: int, thread: Thread, pair: Pair | None) -> None:
        """Explore the thread after the first events; if it cannot move there, whoever can."""
        if index <= self.base:
            self.wishes.setdefault(Wish(index, thread, None), pair)
            return
        node = self.stack[index]
        wanted = [thread] if thread in node.enabled else node.enabled
        for t in node.asleep.intersection(wanted):
            # SOUND: it was explored before an earlier event, with its races there.  Whoever comes between the event of
            # this node and its operation must be explored here.
            node.asleep.discard(t)
            self.go_back_for_first(index, t, self.known(node.sleep[t]))
        wanted = [t for t in wanted if t not in node.todo and t not in node.sleep and t != node.thread]
        if wanted:
            self.note_reversals(pair)
        node.todo += wanted

    # ---------------------------------------------------------------- with other processes

    def carry_out(self, wish: Wish, pair: Pair | None) -> None:
        if wish.first is None:
            self.go_back(wish.depth, wish.thread, pair)
        else:
            super().carry_out(wish, pair)

    def take_over(self, node: SymmetricNode, gift: Gift, seen: Any) -> None:
        if gift.mark in seen:
            seen = (seen - {gift.mark}) | node.sleep[gift.after]
        node.seen.update(seen)
        node.sleep[gift.thread] = seen

    def sleeps_for(self, mark: Unseen) -> Any:
        return {mark}

    def known(self, seen: Any) -> Seen:
        """The same, with what others have seen."""
        while self.base >= 0 and (marks := [mark for mark in seen if isinstance(mark, Unseen)]):
            seen = seen.difference(marks).union(*map(self.what_was_seen, marks))
        found: Seen = seen
        return found

    def begin_part(self) -> None:
        self.sum.total = 0

    def more_counts(self) -> tuple[int, int, bool]:
        return self.sum.total, self.result.left_out, self.met

    def add_counts(self, more: tuple[int, int, bool] | None) -> None:
        if more is not None:
            self.sum.total += more[0]
            self.result.left_out += more[1]
            self.met |= more[2]
            self.result.orbit_sum = None if self.met else self.sum.total
