"""The heads of while loops: a loop that only waits is one operation that waits, not one for each turn.

    while not ready:        turn 1 reads `ready`, and changes nothing
        pass                turn 2 would read the same: the thread waits until somebody has written `ready`

A loop that counts its turns leaves another state each time; those are in `polling.py`.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from types import FrameType
from typing import Any

from ....engines.stateless.protocol import Op
from .kernel import Kernel
from .polling import changed, polled, watch
from .records import Fiber, Turn, Watched

TURNS = 4096  # of loops without a visible operation, after which we look at the time
PATIENCE = 5.0  # seconds for one step: then it is taken for endless


def turn(k: Kernel, site: int, clean: bool) -> None:
    """The head of a while loop.  A turn that changed nothing is repeated only when something it read has changed.

    SOUND: same local state, no effect in between: another turn now would read the same and end here again.
    """
    me = k.running
    me.turns_idle += 1
    if me.turns_idle % TURNS == 0 and _is_too_long(me):
        k.diverge(me, site)
    if (k.alone and me.turns_idle < 1000) or not clean or k.dying:
        return
    frame = sys._getframe(2)
    variables = tuple(_module_values(frame) if _is_module(frame) else _local_values(frame.f_locals))
    state = (me.effects, len(me.held), variables)
    last = me.turns.get(site)
    count = 0
    if last is not None and last.frame is frame and _is_same(last.state, state):
        watched = watch(k, me.read_log[last.reads :])
        if me.timed_out:  # it waits at a condition inside, and has given the lock back there: not here
            me.patience = watched
        else:
            _await_change(k, me, watched)
    elif last is not None and last.frame is frame and not me.held:
        count = polled(k, me, site, last)
    me.timed_out = False
    me.turns[site] = Turn(frame, state, len(me.read_log), me.slept, count)


def _is_too_long(me: Fiber) -> bool:
    """Has the thread gone round without any effect for longer than anybody would wait?"""
    now = time.process_time()
    if me.turns_idle == TURNS:
        me.since = now
    return now - me.since > PATIENCE


def _await_change(k: Kernel, me: Fiber, watched: Watched) -> None:
    """Wait until somebody has changed something of it."""
    op = Op("await", reads=frozenset(what.name for what, _ in watched), waits=True)
    me.waits_for = ("await", [what for what, _ in watched])
    k.visit(op, lambda: changed(watched))
    me.waits_for = None


def _local_values(variables: dict[str, Any]) -> Iterator[Any]:
    for name, value in variables.items():
        if not name.startswith("_iso_t"):
            yield name
            yield value


def _is_module(frame: FrameType) -> bool:
    return frame.f_code.co_name == "<module>"


def _module_values(frame: FrameType) -> Iterator[Any]:
    """SOUND: what only the code of the module itself uses has no hooks, so that a change of it is no effect."""
    space = frame.f_globals
    for name in sorted(frame.f_builtins["_iso_code"].private):
        yield name
        yield space.get(name)


def _is_same(first: tuple[Any, ...], second: tuple[Any, ...]) -> bool:
    """Two turns of a loop with the same place, the same variables and the same plain values."""
    if first[:2] != second[:2] or len(first[2]) != len(second[2]):
        return False
    return all(a is b or (type(a) is type(b) and type(a) in _PLAIN and a == b)
               for a, b in zip(first[2], second[2], strict=True))  # fmt: skip


_PLAIN = frozenset([int, str, bool, float, bytes, type(None), complex])
