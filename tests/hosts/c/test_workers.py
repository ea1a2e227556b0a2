"""C programs that several processes search: the executions, sums and findings are those of one process."""

from __future__ import annotations

import itertools
import platform
import shutil
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from random import Random

import pytest

import isospin
from isospin.core.verdict import Outcome
from isospin.engines.stateless.search import SearchRequest
from isospin.hosts.c.building import build
from isospin.hosts.c.building.compilers import find_compiler
from isospin.hosts.c.known import Places
from isospin.hosts.c.run import CExploration, CResult
from tests.hosts.c import c_memory, test_foresee
from tests.support import c_writer, memory_programs, paths
from tests.support.generators import random_c_cells, random_c_numbers, random_c_threads, random_c_waits
from tests.support.oracles import graph_oracle

pytestmark = [
    pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the C host is for x86-64 only"),
    pytest.mark.skipif(shutil.which("cc") is None and shutil.which("gcc") is None, reason="there is no C compiler"),
]
COUNTS = ("executions", "blocked", "transitions", "depth", "orbit_sum", "incomplete")
# Where threads are not compared, sequences are noted until somebody helps (runtime/reversals/wakeup.h): then more begin
# in vain.  And which executions end with a failure, behind which nothing is known, depends on their order.
WITHOUT_VAIN = ["executions", "incomplete"]
GIVE_ALL: dict[str, int | str] = {"grain": 0, "calm": 0}  # whatever can be given away is
MOST = 1500  # executions
BOTH = ("none", "discovered")
MODELS = ("sc", "tso", "rc11")


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return c_memory.host(tmp_path_factory.mktemp("host"))


def compare_in_memory(host: Path, seeds: range, more: str = "") -> int:
    """How many subtrees were explored by others."""
    codes, taken = [memory_programs.random_code(seed) for seed in seeds], 0
    for symmetry, names in ((0, WITHOUT_VAIN), (1, COUNTS)):
        options = f"all_errors=1 symmetry={symmetry} {more}"
        alone = c_memory.explore(host, codes, f"{options} max_executions=20000")
        small = [(code, one) for code, one in zip(codes, alone, strict=True) if one.executions < 20000]
        for workers in (2, 3):
            found = c_memory.explore(host, [code for code, _ in small], f"{options} grain=0 workers={workers}")
            for (_, one), many in zip(small, found, strict=True):
                assert [many.result[name] for name in names] == [one.result[name] for name in names]
                assert many.places == one.places
                taken += many.result["copies_taken"]
    return taken


def test_the_same_executions(host: Path) -> None:
    assert compare_in_memory(host, range(150)) > 50


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 11000, 1000))
def test_the_same_executions_in_many(host: Path, start: int) -> None:
    assert compare_in_memory(host, range(start, start + 1000)) > 50


STOPS = "stops_at_blocked=1 stops_at_unread=1"  # if graphs do better


def compare_who_goes_over(host: Path, seeds: range) -> tuple[int, int]:
    """How many go over to graphs, and how many subtrees of the others were explored by other processes."""
    codes = [memory_programs.random_stores(seed) for seed in seeds]
    alone, together = (c_memory.explore(host, codes, f"{STOPS} grain=0 workers={workers}") for workers in (1, 3))
    for one, many in zip(alone, together, strict=True):
        assert [many.result[name] for name in WITHOUT_VAIN] == [one.result[name] for name in WITHOUT_VAIN]
    return sum(a.result["incomplete"] == "unread" for a in alone), sum(a.result["copies_taken"] for a in together)


def test_several_processes_go_over_to_graphs_where_one_does(host: Path) -> None:
    gone, taken = compare_who_goes_over(host, range(40))
    assert 5 < gone < 35
    assert taken > 10


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 6000, 1000))
def test_several_processes_go_over_to_graphs_where_one_does_in_many(host: Path, start: int) -> None:
    compare_who_goes_over(host, range(start, start + 1000))
    compare_in_memory(host, range(start, start + 1000), STOPS)


def test_a_failure_ends_all(host: Path) -> None:
    (answer,) = c_memory.explore(host, [memory_programs.figure_5()], "grain=0 workers=2")
    assert len(answer.findings) == 1
    assert not answer.result["incomplete"]


def test_executions_are_limited(host: Path) -> None:
    (answer,) = c_memory.explore(host, [memory_programs.counters(5)], "grain=0 workers=3 max_executions=500")
    assert answer.result["incomplete"] == "executions"
    assert 500 <= answer.executions < 14400


