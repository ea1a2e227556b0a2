"""What long jobs say while they run, and what the last line says about them."""

from __future__ import annotations

from io import StringIO

import pytest

from isospin import pipeline
from isospin.cli.screen import ProgressLine
from isospin.core.verdict import Outcome, Statistics, Verdict
from isospin.engines.contract import Progress
from isospin.report.ink import Console
from isospin.report.terminal import summary
from tests.support.paths import EXAMPLES

COUNTER = "active [2] proctype p() { byte n; do :: n < 24 -> n++ od }"


def line(now: Progress, max_states: int | None = None, max_time: float | None = None) -> str:
    out = StringIO()
    ProgressLine(Console(file=out, width=200), max_states, max_time)(now)
    return out.getvalue().strip("\r").removesuffix("\x1b[K")


def test_the_line_says_how_much_is_left_only_where_that_is_known() -> None:
    now = Progress(500, 900, 7, 20, 2.0, 3_000_000)
    assert line(now) == "500 states, 900 transitions, depth 7, queue 20, 250 states/s, 3 MB"
    assert line(now, max_states=2000).startswith("500 states (25 % of --max-states), ")
    assert line(now, max_time=8.0).startswith("500 states (25 % of --max-time), ")
    assert line(Progress(0, 5, 0, 0, 1.0, 0, executions=3, expected=12.0)) == "3 of about 12 executions, 5 transitions"
    assert line(Progress(0, 0, 0, 0, 0.0, 0, doing="compiling the model")) == "compiling the model ..."


def test_the_summary_says_what_the_states_stand_for_their_size_and_the_rate() -> None:
    statistics = Statistics(2000, 5000, 30, seconds=0.5, memory_bytes=4_000_000, bytes_per_state=31.6)
    verdict = Verdict(Outcome.HOLDS, "", "f", "explicit", "bfs", statistics=statistics, orbit_sum="9000")
    assert summary(verdict) == (
        "2,000 states, 5,000 transitions, depth 30; standing for 9,000: 4.5 times fewer by symmetry; explicit bfs, "
        "symmetry none; 0.50 s, 4,000 states/s, 32 bytes a state, 4 MB"
    )


@pytest.mark.parametrize(("executions", "rate"), [(3, ""), (3000, ", 6,000 executions/s")])
def test_a_rate_of_executions_needs_enough_of_them_and_leaves_compiling_out(executions: int, rate: str) -> None:
    statistics = Statistics(0, 5000, 30, executions=executions, seconds=1.5, compile_seconds=1.0, memory_bytes=1)
    verdict = Verdict(Outcome.HOLDS, "", "f.c", "stateless", "dpor", statistics=statistics)
    assert summary(verdict).endswith(f"; 0.50 s and 1.00 s of compiling{rate}, 0 MB")


def test_the_factor_is_that_of_the_audit() -> None:
    model = pipeline.load(EXAMPLES / "symmetry" / "star.pml")
    verdict = pipeline.check(model, pipeline.options(engine="interp", por="off"))
    _, found = pipeline.audit(model, pipeline.options())
    assert verdict.reduction_factor == pytest.approx(found.states / found.reduced_states)


def test_symmetry_and_compiling_are_announced_before_states_are_counted() -> None:
    told: list[Progress] = []
    options = pipeline.options(progress=told.append, engine="explicit")
    pipeline.check(pipeline.load(EXAMPLES / "philosophers.pml"), options)
    assert [p.doing for p in told if p.doing] == ["looking for symmetries", "compiling the model"]


def test_an_audit_and_a_simulation_say_how_far_they_are() -> None:
    said: list[str] = []
    model = pipeline.load(COUNTER)
    pipeline.audit(model, pipeline.options(optimise="none"), said.append)
    assert said[0].startswith("unreduced: ")
    assert "waiting" in said[0]
    assert any(s.startswith("exact: ") and " of at most " in s for s in said)
    told: list[str] = []
    pipeline.simulate(pipeline.load(EXAMPLES / "peterson.pml"), 1, 2000, say=told.append)
    assert told == ["step 1,000 of 2,000", "step 2,000 of 2,000"]
