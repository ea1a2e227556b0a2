"""Stateless searches of models whose processes come and go, or meet: what an exhaustive search finds, they find."""

from __future__ import annotations

import pytest

from isospin.core.verdict import Outcome, Verdict
from isospin.pipeline import check, load, options
from tests.analysis.test_ample import TRAPS
from tests.support.generators import random_mobile

SEARCHES = ("dpor", "optimal", "persistent")

# The partner of a rendezvous could have done something else, by itself or after somebody's step.
MEETINGS = {
    "at once": """chan meet = [0] of { byte };
        active proctype P() { meet!1 }
        active proctype Q() { byte x; if :: assert(false) :: meet?x fi }
        """,
    "before an escape": """chan meet = [0] of { byte }; byte y;
        active proctype P() { meet!1 }
        active proctype Q() { byte x; { y = 1; assert(false) } unless { meet?x } }
        """,
    "with a message": """chan meet = [0] of { byte }; chan c = [1] of { byte };
        active proctype P() { meet!1 }
        active proctype Q() { byte x; if :: c?x -> assert(false) :: meet?x fi }
        active proctype R() { c!1 }
        """,
    "with a variable": """chan meet = [0] of { byte }; byte g;
        active proctype P() { meet!1 }
        active proctype Q() { byte x; if :: g == 1 -> assert(false) :: meet?x fi }
        active proctype R() { g = 1 }
        """,
}


def found(verdict: Verdict) -> set[tuple[str, str]]:
    return {(v.kind, "" if v.kind == "deadlock" else str(v.location)) for v in verdict.violations}


def compare(text: str, searches: tuple[str, ...], most: int = 300) -> None:
    model = load(text)
    plain = options(engine="interp", symmetry="none", por="off", optimise="none", all_errors=True, max_states=most)
    whole = check(model, plain)
    if whole.outcome is Outcome.INCOMPLETE or whole.states >= most:
        return
    for search in searches:
        asked = options(engine="stateless", search=search, all_errors=True, max_executions=2000)
        verdict = check(model, asked)
        if verdict.reason:
            continue
        assert verdict.outcome is whole.outcome, (search, text)
        if {kind for kind, _ in found(whole)} <= {"assertion", "deadlock"}:  # a fault ends a run, and what others do
            assert found(verdict) == found(whole), (search, text)


@pytest.mark.parametrize("name", MEETINGS)
def test_a_partner_that_could_have_done_something_else(name: str) -> None:
    compare(MEETINGS[name], SEARCHES)


@pytest.mark.parametrize("name", [name for name in TRAPS if "started" in name or "owner" in name or "number" in name])
def test_traps(name: str) -> None:
    compare(TRAPS[name], SEARCHES)


def test_random() -> None:
    for seed in range(12):
        compare(random_mobile.generate(seed), (SEARCHES[seed % 3],), 100)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(40))
def test_more_random(block: int) -> None:
    for seed in range(100 + 10 * block, 110 + 10 * block):
        compare(random_mobile.generate(seed), SEARCHES)
