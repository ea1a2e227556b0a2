"""Claims in the compiled engine: counts and verdicts of the interpreter, with every reduction and without."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from isospin.analysis.ample import Ample
from isospin.core.errors import Location, UsageError
from isospin.core.model import Claim, Model
from isospin.engines.contract import Exploration, Question
from isospin.engines.explicit import explore
from isospin.engines.interp.claims import NON_PROGRESS
from isospin.engines.interp.liveness import check_claim
from isospin.pipeline import Options, check, load
from isospin.pipeline.models.claims import Plan, chosen_claims, confirmed_claim, plan
from tests.support.generators.random_live import generate

LEVELS = ("none", "spin", "full")
WAYS = list(product(("none", "exact"), (False, True)))  # symmetry, fairness
QUICK, ALL = 12, 972
PROGRESS = Claim(NON_PROGRESS, NON_PROGRESS, "no non-progress cycle", Location("<text>"))


def compare(model: Model, claim: Claim, level: str, where: str, symmetry: str = "none", fair: bool = False) -> str:
    """The verdict, the same in four searches; counterexamples are run again with the claim beside them."""
    options = Options(symmetry=symmetry, fair=fair, optimise=level, por="on")
    way = plan(model, claim, options)
    found = same(model, claim, options, way, None, where)
    if way.order is not None:
        reduced = same(model, claim, options, way, way.order, f"partial orders: {where}")
        assert bool(reduced.findings) == bool(found.findings), where
        assert found.findings or reduced.states <= found.states, where
    return "violated" if found.findings else "holds"


def same(model: Model, claim: Claim, options: Options, way: Plan, order: Ample | None, where: str) -> Exploration:
    """What both engines find."""
    asked = Question(fair=options.fair)
    strategy, folding = (way.reduction.strategy, way.reduction.folding) if way.reduction else (None, None)
    slow = check_claim(way.model, claim, asked, strategy, order)
    fast = explore(way.model, asked, "-O0", claim=claim, folding=folding, ample=order)
    check_alike(model, claim, options, way, (slow, fast), where, order is None)
    return fast


def check_alike(
    model: Model, claim: Claim, options: Options, way: Plan, found: tuple[Exploration, Exploration], where: str,
    whole: bool,
) -> None:  # fmt: skip
    """The interpreter and the compiled engine found the same; what is found can be run again.

    With symmetry and partial orders it depends on the representatives, which differ, who moves alone.
    """
    slow, fast = found
    assert (slow.incomplete, fast.incomplete) == ("", ""), where
    for finding in fast.findings:
        confirmed_claim(model, way.searched, claim, finding, way.reduction, options)
    assert [f.kind for f in fast.findings] == [f.kind for f in slow.findings], where
    if not fast.findings and (whole or way.reduction is None):
        assert (fast.states, fast.transitions) == (slow.states, slow.transitions), where


def random_case(seed: int) -> str:
    live = generate(seed, queues=seed % 3 == 2)
    model = load(f"{live.text}ltl p {{ {live.formula} }}\n")
    claims = [*model.claims, PROGRESS]
    claim = claims[0] if seed % 2 else claims[seed // 2 % len(claims)]
    symmetry, fair = WAYS[seed // 2 % 4]
    where = f"seed {seed}: {claim.name}, {symmetry}, {fair}\n{live.text}{live.formula}"
    return compare(model, claim, LEVELS[seed % 3], where, symmetry, fair)


def test_random_models() -> None:
    assert {random_case(seed) for seed in range(QUICK)} == {"holds", "violated"}


@pytest.mark.slow
@pytest.mark.parametrize("start", range(QUICK, ALL, 48))
def test_many_random_models(start: int) -> None:
    for seed in range(start, start + 48):
        random_case(seed)


# ------------------------------------------------------------------------------------------------ several threads


def together(model: Model, claim: Claim, level: str, where: str, symmetry: str = "none", por: str = "on") -> str:
    """Several threads find what one finds: the verdict, and if all is searched, the counts."""
    options = Options(symmetry=symmetry, optimise=level, por=por, threads=2)
    way = plan(model, claim, options)
    folding = way.reduction.folding if way.reduction else None
    asked: dict[str, Any] = {"claim": claim, "folding": folding, "ample": way.order}
    one = explore(way.model, Question(), "-O0", **asked)
    for threads in (2, 3, 5):
        found = explore(way.model, Question(threads=threads), "-O0", **asked)
        assert (one.incomplete, found.incomplete) == ("", ""), where
        assert [f.kind for f in found.findings] == [f.kind for f in one.findings], where
        for finding in found.findings:
            confirmed_claim(model, way.searched, claim, finding, way.reduction, options)
        assert one.findings or (found.states, found.transitions) == (one.states, one.transitions), where
    return "violated" if one.findings else "holds"


SEEDS = """int i;
active proctype P() {
    if :: %s fi;
    do :: i < 300 -> i++ :: else -> break od;
accept_before: i = 0;
ring: i = 0; do :: i < 5 -> i++ :: else -> break od;
accept_on: i = 6; do :: i < 300 -> i++ :: else -> break od;
    i = 7; goto ring
}"""


@pytest.mark.parametrize("branches", ["goto ring :: skip", "skip :: goto ring"])
def test_threads_wait_for_states_that_others_search_from(branches: str) -> None:
    """One thread takes its time before it looks for the way back to `accept_on`.  Another one that searches from
    `accept_before` finds all of the ring, and may not say that no cycle leads through it."""
    model = load(SEEDS % branches)
    (claim,) = chosen_claims(model, Options())
    for threads in (1, 4):
        found = explore(model, Question(threads=threads), "-O0", ("-DISOSPIN_LATE_SEED",), claim=claim)
        assert [f.kind for f in found.findings] == ["acceptance-cycle"], threads


def test_a_cycle_that_threads_enter_at_two_places() -> None:
    """Each would come to a state that another one has found before; no part of the cycle is a cycle."""
    ring = "do :: i < 30000 -> i++ :: else -> i = 0 od"
    model = load(f"int i; active proctype P() {{ if :: i = 0 :: i = 15000 fi; {ring} }} ltl p {{ <> (i == 30001) }}")
    for threads in (2, 3, 4):
        found = explore(model, Question(threads=threads), "-O0", claim=model.claims[0])
        assert [f.kind for f in found.findings] == ["acceptance-cycle"]


def random_case_of_threads(seed: int) -> str:
    live = generate(seed, queues=seed % 3 == 2)
    model = load(f"{live.text}ltl p {{ {live.formula} }}\n")
    claim = PROGRESS if seed % 7 == 6 else model.claims[0]
    where = f"seed {seed}: {claim.name}\n{live.text}{live.formula}"
    return together(model, claim, LEVELS[seed % 3], where, ("none", "exact")[seed // 2 % 2], ("on", "off")[seed % 2])


def test_random_models_by_threads() -> None:
    assert {random_case_of_threads(seed) for seed in range(6, 10)} == {"holds", "violated"}


SHARED = {
    "narrow": """byte x[5];
