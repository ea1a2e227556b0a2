"""Functions of libraries: what they touch is announced, or the verdict says that nobody saw it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from isospin.core.errors import UsageError
from isospin.core.verdict import Outcome
from isospin.hosts.c.building.compilers import find_compiler
from isospin.pipeline.programs.c import check_files as check_c_program
from isospin.pipeline.settings import CProgramOptions
from tests.support import paths

LIBRARY = """\
#include <stdarg.h>
struct pair { long a; double b; };
struct wide { long part[5]; };
double mixed(int a, double b, long c, float d, char e, long f, long g, double h, long i, long j)
{ return a + b + c + d + e + f + g + h + i + j; }
double varied(int count, ...)
{
    va_list list;
    double sum = 0;
    va_start(list, count);
    for (int i = 0; i < count; i++) sum += i % 2 ? va_arg(list, double) : va_arg(list, long);
    va_end(list);
    return sum;
}
struct pair swapped(struct pair p) { return (struct pair){(long)p.b, (double)p.a}; }
struct wide doubled(struct wide w) { for (int i = 0; i < 5; i++) w.part[i] *= 2; return w; }
long double precise(long double x) { return x / 3; }
int again(int (*function)(int), int value) { return function(function(value)); }
static int calls;
int counted(void) { return ++calls; }
"""
PROTOTYPES = """\
#include <assert.h>
#include <pthread.h>
struct pair { long a; double b; };
struct wide { long part[5]; };
double mixed(int, double, long, float, char, long, long, double, long, long), varied(int, ...);
struct pair swapped(struct pair);
struct wide doubled(struct wide);
long double precise(long double);
int again(int (*)(int), int), counted(void);
"""
# Each result is what the function would give without a stub before it.
CALLS = """\
static int next(int value) { return value + 1; }
static int (*volatile by_pointer)(int (*)(int), int) = again;
int main(void)
{
    assert(mixed(1, 2.5, 3, 4.5f, 5, 6, 7, 8.25, 9, 10) == 56.25);
    assert(varied(6, 1L, 2.5, 3L, 4.5, 5L, 6.5) == 22.5);
    assert(swapped((struct pair){1, 2.0}).a == 2 && swapped((struct pair){1, 2.0}).b == 1.0);
    assert(doubled((struct wide){{1, 2, 3, 4, 5}}).part[4] == 10);
    assert(precise(1.0L) == 1.0L / 3);
    assert(again(next, 1) == 3 && by_pointer(next, 5) == 7);
}
"""
BESIDE = """\
static void *call(void *unused) { counted(); return unused; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, call, 0);
    counted();
    pthread_join(t, 0);
}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("library")
    (place / "strange.c").write_text(LIBRARY)
    command = [*find_compiler().c, "-shared", "-fPIC", "-O2", "strange.c", "-o", "libstrange.so"]
    subprocess.run(command, cwd=place, check=True)
    return place


def _options(library: Path) -> CProgramOptions:
    return CProgramOptions(cflags=(f"-L{library}", "-lstrange", f"-Wl,-rpath,{library}"))


def test_arguments_and_results_pass_through(library: Path, tmp_path: Path) -> None:
    program = tmp_path / "passes.c"
    program.write_text(PROTOTYPES + CALLS)
    verdict = check_c_program([program], _options(library))
    assert verdict.outcome is Outcome.HOLDS, verdict.violations


def test_a_library_of_the_users_is_told_with_its_place(library: Path, tmp_path: Path) -> None:
    program = tmp_path / "beside.c"
    program.write_text(PROTOTYPES + BESIDE)
    verdict = check_c_program([program], _options(library))
    assert verdict.outcome is Outcome.INCOMPLETE
    lines = (PROTOTYPES + BESIDE).splitlines()
    where = {number for number, line in enumerate(lines, 1) if "counted();" in line}
    found = re.search(r"counted at .*beside\.c:(\d+), a function of a library", verdict.reason)
    assert found is not None, verdict.reason
    assert int(found[1]) in where


def test_a_network_of_the_users_own_is_part_of_the_program() -> None:
    """What he defines stands before ours, which would fail and make the verdict incomplete."""
    program = paths.PROGRAMS / "c" / "own_network.c"
    verdict = check_c_program([program], CProgramOptions(cflags=("-DLOCKED",), arguments=("2",)))
    assert verdict.outcome is Outcome.HOLDS, verdict.reason


def test_names_with_a_star_are_those_of_libraries() -> None:
    """SOUND: a function of a user could have another name that begins like one of libc's."""
    text = (paths.ROOT / "src/isospin/hosts/c/runtime/strangers/familiar.c").read_text()
    names = re.findall(r'"([^"\s]*\*[^"\s]*)"', text)
    assert len(names) > 20
    reserved = re.compile(r"_Z(St|N[KO]?S|NK?\*?S|n\[|d\[)|__cxa_|__gxx_|_Unwind_|pthread_\w*attr_")
    assert [name for name in names if not reserved.match(name)] == []


@pytest.mark.parametrize("how", ["strange.o", "libstrange.a", "-L. -lstrange"])
def test_objects_that_were_not_compiled_under_control_are_refused(
    how: str, library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("beside.c").write_text(PROTOTYPES + BESIDE)
    for command in (
        [*find_compiler().c, "-c", str(library / "strange.c")],
        ["ar", "rc", "libstrange.a", "strange.o"],
    ):
        subprocess.run(command, check=True)
    with pytest.raises(UsageError, match="was not compiled under control"):
        check_c_program(["beside.c"], CProgramOptions(cflags=tuple(how.split())))
