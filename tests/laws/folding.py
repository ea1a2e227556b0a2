"""The laws of folding, as checks: of one strategy, or of all in the registry that fit a model."""

from __future__ import annotations

from collections import Counter

from isospin.core.errors import UsageError
from isospin.semantics.explain import explain
from isospin.semantics.interp import Interpreter
from isospin.semantics.state import State
from isospin.symmetry.audit import Walk
from isospin.symmetry.detection.symmetries import Symmetries
from isospin.symmetry.folding.action import Actions, Moves
from isospin.symmetry.protocol import Strategy
from isospin.symmetry.strategies import REGISTRY, strategy
from isospin.symmetry.unwind import unwind


def fitting(found: Symmetries) -> list[Strategy]:
    """The strategies that fit the group."""
    result = []
    for name in REGISTRY:
        try:
            result.append(strategy(name, found))
        except UsageError:
            assert not found.fully_symmetric
    return result


QUICK = ("auto", "exact", "sorted", "markers")  # those that do not try every element of the group themselves


def some(elements: list[Moves]) -> list[Moves]:
    return elements[:: max(1, len(elements) // 10)]


def check_laws(found: Symmetries, states: list[State], strategies: list[Strategy] | None = None) -> None:
    """SOUND: representatives lie in their orbits, and no two orbits merge; canonical ones are one for each orbit."""
    actions = Actions(found)
    elements = [actions.moves(e) for e in found.group.elements()]
    identity = found.interpreter.identity
    for one in fitting(found) if strategies is None else strategies:
        owner: dict[object, frozenset[State]] = {}
        for state in states:
            born = actions.is_born(state)
            orbit = frozenset(identity(m.apply(state)) for m in elements) if born else frozenset({identity(state)})
            folded = one.fold(state)
            assert identity(folded.state) in orbit, f"{one.name}: the representative is not in the orbit"
            if folded.permutation is not None:
                image = actions.of_pids(folded.permutation).apply(state)
                assert image == folded.state, f"{one.name}: wrong permutation"
            if one.exactness != "approximate":
                assert owner.setdefault(folded.key, orbit) == orbit, f"{one.name} merges different orbits"
            if one.exactness == "canonical" and born and one.name != "none":
                for moves in elements if one.name in QUICK else some(elements):
                    assert one.fold(moves.apply(state)).key == folded.key, f"{one.name} is not canonical"
                assert one.orbit_size(state) == len(orbit), f"{one.name}: wrong size of an orbit"


def moves_of(found: Symmetries, state: State) -> Counter[tuple[object, ...]]:
    """What can happen in a state, without the names of the statements."""
    identity = found.interpreter.identity
    return Counter(
        (m.steps[0].pid, None if m.state is None else identity(m.state), *(f.kind for t in m.steps for f in t.faults))
        for m in found.interpreter.moves(state)
    )


def check_equivariance(found: Symmetries, states: list[State]) -> None:
    """Generators commute with the transition relation: the law on which all others rest."""
    actions, identity = Actions(found), found.interpreter.identity
    for generator in found.group.generators:
        moves = actions.moves(generator)
        for state in (s for s in states if actions.is_born(s)):
            mapped: Counter[tuple[object, ...]] = Counter()
            for (pid, after, *faults), times in moves_of(found, state).items():
                image = identity(moves.apply(after)) if isinstance(after, State) else None
                assert isinstance(pid, int)
                mapped[(moves.pids[pid], image, *faults)] += times
            assert moves_of(found, moves.apply(state)) == mapped


def check_paths(found: Symmetries, walk: Walk) -> None:
    """Every finding replays on the unreduced model, in the original process numbers."""
    for finding in walk.found.values():
        choices = unwind(found, finding.path)
        told = explain(Interpreter(found.model), choices)
        kinds = {f.kind for f in told.faults}
        if told.final is not None and not found.interpreter.steps(told.final):
            stuck = found.interpreter.stuck(told.final)
            kinds |= {stuck.kind} if stuck else set()
        assert finding.kind in kinds


def check_run(found: Symmetries, one: Strategy, full: Walk) -> None:
    """Same verdict as without folding, if the strategy is exact; orbit sizes add up; all findings replay."""
    walk = Walk(found, one).run()
    check_paths(found, walk)
    if one.exactness == "approximate":
        assert set(walk.found) <= set(full.found)
    else:
        assert set(walk.found) == set(full.found), one.name
    if one.exactness == "canonical" and (found.population is None or found.population.closed):
        assert walk.orbit_sum == len(full.states), one.name
