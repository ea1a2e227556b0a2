"""Permutations as tuples: position i holds where i goes."""

from __future__ import annotations

from collections.abc import Iterable

Permutation = tuple[int, ...]


def identity(degree: int) -> Permutation:
    return tuple(range(degree))


def compose(after: Permutation, first: Permutation) -> Permutation:
    """First `first`, then `after`."""
    return tuple(map(after.__getitem__, first))


def inverse(p: Permutation) -> Permutation:
    result = [0] * len(p)
    for i, image in enumerate(p):
        result[image] = i
    return tuple(result)


def cycles(p: Permutation) -> list[tuple[int, ...]]:
    """The cycles longer than one, each from its least point."""
    seen: set[int] = set()
    found = []
    for start in range(len(p)):
        cycle, point = [], start
        while point not in seen:
            seen.add(point)
            cycle.append(point)
            point = p[point]
        if len(cycle) > 1:
            found.append(tuple(cycle))
    return found


def written(p: Permutation) -> str:
    """Cycle notation: (1 2)(3 4 5)."""
    return "".join("(" + " ".join(map(str, c)) + ")" for c in cycles(p)) or "()"


def orbits(generators: Iterable[Permutation], points: Iterable[int]) -> list[list[int]]:
    """The orbits that meet `points`, in the order of their least points."""
    moves = list(generators)
    left, found = sorted(set(points)), []
    done: set[int] = set()
    for start in left:
        if start in done:
            continue
        orbit, todo = {start}, [start]
        while todo:
            point = todo.pop()
            for move in moves:
                if (image := move[point]) not in orbit:
                    orbit.add(image)
                    todo.append(image)
        done |= orbit
        found.append(sorted(orbit))
    return found
