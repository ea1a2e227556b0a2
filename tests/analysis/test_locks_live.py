"""Locks in models that go on for ever: claims, with fairness and without, are as true as without any reduction."""

from __future__ import annotations

from itertools import product

import pytest

from isospin.core.model import Claim, Model
from isospin.engines.contract import Question
from isospin.engines.explicit import explore
from isospin.engines.interp.liveness import check_claim
from isospin.pipeline import Options, load
from isospin.pipeline.models.claims import plan
from tests.analysis.test_locks import found
from tests.engines.explicit.test_claims import PROGRESS, check_alike
from tests.engines.interp.test_random_heap import FOLDS, expected, outcome
from tests.support.generators.random_locks_live import generate
from tests.support.oracles.brute_runs import Runs, TooMany

LEVELS = ("full", "none", "spin")
QUICK, ALL = 24, 3000
FEW_STATES, MOST_STATES = 90, 500
COMPILED, ALL_COMPILED = 3, 400


def generated(seed: int) -> tuple[Model, str]:
    live = generate(seed)
    text = f"{live.text}ltl p {{ {live.formula} }}\n"
    return load(text), text


def cases(model: Model) -> list[tuple[Claim, bool]]:
    return list(product([*model.claims, PROGRESS], (False, True)))


def compare(seed: int, everything: bool, most: int) -> set[str]:
    """The verdicts of a random model, by brute force; none if it is too large to be sure."""
    model, text = generated(seed)
    try:
        runs = Runs(model, most)
    except TooMany:
        return set()
    verdicts = set()
    all_cases = cases(model)
    for number, (claim, fair) in enumerate(all_cases if everything else [all_cases[seed % len(all_cases)]]):
        asked = None if claim is PROGRESS else claim
        wanted = expected(model, asked, runs, fair)
        way = (*FOLDS[(seed + number) % 4], "on", LEVELS[(seed // 4 + number) % 3])
        got = outcome(model, asked, fair, way)
        assert not got or not wanted or got == wanted, f"seed {seed}: {claim.name}, {fair}, {way}\n{text}"
        verdicts.add(wanted)
    return verdicts


def test_as_by_brute_force() -> None:
    verdicts = [compare(seed, False, FEW_STATES) for seed in range(QUICK)]
    assert sum(map(bool, verdicts)) > QUICK // 3
    assert set().union(*verdicts) >= {"holds", "violated"}


@pytest.mark.slow
@pytest.mark.parametrize("start", range(QUICK, ALL, 100))
def test_many_as_by_brute_force(start: int) -> None:
    for seed in range(start, min(start + 100, ALL)):
        compare(seed, True, MOST_STATES)


def compare_compiled(seed: int) -> None:
    """What the compiled engine finds with partial orders is what the interpreter finds with them, and without."""
    model, text = generated(seed)
    claim, fair = cases(model)[seed % len(cases(model))]
    symmetry, heap = FOLDS[seed % 2]  # garbage is collected
    options = Options(symmetry=symmetry, heap_symmetry=heap, fair=fair, optimise=LEVELS[seed % 3], por="on")
    way = plan(model, claim, options)
    asked = Question(fair=fair, max_states=4000)
    strategy, folding = (way.reduction.strategy, way.reduction.folding) if way.reduction else (None, None)
    whole = check_claim(way.model, claim, asked, strategy, None)
    slow = check_claim(way.model, claim, asked, strategy, way.order)
    if whole.incomplete or slow.incomplete:
        return
    fast = explore(way.model, asked, "-O0", claim=claim, folding=folding, ample=way.order)
    where = f"seed {seed}: {claim.name}, {options}\n{text}"
    check_alike(model, claim, options, way, (slow, fast), where, way.order is None)
    assert bool(fast.findings) == bool(whole.findings), where


def test_compiled() -> None:
    for seed in range(COMPILED):
        compare_compiled(seed)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(COMPILED, ALL_COMPILED, 50))
def test_many_compiled(start: int) -> None:
    for seed in range(start, min(start + 50, ALL_COMPILED)):
        compare_compiled(seed)


def test_generated_models_have_locks() -> None:
    """Most have locks that protect something, and some have what is not quite a lock."""
    locks = [found(generated(seed)[0]) for seed in range(30)]
    assert sum(bool(x.protected) for x in locks) > 12
    assert sum(bool(x.set_to_one() - x.locks) for x in locks) > 3
