"""Registers over execution graphs: what nobody reads has no order, and whatever shows an order is no register.

Numbers of executions are compared with an oracle that builds all graphs and forgets the order of writes where nobody
can see it.  Each program below shows an order by other means than a read; what it can show is known."""

from __future__ import annotations

import shutil
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
from tests.support.oracles import graph_oracle

pytest.importorskip("capstone")
pytest.importorskip("elftools")
pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")

SIMPLE, MIXED = "SSSLLL", "SSSSSLLLLLLA"
STEPS = paths.PROGRAMS / "c" / "weak" / "steps.c"


@cache
def built(file: Path) -> tuple[Path, Places]:
    executable = build([file])
    return executable, Places(executable, runtime_library(find_compiler()))


def explored(
    file: Path, *arguments: str, registers: bool = True, symmetry: str = "none", deadlock: bool = True, **more: int
) -> CResult:
    executable, places = built(file)
    asked = SearchRequest(symmetry=symmetry, deadlock=deadlock)
    options: dict[str, int | str] = {"memory": "sc", "registers": int(registers), **more}
    return run(executable, asked, arguments, answers=places, options=options)


def compare(seeds: range, kinds: str, most: int) -> float:
    """How many orders of writes there are for one execution; always, there is one for each class."""
    classes = graphs = 0
    for seed in seeds:
        scripts = graph_oracle.random_program(Random(seed), kinds, most)
        (wanted, all_), result = graph_oracle.classes_and_graphs(scripts, "sc"), explored(STEPS, *scripts)
        if graph_oracle.may_learn(scripts) and result.executions != wanted:
            wanted = graph_oracle.count_read(scripts, "sc", commutes=False)
        assert (result.executions, result.blocked, result.incomplete) == (wanted, 0, ""), (seed, scripts)
        classes += wanted
        graphs += all_
    return graphs / classes


@pytest.mark.parametrize("kinds", [SIMPLE, MIXED])
def test_one_execution_for_each_way_to_read(kinds: str) -> None:
    assert compare(range(8), kinds, graph_oracle.MOST_EVENTS) > 1.1


@pytest.mark.parametrize("seed", [93, 104, 125])
def test_who_waits_shows_an_order(seed: int) -> None:
    """Programs in which it matters that what is waited for is no register."""
    scripts = graph_oracle.random_program(Random(seed), "SSSLLWW", graph_oracle.MOST_EVENTS)
    assert explored(STEPS, *scripts, deadlock=False).executions == graph_oracle.count_read(scripts, "sc")


def test_two_writes_are_tried_in_both_orders() -> None:
    """Where nothing follows from what is read any more, and the first order that is tried fails."""
    scripts = ["Sy522Sx510", "Ly512Lx520", "Sx521Ly522Sx502", "Sy502Sx501"]
    assert explored(STEPS, *scripts).executions == graph_oracle.count_read(scripts, "sc") == 43


def test_a_load_of_a_counter_is_taken_back_beside_updates_of_another_variable() -> None:
    """One of the twelve was lost once."""
    scripts = ["Lx501Lx502", "Ax520Ly520", "Sy522Ay511Sy521"]
    assert explored(STEPS, *scripts).executions == graph_oracle.count_read(scripts, "sc") == 12


@pytest.mark.slow
@pytest.mark.parametrize("kinds", [SIMPLE, MIXED])
@pytest.mark.parametrize("first", range(1000, 6000, 500))
def test_one_execution_for_each_of_many_ways_to_read(first: int, kinds: str) -> None:
    assert compare(range(first, first + 500), kinds, graph_oracle.MOST_EVENTS + 1) > 1.3


@pytest.mark.parametrize(("name", "executions"), [("last_write", 5), ("redundant_co", 91), ("floating_read", 7)])
def test_writes_that_few_read(name: str, executions: int) -> None:
    assert explored(paths.ROOT / "benchmarks" / "writes" / f"{name}.c").executions == executions


# ---------------------------------------------------------------------------------- orders that show

HEAD = """#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
void isospin_outcome(const char *, ...);
static atomic_int x, y, z;
static atomic_int *p;
static _Atomic(char *) block;
"""
TWO = """
int main(void) {
    pthread_t a, b;
    p = malloc(sizeof *p); *p = 0;
    pthread_create(&a, 0, one, 0); pthread_create(&b, 0, two, 0);
    pthread_join(a, 0); pthread_join(b, 0);
"""


def threads(one: str, two: str) -> str:
    return f"static void *one(void *u) {{ {one} return u; }}\nstatic void *two(void *u) {{ {two} return u; }}"


