"""Groups of renamings, against all products of two."""

from __future__ import annotations

from itertools import combinations, permutations
from random import Random

from isospin.engines.stateless.protocol import Renaming, product_of
from isospin.engines.stateless.renamings import permutations_of


def test_a_group_is_told_from_what_is_none() -> None:
    """Of three threads every set of permutations, of four some: nothing comes of those that are not closed."""
    draw = Random(1)
    everyone = [{a: b for a, b in enumerate(order) if a != b} for order in permutations(range(4))][1:]
    three = [moves for moves in everyone if 3 not in moves]
    sets = [list(chosen) for size in range(6) for chosen in combinations(three, size)]
    sets += [everyone, *(draw.sample(everyone, draw.randint(1, 23)) for _ in range(50))]
    closed = 0
    for chosen in sets:
        is_group = all(not (made := product_of(a, b)) or made in chosen for a in chosen for b in chosen)
        found = permutations_of([Renaming("", moves) for moves in chosen])
        assert sorted(map(repr, found)) == (sorted(map(repr, chosen)) if is_group else [])
        closed += is_group
    assert closed >= 7  # the subgroups of three, and all four
