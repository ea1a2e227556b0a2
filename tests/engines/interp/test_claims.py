"""What claims mean, point by point; each verdict was compared with SPIN's (see `test_spin_live.py` for how)."""

from __future__ import annotations

from typing import Any

import pytest

from isospin import check
from isospin.core.errors import SourceError, UsageError
from isospin.core.verdict import Verdict
from isospin.pipeline import load
from isospin.pipeline.models.claims import PATIENCE

TOGGLE = "bool b[2]; active [2] proctype P() { do :: b[_pid] = 1 - b[_pid] od }\n"
HALF = "byte x; active proctype P() { x = 1; do :: x = 3 - x od }\n"


def kinds(verdict: Verdict) -> list[str]:
    return [v.kind for v in verdict.violations]


def claim(text: str, **options: Any) -> Verdict:
    """The only claim of a model, with and without symmetry: the verdicts must agree."""
    model = load(text)
    name = model.claims[0].name
    plain = check(model, engine="interp", symmetry="none", ltl=name, **options)
    folded = check(model, engine="interp", symmetry="exact", ltl=name, **options)
    assert kinds(plain) == kinds(folded)
    assert plain.outcome == folded.outcome
    return folded


# name, model with a claim, kinds of violations without and with fairness
MEANINGS = [
    ("invariant", TOGGLE + "ltl { [] !(b[0] && b[1]) }", ["claim"], ["claim"]),
    ("fairness makes processes move", TOGGLE + "ltl { [] <> b[0] }", ["acceptance-cycle"], []),
    ("fairness does not choose", HALF + "ltl { [] <> (x == 7) }", ["acceptance-cycle"], ["acceptance-cycle"]),
    ("a run that ends stays where it is", "byte x; active proctype P() { x = 1 } ltl { <>[] (x == 1) }", [], []),
    ("a run that ends can violate", "byte x; active proctype P() { x = 1 } ltl { []<> (x == 0) }",
     ["acceptance-cycle"], ["acceptance-cycle"]),
    ("a deadlock is a run that ends", "byte x; active proctype P() { x == 1 } ltl { <> (x == 1) }",
     ["acceptance-cycle"], ["acceptance-cycle"]),
    ("inside an atomic sequence nobody looks",
     "byte x, y; active proctype P() { do :: atomic { x = 1 - x; y = 1 - y } od } ltl { [] (x == y) }", [], []),
    ("a process that blocks in an atomic sequence lets others look",
     "byte x; active proctype P() { atomic { x = 1; x == 2; x = 0 } } ltl { [] (x != 1) }", ["claim"], ["claim"]),
    ("next counts steps", "byte x; active proctype P() { byte i; i = 1; i = 2; x = i } ltl { X X X (x == 2) }", [], []),
    ("next counts steps exactly", "byte x; active proctype P() { byte i; i = 1; i = 2; x = i } ltl { X X (x == 2) }",
     ["claim"], ["claim"]),
    ("next looks at the last state again", "byte x; active proctype P() { x == 1 } ltl { X X (x == 1) }",
     ["claim"], ["claim"]),
    ("a label", "active proctype P() { do :: skip; here: skip od } ltl { []<> P@here }", [], []),
    ("a local variable", "active proctype P() { bit y; do :: y = 1 - y od } ltl { []<> (P:y == 1) }", [], []),
    ("weak until", HALF + "ltl { (x == 0) W (x == 1) }", [], []),
    ("a never claim that ends", HALF + "never { do :: x == 2 -> break :: else od }", ["claim"], ["claim"]),
    ("a never claim that blocks", HALF + "never { x == 5; x == 6 }", [], []),
    ("a never claim that accepts", HALF + "never { do :: true :: x == 1 -> accept: x == 2; break od; do :: true od }",
     [], []),
    ("a never claim that goes round", HALF + "never { accept: do :: true od }",
     ["acceptance-cycle"], ["acceptance-cycle"]),
    ("an assertion in a never claim", HALF + "never { do :: assert(x != 2) od }", ["assertion"], ["assertion"]),
    ("an atomic never claim", HALF + "never { do :: atomic { x == 2 -> assert(x != 2) } :: true od }",
     ["assertion"], ["assertion"]),
    ("accept labels",
     "byte x; active proctype P() { do :: x = 1; accept: x = 2 :: x = 3 od }",
     ["acceptance-cycle"], ["acceptance-cycle"]),
    ("accept labels are left", "byte x; active proctype P() { accept: skip; do :: x = 1 - x od }", [], []),
    ("a run that ends at an accept label", "byte x; active proctype P() { accept: x == 1 }",
     ["acceptance-cycle"], ["acceptance-cycle"]),
    ("accept labels and runs that go on",
     "byte x; active proctype P() { accept: x == 1 } active proctype Q() { x = 1; end: x == 2 }", [], []),
    ("what has no meaning is a fault", "chan c; active proctype P() { skip } ltl { [] (len(c) == 0) }",
     ["channel-misuse"], ["channel-misuse"]),
    ("timeout in a never claim", "byte x; active proctype P() { x = 1; timeout -> x = 2 } "
     "never { do :: timeout && x == 1 -> break :: else od }", ["claim"], ["claim"]),
    ("a run that has ended waits for ever", "byte x; active proctype P() { x = 1; x == 2; timeout } "
     "never { do :: timeout -> break :: else od; accept: do :: timeout od }",
     ["acceptance-cycle"], ["acceptance-cycle"]),
    ("np_ in a never claim",
     "active proctype P() { do :: skip; progress: skip od } never { accept: do :: np_ od }", [], []),
    ("a run that has ended is not np_", "byte x; active proctype P() { x == 1 } never { do :: true :: np_ -> break od; "
     "accept: do :: np_ od }", [], []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "plain", "fair"), [m[1:] for m in MEANINGS], ids=[m[0] for m in MEANINGS])
