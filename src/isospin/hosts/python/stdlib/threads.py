"""`threading.Thread` and what is about threads themselves: local data, timers, who is there."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType
from typing import Any

from ....engines.stateless.protocol import JOIN, Op, OwnObject
from ..border import calls
from ..border.border import OURS
from ..control.indices import THREADS
from ..control.kernel import Kernel, has_hooks
from ..control.records import Fiber, Named, part
from ..hooking import hooks
from ..hooking.iterators import iterate
from ..hooking.reachable import has_no_secrets
from ..rewriting.sites import users_line
from .sync import Event

ALL_THREADS = "all threads"


class Thread(Named):
    """A thread that the scheduler controls."""

    def __init__(
        self, group: None = None, target: Callable[..., Any] | None = None, name: str | None = None,
        args: Iterable[Any] = (), kwargs: Mapping[str, Any] | None = None, *, daemon: bool | None = None,
    ) -> None:  # fmt: skip
        kernel = hooks.K
        me = kernel.running
        self._target, self._args, self._kwargs = target, tuple(args), kwargs
        if kernel.indices.numbers and not me.tid:
            self._take_numbers(kernel)
        kernel.named += 1
        self._name: str | None = None if name is None else str(name)
        self._number = kernel.named
        self._daemonic = me.daemon if daemon is None else daemon
        self._fiber: Fiber | None = None
        self._maker = me.tid
        me.made += 1
        self._made = me.made

    def _take_numbers(self, kernel: Kernel) -> None:
        """Numbers that threads are given may be all alike."""
        name = getattr(self._target, "__qualname__", type(self).__name__)
        self._args = tuple(_index(kernel, (name, place), value) for place, value in enumerate(self._args))
        if self._kwargs:
            self._kwargs = {key: _index(kernel, (name, key), value) for key, value in self._kwargs.items()}

    def start(self) -> None:
        """No step of its own, unless others look whether it has started: a new thread changes nothing yet."""
        kernel = hooks.K
        if self._fiber is not None:
            raise RuntimeError("threads can only be started once")
        if kernel.dying:
            return
        if not str(sys._getframe(1).f_globals.get("__name__")).startswith(OURS):
            # the rest of what it does, too
            kernel.border.run_as_one_step("a thread that a library starts", users_line())
        if kernel.memory.known.watched_starts:
            kernel.visit(Op("start", writes=frozenset([kernel.objects.record(self).name, ALL_THREADS])))
        kernel.spawn(self, self._daemonic)
        kernel.running.effects += 1

    def run(self) -> None:
        """Call the target as a program would, with hooks or across the border."""
        target = self._target
        if target is None:
            return
        if self._kwargs:
            hooks.call(hooks.TARGET, target, *self._args, **self._kwargs)
        elif type(target) is FunctionType and has_hooks(target):  # as hooks.call does
            target(*self._args)
        else:
            hooks.call(hooks.TARGET, target, *self._args)

    def join(self, timeout: float | None = None) -> None:
        """One step; a thread that was joined before is known to be at its end."""
        kernel = hooks.K
        fiber = self._fiber
        if fiber is None:
            raise RuntimeError("cannot join thread before it is started")
        if fiber is kernel.running:
            raise RuntimeError("cannot join current thread")
        if fiber.tid not in kernel.running.joined:
            kernel.indices.wait_for([fiber.tid])
            join_all(kernel, [fiber], timeout)

    def is_alive(self) -> bool:
        """One step that reads the thread's end, or, before its start, whether it was started."""
        kernel = hooks.K
        if kernel.running.tid != self._maker:
            _watch_starts(kernel)
        if self._fiber is None:
            if kernel.memory.known.watched_starts:
                kernel.visit(Op("alive?", reads=frozenset([kernel.objects.record(self).name])))
            return self._fiber is not None
        kernel.indices.use_handle(self._fiber.tid, "is asked whether it lives")
        kernel.visit(Op("alive?", reads=frozenset([OwnObject(self._fiber.tid, "end")])))
        kernel.objects.reading(kernel.running, ThreadEnd(self._fiber))
        if self._fiber.finished:
            _learn_of(kernel.running, self._fiber)
        return not self._fiber.finished

    @property
    def name(self) -> str:
        _tell_thread(self._fiber, "is asked for its name")
        if hooks.K.memory.known.renamed:
            hooks.K.visit(Op("name?", reads=frozenset([part(hooks.K.objects.record(self).name, "name")])))
        return self._shown_name

    @name.setter
    def name(self, name: str) -> None:
        kernel = hooks.K
        if not kernel.alone:
            if not kernel.memory.known.renamed:
                kernel.memory.learnt.renamed = True  # SOUND: others may look at it
                kernel.memory.learn()
            kernel.visit(Op("rename", writes=frozenset([part(kernel.objects.record(self).name, "name")])))
        self._name = str(name)

    @property
    def _shown_name(self) -> str:
        """For those who only show it."""
        if self._name is None:
            function = getattr(self._target, "__name__", "")
            self._name = f"Thread-{self._number}" + (f" ({function})" if function else "")
        return self._name

    @property
    def daemon(self) -> bool:
        return self._daemonic

    @daemon.setter
    def daemon(self, daemon: bool) -> None:
        if self._fiber is not None:
            raise RuntimeError("cannot set daemon status of active thread")
        self._daemonic = daemon

    @property
    def ident(self) -> int | None:
        _tell_thread(self._fiber, "is asked for its number")
        return None if self._fiber is None else ident(self._fiber)

    native_id = ident

    def getName(self) -> str:
        return self.name

    def setName(self, name: str) -> None:
        self.name = name

    def isDaemon(self) -> bool:
        return self._daemonic

    def setDaemon(self, daemon: bool) -> None:
        self.daemon = daemon

    def __repr__(self) -> str:
        return f"<{type(self).__name__}({self.name})>"


