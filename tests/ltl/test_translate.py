"""Automata against the meaning of their formulas, and against the size of SPIN's."""

from __future__ import annotations

from math import exp, log
from random import Random

import pytest

from isospin.core.model import Temporal
from isospin.ltl.lasso import satisfies
from isospin.ltl.translate import automaton
from tests.ltl.formulas import (
    CLASSIC,
    Word,
    accepts,
    always,
    eventually,
    f,
    letter,
    name_of,
    random_formula,
    random_lasso,
    spin_size,
    text,
)
from tests.support import spin

needs_spin = pytest.mark.skipif(not spin.available(), reason="SPIN is not installed")


def holds(formula: Temporal, word: Word, back: int) -> bool:
    return satisfies(formula, len(word), back, lambda e, i: name_of(e) in word[i])


def compare(formula: Temporal, random: Random, words: int = 20) -> None:
    positive, negative = automaton(formula), automaton(formula, negated=True)
    for _ in range(words):
        word, back = random_lasso(random)
        truth = holds(formula, word, back)
        assert accepts(positive, word, back) == truth, (text(formula), word, back)
        assert accepts(negative, word, back) != truth, (text(formula), word, back)


@pytest.mark.parametrize("formula", CLASSIC, ids=text)
def test_classic_formulas_on_lassos(formula: Temporal) -> None:
    compare(formula, Random(1), words=60)


def test_random_formulas_on_lassos() -> None:
    for seed in range(100):
        random = Random(seed)
        compare(random_formula(random, random.randint(2, 12)), random)


@pytest.mark.slow
def test_many_random_formulas_on_lassos() -> None:
    for seed in range(1000):
        random = Random(10_000 + seed)
        compare(random_formula(random, random.randint(2, 14)), random, words=40)


# Words worked out by hand: the direct evaluation must be right itself.
BY_HAND = [
    (always("p"), [{"p"}, {"p"}], 0, True),
    (always("p"), [{"p"}, set(), {"p"}], 2, False),
    (eventually("p"), [set(), set(), {"p"}], 0, True),
    (eventually("p"), [{"q"}, set()], 1, False),
    (f("until", "p", "q"), [{"p"}, {"p"}, {"q"}], 2, True),
    (f("until", "p", "q"), [{"p"}, {"p"}], 0, False),
    (f("weakuntil", "p", "q"), [{"p"}, {"p"}], 0, True),
    (f("release", "p", "q"), [{"q"}, {"p", "q"}, set()], 2, True),
    (f("release", "p", "q"), [{"q"}, {"p"}, {"q"}], 2, False),
    (f("next", "p"), [set(), {"p"}], 0, True),
    (f("next", "p"), [{"p"}], 0, True),
    (f("next", f("next", "p")), [{"p"}, set()], 0, True),
    (always(eventually("p")), [{"p"}, set(), {"p"}], 1, True),
    (always(eventually("p")), [{"p"}, {"p"}, set()], 2, False),
    (eventually(always("p")), [set(), {"p"}], 1, True),
    (f("equivalent", "p", "q"), [{"p"}], 0, False),
    (f("implies", "p", "q"), [set()], 0, True),
]


@pytest.mark.parametrize(("formula", "word", "back", "truth"), BY_HAND)
def test_truth_on_lassos_by_hand(formula: Temporal, word: Word, back: int, truth: bool) -> None:
    assert holds(formula, word, back) == truth


# Known smallest state-based automata.
SMALL = [
    (always("p"), 1), (eventually("p"), 2), (f("until", "p", "q"), 2), (always(eventually("p")), 2),
    (eventually(always("p")), 2), (always(f("implies", "p", eventually("q"))), 2), (f("weakuntil", "p", "q"), 2),
    (f("&&", "p", f("!", "p")), 1), (f("||", "p", f("!", "p")), 1), (eventually(f("&&", "p", "q")), 2),
    (f("&&", always(eventually("p")), always(eventually("q"))), 3),
]  # fmt: skip


@pytest.mark.parametrize(("formula", "states"), SMALL, ids=lambda x: text(x) if isinstance(x, Temporal) else str(x))
def test_small_formulas_have_the_smallest_automata(formula: Temporal, states: int) -> None:
    assert automaton(formula).size == states


def test_traps_are_states_after_which_nothing_matters() -> None:
    assert len(automaton(always("p"), negated=True).traps) == 1
    assert not automaton(eventually("p"), negated=True).traps


def test_comparisons_and_their_negations_are_one_atom() -> None:
    from isospin.core.model import Binary, Const, Place

    p = letter("p").atom
    assert isinstance(p, Place)
    equal, different = (Temporal("atom", atom=Binary(op, p, Const(0))) for op in ("==", "!="))
    assert automaton(Temporal("||", (equal, different))).atoms == automaton(equal).atoms
    assert automaton(Temporal("&&", (equal, different))).edges == ((),)


def ratio(formulas: list[Temporal]) -> float:
    """Our states over SPIN's, in the geometric mean."""
    logs = []
    for formula in formulas:
        theirs = spin_size(formula)
        if theirs is not None:
            logs.append(log(max(automaton(formula).size, 1) / theirs))
    assert len(logs) > len(formulas) * 0.9
    return exp(sum(logs) / len(logs))


@needs_spin
def test_automata_are_no_larger_than_those_of_spin() -> None:
    random = Random(7)
    formulas = [random_formula(random, random.randint(2, 8), next_too=False) for _ in range(40)]
    assert ratio(formulas) < 1.0
    assert ratio(list(CLASSIC)) <= 1.0


@pytest.mark.slow
@needs_spin
def test_many_automata_are_no_larger_than_those_of_spin() -> None:
    random = Random(8)
    found = ratio([random_formula(random, random.randint(2, 10), next_too=False) for _ in range(300)])
    print(f"states, ours over SPIN's: {found:.2f}")
    assert found < 1.0
