"""Sort processes by their markers: what they are, and how often others name them.

Reference: Bosnacki et al., Algorithm 5.1 (exact markers).
Differs: markers come from the edges of the state (`shape.py`), so several families, channels and numbers that stand for
processes are covered; whether a variable names nobody is part of the marker, not only of `local`.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...core.records import dataclass
from ...semantics.state import State
from ..folding.owners import LabelledEdge
from ..protocol import CANONICAL, SOUND, Folded
from .base import Base

__all__ = ["Markers"]


@dataclass
class _Ranking:
    """For each process: its place, and the highest place of those that look like it."""

    place: dict[int, int]
    rank: dict[int, int]


class Markers(Base):
    """`--symmetry markers`."""

    name = "markers"
    needs_families = True

    def prepare(self) -> None:
        # Proposition 2: without arrays from pids to pids, equal markers mean that the processes can be exchanged.
        self.exactness = SOUND if self.shape.has_links else CANONICAL

    def choose(self, state: State) -> Folded:
        ranking = self.rank(self.identity(state))
        images = tuple(ranking.place.get(p, p) for p in range(self.symmetries.points))
        return self.representative(self.actions.of_pids(images), state)

    def rank(self, state: State) -> _Ranking:
        """Each process gets its place by marker, then by the markers of those that it refers to, then by pid."""
        edges = self.shape.edges(state)
        markers = {p: _marker(edges, p) for p in self.symmetries.moved}
        value = self.highest(markers)
        local = {p: (markers[p], self.references(edges, p, value)) for p in self.symmetries.moved}
        place = {}
        for family in self.families:
            for position, pid in zip(family, sorted(family, key=lambda p: (local[p], p)), strict=True):
                place[pid] = position
        return _Ranking(place, self.highest(local))

    def highest(self, key: Mapping[int, object]) -> dict[int, int]:
        """For each process, the last place in its family that its key takes when they are sorted."""
        found = {}
        for family in self.families:
            keys = sorted(key[p] for p in family)  # type: ignore[type-var]
            last = {str(k): position for k, position in zip(keys, family, strict=True)}
            found.update({p: last[str(key[p])] for p in family})
        return found

    @staticmethod
    def references(edges: list[LabelledEdge], pid: int, value: dict[int, int]) -> list[tuple[int, ...]]:
        """Which markers the process refers to."""
        mine = [e for e in edges if len(e.of) + len(e.among) > 1 and e.of[:1] == (pid,)]
        return sorted((e.label, *(value[p] for p in e.of[1:]), *sorted(value[p] for p in e.among)) for e in mine)


def _marker(edges: list[LabelledEdge], pid: int) -> object:
    """What is known of a process without naming others."""
    own = sorted(e.label for e in edges if e.of == (pid,) and not e.among)
    named = sorted(e.label for e in edges if pid in e.of[1:] or pid in e.among)
    return own, named