def _watch_starts(kernel: Kernel) -> None:
    """SOUND: others look whether a thread has started, so that is visible."""
    if not kernel.memory.known.watched_starts:
        kernel.memory.learnt.watched_starts = True
        kernel.memory.learn()


def _index(kernel: Kernel, family: tuple[Any, ...], value: Any) -> Any:
    return kernel.indices.produce(family, value) if type(value) is int else value


def _tell_thread(fiber: Fiber | None, what: str) -> None:
    """SOUND: a name or number that Python gives tells threads apart that are alike in all else."""
    if fiber is not None:
        fiber.exposed = True
    if fiber is not None and hooks.K.indices.is_active:
        hooks.K.indices.tell_number(THREADS, fiber.tid, what)


calls.DIRECT.update({name: getattr(Thread, name) for name in ("start", "join", "is_alive")})
calls.ASKED.update((Thread, name) for name in calls.DIRECT)


class ThreadEnd:
    """The end of a thread as something that others look at, and that a loop can wait for."""

    def __init__(self, fiber: Fiber) -> None:
        self.fiber = fiber
        self.name = OwnObject(fiber.tid, "end")
        memory = hooks.K.memory
        if not memory.known.watched_ends:
            memory.learnt.watched_ends = True  # SOUND: then ends are operations
            memory.learn()

    @property
    def version(self) -> int:
        """What a loop that asks for the end sees change."""
        return int(self.fiber.finished)


def start_of(fiber: Fiber) -> tuple[Any, ...]:
    """How a thread was started."""
    handle = fiber.handle
    if handle is None or fiber.tid == 0:
        return ()
    return type(handle), handle._target, handle._args, tuple((handle._kwargs or {}).items())


def _learn_of(me: Fiber, ended: Fiber) -> None:
    """Behind a join everything is known that the thread did."""
    me.known |= ended.known
    me.time = max(me.time, ended.time)


def _join_op(kernel: Kernel, tids: tuple[int, ...], waits: bool) -> Op:
    ops, key = kernel.memory.ops, ("join", tids, waits)
    if key not in ops:
        kind = JOIN if waits else "join or time-out"
        ops[key] = Op(kind, reads=frozenset(OwnObject(tid, "end") for tid in tids), waits=waits)
    return ops[key]


def join_all(kernel: Kernel, fibers: list[Fiber], timeout: float | None = None) -> None:
    """Wait for a set of threads: one operation, in which their order does not matter."""
    me = kernel.running
    if me.joined:
        fibers = [f for f in fibers if f.tid not in me.joined]
    if kernel.dying or not fibers:
        return
    op = _join_op(kernel, tuple([f.tid for f in fibers]), timeout is None)
    me.waits_for = ("join", fibers)
    if timeout is None:
        left = {f.tid for f in fibers if not f.finished}
        kernel.joining.append(left)
        kernel.visit(op, lambda: not left)
    else:
        kernel.visit(op)
    me.waits_for = None
    for fiber in fibers:
        if fiber.finished:
            _learn_of(me, fiber)
            me.joined.add(fiber.tid)
        if timeout is not None:
            me.time += 0.0 if fiber.finished else timeout
            kernel.objects.reading(me, ThreadEnd(fiber))


def _has_join(thing: Any) -> bool:
    return isinstance(thing, Thread) and type(thing).join is Thread.join


