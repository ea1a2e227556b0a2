"""Partial orders in loops: a breadth-first search lets a process go on alone as long as it finds something new."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from isospin import pipeline
from isospin.analysis.ample import ample
from isospin.core.model import Model
from isospin.engines.contract import Exploration, Question
from isospin.engines.explicit import explore as explore_compiled
from isospin.engines.interp.search import explore
from isospin.transform.optimise import optimise
from tests.support.generators.random_loops import generate
from tests.support.spin_examples import folder, needs_examples

LEVELS = ("none", "full", "spin")

# Every step is local or at the end of a queue that nobody else uses, in loops that counters bound: one run is enough.
SORT = """chan q[3] = [4] of { byte };
active proctype left() { byte n; do :: n < 4 -> q[0]!(7 * n) % 5; n++ :: else -> break od }
active proctype middle() { byte n, mine, next; q[0]?mine;
    do :: n < 3 -> q[0]?next; n++; if :: next >= mine -> q[1]!next :: else -> q[1]!mine; mine = next fi
       :: else -> break od }
active proctype right() { byte n, last; do :: n < 3 -> q[1]?last; n++ :: else -> break od }
"""

# A goes round alone.  Each of its states before the `if` comes from another one, so it is always new; those behind it
# are not.  Whoever let A move on from there without finding anything new would never let B and C move.
ROUND = """byte x;
active proctype A() { bit b, i; do :: b = 1 - b; if :: i = 0 :: i = 1 fi od }
active proctype B() { x++; assert(x < 2) }
active proctype C() { x++ }
"""

TRACED = "trace { do :: q[2]?_ od }\n"  # nobody uses that channel


def found(result: Exploration) -> set[tuple[str, str]]:
    assert not result.incomplete
    return {(f.kind, str(f.location)) for f in result.findings}


def counts(result: Exploration) -> tuple[object, ...]:
    return result.states, result.transitions, result.depth, found(result)


def optimised(text: str, level: str) -> Model:
    return optimise(pipeline.load(text), level, por=True)


@pytest.mark.parametrize("text", [SORT, SORT + TRACED], ids=["plain", "with a trace of another channel"])
def test_bounded_loops_are_one_run(text: str) -> None:
    model = optimised(text, "none")
    before, after = (explore(model, Question(), ample=ample(model, layered=layered)) for layered in (False, True))
    assert after.states < before.states
    assert after.states == after.transitions == after.depth + 1
    assert counts(explore_compiled(model, Question(), "-O0", ample=ample(model, layered=True))) == counts(after)


# The ends of the channels belong to one process each, as `xr` and `xs` say.
EXCLUSIVE = """chan q[3] = [2] of { byte };
proctype P(chan inp, out) { byte n, v; xr inp; xs out; do :: n < 3 -> inp?v; n++; out!v :: else -> break od }
init { atomic { run P(q[0], q[1]); run P(q[1], q[2]); run P(q[2], q[0]) }; q[0]!1 }
"""


def exclusive_or_not(text: str) -> set[int]:
    """How many states are stored, with and without the declarations."""
    models = [optimised(t, "full") for t in (text, re.sub(r"\bx[rs] [\w, \[\]]+;", "", text))]
    assert models[0].exclusive
    assert not models[1].exclusive
    return {explore(m, Question(), ample=ample(m, layered=True)).states for m in models}


def test_who_uses_a_channel_alone_is_found_out() -> None:
    assert len(exclusive_or_not(EXCLUSIVE)) == 1


@needs_examples
@pytest.mark.slow
@pytest.mark.parametrize("name", ["sort", "leader0", "leader_trace", "snoopy"])
def test_so_it_is_in_the_examples_of_spin(name: str) -> None:
    assert len(exclusive_or_not((folder() / f"{name}.pml").read_text())) == 1


def test_events_that_a_trace_watches_depend_on_each_other() -> None:
    watched = optimised(SORT + "trace { do :: q[0]?_ :: q[0]!_ :: q[1]!_ od }\n", "none")
    free = optimised(SORT + "trace { do :: q[2]?_ od }\n", "none")
    assert len({explore(m, Question(), ample=ample(m, layered=True)).states for m in (watched, free)}) == 2
    wrong = optimised(SORT + "trace { q[0]!_; q[0]!_; q[0]?_; do :: q[0]!_ :: q[0]?_ od }\n", "none")
    everything = found(explore(wrong, Question(all_errors=True)))
    assert everything == found(explore(wrong, Question(all_errors=True), ample=ample(wrong, layered=True)))
    assert {kind for kind, _ in everything} == {"event-trace"}


@pytest.mark.parametrize("level", LEVELS)
def test_who_goes_round_alone_hides_nobody(level: str) -> None:
    model, asked = optimised(ROUND, level), Question(all_errors=True)
    table = ample(model, layered=True)
    assert table is not None
    assert table.wants_new
    wanted = found(explore(model, asked))
    assert {kind for kind, _ in wanted} == {"assertion"}
    assert found(explore(model, asked, ample=table)) == wanted
    assert found(explore_compiled(model, asked, "-O0", ample=table)) == wanted


def test_a_search_that_goes_on_stores_the_same(tmp_path: Path) -> None:
    """A state that waits for everybody is saved with the others, and its path is found again."""
    shared = "active [2] proctype D() { byte n; do :: n < 5 -> n++; x = (x + n) % 7 :: else -> break od }"
    model, file = optimised(ROUND.replace("x < 2", "x < 9") + shared, "none"), str(tmp_path / "saved")
    table = ample(model, layered=True)
    whole = explore_compiled(model, Question(), "-O0", ample=table)
    assert counts(whole) == counts(explore(model, Question(), ample=table))
    result, stops = explore_compiled(model, Question(checkpoint=file, max_states=5), "-O0", ample=table), 0
    while result.incomplete:
        stops += 1
        more = Question(checkpoint=file, resume=file, max_states=result.states + whole.states // 7)
        result = explore_compiled(model, more, "-O0", ample=table)
    assert stops > 3
    assert counts(result) == counts(whole)


def compare(seed: int, compiled: bool = False) -> None:
    """All errors of the whole graph, and no others."""
    model = optimised(generate(seed), LEVELS[seed % 3])
    whole = explore(model, Question(all_errors=True, max_states=800))
    if (table := ample(model, layered=True)) is None or whole.incomplete:
        return
    reduced = explore(model, Question(all_errors=True), ample=table)
    assert found(reduced) == found(whole), generate(seed)
    if compiled:
        same = explore_compiled(model, Question(all_errors=True), "-O0", ample=table)
        assert (same.states, found(same)) == (reduced.states, found(whole)), generate(seed)
        threads = explore_compiled(model, Question(all_errors=True, threads=2), "-O0", ample=table)
        assert found(threads) == found(whole), generate(seed)


@pytest.mark.parametrize("start", range(0, 60, 20))
def test_random(start: int) -> None:
    for seed in range(start, start + 20):
        compare(seed)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(60, 3060, 20))
def test_more_random(start: int) -> None:
    for seed in range(start, start + 20):
        compare(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_compiled(seed: int) -> None:
    compare(seed, compiled=True)
