"""All permutations: the least image of the state is its representative.

Reference: Clarke, Enders, Filkorn, Jha 1996; TopSPIN's "enumerate".
Differs: for any group, by enumerating its elements.
"""

from __future__ import annotations

from ...semantics.state import State
from ..protocol import Folded
from .base import Base

__all__ = ["Enumerate"]


class Enumerate(Base):
    """`--symmetry enumerate`."""

    name = "enumerate"

    def choose(self, state: State) -> Folded:
        return self.representative(min(self.elements, key=lambda m: self.image(m, state)), state)
