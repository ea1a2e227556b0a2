"""Pipes: bytes in order, an end when nobody can write any more, an error when nobody can read any more."""

from __future__ import annotations

from collections.abc import Hashable
from errno import EAGAIN, EPIPE

from ....engines.stateless.protocol import NO_OBJECTS, Op, Thread
from .points import DONE, Answer, SystemCall
from .world import SimulatedCall, SimulatedSystem, error, op, success

CAPACITY = 65536


def pipe(call: SystemCall) -> tuple[str, int]:
    return ("pipe", call.args[0])


def _readers(call: SystemCall) -> tuple[str, int]:
    return ("readers", call.args[0])


def make(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    number = world.new_id(who)
    world.objects["pipe", number], world.objects["readers", number] = (b"", 1), 1
    world.change(who, holds={**world.processes[who].holds, (number, False): 1, (number, True): 1})
    return Answer(number)


def _touch_read(world: SimulatedSystem, who: Thread, call: SystemCall) -> Op:
    return op("receive", frozenset({pipe(call)}), waits=not call.args[2] and call.args[1] > 0)


def _ready_read(world: SimulatedSystem, who: Thread, call: SystemCall) -> bool:
    data, writers = world.objects[pipe(call)]
    return bool(data) or writers == 0 or bool(call.args[2]) or call.args[1] == 0


def read(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    data, writers = world.objects[pipe(call)]
    if not data and writers and call.args[1]:
        return error(EAGAIN)
    taken = data[: call.args[1]]
    world.objects[pipe(call)] = data[len(taken) :], writers
    return Answer(len(taken), 0, taken)


def _touch_write(world: SimulatedSystem, who: Thread, call: SystemCall) -> Op:
    return op("send", frozenset({pipe(call)}), frozenset({_readers(call)}), not call.args[1])


def _ready_write(world: SimulatedSystem, who: Thread, call: SystemCall) -> bool:
    data, _ = world.objects[pipe(call)]
    return bool(call.args[1]) or world.objects[_readers(call)] == 0 or len(data) + len(call.data) <= CAPACITY


def write(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    data, writers = world.objects[pipe(call)]
    if world.objects[_readers(call)] == 0:
        return error(EPIPE)
    if len(data) + len(call.data) > CAPACITY:
        return error(EAGAIN)
    world.objects[pipe(call)] = data + call.data, writers
    return Answer(len(call.data))


def held(call: SystemCall) -> tuple[int, bool]:
    return call.args[0], bool(call.args[1])


def _touch_close(world: SimulatedSystem, who: Thread, call: SystemCall) -> Op:
    return op("close", frozenset({pipe(call) if call.args[1] else _readers(call)}))


def close(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    holds = dict(world.processes[who].holds)
    holds[held(call)] -= 1
    if not holds[held(call)]:
        del holds[held(call)]
    world.release(*held(call), 1)
    world.change(who, holds=holds)
    return DONE


def _duplicate(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    holds = world.processes[who].holds
    world.release(*held(call), -1)
    world.change(who, holds={**holds, held(call): holds[held(call)] + 1})
    return DONE


def shape(call: SystemCall) -> Hashable:
    return (call.kind, pipe(call), call.args[1:], call.data)


def nothing(world: SimulatedSystem, who: Thread, call: SystemCall) -> Op:
    return op(call.kind, NO_OBJECTS)


CALLS = {
    "pipe": SimulatedCall(nothing, make, at_once=lambda call: True),
    # SOUND: who copies a descriptor has one, so nobody sees the end of the pipe before or after.
    "dup": SimulatedCall(nothing, _duplicate, at_once=lambda call: True, shape=shape),
    "pipe read": SimulatedCall(_touch_read, read, _ready_read, shape=shape),
    "pipe write": SimulatedCall(_touch_write, write, _ready_write, shape=shape,
                       expected=lambda call: (Answer(len(call.data)),)),
    "close": SimulatedCall(_touch_close, close, shape=shape, expected=success),
}  # fmt: skip
