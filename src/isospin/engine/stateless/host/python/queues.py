"""`queue`: each operation is one visible step, as it holds the queue's lock all the time in the original."""

from __future__ import annotations

import heapq
from collections import deque
from queue import Empty, Full
from typing import Any

from . import hooks
from .kernel import Kernel
from .sync import Sync


class Queue(Sync):
    def __init__(self, maxsize: int = 0) -> None:
        super().__init__()
        self.maxsize = maxsize
        self.unfinished = 0
        self.items: Any = []
        self.make()

    # what kinds of queues differ in
    def make(self) -> None:
        self.items = deque()

    def insert(self, item: Any) -> None:
        self.items.append(item)

    def remove(self) -> Any:
        return self.items.popleft()

    def has_room(self) -> bool:
        return self.maxsize <= 0 or len(self.items) < self.maxsize

    def has_items(self) -> bool:
        return bool(self.items)

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        kernel = hooks.K
        if not self.pass_through(kernel, "send", block, timeout, self.has_room, self.maxsize > 0):
            raise Full
        self.insert(item)
        self.unfinished += 1
        self.leave(kernel.running)

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        kernel = hooks.K
        if not self.pass_through(kernel, "receive", block, timeout, self.has_items, True):
            raise Empty
        item = self.remove()
        self.leave(kernel.running)
        return item

    def pass_through(
        self, kernel: Kernel, kind: str, block: bool, timeout: float | None, possible: Any, waits: bool
    ) -> bool:
        """One operation on the queue; False if it was not possible, and the caller did not want to wait for ever."""
        if timeout is not None and timeout < 0:
            raise ValueError("'timeout' must be a non-negative number")
        if block and timeout is None:
            self.wait(kernel, self.op(kind, waits=waits), possible if waits else None)
        else:
            kernel.visit(self.op(f"try to {kind}"))
            if not possible():
                kernel.running.time += timeout or 0.0
                self.looked(kernel)
                return False
        self.enter(kernel.running)
        return True

    def put_nowait(self, item: Any) -> None:
        self.put(item, block=False)

    def get_nowait(self) -> Any:
        return self.get(block=False)

    def look(self, what: str) -> None:
        kernel = hooks.K
        kernel.visit(self.op(what, write=False))
        self.looked(kernel)

    def qsize(self) -> int:
        self.look("size?")
        return len(self.items)

    def empty(self) -> bool:
        self.look("empty?")
        return not self.items

    def full(self) -> bool:
        self.look("full?")
        return not self.has_room()

    def task_done(self) -> None:
        kernel = hooks.K
        kernel.visit(self.op("task done"))
        if self.unfinished == 0:
            raise ValueError("task_done() called too many times")
        self.unfinished -= 1
        self.leave(kernel.running)

    def join(self) -> None:
        kernel = hooks.K
        self.wait(kernel, self.op("wait for tasks", waits=True, write=False), lambda: self.unfinished == 0)
        self.enter(kernel.running)


class LifoQueue(Queue):
    def make(self) -> None:
        self.items = []

    def remove(self) -> Any:
        return self.items.pop()


class PriorityQueue(Queue):
    def make(self) -> None:
        self.items = []

    def insert(self, item: Any) -> None:
        heapq.heappush(self.items, item)

    def remove(self) -> Any:
        return heapq.heappop(self.items)


class SimpleQueue(Queue):
    def __init__(self) -> None:
        super().__init__()
