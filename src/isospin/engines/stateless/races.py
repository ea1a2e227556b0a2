"""What searches share that learn from the races of an execution where they have to go another way.

Reference: Flanagan, Godefroid, POPL 2005; Abdulla, Aronis, Jonsson, Sagonas, JACM 2017.
Differs: how races are found and reversed is in `trail.py`; here is when, and what a search does with a reversal.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from .protocol import Op, Thread
from .search import Search
from .trail import PLAIN, WAITS, Bits, Reversal, TooManyCuts


class RaceSearch(Search):
    """Finds the races of each execution when it has ended, and reverses them."""

    analysed = 0  # events of the trail whose races are known
    racing = -1  # the event whose races are being looked for; -1: none, but what a thread would do next

    def reverse(self, reversal: Reversal) -> None:
        """See to it that the reversed order is explored."""
        raise NotImplementedError

    def is_covered_by(self, thread: Thread, depth: int) -> bool:
        """Was the thread explored after the first `depth` events, or will it be?"""
        return False

    def first_new(self) -> int:
        """The first event that no execution before had: all behind it are new, too."""
        return self.analysed

    def favourite(self, enabled: Sequence[Thread], asleep: Container[Thread]) -> Thread | None:
        """The thread that moved last goes on, if it can: executions with few switches come first."""
        if self.trail.events:
            last = self.trail.events[-1][0]
            if last in enabled and last not in asleep:
                return last
        for thread in enabled:
            if thread not in asleep and self.is_allowed(thread):
                return thread
        return None

    def find_races(
        self, pending: Mapping[Thread, Op], enabled: Sequence[Thread], known: Mapping[Thread, Bits], cut: bool
    ) -> None:
        """Of the events that are new since the last execution, and of those who wait at the end."""
        events, races_of = self.trail.events, self.trail.races_of
        for index in range(self.first_new(), len(events)):
            _, races, waits = races_of[index]
            if waits == WAITS or (races and waits == PLAIN):  # a join has none
                event = events[index]
                self.racing = index
                self._reverse_all(event.thread, event.op, self.trail.before[index], index)
        self.analysed = len(events)
        self.racing = -1
        for thread, op in pending.items():
            if cut or (op.waits and thread not in enabled):
                self._reverse_all(thread, op, known[thread], None)

    def _reverse_all(self, thread: Thread, op: Op, before: Bits, index: int | None) -> None:
        try:
            for reversal in self.trail.races(thread, op, before, index, self.is_covered_by):
                self.reverse(reversal)
        except TooManyCuts:
            self.result.incomplete = "an operation waits for too many objects: not all orders were tried"


class SourceSetSearch(RaceSearch):
    """A reversal needs one thread where its race begins: any with which the reversed order can begin."""

    def want(self, thread: Thread, depth: int, first: Sequence[Thread], op: Op) -> None:
        """Explore the thread there, one of those with which a reversed order can begin, and none of them is: for the
        sake of this operation."""
        raise NotImplementedError

    def is_wanted(self, thread: Thread, depth: int, first: Sequence[Thread]) -> bool:
        """Was the same asked for before, and is not decided yet?"""
        return False

    def is_born(self, thread: Thread, depth: int) -> bool:
        """Did the thread live there?"""
        raise NotImplementedError

    def reverse(self, reversal: Reversal) -> None:
        depth, kept, thread, _, conflicts, before = reversal
        if not (conflicts & kept or before >> depth) and self.is_covered_by(thread, depth):  # it is one of them
            return
        first = [t for t in self.trail.initials(reversal) if self.is_born(t, depth)]
        if any(self.is_covered_by(t, depth) for t in first):
            return
        chosen = thread if thread in first else first[0]
        if not self.is_wanted(chosen, depth, first) and self.trail.is_admitted(reversal):
            self.want(chosen, depth, first, reversal.op)
