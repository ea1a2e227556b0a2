"""Code that processes share is looked at once: that finds the symmetries that the codes of all of them have."""

from __future__ import annotations

from dataclasses import replace

import pytest

from isospin import pipeline
from isospin.core.model import Binary, Const, Model, Self
from isospin.semantics.interp import Interpreter
from isospin.symmetry.detection import bodies
from isospin.symmetry.detection.describe import facts
from isospin.symmetry.detection.detect import detect
from isospin.symmetry.detection.justify import Judge
from isospin.symmetry.detection.looping.loops import fold_loops
from isospin.symmetry.detection.looping.rounds import KnownLoops
from isospin.symmetry.detection.population import populate
from isospin.symmetry.detection.prepare import prepare
from isospin.symmetry.detection.seeing.graph import FactGraph
from isospin.symmetry.detection.sorts import Sorts
from isospin.symmetry.detection.specialise import share, specialise
from isospin.symmetry.detection.symmetries import Symmetries
from isospin.symmetry.detection.terms import TermWriter
from isospin.symmetry.reduction import reduce
from isospin.transform.optimise import optimise
from tests.support.generators import random_names, random_selects, random_shapes, random_starts, random_symmetric

FROM = 10**6


def both_ways(model: Model, monkeypatch: pytest.MonkeyPatch) -> tuple[Symmetries, Symmetries]:
    """What is found when nothing is shared, and when everything is that can be."""
    monkeypatch.setattr(bodies, "MANY", FROM)
    alone = reduce(model, "auto").symmetries
    monkeypatch.setattr(bodies, "MANY", 2)
    return alone, reduce(model, "auto").symmetries


def is_kept(found: Symmetries) -> bool:
    """Do the generators keep what each process by itself does?"""
    assert found.population is not None
    assert found.sorts is not None
    owns = fold_loops(found.model, specialise(found.model, found.population), not found.model.claims)
    each = facts(found.model, found.population, owns, found.sorts, found.model.claims)
    judge = Judge([fact for fact in each if found.keeps_start or not fact.start])
    return all(judge.find_violated(found.renaming(g)) is None for g in found.group.generators)


def compare(text: str, monkeypatch: pytest.MonkeyPatch) -> bool:
    """The same group both ways, at all levels; was code shared, and did that suffice?"""
    shared = False
    for level in ("none", "full"):
        alone, found = both_ways(optimise(pipeline.load(text), level), monkeypatch)
        assert (found.order, found.orbits, found.keeps_start) == (alone.order, alone.orbits, alone.keeps_start), text
        assert [r.location for r in found.refused] == [r.location for r in alone.refused], text
        assert set(found.movables) >= {name for name in alone.movables if name[0] in ("pid", "global", "local", "chan")}
        if found.bodies:
            shared = True
            assert is_kept(found), text
    return shared


