"""The benchmarks of the pointer paper: their sizes, their verdicts, and the figures of the MCS lock.

The orbit counts are those of a prototype in C that was written before (papers.md, 5), not of this code.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from isospin import pipeline
from isospin.core.model import Model, Variable
from isospin.core.verdict import Verdict
from isospin.transform.optimise import optimise
from tests.support import paths
from tests.support.expectations import expectation

EXAMPLES = paths.EXAMPLES / "pointer"

# Table 1: modes, transitions, global pointers, ranges of global discrete variables, local pointers, of local ones
Range = tuple[int, int | str]
TABLE_1: dict[str, tuple[int, int, int, list[Range], int, list[Range]]] = {
    "mcs": (10, 15, 1, [], 2, [(0, 1)]),
    "leader": (2, 3, 1, [], 1, []),
    "cycle": (2, 5, 1, [], 2, []),
    "bounded_buffer": (10, 26, 6, [(0, 10), (0, 10), (0, 10), (0, 5)], 2, [(0, 1)]),
    "readers_writers": (14, 36, 4, [(0, 15), (0, 15), (0, "r")], 2, [(0, 1)]),
    "critical_region": (19, 47, 6, [(0, "m"), (0, "m"), (0, "m+1"), (0, "m+1"), (0, "m+1")], 2, [(0, 1)]),
}
MCS = {3: (142, 812), 4: (588, 13248), 5: (2378, 265792), 6: (9544, 6381472), 7: (38214, None), 8: (152900, None)}


def load(name: str, processes: int = 3) -> Model:
    return pipeline.load(EXAMPLES / f"{name}.ptr", processes=processes)


def check(name: str, processes: int = 3, **options: object) -> Verdict:
    return pipeline.check(load(name, processes), pipeline.options(**options))


def sizes(model: Model, r: int, m: int) -> tuple[object, ...]:
    def split(variables: list[Variable]) -> tuple[int, list[tuple[int, int]]]:
        numbers = [v for v in variables if v.type.name == "discrete"]
        return len(variables) - len(numbers), sorted(ranges[v.name] for v in numbers)

    ranges = declared(model.file, r, m)
    modes = sum(len(t.labels) for t in model.templates)
    transitions = sum(bool(a.text) for t in model.templates for a in t.actions)
    owned = [v for v in model.globals if v.owned]
    return modes, transitions, *split([v for v in model.globals if not v.owned]), *split(owned)


def declared(file: str, r: int, m: int) -> dict[str, tuple[int, int]]:
    """The ranges in the text of the file."""
    values = {"N + 1": m + 1, "N": m, "READERS": r, "SIZE": 5}
    found = {}
    for line in Path(file).read_text().splitlines():
        if " discrete " in line:
            names, _, bounds = line.split(" discrete ")[1].partition(";")[0].partition(":")
            low, _, high = bounds.strip().partition("..")
            for name in names.split(","):
                found[name.strip()] = int(low), values.get(high) or int(high)
    return found


@pytest.mark.parametrize("name", TABLE_1)
@pytest.mark.parametrize("suffix", ["", "_bug"])
def test_sizes_are_those_of_table_1(name: str, suffix: str) -> None:
    processes, readers = 7, 4
    modes, transitions, pointers, numbers, local_pointers, local_numbers = TABLE_1[name]
    meant = {"r": readers, "m": processes, "m+1": processes + 1}
    ranges = sorted((low, high if isinstance(high, int) else meant[high]) for low, high in numbers)
    expected = (modes, transitions, pointers, ranges, local_pointers, local_numbers)
    assert sizes(load(name + suffix, processes), readers, processes) == expected


@pytest.mark.parametrize("name", TABLE_1)
def test_the_symmetry_of_the_benchmarks(name: str) -> None:
    order = pipeline.symmetry(load(name), "full").symmetries.order
    assert order == {"bounded_buffer": 2, "readers_writers": 2}.get(name, 6)


@pytest.mark.parametrize("name", TABLE_1)
@pytest.mark.parametrize("symmetry", ["none", "auto"])
def test_the_mistakes_are_found(name: str, symmetry: str) -> None:
    """A violation of the pipeline was replayed on the plain model; both searches find a shortest one."""
    verdict = check(f"{name}_bug", engine="interp", symmetry=symmetry)
    assert tuple(v.kind for v in verdict.violations) == expectation(EXAMPLES / f"{name}_bug.ptr").kinds
    lengths = {"mcs": 22, "leader": 9, "cycle": 3, "bounded_buffer": 28, "readers_writers": 15, "critical_region": 37}
    assert len(verdict.violations[0].trace.steps) == lengths[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLE_1)
def test_the_compiled_engine_finds_the_mistakes(name: str) -> None:
    verdict = check(f"{name}_bug", 4, engine="explicit")
    assert tuple(v.kind for v in verdict.violations) == expectation(EXAMPLES / f"{name}_bug.ptr").kinds


def test_active_conditions_of_mcs() -> None:
    """Those of the paper, 6.1; but `prev` is written in mode 1, and nobody who waits in vain needs a successor."""
    active = {variable: modes for _, variable, modes in pipeline.active(load("mcs"))}
    waiting = "(exists q: q != P && next[q] == P) || locked == 1"
    assert active == {
        "locked": "in 4-5",
        "prev": "in 2-4",
        "next": f"in 1, 6-9; in 5 where {waiting}; in 2-4 where prev != P",
    }


@pytest.mark.parametrize("processes", [3])
def test_orbits_of_mcs(processes: int) -> None:
    orbits, states = MCS[processes]
    verdict = check("mcs", processes, engine="interp")
    assert (verdict.states, verdict.orbit_sum) == (orbits, str(states))


def test_states_of_mcs_without_symmetry() -> None:
    assert check("mcs", 3, engine="interp", symmetry="none").states == 812


def test_orbits_of_mcs_in_the_compiled_engine() -> None:
    verdict = check("mcs", 5, engine="explicit")
    assert (verdict.states, verdict.orbit_sum, verdict.por) == (2378, "265792", False)


@pytest.mark.slow
@pytest.mark.parametrize("processes", [6, 7, 8])
def test_more_orbits_of_mcs(processes: int) -> None:
    orbits, states = MCS[processes]
    verdict = check("mcs", processes, engine="explicit")
    assert verdict.states == orbits
    assert states is None or verdict.orbit_sum == str(states)


@pytest.mark.slow
@pytest.mark.parametrize(("processes", "states"), [(4, 13248), (5, 265792)])
def test_states_of_mcs_in_the_compiled_engine(processes: int, states: int) -> None:
    assert check("mcs", processes, engine="explicit", symmetry="none").states == states


@pytest.mark.slow
@pytest.mark.parametrize(("processes", "about"), [(3, "1.7607e+04"), (4, "1.36e+06")])
def test_states_of_mcs_without_any_reduction(processes: int, about: str) -> None:
    plain = check("mcs", processes, engine="explicit", symmetry="none", optimise="none")
    digits = len(about.split("e")[0]) - 2
    assert f"{plain.states:.{digits}e}" == about
    assert check("mcs", processes, engine="explicit", optimise="none").orbit_sum == str(plain.states)


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLE_1)
def test_every_transition_is_used(name: str) -> None:
    assert check(name, 5, engine="explicit").unreached == ()


def test_elimination_keeps_the_verdict_of_the_mistakes() -> None:
    model = load("mcs_bug", 2)
    assert optimise(model, "full") != model
    for level in ("none", "full"):
        verdict = pipeline.check(model, pipeline.options(engine="interp", optimise=level))
        assert len(verdict.violations[0].trace.steps) == 22


def test_cycle_has_one_orbit_for_each_length() -> None:
    verdict = check("cycle", 4, engine="interp")
    assert (verdict.states, verdict.orbit_sum) == (5, str(1 + 4 + 12 + 24 + 24))
