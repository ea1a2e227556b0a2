"""Python programs against brute force that shares nothing with their host: the same program is enumerated in memory.

What is compared: what can go wrong, all final states, and the number of executions: as many as there are traces,
classes by what is read, or (at most) orbits of traces.  A loop that polls may have a round that fails, and waiting at a
condition variable is more than one step; then only few more are allowed, or any number.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from isospin.engines.stateless.protocol import ExecutedStep
from isospin.engines.stateless.registry import explore
from isospin.engines.stateless.search import SearchRequest, SearchResult
from isospin.hosts.memory import MemoryCode, MemoryProgram
from isospin.hosts.python.explain import run_guided
from isospin.hosts.python.program import Learnt, PythonProgram
from tests.support import script_writer
from tests.support.oracles import brute_executions

Ends = set[tuple[Any, ...]]


class _Watched(PythonProgram):
    """Writes down the final values of the cells."""

    def __init__(self, file: str) -> None:
        super().__init__(file)
        self.ends: Ends = set()

    def stuck(self) -> Any:
        found = super().stuck()
        space = vars(sys.modules["__main__"])
        self.ends.add((space["g0"], space["g1"], found is not None))
        return found


def searched(file: Path, search: str, symmetry: str) -> tuple[SearchResult, Ends]:
    host = _Watched(str(file))
    try:
        run_guided(host, ())
        while True:
            host.memory.begin_search()
            host.ends.clear()
            try:
                result = explore(host, search, SearchRequest(all_errors=True, symmetry=symmetry))
            except Learnt:
                continue
            if not host.memory.again:
                return result, host.ends
    finally:
        host.close()


def brute_ends(code: MemoryCode, runs: Iterable[list[ExecutedStep]]) -> Ends:
    program, found = MemoryProgram(code), Ends()
    for run in runs:
        program.restart()
        for event in run:
            program.step(event.thread, event.choice)
        found.add((*program.state.cells[:2], program.stuck() is not None))
    return found


class Counted(NamedTuple):
    """Executions of one program, or of many: those that are needed, and those that were made."""

    needed: int = 0
    made: int = 0


def seen(ends: Ends, search: str) -> Ends:
    """Over graphs only what somebody reads: main, unless it waits for ever."""
    return {end for end in ends if search != "optimal" or not end[2]}


def compare(seed: int, waits: str, folder: Path, most: int) -> Counted:
    """With each search; the sums are those of `optimal`.  Too many executions: nothing is compared."""
    code = script_writer.random_code(seed, waits)
    try:
        runs, _, wanted = brute_executions.executions(code, most)
    except brute_executions.TooLarge:
        return Counted()
    needed = {
        ("dpor", "none"): len(brute_executions.traces(runs)),
        ("optimal", "none"): len(brute_executions.classes_by_what_is_read(runs)),
        ("dpor", "discovered"): brute_executions.orbits(code, runs),
    }
    file = folder / f"oracle_{seed}.py"
    file.write_text(script_writer.text(code, waits))
    ends, made = brute_ends(code, runs), 0
    for (search, symmetry), count in needed.items():
        result, got = searched(file, search, symmetry)
        kinds = {f.found.kind.replace("lost-wakeup", "deadlock") for f in result.findings}
        assert (kinds, result.incomplete) == (wanted, ""), (seed, search, symmetry)
        if "assertion" not in wanted:  # which ends its thread in Python
            assert seen(got, search) == seen(ends, search), (seed, search, symmetry)
        assert waits or result.executions == count or (symmetry != "none" and result.executions < count), seed
        made = result.executions if search == "optimal" else made
    return Counted(needed["optimal", "none"], made)


def total(seeds: range, waits: str, folder: Path, most: int) -> Counted:
    found = [compare(seed, waits, folder, most) for seed in seeds]
    return Counted(sum(f.needed for f in found), sum(f.made for f in found))


@pytest.mark.parametrize("waits", ["", "poll", "notice"])
def test_as_brute_force_says(waits: str, tmp_path: Path) -> None:
    needed, made = total(range(75), waits, tmp_path, 60)
    assert 75 < needed <= made
    assert made <= needed * 1.1 or waits == "notice"


@pytest.mark.slow
@pytest.mark.parametrize("waits", ["", "poll", "notice"])
@pytest.mark.parametrize("first", range(1000, 4400, 200))
def test_many_as_brute_force_says(first: int, waits: str, tmp_path: Path) -> None:
    needed, made = total(range(first, first + 200), waits, tmp_path, 400)
    assert 200 < needed <= made
    assert made <= needed * 1.1 or waits == "notice"
