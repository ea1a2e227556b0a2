"""Trails of claims: SPIN replays them, with the cycle, and with the moves of a never claim."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from isospin import check
from isospin.cli import main
from isospin.report.document import spin_trail
from tests.support import spin

MODEL = "byte x;\nactive proctype P() { x = 1; do :: x = 1 - x od }\n"
NEVER = (
    "never {\nT0: if :: true -> goto T0 :: x == 0 -> goto accept fi;\n"
    "accept: if :: true -> goto T0 :: x == 1 -> goto accept fi }\n"
)


def trail_of(text: str, path: Path) -> str:
    path.write_text(text)
    (violation,) = check(path, engine="interp").violations
    return spin_trail(violation.trace)


def test_a_trail_says_where_the_cycle_starts_and_what_the_claim_does(tmp_path: Path) -> None:
    lines = trail_of(MODEL + NEVER, tmp_path / "m.pml").splitlines()
    assert lines[0] == "-2:1:-2"
    assert lines.count("-1:-1:-1") == 1
    moves = [line.split(":")[1] for line in lines[1:] if line != "-1:-1:-1"]
    assert moves == ["0", "1"] * (len(moves) // 2)  # the claim moves first, and once before each step


@pytest.mark.skipif(not spin.available(), reason="SPIN is not installed")
@pytest.mark.parametrize("claim", [NEVER, "ltl p { <>[] (x == 1) }\n"], ids=["never", "ltl"])
def test_spin_replays_it(claim: str, tmp_path: Path) -> None:
    trail = tmp_path / "m.trail"
    trail.write_text(trail_of(MODEL + claim, tmp_path / "m.pml"))
    command = ["spin", "-t", "-p", "-g", "-k", "m.trail", "m.pml"]
    out = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=30, check=True).stdout
    assert "START OF CYCLE" in out
    assert "x = (1-x)" in out.partition("START OF CYCLE")[2]
    steps = sum(not line.startswith("-") for line in trail.read_text().splitlines())
    assert f"trail ends after {steps} steps" in out
    assert "couldn't" not in out


SPINS = "-2:1:-2\n-4:-4:-4\n1:0:6\n2:1:0\n-1:-1:-1\n3:0:13\n4:1:1\n5:0:6\n6:1:1\n"  # of the formula above


def test_a_cycle_that_spin_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, trail = tmp_path / "m.pml", tmp_path / "m.pml.trail"
    model.write_text(MODEL + "ltl p { <>[] (x == 1) }\n")
    trail.write_text(SPINS)
    assert main(["replay", str(model), str(trail)]) == 1
    out = capsys.readouterr().out
    assert "steps 2 to 3 are repeated for ever" in out
    assert "a cycle that SPIN objects to" in out
