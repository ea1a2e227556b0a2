"""`functools.lru_cache` and `cached_property`: first a look into the cache, then the program's function, then a store.

Others may come in between, so these are steps of their own.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from ..hooking import hooks
from ..rewriting.sites import INSIDE
from ..stdlib.sync import RLock
from .tools import touch

HAS_LOCK = sys.version_info < (3, 12)  # a cached property
MISSING = object()


def lru_cache(maxsize: Any = 128, typed: bool = False) -> Any:
    if callable(maxsize) and isinstance(typed, bool):
        return _cached(maxsize, 128, typed)
    return lambda function: _cached(function, maxsize, typed)


def _cache(function: Callable[..., Any], /) -> Any:
    return _cached(function, None, False)


def _cached(function: Callable[..., Any], maxsize: int | None, typed: bool) -> Any:
    """A cache around the function; the store behind the call is a step of its own."""

    def call(*arguments: Any, **keywords: Any) -> Any:
        try:
            return hooks.call(hooks.TARGET, function, *arguments, **keywords)
        finally:
            touch(wrapper, INSIDE)  # now it will be stored

    wrapper: Any = functools.lru_cache(maxsize, typed)(call)
    functools.update_wrapper(wrapper, function)
    return wrapper


class cached_property(functools.cached_property[Any]):
    """As in `functools`, with its lock and its three steps under control."""

    def __init__(self, func: Callable[[Any], Any]) -> None:
        super().__init__(func)
        self.mutex = RLock() if HAS_LOCK else None

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        if self.attrname is None:
            raise TypeError("Cannot use cached_property instance without calling __set_name__ on it.")
        found = self.look(instance)
        if found is not MISSING:
            return found
        if self.mutex is None:
            return self.make(instance)
        with self.mutex:
            found = self.look(instance)
            return self.make(instance) if found is MISSING else found

    def look(self, instance: Any) -> Any:
        """First step: is it in the dictionary of the object?"""
        k = hooks.K
        k.objects.access(k.objects.record(instance), self.attrname, False, INSIDE)
        return instance.__dict__.get(self.attrname, MISSING)

    def make(self, instance: Any) -> Any:
        """Second and third step: compute it, then store it."""
        value = hooks.call(hooks.TARGET, self.func, instance)
        k = hooks.K
        k.objects.access(k.objects.record(instance), self.attrname, True, INSIDE)
        instance.__dict__[self.attrname] = value
        return value


FUNCTOOLS = {"lru_cache": lru_cache, "cache": _cache, "cached_property": cached_property}
