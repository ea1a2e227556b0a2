"""Symmetry of C programs that moves memory: cells that threads know by pointers, and rings of threads."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path

import pytest

from isospin.engines.stateless.protocol import Renaming
from isospin.engines.stateless.search import SearchRequest
from isospin.hosts.c.building import build
from isospin.hosts.c.building.compilers import find_compiler
from isospin.hosts.c.host import CProgram
from isospin.hosts.c.run import run
from tests.support import paths

pytest.importorskip("capstone")
pytest.importorskip("elftools")

from isospin.hosts.c.known import Places

SOURCE = paths.PROGRAMS / "c" / "machine_code" / "cells.c"
COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]
TO_A_LOCK = {"loose": (1, 2), "half": (2, 4, 1, 3)}


@cache
def executable(compiler: str) -> tuple[Path, Places]:
    path = build.build([SOURCE], (), compiler)
    return path, Places(path, build.runtime_library(find_compiler(compiler)))


def found(compiler: str, scene: str, first: int = 1, second: int = 2) -> Renaming | None:
    """The renaming where all threads have been started, or have come to a lock."""
    path, places = executable(compiler)
    program = CProgram(path, [scene], words="leaks=0", answers=places)
    try:
        while program.pending()[0].kind != "join":
            assert not program.step(0)
        for thread in TO_A_LOCK.get(scene, ()):
            while program.pending()[thread].kind != "lock":
                assert not program.step(thread)
        return program.find_renaming(first, second)
    finally:
        program.close()


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(
    ("scene", "cells"),
    [("two", 4), ("variables", 4), ("locals", 4), ("blocks", 4), ("freeing", 4), ("embedded", 4), ("whole", 2),
     ("themselves", 4)],
)  # fmt: skip
def test_threads_change_places_with_their_cells(compiler: str, scene: str, cells: int) -> None:
    renaming = found(compiler, scene)
    assert renaming is not None
    assert renaming.threads == {1: 2, 2: 1}
    assert len(renaming.objects) == cells


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_ring_is_rotated(compiler: str) -> None:
    renaming = found(compiler, "ring", 1, 3)
    assert renaming is not None
    assert renaming.threads == {1: 3, 2: 1, 3: 2}
    assert len(renaming.objects) == 6


APART = {
    "value": "another value in a cell",
    "tag": "another number",
    "walk": "the next element, by arithmetic",
    "element": "the next element, by an index",
    "stride": "a pointer that goes on",
    "distance": "how far apart they are",
    "library": "a function that is told how much",
    "naming": "code that names a cell",
    "later": "main names a cell in the end",
    "later_local": "main uses its variable in the end",
    "later_block": "main has a pointer to a block",
    "keeping": "a variable points to a cell",
    "third": "another thread points to a cell",
    "packed": "pointers that are not aligned",
    "loose": "pointers in blocks of their own that are not aligned",
    "sizes": "blocks of other sizes",
    "stale": "one was freed",
    "chain": "a cell whose image has none",
    "links": "pointers that are sometimes the same",
    "owner": "one lock is held",
    "half": "others, who gave them something",
}


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("scene", APART, ids=APART.get)
def test_something_tells_them_apart(compiler: str, scene: str) -> None:
    first, second = {"third": (2, 3), "half": (1, 3)}.get(scene, (1, 2))
    assert found(compiler, scene, first, second) is None


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("scene", ["history", "ahead"])
def test_what_others_did_with_a_cell_counts(compiler: str, scene: str) -> None:
    """In the first somebody wrote one of two cells, and then their threads are in the same state.  In the second main
    has read a cell before its threads ended, and only who comes last changes its own."""
    path, places = executable(compiler)
    kinds = []
    for symmetry in ("none", "discovered"):
        asked = SearchRequest(symmetry=symmetry, all_errors=True)
        result = run(path, asked, [scene], answers=places, options={"leaks": 0})
        kinds.append({f.found.kind for f in result.findings})
        assert not result.incomplete
    assert kinds[0] == kinds[1] != set()
