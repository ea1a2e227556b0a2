"""Optimisation levels: the same verdicts, SPIN's counts, paths of the original model."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from isospin.core.errors import UsageError
from isospin.core.model import Chain, Model
from isospin.core.trace import Choice
from isospin.experiments.peterson import peterson
from isospin.front.promela.load import load, load_text
from isospin.semantics.interp import Interpreter, Move, Taken
from isospin.semantics.state import Process, State
from isospin.transform.optimise import expand, optimise, original_path, spin_level
from tests.support import spin, spin_examples
from tests.support.counting import MOST_STATES, RANDOM_LEVELS, recorded_random
from tests.support.generators.random_promela import generate
from tests.support.record.default_counts import CORPUS, default_run, recorded

RANDOM = recorded_random()
MODELS = sorted(CORPUS.glob("*.pml"))
RECORDED = recorded()
# Where level spin differs from SPIN, and why.
DIFFERENT = {
    "run_in_expression": "SPIN runs two processes in one step, so that the first cannot act before the second exists",
    "show_and_local_variables": "SPIN takes a global declared `local` for a local variable; the model does not say",
    "rtos1.pml": "SPIN merges `_priority = 9` with what follows; level spin leaves models with priorities alone",
}


@dataclass(frozen=True)
class Found:
    states: int
    transitions: int
    kinds: frozenset[str]


def explore(model: Model, most: int = 100000) -> Found | None:
    """All states; None if there are too many."""
    it = Interpreter(model)
    todo = list(it.initial_states())
    seen, transitions = {it.identity(s) for s in todo}, len(todo)
    kinds: set[str] = set()
    while todo:
        if len(seen) > most:
            return None
        state = todo.pop()
        for move in moves(it, state, kinds):
            if move.state is not None:
                transitions += 1
                key = it.identity(move.state)
                if key not in seen:
                    seen.add(key)
                    todo.append(move.state)
    return Found(len(seen), transitions, frozenset(kinds))


def moves(it: Interpreter, state: State, kinds: set[str]) -> Iterator[Move]:
    found = list(it.moves(state))
    kinds.update(f.kind for m in found for t in m.steps for f in t.faults)
    stuck = None if found else it.stuck(state)
    if stuck is not None:
        kinds.add(stuck.kind)
    return iter(found)


def whole(model: Model) -> Found:
    found = explore(model)
    assert found is not None
    return found


def name(path: Path) -> str:
    return path.stem


@cache
def corpus_model(path: Path) -> Model:
    return load(path)


# ------------------------------------------------------------------------------------------------ Peterson


def counts(model: Model) -> tuple[int, int]:
    found = whole(model)
    return found.states, found.transitions


def test_peterson_pass_by_pass() -> None:
    model = load_text(peterson(3), "peterson.pml")
    assert counts(optimise(model, "none")) == (11318, 33953)
    assert counts(spin_level(model, merge=False))[0] == 3266
    assert counts(spin_level(model, dead=False))[0] == 9041
    assert counts(optimise(model, "spin")) == (2636, 7907)
    assert counts(optimise(model, "full"))[0] <= 2636


@pytest.mark.slow
def test_peterson_four() -> None:
    model = load_text(peterson(4), "peterson.pml")
    assert counts(optimise(model, "spin")) == (60577, 242306)


# ------------------------------------------------------------------------------------------------ the corpus


@pytest.mark.parametrize("path", MODELS, ids=name)
def test_levels_agree_on_the_corpus(path: Path) -> None:
    model = corpus_model(path)
    plain, as_spin, full = (whole(optimise(model, level)) for level in ("none", "spin", "full"))
    assert as_spin.kinds == plain.kinds
    assert full.kinds == plain.kinds
    assert full.states <= min(as_spin.states, plain.states)  # SPIN's resets alone can make more states
    if path.stem in RECORDED and path.stem not in DIFFERENT:
        assert (as_spin.states, as_spin.transitions) == RECORDED[path.stem]


@pytest.mark.parametrize("stem", [s for s in DIFFERENT if s in RECORDED])
def test_known_differences_are_real(stem: str) -> None:
    model = corpus_model(CORPUS / f"{stem}.pml")
    assert counts(optimise(model, "spin")) != RECORDED[stem]


@pytest.mark.slow
@pytest.mark.skipif(not spin.available(), reason="needs SPIN and a C compiler")
@pytest.mark.parametrize("path", MODELS, ids=name)
def test_recorded_counts_are_spins(path: Path) -> None:
    if path.stem not in RECORDED:
        pytest.skip("SPIN's verifier does not compile")
    run = default_run(path)
    assert (run.states, run.transitions) == RECORDED[path.stem]


COMPLETE = [r for r in spin_examples.ROWS if r["noreduce_status"] == "complete"]
QUICK = [r for r in COMPLETE if int(r["states_noreduce"]) <= 6000]
SLOW = [r for r in COMPLETE if 6000 < int(r["states_noreduce"]) <= 20000]


@spin_examples.needs_examples
@pytest.mark.parametrize("row", [r for r in QUICK if not r["claims"]], ids=spin_examples.name)
def test_spins_examples(row: dict[str, str]) -> None:
    check_example(row)


@pytest.mark.slow
@spin_examples.needs_examples
@pytest.mark.parametrize("row", [r for r in SLOW if not r["claims"]], ids=spin_examples.name)
def test_larger_examples(row: dict[str, str]) -> None:
    check_example(row)


def check_example(row: dict[str, str]) -> None:
    model = load(spin_examples.folder() / row["file"])
    as_spin, full = whole(optimise(model, "spin")), whole(optimise(model, "full"))
    assert full.states <= as_spin.states
    assert full.kinds == as_spin.kinds
    if row["file"] not in DIFFERENT:
        expected = int(row["states_noreduce"]), int(row["transitions_noreduce"])
        assert (as_spin.states, as_spin.transitions) == expected


# ------------------------------------------------------------------------------------------------ random models


def check_random(seed: int) -> None:
    """Without optimisation SPIN's plain counts; with it, the same errors in fewer states."""
    model = load_text(generate(seed), f"random{seed}.pml")
    plain = explore(model, MOST_STATES)
    if plain is None:
        return
    if seed in RANDOM:
        assert (plain.states, plain.transitions, bool(plain.kinds)) == RANDOM[seed]
    as_spin, full = whole(optimise(model, "spin")), whole(optimise(model, "full"))
    assert as_spin.kinds == plain.kinds
    assert full.kinds == plain.kinds
    assert full.states <= min(as_spin.states, plain.states)  # SPIN's resets alone can make more states
    for level in ("spin", "full"):
        check_paths(model, level, seed)


