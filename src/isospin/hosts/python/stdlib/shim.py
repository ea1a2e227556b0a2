"""The modules that a controlled program gets for `threading`, `queue`, `time`, `concurrent.futures` and `_thread`."""

from __future__ import annotations

import _thread
import builtins
import concurrent.futures
import functools
import queue
import sys
import threading
import time
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from ..border import caches, calls, known
from ..hooking import hooks
from ..hooking.libraries import Registries
from ..hooking.reachable import is_users_module
from ..rewriting.rewrite import Rewritten
from . import futures, queues, sync, threads

START = 1_700_000_000.0  # what the clock shows when a program starts
TICK = 0.001  # how far it moves each time that somebody looks


def _stand_in(original: ModuleType, replaced: dict[str, Any]) -> ModuleType:
    """A copy of a module with some of its names replaced."""
    made = ModuleType(original.__name__, original.__doc__)
    made.__dict__.update({k: v for k, v in original.__dict__.items() if k not in ("__builtins__", "__loader__")})
    made.__dict__.update(replaced)
    return made


def sleep(seconds: float) -> None:
    """No operation: how long a thread sleeps orders nothing, since the others may be slower still."""
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    me = hooks.K.running
    me.time += seconds
    me.slept += 1


def now() -> float:
    """SOUND: a clock never goes back along what happens one after the other: whoever learns from another thread, by a
    lock, a queue, a join or a shared variable, has its time at least."""
    me, memory = hooks.K.running, hooks.K.memory
    if not memory.known.clocked:
        memory.learnt.clocked = True
        memory.learn()
    me.time += TICK
    me.effects += 1
    me.log.append(me.time)
    return me.time


def clock(offset: float = 0.0, scale: int = 0) -> Callable[[], Any]:
    """A clock of the time that passes in the program: by sleeping and waiting only."""

    def read() -> Any:
        return int((now() + offset) * scale) if scale else now() + offset

    read.__dict__["_isospin_"] = True
    return read


def unsupported_thread(*_: Any, **__: Any) -> int:
    """`_thread.start_new_thread` as a controlled thread."""
    function, arguments, *more = _
    made = threads.Thread(target=function, args=arguments, kwargs=more[0] if more else None)
    made.start()
    return threads.ident(made._fiber) if made._fiber is not None else 0


THREADING = {
    "Thread": threads.Thread, "Timer": threads.Timer, "local": threads.local, "Lock": sync.Lock, "RLock": sync.RLock,
    "Condition": sync.Condition, "Semaphore": sync.Semaphore, "BoundedSemaphore": sync.BoundedSemaphore,
    "Event": sync.Event, "Barrier": sync.Barrier, "BrokenBarrierError": sync.BrokenBarrierError,
    "current_thread": threads.current_thread, "currentThread": threads.current_thread,
    "main_thread": threads.main_thread, "get_ident": threads.get_ident, "get_native_id": threads.get_ident,
    "excepthook": threading.excepthook,
    "active_count": threads.active_count, "activeCount": threads.active_count, "enumerate": threads.enumerate_threads,
}  # fmt: skip
QUEUE = {"Queue": queues.Queue, "LifoQueue": queues.LifoQueue, "PriorityQueue": queues.PriorityQueue,
         "SimpleQueue": queues.SimpleQueue}  # fmt: skip
FUTURES = {name: getattr(futures, name) for name in futures.__all__}
FUTURES["Executor"] = futures.ThreadPoolExecutor
TIME = {
    "sleep": sleep, "time": clock(START), "monotonic": clock(), "perf_counter": clock(), "process_time": clock(),
    "thread_time": clock(), "time_ns": clock(START, 10**9), "monotonic_ns": clock(scale=10**9),
    "perf_counter_ns": clock(scale=10**9),
}  # fmt: skip


def modules() -> dict[str, ModuleType]:
    """Name -> stand-in.  `concurrent` is the package through which `concurrent.futures` is reached."""
    result = {
        "threading": _stand_in(threading, THREADING),
        "queue": _stand_in(queue, QUEUE),
        "time": _stand_in(time, TIME),
        "_thread": _stand_in(_thread, {
            "start_new_thread": unsupported_thread, "allocate_lock": sync.Lock, "LockType": sync.Lock,
            "RLock": sync.RLock, "get_ident": threads.get_ident, "_local": threads.local,
        }),
        "concurrent.futures": _stand_in(concurrent.futures, FUTURES),
    }  # fmt: skip
    result["functools"] = _stand_in(functools, caches.FUNCTOOLS)
    result["concurrent.futures.thread"] = _stand_in(concurrent.futures, FUTURES)
    result["concurrent"] = _stand_in(concurrent, {"futures": result["concurrent.futures"]})
    return result


STAND_INS = modules()
EXCEPTHOOK = threading.excepthook  # which the program has not changed


REGISTRIES: list[Registries] = []  # those of the session


def _is_foreign(name: str) -> bool:
    """Is this an unknown library?"""
    module = sys.modules.get(name.split(".")[0])
    return not known.is_pythons(name) and module is not None and not is_users_module(module)


def _importer(original: Callable[..., Any]) -> Callable[..., Any]:
    """An `__import__` that hands out the stand-ins."""

    def imported(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        if level == 0 and name in STAND_INS:
            return STAND_INS[name if fromlist else name.split(".")[0]]
        found = original(name, globals, locals, fromlist, level)
        if REGISTRIES:
            REGISTRIES[-1].imported(name)
        if level == 0 and _is_foreign(name):
            hooks.K.memory.meet_package()
        return found

    return imported


def names_for(module: dict[str, Any], file: str, code: Rewritten) -> dict[str, Any]:
    """The builtins of one module of a controlled program; for the same code the same in all executions."""

    def bound(*names: str) -> None:
        """SOUND: a global that is bound while other threads run is not a constant for them."""
        memory = hooks.K.memory
        if not hooks.K.alone:
            memory.learnt.variable.setdefault(file, set()).update(names)
            memory.learn()

    return {
        **BUILTINS, "_iso_module": module, "_iso_bound": bound, "_iso_code": code, "_iso_file": file, "_iso_made": {},
    }  # fmt: skip


class _Made:
    """A class as it was when it was made, to be used again in the next execution if nobody has changed it."""

    def __init__(self, kind: type, space: dict[str, Any]) -> None:
        self.kind, self.space, self.members = kind, space, dict(kind.__dict__)
        self.functions = [f for f in self.members.values() if isinstance(f, FunctionType)]

    def unchanged(self, space: dict[str, Any]) -> bool:
        """Is the class as it was made, so that it can be used again?"""
        same = self.space is space and self.kind.__dict__ == self.members and not self.kind.__subclasses__()
        return same and not any(map(vars, self.functions))


def _make_class(body: Any, name: str, /, *bases: Any, **keywords: Any) -> Any:
    """Making a class is dear, and leaves a cycle behind."""
    names: dict[str, Any] = body.__builtins__
    made: _Made | None = names["_iso_made"].get(body.__code__)
    if made is not None and made.unchanged(body.__globals__):
        return made.kind
    kind = builtins.__build_class__(body, name, *bases, **keywords)
    if (body.__code__.co_firstlineno, name) in names["_iso_code"].classes and body.__qualname__ == name:
        names["_iso_made"][body.__code__] = _Made(kind, body.__globals__)
    return kind


BUILTINS = {
    **builtins.__dict__, **hooks.EXPORTED, **calls.EXPORTED, "__import__": _importer(builtins.__import__),
    "__build_class__": _make_class,
}  # fmt: skip
