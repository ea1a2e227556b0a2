"""Processes that choose each other by `select`: one choice among alike, however the loop is written that chooses."""

from __future__ import annotations

import re
from typing import Any

import pytest

import isospin
from isospin import pipeline
from isospin.core.errors import SourceError
from isospin.core.model import Chain
from isospin.core.verdict import Outcome, Verdict
from isospin.transform.optimise import optimise
from tests.support.generators.random_selects import generate

MOST = 4000
CLAIMS = ("[]<>(x == 0)", "<>[](x == 0)", "[](x < 2)", "(x == 0) U (x > 0)", "<>(len(c) == 1)")

MODEL = """#define N 3
byte lo, hi = 2, x; bool flag[N];
inline pick(v) { select(v : 0 .. N-1) }
active [N] proctype P() { byte i;
  do
  :: flag[_pid] = 1 - flag[_pid]
  :: CHOICE; flag[i] = 0; if :: flag[i] -> x = 1 - x :: else fi
  od }
"""
CHOICES = (
    "select(i : 0 .. 2)", "select(i : 0 .. N-1)", "pick(i)", "i = 0; do :: i < N-1 -> i++ :: break od",
    "select(i : lo .. hi)", "atomic { select(i : lo .. hi) }", "i = hi; do :: i > lo -> i-- :: break od",
    "i = N-1; do :: i > 0 -> i-- :: break od", "atomic { pick(i) }", "i = 0; do :: break :: i != 2 -> i = i + 1 od",
)  # fmt: skip
NO_CHOICES = {
    "i = 0; do :: i < N -> i++ :: i < N -> break od": "it blocks",
    "i = 0; do :: i < N-1 -> i++; x = i :: break od": "others see how far it is",
    "hi = 2; select(i : 0 .. hi)": "others may write the bound meanwhile",
    "select(i : 0 .. N-2)": "one process is never chosen",
    "select(i : 0 .. N-1); x = i": "the choice is a number",
}


@pytest.mark.parametrize("choice", CHOICES)
def test_whoever_is_chosen_is_like_the_others(choice: str) -> None:
    text = MODEL.replace("CHOICE", choice)
    plain, folded = isospin.check(text, symmetry="none", por="off"), isospin.check(text, por="off")
    assert folded.symmetry.group_order == "6"
    assert not folded.symmetry.refused
    assert plain.outcome == folded.outcome == Outcome.HOLDS
    assert folded.states * 5 < plain.states


@pytest.mark.parametrize("choice", NO_CHOICES)
def test_what_is_no_choice_of_any_process_is_blamed(choice: str) -> None:
    found = pipeline.symmetry(pipeline.load(MODEL.replace("CHOICE", choice)), "full").report
    assert found.group_order in ("1", "2")
    assert any(r.location.line == 7 for r in found.refused)


LOOPS_OF_MORE = {
    "it reads something else":
        "byte n, i; if :: n = 7 :: n = 8 fi; i = 0; do :: i + n < 9 -> i++ :: break od; assert(i <= 2)",
    "it writes something else": "byte i = 0, k = 0; do :: i < 2 -> k = k + 1; i++ :: break od; assert(i == k)",
    "it counts in an array":
        "byte a[2]; a[1] = 2; a[0] = 0; do :: a[0] + a[1] < 3 -> a[0]++ :: break od; assert(a[0] <= 1)",
}  # fmt: skip


@pytest.mark.parametrize("why", LOOPS_OF_MORE)
def test_a_loop_that_does_more_than_choose_goes_round(why: str) -> None:
    text = f"active [2] proctype P() {{ {LOOPS_OF_MORE[why]} }}"
    plain, full = (isospin.check(text, optimise=level, symmetry="none", por="off") for level in ("none", "full"))
    assert plain.outcome == full.outcome == Outcome.HOLDS


def test_more_values_than_spin_writes_out() -> None:
    text = MODEL.replace("N 3", "N 40").replace("hi = 2", "hi = 39").replace("CHOICE", "select(i : 0 .. 39)")
    found = pipeline.symmetry(pipeline.load(text), "full").symmetries
    assert found.fully_symmetric
    assert found.processes == 40


