"""The default: canonical representatives for any group, by refinement and individualisation.

Reference: see `canon.py`.
Differs: see there.
"""

from __future__ import annotations

from ...semantics.state import State
from ..protocol import Folded
from .base import Base

__all__ = ["Exact"]


class Exact(Base):
    """`--symmetry exact`."""

    name = "exact"

    def choose(self, state: State) -> Folded:
        leaf = self.canon.canonical(state)
        return self.representative(self.actions.moves(leaf.element), state)
