"""`queue`: each operation is one visible step, as it holds the queue's lock all the time in the original.

A program may look behind that: it overrides `_put` and its kin, or takes `q.mutex` and changes `q.queue` itself.  Such
queues are *open*: they have a lock and conditions, as those of Python, and what happens inside are steps of their own.
"""

from __future__ import annotations

import heapq
import queue
from collections import deque
from collections.abc import Callable
from queue import Empty, Full
from types import GenericAlias
from typing import Any

from ..control.kernel import Kernel
from ..hooking import hooks
from ..hooking.reachable import is_container
from ..rewriting.sites import INSIDE
from .lines import ENDED, WaitingLine
from .sync import Condition, Lock, Sync

ShutDown: type[Exception] | None = getattr(queue, "ShutDown", None)  # since Python 3.13
OVERRIDDEN = ("_init", "_put", "_get", "_qsize")


class _Insides:
    """The lock of an open queue, and its conditions."""

    def __init__(self) -> None:
        self.mutex = Lock()
        self.not_empty, self.not_full, self.all_tasks_done = (Condition(self.mutex) for _ in range(3))


class Queue(Sync):
    """First in, first out; what kind of order it is, `_init`, `_put` and `_get` say, as in the original."""

    __class_getitem__: Any = classmethod(GenericAlias)

    def __init__(self, maxsize: int = 0) -> None:
        super().__init__()
        self.maxsize = maxsize
        self.unfinished = 0
        self.is_shutdown = False
        self.items: Any = ()
        self.insides = _Insides() if is_open(type(self)) else None
        self.line = WaitingLine(self, maxsize) if self.insides is None and _is_line(self) else None
        self._init(maxsize)

    # what kinds of queues differ in
    def _init(self, maxsize: int) -> None:
        self.items = deque()

    def _put(self, item: Any) -> None:
        self.items.append(item) if self.line is None else self.line.push(item)

    def _get(self) -> Any:
        return self.items.popleft() if self.line is None else self.line.pull()

    def _qsize(self) -> int:
        return len(self.items) if self.line is None else len(self.line)

    def has_room(self) -> bool:
        return self.maxsize <= 0 or self._qsize() < self.maxsize

    def has_items(self) -> bool:
        return self._qsize() > 0

    def may_put(self) -> bool:
        return self.has_room() or self.is_shutdown

    def may_get(self) -> bool:
        return self.has_items() or self.is_shutdown

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        """One step; if a subclass looks inside, as the real one does it, with its conditions."""
        kernel = hooks.K
        if self.insides is not None:
            _put_inside(self, self.insides, item, block, timeout)
            return
        if self.line is not None and (block or self.maxsize <= 0) and timeout is None and not self.is_shutdown:
            if not self.line.put(item, "send"):
                self.check_shutdown()
            return
        self.see_whole()
        waits = self.maxsize > 0
        if not self.pass_through(kernel, "send", block, timeout, self.may_put, waits):
            raise Full
        self.check_shutdown()
        self._put(item)
        self.unfinished += 1
        self.leave(kernel.running)

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        """As `put`."""
        kernel = hooks.K
        if self.insides is not None:
            return _get_inside(self, self.insides, block, timeout)
        if self.line is not None and block and timeout is None and not self.is_shutdown:
            item = self.line.take("receive")
            if item is ENDED:
                self.check_shutdown()
            return item
        self.see_whole()
        if not self.pass_through(kernel, "receive", block, timeout, self.may_get, True):
            raise Empty
        if not self.has_items():
            self.check_shutdown()
        item = self._get()
        self.leave(kernel.running)
        return item

    def pass_through(
        self, kernel: Kernel, kind: str, block: bool, timeout: float | None, possible: Any, waits: bool
    ) -> bool:
        """One operation on the queue; False if it was not possible, and the caller did not want to wait for ever."""
        _check_timeout(block, timeout)
        if block and timeout is None:
            self.wait(kernel, self.op(kind, waits=waits), possible if waits else None)
        else:
            kernel.visit(self.op(f"try to {kind}"))
            if not possible():
                kernel.running.time += timeout or 0.0 if block else 0.0
                self.looked(kernel)
                return False
        self.enter(kernel.running)
        return True

    def put_nowait(self, item: Any) -> None:
        self.put(item, block=False)

    def get_nowait(self) -> Any:
        return self.get(block=False)

    def see_whole(self) -> None:
        """The next operation is about all of it."""
        if self.line is not None:
            self.line.look_at_whole()

    def look(self, what: str) -> None:
        kernel = hooks.K
        self.see_whole()
        kernel.visit(self.op(what, write=False))
        self.looked(kernel)

    def _ask(self, what: str, value: Callable[[], Any]) -> Any:
        """How many there are, and the like."""
        if self.insides is not None:
            with self.insides.mutex:
                return value()
        self.look(what)
        return value()

    def qsize(self) -> int:
        return int(self._ask("size?", self._qsize))

    def empty(self) -> bool:
        return bool(self._ask("empty?", lambda: not self._qsize()))

    def full(self) -> bool:
        return bool(self._ask("full?", lambda: 0 < self.maxsize <= self._qsize()))

    def task_done(self) -> None:
        """One step, which may let those go on who wait in `join`."""
        kernel = hooks.K
        if self.insides is not None:
            with self.insides.all_tasks_done:
                self.count_down(1)
                if not self.unfinished:
                    self.insides.all_tasks_done.notify_all()
            return
        if self.line is not None and self.line.finish("task done"):
            return
        self.see_whole()
        kernel.visit(self.op("task done"))
        self.count_down(1)
        self.leave(kernel.running)

    def unfinished_now(self) -> int:
        return self.unfinished if self.line is None else self.line.unfinished

    def count_down(self, tasks: int) -> None:
        if self.unfinished_now() < tasks:
            raise ValueError("task_done() called too many times")
        if self.line is not None:
            self.line.finished += tasks
        self.unfinished -= tasks

    def join(self) -> None:
        """Waits until everything that was put is done; nothing is changed."""
        kernel = hooks.K
        if self.insides is not None:
            with self.insides.all_tasks_done:
                while self.unfinished:
                    self.insides.all_tasks_done.wait()
            return
        if self.line is not None and self.line.await_all("wait for tasks"):
            return
        self.see_whole()
        self.wait(kernel, self.op("wait for tasks", waits=True, write=False), lambda: self.unfinished_now() == 0)
        self.enter(kernel.running)

    # ---- the end

    def shut_down(self, immediate: bool = False) -> None:
        """One step; whoever waits is woken to see it."""
        kernel = hooks.K
        if self.insides is not None:
            with self.insides.mutex:
                self.close(immediate)
                for condition in (self.insides.not_empty, self.insides.not_full, self.insides.all_tasks_done):
                    condition.notify_all()
            return
        self.see_whole()
        kernel.visit(self.op("shut down"))
        self.close(immediate)
        self.leave(kernel.running)

    def close(self, immediate: bool) -> None:
        """No more items; at once: those that are there are dropped."""
        self.is_shutdown = True
        while immediate and self._qsize():
            self._get()
            if self.unfinished_now():
                self.count_down(1)
        if self.line is not None:
            self.line.close()

    def check_shutdown(self) -> None:
        if self.is_shutdown and ShutDown is not None:
            raise ShutDown

    if ShutDown is not None:
        shutdown = shut_down

    # ---- what a program may see of the insides

    @property
    def unfinished_tasks(self) -> int:
        if self.insides is None:
            self.look("unfinished?")
        return self.unfinished_now()

    @unfinished_tasks.setter
    def unfinished_tasks(self, count: int) -> None:
        if self.insides is None:
            self.see_whole()
            hooks.K.visit(self.op("set unfinished"))
        if self.line is not None:
            self.line.finished += self.line.unfinished - count
        self.unfinished = count
        self.leave(hooks.K.running)

    def open(self) -> _Insides:
        """Lock and conditions of a queue of which a subclass uses them; anybody else who asks is refused."""
        if self.insides is None:
            hooks.K.refuse("the inside of a queue")
        assert self.insides is not None
        return self.insides

    @property
    def mutex(self) -> Lock:
        return self.open().mutex

    @property
    def not_empty(self) -> Condition:
        return self.open().not_empty

    @property
    def not_full(self) -> Condition:
        return self.open().not_full

    @property
    def all_tasks_done(self) -> Condition:
        return self.open().all_tasks_done

    @property
    def queue(self) -> Any:
        self.open()
        return self.items

    @queue.setter
    def queue(self, items: Any) -> None:
        self.open()
        self.items = items


