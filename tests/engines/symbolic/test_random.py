"""Random models: the symbolic engine, forwards and backwards, with and without each reduction, and the interpreter."""

from __future__ import annotations

import pytest

from isospin.engines.symbolic import NotEncodable
from isospin.front.promela.load import load_text
from tests.engines.symbolic.compared import Compared
from tests.support.generators import random_symmetric
from tests.support.generators.random_pointer import automaton, linked
from tests.support.generators.random_promela import generate

LEVELS = ("none", "full")


def pointers(seed: int) -> str:
    compared = Compared(automaton(seed).model(), LEVELS[seed % 2], most=1000)
    return "large" if compared.is_large else compared.all_ways()


@pytest.mark.parametrize("first", range(0, 120, 20))
def test_pointer_automata(first: int) -> None:
    assert {pointers(seed) for seed in range(first, first + 20)} >= {"holds", "violated"}


@pytest.mark.slow
@pytest.mark.parametrize("first", range(120, 600, 20))
def test_more_pointer_automata(first: int) -> None:
    for seed in range(first, first + 20):
        pointers(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 300, 20))
def test_linked_automata(first: int) -> None:
    for seed in range(first, first + 20):
        compared = Compared(linked(seed).model(), LEVELS[seed % 2], most=500)
        assert compared.is_large or compared.all_ways()


def promela(seed: int, level: str) -> str:
    compared = Compared(load_text(generate(seed), "random.pml"), level, most=2000)
    if compared.is_large:
        return "large"
    try:
        return compared.all_ways()
    except NotEncodable as refused:
        return refused.why


def test_promela() -> None:
    results = [promela(seed, LEVELS[seed % 2]) for seed in range(12)]
    assert sum(r in ("holds", "violated") for r in results) > 8, results


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12, 312))
def test_more_promela(seed: int) -> None:
    for level in LEVELS:
        promela(seed, level)


def symmetric(seed: int) -> str:
    """Exchanges that are proved on the text are used on diagrams (`Compared.folded`)."""
    compared = Compared(load_text(random_symmetric.generate(seed), "random.pml"), "full", most=600)
    if compared.is_large:
        return "large"
    for strategy in ("bdd-sorted", "gasr") if compared.pairs else ():
        try:
            compared.folded(strategy, "forward")
        except NotEncodable as refused:
            return refused.why
    return "folded" if compared.pairs else "no pairs"


def test_names_in_queues() -> None:
    """In an empty place of a queue is no name: an exchange with 0 leaves it alone; who has ended names nobody."""
    assert [symmetric(seed) for seed in (45, 88, 92)] == ["folded"] * 3


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 300, 20))
def test_symmetric_models(first: int) -> None:
    for seed in range(first, first + 20):
        symmetric(seed)
