"""Items that belong to indices: `cell[i]`.  Containers that are used by index have items that move with their threads.

Such a container may be asked for the item of an index.  One that is asked for a fixed item, or gone through in order,
tells numbers apart (`control.indices`), unless all of these items are equal, so that it does not matter which is which.
"""

from __future__ import annotations

import sys
from array import array
from collections import deque
from collections.abc import Hashable, Iterable, Iterator
from typing import Any

from ..control.indices import Family, Index, IndexName, number, plain
from ..control.kernel import Kernel
from ..control.records import ALL_ITEMS, INTS, NO_ITEMS, ObjectRecord, SearchMemory
from .containers import SIMPLE, Probe, contents, item_key, methods, size
from .outside import has_own

__all__ = [
    "check_given",
    "check_key",
    "check_made",
    "check_method",
    "check_order",
    "find_indices",
    "formatted",
    "ignored_order",
    "indexing",
    "is_read_back",
    "is_safe",
    "place_key",
    "stored_key",
]  # fmt: skip

K: Kernel = Kernel(SearchMemory())  # see `hooks.activate`
MOST_PARTS = 10_000
NESTING = (list, tuple, dict, set, frozenset, deque)


# -------------------------------------------------------------------------------------------------- where they are made


def numbers(things: Any, site: int) -> Any:
    """What a loop over a range goes over: in the main thread the numbers may become indices."""
    if not K.indices.numbers or K.running.tid or site in K.memory.known.indices.ordinary:
        return things
    return _made(K, things, site)


def counted(things: Any, site: int) -> Any:
    """The same for `enumerate(...)`."""
    if not K.indices.numbers or K.running.tid or site in K.memory.known.indices.ordinary:
        return things
    return _made(K, things, site, pairs=True)


def _made(k: Kernel, things: Iterable[Any], site: int, pairs: bool = False) -> Iterator[Any]:
    late, children = not k.alone, k.running.child_count
    for thing in things:
        yield (k.indices.produce(site, thing[0]), *thing[1:]) if pairs else k.indices.produce(site, thing)
    if late and k.running.child_count == children:  # a loop behind the one that starts threads
        k.indices.make_ordinary(site)


# -------------------------------------------------------------------------------------------------- keys


def indexing(k: Kernel, thing: Any) -> Family | None:
    """The family whose indices are the keys of a container."""
    record: ObjectRecord | None = k.objects.records.get(id(thing))
    if record is None or record.thing is not thing:
        return None
    known = k.memory.known.indices
    found = known.indexed.get(record.name)
    return None if found is None else known.root(found)


def place_key(k: Kernel, thing: Any, key: Any) -> Hashable | None:
    """The name of an item: one that belongs to an index moves with it."""
    value = number(key)
    family = indexing(k, thing) if type(value) is int or type(value) is bool else None
    if family is not None and value in k.memory.known.indices.domain(family) and not isinstance(thing, deque):
        return ("item", IndexName(family, int(value)))
    return item_key(thing, value)


def check_key(k: Kernel, thing: Any, key: Any, write: bool = False) -> None:
    """An item is asked for, or changed."""
    kind = type(key)
    if kind is Index:
        _check_index(k, thing, key)
    elif kind is slice:
        for part in (key.start, key.stop, key.step):
            if type(part) is Index:
                k.indices.tell(part, "is the bound of a slice")
        check_order(k, thing, "is cut")
    elif (kind is int or kind is bool) and not k.alone and methods(type(thing)) is not None:
        place = key + size(thing) if key < 0 and not isinstance(thing, dict | set) else int(key)
        for family in _families(k, thing):
            if place in k.memory.known.indices.domain(family):
                if write or not k.is_solo() or not is_uniform(k, thing, family):
                    k.indices.tell_number(family, place, f"is the number of the item [{key}] that is asked for")


def _families(k: Kernel, thing: Any) -> set[Family]:
    """The families whose numbers are keys of a container."""
    family = indexing(k, thing)
    found = {key.family for key in contents(thing) if type(key) is Index} if isinstance(thing, dict | set) else set()
    return found if family is None else found | {family}


