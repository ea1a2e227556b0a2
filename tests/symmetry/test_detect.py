"""What is found, what is refused, and which line is named."""

from __future__ import annotations

from math import factorial
from pathlib import Path

import pytest

from isospin import pipeline
from isospin.core.model import Model
from isospin.semantics.explain import explain
from isospin.semantics.interp import Interpreter
from isospin.symmetry.audit import Walk, audit
from isospin.symmetry.coverage import ended, reached
from isospin.symmetry.detection.detect import detect
from isospin.symmetry.detection.prepare import prepare, with_deaths
from isospin.symmetry.detection.symmetries import Symmetries
from isospin.symmetry.groups.group import Group
from isospin.symmetry.strategies import strategy
from isospin.symmetry.summary import summary
from isospin.symmetry.unwind import unwind
from isospin.transform.optimise import optimise
from tests.support.expectations import expectation
from tests.support.generators.random_symmetric import generate
from tests.support.symmetric_models import CORPUS, example, peterson_symmetries, symmetries_of

BROKEN = sorted(CORPUS.glob("broken_*.pml"))
OTHERS = {"uneven_start": 6, "late_start": 6, "dead_records": 2, "named_by_parameter": 6}


@pytest.mark.parametrize("path", BROKEN, ids=lambda p: p.stem)
def test_a_broken_symmetry_is_refused_at_its_line(path: Path) -> None:
    lines = [i for i, line in enumerate(path.read_text().splitlines(), 1) if "breaks" in line]
    prepared = prepare(pipeline.load(path))
    found = detect(prepared.model)
    names = found.templates
    assert found.order < max([factorial(names.count(n)) for n in names], default=2)
    refused = {r.location.line for r in (*prepared.refused, *found.refused)}
    assert set(lines) <= refused, f"named: {refused}"
    checked = audit(found, strategy("auto", found))
    assert checked.agrees, checked.problems
    assert checked.kinds == checked.reduced_kinds == expectation(path).kinds


@pytest.mark.parametrize("name", OTHERS)
def test_symmetry_that_is_easily_missed(name: str) -> None:
    path = CORPUS / f"{name}.pml"
    found = symmetries_of(path)
    assert found.order == OTHERS[name]
    assert not found.refused
    checked = audit(found, strategy("auto", found))
    assert checked.agrees
    assert checked.reduced_kinds == expectation(path).kinds
    assert checked.reduced_states < checked.states


@pytest.mark.parametrize("n", [2, 5, 7])
def test_peterson_is_fully_symmetric(n: int) -> None:
    found = peterson_symmetries(n, "none")
    assert found.order == factorial(n)
    assert [(f.name, f.size, f.group) for f in found.families] == [("user", n, "symmetric")]
    assert not found.refused
    assert "facts checked" in found.justification


def test_termination_is_symmetric() -> None:
    """SPIN: 7 states; with dead records 9, in 6 orbits."""
    model = pipeline.load("active [2] proctype p() { skip }\n")
    prepared = prepare(model)
    assert prepared.deaths_removed
    plain, found = detect(model), detect(prepared.model)
    assert plain.order == 1
    assert any("youngest" in r.why for r in plain.refused)
    assert found.order == 2
    assert audit(found, strategy("auto", found)).agrees


def test_a_path_without_deaths_replays_with_them() -> None:
    text = """byte x;
active [2] proctype p() { x++ }
active proctype q() { timeout -> assert(x < 2) }
"""
    model = pipeline.load(text)
    found = detect(prepare(model).model)
    walk = Walk(found, strategy("auto", found)).run()
    choices = with_deaths(model, unwind(found, walk.found["assertion"].path))
    assert [f.kind for f in explain(Interpreter(model), choices).faults] == ["assertion"]


def test_a_formula_that_names_a_process_cuts_the_group() -> None:
    text = """bool on[3];
active [3] proctype p() { do :: on[_pid] = true :: on[_pid] = false od }
ltl first { [] <> on[0] }
ltl any { [] <> (on[0] || on[1] || on[2]) }
"""
    model = pipeline.load(text)
    first, any_ = model.claims
    assert detect(model).order == 6
    assert detect(model, [any_]).order == 6
    cut = detect(model, [first])
    assert cut.order == 2
    assert any(r.location.line == 3 for r in cut.refused)


def test_last_and_atomic_control_move_along() -> None:
    text = """byte x;
proctype p() { do :: atomic { _last != _pid && x < 2 -> x++ } :: x == 2 -> x = 0 od }
init { atomic { run p(); run p(); run p() } }
"""
    found = symmetries_of(text)
    assert found.order == 6
    checked = audit(found, strategy("auto", found))
    assert checked.agrees
    assert checked.reduced_states < checked.states


def test_remote_references_by_pid_are_symmetric() -> None:
    text = """byte in;
proctype p() { bool here;
  do :: atomic { !here && in == 0 -> here = true; in++ };
cs:     skip;
        atomic { in--; here = false } od }
proctype watch() { do :: assert(!(p[1]@cs && p[2]@cs) && !(p[3]@cs && p[2]@cs) && !(p[1]@cs && p[3]@cs));
                         assert(p[1]:here + p[2]:here + p[3]:here < 2) od }
init { atomic { run p(); run p(); run p(); run watch() } }
"""
    found = symmetries_of(text)
    assert found.order == 6
    checked = audit(found, strategy("auto", found))
    assert checked.agrees
    assert checked.kinds == ()
    assert symmetries_of(text.replace("!(p[1]@cs && p[2]@cs) &&", "")).order == 2


