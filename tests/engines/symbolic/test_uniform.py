"""What the text of a pointer automaton shows about exchanges: never more than its diagrams do."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest

from isospin.core.model import Bounded, Model, Self, Sort
from isospin.engines.contract import Question
from isospin.engines.symbolic import Method, _Engine
from isospin.engines.symbolic.backend import manager
from isospin.engines.symbolic.encoding.layout import Codec
from isospin.engines.symbolic.encoding.problem import Problem, encode
from isospin.engines.symbolic.lemma import Lemma
from isospin.engines.symbolic.search import Clock
from isospin.engines.symbolic.swaps import Swaps, moved
from isospin.front.pointer.load import load_text
from isospin.symmetry.protocol import Exchange
from isospin.transform.optimise import optimise
from tests.support.generators.random_pointer import automaton, linked

ALIKE = """
global pointer head;
global discrete count: 0..2;
local pointer next;
local discrete flag: 0..3;
init head == NULL && count == 0 && forall p: next[p] == NULL && flag[p] == 0;
process user {
    mode out { when count < 2 do next = head, head = P goto in; }
    mode in {
        when next != NULL && head == P do next->flag = 1 goto in;
        when head == P && (exists q: mode[q] == out) do head = next, next = NULL goto out;
    }
}
invariant ends: forall p: flag[p] != 1;
"""
ONE_IS_SPECIAL = {
    "a guard": ALIKE.replace("when count < 2", "when count < 2 && head != 1"),
    "a guard about oneself": ALIKE.replace("when count < 2", "when P != 2"),
    "a number that is stored": ALIKE.replace("next->flag = 1", "next->flag = flag[1]"),
    "a name that is stored": ALIKE.replace("next = NULL", "next = 1"),
    "a place": ALIKE.replace("next->flag = 1", "flag[2] = 1"),
    "one is not asked": ALIKE.replace("exists q: mode[q] == out", "exists q: q != 2 && mode[q] == out"),
    "one is asked for more": ALIKE.replace("exists q: mode[q] == out", "exists q: mode[q] == out && flag[1] == 0"),
    "two say different things": ALIKE.replace(
        "(exists q: mode[q] == out)", "(mode[1] == out || mode[2] == in || mode[3] == out)"
    ),
    "a number beside a name": ALIKE.replace(
        "(exists q: mode[q] == out)", "(flag[1] == 1 || flag[2] == 2 || flag[3] == 3)"
    ),
}
INVARIANTS = {
    "one is left out": ALIKE.replace("forall p: flag[p] != 1", "forall p: p == 2 || flag[p] != 1"),
    "names of two": ALIKE.replace("forall p: flag[p] != 1", "next[1] != 2"),
}


def straight(model: Model) -> tuple[Exchange, ...]:
    """Every exchange of two processes with the same text, as if pointers were the only names: many are no symmetry."""
    templates = [i.template for i in model.instances]
    found = []
    for a, b in combinations(range(len(templates)), 2):
        if templates[a] == templates[b]:
            places = {a: b, b: a}
            globals_ = []
            for v in model.globals:
                rename = places if v.type.sort is Sort.PID else {}
                for p in range(v.size):
                    globals_.append((v.base + (places.get(p, p) if v.owned else p), dict(rename)))
            points = tuple(places.get(p, p) for p in range(len(templates)))
            found.append(Exchange(points, tuple(globals_), ((),) * len(points), ({},) * len(points), (), (a, b)))
    return tuple(found)


def encoded(model: Model, exchanges: tuple[Exchange, ...]) -> Problem:
    question = Question(deadlock=False)
    engine = _Engine(model, question, Method("forward", "gasr", exchanges), Clock(question))
    diagrams = manager("oxidd", 2 * engine.layout.count, 1 << 18)
    named = [move for e in exchanges for move in moved(engine.layout, e) if move[2]]
    return encode(Codec(engine.layout, engine.interpreter), engine.begin, diagrams, False, named, lambda: None)


def answers(model: Model) -> list[tuple[bool, bool]]:
    """For each exchange: does the text show that it keeps steps and violations, and do the diagrams?"""
    exchanges = straight(model)
    problem = encoded(model, exchanges)
    by_text, by_diagrams = Lemma(problem, exchanges).text, Lemma(problem)
    swaps = Swaps(problem.encoding, problem.constant)
    made = [swap for e in exchanges if (swap := swaps.swap(e)) is not None]
    found = []
    for swap in made:
        steps = by_diagrams.keeps_steps(swap, swap)
        violations = by_diagrams.keeps_violations(swap)
        assert steps or not by_text.keeps_steps(swap.exchange)
        found.append((by_text.keeps_all(swap.exchange), steps and violations))
    return found


def loaded(text: str) -> Model:
    return load_text(text, "m.ptr", 3)


def test_alike() -> None:
    assert answers(loaded(ALIKE)) == [(True, True)] * 3


@pytest.mark.parametrize("what", ONE_IS_SPECIAL)
def test_one_is_special(what: str) -> None:
    found = answers(loaded(ONE_IS_SPECIAL[what]))
    assert found
    assert not any(by_text for by_text, _ in found)
    assert sum(by_diagrams for _, by_diagrams in found) < 3


@pytest.mark.parametrize("what", INVARIANTS)
def test_an_invariant_with_a_number(what: str) -> None:
    model = loaded(INVARIANTS[what])
    found = answers(model)
    assert not any(by_text for by_text, _ in found)
    assert not all(by_diagrams for _, by_diagrams in found)
    exchanges = straight(model)
    assert Lemma(encoded(model, exchanges), exchanges).text.keeps_steps(exchanges[0])


def test_bounds_that_tell_two_apart() -> None:
    exchanges = straight(model := loaded(ALIKE))
    text = Lemma(encoded(model, exchanges), exchanges).text.text(exchanges[0])
    assert text is not None
    assert text.is_name(Bounded(Self(), 1, 3, "null-dereference", ""))
    assert not text.is_name(Bounded(Self(), 1, 2, "null-dereference", ""))


def compare(first: int, last: int) -> tuple[int, int]:
    """How often the text shows it, and how often diagrams say that it is not so."""
    shown = wrong = 0
    for seed in range(first, last):
        written = (linked if seed % 3 == 0 else automaton)(seed)
        if seed % 4 == 1:
            written = replace(written, text="1".join(written.text.rsplit("NULL", 1)))  # one gets a number
        model = optimise(written.model(), ("none", "full")[seed % 2])
        for by_text, by_diagrams in answers(model):
            assert by_diagrams or not by_text, f"seed {seed}"
            shown, wrong = shown + by_text, wrong + (not by_diagrams)
    return shown, wrong


def test_random_automata() -> None:
    shown, wrong = compare(0, 40)
    assert shown > 10
    assert wrong > 3


@pytest.mark.slow
@pytest.mark.parametrize("first", range(40, 640, 100))
def test_many_random_automata(first: int) -> None:
    compare(first, first + 100)