# ------------------------------------------------------------------------------------------------ real programs


@cache
def places_in(executable: Path, changed: int) -> Places:
    """What is known about an executable as it is since then, for all programs in it."""
    return Places(executable, build.runtime_library(find_compiler("")))


def explored(
    executable: Path, symmetry: str, workers: int, arguments: Sequence[str], memory: str = "", all_errors: bool = True
) -> tuple[CResult, int]:
    asked = SearchRequest(all_errors=all_errors, symmetry=symmetry, workers=workers, max_executions=MOST)
    answers = places_in(executable, executable.stat().st_mtime_ns)
    options = {**GIVE_ALL, **({"memory": memory} if memory else {})}
    exploration = CExploration(executable, asked, arguments, False, answers, options)
    result = exploration.result()
    return result, 0 if exploration.ended is None else exploration.ended.copies_taken


def compare_one(executable: Path, arguments: Sequence[str], memory: str = "", symmetries: Sequence[str] = BOTH) -> int:
    """How many parts of it were explored by others."""
    taken = 0
    for symmetry in symmetries:
        alone, _ = explored(executable, symmetry, 1, arguments, memory)
        for workers in (2, 3) if not alone.incomplete else ():
            found, given = explored(executable, symmetry, workers, arguments, memory)
            # Each process finds out for itself which rounds of loops fail, which takes some steps more.
            waits = alone.awaited or found.awaited
            names = [name for name in COUNTS if not (waits and name in ("transitions", "depth"))]
            if not memory:
                names = ["incomplete"] if alone.findings else WITHOUT_VAIN
            told = [[getattr(each, name) for name in names] for each in (found, alone)]
            assert told[0] == told[1], (arguments, memory, symmetry, workers)
            assert places(found) == places(alone), (arguments, memory)
            assert found.outcomes == alone.outcomes
            assert waits or not memory or sum(found.reversals.values()) == sum(alone.reversals.values())
            taken += given
    return taken


def compare(text: str, programs: int, directory: Path, memory: str = "") -> int:
    """Of so many programs in one, chosen by the argument; how many parts were explored by others."""
    source = directory / "programs.c"
    source.write_text(text)
    executable = Path(shutil.copy(build.build([source], ["-w"], ""), directory / "program"))
    return sum(compare_one(executable, [str(number)], memory) for number in range(programs))


def places(result: CResult) -> set[tuple[str, str]]:
    return {(f.found.kind, f.found.message if f.found.kind != "race" else "") for f in result.findings}


def texts(seeds: range) -> Iterator[tuple[str, int]]:
    """Programs with locks and atomics, with awaits, with threads with numbers, with cells of threads."""
    codes = [code for code in map(memory_programs.random_code, seeds) if c_writer.suits(code)]
    yield c_writer.text(codes), len(codes)
    waiting = [random_c_waits.make(seed) for seed in seeds]
    yield random_c_waits.text(waiting, [[] for _ in waiting]), len(waiting)
    for generator in (random_c_threads, random_c_numbers, random_c_cells):
        yield generator.text(list(seeds)), len(seeds)


def test_the_same_executions_of_real_programs(tmp_path: Path) -> None:
    text, programs = next(texts(range(12)))
    assert compare(text, programs, tmp_path) > 5


@pytest.mark.slow
@pytest.mark.parametrize("start", range(3000, 3100, 20))
def test_the_same_executions_of_many_real_programs(start: int, tmp_path: Path) -> None:
    for text, programs in texts(range(start, start + 20)):
        compare(text, programs, tmp_path)


def test_what_only_a_round_that_fails_wants_is_given_up_by_each_process() -> None:
    """A copy learns by itself that it was made for nothing: 5,760 were blocked in two processes, with eight threads."""
    executable = build.build([paths.ROOT / "benchmarks" / "waiting" / "ticketlock.c"], ["-w", "-DN=6"], "")
    for workers in (2, 3):
        found, taken = explored(executable, "none", workers, [])
        assert (found.executions, found.blocked, found.findings) == (720, 0, [])
        assert taken


# ------------------------------------------------------------------------------------------------ execution graphs

STEPS = paths.PROGRAMS / "c" / "weak" / "steps.c"
KINDS = ("SSSSLLLLAAFCC", "SSSSLLAFCWWKK")  # accesses; and loops that wait


