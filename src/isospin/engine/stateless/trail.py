"""The execution that is being explored, with its happens-before relation, and the ways to reverse its races.

Reference: Flanagan, Godefroid, POPL 2005; Abdulla, Aronis, Jonsson, Sagonas, JACM 2017 (races, `notdep`).
Differs: operations that wait (locks, semaphores, joins, guards over several objects).  Their races are not only the
immediate ones: what must be undone before a thread can pass may lie behind what made it pass, as the locking of a mutex
lies behind its unlocking, and several independent events may have to be undone at once.  So for each object of a
waiting operation we cut the accesses to it at every place, and ask the program whether the operation can be executed
after what is left.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

from .protocol import JOIN, Event, Op, Program, Thread, dependent

Clock = dict[Thread, int]  # of each thread, how many of the first events of the run are behind us: index + 1
MOST_CUTS = 4096


class TooManyCuts(Exception):
    """A waiting operation touches so many objects that not all ways to reach it earlier can be tried."""


class Reversal(NamedTuple):
    """After the first `depth` events go on with `kept`, then `thread` with `op`: what came before comes after."""

    depth: int
    kept: list[Event]
    thread: Thread
    op: Op


class Trail:
    def __init__(self) -> None:
        self.events: list[Event] = []
        self.clocks: list[Clock] = []
        self.causes: list[list[int]] = []  # the events that an event depends on directly
        self.accesses: dict[Hashable, list[tuple[int, bool]]] = {}  # of each object: (event, does it write?)

    def push(self, event: Event, before: Clock) -> Clock:
        """One more event of a thread whose clock is `before`; its clock after that."""
        index, op = len(self.events), event.op
        causes = self.touching(op)
        clock = dict(before)
        for cause in causes:
            for thread, count in self.clocks[cause].items():
                if count > clock.get(thread, 0):
                    clock[thread] = count
        clock[event.thread] = index + 1
        self.events.append(event)
        self.clocks.append(clock)
        self.causes.append(causes)
        for name in op.writes:
            self.accesses.setdefault(name, []).append((index, True))
        for name in op.reads - op.writes:
            self.accesses.setdefault(name, []).append((index, False))
        return clock

    def pop(self) -> Event:
        event = self.events.pop()
        self.clocks.pop()
        self.causes.pop()
        for name in event.op.reads | event.op.writes:
            self.accesses[name].pop()
        return event

    def touching(self, op: Op) -> list[int]:
        """The last events on which the operation would depend: writes, and if it writes, the reads since then."""
        found = set()
        for name in op.reads | op.writes:
            writes = name in op.writes
            for index, wrote in reversed(self.accesses.get(name, ())):
                if wrote or writes:
                    found.add(index)
                if wrote:
                    break
        return sorted(found)

    def happened(self, index: int, clock: Clock) -> bool:
        """Did the event happen before what has this clock?"""
        return clock.get(self.events[index].thread, 0) > index

    # ---------------------------------------------------------------- races

    def races(self, thread: Thread, op: Op, before: Clock, index: int | None = None) -> Iterator[Reversal]:
        """The races of an operation with earlier events: of the event at `index`, or of one that was not executed.
        `before` is the clock of its thread before it."""
        if op.kind == JOIN:
            return
        if op.waits:
            yield from self.cuts(thread, op, before, index)
        touched = self.touching(op) if index is None else self.causes[index]
        causes = [c for c in touched if not self.happened(c, before)]
        for cause in causes:
            if not any(other != cause and self.happened(cause, self.clocks[other]) for other in causes):
                yield Reversal(cause, self.without(cause), thread, op)

    def cuts(self, thread: Thread, op: Op, before: Clock, index: int | None) -> Iterator[Reversal]:
        # SOUND: whatever part of the earlier accesses to what decides lets the operation pass, one of these cuts leaves
        # exactly it.  Accesses to what it touches besides do not matter here: their races are immediate ones.
        gone = {0}  # sets of events, as bits: an event with all that follows from it, for each object at most one
        for name in op.deciding:
            found = [i for i in self.racing(name, op, before) if index is None or i < index]
            gone |= {g | self.following(i) for i in found for g in gone}
            if len(gone) > MOST_CUTS:
                raise TooManyCuts
        own = 0 if index is None else self.following(index)
        for bits in sorted(gone - {0}):
            first = (bits & -bits).bit_length() - 1
            kept = [e for i, e in enumerate(self.events[first:], first) if not (bits | own) >> i & 1]
            yield Reversal(first, kept, thread, op)

    def following(self, index: int) -> int:
        """An event and all that happens after it, as bits."""
        thread = self.events[index].thread
        return sum(1 << j for j in range(index, len(self.events)) if self.clocks[j].get(thread, 0) > index)

    def racing(self, name: Hashable, op: Op, before: Clock) -> Iterator[int]:
        """The accesses to an object on which the operation depends, and which its thread does not know of."""
        for i, wrote in self.accesses.get(name, ()):
            if (wrote or name in op.writes) and not self.happened(i, before):
                yield i

    def without(self, root: int) -> list[Event]:
        """What is left of the execution behind an event without all that follows from it."""
        thread, first = self.events[root].thread, root + 1
        clocked = zip(self.events[first:], self.clocks[first:], strict=True)
        return [event for event, clock in clocked if clock.get(thread, 0) <= root]

    def admitted(self, program: Program, reversal: Reversal) -> bool:
        """Can the operation be executed there?  Only operations that wait can be refused."""
        if not reversal.op.waits:
            return True
        return program.admits([*self.events[: reversal.depth], *reversal.kept], reversal.thread, reversal.op)


def initials(kept: Sequence[Event], thread: Thread, op: Op) -> list[Thread]:
    """The threads whose first event in the sequence (`kept`, then `thread` with `op`) could be its first."""
    found: list[Thread] = []
    seen: set[Thread] = set()
    sequence = [(e.thread, e.op) for e in kept] + [(thread, op)]
    for i, (who, what) in enumerate(sequence):
        if who in seen:
            continue
        seen.add(who)
        if not any(dependent(what, earlier) for _, earlier in sequence[:i]):
            found.append(who)
    return found


def can_start(thread: Thread, op: Op, sequence: Sequence[tuple[Thread, Op]]) -> bool:
    """Is an enabled thread with this next operation a weak initial: could it come first, in or before the sequence?"""
    for who, what in sequence:
        if who == thread:
            return True
        if dependent(op, what):
            return False
    return True
