"""The execution that is being explored, with its happens-before relation, and the ways to reverse its races.

Reference: Flanagan, Godefroid, POPL 2005; Abdulla, Aronis, Jonsson, Sagonas, JACM 2017 (races, `notdep`).
Differs: sets of events are the bits of one number, so that the relation costs a few operations on numbers for each
event.  Operations that wait (locks, semaphores, joins, guards over several objects): their races are not only the
immediate ones.  What must be undone before a thread can pass may lie behind what made it pass, as the locking of a
mutex lies behind its unlocking, and several independent events may have to be undone at once.  So for each object of a
waiting operation we cut the accesses to it at every place, and ask the program whether the operation can be executed
after what is left.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple, TypeAlias

from .protocol import JOIN, ExecutedStep, Op, OwnObject, Predicting, Program, Thread, dependent, make_event, replayer

Bits: TypeAlias = int  # a set of events of the trail: bit i is the event with index i
Covered: TypeAlias = Callable[[Thread, int], bool]
MOST_CUTS = 4096
NO_RACES: Sequence[int] = ()


class TooManyCuts(Exception):
    """A waiting operation touches so many objects that not all ways to reach it earlier can be tried."""


class Reversal(NamedTuple):
    """After the first `depth` events go on with `kept`, then `thread` with `op`: what came before comes after."""

    depth: int
    kept: Bits
    thread: Thread
    op: Op
    conflicts: Bits  # the events on which the operation depends
    before: Bits  # those that the thread knows of


make_reversal: Callable[[tuple[int, Bits, Thread, Op, Bits, Bits]], Reversal] = partial(tuple.__new__, Reversal)


class _Accesses:
    """Which events touch an object, and which of them write it."""

    __slots__ = ("all", "writes")

    def __init__(self) -> None:
        self.all: Bits = 0
        self.writes: Bits = 0


NEVER = _Accesses()
PLAIN, WAITS, JOINS = 0, 1, 2
Touched: TypeAlias = tuple[tuple[_Accesses, ...], tuple[_Accesses, ...], int]
"""What an operation reads, what it writes, and whether it waits: for objects, or for ends of threads."""


class Trail:
    """The events of the current execution, in order, and what each thread knew when it made them."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._predicting = program if isinstance(program, Predicting) else None
        self._replay = replayer(program)
        self.events: list[ExecutedStep] = []
        self.before: list[Bits] = []  # of each event: what its thread knew before it
        self.past: list[Bits] = []  # of each event: what happened before it, and itself
        self.races_of: list[tuple[Bits, Sequence[int], int]] = []
        """Of each event: the earlier ones on which its operation depends; those of them with which it races, and
        nothing lies between; and whether it waits."""
        self.objects: dict[Hashable, _Accesses] = {}
        self.touched: dict[Op, Touched] = {}  # by the operations that occurred
        self.joined: dict[Op, list[Thread]] = {}  # the threads that they name
        self.later: dict[int, Bits] = {}  # what follows from an event, if that is known already

    def push(self, thread: Thread, choice: int, op: Op, known: Mapping[Thread, Bits]) -> Bits:
        """One more event; `known` is what each thread knows before.  What its thread knows after it."""
        reads, writes, waits = self.touched.get(op) or self.touch(op)
        found, bit = 0, 1 << len(self.events)
        for accesses in reads:
            found |= accesses.writes
            accesses.all |= bit
        for accesses in writes:
            found |= accesses.all
            accesses.all |= bit
            accesses.writes |= bit
        if waits == JOINS:
            for other in self.joined[op]:
                found |= known.get(other, 0)
        found &= bit - 1  # not itself
        past, races = known[thread], NO_RACES
        self.before.append(past)
        if unknown := found & ~past:
            last = unknown.bit_length() - 1
            races, past = (last,), past | self.past[last]
            if unknown & ~past:
                races, past = self.latest(found, known[thread])
        past |= bit
        self.events.append(make_event((thread, choice, op)))
        self.past.append(past)
        self.races_of.append((found, races, waits))
        return past

    def touch(self, op: Op) -> Touched:
        """What an operation touches that was not seen before."""
        for name in (*op.reads, *op.writes):
            self.objects.setdefault(name, _Accesses())
        reads, writes = (tuple(self.objects[name] for name in names) for names in (op.reads, op.writes))
        found = self.touched[op] = reads, writes, JOINS if op.kind == JOIN else WAITS if op.waits else PLAIN
        # What the threads did that a join waits for: their ends need not be events, their last ones are.
        self.joined[op] = [name.thread for name in op.reads if isinstance(name, OwnObject)]
        return found

    def latest(self, conflicts: Bits, before: Bits) -> tuple[Sequence[int], Bits]:
        """Of events that conflict with an operation and that its thread does not know of: those with none in between;
        and what the thread knows after all of them."""
        races: list[int] = []
        rest = conflicts & ~before
        while rest:
            last = rest.bit_length() - 1
            races.insert(0, last)
            before |= self.past[last]
            rest &= ~before
        return races, before

    def truncate(self, count: int) -> None:
        """Only the first events remain."""
        events, rest = self.events, (1 << count) - 1
        self.later.clear()
        if self.past:  # it is kept in order
            self.forget(events[count:], rest)
            del self.before[count:], self.past[count:], self.races_of[count:]
        del events[count:]

    def forget(self, events: Sequence[ExecutedStep], rest: Bits) -> None:
        """What was accessed by events that are taken back."""
        if len(self.objects) <= 2 * len(events):  # then all at once is quicker
            for accesses in self.objects.values():
                accesses.all &= rest
                accesses.writes &= rest
            return
        for _, _, op in events:
            for accesses in chain(*self.touched[op][:2]):
                accesses.all &= rest
                accesses.writes &= rest

    def conflicting(self, op: Op) -> Bits:
        """The events on which an operation depends."""
        found = 0
        for name in op.reads:
            found |= self.accesses(name).writes
        for name in op.writes:
            found |= self.accesses(name).all
        return found

    def accesses(self, name: Hashable) -> _Accesses:
        return self.objects.get(name) or NEVER

    # ---------------------------------------------------------------- races

    def races(self, thread: Thread, op: Op, before: Bits, index: int | None, covered: Covered) -> Iterator[Reversal]:
        """The races of an operation with earlier events: of the event at `index`, or of one that was not executed.
        `before` is what its thread knows before it; `covered` tells where a thread need not come first any more."""
        if op.kind == JOIN:
            return
        if index is None:
            conflicts = self.conflicting(op)
            immediate = self.latest(conflicts, before)[0]
        else:
            conflicts, immediate, _ = self.races_of[index]
        if op.waits:
            for first, kept in self._cuts(thread, op, before, index, covered):
                yield make_reversal((first, kept, thread, op, conflicts, before))
            if op.guards is None:  # then the immediate ones are among them
                return
        for cause in immediate:
            # SOUND: the operation begins the reversed order by itself, since nothing behind must come before it.
            if not (before >> cause or conflicts >> cause + 1) and covered(thread, cause):
                continue
            kept = self.without(self.following(cause), cause)
            yield make_reversal((cause, kept, thread, op, conflicts, before))

    def _cuts(
        self, thread: Thread, op: Op, before: Bits, index: int | None, covered: Covered
    ) -> Iterator[tuple[int, Bits]]:
        """Ways to reach a waiting operation earlier: where the execution is cut, and what is left behind that."""
        # SOUND: whatever part of the earlier accesses to what decides lets the operation pass, one of these cuts leaves
        # exactly it.  Accesses to what it touches besides do not matter here: their races are immediate ones.
        gone = {0}  # sets of events: one with all that follows from it, for each object at most one
        earlier = -1 if index is None else (1 << index) - 1
        deciding = op.deciding
        for name in deciding:
            accesses = self.accesses(name)
            others = accesses.all if name in op.writes else accesses.writes
            places = others & ~before & earlier
            if len(deciding) == 1:
                places = self._promising(places, accesses.writes, thread, op, before, covered)
            ends = [self.following(i) for i in indices(places)]
            gone |= {g | end for end in ends for g in gone}
            if len(gone) > MOST_CUTS:
                raise TooManyCuts
        own = 0 if index is None else self.following(index)
        for bits in sorted(gone - {0}):
            first = (bits & -bits).bit_length() - 1
            yield first, self.without(bits | own, first)

    def _promising(self, places: Bits, writes: Bits, thread: Thread, op: Op, before: Bits, covered: Covered) -> Bits:
        """Of the accesses to the one object that decides: those before which the operation may have to be tried."""
        alone, rest = op.guards is None, places & writes
        while rest:
            bit = rest & -rest
            rest ^= bit
            # SOUND: all later accesses follow from a write, so nothing that is left keeps it from coming first.
            if alone and before < bit and covered(thread, bit.bit_length() - 1):
                places ^= bit
                continue
            if self._passes_after(writes & bit - 1, op) is False:
                places ^= bit
        return places

    def _would_pass(self, index: int, name: Hashable, op: Op) -> bool | None:
        """Can the operation, which waits for one object, be executed after what is left if an access to that object is
        cut off with all that follows from it?  None: not known without trying."""
        writes = self.accesses(name).writes
        if not writes >> index & 1:  # later accesses may be left
            return None
        return self._passes_after(writes & (1 << index) - 1, op)

    def _passes_after(self, writes: Bits, op: Op) -> bool | None:
        """Could an operation that waits for one object be executed after these writes of it, if that is known?"""
        if self._predicting is None:
            return None
        return self._predicting.passes_after((self.events[i][2] for i in _backwards(writes)), op)

    def has_to_wait(self, op: Op) -> bool:
        """Is it known that an operation cannot be executed after all these events, but after another one?"""
        if not op.waits or len(op.deciding) != 1:
            return False
        (name,) = op.deciding
        return self._passes_after(self.accesses(name).writes, op) is False

    def is_needed_by(self, index: int, op: Op) -> bool:
        """Is it known that an operation, which comes later than an event, cannot come before it?  It waits for one
        object, and for what the event or something behind it does there."""
        if not op.waits or len(op.deciding) != 1:
            return False
        (name,) = op.deciding
        # SOUND: behind the event, whatever writes the object follows from it, so without it is left what was there
        # before; and nothing else that both touch is a reason to reverse them.
        others = op._replace(reads=op.reads - op.deciding, writes=op.writes - op.deciding)
        return not dependent(self.events[index].op, others) and self._would_pass(index, name, op) is False

    def following(self, index: int) -> Bits:
        """An event and all that happens after it; asked for only when an execution has ended."""
        found = self.later.get(index)
        if found is None:
            bit = 1 << index
            later = [1 << i for i, past in enumerate(self.past[index + 1 :], index + 1) if past & bit]
            found = self.later[index] = sum(later, bit)
        return found

    def without(self, gone: Bits, first: int) -> Bits:
        """What is left of the execution from an event on."""
        return ((1 << len(self.events)) - (1 << first)) & ~gone

    def events_of(self, bits: Bits) -> list[ExecutedStep]:
        return [self.events[i] for i in indices(bits)]

    def initials(self, reversal: Reversal) -> list[Thread]:
        """The threads whose first event in the reversed sequence could be its first."""
        kept, found, seen = reversal.kept, [], set()
        for i in indices(kept):
            who = self.events[i][0]
            if who not in seen:
                seen.add(who)
                if not self.races_of[i][0] & kept:
                    found.append(who)
        if reversal.thread not in seen and not reversal.conflicts & kept:
            found.append(reversal.thread)
        return found

    def is_admitted(self, reversal: Reversal) -> bool:
        """Can the operation be executed there?  Only operations that wait can be refused.  Where the program is
        afterwards does not matter."""
        depth, kept, thread, op, *_ = reversal
        if not op.waits:
            return True
        deciding = op.deciding
        if len(deciding) == 1:
            (name,) = deciding
            answer = self._would_pass(depth, name, op)
            if answer is not None:
                return answer
        self._replay([*self.events[:depth], *self.events_of(kept)])
        return thread in self._program.enabled()


def indices(bits: Bits) -> Iterator[int]:
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


def _backwards(bits: Bits) -> Iterator[int]:
    while bits:
        last = bits.bit_length() - 1
        yield last
        bits ^= 1 << last


def can_start(thread: Thread, op: Op, sequence: Sequence[tuple[Thread, Op]]) -> bool:
    """Is an enabled thread with this next operation a weak initial: could it come first, in or before the sequence?"""
    for who, what in sequence:
        if who == thread:
            return True
        if dependent(op, what):
            return False
    return True
