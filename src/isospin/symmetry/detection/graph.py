"""The facts about a model as a coloured graph, and colour refinement on it.

Reference: McKay and Piperno, Practical Graph Isomorphism II, 2014 (refinement, individualisation).
Differs: terms are shared, so the images of the movables decide everything; colours are numbers that
depend only on the structure, so two refinements can be compared without matching cells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from ...core.permutation import Permutation
from ..protocol import Name
from .facts import Fact, Ref, Term

Colours = list[int]


class FactGraph:
    """Vertices are the movables (the points before all others), then shared terms."""

    def __init__(self, facts: list[Fact], points: list[Name]) -> None:
        self.facts = facts
        self.movables: list[Name] = list(points)
        self.number = {name: i for i, name in enumerate(self.movables)}
        for fact in facts:
            self.collect(fact.term)
        self.size = len(self.movables)
        self.labels: dict[tuple[str | int | bool, ...], int] = {}
        self.nodes: list[tuple[int, tuple[int, ...], bool]] = []
        self.shared: dict[tuple[int, tuple[int, ...]], int] = {}
        self.roots = [self.add(fact.term) for fact in facts]
        self.top = set(self.roots)
        self.parents = self.find_parents()
        kinds = [self.kind(name) for name in self.movables]
        self.start: Colours = kinds + [7 * label + 3 for label, _, _ in self.nodes]

    def collect(self, term: Term) -> None:
        if isinstance(term, Ref):
            if term.name not in self.number:
                self.number[term.name] = len(self.movables)
                self.movables.append(term.name)
            return
        for child in term.children:
            self.collect(child)

    def add(self, term: Term) -> int:
        if isinstance(term, Ref):
            return self.number[term.name]
        children = [self.add(child) for child in term.children]
        if term.unordered:
            children.sort()
        label = self.labels.setdefault((*term.label, "unordered") if term.unordered else term.label, len(self.labels))
        key = (label, tuple(children))
        if key not in self.shared:
            self.shared[key] = self.size + len(self.nodes)
            self.nodes.append((label, tuple(children), term.unordered))
        return self.shared[key]

    def find_parents(self) -> list[list[tuple[int, int]]]:
        """For each vertex, the terms that it is in, and at which position (0 if that does not matter)."""
        parents: list[list[tuple[int, int]]] = [[] for _ in range(self.size + len(self.nodes))]
        for i, (_, children, unordered) in enumerate(self.nodes):
            for position, child in enumerate(children):
                parents[child].append((self.size + i, 0 if unordered else position + 1))
        return parents

    @staticmethod
    def kind(name: Name) -> int:
        kinds = ("pid", "loc", "global", "local", "chan", "class", "value", "scalar")
        return 1 + 7 * kinds.index(str(name[0]))

    # ---------------------------------------------------------------- refinement

    def refine(self, colours: Colours, rounds: int | None = None) -> tuple[Colours, int]:
        """Distinguish what looks different, until nothing new is seen (or for a number of rounds)."""
        count, done = len(set(colours)), 0
        while rounds is None or done < rounds:
            colours = self.round(colours)
            done += 1
            new = len(set(colours))
            if rounds is None and new == count:
                return colours, done
            count = new
        return colours, done

    def round(self, old: Colours) -> Colours:
        """Terms from their parts, upwards; then everything from where it occurs."""
        up = list(old)
        for i, (_, children, unordered) in enumerate(self.nodes, self.size):
            seen = [up[c] for c in children]
            if unordered:
                seen.sort()
            up[i] = hash((up[i], *seen))
        new = list(up)
        for v in range(len(up) - 1, -1, -1):
            new[v] = hash((up[v], *sorted([new[p] * 31 + position for p, position in self.parents[v]])))
        return new

    def individualised(self, points: Iterable[int], base: Colours) -> Colours:
        colours = list(base)
        for tag, point in enumerate(points):
            colours[point] = hash((colours[point], 1_000_003 + tag))
        return colours

    # ---------------------------------------------------------------- automorphisms

    def matching(self, here: Colours, there: Colours) -> Permutation | None:
        """The movables with the same colour, if each colour occurs once."""
        target = {there[i]: i for i in range(self.size)}
        if len(target) < self.size:
            return None
        images = [target.get(here[i], -1) for i in range(self.size)]
        return None if -1 in images or len(set(images)) < self.size else tuple(images)

    def is_automorphism(self, images: Sequence[int]) -> bool:
        """Does the map keep the set of facts?"""
        mapped = list(images)
        for label, children, unordered in self.nodes:
            moved = [mapped[c] for c in children]
            if unordered:
                moved.sort()
            found = self.shared.get((label, tuple(moved)))
            if found is None:
                return False
            mapped.append(found)
        return all(mapped[root] in self.top for root in self.top)

    # ---------------------------------------------------------------- what a permutation breaks

    def broken(self, here: Colours, there: Colours) -> tuple[int, list[Fact]]:
        """The facts that hold for one colouring and not for the other, as simple ones as possible; and how simple."""
        for depth in range(4):
            here, there = self.round(here), self.round(there)
            mine, other = Counter(here[r] for r in self.top), Counter(there[r] for r in self.top)
            odd = [fact for fact, root in zip(self.facts, self.roots, strict=True) if here[root] in mine - other]
            if odd:
                return depth, odd
        return 4, []
