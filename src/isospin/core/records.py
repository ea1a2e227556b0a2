"""Dataclasses whose methods are written when they are first called.

`dataclasses` compiles half a dozen methods for each class where it is defined, which was half of the time that a small
check takes: most of the classes of a front end or an engine never have an object in one run, and of most others nobody
asks for more than objects.  Here a class waits, with stand-ins: who calls a method has that one written first, and who
asks for the fields has `dataclasses` look for them, which then compiles nothing.
For type checkers it is `dataclasses.dataclass`.
"""

from __future__ import annotations

import dataclasses
from _thread import RLock  # never one of a program that is checked
from collections.abc import Callable, Iterator
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls=None, /, **how):
        return _wait(cls, **how) if cls is not None else lambda cls: _wait(cls, **how)


_ASKED = ("__dataclass_fields__", "__dataclass_params__", "__match_args__")
_LOCK = RLock()
_MISSING = dataclasses.MISSING
_GIVEN = {"given": object(), "store": object.__setattr__}  # for methods: no argument; how frozen objects are filled


def _wait(cls: Any, frozen: bool = False, eq: bool = True, **more: Any) -> Any:
    """The class, with stand-ins for all that it does not define itself."""
    if more:  # slots need another class, an order has more methods
        return dataclasses.dataclass(frozen=frozen, eq=eq, **more)(cls)
    methods = {"__init__": _stand_in(cls, "__init__", _init, frozen), "__repr__": _repr}
    if eq:
        methods["__eq__"] = _stand_in(cls, "__eq__", _eq, frozen)
        # as Python has it: what is compared by value, and can change, has no hash
        methods["__hash__"] = _stand_in(cls, "__hash__", _hash, frozen) if frozen else None
    if frozen:
        methods |= _guards(cls)
    own = {name for name, value in vars(cls).items() if name != "__hash__" or value is not None}  # None: by its __eq__
    for name in methods.keys() - own:
        setattr(cls, name, methods[name])
    waiting = _Waiting(cls, [name for name in _ASKED if name not in cls.__dict__])
    for name in waiting.names:
        setattr(cls, name, _Asked(waiting, name))
    return cls


# ------------------------------------------------------------------------------------------------ fields


class _Waiting:
    """A class whose fields nobody has asked for yet."""

    def __init__(self, cls: Any, names: list[str]) -> None:
        self.cls, self.names = cls, names

    def complete(self) -> None:
        with _LOCK:
            names, self.names = self.names, []
            before = dict(vars(self.cls))
            try:
                for name in names:
                    delattr(self.cls, name)
                if names:
                    dataclasses.dataclass(init=False, repr=False, eq=False)(self.cls)
            except BaseException:  # an interrupt: the class waits on, as if nothing had been
                self._restore(before)
                self.names = names
                raise

    def _restore(self, before: dict[str, Any]) -> None:
        for name in vars(self.cls).keys() - before.keys():
            delattr(self.cls, name)
        for name, value in before.items():
            if vars(self.cls).get(name) is not value:
                setattr(self.cls, name, value)


class _Asked:
    """An attribute of the class: to ask for it completes the class."""

    def __init__(self, waiting: _Waiting, name: str) -> None:
        self.waiting, self.name = waiting, name

    def __get__(self, me: Any, owner: Any) -> Any:
        self.waiting.complete()
        return getattr(self.waiting.cls, self.name)


# ------------------------------------------------------------------------------------------------ methods


def _stand_in(cls: Any, name: str, write: Callable[[Any, bool], Any], frozen: bool) -> Any:
    """A method that is written when it is called."""

    def stand_in(me: Any, *args: Any, **kwargs: Any) -> Any:
        written = write(cls, frozen)
        written.__qualname__, written.__module__ = f"{cls.__qualname__}.{name}", cls.__module__
        if vars(cls).get(name) is stand_in:
            setattr(cls, name, written)
        return written(me, *args, **kwargs)

    stand_in.__qualname__ = f"{cls.__qualname__}.{name}"
    return stand_in


def _compiled(text: str, values: dict[str, Any]) -> Any:
    """The function that a text defines."""
    found: dict[str, Any] = {}
    exec(text, {**_GIVEN, **values}, found)
    return found.popitem()[1]


def _init(cls: Any, frozen: bool) -> Any:
    """`__init__`, as `dataclasses` would have it."""
    fields = dataclasses.fields(cls)
    values = {f"default_{f.name}": f.default for f in fields if f.default is not _MISSING}
    values |= {f"make_{f.name}": f.default_factory for f in fields if f.default_factory is not _MISSING}
    ordinary = [_parameter(f) for f in fields if f.init and not f.kw_only]
    named = [_parameter(f) for f in fields if f.init and f.kw_only]
    parameters = ", ".join(["self", *ordinary, *(["*", *named] if named else [])])
    body = [line for f in fields for line in _stored(f, frozen)]
    body += ["self.__post_init__()"] if hasattr(cls, "__post_init__") else []
    return _compiled(f"def __init__({parameters}):\n " + "\n ".join(body or ["pass"]), values)


def _parameter(f: dataclasses.Field[Any]) -> str:
    if f.default_factory is not _MISSING:
        return f"{f.name}=given"
    return f.name if f.default is _MISSING else f"{f.name}=default_{f.name}"


def _stored(f: dataclasses.Field[Any], frozen: bool) -> Iterator[str]:
    """The line that gives a field its value; a default that nobody can change is the class's own."""
    value = f.name if f.init else f"default_{f.name}"
    if f.default_factory is not _MISSING:
        value = f"make_{f.name}() if {f.name} is given else {f.name}" if f.init else f"make_{f.name}()"
    elif not f.init and f.default is _MISSING:
        return
    yield f"store(self, {f.name!r}, {value})" if frozen else f"self.{f.name} = {value}"


def _compared(cls: Any, whose: str, hashed: bool = False) -> str:
    """The fields of an object that count, as a tuple."""
    fields = dataclasses.fields(cls)
    names = [f.name for f in fields if (f.compare if f.hash is None or not hashed else f.hash)]
    return f"({''.join(f'{whose}.{name}, ' for name in names)})"


def _eq(cls: Any, _: bool) -> Any:
    ours, theirs = _compared(cls, "self"), _compared(cls, "other")
    test = f"{ours} == {theirs} if other.__class__ is self.__class__ else NotImplemented"
    return _compiled(f"def __eq__(self, other):\n return {test}", {})


def _hash(cls: Any, _: bool) -> Any:
    return _compiled(f"def __hash__(self):\n return hash({_compared(cls, 'self', hashed=True)})", {})


@recursive_repr()
def _repr(me: Any) -> str:
    shown = ", ".join(f"{f.name}={getattr(me, f.name)!r}" for f in dataclasses.fields(me) if f.repr)
    return f"{me.__class__.__qualname__}({shown})"


def _guards(cls: Any) -> dict[str, Any]:
    """What keeps a frozen object as it is; a subclass may have attributes of its own."""

    def refuse(me: Any, name: str, *value: Any) -> None:
        what = "assign to" if value else "delete"
        if type(me) is cls or name in cls.__dataclass_fields__:
            raise dataclasses.FrozenInstanceError(f"cannot {what} field {name!r}")
        change = super(cls, me).__setattr__ if value else super(cls, me).__delattr__
        change(name, *value)

    return {"__setattr__": refuse, "__delattr__": refuse}
