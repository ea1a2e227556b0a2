"""Pointers that are only compared with NULL."""

from __future__ import annotations

import pytest

from isospin import pipeline
from isospin.core.verdict import Outcome
from isospin.front.pointer.load import load_text
from isospin.transform.nullness import bits, only_null_matters
from tests.support import paths

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
        ("b = a", "exists p: a[p] == NULL"),
        ("a = head, head = a->b", "exists p: a[p] == NULL"),
        ("a = head", "exists p, q: a[p] == q"),
        ("a = head, b = a != P ? a : NULL", "exists p: a[p] == NULL"),
    ],
)
def test_what_matters_stays(action: str, invariant: str) -> None:
    assert "a" not in model(action, invariant)


def test_what_does_not_matter() -> None:
    assert model() == {"a", "b"}
    assert "a" in model("a = a == NULL ? head : P")


@pytest.mark.parametrize(("processes", "states", "orbits"), [(3, 56, 15), (4, 232, 26)])
def test_leader_election(processes: int, states: int, orbits: int) -> None:
    user = pipeline.load(LEADER, processes=processes)
    assert only_null_matters(user) != user
    for symmetry, count in (("none", states), ("exact", orbits)):
        found = pipeline.check(user, pipeline.options(engine="interp", symmetry=symmetry))
        assert (found.outcome, found.states) == (Outcome.HOLDS, count)
