"""A queue as a line of places: whoever puts and whoever takes meet only at the same place.

If a queue were one object, each `put` and each `get` would have an order.  But the third item that is put is the third
that is taken, whatever else happens in between.  So each place of a line is an object of its own, and so are its two
ends: those who put have an order at the tail, those who take at the head, and `put` and `get` have one only where the
one waits for the other.

Which place an operation is about must be known before it is executed.  Where only one thread comes to an end, it counts
by itself.  Where several do, the end is *crowded*: each first draws a number, in a step of its own, and then puts or
takes at that place.

SOUND: drawing a number before there is an item (or room) for it loses nothing and invents nothing.  An item is in the
queue as soon as it has a number and there is room, and it is taken as soon as somebody has the same number: nobody can
see that the threads themselves go on later.  And who should be overtaken draws later.  So the executions with numbers
are those of the queue, with steps exchanged that do not touch each other.

What looks at a whole queue (`qsize`, `get_nowait`, a time-out) makes it a single object again, from the next search on.

Reference: docs/explanation/stateless.md, what commutes.
Differs: nothing is commuted by a rule about kinds of operations; the objects that they touch tell all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ....engines.stateless.protocol import NO_OBJECTS, TURN, Objects, Op
from ..control.kernel import Kernel
from ..control.records import Fiber, part
from ..hooking import hooks
from .sync import Sync

__all__ = ["ENDED", "WaitingLine"]

PUT, TAKE, DONE = "put", "take", "done"
NOTHING = object()  # in a place where nothing is
ENDED = object()  # in all places behind the last one


class _QueuePart(Sync):
    """A part of a queue that is an object of its own."""

    def __init__(self, whole: Sync, what: str, number: int = -1) -> None:
        self.name = part(whole.name, what if number < 0 else f"{what} {number}")
        self.version = self.known = 0
        self.time = 0.0


class _Turn(NamedTuple):
    """A number that was drawn, and whether that is in the log of the thread."""

    number: int
    logged: bool

    def use(self, me: Fiber) -> None:
        """It does not matter any more."""
        if self.logged:
            me.log.pop()


class _End(_QueuePart):
    """Head or tail of a line: how many numbers were drawn here, and by whom."""

    def __init__(self, whole: Sync, what: str) -> None:
        super().__init__(whole, what)
        self.count = 0
        self._fact = f"{whole.name} {what}"
        self._visitor: Fiber | None = None
        self._crowded = self._fact in hooks.K.memory.known.crowded

    @property
    def is_crowded(self) -> bool:
        return self._crowded

    def is_visited_by(self, me: Fiber) -> bool:
        """Has nobody else been here?"""
        return not self._crowded and self._visitor in (None, me)

    def draw(self, kernel: Kernel, reads: Objects = NO_OBJECTS) -> _Turn:
        """The next number: where several threads come, in a step of its own."""
        me, crowded = kernel.running, self._is_crowded(kernel.running)
        if crowded:
            kernel.visit(kernel.memory.op((self.name, reads), lambda: Op(TURN, reads, frozenset([self.name]))))
            self.enter(me)
            self.leave(me)
            me.log.append(self.count)  # SOUND: it is a part of the local state as long as it is waited with
        self.count += 1
        return _Turn(self.count - 1, crowded)

    def _is_crowded(self, me: Fiber) -> bool:
        """SOUND: one who comes here as the second learns that it is."""
        if self._visitor is None:
            self._visitor = me
        if self._visitor is not me and not self._crowded:
            self._crowded = True
            hooks.K.memory.learnt.crowded.add(self._fact)
            hooks.K.memory.learn()
        return self._crowded


class _Place:
    """One place of a line: its item, and how far that has come."""

    __slots__ = ("done", "item", "put", "taken")

    def __init__(self, whole: Sync, number: int) -> None:
        self.item: Any = NOTHING
        self.put, self.taken, self.done = (_QueuePart(whole, what, number) for what in (PUT, TAKE, DONE))

    def is_ready(self) -> bool:
        """Can somebody take what is here?"""
        return self.put.version > 0

    def is_done(self) -> bool:
        return self.done.version > 0

    def state(self) -> tuple[Any, ...]:
        return self.item, self.put.version, self.taken.version, self.done.version


class WaitingLine:
    """First come, first served; with room for so many items, or for any number (0)."""

    def __init__(self, whole: Sync, room: int = 0, has_tasks: bool = True) -> None:
        self._whole, self._room, self._has_tasks = whole, max(room, 0), has_tasks
        self._head, self._tail = _End(whole, TAKE), _End(whole, PUT)
        self._places: dict[int, _Place] = {}
        self._end: int | None = None  # the first place behind the last one
        self._closed = False  # and that can be seen
        self._owed: dict[int, list[int]] = {}  # of each thread: the places whose items it took, and has not done
        self.finished = 0  # items that are done

    @staticmethod
    def suits(whole: Sync) -> bool:
        """Has nobody looked at the whole of it?"""
        return str(whole.name) not in hooks.K.memory.known.whole_queues

    def look_at_whole(self) -> None:
        """SOUND: then all operations on it have an order."""
        hooks.K.memory.learnt.whole_queues.add(str(self._whole.name))
        hooks.K.memory.learn()

    @property
    def _arrived(self) -> int:
        """How many items have come in so far: those who wait for room have not."""
        put = min(self._tail.count, self._head.count + self._room) if self._room else self._tail.count
        return put if self._end is None else min(put, self._end)

    @property
    def unfinished(self) -> int:
        return self._arrived - self.finished

    @property
    def has_several_sources(self) -> bool:
        """Does more than one thread put items in?"""
        return self._tail.is_crowded

    def __len__(self) -> int:
        return max(self._arrived - self._head.count, 0)

    def __bool__(self) -> bool:
        return True

    def state(self) -> tuple[Any, ...]:
        """All that decides what comes: for comparing it with another one."""
        places = tuple((n, place.state()) for n, place in sorted(self._places.items()))
        owed = sorted(n for numbers in self._owed.values() for n in numbers)
        return self._tail.count, self._head.count, self._end, self.finished, tuple(owed), places

    def owed_by(self, thread: int) -> tuple[int, ...]:
        """The places whose items a thread has taken and not done yet."""
        return tuple(self._owed.get(thread, ()))

    def _place(self, number: int) -> _Place:
        found = self._places.get(number)
        if found is None:
            found = self._places[number] = _Place(self._whole, number)
            if self._closed and self._is_behind(number):
                self._mark(found)
        return found

    def _is_behind(self, number: int) -> bool:
        return self._end is not None and number >= self._end

    # ---------------------------------------------------------------- operations

    def put(self, item: Any, kind: str, reads: Objects = NO_OBJECTS, then: Callable[[], None] = lambda: None) -> bool:
        """Put an item at the tail, as soon as there is room; False if the line has ended.  `reads` is what decides
        about what is done `then`: as soon as it is settled who comes before and who after."""
        kernel = hooks.K
        turn = self._tail.draw(kernel, reads)
        if self._is_behind(turn.number):
            turn.use(kernel.running)
            return False
        place = self._place(turn.number)
        place.item = item
        if turn.logged:
            then()
        self._wait_for_room(kernel, turn.number, Op(kind, NO_OBJECTS if turn.logged else reads,
                                                    frozenset([place.put.name])))  # fmt: skip
        turn.use(kernel.running)
        place.put.leave(kernel.running)
        if not turn.logged:
            then()
        return place.item is not ENDED

    def _wait_for_room(self, kernel: Kernel, number: int, op: Op) -> None:
        if not self._room or number < self._room:
            self._wait(kernel, op, None)
            return
        before = self._place(number - self._room)
        guards = frozenset([before.taken.name])
        self._wait(kernel, Op(op.kind, op.reads | guards, op.writes, True, guards),
                   lambda: before.taken.version > 0 or self._closed)  # fmt: skip
        before.taken.enter(kernel.running)

    def take(self, kind: str) -> Any:
        """Take the item at the head, as soon as there is one; `ENDED` behind the last."""
        kernel = hooks.K
        turn = self._head.draw(kernel)
        place = self._place(turn.number)
        reads = frozenset([place.put.name])
        writes = frozenset([place.taken.name]) if self._room else NO_OBJECTS
        self._wait(kernel, Op(kind, reads, writes, True, reads), place.is_ready)
        place.put.enter(kernel.running)
        turn.use(kernel.running)
        return self._carry_away(turn.number)

    def _carry_away(self, number: int) -> Any:
        """The item of a place goes to the running thread."""
        place, me = self._place(number), hooks.K.running
        if place.item is ENDED:
            return ENDED
        item, place.item = place.item, NOTHING
        if self._has_tasks:
            self._owed.setdefault(me.tid, []).append(number)
        place.taken.leave(me)
        return item

    def end(self, kind: str, takers: int) -> None:
        """Nothing is put any more: so many who take are told so."""
        kernel = hooks.K
        turn = self._tail.draw(kernel)
        self._end = turn.number
        told = frozenset(self._place(turn.number + n).put.name for n in range(takers))
        kernel.visit(Op(kind, writes=told))
        turn.use(kernel.running)
        self.close()

    def close(self) -> None:
        """All places behind the last item are behind the end."""
        if self._end is None:
            self._end = self._arrived
        self._closed = True
        for number, place in self._places.items():
            if self._is_behind(number):
                self._mark(place)

    def _mark(self, place: _Place) -> None:
        place.item = ENDED
        place.put.leave(hooks.K.running)

    def finish(self, kind: str) -> bool:
        """What the running thread took first, and has not done, is done; False if there is nothing."""
        kernel = hooks.K
        owed = self._owed.get(kernel.running.tid)
        if not owed:
            return False
        place = self._place(owed[0])
        kernel.visit(place.done.op(kind))
        del owed[0]
        self.finished += 1
        place.done.leave(kernel.running)
        return True

    def await_all(self, kind: str) -> bool:
        """Wait until all is done that this thread put; False if others have put something, too."""
        kernel = hooks.K
        if not self._tail.is_visited_by(kernel.running):
            return False
        for number in range(self._tail.count):
            place = self._place(number)
            self._wait(kernel, place.done.op(kind, waits=True, write=False), place.is_done)
            place.done.enter(kernel.running)
        return True

    def _wait(self, kernel: Kernel, op: Op, ready: Callable[[], bool] | None) -> None:
        self._whole.wait(kernel, kernel.memory.op(op, lambda: op), ready)

    # ---------------------------------------------------------------- the whole, in one step

    def push(self, item: Any) -> None:
        """An item comes to the tail, where there is room."""
        self._tail.count += 1
        place = self._place(self._tail.count - 1)
        place.item = item
        place.put.leave(hooks.K.running)

    def pull(self) -> Any:
        """The first item for which nobody has a number."""
        self._head.count += 1
        return self._carry_away(self._head.count - 1)
