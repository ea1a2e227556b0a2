"""Shared memory: pages of bytes, read and written by single instructions."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from errno import EINVAL

from ....engines.stateless.protocol import NO_OBJECTS, Objects, Op, Thread
from .points import DONE, Answer, SystemCall
from .world import (
    CREATE,
    EXCLUSIVE,
    O_CREAT,
    O_EXCL,
    SimulatedCall,
    SimulatedSystem,
    error,
    find_or_make,
    forget_name,
    is_private,
    named,
    names_of,
    op,
    success,
    unlink,
)

PAGE = 256
EMPTY = bytes(PAGE)


def load(world: SimulatedSystem, segment: int, offset: int, size: int) -> bytes:
    found, at = b"", offset
    while at < offset + size:
        page = world.objects.get(("page", segment, at // PAGE), EMPTY)
        part = page[at % PAGE : min(PAGE, at % PAGE + offset + size - at)]
        found += part
        at += len(part)
    return found


def store(world: SimulatedSystem, segment: int, offset: int, data: bytes) -> None:
    while data:
        number, begin = divmod(offset, PAGE)
        part = data[: PAGE - begin]
        page = world.objects.get(("page", segment, number), EMPTY)
        world.objects["page", segment, number] = page[:begin] + part + page[begin + len(part) :]
        offset, data = offset + len(part), data[len(part) :]


def _bytes_of(call: SystemCall) -> Objects:
    segment, offset, size = call.args[:3]
    return frozenset(("byte", segment, at) for at in range(offset, offset + size))


def _touch_access(world: SimulatedSystem, who: Thread, call: SystemCall) -> Op:
    return Op("read", _bytes_of(call)) if call.kind == "read" else Op(call.kind, NO_OBJECTS, _bytes_of(call))


def _shape_access(call: SystemCall) -> Hashable:
    """SOUND: byte by byte, so that the image of a word is a word with its bytes in the same order."""
    segment, offset, size = call.args[:3]
    return (call.kind, tuple(("byte", segment, at) for at in range(offset, offset + size)), call.args[3:], call.data)


def _access(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    """The bytes as they are; what is written comes with the next call."""
    if call.kind == "write":  # SOUND: the instruction overwrites all of them, so what was there is not its business
        return Answer(0, 0, bytes(call.args[2]))
    return Answer(0, 0, load(world, *call.args[:3]))


def _expected_write(call: SystemCall) -> Sequence[Answer]:
    return (Answer(0, 0, bytes(call.args[2])),)


# -------------------------------------------------------------------------------------------------- segments


def _map_new(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    number = world.new_id(who)
    world.objects["segment", number] = call.args[0]
    return Answer(number)


def _shmget(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    key, size, flags = call.args[:3]
    name = ("segment", key) if key else None
    number, new, answer = find_or_make(world, who, name, bool(flags & CREATE), bool(flags & EXCLUSIVE))
    if new:
        world.objects["segment", number] = size
    return answer


def _segment(call: SystemCall) -> tuple[str, int]:
    return ("segment", call.args[0])


def _shmat(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    size = world.objects.get(_segment(call))
    return error(EINVAL) if size is None else Answer(size)


def _shmctl(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    """The segment goes when nobody is attached any more; its name goes now."""
    if _segment(call) not in world.objects:
        return error(EINVAL)
    forget_name(world, "segment", call.args[0])
    return DONE


def _shm_open(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    flags = call.args[0]
    number, new, answer = find_or_make(world, who, ("shm", call.data), bool(flags & O_CREAT), bool(flags & O_EXCL))
    if new:
        world.objects["segment", number] = 0
    return answer


def _ftruncate(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    world.objects[_segment(call)] = call.args[1]
    return DONE


def _shape(call: SystemCall) -> Hashable:
    return (call.kind, _segment(call), call.args[1:], call.data)


def _touch_remove(world: SimulatedSystem, who: Thread, call: SystemCall) -> Op:
    return op("remove segment", frozenset({_segment(call)}) | names_of(world, "segment", call.args[0]))


CALLS = {
    "read": SimulatedCall(_touch_access, _access, shape=_shape_access),
    "write": SimulatedCall(_touch_access, _access, shape=_shape_access, expected=_expected_write),
    "update": SimulatedCall(_touch_access, _access, shape=_shape_access),
    "map": SimulatedCall(lambda w, p, c: op("map"), _map_new, at_once=lambda call: True),
    "shmget": SimulatedCall(named("segment"), _shmget, at_once=is_private),
    "shmat": SimulatedCall(lambda w, p, c: op("attach", NO_OBJECTS, frozenset({_segment(c)})), _shmat, shape=_shape),
    "shmctl": SimulatedCall(_touch_remove, _shmctl, shape=_shape, settled=False),
    "shm_open": SimulatedCall(named("shm"), _shm_open),
    "shm_unlink": unlink("shm"),
    "ftruncate": SimulatedCall(lambda w, p, c: op("resize", frozenset({_segment(c)})), _ftruncate, shape=_shape,
                               expected=success),
}  # fmt: skip
