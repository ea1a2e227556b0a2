"""Main beside threads that are alike: what it does is watched, and what they leave behind is compared."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

import pytest

from isospin.hosts.c.building import build
from isospin.hosts.c.building.compilers import find_compiler
from tests.support import paths
from tests.support.generators import random_c_bystanders

pytest.importorskip("capstone")
pytest.importorskip("elftools")

from isospin.engines.stateless.search import SearchRequest
from isospin.hosts.c.known import Places
from isospin.hosts.c.run import CResult, run
from tests.hosts.c.test_alike import COMPILERS, findings, verdicts

SOURCE = paths.PROGRAMS / "c" / "machine_code" / "bystanders.c"


@cache
def built(compiler: str) -> tuple[Path, Places]:
    path = build.build([SOURCE], (), compiler)
    return path, Places(path, build.runtime_library(find_compiler(compiler)))


def explored(scene: str, symmetry: str, compiler: str = COMPILERS[0]) -> CResult:
    path, places = built(compiler)
    asked = SearchRequest(symmetry=symmetry, all_errors=True)
    return run(path, asked, [scene], answers=places, options={"leaks": 0})


@pytest.mark.parametrize(("scene", "plain", "symmetric"), [("sums", 6, 1), ("beside", 24, 4), ("in_the_heap", 6, 1),
                                                             ("in_the_heap_beside", 24, 4)])  # fmt: skip
def test_main_may_do_what_it_likes_in_the_end(scene: str, plain: int, symmetric: int) -> None:
    results = [explored(scene, symmetry) for symmetry in ("none", "discovered")]
    assert [r.findings for r in results] == [[], []]
    assert [r.executions for r in results] == [plain, symmetric]


TRAPS = ["order", "late", "early", "first", "looks", "peeks", "shows", "holds", "one_by_one", "knows",
         "where_kept", "what_kept", "points_to_kept", "looks_at_kept"]  # fmt: skip


@pytest.mark.parametrize("compiler", [COMPILERS[0], *(pytest.param(c, marks=pytest.mark.slow) for c in COMPILERS[1:])])
@pytest.mark.parametrize("scene", TRAPS)
def test_main_sees_in_which_order_the_others_went(scene: str, compiler: str) -> None:
    plain, symmetric = (findings(explored(scene, symmetry, compiler)) for symmetry in ("none", "discovered"))
    assert plain == symmetric != set()


def test_random_programs_have_the_same_findings(tmp_path: Path) -> None:
    differ, saved = verdicts(range(5), tmp_path, COMPILERS[0], random_c_bystanders.text)
    assert differ == {}
    assert saved > 0


@pytest.mark.slow
@pytest.mark.parametrize("first", range(10000, 10500, 25))
def test_many_random_programs_have_the_same_findings(first: int, tmp_path: Path) -> None:
    compiler = COMPILERS[first // 25 % len(COMPILERS)]
    assert verdicts(range(first, first + 25), tmp_path, compiler, random_c_bystanders.text)[0] == {}


PARTS = """#include <stdio.h>
#include "symmetry/renaming.h"
enum { REGION = 0x1000, FIRST = 0x100000 };
uintptr_t region_image(uintptr_t address, const uint8_t to[MOST_THREADS])
{
    uintptr_t thread = (address - FIRST) / REGION;
    bool inside = address >= FIRST && thread < MOST_THREADS;
    return inside ? FIRST + to[thread] * (uintptr_t)REGION + address % REGION : address;
}
static void exchange(struct renaming *made, int a, int b)
{
    renaming_clear(made);
    made->to[a] = (uint8_t)b;
    made->to[b] = (uint8_t)a;
}
static void with(struct renaming *made, uintptr_t one, uintptr_t other, bool name)
{
    renaming_add(made, (struct move){.from = one, .to = other, .size = 8, .name = name});
    renaming_add(made, (struct move){.from = other, .to = one, .size = 8, .name = name});
}
int main(void)
{
    struct renaming plain, cells, names, other, wide, inside;
    exchange(&plain, 1, 2);
    exchange(&cells, 1, 2), with(&cells, 0x10, 0x20, false);
    exchange(&names, 1, 2), with(&names, 0x10, 0x20, true);
    exchange(&other, 1, 3);
    exchange(&wide, 1, 2), wide.to[3] = 4, wide.to[4] = 3;
    exchange(&inside, 1, 2), with(&inside, FIRST + REGION + 0x40, FIRST + 2 * REGION + 0x80, false);
    printf("%d %d", renaming_is_part(&plain, &plain), renaming_is_part(&plain, &cells));
    printf(" %d", renaming_is_part(&plain, &wide));
    printf(" %d %d", renaming_is_part(&cells, &plain), renaming_is_part(&cells, &names));
    printf(" %d %d", renaming_is_part(&plain, &other), renaming_is_part(&wide, &plain));
    printf(" %d %d", renaming_is_part(&plain, &inside), renaming_is_part(&inside, &plain));
}
"""


def test_what_is_a_part_of_a_renaming(tmp_path: Path) -> None:
    """The same to all that it moves: fewer cells or threads, but no other ones, also inside of the threads' regions."""
    (tmp_path / "parts.c").write_text(PARTS)
    sources = [str(tmp_path / "parts.c"), str(build.RUNTIME / "symmetry" / "renaming.c")]
    program = str(tmp_path / "parts")
    subprocess.run([COMPILERS[0], "-O1", *build.includes(tmp_path), *sources, "-o", program], check=True)
    told = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    assert told.split() == ["1", "1", "1", "0", "0", "0", "0", "0", "0"]