def _is_line(q: Queue) -> bool:
    """First in, first out, and nobody looks at more of it than at its ends?"""
    return type(q) in (Queue, SimpleQueue) and WaitingLine.suits(q)


def is_open(kind: type) -> bool:
    """Does the program look inside such queues?"""
    plain = (Queue, LifoQueue, PriorityQueue, SimpleQueue)
    own = any(name in vars(base) for base in kind.__mro__ if base not in plain for name in OVERRIDDEN)
    return own or (hooks.K.memory.looks_inside and not issubclass(kind, SimpleQueue))


def _check_timeout(block: bool, timeout: float | None) -> None:
    if block and timeout is not None and timeout < 0:
        raise ValueError("'timeout' must be a non-negative number")


def _put_inside(q: Queue, insides: _Insides, item: Any, block: bool, timeout: float | None) -> None:
    """`put` of a queue that is open: step by step, as Python does it."""
    _check_timeout(block, timeout)
    with insides.not_full:

        def room() -> bool:
            return q.is_shutdown or q.maxsize <= 0 or q._qsize() < q.maxsize

        if not (insides.not_full.wait_for(room, timeout) if block else room()):
            raise Full
        q.check_shutdown()
        touch(q, True)
        q._put(item)
        q.unfinished += 1
        insides.not_empty.notify()


def _get_inside(q: Queue, insides: _Insides, block: bool, timeout: float | None) -> Any:
    """`get` of a queue that is open: step by step, as Python does it."""
    _check_timeout(block, timeout)
    with insides.not_empty:

        def some() -> bool:
            return q.is_shutdown or q._qsize() > 0

        if not (insides.not_empty.wait_for(some, timeout) if block else some()):
            raise Empty
        if not q._qsize():
            q.check_shutdown()
        touch(q, True)
        item = q._get()
        insides.not_full.notify()
        return item


def touch(q: Queue, write: bool) -> None:
    """SOUND: the program may have the container in its hands, too."""
    if is_container(hooks.K, q.items):
        hooks.K.objects.access_whole(hooks.K.objects.record(q.items), write, INSIDE)


class LifoQueue(Queue):
    """Last in, first out."""

    def _init(self, maxsize: int) -> None:
        self.items = []

    def _get(self) -> Any:
        return self.items.pop()


class PriorityQueue(Queue):
    """The least item first."""

    def _init(self, maxsize: int) -> None:
        self.items = []

    def _put(self, item: Any) -> None:
        heapq.heappush(self.items, item)

    def _get(self) -> Any:
        return heapq.heappop(self.items)


class SimpleQueue(Queue):
    """Without a bound and without `join`."""

    def __init__(self) -> None:
        super().__init__()
