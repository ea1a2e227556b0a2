"""C threads that are given numbers, and threads that wait at condition variables, against brute force that shares
nothing with the search: what can go wrong, everything that is said at the end, and the number of executions.

Without symmetry there is one execution for each trace, and over graphs one for each class of traces that differ in what
is read.  With symmetry there are all together no more than orbits: threads become alike again later, and are folded
then, too; but in a program on its own, numbers behind pointers may not be followed.
"""

from __future__ import annotations

import platform
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from isospin.engines.stateless.search import SearchRequest
from isospin.hosts.c.building import build
from isospin.hosts.c.building.compilers import find_compiler
from isospin.hosts.c.run import CResult, run
from isospin.pipeline.programs import road
from isospin.pipeline.programs.c import CHost, _CProgram
from isospin.pipeline.settings import CProgramOptions
from tests.support import c_families
from tests.support.generators import random_c_families
from tests.support.generators.random_c_families import FamilyProgram
from tests.support.oracles import brute_families
from tests.support.oracles.brute_families import FamilyBehaviour

pytest.importorskip("capstone")
pytest.importorskip("elftools")

from isospin.hosts.c.known import Places

pytestmark = [
    pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the C host is for x86-64 only"),
    pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed"),
]
COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]
SCHEDULES, GRAPHS = "", "sc"
FOLDED = "discovered"


class Judged(NamedTuple):
    """A program that was built, and what brute force says about it."""

    seed: int
    number: str
    program: FamilyProgram
    truth: FamilyBehaviour

    @property
    def wanted(self) -> set[str]:
        wrong = {"assertion": self.truth.fails, "deadlock": self.truth.waits_for_ever}
        return {kind for kind, happens in wrong.items() if happens}

    def needed(self, memory: str, symmetry: str, compiler: str) -> tuple[int, int]:
        """Executions: so many, or more, but not more than that.  Over graphs, what touches two objects, as waiting at a
        condition variable does, may be repeated (below two per cent).  Of code by clang it is not always known that a
        result is not used."""
        if symmetry == FOLDED:
            return 1, len(self.truth.runs)
        least, most = brute_families.classes(self.truth, memory == GRAPHS, ordered=compiler != COMPILERS[0])
        if "deadlock" in self.wanted:  # who waits for ever sees the order of writes
            most = len(self.truth.runs)
        repeats = memory == GRAPHS and any(e.kind == "wait" for run in self.truth.runs for e in run)
        return least, most + (1 + most // 50 if repeats else 0)

    @property
    def orbits(self) -> int:
        return brute_families.orbits(self.program, self.truth)


class Built:
    """Programs in one executable."""

    def __init__(self, judged: Sequence[Judged], folder: Path, compiler: str) -> None:
        self.judged, self.source, self.compiler = judged, folder / "families.c", compiler
        self.source.write_text(c_families.text([each.program for each in judged]))
        self.path = build.build([self.source], ["-w"], compiler)
        self.library = build.runtime_library(find_compiler(compiler))
        self.places = Places(self.path, self.library)

    def run(self, one: Judged, memory: str, symmetry: str, workers: int = 1) -> CResult:
        asked = SearchRequest(symmetry=symmetry, all_errors=True, workers=workers)
        given = {"memory": memory} if memory else {}
        return run(self.path, asked, [one.number], answers=self.places, options={"leaks": 0, **given})

    def check(self, one: Judged) -> tuple[str, set[str], set[str]]:
        """As a user does: the outcome, what was found, what was said."""
        options = CProgramOptions(arguments=(one.number,))
        host = CHost(_CProgram((str(self.source),), self.path, self.library), options)
        host.__dict__["places"] = self.places
        verdict = road.check_program(host, options)
        return verdict.outcome.value, _kinds(v.kind for v in verdict.violations), {text for text, _ in verdict.outcomes}


def _kinds(found: Iterable[str]) -> set[str]:
    return {kind.replace("lost-wakeup", "deadlock") for kind in found}


def judged(seeds: Iterable[int], conditions: bool, most: int) -> Iterator[Judged]:
    """Those that have no more traces than that."""
    number = 0
    for seed in seeds:
        program = random_c_families.make(seed, conditions)
        try:
            truth = brute_families.behaviour(program, most)
        except brute_families.TooLarge:
            continue
        yield Judged(seed, str(number), program, truth)
        number += 1


def compare(built: Built, memory: str, symmetry: str, workers: int = 1) -> Counter[str]:
    """How many executions are needed and made, over all programs; where one fails, only that is compared."""
    total = Counter[str]()
    for one in built.judged:
        where = (one.seed, memory, symmetry)
        result = built.run(one, memory, symmetry, workers)
        kinds = _kinds(f.found.kind for f in result.findings)
        if one.truth.fails:
            assert "assertion" in kinds, where
            assert kinds <= one.wanted, where
            continue
        assert (kinds, result.incomplete) == (one.wanted, ""), where
        assert workers == 1 or result.executions == built.run(one, memory, symmetry).executions, where
        assert (set(result.outcomes) or {""}) == one.truth.outcomes, where
        if memory in (SCHEDULES, GRAPHS):
            least, most = one.needed(memory, symmetry, built.compiler)
            assert least <= result.executions <= most, where
            total += Counter(traces=len(one.truth.runs), orbits=one.orbits, made=result.executions)
    return total


def compare_defaults(built: Built) -> None:
    """The search that is chosen where nobody asks for one."""
    for one in built.judged:
        outcome, kinds, said = built.check(one)
        assert outcome == ("violated" if one.wanted else "holds"), one.seed
        assert kinds <= one.wanted, one.seed
        if not one.wanted:
            assert said == one.truth.outcomes, one.seed


@pytest.mark.parametrize("conditions", [False, True], ids=["numbers", "conditions"])
def test_as_brute_force_says(conditions: bool, tmp_path: Path) -> None:
    built = Built(list(judged(range(360, 380), conditions, 60)), tmp_path, COMPILERS[0])
    for memory in (SCHEDULES, GRAPHS):
        plain, folded = (compare(built, memory, symmetry) for symmetry in ("none", FOLDED))
        assert folded["made"] < plain["made"]
        assert folded["made"] <= folded["orbits"] < folded["traces"] or memory == GRAPHS
    compare_defaults(built)


@pytest.mark.slow
@pytest.mark.parametrize("conditions", [False, True], ids=["numbers", "conditions"])
@pytest.mark.parametrize("first", range(1000, 6000, 50))
def test_many_as_brute_force_says(first: int, conditions: bool, tmp_path: Path) -> None:
    """By turns with each compiler, with more than one process, and under weak memory, of which all of them, being
    sequentially consistent, see nothing."""
    turn = first // 50 % 4
    built = Built(list(judged(range(first, first + 50), conditions, 300)), tmp_path, COMPILERS[turn % len(COMPILERS)])
    for symmetry in ("none", FOLDED):
        for memory in (SCHEDULES, GRAPHS, *(("tso", "rc11") if turn > 1 else ())):
            compare(built, memory, symmetry, workers=2 if turn == 1 else 1)
    compare_defaults(built)
