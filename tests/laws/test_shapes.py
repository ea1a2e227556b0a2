"""The laws of folding on models in the shapes that people write: whatever symmetry is found is one."""

from __future__ import annotations

import pytest

from isospin.symmetry.audit import Walk
from isospin.symmetry.strategies import strategy
from tests.laws.folding import check_equivariance, check_laws, check_paths
from tests.laws.test_folding import LEVELS, check_verdict, orbit_numbers, random_symmetries
from tests.support.generators.random_shapes import generate


def check_shape(seed: int, most: int, shifts: bool = False) -> bool:
    """All laws on one random model; is there a symmetry?"""
    text, level = generate(seed, shifts), LEVELS[seed % 3]
    _, found = random_symmetries(text, level)
    if found.order == 1:
        return False
    full = Walk(found, strategy("none", found), most).run()
    check_equivariance(found, full.states)
    check_laws(found, full.states[:: max(1, len(full.states) // 3)], [strategy("auto", found)])
    folded = Walk(found, strategy("auto", found), most).run()
    check_paths(found, folded)
    if full.complete:
        numbers, identity = orbit_numbers(found, full.states), found.interpreter.identity
        assert len(folded.states) == len({numbers[identity(s)] for s in full.states})
        assert set(folded.found) == set(full.found)
        if full.found:
            check_verdict(text, level, set(full.found))
    return True


@pytest.mark.parametrize("block", range(3))
def test_random_shapes(block: int) -> None:
    assert sum(check_shape(seed, 30) for seed in range(20 * block, 20 * block + 20)) > 8


def test_names_that_are_counted_from_another_number() -> None:
    assert sum(check_shape(seed, 30, shifts=True) for seed in range(30)) > 8


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
def test_more_such_names(block: int) -> None:
    for seed in range(1000 + 50 * block, 1050 + 50 * block):
        check_shape(seed, 400, shifts=True)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(60))
def test_more_random_shapes(block: int) -> None:
    for seed in range(1000 + 50 * block, 1050 + 50 * block):
        check_shape(seed, 400)
