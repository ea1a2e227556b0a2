"""The exploration in C on programs in memory, against the search in Python and against all executions."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Iterable
from itertools import permutations
from pathlib import Path

import pytest

from isospin.hosts.memory import MemoryCode
from tests.hosts.c import c_memory
from tests.hosts.c.c_memory import Answer
from tests.support import memory_programs
from tests.support.memory_programs import KNOWN
from tests.support.oracles import brute_executions
from tests.support.searching import kinds, replayed, search

pytestmark = [
    pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the C host is for x86-64 only"),
    pytest.mark.skipif(shutil.which("cc") is None and shutil.which("gcc") is None, reason="there is no C compiler"),
]


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return c_memory.host(tmp_path_factory.mktemp("host"))


def explore(host: Path, codes: list[MemoryCode], options: str = "") -> list[Answer]:
    answers = c_memory.explore(host, codes, f"all_errors=1 {options}")
    assert len(answers) == len(codes)
    return answers


# ------------------------------------------------------------------------------------------------ known numbers


def test_known_numbers_of_traces(host: Path) -> None:
    answers = explore(host, [code for code, _, _ in KNOWN])
    assert [a.executions for a in answers] == [traces for _, traces, _ in KNOWN]
    symmetric = explore(host, [code for code, _, _ in KNOWN], "symmetry=1")
    for (_, traces, orbits), answer in zip(KNOWN, symmetric, strict=True):
        assert answer.executions <= (traces if orbits is None else orbits)


def test_a_child_for_each_execution_explores_the_same(host: Path) -> None:
    known = memory_programs
    codes = [known.lockers(4), known.counters(3), known.philosophers(3), known.figure_5()]
    for symmetry in (0, 1):
        here = explore(host, codes, f"symmetry={symmetry}")
        forked = explore(host, codes, f"symmetry={symmetry} fork=1")
        assert [a.executions for a in here] == [a.executions for a in forked]
        assert [a.places for a in here] == [a.places for a in forked]


def test_figure_5_of_the_inspect_paper(host: Path) -> None:
    """A symmetric thread is left out, the races of its subtree are not: else the violation would be missed."""
    code = memory_programs.figure_5()
    for symmetry in (0, 1):
        (answer,) = explore(host, [code], f"symmetry={symmetry}")
        assert answer.kinds == {"assertion"}
        assert replayed(code, answer.steps(), "assertion")
        assert answer.executions <= (57, 24)[symmetry]


# ------------------------------------------------------------------------------------------------ limits


def test_every_bound_is_told(host: Path) -> None:
    code = memory_programs.lockers(5)
    for options, word in (
        ("max_depth=5", "depth"), ("max_executions=3", "executions"), ("max_preemptions=0", "preemptions"),
        ("max_time=0", "time"),
    ):  # fmt: skip
        assert explore(host, [code], options)[0].result["incomplete"] == word, options
    assert explore(host, [code])[0].result["incomplete"] == ""


def test_the_preemption_bound_counts_preemptions(host: Path) -> None:
    read, check = memory_programs.I("read", memory_programs.X), memory_programs.I("check", local=0, value=1)
    look = (memory_programs.I("join", threads=frozenset({1, 2})), read, check)
    code = memory_programs.counters(2)
    code = MemoryCode(code.arrays, (look, *code.threads))
    assert not explore(host, [code], "max_preemptions=0")[0].findings
    assert explore(host, [code], "max_preemptions=1")[0].findings


def test_it_stops_at_the_first_finding_unless_all_are_wanted(host: Path) -> None:
    code = memory_programs.philosophers(3)
    (first,) = c_memory.explore(host, [code], "all_errors=0")
    assert first.kinds == {"deadlock"}
    assert first.executions < 7
    assert explore(host, [code])[0].executions == 7
    assert not explore(host, [code], "deadlock=0")[0].findings


def test_progress_comes_with_an_estimate(host: Path) -> None:
    (answer,) = explore(host, [memory_programs.counters(4)], "progress=0")
    assert answer.progress
    assert all(p["estimate"] >= 1 for p in answer.progress)
    assert answer.result["estimate"] == answer.executions == 576


def test_a_long_execution_is_no_problem(host: Path) -> None:
    """The stack grows as far as it must."""
    many = tuple(memory_programs.I("add", memory_programs.X, value=1) for _ in range(60))
    (answer,) = explore(host, [MemoryCode({"x": (0,)}, (many, (memory_programs.I("read", memory_programs.X),)))])
    assert (answer.executions, answer.result["depth"]) == (61, 61)


# ------------------------------------------------------------------------------------------------ random programs


def compare(host: Path, codes: list[MemoryCode], most: int) -> None:
    """The same executions and findings as Python's search, the same findings as all executions."""
    plain, symmetric = explore(host, codes), explore(host, codes, "symmetry=1")
    for number, code in enumerate(codes):
        oracle = search(code, "dpor")
        assert plain[number].executions == oracle.executions, number
        assert plain[number].kinds == symmetric[number].kinds == kinds(oracle), number
        for answer in (plain[number], symmetric[number]):
            for i, finding in enumerate(answer.findings):
                assert replayed(code, answer.steps(i), finding["what"]), number
        compare_with_all(code, plain[number], most)


