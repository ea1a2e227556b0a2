"""Sort one main array: cheap, and one of several representatives comes out.

Reference: Bosnacki, Dams, Holenderski, Symmetric Spin, STTT 2002 ("sorted", "pc-sorted").
Differs: nothing; as there, the search goes on from the state that was found, not from its representative.
"""

from __future__ import annotations

from ...semantics.state import State
from ..protocol import SOUND, Folded
from .base import Base

__all__ = ["PcSorted", "SortedMain"]


class SortedMain(Base):
    """`--symmetry sorted-main`."""

    name = "sorted-main"
    exactness = SOUND
    needs_families = True

    def prepare(self) -> None:
        _ = self.main  # complain early about a main array that is none

    def choose(self, state: State) -> Folded:
        orders = [self.selection_sorted(state, family) for family in self.families]
        key = self.image(self.ordered(orders), state)
        return Folded(key, self.settle(state), None if self.symmetries.heap is None else ())

    def selection_sorted(self, state: State, family: list[int]) -> list[int]:
        order = list(family)
        for i in range(len(order)):
            least = min(range(i, len(order)), key=lambda j: (self.main(state, order[j]), j))
            order[i], order[least] = order[least], order[i]
        return order


class PcSorted(SortedMain):
    """`--symmetry pc-sorted`: the locations of the processes are the main array."""

    name = "pc-sorted"

    def prepare(self) -> None:
        self.main_array = None
        super().prepare()