@pytest.mark.parametrize("seed", range(RANDOM_LEVELS))
def test_levels_agree_on_random_models(seed: int) -> None:
    check_random(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(RANDOM_LEVELS, 560))
def test_levels_agree_on_more_random_models(seed: int) -> None:
    check_random(seed)


# ------------------------------------------------------------------------------------------------ paths


def check_paths(model: Model, level: str, seed: int) -> None:
    """Random runs of the optimised model replay in the original one, and end where they should."""
    optimised = optimise(model, level)
    for number in range(5):
        choices, end = random_run(Interpreter(optimised), random.Random(1000 * seed + number))
        final = replay(Interpreter(model), original_path(optimised, choices))
        if end is not None:
            assert seen_from_outside(optimised, final) == seen_from_outside(optimised, end)


def random_run(it: Interpreter, source: random.Random) -> tuple[list[Choice], State | None]:
    state, choices = next(it.initial_states()), []
    for _ in range(12):
        found = list(it.moves(state))
        if not found:
            break
        move = source.choice(found)
        choices += [choice_of(t) for t in move.steps]
        if move.state is None:
            return choices, None
        state = move.state
    return choices, state


def choice_of(taken: Taken) -> Choice:
    partner = None if taken.partner_action is None else taken.partner_action.id
    return Choice(taken.pid, taken.action.id, taken.partner, partner)


def replay(it: Interpreter, choices: list[Choice]) -> State:
    state, control = next(it.initial_states()), None
    for choice in choices:
        enabled = it.steps(state, control) or it.steps(state)
        taken = next(t for t in enabled if choice_of(t) == choice)
        if taken.state is None:
            break
        state, control = taken.state, taken.control
    return state


def seen_from_outside(model: Model, state: State) -> object:
    """Locations, channels and visible globals: what no pass may change."""
    values = {v.base + i: state.values[v.base + i] for v in model.globals if not v.hidden for i in range(v.size)}
    return values, state.channels, [(p.template, settled(model, p)) for p in state.processes]


def settled(model: Model, process: Process) -> int:
    """The location of a process, past a jump where SPIN's merging stops."""
    template = model.templates[process.template]
    if process.location in dict(template.first_stops).values():
        return next(template.actions_from(process.location)).target
    return process.location


