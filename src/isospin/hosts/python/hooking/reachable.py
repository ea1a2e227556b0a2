"""What a function without hooks may look at: what it is given, what is in that, and so on.

A comparison of two lists compares the lists in them, `repr` shows all that an object holds, `sorted(xs, key=d.get)`
reads the dictionary.  All of it is touched in the one step in which the function runs.
"""

from __future__ import annotations

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

from ..control.kernel import Kernel, has_hooks
from ..control.records import WHOLE, Named, Touched
from .containers import HEAP_TYPE, SIMPLE, VIEWS, contents, methods, values
from .iterators import is_foreign, named
from .outside import is_value

OURS = __name__.partition(".")[0] + "."
MOST_OBJECTS = 5000
PLAIN = (tuple, frozenset, *VIEWS)
BOUND = (MethodType, BuiltinFunctionType, MethodWrapperType)


def top(k: Kernel, things: Iterable[Any], write: bool = False) -> list[Touched]:
    """The containers among these; an iterator is used up, except a generator, which is drawn from with hooks."""
    return [touched(k, thing, write) for thing in things if is_container(k, thing)]


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
        elif is_shown(type(thing)) or (inside and has_attributes(thing)):
            record = k.objects.record(thing)
            inside_it = attributes(thing)
            found += [(record, name, write) for name in inside_it]
            todo += inside_it.values()
        todo += [part for part in parts(thing) if type(part) not in SIMPLE]
    return found[::-1]


def is_container(k: Kernel, thing: Any) -> bool:
    """Is it an object with items that others may see?"""
    kind = type(thing)
    if kind in SIMPLE:
        return False
    if methods(kind) is not None:
        return True
    if kind in VIEWS:
        return id(thing) in k.iterators.views
    return hasattr(kind, "__next__") and kind is not GeneratorType and is_foreign(k, kind)


def touched(k: Kernel, thing: Any, write: bool) -> Touched:
    if hasattr(type(thing), "__next__"):
        return named(k, thing), WHOLE, True
    return k.objects.record(k.iterators.views[id(thing)][1] if type(thing) in VIEWS else thing), WHOLE, write


def parts(thing: Any) -> Iterator[Any]:
    """What else is looked at when this is."""
    if isinstance(thing, dict):
        yield from contents(thing)
        yield from values(thing)
    elif isinstance(thing, PLAIN) or methods(type(thing)) is not None:
        yield from contents(thing)
    elif isinstance(thing, BOUND):
        yield thing.__self__
    elif isinstance(thing, partial):
        yield from (thing.func, *thing.args, *thing.keywords.values())


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