def test_what_claims_mean(text: str, plain: list[str], fair: list[str]) -> None:
    for level in ("none", "spin", "full"):
        assert kinds(claim(text, optimise=level)) == plain
        assert kinds(claim(text, optimise=level, fair=True)) == fair


NON_PROGRESS = [
    ("a cycle without progress",
     "byte x; active proctype P() { do :: x = 1; progress: x = 0 :: x = 2; x = 3 od }", True, True),
    ("progress in every cycle", "active proctype P() { do :: skip; progress: skip od }", False, False),
    ("a run that ends is no cycle", "byte x; active proctype P() { x = 1; x == 2 }", False, False),
    ("another process makes progress, if it is fair",
     "active proctype P() { do :: skip; progress: skip od } active proctype Q() { do :: skip; skip od }", True, False),
    ("waiting where there is no progress",
     "byte x; active [2] proctype P() { progress: do :: x == 0 -> atomic { skip; x = 0 } od } "
     "active proctype Q() { do :: x = 1; x = 0 od }", True, False),
]  # fmt: skip


@pytest.mark.parametrize(("text", "plain", "fair"), [m[1:] for m in NON_PROGRESS], ids=[m[0] for m in NON_PROGRESS])
@pytest.mark.parametrize("symmetry", ["none", "exact"])
def test_non_progress_cycles(text: str, plain: bool, fair: bool, symmetry: str) -> None:
    for level in ("none", "spin", "full"):
        for fairness, wanted in ((False, plain), (True, fair)):
            found = check(text, engine="interp", symmetry=symmetry, non_progress=True, fair=fairness, optimise=level)
            assert kinds(found) == ["non-progress-cycle"] * wanted
            assert [p.name for p in found.properties] == ["non-progress"]


# -------------------------------------------------------------------------------------------------- counterexamples


def test_a_lasso_says_where_its_cycle_starts() -> None:
    (violation,) = claim(HALF + "ltl { <>[] (x == 1) }").violations
    assert violation.trace.cycle_start is not None
    assert [s.statement for s in violation.trace.steps[violation.trace.cycle_start :]] == ["x = 3 - x"] * 2


def test_a_run_that_ends_has_an_empty_cycle() -> None:
    (violation,) = claim("byte x; active proctype P() { x = 1 } ltl { []<> (x == 0) }").violations
    assert violation.trace.cycle_start == len(violation.trace.steps)


def test_a_cycle_of_representatives_is_unwound_until_it_closes() -> None:
    text = (
        "byte turn; active [3] proctype P() { do :: turn == _pid -> turn = (turn + 1) % 3 od } ltl { <>[] (turn == 0) }"
    )
    (violation,) = check(text, engine="interp", symmetry="exact", ltl="ltl_0").violations
    start = violation.trace.cycle_start
    assert start is not None
    assert {s.pid for s in violation.trace.steps[start:]} == {0, 1, 2}


