"""C programs with accesses weaker than seq_cst: what interleavings do not show is not said to hold."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from isospin import Verdict, check
from isospin.cli import main
from isospin.engines.stateless.search import SearchRequest
from isospin.hosts.c.building import build
from isospin.hosts.c.run import run
from isospin.hosts.c.weak import describe_weak
from tests.support import paths
from tests.support.oracles import weak_oracle

HERE = paths.PROGRAMS / "c" / "weak"
LITMUS = HERE / "litmus.c"
SHAPES = ("SB", "MP", "LB", "2+2W", "IRIW", "R", "S", "WRC", "ISA2", "CoRR")
# What C11 allows beyond interleavings.
WEAK = [
    *((shape, "relaxed") for shape in SHAPES if shape != "CoRR"),
    *((shape, "acquire-release") for shape in ("SB", "2+2W", "IRIW", "R")),
    ("SB", "relaxed-loads"), ("SB", "relaxed-stores"), ("MP", "relaxed-loads"),
]  # fmt: skip
STRONG = [(shape, strength) for shape in SHAPES for strength in ("seq_cst", "locks")]
# Nothing more can be seen, but it takes more than interleavings to know that.
CAREFUL = [("MP", "acquire-release"), ("SB", "fences"), ("CoRR", "relaxed")]

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


@cache
def built(file: Path) -> Path:
    return build.build([file])


def searched(*arguments: str, file: Path = LITMUS) -> str:
    """Why `holds` would be too much; all interleavings were explored, and none fails."""
    executable = built(file)
    result = run(executable, SearchRequest(symmetry="none"), arguments)
    assert (result.incomplete, result.findings) == ("", [])
    return describe_weak(result.weak, executable)


@pytest.mark.parametrize(("shape", "strength"), [*WEAK, *CAREFUL])
def test_what_is_weaker_than_seq_cst_is_not_said_to_hold(shape: str, strength: str) -> None:
    reason = searched(shape, strength)
    assert "explored under sequential consistency only" in reason
    assert f"{LITMUS}:" in str(Path(reason.split(" at ")[1].split(",")[0]).absolute())


@pytest.mark.parametrize(("shape", "strength"), STRONG)
def test_seq_cst_and_locks_hold(shape: str, strength: str) -> None:
    assert searched(shape, strength) == ""


def test_there_are_enough_litmus_programs() -> None:
    assert len({*WEAK, *STRONG, *CAREFUL}) >= 36


@pytest.mark.parametrize("way", "lorcf")
def test_weak_accesses_that_nothing_can_see_do_no_harm(way: str) -> None:
    """Alone, under a lock, in memory of its own, only read, or each knows what the one before it did."""
    assert searched(way, file=HERE / "harmless.c") == ""


def test_a_count_that_races_does() -> None:
    assert "atomic update (relaxed) at" in searched("x", file=HERE / "harmless.c")


@pytest.mark.slow
@pytest.mark.parametrize("compiler", [c for c in ("gcc", "clang") if shutil.which(c)])
@pytest.mark.parametrize(("shape", "strength"), [*WEAK, *CAREFUL, *STRONG])
@pytest.mark.parametrize("how", [{"search": "dpor"}, {"fork": True}, {"search": "persistent"}], ids=str)
def test_every_way_comes_to_the_same(compiler: str, shape: str, strength: str, how: dict[str, Any]) -> None:
    verdict = check(LITMUS, arguments=(shape, strength), compiler=compiler, **how)
    strong = (shape, strength) in STRONG
    assert ("sequential consistency" in verdict.reason) != strong, verdict.reason
    if compiler == "gcc":  # clang does not announce how the table of shapes is read
        assert verdict.outcome.value == ("holds" if strong else "incomplete"), verdict.reason


@pytest.mark.slow
def test_the_library_of_cpp_may_use_weak_accesses_where_nothing_can_be_seen() -> None:
    assert check(HERE / "words.cpp", cflags=("-std=c++17",)).outcome.value == "holds"
    verdict = check(HERE / "words.cpp", cflags=("-std=c++17", "-DWEAK"), search="dpor")
    assert verdict.outcome.value == "incomplete"
    assert "atomic store (release) at" in verdict.reason
    assert "words.cpp:26, which nothing orders" in verdict.reason
    assert "words.cpp:30 of another thread" in verdict.reason


# -------------------------------------------------------------------------------------------------- against axioms


@pytest.mark.parametrize(
    ("scripts", "weak"),
    [(["Sx0Ly0", "Sy0Lx0"], True), (["Sx5Ly5", "Sy5Lx5"], False), (["Sx0Fx5Ly0", "Sy0Fx5Lx0"], False),
     (["Sx0Sy3", "Ly2Lx0"], False), (["Sx0Sy0", "Ly0Lx0"], True), (["Lx0Sy0", "Ly0Sx0"], True),
     (["Lx2Sy3", "Ly2Sx3"], False), (["Sx3Sy3", "Sy3Sx3"], True), (["Sx0", "Lx0Lx0"], False)],
)  # fmt: skip
def test_the_axioms_know_the_classical_programs(scripts: list[str], weak: bool) -> None:
    assert weak_oracle.is_weak(scripts) == weak


def compared(seeds: range) -> Counter[tuple[bool, bool]]:
    """How often it is (weak, told); SOUND: what is weak is told."""
    seen: Counter[tuple[bool, bool]] = Counter()
    for seed in seeds:
        scripts = weak_oracle.random_program(Random(seed))
        weak, told = weak_oracle.is_weak(scripts), searched(*scripts, file=HERE / "script.c") != ""
        assert told or not weak, scripts
        assert not told or any(order in script[2::3] for script in scripts for order in "01234"), scripts
        seen[weak, told] += 1
    return seen


def test_random_programs_that_can_show_more_are_told() -> None:
    seen = compared(range(25))
    assert seen[True, True]
    assert seen[False, False]


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 2100, 500))
def test_many_random_programs_that_can_show_more_are_told(first: int) -> None:
    seen = compared(range(first, first + 500))
    print(dict(seen))
    assert seen[True, True] > 50
    assert seen[False, False] > 50


# -------------------------------------------------------------------------------------------------- what is said


def checked(capsys: pytest.CaptureFixture[str], *options: str, shape: str = "SB") -> tuple[int, str]:
    status = main(["check", str(LITMUS), *options, "--symmetry", "none", "--", shape, "relaxed"])
    return status, capsys.readouterr().out


def test_the_place_is_named_and_the_status_is_3(capsys: pytest.CaptureFixture[str]) -> None:
    status, said = checked(capsys, "--search", "dpor")
    assert status == 3
    assert "atomic store (relaxed) at " in said
    assert "litmus.c:30, which nothing orders against the atomic load (relaxed) at" in said
    assert "explored under sequential consistency only" in said


def test_sequential_consistency_is_the_users_word(capsys: pytest.CaptureFixture[str]) -> None:
    assert checked(capsys, "--memory", "sc", "--quiet") == (0, "safety: holds under sequential consistency\n")
    status, said = checked(capsys, "--memory", "sc", "--json")
    document = json.loads(said)
    assert (status, document["outcome"], document["memory"]) == (0, "holds", "sc")
    status, said = checked(capsys, "--json", "--search", "dpor")
    document = json.loads(said)
    assert (status, document["outcome"], document["memory"]) == (3, "incomplete", None)


def test_other_searches_see_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    status, said = checked(capsys, "--search", "dfs", shape="CoRR")
    assert status == 3
    assert "explored under sequential consistency only" in said


def test_what_is_not_available_lists_what_is(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["check", str(LITMUS), "--memory", "power"])
    assert "'auto', 'sc', 'tso', 'rc11'" in capsys.readouterr().err
    assert main(["check", "model.pml", "--memory", "sc"]) == 2
    assert "--memory is for C programs" in capsys.readouterr().err


PLAIN = """#include <assert.h>
#include <pthread.h>
static volatile int x, y, r, s;
static void *one(void *u) { x = 1; __asm__ volatile("" ::: "memory"); r = y; return u; }
static void *two(void *u) { y = 1; __asm__ volatile("" ::: "memory"); s = x; return u; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0); pthread_create(&b, 0, two, 0);
    pthread_join(a, 0); pthread_join(b, 0);
    assert(r || s);
}"""


def test_races_that_are_only_noted_are_weak_as_well(tmp_path: Path) -> None:
    """Store buffering with volatile: the assertion fails on every processor of today."""
    file = tmp_path / "plain.c"
    file.write_text(PLAIN)

    def said(**options: Any) -> Verdict:
        return check(file, symmetry="none", **options)

    assert [v.kind for v in said().violations] == ["race"]
    noted = said(races=False)
    assert noted.outcome.value == "incomplete"
    assert noted.reason.startswith(f"data race at {file}:")
    assert said(races=False, memory="sc").outcome.value == "holds"


def test_processes_with_shared_memory_are_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    def said(order: str, *options: str) -> tuple[int, str]:
        status = main(["check", str(HERE / "processes.c"), "--quiet", *options, "--", order])
        return status, capsys.readouterr().out

    status, text = said("relaxed")
    assert status == 3
    assert "(relaxed) of shared memory at" in text
    assert "explored under sequential consistency only" in text
    assert said("relaxed", "--memory", "sc") == (0, "safety: holds under sequential consistency\n")
    assert said("seq_cst") == (0, "safety: holds\n")
