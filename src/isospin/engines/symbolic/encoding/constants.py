"""Bits that keep their first value: they are found by induction, and left out.

Reference: van Eijk, Sequential Equivalence Checking Based on Structural Similarities (2000), for constants only.
Differs: nothing.  Assume that all bits that are the same in all initial states stay so; drop those that some transition
changes under this assumption; repeat until nothing is dropped.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..backend import Bdd, Manager
from .world import Change


def constant_bits(manager: Manager, initial: Bdd, bits: Iterable[int], transitions: list[Change]) -> dict[int, bool]:
    """The bits that never change, with their values."""
    # SOUND: by induction over the steps of a run; the assumption is one about the state before each step.
    assumed = dict(_at_start(manager, initial, bits))
    while True:
        constant = manager.substitution({bit: literal(manager, value) for bit, value in assumed.items()})
        broken = {bit for t in transitions for bit in _changed(manager, t, assumed, constant)}
        if not broken:
            return assumed
        assumed = {bit: value for bit, value in assumed.items() if bit not in broken}


def _at_start(manager: Manager, initial: Bdd, bits: Iterable[int]) -> Iterable[tuple[int, bool]]:
    for bit in bits:
        variable = manager.variable(bit)
        if initial & variable == manager.false:
            yield bit, False
        elif initial & ~variable == manager.false:
            yield bit, True


def _changed(manager: Manager, t: Change, assumed: dict[int, bool], constant: object) -> Iterable[int]:
    touched = [bit for bit in t.changes if bit in assumed]
    if not touched:
        return
    guard = manager.substitute(t.guard, constant)
    for bit in touched:
        new = manager.substitute(t.changes[bit], constant)
        if guard & (~new if assumed[bit] else new) != manager.false:
            yield bit


def literal(manager: Manager, value: bool) -> Bdd:
    return manager.true if value else manager.false


def simplified(manager: Manager, t: Change, bits: dict[int, bool]) -> Change:
    """The transition in states with these constants."""
    constant = manager.substitution({bit: literal(manager, value) for bit, value in bits.items()})
    changes = {b: manager.substitute(new, constant) for b, new in t.changes.items() if b not in bits}
    return replace(t, guard=manager.substitute(t.guard, constant), changes=changes)