def joins(things: Any, live: tuple[str, ...], site: int) -> Any:
    """The head of `for t in threads: t.join()`: one operation for all of them."""
    if type(things) not in (list, tuple):
        return iterate(things, site)
    hooks.touch(things, site)
    kernel = hooks.K
    me, last = kernel.running, list(things[-1:])
    fibers = [t._fiber for t in things if type(t) is Thread or _has_join(t)]
    if len(fibers) == len(things) and None not in fibers and me not in fibers:
        me.live = live
        kernel.indices.wait_for([f.tid for f in fibers])
        join_all(kernel, fibers)
        me.live = None
        return last  # all have ended: the loop has nothing to do, but to bind its variable
    return iterate(things, site)


hooks.EXPORTED["_iso_joins"] = joins


class MainThread(Thread):
    """The thread that was there from the start."""

    def __init__(self, fiber: Fiber) -> None:
        self._target, self._args, self._kwargs = None, (), None
        self._name, self._daemonic, self._fiber = "MainThread", False, fiber
        self._maker = self._made = 0


def ident(fiber: Fiber) -> int:
    """A number that is the same in all executions."""
    return 1000 + fiber.tid


def current_thread() -> Thread:
    me = hooks.K.running
    me.exposed = True
    hooks.K.indices.use_handle(me.tid, "asks for its own handle")
    if me.handle is None:
        me.handle = MainThread(me)
    found: Thread = me.handle
    return found


def main_thread() -> Thread:
    main = hooks.K.fibers.get(0, hooks.K.running)
    if main.handle is None:
        main.handle = MainThread(main)
    found: Thread = main.handle
    return found


def get_ident() -> int:
    _tell_thread(hooks.K.running, "is asked for its number")
    return ident(hooks.K.running)


def enumerate_threads() -> list[Thread]:
    """One step that reads the starts and ends of all threads."""
    kernel = hooks.K
    _watch_starts(kernel)
    fibers = [kernel.fibers[tid] for tid in sorted(kernel.fibers)]
    kernel.visit(Op("threads?", reads=frozenset([ALL_THREADS, *(OwnObject(f.tid, "end") for f in fibers)])))
    main_thread()
    for fiber in fibers:
        kernel.objects.reading(kernel.running, ThreadEnd(fiber))
        _tell_thread(fiber, "is one of a list of all threads, which has an order")
    return [f.handle for f in kernel.fibers.values() if not f.finished]


def active_count() -> int:
    return len(enumerate_threads())


class Timer(Thread):
    """Calls a function later; when is for the scheduler to choose."""

    def __init__(
        self, interval: float, function: Callable[..., Any], args: Iterable[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.interval, self.function = interval, function
        self.args, self.kwargs = tuple(args or ()), dict(kwargs or {})
        self.finished = Event()

    def cancel(self) -> None:
        self.finished.set()

    def run(self) -> None:
        if not self.finished.wait(self.interval):
            hooks.call(hooks.TARGET, self.function, *self.args, **self.kwargs)
        self.finished.set()


class _Values:
    """The attributes of all threads.  Those of the main thread outlast an execution, as the packages do that set them
    when they are imported, and are those of whoever is no thread of the program."""

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.args, self.kwargs = args, kwargs
        self.kernel = hooks.K
        self.of: dict[int, dict[str, Any]] = {}

    def owner(self) -> int:
        """Whose values these are; those of an earlier execution are gone, but for the main thread's."""
        k = hooks.K
        if self.kernel is not k:
            self.kernel, self.of = k, {tid: values for tid, values in self.of.items() if tid == 0}
        return k.running.tid if k.is_controlled else 0


class local:
    """Attributes of which every thread has its own."""

    __slots__ = ("__dict__", "__weakref__", "_isospin_all")
    _isospin_ = True

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        cls._isospin_ = has_no_secrets(cls)

    def __new__(cls, *args: Any, **kwargs: Any) -> local:
        self = object.__new__(cls)
        object.__setattr__(self, "_isospin_all", _Values(args, kwargs))
        return self

    def __getattribute__(self, name: str) -> Any:
        _mine(self)
        return object.__getattribute__(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        _mine(self)
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        _mine(self)
        object.__delattr__(self, name)


def _mine(holder: local) -> None:
    """Put the attributes of the running thread into place."""
    everything = object.__getattribute__(holder, "_isospin_all")
    tid = everything.owner()
    hooks.K.running.exposed = True
    if tid in everything.of:
        object.__setattr__(holder, "__dict__", everything.of[tid])
        return
    object.__setattr__(holder, "__dict__", everything.of.setdefault(tid, {}))
    initialise = type(holder).__init__
    if initialise is not object.__init__:
        initialise(holder, *everything.args, **everything.kwargs)
