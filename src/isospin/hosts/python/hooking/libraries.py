"""What a program changes of the libraries that it uses, put back when an execution is over.

Modules of the program are executed afresh each time; those of libraries are not.
"""

from __future__ import annotations

import builtins
import sys
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ..control.kernel import Kernel
from .reachable import is_users, is_users_module

MISSING = object()


def remember(k: Kernel, home: ModuleType | type, name: str) -> None:
    """An attribute of a module or class is about to be changed."""
    if home is builtins:
        # SOUND: the program has builtins of its own, in which the change would not be seen; and ours need theirs.
        k.refuse(f"changing builtins.{name}")
    if not (is_users_module(home) if isinstance(home, ModuleType) else is_users(home)):
        k.border.changed_libraries.append((home, name, vars(home).get(name, MISSING)))


def put_back(k: Kernel) -> None:
    for home, name, value in reversed(k.border.changed_libraries):
        if value is not MISSING:
            setattr(home, name, value)
        elif name in vars(home):
            delattr(home, name)
    k.border.changed_libraries.clear()


# ---------------------------------------------------------------------------------------------- registries

Restore = Callable[[], None]


def filters() -> Restore:
    """What puts the filters of warnings back."""
    before, shown = list(warnings.filters), warnings.showwarning

    def restore() -> None:
        if warnings.filters != before:
            warnings.filters[:] = before  # type: ignore[index]
            warnings._filters_mutated()  # type: ignore[attr-defined]
        warnings.showwarning = shown

    return restore


def logs() -> Restore:
    """Loggers, their handlers and levels."""
    logging: Any = sys.modules["logging"]
    manager = logging.Logger.manager
    loggers = dict(manager.loggerDict)
    known = [logging.root, *(logger for logger in loggers.values() if isinstance(logger, logging.Logger))]
    states = [(logger, dict(vars(logger)), list(logger.handlers), list(logger.filters)) for logger in known]
    handlers, named, disabled = list(logging._handlerList), dict(logging._handlers), manager.disable

    def restore() -> None:
        manager.loggerDict.clear()
        manager.loggerDict.update(loggers)
        for logger, state, its_handlers, its_filters in states:
            vars(logger).clear()
            vars(logger).update({**state, "handlers": its_handlers[:], "filters": its_filters[:], "_cache": {}})
        logging._handlerList[:] = handlers
        logging._handlers.clear()
        logging._handlers.update(named)
        manager.disable = disabled

    return restore


class Registries:
    """What libraries remember for the whole process: as it was before the program began."""

    def __init__(self) -> None:
        self.restores = [filters()]
        self.logs = logs() if "logging" in sys.modules else None
        self.uses_logs = False

    def imported(self, name: str) -> None:
        """A program has just imported this module, perhaps for the first time."""
        if name.startswith("logging"):
            self.uses_logs = True
            self.logs = self.logs or logs()

    def put_back(self) -> None:
        for restore in self.restores:
            restore()
        if self.logs is not None and self.uses_logs:
            self.logs()


def log_streams() -> tuple[bool, list[Any]]:
    """Does the logging run code of the program (a handler, filter or format of its own), and what does it write to?"""
    logging: Any = sys.modules["logging"]
    handlers = [handler for reference in logging._handlerList if (handler := reference()) is not None]
    parts = [part for handler in handlers for part in (handler, handler.formatter, *handler.filters)]
    own = any(is_users(type(part)) for part in parts if part is not None)
    streams = [handler.stream for handler in handlers if hasattr(handler, "stream")]
    return own, [stream for stream in streams if stream not in (sys.stderr, sys.stdout)]
