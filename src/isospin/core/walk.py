"""Runs that somebody makes step by step: where one has come to, and who knows how it can go on.

Going back is going there again: a run is a function of the choices that were made, so a walker is asked for a path, and
never for the step before.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Protocol

from .errors import NOWHERE
from .records import dataclass
from .trace import Choice, Trace, TraceStep
from .verdict import Violation

__all__ = ["NO_VIOLATION", "Crossroads", "Walker"]

NO_VIOLATION = "none"  # the kind of a saved run in which nothing is violated


@dataclass(frozen=True)
class Crossroads:
    """Where a run has come to: all its steps, and those of which one can come next; or how it ended."""

    trace: Trace = Trace()
    options: tuple[TraceStep, ...] = ()  # what each would be; none: the run has ended
    waiting: tuple[str, ...] = ()  # who cannot go on, and why
    ending: str = ""
    failure: Violation | None = None
    cut: bool = False  # it cannot be controlled any further

    def saved(self) -> Violation:
        """The run as something that can be saved, and run again."""
        return self.failure or Violation(NO_VIOLATION, "safety", self.ending, NOWHERE, self.trace)


class Walker(Protocol):
    """Makes runs of a model or a program."""

    def at(self, path: Sequence[Choice]) -> Crossroads:
        """Where a path leads.  UsageError if it is none."""

    def random(self, path: Sequence[Choice], chance: Random, steps: int) -> Crossroads:
        """The path, and then steps by chance until the run ends, or has so many steps."""

    def close(self) -> None:
        """Nobody asks any more."""
