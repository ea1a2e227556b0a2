"""Sort processes by their markers: what they are, and how often others name them.

Reference: Bosnacki et al., Algorithm 5.1 (exact markers).
Differs: markers come from the edges of the state (`shape.py`), so several families, channels and numbers that stand for
processes are covered; whether a variable names nobody is part of the marker, not only of `local`.  Any group will do:
the stabiliser chain says who may still go where (the paper leaves that open).  Whether the markers of a state tell all
that must be told apart is tested by `exact` in the compiled engine (`runtime/fold/markers.inc.h`), not here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...core.permutation import Permutation, compose, inverse
from ...semantics.state import State
from ..folding.owners import LabelledEdge
from ..protocol import CANONICAL, SOUND, Folded
from .base import Base

__all__ = ["Markers"]

Marker = tuple[Any, ...]


class Markers(Base):
    """`--symmetry markers`."""

    name = "markers"

    def prepare(self) -> None:
        # Proposition 2: without arrays from pids to pids, equal markers mean that the processes can be exchanged.
        exact = self.symmetries.fully_symmetric and not self.shape.has_links
        self.exactness = CANONICAL if exact else SOUND

    def choose(self, state: State) -> Folded:
        element = self.least_first(self.markers(self.identity(state)))
        return self.representative(self.actions.moves(element), state)

    def markers(self, state: State) -> dict[int, Marker]:
        """What each point is, how often others name it, and to which markers it refers."""
        edges = self.shape.edges(state)
        markers = {p: _marker(edges, p) for p in self.symmetries.moved}
        value = self.highest(markers)
        return {p: (markers[p], self.references(edges, p, value)) for p in self.symmetries.moved}

    def least_first(self, markers: Mapping[int, Marker]) -> Permutation:
        """The symmetry that puts the least markers first, along the stabiliser chain; of equal ones the first point."""
        element = self.group.unit
        for level in self.group.levels:
            at = inverse(element[: self.symmetries.points])
            chosen = min(level.reach, key=lambda y: (markers.get(at[y], ()), at[y]))
            element = compose(inverse(level.reach[chosen]), element)
        return element

    def highest(self, key: Mapping[int, Marker]) -> dict[int, int]:
        """For each point, the last place in its orbit that its key takes when they are sorted."""
        found = {}
        for family in self.families:
            last = {str(k): place for k, place in zip(sorted(key[p] for p in family), family, strict=True)}
            found.update({p: last[str(key[p])] for p in family})
        return found

    @staticmethod
    def references(edges: list[LabelledEdge], pid: int, value: dict[int, int]) -> list[tuple[int, ...]]:
        """Which markers the process refers to."""
        mine = [e for e in edges if len(e.of) + len(e.among) > 1 and e.of[:1] == (pid,)]
        return sorted((e.label, *(value[p] for p in e.of[1:]), *sorted(value[p] for p in e.among)) for e in mine)


def _marker(edges: list[LabelledEdge], pid: int) -> Marker:
    """What is known of a process without naming others."""
    own = sorted(e.label for e in edges if e.of == (pid,) and not e.among)
    named = sorted(e.label for e in edges if pid in e.of[1:] or pid in e.among)
    return own, named
