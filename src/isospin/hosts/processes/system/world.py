"""The simulated system: what processes share, and what is known of each of them.

Names of objects are tuples: ("sem", set, number), ("posix", space, place, offset), ("queue", id), ("mq", id),
("pipe", id), ("readers", id), ("page", segment, number), ("set", id), ("segment", id), ("name", kind, name).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from errno import EEXIST, ENOENT
from typing import Any, NamedTuple

from ....engines.stateless.protocol import NO_OBJECTS, Found, Objects, Op, OwnObject, Thread
from ..server import UncontrollableProcess
from .points import DONE, Answer, Point, SystemCall

FIRST_PID = 1000
MOST_PROCESSES = 64
MOST_MADE = 256  # objects that one process makes


class SimulatedProcess(NamedTuple):
    """What the system knows of a process."""

    point: Point
    parent: Thread | None = None
    children: tuple[Thread, ...] = ()  # for which it has not waited yet, the eldest first
    status: int | None = None  # of its end
    signal: int = 0  # that will end it at its next step
    holds: Mapping[tuple[int, bool], int] = {}  # ends of pipes: how many descriptors
    undo: Mapping[tuple[Hashable, ...], int] = {}  # what its end gives back to semaphores
    made: int = 0  # objects


class SimulatedSystem:
    """All processes and all that they share, in one state."""

    __slots__ = ("found", "objects", "processes")

    def __init__(self, objects: dict[Any, Any], processes: dict[Thread, SimulatedProcess]) -> None:
        self.objects, self.processes = objects, processes
        self.found: tuple[Found, ...] = ()  # what went wrong in the step that led here

    def copy(self) -> SimulatedSystem:
        return SimulatedSystem(dict(self.objects), dict(self.processes))

    def change(self, who: Thread, **fields: Any) -> None:
        self.processes[who] = self.processes[who]._replace(**fields)

    def new_id(self, who: Thread) -> int:
        """A number for a new object: it depends on who makes it and how many he made, not on the order of events."""
        made = self.processes[who].made
        if made >= MOST_MADE:
            raise UncontrollableProcess(f"a process makes more than {MOST_MADE} semaphores, queues, pipes and segments")
        self.change(who, made=made + 1)
        return who * MOST_MADE + made

    def finish(self, who: Thread, status: int) -> None:
        """A process ends."""
        process = self.processes[who]
        for (pipe, writes), count in process.holds.items():
            self.release(pipe, writes, count)
        for name, amount in process.undo.items():
            if name in self.objects:
                self.objects[name] = max(0, self.objects[name] + amount)
        self.change(who, status=status, holds={}, undo={})

    def release(self, pipe: int, writes: bool, count: int) -> None:
        if writes:
            data, writers = self.objects["pipe", pipe]
            self.objects["pipe", pipe] = data, writers - count
        else:
            self.objects["readers", pipe] -= count


Touch = Callable[[SimulatedSystem, Thread, SystemCall], Op]


def _always(world: SimulatedSystem, who: Thread, call: SystemCall) -> bool:
    return True


def plain_shape(call: SystemCall) -> Hashable:
    return (call.kind, call.args, call.data)


def _nothing_expected(call: SystemCall) -> Sequence[Answer]:
    return ()


def success(call: SystemCall) -> Sequence[Answer]:
    return (DONE,)


class SimulatedCall(NamedTuple):
    """What a call does: its operation, whether it can be executed now, its effect and answer."""

    touch: Touch
    act: Callable[[SimulatedSystem, Thread, SystemCall], Answer]
    ready: Callable[[SimulatedSystem, Thread, SystemCall], bool] = _always
    at_once: Callable[[SystemCall], bool] = lambda call: (
        False
    )  # it commutes with everything that others do, and never waits
    shape: Callable[[SystemCall], Hashable] = plain_shape  # what it asks, with the names of objects and processes in it
    expected: Callable[[SystemCall], Sequence[Answer]] = _nothing_expected  # answers to look ahead by, see futures.py
    settled: bool = True  # its operation depends on the call alone


def op(kind: str, writes: Objects = NO_OBJECTS, reads: Objects = NO_OBJECTS, waits: bool = False) -> Op:
    return Op(kind, reads, writes, waits)


def error(number: int) -> Answer:
    return Answer(-1, number)


def pid_of(who: Thread) -> int:
    return FIRST_PID + who


def who_is(pid: int) -> Hashable:
    """The name of a process in what a call asks."""
    return OwnObject(pid - FIRST_PID, "pid") if FIRST_PID <= pid < FIRST_PID + MOST_PROCESSES else pid


def named(kind: str, at: int = 0) -> Touch:
    """An operation on what has a key (args[at]), or a name (data)."""

    def touch(world: SimulatedSystem, who: Thread, call: SystemCall) -> Op:
        return op(call.kind, frozenset({("name", kind, call.data or call.args[at])}))

    return touch


def is_private(call: SystemCall) -> bool:
    return call.args[0] == 0  # IPC_PRIVATE


CREATE, EXCLUSIVE = 0o1000, 0o2000  # of System V
O_CREAT, O_EXCL = 0o100, 0o200


def find_or_make(
    world: SimulatedSystem, who: Thread, name: tuple[Hashable, ...] | None, creates: bool, exclusive: bool
) -> tuple[int, bool, Answer]:
    """The number of what has a name (None: it is private), whether it is new, and what to answer."""
    if name is None:
        made = world.new_id(who)
        return made, True, Answer(made)
    found = world.objects.get(("name", *name))
    if found is not None:
        return found, False, error(EEXIST) if creates and exclusive else Answer(found)
    if not creates:
        return -1, False, error(ENOENT)
    made = world.objects["name", *name] = world.new_id(who)
    return made, True, Answer(made)


def names_of(world: SimulatedSystem, kind: str, number: int) -> Objects:
    """The keys under which an object of System V is known."""
    return frozenset(n for n, value in world.objects.items() if n[:2] == ("name", kind) and value == number)


def forget_name(world: SimulatedSystem, kind: str, number: int) -> None:
    """System V: a removed object frees its key."""
    for name in names_of(world, kind, number):
        del world.objects[name]


def unlink(kind: str) -> SimulatedCall:
    """POSIX: the name goes, the object stays for those who have it."""

    def act(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
        return error(ENOENT) if world.objects.pop(("name", kind, call.data), None) is None else DONE

    return SimulatedCall(named(kind), act)
