"""The compiled engine folds as the strategies in Python do: same counts, same verdicts, paths in original pids."""

from __future__ import annotations

from pathlib import Path

import pytest

from isospin import pipeline
from isospin.core.errors import SourceError, UsageError
from isospin.core.model import Model
from isospin.engines.contract import Exploration, Question
from isospin.engines.explicit import explore
from isospin.engines.interp.search import explore as explore_interpreted
from isospin.experiments.peterson import peterson
from isospin.semantics.explain import explain
from isospin.semantics.interp import Interpreter
from isospin.symmetry.reduction import Reduction, reduce
from isospin.symmetry.strategies import REGISTRY
from isospin.transform.optimise import optimise
from tests.support.generators.random_symmetric import damaged, generate
from tests.support.generators.random_unlinked import unlinked
from tests.support.symmetric_models import CORPUS, EXAMPLES

FOLDING = [name for name in REGISTRY if name != "none"]
SEARCHES = [("bfs", 1), ("dfs", 1), ("bfs", 2)]
LEVELS = ("none", "spin", "full")
# strategies with the same counts in C, not only if canonical
SAME = ("exact", "enumerate", "segmented", "flattened", "sorted", "sorted-main", "pc-sorted", "fig5")
VALUED = [seed for seed in range(500) if "scalarset" in generate(seed) and "scalarset(1)" not in generate(seed)]


WRITTEN: dict[int, tuple[Model, Model]] = {}  # by identity: an optimised model, and what it was made of


def loaded(source: str | Path, level: str, defines: tuple[str, ...] = ()) -> Model:
    written = pipeline.load(source, defines)
    model = optimise(written, level)
    WRITTEN[id(model)] = (model, written)
    return model


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
    user = WRITTEN[id(user)][1]
    for finding in found.findings:
        path = one.original(user, finding.path, finding.folds, finding.kind)
        interpreter = Interpreter(user)
        _, faults, final = explain(interpreter, path, until=(finding.kind, finding.location))
        stuck = interpreter.stuck(final) if final is not None and not interpreter.steps(final) else None
        assert finding.kind in {f.kind for f in (*faults, *([stuck] if stuck else []))}


def interpreted(model: Model, one: Reduction | None, search: str, most: int = 2500) -> Exploration | None:
    """What the reference says, with a strategy or without; None if there is too much."""
    question = Question(all_errors=True, search=search, max_states=most)
    found = explore_interpreted(model, question, None if one is None else one.strategy)
    return None if found.incomplete else found


def check_one(user: Model, one: Reduction, search: str, threads: int) -> None:
    """One strategy on one model: in C, in Python, and not at all."""
    if not one.folds:
        return
    found = folded(one, search, threads)
    assert not found.incomplete
    expected = interpreted(one.model, one, search)
    if expected is not None:
        check_counts(one, expected, found, threads)
        assert found.executed >= expected.executed
    plain = interpreted(user, None, search)
    if plain is not None and one.strategy.exactness != "approximate":
        assert kinds(found) == kinds(plain), one.strategy.name
    check_paths(user, one, found)


def check_counts(one: Reduction, expected: Exploration, found: Exploration, threads: int) -> None:
    name = one.strategy.name
    if one.strategy.exactness == "canonical" or (name in SAME and threads == 1):
        assert (found.states, found.transitions) == (expected.states, expected.transitions), name
    assert found.orbit_sum == expected.orbit_sum, name
    if one.counts_states and (unreduced := interpreted(one.model, None, "bfs")) is not None:
        assert found.orbit_sum == unreduced.states, name


def check_all(user: Model, search: str, threads: int) -> None:
    for one in reductions(user):
        check_one(user, one, search, threads)


# ------------------------------------------------------------------------------------------------ figures of the papers

QUOTIENT = {3: (494, 1481), 4: (3106, 12422), 5: (17321, 86602), 6: (89850, 539096), 7: (442481, 3097362)}
FLATTENED = {3: (251, 752), 4: (1177, 4706), 5: (5148, 25737), 6: (21752, 130508), 7: (89969, 629778)}
UNREDUCED = {3: 2636, 4: 60577, 5: 1557370, 6: 44795429}
BY_FLAG = {3: 907, 4: 9373, 5: 95303, 6: 885399, 7: 7940470}
FULL = ("exact", "enumerate", "segmented", "sorted", "markers", "approx-markers")
QUICK = {
    "exact": (3, 5), "enumerate": (4,), "segmented": (4,), "sorted": (5,), "markers": (5,), "approx-markers": (4,),
}  # fmt: skip


