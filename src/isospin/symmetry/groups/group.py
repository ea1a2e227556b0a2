"""Permutation groups: order, membership, enumeration, through a stabiliser chain.

Reference: Sims 1970; Seress, Permutation Group Algorithms, chapter 4 (the incremental Schreier-Sims algorithm).
Differs: deterministic, without randomised tests; meant for a few dozen base points.  The base is given and must be one:
what fixes every base point is the identity, or the group is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...core.permutation import Permutation, compose, identity, inverse


class NotFaithful(Exception):
    """Something moves points while it fixes the whole base."""


class _Level:
    """The stabiliser of the base points before this one: its generators, and how it moves the base point."""

    def __init__(self, point: int, unit: Permutation) -> None:
        self.point = point
        self.generators: list[Permutation] = []
        self.reach: dict[int, Permutation] = {point: unit}  # image of the point -> an element that moves it there


class Group:
    """The group that some permutations of {0 .. degree - 1} generate, with a base."""

    def __init__(self, generators: Iterable[Permutation], degree: int, base: Iterable[int] | None = None) -> None:
        self.degree, self.unit = degree, identity(degree)
        self.generators = [g for g in generators if g != self.unit]
        points = range(degree) if base is None else base
        self.levels = [_Level(point, self.unit) for point in points]
        for generator in self.generators:
            self.insert(0, generator)

    def insert(self, depth: int, element: Permutation) -> None:
        """Make the chain below `depth` contain an element that fixes the base points above."""
        stop, rest = self.sift(depth, element)
        if rest == self.unit:
            return
        if stop == len(self.levels):
            raise NotFaithful
        for i in range(stop, depth - 1, -1):
            self.levels[i].generators.append(rest)
            self.grow(i)

    def grow(self, depth: int) -> None:
        """Close the orbit of a level under its generators; put the Schreier generators into the level below."""
        level = self.levels[depth]
        found = True
        while found:
            found = False
            for point, there in list(level.reach.items()):
                for generator in level.generators:
                    moved = compose(generator, there)
                    if generator[point] not in level.reach:
                        level.reach[generator[point]] = moved
                        found = True
        for point, there in list(level.reach.items()):
            for generator in list(level.generators):
                back = inverse(level.reach[generator[point]])
                self.insert(depth + 1, compose(back, compose(generator, there)))

    def sift(self, depth: int, element: Permutation) -> tuple[int, Permutation]:
        """Divide by the chain: where it stops, and what is left."""
        for i in range(depth, len(self.levels)):
            there = self.levels[i].reach.get(element[self.levels[i].point])
            if there is None:
                return i, element
            element = compose(inverse(there), element)
        return len(self.levels), element

    @property
    def order(self) -> int:
        result = 1
        for level in self.levels:
            result *= len(level.reach)
        return result

    def __contains__(self, element: Permutation) -> bool:
        return self.sift(0, element)[1] == self.unit

    def elements(self) -> Iterator[Permutation]:
        """Every element once, the identity first."""
        return self.below(0)

    def below(self, depth: int) -> Iterator[Permutation]:
        if depth == len(self.levels):
            yield self.unit
            return
        reach = self.levels[depth].reach
        for point in sorted(reach, key=lambda p: (p != self.levels[depth].point, p)):
            for inner in self.below(depth + 1):
                yield compose(reach[point], inner)

    def with_images(self, images: Permutation) -> Permutation | None:
        """The element that moves the first points as `images` says; None if there is none.  Base points decide."""
        result, wanted = self.unit, images
        for level in self.levels:
            target = inverse(result)[wanted[level.point]]
            there = level.reach.get(target)
            if there is None:
                return None
            result = compose(result, there)
        return result if result[: len(images)] == images else None
