"""How much the interpreter has done, and where it gives up.

Work is counted, never timed: how far a search with a budget comes is the same on every machine, under every load.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from ..core.errors import Location

MOST_STEPS = 100_000  # inside one d_step or atomic sequence


class GivenUp(Exception):
    """The search cannot be completed."""


class Endless(GivenUp):
    """An atomic sequence goes on and on through new states."""

    def __init__(self, location: Location) -> None:
        super().__init__(f"an atomic sequence at {location} does not end within {MOST_STEPS} steps")


class OverBudget(GivenUp):
    """As much was done as was asked for, and it was not enough."""

    def __init__(self) -> None:
        super().__init__("the budget of the interpreter is used up")


class Work:
    """What was done so far: about how often somebody looked at a process of a state."""

    def __init__(self) -> None:
        self.done, self.budget = 0, sys.maxsize
        self.later: tuple[int, Callable[[], None]] | None = None  # the budget behind a mark, and what is done there

    def allow(self, budget: int | None, mark: int = 0, at_mark: Callable[[], None] | None = None) -> None:
        """Give up behind the budget; on the way, do something else when a mark is passed."""
        self.budget, self.later = budget or sys.maxsize, None
        if at_mark is not None and mark < self.budget:
            self.budget, self.later = mark, (self.budget, at_mark)

    def spend(self, pieces: int = 1) -> None:
        """Count some work; OverBudget if that is too much."""
        self.done += pieces
        if self.done > self.budget:
            self._pass_mark()

    def _pass_mark(self) -> None:
        if self.later is None:
            raise OverBudget
        (self.budget, at_mark), self.later = self.later, None
        at_mark()
        self.spend(0)
