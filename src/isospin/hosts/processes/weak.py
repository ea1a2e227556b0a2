"""Shared memory that processes access by atomics weaker than seq_cst: they may show more than interleavings.

SOUND: memory counts that two processes access, at whatever time, if one of them writes it and one access is weaker; so
nothing has to be known about what orders them.  What a process does while it is the only one does not count.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...core.errors import Location
from ...engines.stateless.protocol import Thread
from ..c.weak import EXPLORED, ORDERS
from .system.points import Point, SystemCall
from .system.world import SimulatedSystem

ACCESSES = {"read": "load", "write": "store", "update": "access"}  # an atomic store is made as an exchange
SEQ_CST = 5


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
    def __init__(self) -> None:
        self.bytes: dict[tuple[int, int], _Users] = {}

    def note(self, world: SimulatedSystem, who: Thread, point: Point) -> None:
        call = point.call
        if call.kind not in ACCESSES or _is_alone(world, who):
            return
        segment, offset, size = call.args[:3]
        for byte in range(offset, offset + size):
            users = self.bytes.setdefault((segment, byte), _Users())
            users.users.add(who)
            if call.kind != "read":
                users.writers.add(who)
            if is_weak(call):
                users.weak = users.weak or point

    def first(self) -> Point | None:
        return next((users.weak for users in self.bytes.values() if users.harms), None)


def is_weak(call: SystemCall) -> bool:
    return 0 < call.args[3] <= SEQ_CST


def told(point: Point, where: Location) -> str:
    call = point.call
    kind, order = ACCESSES[call.kind], ORDERS[call.args[3] - 1]
    return f"atomic {kind} ({order}) of shared memory at {where.file}:{where.line}: {EXPLORED}"
