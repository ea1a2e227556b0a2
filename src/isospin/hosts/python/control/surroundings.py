"""The process around a checked program: what it must not do to it, and what is put back when an execution is over.

Functions of `os`, `sys`, `signal` and `gc` have stand-ins while a program is checked.  What would end or blind the
process is refused, with its place; what changes it (its folder, its environment, ...) is noted, and undone.
"""

from __future__ import annotations

import functools
import gc
import os
import posix
import signal
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ..hooking import hooks
from ..rewriting.sites import users_line
from .scheduler import Stop

ENDING: dict[str, tuple[ModuleType, ...]] = {
    **dict.fromkeys(("_exit", "abort", "kill", "killpg", "closerange"), (os, posix)),
    **dict.fromkeys(("raise_signal", "pthread_kill"), (signal,)),
    **dict.fromkeys(("settrace", "setprofile"), (sys,)),
}
STANDARD: dict[str, int] = {"close": 0, "dup2": 1}  # files 0 to 2 are not the program's to close: which argument
NOTED: dict[str, tuple[ModuleType, ...]] = {
    **dict.fromkeys(("chdir", "fchdir", "umask", "putenv", "unsetenv"), (os, posix)),
    **dict.fromkeys(("setrecursionlimit", "setswitchinterval"), (sys,)),
    **dict.fromkeys(("disable", "enable", "set_threshold"), (gc,)),
}
INHERITED = 3  # files below this number are those of the process

_copies: list[Surroundings] = []  # those that want to know that there is a copy of the process
_listening: list[bool] = []


def _is_programs() -> bool:
    """Is it the program that calls, and not the checker?"""
    k = hooks.K
    return bool(k.fibers) and not k.is_hub


class Surroundings:
    """Stand-ins for functions that end, blind or change the process, as long as a program is checked."""

    def __init__(self) -> None:
        self.replaced: list[tuple[ModuleType, str, Any]] = []
        self.before: dict[str, Any] = {}
        self.changed = False

    def enter(self) -> None:
        """Replace what would end or change our own process, and note what is to be put back."""
        for name, modules in ENDING.items():
            self.replace(modules, name, _refusing)
        for name, argument in STANDARD.items():
            self.replace((os, posix), name, functools.partial(_refusing_standard, argument))
        for name, modules in NOTED.items():
            self.replace(modules, name, self.noting)
        self.before = state()
        _copies.append(self)
        if not _listening:
            _listening.append(True)
            os.register_at_fork(before=_forking, after_in_child=forked)

    def replace(self, modules: tuple[ModuleType, ...], name: str, stand_in: Callable[[Any, str], Any]) -> None:
        original = getattr(modules[0], name)
        made = functools.wraps(original)(stand_in(original, f"{modules[0].__name__}.{name}"))
        for module in modules:
            self.replaced.append((module, name, original))
            setattr(module, name, made)

    def leave(self) -> None:
        for module, name, original in self.replaced:
            setattr(module, name, original)
        self.replaced.clear()
        _copies.remove(self)
        self.put_back()

    def noting(self, original: Any, name: str) -> Any:
        """A function that changes our process: that it was called is noted, so that it is put back."""

        def changing(*args: Any, **kwargs: Any) -> Any:
            self.changed = True
            return original(*args, **kwargs)

        return changing

    def put_back(self) -> None:
        if self.changed:
            restore(self.before)
            self.changed = False


def _refusing(original: Any, name: str) -> Any:
    """A function that the program must not call; everybody else may."""

    def refused(*args: Any, **kwargs: Any) -> Any:
        if not _is_programs():
            return original(*args, **kwargs)
        return refuse(name)

    return refused


def _refusing_standard(argument: int, original: Any, name: str) -> Any:
    """As `_refusing`, but only for a file that the program did not open."""

    def refused(*args: Any, **kwargs: Any) -> Any:
        file = args[argument] if len(args) > argument else INHERITED
        if isinstance(file, int) and file < INHERITED and _is_programs():
            return refuse(f"{name} of a file that the program did not open")
        return original(*args, **kwargs)

    return refused


def refuse(what: str) -> Any:
    """The program must not do that: its execution ends here, and the verdict is incomplete."""
    if hooks.K.dying:
        raise Stop
    hooks.K.refuse(what)


# ------------------------------------------------------------------------------------------------ copies


def _forking() -> None:
    if _copies and _is_programs():
        hooks.K.border.uncontrolled.setdefault("posix.fork", users_line())


def forked() -> None:
    """In the new process: it executes what the program wants of it, but is not the checker."""
    if _copies:
        hooks.K.interrupt()


# ------------------------------------------------------------------------------------------------ state


def state() -> dict[str, Any]:
    """What of the process a program could change, and has to be as it was."""
    umask = os.umask(0o077)
    os.umask(umask)
    return {
        "folder": os.getcwd(), "umask": umask, "environment": dict(os.environ), "recursion": sys.getrecursionlimit(),
        "interval": sys.getswitchinterval(), "collects": gc.isenabled(), "thresholds": gc.get_threshold(),
    }  # fmt: skip


def restore(before: dict[str, Any]) -> None:
    """Put the process back into a state that it had."""
    os.chdir(before["folder"])
    os.umask(before["umask"])
    if dict(os.environ) != before["environment"]:
        os.environ.clear()
        os.environ.update(before["environment"])
    sys.setrecursionlimit(before["recursion"])
    sys.setswitchinterval(before["interval"])
    (gc.enable if before["collects"] else gc.disable)()
    gc.set_threshold(*before["thresholds"])