def test_random_names(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sum(compare(random_names.generate(seed), monkeypatch) for seed in range(16)) > 2


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 4000, 250))
def test_many_random_names(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sum(compare(random_names.generate(seed), monkeypatch) for seed in range(first, first + 250)) > 30


@pytest.mark.slow
@pytest.mark.parametrize("generator", [random_selects, random_shapes, random_starts, random_symmetric])
def test_many_other_models(generator: object, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(1000, 1200):
        compare(generator.generate(seed), monkeypatch)  # type: ignore[attr-defined]


HEAD = "bool flag[3]; byte x; byte turn = 9;\n"
TOLD = {
    "a pid is a number": "active [3] proctype P() { do :: flag[_pid] = 1; x = _pid % 2 od }",
    "they are at different places": "proctype P() { do :: x = 1 :: flag[_pid] = 1 od } init { run P(); run P() }",
    "they are given different values": (
        "proctype P(byte n) { do :: flag[_pid] = 1; x = n od } init { atomic { run P(1); run P(2) } }"
    ),
    "they are given the names of others": (
        "proctype P(byte n) { do :: flag[n] = !flag[n] od } init { atomic { run P(0); run P(2) } }"
    ),
    "what is forgotten names nobody": (
        "chan box[4] = [1] of { pid }; bool got[4]; active [4] proctype P() { pid q; do :: box[_pid]?q -> got[q] = 1"
        " :: x = _pid % 2 :: box[0]!_pid :: box[1]!_pid :: box[2]!_pid :: box[3]!_pid od }"
    ),
    "what is forgotten names no number that was given": (
        "chan box[4] = [1] of { byte }; bool got[4]; proctype P(byte n) { byte q; do :: box[n]?q -> got[q] = 1"
        " :: x = n % 2 :: got[n] = 0 :: box[0]!n :: box[1]!n :: box[2]!n :: box[3]!n od }"
        " init { atomic { run P(0); run P(1); run P(2); run P(3) } }"
    ),
    "one is looked at from outside": (
        "active [2] proctype P() { do :: x = 1; l: x = 0 od } active proctype Q() { do :: P[1]@l -> turn = 1 od }"
    ),
    "somebody looks at one from outside, by its value": (
        "active [2] proctype P() { byte y; do :: y = 1 - y od } active proctype Q() { do :: P[1]:y -> turn = 1 od }"
    ),
    "only the youngest can die": (
        "active [2] proctype P() { x = 1 } active proctype Q() { do :: _nr_pr < 2 -> x = 0 od }"
    ),
    "one is named": "active [3] proctype P() { do :: turn == 1 -> x = 1 :: turn = _pid od }",
    "no process is named 0": "active [3] proctype P() { do :: _pid -> x = 1 :: turn = _pid od }",
}


@pytest.mark.parametrize("why", TOLD)
def test_what_tells_them_apart(why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compare(HEAD + TOLD[why], monkeypatch)


def test_a_round_of_a_loop_is_nobodys(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one process has learnt of a round is not true of all."""
    loop = (
        "i = 0; do :: i < 3 -> if :: i != _pid && flag[i] -> turn = turn + 1 :: else fi; i = i + 1 :: else -> break od"
    )
    text = f"{HEAD}active [3] proctype P() {{ byte i; do :: flag[_pid] = 1 :: d_step {{ {loop}; i = 0 }} od }}"
    known = KnownLoops()
    monkeypatch.setattr(bodies, "MANY", FROM)
    model = prepare(pipeline.load(text)).model
    assert detect(model, loops=known).order == 6
    monkeypatch.setattr(bodies, "MANY", 2)
    found = detect(model, loops=known)  # the same rounds are known
    assert found.bodies
    assert is_kept(found)


def test_whose_pid_it_is() -> None:
    """A part that stands in the codes of two templates speaks of different processes."""
    model = pipeline.load("bool f[4]; active [2] proctype P() { f[_pid] = 1 } active [2] proctype Q() { f[_pid] = 0 }")
    interpreter = Interpreter(model)
    population = populate(model, interpreter)
    owns = share(model, population)
    sorts = Sorts(model, interpreter, population.state, owns)
    writer, part = TermWriter(model, population, owns, sorts), Binary("!=", Const(0), Self())
    found = set()
    for writer.own in owns:
        found.add(writer.part(part, True))
    assert len(found) == 2


def test_bodies_do_not_take_each_others_place() -> None:
    text = (
        "bool f[4]; active [2] proctype P() { do :: f[_pid] = 1 od } active [2] proctype Q() { do :: f[_pid] = 1 od }"
    )
    model = pipeline.load(text)
    interpreter = Interpreter(model)
    population = populate(model, interpreter)
    owns = share(model, population)
    sorts = Sorts(model, interpreter, population.state, owns)
    sorts.finish()
    graph = FactGraph(facts(model, population, owns, sorts, ()), [("pid", p) for p in range(4)])
    colours = graph.refine(graph.start)
    assert len({colours[graph.number["pid", own.pid]] for own in owns}) == 2


def test_elements_that_are_cleared_without_being_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each process of a pointer automaton owns an element, and may forget it."""
    monkeypatch.setattr(bodies, "MANY", 2)
    model = pipeline.load("bool f[2]; active [2] proctype P() { do :: f[_pid] = 1 od }")
    population = populate(model, Interpreter(model))
    assert bodies.are_shareable(model, population)
    owned = replace(model, globals=tuple(replace(v, owned=True) for v in model.globals))
    assert not bodies.are_shareable(owned, population)


def test_statements_are_reached_by_their_images_in_shared_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "MANY", 2)
    options = " ".join(f":: {k} != _pid -> flag[{k}] = 1; x = {k} != _pid" for k in range(3))
    model = pipeline.load(f"{HEAD}active [3] proctype P() {{ do {options} od }}")
    found = reduce(model, "auto")
    assert found.symmetries.bodies
    assert found.symmetries.order == 6
    ids = {a.id for a in model.templates[0].actions}
    guards = sorted(a.id for a in model.templates[0].actions if a.source == model.templates[0].entry)
    assert found.executed(model, {guards[0]}) >= set(guards[:3])
    assert found.executed(model, ids) == ids
