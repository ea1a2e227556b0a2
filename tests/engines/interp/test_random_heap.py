"""Claims about models with objects, against brute force: every reduction on and off, fair or not, any claim."""

from __future__ import annotations

from itertools import product

import pytest

from isospin.core.model import Claim, Model
from isospin.pipeline import Options, check, load
from isospin.semantics.state import Fault
from tests.support.generators.random_heap_live import generate
from tests.support.oracles.brute_runs import Runs, TooMany, accepting_cycle, non_progress_cycle, violates

QUICK, ALL = 160, 3000
MOST_STATES = 400  # for the tableau
FEW_STATES = 100
FOLDS = (("exact", "auto"), ("none", "auto"), ("none", "on"), ("exact", "off"))  # processes, addresses
WAYS = [(*fold, *way) for way in product(("on", "off"), ("full", "none", "spin")) for fold in FOLDS]
UNREDUCED = ("none", "auto", "off", "none")
ENDLESS = ("--max-objects", "--max-states")  # where garbage is not collected a search need not end


def expected(model: Model, claim: Claim | None, runs: Runs, fair: bool) -> str:
    if claim is None:
        found = non_progress_cycle(runs, fair)
    elif claim.kind == "accept":
        found = accepting_cycle(runs, fair)
    else:
        try:
            found = violates(runs, claim, fair)
        except Fault:  # the formula follows a pointer that leads nowhere
            return outcome(model, claim, fair, UNREDUCED)
        if not found and any(not steps for steps in runs.after.values()):
            # Runs end in faults: those are no runs for the tableau, but may be enough to violate a formula for good.
            return outcome(model, claim, fair, UNREDUCED)
    return "violated" if found else "holds"


def outcome(model: Model, claim: Claim | None, fair: bool, way: tuple[str, str, str, str]) -> str:
    """Every counterexample is replayed by `check` itself, with the claim beside it: a wrong one is an InternalError."""
    symmetry, heap, por, level = way
    verdict = check(model, Options(
        engine="interp", symmetry=symmetry, heap_symmetry=heap, por=por, optimise=level, fair=fair, max_states=5000,
        ltl=claim.name if claim else None, non_progress=claim is None,
    ))  # fmt: skip
    if verdict.outcome.value == "incomplete":
        assert not (symmetry == "exact" and heap == "auto"), "what is folded ends"
        assert any(word in verdict.properties[0].reason for word in ENDLESS)
        return ""
    return verdict.outcome.value


def compare(seed: int, ways: int, everything: bool = False, most: int = MOST_STATES) -> set[str]:
    """The verdicts of a random model; none if it is too large to be sure."""
    live = generate(seed)
    model = load(f"{live.text}ltl p {{ {live.formula} }}\n")
    try:
        runs = Runs(model, most)
    except TooMany:
        return set()
    found = set()
    cases = list(product([*model.claims, None], (False, True)))
    for number, (claim, fair) in enumerate(cases if everything else [cases[seed % len(cases)]]):
        wanted = expected(model, claim, runs, fair)
        for i in range(ways):
            way = WAYS[(5 * seed + 7 * i + number) % len(WAYS)] if i else WAYS[0]
            got = outcome(model, claim, fair, way)
            where = f"seed {seed}: {claim.name if claim else 'progress'}, {fair}, {way}\n{live.text}{live.formula}"
            assert not got or not wanted or got == wanted, where
        found.add(wanted)
    return found


def test_as_by_brute_force() -> None:
    found = [compare(seed, ways=1, most=FEW_STATES) for seed in range(QUICK)]
    assert sum(map(bool, found)) > QUICK // 4
    assert set().union(*found) == {"holds", "violated"}


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, ALL, 100))
def test_many_as_by_brute_force(start: int) -> None:
    for seed in range(start, start + 100):
        compare(seed, ways=3, everything=True)
