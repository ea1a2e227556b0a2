"""Names for groups that people know: symmetric, cyclic, dihedral, wreath products, hypercubes.

Reference: Dixon and Mortimer, Permutation Groups, chapters 1 and 2.
Differs: only transitive groups of small degree are recognised; the rest is called by its order.
"""

from __future__ import annotations

from math import factorial

from ...core.partition import Partition
from ...core.permutation import Permutation, cycles, orbits
from .group import Group

MOST_ELEMENTS = 50_000  # groups with more are not taken apart


def _restricted(generators: list[Permutation], points: list[int]) -> list[Permutation]:
    """The action on some points that are mapped to themselves, renumbered from 0."""
    place = {p: i for i, p in enumerate(points)}
    return [tuple(place[g[p]] for p in points) for g in generators]


def name(generators: list[Permutation], degree: int) -> str:
    """The name of a transitive group on {0 .. degree - 1}."""
    if _is_joined_by_swaps(generators, degree):
        return "symmetric"
    group = Group(generators, degree)
    order = group.order
    if order == factorial(degree):
        return "symmetric"
    if degree > 3 and 2 * order == factorial(degree):
        return "alternating"
    if order == degree and _has_long_cycle(group):
        return "cyclic"
    if order == 2 * degree and _has_long_cycle(group):
        return "dihedral"
    if _is_hypercube(degree, order):
        return "hypercube"
    return _wreath(group) or f"transitive of order {order}"


def _is_joined_by_swaps(generators: list[Permutation], degree: int) -> bool:
    """Do exchanges of two points lead from each point to each other?  Then they generate all permutations, and the
    group of a hundred points need not be taken apart."""
    parts = Partition[int]()
    swaps = (moved for g in generators if len(moved := [p for p in range(degree) if g[p] != p]) == 2)
    return sum(parts.join(a, b) for a, b in swaps) == degree - 1


def _has_long_cycle(group: Group) -> bool:
    return any(len(cycles(g)) == 1 and len(cycles(g)[0]) == group.degree for g in group.elements())


def _is_hypercube(degree: int, order: int) -> bool:
    dimension = degree.bit_length() - 1
    return dimension > 2 and degree == 1 << dimension and order == degree * factorial(dimension)


def _wreath(group: Group) -> str | None:
    """X wreath Y: blocks that Y permutes, with an X of its own in each."""
    if group.order > MOST_ELEMENTS:
        return None
    for block in _blocks(group):
        inside = _block_group(group, block)
        outside = _on_blocks(group, block)
        number = group.degree // len(block)
        if group.order == Group(inside, len(block)).order ** number * Group(outside, number).order:
            return f"{name(inside, len(block))} wreath {name(outside, number)}"
    return None


def _blocks(group: Group) -> list[list[int]]:
    """The blocks that contain point 0 and one other, smallest first; not the trivial ones."""
    found = {tuple(_least_block(group, other)) for other in range(1, group.degree)}
    return [list(b) for b in sorted(found, key=lambda b: (len(b), b)) if len(b) < group.degree]


def _least_block(group: Group, other: int) -> list[int]:
    """The least set with 0 and `other` that every element maps to itself or away from itself."""
    parts = Partition[int]()
    find, todo = parts.find, [(0, other)]
    while todo:
        a, b = (find(x) for x in todo.pop())
        if parts.join(min(a, b), max(a, b)):
            todo += [(g[a], g[b]) for g in group.generators]
            todo += [(g[x], g[find(x)]) for g in group.generators for x in range(group.degree) if find(x) != x]
    return [x for x in range(group.degree) if find(x) == find(0)]


def _block_group(group: Group, block: list[int]) -> list[Permutation]:
    """What the elements that keep a block do in it."""
    members = set(block)
    keeping = {tuple(block.index(g[p]) for p in block) for g in group.elements() if {g[p] for p in block} == members}
    return sorted(keeping)


def _on_blocks(group: Group, block: list[int]) -> list[Permutation]:
    all_blocks = sorted({tuple(sorted(g[p] for p in block)) for g in group.elements()})
    place = {p: i for i, b in enumerate(all_blocks) for p in b}
    return [tuple(place[g[b[0]]] for b in all_blocks) for g in group.generators]


def families(generators: list[Permutation], kinds: list[str]) -> list[tuple[str, list[int], str]]:
    """Points that can take each other's place: template or scalarset, points, group."""
    found = []
    for orbit in orbits(generators, range(len(kinds))):
        if len(orbit) > 1:
            points = [g[: len(kinds)] for g in generators]
            found.append((kinds[orbit[0]], orbit, name(_restricted(points, orbit), len(orbit))))
    return found