def test_two_choices_are_two_steps() -> None:
    """Or there would be as many chains as pairs."""
    text = MODEL.replace("byte i;", "byte i, j;").replace("CHOICE", "pick(i); pick(j); flag[j] = 1")
    model = optimise(pipeline.load(text), "full")
    chains = [a for a in model.templates[0].actions if isinstance(a.step, Chain)]
    assert len(chains) < 12
    assert len({a.id for a in model.templates[0].actions}) == len(model.templates[0].actions)
    assert pipeline.symmetry(pipeline.load(text), "full").symmetries.order == 6


def test_a_path_through_a_choice_is_told_step_by_step() -> None:
    text = MODEL.replace("CHOICE", "pick(i); assert(i != 2 || !flag[2])")
    found = isospin.check(text)
    assert found.outcome == Outcome.VIOLATED
    said = [step.statement for violation in found.violations for step in violation.trace.steps]
    assert [said.count(one) for one in ("i = 0", "i < 3 - 1", "i++")] == [1, 2, 2], said


def outcomes(verdict: Verdict) -> list[Any]:
    return [(p.name, p.outcome) for p in verdict.properties]


def with_variables(seed: int) -> str:
    """A random model whose bounds are variables; in some of them somebody changes one."""
    text = generate(seed)
    bounds = dict(re.findall(r"#define (FIRST|LAST) (\d+)\n", text))
    text = re.sub(r"#define (FIRST|LAST) \d+\n", "", text)
    changes = "active proctype Z() { LAST = LAST - 1 }\n" if seed % 4 == 3 else ""
    return f"byte FIRST = {bounds['FIRST']}, LAST = {bounds['LAST']};\n{text}{changes}"


def compare(seed: int, text: str = "") -> tuple[str, bool]:
    """The group of a random model, and is it smaller than without optimising: all levels have the same verdicts."""
    text = text or generate(seed)
    try:
        pipeline.load(text)
    except SourceError:
        return "", False
    claim = seed % 3 == 0
    if claim:
        text += f"ltl p {{ {CLAIMS[seed % len(CLAIMS)]} }}\n"
    fair = claim and seed % 2 == 0
    asked: dict[str, Any] = {"engine": "interp" if seed % 7 else "explicit", "fair": fair, "max_states": MOST}
    plain = isospin.check(text, symmetry="none", por="off", optimise="none", **asked)
    if plain.outcome == Outcome.INCOMPLETE:
        return "", False
    order = ""
    ways: list[dict[str, Any]] = [{"symmetry": "none", "por": "off"}, {"por": "off"}, {}]
    for how in ways:
        other = isospin.check(text, **how, **asked)
        assert other.outcome != Outcome.INCOMPLETE, (seed, how, text)
        assert other.outcome == plain.outcome, (seed, how, text)
        if not claim:
            assert outcomes(other) == outcomes(plain), (seed, how, text)
        order = other.symmetry.group_order
    return order, True


def test_random_choices() -> None:
    found = [compare(seed) for seed in range(40)]
    assert sum(done for _, done in found) > 20
    assert sum(order not in ("", "1") for order, _ in found) > 5


def test_a_bound_that_somebody_changes_is_no_number() -> None:
    text = (
        "byte last = 1; active proctype Z() { last = 2 }\n"
        "active proctype P() { byte i; select(i : 0 .. last); assert(i < 2) }"
    )
    assert isospin.check(text).outcome == Outcome.VIOLATED


def test_random_choices_between_variables() -> None:
    found = [compare(seed, with_variables(seed)) for seed in (40, 41, 44, 45, 46, 47, 50, 51, 53, 55)]
    assert sum(order not in ("", "1") for order, _ in found) > 5


@pytest.mark.slow
@pytest.mark.parametrize("first", range(4000, 5000, 250))
def test_many_random_choices_between_variables(first: int) -> None:
    for seed in range(first, first + 250):
        compare(seed, with_variables(seed))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 4000, 250))
def test_many_random_choices(first: int) -> None:
    for seed in range(first, first + 250):
        compare(seed)