active [5] proctype P() { byte i; do :: i < 7 -> i++; x[_pid] = i :: i == 7 -> i = 0 od }
ltl p { ([]<> (x[0] == 3) && []<> (x[0] == 6)) -> []<> (x[0] == 4) }""",
    "wide": """byte x; int a[40];
active [2] proctype P() { byte i; do :: i < 30 -> a[i] = a[i] + 1; i++ :: else -> break od; x++ }
ltl p { <>[] (x > 1) }""",
}


@pytest.mark.parametrize("text", SHARED.values(), ids=SHARED)
def test_threads_share_the_work(text: str) -> None:
    """Nothing that is given to another thread is lost, while the table grows and changes its kind."""
    model = load(text)
    assert together(model, model.claims[0], "full", "") == "holds"


@pytest.mark.slow
@pytest.mark.parametrize("start", range(8, ALL, 48))
def test_many_random_models_by_threads(start: int) -> None:
    for seed in range(start, start + 48):
        random_case_of_threads(seed)


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
    "a fault that would end the claim": """chan q; byte x;
active proctype P() { x = 1 }
ltl p { [] ((len(q) < 2) -> (len(q) > 0)) }""",
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
    "many successors": "byte x;\nactive [2] proctype P() { do :: "
    + " :: ".join(f"x = {i}" for i in range(70))
    + " od }\nltl p { [] (x < 69) }",
    "wide states": """byte x; int a[40];
active [2] proctype P() { byte i; do :: i < 30 -> a[i] = a[i] + 1; i++ :: else -> break od; x++ }
ltl p { <>[] (x > 1) }""",
    "two searches": """byte x;
active [3] proctype P() { byte i; do :: i < 6 -> i++; x = i :: i == 6 -> i = 0 od }
ltl p { []<> (x == 3) -> []<> (x == 4) }""",
}


@pytest.mark.parametrize("name", LOOKS)
def test_what_a_claim_sees(name: str) -> None:
    model = load(LOOKS[name])
    symmetry, fair = WAYS[len(name) % 4]
    compare(model, model.claims[0], LEVELS[len(name) % 3], name, symmetry, fair)


# Who can start a step, where that is not a matter of its own statement only.
STARTS = {
    "provided": """byte x, y;
active proctype P() { do :: x = 1 - x od }
active proctype Q() provided (x == 1) { do :: y = 1 - y od }
ltl p { <> (y == 1) }""",
    "priorities": """byte x, y;