def test_a_dead_counter_does_not_keep_a_cycle_open() -> None:
    """The variable is never read, so the search leaves it out; the run in the user's model goes through new values."""
    text = "int n; bit x; active proctype P() { do :: x = 1 - x; n++ od } ltl { <>[] (x == 1) }"
    assert kinds(claim(text, optimise="full")) == ["acceptance-cycle"]


def test_processes_that_die_are_told_in_a_fair_counterexample() -> None:
    text = "bit x; active [2] proctype P() { skip } active proctype Q() { do :: x = 1 - x od }\nltl { <>[] (x == 0) }"
    assert kinds(claim(text, fair=True)) == ["acceptance-cycle"]


# -------------------------------------------------------------------------------------------------- symmetry


def test_a_formula_that_names_a_process_cuts_the_group() -> None:
    model = load("bool b[3]; active [3] proctype P() { do :: b[_pid] = 1 - b[_pid] od } ltl one { []<> b[0] }"
                 " ltl some { []<> (b[0] || b[1] || b[2]) }")  # fmt: skip
    found = {p.name: p.symmetry for p in check(model, engine="interp").properties if p.symmetry}
    assert found["one"].group_order == "2"
    assert any(r.location == model.claims[0].location for r in found["one"].refused)
    assert found["some"].group_order == "6"
    assert not found["some"].refused


def test_an_approximate_strategy_never_judges_a_claim() -> None:
    verdict = check(TOGGLE + "ltl p { <> b[0] }", engine="interp", symmetry="flattened", ltl="p")
    if verdict.symmetry.group_order != "1":
        assert verdict.outcome == "incomplete"
        assert "exact strategy" in verdict.reason


def test_a_strategy_that_goes_on_from_another_state_is_refused() -> None:
    text = "bool b[2]; active [2] proctype P() { do :: b[_pid] = 1 - b[_pid] od } ltl p { <> (b[0] || b[1]) }"
    with pytest.raises(UsageError, match="for cycles use exact"):
        check(text, engine="interp", symmetry="sorted-main", ltl="p", main_array="b", fair=True)


# -------------------------------------------------------------------------------------------------- what is asked for


def test_a_formula_of_the_command_line() -> None:
    assert kinds(check(HALF, ltl="[] (x != 2)")) == ["claim"]
    assert check(HALF, ltl="<> (x == 2)", fair=True)
    assert check("#define two (x == 2)\n" + HALF, ltl="<> two")
    (result,) = check(HALF, ltl="<> (x == 2)").properties
    assert (result.name, result.formula) == ("<> (x == 2)", "<> (x == 2)")


def test_one_claim_of_several() -> None:
    text = HALF + "ltl good { <> (x == 1) } ltl bad { [] (x == 0) }"
    assert [p.outcome for p in check(text).properties] == ["holds", "holds", "violated"]
    assert [p.name for p in check(text, ltl="good").properties] == ["good"]
    assert [p.name for p in check(text, no_claim=True).properties] == ["safety"]


@pytest.mark.parametrize("formula", ["[] y", "[] (x ==", "<> {x}", "x U", "(x == 1", "[] P[0]@nowhere", "[] x x"])
def test_a_bad_formula_is_an_error_at_its_place(formula: str) -> None:
    with pytest.raises(SourceError) as error:
        check(HALF, ltl=formula)
    assert all(d.location.file == "--ltl" and (d.source or "").strip() == formula for d in error.value.diagnostics)


def test_a_claim_that_does_more_than_look_is_not_checked() -> None:
    verdict = check(HALF + "never { do :: x = 2 od }", engine="interp")
    assert verdict.outcome == "incomplete"
    assert "has an effect" in verdict.reason


def test_fairness_without_a_claim_is_pointed_out() -> None:
    assert any("--fair changes nothing" in w.message for w in check(HALF, engine="interp", fair=True).warnings)
    assert not check(HALF + "ltl { <> (x == 1) }", engine="interp", fair=True).warnings


def test_limits_make_a_claim_incomplete() -> None:
    verdict = check(TOGGLE + "ltl p { [] (b[0] -> <> b[1]) }", engine="interp", ltl="p", max_states=2, symmetry="none")
    assert verdict.outcome == "incomplete"
    assert "--max-states" in verdict.reason
    assert PATIENCE > 100_000
