"""The runtime of C programs: small programs, each about one thing, with what must come out in their first lines."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from isospin.engines.stateless.search import SearchRequest
from isospin.hosts.c.building.build import build, runtime_library
from isospin.hosts.c.building.compilers import find_compiler
from isospin.hosts.c.run import CResult, run
from tests.support import paths
from tests.support.expectations import expectation

PROGRAMS = paths.PROGRAMS / "c" / "runtime"
NAMES = sorted(path.name for path in PROGRAMS.iterdir())
FOR_CLANG = ("lost_update.c", "memcpy_race.c", "registers.c", "spin_on_flag.c", "thread_local.c", "results_of_joins.c")


def explored(program: Path, place: Path, compiler: str | None = None, fork: bool = False) -> CResult:
    """All executions; findings of the program itself, and races that are only noted."""
    given = expectation(program).more.get("runtime", "") if program.parent == PROGRAMS else ""
    options = {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", given)}
    (place / "old").write_text("old\n")
    asked = SearchRequest(all_errors=True, max_executions=20000, max_depth=3000)
    arguments = (str(place / "made"), str(place / "old"))
    return run(build([program], compiler=compiler), asked, arguments, fork=fork, options=options)


def check(program: Path, place: Path, compiler: str | None = None, fork: bool = False) -> None:
    result = explored(program, place, compiler, fork)
    kinds = {finding.found.kind for finding in result.findings} | {note.kind for note in result.notes}
    wanted = expectation(program)
    assert kinds == set(wanted.kinds)
    assert bool(result.incomplete) == (wanted.outcome == "incomplete")
    assert wanted.more.get("reason", "") in result.incomplete
    if not fork:
        assert result.needs_fork == wanted.more.get("fork", "")
    assert wanted.number("executions") in (None, result.executions)
    assert all(wanted.more.get("message", "") in finding.found.message for finding in result.findings)
    assert [path.name for path in place.iterdir()] == ["old"]  # what was made is gone at the end, too
    assert (place / "old").read_text() == "old\n"


@pytest.mark.parametrize("name", NAMES)
def test_a_program_of_gcc(name: str, tmp_path: Path) -> None:
    check(PROGRAMS / name, tmp_path, "gcc")


@pytest.mark.parametrize("name", ["lost_update.c", "writes_file.c", "segmentation_fault.c", "random_numbers.c"])
def test_a_process_for_each_execution_gives_the_same(name: str, tmp_path: Path) -> None:
    check(PROGRAMS / name, tmp_path, "gcc", fork=True)


@pytest.mark.skipif(shutil.which("clang") is None, reason="clang is not installed")
@pytest.mark.parametrize("name", FOR_CLANG)
def test_a_program_of_clang(name: str, tmp_path: Path) -> None:
    check(PROGRAMS / name, tmp_path, "clang")


def test_a_struct_by_value_is_seen_by_clang_only(tmp_path: Path) -> None:
    """gcc does not tell the reads of a struct that is passed by value (docs/reference/limits.md)."""
    program = tmp_path / "by_value.c"
    program.write_text(BY_VALUE)
    result = explored(program, tmp_path, "clang" if shutil.which("clang") else "gcc")
    assert {f.found.kind for f in result.findings} == ({"race"} if shutil.which("clang") else set())


BY_VALUE = """
#include <pthread.h>
static struct pair { int a, b; } pair;
static int sum(struct pair p) { return p.a + p.b; }
static void *work(void *unused) { pair.a = 1; return unused; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    int seen = sum(pair);
    pthread_join(thread, NULL);
    return seen > 1;
}
"""


def test_the_runtime_is_compiled_without_warnings(capfd: pytest.CaptureFixture[str]) -> None:
    assert runtime_library(find_compiler()).exists()
    assert capfd.readouterr().err == ""


def test_executions_are_restarted_in_the_same_process_much_faster_than_by_fork(tmp_path: Path) -> None:
    """The benchmark asks for 25 times; here only that nothing is badly broken."""
    program = tmp_path / "sections.c"
    program.write_text(SECTIONS)
    here, forked = (explored(program, tmp_path, "gcc", fork) for fork in (False, True))
    assert here.executions == forked.executions == 1680  # 9! / 3!^3
    assert here.cpu_seconds * 5 < forked.cpu_seconds


SECTIONS = """
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *work(void *unused) {
    for (int i = 0; i < 3; i++) { pthread_mutex_lock(&lock); x++; pthread_mutex_unlock(&lock); }
    return unused;
}
int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    return x != 9;
}
"""
