"""The exploration of real C programs: the trace table, random programs, fork mode, and Python's searches as oracle."""

from __future__ import annotations

import platform
import shutil
from functools import cache
from pathlib import Path

import pytest

from isospin.engines.stateless.registry import explore
from isospin.engines.stateless.search import SearchProgress, SearchRequest
from isospin.hosts.c.building import build
from isospin.hosts.c.building.compilers import find_compiler
from isospin.hosts.c.host import CProgram
from isospin.hosts.c.host import search as search_in_python
from isospin.hosts.c.run import CResult, run
from isospin.hosts.c.wire import Answers
from isospin.hosts.memory import MemoryCode
from tests.support import c_writer, memory_programs, paths
from tests.support.generators import random_c_threads

pytestmark = [
    pytest.mark.skipif(
        platform.machine() not in ("x86_64", "AMD64") or platform.system() != "Linux", reason="only on x86-64 Linux"
    ),
    pytest.mark.skipif(shutil.which("gcc") is None and shutil.which("cc") is None, reason="there is no C compiler"),
]
CORPUS = paths.PROGRAMS / "c"
TRACES = CORPUS / "traces"
COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]


def check(executable: Path, symmetry: bool = False, arguments: tuple[str, ...] = (), fork: bool = False,
          **options: int) -> CResult:  # fmt: skip
    asked = SearchRequest(all_errors=True, symmetry="discovered" if symmetry else "none")
    answers = places(executable) if symmetry else None
    return run(executable, asked, arguments, fork=fork, answers=answers, options=options)


@cache
def places(executable: Path) -> Answers:
    """What it found out about an executable stays known."""
    pytest.importorskip("capstone")
    pytest.importorskip("elftools")
    from isospin.hosts.c.known import Places

    return Places(executable, build.runtime_library(find_compiler()))


def built(name: str, *flags: str, compiler: str | None = None) -> Path:
    return build.build([TRACES / f"{name}.c"], flags, compiler)


# ------------------------------------------------------------------------------------------------ the trace table


SMALL = [
    ("lockers", 4, 24), ("counter", 3, 36), ("readers", 4, 16), ("store_buffering", 4, 15), ("lastzero", 5, 64),
    ("indexer", 12, 8), ("filesystem", 14, 2), ("philosophers", 4, 15), ("store_buffering_ring", 4, 15),
    ("philosophers_ring", 4, 15),
]  # fmt: skip
LARGE = [
    *(("lockers", n, f) for n, f in ((2, 2), (3, 6), (5, 120), (6, 720), (7, 5040), (8, 40320))),
    *(("counter", n, t) for n, t in ((2, 4), (4, 576))), *(("readers", n, 2**n) for n in (2, 3, 5, 6, 7, 8)),
    *(("store_buffering", n, 2**n - 1) for n in (2, 3, 5, 6)),
    *(("lastzero", n, t) for n, t in ((3, 12), (7, 320), (10, 3328))),
    *(("indexer", n, t) for n, t in ((11, 1), (13, 64), (14, 512))),
    *(("filesystem", n, t) for n, t in ((13, 1), (16, 8), (18, 32), (20, 128))),
    *((name, n, 2**n - 1) for name in ("philosophers", "philosophers_ring") for n in (2, 3, 5)),
    *(("store_buffering_ring", n, 2**n - 1) for n in (2, 3, 5, 6)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "n", "traces"), SMALL)
def test_numbers_of_traces(name: str, n: int, traces: int) -> None:
    result = check(built(name, f"-DN={n}"))
    assert (result.executions, result.incomplete) == (traces, "")
    assert {f.found.kind for f in result.findings} == ({"deadlock"} if "philosophers" in name else set())


@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(("name", "n", "traces"), SMALL + LARGE)
def test_all_numbers_of_traces(name: str, n: int, traces: int, compiler: str) -> None:
    result = check(built(name, f"-DN={n}", compiler=compiler))
    assert (result.executions, result.incomplete) == (traces, "")


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_philosophers_of_whom_one_takes_the_right_fork_first(n: int) -> None:
    result = check(built("philosophers", f"-DN={n}", "-DRIGHT"))
    assert (result.executions, result.findings) == (2**n - 2, [])


