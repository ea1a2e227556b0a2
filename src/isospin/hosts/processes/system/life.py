"""The life of processes: numbers, ends, waiting for children, signals that end."""

from __future__ import annotations

import struct
from collections.abc import Hashable, Sequence
from errno import ECHILD, ESRCH
from signal import SIGABRT, SIGKILL

from ....engines.stateless.protocol import JOIN, NO_OBJECTS, Op, OwnObject, Thread
from .points import DONE, FAILING, Answer, SystemCall
from .world import FIRST_PID, SimulatedCall, SimulatedSystem, error, op, pid_of, who_is

NO_HANG = 1
ENDED_BY = {"assert": SIGABRT, "diverge": SIGKILL}  # a process that goes round for ever is taken to be ended
ORPHAN = 1  # the parent of those whose parent has ended


def end_of(who: Thread) -> OwnObject:
    return OwnObject(who, "end")


def life_of(who: Thread) -> OwnObject:
    return OwnObject(who, "life")


# -------------------------------------------------------------------------------------------------- waiting


def candidates(world: SimulatedSystem, who: Thread, call: SystemCall) -> list[Thread]:
    pid, children = call.args[0], world.processes[who].children
    return [c for c in children if pid in (-1, pid_of(c))]


def _touch_wait(world: SimulatedSystem, who: Thread, call: SystemCall) -> Op:
    found = candidates(world, who, call)
    ends, waits = frozenset(end_of(c) for c in found), not call.args[1] & NO_HANG
    return Op(JOIN if waits and len(found) == 1 else "wait for child", ends, NO_OBJECTS, waits)


def _ended(world: SimulatedSystem, who: Thread, call: SystemCall) -> Thread | None:
    """The child that is found: Linux looks at the eldest first."""
    return next((c for c in candidates(world, who, call) if world.processes[c].status is not None), None)


def _ready_wait(world: SimulatedSystem, who: Thread, call: SystemCall) -> bool:
    return (
        bool(call.args[1] & NO_HANG)
        or not candidates(world, who, call)
        or _ended(world, who, call) is not None
    )  # fmt: skip


def _wait(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    if not candidates(world, who, call):
        return error(ECHILD)
    child = _ended(world, who, call)
    if child is None:
        return DONE
    world.change(who, children=tuple(c for c in world.processes[who].children if c != child))
    return Answer(pid_of(child), 0, struct.pack("<i", world.processes[child].status or 0))


def _shape_wait(call: SystemCall) -> Hashable:
    return ("wait", who_is(call.args[0]), call.args[1])


# -------------------------------------------------------------------------------------------------- the rest


def _getpid(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    return Answer(pid_of(who))


def _touch_getppid(world: SimulatedSystem, who: Thread, call: SystemCall) -> Op:
    parent = world.processes[who].parent
    return op("getppid", NO_OBJECTS, NO_OBJECTS if parent is None else frozenset({end_of(parent)}))


def _getppid(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    parent = world.processes[who].parent
    if parent is None:
        return Answer(FIRST_PID - 1)
    return Answer(pid_of(parent) if world.processes[parent].status is None else ORPHAN)


def _target(call: SystemCall) -> Thread:
    return call.args[0] - FIRST_PID


def _touch_kill(world: SimulatedSystem, who: Thread, call: SystemCall) -> Op:
    writes = frozenset({life_of(_target(call))}) if call.args[1] else NO_OBJECTS
    return op("kill", writes, frozenset({end_of(_target(call))}))


def _kill(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    """Who gets the signal ends at its next step: until then nobody can tell the difference."""
    number, signal = _target(call), call.args[1]
    found = world.processes.get(number)
    gone = found is not None and found.status is not None
    waited = gone and (found is None or found.parent is None or number not in world.processes[found.parent].children)
    if found is None or waited:
        return error(ESRCH)
    if signal and number == who:
        world.finish(who, signal)
    elif signal and not gone:
        world.change(number, signal=found.signal or signal)
    return DONE


def _shape_kill(call: SystemCall) -> Hashable:
    return ("kill", who_is(call.args[0]), call.args[1])


def _end(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    """SOUND: a process that failed ends, and the others go on: what they do then is explored as well."""
    world.finish(who, call.args[0] if call.kind == "end" else ENDED_BY.get(call.kind, call.args[0]))
    return DONE


def touch_end(world: SimulatedSystem, who: Thread, call: SystemCall | None = None) -> Op:
    """What is given back with the end, and the end itself."""
    process = world.processes[who]
    pipes = {("pipe", pipe) if writes else ("readers", pipe) for pipe, writes in process.holds}
    return op("end", frozenset({end_of(who), *pipes, *process.undo}))


def _tosses(call: SystemCall) -> Sequence[Answer]:
    return [Answer(i) for i in range(call.args[0])]


def _never(world: SimulatedSystem, who: Thread, call: SystemCall) -> bool:
    return False


CALLS = {
    "getpid": SimulatedCall(lambda w, p, c: op("getpid"), _getpid, at_once=lambda call: True),
    "getppid": SimulatedCall(_touch_getppid, _getppid, settled=False),
    "wait": SimulatedCall(_touch_wait, _wait, _ready_wait, shape=_shape_wait, settled=False),
    "kill": SimulatedCall(_touch_kill, _kill, shape=_shape_kill),
    "pause": SimulatedCall(lambda w, p, c: op("pause", waits=True), lambda w, p, c: DONE, _never),
    "toss": SimulatedCall(lambda w, p, c: op("toss"), lambda w, p, c: DONE, expected=_tosses),
    **{kind: SimulatedCall(touch_end, _end, settled=False) for kind in ("end", *sorted(FAILING))},
}