def compare_graphs(seeds: range) -> int:
    """Random programs of atomic accesses, under each model; alike threads with symmetry."""
    executable, taken = build.build([STEPS]), 0
    for seed, kinds, memory in itertools.product(seeds, KINDS, MODELS):
        taken += compare_one(executable, graph_oracle.random_program(Random(seed), kinds), memory, BOTH[:1])
        taken += compare_one(executable, graph_oracle.random_alike(Random(seed), kinds), memory, BOTH[1:])
    return taken


def test_the_same_executions_over_graphs() -> None:
    assert compare_graphs(range(3)) > 5


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 1400, 20))
def test_the_same_executions_over_many_graphs(start: int) -> None:
    assert compare_graphs(range(start, start + 20)) > 30


@pytest.mark.slow
@pytest.mark.parametrize("memory", MODELS)
@pytest.mark.parametrize("start", range(4000, 4060, 20))
def test_the_same_executions_of_many_real_programs_over_graphs(start: int, memory: str, tmp_path: Path) -> None:
    for text, programs in texts(range(start, start + 20)):
        compare(text, programs, tmp_path, memory)


def test_what_is_found_over_graphs_is_what_one_process_finds_first(tmp_path: Path) -> None:
    """That y is read too early; that x is, is the last that one process would see, and the first for several."""
    source = tmp_path / "ways.c"
    source.write_text(WAYS)
    executable = build.build([source])
    for memory, symmetry in itertools.product(MODELS, BOTH):
        alone, _ = explored(executable, symmetry, 1, [], memory, all_errors=False)
        for workers in (2, 3, 4):
            found, _ = explored(executable, symmetry, workers, [], memory, all_errors=False)
            told = [[(f.found, f.steps) for f in each.findings] for each in (found, alone)]
            assert told[0] == told[1]
            assert "get_y" in told[0][0][0].message
            assert (found.executions, found.blocked) == (alone.executions, alone.blocked)


def test_executions_over_graphs_are_limited(tmp_path: Path) -> None:
    source = tmp_path / "lost.c"
    source.write_text(LOST.replace("x > 1", "x"))
    found = isospin.check(source, symmetry="none", workers=3, memory="rc11", max_executions=700)
    assert (found.outcome, found.search) == (Outcome.INCOMPLETE, "optimal")
    assert (found.statistics.executions or 0) >= 700  # how many more there are depends on the machine
    assert "700" in found.reason or "--max-executions" in found.reason


# ------------------------------------------------------------------------------------------------ what is foreseen


def foreseeing(executable: Path, symmetry: str, workers: int, arguments: Sequence[str] = (), calm: int = 0) -> CResult:
    asked = SearchRequest(all_errors=True, symmetry=symmetry, workers=workers, max_executions=60000)
    answers = places_in(executable, executable.stat().st_mtime_ns)
    options: dict[str, int | str] = {"memory": "sc", "registers": 0, "leaks": 0, "grain": 0, "calm": calm}
    return CExploration(executable, asked, arguments, False, answers, options).result()


def compare_foresight(executable: Path, arguments: Sequence[str] = ()) -> None:
    """What one process has relied on, and another one has seen to be otherwise, is found out."""
    for symmetry in BOTH:
        alone = foreseeing(executable, symmetry, 1, arguments)
        for workers, calm in ((2, 0), (3, 2)) if not alone.incomplete else ():
            found = foreseeing(executable, symmetry, workers, arguments, calm)
            # Of executions in which somebody waits for ever more are left out the sooner it is known that one does.
            told = [(each.incomplete, places(each), each.executions * (not each.findings)) for each in (found, alone)]
            assert told[0] == told[1], (arguments, symmetry, workers)
            assert found.outcomes == alone.outcomes, (arguments, symmetry, workers)


@pytest.mark.parametrize("name", test_foresee.PROGRAMS)
def test_several_processes_foresee_what_one_does(name: str, tmp_path: Path) -> None:
    source = tmp_path / "rounds.c"
    source.write_text(test_foresee.program(*test_foresee.PROGRAMS[name]))
    compare_foresight(build.build([source], ["-w"], ""))


def compare_rounds(seeds: range, directory: Path, flags: bool = False) -> None:
    source = directory / "rounds.c"
    programs = [random_c_waits.make(seed, rounds=not flags, flags=flags) for seed in seeds]
    source.write_text(random_c_waits.text(programs, [[] for _ in programs]))
    executable = Path(shutil.copy(build.build([source], ["-w"], ""), directory / "rounds"))
    for number in range(len(programs)):
        compare_foresight(executable, [str(number)])


def test_random_rounds_are_foreseen_by_several_processes(tmp_path: Path) -> None:
    compare_rounds(range(30000, 30010), tmp_path)


