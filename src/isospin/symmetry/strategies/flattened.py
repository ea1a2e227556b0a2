"""Forget all pids in variables, then sort: fast, small, and many states are taken for others.

Reference: Bosnacki et al., section 4 ("flattened").
Differs: nothing.
"""

from __future__ import annotations

from ...semantics.state import State
from ..protocol import APPROXIMATE, Folded
from .base import Base
from .values import with_values

__all__ = ["Flattened"]


class Flattened(Base):
    """`--symmetry flattened`."""

    name = "flattened"
    exactness = APPROXIMATE
    needs_families = True

    def choose(self, state: State) -> Folded:
        flat = with_values(self.shape, self.identity(state))
        key, pids = self.least_by_swaps(flat)
        moves = self.actions.of_pids(pids)
        return self.representative(moves, state)._replace(key=key)
