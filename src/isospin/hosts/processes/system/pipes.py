"""Pipes: bytes in order, an end when nobody can write any more, an error when nobody can read any more."""

from __future__ import annotations

from collections.abc import Hashable
from errno import EAGAIN, EPIPE

from ....engines.stateless.protocol import NO_OBJECTS, Op, Thread
from .points import DONE, Answer, SystemCall
from .world import SimulatedCall, SimulatedSystem, error, op, success

CAPACITY = 65536


def _pipe(call: SystemCall) -> tuple[str, int]:
    return ("pipe", call.args[0])


def _readers(call: SystemCall) -> tuple[str, int]:
    return ("readers", call.args[0])


def _make(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    number = world.new_id(who)
    world.objects["pipe", number], world.objects["readers", number] = (b"", 1), 1
    world.change(who, holds={**world.processes[who].holds, (number, False): 1, (number, True): 1})
    return Answer(number)


def _touch_read(world: SimulatedSystem, who: Thread, call: SystemCall) -> Op:
    return op("receive", frozenset({_pipe(call)}), waits=not call.args[2] and call.args[1] > 0)


def _ready_read(world: SimulatedSystem, who: Thread, call: SystemCall) -> bool:
    data, writers = world.objects[_pipe(call)]
    return bool(data) or writers == 0 or bool(call.args[2]) or call.args[1] == 0


def _read(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    data, writers = world.objects[_pipe(call)]
    if not data and writers and call.args[1]:
        return error(EAGAIN)
    taken = data[: call.args[1]]
    world.objects[_pipe(call)] = data[len(taken) :], writers
    return Answer(len(taken), 0, taken)


def _touch_write(world: SimulatedSystem, who: Thread, call: SystemCall) -> Op:
    return op("send", frozenset({_pipe(call)}), frozenset({_readers(call)}), not call.args[1])


def _ready_write(world: SimulatedSystem, who: Thread, call: SystemCall) -> bool:
    data, _ = world.objects[_pipe(call)]
    return bool(call.args[1]) or world.objects[_readers(call)] == 0 or len(data) + len(call.data) <= CAPACITY


def _write(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    data, writers = world.objects[_pipe(call)]
    if world.objects[_readers(call)] == 0:
        return error(EPIPE)
    if len(data) + len(call.data) > CAPACITY:
        return error(EAGAIN)
    world.objects[_pipe(call)] = data + call.data, writers
    return Answer(len(call.data))


def _held(call: SystemCall) -> tuple[int, bool]:
    return call.args[0], bool(call.args[1])


def _touch_close(world: SimulatedSystem, who: Thread, call: SystemCall) -> Op:
    return op("close", frozenset({_pipe(call) if call.args[1] else _readers(call)}))


def _close(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    holds = dict(world.processes[who].holds)
    holds[_held(call)] -= 1
    if not holds[_held(call)]:
        del holds[_held(call)]
    world.release(*_held(call), 1)
    world.change(who, holds=holds)
    return DONE


def _duplicate(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    holds = world.processes[who].holds
    world.release(*_held(call), -1)
    world.change(who, holds={**holds, _held(call): holds[_held(call)] + 1})
    return DONE


def _shape(call: SystemCall) -> Hashable:
    return (call.kind, _pipe(call), call.args[1:], call.data)


def _nothing(world: SimulatedSystem, who: Thread, call: SystemCall) -> Op:
    return op(call.kind, NO_OBJECTS)


CALLS = {
    "pipe": SimulatedCall(_nothing, _make, at_once=lambda call: True),
    # SOUND: who copies a descriptor has one, so nobody sees the end of the pipe before or after.
    "dup": SimulatedCall(_nothing, _duplicate, at_once=lambda call: True, shape=_shape),
    "pipe read": SimulatedCall(_touch_read, _read, _ready_read, shape=_shape),
    "pipe write": SimulatedCall(_touch_write, _write, _ready_write, shape=_shape,
                       expected=lambda call: (Answer(len(call.data)),)),
    "close": SimulatedCall(_touch_close, _close, shape=_shape, expected=success),
}  # fmt: skip
