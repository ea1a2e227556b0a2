"""The searches on programs in memory: known numbers of traces, symmetry.  What all searches keep is in `contract/`."""

from __future__ import annotations

from math import factorial

import pytest

from isospin.engines.stateless.orbit import Seen, SymmetricNode
from isospin.engines.stateless.protocol import Renaming, Thread
from isospin.engines.stateless.registry import explore
from isospin.engines.stateless.search import SearchRequest
from isospin.engines.stateless.symmetric_dpor import SymmetricDpor
from isospin.hosts.memory import MemoryCell, MemoryCode, MemoryInstruction, MemoryProgram
from tests.support import memory_programs
from tests.support.memory_programs import KNOWN
from tests.support.oracles import brute_executions
from tests.support.searching import kinds, search


def test_preemption_bound_counts_preemptions() -> None:
    """The lost update needs one preemption."""
    read, check = MemoryInstruction("read", MemoryCell("x")), MemoryInstruction("check", local=0, value=1)
    look = (MemoryInstruction("join", threads=frozenset({1, 2})), read, check)
    code = memory_programs.counters(2)
    code = MemoryCode(code.arrays, (look, *code.threads))
    assert not search(code, "dfs", max_preemptions=0).findings
    assert search(code, "dfs", max_preemptions=1).findings
    assert search(code, "dpor", max_preemptions=1).findings


# ------------------------------------------------------------------------------------------------ known numbers


@pytest.mark.parametrize(("code", "traces", "orbits"), KNOWN)
def test_known_numbers_of_traces(code: MemoryCode, traces: int, orbits: int | None) -> None:
    assert search(code, "dpor").executions == traces
    optimal = search(code, "optimal")
    assert optimal.executions <= traces
    assert optimal.blocked == 0
    if orbits is not None:
        assert search(code, "dpor", "discovered").executions <= orbits
        folded = search(code, "optimal", "discovered")
        assert (folded.executions, folded.blocked) == (orbits, 0)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_what_executions_stand_for(n: int) -> None:
    """Who take a lock do it in some order; who only read have none, so every exchange leaves the trace as it is."""
    lock = memory_programs.lockers(n)
    read = MemoryCode({"x": (0,)}, ((MemoryInstruction("read", MemoryCell("x")),),) * n)
    assert search(lock, "dpor", "discovered").orbit_sum == search(lock, "dpor").executions == factorial(n)
    assert search(read, "dpor", "discovered").orbit_sum == search(read, "dpor").executions == 1
    assert search(lock, "dpor").orbit_sum is None


def rotations(n: int) -> tuple[Renaming, ...]:
    """All of them."""
    maps = [[(i + k) % n for i in range(n)] for k in range(1, n)]
    return tuple(Renaming("rotate", dict(enumerate(m)), dict(enumerate(m))) for m in maps)


@pytest.mark.parametrize(("n", "orbits"), [(2, 2), (3, 3), (4, 5)])
def test_store_buffering_up_to_rotation(n: int, orbits: int) -> None:
    result = search(memory_programs.store_buffering(n), "dpor", "declared", renamings=rotations(n))
    assert result.executions <= orbits


VERISOFT = [(2, 18, 17, 9), (3, 1680, 67, 32), (4, 386816, 198, 90), (5, 0, 507, 220)]


@pytest.mark.parametrize(("n", "plain", "persistent", "rotated"), VERISOFT)
def test_verisoft_table_1(n: int, plain: int, persistent: int, rotated: int) -> None:
    code = memory_programs.verisoft(n)
    if n < 4:
        assert search(code, "dfs").transitions == plain
    assert search(code, "persistent").transitions <= persistent
    symmetric = search(code, "persistent", "declared", renamings=rotations(n))
    assert symmetric.transitions <= rotated
    assert kinds(symmetric) == {"deadlock"}


# ------------------------------------------------------------------------------------------------ soundness


class Small:
    """What every program must offer, and tosses; it cannot save its state, as real programs cannot: it is run again."""

    def __init__(self, code: MemoryCode) -> None:
        program = MemoryProgram(code)
        self.restart, self.pending, self.enabled = program.restart, program.pending, program.enabled
        self.step, self.stuck, self.choices = program.step, program.stuck, program.choices


def test_running_again_makes_no_difference() -> None:
    for seed in range(100):
        code = memory_programs.random_code(seed)
        one = search(code, "dpor")
        other = explore(Small(code), "dpor", SearchRequest(all_errors=True))
        assert (one.executions, one.blocked, one.transitions) == (other.executions, other.blocked, other.transitions)
        assert one.findings == other.findings, seed


