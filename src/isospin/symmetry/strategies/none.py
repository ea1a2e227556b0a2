"""No folding: every state stands for itself."""

from __future__ import annotations

from ...ir.evaluate import State
from ..detect import Symmetries
from ..protocol import CANONICAL, Folded


class NoFolding:
    name = "none"
    exactness = CANONICAL

    def __init__(self, symmetries: Symmetries, main_array: str | None = None) -> None:
        self.identity = symmetries.interpreter.identity

    def fold(self, state: State) -> Folded:
        return Folded(self.identity(state), state)

    def orbit_size(self, state: State) -> int | None:
        return 1
