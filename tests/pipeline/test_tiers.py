"""Small models are answered by the interpreter, larger ones by compiled code; nobody can tell from the answer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import isospin
from isospin.core.verdict import Verdict
from isospin.engines import explicit
from isospin.pipeline.models import tiers
from isospin.semantics.work import OverBudget, Work
from tests.support import expectations, paths

PLACES = ("promela", "symmetry", "heap", "liveness")
MODELS = [p for place in PLACES for p in sorted((paths.CORPUS / place).glob("*.pml"))]
EVERY = 15  # of those, in quick tests
COUNTER = "byte x; active proctype P() {{ do :: x < {most} -> x++ :: else -> break od; assert(x == {most}) }}"
LARGE = "byte x, y; active [2] proctype P() { do :: x++ :: y++ :: assert(x + y < 600) od }"


def answer(verdict: Verdict) -> Any:
    """What a user sees, but for the name of the engine, times and memory."""
    found = [(v.kind, v.property, v.message, v.location, v.trace) for v in verdict.violations]
    seen = verdict.statistics
    assert seen is not None
    return verdict.outcome, found, (seen.states, seen.transitions, seen.depth), verdict.unreached


def by(engine: str, source: str | Path, **more: Any) -> Verdict:
    return isospin.check(source, engine=engine, max_states=3000, **more)


def _parameters() -> list[Any]:
    return [pytest.param(p, marks=() if i % EVERY == 0 else pytest.mark.slow, id=f"{p.parent.name}-{p.stem}")
            for i, p in enumerate(MODELS) if not expectations.expectation(p).options]  # fmt: skip


@pytest.mark.parametrize("path", _parameters())
def test_every_tier_gives_the_same_answer(path: Path) -> None:
    """Verdict, counts, traces; without reductions, whose counts depend on which state stands for an orbit."""
    plain = {"symmetry": "none", "por": "off", "heap_symmetry": "off", "no_claim": True, "all_errors": True}
    interpreted, compiled = by("interp", path, **plain), by("explicit", path, **plain)
    if interpreted.statistics.states < 3000:
        assert _each_once(interpreted) == _each_once(compiled)
    reduced = [by(engine, path) for engine in ("interp", "explicit", "auto")]
    assert len({v.outcome for v in reduced}) == 1
    assert len({tuple(sorted({f.kind for f in v.violations})) for v in reduced}) == 1
    assert answer(reduced[2]) == answer(reduced[0] if reduced[2].engine == "interp" else reduced[1])


def _each_once(verdict: Verdict) -> Any:
    """The order in which violations are found, and by which of several shortest paths, is the engine's own."""
    outcome, found, counts, unreached = answer(verdict)
    return outcome, {(kind, location, len(trace.steps)) for kind, _, _, location, trace in found}, counts, unreached


def test_a_small_model_needs_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explicit, "explore", None)
    verdict = isospin.check(COUNTER.format(most=9))
    assert (str(verdict.outcome), verdict.engine) == ("holds", "interp")
    assert "before a C compiler" in verdict.engine_reason


def test_a_larger_model_is_compiled() -> None:
    verdict = isospin.check(LARGE, max_states=20_000)
    assert verdict.engine == "explicit"


@pytest.mark.parametrize("asked", [{"threads": 2}, {"fingerprint": True}, {"engine": "explicit"}])
def test_what_only_compiled_code_can_do_is_not_tried_before(asked: Any) -> None:
    assert isospin.check(COUNTER.format(most=9), **asked).engine == "explicit"


def test_who_answers_depends_on_the_model_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """The budget is counted: the last model that fits into it is always the same one."""
    monkeypatch.setattr(tiers, "BUDGET", 60)
    engines = [isospin.check(COUNTER.format(most=most), optimise="none", por="off").engine for most in range(2, 40, 4)]
    border = engines.index("explicit")
    assert border > 0
    assert engines == ["interp"] * border + ["explicit"] * (len(engines) - border)


def test_what_was_given_up_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """SOUND: `holds` comes from a complete search, whoever makes it."""
    monkeypatch.setattr(tiers, "BUDGET", 5)
    monkeypatch.setattr(tiers, "_compiled", lambda *_: pytest.fail("compiled"))
    with pytest.raises(pytest.fail.Exception):
        isospin.check(COUNTER.format(most=9), optimise="none")


def test_a_limit_that_is_met_is_told_by_the_compiled_engine() -> None:
    verdict = isospin.check(COUNTER.format(most=9), max_depth=2, optimise="none")
    assert (str(verdict.outcome), verdict.engine) == ("incomplete", "explicit")


def test_work_is_counted_to_its_budget() -> None:
    work = Work()
    work.budget = 3
    work.spend(3)
    with pytest.raises(OverBudget):
        work.spend()


@pytest.mark.parametrize("claimed", ["[] (x <= 9)", "[] (x <= 8)"])
def test_claims_are_the_same_in_each_tier(claimed: str) -> None:
    text = COUNTER.format(most=9) + f"\nltl p {{ {claimed} }}"
    small, large = isospin.check(text), isospin.check(text, engine="explicit")
    assert [replace(p, statistics=None) for p in small.properties] == [
        replace(p, statistics=None) for p in large.properties
    ]
    assert [v.trace for v in small.violations] == [v.trace for v in large.violations]
