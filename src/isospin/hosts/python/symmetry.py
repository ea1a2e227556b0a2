"""Does a permutation of threads and objects leave the state of a Python program as it is?

A thread's local state is a function of how it was started and of what it learnt since: every value that a hook gave it
is in its log.  So two threads with the same start and the same log are at the same place with the same locals, up to
the permutation.  Then all that can still be reached from what the threads hold is compared with its image, in step.

Reference: Yang, Chen, Gopalakrishnan, Wang, SPIN 2009 (residual code and local state).
Differs: Python does not show the values that an unfinished expression holds, so the log stands for code and locals: it
tells apart at least as much.  A thread that waits for a set of threads is compared by the variables that it may still
read, since its log names the threads one by one.
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Iterator
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any

from ...engines.stateless.protocol import OwnObject, Renaming
from .control.kernel import Kernel, has_hooks
from .control.records import Fiber
from .hooking import reachable
from .hooking.containers import SIMPLE, contents
from .hooking.reachable import is_users_module
from .rewriting.sites import is_users_frame
from .stdlib.futures import Future, ThreadPoolExecutor
from .stdlib.queues import Queue
from .stdlib.sync import Barrier, Condition, Event, Lock, Semaphore, Sync
from .stdlib.threads import Thread, local, start_of

MOST_PAIRS = 50_000
Pair = tuple[Any, Any]
Blocks = dict[str, list[tuple[int, int]]]  # see rewrite.Sites


class _Differs(Exception):
    """The state is changed by the permutation; the message says where."""



def difference(kernel: Kernel, renaming: Renaming, blocks: Blocks) -> str:
    """Empty if the permutation fixes the current state; else what it changes."""
    try:
        _Comparison(kernel, renaming, blocks).run()
    except _Differs as found:
        return str(found)
    return ""


class _Comparison:
    """Is the state of a program the same after a renaming?  Pairs of objects are compared until none is left."""

    def __init__(self, kernel: Kernel, renaming: Renaming, blocks: Blocks) -> None:
        self.kernel, self.renaming, self.blocks = kernel, renaming, blocks
        self.todo: list[Pair] = []
        self.seen: dict[int, int] = {}

    def run(self) -> None:
        """Compare all threads with their images, then whatever they can reach; raises where they differ."""
        for tid, fiber in self.kernel.fibers.items():
            self.fibers(fiber, self.image(tid))
        count = 0
        while self.todo:
            count += 1
            if count > MOST_PAIRS:
                raise _Differs("there is too much to compare")
            self.pair(*self.todo.pop())

    def image(self, tid: int) -> Fiber:
        found = self.kernel.fibers.get(self.renaming.thread(tid))
        if found is None:
            raise _Differs(f"thread {tid} has no image yet")
        return found

    # ---------------------------------------------------------------------------------------------- threads

    def fibers(self, one: Fiber, other: Fiber) -> None:
        """Two threads are alike if they are at the same place and hold, do and see the same, up to the renaming."""
        clocked = self.kernel.memory.known.clocked
        if (one.finished, one.daemon, one.time * clocked, len(one.held), one.made) != (
            other.finished, other.daemon, other.time * clocked, len(other.held), other.made,
        ):  # fmt: skip
            raise _Differs(f"{one.name} and {other.name} are at different places")
        if one.finished:
            return
        op, image = self.kernel.pending.get(one.tid), self.kernel.pending.get(other.tid)
        if op is not None and image is not None and self.renaming.op(op) != image:
            raise _Differs(f"{one.name} is about to do something else than {other.name}")
        self.todo += zip(one.held, other.held, strict=True)
        if one.live is not None and one is other:
            self.waiting(one)
            return
        if one.child_count and self.moves(one):
            raise _Differs(f"{one.name} has started threads that change places, and does not just wait for them")
        self.todo += [(start_of(one), start_of(other))]
        if len(one.log) != len(other.log):
            raise _Differs(f"{one.name} has learnt something else than {other.name}")
        self.todo += zip(one.log, other.log, strict=True)

    def moves(self, fiber: Fiber) -> bool:
        children = [f for f in self.kernel.fibers.values() if f.parent == fiber.tid]
        return any(self.renaming.thread(f.tid) != f.tid for f in children)

    def waiting(self, fiber: Fiber) -> None:
        """A thread that waits for a set of threads: what it may still read afterwards."""
        live = set(fiber.live or ())
        frame = fiber.greenlet.gr_frame
        first = True
        while frame is not None:
            if is_users_frame(frame):
                # SOUND: what a block holds is not seen, and may be used when the block ends.
                held = self.blocks.get(frame.f_code.co_filename, ())
                if any(begin <= frame.f_lineno <= end for begin, end in held):
                    raise _Differs(f"{fiber.name} waits inside a with or for block")
                names = live if first else set(frame.f_locals)
                first = False
                self.todo += [(v, v) for n, v in frame.f_locals.items() if n in names and not n.startswith("_iso_")]
                if frame.f_code.co_name != "<module>":
                    self.globals(frame.f_globals)
            frame = frame.f_back

    def globals(self, space: dict[str, Any]) -> None:
        if id(space) not in self.seen:
            self.seen[id(space)] = id(space)
            self.todo += [(v, v) for n, v in space.items() if not n.startswith("__")]

    # ---------------------------------------------------------------------------------------------- values

    def pair(self, one: Any, other: Any) -> None:
        """The permutation must take the first value to the second."""
        kind = type(one)
        if kind is not type(other):
            raise _Differs(f"a {kind.__name__} and a {type(other).__name__} differ")
        if kind in SIMPLE:
            if one != other:
                raise _Differs(f"{one!r} and {other!r} differ")
            return
        known = self.seen.get(id(one))
        if known is not None:
            if known != id(other):
                raise _Differs(f"a {kind.__name__} has two images")
            return
        self.seen[id(one)] = id(other)
        self.names(one, other)
        if self.kernel.memory.known.clocked:
            self.times(one, other)
        self.todo += self.parts(one, other)

    def times(self, one: Any, other: Any) -> None:
        """When others were there last."""
        if isinstance(one, Sync) and one.time != other.time:
            raise _Differs(f"a {type(one).__name__} was used at another time")
        first, second = self.kernel.objects.records.get(id(one)), self.kernel.objects.records.get(id(other))
        if first is not None and second is not None and first is not second:
            if {k: p.time for k, p in first.places.items()} != {k: p.time for k, p in second.places.items()}:
                raise _Differs(f"a {type(one).__name__} was written at another time")

    def names(self, one: Any, other: Any) -> None:
        """Objects with a name must be renamed to each other; those without one must be the same, or plain values."""
        first, second = self.name(one), self.name(other)
        if first is None and second is None:
            if one is not other and not isinstance(one, tuple | MethodType | FunctionType | CellType | frozenset):
                raise _Differs(f"two objects of type {type(one).__name__}")
        elif first is None or second is None or self.renaming.object(first) != second:
            raise _Differs(f"a {type(one).__name__} is not where its image should be")

    def name(self, thing: Any) -> Any:
        """By which name operations know an object; none if they do not."""
        if isinstance(thing, Sync):
            return thing.name
        if isinstance(thing, Thread):
            return self.kernel.objects.name(thing) if thing._fiber is None else OwnObject(thing._fiber.tid, "thread")
        record = self.kernel.objects.records.get(id(thing))
        return None if record is None or record.thing is not thing else record.name

    def parts(self, one: Any, other: Any) -> list[Pair]:
        """What a value consists of, pairwise."""
        if isinstance(one, list | tuple | deque):
            first, second = contents(one), contents(other)
            if len(first) != len(second):
                raise _Differs("containers of different sizes")
            return [*zip(first, second, strict=True), *attributes(one, other)]
        if isinstance(one, dict):
            return [*self.entries(one, other), *attributes(one, other)]
        if isinstance(one, set | frozenset):
            if any(type(part) not in SIMPLE for part in (*contents(one), *contents(other))) or (
                set(contents(one)) != set(contents(other))
            ):
                raise _Differs("sets of objects are not compared")
            return []
        if isinstance(one, Sync):
            return list(_sync_parts(one, other))
        if isinstance(one, MethodType):
            return [(one.__func__, other.__func__), (one.__self__, other.__self__)]
        if isinstance(one, FunctionType):
            return self.function(one, other)
        if isinstance(one, CellType):
            return [(one.cell_contents, other.cell_contents)]
        if isinstance(one, type):
            return [(v, v) for v in vars(one).values() if not callable(v)] if users(one) else []
        if hasattr(type(one), "__next__") and not users(type(one)):
            return _iterator_parts(one, other)
        if isinstance(one, local):
            return [("local", object())]  # values of other threads hide in it
        return [] if isinstance(one, ModuleType) and not is_users_module(one) else attributes(one, other)

    def entries(self, one: dict[Any, Any], other: dict[Any, Any]) -> list[Pair]:
        first, second = contents(one), contents(other)
        if any(type(key) not in SIMPLE for key in (*first, *second)) or set(first) != set(second):
            raise _Differs("dictionaries with different keys")
        return [(dict.get(one, key), dict.get(other, key)) for key in first]

    def function(self, one: FunctionType, other: FunctionType) -> list[Pair]:
        """The same code; what it closes over is compared later."""
        if one.__code__ is not other.__code__:
            raise _Differs(f"{one.__name__} and {other.__name__} are different functions")
        if has_hooks(one):
            self.code_globals(one)
        cells = zip(one.__closure__ or (), other.__closure__ or (), strict=True)
        return [*cells, (one.__defaults__, other.__defaults__)]

    def code_globals(self, function: FunctionType) -> None:
        """The globals that a function may read, itself or in functions inside."""
        pending = [function.__code__]
        while pending:
            code = pending.pop()
            pending += [c for c in code.co_consts if isinstance(c, type(code))]
            for name in code.co_names:
                if name in function.__globals__ and not name.startswith("_iso_"):
                    value = function.__globals__[name]
                    self.todo.append((value, value))


def _iterator_parts(one: Any, other: Any) -> list[Pair]:
    """How far an iterator is cannot be seen; what it holds can."""
    if one is not other:
        raise _Differs("two iterators")
    return [(held, held) for held in gc.get_referents(one)]


def attributes(one: Any, other: Any) -> list[Pair]:
    first, second = _held_by(one), _held_by(other)
    if first.keys() != second.keys():
        raise _Differs("objects with different attributes")
    return [(value, second[name]) for name, value in first.items() if not name.startswith("_iso_")]


HIDDEN = ("_fiber", "_name", "_number", "_target", "_args", "_kwargs", "_maker", "_made", "_daemonic")  # of threads


def _held_by(thing: Any) -> dict[str, Any]:
    found = reachable.attributes(thing)
    return {k: v for k, v in found.items() if k not in HIDDEN} if isinstance(thing, Thread) else found


def _sync_parts(one: Any, other: Any) -> Iterator[Pair]:
    """The state of a synchronisation object; threads in it are named by their handles."""
    if isinstance(one, Lock):
        yield handle(one.owner), handle(other.owner)
        yield getattr(one, "count", 0), getattr(other, "count", 0)
    elif isinstance(one, Condition):
        yield one.lock, other.lock
        yield (tuple((handle(w.fiber), w.notified) for w in one.waiters),
               tuple((handle(w.fiber), w.notified) for w in other.waiters))  # fmt: skip
    elif isinstance(one, Semaphore):
        yield one.value, other.value
    elif isinstance(one, Event):
        yield one.flag, other.flag
    elif isinstance(one, Queue):
        if one.insides is not None:
            raise _Differs("a queue whose inside is used")
        yield tuple(one.items), tuple(other.items)
        yield (one.maxsize, one.unfinished), (other.maxsize, other.unfinished)
    elif isinstance(one, Barrier):
        yield (one.round.arrived, one.broken, one.parties), (other.round.arrived, other.broken, other.parties)
        if one.round.arrived:
            raise _Differs("threads wait at a barrier, each with its number")
    elif isinstance(one, Future):
        yield (one.state, one.value, tuple(one.callbacks)), (other.state, other.value, tuple(other.callbacks))
        yield one.error, other.error
    elif isinstance(one, ThreadPoolExecutor):
        raise _Differs("a pool numbers its threads")


def handle(fiber: Fiber | None) -> Any:
    if fiber is None:
        return None
    return fiber.handle if fiber.handle is not None else fiber


def users(kind: type) -> bool:
    return any(isinstance(v, FunctionType) and has_hooks(v) for v in vars(kind).values())
