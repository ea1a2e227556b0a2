"""What the names of a pointer automaton stand for."""

from __future__ import annotations

import difflib
from dataclasses import field

from ...core.errors import Location, SourceError
from ...core.model import Scalar, Variable
from ...core.records import dataclass

RESERVED = ("N", "P", "NULL", "TRUE", "FALSE")
PASSIVE = -1  # the mode of a process that has none
CONSTANTS = {"NULL": 0, "TRUE": 1, "FALSE": 0}


@dataclass(frozen=True)
class Role:
    """Processes of one kind: their numbers, and the numbers of their modes."""

    name: str
    first: int
    count: int
    modes: tuple[int, ...]  # of a passive process: PASSIVE alone

    @property
    def is_passive(self) -> bool:
        return self.modes == (PASSIVE,)

    @property
    def pids(self) -> range:
        return range(self.first, self.first + self.count)


@dataclass
class Names:
    """What the names of a pointer automaton stand for."""

    size: int  # how many processes
    constants: dict[str, int] = field(default_factory=dict)
    variables: dict[str, Variable] = field(default_factory=dict)
    bounds: dict[str, tuple[int, int]] = field(default_factory=dict)  # of the variables
    modes: dict[str, int] = field(default_factory=dict)
    labels: dict[int, str] = field(default_factory=dict)
    roles: list[Role] = field(default_factory=list)
    terms: int = 0  # that quantifiers stood for up to here

    def add(self, name: str, location: Location) -> None:
        """Is the name free?"""
        if name in RESERVED:
            raise SourceError.at(location, f"'{name}' has a meaning of its own", "choose another name")
        if self.is_taken(name):
            raise SourceError.at(location, f"'{name}' is declared twice", "choose another name")

    def is_taken(self, name: str) -> bool:
        return any(name in names for names in (RESERVED, self.constants, self.variables, self.modes))

    def role_of(self, pid: int) -> Role:
        return next(r for r in self.roles if pid in r.pids)

    def unknown(self, name: str, location: Location, what: str = "name") -> SourceError:
        known = [*self.constants, *self.variables, *self.modes, *RESERVED, "mode"]
        close = difflib.get_close_matches(name, known, 1)
        ways = {"name": "declare it, or let a quantifier name it", "mode": "the modes are declared with `mode`"}
        hint = f"did you mean '{close[0]}'?" if close else ways.get(what, "declare it with `local`")
        return SourceError.at(location, f"unknown {what} '{name}'", hint)


def discrete(low: int, high: int) -> Scalar:
    """The smallest type for a range (and for 0, which stands for a value that nobody needs)."""
    if low < 0:
        return Scalar("discrete", max(max(high, 0).bit_length(), (-low - 1).bit_length()) + 1, signed=True)
    return Scalar("discrete", max(high.bit_length(), 1))

