"""Markers that do not tell processes with equal markers apart: full reduction, and sometimes too much.

Reference: Bosnacki et al., Algorithm 5.1 (approximate markers), Propositions 1 and 2.
Differs: see `markers.py`.  Where Proposition 2 makes it exact, it says so.
"""

from __future__ import annotations

from ...semantics.state import State
from ..folding.owners import Owner
from ..protocol import APPROXIMATE, CANONICAL, Folded
from .markers import Markers
from .values import with_values

__all__ = ["ApproxMarkers"]


class ApproxMarkers(Markers):
    """`--symmetry approx-markers`."""

    name = "approx-markers"
    needs_families = True

    def prepare(self) -> None:
        self.exactness = APPROXIMATE if self.shape.has_links else CANONICAL

    def choose(self, state: State) -> Folded:
        """The key has ranks in place of pids, so that processes with one rank are not told apart."""
        markers = self.markers(self.identity(state))
        element, rank = self.least_first(markers), self.highest(markers)
        folded = self.representative(self.actions.moves(element), state)
        if self.exactness == CANONICAL:
            return folded
        merged = {element[p]: rank[p] for p in self.symmetries.moved}

        def merge(owner: Owner) -> Owner:
            return owner._replace(of=tuple(merged[p] for p in owner.of))

        return folded._replace(key=with_values(self.shape, self.identity(folded.state), merge))
