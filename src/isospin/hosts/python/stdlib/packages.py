"""What a package without hooks gets from `threading`, `_thread`, `queue` and `time`: answers for the controlled thread.

All controlled threads share a thread of the system.  A package that asks by itself which one it runs in, has data of
each thread, or takes a lock, would be told the same for all of them, let two into one lock, or wait for ever.  So while
a program is checked these modules have other functions and classes.  In a controlled thread they answer for that one;
elsewhere (the checker, a thread of the system) they do what they always do.

What packages make may be older than an execution, since packages are imported once: their locks begin each execution
anew (`_Bound`).  The locks that they take are *quiet* as long as nobody finds one taken: then its owner made no visible
step while it had it, and taking it is a part of one step.  SOUND: so a quiet lock orders nothing, either; what only
such locks order is a race that is looked into, but not told.  One that was found taken is visible when the search
starts again.
"""

from __future__ import annotations

import _thread
import concurrent.futures
import fcntl
import functools
import gc
import os
import queue
import sys
import threading
import time
from types import FrameType, ModuleType
from typing import Any

from ..border import known
from ..control.kernel import Kernel
from ..control.polling import give_way_to_all
from ..control.records import Fiber
from ..hooking import hooks
from ..rewriting.sites import is_users_frame, users_line
from . import futures, shim, sync, threads

REAL_LOCK, REAL_RLOCK, REAL_LOCAL = _thread.allocate_lock, _thread.RLock, _thread._local
REAL_TYPES = (type(REAL_LOCK()), REAL_RLOCK, REAL_LOCAL)
REAL = {name: getattr(time, name) for name in ("sleep", *shim.TIME)}
OURS = __name__.partition(".")[0]
MAKERS = frozenset(["threading", "_thread", "queue", "concurrent", OURS])  # they make locks, and wait, for others


