"""Semaphores: sets of System V with several operations at once, and those of POSIX."""

from __future__ import annotations

import struct
from collections.abc import Hashable, Sequence
from errno import EAGAIN, EFBIG, EIDRM, EINVAL, ERANGE
from functools import lru_cache
from typing import NamedTuple

from ....engines.stateless.protocol import NO_OBJECTS, Op, Thread
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

NOWAIT, UNDO = 0o4000, 0x1000
REMOVE, GETVAL, GETALL, SETVAL, SETALL = 0, 12, 13, 16, 17
MOST = 32767


class SemaphoreChange(NamedTuple):
    """One of the changes that a semop asks for at once."""

    number: int
    amount: int
    flags: int


@lru_cache(maxsize=4096)
def changes(call: SystemCall) -> list[SemaphoreChange]:
    return [SemaphoreChange(*each) for each in struct.iter_unpack("<Hhh", call.data)]


def _semaphore(call: SystemCall, number: int) -> tuple[Hashable, ...]:
    return ("sem", call.args[0], number)


# -------------------------------------------------------------------------------------------------- semop


def _touch_semop(world: SimulatedSystem, who: Thread, call: SystemCall) -> Op:
    """What a list of changes reads and writes; it waits unless a flag, or a time-out, says otherwise."""
    wanted = changes(call)
    writes = frozenset(_semaphore(call, c.number) for c in wanted if c.amount)
    exists = frozenset({("set", call.args[0])})
    reads = frozenset(_semaphore(call, c.number) for c in wanted if not c.amount) | exists
    waiting = [c for c in wanted if c.amount <= 0 and not c.flags & NOWAIT]
    if not waiting or call.args[1]:
        return Op(_name_of(wanted), reads, writes)
    # SOUND: whether it can pass depends on all semaphores that must not be too small or not zero.
    guards = frozenset(_semaphore(call, c.number) for c in wanted if c.amount <= 0) | exists
    return Op(_name_of(wanted), reads, writes, True, guards)


def _name_of(wanted: Sequence[SemaphoreChange]) -> str:
    if all(c.amount < 0 for c in wanted):
        return "wait"
    return "signal" if all(c.amount > 0 for c in wanted) else "semop"


def _outcome(
    world: SimulatedSystem, call: SystemCall
) -> tuple[dict[tuple[Hashable, ...], int], SemaphoreChange | None]:
    """The values after all changes, or the first change that cannot be made now."""
    values: dict[tuple[Hashable, ...], int] = {}
    for change in changes(call):
        name = _semaphore(call, change.number)
        value = values.get(name, world.objects[name])
        if (change.amount == 0 and value) or value + change.amount < 0:
            return {}, change
        values[name] = value + change.amount
    return values, None


def _wrong(world: SimulatedSystem, call: SystemCall) -> Answer | None:
    size = world.objects.get(("set", call.args[0]))
    if size is None:  # those who waited are told another reason than those who come later
        waited = any(c.amount <= 0 and not c.flags & NOWAIT for c in changes(call))
        return error(EIDRM if waited else EINVAL)
    return error(EFBIG) if any(c.number >= size for c in changes(call)) else None


def _ready_semop(world: SimulatedSystem, who: Thread, call: SystemCall) -> bool:
    if _wrong(world, call) is not None or call.args[1]:
        return True
    stops = _outcome(world, call)[1]
    return stops is None or bool(stops.flags & NOWAIT)


