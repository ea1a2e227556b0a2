"""Permutation groups."""

from __future__ import annotations

from itertools import permutations
from math import factorial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isospin.core.permutation import compose, cycles, identity, inverse, orbits, written
from isospin.symmetry.groups.group import Group, NotFaithful, few_generators
from isospin.symmetry.groups.naming import name

perms = st.integers(2, 6).flatmap(lambda n: st.lists(st.permutations(range(n)).map(tuple), min_size=1, max_size=3))


def closure(generators: list[tuple[int, ...]]) -> set[tuple[int, ...]]:
    found = {identity(len(generators[0]))}
    todo = list(found)
    while todo:
        here = todo.pop()
        new = {compose(g, here) for g in generators} - found
        found |= new
        todo += new
    return found


@given(perms)
@settings(max_examples=150, deadline=None)
def test_a_group_is_the_closure_of_its_generators(generators: list[tuple[int, ...]]) -> None:
    group, all_elements = Group(generators, len(generators[0])), closure(generators)
    assert group.order == len(all_elements)
    assert set(group.elements()) == all_elements
    for p in permutations(range(group.degree)):
        assert (p in group) == (p in all_elements)
        assert (group.with_images(p) is not None) == (p in all_elements)


@pytest.mark.parametrize("n", [2, 5, 9])
def test_symmetric_groups(n: int) -> None:
    swaps = [(*range(i), i + 1, i, *range(i + 2, n)) for i in range(n - 1)]
    assert Group(swaps, n).order == factorial(n)
    assert name(swaps, n) == "symmetric"


many = st.integers(2, 5).flatmap(lambda n: st.lists(st.permutations(range(n)).map(tuple), min_size=4, max_size=7))


@given(many)
@settings(max_examples=60)
def test_few_generators_generate_the_same_group(generators: list[tuple[int, ...]]) -> None:
    assert closure(few_generators(generators)) == closure(generators)


def test_neighbours_that_can_be_exchanged_need_two() -> None:
    swaps = [tuple({i: i + 1, i + 1: i}.get(p, p) for p in range(100)) for i in range(98, -1, -1)]
    assert len(few_generators(swaps)) == 2


def test_names() -> None:
    rotation, mirror = (1, 2, 3, 4, 0), (0, 4, 3, 2, 1)
    assert name([rotation], 5) == "cyclic"
    assert name([rotation, mirror], 5) == "dihedral"
    assert name([(1, 2, 0, 3, 4), (0, 1, 3, 4, 2)], 5) == "alternating"
    assert name([(1, 0, 2, 3, 4, 5), (2, 3, 4, 5, 0, 1)], 6) == "symmetric wreath cyclic"


def test_orbits_cycles_and_inverses() -> None:
    p = (1, 2, 0, 4, 3, 5)
    assert orbits([p], range(6)) == [[0, 1, 2], [3, 4], [5]]
    assert cycles(p) == [(0, 1, 2), (3, 4)]
    assert written(p) == "(0 1 2)(3 4)"
    assert compose(p, inverse(p)) == identity(6)


def test_a_base_must_be_one() -> None:
    with pytest.raises(NotFaithful):
        Group([(0, 2, 1)], 3, base=[0])
