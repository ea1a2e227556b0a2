"""All permutations that sort the main array, then the least image: full reduction with fewer permutations.

Reference: Bosnacki, Dams, Holenderski, Symmetric Spin, STTT 2002 ("segmented").
Differs: for any group: among its elements, those that make the main array least.
"""

from __future__ import annotations

from itertools import permutations, product

from ...semantics.state import State
from ..folding.action import Moves
from ..protocol import Folded
from .base import Base

__all__ = ["Segmented"]


class Segmented(Base):
    """`--symmetry segmented`."""

    name = "segmented"

    def prepare(self) -> None:
        _ = self.main  # complain early about a main array that is none

    def choose(self, state: State) -> Folded:
        return self.representative(min(self.candidates(state), key=lambda m: self.image(m, state)), state)

    def candidates(self, state: State) -> list[Moves]:
        value = {p: self.main(state, p) for p in self.symmetries.moved}
        if not self.symmetries.fully_symmetric:
            least = min(self.sequence(m, value) for m in self.elements)
            return [m for m in self.elements if self.sequence(m, value) == least]
        families = [self.orders(family, value) for family in self.families]
        return [self.ordered(list(orders)) for orders in product(*families)]

    def sequence(self, moves: Moves, value: dict[int, object]) -> list[object]:
        """The main array after the move."""
        return [v for _, v in sorted((moves.points[p], v) for p, v in value.items())]

    @staticmethod
    def orders(family: list[int], value: dict[int, object]) -> list[list[int]]:
        """The orders of a family in which the main array is sorted."""
        levels = sorted({value[p] for p in family})  # type: ignore[type-var]
        segments = [[p for p in family if value[p] == level] for level in levels]
        return [[p for part in parts for p in part] for parts in product(*map(permutations, segments))]
