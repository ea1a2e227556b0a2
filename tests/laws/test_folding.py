"""The laws of folding, over the whole registry of strategies, on models written and random."""

from __future__ import annotations

from functools import cache

import pytest

from isospin import pipeline
from isospin.core.errors import SourceError
from isospin.semantics.interp import Interpreter
from isospin.semantics.state import State
from isospin.symmetry.audit import Walk, audit
from isospin.symmetry.detection.detect import detect
from isospin.symmetry.detection.prepare import Prepared, prepare
from isospin.symmetry.detection.symmetries import Symmetries
from isospin.symmetry.folding.action import Actions
from isospin.symmetry.strategies import strategy
from isospin.transform.optimise import optimise
from tests.laws.folding import check_equivariance, check_laws, check_paths, fitting
from tests.support.generators.random_symmetric import damaged
from tests.support.generators.random_symmetric import model as random_model
from tests.support.symmetric_models import example, peterson_symmetries

NAMES = ("ring", "star", "tree", "tiers", "families", "hypercube")
LEVELS = ("none", "spin", "full")


@pytest.mark.parametrize("name", NAMES)
def test_generators_are_symmetries_of_examples(name: str) -> None:
    found = example(name)
    check_equivariance(found, Walk(found, strategy("none", found), 100).run().states)


@pytest.mark.parametrize("level", LEVELS)
def test_laws_on_peterson(level: str) -> None:
    found = peterson_symmetries(3, level)
    walk = Walk(found, strategy("none", found), 2000).run()
    check_laws(found, walk.states[::50])


MOST_STATES = 400  # 1000 in the slow tests


def random_symmetries(text: str, level: str) -> tuple[Prepared, Symmetries]:
    """The symmetries of a random model; every state is expanded once, whoever asks."""
    prepared = prepare(optimise(pipeline.load(text), level))
    found = detect(prepared.model)
    found.interpreter.moves = cache(lambda state: list(Interpreter.moves(found.interpreter, state)))  # type: ignore
    return prepared, found


def orbit_numbers(found: Symmetries, states: list[State]) -> dict[State, int]:
    """The orbit of each state, from the definition; states before all processes are born stand for themselves."""
    actions, identity = Actions(found), found.interpreter.identity
    elements = [actions.moves(e) for e in found.group.elements()]
    numbers: dict[State, int] = {}
    for state in states:
        if identity(state) not in numbers:
            images = {identity(m.apply(state)) for m in elements} if actions.is_born(state) else {identity(state)}
            numbers.update(dict.fromkeys(images, len(set(numbers.values()))))
    return numbers


def check_all_runs(found: Symmetries, full: Walk) -> None:
    """Every strategy against the orbits of the whole state space: same findings, every orbit met, none twice."""
    numbers, identity = orbit_numbers(found, full.states), found.interpreter.identity
    assert len(numbers) == len(full.states), "an image of a state that can be reached cannot be reached"
    for one in fitting(found):
        one.fold = cache(one.fold)  # type: ignore[method-assign]
        walk = Walk(found, one, len(full.states)).run()
        check_paths(found, walk)
        if one.exactness == "approximate":
            assert set(walk.found) <= set(full.found)
            continue
        assert set(walk.found) == set(full.found), one.name
        met = [numbers[identity(s)] for s in walk.states]
        assert set(met) == set(numbers.values()), f"{one.name} misses orbits"
        if one.exactness == "canonical" and one.name != "none":
            assert len(met) == len(set(met)), f"{one.name} meets an orbit twice"
        if one.name == "exact":
            assert walk.orbit_sum == len(full.states)


def check_verdict(text: str, level: str, kinds: set[str]) -> None:
    """Through the whole pipeline: each finding replays on the model as it was written, with its processes that end."""
    options = pipeline.Options(engine="interp", optimise=level, all_errors=True)
    verdict = pipeline.check(pipeline.load(text), options)
    assert {v.kind for v in verdict.violations} == kinds


def check_random(seed: int, most: int) -> tuple[bool, bool]:
    """All laws on one random model.  Was all of its symmetry found, and were all of its states?"""
    model = random_model(seed)
    prepared, found = random_symmetries(model.text, LEVELS[seed % 3])
    walk = Walk(found, strategy("none", found), most).run()
    if found.order > 1:
        step = max(1, len(walk.states) // 3)
        check_laws(found, walk.states[step // 2 :: step])
        check_equivariance(found, walk.states[:20] + walk.states[-20:])
    if found.order > 1 and walk.complete:
        check_all_runs(found, walk)
    if walk.found and walk.complete:
        check_verdict(model.text, LEVELS[seed % 3], set(walk.found))
    complete = found.order >= model.order
    assert complete or found.refused or prepared.refused, "symmetry is missing, and nobody says why"
    return complete, walk.complete


def check_damaged(seed: int) -> bool:
    """Is there still a symmetry?  If so, it must be one."""
    try:
        _, found = random_symmetries(damaged(seed), LEVELS[seed % 3])
    except SourceError:
        return False
    if found.order == 1:
        return False
    walk = Walk(found, strategy("none", found), 400).run()
    check_equivariance(found, walk.states)
    one = strategy("auto", found)
    assert audit(found, one, 200).agrees
    check_paths(found, Walk(found, one, 200).run())
    return True


def check_block(seeds: range, most: int = MOST_STATES) -> None:
    """The generator is worth its time if most models keep their symmetry and most are searched to the end."""
    results = [check_random(seed, most) for seed in seeds]
    assert sum(symmetric for symmetric, _ in results) >= len(seeds) * 0.4
    assert sum(searched for _, searched in results) >= len(seeds) * 0.5


@pytest.mark.parametrize("block", range(6))
def test_random_models(block: int) -> None:
    check_block(range(10 * block, 10 * block + 10))


@pytest.mark.slow
@pytest.mark.parametrize("block", range(12, 20))
def test_some_more_random_models(block: int) -> None:
    check_block(range(10 * block, 10 * block + 10))


@pytest.mark.slow
@pytest.mark.parametrize("block", range(40))
def test_more_random_models(block: int) -> None:
    check_block(range(1000 + 50 * block, 1050 + 50 * block), 1000)


@pytest.mark.parametrize("block", range(4))
def test_damaged_models(block: int) -> None:
    assert sum(check_damaged(seed) for seed in range(25 * block, 25 * block + 25)) > 3


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
def test_more_damaged_models(block: int) -> None:
    for seed in range(1000 + 100 * block, 1100 + 100 * block):
        check_damaged(seed)


def test_audit_agrees_on_peterson() -> None:
    found = peterson_symmetries(3)
    assert audit(found, strategy("auto", found)).agrees
