"""The oracles of memory models, against what is published about litmus tests, and against each other."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.support.generators.random_litmus import random_litmus
from tests.support.litmus import axioms, families, machines
from tests.support.litmus.families import SHAPES, SHORT
from tests.support.litmus.language import SEQ_CST, Fence, If, Lock, Program, State, Unlock

LONG = {short: order for order, short in SHORT.items()}
# Shape, or threads; the orders of all accesses; a final state; is it allowed by RC11?
PUBLISHED = [
    # Message passing, store buffering, load buffering: every text on the subject.
    ("MP", "rlx rlx rlx rlx", "1:r0=1 1:r1=0", True),
    ("MP", "rlx rel acq rlx", "1:r0=1 1:r1=0", False),
    ("MP", "rlx rel rlx rlx", "1:r0=1 1:r1=0", True),
    ("MP", "rlx rlx acq rlx", "1:r0=1 1:r1=0", True),
    ("MP", "rlx sc sc rlx", "1:r0=1 1:r1=0", False),
    ("MP", "sc sc sc sc", "1:r0=1 1:r1=0", False),
    ("SB", "rlx rlx rlx rlx", "0:r1=0 1:r1=0", True),
    ("SB", "rel acq rel acq", "0:r1=0 1:r1=0", True),
    ("SB", "sc sc sc sc", "0:r1=0 1:r1=0", False),
    ("SB", "sc sc sc rlx", "0:r1=0 1:r1=0", True),
    ("SB", "sc acq sc sc", "0:r1=0 1:r1=0", True),
    ("LB", "rlx rlx rlx rlx", "0:r0=1 1:r0=1", False),  # RC11: no cycle of program order and reads-from
    ("LB", "acq rlx acq rlx", "0:r0=1 1:r0=1", False),
    ("2+2W", "rlx rlx rlx rlx", "x=1 y=1", True),
    ("2+2W", "rel rel rel rel", "x=1 y=1", True),
    ("2+2W", "sc sc sc sc", "x=1 y=1", False),
    ("R", "rel rel rel acq", "y=2 1:r1=0", True),
    ("R", "sc sc sc sc", "y=2 1:r1=0", False),
    ("S", "rlx rlx rlx rlx", "x=2 1:r0=1", True),
    ("S", "rlx rel acq rlx", "x=2 1:r0=1", False),
    # Causality over a third thread.
    ("WRC", "rlx rlx rlx rlx rlx", "1:r0=1 2:r0=1 2:r1=0", True),
    ("WRC", "rlx acq rlx acq rlx", "1:r0=1 2:r0=1 2:r1=0", True),
    ("WRC", "rlx rlx rel acq rlx", "1:r0=1 2:r0=1 2:r1=0", False),  # by coherence of reads
    ("WRC", "rel acq rel acq rlx", "1:r0=1 2:r0=1 2:r1=0", False),
    ("ISA2", "rlx rel acq rel acq rlx", "1:r0=1 2:r0=1 2:r1=0", False),
    ("ISA2", "rlx rlx acq rel acq rlx", "1:r0=1 2:r0=1 2:r1=0", True),
    # Independent reads of independent writes: only seq_cst has one order of all writes.
    ("IRIW", "rlx rlx rlx rlx rlx rlx", "2:r0=1 2:r1=0 3:r0=1 3:r1=0", True),
    ("IRIW", "rel rel acq acq acq acq", "2:r0=1 2:r1=0 3:r0=1 3:r1=0", True),
    ("IRIW", "sc sc sc sc sc sc", "2:r0=1 2:r1=0 3:r0=1 3:r1=0", False),
    # PLDI 2017, Section 2.1: C11 forbids it, which compilers to Power do not keep; RC11 allows it.
    ("IRIW", "sc sc acq sc acq sc", "2:r0=1 2:r1=0 3:r0=1 3:r1=0", True),
    # PLDI 2017, Figure 1 (Z6.U).
    (("Wx1 Wy1", "Uy1 Ry", "Wy3 Rx"), "sc rel sc rlx sc sc", "1:r0=1 1:r1=3 2:r1=0", True),
    # Fences.  The last two: PLDI 2017, Section 2.2 (RWC+syncs, W+RWC+syncs): too weak in C11, forbidden in RC11.
    (("Wx1 F Ry", "Wy1 F Rx"), "rlx sc rlx rlx sc rlx", "0:r2=0 1:r2=0", False),
    (("Wx1 F Ry", "Wy1 F Rx"), "rlx ar rlx rlx ar rlx", "0:r2=0 1:r2=0", True),
    (("Wx1 F Ry", "Wy1 F Rx"), "rlx sc rlx rlx ar rlx", "0:r2=0 1:r2=0", True),
    (("Wx1 F Wy1", "Ry F Rx"), "rlx rel rlx rlx acq rlx", "1:r0=1 1:r2=0", False),
    (("Wx1 F Wy1", "Ry F Rx"), "rlx acq rlx rlx acq rlx", "1:r0=1 1:r2=0", True),
    (("Wx1 F Wy1", "Ry Rx"), "rlx rel rlx acq rlx", "1:r0=1 1:r1=0", False),
    (("Wx1 Wy1", "Ry F Rx"), "rlx rel rlx acq rlx", "1:r0=1 1:r2=0", False),
    (("Wx1 F Wy2", "Wy1 F Wx2"), "rlx sc rlx rlx sc rlx", "x=1 y=1", False),
    (("Wx1", "Wy1", "Rx F Ry", "Ry F Rx"), "rlx rlx rlx sc rlx rlx sc rlx", "2:r0=1 2:r2=0 3:r0=1 3:r2=0", False),
    (("Wx1", "Wy1", "Rx F Ry", "Ry F Rx"), "rlx rlx rlx ar rlx rlx ar rlx", "2:r0=1 2:r2=0 3:r0=1 3:r2=0", True),
    (("Wx1", "Rx F Ry", "Wy1 F Rx"), "rlx rlx sc rlx rlx sc rlx", "1:r0=1 1:r2=0 2:r2=0", False),
    (("Wx1 Wz1", "Rz F Ry", "Wy1 F Rx"), "rlx rel acq sc rlx rlx sc rlx", "1:r0=1 1:r2=0 2:r2=0", False),
    # Coherence holds for all orders.
    ("CoRR", "rlx rlx rlx", "1:r0=1 1:r1=0", False),
    ("CoRR2", "rlx rlx rlx rlx rlx rlx", "2:r0=1 2:r1=2 3:r0=2 3:r1=1", False),
    ("CoWW", "rlx rlx rlx", "x=1", False),
    ("CoWR", "rlx rlx rlx", "0:r1=0", False),
    ("CoWR", "rlx rlx rlx", "0:r1=2 x=1", False),
    ("CoRW", "rlx rlx rlx", "0:r0=2 x=2", False),
    ("CoRW1", "rlx rlx", "0:r0=1", False),
    # Release sequences: updates of others continue them, stores of others break them, stores of the same thread
    # continue them (in RC11 and C11; not in C++20, see below).
    ("RelSeqUpdate", "rlx rel rlx acq rlx", "1:r0=1 2:r0=2 2:r1=0", False),
    ("RelSeqUpdate", "rlx rlx rlx acq rlx", "1:r0=1 2:r0=2 2:r1=0", True),
    ("RelSeqCas", "rlx rel rlx acq rlx", "2:r0=2 2:r1=0", False),
    ("RelSeqBroken", "rlx rel rlx acq rlx", "2:r0=2 2:r1=0", True),
    ("RelSeqStore", "rlx rel rlx acq rlx", "1:r0=2 1:r1=0", False),
    # Updates are atomic, whatever their order.
    ("2xAdd", "rlx rlx", "0:r0=0 1:r0=0", False),
    ("2xAdd", "rlx rlx", "x=1", False),
    ("2xCas", "rlx rlx", "0:r0=1 1:r0=1", False),
    ("AddStore", "rlx rlx rlx", "0:r0=0 x=1", False),
    ("SB+xchg", "ar acq ar acq", "0:r1=0 1:r1=0", True),
    ("SB+xchg", "sc sc sc sc", "0:r1=0 1:r1=0", False),
    ("SB+xchgs", "ar ar ar ar", "0:r1=0 1:r1=0", False),
]  # fmt: skip
# The same for x86-TSO (Owens, Sarkar, Sewell 2009): stores may be late, and nothing else.
ON_X86 = [
    ("SB", "rlx rlx rlx rlx", "0:r1=0 1:r1=0", True),
    ("SB", "sc rlx sc rlx", "0:r1=0 1:r1=0", False),  # a seq_cst store waits until it is in memory
    ("SB", "sc sc rlx sc", "0:r1=0 1:r1=0", True),
    ("SB+xchg", "rlx rlx rlx rlx", "0:r1=0 1:r1=0", False),
    (("Wx1 F Ry", "Wy1 F Rx"), "rlx sc rlx rlx sc rlx", "0:r2=0 1:r2=0", False),
    (("Wx1 F Ry", "Wy1 F Rx"), "rlx ar rlx rlx ar rlx", "0:r2=0 1:r2=0", True),
    ("MP", "rlx rlx rlx rlx", "1:r0=1 1:r1=0", False),
    ("LB", "rlx rlx rlx rlx", "0:r0=1 1:r0=1", False),
    ("2+2W", "rlx rlx rlx rlx", "x=1 y=1", False),
    ("R", "rlx rlx rlx rlx", "y=2 1:r1=0", True),
    ("S", "rlx rlx rlx rlx", "x=2 1:r0=1", False),
    ("IRIW", "rlx rlx rlx rlx rlx rlx", "2:r0=1 2:r1=0 3:r0=1 3:r1=0", False),
    ("WRC", "rlx rlx rlx rlx rlx", "1:r0=1 2:r0=1 2:r1=0", False),
    ("RWC", "rlx rlx rlx rlx rlx", "1:r0=1 1:r1=0 2:r1=0", True),
    (("Wx1 Rx Ry", "Wy1 Ry Rx"), "rlx rlx rlx rlx rlx rlx", "0:r1=1 0:r2=0 1:r1=1 1:r2=0", True),  # n6: own stores
    (("Wx1 Rx", "Wx2 Rx"), "rlx rlx rlx rlx", "0:r1=2 1:r1=1", False),
]  # fmt: skip
SEEDS = range(12)
MORE_SEEDS = range(2000)


def made(shape: str | tuple[str, ...], orders: str) -> Program:
    threads = SHAPES[shape] if isinstance(shape, str) else shape
    return families.program(str(shape), threads, [LONG[order] for order in orders.split()])


def shows(states: Counter[State], wanted: str) -> bool:
    """Is there a final state in which all of this is true?"""
    parts = [(name, int(value)) for name, value in (part.split("=") for part in wanted.split())]
    return any(dict(parts).items() <= dict(state).items() for state in states)


@pytest.mark.parametrize(("shape", "orders", "state", "allowed"), PUBLISHED)
def test_what_rc11_allows(shape: str | tuple[str, ...], orders: str, state: str, allowed: bool) -> None:
    assert shows(axioms.executions(made(shape, orders)).states, state) is allowed


@pytest.mark.parametrize(("shape", "orders", "state", "allowed"), ON_X86)
def test_what_x86_allows(shape: str | tuple[str, ...], orders: str, state: str, allowed: bool) -> None:
    assert shows(machines.executions(made(shape, orders), buffers=True), state) is allowed


def test_release_sequences_of_other_standards() -> None:
    program = made("RelSeqStore", "rlx rel rlx acq rlx")
    assert shows(axioms.executions(program, "c20").states, "1:r0=2 1:r1=0")


def laws(program: Program) -> None:
    """Each model allows what the stronger one does; what is seq_cst throughout has interleavings only."""
    interleaved, buffered = machines.executions(program, buffers=False), machines.executions(program, buffers=True)
    allowed = axioms.executions(program)
    assert set(interleaved) <= set(buffered) <= set(allowed.states)
    if is_sequential(program):
        assert interleaved == buffered == allowed.states


def is_sequential(program: Program) -> bool:
    orders = {getattr(s, name, SEQ_CST) for s in program.statements() for name in ("order", "failing")}
    return orders == {SEQ_CST} and not program.locks


@pytest.mark.parametrize("seed", SEEDS)
def test_laws_on_random_programs(seed: int) -> None:
    laws(random_litmus(seed))


@pytest.mark.slow
def test_laws_on_many_random_programs() -> None:
    for seed in MORE_SEEDS:
        laws(random_litmus(seed))


@pytest.mark.slow
def test_laws_on_all_families() -> None:
    for program in families.everything():
        laws(program)


def test_random_programs_have_all_that_there_is() -> None:
    programs = [random_litmus(seed) for seed in range(300)]
    kinds = Counter(type(s).__name__ for p in programs for s in p.statements())
    assert set(kinds) == {"Load", "Store", "Update", "Compare", "Fence", "If", "Lock", "Unlock"}
    assert {len(p.threads) for p in programs} == {2, 3, 4}
    assert any(isinstance(s, Fence | If | Lock | Unlock) for p in programs[:20] for s in p.statements())
