"""The canonical state of an orbit, for any group: refine, individualise, compare the leaves.

Reference: McKay and Piperno, Practical Graph Isomorphism II, 2014; Jefferson, Jonauskyte, Pfeiffer, Waldecker, Minimal
and Canonical Images, 2019 (canonical images through a stabiliser chain).
Differs: the colours come from the state's own edges; where the group is not fully symmetric, the chain says which
processes may still go where.  Leaves are compared as states, so colours need not be complete to be right.  Objects of
the heap are coloured with the processes, but never individualised: once the processes are in place, access chains order
them (`heap.py`).

A worked example.  Each of three processes names one: `next` is an array from pids to pids, and all 6 permutations are
symmetries.  A permutation p takes `next` to the array that has p[next[i]] at place p[i].

* next = 1 2 1.  Nobody names process 0, two name 1, one names 2: one round of refinement tells all apart.  So there is
  one leaf and nothing to compare.  That p = 0 2 1 comes out is the order of the colours, which are hashes, but of
  nothing that depends on numbers: 1 0 0, which is the same up to names, gives the same state.
* next = 1 2 0, a ring.  Everybody is named once: refinement sees nothing.  Individualise 0: then 1 is whom it names,
  and 2 is left.  Individualise 1 instead: the leaf is the same state, so 0 -> 2, 1 -> 0, 2 -> 1 is an automorphism.
  It maps 1 to 0, and 0 to 2, so 2 need not be tried: 2 leaves for 6 permutations.
* next = 1 1 1.  Who is named by three is told apart, 0 and 2 are not: 2 leaves, one automorphism.

The size of an orbit is 6, divided by the number of automorphisms.

>>> fold(1, 2, 1)
next 2 2 1 by 0 2 1: 1 leaf, 1 automorphism, 6 states in the orbit
>>> fold(1, 0, 0)
next 2 2 1 by 2 1 0: 1 leaf, 1 automorphism, 6 states in the orbit
>>> fold(1, 2, 0)
next 1 2 0 by 0 1 2: 2 leaves, 3 automorphisms, 2 states in the orbit
>>> fold(1, 1, 1)
next 0 0 0 by 1 0 2: 2 leaves, 2 automorphisms, 3 states in the orbit
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from ...core.permutation import Permutation, compose, inverse, orbits
from ...core.records import dataclass
from ...semantics.state import State
from ..groups.group import Group
from .action import Actions
from .owners import LabelledEdge
from .shape import Shape


@dataclass
class _Leaf:
    """An end of the search tree: a permutation, and the state that it makes."""

    image: State
    element: Permutation
    path: tuple[int, ...]


@dataclass
class _CanonSearch:
    """One search for a canonical state."""

    state: State
    edges: list[LabelledEdge]
    first: _Leaf | None = None
    best: _Leaf | None = None
    automorphisms: list[Permutation] = field(default_factory=list)  # of the state, on points
    told_apart: tuple[int, ...] = ()  # the points that move, and the objects


class Canon:
    """Finds the canonical state of an orbit."""

    def __init__(self, actions: Actions, identity: Callable[[State], State]) -> None:
        self.actions, self.identity, self.settle = actions, identity, actions.symmetries.settle
        self.shape = Shape(actions.symmetries)
        group = actions.symmetries.group
        self.group, self.points = group, actions.symmetries.points
        self.levels = [level for level in group.levels if len(level.reach) > 1]
        self.back = [{y: inverse(t) for y, t in level.reach.items()} for level in self.levels]

    def canonical(self, state: State) -> _Leaf:
        best = self.run(state).best
        assert best is not None
        return best

    def stabiliser_order(self, state: State) -> int:
        return Group(self.run(state).automorphisms, self.points).order

    def run(self, state: State) -> _CanonSearch:
        run = _CanonSearch(self.identity(self.settle(state)), [])
        objects = self.shape.objects_in(run.state)
        run.edges = self.shape.edges(run.state) + self.shape.object_edges(run.state)
        run.told_apart = (*self.shape.moved, *range(self.points, self.points + objects))
        colours = self.refine(run, [0] * (self.points + objects))
        self.descend(run, 0, self.group.unit, colours, ())
        return run

    # ---------------------------------------------------------------- refinement

    def refine(self, run: _CanonSearch, colours: list[int]) -> list[int]:
        """Tell processes apart by the edges that they are in, until nothing new is seen."""
        count, moved = -1, run.told_apart
        while count < len(moved):
            seen: list[list[int]] = [[] for _ in colours]
            for label, of, among in run.edges:
                parts = [colours[p] for p in of]
                rest = sorted([colours[p] for p in among])
                if len(of) == 1 and not rest:
                    seen[of[0]].append(hash((label, parts[0])))
                    continue
                whole = hash((label, *parts, -1, *rest))
                for position, p in enumerate(of):
                    seen[p].append(hash((whole, position, tuple([q == p for q in of]))))
                for p in among:
                    seen[p].append(hash((whole, -1)))
            colours = [hash((colours[p], *sorted(s))) for p, s in enumerate(seen)]
            new = len({colours[p] for p in moved})
            if new == count:
                break
            count = new
        return colours

    # ---------------------------------------------------------------- the tree

    def descend(
        self, run: _CanonSearch, level: int, element: Permutation, colours: list[int], path: tuple[int, ...]
    ) -> int:
        """Decide which process goes to the base point of this level; the level to go back to."""
        if level == len(self.levels):
            return self.leaf(run, element, path)
        places = inverse(element[: self.points])
        options = sorted((colours[places[y]], places[y], y) for y in self.levels[level].reach)
        options = [o for o in options if o[0] == options[0][0]]
        tried: list[int] = []
        for _, pid, y in options:
            if len(tried) and self.is_like(run, pid, tried, path):
                continue
            tried.append(pid)
            below = colours
            if len(options) > 1:
                below = list(colours)
                below[pid] = hash((below[pid], 99991))
                below = self.refine(run, below)
            jump = self.descend(run, level + 1, compose(self.back[level][y], element), below, (*path, pid))
            if jump < level:
                return jump
        return level

    def is_like(self, run: _CanonSearch, pid: int, tried: list[int], path: tuple[int, ...]) -> bool:
        """Does an automorphism that fixes the path map a process that was tried to this one?"""
        fixing = [a for a in run.automorphisms if all(a[p] == p for p in path)]
        return bool(fixing) and any(t in orbits(fixing, [pid])[0] for t in tried)

    def leaf(self, run: _CanonSearch, element: Permutation, path: tuple[int, ...]) -> int:
        """Compare an image with the first and the best; an equal one gives an automorphism and where to go back to."""
        # what is hidden was set to 0, which may name a process: hide it again in the image
        image = self.settle(self.actions.moves(element).apply(run.state))
        here = _Leaf(self.identity(image), element, path)
        if run.first is None or run.best is None:
            run.first = run.best = here
            return len(path)
        for other in (run.first, run.best):
            if other.image == here.image:
                back = inverse(other.element[: self.points])
                run.automorphisms.append(compose(back, element[: self.points]))
                return next(i for i, (a, b) in enumerate(zip(other.path, path, strict=True)) if a != b)
        if here.image < run.best.image:
            run.best = here
        return len(path)
