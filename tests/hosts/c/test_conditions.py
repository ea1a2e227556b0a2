"""Conditions on which verdicts about C programs rest: each is noticed when it is taken out."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from isospin import check
from isospin.engines.stateless.search import SearchRequest
from isospin.hosts.c.building import build
from isospin.hosts.c.building.compilers import find_compiler
from isospin.hosts.c.known import Places
from isospin.hosts.c.run import CResult, run
from tests.support import paths
from tests.support.oracles import graph_oracle

pytest.importorskip("capstone")
pytest.importorskip("elftools")

from tests.hosts.c.memory import test_folding, test_registers
from tests.hosts.c.test_alike import COMPILERS, findings

SOURCE = paths.PROGRAMS / "c" / "machine_code" / "conditions.c"

RUNTIME = paths.SOURCE / "hosts" / "c" / "runtime"

# Of `struct thread`, what `same_record` need not compare.
COMPARED_ELSEWHERE = {
    "self": "where it lies", "parent": "who it is", "life": "both are about to do something",
    "entry": "same_stack", "frame": "same_stack", "crash": "same_stack",
    "tls": "same_local_storage", "specific": "same_specific", "start": "same_start", "argument": "same_start",
    "blocks": "same_seats", "heap_top": "same_seats", "seat_top": "same_seats", "freed": "same_freed",
    "children": "code that starts threads tells them apart", "stack_low": "only says what to put back",
    "choice": "of an operation that is being executed", "joining": "in the operation",
    "awaits": "whether it can go on", "spin_end": "whether it can go on", "spin": "whether it can go on",
    "otherwise": "whether it can go on", "held": "the locks name who has them",
    "put": "same_put", "hands_on": "same_put", "touches": "on its stack, too", "expects": "on its stack, too",
}  # fmt: skip


def test_whatever_a_thread_has_is_compared() -> None:
    """A field that is added to the record of a thread tells threads apart, or it is said why not."""
    header = re.sub(r"/\*.*?\*/", "", (RUNTIME / "runtime.h").read_text(), flags=re.DOTALL)
    [record] = re.findall(r"^struct thread \{\n(.*?)^\};", header, re.DOTALL | re.MULTILINE)
    declared = re.findall(r"(\w+)\)?(?:\[\w+\]|\(const struct thread \*\)|\(void \*\))?\s*[,;]", record)
    [same] = re.findall(r"^static bool same_record.*?^\}", (RUNTIME / "symmetry/alike.c").read_text(), re.DOTALL | re.M)
    compared = {one for one, other in re.findall(r"\b(?:a->)(\w+)\b.{1,12}\bb->(\w+)\b", same) if one == other}
    assert {"random", "parked"} <= compared
    assert set(declared) == compared | COMPARED_ELSEWHERE.keys()
    assert not compared & COMPARED_ELSEWHERE.keys()


@cache
def built() -> tuple[Path, Places]:
    path = build.build([SOURCE], (), COMPILERS[0])
    return path, Places(path, build.runtime_library(find_compiler(COMPILERS[0])))


def explored(scene: str, symmetry: str) -> CResult:
    path, places = built()
    asked = SearchRequest(symmetry=symmetry, all_errors=True)
    return run(path, asked, [scene], answers=places, options={"leaks": 0})


# What tells two threads apart that meet, and where that is asked.
SCENES = {
    "sizes": "how large their blocks are (same_seats)",
    "locks": "what one of them did under a lock that nobody needs (leaving.c, equally_known)",
    "pointer": "what one of them wrote where only a pointer leads to (scene_out_of_reach)",
    "jobs": "what is in the blocks that they leave behind (left_alike)",
}


@pytest.mark.parametrize("scene", SCENES)
def test_nothing_is_lost_in_the_other_order(scene: str) -> None:
    """Threads are folded before they meet, or when nobody looks at what they leave; not after that."""
    plain, symmetric = (findings(explored(scene, symmetry)) for symmetry in ("none", "discovered"))
    assert plain == symmetric != set()


# Programs in small steps (graph_oracle.py), and what leads to another number of executions than there are graphs.
GRAPHS = {
    "who reads twice is not always in a round (foresee.c, read_before)": ["Wy200", "Ly220Sx512", "Lx502Wx502"],
    "who had the mutex before (registers.c, relate_known)": ["Sy011Mm201Um310", "Mm201Sx022Um310Mm201Um310Ly002Sy021"],
    "the same, beside a counter": ["Lx002Mm201Ax022Um310", "Sx011Sx011Ly012Mm201Um310"],
}


@pytest.mark.parametrize("scripts", GRAPHS.values(), ids=GRAPHS)
def test_one_execution_for_each_graph(scripts: list[str]) -> None:
    result = test_registers.explored(test_registers.STEPS, *scripts, deadlock=False)
    assert result.executions == graph_oracle.count_read(scripts, "sc")


def test_what_a_revisit_has_kept_decides_nothing_between_alike_threads() -> None:
    """Also what came before it in the same thread (fold.c, keep_past)."""
    scripts = ["Cx401Sx302", "Sy302Sx321", "Sy302Sx321"]
    result = test_folding.explored(test_registers.STEPS, *scripts, memory="sc")
    assert (result.orbit_sum, result.executions) == graph_oracle.count_orbits(scripts, "sc") == (24, 12)


def test_what_crashes_ahead_of_joins_is_told_by_a_process_that_serves() -> None:
    """The message goes out while main still has joins to make, in an execution that counts for nothing."""
    program = paths.PROGRAMS / "c" / "compares_texts_of_threads.c"
    assert check(program, search="random").outcome == "violated"
