"""What a program changes of the libraries that it uses, put back when an execution is over.

Modules of the program are executed afresh each time; those of libraries are not.
"""

from __future__ import annotations

import builtins
from types import ModuleType

from .kernel import Kernel
from .reachable import is_users, is_users_module

MISSING = object()


def remember(k: Kernel, home: ModuleType | type, name: str) -> None:
    """An attribute of a module or class is about to be changed."""
    if home is builtins:
        # SOUND: the program has builtins of its own, in which the change would not be seen; and ours need theirs.
        k.refuse(f"changing builtins.{name}")
    if not (is_users_module(home) if isinstance(home, ModuleType) else is_users(home)):
        k.undo.append((home, name, vars(home).get(name, MISSING)))


def put_back(k: Kernel) -> None:
    for home, name, value in reversed(k.undo):
        if value is not MISSING:
            setattr(home, name, value)
        elif name in vars(home):
            delattr(home, name)
    k.undo.clear()
