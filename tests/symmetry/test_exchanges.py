"""What else changes places if two processes do is followed from one to the next, and not searched for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from isospin.symmetry.detection.seeing.exchanges import Exchanges
from isospin.symmetry.detection.seeing.graph import FactGraph
from tests.support.generators import random_shapes, random_symmetric
from tests.support.symmetric_models import symmetries_of


def processes(n: int, code: str) -> str:
    return f"byte lock[{n}]; bool flag[{n}]; active [{n}] proctype P() {{ do {code} od }}"


def pairs(n: int) -> str:
    """Who changes places takes its partner along."""
    return processes(n, ":: flag[_pid] -> flag[_pid] = 0; flag[_pid ^ 1] = 1")


def tree(n: int) -> str:
    """Who changes places takes all below it along."""
    return processes(n, ":: _pid > 0 && flag[_pid] -> flag[(_pid - 1) / 2] = 1 :: flag[_pid] = 0")


def teams(n: int) -> str:
    """Each five share a lock."""
    take = "lock[_pid / 5] == 0 -> lock[_pid / 5] = 1"
    return processes(n, f":: {take}; flag[_pid] = 1 - flag[_pid]; lock[_pid / 5] = 0")


def two_kinds(n: int) -> str:
    """All of one kind look at all of the other, in two steps."""
    first, second = (
        " ".join(f":: flag[{k}] -> flag[{k}] = 0" for k in among) for among in (range(n // 2), range(n // 2, n))
    )
    return (
        f"bool flag[{n}]; active [{n // 2}] proctype P() {{ do {second} :: flag[_pid] = 1 od }}\n"
        f"active [{n // 2}] proctype Q() {{ do {first} :: flag[_pid] = 1 od }}"
    )


def matrix(n: int) -> str:
    """Everybody notes whom it has told something."""
    n //= 2
    told = " ".join(f":: {k} != _pid -> row[_pid].told[{k}] = 1" for k in range(n))
    code = f"do {told} :: row[_pid].told[_pid] -> row[_pid].told[_pid] = 0 od"
    return f"typedef Row {{ bool told[{n}] }}; Row row[{n}]; active [{n}] proctype P() {{ {code} }}"


@pytest.mark.parametrize(("shape", "most"), [(pairs, 40), (tree, 40), (two_kinds, 40), (teams, 160), (matrix, 40)])
def test_exchanges_of_many_are_not_searched_for(
    shape: Callable[[int], str], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There are about as many generators as processes, and colours are refined a few times for all of them; where a
    team takes the place of another, for each of its members."""
    count, refine = 0, FactGraph.refine

    def counted(*given: Any) -> Any:
        nonlocal count
        count += 1
        return refine(*given)

    monkeypatch.setattr(FactGraph, "refine", counted)
    assert symmetries_of(shape(40)).order > 2**10
    assert count < most


@pytest.mark.parametrize(
    ("text", "order"), [(pairs(6), 2**3 * 6), (teams(10), 120**2 * 2), (tree(7), 8), (two_kinds(6), 36)]
)
def test_orders_that_are_counted_by_hand(text: str, order: int) -> None:
    assert symmetries_of(text).order == order


def found(text: str) -> tuple[int, list[tuple[str, list[int], str]]]:
    one = symmetries_of(text)
    assert not one.cut
    return one.order, one.orbits


def compare_without_guesses(texts: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    """The same group is found without guesses; how many have one."""
    guessed = list(map(found, texts))
    with monkeypatch.context() as patched:
        patched.setattr(Exchanges, "guess", lambda *given: None)
        assert list(map(found, texts)) == guessed
    return sum(order > 1 for order, _ in guessed)


def test_guesses_find_no_more_and_no_less(monkeypatch: pytest.MonkeyPatch) -> None:
    shapes = [pairs(6), pairs(8), tree(7), tree(12), teams(10), two_kinds(6)]
    assert compare_without_guesses(shapes, monkeypatch) == len(shapes)
    assert compare_without_guesses([random_shapes.generate(seed) for seed in range(10)], monkeypatch) > 2


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 2000, 100))
def test_many_guesses(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for generator in (random_shapes, random_symmetric):
        compare_without_guesses([generator.generate(seed) for seed in range(first, first + 100)], monkeypatch)
