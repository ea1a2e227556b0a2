"""Liveness verdicts against SPIN itself: what claims mean, and random models.

With fairness two things are different.  Where a process receives by rendezvous and could do something else all the
time, SPIN does not count the receive as a move; ours does.  And SPIN 6.5 gets lost where a run ends: its search goes on
in one state until the depth limit, and finds nothing.  There our `violated` is accepted, never the other way round.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from isospin.core.verdict import Verdict
from isospin.pipeline import Options, check, load
from tests.engines.interp.test_claims import MEANINGS, NON_PROGRESS
from tests.support import spin
from tests.support.generators.random_live import generate

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not spin.available(), reason="SPIN is not installed")]


@pytest.mark.parametrize(("text", "plain", "fair"), [m[1:] for m in MEANINGS], ids=[m[0] for m in MEANINGS])
def test_what_claims_mean_to_spin(text: str, plain: list[str], fair: list[str], tmp_path: Path) -> None:
    if " X " in text:
        pytest.skip("SPIN as it is installed has no X")
    path = tmp_path / "model.pml"
    path.write_text(text)
    assert spin.violates(path) == bool(plain)
    if "np_" not in text:  # SPIN's np_ is true again in a run that has ended, if it is to be fair
        assert spin.violates(path, fair=True) == bool(fair)


@pytest.mark.parametrize(("text", "plain", "fair"), [m[1:] for m in NON_PROGRESS], ids=[m[0] for m in NON_PROGRESS])
def test_what_progress_means_to_spin(text: str, plain: bool, fair: bool, tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text(text)
    assert spin.violates(path, non_progress=True) == plain
    assert spin.violates(path, fair=True, non_progress=True) == fair


def test_timeout_in_a_claim_means_nothing_to_spin_if_no_process_waits_for_it(tmp_path: Path) -> None:
    """Its verifiers have no timeouts at all then (ETIM); one that is never reached is enough to have them."""
    text = """byte x; active proctype P() { x = 1; x == 2 }
    never { do :: timeout -> break :: else od; accept: do :: timeout od }"""
    waits = "active proctype Q() { end: false -> timeout }\n"
    for model, theirs in ((text, False), (waits + text, True)):
        path = tmp_path / f"model{theirs}.pml"
        path.write_text(model)
        assert spin.violates(path) == theirs
        assert check(load(path), Options(engine="interp", ltl="never")).outcome.value == "violated"


def ends(verdict: Verdict) -> bool:
    return any(v.trace.cycle_start == len(v.trace.steps) for v in verdict.violations)


@pytest.mark.parametrize("start", range(0, 60, 10))
def test_random_models_as_spin_judges_them(start: int, tmp_path: Path) -> None:
    """SPIN's verifiers take most of the time, so each model is asked about one thing: its formula, or progress."""
    compared = 0
    for seed in range(50_000 + start, 50_000 + start + 10):
        live = generate(seed, next_too=False, queues=seed % 4 == 3)
        text = f"{live.text}ltl p {{ {live.formula} }}\n".replace("accept", "other")  # SPIN mixes labels with the claim
        path = tmp_path / f"model{seed}.pml"
        path.write_text(text)
        model, progress = load(path), seed % 2 == 0
        for fair in (False, True):
            try:
                theirs = spin.violates(path, fair, progress)
            except spin.CutOff:
                continue
            compared += 1
            for symmetry, por in product(("none", "exact"), ("off", "on")):
                claim = None if progress else "p"
                what = Options(
                    engine="interp", symmetry=symmetry, por=por, fair=fair, ltl=claim, non_progress=progress
                )
                verdict = check(model, what)
                ours = verdict.outcome.value == "violated"
                lenient = fair and ("c?" in text or "?y" in text or "?1" in text or ends(verdict))
                assert ours == theirs or (ours and lenient), f"seed {seed}, {what}, SPIN {theirs}:\n{text}"
    assert compared >= 12
