"""Functions of the standard library that only call or access something else: done step by step, as they do it."""

from __future__ import annotations

import functools
import inspect
import operator
import sys
import warnings
from collections.abc import Callable
from types import (
    BuiltinFunctionType,
    FunctionType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    WrapperDescriptorType,
)
from typing import Any

from ..control import frames
from ..hooking import hooks, iterators
from ..hooking.containers import methods
from ..hooking.outside import is_plain_container
from . import border

Arguments = tuple[Any, ...]
Keywords = dict[str, Any]
CACHED = type(functools.lru_cache(len))
NO_START = object()


def partial(site: int, function: Any, arguments: Arguments, keywords: Keywords) -> Any:
    hooks.touch(function.keywords, site)
    return hooks.call(site, function.func, *function.args, *arguments, **{**function.keywords, **keywords})


def _attribute_getter(site: int, function: Any, arguments: Arguments, _: Keywords) -> Any:
    """`operator.attrgetter`: each part of a name is a load of its own."""
    names = function.__reduce__()[1]
    (thing,) = arguments
    found = []
    for name in names:
        value = thing
        for part in name.split("."):
            value = hooks.load(value, part, site)
        found.append(value)
    return found[0] if len(names) == 1 else tuple(found)


def _item_getter(site: int, function: Any, arguments: Arguments, _: Keywords) -> Any:
    keys = function.__reduce__()[1]
    (thing,) = arguments
    found = [hooks.item(thing, key, site) for key in keys]
    return found[0] if len(keys) == 1 else tuple(found)


def _method_caller(site: int, function: Any, arguments: Arguments, _: Keywords) -> Any:
    made, parts = function.__reduce__()[:2]
    keywords = made.keywords if isinstance(made, functools.partial) else {}
    name, *given = (*made.args, *parts) if isinstance(made, functools.partial) else parts
    (thing,) = arguments
    return hooks.method(site, thing, name, *given, **keywords)


def _cached(site: int, function: Any, arguments: Arguments, keywords: Keywords) -> Any:
    touch(function, site)
    return function(*arguments, **keywords)


def touch(wrapper: Any, site: int) -> None:
    k = hooks.K
    k.objects.access_whole(k.objects.record(wrapper), True, site)


def bound(site: int, function: Any, arguments: Arguments, keywords: Keywords) -> Any:
    inner = function.__func__
    if type(inner) not in STEPS:
        return NotImplemented
    return hooks.call(site, inner, function.__self__, *arguments, **keywords)


def reduce(site: int, function: Any, arguments: Arguments, keywords: Keywords) -> Any:
    """`functools.reduce`, with a call for each value, if the function does anything that others see."""
    combine, things, *start = arguments
    if not border.is_noisy(hooks.K, combine):
        return NotImplemented
    total = start[0] if start else NO_START
    if is_plain_container(hooks.K, type(things), "__iter__"):  # the first call comes when there are two values
        things = iterators.Reading(things, things, site, joined=not start)
    for thing in things if type(things) is iterators.Reading else iterators.iterate(things, site):
        total = thing if total is NO_START else hooks.call(site, combine, total, thing)
    if total is NO_START:
        raise TypeError("reduce() of empty iterable with no initial value")
    return total


def _method_of_a_type(site: int, function: Any, arguments: Arguments, keywords: Keywords) -> Any:
    """`object.__setattr__(x, "a", 1)`, `dict.__setitem__(d, k, v)`: methods that are called by way of their type."""
    if not arguments or not isinstance(arguments[0], function.__objclass__):
        return NotImplemented
    thing, *rest = arguments
    if function.__name__ in ATTRIBUTES and len(rest) == ATTRIBUTES[function.__name__]:
        return _attribute(site, thing, function.__name__, rest, function.__get__(thing))
    table = methods(type(thing))
    if table is not None and methods(function.__objclass__) is not None:
        return hooks.container_method(
            site, thing, function.__get__(thing), function.__name__, table, tuple(rest), keywords
        )
    return NotImplemented


ATTRIBUTES = {"__getattribute__": 1, "__setattr__": 2, "__delattr__": 1}


def _bound_method(site: int, function: Any, arguments: Arguments, keywords: Keywords) -> Any:
    """`super().__setattr__("a", 1)`, and what a slot of a class is asked for."""
    owner, name = function.__self__, function.__name__
    if name in ATTRIBUTES and len(arguments) == ATTRIBUTES[name]:
        return _attribute(site, owner, name, list(arguments), function)
    if type(owner) is MemberDescriptorType and arguments and name in ("__get__", "__set__", "__delete__"):
        if arguments[0] is not None:
            hooks.announce(arguments[0], owner.__name__, name != "__get__", site)
        return function(*arguments, **keywords)
    return NotImplemented


def _attribute(site: int, thing: Any, name: str, rest: list[Any], function: Callable[..., Any]) -> Any:
    hooks.announce(thing, rest[0], name != "__getattribute__", site)
    value = function(*rest)
    hooks.K.running.log.append(value)
    return value


STEPS: dict[Any, Callable[[int, Any, Arguments, Keywords], Any]] = {
    functools.partial: partial, operator.attrgetter: _attribute_getter, operator.itemgetter: _item_getter,
    operator.methodcaller: _method_caller, CACHED: _cached, MethodType: bound, MethodDescriptorType: _method_of_a_type,
    WrapperDescriptorType: _method_of_a_type, MethodWrapperType: _bound_method,
}  # fmt: skip


def frame(site: int, function: Any, arguments: Arguments, _: Keywords) -> Any:
    """A frame shows all that is in it."""
    hooks.dynamic_code("sys._getframe", site)
    return frames.get_frame(*arguments)


def warn(site: int, function: Any, arguments: Arguments, keywords: Keywords) -> Any:
    """`warnings.warn` counts frames; ours do not count."""
    names = ("message", "category", "stacklevel", "source")
    said = {**dict(zip(names, arguments, strict=False)), **keywords}
    if not said.keys() <= set(names) or "message" not in said:
        return NotImplemented
    found = frames.caller(sys._getframe(1), max(said.get("stacklevel", 1), 1) - 1)
    if found is None:
        return NotImplemented
    space, category = found.f_globals, said.get("category") or UserWarning
    if isinstance(said["message"], Warning):
        category = type(said["message"])
    registry = space.setdefault("__warningregistry__", {})
    place = (found.f_code.co_filename, found.f_lineno, space.get("__name__", "<string>"))
    warnings.warn_explicit(said["message"], category, *place, registry, source=said.get("source"))
    return None


SINGLE = {warnings.warn: warn, functools.reduce: reduce, sys._getframe: frame, inspect.currentframe: frame}


def in_steps(site: int, function: Any, arguments: Arguments, keywords: Keywords) -> Any:
    """The result, or NotImplemented if this is none of these functions."""
    kind = type(function)
    steps = SINGLE.get(function) if kind is BuiltinFunctionType or kind is FunctionType else STEPS.get(kind)
    return NotImplemented if steps is None else steps(site, function, arguments, keywords)
