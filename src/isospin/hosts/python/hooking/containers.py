"""What the methods of containers read and write: an item, or all of the container."""

from __future__ import annotations

import array
import collections
from collections.abc import Hashable
from typing import Any, NamedTuple

from ..control.indices import Index, number


class _Touch(NamedTuple):
    """How a call touches a container."""

    write: bool
    item: bool  # only the item that the first argument names


READ, WRITE = _Touch(False, False), _Touch(True, False)
READ_ITEM, WRITE_ITEM = _Touch(False, True), _Touch(True, True)

LIST = dict.fromkeys(
    ("append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "__setitem__", "__delitem__",
     "__iadd__", "__imul__"), WRITE,
)  # fmt: skip
DICT = {
    **dict.fromkeys(("get", "__getitem__", "__contains__"), READ_ITEM),
    **dict.fromkeys(("setdefault", "__setitem__"), WRITE_ITEM),
    **dict.fromkeys(("pop", "__delitem__", "clear", "update", "popitem", "move_to_end", "__ior__", "subtract"), WRITE),
}
SET = {
    "add": WRITE_ITEM,
    "__contains__": READ_ITEM,
    **dict.fromkeys(
        ("discard", "remove", "clear", "pop", "update", "difference_update", "intersection_update",
         "symmetric_difference_update", "__ior__", "__iand__", "__isub__", "__ixor__"), WRITE,
    ),
}  # fmt: skip
DEQUE = {**LIST, **dict.fromkeys(("appendleft", "popleft", "extendleft", "rotate"), WRITE)}

KINDS: dict[type, dict[str, _Touch]] = {
    list: LIST, bytearray: LIST, array.array: LIST, dict: DICT, set: SET, collections.deque: DEQUE,
}  # fmt: skip
VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))
SIMPLE = frozenset([int, str, bytes, bool, float, type(None), Index])

HEAP_TYPE = 1 << 9
LIST_OR_DICT = 1 << 25 | 1 << 29  # Py_TPFLAGS_LIST_SUBCLASS, Py_TPFLAGS_DICT_SUBCLASS
RARE = (set, collections.deque, bytearray, array.array)
KNOWN: dict[type, dict[str, _Touch] | None] = dict(KINDS)


def methods(kind: type) -> dict[str, _Touch] | None:
    """The methods of a container type or of one that inherits from it; None: it is no container."""
    try:
        return KNOWN[kind]
    except KeyError:
        pass
    if kind.__flags__ & HEAP_TYPE:  # types that the program defines die with it, and are not kept here
        if kind.__flags__ & LIST_OR_DICT or issubclass(kind, RARE):
            return next(table for base, table in KINDS.items() if issubclass(kind, base))
        return None
    KNOWN[kind] = next((table for base, table in KINDS.items() if issubclass(kind, base)), None)
    return KNOWN[kind]


def is_changing(method: Any) -> bool:
    """Does a bound method of a container change it?"""
    table = methods(type(method.__self__))
    return table is not None and table.get(method.__name__, READ).write


def base_of(kind: type) -> type | None:
    """The builtin container that a type is, or inherits from."""
    if methods(kind) is None:
        return None
    return kind if kind in KINDS else next(base for base in KINDS if issubclass(kind, base))


def contents(container: Any) -> list[Any]:
    """What is in a container or view, the keys of a dictionary: as its builtin type has it, since a method of the
    program's own is no business of ours."""
    base: Any = base_of(type(container))
    return list(container if base is None else base.__iter__(container))


def values(container: dict[Any, Any]) -> list[Any]:
    return list(dict.values(container))


def size(container: Any) -> int:
    base: Any = base_of(type(container))
    if base is None:
        return len(container) if hasattr(type(container), "__len__") else 1
    return int(base.__len__(container))


class Probe:
    """Finds out which key a dictionary or set has for a number, without comparing or hashing indices."""

    def __init__(self, value: int) -> None:
        self.value, self.found = value, value

    def __hash__(self) -> int:
        return hash(self.value)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, int) or number(other) != self.value:
            return False
        self.found = other
        return True

    def is_in(self, container: Any) -> bool:
        base: Any = dict if isinstance(container, dict) else set if isinstance(container, set) else frozenset
        return bool(base.__contains__(container, self))


def has_key(container: Any, key: Any) -> bool:
    """For dictionaries and sets."""
    if type(key) is Index:
        return Probe(number(key)).is_in(container)
    return dict.__contains__(container, key) if isinstance(container, dict) else set.__contains__(container, key)


def item_key(container: Any, key: Any) -> Hashable | None:
    """A name for an item that is the same in every run; None if there is none: then all of the container is meant."""
    kind = type(key)
    if kind is tuple:
        return ("item", key) if all(type(part) in SIMPLE and type(part) is not Index for part in key) else None
    if kind not in SIMPLE or isinstance(container, collections.deque):
        return None
    if kind is int and key < 0 and not isinstance(container, dict | set):
        return None  # which item that is depends on the length
    return ("item", key)
