"""Shared memory that processes access in ways which may show more than interleavings.

SOUND: atomics weaker than seq_cst count wherever two processes access the memory, at whatever time, and one of them
writes it; so nothing has to be known about what orders them.  What a process does while it is the only one does not
count.  Accesses that are not atomic count where they race: in some interleaving, another process is about to access the
same bytes, and one of the two writes.  A program without such a moment has no behaviour but interleavings.

SOUND: a reduced search finds the moment too.  The two accesses are dependent, so a search that takes one of them first
also takes the other one first, from a state where the first is still to come: then both are about to happen.

Reference: Adve and Hill, ISCA 1990 (data-race-free-0: who has no races in any interleaving sees interleavings only).
Differs: what races is told instead of being the programmer's promise.
"""

from __future__ import annotations

from dataclasses import field

from ...core.errors import Location
from ...core.records import dataclass
from ...engines.stateless.protocol import Thread
from ..c.weak import EXPLORED, ORDERS
from .system.points import Point, SystemCall
from .system.world import SimulatedSystem

ACCESSES = {"read": "load", "write": "store", "update": "access"}  # an atomic store is made as an exchange
PLAIN, SEQ_CST = 0, 5  # of the fourth argument: 1 + the memory order, or not atomic


@dataclass
class _Users:
    """Of one byte."""

    users: set[Thread] = field(default_factory=set)
    writers: set[Thread] = field(default_factory=set)
    weak: Point | None = None

    @property
    def harms(self) -> bool:
        return self.weak is not None and len(self.users) > 1 and bool(self.writers)


def _is_alone(world: SimulatedSystem, who: Thread) -> bool:
    """All others have ended, and it has waited for them."""
    others = (p for number, p in world.processes.items() if number != who)
    return not world.processes[who].children and all(p.status is not None for p in others)


class WeakAccesses:
    """Accesses with a memory order that is weaker than what is explored."""

    def __init__(self) -> None:
        self.bytes: dict[tuple[int, int], _Users] = {}

    def note(self, world: SimulatedSystem, who: Thread, point: Point) -> None:
        """Who uses which bytes: an access is told later only if others use its bytes, and one writes."""
        call = point.call
        if call.kind not in ACCESSES or _is_alone(world, who):
            return
        segment, offset, size = call.args[:3]
        for byte in range(offset, offset + size):
            users = self.bytes.setdefault((segment, byte), _Users())
            users.users.add(who)
            if call.kind != "read":
                users.writers.add(who)
            if _is_weak(call):
                users.weak = users.weak or point

    @property
    def size(self) -> int:
        """It grows with all that is noted."""
        return sum(len(u.users) + len(u.writers) + (u.weak is not None) for u in self.bytes.values())

    def first(self) -> Point | None:
        return next((users.weak for users in self.bytes.values() if users.harms), None)


class PlainRaces:
    """The first two accesses that nothing orders and of which one is not atomic."""

    def __init__(self) -> None:
        self.first: tuple[Point, Point] | None = None

    def note(self, world: SimulatedSystem, who: Thread, point: Point) -> None:
        """`who` goes on; what are the others about to do?"""
        if self.first is not None or point.call.kind not in ACCESSES:
            return
        for number, other in world.processes.items():
            is_about_to = number != who and other.status is None and not other.signal
            if is_about_to and other.point.call.kind in ACCESSES and _race(point.call, other.point.call):
                self.first = point, other.point
                return


def _race(one: SystemCall, other: SystemCall) -> bool:
    if one.kind == other.kind == "read" or (one.args[3] != PLAIN and other.args[3] != PLAIN):
        return False
    (segment, begin, size), (its_segment, its_begin, its_size) = one.args[:3], other.args[:3]
    return segment == its_segment and begin < its_begin + its_size and its_begin < begin + size


def _is_weak(call: SystemCall) -> bool:
    return PLAIN < call.args[3] <= SEQ_CST


def tell_race(one: SystemCall, other: SystemCall, where: Location, its: Location) -> str:
    mine, others = (f"{_words(call)} at {at.file}:{at.line}" for call, at in ((one, where), (other, its)))
    return f"{mine} of shared memory, which nothing orders against the {others} of another process: {EXPLORED}"


def _words(call: SystemCall) -> str:
    how = "plain" if call.args[3] == PLAIN else "atomic"
    return f"{how} {ACCESSES[call.kind]}"


def describe_weak(point: Point, where: Location) -> str:
    call = point.call
    kind, order = ACCESSES[call.kind], ORDERS[call.args[3] - 1]
    return f"atomic {kind} ({order}) of shared memory at {where.file}:{where.line}: {EXPLORED}"
