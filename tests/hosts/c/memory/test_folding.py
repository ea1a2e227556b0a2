"""Alike threads under each memory model: one execution for each orbit of execution graphs, and no final state is lost.

Orbits are counted by an oracle that builds all graphs and renames threads that do the same.  Final states are those of
the oracles of litmus programs, up to renaming; with numbers and cells of their own, those of the search without
symmetry.  What the executions are said to stand for is compared with the number of all graphs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

import pytest

from isospin import check
from isospin.engines.stateless.search import SearchRequest
from isospin.hosts.c.building.build import build, runtime_library
from isospin.hosts.c.building.compilers import find_compiler
from isospin.hosts.c.known import Places
from isospin.hosts.c.run import CResult, run
from tests.support import paths
from tests.support.generators.random_litmus import random_alike
from tests.support.generators.random_numbered import numbered_file
from tests.support.litmus.engine import MODELS, folded_differences
from tests.support.oracles import graph_oracle

pytest.importorskip("capstone")
pytest.importorskip("elftools")
pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")

ACCESSES, WAITS, REGISTERS = "SSSSLLLLAAFCC", "SSSSLLAFCWW", "SSSLLL"


@cache
def built(file: Path) -> tuple[Path, Places]:
    executable = build([file])
    return executable, Places(executable, runtime_library(find_compiler()))


def explored(file: Path, *arguments: str, memory: str, symmetry: str = "discovered") -> CResult:
    executable, places = built(file)
    asked = SearchRequest(symmetry=symmetry, deadlock=False)
    options: dict[str, str | int] = {"memory": memory, "registers": int(symmetry != "none")}  # all graphs, or orbits
    return run(executable, asked, arguments, answers=places, options=options)


def compare_orbits(seeds: range, kinds: str) -> int:
    """How many executions were saved; each model has as many as there are orbits of graphs that its axioms allow."""
    saved = 0
    for seed in seeds:
        scripts = graph_oracle.random_alike(Random(seed), kinds)
        for model in MODELS:
            graphs, orbits = graph_oracle.count_orbits(scripts, model)
            result = explored(paths.PROGRAMS / "c" / "weak" / "steps.c", *scripts, memory=model)
            found = (result.executions, result.orbit_sum, result.incomplete)
            assert found == (orbits, graphs, ""), (seed, scripts, model)
            assert kinds == WAITS or not result.blocked
            saved += graphs - orbits
    return saved


@pytest.mark.parametrize("kinds", [ACCESSES, WAITS, REGISTERS])
def test_one_execution_for_each_orbit(kinds: str) -> None:
    assert compare_orbits(range(6), kinds) > 30


@pytest.mark.slow
@pytest.mark.parametrize("kinds", [ACCESSES, WAITS])
@pytest.mark.parametrize("first", range(1000, 2000, 100))
def test_one_execution_for_each_of_many_orbits(first: int, kinds: str) -> None:
    assert compare_orbits(range(first, first + 100), kinds) > 500


@pytest.mark.slow
def test_updates_that_wait() -> None:
    """Some of these are repeated also without symmetry; none is lost."""
    for seed in range(40):
        scripts = graph_oracle.random_alike(Random(seed), "SSLLACKKK")
        for model in MODELS:
            _, orbits = graph_oracle.count_orbits(scripts, model)
            file = paths.PROGRAMS / "c" / "weak" / "steps.c"
            all_, some = (explored(file, *scripts, memory=model, symmetry=s) for s in ("none", "discovered"))
            assert orbits <= some.executions <= all_.executions, (seed, scripts, model)
            assert not some.incomplete
            assert (some.orbit_sum or 0) <= all_.executions, (seed, scripts, model)


def agree(found: list[str]) -> None:
    assert not found, f"{len(found)} differences, the first:\n{found[0]}"


def test_no_final_state_is_lost(tmp_path: Path) -> None:
    programs = [random_alike(seed) for seed in range(10)]
    agree([told for memory in MODELS for told in folded_differences(programs, memory, tmp_path)])


@pytest.mark.slow
@pytest.mark.parametrize("memory", MODELS)
@pytest.mark.parametrize("first", range(1000, 2000, 200))
def test_no_final_state_of_many_programs_is_lost(first: int, memory: str, tmp_path: Path) -> None:
    agree(list(folded_differences([random_alike(seed) for seed in range(first, first + 200)], memory, tmp_path)))


@pytest.mark.slow
@pytest.mark.parametrize("memory", MODELS)
def test_no_final_state_of_loops_is_lost(memory: str, tmp_path: Path) -> None:
    programs = [random_alike(seed, loops=True) for seed in range(200)]
    agree(list(folded_differences(programs, memory, tmp_path, counts=False)))


def compare_numbered(first: int, count: int, folder: Path) -> int:
    """In how many cases something was folded; always, nothing is lost by it."""
    file, folded = folder / f"numbered{first}.c", 0
    file.write_text(numbered_file(first, count))
    for number in map(str, range(count)):
        for memory in MODELS:
            all_, some = (explored(file, number, memory=memory, symmetry=s) for s in ("none", "discovered"))
            assert (some.incomplete, some.outcomes.keys()) == (all_.incomplete, all_.outcomes.keys()), (first, number)
            assert some.orbit_sum == all_.executions, (first, number, memory)
            assert not some.blocked
            folded += some.executions < all_.executions
    return folded


def test_numbers_and_cells(tmp_path: Path) -> None:
    assert compare_numbered(0, 6, tmp_path) > 3


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 1400, 40))
def test_many_numbers_and_cells(first: int, tmp_path: Path) -> None:
    assert compare_numbered(first, 40, tmp_path) > 20


def both_ways(text: str, folder: Path) -> Iterator[tuple[CResult, CResult]]:
    """A program under each model, without symmetry and with it."""
    file = folder / "program.c"
    file.write_text(text)
    for memory in MODELS:
        yield explored(file, memory=memory, symmetry="none"), explored(file, memory=memory)


BETWEEN = """#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static void *work(void *u) {
    return (char *)u + atomic_fetch_add(&y, atomic_load_explicit(&x, memory_order_relaxed));
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0); pthread_join(b, 0);
}"""


def test_what_is_done_between_two_births_tells_threads_apart(tmp_path: Path) -> None:
    """Only the first thread can see what was there before."""
    for all_, some in both_ways(BETWEEN, tmp_path):
        assert all_.executions == some.executions == 4


NEIGHBOURS = """#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
static atomic_int cell[2];
static void store(int i, int value) { atomic_store_explicit(&cell[i], value, memory_order_relaxed); }
static void *work(void *number) {
    int i = (int)(intptr_t)number;
    store(i, 5); store(1 - i, 6);
    atomic_load_explicit(&cell[i], memory_order_relaxed);
    store(1 - i, 7);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, (void *)0); pthread_create(&b, 0, work, (void *)1);
    pthread_join(a, 0); pthread_join(b, 0);
}"""


def test_places_of_writes_to_two_cells_are_not_compared(tmp_path: Path) -> None:
    """A write that comes later moves the one that was seen; whoever compared them lost six graphs under RC11."""
    for all_, some in both_ways(NEIGHBOURS, tmp_path):
        assert some.orbit_sum == all_.executions


def test_the_report_says_what_was_folded() -> None:
    file = paths.ROOT / "examples" / "c" / "weak" / "ticket_lock.c"
    verdict = check(file, memory="rc11")
    assert (verdict.statistics.executions, verdict.orbit_sum, verdict.search) == (1, "6", "optimal")
    assert verdict.symmetry.group_order == "6"
    assert "where they begin" in verdict.symmetry.justification
