"""Thousands of inputs that almost make sense: an answer or a complaint, in time, never an error of ours.

Where a mutant is still a model, its verdict is compared: with all reductions and without any, and for some with SPIN's.
"""

from __future__ import annotations

import contextlib
import io
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from isospin import pipeline
from isospin.cli import main
from isospin.core.errors import IsospinError
from isospin.core.verdict import Outcome
from tests.support import mutants, spin

MAX_TIME, GRACE = 4.0, 3.0
STATES = 300
FIRST, FEW, MANY = 0, 120, 3000
SAFETY = pipeline.Options(engine="interp", no_claim=True, max_states=4 * STATES, max_time=MAX_TIME)
PLAIN: tuple[dict[str, Any], ...] = ({}, {"symmetry": "none", "por": "off", "optimise": "none"})


def run(seed: int, folder: Path) -> tuple[int, str, float]:
    """Exit status, what was said, and seconds of the processor."""
    mutant = mutants.mutant(seed)
    for name, text in mutant.files.items():
        (folder / name).write_text(text, encoding="utf-8", errors="surrogatepass")
    words = [str(folder / w) if w in mutant.files else w for w in mutant.arguments]
    if words[0] == "check":
        words += ["--engine", "interp", "--max-states", str(STATES), "--max-time", str(MAX_TIME)]
    elif words[0] == "simulate":
        words += ["--seed", str(seed), "--steps", "100"]
    elif words[0] == "audit":
        words += ["--max-states", str(STATES)]
    output, begin = io.StringIO(), time.process_time()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        try:
            status = main(words)
        except SystemExit as leaving:
            status = int(leaving.code or 0)
    return status, output.getvalue(), time.process_time() - begin


def examined(seeds: range, folder: Path) -> dict[int, int]:
    """How often each exit status came; an error of ours fails."""
    seen: dict[int, int] = {}
    for seed in seeds:
        status, text, seconds = run(seed, folder)
        assert status in (0, 1, 2, 3), f"mutant {seed}: {text[-500:]}"
        assert "Traceback" not in text, f"mutant {seed}: {text[-500:]}"
        assert "internal error" not in text, f"mutant {seed}: {text[-500:]}"
        assert "\x1b" not in text, f"mutant {seed}"
        is_bounded = mutants.mutant(seed).arguments[0] == "check"
        assert not is_bounded or seconds < MAX_TIME + GRACE, f"mutant {seed} took {seconds:.1f} s"
        seen[status] = seen.get(status, 0) + 1
    return seen


def compared(seeds: range) -> int:
    """How many mutants that still are models have the same verdict with all reductions and without any."""
    count = 0
    for seed, text in models(seeds):
        outcomes = []
        for given in PLAIN:
            options = replace(SAFETY, **given)
            try:
                outcomes.append(pipeline.check_files([text], options).outcome)
            except IsospinError:
                break
        if len(outcomes) == 2 and Outcome.INCOMPLETE not in outcomes:
            assert outcomes[0] is outcomes[1], f"mutant {seed}"
            count += 1
    return count


def test_mutants_are_answered(tmp_path: Path) -> None:
    seen = examined(range(FIRST, FIRST + FEW), tmp_path)
    assert seen.get(2, 0) > FEW // 10
    assert FEW - seen.get(2, 0) > FEW // 10


@pytest.mark.slow
def test_many_mutants_are_answered(tmp_path: Path) -> None:
    examined(range(FIRST + FEW, FIRST + FEW + MANY), tmp_path)


@pytest.mark.slow
def test_mutants_have_one_verdict() -> None:
    assert compared(range(FIRST, FIRST + MANY)) > MANY // 10


def models(seeds: range) -> Iterator[tuple[int, str]]:
    """Mutants that still are Promela models."""
    for seed in seeds:
        mutant = mutants.mutant(seed)
        if list(mutant.files) == ["m.pml"] and not mutant.arguments[2:]:
            with contextlib.suppress(IsospinError):
                pipeline.load(mutant.files["m.pml"] + "\n")
                yield seed, mutant.files["m.pml"] + "\n"


def agree_with_spin(seeds: range, folder: Path, most: int) -> int:
    """How many mutants SPIN and we both decide, and alike: whether there is an error, and how many states."""
    options, count = replace(SAFETY, **PLAIN[1], all_errors=True), 0
    for seed, text in models(seeds):
        ours = pipeline.check_files([text], options)
        if ours.outcome is Outcome.INCOMPLETE or count == most:
            continue
        path = folder / "m.pml"
        path.write_text(text, encoding="utf-8", errors="surrogatepass")
        try:
            theirs = spin.plain_run(path)
        except spin.SpinError:
            continue  # it refuses what we accept, or cannot compile it
        if theirs.complete:
            assert bool(ours.violations) == (theirs.errors > 0), f"mutant {seed}:\n{text}"
            # behind an index that is out of range SPIN goes on, and we do not
            if {v.kind for v in ours.violations} <= {"assertion", "deadlock"}:
                assert ours.states == theirs.states, f"mutant {seed}:\n{text}"
            count += 1
    return count


@pytest.mark.slow
@pytest.mark.skipif(not spin.available(), reason="needs SPIN")
def test_mutants_have_the_verdict_of_spin(tmp_path: Path) -> None:
    assert agree_with_spin(range(FIRST, FIRST + MANY), tmp_path, 60) == 60
