"""Processes that begin differently are alike all the same: what they can do counts, not where they start."""

from __future__ import annotations

import re
from random import Random

import pytest

import isospin
from isospin.core.verdict import Outcome, Verdict
from isospin.symmetry.audit import audit
from isospin.symmetry.detection.symmetries import Symmetries
from isospin.symmetry.strategies import strategy
from tests.support.claim_folding import compared
from tests.support.generators.random_starts import generate
from tests.support.symmetric_models import symmetries_of

MOST = 2000  # states
TURN = """bool want[2]; byte turn, n;
proctype P(byte i) {
  do
  :: want[i] = 1; turn = 1 - i; (want[1 - i] == 0 || turn == i); n++; assert(n == 1); n--; want[i] = 0
  od
}
init { atomic { run P(0); run P(1) } }
"""
ONE_BY_ONE = """byte x;
proctype P() { x++; x--; x++; x-- }
init { run P(); run P(); run P() }
"""
ENDS_AND_FAILS = """byte x;
proctype P() { x++; assert(x < 3) }
init { run P(); run P(); run P() }
"""


def check(text: str, symmetry: str, engine: str = "interp") -> Verdict:
    return isospin.check(text, engine=engine, symmetry=symmetry, all_errors=True, max_states=MOST)


def kinds(verdict: Verdict) -> set[tuple[str, int]]:
    """Of deadlocks only that there is one: which one is a matter of names."""
    return {(v.kind, 0 if v.kind == "deadlock" else v.location.line) for v in verdict.violations}


KEPT = (
    "if :: kept[ME] == _pid -> x = 1 - x :: else fi", "assert(kept[ME] == _pid || x < 2)", "l = kept[turn % 3]; l = 0",
    "if :: kept[l] == _pid -> x = 1 :: else fi", "kept[ME] == _pid", "c!kept[ME]",
    "if :: kept[1] == 2 -> x = 1 :: else fi",
)  # fmt: skip


def with_kept_pids(seed: int) -> str:
    """A random model whose creator writes down whom it has started, and whose processes look there."""
    text, said = generate(seed), Random(seed).choice(KEPT)
    if "run P(" not in text:
        return text
    name = text.split("proctype P(byte ")[1].split(")")[0] if "proctype P(byte " in text else "l"
    text = re.sub(r"run P\((\w+)", r"kept[\1] = run P(\1", text)
    return "byte kept[5];\n" + text.replace("  byte l;\n", f"  byte l;\n  {said.replace('ME', name)};\n", 1)


def compare(seed: int, engine: str, text: str = "") -> Symmetries | None:
    """The symmetries of a random model, after comparing it with and without them."""
    text = text or generate(seed)
    plain = check(text, "none", engine)
    if plain.outcome is Outcome.INCOMPLETE:
        return None
    folded = check(text, "exact", engine)
    assert (plain.outcome, kinds(plain)) == (folded.outcome, kinds(folded)), text
    found = symmetries_of(text)
    if found.order > 1:
        checked = audit(found, strategy("exact", found), MOST)
        assert checked.agrees, (text, checked.problems)
    return found


UNEVEN = """byte lamp[3] = { 2, 0, 1 }, x;
active [3] proctype P() {
  do
  :: lamp[_pid] == 2 -> lamp[_pid] = 0; x = 1
  :: lamp[_pid] == 0 -> lamp[_pid] = 1; x = 0
  :: lamp[_pid] == 1 -> lamp[_pid] = 2
  od
}
"""


@pytest.mark.parametrize("engine", ["interp", "explicit"])
def test_a_run_that_violates_a_claim_begins_where_runs_begin(engine: str) -> None:
    """Not in the image of that state: the path would not replay."""
    for claim in ("<>[](x == 1)", "[](x == 0)"):
        text = f"{UNEVEN}ltl p {{ {claim} }}\n"
        for fair in (False, True):
            folded, plain = (isospin.check(text, engine=engine, fair=fair, symmetry=s) for s in ("exact", "none"))
            assert folded.outcome == plain.outcome == Outcome.VIOLATED
            assert (folded.symmetry.group_order, plain.states > 3 * folded.states) == ("6", True)


CLAIMS = ("[]<>(x == 0)", "<>[](x == 0)", "(x == 0) U (x > 0)", "[](len(c) < 2)", "<>(cell[0] + cell[1] + cell[2] > 1)")


def compare_claims(seed: int, engine: str = "interp") -> str:
    """The group of a random model with a claim, after comparing verdicts with and without it, fair or not."""
    text = f"{generate(seed)}ltl p {{ {CLAIMS[seed % len(CLAIMS)]} }}\n"
    return max((s.group_order for s in compared(text, engine, MOST)), default="")


