"""Attributes and globals as items of a dictionary: `vars(x)["a"]`, `x.__dict__`, `globals()["a"]` are `x.a` and `a`.

The record of such a dictionary stands for the object whose attributes are in it: an access to an item is one to the
attribute, and one to the whole dictionary is one to each of them and to the set of their names.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ..control.kernel import Kernel
from ..control.records import AttributeSpace


def opened(k: Kernel, thing: Any, space: Any, site: int) -> Any:
    """A program has asked for the dictionary of an object."""
    if type(space) is not dict:  # of a class, whose attributes mostly have no hooks
        if not k.is_solo() and not isinstance(thing, ModuleType):
            k.border.run_as_one_step(f"{getattr(thing, '__name__', type(thing).__name__)}.__dict__", site)
        return space
    found = k.objects.records.get(id(space))
    if type(found) is not AttributeSpace:
        if found is not None and found.places:  # it was an ordinary dictionary before
            k.border.risky.setdefault(f"{type(thing).__name__}.__dict__", site)
        owner = k.objects.record(thing)
        k.objects.records[id(space)] = AttributeSpace(owner, (owner.name, "__dict__"), space)
    if not k.memory.known.spaces:
        k.memory.learnt.spaces = True
        k.memory.learn()
    return space


def shown(names: Any) -> Any:
    """What `locals()` and `dir()` tell, without our own names; the globals stay what they are."""
    if isinstance(names, list):
        return [name for name in names if not name.startswith("_iso_")]
    if "__builtins__" in names or "__module__" in names:  # a module or a class: the namespace itself
        return names
    return {name: value for name, value in names.items() if not name.startswith("_iso_")}