def _semop(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    """All changes, or none; those with `SEM_UNDO` are noted with the process."""
    problem = _wrong(world, call)
    if problem is not None:
        return problem
    values, stops = _outcome(world, call)
    if stops is not None:
        return error(EAGAIN)
    if any(v > MOST for v in values.values()):
        return error(ERANGE)
    world.objects.update(values)
    undone = [c for c in changes(call) if c.flags & UNDO and c.amount]
    if undone:
        undo = dict(world.processes[who].undo)
        for change in undone:
            name = _semaphore(call, change.number)
            undo[name] = undo.get(name, 0) - change.amount
        world.change(who, undo={name: amount for name, amount in undo.items() if amount})
    return DONE


def _shape_semop(call: SystemCall) -> Hashable:
    return ("semop", call.args[1], tuple((_semaphore(call, c.number), c.amount, c.flags) for c in changes(call)))


# -------------------------------------------------------------------------------------------------- the set


def _semget(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    key, count, flags = call.args[:3]
    name = ("sem", key) if key else None
    number, new, answer = find_or_make(world, who, name, bool(flags & CREATE), bool(flags & EXCLUSIVE))
    if not new:
        small = number >= 0 and count > world.objects["set", number]
        return error(EINVAL) if small and not answer.error else answer
    world.objects["set", number] = count
    world.objects.update({("sem", number, i): 0 for i in range(count)})
    return answer


def _touch_semctl(world: SimulatedSystem, who: Thread, call: SystemCall) -> Op:
    number, index, command = call.args[:3]
    exists = frozenset({("set", number)})
    every = frozenset(("sem", number, i) for i in range(world.objects.get(("set", number), 0)))
    one = frozenset({("sem", number, index)})
    match command:
        case 16:  # SETVAL
            return Op("set semaphore", exists, one)
        case 17:  # SETALL
            return Op("set semaphores", exists, every)
        case 12:  # GETVAL
            return Op("get semaphore", exists | one)
        case 13:  # GETALL
            return Op("get semaphores", exists | every)
    return Op("remove semaphores", NO_OBJECTS, exists | every | names_of(world, "sem", number))


def all_semaphores(call: SystemCall) -> bool:
    """Does it get or set all semaphores of a set, in their order?"""
    return call.kind == "semctl" and call.args[2] in (GETALL, SETALL)


def _semctl(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    number, index, command, value = call.args[:4]
    size = world.objects.get(("set", number))
    if size is None or (command in (SETVAL, GETVAL) and not 0 <= index < size):
        return error(EINVAL)
    if command == GETVAL:
        return Answer(world.objects["sem", number, index])
    if command == GETALL:
        return Answer(0, 0, struct.pack(f"<{size}H", *(world.objects["sem", number, i] for i in range(size))))
    if command == REMOVE:
        _remove(world, number, size)
        return DONE
    values = {index: value} if command == SETVAL else dict(enumerate(struct.unpack(f"<{size}H", call.data)))
    if any(not 0 <= v <= MOST for v in values.values()):
        return error(ERANGE)
    for i, v in values.items():
        world.objects["sem", number, i] = v
        _forget_undo(world, ("sem", number, i))
    return DONE


def _remove(world: SimulatedSystem, number: int, size: int) -> None:
    forget_name(world, "sem", number)
    del world.objects["set", number]
    for i in range(size):
        del world.objects["sem", number, i]
        _forget_undo(world, ("sem", number, i))


def _forget_undo(world: SimulatedSystem, name: tuple[Hashable, ...]) -> None:
    for who, process in world.processes.items():
        if name in process.undo:
            world.change(who, undo={n: a for n, a in process.undo.items() if n != name})


def _semcount(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    size = world.objects.get(("set", call.args[0]))
    return error(EINVAL) if size is None else Answer(size)


def _shape_semctl(call: SystemCall) -> Hashable:
    if call.args[2] == REMOVE:  # of all of them, whichever is named
        return ("semctl", ("set", call.args[0]), REMOVE)
    return ("semctl", _semaphore(call, call.args[1]), call.args[2:], call.data)


# -------------------------------------------------------------------------------------------------- POSIX


def _posix(call: SystemCall) -> tuple[Hashable, ...]:
    return ("posix", *call.args[:3])


def _touch_posix(world: SimulatedSystem, who: Thread, call: SystemCall) -> Op:
    me = frozenset({_posix(call)})
    if call.kind == "sem_getvalue":
        return Op("get semaphore", me)
    return op({"sem_wait": "wait", "sem_post": "signal"}.get(call.kind, call.kind), me, waits=call.kind == "sem_wait")


def _ready_wait(world: SimulatedSystem, who: Thread, call: SystemCall) -> bool:
    return bool(world.objects.get(_posix(call), 1))  # a semaphore that there is not is an error


def _take(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    value = world.objects.get(_posix(call))
    if value is None:
        return error(EINVAL)
    if value == 0:
        return error(EAGAIN)
    world.objects[_posix(call)] = value - 1
    return DONE


def _sem_post(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    if _posix(call) not in world.objects:
        return error(EINVAL)
    world.objects[_posix(call)] += 1
    return DONE


def _sem_init(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    world.objects[_posix(call)] = call.args[3]
    return DONE


def _sem_getvalue(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    return Answer(world.objects.get(_posix(call), 0))


def _sem_open(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    flags, value = call.args[:2]
    number, new, answer = find_or_make(world, who, ("posix", call.data), bool(flags & O_CREAT), bool(flags & O_EXCL))
    if new:
        world.objects["posix", 0, number, 0] = value
    return answer


def _shape_posix(call: SystemCall) -> Hashable:
    return (call.kind, _posix(call), call.args[3:])


def _try_answers(call: SystemCall) -> Sequence[Answer]:
    return DONE, error(EAGAIN)


CALLS = {
    "semget": SimulatedCall(named("sem"), _semget, at_once=is_private),
    "semop": SimulatedCall(_touch_semop, _semop, _ready_semop, shape=_shape_semop, expected=success),
    "semctl": SimulatedCall(_touch_semctl, _semctl, shape=_shape_semctl, settled=False),
    "semcount": SimulatedCall(
        lambda w, p, c: Op("get semaphores", frozenset({("set", c.args[0])})), _semcount,
        shape=lambda c: ("semcount", ("set", c.args[0])),
    ),
    "sem_wait": SimulatedCall(_touch_posix, _take, _ready_wait, shape=_shape_posix, expected=success),
    "sem_trywait": SimulatedCall(_touch_posix, _take, shape=_shape_posix, expected=_try_answers),
    "sem_timedwait": SimulatedCall(_touch_posix, _take, shape=_shape_posix, expected=_try_answers),
    "sem_post": SimulatedCall(_touch_posix, _sem_post, shape=_shape_posix, expected=success),
    "sem_init": SimulatedCall(_touch_posix, _sem_init, shape=_shape_posix, expected=success),
    "sem_getvalue": SimulatedCall(_touch_posix, _sem_getvalue, shape=_shape_posix),
    "sem_open": SimulatedCall(named("posix"), _sem_open),
    "sem_unlink": unlink("posix"),
}  # fmt: skip
