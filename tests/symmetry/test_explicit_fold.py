"""The compiled engine folds as the strategies in Python do: same counts, same verdicts, paths in original pids."""

from __future__ import annotations

from pathlib import Path

import pytest

from isospin import pipeline
from isospin.engine.contract import Exploration, Question
from isospin.engine.explicit import explore
from isospin.engine.interp.search import explore as explore_interpreted
from isospin.errors import SourceError, UsageError
from isospin.ir.explain import explain
from isospin.ir.interp import Interpreter
from isospin.ir.optimise import optimise
from isospin.model import Model
from isospin.symmetry.reduction import Reduction, reduce
from isospin.symmetry.strategies import REGISTRY
from tests.peterson import peterson
from tests.symmetry.models import CORPUS, EXAMPLES
from tests.symmetry.random_models import damaged, generate

FOLDING = [name for name in REGISTRY if name != "none"]
SEARCHES = [("bfs", 1), ("dfs", 1), ("bfs", 2)]
LEVELS = ("none", "spin", "full")
SAME = ("exact", "enumerate", "segmented", "flattened", "sorted", "sorted-main", "pc-sorted")  # not only if canonical


def loaded(source: str | Path, level: str, defines: tuple[str, ...] = ()) -> Model:
    return optimise(pipeline.load(source, defines), level)


def reductions(model: Model) -> list[Reduction]:
    """One for each strategy that fits the model."""
    found = []
    for name in FOLDING:
        try:
            found.append(reduce(model, name))
        except UsageError:
            assert not reduce(model, "exact").symmetries.fully_symmetric
    return [r for r in found if r.folds]


def folded(one: Reduction, search: str = "bfs", threads: int = 1, optimisation: str = "-O0") -> Exploration:
    question = Question(all_errors=True, search=search, threads=threads)
    return explore(one.model, question, optimisation, folding=one.folding)


def kinds(found: Exploration) -> set[str]:
    return {f.kind for f in found.findings}


def check_paths(user: Model, one: Reduction, found: Exploration) -> None:
    """Every finding happens on the model that the user wrote, with the original process numbers."""
    for finding in found.findings:
        path = one.original(user, finding.path, finding.folds, finding.kind)
        interpreter = Interpreter(user)
        _, faults, final = explain(interpreter, path, until=finding.kind)
        stuck = interpreter.stuck(final) if final is not None and not interpreter.steps(final) else None
        assert finding.kind in {f.kind for f in (*faults, *([stuck] if stuck else []))}


def check_model(user: Model, searches: list[tuple[str, int]], most: int = 3000, names: int = 10) -> None:
    plain = explore(user, Question(all_errors=True, max_states=20 * most), "-O0")
    if plain.incomplete:
        return
    for one in reductions(user)[:names]:
        for search, threads in searches:
            question = Question(all_errors=True, search=search, max_states=most)
            expected = explore_interpreted(one.model, question, one.strategy)
            found = folded(one, search, threads)
            assert not found.incomplete
            if one.strategy.exactness != "approximate":
                assert kinds(found) == kinds(plain), one.strategy.name
            if not expected.incomplete:
                check_counts(one, expected, found, threads)
            check_paths(user, one, found)


def check_counts(one: Reduction, expected: Exploration, found: Exploration, threads: int) -> None:
    name = one.strategy.name
    if one.strategy.exactness == "canonical" or (name in SAME and threads == 1):
        assert (found.states, found.transitions) == (expected.states, expected.transitions), name
    if one.strategy.exactness == "canonical":
        assert found.orbit_sum == expected.orbit_sum is not None, name
        unreduced = explore(one.model, Question(all_errors=True), "-O0")
        if one.counts_states:
            assert found.orbit_sum == unreduced.states, name
    else:
        assert found.orbit_sum is None