def test_random_flags_are_foreseen_by_several_processes(tmp_path: Path) -> None:
    compare_rounds(range(6), tmp_path, flags=True)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(31000, 32000, 100))
def test_many_random_rounds_are_foreseen_by_several_processes(start: int, tmp_path: Path) -> None:
    compare_rounds(range(start, start + 100), tmp_path)


def test_what_cannot_be_confirmed_is_not_begun_by_several_processes() -> None:
    """A sequence lock with three readers: 16,997 executions are begun in vain otherwise."""
    executable = build.build([paths.ROOT / "benchmarks" / "waiting" / "seqlock.c"], ["-DR=3"], "")
    for workers in (2, 3):
        result = foreseeing(executable, "none", workers)
        assert (result.executions, result.findings, result.incomplete) == (54, [], "")
        assert result.blocked < 100


WAYS = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int x, y, z;

static void *set_x(void *name) { x = 1; return name; }
static void *get_x(void *name) { int n = x; assert(n == 1); return name; }
static void *set_y(void *name) { y = 1; return name; }
static void *get_y(void *name) { int n = y; assert(n == 1); return name; }
static void *draw(void *mine) { *(int *)mine = z++; return NULL; }

int main(void)
{
    void *(*const roles[])(void *) = {set_x, get_x, set_y, get_y, draw, draw, draw, draw, draw};
    int turn[9];
    pthread_t t[9];
    for (int i = 0; i < 9; i++)
        pthread_create(&t[i], NULL, roles[i], &turn[i]);
    for (int i = 0; i < 9; i++)
        pthread_join(t[i], NULL);
    return 0;
}
"""

FILES = """
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int turns;

static void *add(void *name)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        FILE *file = fopen("count", turns++ ? "r+" : "w+");
        char text[16] = "0";
        fgets(text, sizeof text, file);
        rewind(file);
        fprintf(file, "%d", atoi(text) + 1);
        fclose(file);
        pthread_mutex_unlock(&m);
    }
    return name;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, add, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    FILE *file = fopen("count", "r");
    char text[16] = "0";
    fgets(text, sizeof text, file);
    assert(atoi(text) == 6);
    return 0;
}
"""


@pytest.mark.parametrize("memory", ["", "sc"])
def test_who_writes_files_is_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory: str) -> None:
    """Two executions at a time would see what the other one writes."""
    monkeypatch.chdir(tmp_path)
    source = tmp_path / "files.c"
    source.write_text(FILES)
    executable = build.build([source])
    alone, _ = explored(executable, "none", 1, [], memory)
    found, taken = explored(executable, "none", 3, [], memory)
    assert (found.executions, found.findings, taken) == (alone.executions, [], 0)
    assert not (tmp_path / "count").exists()


LOST = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *add(void *name)
{
    int before = x;
    x = before + 1;
    return name;
}

int main(void)
{
    pthread_t t[5];
    for (int i = 0; i < 5; i++)
        pthread_create(&t[i], NULL, add, NULL);
    for (int i = 0; i < 5; i++)
        pthread_join(t[i], NULL);
    assert(x > 1);
    return 0;
}
"""


def test_where_executions_come_from(tmp_path: Path) -> None:
    """The load and the store of all threads meet, and nothing else does."""
    source = tmp_path / "lost.c"
    source.write_text(LOST.replace("x > 1", "x"))
    for workers in (1, 2):
        found = isospin.check(source, symmetry="none", workers=workers, max_executions=1000)
        (first, second, *_), lines = found.statistics.reversals, LOST.splitlines()
        assert {lines[place.line - 1].strip() for pair in (first, second) for place in (pair.first, pair.second)} == {
            "int before = x;", "x = before + 1;",
        }  # fmt: skip
        assert {first.first_does, first.second_does, second.first_does, second.second_does} <= {"read", "write"}
        assert found.statistics.expected is not None
        assert found.statistics.expected > found.statistics.executions > 0  # type: ignore[operator]
    folded = isospin.check(source)
    assert folded.outcome is Outcome.HOLDS
    assert folded.statistics.left_out > 0
    assert folded.statistics.expected is None


def test_a_failure_is_shown(tmp_path: Path) -> None:
    source = tmp_path / "lost.c"
    source.write_text(LOST)
    found = isospin.check(source, workers=2)
    assert found.outcome is Outcome.VIOLATED
    assert [v.kind for v in found.violations] == ["assertion"]
    assert found.violations[0].trace.steps
