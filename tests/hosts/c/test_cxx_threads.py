"""Threads of C++: what a `std::thread` begins with is in a library, and its argument is an object that main made."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from isospin.engines.stateless.search import SearchRequest
from isospin.hosts.c.building import build
from isospin.hosts.c.building.compilers import find_compiler
from isospin.hosts.c.known import Places
from isospin.hosts.c.run import CResult, run
from isospin.hosts.c.telling.unlike import find_symmetry
from tests.support import paths

pytest.importorskip("capstone")

SOURCE = paths.PROGRAMS / "c" / "machine_code" / "threads.cpp"
# The order of the group, and executions with and without symmetry; None: it is violated.
SCENES = {
    "a function": (6, (1, 6)),
    "in a vector": (6, (1, 6)),
    "a lambda": (6, (1, 6)),
    "a member function": (6, (1, 6)),
    "beside main": (6, (4, 24)),
    "the same argument": (6, (1, 6)),
    "an argument of its own": (2, (3, 6)),
    "a number": (1, (6, 6)),
    "another function": (1, None),
    "a virtual function": (1, None),
    "the same virtual function": (1, (2, 2)),  # each captures another object
}


@cache
def built() -> tuple[Path, Places]:
    path = build.build([SOURCE], (), "gcc")
    return path, Places(path, build.runtime_library(find_compiler("gcc")))


def searched(scene: str, symmetry: str) -> CResult:
    path, places = built()
    return run(path, SearchRequest(symmetry=symmetry), [scene], answers=places)


@pytest.mark.parametrize("scene", SCENES)
def test_threads_of_cxx(scene: str) -> None:
    order, executions = SCENES[scene]
    path, places = built()
    assert find_symmetry(path, places.runtime.path, [scene], "").order == order
    found = [searched(scene, symmetry) for symmetry in ("discovered", "none")]
    if executions is None:
        assert all(each.findings for each in found)
    else:
        assert not any(each.findings or each.incomplete for each in found)
        assert tuple(each.executions for each in found) == executions
