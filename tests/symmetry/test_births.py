"""Processes that are started at run time keep their symmetry: whoever is alive can take each other's place."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import permutations
from typing import Any

import pytest

import isospin
from isospin import pipeline
from isospin.core.model import End, Model
from isospin.core.verdict import Outcome, Refusal, Verdict
from isospin.semantics.interp import Interpreter
from isospin.semantics.state import State
from isospin.symmetry.audit import Walk
from isospin.symmetry.detection.births import Births, find_births
from isospin.symmetry.protocol import KEEP_ALL, KEEP_NONE, KEEP_ONE
from isospin.symmetry.reduction import reduce
from tests.support.claim_folding import compared
from tests.support.generators.random_births import generate

MOST, FEW = 600, 60  # states
ONE_BY_ONE = """byte x, done; chan jobs = [1] of { byte };
proctype W() { byte j; jobs?j; x = x + j; x = x - j; done++ }
init { run W(); jobs!1; run W(); jobs!2; run W(); jobs!1; done == 3; assert(x == 0) }
"""
CHILDREN = """byte x, n;
proctype Leaf() { x = 1 - x; n++ }
proctype Node() { run Leaf(); run Leaf(); n++ }
init { run Node(); run Node(); n == 6 }
"""
AGAIN = """byte x, round;
proctype W() { byte l; l = x; x = 1 - l }
init { do :: round < 2 -> run W(); run W(); run W(); _nr_pr == 1; round++ :: else -> break od }
"""


def check(text: str, symmetry: str, engine: str = "interp", **more: Any) -> Verdict:
    return isospin.check(text, engine=engine, symmetry=symmetry, all_errors=True, max_states=MOST, **more)


def kinds(verdict: Verdict) -> set[tuple[str, int]]:
    """Of deadlocks only that there is one: which one is a matter of names."""
    return {(v.kind, 0 if v.kind == "deadlock" else v.location.line) for v in verdict.violations}


def compare(seed: int, engine: str = "interp") -> Births | None:
    """How the live processes of a random model are folded, after comparing it with and without that."""
    text = generate(seed)
    plain = check(text, "none", engine)
    folded = check(text, "exact", engine)
    if plain.outcome is not Outcome.INCOMPLETE and plain.states < MOST:
        assert (plain.outcome, kinds(plain)) == (folded.outcome, kinds(folded)), (seed, text)
    return compare_counts(text)


# ------------------------------------------------------------------------------------------------ brute force


def compare_counts(text: str, most: int = MOST) -> Births | None:
    """One state is stored for each set of states that are the same up to names, by trying all names."""
    found = reduce(pipeline.load(text), "exact")
    births = found.symmetries.births
    # where pids are data there is another oracle: test_birth_pids.py
    every = None if births is None or births.pids is not None else reachable(found.model, most)
    if births is None or every is None:
        return births
    walk = Walk(found.symmetries, found.strategy, most).run()
    if "too-many-processes" not in walk.found:
        classes = {least(births, state) for state in every}
        stored = [least(births, state) for state in walk.states]
        assert set(stored) == classes, text
        if births.keep != KEEP_ALL:
            assert len(walk.states) - len(classes) in (0, 1), text  # the state where runs begin is stored as it is
    return births


def reachable(model: Model, most: int) -> list[State] | None:
    """All states, if there are few."""
    interpreter = Interpreter(model)
    seen = dict.fromkeys(interpreter.initial_states())
    todo = list(seen)
    while todo:
        for move in interpreter.moves(todo.pop()):
            if move.state is not None and move.state not in seen:
                seen[move.state] = None
                todo.append(move.state)
        if len(seen) > most:
            return None
    return list(seen)


def least(births: Births, state: State) -> Hashable:
    """The least of all states that differ in names, without those that have ended."""
    fixed, others = state.processes[: births.base], state.processes[births.base :]
    live = [p for p in others if not ends(births, p.template, p.location)]
    waits = births.keep == KEEP_ONE and not live and len(others) > 0
    names = min(permutations(live))
    return state._replace(processes=(*fixed, *names)), waits


def ends(births: Births, template: int, location: int) -> bool:
    leaving = births.model.templates[template].actions_from(location)
    return all(isinstance(action.step, End) for action in leaving)


def compare_claims(seed: int, engine: str = "interp") -> tuple[str, ...]:
    """What was folded in a random model with a claim, after comparing verdicts with and without it, fair or not."""
    return max((s.started for s in compared(generate(seed, claims=True), engine, MOST)), default=())


def test_random_models() -> None:
    found = [compare_counts(generate(seed), FEW) for seed in range(300)]
    assert sum(births is not None for births in found) > 150
    assert {births.keep for births in found if births is not None} == {KEEP_NONE, KEEP_ONE, KEEP_ALL}


def test_random_verdicts() -> None:
    assert sum(compare(seed) is not None for seed in range(2000, 2006)) > 2
    assert sum(compare_claims(seed) != () for seed in range(60, 64)) > 0


@pytest.mark.slow
@pytest.mark.parametrize("first", range(3000, 6000, 250))
def test_many_random_models(first: int) -> None:
    for seed in range(first, first + 250):
        compare(seed, "interp" if seed % 5 else "explicit")


@pytest.mark.slow
@pytest.mark.parametrize("first", range(6000, 9000, 250))
def test_many_random_claims(first: int) -> None:
    for seed in range(first, first + 250):
        compare_claims(seed, "interp" if seed % 5 else "explicit")


# ------------------------------------------------------------------------------------------------ shapes


@pytest.mark.parametrize(
    ("text", "level", "states"),
    [
        (ONE_BY_ONE, "none", (507, 111)), (CHILDREN, "none", (2033, 106)), (AGAIN, "none", (405, 104)),
        (AGAIN, "full", (299, 104)),
    ],
)  # fmt: skip
def test_shapes(text: str, level: str, states: tuple[int, int]) -> None:
    asked: dict[str, Any] = {"optimise": level, "por": "off", "max_states": None}
    plain, folded = (isospin.check(text, engine="interp", symmetry=s, **asked) for s in ("none", "exact"))
    assert (plain.states, folded.states) == states
    assert plain.outcome == folded.outcome == Outcome.HOLDS


ROUNDS = "byte x; proctype W() { x = 1 - x } init { do :: run W(); run W(); WAIT od }"
WAITS = {
    "_nr_pr == 1": KEEP_ONE, "_nr_pr <= 1": KEEP_ONE, "_nr_pr < 2": KEEP_ONE, "1 == _nr_pr": KEEP_ONE,
    "2 > _nr_pr": KEEP_ONE, "1 >= _nr_pr": KEEP_ONE, "_nr_pr == 1 && x == 0": KEEP_ONE, "x == 0": KEEP_ALL,
    "_nr_pr == 1 || x == 0": KEEP_ALL, "_nr_pr >= 1": KEEP_ALL, "1 <= _nr_pr": KEEP_ALL,
    "if :: _nr_pr == 1 :: x == 0 fi": KEEP_ALL, "_nr_pr != 1": KEEP_ALL, "_nr_pr < 1": KEEP_ONE,
    "if :: _nr_pr == 1 :: _nr_pr < 2 fi": KEEP_ONE,
}  # fmt: skip


@pytest.mark.parametrize("wait", WAITS)
def test_who_has_died_before_the_next_are_started_is_no_limit(wait: str) -> None:
    """Where a round waits for the end of all, only so many are there at once; else there may be too many."""
    found = reduce(pipeline.load(ROUNDS.replace("WAIT", wait)), "exact").symmetries.births
    assert found is not None
    assert found.keep == WAITS[wait]
    plain, folded = (check(ROUNDS.replace("WAIT", wait), s) for s in ("none", "exact"))
    if plain.outcome is not Outcome.INCOMPLETE:
        assert kinds(plain) == kinds(folded)


@pytest.mark.parametrize("count", ["_nr_pr == 2", "_nr_pr <= 2", "_nr_pr < 3"])
def test_more_than_at_the_beginning_may_be_those_who_were_started(count: str) -> None:
    text = ROUNDS.replace("WAIT", count)
    assert isinstance(find_births(pipeline.load(text)), Refusal)
    two = text + " active proctype V() { x == 5 }"
    found = find_births(pipeline.load(two))
    assert isinstance(found, Births)
    assert found.keep == KEEP_ONE


def test_a_claim_needs_a_bound_on_all_who_are_ever_started() -> None:
    text = ROUNDS.replace("WAIT", "_nr_pr == 1") + " ltl p { []<>(x == 0) }"
    assert isinstance(find_births(pipeline.load(text)), Refusal)


def test_both_engines_store_the_same() -> None:
    for text in (AGAIN, generate(46)):
        assert check(text, "exact").states == check(text, "exact", "explicit").states


def test_a_trace_keeps_the_pids() -> None:
    """Three workers at once, and three again that get the pids of those who have ended."""
    text = "byte n; proctype W() { n++; n == 0 }\n"
    text += "init { run W(); run W(); run W(); n == 3; n = 0; _nr_pr == 1; run W(); run W(); run W(); assert(n < 3) }"
    (violation,) = [v for v in check(text, "exact").violations if v.kind == "assertion"]
    started = [name for step in violation.trace.steps for name, (_, now) in step.changes if now == "started"]
    assert started == ["W[1]", "W[2]", "W[3]"] * 2


def test_too_many_processes_are_found_though_few_are_alive() -> None:
    """SPIN counts those that wait for their death; one more is always alive."""
    chain = "proctype W() { run W() } init { run W() }"
    (violation,) = isospin.check(chain, engine="interp").violations
    assert violation.kind == "too-many-processes"


def test_the_time_between_an_end_and_the_death_is_seen() -> None:
    text = "byte x; proctype W() { x++ } init { run W(); run W(); x == 2 && _nr_pr > 1; assert(false) }"
    plain, folded = check(text, "none"), check(text, "exact")
    assert kinds(plain) == kinds(folded) == {("assertion", 1), ("deadlock", 0)}


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("x = _pid", "a pid is used as a number"),
        ("pid p; p = run V(); x = p", "a pid is used as a number"),
        ("_pid > 2", "order (>) on a pid"),
        ("pid p; p = run V(); p == 3", "a pid is compared with 3"),
        ("bool b; b = _pid; b", "too narrow"),
        ("_nr_pr < 4", "_nr_pr counts those that have ended"),
        ("x = _nr_pr", "_nr_pr counts those that have ended"),
        ("W:l == 0", "it is looked at from outside"),
        ("chan c = [1] of { byte }; c!1; _nr_pr == 1", "channels of its own"),
        ("_pid == 3", "a pid is compared with 3"),
        ("_pid == 0 || 2 != _pid", "a pid is compared with 2"),
    ],
)
def test_who_sees_a_pid_is_told(statement: str, why: str) -> None:
    text = f"byte x; proctype V() {{ x++ }}\nproctype W() {{ byte l;\n{statement}; x++ }}\n"
    text += "init { run W(); x++; run W(); run V(); do :: x < 9 -> run V(); x++ :: x > 3 -> break od }"
    verdict = isospin.check(text, symmetry="exact", engine="interp", max_states=10)
    (refused,) = [r for r in verdict.symmetry.refused if why in r.why]
    assert refused.location.line in (1, 2, 3)
    assert verdict.symmetry.started == ()


def test_a_provided_clause_says_when_a_process_dies() -> None:
    text = "byte x; proctype W() provided (x == 0) { x = 1 } init { run W(); x == 1; run W(); _nr_pr == 1; assert(0) }"
    verdict = check(text, "exact")
    assert verdict.outcome is Outcome.VIOLATED  # nobody else is there
    assert any("provided" in r.why for r in verdict.symmetry.refused)


@pytest.mark.parametrize("statement", ['printf("%d", _pid)', "pid p; p = run V()", "_nr_pr > 1", "Main:i == 0"])
def test_what_shows_no_pid_is_no_obstacle(statement: str) -> None:
    text = "byte x; active proctype Main() { byte i; run W(); run W(); run V() }\n"
    text += f"proctype V() {{ x++ }} proctype W() {{ x++; {statement}; x++ }}"
    verdict = check(text, "exact")
    assert "W" in verdict.symmetry.started


@pytest.mark.parametrize("engine", ["interp", "explicit"])
def test_weak_fairness_follows_each_process(engine: str) -> None:
    """Whoever goes round with others keeps his turn, though he is called by another number in each round."""
    busy = "byte x; bool b; proctype W() { do :: x = 1 - x od } proctype V() { b = true }"
    text = f"{busy} init {{ run W(); run V(); run W() }} ltl p {{ <> b }}"
    for fair, outcome in ((True, Outcome.HOLDS), (False, Outcome.VIOLATED)):
        found = isospin.check(text, engine=engine, fair=fair, ltl="p").properties[-1]
        assert found.outcome is outcome
        assert found.symmetry is not None
        assert found.symmetry.started == ("W",)


def test_a_process_that_goes_past_all_that_it_could_start() -> None:
    text = "byte g; proctype D() { skip } active proctype P() { if :: g == 1 -> run D() :: g == 0 -> skip fi }"
    found = pipeline.check(pipeline.load(text), pipeline.Options(engine="interp"))
    assert found.outcome is Outcome.HOLDS