active proctype P() priority 5 { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
active proctype Q() { do :: y = 1 od }
ltl p { <> (y == 1) }""",
    "failing steps": """byte x, y, a[2];
active proctype P() { do :: x = 1 - x od }
active proctype Q() { a[x + 2] = 1; y = 1 }
ltl p { <> (y == 1) }""",
    "timeout": """byte x, y;
active proctype P() { do :: timeout -> x = 1 :: x == 1 -> x = 0 od }
active proctype Q() { do :: timeout -> y = 1 od }
ltl p { <> (y == 1) }""",
}


@pytest.mark.parametrize("name", STARTS)
def test_who_can_start_a_step(name: str) -> None:
    model = load(STARTS[name])
    compare(model, model.claims[0], "none", name, fair=True)


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
    verdict = check(model, Options(engine="explicit", ltl="q", symmetry="none", por="off", optimise="none"))
    assert (verdict.outcome.value, verdict.engine, verdict.por) == ("holds", "explicit", False)
    reduced = check(model, Options(engine="explicit", ltl="q", symmetry="none", optimise="none", por="on"))
    assert (reduced.outcome.value, reduced.por) == ("holds", True)
    assert verdict.statistics is not None
    assert reduced.statistics is not None
    assert 100 * reduced.statistics.states < verdict.statistics.states


def test_small_ones_are_for_the_interpreter() -> None:
    assert check(load(LARGE), Options(ltl="p")).engine == "interp"  # a violation is found at once


# name, model with a claim; the group has order 6
FOLDED = """byte x; bool done[3];
active [3] proctype P() { byte i; do :: i < 9 -> i++ :: i == 9 -> i = 0; done[_pid] = 1 od }
ltl p { <> (done[0] && done[1] && done[2]) }
ltl q { [] (done[0] + done[1] + done[2] < 4) }
"""


@pytest.mark.parametrize("fair", [False, True])
@pytest.mark.parametrize("symmetry", ["exact", "enumerate", "segmented", "sorted", "markers"])
def test_every_strategy_with_a_permutation_folds_the_product(symmetry: str, fair: bool) -> None:
    model = load(FOLDED)
    for name, wanted in (("p", "holds" if fair else "violated"), ("q", "holds")):
        what = Options(ltl=name, engine="explicit", symmetry=symmetry, fair=fair, por="off", optimise="none")
        if name == "q" and symmetry != "exact":
            continue  # the C compiler takes its time
        verdict = check(model, what)
        assert (verdict.outcome.value, verdict.engine, verdict.symmetry.group_order) == (wanted, "explicit", "6")
        assert verdict.symmetry.strategy == symmetry


def test_a_formula_that_names_a_process_cuts_the_group() -> None:
    text = FOLDED + "ltl one { <> done[0] }\n"
    verdict = check(load(text), Options(ltl="one", engine="explicit", symmetry="exact", fair=True))
    assert (verdict.outcome.value, verdict.symmetry.group_order) == ("holds", "2")


def test_folding_and_partial_orders_make_the_product_smaller() -> None:
    counts = {}
    for symmetry, por in product(("none", "exact"), ("off", "on")):
        what = Options(ltl="q", engine="explicit", symmetry=symmetry, por=por, optimise="none")
        counts[symmetry, por] = check(load(FOLDED), what).states
    assert counts["exact", "off"] < counts["none", "off"] / 4
    assert counts["exact", "on"] < counts["none", "on"] < counts["none", "off"]
    assert counts["exact", "on"] < counts["exact", "off"]


@pytest.mark.parametrize("symmetry", ["sorted-main", "pc-sorted"])
def test_a_strategy_that_goes_on_from_another_state_is_refused(symmetry: str) -> None:
    with pytest.raises(UsageError, match="for cycles use exact"):
        check(load(FOLDED), Options(ltl="q", engine="explicit", symmetry=symmetry, optimise="none"))


@pytest.mark.parametrize("limit", [{"max_states": 3000}, {"max_depth": 50}, {"max_memory": 1 << 19}])
@pytest.mark.parametrize("way", [{"fair": False}, {"fair": True}, {"threads": 3}], ids=str)
def test_a_search_that_stops_early_says_so(limit: dict[str, int], way: dict[str, Any]) -> None:
    what = Options(ltl="q", symmetry="none", por="off", engine="explicit", **way, **limit)  # type: ignore[arg-type]
    verdict = check(load(LARGE), what)
    assert verdict.outcome.value == "incomplete"
    assert next(iter(limit)).replace("_", "-") in verdict.reason


def test_a_wrong_table_is_noticed() -> None:
    model = load(LARGE)
    claim = model.claims[1]
    right = explore(replace(model, claims=(claim,)), Question(), claim=claim)
    wrong = explore(replace(model, claims=(claim,)), Question(), flags=("-DISOSPIN_FAULT_TABLE",), claim=claim)
    assert wrong.states < right.states
