"""Partial orders in loops, with claims: it is settled for each state of the model who moves alone.

Models of loops and rings with random formulas, never claims and progress, fair or not, folded or not: the verdict is
that of the whole product, which knows nothing of partial orders.
"""

from __future__ import annotations

from random import Random

import pytest

from isospin.core.errors import Location
from isospin.core.model import Claim
from isospin.engines.contract import Question
from isospin.engines.explicit import explore
from isospin.engines.interp.claims import NON_PROGRESS
from isospin.engines.interp.graph import StateGraph
from isospin.engines.interp.liveness import check_claim
from isospin.pipeline import check, load, options
from isospin.pipeline.models.claims import confirmed_claim, plan
from tests.support.generators.random_loops import generate

ATOMS = ("x == 0", "x == 1", "x > 1", "y", "!y", "len(q[0]) == 0", "nempty(q[1])")
SHAPES = ("[]<> ({0})", "<> ({0})", "[] (({0}) -> <> ({1}))", "<>[] ({0})", "({0}) U ({1})", "[] ({0})",
          "[]<> ({0}) -> []<> ({1})", "<> (({0}) && <> ({1}))")  # fmt: skip
NEVER = """never {{ wait: do :: ({0}) && !({1}) -> break :: true od; accept: do :: !({1}) od }}
"""  # it cannot count steps
PROGRESS = Claim(NON_PROGRESS, NON_PROGRESS, "no non-progress cycle", Location("<text>"))
SIZE = 1500  # states of the whole product

# A ring: a message goes round, and every process adds to a counter of its own on the way.
RING = """byte done;
chan q[3] = [1] of { byte };
proctype P(chan inp, out) { byte n, v; do :: n < 4 -> inp?v; n++; out!v :: else -> break od; done++ }
init { atomic { run P(q[0], q[1]); run P(q[1], q[2]); run P(q[2], q[0]) }; q[0]!1 }
ltl all { <> (done == 3) }
"""


@pytest.mark.parametrize("fair", [False, True])
@pytest.mark.parametrize("engine", ["interp", "explicit"])
def test_a_ring_is_one_run(engine: str, fair: bool) -> None:
    how = {"engine": engine, "ltl": "all", "fair": fair, "symmetry": "none"}
    whole, reduced = (check(load(RING), options(por=por, **how)) for por in ("off", "on"))
    assert (whole.outcome, reduced.outcome.value) == (reduced.outcome, "holds")
    assert 3 * reduced.states < whole.states


def case(seed: int) -> tuple[str, bool, str]:
    """The model and its formula, fairness, symmetry."""
    random = Random(seed)
    shape = NEVER if seed % 5 == 3 else f"ltl p {{{{ {random.choice(SHAPES)} }}}}\n"
    text = generate(seed) + shape.format(random.choice(ATOMS), random.choice(ATOMS))
    return text, random.random() < 0.4, random.choice(("none", "exact"))


def compare(seed: int, compiled: bool = False) -> tuple[bool, bool]:
    """Is the claim violated, and was anything left out?"""
    text, fair, symmetry = case(seed)
    model = load(text)
    claim = PROGRESS if seed % 5 == 4 else model.claims[0]
    how = options(symmetry=symmetry, fair=fair, optimise=("none", "full", "spin")[seed % 3], por="on")
    way, asked = plan(model, claim, how), Question(fair=fair, max_states=SIZE)
    strategy, folding = (way.reduction.strategy, way.reduction.folding) if way.reduction else (None, None)
    whole = check_claim(way.model, claim, asked, strategy)
    if way.order is None or whole.incomplete:
        return bool(whole.findings), False
    reduced = check_claim(way.model, claim, asked, strategy, way.order)
    assert (bool(reduced.findings), reduced.incomplete) == (bool(whole.findings), ""), (seed, fair, symmetry, text)
    found = [reduced]
    if compiled:
        found.append(explore(way.model, Question(fair=fair), "-O0", claim=claim, folding=folding, ample=way.order))
        assert bool(found[1].findings) == bool(whole.findings), (seed, fair, symmetry, text)
        assert found[1].findings or found[1].states == reduced.states, (seed, fair, symmetry, text)
    for finding in [f for result in found for f in result.findings]:
        confirmed_claim(model, way.searched, claim, finding, way.reduction, how)
    return bool(whole.findings), reduced.states < whole.states


def test_random() -> None:
    found = [compare(seed) for seed in range(24)]
    assert {True, False} == {violated for violated, _ in found} == {less for _, less in found}


@pytest.mark.slow
@pytest.mark.parametrize("start", range(24, 2024, 20))
def test_more_random(start: int) -> None:
    for seed in range(start, start + 20):
        compare(seed)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, 60, 10))
def test_compiled(start: int) -> None:
    for seed in range(start, start + 10):
        compare(seed, compiled=True)


# P goes round alone, and so does Q, by steps that nobody sees.  R sets x only if it ever moves.
ROUND = """bit x;
active proctype P() { bit a; do :: a = 1 - a od }
active proctype Q() { bit b; do :: b = 1 - b od }
active proctype R() { bit c; c = 1; x = 1 }
ltl p { [] !x }
"""


def test_without_the_condition_on_cycles_a_violation_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    how = options(engine="interp", ltl="p", por="on", symmetry="none", optimise="none")
    assert check(load(ROUND), how).outcome.value == "violated"
    monkeypatch.setattr(StateGraph, "_is_settled", lambda *_: False)
    assert check(load(ROUND), how).outcome.value == "holds"
