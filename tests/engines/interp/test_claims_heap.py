"""Claims about models with objects, point by point: what is folded, what a cycle is, what a counterexample says."""

from __future__ import annotations

from typing import Any

import pytest

from isospin import check
from isospin.core.verdict import Verdict
from isospin.pipeline import load
from isospin.report.words import cycle_words
from tests.support.paths import ROOT

NODE = "typedef Node { bit val; Node *next } Node *g, *h; bit x;\n"
STACK = """typedef Node { Node *below } Node *top; byte height;
active [4] proctype user()
{
    Node *n;
    do
    :: atomic { height < 2 -> height++; n = new Node };
pushing: atomic { n->below = top; top = n; n = null }
    :: atomic { top != null -> n = top; top = n->below; height--; delete n; n = null }
    od
}
ltl goes_on { [] (user[0]@pushing -> <> !user[0]@pushing) }
"""


def claim(text: str, name: str = "p", **options: Any) -> Verdict:
    return check(load(text), engine="interp", ltl=name, **options)


@pytest.mark.parametrize("engine", ["interp", pytest.param("explicit", marks=pytest.mark.slow)])
@pytest.mark.parametrize("fair", [False, True])
@pytest.mark.parametrize(
    ("file", "name", "outcome"),
    [("allocate_for_ever", "written", "holds"), ("stack_of_two", "makes_room", "holds"),
     ("stack_of_two", "drained", "violated")],
)  # fmt: skip
def test_few_states_are_enough(file: str, name: str, outcome: str, fair: bool, engine: str) -> None:
    """Without folding the first is infinite, and the second has millions of states."""
    verdict = check(ROOT / "examples/heap" / f"{file}.pml", engine=engine, ltl=name, fair=fair)
    assert verdict.outcome.value == outcome
    assert verdict.statistics is not None
    assert verdict.statistics.states < 1000


def test_a_formula_that_names_a_process_keeps_it_in_its_place() -> None:
    for fair, outcome in ((False, "violated"), (True, "holds")):
        verdict = claim(STACK, "goes_on", fair=fair)
        assert verdict.outcome.value == outcome
        assert verdict.symmetry.group_order == "6"  # of 24


LEAKY = NODE + "active proctype P() { do :: g = new Node; h = g; x = 1 - x; g = null od }\nltl p { <> [] (x == 0) }\n"
CHAIN = NODE + "active proctype P() { do :: g = new Node; x = 1 - x od }\nltl p { <> [] (x == 0) }\n"


def test_a_cycle_goes_on_with_other_objects() -> None:
    (violation,) = claim(CHAIN).violations
    trace = violation.trace
    assert trace.renamed
    assert all(old != new for old, new in trace.renamed)
    assert "each time with other objects: Node#" in cycle_words(trace)


def test_a_bound_on_objects_is_none_for_the_counterexample() -> None:
    """Every state of the search has two objects at most; the run that is shown has as many as it allocates."""
    assert claim(LEAKY, max_objects=2).outcome.value == "violated"


def test_the_same_objects_need_no_words() -> None:
    text = NODE + "init { g = new Node; do :: x = 1 - x od }\nltl p { <> [] (x == 0) }\n"
    (violation,) = claim(text).violations
    assert violation.trace.renamed == ()


def test_what_a_call_has_saved_and_nobody_needs_does_not_keep_a_cycle_open() -> None:
    text = f"""{NODE}bit n;
function f(byte a) {{ if :: a < 2 -> f(a + 1) :: else fi; x = 1 - x }}
active proctype P() {{ do :: n = 1 - n; f(n) od }}
ltl p {{ <> [] (x == 0) }}
"""
    assert claim(text).outcome.value == "violated"


def test_a_new_object_takes_the_place_of_a_deleted_one_in_every_round() -> None:
    """h dangles, and what is allocated next may stand where it points to: then they are equal, again and again."""
    body = "g = new Node; h = g; delete g; g = new Node; x = (g == h); delete g"
    text = f"{NODE}active proctype P() {{ do :: {body} od }}\n"
    assert claim(text + "ltl p { [] (x == 0) }\n").outcome.value == "violated"
    assert claim(text + "ltl p { <> [] (x == 0) }\n").outcome.value == "violated"
    assert claim(text + "ltl p { <> [] (x == 1) }\n").outcome.value == "violated"


def test_a_claim_that_follows_a_pointer_to_nothing_is_a_violation() -> None:
    body = ":: p = new Node; g = p; p = null :: atomic { g = null; x = 1 }"
    text = f"{NODE}active [2] proctype P() {{ Node *p; do {body} od }}\n"
    (violation,) = claim(text + "ltl p { [] (x == 0 || g->val == 0) }\n").violations
    assert violation.kind == "null-dereference"


def test_objects_in_the_order_of_a_path_say_nothing_about_cycles() -> None:
    text = NODE + "active [2] proctype P() { Node *p; do :: p = new Node; g = p od }\nltl p { [] <> (g != null) }\n"
    (result,) = claim(text, symmetry="fig5").properties
    assert (result.outcome.value, "for cycles use exact" in result.reason) == ("incomplete", True)


NEVER = [
    ("do :: true :: g == null -> break od; accept: do :: g == null od", "holds"),
    ("T0: if :: g != null -> goto accept :: true -> goto T0 fi; accept: if :: true -> goto T0 fi", "violated"),
]


@pytest.mark.parametrize(("never", "outcome"), NEVER, ids=["null for good", "again and again not null"])
def test_never_claims_see_folded_heaps(never: str, outcome: str) -> None:
    text = f"{NODE}active [2] proctype P() {{ do :: g = new Node; g = null od }}\nnever {{ {never} }}\n"
    verdict = check(load(text), engine="interp", max_objects=4)
    assert verdict.outcome.value == outcome
    assert verdict.symmetry.heap
