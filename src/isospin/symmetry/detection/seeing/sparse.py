"""What of the graph of facts refinement has to look at.

Reference: McKay and Piperno, Practical Graph Isomorphism II, 2014; vertices whose colours follow from others are left
out, as sparse graphs leave out what says nothing.
Differs: three kinds of terms are as different from each other as something else is, so they have no edges:

- what no permutation moves (a term without movables) is part of what its neighbours are by themselves;
- a lid, which is a fact with a single part (`2 times this action`), is part of what this part is;
- a part of one term only, at a place of its own, is as different as the term, whose parts its own parts become.

In `1 times (action from l to m: i = 5; x = 1)`, the action is a vertex that looks at l, m, i and x: the lid, the two
assignments and the numbers are what it is by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .graph import FactGraph

Way = tuple[int, ...]


class SparseGraph:
    """Neighbours and first colours of the vertices of a graph that others do not stand for."""

    def __init__(self, graph: FactGraph) -> None:
        self.size, self.nodes, self.parents, self.plain = graph.size, graph.nodes, graph.parents, graph.plain
        nodes = enumerate(self.nodes, self.size)
        self.lids = {v: parts[0] for v, (_, parts, _) in nodes if len(parts) == 1 and not self.parents[v]}
        self.start = list(self.plain)
        self.is_fixed = self.find_fixed()
        self.inside = self.find_inside()  # by vertex: the term that stands for it, and where it is in that
        self.add_labels()
        self.beside = self.find_beside()

    def find_fixed(self) -> list[bool]:
        """Which vertices no permutation moves; what they are is in their colours, and in those of what they are in."""
        found = [False] * self.size
        for v, (_, parts, unordered) in enumerate(self.nodes, self.size):
            fixed = [(0 if unordered else i, self.start[c]) for i, c in enumerate(parts) if found[c]]
            found.append(len(fixed) == len(parts))
            if fixed:
                self.start[v] = hash((self.start[v], *sorted(fixed)))
        return found

    def find_inside(self) -> dict[int, tuple[int, Way]]:
        found: dict[int, tuple[int, Way]] = {}
        for v in range(len(self.parents) - 1, self.size - 1, -1):  # wholes before parts
            if len(self.parents[v]) != 1 or self.is_fixed[v]:
                continue
            whole, position = self.parents[v][0]
            if position and whole not in self.lids:  # 0: one of several in no order
                outer, way = found.get(whole, (whole, ()))
                found[v] = outer, (*way, position)
        return found

    def add_labels(self) -> None:
        """Put what others stand for into their colours."""
        labels: dict[int, list[tuple[int, ...]]] = {}
        for v, (outer, way) in self.inside.items():
            labels.setdefault(outer, []).append((*way, self.start[v]))
        for lid, part in self.lids.items():
            labels.setdefault(part, []).append((0, self.plain[lid]))
        for v, known in labels.items():
            self.start[v] = hash((self.start[v], *sorted(known)))

    def find_beside(self) -> list[list[tuple[int, int]]]:
        """For each vertex, who looks at it (the terms that it is in, and its parts), and in which way."""
        beside: list[list[tuple[int, int]]] = [[] for _ in self.parents]
        ways: dict[Way, tuple[int, int]] = {}
        for part, parents in enumerate(self.parents):
            if self.is_fixed[part] or part in self.inside:
                continue
            for parent, position in parents:
                if parent not in self.lids:
                    outer, way = self.inside.get(parent, (parent, ()))
                    way = (*way, position)
                    if way not in ways:
                        ways[way] = hash((way, 0)), hash((way, 1))
                    up, down = ways[way]
                    beside[part].append((outer, up))
                    beside[outer].append((part, down))
        return beside

    def complete(self, colours: list[int]) -> list[int]:
        """Refined colours, also for what others stand for."""
        colours = list(colours)
        for v, (outer, way) in self.inside.items():
            colours[v] = hash((self.plain[v], colours[outer], way))
        for lid, part in self.lids.items():
            colours[lid] = hash((self.plain[lid], colours[part]))
        return colours
