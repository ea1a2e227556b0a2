"""Futexes over execution graphs: looking and lying down is one step, as where everything is interleaved."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path
from random import Random

import pytest

from isospin.engines.stateless.search import SearchRequest
from isospin.hosts.c.building.build import build
from isospin.hosts.c.run import CResult, run
from tests.support import paths
from tests.support.generators import random_c_futexes

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")

SOURCE = paths.PROGRAMS / "c" / "weak" / "notifies.cpp"
SCENES = {
    "a release": set(), "relaxed": {"race"}, "nobody notifies": {"deadlock"}, "notifying orders nothing": {"race"},
    "a latch": set(),
}  # fmt: skip


def explored(executable: Path, *arguments: str, all_errors: bool = False, **options: str) -> CResult:
    return run(executable, SearchRequest(all_errors=all_errors, symmetry="none"), arguments, options=options)


def shown(result: CResult) -> tuple[set[str], set[str], str]:
    return set(result.outcomes), {finding.found.kind for finding in result.findings}, result.incomplete


def compare(seeds: range, place: Path) -> None:
    """All accesses are seq_cst: there are interleavings, and nothing else, under every model."""
    deadlocks = 0
    for seed in seeds:
        program = place / f"futex{seed}.c"
        program.write_text(random_c_futexes.write_c(Random(seed)))
        executable = build([program])
        wanted = explored(executable, all_errors=True)
        assert wanted.incomplete == ""
        for memory in ("sc", "tso", "rc11"):
            result = explored(executable, all_errors=True, memory=memory)
            assert shown(result)[:2] == shown(wanted)[:2], (seed, memory)
        deadlocks += bool(wanted.findings)
    assert 0 < deadlocks < len(seeds)


def test_random_programs_show_what_interleavings_show(tmp_path: Path) -> None:
    compare(range(4), tmp_path)


@pytest.mark.slow
def test_many_random_programs_show_what_interleavings_show(tmp_path: Path) -> None:
    compare(range(1000, 1300), tmp_path)


@cache
def built() -> Path:
    return build([SOURCE], ["-std=c++20"])


@pytest.mark.parametrize("scene", SCENES)
def test_what_cxx_waits_with(scene: str) -> None:
    """A store of any order before notifying is heard; that orders nothing but the waiting."""
    result = explored(built(), scene, memory="rc11")
    assert shown(result)[1:] == (SCENES[scene], "")
    assert result.executions < 200