def peterson_run(name: str, n: int, main: str | None = None, search: str = "bfs") -> Exploration:
    return folded(reduce(loaded(peterson(n), "spin"), name, main), search, optimisation="-O0" if n < 6 else "")


def check_quotient(name: str, n: int) -> None:
    found = peterson_run(name, n)
    assert (found.states, found.transitions) == QUOTIENT[n]
    assert not found.findings
    if name != "sorted" and n in UNREDUCED:
        assert found.orbit_sum == UNREDUCED[n]


@pytest.mark.parametrize("name", FULL)
def test_peterson_full_quotient(name: str) -> None:
    for n in QUICK[name]:
        check_quotient(name, n)


@pytest.mark.slow
@pytest.mark.parametrize("name", FULL)
def test_larger_petersons(name: str) -> None:
    for n in range(3, 6 if name == "enumerate" else 8):
        check_quotient(name, n)


@pytest.mark.parametrize("n", [3, 5])
def test_peterson_flattened(n: int) -> None:
    found = peterson_run("flattened", n)
    assert (found.states, found.transitions) == FLATTENED[n]
    assert found.orbit_sum is None


@pytest.mark.slow
@pytest.mark.parametrize("n", [4, 6, 7])
def test_larger_petersons_flattened(n: int) -> None:
    test_peterson_flattened(n)


@pytest.mark.parametrize("n", [3, 4])
def test_peterson_sorted_by_one_array(n: int) -> None:
    assert peterson_run("sorted-main", n, "flag", "dfs").states == BY_FLAG[n]


@pytest.mark.slow
@pytest.mark.parametrize("n", [5, 6, 7])
def test_larger_petersons_sorted_by_one_array(n: int) -> None:
    assert peterson_run("sorted-main", n, "flag", "dfs").states == BY_FLAG[n]


@pytest.mark.slow
@pytest.mark.parametrize(("n", "states"), [(8, 2094907), (9, 9619054)])
def test_largest_petersons(n: int, states: int) -> None:
    found = peterson_run("exact", n)
    assert (found.states, found.incomplete) == (states, "")


def mail_counts(n: int, optimisation: str) -> dict[str, int]:
    model = loaded(EXAMPLES / "mail.pml", "spin", (f"N={n}",))
    return {name: folded(reduce(model, name), optimisation=optimisation).states for name in FULL}


@pytest.mark.slow
def test_mail() -> None:
    """approx-markers <= full <= markers, where messages carry two pids and processes remember others."""
    count = mail_counts(3, "-O0")
    assert count["exact"] == count["enumerate"] == count["segmented"] == 1485
    assert count["approx-markers"] < count["exact"] <= min(count["markers"], count["sorted"])


@pytest.mark.slow
@pytest.mark.parametrize(("n", "orbits", "states"), [(2, 102, 201), (4, 19010, 439039), (5, 220785, 24942868)])
def test_more_mail(n: int, orbits: int, states: int) -> None:
    model = loaded(EXAMPLES / "mail.pml", "spin", (f"N={n}",))
    found = {name: folded(reduce(model, name), optimisation="") for name in FULL if name != "enumerate" or n < 5}
    full = [found[name] for name in ("exact", "segmented", "enumerate") if name in found]
    assert {(f.states, f.orbit_sum) for f in full} == {(orbits, states)}
    assert found["approx-markers"].states <= orbits <= min(found["markers"].states, found["sorted"].states)


# ------------------------------------------------------------------------------------------------ same as in Python

STRUCTURES = ("ring", "star", "tree", "tiers", "families", "hypercube")


@pytest.mark.parametrize("name", STRUCTURES)
def test_structures(name: str) -> None:
    user = loaded(EXAMPLES / f"{name}.pml", "none")
    check_one(user, reduce(user, "exact"), *SEARCHES[STRUCTURES.index(name) % 3])