def compare_identical(seed: int, most: int) -> None:
    """Threads that are symmetric from the start: at most one execution for each orbit of traces."""
    code = memory_programs.identical_code(seed)
    try:
        runs, _, wanted = brute_executions.executions(code, most)
    except brute_executions.TooLarge:
        return
    result = search(code, "dpor", "discovered")
    assert kinds(result) == wanted, seed
    assert result.executions <= brute_executions.orbits(code, runs), seed
    assert (result.orbit_sum or 0) <= len(brute_executions.traces(runs)), seed


def test_at_most_one_execution_for_each_orbit() -> None:
    for seed in range(60):
        compare_identical(seed, 300)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 1000, 100))
def test_at_most_one_execution_for_each_orbit_of_many(first: int) -> None:
    for seed in range(first, first + 100):
        compare_identical(seed, 3000)


class Figure5(SymmetricDpor):
    """SymDpor as the paper has it: a thread that is symmetric to an explored one is left out, and that is all."""

    def skip(self, node: SymmetricNode, thread: Thread, images: Seen) -> None:
        node.sleep[thread] = set()


def test_figure_5_of_the_inspect_paper_misses_a_violation_and_we_do_not() -> None:
    code = memory_programs.figure_5()
    assert kinds(search(code, "dfs")) == {"assertion"}
    assert kinds(search(code, "dpor")) == {"assertion"}
    assert not Figure5(MemoryProgram(code), SearchRequest(all_errors=True, symmetry="discovered")).run().findings
    repaired = search(code, "dpor", "discovered")
    assert kinds(repaired) == {"assertion"}
    assert repaired.executions <= 24


def test_figure_5_is_wrong_on_random_programs_too() -> None:
    """The random programs are hard enough to tell a sound search from an unsound one."""
    missed = 0
    for seed in range(200):
        code = memory_programs.random_code(seed)
        wanted = kinds(search(code, "dpor"))
        missed += (
            kinds(Figure5(MemoryProgram(code), SearchRequest(all_errors=True, symmetry="discovered")).run()) != wanted
        )
    assert missed > 0


def test_races_that_are_images_may_not_count_on_each_other() -> None:
    """Two threads: if g is below 1, add to it.  Both may see 0; found by a Python program."""
    g = MemoryCell("g")
    decide = (
        MemoryInstruction("read", g), MemoryInstruction("skip", local=0, value=1, jump=2), MemoryInstruction("read", g),
        MemoryInstruction("write", g, value=1),
    )  # fmt: skip
    look = (
        MemoryInstruction("join", threads=frozenset({1, 2})),
        MemoryInstruction("read", g),
        MemoryInstruction("check", value=2),
    )
    code = MemoryCode({"g": (0,)}, (look, decide, decide))
    assert kinds(search(code, "dpor")) == {"assertion"}
    assert kinds(search(code, "dpor", "discovered")) == {"assertion"}


def test_what_tells_threads_apart() -> None:
    """A lock that one of them holds, a stored id, a join that names one."""
    lock, unlock = MemoryInstruction("lock", MemoryCell("m")), MemoryInstruction("unlock", MemoryCell("m"))
    program = MemoryProgram(MemoryCode({"m": (0,)}, ((lock, unlock),) * 2))
    assert program.are_alike(0, 1)
    program.step(0)
    assert not program.are_alike(0, 1)
    mark = MemoryInstruction("write", MemoryCell("g"), value=None)
    program = MemoryProgram(MemoryCode({"g": (0,)}, ((mark, unlock),) * 2))
    program.step(0)
    program.step(1)
    assert not program.are_alike(0, 1)
    read = (MemoryInstruction("read", MemoryCell("g")),)
    one = MemoryInstruction("join", threads=frozenset({0}))
    assert not MemoryProgram(MemoryCode({"g": (0,)}, (read, read, (one,)))).are_alike(0, 1)
    both = MemoryInstruction("join", threads=frozenset({0, 1}))
    assert MemoryProgram(MemoryCode({"g": (0,)}, (read, read, (both,)))).are_alike(0, 1)


def test_a_wrong_permutation_prunes_nothing() -> None:
    wrong = Renaming("wrong", {0: 1, 1: 0}, {0: 1, 1: 0})
    code = memory_programs.philosophers(3)
    result = search(code, "persistent", "declared", renamings=(wrong,))
    assert result.transitions == search(code, "persistent").transitions
