"""Markers for any group: the third example of the paper, and random groups whose orbits Burnside's lemma counts."""

from __future__ import annotations

import pytest

from isospin import pipeline
from isospin.engines.contract import Question
from isospin.engines.explicit import explore
from isospin.semantics.state import State
from isospin.symmetry.detection.symmetries import Symmetries
from isospin.symmetry.reduction import reduce
from isospin.symmetry.strategies import strategy
from isospin.symmetry.strategies.markers import Markers
from tests.support.generators.random_groups import generate
from tests.support.symmetric_models import symmetries_of

# Each process has a number and names a process, or nobody (4).
NAMING = """byte number[4]; byte named[4] = 4;
active [4] proctype P() { do
  :: number[_pid] < 2 -> number[_pid]++
  :: d_step { named[_pid] != 4; number[named[_pid]] = 0; named[_pid] = 4 }
  :: named[_pid] = 0 :: named[_pid] = 1 :: named[_pid] = 2 :: named[_pid] = 3 :: named[_pid] = 4
od }"""


def naming(found: Symmetries, numbers: tuple[int, ...], named: tuple[int, ...]) -> State:
    state = next(iter(found.interpreter.initial_states()))
    slots = {v.name: v.base for v in found.model.globals}
    values = list(state.values)
    values[slots["number"] : slots["number"] + 4], values[slots["named"] : slots["named"] + 4] = numbers, named
    return state._replace(values=tuple(values))


def test_example_3_of_the_paper() -> None:
    """2 and 3 have equal markers; what they refer to tells them apart, so symmetric states get one representative."""
    found = symmetries_of(NAMING)
    assert found.order == 24
    one, other = naming(found, (1, 0, 0, 2), (4, 3, 0, 4)), naming(found, (2, 0, 0, 1), (4, 3, 0, 4))
    markers = strategy("markers", found)
    assert isinstance(markers, Markers)
    for state in (one, other):
        first = {p: marker for p, (marker, _) in markers.markers(state).items()}
        assert first[1] == first[2]
        assert len({str(m) for m in markers.markers(state).values()}) == 4
    for name in ("markers", "approx-markers", "exact", "enumerate"):
        folds = strategy(name, found)
        assert folds.fold(one).key == folds.fold(other).key, name


def check_group(seed: int) -> None:
    """As many representatives as orbits, and they stand for all states."""
    written = generate(seed)
    one = reduce(pipeline.load(written.text), "exact")
    assert one.symmetries.order >= written.least
    if one.symmetries.order > 1:
        found = explore(one.model, Question(all_errors=True), "-O0", folding=one.folding)
        assert found.states == written.orbits(one.symmetries.group.elements()), seed
        assert found.orbit_sum == written.states, seed


def test_a_group_of_rotations() -> None:
    assert reduce(pipeline.load(generate(114).text), "exact").symmetries.orbits[0][2] == "cyclic"
    check_group(114)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(30))
def test_random_groups(block: int) -> None:
    for seed in range(1000 + 10 * block, 1010 + 10 * block):
        check_group(seed)
