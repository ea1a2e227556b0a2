"""The laws of folded heaps, on random models: nothing merges that differs, everything merges that does not."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from math import factorial
from pathlib import Path
from random import Random

import pytest

from isospin import pipeline
from isospin.core.model import Model
from isospin.semantics.state import FREE, Cell, State, trimmed
from isospin.symmetry.audit import Walk
from isospin.symmetry.folding.action import Actions
from isospin.symmetry.reduction import Reduction, reduce
from isospin.symmetry.strategies.none import NoFolding
from isospin.transform.optimise import optimise
from tests.support.generators.random_heap import generate, generate_valued

VALUED = 1000  # from this seed on, objects hold scalarset values


def seeds(quick: int, all_of_them: int, start: int = 0) -> list[object]:
    """A few for every run, many for the slow ones."""
    more = [pytest.param(s, marks=pytest.mark.slow) for s in range(start + quick, start + all_of_them)]
    return [*range(start, start + quick), *more]


def text_of(seed: int) -> str:
    return generate(seed) if seed < VALUED else generate_valued(seed)


LAWS = [*seeds(12, 120), *seeds(3, 60, VALUED)]
VERDICTS = [*seeds(5, 60, 100), *seeds(1, 30, VALUED + 100)]
MOST_STATES = 4000
MOST_OBJECTS = 5  # of a state that brute force can take
MOST_IMAGES = 720


def reduction(seed: int, level: str = "none", name: str = "exact") -> Reduction:
    model = replace(pipeline.load(text_of(seed)), max_recursion=5)
    return reduce(optimise(model, level), name)


def reachable(found: Reduction) -> list[State] | None:
    walk = Walk(found.symmetries, NoFolding(found.symmetries), MOST_STATES).run()
    return walk.states if walk.complete else None


# ------------------------------------------------------------------------------------------------ brute force


def pointers_of(found: Reduction, state: State) -> list[int]:
    """Every pointer that a variable, a message or an object that can be reached holds; found naively."""
    heap = found.symmetries.interpreter.heap
    known = {v for _, v in heap.roots(state) if v}
    while True:
        cells = [state.heap[v - 1] for v in known if v <= len(state.heap)]
        more = known | {v for cell in cells for _, v in heap.inside(cell) if v}
        if more == known:
            return sorted(known)
        known = more


def renamed(found: Reduction, state: State, names: dict[int, int]) -> State:
    """The state with other addresses; what has no new address is gone."""
    heap = found.symmetries.interpreter.heap

    def frame(values: tuple[int, ...], slots: list[tuple[int, str]]) -> tuple[int, ...]:
        holds = {slot for slot, _ in slots}
        return tuple(names.get(v, 0) if i in holds else v for i, v in enumerate(values))

    processes = tuple(
        p._replace(
            frame=frame(p.frame, heap.frames[p.template]),
            stack=tuple(frame(call, heap.saved[p.template][call[0]]) for call in p.stack),
        )
        for p in state.processes
    )
    channels = tuple(
        c._replace(messages=tuple(frame(m, heap.message_pointers(c.type)) for m in c.messages)) for c in state.channels
    )
    cells: list[Cell] = [FREE] * max([0, *names.values()])
    for old, new in names.items():
        if old <= len(state.heap):
            cell = state.heap[old - 1]
            cells[new - 1] = Cell(cell.type, frame(cell.fields, heap.objects[cell.type]))
    values = frame(state.values, heap.globals)
    return state._replace(values=values, processes=processes, channels=channels, heap=trimmed(cells))


def least(found: Reduction, state: State) -> State | None:
    """The least of all states that differ in addresses, garbage and the order of processes; None: too many."""
    symmetries = found.symmetries
    images = [state]
    if symmetries.order > 1 and Actions(symmetries).is_born(state):
        actions = Actions(symmetries)
        images = [actions.moves(e).apply(state) for e in symmetries.group.elements()]
    known = pointers_of(found, state)
    if len(known) > MOST_OBJECTS or len(images) * factorial(len(known)) > MOST_IMAGES:
        return None
    orders = [dict(zip(known, order, strict=True)) for order in permutations(range(1, len(known) + 1))]
    return min(renamed(found, image, names) for image in images for names in orders)


# ------------------------------------------------------------------------------------------------ laws


@pytest.mark.parametrize("seed", LAWS)
def test_states_merge_exactly_as_brute_force_says(seed: int) -> None:
    found = reduction(seed)
    states = reachable(found)
    if states is None:
        pytest.skip("too many states")
    by_key: dict[object, State] = {}
    by_least: dict[State, object] = {}
    for state in states[: 1600 // max(found.symmetries.order, 4)]:
        brute = least(found, state)
        if brute is not None:
            key = found.strategy.fold(state).key
            assert by_key.setdefault(key, brute) == brute, "different structures became one"
            assert by_least.setdefault(brute, key) == key, "one structure became two"


@pytest.mark.parametrize("seed", LAWS)
def test_the_reduced_search_stores_one_state_of_each_orbit(seed: int) -> None:
    found = reduction(seed)
    states = reachable(found)
    if states is None or len(states) > min(600, 1200 // found.symmetries.order):
        pytest.skip("too many states")
    orbits = {least(found, s) for s in states}
    if None not in orbits:
        assert len(Walk(found.symmetries, found.strategy).run().states) == len(orbits)


@pytest.mark.parametrize("seed", LAWS)
def test_every_symmetry_maps_the_graph_of_heaps_to_itself(seed: int) -> None:
    """What brute force takes for symmetries are some: moves of processes and values, up to addresses."""
    found = reduction(seed)
    symmetries = found.symmetries
    if symmetries.order == 1:
        return
    actions, steps = Actions(symmetries), symmetries.interpreter.moves
    states = [s for s in reachable(found) or [] if actions.is_born(s)]
    for move in map(actions.moves, symmetries.group.elements()):
        for state in states[:150]:
            ahead = {symmetries.settle(move.apply(m.state)) for m in steps(state) if m.state is not None}
            image = move.apply(state)
            assert ahead == {symmetries.settle(m.state) for m in steps(image) if m.state is not None}


@pytest.mark.parametrize("seed", LAWS)
def test_addresses_and_garbage_mean_nothing(seed: int) -> None:
    found, random = reduction(seed), Random(seed)
    states = reachable(found) or []
    for state in random.sample(states, min(len(states), 60)):
        known = pointers_of(found, state)
        fresh = random.sample(range(1, len(known) + 3), len(known))
        other = renamed(found, state, dict(zip(known, fresh, strict=True)))
        garbage = (*other.heap, *[FREE] * (len(known) + 3 - len(other.heap)), *state.heap[:1])
        assert found.strategy.fold(other).key == found.strategy.fold(state).key
        # an object that nobody names, behind all others; its own pointers may lead to those
        assert found.strategy.fold(other._replace(heap=trimmed(garbage))).key == found.strategy.fold(state).key


@pytest.mark.parametrize("seed", LAWS)
def test_folding_twice_is_folding_once(seed: int) -> None:
    found = reduction(seed)
    for state in (reachable(found) or [])[:200]:
        folded = found.strategy.fold(state)
        assert found.strategy.fold(folded.state).key == folded.key


CASES = [("none", "on"), ("exact", "off"), ("exact", "on"), ("segmented", "on"), ("sorted", "on"), ("fig5", "on")]


def violations(model: Model, **chosen: object) -> set[tuple[str, int]] | None:
    options = pipeline.options(engine="interp", all_errors=True, max_states=MOST_STATES, max_recursion=5, **chosen)
    verdict = pipeline.check(model, options)
    # where a deadlock is shown depends on the numbers of the processes that wait
    found = {(v.kind, 0 if v.kind == "deadlock" else v.location.line) for v in verdict.violations}
    return None if verdict.reason else found


@pytest.mark.parametrize("leaks", [False, True])
@pytest.mark.parametrize("seed", VERDICTS)
def test_every_reduction_finds_the_same_violations(seed: int, leaks: bool) -> None:
    """Each violation was replayed on the unreduced model, or the check would not have come back."""
    model = pipeline.load(text_of(seed))
    for level in ("none", "full"):
        plain = violations(model, symmetry="none", optimise=level, leaks=leaks)
        for symmetry, heap in CASES:
            found = violations(model, symmetry=symmetry, heap_symmetry=heap, optimise=level, leaks=leaks)
            assert plain is None or found is None or found == plain, (symmetry, heap, level)


@pytest.mark.parametrize("seed", VERDICTS)
def test_every_level_finds_the_same_kinds(seed: int) -> None:
    model = pipeline.load(text_of(seed))
    kinds = []
    for level in ("none", "spin", "full"):
        found = violations(model, symmetry="exact", optimise=level)
        kinds.append(None if found is None else {kind for kind, _ in found})
    assert all(k is None or kinds[0] is None or k == kinds[0] for k in kinds)


def test_a_bound_is_never_silent() -> None:
    text = "typedef T { byte x };\nactive proctype P() { T *p; do :: p = new T; if :: p->x = 1 :: skip fi od }"
    model = pipeline.load(text)
    off = pipeline.check(model, pipeline.options(engine="interp", symmetry="none", max_objects=3))
    assert off.outcome == "incomplete"
    assert "--max-objects" in off.reason
    assert not off.violations, "the bound is no deadlock"
    on = pipeline.check(model, pipeline.options())
    assert on.outcome == "holds", "garbage is collected, so one object is enough"


def test_heap_symmetry_pays_on_the_list() -> None:
    model = pipeline.load("examples/heap/ordered_list.pml", ("L=3",))
    counts = [pipeline.check(model, pipeline.options(engine="explicit", symmetry=s)).states for s in ("none", "auto")]
    assert counts[0] > 15 * counts[1]


def test_both_symmetries_together_save_more_than_either() -> None:
    model = pipeline.load("examples/heap/stack.pml", ("MOST=1",))
    cases = [("none", "off"), ("none", "on"), ("exact", "off"), ("exact", "on")]
    none, heap, process, both = (
        pipeline.check(model, pipeline.options(engine="interp", symmetry=s, heap_symmetry=h)).states for s, h in cases
    )
    assert both < heap < none
    assert both < process < none


def test_garbage_does_not_change_what_an_assertion_sees() -> None:
    """The ABA bug exists in every semantics: with and without folding, at every level."""
    model = pipeline.load("examples/heap/treiber_aba.pml")
    for level in ("none", "spin", "full"):
        for symmetry in ("none", "exact"):
            verdict = pipeline.check(model, pipeline.options(engine="interp", symmetry=symmetry, optimise=level))
            assert [v.kind for v in verdict.violations] == ["use-after-delete"]


def test_without_reuse_there_is_no_aba() -> None:
    """The bug needs the place of a deleted node: if nothing is deleted, the comparison protects the stack."""
    text = Path("examples/heap/treiber_aba.pml").read_text()
    model = pipeline.load(text.replace("delete n", "n = null"))
    assert pipeline.check(model, pipeline.options(engine="interp")).outcome == "holds"
