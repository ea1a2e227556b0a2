"""A litmus test as data."""

from __future__ import annotations

from ...core.errors import Location
from ...core.records import dataclass
from .conditions import Condition, text_of

__all__ = ["GivenVariable", "LitmusTest", "LitmusThread", "Shared"]


@dataclass(frozen=True)
class Shared:
    """A shared variable, and its value at the start."""

    name: str
    type: str
    value: int
    location: Location


@dataclass(frozen=True)
class GivenVariable:
    """What a thread is given: the address of a shared variable."""

    name: str
    type: str  # of the variable, such as atomic_int
    location: Location


@dataclass(frozen=True)
class LitmusThread:
    """A thread: its number, what it is given, and its code in C, as it stands in the file."""

    number: int
    parameters: tuple[GivenVariable, ...]
    body: str
    location: Location  # of its name
    begin: Location  # of the first character of the body


@dataclass(frozen=True)
class LitmusTest:
    """All of a file.  `quantifier` is `exists`, `~exists` or `forall`."""

    name: str
    file: str
    shared: tuple[Shared, ...]
    threads: tuple[LitmusThread, ...]
    quantifier: str
    condition: Condition
    location: Location  # of the quantifier
    shown: tuple[str, ...]  # what a final state tells: registers as `0:r0`, and variables

    @property
    def asked(self) -> str:
        """The condition, as herd writes it."""
        return text_of(self.condition)
