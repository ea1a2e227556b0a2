"""Sort processes by their locations, and objects by access chains in the order that the processes had at the start.

Reference: Iosif, Symmetry reduction criteria for software model checking (dSPIN), Fig. 5.
Differs: nothing.  The order of the objects depends on the path on which a state was found first, and processes at the
same location are not told apart: sound, not canonical.  Kept for comparison.
"""

from __future__ import annotations

from ...core.permutation import Permutation, compose, identity
from ...semantics.state import State
from ..protocol import SOUND, Folded
from .base import Base

__all__ = ["Fig5"]


class Fig5(Base):
    """`--symmetry fig5`."""

    name = "fig5"
    exactness = SOUND
    by_path = True
    needs_families = True

    def prepare(self) -> None:
        self.main_array = None
        self.path: dict[State, Permutation] = {}  # for each stored state, where the processes of the start are

    def fold(self, state: State, origin: State | None = None) -> Folded:
        if not self.actions.is_born(state):
            return super().fold(state)
        start = identity(self.symmetries.processes)
        known = start if origin is None else self.path.get(origin, start)
        moves = self.ordered([sorted(family, key=lambda p: (self.main(state, p), p)) for family in self.families])
        image = moves.apply(self.sorted_heap(state, known))
        self.path.setdefault(image, compose(moves.pids, known))
        return Folded(self.identity(image), image, moves.points)

    def sorted_heap(self, state: State, known: Permutation) -> State:
        if self.symmetries.heap is None:
            return state
        alive = range(len(state.processes))
        return self.symmetries.heap.fold(state, [p for p in known if p in alive] + [p for p in alive if p not in known])

    def choose(self, state: State) -> Folded:
        return self.fold(state)
