"""Random pointer automata: every reduction against none, on the interpreter, and some in the compiled engine."""

from __future__ import annotations

import pytest

from isospin import pipeline
from isospin.core.errors import NOWHERE, Location
from isospin.core.model import Model
from isospin.engines.contract import Exploration, Question
from isospin.engines.explicit import explore as explore_compiled
from isospin.engines.interp.search import explore
from isospin.symmetry.protocol import Strategy
from isospin.symmetry.reduction import reduce
from isospin.transform.optimise import optimise
from tests.support.generators.random_pointer import automaton

MOST = 300  # states of the plain search
Findings = frozenset[tuple[str, Location]]


def search(model: Model, strategy: Strategy | None = None, most: int | None = None) -> tuple[Exploration, Findings]:
    asked = Question(all_errors=True, deadlock=model.wants_deadlock, max_states=most)
    found = explore(model, asked, strategy)
    return found, places(found)


def places(found: Exploration) -> Findings:
    """What was found where; which of the processes that wait is named first depends on their order."""
    return frozenset((f.kind, NOWHERE if f.kind == "deadlock" else f.location) for f in found.findings)


def compare(seed: int) -> str:
    """The same violations with and without each reduction; orbits make up the whole."""
    model = automaton(seed).model()
    plain, expected = search(model, most=MOST)
    if plain.incomplete:
        return "large"
    small = optimise(model, "full")
    inactive, found = search(small)
    assert found == expected, seed
    searched, states = (model, plain.states) if seed % 3 == 0 else (small, inactive.states)
    reduction = reduce(searched, "auto")
    folded, found = search(reduction.model, reduction.strategy)
    assert found == expected, seed
    assert folded.orbit_sum == states, seed
    return "violated" if expected else "holds"


@pytest.mark.parametrize("first", range(0, 200, 20))
def test_reductions_agree(first: int) -> None:
    results = [compare(seed) for seed in range(first, first + 20)]
    assert {"holds", "violated"} <= set(results)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(200, 2000, 50))
def test_reductions_agree_on_more(first: int) -> None:
    for seed in range(first, first + 50):
        compare(seed)


def compare_compiled(seed: int) -> None:
    model = optimise(automaton(seed).model(), "full")
    reduction = reduce(model, "auto")
    expected, findings = search(reduction.model, reduction.strategy)
    asked = Question(all_errors=True, deadlock=model.wants_deadlock)
    folding = reduction.folding if reduction.folds else None
    found = explore_compiled(reduction.model, asked, optimisation="-O0", folding=folding)
    assert places(found) == findings
    assert found.states == expected.states
    assert not reduction.folds or found.orbit_sum == expected.orbit_sum


SEEDS = (16,)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_compiled_engine_agrees(seed: int) -> None:
    compare_compiled(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(200, 260))
def test_the_compiled_engine_agrees_on_more(seed: int) -> None:
    compare_compiled(seed)


@pytest.mark.parametrize("first", range(0, 30, 10))
def test_every_counterexample_replays(first: int) -> None:
    """The whole way, with strategies that are not canonical and with partial orders."""
    ways = ({"symmetry": "none", "por": "on"}, {"symmetry": "markers"}, {"symmetry": "sorted", "search": "dfs"})
    for seed in range(first, first + 10):
        model = automaton(seed).model()
        plain = pipeline.check(model, pipeline.options(engine="interp", symmetry="none", max_states=MOST))
        for way in ways if plain.outcome != "incomplete" else ():
            verdict = pipeline.check(model, pipeline.options(engine="interp", **way))
            assert verdict.outcome == plain.outcome, (seed, way)
