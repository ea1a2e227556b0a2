"""What is done and waited for, in words."""

from __future__ import annotations

import os
import struct
from signal import Signals

from ...engines.stateless.protocol import Thread
from .situation import Situation
from .system import life
from .system.points import Answer, Path, Point, SystemCall
from .system.semaphores import SemaphoreChange, changes
from .system.world import FIRST_PID


def name_of(path: Path) -> str:
    """main, child 1, child 1.2"""
    return "child " + ".".join(str(k + 1) for k in path) if path else "main"


def does(call: SystemCall) -> str:
    """What a call does, without its result."""
    a = call.args
    match call.kind:
        case "semop":
            return f"{' and '.join(map(_change, changes(call)))} of set {a[0]}"
        case "semctl":
            verb = {0: "remove", 12: "get", 13: "get", 16: "set", 17: "set"}.get(a[2], "control")
            return f"{verb} semaphores of set {a[0]}"
        case "sem_wait" | "sem_post" | "sem_trywait" | "sem_timedwait" | "sem_init" | "sem_getvalue":
            return f"{call.kind.replace('_', ' ')} {_semaphore(call)}"
        case "msgsnd" | "msgrcv" | "msgctl":
            verb = {"msgsnd": "send to", "msgrcv": "receive from", "msgctl": "remove"}[call.kind]
            return f"{verb} queue {a[0]}"
        case "mq_send" | "mq_receive":
            return f"{'send to' if call.kind == 'mq_send' else 'receive from'} message queue {a[0]}"
        case "pipe read" | "pipe write" | "close":
            return f"{call.kind.replace('pipe ', '')} pipe {a[0]}"
        case "read" | "write" | "update":
            size = f"{a[2]} byte{'s' if a[2] > 1 else ''}"
            return f"{call.kind} {size} at {a[1]} of segment {a[0]}"
        case "wait":
            return "wait for children" if a[0] == -1 else f"wait for process {a[0] - FIRST_PID}"
    name = call.data.decode(errors="replace")
    return f"{call.kind} {name}".strip()


def _change(wanted: SemaphoreChange) -> str:
    if wanted.amount == 0:
        return f"find semaphore {wanted.number} at 0"
    several = f"{abs(wanted.amount)} of " if abs(wanted.amount) > 1 else ""
    return f"{'take' if wanted.amount < 0 else 'give back'} {several}semaphore {wanted.number}"


def _semaphore(call: SystemCall) -> str:
    space, number, offset = call.args[:3]
    return f"semaphore at {offset} of segment {number}" if space else f"semaphore {number}"


def result(call: SystemCall, answer: Answer) -> str:
    """What came of it."""
    if answer.error:
        return f"fails: {os.strerror(answer.error)}"
    if call.kind in ("read", "update"):
        return f"is {number(answer.data)}"
    if call.kind == "wait" and answer.value:
        return f"process {answer.value - FIRST_PID} {_ended(struct.unpack('<i', answer.data)[0])}"
    if call.kind in ("pipe read", "msgrcv", "mq_receive"):
        return f"{answer.value} bytes"
    return f"= {answer.value}" if call.kind in ("toss", "sem_getvalue") else ""


def _ended(status: int) -> str:
    signal = os.WTERMSIG(status)
    return f"was ended by {Signals(signal).name}" if signal else f"ended with status {os.WEXITSTATUS(status)}"


def number(data: bytes) -> str:
    return str(int.from_bytes(data, "little", signed=True)) if len(data) <= 8 else f"{data[:8].hex()}..."


def waits_for(situation: Situation, who: Thread, point: Point) -> str:
    """Why a process cannot go on."""
    call = point.call
    text = does(call)
    if call.kind == "wait":
        waiting = life.candidates(situation.world, who, call)
        text = "wait for " + ", ".join(name_of(situation.path(c)) for c in waiting)
    elif call.kind == "pause":
        text = "go on: nobody can let it"
    where = situation.location(point)
    return f"waits to {text} (line {where.line})" if where.line else f"waits to {text}"
