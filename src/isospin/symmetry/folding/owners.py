"""To which processes each thing belongs that symmetries move.

Reference: docs/develop/architecture.md, decision 5; Schreier's lemma.
Differs: nothing is said about arrays.  A thing belongs to the processes whose places decide its own: `flag[2]` to
process 2, `knows[1][2]` to 1 and 2.  Found by orbits and stabilisers alone.
"""

from __future__ import annotations

from typing import NamedTuple

from ...core.permutation import Permutation, compose, identity, inverse, orbits
from ..detection.detect import Symmetries
from ..detection.sorts import Sorts
from ..protocol import Name
from .action import value_of

Pids = tuple[int, ...]


class Owner(NamedTuple):
    """Which orbit a thing is in (negative: it stays), and to which processes it belongs; `among` has no order."""

    orbit: int
    of: Pids = ()
    among: Pids = ()


class LabelledEdge(NamedTuple):
    """What a state says about some processes, in their order and without one."""

    label: int
    of: Pids
    among: Pids


class Owners:
    """The owners of all things, and numbers for the labels of edges."""

    def __init__(self, symmetries: Symmetries, sorts: Sorts) -> None:
        self.symmetries, self.sorts = symmetries, sorts
        self.owner: dict[Name, Owner] = {}
        self.still = 0
        self.known: dict[object, int] = {}
        self.find_owners()

    def find_owners(self) -> None:
        generators, things = self.symmetries.group.generators, self.symmetries.things
        for number, orbit in enumerate(orbits(generators, range(len(things)))):
            if len(orbit) > 1:
                for thing, owner in self.owners(number, orbit[0], len(orbit)).items():
                    self.owner[things[thing]] = owner

    def owners(self, number: int, first: int, size: int) -> dict[int, Owner]:
        transport = self.transport(first)
        stabiliser = self.stabiliser(transport)
        fixed = [p for p in self.symmetries.moved if all(h[p] == p for h in stabiliser)]
        of = self.decisive(fixed, size)
        among: Pids = ()
        if len(self.tuple_orbit(of)) < size:
            parts = [o for o in orbits(stabiliser, self.symmetries.moved) if 1 < len(o) < len(self.symmetries.moved)]
            among = tuple(sorted(parts, key=len)[0]) if parts else ()
        return {
            thing: Owner(number, tuple(t[p] for p in of), tuple(sorted(t[p] for p in among)))
            for thing, t in transport.items()
        }

    def transport(self, first: int) -> dict[int, Permutation]:
        """For each thing of an orbit, an element (on points) that moves the first one there."""
        size = self.symmetries.points
        reached, todo = {first: identity(size)}, [first]
        while todo:
            thing = todo.pop()
            for g in self.symmetries.group.generators:
                if g[thing] not in reached:
                    reached[g[thing]] = compose(g[:size], reached[thing])
                    todo.append(g[thing])
        return reached

    def stabiliser(self, transport: dict[int, Permutation]) -> list[Permutation]:
        """Schreier generators, on points."""
        size = self.symmetries.points
        found = {
            compose(inverse(transport[g[thing]]), compose(g[:size], t))
            for thing, t in transport.items()
            for g in self.symmetries.group.generators
        }
        return sorted(found)

    def decisive(self, fixed: list[int], size: int) -> Pids:
        """As few of the fixed pids as possible whose places decide the place of the thing."""
        of: Pids = ()
        for pid in sorted(fixed, key=lambda p: (len(self.tuple_orbit((p,))) != size, p)):
            if len(self.tuple_orbit(of)) == size:
                break
            if len(self.tuple_orbit((*of, pid))) > len(self.tuple_orbit(of)):
                of = (*of, pid)
        return of

    def tuple_orbit(self, points: Pids) -> set[Pids]:
        seen, todo = {points}, [points]
        while todo:
            here = todo.pop()
            for g in self.symmetries.group.generators:
                there = tuple(g[p] for p in here)
                if there not in seen:
                    seen.add(there)
                    todo.append(there)
        return seen

    def owned(self, thing: Name) -> Owner:
        """The owner of a thing; one of its own kind for each thing that stays where it is."""
        owner = self.owner.get(thing)
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
