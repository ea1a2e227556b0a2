"""The laws of folding, over the whole registry of strategies, on models written and random."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from isospin import pipeline
from isospin.core.errors import SourceError, UsageError
from isospin.semantics.explain import explain
from isospin.semantics.interp import Interpreter
from isospin.semantics.state import State
from isospin.symmetry.audit import Walk, audit
from isospin.symmetry.detection.detect import Symmetries, detect
from isospin.symmetry.detection.prepare import Prepared, prepare
from isospin.symmetry.folding.action import Actions, Moves
from isospin.symmetry.protocol import Strategy
from isospin.symmetry.strategies import REGISTRY, strategy
from isospin.symmetry.unwind import unwind
from isospin.transform.optimise import optimise
from tests.support.generators.random_symmetric import damaged
from tests.support.generators.random_symmetric import model as random_model
from tests.support.symmetric_models import example, peterson_symmetries

NAMES = ("ring", "star", "tree", "tiers", "families", "hypercube")
LEVELS = ("none", "spin", "full")


def fitting(found: Symmetries) -> list[Strategy]:
    """The strategies that fit the group."""
    result = []
    for name in REGISTRY:
        try:
            result.append(strategy(name, found))
        except UsageError:
            assert not found.fully_symmetric
    return result


QUICK = ("auto", "exact", "sorted", "markers")  # those that do not try every element of the group themselves


def some(elements: list[Moves]) -> list[Moves]:
    return elements[:: max(1, len(elements) // 10)]


def check_laws(found: Symmetries, states: list[State]) -> None:
    actions = Actions(found)
    elements = [actions.moves(e) for e in found.group.elements()]
    identity = found.interpreter.identity
    for one in fitting(found):
        owner: dict[object, frozenset[State]] = {}
        for state in states:
            born = actions.is_born(state)
            orbit = frozenset(identity(m.apply(state)) for m in elements) if born else frozenset({identity(state)})
            folded = one.fold(state)
            assert identity(folded.state) in orbit, f"{one.name}: the representative is not in the orbit"
            if folded.permutation is not None:
                image = actions.of_pids(folded.permutation).apply(state)
                assert image == folded.state, f"{one.name}: wrong permutation"
            if one.exactness != "approximate":
                assert owner.setdefault(folded.key, orbit) == orbit, f"{one.name} merges different orbits"
            if one.exactness == "canonical" and born and one.name != "none":
                for moves in elements if one.name in QUICK else some(elements):
                    assert one.fold(moves.apply(state)).key == folded.key, f"{one.name} is not canonical"
                assert one.orbit_size(state) == len(orbit), f"{one.name}: wrong size of an orbit"


def moves_of(found: Symmetries, state: State) -> Counter[tuple[object, ...]]:
    """What can happen in a state, without the names of the statements."""
    identity = found.interpreter.identity
    return Counter(
        (m.steps[0].pid, None if m.state is None else identity(m.state), *(f.kind for t in m.steps for f in t.faults))
        for m in found.interpreter.moves(state)
    )


def check_equivariance(found: Symmetries, states: list[State]) -> None:
    """Generators commute with the transition relation: the law on which all others rest."""
    actions, identity = Actions(found), found.interpreter.identity
    for generator in found.group.generators:
        moves = actions.moves(generator)
        for state in (s for s in states if actions.is_born(s)):
            mapped: Counter[tuple[object, ...]] = Counter()
            for (pid, after, *faults), times in moves_of(found, state).items():
                image = identity(moves.apply(after)) if isinstance(after, State) else None
                assert isinstance(pid, int)
                mapped[(moves.pids[pid], image, *faults)] += times
            assert moves_of(found, moves.apply(state)) == mapped


def check_paths(found: Symmetries, walk: Walk) -> None:
    """Every finding replays on the unreduced model, in the original process numbers."""
    for finding in walk.found.values():
        choices = unwind(found, finding.path)
        told = explain(Interpreter(found.model), choices)
        kinds = {f.kind for f in told.faults}
        if told.final is not None and not found.interpreter.steps(told.final):
            stuck = found.interpreter.stuck(told.final)
            kinds |= {stuck.kind} if stuck else set()
        assert finding.kind in kinds


def check_runs(found: Symmetries, most: int | None = None) -> None:
    """Same verdict with every exact strategy; orbit sizes add up; all findings replay."""
    full = Walk(found, strategy("none", found), most).run()
    for one in fitting(found):
        walk = Walk(found, one, most).run()
        check_paths(found, walk)
        if not (full.complete and walk.complete):
            continue
        if one.exactness == "approximate":
            assert set(walk.found) <= set(full.found)
        else:
            assert set(walk.found) == set(full.found), one.name
        if one.exactness == "canonical" and (found.grown is None or found.grown.closed):
            assert walk.orbit_sum == len(full.states), one.name


@pytest.mark.parametrize("name", NAMES)
def test_laws_on_examples(name: str) -> None:
    found = example(name)
    walk = Walk(found, strategy("none", found), 400).run()
    check_laws(found, walk.states[:: max(1, len(walk.states) // 10)])
    check_equivariance(found, walk.states[:100])


@pytest.mark.parametrize("name", [*NAMES, "bakery"])
def test_runs_on_examples(name: str) -> None:
    check_runs(example(name))


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


@pytest.mark.parametrize("block", range(20))
def test_random_models(block: int) -> None:
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
