"""Who can pass, known from what was done to an object before: without running the program to that point.

Reference: docs/explanation/stateless.md, what a wait is waiting for.
Differs: only what operations say is looked at; where that does not tell, nobody is told anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ....engines.stateless.protocol import Op
from .futures import CANCELLED, FINISHED, PENDING, RUNNING

__all__ = ["passes_after"]

BY_THE_LAST: Mapping[str, Mapping[str, bool]] = {  # an empty text: nobody has changed it
    "lock": {"": True, "lock": False, "unlock": True, "wait": True, "wake": False, "wake or time-out": False},
    "wait": {"set": True, "clear": False, "signal": True},  # events, semaphores; an event may be set without a step
}


def passes_after(earlier: Iterator[Op], op: Op) -> bool | None:
    """Does an operation pass that waits for one object, after these changes of it, the last one first?"""
    if op.guards is not None:
        # SOUND: only a waiting line says what decides, and it waits for the first change of that.
        return next(earlier, None) is not None
    if op.kind == "result":
        return _is_over([change.kind for change in earlier])
    last = next(earlier, None)
    return BY_THE_LAST.get(op.kind, {}).get("" if last is None else last.kind)


def _is_over(changes: list[str]) -> bool:
    """Has a future ended?  Whoever cancels one that was begun only looks at it; see `futures.py`."""
    state = PENDING
    for kind in reversed(changes):
        if kind == "begin" and state != CANCELLED:
            state = RUNNING
        elif kind == "cancel" and state == PENDING:
            state = CANCELLED
        elif kind == "finish" and state != CANCELLED:
            state = FINISHED
    return state in (CANCELLED, FINISHED)
