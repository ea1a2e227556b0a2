"""Liveness verdicts against SPIN itself: what claims mean, and random models.

Where a process receives by rendezvous and could do something else all the time, SPIN's fairness does not count the
receive as a move; ours does.  So our `violated` where SPIN finds nothing is accepted there, never the other way round.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from isospin.pipeline import Options, check, load
from tests import spin
from tests.liveness.random_live import generate
from tests.liveness.test_claims import MEANINGS, NON_PROGRESS

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not spin.available(), reason="SPIN is not installed")]


@pytest.mark.parametrize(("text", "plain", "fair"), [m[1:] for m in MEANINGS], ids=[m[0] for m in MEANINGS])
def test_what_claims_mean_to_spin(text: str, plain: list[str], fair: list[str], tmp_path: Path) -> None:
    if " X " in text:
        pytest.skip("SPIN as it is installed has no X")
    path = tmp_path / "model.pml"
    path.write_text(text)
    assert spin.violates(path) == bool(plain)
    assert spin.violates(path, fair=True) == bool(fair)


@pytest.mark.parametrize(("text", "plain", "fair"), [m[1:] for m in NON_PROGRESS], ids=[m[0] for m in NON_PROGRESS])
def test_what_progress_means_to_spin(text: str, plain: bool, fair: bool, tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text(text)
    assert spin.violates(path, non_progress=True) == plain
    assert spin.violates(path, fair=True, non_progress=True) == fair


@pytest.mark.parametrize("start", range(0, 120, 10))
def test_random_models_as_spin_judges_them(start: int, tmp_path: Path) -> None:
    for seed in range(50_000 + start, 50_000 + start + 10):
        live = generate(seed, next_too=False)
        text = f"{live.text}ltl p {{ {live.formula} }}\n".replace("accept", "other")  # SPIN mixes labels with the claim
        path = tmp_path / f"model{seed}.pml"
        path.write_text(text)
        model = load(path)
        for fair in (False, True):
            lenient = fair and "c?" in text
            for symmetry in ("none", "exact"):
                ours = check(model, Options(engine="interp", symmetry=symmetry, fair=fair, ltl="p"))
                agree(spin.violates(path, fair), ours.outcome.value == "violated", lenient, f"seed {seed}\n{text}")
                ours = check(model, Options(engine="interp", symmetry=symmetry, fair=fair, non_progress=True))
                theirs = spin.violates(path, fair, non_progress=True)
                agree(theirs, ours.outcome.value == "violated", lenient, f"np seed {seed}\n{text}")


def agree(theirs: bool, ours: bool, lenient: bool, shown: str) -> None:
    assert ours == theirs or (lenient and ours), f"SPIN {theirs}, ours {ours}: {shown}"