def test_a_deadlock_after_deaths_replays() -> None:
    text = "chan c = [0] of { bit };\nactive [2] proctype p() { skip }\nactive proctype q() { c?1 }\n"
    model = pipeline.load(text)
    found = detect(prepare(model).model)
    walk = Walk(found, strategy("auto", found)).run()
    choices = with_deaths(model, unwind(found, walk.found["deadlock"].path), to_the_end=True)
    final = explain(Interpreter(model), choices).final
    assert final is not None
    assert not Interpreter(model).steps(final)


def test_the_order_of_options_counts_in_a_d_step() -> None:
    body = "do :: {start} {{ x == 9 -> skip; if :: to = 0 :: to = 1 :: to = 2 fi }} :: to == _pid -> x = 9 od"
    text = "byte x, to = 9;\nactive [3] proctype p() {{ " + body + " }}\n"
    assert symmetries_of(text.format(start="atomic")).order == 6
    assert symmetries_of(text.format(start="d_step")).order == 1


def unreduced(model: Model) -> Walk:
    plain = Symmetries(model, Interpreter(model), Group((), 0))
    return Walk(plain, strategy("none", plain), 1000).run()


@pytest.mark.parametrize("level", ["none", "full"])
def test_the_corpus_keeps_its_verdicts(level: str) -> None:
    """Every conformance model that has a symmetry: reduced = unreduced = without dead records."""
    found_some = 0
    for path in sorted((CORPUS.parent / "promela").glob("*.pml")):
        model = optimise(pipeline.load(path), level)
        prepared = prepare(model)
        found = detect(prepared.model)
        if found.order == 1:
            continue
        found_some += 1
        checked = audit(found, strategy("auto", found), 1000)
        assert checked.agrees, (path, checked.problems)
        plain = unreduced(model)
        assert not plain.complete or set(plain.found) == set(checked.reduced_kinds), path
    assert found_some > 30


def test_the_summary_says_what_was_used() -> None:
    prepared = prepare(pipeline.load(CORPUS / "dead_records.pml"))
    found = detect(prepared.model)
    told = summary(prepared, found, strategy("auto", found))
    assert (told.strategy, told.exactness, told.group_order) == ("exact", "canonical", "2")
    assert "stay as records" in told.justification
    broken = prepare(pipeline.load(CORPUS / "broken_count.pml"))
    none = detect(broken.model)
    told = summary(broken, none, strategy("auto", none))
    assert told.strategy == "none"
    assert len({r.location for r in told.refused}) == len(told.refused) > 0


def test_statements_are_reached_by_their_images() -> None:
    """Representatives may always choose the same option; the others are executed all the same."""
    text = """byte to = 9;
active [3] proctype p() { do :: atomic { to == 9 -> if :: to = 0 :: to = 1 :: to = 2 fi } :: to == _pid -> to = 9 od }
"""
    found = symmetries_of(text)
    assert found.order == 6
    options = {a.text: a.id for t in found.model.templates for a in t.actions if a.text.startswith("to = ")}
    everybody = {options[f"to = {i}"] for i in range(3)}
    assert reached(found, [options["to = 0"]]) == everybody
    mortal = pipeline.load(CORPUS / "dead_records.pml")
    actions = mortal.templates[0].actions
    assert ended(mortal, [a.id for a in actions[:-1]]) == {actions[-1].id}


def test_channels_whose_messages_turn_out_to_be_one_class() -> None:
    """All elements of an array of channels are joined while their messages are looked at."""
    options = ":: box[owner]!_pid :: box[mine]?mine :: owner = mine"
    found = symmetries_of(
        "pid owner = 2; chan box[3] = [1] of { pid };\n"
        f"active [2] proctype user() {{ pid mine = 2; do {options} od }}\n"
    )
    assert found.order == 2
    assert audit(found, strategy("auto", found)).agrees


def test_classes_keep_numbers_of_their_own() -> None:
    """Classes that are made after others were joined must not share a number: renamings go by number."""
    for seed in (9, 48, 53, 80):
        found = symmetries_of(generate(seed))
        assert found.sorts is not None
        numbers = [one.number for one in found.sorts.classes.values()]
        assert len(numbers) == len(set(numbers))


def test_an_escape_is_at_each_of_its_places() -> None:
    """The escape is one statement, and an action at the beginning and behind `x[0]`, but none behind `x[1]`: who stands
    there goes on, also if somebody has stopped."""
    choice = "if :: x[0] -> x[0] = 0 :: x[1] -> goto second :: x[_pid] = 1 fi"
    code = f"top: {{ {choice} }} unless {{ stop -> late = 1 }}; goto top; second: x[1] = 0; goto top"
    other = "active proctype Q() { do :: stop = 1 :: late -> stop = 0; late = 0 od }"
    found = symmetries_of(f"bool x[2], stop, late; active [2] proctype P() {{ {code} }}\n{other}\n")
    assert found.order == 1


def test_a_choice_that_is_sure_hides_nothing() -> None:
    """`_pid == 1 || ... ` is true for process 1; so is `... || _pid == 2` for process 2."""
    guard = "(_pid == 1 || mine != 1) || (_pid == 2 || mine != 2)"
    run = "init { atomic { run p(); run p() } }"
    found = symmetries_of(f"byte x; proctype p() {{ pid mine; do :: {guard} -> mine = _pid; x = 1 - x od }}\n{run}\n")
    assert found.order == 2


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_mail_comes_in_all_sizes(n: int) -> None:
    found = example("mail", "spin", (f"N={n}",))
    assert found.order == factorial(n)
    assert not found.refused
