"""Dataclasses whose methods are written when they are first needed.

`dataclasses` compiles half a dozen methods for each class where it is defined, which was half of the time that a small
check takes: most of the classes of a front end or an engine never have an object in one run.  Here a class waits, with
stand-ins for those methods; whoever calls one, or asks for the fields, has the class completed first.
For type checkers it is `dataclasses.dataclass`.
"""

from __future__ import annotations

import dataclasses
from _thread import RLock  # never one of a program that is checked
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls=None, /, **how):
        return _wait(cls, how) if cls is not None else lambda cls: _wait(cls, how)


_CALLED = ("__init__", "__repr__", "__eq__", "__hash__")
_COMPARING = ("__eq__", "__hash__")
_ASKED = ("__dataclass_fields__", "__dataclass_params__", "__match_args__")
_LOCK = RLock()


def _wait(cls: Any, how: dict[str, Any]) -> Any:
    """The class, with stand-ins for all that it does not define itself."""
    if how.keys() - {"frozen", "eq"}:  # slots need another class, an order has more methods
        return dataclasses.dataclass(**how)(cls)
    wanted = [name for name in (*_CALLED, *_ASKED) if how.get("eq", True) or name not in _COMPARING]
    waiting = _Waiting(cls, how, [name for name in wanted if name not in cls.__dict__])
    for name in waiting.names:
        setattr(cls, name, waiting.stand_in(name))
    return cls


class _Waiting:
    """A class that is not complete yet."""

    def __init__(self, cls: Any, how: dict[str, Any], names: list[str]) -> None:
        self.cls, self.how, self.names = cls, how, names

    def complete(self) -> None:
        with _LOCK:
            names, self.names = self.names, []
            before = dict(vars(self.cls))
            try:
                for name in names:
                    delattr(self.cls, name)
                if names:
                    dataclasses.dataclass(**self.how)(self.cls)
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

    def stand_in(self, name: str) -> Any:
        if name in _ASKED:
            return _Asked(self, name)
        if name == "__hash__" and not self.how.get("frozen"):
            return None  # as Python has it: what is compared by value, and can change, has no hash

        def stand_in(me: Any, *args: Any, **kwargs: Any) -> Any:
            self.complete()
            return getattr(self.cls, name)(me, *args, **kwargs)

        stand_in.__qualname__ = f"{self.cls.__qualname__}.{name}"
        return stand_in


class _Asked:
    """An attribute of the class: to ask for it completes the class."""

    def __init__(self, waiting: _Waiting, name: str) -> None:
        self.waiting, self.name = waiting, name

    def __get__(self, me: Any, owner: Any) -> Any:
        self.waiting.complete()
        return getattr(self.waiting.cls, self.name)
