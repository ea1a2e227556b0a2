"""Pointers that are only compared with NULL."""

from __future__ import annotations

import pytest

from isospin import pipeline
from isospin.core.model import BIT, Place
from isospin.core.verdict import Outcome
from isospin.front.pointer.load import load_text
from isospin.semantics.walk import subexpressions
from isospin.symmetry.reduction import reduce
from isospin.transform.nullness import _everything, bits, only_null_matters
from isospin.transform.optimise import optimise
from tests.front.pointer.test_random import search
from tests.support import paths
from tests.support.generators.random_pointer import marked

LEADER = paths.EXAMPLES / "pointer" / "leader.ptr"
TEXT = """
global pointer head;
local pointer a, b;
init head == NULL && forall p: a[p] == NULL && b[p] == NULL;
process user {{ mode m {{ when a == NULL do {action} goto m; do head = P goto m; }} }}
invariant i: {invariant};
"""


def model(action: str = "a = head", invariant: str = "exists p: a[p] == NULL") -> set[str]:
    """The names of the pointers of which one bit is enough."""
    found = load_text(TEXT.format(action=action, invariant=invariant), "m.ptr", 2)
    return {v.name for v in found.globals if v.base in bits(found)}


@pytest.mark.parametrize(
    ("action", "invariant"),
    [
        ("b = a", "exists p, q: b[p] == q"),  # copied to one that matters
        ("b = a == NULL ? P : a", "exists p, q: b[p] == q"),
        ("a = head, head = a->b", "exists p: a[p] == NULL"),
        ("a = head", "exists p, q: a[p] == q"),
        ("a = head, b = a != P ? a : NULL", "exists p: a[p] == NULL"),
    ],
)
def test_what_matters_stays(action: str, invariant: str) -> None:
    assert "a" not in model(action, invariant)


def test_what_does_not_matter() -> None:
    assert model() == {"a", "b", "head"}
    assert model("a = a == NULL ? head : P") == {"a", "b", "head"}
    assert model("b = a, a = head") == {"a", "b", "head"}  # copied to each other
    assert model("a = head, b = head->b") == {"a", "b"}
    assert model("a = head, b = head != P ? a : NULL") == {"a", "b"}


def test_they_are_bits_everywhere() -> None:
    found = only_null_matters(load_text(TEXT.format(action="a = head", invariant="exists p: a[p] == NULL"), "m.ptr", 2))
    places = [e for top in _everything(found) for e in subexpressions(top) if isinstance(e, Place)]
    assert {v.type for v in [*found.globals, *(p.variable for p in places)]} == {BIT}


@pytest.mark.parametrize("engine", ["interp", "symbolic"])
@pytest.mark.parametrize("symmetry", ["none", "auto"])
def test_where_bits_are_set_the_users_pointers_start_with_a_process(engine: str, symmetry: str) -> None:
    text = (
        "local pointer a; init (exists p: a[p] == NULL) && exists p: a[p] != NULL;"
        "process user { mode 0 { when a != NULL goto 1; } mode 1 { } } invariant i: forall p: mode[p] != 1;"
    )
    user = load_text(text, "m.ptr", 3)
    found = pipeline.check(user, pipeline.options(engine=engine, symmetry=symmetry, all_errors=True))
    assert found.outcome is Outcome.VIOLATED
    (step,) = found.violations[0].trace.steps
    assert dict(found.violations[0].trace.start)[f"a[{step.choice.pid}]"] == 1


def random(seed: int) -> str:
    """The same violations without any transformation, with it, and with everything else on top."""
    user = marked(seed).model()
    plain, expected = search(user, most=300)
    if plain.incomplete:
        return "large"
    assert search(only_null_matters(user))[1] == expected, seed
    small = optimise(user, "full")
    reduction = reduce(small, "auto")
    for found, places in (search(small), search(reduction.model, reduction.strategy)):
        assert places == expected, seed
        assert found.states <= plain.states, seed
    return "violated" if expected else "holds"


def test_random() -> None:
    assert {random(seed) for seed in range(8)} >= {"holds", "violated"}


@pytest.mark.slow
@pytest.mark.parametrize("first", range(8, 608, 50))
def test_more_random(first: int) -> None:
    for seed in range(first, first + 50):
        random(seed)


@pytest.mark.parametrize(("processes", "states", "orbits"), [(3, 56, 15), (4, 232, 26)])
def test_leader_election(processes: int, states: int, orbits: int) -> None:
    user = pipeline.load(LEADER, processes=processes)
    assert only_null_matters(user) != user
    for symmetry, count in (("none", states), ("exact", orbits)):
        found = pipeline.check(user, pipeline.options(engine="interp", symmetry=symmetry))
        assert (found.outcome, found.states) == (Outcome.HOLDS, count)
