"""The figures of the papers, and what strategies say of themselves."""

from __future__ import annotations

import pytest

from isospin.core.errors import UsageError
from isospin.symmetry.audit import Walk
from isospin.symmetry.strategies import strategy
from tests.support.symmetric_models import example, peterson_symmetries, symmetries_of

EXACT = ("exact", "enumerate", "segmented", "sorted", "markers", "approx-markers")
PETERSON = {3: (494, 1481, 251, 752, 907, 2636), 4: (3106, 12422, 1177, 4706, 9373, 60577)}


def walked(name: str, n: int, main: str | None = None, search: str = "bfs") -> Walk:
    found = peterson_symmetries(n)
    return Walk(found, strategy(name, found, main), search=search).run()


@pytest.mark.parametrize("name", EXACT)
def test_peterson_full_quotient(name: str) -> None:
    walk = walked(name, 3)
    assert (len(walk.states), walk.transitions) == PETERSON[3][:2]
    assert not walk.found
    if walk.strategy.exactness == "canonical":
        assert walk.orbit_sum == PETERSON[3][5]


@pytest.mark.slow
@pytest.mark.parametrize("name", EXACT)
def test_peterson_full_quotient_of_four(name: str) -> None:
    walk = walked(name, 4)
    assert (len(walk.states), walk.transitions) == PETERSON[4][:2]


@pytest.mark.slow
def test_exact_on_four() -> None:
    walk = walked("exact", 4)
    assert (len(walk.states), walk.transitions, walk.orbit_sum) == (3106, 12422, 60577)


@pytest.mark.parametrize("n", [3, 4])
def test_peterson_flattened(n: int) -> None:
    walk = walked("flattened", n)
    assert (len(walk.states), walk.transitions) == PETERSON[n][2:4]
    assert walk.strategy.exactness == "approximate"


def test_peterson_sorted_by_one_array() -> None:
    """The count depends on the order of the search: depth first, the youngest process first."""
    assert len(walked("sorted-main", 3, "flag", "dfs").states) == PETERSON[3][4]


@pytest.mark.slow
def test_peterson_of_four_sorted_by_one_array() -> None:
    assert len(walked("sorted-main", 4, "flag", "dfs").states) == PETERSON[4][4]


def test_markers_are_exact_without_links() -> None:
    """Proposition 2: Peterson has no arrays from pids to pids; the mail model has."""
    peterson, mail = peterson_symmetries(3), example("mail", "spin", ("N=2",))
    assert strategy("approx-markers", peterson).exactness == "canonical"
    assert strategy("approx-markers", mail).exactness == "approximate"
    assert strategy("markers", mail).exactness == "sound"


def mail_counts(n: int) -> dict[str, int]:
    found = example("mail", "spin", (f"N={n}",))
    names = ("exact", "enumerate", "segmented", "sorted", "markers", "approx-markers")
    return {name: len(Walk(found, strategy(name, found)).run().states) for name in names}


def test_mail_of_two() -> None:
    counts = mail_counts(2)
    assert counts["exact"] == counts["enumerate"] == counts["segmented"] == 102
    assert counts["approx-markers"] <= counts["exact"] <= counts["markers"]


@pytest.mark.slow
def test_mail_of_three() -> None:
    counts = mail_counts(3)
    assert counts["exact"] == counts["enumerate"] == counts["segmented"] == 1485
    assert counts["approx-markers"] < counts["exact"] <= counts["markers"]


def test_a_strategy_that_does_not_fit_says_what_does() -> None:
    with pytest.raises(UsageError, match="exact fits any group"):
        strategy("approx-markers", example("ring"))
    with pytest.raises(UsageError, match="there are none, enumerate"):
        strategy("magic", example("ring"))
    with pytest.raises(UsageError, match="--main-array nothing"):
        strategy("segmented", example("families"), "nothing")


def test_without_symmetry_nothing_is_folded() -> None:
    assert strategy("exact", symmetries_of("active proctype p() { skip }")).name == "none"


@pytest.mark.slow
def test_exact_on_five() -> None:
    walk = walked("exact", 5)
    assert (len(walk.states), walk.transitions, walk.orbit_sum) == (17321, 86602, 1557370)