def _check_index(k: Kernel, thing: Any, key: Index) -> None:
    if not key.is_pure:
        k.indices.tell(key, "is computed with, and used as a key")
    elif methods(type(thing)) is not None:
        record = k.objects.record(thing)
        known, learnt = k.memory.known.indices, k.memory.learnt.indices
        family = known.indexed.get(record.name)
        if family is None:
            learnt.indexed.setdefault(record.name, key.family)
            k.indices.learn()
        for other in _families(k, thing) - {key.family}:  # SOUND: they are found by what they are equal to
            k.indices.meet(other, key.family)
    elif type(thing) is tuple:
        found = [thing[v] for v in k.memory.known.indices.domain(key.family) if -len(thing) <= v < len(thing)]
        if not _all_equal(found) or len(found) < len(k.memory.known.indices.domain(key.family)):
            k.indices.tell(key, "is the place in a tuple, whose items do not move; a list's do")
    elif not has_own(k, type(thing), "__getitem__"):
        k.indices.tell(key, f"is a key of a {type(thing).__name__}")


def stored_key(k: Kernel, thing: Any, key: Any) -> Any:
    """The key itself, or the ordinary number that stands in its place: looking for it tells nothing."""
    k.indices.sought = None
    if type(key) is not Index or not isinstance(thing, dict | set | frozenset):
        return key
    probe = Probe(number(key))
    found = probe.found if probe.is_in(thing) else key
    if type(found) is Index:
        k.indices.sought = found
    return found


# -------------------------------------------------------------------------------------------------- all items


def check_made(k: Kernel, thing: Any) -> None:
    """SOUND: a new container has its items at fixed places, so they must be equal if these belong to indices."""
    family = indexing(k, thing) if methods(type(thing)) is not None else None
    if family is None:
        return
    keys = contents(thing) if isinstance(thing, dict | set) else range(size(thing))
    places = frozenset(key for key in keys if type(key) is int)
    if places and not is_uniform(k, thing, family):
        k.indices.tell_all(family, places, f"is the place in a {type(thing).__name__} that is made here")


def check_order(k: Kernel, thing: Any, what: str, write: bool = False, keys: bool = True) -> None:
    """All of a container is looked at in its order, or changed."""
    indices = k.indices
    if not indices.is_active or k.alone or methods(type(thing)) is None or _ignores_order(k, thing):
        return
    family = indexing(k, thing)
    if family is not None:
        if write or (keys and isinstance(thing, dict | set)) or not is_uniform(k, thing, family):
            indices.tell_all(family, _places(thing), f"is the key of a {type(thing).__name__} that {what}")
    elif isinstance(thing, dict | set):
        found = [key for key in contents(thing) if type(key) is Index]
        for index in found if len(found) > 1 else ():
            indices.tell(index, f"is in a {type(thing).__name__} that {what}")


def _places(thing: Any) -> frozenset[int]:
    if isinstance(thing, dict | set):
        return frozenset(number(key) for key in contents(thing) if isinstance(key, int))
    return frozenset(range(size(thing)))


def is_uniform(k: Kernel, thing: Any, family: Family) -> bool:
    """Are the items that belong to indices all equal, and ordinary?"""
    domain = k.memory.known.indices.domain(family)
    if isinstance(thing, set):
        return False
    if isinstance(thing, dict):
        found = {number(key): value for key, value in dict.items(thing) if isinstance(key, int)}
        return domain <= found.keys() and _all_equal([found[v] for v in domain])
    items = contents(thing)
    return all(0 <= v < len(items) for v in domain) and _all_equal([items[v] for v in sorted(domain)])


def _all_equal(found: list[Any]) -> bool:
    first = found[0] if found else None
    return all(type(v) is type(first) and type(v) in SIMPLE and type(v) is not Index and v == first
               and (type(v) is not float or str(v) == str(first)) for v in found)  # fmt: skip


# -------------------------------------------------------------------------------------------------- functions


SAFE = frozenset(["len", "isinstance", "tuple", "list", "dict", "set", "frozenset", "zip", "enumerate", "reversed"])
ANY_ORDER = frozenset(["len", "print", "isinstance"])
ANY_ORDER_OF_INTS = frozenset(["sum", "min", "max", "any", "all", "sorted"])


