"""What a thread learns where no hook sees the values themselves: they belong to its log as well.

`a, b = xs`, `f"{xs}"`, `match xs`, `ys += xs` take values out of containers by code of the interpreter.  What was in
there is in no value that a hook returns, and two threads that found different things would have the same log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..control.kernel import Kernel
from .containers import SIMPLE, contents, methods, values
from .iterators import FAILED
from .reachable import PLAIN, attributes, has_attributes, is_shown, is_wrapper, parts

__all__ = ["learn_all", "learn_contents", "learn_failure", "noting", "tried"]


def learn_contents(k: Kernel, things: Iterable[Any]) -> None:
    """The items of these containers are taken.  SOUND: as they are now, since others may change them."""
    if not k.indices.is_active:
        return
    for thing in things:
        if is_wrapper(k, type(thing)):
            learn_all(k, thing, inside=True)
        elif (found := _items(thing)) is not None:
            k.running.log.append(found)


def learn_all(k: Kernel, thing: Any, inside: bool = False) -> None:
    """All that is in an object is looked at; `inside`: also in the attributes of any object."""
    todo, seen = [thing] if k.indices.is_active else [], set[int]()
    while todo:
        thing = todo.pop()
        if type(thing) in SIMPLE or id(thing) in seen:
            continue
        seen.add(id(thing))
        found = _items(thing)
        if found is None and (is_shown(type(thing)) or (inside and has_attributes(thing))):
            found = tuple(attributes(thing).values())
        if found is not None:
            k.running.log.append(found)
        todo += found or parts(k, thing)


def _items(thing: Any) -> tuple[Any, ...] | None:
    kind = type(thing)
    if kind in SIMPLE or (methods(kind) is None and not isinstance(thing, PLAIN)):
        return None
    return (*contents(thing), *values(thing)) if isinstance(thing, dict) else tuple(contents(thing))


def learn_failure(k: Kernel, error: Exception) -> Exception:
    """SOUND: which exception it is may depend on what others did."""
    k.running.log.append((FAILED, type(error), error.args))
    return error


def tried(k: Kernel, act: Callable[..., Any], *arguments: Any) -> Any:
    """Something that has no result, but may fail."""
    try:
        return act(*arguments)
    except Exception as error:
        learn_failure(k, error)
        raise


def noting(k: Kernel, iterator: Iterator[Any]) -> Iterator[Any]:
    """An iterator that is used up by code without hooks."""
    for value in iterator:
        k.running.log.append(value)
        yield value