ORBITS = [
    ("lockers", 4, 1), ("counter", 3, 6), ("store_buffering_ring", 4, 5), ("philosophers_ring", 3, 3),
    ("philosophers_list", 3, 3), ("arguments", 4, 1),
]  # fmt: skip
MORE_ORBITS = [
    *(("lockers", n, 1) for n in (2, 3, 5, 6, 7, 8)), ("counter", 2, 2), ("counter", 4, 24),
    *(("readers", n, n + 1) for n in range(2, 9)),
    *(("store_buffering_ring", n, t) for n, t in ((2, 2), (3, 3), (5, 7), (6, 13))),
    *((f"philosophers_{kind}", n, t) for kind in ("ring", "list") for n, t in ((2, 2), (4, 5), (5, 7), (6, 13))),
    *(("arguments", n, 1) for n in (2, 3, 5)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "n", "orbits"), ORBITS)
def test_numbers_of_orbits(name: str, n: int, orbits: int) -> None:
    result = check(built(name, f"-DN={n}"), symmetry=True)
    assert result.executions <= orbits
    assert result.successes > 0
    assert result.incomplete == ""
    assert {f.found.kind for f in result.findings} == ({"deadlock"} if "philosophers" in name else set())


@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(("name", "n", "orbits"), MORE_ORBITS)
def test_all_numbers_of_orbits(name: str, n: int, orbits: int, compiler: str) -> None:
    assert check(built(name, f"-DN={n}", compiler=compiler), symmetry=True).executions <= orbits


@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS)
def test_threads_of_cpp_are_symmetric(compiler: str) -> None:
    executable = build.build([TRACES / "workers.cpp"], ["-DN=4"], compiler)
    assert [check(executable, symmetry).executions for symmetry in (False, True)] == [24, 1]


@pytest.mark.parametrize("name", ["philosophers_ring", "arguments"])
def test_the_search_in_python_finds_the_same_symmetry(name: str) -> None:
    executable = built(name, "-DN=3")
    program = CProgram(executable, answers=places(executable))
    try:
        oracle = search_in_python(program, "dpor", SearchRequest(all_errors=True, symmetry="discovered"))
    finally:
        program.close()
    result = check(executable, symmetry=True)
    assert result.executions == oracle.executions
    assert result.blocked <= oracle.blocked  # who is wanted first is explored first, and that order is another one
    assert result.orbit_sum == oracle.orbit_sum


# ------------------------------------------------------------------------------------------------ ways to run


def test_a_process_for_each_execution_gives_the_same() -> None:
    program = built("counter", "-DN=3")
    here, forked = check(program), check(program, fork=True)
    assert forked.forked
    assert (here.executions, here.transitions) == (forked.executions, forked.transitions)


@pytest.mark.parametrize("name", ["dpor", "optimal", "dfs"])
def test_the_searches_in_python_see_the_same(name: str) -> None:
    program = CProgram(built("counter", "-DN=2"))
    try:
        result = search_in_python(program, name, SearchRequest(all_errors=True))
    finally:
        program.close()
    assert not result.incomplete
    if name == "dfs":
        assert result.executions > 4
    else:
        assert result.executions == 4


def test_progress_and_limits() -> None:
    seen: list[SearchProgress] = []
    program = built("lockers", "-DN=4", "-DM=2")
    asked = SearchRequest(all_errors=True, progress=seen.append, progress_interval=0.0)
    assert run(program, asked).executions == 2520
    assert seen
    assert seen[-1].executions <= 2520
    for limit, word in (
        (SearchRequest(max_executions=10), "--max-executions"), (SearchRequest(max_depth=5), "--max-depth"),
        (SearchRequest(max_time=0.0), "--max-time"), (SearchRequest(max_preemptions=0), "preemptions"),
    ):  # fmt: skip
        assert word in run(program, limit).incomplete


