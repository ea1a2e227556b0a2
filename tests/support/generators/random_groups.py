"""Random groups of permutations, models that have them, and how many orbits their states form.

``generate(seed)`` is a pure function.  A few random permutations generate a group; pairs of processes that it maps to
each other are written down as actions of one kind, so the model has at least the symmetries of the group.  Whatever
they are, each process may set its variables to anything at any time, so that all values are reached: Burnside's lemma
says how many orbits there are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from random import Random

from isospin.core.permutation import Permutation, cycles, orbits


@dataclass(frozen=True)
class GroupModel:
    text: str
    size: int
    least: int  # the group has at least so many elements
    bits: int  # variables of one bit for each process; at least one
    links: int  # variables for each process that name one, or nobody
    owners: int  # global variables that name a process, or nobody

    @property
    def states(self) -> int:
        return self.fixed(tuple(range(self.size)))

    def fixed(self, element: Permutation) -> int:
        """How many states a permutation of the processes keeps: who is in a cycle has the values of who is before it,
        and the first may name whoever comes back to his place when it does."""
        lengths = dict.fromkeys(range(self.size), 1)
        lengths.update({p: len(cycle) for cycle in cycles(element) for p in cycle})
        whole = [len(cycle) for cycle in cycles(element)] + [1 for p in lengths if lengths[p] == 1]
        named = prod(1 + sum(length % lengths[p] == 0 for p in lengths) for length in whole)
        nobody_moves = 1 + sum(length == 1 for length in lengths.values())
        return int(2 ** (self.bits * len(whole)) * named**self.links * nobody_moves**self.owners)

    def orbits(self, elements: Iterable[Permutation]) -> int:
        """Burnside: as many as elements of the group keep on average."""
        kept = [self.fixed(e[: self.size]) for e in elements]
        found = Fraction(sum(kept), len(kept))
        assert found.denominator == 1
        return int(found)


def generate(seed: int) -> GroupModel:
    random = Random(seed)
    size = random.choice((3, 4, 4, 5, 5, 6))
    generators = [_permutation(random, size) for _ in range(random.choice((1, 1, 1, 2)))]
    bits, links, owners = random.choice(_SHAPES[size])
    kinds = ["bit0[_pid] = bit0[{}]", "bit1[_pid] = bit0[{}]"][:bits]
    lines = [f"byte bit{i}[{size}];" for i in range(bits)] + [f"byte link{i}[{size}] = {size};" for i in range(links)]
    lines += [f"byte owner{i} = {size};" for i in range(owners)]
    lines += [f"active [{size}] proctype P() {{ do"]
    for pair in _pairs(random, generators, size):
        kind = random.choice(kinds)
        lines += [f"  :: d_step {{ _pid == {p}; {kind.format(q)} }}" for p, q in pair]
    lines += [f"  :: bit{i}[_pid] = 1 - bit{i}[_pid]" for i in range(bits)]
    lines += [f"  :: link{i}[_pid] = {q}" for i in range(links) for q in range(size + 1)]
    lines += [f"  :: d_step {{ link{i}[_pid] != {size}; bit0[link{i}[_pid]] = 1 }}" for i in range(links)]
    lines += [f"  :: owner{i} = {q}" for i in range(owners) for q in ("_pid", size)]
    return GroupModel("\n".join([*lines, "od }", ""]), size, _order(generators, size), bits, links, owners)


_SHAPES = {  # by size: bits, links, owners
    3: ((1, 1, 1), (2, 1, 1), (1, 2, 0)), 4: ((1, 1, 1), (2, 1, 0)),
    5: ((1, 1, 0), (2, 0, 2)), 6: ((2, 0, 1), (1, 0, 2)),
}  # fmt: skip


def _permutation(random: Random, size: int) -> Permutation:
    """Cycles of one or two lengths: any permutations at all would generate nearly all others."""
    points, images = list(range(size)), list(range(size))
    random.shuffle(points)
    length = random.randint(2, size)
    for start in range(0, size, length):
        cycle = points[start : start + length]
        for p, q in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
            images[p] = q
    return tuple(images)


def _pairs(random: Random, generators: list[Permutation], size: int) -> list[list[tuple[int, int]]]:
    """Some orbits of the group on pairs."""
    coded = [tuple(g[p] * size + g[q] for p in range(size) for q in range(size)) for g in generators]
    found = [[divmod(c, size) for c in orbit] for orbit in orbits(coded, range(size * size))]
    return [pairs for pairs in found if pairs[0][0] != pairs[0][1] and random.random() < 0.6]


def _order(generators: list[Permutation], size: int) -> int:
    found, todo = {tuple(range(size))}, [tuple(range(size))]
    while todo:
        e = todo.pop()
        for g in generators:
            image = tuple(g[p] for p in e)
            if image not in found:
                found.add(image)
                todo.append(image)
    return len(found)
