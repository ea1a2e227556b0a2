"""Objects that live longer under control than they do in Python.

Python ends an object as soon as nothing refers to it: `__del__` runs, weak references die, files are closed.  Here what
a thread has seen is kept to the end of the execution.  Who could notice that is looked for when an execution ends or
fails: an object that something happens to at its end, which we keep, and which the program cannot reach any more.
SOUND: such an execution is not one of Python; neither its failure nor its success is believed.
"""

from __future__ import annotations

import gc
import io
import re
import sys
import weakref
from collections.abc import Iterable, Iterator
from types import FrameType, GeneratorType, ModuleType
from typing import Any

from ..hooking.containers import SIMPLE
from ..stdlib.threads import Thread
from .accesses import Accesses
from .kernel import Kernel
from .records import Fiber, ObjectRecord, SearchMemory

MORTAL = re.compile(  # programs that might notice
    r"\b(__del__|weakref|open|NamedTemporaryFile|TemporaryFile)\b|\byield\b(?s:.*)\b(finally|with|except)\b"
    r"|\b(finally|with|except)\b(?s:.*)\byield\b"
)
MOST_OBJECTS = 200_000
CONTROL = __name__.rpartition(".")[0]  # the room of the scheduler, which holds everything
GIVEN = ("_target", "_args", "_kwargs")  # what Python's threads forget when they end


def describe_late(kernel: Kernel, modules: Iterable[str]) -> str:
    """What lives too long in a program of these modules; empty if nothing does."""
    suspects = {id(thing): thing for thing in _kept(kernel) if type(thing) not in SIMPLE and _is_mortal(thing)}
    if not suspects:
        return ""
    for thing in _reached(_roots(kernel, modules)):
        suspects.pop(id(thing), None)
        if not suspects:
            return ""
    kind = type(next(iter(suspects.values()))).__qualname__
    return (
        f"an object of type {kind} lives longer under control than in Python, which ends it at once when nothing "
        "refers to it: its __del__, weak references to it, or the file that it closes then"
    )


def _kept(kernel: Kernel) -> Iterator[Any]:
    """What is kept to the end of the execution."""
    for record in kernel.objects.records.values():
        yield record.thing
    yield from kernel.iterators.drawn
    for fiber in kernel.fibers.values():
        yield from fiber.log


def _is_mortal(thing: Any) -> bool:
    """Does something happen when it ends?"""
    kind = type(thing)
    if isinstance(thing, type | ModuleType) or kind.__module__.startswith(__name__.partition(".")[0]):
        return False
    if isinstance(thing, io.IOBase):  # of one that is only read, nobody can tell
        return not thing.closed and thing.writable()
    if isinstance(thing, GeneratorType):  # it is closed, and its `finally` runs
        return thing.gi_suspended and bool(thing.gi_code.co_exceptiontable)
    return hasattr(kind, "__del__") or weakref.getweakrefcount(thing) > 0


# ------------------------------------------------------------------------------------------------ what is reached


def _roots(kernel: Kernel, modules: Iterable[str]) -> Iterator[Any]:
    """What the program can reach at once: its modules, and what its threads hold."""
    for name in modules:
        if name in sys.modules:
            yield vars(sys.modules[name])
    for fiber in kernel.fibers.values():
        if not fiber.done:
            yield from _held_by(fiber)


def _held_by(fiber: Fiber) -> Iterator[Any]:
    """What the frames of a fiber refer to, and what its thread was given."""
    frame: FrameType | None = fiber.greenlet.gr_frame
    while frame is not None:
        if not str(frame.f_globals.get("__name__")).startswith(CONTROL):  # also what a library, or a hook, was given
            yield from [v for name, v in frame.f_locals.items() if not name.startswith("_iso_t")]
        frame = frame.f_back
    yield from [getattr(fiber.handle, name, None) for name in GIVEN]


def _reached(todo: Iterable[Any]) -> Iterator[Any]:
    """Everything that can be reached without our own notes and the insides of libraries."""
    stack, seen = list(todo), set[int]()
    while stack and len(seen) < MOST_OBJECTS:
        thing = stack.pop()
        if id(thing) in seen or type(thing) in SIMPLE or _is_border(thing):
            continue
        seen.add(id(thing))
        yield thing
        stack += _following(thing)


def _following(thing: Any) -> Iterable[Any]:
    """What an object refers to."""
    if isinstance(thing, Thread) and thing._fiber is not None and thing._fiber.finished:
        return [value for name, value in vars(thing).items() if name not in GIVEN]
    return gc.get_referents(thing)


def _is_border(thing: Any) -> bool:
    """Is it ours, or of a library, so that we do not look behind it?"""
    if isinstance(thing, Fiber | Kernel | Accesses | SearchMemory | ObjectRecord | ModuleType):
        return True
    names = thing.get("__builtins__") if type(thing) is dict else None
    if type(thing) is dict and "__loader__" in thing:
        return not (type(names) is dict and "_iso_module" in names)  # of a library
    return type(thing) is dict and "_iso_module" in thing  # our names for what is builtin
