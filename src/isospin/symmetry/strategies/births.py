"""The live processes of a template in order: one representative for all ways to name them.

Reference: `folding/births.py`.
Differs: it is chosen by the model, not by name: where processes are started at run time and nobody sees their pids,
sorting them is all that any strategy could do.
"""

from __future__ import annotations

from ...semantics.state import State
from ..detection.detect import Symmetries
from ..folding.births import BirthFold
from ..protocol import CANONICAL, Folded

__all__ = ["LiveSet"]


class LiveSet:
    """For models that start processes."""

    name = "exact"
    exactness = CANONICAL
    by_path = False

    def __init__(self, symmetries: Symmetries) -> None:
        assert symmetries.births is not None
        self.births = BirthFold(symmetries.births)
        self.identity = symmetries.interpreter.identity

    def fold(self, state: State, origin: State | None = None) -> Folded:
        images = self.births.images(state)
        moved = self.births.move(images, state)
        return Folded(self.identity(moved), moved, None if moved == state else images)

    def orbit_size(self, state: State) -> int | None:
        """Which of the states with these live processes are reached depends on who started whom."""
        return None