STORES = threads("atomic_store(&x, 1); atomic_store(p, 1);", "atomic_store(&x, 2); atomic_store(p, 2);")
# What main does when the threads have ended, and what it can say then.
SHOWN = {
    "plain": ('isospin_outcome("%d", *(int *)&x);', {"1", "2"}),
    "copied": ('int v; memcpy(&v, (void *)&x, 4); isospin_outcome("%d", v);', {"1", "2"}),
    "moved": ('p = realloc(p, 4096); isospin_outcome("%d", atomic_load(p));', {"1", "2"}),
    "in part": ('((char *)&x)[1] = 1; isospin_outcome("%d", atomic_load(&x));', {"257", "258"}),
    "exchanged": ('isospin_outcome("%d", atomic_exchange(&x, 7));', {"1", "2"}),
    "loaded": ('isospin_outcome("%d", atomic_load(&x));', {"1", "2"}),
    "renewed": ('*(int *)&x = 5; isospin_outcome("%d", atomic_load(&x));', {"5"}),
}


@pytest.mark.parametrize("how", SHOWN)
def test_what_shows_the_last_write_in_another_way(how: str, tmp_path: Path) -> None:
    told, wanted = SHOWN[how]
    file = tmp_path / "shown.c"
    file.write_text(f"{HEAD}{STORES}{TWO}    {told}\n    free(p);\n}}")
    result = explored(file)
    assert (set(result.outcomes), result.incomplete, result.findings) == (wanted, "", [])
    assert result.executions <= explored(file, registers=False).executions


# Thread two waits for x or y; nobody ever sets y, and that x is 0 at the end shows only in a round that fails then.
WAITS = threads("atomic_store(&x, 0);", "while (atomic_load(&x) != 1 && atomic_load(&y) != 1) ;")
SETS = "static void *three(void *u) { atomic_store(&x, 1); return u; }"


def test_who_waits_for_ever_sees_the_last_write_of_all_that_a_round_reads(tmp_path: Path) -> None:
    file = tmp_path / "waits.c"
    threads_of_main = TWO.replace("pthread_t a, b;", "pthread_t a, b, c;").replace(
        "    pthread_join(a, 0);", "    pthread_create(&c, 0, three, 0); pthread_join(c, 0); pthread_join(a, 0);"
    )
    file.write_text(f"{HEAD}{WAITS}\n{SETS}{threads_of_main}    free(p);\n}}")
    assert [f.found.kind for f in explored(file).findings] == ["deadlock"]


LEAKS = threads("atomic_store(&block, NULL);", "atomic_store(&block, malloc(8));")


def test_what_leaks_depends_on_the_last_write(tmp_path: Path) -> None:
    file = tmp_path / "leaks.c"
    file.write_text(f"{HEAD}{LEAKS}{TWO}    free(p);\n}}")
    assert [f.found.kind for f in explored(file, leaks=1).findings] == ["leak"]
    assert not explored(file).findings


def test_a_variable_may_turn_out_to_be_none_in_one_execution_only(tmp_path: Path) -> None:
    """Who updates x does so only if it sees the last store of y."""
    file = tmp_path / "late.c"
    two = "if (atomic_load(&y) == 2) atomic_fetch_add(&x, 1);"
    file.write_text(
        f"{HEAD}{threads('atomic_store(&x, 1); atomic_store(&y, 1); atomic_store(&y, 2);', two)}"
        "static void *three(void *u) { atomic_store(&x, 5); return u; }"
        + TWO.replace("pthread_t a, b;", "pthread_t a, b, c; pthread_create(&c, 0, three, 0);")
        + '    pthread_join(c, 0);\n    isospin_outcome("%d", atomic_load(&x));\n    free(p);\n}'
    )
    with_, without = explored(file), explored(file, registers=False)
    assert set(with_.outcomes) == set(without.outcomes) == {"1", "2", "5", "6"}
    assert with_.executions <= without.executions
    assert with_.rounds > 1


def test_threads_that_are_exchanged_keep_the_order(tmp_path: Path) -> None:
    file = tmp_path / "alike.c"
    body = "atomic_store(&x, 1);"
    file.write_text(
        f"{HEAD}{threads(body, body)}" + TWO.replace("0, two, 0", "0, one, 0") + "    two(0);\n    free(p);\n}"
    )
    folded, all_ = explored(file, symmetry="discovered"), explored(file, registers=False)
    assert (folded.executions, folded.orbit_sum, all_.executions) == (1, 2, 2)


def test_a_counterexample_comes_again(tmp_path: Path) -> None:
    file = tmp_path / "last.c"
    file.write_text(f"{HEAD}{STORES}{TWO}    assert(atomic_load(&x) != 1);\n}}")
    verdict = check(file, search="optimal", symmetry="none", memory="sc")
    assert [v.kind for v in verdict.violations] == ["assertion"]
    assert (verdict.statistics.executions or 0) <= 2
