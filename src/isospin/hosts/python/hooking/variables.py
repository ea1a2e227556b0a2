"""Which globals and class attributes may be bound again: all others are constants, and reading one is no access."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ..control.kernel import Kernel
from .containers import HEAP_TYPE

__all__ = ["bound_again", "classes", "is_variable", "known_variable", "patched"]


def is_variable(k: Kernel, module: ModuleType, name: str) -> bool:
    """Is a global of a module one that may be bound again?"""
    names = _builtins(module.__dict__)
    if names is None:
        return f"{module.__name__}.{name}" in k.memory.known.patched
    if name in names["_iso_code"].private:  # SOUND: so others do look at it
        _become_variable(k, names, name)
    return name in names["_iso_code"].variable


def known_variable(k: Kernel, space: dict[str, Any], name: Any) -> None:
    """A global is reached as an item of `globals()`, or changed from outside its module: it is no constant."""
    names = _builtins(space)
    if names is not None and name not in names["_iso_code"].variable:
        _become_variable(k, names, name)


def bound_again(k: Kernel, module: ModuleType, name: str, site: int) -> None:
    """A global is changed from outside its module; that of a library is also used without hooks."""
    known_variable(k, module.__dict__, name)
    if _builtins(module.__dict__) is None and not k.alone:
        patched(k, f"{module.__name__}.{name}")
        if not k.is_solo():
            k.border.run_as_one_step(f"setting {module.__name__}.{name}", site)


def patched(k: Kernel, name: str) -> None:
    """A method, a class attribute or something of a library is replaced: from now on it is read where it may change."""
    if name not in k.memory.known.patched:
        k.memory.learnt.patched.add(name)
        k.memory.learn()


def classes(kind: type) -> tuple[type, ...]:
    """SOUND: an attribute may come to be, or go, in any class that is asked for it: from the first one on."""
    return tuple(base for base in kind.__mro__ if base.__flags__ & HEAP_TYPE)


def _builtins(space: dict[str, Any]) -> dict[str, Any] | None:
    """The builtins of a module of the program, which say what is known about its names."""
    names = space.get("__builtins__")
    return names if type(names) is dict and "_iso_code" in names else None


def _become_variable(k: Kernel, names: dict[str, Any], name: str) -> None:
    k.memory.learnt.variable.setdefault(names["_iso_file"], set()).add(name)
    k.memory.learn()
