"""What an object consists of, and what code may reach, as far as a program can see it: for comparing two states."""

from __future__ import annotations

import gc
import sys
import weakref
from collections import deque
from collections.abc import Iterator
from types import CellType, CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any

from .control.kernel import has_hooks
from .control.records import Named
from .hooking import reachable
from .hooking.hooks import ClosureVariables
from .hooking.reachable import is_users, is_users_module
from .images import Differs
from .stdlib.sync import Sync
from .stdlib.threads import Thread

Pair = tuple[Any, Any, str]  # two values, and what leads to them
VALUES = (tuple, MethodType, frozenset)  # what has no identity that a program could notice
CODE = (FunctionType, property, classmethod, staticmethod)
MADE = (FunctionType, CellType)
OPEN = frozenset([object, list, tuple, dict, set, frozenset, deque, Thread, Named, ClosureVariables, *VALUES, *MADE])


LOOKING = frozenset(["globals", "locals", "vars", "dir", "eval", "exec", "modules", "__globals__", "__import__",
                     "import_module"])  # fmt: skip


def codes(code: CodeType) -> Iterator[CodeType]:
    """Code, and that of the functions inside."""
    yield code
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from codes(part)


def named_in(code: CodeType) -> list[str]:
    """What code names; hooks have the names of attributes as texts."""
    return [*code.co_names, *(part for part in code.co_consts if type(part) is str)]


def doing(frame: FrameType) -> Any:
    """Where the expression is that a frame is about: lines and columns."""
    line, end_line, column, end = list(frame.f_code.co_positions())[frame.f_lasti // 2]
    return line, end_line, column, end


def users_modules() -> list[tuple[str, ModuleType]]:
    return [(name, module) for name, module in list(sys.modules.items())
            if isinstance(module, ModuleType) and is_users_module(module)]  # fmt: skip


def kind_parts(one: Any, other: Any) -> list[Pair]:
    """What the program may reach by way of the class of a container, and what else such a thing has."""
    kinds = [(type(one), type(one), "")] if users(type(one)) else []
    return [*kinds, (one.maxlen, other.maxlen, ".maxlen")] if isinstance(one, deque) else kinds


def functions(thing: Any) -> list[Any]:
    """The code behind a member of a class."""
    found = [thing.fget, thing.fset, thing.fdel] if isinstance(thing, property) else [thing.__func__]
    return [f for f in found if f is not None]


def members(kind: type) -> Iterator[tuple[str, Any]]:
    """What the program may reach by way of a class: its attributes, the globals of its methods, the same of its
    bases."""
    yield from vars(kind).items()
    for base in kind.__bases__:
        yield "", base


def cell_parts(one: CellType, other: CellType) -> list[Pair]:
    try:
        first, second = [one.cell_contents], [other.cell_contents]
    except ValueError:  # one is empty
        if one is other:
            return []
        raise Differs("a variable is not bound yet") from None
    return [(first[0], second[0], "")]


def hidden_parts(one: Any, other: Any) -> list[Pair]:
    """How far an iterator is, or what else C code keeps, cannot be seen; what it holds can."""
    if one is not other:
        raise Differs(f"two objects of type {type(one).__name__}, of which not all is seen")
    if isinstance(one, BaseException):
        held: list[Any] = [one.args, one.__cause__, one.__context__]  # without the frames
    else:
        held = gc.get_referents(one) if not isinstance(one, weakref.ref) else [one(), one.__callback__]
    return [(part, part, "") for part in held]


def attributes(one: Any, other: Any) -> list[Pair]:
    first, second = _held_by(one), _held_by(other)
    if list(first) != list(second):
        raise Differs("objects with different attributes")
    return [(value, second[name], f".{name}") for name, value in first.items() if not name.startswith("_iso_")]


HIDDEN = ("_fiber", "_name", "_number", "_target", "_args", "_kwargs", "_maker", "_made", "_daemonic")  # of threads
NAMING = ("_fiber", "_maker", "_made")  # of those that were not started


def _held_by(thing: Any) -> dict[str, Any]:
    """SOUND: what a thread was given is compared with its start; what one gets that is still to be started, here."""
    found = reachable.attributes(thing)
    hidden = () if not isinstance(thing, Thread) else HIDDEN if thing._fiber is not None else NAMING
    return {k: v for k, v in found.items() if k not in hidden}


def users(kind: type) -> bool:
    return is_users(kind) or any(isinstance(v, FunctionType) and has_hooks(v) for v in vars(kind).values())


def is_open(kind: type) -> bool:
    """SOUND: is all that is in such an object compared?  Two objects with hidden contents may differ in them."""
    if kind in OPEN or issubclass(kind, Sync):
        return True
    return users(kind) and all(base in OPEN or base.__module__ in ("typing", "abc") or users(base)
                               for base in kind.__mro__)  # fmt: skip
