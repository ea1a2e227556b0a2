"""Main beside threads that are alike: what it does is watched, and what they leave behind is compared."""

from __future__ import annotations

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
