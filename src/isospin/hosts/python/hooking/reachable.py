"""What a function without hooks may look at: what it is given, what is in that, and so on.

A comparison of two lists compares the lists in them, `repr` shows all that an object holds, `sorted(xs, key=d.get)`
reads the dictionary.  All of it is touched in the one step in which the function runs.

An object of a library with items (`UserDict`, `os.environ`, `WeakSet`, a proxy of a dictionary) is a *wrapper*: it
stands for the containers that it holds, and whoever looks at it, by whatever function or operator, looks at those.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from types import (
    BuiltinFunctionType,
    FunctionType,
    GeneratorType,
    MemberDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    SimpleNamespace,
)
from typing import Any

from ..border import known
from ..control.kernel import Kernel, has_hooks
from ..control.records import NAMES, WHOLE, Named, ObjectRecord, Touched
from .containers import HEAP_TYPE, SIMPLE, VIEWS, contents, is_changing, methods, values
from .iterators import is_foreign, named
from .outside import IMMUTABLE, is_value
from .variables import classes

OURS = __name__.partition(".")[0] + "."
MOST_OBJECTS = 5000
PLAIN = (tuple, frozenset, *VIEWS)
BOUND = (MethodType, BuiltinFunctionType, MethodWrapperType)
ITEMS = ("__len__", "__iter__", "__contains__", "__getitem__")


def top(k: Kernel, things: Iterable[Any], write: bool = False, met: list[Any] | None = None) -> list[Touched]:
    """The containers among these; an iterator is used up, except a generator, which is drawn from with hooks.  What a
    wrapper stands for is put into `met`."""
    found: list[Touched] = []
    for thing in things:
        if is_wrapper(k, type(thing)):
            found += everything(k, [thing], write, True, met)
        elif is_container(k, thing):
            found.append(touched(k, thing, write))
    return found


def everything(
    k: Kernel, things: Iterable[Any], write: bool = False, inside: bool = False, met: list[Any] | None = None
) -> list[Touched]:
    """The containers and objects that can be reached from these; `inside`: also by attributes of any object.  All that
    was looked at is put into `met`."""
    found: list[Touched] = []
    todo, seen = [thing for thing in things if type(thing) not in SIMPLE], set[int]()
    while todo:
        thing = todo.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if len(seen) > MOST_OBJECTS:
            k.border.uncontrolled.setdefault("a function that is given too much to look through", 0)
            break
        if met is not None:
            met.append(thing)
        if is_container(k, thing):
            found.append(touched(k, thing, write))
        if is_shown(type(thing)) or ((inside or is_wrapper(k, type(thing))) and has_attributes(thing)):
            record = k.objects.record(thing)
            inside_it = attributes(thing)
            found += [(record, name, write) for name in inside_it]
            if inside or not hasattr(type(thing), "__dataclass_fields__"):
                found.append(_names(k, record, write))
            todo += inside_it.values()
        if isinstance(thing, BaseException):  # its text is made of these
            found.append((k.objects.record(thing), "args", write))
            todo.append(thing.args)
        if isinstance(thing, BuiltinFunctionType) and is_changing(thing):
            found.append((k.objects.record(thing.__self__), WHOLE, True))
        if inside and k.memory.known.patched:
            found += _of_classes(k, thing if isinstance(thing, type) else type(thing))
        todo += [part for part in parts(k, thing) if type(part) not in SIMPLE]
    return found[::-1]


def _of_classes(k: Kernel, kind: type) -> list[Touched]:
    """Class attributes that the program changes."""
    names = k.memory.known.patched
    return [(k.objects.record(base), name, False) for base in classes(kind) for name in names if name in vars(base)]


def _names(k: Kernel, record: ObjectRecord, write: bool) -> Touched:
    """SOUND: who looks at all attributes of an object also sees which ones there are; so new ones have to tell."""
    if not k.memory.known.spaces:
        k.memory.learnt.spaces = True
        k.memory.learn()
    return record, NAMES, write


def is_wrapper(k: Kernel, kind: type) -> bool:
    """Is this an object of a library, or one that inherits from such, with items that others may see?"""
    if kind in SIMPLE or kind in IMMUTABLE:
        return False
    found = k.border.wrappers.get(kind)
    if found is None:
        found = k.border.wrappers[kind] = _has_foreign_items(kind)
    return found


def _has_foreign_items(kind: type) -> bool:
    """SOUND: what a class of the program inherits from `collections.abc` asks its own methods, which have hooks."""
    if methods(kind) is not None or kind in VIEWS or issubclass(kind, tuple(IMMUTABLE)) or hasattr(kind, "__next__"):
        return False
    homes = [next((base for base in kind.__mro__ if name in base.__dict__), None) for name in ITEMS]
    return any(home is not None and _is_known_library(home, kind) for home in homes)


def _is_known_library(home: type, kind: type) -> bool:
    if is_users(home) or hasattr(home, "_isospin_") or is_value(home) or home.__module__.startswith(OURS):
        return False
    if home.__module__ in ("_collections_abc", "collections.abc") and is_users(kind):
        return False
    return bool(known.reason(home.__module__, f"{home.__qualname__}()", home.__qualname__))


def is_container(k: Kernel, thing: Any) -> bool:
    """Is it an object with items that others may see?"""
    kind = type(thing)
    if kind in SIMPLE:
        return False
    if methods(kind) is not None:
        return True
    if kind in VIEWS:
        return id(thing) in k.iterators.views
    if hasattr(kind, "__next__"):
        return kind is not GeneratorType and is_foreign(k, kind)
    return is_wrapper(k, kind)


def touched(k: Kernel, thing: Any, write: bool) -> Touched:
    if hasattr(type(thing), "__next__"):
        return named(k, thing), WHOLE, True
    if type(thing) is memoryview:
        thing = thing.obj
    return k.objects.record(k.iterators.views[id(thing)][1] if type(thing) in VIEWS else thing), WHOLE, write


def parts(k: Kernel, thing: Any) -> Iterator[Any]:
    """What else is looked at when this is."""
    if isinstance(thing, dict):
        yield from contents(thing)
        yield from values(thing)
    elif is_wrapper(k, type(thing)):
        yield from () if type(thing).__flags__ & HEAP_TYPE else held(thing)
    elif isinstance(thing, PLAIN) or methods(type(thing)) is not None:
        yield from contents(thing)
    elif isinstance(thing, BOUND):
        yield thing.__self__
    elif isinstance(thing, partial):
        yield from (thing.func, *thing.args, *thing.keywords.values())


def held(thing: Any) -> list[Any]:
    """What an object of C code holds."""
    return [part for part in gc.get_referents(thing) if not isinstance(part, type | ModuleType)]


def is_shown(kind: type) -> bool:
    """Are there functions without hooks that compare or show what is in such an object, as those of a dataclass?"""
    if kind is SimpleNamespace or hasattr(kind, "__dataclass_fields__"):
        return True
    return is_users(kind) and any(isinstance(f, FunctionType) and not has_hooks(f) for f in vars(kind).values())


def has_attributes(thing: Any) -> bool:
    """Is this an object that may change, and not one of ours?"""
    kind = type(thing)
    if not kind.__flags__ & HEAP_TYPE or isinstance(thing, type | ModuleType) or hasattr(kind, "_isospin_"):
        return False
    return not is_value(kind) and not issubclass(kind, Named)


def is_users(kind: type) -> bool:
    module = sys.modules.get(kind.__module__)
    return module is not None and is_users_module(module)


def has_no_secrets(kind: type) -> bool:
    """Is such a type one of ours or of the program, and not one that a package has derived from ours?"""
    return kind.__module__.startswith(OURS) or is_users(kind)


def is_users_module(module: ModuleType) -> bool:
    space = module.__dict__.get("__builtins__")
    return type(space) is dict and "_iso_module" in space


def attributes(thing: Any) -> dict[str, Any]:
    """What an object holds itself, read without a method of the program's own."""
    found = dict(own_attributes(thing))
    for base in type(thing).__mro__:
        for name, member in vars(base).items():
            if type(member) is MemberDescriptorType and base.__flags__ & HEAP_TYPE:
                try:
                    found.setdefault(name, member.__get__(thing))
                except AttributeError:  # not set
                    continue
    return found


def own_attributes(thing: Any) -> dict[str, Any]:
    if not type(thing).__dictoffset__:
        return {}
    try:
        found = object.__getattribute__(thing, "__dict__")
    except (AttributeError, TypeError):
        return {}
    return found if isinstance(found, dict) else {}
