"""Accesses that the compiler does not announce are found, and make the verdict incomplete."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from isospin.hosts.c.building import build
from tests.support import paths

pytest.importorskip("capstone")
pytest.importorskip("elftools")

from isospin.core.verdict import Outcome
from isospin.hosts.c.binary.machine import MachineFile
from isospin.hosts.c.binary.silent import own_silent_accesses, silent_accesses
from isospin.pipeline.programs.c import check_files as check_c_program
from isospin.pipeline.settings import CProgramOptions

SOURCE = paths.PROGRAMS / "c" / "machine_code" / "silent.c"
BY_VALUE = """\
#include <assert.h>
#include <pthread.h>
struct pair { long a, b, c, d; } shared;
static long difference(struct pair p) { return p.a - p.b; }
static void *change(void *unused) { shared.a = 1; shared.b = 1; return unused; }
static void *look(void *unused) { assert(difference(shared) == 0); return unused; }
int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], 0, change, 0);
    pthread_create(&t[1], 0, look, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
"""


def test_silent_accesses() -> None:
    found = silent_accesses(MachineFile(build.build([SOURCE], (), "gcc")))
    names = {s.function for s in found}
    assert names == {
        "silent_small", "silent_middle", "silent_large", "silent_by_pointer", "silent_large_by_pointer",
        "silent_result", "silent_large_result", "silent_assembly",
    }  # fmt: skip
    writing = {s.function for s in found if s.writes}
    assert writing == {"silent_result", "silent_large_result", "silent_assembly"}


def test_what_is_not_announced_is_no_proof(tmp_path: Path) -> None:
    """gcc reads the struct without telling, so the race is not seen: then the program does not hold."""
    source = tmp_path / "by_value.c"
    source.write_text(BY_VALUE)
    verdict = check_c_program([source], CProgramOptions())
    assert verdict.outcome is not Outcome.HOLDS
    assert "by_value.c:6 reads memory" in verdict.reason


PUT_ASIDE = """#include <stdatomic.h>
static atomic_int who;
static int plain;
int twice(int given) { return atomic_exchange(&who, given) + atomic_load(&who) + plain++; }
int main(void) { return twice(0); }
"""


@pytest.mark.skipif(shutil.which("clang") is None, reason="no clang")
def test_what_is_announced_by_an_address_that_was_put_aside(tmp_path: Path) -> None:
    """clang keeps the address in its frame, and reads once more what it does not need."""
    source = tmp_path / "twice.c"
    source.write_text(PUT_ASIDE)
    assert silent_accesses(MachineFile(build.build([source], (), "clang"))) == []


OWN = """\
#include <pthread.h>
struct record {{ int a[6]; }} own;
static struct record make(void) {{ struct record made = {{{{0}}}}; return made; }}
static int use(struct record given) {{ return given.a[1]; }}
static void *work(void *p) {{ ((struct record *)p)->a[1] = 1; return 0; }}
static void apart(void) {{ struct record v = {{{{0}}}}; work(&v); v = make(); use(v); }}
int main(void)
{{
    struct record v = {{{{0}}}};
    pthread_t thread;
    pthread_create(&thread, 0, work, {shared});
    {does};
    pthread_join(thread, 0);
    apart();
    return v.a[0];
}}
"""
WAYS = {"reads": "use(v)", "writes": "v = make()"}


@pytest.mark.parametrize("how", [*WAYS, "asm"])
def test_own_variables_that_others_use(how: str, tmp_path: Path) -> None:
    """gcc does not tell what is done to the whole struct on the stack, either."""
    source = tmp_path / "own.c"
    does = WAYS.get(how, '__asm__ volatile("movl $1, %0" : "=m"(v.a[1]))')
    source.write_text(OWN.format(shared="&v", does=does))
    verdict = check_c_program([source], CProgramOptions())
    assert verdict.outcome is Outcome.INCOMPLETE
    assert f"own.c:12 {'reads' if how == 'reads' else 'writes'} memory" in verdict.reason


@pytest.mark.parametrize("does", WAYS.values())
def test_own_variables_that_nobody_else_uses(does: str, tmp_path: Path) -> None:
    source = tmp_path / "own.c"
    source.write_text(OWN.format(shared="&own", does=does))
    assert check_c_program([source], CProgramOptions()).outcome is Outcome.HOLDS


@pytest.mark.skipif(shutil.which("clang") is None, reason="no clang")
def test_what_clang_announces_of_own_variables_is_seen(tmp_path: Path) -> None:
    source = tmp_path / "own.c"
    source.write_text(OWN.format(shared="&v", does="v.a[1]++"))
    assert not list(own_silent_accesses(MachineFile(build.build([source], (), "clang"))))
