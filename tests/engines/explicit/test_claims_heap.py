"""Claims about models with objects in the compiled engine: counts and verdicts of the interpreter.

What the interpreter says of such models is compared with brute force in `engines/interp/test_random_heap.py`.
"""

from __future__ import annotations

import pytest

from isospin.core.model import Model
from isospin.engines.contract import Question
from isospin.engines.explicit import explore
from isospin.engines.interp.liveness import check_claim
from isospin.pipeline import Options, load
from isospin.pipeline.models.claims import plan
from tests.engines.explicit.test_claims import LEVELS, PROGRESS, check_alike
from tests.support.generators.random_heap_live import generate
from tests.support.oracles.brute_runs import Runs, TooMany

FOLDS = (("exact", "auto"), ("none", "on"), ("exact", "auto"), ("none", "auto"))  # processes, addresses
QUICK, ALL = 6, 1000
MOST_STATES = 400


def compare(model: Model, seed: int, where: str) -> str:
    """One claim, one way to reduce: both engines find the same, and count the same if there is nothing to find."""
    symmetry, heap = FOLDS[seed % 4]
    claim = ([*model.claims, PROGRESS])[seed // 3 % (len(model.claims) + 1)]
    options = Options(symmetry=symmetry, heap_symmetry=heap, fair=seed // 4 % 2 == 0, optimise=LEVELS[seed % 3],
                      por="off" if seed % 7 == 6 else "on")  # fmt: skip
    way = plan(model, claim, options)
    asked = Question(fair=options.fair, max_states=5000)
    strategy, folding = (way.reduction.strategy, way.reduction.folding) if way.reduction else (None, None)
    slow = check_claim(way.model, claim, asked, strategy, way.order)
    if slow.incomplete and not options.folds_heap:
        return ""  # garbage is not collected there
    fast = explore(way.model, asked, "-O0", claim=claim, folding=folding, ample=way.order)
    check_alike(model, claim, options, way, (slow, fast), where, way.order is None)
    return "violated" if fast.findings else "holds"


def random_case(seed: int) -> str:
    live = generate(seed)
    model = load(f"{live.text}ltl p {{ {live.formula} }}\n")
    try:
        Runs(model, MOST_STATES)
    except TooMany:
        return ""
    return compare(model, seed, f"seed {seed}\n{live.text}{live.formula}")


def test_random_models() -> None:
    assert {"holds", "violated"} <= {random_case(seed) for seed in range(QUICK)}


@pytest.mark.slow
@pytest.mark.parametrize("start", range(QUICK, ALL, 50))
def test_many_random_models(start: int) -> None:
    for seed in range(start, start + 50):
        random_case(seed)