def _root(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def _home(frame: FrameType | None) -> str:
    """The place in a package for which something is made."""
    while frame is not None and _root(frame) in MAKERS:
        frame = frame.f_back
    return "" if frame is None else f"{frame.f_globals.get('__name__')}:{frame.f_lineno}"


class _Bound(sync.Lock):
    """What makes a lock of the program one of a package."""

    _name: Any = None

    def __init__(self, home: str | None = None) -> None:
        self.real = self.make_real()
        self.home = _home(sys._getframe(1)) if home is None else home
        self.kernel: Kernel | None = None
        if self.bind() is not None:
            self._name = hooks.K.objects.new_name()

    def make_real(self) -> Any:
        return REAL_LOCK()

    def bind(self) -> Kernel | None:
        """The execution that it is used in; None outside of one."""
        k = hooks.K
        if not k.is_controlled:
            return None
        if self.kernel is not k:
            self.kernel, self._name = k, None
            self.version = self.known = self.quiet = self.count = 0
            self.time, self.owner = 0.0, None
        return k

    @property
    def name(self) -> Any:  # type: ignore[override]
        if self._name is None:
            self._name = hooks.K.objects.new_name()
        return self._name

    def is_quiet(self, k: Kernel) -> bool:
        """Has nobody ever found it taken?  Then it needs no steps of its own."""
        return k.alone or self.home not in k.memory.known.contended

    def is_programs(self) -> bool:
        """SOUND: does code with hooks take it, by itself or through Python's library?  Then nobody says that this ran
        as one step, so it has to be one of its own."""
        if known.is_pythons(self.home.partition(":")[0]):
            return False  # one of Python's library, which takes care of it
        frame: FrameType | None = sys._getframe(3)
        while frame is not None and known.is_pythons(_root(frame)) and not is_users_frame(frame):
            frame = frame.f_back
        return frame is not None and is_users_frame(frame)

    def take_quietly(self, k: Kernel) -> bool:
        """Without a step, if it is free."""
        if not self.is_quiet(k) or k.dying:
            return False
        if self.owner is not None or (not k.alone and self.is_programs()):
            if self.home not in k.memory.learnt.contended:
                k.memory.learnt.contended.add(self.home)
                k.memory.learn()
            return False
        me = self.owner = k.running
        me.held.append(self)
        me.quiet |= self.quiet
        return True

    def take(self, me: Fiber) -> None:
        """Whoever takes it knows what was known when it was given back quietly."""
        super().take(me)
        me.quiet |= self.quiet

    def give_quietly(self, k: Kernel) -> bool:
        """Release as a part of the current step, where the lock is quiet; False: it takes a step."""
        if self.owner is None or not self.is_quiet(k) or k.dying:
            return False
        self.owner.held.remove(self)
        self.owner = None
        if not k.alone:
            self.quiet |= k.running.quiet | k.running.known
            k.tick(k.running)
        return True

    def _at_fork_reinit(self) -> None:
        self.real._at_fork_reinit()
        self.kernel = None


class Lock(_Bound):
    """A lock of a package: the real one where nothing is under control, and quiet where nobody can see it."""

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        k = self.bind()
        if k is None:
            return bool(self.real.acquire(blocking, timeout))
        return self.take_quietly(k) or super().acquire(blocking, timeout)

    def release(self) -> None:
        k = self.bind()
        if k is None:
            self.real.release()
        elif not self.give_quietly(k):
            super().release()

    def locked(self) -> bool:
        k = self.bind()
        if k is None:
            return bool(self.real.locked())
        return self.owner is not None if self.is_quiet(k) else super().locked()

    __enter__ = acquire


class RLock(_Bound, sync.RLock):
    """As `Lock`, for whoever takes it several times."""

    def make_real(self) -> Any:
        return REAL_RLOCK()

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """As a part of the current step where the lock is quiet; the real one where nothing is under control."""
        k = self.bind()
        if k is None:
            return bool(self.real.acquire(blocking, timeout))
        if not (self.owner is k.running and self.count) and self.take_quietly(k):
            self.count = 1
            return True
        return super().acquire(blocking, timeout)

    def release(self) -> None:
        """As it was taken."""
        k = self.bind()
        if k is None:
            self.real.release()
        elif self.owner is k.running and self.count == 1 and self.give_quietly(k):
            self.count = 0
        else:
            super().release()

    __enter__ = acquire

    def _is_owned(self) -> bool:
        return bool(self.real._is_owned()) if self.bind() is None else super()._is_owned()

    def _release_save(self) -> Any:
        return self.real._release_save() if self.bind() is None else super()._release_save()

    def _acquire_restore(self, state: Any) -> None:
        if self.bind() is None:
            self.real._acquire_restore(state)
        else:
            super()._acquire_restore(state)


# ---------------------------------------------------------------------------------------------- who, and when


def _answering(original: Any, answer: Any) -> Any:
    """A function that asks for the thread."""

    def answering() -> Any:
        return answer() if hooks.K.is_controlled else original()

    return answering


def _starting(function: Any, arguments: Any, keywords: Any = None, /) -> int:
    """`_thread.start_new_thread`: in a checked program it is not supported, and says so."""
    if hooks.K.is_controlled:
        return shim.unsupported_thread(function, arguments, keywords or {})
    return int(_REAL_START(function, arguments, keywords or {}))


_REAL_START = _thread.start_new_thread


@functools.wraps(sys._current_frames)
def _current_frames() -> dict[int, FrameType]:
    """As `sys._current_frames`, of the controlled threads."""
    k = hooks.K
    if not k.is_controlled:
        return REAL_FRAMES()
    frames = {threads.ident(f): f.greenlet.gr_frame for f in k.fibers.values() if not f.done and f is not k.running}
    return {**frames, threads.ident(k.running): sys._getframe(1)}


REAL_FRAMES = sys._current_frames


def _is_package(frame: FrameType) -> bool:
    """Does code without hooks ask for the time that shares it with the program?  Python's own library mostly only notes
    it down, as logging does."""
    root = _root(frame)
    return (root in MAKERS and root != OURS) or not known.is_pythons(root)


def _clock(name: str) -> Any:
    """A clock that gives packages the time of the controlled thread, and everybody else the real one."""
    original: Any = REAL[name]
    controlled: Any = shim.TIME[name]

    def clock() -> Any:
        return (controlled if hooks.K.is_controlled and _is_package(sys._getframe(1)) else original)()

    return clock


def sleep(seconds: float, /) -> None:
    """SOUND: a package that sleeps may be about to look again, so others go on first: not all schedules are tried, and
    that is said."""
    k = hooks.K
    if not k.is_controlled or not _is_package(sys._getframe(1)):
        REAL["sleep"](seconds)
        return
    shim.sleep(seconds)
    if not k.is_solo() and not k.dying:
        k.border.run_as_one_step(f"{_root(sys._getframe(1))} with a time.sleep", users_line())
        give_way_to_all(k, k.running)


class _FileOrder:
    """What those did who gave a locked file back, as `quiet` of a lock: by file, in one execution."""

    kernel: Kernel | None = None
    known: dict[int, int]

    def of(self, k: Kernel) -> dict[int, int]:
        """What is known in this execution; a new one begins with nothing."""
        if self.kernel is not k:
            self.kernel, self.known = k, {}
        return self.known


_FILES = _FileOrder()


@functools.wraps(fcntl.flock)
def flock(file: Any, operation: int, /) -> None:
    """A thread that would wait for another one lets that go on."""
    k = hooks.K
    if not k.is_controlled or k.dying:
        REAL_FLOCK(file, operation)
        return
    known, inode = _FILES.of(k), os.fstat(file if isinstance(file, int) else file.fileno()).st_ino
    if operation & fcntl.LOCK_UN:
        known[inode] = known.get(inode, 0) | k.running.quiet | k.running.known
        k.tick(k.running)
    while True:
        try:
            REAL_FLOCK(file, operation if k.is_solo() else operation | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            if operation & fcntl.LOCK_NB:
                raise
            give_way_to_all(k, k.running)
    k.running.quiet |= known.get(inode, 0)


REAL_FLOCK = fcntl.flock
TIME = {name: _clock(name) for name in shim.TIME if name not in ("sleep", "process_time", "thread_time")}
TIME["sleep"] = sleep
ASKING = {
    "get_ident": threads.get_ident, "get_native_id": threads.get_ident, "current_thread": threads.current_thread,
    "currentThread": threads.current_thread, "main_thread": threads.main_thread,
    "active_count": threads.active_count, "activeCount": threads.active_count, "enumerate": threads.enumerate_threads,
}  # fmt: skip


def _replacements() -> dict[ModuleType, dict[str, Any]]:
    """What packages get in place of the real things, by module and name."""
    asking = {name: _answering(getattr(threading, name), answer) for name, answer in ASKING.items()}
    thread = {
        "Thread": threads.Thread,
        "Timer": threads.Timer,
        "_MainThread": threads.MainThread,
        "local": threads.local,
        "Lock": Lock,
        "RLock": RLock,
        "_allocate_lock": Lock,
        "_CRLock": RLock,
    }
    low = {
        "allocate_lock": Lock,
        "allocate": Lock,
        "LockType": Lock,
        "lock": Lock,
        "RLock": RLock,
        "_local": threads.local,
        "start_new_thread": _starting,
        "start_new": _starting,
        "get_ident": asking["get_ident"],
        "get_native_id": asking["get_native_id"],
    }
    pools = {name: getattr(futures, name) for name in ("ThreadPoolExecutor", "Future", "wait", "as_completed")}
    return {
        threading: {**asking, **thread, "_time": TIME["monotonic"]},
        _thread: low,
        queue: {"SimpleQueue": queue._PySimpleQueue, "time": TIME["monotonic"]},  # type: ignore[attr-defined]
        time: TIME,
        concurrent.futures: pools,
        fcntl: {"flock": flock},
        sys: {"_current_frames": _current_frames},
    }  # fmt: skip


REPLACEMENTS = _replacements()


# ---------------------------------------------------------------------------------------------- putting it there

_scanned: dict[str, int] = {}  # modules that were looked through, and which object that was
_bindings: list[tuple[Any, str]] = []  # where they hold functions and locks that are replaced
_reentrant: list[Any] = []  # locks of which C knows the owner, wherever they are


def look_through() -> None:
    """Modules that are there already have names of their own for all this: `from threading import get_ident`.  What
    was looked through before a process was copied is known in the copy."""
    packages = False
    for name, module in list(sys.modules.items()):
        if _scanned.get(name) != id(module) and type(module) is ModuleType and module not in REPLACEMENTS:
            _scanned[name] = id(module)
            root = name.partition(".")[0]
            if root not in (OURS, "greenlet"):
                _scan(module, root in sys.stdlib_module_names)
                packages = packages or root not in sys.stdlib_module_names
    if packages:
        _reentrant[:] = [thing for thing in gc.get_objects() if type(thing) is REAL_RLOCK]


def _scan(module: ModuleType, is_pythons: bool) -> None:
    """Note where a module keeps locks and the like that are to be replaced."""
    for name, value in list(vars(module).items()):
        if _is_replaced(value):
            _bindings.append((module, name))
        elif type(value) is type and not is_pythons and value.__module__ == module.__name__:
            _bindings.extend((value, name) for name, held in list(vars(value).items()) if _is_replaced(held))


def _is_replaced(value: Any) -> bool:
    return type(value) in REAL_TYPES or (callable(value) and id(value) in _STAND_INS)


_STAND_INS = {
    id(getattr(module, name)): made
    for module, table in REPLACEMENTS.items() for name, made in table.items() if hasattr(module, name)
}  # fmt: skip


class Packages:
    """The replacements, while a program is checked."""

    def __init__(self) -> None:
        self.before: list[tuple[Any, str, Any]] = []
        self.uncontrolled: list[Any] = []  # locks that could not be replaced

    def enter(self) -> None:
        """Put the controlled things where packages will look for them; `replace` knows how to undo it."""
        look_through()
        self.uncontrolled = [lock for lock in _reentrant if not lock._is_owned()]
        for module, table in REPLACEMENTS.items():
            for name, made in table.items():
                if hasattr(module, name):
                    self.replace(module, name, made)
        for home, name in _bindings:
            value = vars(home).get(name)
            if type(value) in REAL_TYPES:
                self.replace(home, name, _controlled(value, f"{_module_of(home)}:{name}"))
            elif id(value) in _STAND_INS:
                self.replace(home, name, _STAND_INS[id(value)])

    def watch(self, _: Any) -> None:
        """SOUND: C would let another controlled thread into a lock that it made before, and that this one has."""
        k = hooks.K
        if any(lock._is_owned() for lock in self.uncontrolled) and not k.is_solo():
            k.refuse("a lock that was made before the check began, and is held")

    def replace(self, home: Any, name: str, made: Any) -> None:
        """Set an attribute, and remember what was there."""
        self.before.append((home, name, vars(home)[name]))
        setattr(home, name, made)

    def leave(self) -> None:
        for home, name, value in reversed(self.before):
            setattr(home, name, value)
        self.before.clear()


def _module_of(home: Any) -> str:
    return str(home.__module__ if isinstance(home, type) else home.__name__)


def _controlled(thing: Any, home: str) -> Any:
    """What stands for a lock, or for data of threads, that was there before; one that is taken just now stays."""
    if type(thing) is REAL_LOCAL:
        made = threads.local()
        vars(made).update(vars(thing))
        return made
    if not thing.acquire(False):
        return thing
    thing.release()
    return (RLock if type(thing) is REAL_RLOCK else Lock)(home)
