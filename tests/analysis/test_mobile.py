"""Processes that come and go, and their channels: default options against no reduction at all."""

from __future__ import annotations

import pytest

from isospin import pipeline
from isospin.analysis.ample import ample
from isospin.core.verdict import Outcome
from isospin.transform.optimise import optimise
from tests.analysis.test_ample import offence
from tests.support.checking import check, found
from tests.support.generators.random_mobile import generate

MOST = 3000  # states of the unreduced search
WAYS: tuple[dict[str, object], ...] = (
    {}, {}, {"search": "dfs"}, {"symmetry": "none"}, {"symmetry": "none", "optimise": "none", "por": "on"},
    {"symmetry": "exact", "optimise": "spin", "por": "on"},
)  # fmt: skip


def compare(seed: int, ways: tuple[dict[str, object], ...], most: int = MOST) -> bool:
    """Nearly every model may wait for ever; so half of them are asked for the rest only."""
    model, asked = pipeline.load(generate(seed)), {"no_deadlock": seed % 2 == 1}
    whole = check(model, symmetry="none", por="off", optimise="none", max_states=most, **asked)
    if whole.outcome is Outcome.INCOMPLETE or whole.states >= most:
        return False
    for way in ways:
        reduced = check(model, **asked, **way)
        assert (reduced.outcome, found(reduced)) == (whole.outcome, found(whole)), (seed, way)
    return True


@pytest.mark.parametrize("block", range(4))
def test_random_models(block: int) -> None:
    """Each in one way; all ways come up."""
    for seed in range(12 * block, 12 * block + 12):
        compare(seed, (WAYS[seed % len(WAYS)],), 300)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(240))
def test_more_random_models(block: int) -> None:
    """2400 models, of which more than 2000 are small enough to be searched without reduction."""
    for seed in range(100 + 10 * block, 110 + 10 * block):
        compare(seed, WAYS[1:])


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
def test_compiled(block: int) -> None:
    for seed in range(5000 + 10 * block, 5010 + 10 * block):
        compare(seed, ({"engine": "explicit"}, {"engine": "explicit", "search": "dfs"}, {"threads": 2}))


# ------------------------------------------------------------------------------------------------ the law


def check_law(seed: int) -> None:
    model = optimise(pipeline.load(generate(seed)), ("none", "full")[seed % 2], por=True)
    if (table := ample(model)) is not None:
        assert offence(model, table) == "", seed


def test_candidates_are_independent() -> None:
    for seed in (42, 49):  # they failed when started processes read unseen
        check_law(seed)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(60))
def test_candidates_are_independent_in_more_models(block: int) -> None:
    for seed in range(100 + 10 * block, 110 + 10 * block):
        check_law(seed)


# ------------------------------------------------------------------------------------------------ claims

CLAIMS = ("<> (g == 1)", "[] (h == 0)", "[] (len(q) == 1 -> <> (b == 1))", "<> [] (d == 0)", "<> (len(q) == 1)",
          "[] (_nr_pr < 4)")  # fmt: skip


def compare_claim(seed: int, most: int) -> None:
    model = pipeline.load(f"{generate(seed)}\nltl p {{ {CLAIMS[seed % len(CLAIMS)]} }}")
    for fair in (False, True):
        asked = {"all_errors": False, "ltl": "p", "fair": fair, "no_deadlock": True}
        whole = check(model, symmetry="none", por="off", optimise="none", max_states=most, **asked)
        outcomes = {p.name: p.outcome for p in whole.properties}
        if outcomes["p"] is not Outcome.INCOMPLETE:
            reduced = check(model, **asked)
            assert {p.name: p.outcome for p in reduced.properties}["p"] is outcomes["p"], (seed, fair)


def test_claims() -> None:
    for seed in range(12):
        compare_claim(seed, 100)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(30))
def test_more_claims(block: int) -> None:
    for seed in range(100 + 10 * block, 110 + 10 * block):
        compare_claim(seed, 1500)
