"""The live processes of a template in order: one representative for all ways to name them.

Reference: `folding/births.py`.
Differs: it is chosen by the model, not by name: where processes are started at run time and nobody sees their pids,
sorting them is all that any strategy could do; where pids are data, they are renamed as `exact` would.
"""

from __future__ import annotations

from dataclasses import replace

from ...semantics.state import State
from ..detection.symmetries import Symmetries
from ..folding.births import BirthFold, Remembered
from ..protocol import CANONICAL, Folded, PidsUsedAgain

__all__ = ["LiveSet"]


class LiveSet:
    """For models that start processes."""

    name = "exact"
    exactness = CANONICAL
    by_path = False

    def __init__(self, symmetries: Symmetries) -> None:
        assert symmetries.births is not None
        self.symmetries = symmetries
        self.births = BirthFold(symmetries.births)
        self.identity = symmetries.interpreter.identity

    def fold(self, state: State, origin: State | None = None) -> Folded:
        try:
            images = self.births.images(state)
        except Remembered:
            raise PidsUsedAgain(self.cautious) from None
        if images is None:
            return Folded(self.identity(state), state)
        moved = self.births.move(images, state)
        return Folded(self.identity(moved), moved, None if moved == state else images)

    @property
    def cautious(self) -> LiveSet:
        """What to use instead where pids are used again that somebody remembers."""
        births = self.births.births
        return LiveSet(replace(self.symmetries, births=replace(births, cautious=True)))

    def orbit_size(self, state: State) -> int | None:
        """Which of the states with these live processes are reached depends on who started whom."""
        return None
