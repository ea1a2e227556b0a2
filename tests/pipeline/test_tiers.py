"""Small models are answered by the interpreter, larger ones by compiled code; nobody can tell from the answer."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import isospin
from isospin.core.verdict import Verdict
from isospin.engines import explicit
from isospin.engines.explicit.drive.beside import Beside
from isospin.engines.explicit.drive.run import run_checker
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
    monkeypatch.setattr(explicit, "ModelSearch", None)
    verdict = isospin.check(COUNTER.format(most=9))
    assert (str(verdict.outcome), verdict.engine) == ("holds", "interp")
    assert "before a C compiler" in verdict.engine_reason


def test_a_small_model_does_not_even_load_the_compiled_engine() -> None:
    """Loading it takes as long as all the rest of a small check."""
    check = f"import isospin, sys; print(isospin.check({COUNTER.format(most=9)!r}))"
    script = f"{check}; print([m for m in sys.modules if m.startswith('isospin.engines.explicit')])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1:] == ["[]"], done.stdout


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
    monkeypatch.setattr(tiers._Compiled, "answer", lambda _: pytest.fail("compiled"))
    with pytest.raises(pytest.fail.Exception):
        isospin.check(COUNTER.format(most=9), optimise="none")


def test_a_limit_that_is_met_is_told_by_the_compiled_engine() -> None:
    verdict = isospin.check(COUNTER.format(most=9), max_depth=2, optimise="none")
    assert (str(verdict.outcome), verdict.engine) == ("incomplete", "explicit")


def test_work_is_counted_to_its_budget() -> None:
    work = Work()
    work.allow(3)
    work.spend(3)
    with pytest.raises(OverBudget):
        work.spend()


@pytest.mark.parametrize(("mark", "pieces", "passed"), [(2, 3, [3]), (2, 4, [3]), (3, 4, []), (9, 4, [])])
def test_a_mark_is_passed_once_and_changes_no_budget(mark: int, pieces: int, passed: list[int]) -> None:
    work, seen = Work(), list[int]()
    work.allow(3, mark, lambda: seen.append(work.done))
    with pytest.raises(OverBudget) if pieces > 3 else nullcontext():
        for _ in range(pieces):
            work.spend()
    assert (work.done, seen) == (pieces, passed)


# ------------------------------------------------------------------------------------------------ the compiler beside


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[Beside]:
    """What is compiled beside; the levels of optimisation are those of users, not of tests."""
    seen: list[Beside] = []

    class Watched(Beside):
        def __init__(self, *words: Any) -> None:
            super().__init__(*words)
            seen.append(self)

    monkeypatch.delenv("ISOSPIN_OPTIMISATION")
    monkeypatch.setattr(explicit, "Beside", Watched)
    return seen


def unknown(text: str) -> str:
    """The same model, which nobody has compiled before; names alone make no other code."""
    return text.replace("assert(", f"assert(x < {1000 + time.time_ns() % 1_000_000_000} && ")


def levels(begun: list[Beside]) -> list[str]:
    return [each.made_from[1] for each in begun]


def test_the_compiler_that_is_not_needed_is_ended(begun: list[Beside], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers, "MARK", 5)
    verdict = isospin.check(unknown(COUNTER.format(most=50)), optimise="none", por="off")
    assert (verdict.engine, levels(begun)) == ("interp", ["-O0"])
    assert begun[0].over.is_set()
    assert not begun[0].thread.is_alive()


def test_it_takes_over_where_the_model_is_larger(begun: list[Beside], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers, "MARK", 5)
    monkeypatch.setattr(tiers, "BUDGET", 60)
    text = unknown(COUNTER.format(most=50))
    verdict = isospin.check(text, optimise="none", por="off")
    assert (verdict.engine, levels(begun)) == ("explicit", ["-O0", "-O2"])
    assert not begun[1].thread.is_alive()  # nobody waited for it: the search was over
    assert answer(verdict) == answer(by("interp", text, optimise="none", por="off"))


def test_a_checker_that_is_overtaken_has_said_nothing(begun: list[Beside], monkeypatch: pytest.MonkeyPatch) -> None:
    """SOUND: its counts and findings are not used, though it may have told some."""
    monkeypatch.setattr(explicit, "UNTIL_BETTER", 0.0)
    seen: list[Any] = []

    def waits_for_the_better_one(program: Path, question: Any, begin: float, *rest: Any) -> Any:
        if rest[-1] is not None:
            rest[-1].thread.join()
        seen.append(run_checker(program, question, begin, *rest))
        return seen[-1]

    monkeypatch.setattr(explicit, "run_checker", waits_for_the_better_one)
    text = unknown(LARGE)
    verdict = isospin.check(text, por="off", all_errors=True)
    assert levels(begun) == ["-O0", "-O2"]
    assert [outcome.ended is not None for outcome in seen] == [False, True]
    assert answer(verdict) == answer(isospin.check(text, por="off", all_errors=True, engine="explicit"))
    again = isospin.check(text, por="off", all_errors=True)  # the better one is known now
    assert answer(again) == answer(verdict)
    assert len(seen) == 4
    assert levels(begun)[2:] == ["-O2"]


def test_a_problem_of_the_compiler_beside_is_told_by_who_needs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers, "MARK", 5)
    monkeypatch.setenv("CC", "no-such-compiler")
    assert isospin.check(COUNTER.format(most=50), optimise="none", por="off").engine == "interp"
    monkeypatch.setattr(tiers, "BUDGET", 60)
    verdict = isospin.check(COUNTER.format(most=50), optimise="none", por="off")
    assert verdict.engine == "interp"
    assert "there is no C compiler here" in verdict.warnings[0].message


def test_a_limit_of_time_bounds_the_compiler_beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = tmp_path / "cc"
    compiler.write_text('#!/bin/sh\ncase "$*" in *--version*) echo slow;; *) exec sleep 600;; esac\n')
    compiler.chmod(0o700)
    monkeypatch.setenv("CC", str(compiler))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    begin = time.monotonic()
    verdict = isospin.check(LARGE, max_time=3)
    assert "time limit: 3 s" in verdict.properties[0].reason
    assert time.monotonic() - begin < 60


@pytest.mark.parametrize("claimed", ["[] (x <= 9)", "[] (x <= 8)"])
def test_claims_are_the_same_in_each_tier(claimed: str) -> None:
    text = COUNTER.format(most=9) + f"\nltl p {{ {claimed} }}"
    small, large = isospin.check(text), isospin.check(text, engine="explicit")
    assert [replace(p, statistics=None) for p in small.properties] == [
        replace(p, statistics=None) for p in large.properties
    ]
    assert [v.trace for v in small.violations] == [v.trace for v in large.violations]
