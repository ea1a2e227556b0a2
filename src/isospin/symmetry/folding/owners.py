"""To which processes each movable belongs.

Reference: docs/develop/architecture.md, decision 5; Schreier's lemma.
Differs: nothing is said about arrays.  A movable belongs to the processes whose places decide its own: `flag[2]` to
process 2, `knows[1][2]` to 1 and 2.  Found by orbits and stabilisers alone.
"""

from __future__ import annotations

from typing import NamedTuple

from ...core.permutation import Permutation, compose, identity, inverse, orbits
from ..detection.sorts import Sorts
from ..detection.symmetries import Symmetries
from ..protocol import Name
from .action import value_of

Pids = tuple[int, ...]


class Owner(NamedTuple):
    """Which orbit a movable is in (negative: it stays), and to which processes it belongs; `among` has no order."""

    orbit: int
    of: Pids = ()
    among: Pids = ()


class LabelledEdge(NamedTuple):
    """What a state says about some processes, in their order and without one."""

    label: int
    of: Pids
    among: Pids


class Owners:
    """The owners of all movables, and numbers for the labels of edges."""

    def __init__(self, symmetries: Symmetries, sorts: Sorts) -> None:
        self.symmetries, self.sorts = symmetries, sorts
        self.owner: dict[Name, Owner] = {}
        self.still = 0
        self.known: dict[object, int] = {}
        self.find_owners()

    def find_owners(self) -> None:
        generators, movables = self.symmetries.group.generators, self.symmetries.movables
        for number, orbit in enumerate(orbits(generators, range(len(movables)))):
            if len(orbit) > 1:
                for movable, owner in self.owners(number, orbit[0], len(orbit)).items():
                    self.owner[movables[movable]] = owner

    def owners(self, number: int, first: int, size: int) -> dict[int, Owner]:
        """The owners of an orbit, found for its first member and carried over to the others."""
        transport = self.transport(first)
        stabiliser = self.stabiliser(transport)
        fixed = [p for p in self.symmetries.moved if all(h[p] == p for h in stabiliser)]
        of = self.decisive(fixed, size)
        among: Pids = ()
        if len(self.tuple_orbit(of)) < size:
            parts = [o for o in orbits(stabiliser, self.symmetries.moved) if 1 < len(o) < len(self.symmetries.moved)]
            among = tuple(sorted(parts, key=len)[0]) if parts else ()
        return {
            movable: Owner(number, tuple(t[p] for p in of), tuple(sorted(t[p] for p in among)))
            for movable, t in transport.items()
        }

    def transport(self, first: int) -> dict[int, Permutation]:
        """For each movable of an orbit, an element (on points) that moves the first one there."""
        size = self.symmetries.points
        reached, todo = {first: identity(size)}, [first]
        while todo:
            movable = todo.pop()
            for g in self.symmetries.group.generators:
                if g[movable] not in reached:
                    reached[g[movable]] = compose(g[:size], reached[movable])
                    todo.append(g[movable])
        return reached

    def stabiliser(self, transport: dict[int, Permutation]) -> list[Permutation]:
        """Schreier generators, on points."""
        size = self.symmetries.points
        found = {
            compose(inverse(transport[g[movable]]), compose(g[:size], t))
            for movable, t in transport.items()
            for g in self.symmetries.group.generators
        }
        return sorted(found)

    def decisive(self, fixed: list[int], size: int) -> Pids:
        """As few of the fixed pids as possible whose places decide the place of the movable."""
        of: Pids = ()
        for pid in sorted(fixed, key=lambda p: (len(self.tuple_orbit((p,))) != size, p)):
            if len(self.tuple_orbit(of)) == size:
                break
            if len(self.tuple_orbit((*of, pid))) > len(self.tuple_orbit(of)):
                of = (*of, pid)
        return of

    def tuple_orbit(self, points: Pids) -> set[Pids]:
        """Where the group takes these points, in their order."""
        seen, todo = {points}, [points]
        while todo:
            here = todo.pop()
            for g in self.symmetries.group.generators:
                there = tuple(g[p] for p in here)
                if there not in seen:
                    seen.add(there)
                    todo.append(there)
        return seen

    def owned(self, movable: Name) -> Owner:
        """The owner of a movable; one of its own kind for each movable that stays where it is."""
        owner = self.owner.get(movable)
        if owner is None:
            self.still += 1
            return Owner(-self.still)
        return owner

    def values(self, key: Name) -> dict[int, Owner]:
        """The values of a class that belong to processes."""
        one = self.sorts.of(key)
        found = {}
        for name, owner in self.owner.items():
            value = None if one.kind == "number" else value_of(one, name)
            if value is not None:
                found[value] = owner
        return found

    def label(self, parts: tuple[object, ...]) -> int:
        """The same number for the same parts."""
        return self.known.setdefault(parts, len(self.known))
