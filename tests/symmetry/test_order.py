"""Partial orders and symmetry together: the verdicts are those of a search without any reduction."""

from __future__ import annotations

import pytest

from isospin import pipeline
from isospin.core.verdict import Outcome
from tests.support.checking import check, found
from tests.support.generators.random_symmetric import generate

MOST = 3000  # states of the unreduced search


STRATEGIES = ("none", "exact", "sorted")


def compare(seed: int, levels: tuple[str, ...], strategies: tuple[str, ...] = STRATEGIES, most: int = MOST) -> None:
    model = pipeline.load(generate(seed))
    whole = check(model, symmetry="none", por="off", optimise="none", max_states=most)
    if whole.outcome is Outcome.INCOMPLETE or whole.states >= most:
        return
    for level in levels:
        for symmetry in strategies:
            reduced = check(model, symmetry=symmetry, por="on", optimise=level)
            assert found(reduced) == found(whole), f"seed {seed}, {level}, {symmetry}"
            assert reduced.states <= whole.states


@pytest.mark.parametrize("block", range(9))
def test_random_models(block: int) -> None:
    """Each in one way; all ways come up."""
    for seed in range(10 * block, 10 * block + 10):
        compare(seed, ("full", "full", "none")[seed % 3 :][:1], (STRATEGIES[seed // 3 % 3],), 600)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(200))
def test_more_random_models(block: int) -> None:
    for seed in range(10 * block, 10 * block + 10):
        compare(seed, ("none", "spin", "full"))