def test_a_chain_expands_to_the_ids_of_its_actions() -> None:
    model = load_text("active proctype P() { byte x; x = 1; x = 2; x = 3 }", "model.pml")
    action = next(optimise(model, "spin").template("P").actions_from(1))
    assert expand(action) == (0, 1, 2)
    assert expand(model.template("P").actions[0]) == (0,)
    assert original_path(optimise(model, "spin"), [Choice(0, 0)]) == [Choice(0, 0), Choice(0, 1), Choice(0, 2)]


# SPIN merges a jump out of an atomic sequence up to its label; if a jump stands there too, that is one state more.
STOPS = {  # states and transitions by `spin -a`, and by `spin -o1 -o2 -o3 -a`
    "break": (
        """byte g;
        active proctype P() {
            byte x;
            do :: g = 1 - g; atomic { if :: x != 2 -> break :: else -> skip fi; x = 1 } od;
            assert(g == 1)
        }
        active proctype Q() { g = 0 }""",
        (25, 35), (20, 27),
    ),
    "cycle": (
        """byte g;
        active proctype P() {
            byte x;
            accept_a: g = 1 - g; atomic { x < 2 -> goto L; x = 1 };
            M: goto accept_a;
            g = 2;
            L: goto M
        }""",
        (6, 7), (4, 5),
    ),
    "goto": (
        """byte g;
        active [2] proctype P() {
            byte x;
            atomic { g++; if :: x == 0 -> goto L :: else -> skip fi; x = 1 };
            M: assert(g < 2);
            goto end;
            L: goto M;
            end: skip
        }""",
        (31, 51), (21, 33),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", STOPS)
def test_a_jump_out_of_an_atomic_sequence_stops_at_its_label(name: str) -> None:
    text, default, plain = STOPS[name]
    model = load_text(text, "model.pml")
    assert (counts(optimise(model, "spin")), counts(model)) == (default, plain)
    for seed in range(20):
        check_paths(model, "spin", seed)


def test_a_cycle_that_begins_at_such_a_label_replays() -> None:
    model = load_text(STOPS["cycle"][0], "model.pml")
    optimised = optimise(model, "spin")
    chain = next(a for a in optimised.template("P").actions if isinstance(a.step, Chain))
    (on,) = optimised.template("P").actions_from(chain.target)
    assert len(expand(chain)) == 2
    round_trip = [Choice(0, on.id), Choice(0, 0), Choice(0, chain.id)]
    assert original_path(optimised, round_trip) == [Choice(0, 0), *(Choice(0, n) for n in expand(chain))]


def test_the_receiver_of_a_rendezvous_goes_on_by_itself() -> None:
    text = """
        chan c = [0] of { byte };
        active proctype S() { c!3 }
        active proctype R() { byte x, y; c?x; y = x; assert(y == 3) }
    """
    model = load_text(text, "model.pml")
    optimised = optimise(model, "full")
    it = Interpreter(optimised)
    move = next(it.moves(next(it.initial_states())))
    path = original_path(optimised, [choice_of(t) for t in move.steps])
    assert [(c.pid, c.partner) for c in path] == [(0, 1), (1, None), (1, None)]
    replay(Interpreter(model), path)


# ------------------------------------------------------------------------------------------------ traps


def chains(text: str, level: str) -> list[list[str]]:
    model = optimise(load_text(text, "model.pml"), level)
    steps = [a.step for t in model.templates for a in t.actions]
    return [[a.text for a in s.actions] for s in steps if isinstance(s, Chain)]


LOCAL = "active proctype P() { byte x, y; x = 1; y = x; x = y + 1; y = 0 }"


@pytest.mark.parametrize("level", ["spin", "full"])
@pytest.mark.parametrize(
    "rest",
    [
        "active proctype Q() { (enabled(0)) }",
        "active proctype Q() { (_last == 0) }",
        "active proctype Q() { (pc_value(0) == 2) }",
        "byte g; active proctype Q() provided (g == 0) { g = 1 }",
        "byte g; ltl p { X (g == 1) }",
    ],
)
def test_what_counts_steps_forbids_merging(level: str, rest: str) -> None:
    assert chains(LOCAL, level)
    assert chains(f"{rest}\n{LOCAL}", level) == []


@pytest.mark.parametrize("level", ["spin", "full"])
def test_what_fails_inside_a_chain_is_reported(level: str) -> None:
    text = "byte g; active proctype P() { byte x, a[2]; x = g; x = x + 1; a[x] = 1; x = 2 / a[0]; x = 0 }"
    assert any("x = 2 / a[0]" in chain[1:] for chain in chains(text, level))
    assert whole(optimise(load_text(text, "model.pml"), level)).kinds == {"division-by-zero"}


def test_two_accesses_to_globals_are_never_one_step() -> None:
    text = "byte g; active [2] proctype P() { byte x; x = g; x++; g = x; x = 0 }"
    assert chains(text, "full") == [["x = g", "x++"], ["g = x", "x = 0"]]


def test_an_atomic_sequence_is_not_glued_to_a_global_access() -> None:
    text = "byte g; active [2] proctype P() { byte x; g = 1; atomic { x = 2; g = x }; x = 0 }"
    for chain in chains(text, "full"):
        assert not ("g = 1" in chain and "g = x" in chain)
        assert not ("g = 1" in chain and "x = 2" in chain)


@pytest.mark.parametrize("level", ["spin", "full"])
def test_variables_seen_from_outside_live(level: str) -> None:
    text = """
        active proctype P() { byte x; x = 1; L: skip; x = 2 }
        active proctype Q() { (P[0]@L); assert(P[0]:x == 1 || P[0]:x == 2) }
    """
    model = optimise(load_text(text, "model.pml"), level)
    assert all(not a.clears for a in model.template("P").actions)
    assert "assertion" not in whole(model).kinds


@pytest.mark.parametrize("level", ["spin", "full"])
def test_labels_that_others_watch_stay(level: str) -> None:
    text = """
        active proctype P() { byte x; x = 1; L: x = 2; x = 3 }
        active proctype Q() { (P[0]@L); assert(false) }
    """
    assert "assertion" in whole(optimise(load_text(text, "model.pml"), level)).kinds


def test_hidden_globals() -> None:
    text = 'byte w, r, f, c; active proctype P() { w++; f = r; f = f + 1; c = f; assert(r == 0); printf("%d", c) }'
    model = load_text(text, "model.pml")
    assert [v.name for v in optimise(model, "spin").globals if v.hidden] == ["w", "c"]
    assert [v.name for v in optimise(model, "full").globals if v.hidden] == ["w", "f", "c"]


def test_a_local_that_receives_keeps_no_global() -> None:
    text = "byte g; chan c = [1] of { byte }; active proctype P() { byte x; c!1; c?x; g = 1 }"
    assert [v.hidden for v in optimise(load_text(text, "model.pml"), "spin").globals if v.name == "g"] == [True]


def test_a_divisor_is_never_hidden() -> None:
    model = load_text("byte d = 1, w; active proctype P() { w = 1 / d; d = 0; w = 1 / d }", "model.pml")
    assert [v.name for v in optimise(model, "full").globals if v.hidden] == ["w"]
    assert whole(optimise(model, "full")).kinds == {"division-by-zero"}


def test_level_none_is_the_model_itself_and_others_are_known() -> None:
    model = load_text(LOCAL, "model.pml")
    assert optimise(model, "none") is model
    with pytest.raises(UsageError):
        optimise(model, "most")


def test_initial_values_that_nobody_reads_do_not_tell_who_moved() -> None:
    """Found by a random model: the dead `mine` was 3 before the first step of a process and 0 after it."""
    text = "byte x; active [3] proctype p() { pid mine = 3; do :: x = 1 - x :: x = 1 - x od }"
    model = load_text(text, "<test>")
    found = [explore(optimise(model, level)) for level in ("none", "spin", "full")]
    counts = [f.states for f in found if f is not None]
    assert counts == sorted(counts, reverse=True)
    assert len(counts) == 3


PRINTED = """byte n;
active proctype high() priority 9 { _priority = 2; printf("%d", _priority); n++ }
active proctype middle() priority 5 { byte l; set_priority(2, 4); printf("%d", n); l = 1; n++; assert(n == 1) }
active proctype low() priority 1 { byte l; l = 1; n++; printf("%d", n); assert(n < 2) }
"""
STARVED = """bit x;
active proctype high() priority 9 { do :: x = 1 - x od }
active proctype low() priority 1 { byte l; l = 1; assert(false) }
"""


@pytest.mark.parametrize(("text", "kinds"), [(PRINTED, {"assertion"}), (STARVED, set())], ids=["printed", "starved"])
def test_what_nobody_sees_is_merged_also_with_priorities(text: str, kinds: set[str]) -> None:
    """What can fail is not: it may be that its process never moves again."""
    model = load_text(text, "model.pml")
    before, after = (whole(optimise(model, level)) for level in ("none", "full"))
    assert before.kinds == after.kinds == kinds
    assert after.states <= before.states - ("printf" in text)
