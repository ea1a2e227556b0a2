"""Facts about a model, as terms over the things that symmetries move."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from ...core.errors import NOWHERE, Location
from ..protocol import Name


class Ref(NamedTuple):
    """Something that symmetries move."""

    name: Name


class TermNode(NamedTuple):
    """A part of a fact."""

    label: tuple[str | int | bool, ...]
    children: tuple[Term, ...] = ()
    unordered: bool = False


Term: TypeAlias = Ref | TermNode


class Fact(NamedTuple):
    """Something that is true of the model; a symmetry keeps all of them."""

    term: TermNode
    location: Location = NOWHERE
    text: str = ""  # what it says, for reports
    actions: tuple[int, ...] = ()  # the ids of the actions that it speaks of
    start: bool = False  # it speaks of the state where runs begin, and of nothing that lasts


def flattened(op: str, children: Iterable[Term]) -> tuple[Term, ...]:
    """a && (b && c) is one conjunction of three."""
    flat: list[Term] = []
    for child in children:
        same = isinstance(child, TermNode) and child.label == (op,)
        flat += child.children if isinstance(child, TermNode) and same else (child,)
    return tuple(flat)
