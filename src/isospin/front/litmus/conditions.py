"""What the last line of a litmus test asks about final states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from ...core.errors import Location
from ...core.records import dataclass

__all__ = ["And", "Compared", "Condition", "Not", "Or", "Truth", "holds_in", "named_in", "text_of"]

State: TypeAlias = Mapping[str, int]


@dataclass(frozen=True)
class Compared:
    """`0:r0 = 1`: a register of a thread, or a shared variable, and the value that it has at the end."""

    name: str
    value: int
    equal: bool
    location: Location


@dataclass(frozen=True)
class Truth:
    """`true` or `false`."""

    value: bool


@dataclass(frozen=True)
class Not:
    """`~ c`."""

    of: Condition


@dataclass(frozen=True)
class And:
    """`c /\\ c`."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class Or:
    """`c \\/ c`."""

    parts: tuple[Condition, ...]


Condition: TypeAlias = "Compared | Truth | Not | And | Or"


def holds_in(condition: Condition, state: State) -> bool:
    """Is it true of a final state?"""
    match condition:
        case Compared(name, value, equal):
            return (state[name] == value) is equal
        case Truth(value):
            return value
        case Not(of):
            return not holds_in(of, state)
        case And(parts):
            return all(holds_in(part, state) for part in parts)
        case Or(parts):
            return any(holds_in(part, state) for part in parts)


def named_in(condition: Condition) -> Iterator[Compared]:
    """Every place in which it names something."""
    match condition:
        case Compared():
            yield condition
        case Not(of):
            yield from named_in(of)
        case And(parts) | Or(parts):
            for part in parts:
                yield from named_in(part)


def text_of(condition: Condition, outermost: bool = True) -> str:
    """As herd writes it."""
    match condition:
        case Compared(name, value, equal):
            return f"{name}{'=' if equal else '!='}{value}"
        case Truth(value):
            return "true" if value else "false"
        case Not(of):
            return f"~({text_of(of)})"
        case And(parts) | Or(parts):
            between = " /\\ " if isinstance(condition, And) else " \\/ "
            text = between.join(text_of(part, False) for part in parts)
            return text if outermost else f"({text})"
