"""Group orders and orbit counts against brute force over all permutations and the whole state graph."""

from __future__ import annotations

import pytest

from isospin.symmetry.audit import Walk, audit
from isospin.symmetry.strategies import strategy
from tests.support.oracles.brute_symmetry import Brute, Layout
from tests.support.symmetric_models import example, peterson_symmetries

TREE = {i: i + 1 for i in range(7)}
LAYOUTS = {
    "ring": (Layout(arrays=("taken",)), 4, ("deadlock",)),
    "star": (Layout(holders=("who",), fields=(1,), channel_fields=(2,), own_channels=("answer", "back")), 6, ()),
    "tree": (Layout(arrays=("ready",), servers=TREE, parameters=("id",)), 8, ()),
    "tiers": (Layout(arrays=("asked",), servers={0: 1, 1: 2}, parameters=("s",)), 72, ()),
    "hypercube": (Layout(arrays=("lit",)), 48, ("deadlock",)),
    "families": (Layout(holders=("last_writer",)), 12, ()),
    "bakery": (Layout(arrays=("number",)), 1, ()),
}


LARGE = ("tiers", "hypercube")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in LARGE else name for name in LAYOUTS]
)
def test_group_and_orbits_as_by_brute_force(name: str) -> None:
    layout, order, kinds = LAYOUTS[name]
    found = example(name)
    brute = Brute(found.model, layout)
    group = brute.group()
    assert len(group) == order == found.order
    assert all(g in group for g in found.generators)
    checked = audit(found, strategy("auto", found))
    assert checked.agrees, checked.problems
    assert checked.states == checked.orbit_sum == len(brute.graph)
    assert checked.reduced_states == brute.orbits(group)
    assert checked.kinds == checked.reduced_kinds == kinds


@pytest.mark.parametrize("n", [2, 3])
def test_peterson_without_optimisation(n: int) -> None:
    """At level none, exact gives one state for each orbit under all permutations of the users."""
    found = peterson_symmetries(n, "none")
    brute = Brute(found.model, Layout(arrays=("flag",), holders=("turn",)))
    group = set(brute.candidates())
    walk = Walk(found, strategy("exact", found)).run()
    assert found.order == len(group)
    assert len(walk.states) == brute.orbits(group)
    assert walk.orbit_sum == len(brute.graph) == {2: len(brute.graph), 3: 11318}[n]


def test_names_of_groups() -> None:
    groups = {name: [f.group for f in example(name).families] for name in LAYOUTS}
    assert groups == {
        "ring": ["cyclic"],
        "star": ["symmetric"],
        "tree": ["symmetric", "dihedral"],
        "tiers": ["symmetric", "symmetric wreath symmetric"],
        "hypercube": ["hypercube"],
        "families": ["symmetric", "symmetric"],
        "bakery": [],
    }
