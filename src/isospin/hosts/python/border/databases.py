"""Connections of `sqlite3`: C code asks for the thread of the system, which all controlled threads share, and waits.

So both is done here, for what the program calls itself: a connection belongs to the thread that made it; and who finds
a database locked lets the others go on, as long as that changes something, before the time-out strikes.
"""

from __future__ import annotations

import sys
from typing import Any

from ..control.kernel import Kernel
from ..control.polling import give_way_to_all

CONNECTS = frozenset(["_sqlite3.connect", "sqlite3.connect"])
PLACES = {"timeout": 1, "check_same_thread": 4}  # arguments
FREE = frozenset(["interrupt", "__enter__"])  # methods that any thread may call


def controlled(k: Kernel, name: str, owner: Any, function: Any) -> Any:
    """What to call instead."""
    if name in CONNECTS:
        return lambda *arguments, **keywords: _connect(k, function, arguments, keywords)
    if type(owner).__module__ == "sqlite3":
        found = k.border.connections.get(id(getattr(owner, "connection", owner)))
        if found is not None:
            return _method(k, function, *found[1:])
    return function


def _connect(k: Kernel, function: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """A new connection waits for nothing by itself: waiting is letting others go on."""

    def given(name: str, default: Any) -> Any:
        place = PLACES[name]
        return arguments[place] if len(arguments) > place else keywords.get(name, default)

    waits, belongs = bool(given("timeout", 5.0)), given("check_same_thread", True)
    made = function(*arguments, **keywords)
    if waits:
        made.execute("pragma busy_timeout = 0")
    k.border.connections[id(made)] = made, k.running if belongs else None, waits
    return made


def _method(k: Kernel, function: Any, maker: Any, waits: bool) -> Any:
    """The method, tried again while the database is locked and others can go on."""
    errors = sys.modules["sqlite3"]
    if maker is not None and maker is not k.running and function.__name__ not in FREE:
        raise errors.ProgrammingError("SQLite objects created in a thread can only be used in that same thread.")

    def patient(*arguments: Any, **keywords: Any) -> Any:
        while True:
            try:
                return function(*arguments, **keywords)
            except errors.OperationalError as error:
                if not waits or k.is_solo() or "locked" not in str(error) or not give_way_to_all(k, k.running):
                    raise

    return patient
