"""Iterators and generators: whoever draws from one changes it.

An iteration over a container reads the container at each step.  A draw from an iterator that others may have, too, is a
change of that iterator, and a read of the containers below it.  The code of a generator can be interrupted anywhere,
and whoever draws meanwhile gets an exception: a draw from a shared one begins with one operation and ends after
another.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from operator import attrgetter, length_hint, methodcaller
from types import (
    BuiltinFunctionType,
    FunctionType,
    GeneratorType,
    MethodDescriptorType,
    MethodType,
    WrapperDescriptorType,
)
from typing import Any

from ..control.kernel import Kernel
from ..control.records import WHOLE, ObjectRecord, SearchMemory, Touched
from .containers import HEAP_TYPE, VIEWS, is_changing, methods
from .keys import check_order, find_indices
from .outside import is_opaque, is_plain_container, may_change

FAILED = "isospin: an exception"  # what a thread learns from one
NO_MORE = object()  # behind the last item
MOST_LAYERS = 8  # iterators over iterators
WALK: Callable[[Kernel, Any, int], Any]  # over an object of a library; these are filled by `border.py`
TOUCHED: Callable[[Kernel, Any], list[Touched]]  # what is read where containers are drawn from
INSIDE: Callable[..., list[Touched]]  # and all that is in their items

K: Kernel = Kernel(SearchMemory())  # see `hooks.activate`


def failed() -> None:
    """What was tried without a hook: a variable could not be deleted."""
    K.running.log.append(FAILED)


def references(thing: Any) -> int:
    return sys.getrefcount(thing)


TEMPORARY = references(iter(()))  # what is counted for an object that only the caller of a function has


def is_foreign(k: Kernel, kind: type) -> bool:
    """Are these iterators without hooks of their own?"""
    return is_opaque(k, kind, "__next__")


def named(k: Kernel, iterator: Any) -> ObjectRecord:
    """SOUND: who comes across an iterator first differs from run to run, so its name does not depend on that; that
    several of a kind share their name only makes more operations depend on each other."""
    found = k.objects.records.get(id(iterator))
    if found is None:
        code = iterator.gi_code if type(iterator) is GeneratorType else None
        what = type(iterator).__name__ if code is None else f"{code.co_qualname}:{code.co_firstlineno}"
        found = k.objects.records[id(iterator)] = ObjectRecord(f"iterator {what}", iterator)
    return found


# -------------------------------------------------------------------------------------------------- over containers


def iterate(thing: Any, site: int) -> Any:
    """What a loop goes over."""
    kind = type(thing)
    if kind is range or kind is tuple or kind is str:
        return thing
    k = K
    if is_plain_container(k, kind, "__iter__"):
        return steps(k, thing, thing, site)
    if kind in VIEWS:
        home = k.iterators.views[id(thing)][1] if id(thing) in k.iterators.views else gc.get_referents(thing)[0]
        return steps(k, thing, home, site)
    if not k.alone and _is_walked(k, thing):
        return WALK(k, thing, site)  # noqa: F821
    if hasattr(kind, "__next__"):
        k.running.effects += 1
        # SOUND: nobody else has a temporary one, but others may have what it draws from.
        if is_foreign(k, kind) and (sys.getrefcount(thing) > TEMPORARY or readings(thing)):
            return _draws(thing, site)
    return thing


def _is_walked(k: Kernel, thing: Any) -> bool:
    """Is this an object of a library with items?"""
    kind = type(thing)
    return not hasattr(kind, "__next__") and is_opaque(k, kind, "__iter__") and may_change(thing)


def steps(k: Kernel, thing: Any, container: Any, site: int) -> Iterator[Any]:
    """Every step of an iteration over a container is a read of it."""
    iterator = iter(thing)
    record = k.objects.record(container)
    watched = k.indices.is_active
    visible, place, period = site in k.objects.shared, record.places.get(WHOLE), -1
    while True:
        me = k.running
        if not k.alone:
            if visible or place is None or place.owner != me.who or me.turns:
                k.objects.access_whole(record, False, site)
                place = record.places.get(WHOLE)
            elif me.period != period:  # the same, for a container that nobody else has touched
                period = me.period
                place.hidden = True
                place.reads[me.who, site] = period
                place.read_in |= 1 << period
            if watched:
                check_order(k, container, "is gone through in order", keys=type(thing) is not VIEWS[1])
        value = next(iterator, NO_MORE)
        if value is NO_MORE:
            me.log.append(FAILED)
            return
        me.log.append(value)
        yield value


class Reading:
    """An iterator over a container that the program, or a function without hooks, can draw from."""

    def __init__(self, thing: Any, container: Any, site: int, joined: bool = False, safe: bool = True) -> None:
        self.iterator, self.container, self.site = iter(thing), container, site
        self.safe = safe  # who draws does not look at numbers in a way that we do not see
        self.is_the_programs = False  # made by `iter`: others may have it
        self.joined = 0 if joined else -1  # 0: the second draw comes right after the first, in the same step

    def __iter__(self) -> Reading:
        return self

    def __length_hint__(self) -> int:
        K.objects.access_all(containers_of(K, self, [self]), self.site)
        return length_hint(self.iterator)

    def __next__(self) -> Any:
        k = K
        if self in k.iterators.drawn:
            k.iterators.drawn.remove(self)
        elif self.joined == 1:
            self.joined = -1
        elif self not in k.iterators.drained:
            self.joined += self.joined == 0
            k.objects.access_all(TOUCHED(k, (self.container,)), self.site)  # noqa: F821
        check_order(k, self.container, "is gone through in order")
        value = next(self.iterator)
        k.running.log.append(value)
        if not self.safe:
            tell_all(k, value)
        return value


def tell_all(k: Kernel, value: Any) -> None:
    """Code without hooks draws a value, and may look at the numbers in it."""
    for index in find_indices((value,)) if k.indices.numbers else ():
        k.indices.tell(index, "is drawn by a function that is not known")


def program_iterator(site: int, thing: Any, *sentinel: Any) -> Any:
    """`iter(...)`"""
    if sentinel:
        return iter(thing, *sentinel)
    made = make_iterator(site, thing)
    if type(made) is Reading:
        made.is_the_programs = True
    return made


def make_iterator(site: int, thing: Any, safe: bool = True) -> Any:
    kind = type(thing)
    if is_plain_container(K, kind, "__iter__"):
        return Reading(thing, thing, site, safe=safe)
    if kind in VIEWS and id(thing) in K.iterators.views:
        return Reading(thing, K.iterators.views[id(thing)][1], site, safe=safe)
    return Reading(thing, thing, site, safe=safe) if _is_walked(K, thing) else iter(thing)


def given(thing: Any, site: int, safe: bool) -> Any:
    """An argument from which a function without hooks will draw, now or later."""
    kind = type(thing)
    if kind is GeneratorType or (hasattr(kind, "__next__") and kind is not Reading and is_foreign(K, kind)):
        return Drawn(thing, site, safe)
    is_container = methods(kind) is not None or kind in VIEWS or _is_walked(K, thing)
    return make_iterator(site, thing, safe=safe) if is_container else thing


def delegate(thing: Any, site: int) -> Any:
    """What a generator yields from; another generator must stay what it is, since it may be sent values."""
    if type(thing) is not GeneratorType:
        return iterate(thing, site)
    if sys.getrefcount(thing) > TEMPORARY:
        K.objects.access_whole(named(K, thing), True, site)
        K.running.log.append(Unfollowed())
    return thing


class Unfollowed:
    """SOUND: what a thread gets from here is not seen: in its log this makes it like no other."""


# -------------------------------------------------------------------------------------------------- over iterators


class Drawn:
    """Another iterator, drawn from by a function without hooks."""

    def __init__(self, iterator: Any, site: int, safe: bool = True) -> None:
        self.iterator, self.site, self.safe = iterator, site, safe

    def __iter__(self) -> Drawn:
        return self

    def __next__(self) -> Any:
        value = draw(self.site, self.iterator, next, self.iterator)
        if not self.safe:
            tell_all(K, value)
        return value


def _draws(iterator: Any, site: int) -> Iterator[Any]:
    while True:
        try:
            value = draw(site, iterator, next, iterator)
        except StopIteration:
            return
        yield value


def next_item(site: int, iterator: Any, *default: Any) -> Any:
    if not is_foreign(K, type(iterator)):
        return next(iterator, *default)
    return draw(site, iterator, next, iterator, *default)


def draw(site: int, iterator: Any, take: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
    """`take(*arguments)`, which draws from the iterator."""
    k = K
    begin(k, iterator, site)
    try:
        if type(iterator) is GeneratorType and not k.alone and site in k.objects.shared:
            interrupt(k, iterator, site)
        value = take(*arguments, **keywords)
    except BaseException as error:
        k.running.log.append((FAILED, type(error), error.args))  # SOUND: at its end, or used by another thread?
        raise
    k.running.log.append(value)
    return value


def begin(k: Kernel, iterator: Any, site: int) -> None:
    """SOUND: the iterator moves on, and so do those below it, in one step."""
    if k.alone:
        k.running.effects += 1
        return
    below = readings(iterator)
    here = next((s for s in (site, *(reading.site for reading in below)) if s in k.objects.shared), site)
    k.objects.access_all([(named(k, iterator), WHOLE, True), *containers_of(k, iterator, below)], here)
    k.iterators.drawn = below  # until they are drawn from, which is before anybody else can run


def containers_of(k: Kernel, iterator: Any, below: list[Reading]) -> list[Touched]:
    """What a draw reads: the containers below, and those whose methods are called, as in map(d.get, xs)."""
    parts = [part for layer in layers(iterator) for thing in layer for part in held(thing)]
    called = [
        part for part in parts if isinstance(part, BuiltinFunctionType) and methods(type(part.__self__)) is not None
    ]
    containers = [reading.container for reading in below]
    found = TOUCHED(k, [*containers, *(part.__self__ for part in called)])  # noqa: F821
    found += [(k.objects.record(part.__self__), WHOLE, True) for part in called if is_changing(part)]
    found += [
        (named(k, reading), WHOLE, True) for reading in below if reading.is_the_programs and reading is not iterator
    ]
    if any(_looks(part) for part in parts):  # as in map(len, xs)
        items = [item for container in containers for item in container]
        found += INSIDE(k, [*items, *parts], inside=any(map(looks_inside, parts)))  # noqa: F821
    return found


def _looks(function: Any) -> bool:
    """Is this a function of C, which looks at what an iterator gives it?"""
    return isinstance(function, BuiltinFunctionType | MethodDescriptorType | WrapperDescriptorType) or (
        looks_inside(function) or (isinstance(function, type) and not function.__flags__ & HEAP_TYPE)
    )


def looks_inside(function: Any) -> bool:
    """Is this a function of C that asks for attributes?"""
    return function is getattr or isinstance(function, attrgetter | methodcaller)


def held(iterator: Any) -> list[Any]:
    """What a foreign iterator holds; those that it draws from may be in a tuple."""
    parts = gc.get_referents(iterator)
    return [inner for part in parts for inner in (part if type(part) is tuple else (part,))]


def layers(iterator: Any) -> Iterator[list[Any]]:
    """A foreign iterator, those from which it draws, and so on; not what is below a container or generator."""
    layer = [iterator]
    for _ in range(MOST_LAYERS):
        layer = [thing for thing in layer if type(thing) not in (Reading, Drawn, GeneratorType)]
        if not layer:
            return
        yield layer
        layer = [inner for thing in layer for inner in held(thing) if hasattr(type(inner), "__next__")]


def readings(iterator: Any) -> list[Reading]:
    """The iterators over containers from which a foreign iterator draws."""
    if type(iterator) is Reading:
        return [iterator]
    found: list[Reading] = []
    for layer in layers(iterator):
        parts = [part for thing in layer for part in held(thing)]
        found += [part for part in parts if type(part) is Reading and part not in found]
    return found


def is_one_step(iterator: Any) -> bool:
    """Can C code use up this iterator without running Python code?  Then nobody comes in between."""
    if type(iterator) in (GeneratorType, Drawn):
        return False
    for layer in layers(iterator):
        for thing in layer:
            kind = type(thing)
            if kind.__flags__ & HEAP_TYPE and not is_library(kind):
                return False
            for part in held(thing):
                if isinstance(part, FunctionType | MethodType | GeneratorType | Drawn) or _is_users_class(part):
                    return False
    return True


def is_library(kind: type) -> bool:
    return kind.__module__ in ("itertools", "builtins", "_collections", "collections")


def _is_users_class(thing: Any) -> bool:
    return isinstance(thing, type) and bool(thing.__flags__ & HEAP_TYPE) and not is_library(thing)


def interrupt(k: Kernel, generator: Any, site: int) -> None:
    """Somewhere inside the code of the generator: others may come."""
    if id(generator) in k.iterators.executing:
        raise ValueError("generator already executing")
    k.iterators.executing.add(id(generator))
    try:
        k.objects.access_whole(named(k, generator), True, site)
    finally:
        k.iterators.executing.discard(id(generator))
