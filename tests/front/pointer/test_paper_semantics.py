"""The model of an automaton against the paper's own definitions, which `paper_semantics.py` executes."""

from __future__ import annotations

import pytest

from isospin.engines.contract import Question
from isospin.engines.interp.search import explore
from tests.support.generators.random_pointer import automaton
from tests.support.oracles.paper_semantics import System

MOST = 200


def compare(seed: int) -> str:
    one = automaton(seed)
    expected = System(one.text, one.processes).explore(MOST)
    if expected is None:
        return "large"
    model = one.model()
    found = explore(model, Question(all_errors=True, deadlock=model.wants_deadlock))
    names = {f.message.split(" ")[0] if f.kind == "invariant" else f.kind for f in found.findings}
    assert (found.states, names) == expected, seed
    return "violated" if names else "holds"


@pytest.mark.parametrize("first", range(2000, 2060, 20))
def test_the_paper_agrees(first: int) -> None:
    results = [compare(seed) for seed in range(first, first + 20)]
    assert {"holds", "violated"} <= set(results)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(3000, 4000, 50))
def test_the_paper_agrees_on_more(first: int) -> None:
    for seed in range(first, first + 50):
        compare(seed)