def test_random_models_with_claims() -> None:
    assert sum(compare_claims(seed) not in ("", "1") for seed in range(500, 512)) > 2


@pytest.mark.slow
@pytest.mark.parametrize("first", range(5000, 8000, 250))
def test_many_random_models_with_claims(first: int) -> None:
    for seed in range(first, first + 250):
        compare_claims(seed, "interp" if seed % 5 else "explicit")


def test_random_models() -> None:
    compared = [compare(seed, "interp") for seed in range(24)]
    folded = [f for f in compared if f is not None and f.order > 1]
    assert sum(not f.keeps_start for f in folded) > 2
    assert sum(f.population is not None and not f.population.closed for f in folded) > 2


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 4000, 250))
def test_many_random_models(first: int) -> None:
    for seed in range(first, first + 250):
        compare(seed, "interp" if seed % 5 else "explicit")


def test_pids_that_the_creator_has_written_down() -> None:
    for seed in (7002, 7012, 7015, 7018, 7025, 7027):
        found = compare(seed, "interp", with_kept_pids(seed))
        assert found is not None
        assert found.order > 1


@pytest.mark.slow
@pytest.mark.parametrize("first", range(7000, 10000, 250))
def test_many_pids_that_the_creator_has_written_down(first: int) -> None:
    for seed in range(first, first + 250):
        compare(seed, "interp" if seed % 5 else "explicit", with_kept_pids(seed))


def test_the_turn_of_peterson_is_no_obstacle() -> None:
    plain, folded = check(TURN, "none"), check(TURN, "exact")
    assert (plain.states, folded.states) == (39, 20)
    assert folded.symmetry.group_order == "2"
    assert "the initial state" not in folded.symmetry.justification
    assert folded.orbit_sum is None  # orbits hold states that no run reaches


def test_both_engines_store_the_same() -> None:
    for text in (TURN, ONE_BY_ONE, generate(5), generate(12)):
        assert check(text, "exact").states == check(text, "exact", "explicit").states


def test_a_constant_tells_processes_apart() -> None:
    """What never changes is part of the code."""
    text = "bool may[2] = { 1, 0 }; active [2] proctype P() { may[_pid]; assert(_pid == 0) }"
    assert symmetries_of(text).order == 1


def test_processes_that_end_while_others_are_started() -> None:
    """At the level at which those who have ended leave."""
    plain, folded = (
        isospin.check(ONE_BY_ONE, engine="interp", symmetry=s, optimise="none", por="on") for s in ("none", "exact")
    )
    assert (plain.states, folded.states) == (151, 52)
    assert folded.symmetry.started == ("P",)


def test_channels_of_the_oldest_process_outlive_all_others() -> None:
    text = "proctype W(chan c) { byte v; c?v; c!v }\n"
    text += "init { chan c = [2] of { byte }; atomic { run W(c); run W(c); run W(c) } c!1; c!2 }"
    plain, folded = check(text, "none"), check(text, "exact")
    assert folded.symmetry.group_order == "6"
    assert folded.states < plain.states
    assert kinds(folded) == kinds(plain)


def test_a_claim_sees_that_the_channels_of_the_oldest_process_are_gone() -> None:
    text = """chan c = [2] of { byte }; byte x;
    proctype P(byte me) { x = me }
    init { chan own = [1] of { byte }; c = own; atomic { run P(2); run P(1); run P(0) } }
    ltl p { [](len(c) < 2) }
    """
    plain, folded = (isospin.check(text, engine="interp", symmetry=s) for s in ("none", "exact"))
    assert plain.outcome == folded.outcome == Outcome.VIOLATED


def test_a_violation_among_them_is_told_with_the_pids_of_a_real_run() -> None:
    (violation,) = check(ENDS_AND_FAILS, "exact").violations  # it was replayed
    assert violation.kind == "assertion"
    assert {step.pid for step in violation.trace.steps} == {0, 1, 2, 3}


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("byte x[9];\nproctype P() {\nx[_pid + 1] = 1 }\ninit { run P(); run P() }", 3, "_pid is read"),
        ("byte x;\nproctype P() { x++ }\ninit { pid p; run P();\np = run P(); x = p }", 4, "value of run"),
        ("byte x;\nproctype P() {\npid me = _pid; x = me + 1 }\ninit { run P(); run P() }", 3, "_pid is read"),
    ],
)
def test_pids_that_are_used_again_are_seen(text: str, line: int, why: str) -> None:
    verdict = check(text, "exact")
    (refused,) = [r for r in verdict.symmetry.refused if "used again" in r.why]
    assert refused.location.line == line
    assert re.search(why, refused.why)
    assert verdict.symmetry.group_order == "1"