@pytest.mark.slow
@pytest.mark.parametrize("search", SEARCHES, ids=str)
@pytest.mark.parametrize("name", STRUCTURES)
def test_structures_with_all_strategies(name: str, search: tuple[str, int]) -> None:
    check_all(loaded(EXAMPLES / f"{name}.pml", "none"), *search)


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.pml")), ids=lambda p: p.stem)
def test_corpus(path: Path) -> None:
    user = loaded(path, "none")
    check_one(user, reduce(user, "exact"), "bfs", 1)


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.pml")), ids=lambda p: p.stem)
def test_corpus_with_all_strategies(path: Path) -> None:
    check_all(loaded(path, "full"), "dfs", 1)


@pytest.mark.parametrize("seed", range(len(FOLDING)))
def test_random_models(seed: int) -> None:
    user = loaded(generate(seed), LEVELS[seed % 3])
    check_one(user, reduce(user, FOLDING[seed]), *SEARCHES[seed % 3])


@pytest.mark.parametrize("seed", [0, 3, 9, 13])
def test_random_models_without_links(seed: int) -> None:
    user = loaded(unlinked(seed), LEVELS[seed % 3])
    check_one(user, reduce(user, "exact"), *SEARCHES[seed % 3])


@pytest.mark.parametrize(("name", "states"), [("cache", 32), ("register", 59)])
def test_scalarset_values_are_permuted(name: str, states: int) -> None:
    user = loaded(EXAMPLES / f"{name}.pml", "none", ("N=2",))
    one = reduce(user, "exact")
    assert any(point >= one.symmetries.processes for point in one.symmetries.moved)
    assert folded(one).states == states
    check_one(user, one, "dfs", 1)


@pytest.mark.parametrize("name", FOLDING)
def test_every_strategy_permutes_scalarset_values(name: str) -> None:
    user = loaded(EXAMPLES / "register.pml", "full", ("N=2",))
    check_one(user, reduce(user, name), *SEARCHES[FOLDING.index(name) % 3])


@pytest.mark.slow
@pytest.mark.parametrize("search", SEARCHES, ids=str)
@pytest.mark.parametrize("name", ["cache", "register"])
def test_scalarsets_with_all_strategies(name: str, search: tuple[str, int]) -> None:
    check_all(loaded(EXAMPLES / f"{name}.pml", "none", ("N=3",)), *search)


def test_values_in_a_marker_count() -> None:
    """Processes that hold equal values are told from those that hold different ones."""
    model = loaded(EXAMPLES / "cache.pml", "none")
    assert folded(reduce(model, "markers")).states == 32
    assert folded(reduce(model, "approx-markers")).states <= 32


def test_a_violation_is_told_with_the_original_values() -> None:
    text = (EXAMPLES / "register.pml").read_text().replace("heard == decided)", "heard != decided)")
    user = loaded(text, "none", ("N=2",))
    for name in ("exact", "markers"):
        one = reduce(user, name)
        found = folded(one)
        moved = [p for f in found.findings for p in f.folds if p is not None]
        assert any(p[value] != value for p in moved for value in range(one.symmetries.processes, len(p)))
        check_paths(user, one, found)


def test_too_many_values_are_refused() -> None:
    """Each scalarset alone fits; those of one value need not be searched for symmetries."""
    sets = "".join(f"scalarset(1) Set{i}; " for i in range(254))
    user = loaded(sets + "byte x; active [2] proctype p() { byte k; k = 1; x = 1 - x }", "none")
    with pytest.raises(UsageError, match="256 processes and scalarset values are too many"):
        folded(reduce(user, "exact"))


@pytest.mark.parametrize("seed", [0, 1, 2, 4])
def test_random_models_with_values(seed: int) -> None:
    user = loaded(generate(VALUED[seed]), LEVELS[seed % 3])
    check_one(user, reduce(user, "exact"), *SEARCHES[seed % 3])


@pytest.mark.parametrize("seed", range(4))
def test_random_models_with_values_and_without_links(seed: int) -> None:
    user = loaded(unlinked(seed, 2 + seed % 3), LEVELS[seed % 3])
    check_one(user, reduce(user, "exact"), *SEARCHES[seed % 3])


