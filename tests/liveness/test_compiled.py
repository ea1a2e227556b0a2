"""Claims in the compiled engine: counts and verdicts of the interpreter, with and without partial orders."""

from __future__ import annotations

from dataclasses import replace

import pytest

from isospin.engine.contract import Question
from isospin.engine.explicit import explore
from isospin.engine.interp.claims import NON_PROGRESS
from isospin.engine.interp.liveness import check_claim
from isospin.errors import Location
from isospin.ir.ample import ample
from isospin.ir.optimise import optimise
from isospin.model import Claim, Model
from isospin.pipeline import Options, check, load
from isospin.pipeline.claims import claim_level, confirmed_claim, counts_steps
from tests.liveness.random_live import generate

LEVELS = ("none", "spin", "full")
QUICK, ALL = 30, 990
PROGRESS = Claim(NON_PROGRESS, NON_PROGRESS, "no non-progress cycle", Location("<text>"))


def compare(model: Model, claim: Claim, level: str, where: str) -> str:
    """The verdict, the same in three searches; counterexamples are run again with the claim beside them."""
    alone = replace(model, claims=(claim,))
    searched = optimise(alone, claim_level(claim, level))
    slow = check_claim(searched, claim, Question())
    fast = explore(searched, Question(), "-O0", claim=claim)
    assert (slow.incomplete, fast.incomplete) == ("", ""), where
    confirm(model, searched, claim, fast.findings)
    assert bool(fast.findings) == bool(slow.findings), where
    if not fast.findings:
        assert (fast.states, fast.transitions) == (slow.states, slow.transitions), where
    if not counts_steps(claim):
        if (order := ample(searched)) is not None:
            reduced = explore(searched, Question(), "-O0", ample=order, claim=claim)
            confirm(model, searched, claim, reduced.findings)
            assert bool(reduced.findings) == bool(slow.findings), f"partial orders: {where}"
            assert fast.findings or reduced.states <= fast.states, where
    return "violated" if slow.findings else "holds"


def confirm(model: Model, searched: Model, claim: Claim, findings: list) -> None:  # type: ignore[type-arg]
    for finding in findings:
        confirmed_claim(model, searched, claim, finding, None, Options())


