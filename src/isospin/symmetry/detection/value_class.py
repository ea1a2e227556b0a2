"""Values that flow into each other: numbers, or names of processes, channels or scalarset values.

Reference: Ip and Dill's scalarsets.
Differs: nothing is declared; `sorts.py` finds the classes.
"""

from __future__ import annotations

from dataclasses import field

from ...core.model import Scalar
from ...core.records import dataclass
from ...core.verdict import Refusal


@dataclass
class ValueClass:
    """Values that flow into each other."""

    number: int
    types: set[Scalar] = field(default_factory=set)
    literals: set[int] = field(default_factory=set)
    holds_pids: bool = False
    holds_channels: bool = False
    scalarsets: set[str] = field(default_factory=set)  # whose values it holds
    spoilt: list[Refusal] = field(default_factory=list)  # why its values are plain numbers
    joined_with: ValueClass | None = None  # the class that it was joined with
    shifts: dict[int, ValueClass] = field(default_factory=dict)  # where its values are with a constant added to them
    doubts: list[Refusal] = field(default_factory=list)  # why its values are plain numbers if that is counting

    @property
    def current(self) -> ValueClass:
        """The class that these values are in, after all that was joined."""
        one = self
        while one.joined_with is not None:
            one = one.joined_with
        return one

    @property
    def kind(self) -> str:
        """number, pid, chan, scalar, or name."""
        # SOUND: values that name several kinds of things have no image; they are plain numbers.
        if self.spoilt or self.holds_pids + self.holds_channels + len(self.scalarsets) > 1:
            return "number"
        return "pid" if self.holds_pids else "chan" if self.holds_channels else "scalar" if self.scalarsets else "name"

    @property
    def scalarset(self) -> str:
        """The set whose values it holds, if it holds those of one."""
        return next(iter(self.scalarsets)) if self.kind == "scalar" else ""

    def absorb(self, other: ValueClass) -> None:
        self.types |= other.types
        self.literals |= other.literals
        self.holds_pids |= other.holds_pids
        self.holds_channels |= other.holds_channels
        self.scalarsets |= other.scalarsets
        self.spoilt += other.spoilt
        self.doubts += other.doubts
