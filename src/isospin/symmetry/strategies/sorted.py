"""Sort the whole state by swaps of two processes, as long as they make it smaller.

Reference: Donaldson and Miller 2006, as used in Bosnacki et al. (TopSPIN's "sorted").
Differs: where no two processes can be swapped, the generators of the group take the place of swaps.
"""

from __future__ import annotations

from ...semantics.state import State
from ..protocol import SOUND, Folded
from .base import Base

__all__ = ["Sorted"]


class Sorted(Base):
    """`--symmetry sorted`."""

    name = "sorted"
    exactness = SOUND

    def choose(self, state: State) -> Folded:
        _, pids = self.least_by_swaps(self.identity(state))
        return self.representative(self.actions.of_pids(pids), state)