def random_case(seed: int) -> str:
    live = generate(seed)
    model = load(f"{live.text}ltl p {{ {live.formula} }}\n")
    claims = [*model.claims, PROGRESS]
    claim = claims[0] if seed % 2 else claims[seed // 2 % len(claims)]
    return compare(model, claim, LEVELS[seed % 3], f"seed {seed}: {claim.name}\n{live.text}{live.formula}")


def test_random_models() -> None:
    assert {random_case(seed) for seed in range(QUICK)} == {"holds", "violated"}


@pytest.mark.slow
@pytest.mark.parametrize("start", range(QUICK, ALL, 48))
def test_many_random_models(start: int) -> None:
    for seed in range(start, start + 48):
        random_case(seed)


# ------------------------------------------------------------------------------------------------ what claims can see

LOOKS = {
    "timeout": """byte x;
active proctype P() { do :: x < 3 -> x++ :: timeout -> break od; x = 9 }
never { do :: timeout && x == 3 -> break :: else od; accept: do :: true od }""",
    "enabled": """byte x;
active [2] proctype P() { do :: x < 3 -> x++ :: x == 3 && _pid == 0 -> x = 0 od }
never { do :: !enabled(1) -> goto accept :: true od; accept: do :: !enabled(1) od }""",
    "end of a run": """byte x;
active proctype P() { x = 1; x = 2 }
ltl p { <> (x == 3) }""",
    "np_ at the end": """byte x;
active proctype P() { x = 1; x = 2 }
never { do :: true :: np_ -> break od; accept: do :: np_ od }""",
    "np_ in a loop": """bit x;
active proctype P() { do :: x = 1 - x od }
never { do :: true :: np_ -> break od; accept: do :: np_ od }""",
    "an atomic claim": """byte x;
active proctype P() { do :: x < 5 -> x++ od }
never { do :: atomic { x == 2 -> x > 1 -> assert(x != 2) } :: else od }""",
    "a fault": """byte x, a[3];
active proctype P() { do :: x < 5 -> x++ od }
ltl p { [] (a[x] == 0) }""",
    "the end of a claim": """byte x;
active [2] proctype P() { do :: x < 5 -> x++ od }
never { do :: x == 4 -> break :: else od }""",
    "atomic steps": """byte x;
active [2] proctype P() { do :: atomic { x < 3 -> x = 7; x = 2 } :: x == 2 -> x = 0 od }
ltl p { [] (x != 7) }""",
    "rendezvous": """chan c = [0] of { byte }; byte x;
active proctype S() { do :: c!1 :: c!2 od }
active proctype R() { do :: c?x od }
ltl p { []<> (x == 1) }""",
    "born and gone": """byte x;
proctype Q() { x++; x-- }
active proctype P() { do :: run Q(); x == 0 od }
ltl p { [] (_nr_pr < 4) }""",
    "many successors": "byte x; chan c = [0] of { byte };\nactive proctype P() { do :: "
    + " :: ".join(f"c!{i}" for i in range(150))
    + " od }\n"
    "active proctype Q() { do :: c?x od }\nltl p { [] (x < 149) }",
    "wide states": """byte x; int a[40];
active [2] proctype P() { byte i; do :: i < 30 -> a[i] = a[i] + 1; i++ :: else -> break od; x++ }
ltl p { <>[] (x > 1) }""",
    "two searches": """byte x;
active [3] proctype P() { byte i; do :: i < 9 -> i++; x = i :: i == 9 -> i = 0 od }
ltl p { []<> (x == 3) -> []<> (x == 4) }""",
}


@pytest.mark.parametrize("name", LOOKS)
def test_what_a_claim_sees(name: str) -> None:
    model = load(LOOKS[name])
    compare(model, model.claims[0], LEVELS[len(name) % 3], name)


def test_a_self_loop_is_a_cycle() -> None:
    model = load("bit x;\nactive proctype P() { accept: do :: x = 0 od }\n")
    assert compare(model, model.claims[0], "none", "self loop") == "violated"


# ------------------------------------------------------------------------------------------------ from the outside

LARGE = """byte x;
active [4] proctype P() { byte i; do :: i < 9 -> i++ :: i == 9 -> i = 0; x = _pid od }
ltl p { []<> (x == 3) }
ltl q { [] (x < 4) }
"""


def test_large_models_are_for_the_compiled_engine() -> None:
    model = load(LARGE)
    verdict = check(model, Options(ltl="q", symmetry="none", por="off", optimise="none"))
    assert (verdict.outcome.value, verdict.engine, verdict.por) == ("holds", "explicit", False)
    reduced = check(model, Options(ltl="q", symmetry="none", optimise="none", por="on"))
    assert (reduced.outcome.value, reduced.por) == ("holds", True)
    assert verdict.statistics is not None
    assert reduced.statistics is not None
    assert 2000 < reduced.statistics.states < verdict.statistics.states


def test_small_ones_and_fair_ones_are_for_the_interpreter() -> None:
    assert check(load(LARGE), Options(ltl="p")).engine == "interp"  # a violation is found at once
    assert check(load(LARGE), Options(ltl="p", fair=True, max_states=100)).engine == "interp"


@pytest.mark.parametrize("limit", [{"max_states": 3000}, {"max_depth": 50}, {"max_memory": 1 << 19}])
def test_a_search_that_stops_early_says_so(limit: dict[str, int]) -> None:
    verdict = check(load(LARGE), Options(ltl="q", symmetry="none", por="off", engine="explicit", **limit))  # type: ignore[arg-type]
    assert verdict.outcome.value == "incomplete"
    assert next(iter(limit)).replace("_", "-") in verdict.reason


def test_a_wrong_table_is_noticed() -> None:
    model = load(LARGE)
    claim = model.claims[1]
    right = explore(replace(model, claims=(claim,)), Question(), claim=claim)
    wrong = explore(replace(model, claims=(claim,)), Question(), flags=("-DISOSPIN_FAULT_TABLE",), claim=claim)
    assert wrong.states < right.states