def compare_with_all(code: MemoryCode, plain: Answer, most: int) -> None:
    try:
        runs, found, _ = brute_executions.executions(code, most)
    except brute_executions.TooLarge:
        return
    assert plain.executions == len(brute_executions.traces(runs))
    assert len(plain.findings) == len(found)


@pytest.mark.parametrize("first", range(0, 300, 50))
def test_random_programs(host: Path, first: int) -> None:
    compare(host, [memory_programs.random_code(seed) for seed in range(first, first + 50)], 200)


def test_what_follows_a_sequence_is_not_always_covered_by_it(host: Path) -> None:
    """A thread tosses a coin, so the sequence goes on for one side only: 105 and 58 executions otherwise."""
    answers = explore(host, [memory_programs.random_code(seed) for seed in (910, 4846)])
    assert [answer.executions for answer in answers] == [126, 60]


def test_hardly_anything_is_begun_in_vain(host: Path) -> None:
    """Without sequences 18 of 7,714 are; what is left are semaphores, and coins that are tossed."""
    answers = explore(host, [memory_programs.random_code(seed) for seed in range(500)])
    assert sum(answer.result["blocked"] for answer in answers) < 8


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 4000, 200))
def test_many_random_programs(host: Path, first: int) -> None:
    compare(host, [memory_programs.random_code(seed) for seed in range(first, first + 200)], 3000)


def compare_identical(host: Path, seeds: range, most: int) -> None:
    codes = [memory_programs.identical_code(seed) for seed in seeds]
    for seed, code, answer in zip(seeds, codes, explore(host, codes, "symmetry=1"), strict=True):
        try:
            runs, _, wanted = brute_executions.executions(code, most)
        except brute_executions.TooLarge:
            continue
        assert answer.kinds == wanted, seed
        assert answer.executions <= brute_executions.orbits(code, runs), seed


def test_at_most_one_execution_for_each_orbit(host: Path) -> None:
    compare_identical(host, range(60), 200)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 2000, 200))
def test_at_most_one_execution_for_each_orbit_of_many(host: Path, first: int) -> None:
    compare_identical(host, range(first, first + 200), 3000)


OWN = 1 << 24  # + number of a thread: its id; + 64: that it holds a lock


def renamed_end(code: MemoryCode, end: tuple[int, ...], order: tuple[int, ...]) -> tuple[object, ...]:
    """The same with other numbers of threads, as something that can be sorted."""

    def image(value: int) -> int:
        return value if value < OWN else OWN + (value - OWN) // 64 * 64 + order[(value - OWN) % 64]

    cells, each = sum(map(len, code.arrays.values())), code.locals + 1
    left = {}
    for thread, program in enumerate(code.threads):
        at, *values = end[cells + thread * each : cells + (thread + 1) * each]
        left[order[thread]] = repr(program[at:]), *map(image, values)
    return tuple(map(image, end[:cells])), tuple(left[t] for t in sorted(left))


def whole_ends(code: MemoryCode, answer: Answer) -> set[tuple[object, ...]]:
    orders = list(permutations(range(len(code.threads))))
    return {min(renamed_end(code, end, order) for order in orders) for end in answer.ends}


def compare_ends(host: Path, seeds: Iterable[int], most: int) -> int:
    """How many programs had fewer executions with symmetry; all have the same ends, up to names of threads."""
    codes = {seed: memory_programs.gated_code(seed) for seed in seeds}
    options = f"ends=1 max_executions={most}"
    plain = explore(host, list(codes.values()), options)
    symmetric = explore(host, list(codes.values()), f"{options} symmetry=1")
    fewer = 0
    for (seed, code), one, other in zip(codes.items(), plain, symmetric, strict=True):
        if one.result["incomplete"]:
            continue
        assert one.kinds == other.kinds, seed
        assert whole_ends(code, one) == whole_ends(code, other), seed
        fewer += other.executions < one.executions
    return fewer


def test_symmetry_loses_no_end(host: Path) -> None:
    """What is left out is gone back for; the first four need conditions of `left_out.py`, or of `left_out.c`."""
    assert compare_ends(host, (1473, 1544, 1942, 1973, *range(60)), 500) > 15


@pytest.mark.slow
@pytest.mark.parametrize("first", range(10_000, 20_000, 1000))
def test_symmetry_loses_no_end_of_many(host: Path, first: int) -> None:
    assert compare_ends(host, range(first, first + 1000), 500) > 300


@pytest.mark.slow
def test_undefined_behaviour_of_the_search_itself(tmp_path: Path) -> None:
    """The same under the compiler's sanitizers: nothing is read or written where it must not."""
    checked = c_memory.host(tmp_path, "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    for options in ("", "symmetry=1"):
        explore(checked, [memory_programs.random_code(seed) for seed in range(12)], options)
