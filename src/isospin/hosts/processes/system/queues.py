"""Message queues, of System V (types) and of POSIX (priorities)."""

from __future__ import annotations

import struct
from collections.abc import Hashable, Sequence
from errno import E2BIG, EAGAIN, EBADF, EIDRM, EINVAL, EMSGSIZE, ENOMSG, ETIMEDOUT

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

NOWAIT, NOERROR, EXCEPT = 0o4000, 0o10000, 0o20000
MOST_BYTES, LARGEST = 16384, 8192
MOST_PRIORITY = 32768
Message = tuple[int, bytes]


def _queue(call: SystemCall) -> tuple[str, int]:
    return ("queue", call.args[0])


def _messages(world: SimulatedSystem, call: SystemCall) -> tuple[Message, ...] | None:
    found: tuple[Message, ...] | None = world.objects.get(_queue(call))
    return found


# -------------------------------------------------------------------------------------------------- System V


def _msgget(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    key, flags = call.args[:2]
    name = ("queue", key) if key else None
    number, new, answer = find_or_make(world, who, name, bool(flags & CREATE), bool(flags & EXCLUSIVE))
    if new:
        world.objects["queue", number] = ()
    return answer


def _touch_msgsnd(world: SimulatedSystem, who: Thread, call: SystemCall) -> Op:
    return op("send", frozenset({_queue(call)}), waits=not call.args[2] & NOWAIT)


def _room(found: Sequence[Message], size: int) -> bool:
    return sum(len(data) for _, data in found) + size <= MOST_BYTES


def _ready_msgsnd(world: SimulatedSystem, who: Thread, call: SystemCall) -> bool:
    found = _messages(world, call)
    return found is None or bool(call.args[2] & NOWAIT) or len(call.data) > LARGEST or _room(found, len(call.data))


def _msgsnd(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    found = _messages(world, call)
    if found is None:
        return error(EINVAL if call.args[2] & NOWAIT else EIDRM)
    if call.args[1] < 1 or len(call.data) > LARGEST:
        return error(EINVAL)
    if not _room(found, len(call.data)):
        return error(EAGAIN)
    world.objects[_queue(call)] = (*found, (call.args[1], call.data))
    return DONE


def _touch_msgrcv(world: SimulatedSystem, who: Thread, call: SystemCall) -> Op:
    return op("receive", frozenset({_queue(call)}), waits=not call.args[3] & NOWAIT)


def _chosen(found: Sequence[Message], wanted: int, flags: int) -> int | None:
    """The place of the message that is received: the first of a type, or the first of the lowest type."""
    if wanted < 0:
        low = [(kind, i) for i, (kind, _) in enumerate(found) if kind <= -wanted]
        return min(low)[1] if low else None
    for i, (kind, _) in enumerate(found):
        if wanted == 0 or (kind == wanted) != bool(flags & EXCEPT):
            return i
    return None


def _ready_msgrcv(world: SimulatedSystem, who: Thread, call: SystemCall) -> bool:
    found, (_, _, wanted, flags) = _messages(world, call), call.args[:4]
    return found is None or bool(flags & NOWAIT) or _chosen(found, wanted, flags) is not None


def _msgrcv(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    found, (_, size, wanted, flags) = _messages(world, call), call.args[:4]
    if found is None:
        return error(EINVAL if flags & NOWAIT else EIDRM)
    at = _chosen(found, wanted, flags)
    if at is None:
        return error(ENOMSG)
    kind, data = found[at]
    if len(data) > size and not flags & NOERROR:
        return error(E2BIG)
    world.objects[_queue(call)] = found[:at] + found[at + 1 :]
    return Answer(len(data[:size]), 0, struct.pack("<q", kind) + data[:size])


def _touch_remove(world: SimulatedSystem, who: Thread, call: SystemCall) -> Op:
    return op("remove queue", frozenset({_queue(call)}) | names_of(world, "queue", call.args[0]))


def _msgctl(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    if world.objects.pop(_queue(call), None) is None:
        return error(EINVAL)
    forget_name(world, "queue", call.args[0])
    return DONE


# -------------------------------------------------------------------------------------------------- POSIX


def _posix(call: SystemCall) -> tuple[str, int]:
    return ("mq", call.args[0])


def _limits(world: SimulatedSystem, call: SystemCall) -> tuple[int, int] | None:
    found: tuple[int, int] | None = world.objects.get(("mq limits", call.args[0]))
    return found


def _mq_open(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    flags, count, size = call.args[:3]
    if flags & O_CREAT and (count < 1 or size < 1):
        return error(EINVAL)
    number, new, answer = find_or_make(world, who, ("mq", call.data), bool(flags & O_CREAT), bool(flags & O_EXCL))
    if new:
        world.objects["mq", number], world.objects["mq limits", number] = (), (count, size)
    return answer


def _touch_posix(world: SimulatedSystem, who: Thread, call: SystemCall) -> Op:
    kind = "send" if call.kind == "mq_send" else "receive"
    return op(kind, frozenset({_posix(call)}), waits=not (call.args[2] or call.args[3]))


def _ready_mq_send(world: SimulatedSystem, who: Thread, call: SystemCall) -> bool:
    known = _limits(world, call)
    if known is None or call.args[2] or call.args[3] or len(call.data) > known[1]:
        return True
    return len(world.objects[_posix(call)]) < known[0]


def _mq_send(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    known, priority = _limits(world, call), call.args[1]
    if known is None:
        return error(EBADF)
    found: tuple[Message, ...] = world.objects[_posix(call)]
    if len(call.data) > known[1]:
        return error(EMSGSIZE)
    if not 0 <= priority < MOST_PRIORITY:
        return error(EINVAL)
    if len(found) >= known[0]:
        return error(EAGAIN if call.args[2] else ETIMEDOUT)
    before = tuple(m for m in found if m[0] >= priority)
    world.objects[_posix(call)] = (*before, (priority, call.data), *found[len(before) :])
    return DONE


def _ready_mq_receive(world: SimulatedSystem, who: Thread, call: SystemCall) -> bool:
    known = _limits(world, call)
    if known is None or call.args[2] or call.args[3] or call.args[1] < known[1]:
        return True
    return bool(world.objects[_posix(call)])


def _mq_receive(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    known = _limits(world, call)
    if known is None:
        return error(EBADF)
    if call.args[1] < known[1]:
        return error(EMSGSIZE)
    found: tuple[Message, ...] = world.objects[_posix(call)]
    if not found:
        return error(EAGAIN if call.args[2] else ETIMEDOUT)
    priority, data = found[0]
    world.objects[_posix(call)] = found[1:]
    return Answer(len(data), 0, struct.pack("<I", priority) + data)


def _mq_getattr(world: SimulatedSystem, who: Thread, call: SystemCall) -> Answer:
    known = _limits(world, call)
    if known is None:
        return error(EBADF)
    return Answer(0, 0, struct.pack("<3q", *known, len(world.objects[_posix(call)])))


def _shape(call: SystemCall) -> Hashable:
    name = _posix(call) if call.kind.startswith("mq") else _queue(call)
    return (call.kind, name, call.args[1:], call.data)


CALLS = {
    "msgget": SimulatedCall(named("queue"), _msgget, at_once=is_private),
    "msgsnd": SimulatedCall(_touch_msgsnd, _msgsnd, _ready_msgsnd, shape=_shape, expected=success),
    "msgrcv": SimulatedCall(_touch_msgrcv, _msgrcv, _ready_msgrcv, shape=_shape),
    "msgctl": SimulatedCall(_touch_remove, _msgctl, shape=_shape, settled=False),
    "mq_open": SimulatedCall(named("mq"), _mq_open),
    "mq_send": SimulatedCall(_touch_posix, _mq_send, _ready_mq_send, shape=_shape, expected=success),
    "mq_receive": SimulatedCall(_touch_posix, _mq_receive, _ready_mq_receive, shape=_shape),
    "mq_getattr": SimulatedCall(
        lambda w, p, c: op("get queue", NO_OBJECTS, frozenset({_posix(c)})), _mq_getattr, shape=_shape
    ),
    "mq_unlink": unlink("mq"),
}
