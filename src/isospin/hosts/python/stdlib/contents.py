"""What is inside a lock, a queue or the like, for comparing two of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

from ..images import Differs
from .futures import Future, ThreadPoolExecutor
from .lines import WaitingLine
from .queues import Queue
from .sync import Barrier, Condition, Event, Lock, Semaphore

__all__ = ["sync_parts"]


def sync_parts(one: Any, other: Any) -> Iterator[tuple[Any, Any]]:
    """The state of a synchronisation object; threads in it are fibers."""
    if isinstance(one, Lock):
        yield one.owner, other.owner
        yield getattr(one, "count", 0), getattr(other, "count", 0)
    elif isinstance(one, Condition):
        yield one.lock, other.lock
        yield (tuple((w.fiber, w.notified) for w in one.waiters),
               tuple((w.fiber, w.notified) for w in other.waiters))  # fmt: skip
    elif isinstance(one, Semaphore):
        yield one.value, other.value
    elif isinstance(one, Event):
        yield one.flag, other.flag
    elif isinstance(one, Queue):
        if one.insides is not None:
            raise Differs("a queue whose inside is used")
        yield tuple(one.items), tuple(other.items)
        yield (one.maxsize, one.unfinished), (other.maxsize, other.unfinished)
        yield _line_state(one.line), _line_state(other.line)
    elif isinstance(one, Barrier):
        yield (one.round.arrived, one.is_broken, one.parties), (other.round.arrived, other.is_broken, other.parties)
        if one.round.arrived:
            raise Differs("threads wait at a barrier, each with its number")
    elif isinstance(one, Future):
        yield (one.state, one.value, tuple(one.callbacks)), (other.state, other.value, tuple(other.callbacks))
        yield one.error, other.error
    elif isinstance(one, ThreadPoolExecutor):
        yield _line_state(one.work), _line_state(other.work)
    first, second = vars(one), vars(other)
    yield from ((first[n], second.get(n)) for n in first if n not in _TOLD)


# of synchronisation objects: compared above, or of no importance
_TOLD = frozenset(["name", "version", "known", "time", "owner", "waiters", "acquire", "release", "insides", "round",
                  "items", "callbacks", "work", "workers", "line"])  # fmt: skip


def _line_state(line: WaitingLine | deque[Any] | None) -> tuple[Any, ...]:
    return () if line is None else line.state() if isinstance(line, WaitingLine) else tuple(line)

