"""With which earlier events a subtree would have raced that is left out: as few as can be told without exploring it.

Reference: Flanagan, Godefroid, POPL 2005, who go back to every earlier event on which an operation depends.
Differs: of the subtree is known what each thread may do as its first operation there, as its second, and so on.  So a
thread knows, when it comes to its third one, at least what it knows after each of its possible second ones: all events
on which that depends, and what happened before them.  With those nothing races any more.  And who waits for an object
comes after somebody who changes it, so that no race with such an event can be reversed.

Example: threads a and b take lock m, in turn, and a has been there.  If b is left out now, its `lock m` races with that
of a.  Its `unlock m` depends on both operations of a, but comes after its own `lock m`, and races with none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from itertools import groupby
from operator import and_, itemgetter

from .protocol import JOIN, Op, OwnObject, Thread
from .trail import Bits, Trail, indices

__all__ = ["LeftOut"]

NthOp = tuple[Thread, int, Op]


class LeftOut:
    """The operations of a subtree, behind the events of the trail, in order; and what each thread knows before it."""

    def __init__(self, trail: Trail, known: Mapping[Thread, Bits], ops: Sequence[NthOp]) -> None:
        self._trail, self._known, self._ops = trail, known, ops

    def races(self) -> Iterator[tuple[int, Thread, Op]]:
        """Events, with the operations that they would have raced with."""
        for thread, its in groupby(self._ops, itemgetter(0)):
            known = self._known.get(thread, 0)
            for _, level in groupby(its, itemgetter(1)):
                ops = [op for *_, op in level]
                for op in ops:
                    yield from ((index, thread, op) for index in self._racing_with(thread, op, known))
                # SOUND: one of them is what the thread does, so it knows what it would know after each of them.
                known = reduce(and_, (self._after(op, known) for op in ops))

    def _racing_with(self, thread: Thread, op: Op, known: Bits) -> list[int]:
        """The events with which an operation races, if its thread knows those."""
        if op.kind == JOIN:  # it passes in no other order
            return []
        trail = self._trail
        unknown = [i for i in indices(trail.conflicting(op) & ~known) if trail.events[i].thread != thread]
        return [i for i in unknown if not trail.is_needed_by(i, op)]

    def _after(self, op: Op, known: Bits) -> Bits:
        """What a thread knows at least when it has made an operation."""
        if op.kind == JOIN:
            joined = (name.thread for name in op.reads if isinstance(name, OwnObject))
            return reduce(lambda found, thread: found | self._known.get(thread, 0), joined, known)
        known = self._trail.latest(self._trail.conflicting(op), known)[1]
        return known | self._let_pass(op) if self._trail.has_to_wait(op) else known

    def _let_pass(self, op: Op) -> Bits:
        """What somebody knows who lets an operation pass that has to wait now.  SOUND: it is one of those who write
        what it waits for, in this subtree, so only what all of them know."""
        who = {t for t, _, other in self._ops if not other.writes.isdisjoint(op.deciding)}
        return reduce(and_, (self._known.get(t, 0) for t in who)) if who else 0
