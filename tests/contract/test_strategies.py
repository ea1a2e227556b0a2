"""What every strategy of folding keeps: a new one is tested as soon as it is in the registry.

`laws/test_folding.py` has the same laws on many random models.
"""

from __future__ import annotations

from functools import cache

import pytest

from isospin.core.errors import UsageError
from isospin.semantics.state import State
from isospin.symmetry.audit import Walk
from isospin.symmetry.detection.symmetries import Symmetries
from isospin.symmetry.protocol import APPROXIMATE, CANONICAL, SOUND, Strategy
from isospin.symmetry.strategies import REGISTRY, strategy
from tests.laws.folding import check_laws, check_run
from tests.support import paths
from tests.support.expectations import verdict
from tests.support.symmetric_models import example, peterson_symmetries

MODELS = ("families", "star", "peterson", "ring", "tree", "tiers", "hypercube")


@cache
def symmetries(name: str) -> Symmetries:
    return peterson_symmetries(3) if name == "peterson" else example(name)


@cache
def states(name: str) -> list[State]:
    found = symmetries(name)
    walk = Walk(found, strategy("none", found), 300).run()
    return walk.states[:: max(1, len(walk.states) // 10)]


@cache
def whole(name: str) -> Walk:
    found = symmetries(name)
    return Walk(found, strategy("none", found)).run()


def fitting(name: str, model: str) -> list[Strategy]:
    """The strategy; it may refuse a group that is not a product of full ones."""
    try:
        return [strategy(name, symmetries(model))]
    except UsageError:
        assert not symmetries(model).fully_symmetric
        return []


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", REGISTRY)
def test_no_two_orbits_merge(name: str, model: str) -> None:
    check_laws(symmetries(model), states(model), fitting(name, model))


@pytest.mark.parametrize("model", [*(model for model in MODELS if model != "peterson"), "bakery"])
@pytest.mark.parametrize("name", REGISTRY)
def test_a_search_that_folds_finds_what_one_that_does_not_finds(name: str, model: str) -> None:
    for one in fitting(name, model):
        check_run(symmetries(model), one, whole(model))


@pytest.mark.parametrize("name", REGISTRY)
def test_a_strategy_says_what_it_is(name: str) -> None:
    one = strategy(name, symmetries("families"))
    assert one.name == name
    assert one.exactness in (CANONICAL, SOUND, APPROXIMATE)


@pytest.mark.parametrize("name", REGISTRY)
def test_the_command_has_it(name: str) -> None:
    """The verdict is that without folding; where different orbits may merge, nothing is said to hold."""
    path = paths.EXAMPLES / "symmetry" / "families.pml"
    document = verdict(path, "--engine", "interp", "--symmetry", name)
    assert document["outcome"] == ("incomplete" if document["symmetry"]["exactness"] == APPROXIMATE else "holds")