def check_given(k: Kernel, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    """What a function without hooks is given: it may look at numbers in a way that we do not see."""
    if is_safe(name, arguments, keywords) or (name == "print" and not is_read_back(k, keywords)):
        return
    for index in find_indices((*arguments, *keywords.values())):
        k.indices.tell(index, f"is given to {name}")


def is_read_back(k: Kernel, keywords: dict[str, Any]) -> bool:
    """SOUND: does `print` write to something that the program may look at?"""
    return keywords.get("file") is not None or any(
        home is sys and name == "stdout" for home, name, _ in k.border.changed_libraries
    )


def is_safe(name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    """Does it only hand on what it is given?"""
    return name in SAFE and not keywords and (len(arguments) < 2 or name in ("isinstance", "zip"))


STORING = frozenset(["append", "appendleft", "extend", "extendleft", "index", "count", "remove", "__contains__",
                     "__iadd__"])  # fmt: skip
BY_KEY = frozenset(["get", "setdefault", "pop", "add", "discard", "remove", "__getitem__", "__setitem__", "__delitem__",
                    "__contains__"])  # fmt: skip
WHOLE_SETS = frozenset(["update", "__ior__", "clear", "copy", "__len__", "__eq__", "__ne__", "keys", "values", "items",
                        "issubset", "issuperset", "isdisjoint"])  # fmt: skip


def check_method(k: Kernel, thing: Any, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    """What a method of a container is given.  Is the order of items of no importance to it?"""
    keyed = isinstance(thing, dict | set)
    by_key = keyed and name in BY_KEY and bool(arguments)
    ignores = by_key or name == "__len__" or (keyed and name in ("keys", "values", "items"))
    k.running.ignores_order = ALL_ITEMS if ignores else NO_ITEMS
    if (name in BY_KEY if keyed else name in ("__getitem__", "__setitem__", "__delitem__")) and arguments:
        check_key(k, thing, arguments[0], name not in ("get", "__getitem__", "__contains__"))
        arguments = arguments[1:] if not isinstance(thing, bytearray | array) else arguments
    elif name == "insert" and isinstance(thing, list | deque):
        arguments = arguments[:1]
    elif isinstance(thing, list | deque) and name in STORING:
        return
    if keyed and name in (BY_KEY | WHOLE_SETS):
        return
    for index in find_indices((*arguments, *keywords.values())):
        if not (isinstance(thing, list | deque) and name == "__setitem__"):
            k.indices.tell(index, f"is given to {type(thing).__name__}.{name}")


def ignored_order(name: str, arguments: tuple[Any, ...]) -> str:
    """Of which items does the order not matter to a function?"""
    return ALL_ITEMS if name in ANY_ORDER else INTS if name in ANY_ORDER_OF_INTS and len(arguments) == 1 else NO_ITEMS


def _ignores_order(k: Kernel, thing: Any) -> bool:
    """SOUND: what is in a list may have changed since the function was called, so that it is looked at now."""
    if k.running.ignores_order != INTS:
        return k.running.ignores_order == ALL_ITEMS
    return type(thing) is list and all(type(part) is int or type(part) is bool for part in thing)


def find_indices(things: Iterable[Any]) -> list[Index]:
    """Those that are in these, however deep."""
    found: dict[int, Index] = {}
    todo, seen = list(things), set[int]()
    while todo:
        if len(seen) == MOST_PARTS:  # SOUND: there may be others
            for family in K.memory.known.indices.values:
                K.indices.make_ordinary(family)
            break
        thing = todo.pop()
        kind = type(thing)
        if kind is Index:
            found[id(thing)] = thing
        elif isinstance(thing, NESTING) and id(thing) not in seen:
            seen.add(id(thing))
            todo += contents(thing)
            todo += dict.values(thing) if isinstance(thing, dict) else ()
    return list(found.values())


def looked_at(thing: Any) -> Any:
    """An argument of a function that has no hook, and looks at numbers."""
    return plain(thing, "is looked at") if type(thing) is Index else thing


def same(first: Any, second: Any) -> bool:
    """`first is second`"""
    if type(first) is Index or type(second) is Index:
        return plain(first, "is compared by is") is plain(second, "is compared by is")
    return first is second


def formatted(value: Any) -> Any:
    """What a text is made from by `%`, which is C code that looks at numbers itself."""
    for index in find_indices((value,)):
        plain(index, "becomes text")
    return value


EXPORTED: dict[str, Any] = {f"_iso_{f.__name__}": f for f in (numbers, counted, looked_at, same)}