@pytest.mark.slow
@pytest.mark.parametrize("seed", [VALUED[3], *VALUED[5:]])
def test_more_random_models_with_values(seed: int) -> None:
    check_all(loaded(generate(seed), LEVELS[seed % 3]), *SEARCHES[seed % 3])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 200))
def test_more_random_models_with_values_and_without_links(seed: int) -> None:
    user = loaded(unlinked(seed, 2 + seed % 3), LEVELS[seed % 3])
    for name in ("exact", "markers"):
        check_one(user, reduce(user, name), *SEARCHES[seed % 3])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 160))
def test_more_random_models(seed: int) -> None:
    check_all(loaded(generate(seed), LEVELS[seed % 3]), *SEARCHES[seed % 3])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 200))
def test_more_random_models_without_links(seed: int) -> None:
    user = loaded(unlinked(seed), LEVELS[seed % 3])
    for name in ("exact", "approx-markers"):
        check_one(user, reduce(user, name), *SEARCHES[seed % 3])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 200))
def test_damaged_models(seed: int) -> None:
    try:
        user = loaded(damaged(seed), LEVELS[seed % 3])
    except SourceError:
        return
    check_one(user, reduce(user, "exact"), *SEARCHES[seed % 3])


# ------------------------------------------------------------------------------------------------ with other options


def test_inexact_tables_and_folding() -> None:
    one = reduce(loaded(peterson(4), "spin"), "exact")
    for question in (Question(bitstate=1 << 22), Question(fingerprint=True), Question(fingerprint=True, threads=2)):
        found = explore(one.model, question, "-O0", folding=one.folding)
        assert 3100 <= found.states <= 3106
        assert found.incomplete
        assert found.orbit_sum is None


@pytest.mark.parametrize("name", ["exact", "flattened"])
def test_a_folded_search_goes_on_where_it_was_stopped(name: str, tmp_path: Path) -> None:
    one, file = reduce(loaded(peterson(4), "spin"), name), str(tmp_path / "saved")
    whole = explore(one.model, Question(), "-O0", folding=one.folding)
    stopped = explore(one.model, Question(max_states=600, checkpoint=file), "-O0", folding=one.folding)
    assert stopped.incomplete
    assert stopped.orbit_sum is None
    resumed = explore(one.model, Question(resume=file), "-O0", folding=one.folding)
    counts = (whole.states, whole.transitions, whole.orbit_sum)
    assert (resumed.states, resumed.transitions, resumed.orbit_sum) == counts
    other = reduce(loaded(peterson(4), "spin"), "segmented")
    with pytest.raises(UsageError, match="another --symmetry"):
        explore(other.model, Question(resume=file), folding=other.folding)


def test_the_command_folds_by_default() -> None:
    verdict = pipeline.check(pipeline.load(peterson(4)), pipeline.options(optimise="spin", por="off"))
    assert (verdict.engine, verdict.symmetry.strategy, verdict.states) == ("explicit", "exact", 3106)
    assert verdict.orbit_sum == "60577"


def test_without_symmetry_the_model_is_searched_as_it_is() -> None:
    """Where processes die, the records that symmetry needs would change the counts."""
    model = pipeline.load("byte x; active proctype p() { x = 1 } active proctype q() { x = 2 }")
    asked = [pipeline.options(engine="explicit", symmetry=s) for s in ("auto", "none")]
    counts = [pipeline.check(model, options).statistics.states for options in asked]
    assert counts[0] == counts[1]


def test_a_violation_is_told_in_the_original_process_numbers() -> None:
    text = "byte x; active [4] proctype p() { byte k; k = 1; x++; k = 2; assert(x < 4) }"
    verdict = pipeline.check(pipeline.load(text), pipeline.options(engine="explicit"))
    assert verdict.violations[0].kind == "assertion"
    assert sorted({s.pid for s in verdict.violations[0].trace.steps}) == [0, 1, 2, 3]


def test_keys_that_are_not_states_need_no_room_in_the_table() -> None:
    """Strategies that look up something else than the state: also in tables that hold places, not states."""
    wide = peterson(3).replace("byte k;", "byte k; int pad[9]; pad[8] = 70000;")
    one = reduce(loaded(wide, "none"), "flattened")
    expected = explore_interpreted(one.model, Question(), one.strategy)
    found = folded(one)
    assert (found.states, found.transitions) == (expected.states, expected.transitions)
