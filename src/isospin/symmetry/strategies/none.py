"""No folding of processes: every state stands for itself, or for all that differ from it in addresses."""

from __future__ import annotations

from ...semantics.state import State
from ..detection.symmetries import Symmetries
from ..protocol import CANONICAL, Folded

__all__ = ["HeapOnly", "NoFolding"]


class NoFolding:
    """`--symmetry none`, or a group with nothing in it."""

    name = "none"
    exactness = CANONICAL
    by_path = False

    def __init__(self, symmetries: Symmetries, main_array: str | None = None) -> None:
        self.identity = symmetries.interpreter.identity
        self.symmetries = symmetries

    def fold(self, state: State, origin: State | None = None) -> Folded:
        return Folded(self.identity(state), state)

    def orbit_size(self, state: State) -> int | None:
        return 1


class HeapOnly(NoFolding):
    """Only addresses are folded."""

    def fold(self, state: State, origin: State | None = None) -> Folded:
        settled = self.symmetries.settle(state)
        return Folded(self.identity(settled), settled, ())

    def orbit_size(self, state: State) -> int | None:
        return None
