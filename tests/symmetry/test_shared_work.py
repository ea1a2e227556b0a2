"""What is done once for many processes comes out as if it were done for each of them."""

from __future__ import annotations

from typing import Any

import pytest

from isospin import pipeline
from isospin.core.model import Model
from isospin.semantics.interp import Interpreter
from isospin.symmetry.detection.describe import facts
from isospin.symmetry.detection.population import NotFoldable, Population, populate
from isospin.symmetry.detection.seeing.graph import Colours, FactGraph
from isospin.symmetry.detection.sorts import Sorts
from isospin.symmetry.detection.specialise import FixedFacts, specialise
from isospin.symmetry.groups import naming
from isospin.symmetry.reduction import reduce
from isospin.transform.optimise import optimise
from tests.support.generators import random_names, random_shapes, random_starts, random_symmetric

GENERATORS = [random_names, random_shapes, random_starts, random_symmetric]
MANY_MODELS = [pytest.param(range(first, first + 50), marks=pytest.mark.slow) for first in range(1000, 1300, 50)]
SEEDS = pytest.mark.parametrize("seeds", [range(12), *MANY_MODELS])
EACH = pytest.mark.parametrize("generator", GENERATORS)


def foldable(generator: Any, seeds: range) -> list[tuple[Model, Interpreter, Population]]:
    found = []
    for seed, level in ((seed, level) for seed in seeds for level in ("none", "full")):
        model = optimise(pipeline.load(generator.generate(seed)), level)
        interpreter = Interpreter(model)
        try:
            found.append((model, interpreter, populate(model, interpreter)))
        except NotFoldable:
            continue
    return found


@EACH
@SEEDS
def test_who_gives_the_same_answers_has_the_same_code(
    generator: Any, seeds: range, monkeypatch: pytest.MonkeyPatch
) -> None:
    for model, _, population in foldable(generator, seeds):
        shared = specialise(model, population)
        with monkeypatch.context() as patched:
            patched.setattr(FixedFacts, "questions", lambda *given: None)
            assert specialise(model, population) == shared


def test_only_one_of_many_has_other_code() -> None:
    options = " ".join(f":: {k} != _pid -> flag[{k}] = 1 :: me == {k} -> flag[{k}] = 0" for k in range(6))
    model = pipeline.load(f"bool flag[6]; active [6] proctype P() {{ byte me = _pid; do {options} od }}")
    owns = specialise(model, populate(model, Interpreter(model)))
    assert len({id(action) for own in owns for action in own.actions}) <= 4 * 6 * 2


def cells(colours: Colours) -> set[frozenset[int]]:
    found: dict[int, set[int]] = {}
    for vertex, colour in enumerate(colours):
        found.setdefault(colour, set()).add(vertex)
    return set(map(frozenset, found.values()))


def refined_by_definition(graph: FactGraph, colours: Colours) -> Colours:
    """Everybody looks at everything beside it, as often as that tells anything apart."""
    before = 0
    while len(set(colours)) > before:
        before = len(set(colours))
        colours = graph.look_down(graph.look_up(colours))
    return colours


@EACH
@SEEDS
def test_what_is_left_out_follows_from_the_rest(generator: Any, seeds: range) -> None:
    """Refinement finds the same cells as by the definition, also when some points are told apart."""
    for model, interpreter, population in foldable(generator, seeds):
        owns = specialise(model, population)
        sorts = Sorts(model, interpreter, population.state, owns)
        sorts.finish()
        points = [("pid", p) for p in range(len(population.state.processes))]
        graph = FactGraph(facts(model, population, owns, sorts, ()), [*points])
        stable = graph.refine(graph.start)
        assert cells(graph.sparse.complete(stable)) == cells(refined_by_definition(graph, graph.plain))
        apart = graph.refine(graph.individualised([0], stable), [0])
        expected = refined_by_definition(graph, graph.individualised([0], graph.plain))
        assert cells(graph.sparse.complete(apart)) == cells(expected)


@EACH
@SEEDS
def test_strong_generators_name_the_same_groups(generator: Any, seeds: range) -> None:
    for seed in seeds:
        found = reduce(pipeline.load(generator.generate(seed)), "auto").symmetries
        generators, kinds = list(found.generators), found.templates
        assert naming.families(generators, kinds, strong=True) == naming.families(generators, kinds)
