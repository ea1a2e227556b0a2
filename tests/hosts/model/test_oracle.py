"""Models that are searched without stored states, against brute force in memory: verdicts, and numbers of executions.

As many as there are traces, classes by what is read, or (at most) orbits of traces; a guard that waits is one step.
"""

from __future__ import annotations

import pytest

from isospin.hosts.memory import MemoryCode
from isospin.pipeline import check, load, options
from tests.support import script_writer
from tests.support.oracles import brute_executions


def compare(seed: int, waits: str, most: int) -> int:
    """How many executions are needed; 0: too many."""
    code = script_writer.random_code(seed, waits)
    code = MemoryCode(code.arrays, code.threads[:-1])
    try:
        runs, _, wanted = brute_executions.executions(code, most)
    except brute_executions.TooLarge:
        return 0
    needed = {
        ("dpor", "none"): len(brute_executions.traces(runs)),
        ("optimal", "none"): len(brute_executions.classes_by_what_is_read(runs)),
        ("dpor", "discovered"): brute_executions.orbits(code, runs),
    }
    model = load(script_writer.model(code))
    for (search, symmetry), count in needed.items():
        verdict = check(model, options(search=search, engine="stateless", symmetry=symmetry, all_errors=True))
        made = verdict.statistics.executions or 0
        assert {v.kind for v in verdict.violations} == wanted, (seed, search, symmetry)
        # Who waits for ever for a variable does nothing in any run, but sees the order of its writes.
        shows = search == "optimal" and "deadlock" in wanted and count < made <= needed["dpor", "none"]
        assert made == count or shows or (symmetry != "none" and 0 < made < count), (seed, search, symmetry)
    return needed["optimal", "none"]


@pytest.mark.parametrize("waits", ["", "poll"])
def test_as_brute_force_says(waits: str) -> None:
    assert sum(compare(seed, waits, 60) for seed in range(220)) > 275


@pytest.mark.slow
@pytest.mark.parametrize("waits", ["", "poll"])
@pytest.mark.parametrize("first", range(1000, 6000, 250))
def test_many_as_brute_force_says(first: int, waits: str) -> None:
    assert sum(compare(seed, waits, 1000) for seed in range(first, first + 250)) > 500
