"""Verdicts on random models against brute force: symmetry and partial orders on and off, fair or not, any claim."""

from __future__ import annotations

from itertools import product

import pytest

from isospin.core.model import Claim
from isospin.pipeline import Options, check, load
from tests.support.generators.random_live import generate
from tests.support.oracles.brute_runs import Runs, accepting_cycle, non_progress_cycle, violates

LEVELS = ("none", "spin", "full")
QUICK, ALL = 100, 1500  # every second one has queues
MOST_STATES = 500  # for the tableau
REDUCTIONS = (("none", "off"), ("exact", "on"), ("none", "on"), ("exact", "off"))  # symmetry, partial orders


def expected(claim: Claim | None, runs: Runs, fair: bool) -> str:
    if claim is None:
        found = non_progress_cycle(runs, fair)
    else:
        found = accepting_cycle(runs, fair) if claim.kind == "accept" else violates(runs, claim, fair)
    return "violated" if found else "holds"


def compare(seed: int, everything: bool) -> None:
    """Every counterexample is replayed by `check` itself, with the claim beside it: a wrong one is an InternalError."""
    live = generate(seed, queues=seed % 2 == 1)
    model = load(f"{live.text}ltl p {{ {live.formula} }}\n")
    runs, level = Runs(model), LEVELS[seed % 3]
    claims = [*model.claims, None] if len(runs.states) <= MOST_STATES else [None]
    if not everything:
        claims = [claims[0], *claims[1 + seed % (len(claims) - 1) :][:1]] if len(claims) > 1 else claims
    reductions = REDUCTIONS if everything else REDUCTIONS[seed // 2 % 2 * 2 :][:2]
    for claim, fair in product(claims, (False, True) if everything else (seed // 4 % 2 == 0,)):
        wanted = expected(claim, runs, fair)
        for symmetry, por in reductions:
            what = Options(engine="interp", symmetry=symmetry, por=por, fair=fair, optimise=level,
                           ltl=claim.name if claim else None, non_progress=claim is None)  # fmt: skip
            got = check(model, what).outcome.value
            assert got == wanted, f"seed {seed}: {what}\n{live.text}{live.formula}"


LARGE = (81, 93)  # large models, among the slow tests only


@pytest.mark.parametrize("start", range(0, QUICK, 50))
def test_as_by_brute_force(start: int) -> None:
    for seed in range(start, start + 50):
        if seed not in LARGE:
            compare(seed, everything=False)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, ALL, 100))
def test_many_as_by_brute_force(start: int) -> None:
    for seed in range(start, start + 100):
        compare(seed, everything=True)