def test_interrupted_it_says_how_far_it_came() -> None:
    def interrupt(_: SearchProgress) -> None:
        raise KeyboardInterrupt

    asked = SearchRequest(all_errors=True, progress=interrupt, progress_interval=0.01)
    result = run(built("lockers", "-DN=5", "-DM=3"), asked)
    assert result.incomplete == "interrupted"
    assert result.executions > 0


ORACLE = ["if_instead_of_while", "barrier_phases", "once", "readers_writer", "trylock_backs_off", "missed_signal"]
TOO_SLOW = ("endless_loop", "one_condition_for_two", "semaphore_limit", "semaphore_too_many")


def compare_with_python(source: Path) -> None:
    """Conditions, barriers, read-write locks: the same executions and findings as Python's search, which goes round
    loops that wait.  Where assertions fail, it depends on the order which executions end with that."""
    executable = build.build([source])
    program = CProgram(executable)
    try:
        oracle = search_in_python(program, "dpor", SearchRequest(all_errors=True))
    finally:
        program.close()
    result = check(executable, awaits=0)
    fails = any(f.found.kind == "assertion" for f in result.findings)
    assert fails or result.executions == oracle.executions
    assert {f.found.kind for f in result.findings} == {f.found.kind for f in oracle.findings}


@pytest.mark.parametrize("name", ORACLE)
def test_the_search_in_c_and_the_search_in_python(name: str) -> None:
    compare_with_python(CORPUS / f"{name}.c")


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(s.stem for s in CORPUS.glob("*.c") if s.stem not in TOO_SLOW))
def test_the_search_in_c_and_the_search_in_python_on_the_corpus(name: str) -> None:
    compare_with_python(CORPUS / f"{name}.c")


def test_a_process_that_is_gone_is_no_proof(tmp_path: Path) -> None:
    """The program under control kills its own process behind the runtime's back."""
    source = tmp_path / "gone.c"
    source.write_text(
        "#include <signal.h>\n#include <unistd.h>\nint main(void) { kill(getpid(), SIGKILL); return 0; }\n"
    )
    executable = build.build([source])
    for fork in (False, True):
        result = check(executable, fork=fork)
        assert result.findings or "ended" in result.incomplete


MAPS = """
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *x;
static void *add(void *unused)
{
    pthread_mutex_lock(&lock);
    ++*x;
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void)
{
    pthread_t threads[2];
    x = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(*x == 2);
    return 0;
}
"""


def test_what_cannot_be_put_back_gets_a_process_for_each_execution(tmp_path: Path) -> None:
    source = tmp_path / "maps.c"
    source.write_text(MAPS)
    executable = build.build([source])
    result = check(executable)
    assert result.forked
    assert "mmap" in result.needs_fork
    assert (result.executions, result.findings, result.incomplete) == (2, [], "")
    program = CProgram(executable)
    try:
        assert search_in_python(program, "dpor", SearchRequest(all_errors=True)).executions == 2
        assert "mmap" in program.needs_fork
    finally:
        program.close()


# ------------------------------------------------------------------------------------------------ races under symmetry


HISTORY = """
#include <pthread.h>
#include <stdatomic.h>
static atomic_int n;
static int x, sink;
static void rest(void)
{
    if (atomic_fetch_add_explicit(&n, 1, memory_order_relaxed) != 0)
        sink = x;
}
static void *writes(void *unused) { x = 1; rest(); return unused; }
static void *reads(void *unused) { rest(); return unused; }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writes, NULL);
    pthread_create(&b, NULL, reads, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
"""
UNGUARDED_LATER = """
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int n;
static int x;
static void *run(void *unused)
{
    pthread_mutex_lock(&lock);
    x++;
    pthread_mutex_unlock(&lock);
    if (atomic_fetch_add_explicit(&n, 1, memory_order_relaxed) == 2)
        x++;
    return unused;
}
int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
"""


@pytest.mark.parametrize("text", [HISTORY, UNGUARDED_LATER])
def test_what_may_still_race_tells_threads_apart(tmp_path: Path, text: str) -> None:
    """Threads in the same state that differ in what they did: only one of the two orders has the race."""
    source = tmp_path / "race.c"
    source.write_text(text)
    executable = build.build([source])
    for symmetry in (False, True):
        assert {f.found.kind for f in check(executable, symmetry).findings} == {"race"}


# ------------------------------------------------------------------------------------------------ random programs


def kept(source: Path, directory: Path) -> Path:
    """Outside of the cache, which others tidy while we run for minutes."""
    return Path(shutil.copy(build.build([source]), directory / "program"))


def compare(codes: list[MemoryCode], directory: Path, symmetries: tuple[bool, ...]) -> None:
    """The same verdicts as exhaustive search; without findings and symmetry also the same number of executions."""
    source = directory / "programs.c"
    source.write_text(c_writer.text(codes))
    executable = kept(source, directory)
    for number, code in enumerate(codes):
        oracle = explore(c_writer.Stopping(code), "dpor", SearchRequest(all_errors=True, max_executions=5000))
        if oracle.incomplete:
            continue
        wanted = {f.found.kind for f in oracle.findings}
        for symmetry in symmetries:
            result = check(executable, symmetry, (str(number),))
            assert {f.found.kind for f in result.findings} == wanted, (number, symmetry)
            assert result.incomplete == "", (number, symmetry)
            if not wanted:
                assert symmetry or result.executions == oracle.executions, number
                assert (result.orbit_sum or 0) <= oracle.executions, number


def suitable(seeds: range) -> list[MemoryCode]:
    return [code for code in map(memory_programs.random_code, seeds) if c_writer.suits(code)]


def identical(seeds: range) -> list[MemoryCode]:
    return [code for code in map(memory_programs.identical_code, seeds) if c_writer.suits(code)]


def test_random_programs(tmp_path: Path) -> None:
    compare(suitable(range(60)), tmp_path, (False,))


def test_random_programs_with_symmetry(tmp_path: Path) -> None:
    compare(identical(range(6)), tmp_path, (True,))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 2000, 100))
def test_many_random_programs(tmp_path: Path, first: int) -> None:
    compare(suitable(range(first, first + 100)), tmp_path, (False, True))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 500, 50))
def test_many_programs_with_identical_threads(tmp_path: Path, first: int) -> None:
    compare(identical(range(first, first + 50)), tmp_path, (False, True))


MANY = 9  # time-outs in each thread: more than it has waits


def compare_rich(seeds: range, directory: Path) -> None:
    """Conditions, read-write locks, heap, races: with symmetry the same verdicts, and where there are few executions
    the same as Python's search."""
    source = directory / "rich.c"
    source.write_text(random_c_threads.text(seeds))
    executable = kept(source, directory)
    for number, seed in enumerate(seeds):
        plain, symmetric = (check(executable, s, (str(number),), time_outs=MANY) for s in (False, True))
        wanted = {f.found.kind for f in plain.findings}
        assert {f.found.kind for f in symmetric.findings} == wanted, seed
        assert (plain.incomplete, symmetric.incomplete) == ("", ""), seed
        assert symmetric.executions <= plain.executions or "race" in wanted, seed  # races cut executions short
        if plain.executions <= 40:
            program = CProgram(executable, (str(number),), f"time_outs={MANY}")
            oracle = search_in_python(program, "dpor", SearchRequest(all_errors=True))
            program.close()
            assert {f.found.kind for f in oracle.findings} == wanted, seed
            if "race" not in wanted:  # the search in C starts again with what races in sight, the other one goes on
                assert oracle.executions == plain.executions, seed


def test_random_programs_with_all_that_threads_use(tmp_path: Path) -> None:
    compare_rich(range(6), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 600, 50))
def test_many_random_programs_with_all_that_threads_use(tmp_path: Path, first: int) -> None:
    compare_rich(range(first, first + 50), tmp_path)
