"""The classical cycle condition on the product is wrong, ours is not: on one model of the corpus."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from isospin.analysis.ample import ample
from isospin.pipeline import check, load, options
from tests.support import paths
from tests.support.oracles.classical import Classical, NoStack, WithoutCycleCondition
from tests.support.spin import available

PATH = paths.CORPUS / "liveness" / "classical_cycle_condition.pml"


def test_the_classical_condition_misses_the_violation() -> None:
    model = load(PATH)
    claim = model.claims[0]
    assert Classical(model, claim, None).violated()
    assert not Classical(model, claim, WithoutCycleCondition(model).result(None)).violated()


def test_ours_does_not() -> None:
    """On the same product, with the table that every engine uses; the loop has a place where everybody moves."""
    model = load(PATH)
    table = ample(model)
    assert table is not None
    search = Classical(model, model.claims[0], table)
    search.stack = NoStack()
    assert search.violated()


@pytest.mark.parametrize("engine", ["interp", "explicit"])
@pytest.mark.parametrize("por", ["on", "off"])
def test_the_verdict(engine: str, por: str) -> None:
    model = load(PATH)
    for symmetry in ("none", "auto"):
        verdict = check(model, options(engine=engine, por=por, symmetry=symmetry))
        assert {p.name: p.outcome.value for p in verdict.properties}[model.claims[0].name] == "violated"
    formula = load(PATH.read_text(), ltl="[] !x")
    assert check(formula, options(engine=engine, por=por, ltl="[] !x")).outcome.value == "violated"


@pytest.mark.slow
@pytest.mark.skipif(not available(), reason="SPIN is not installed")
def test_spin_is_classical(tmp_path: Path) -> None:
    errors = []
    for flags in ((), ("-DNOREDUCE",)):
        subprocess.run(["spin", "-a", str(PATH)], cwd=tmp_path, check=True, capture_output=True)
        subprocess.run(["cc", "-w", *flags, "-o", "pan", "pan.c"], cwd=tmp_path, check=True)
        run = subprocess.run(["./pan", "-a"], cwd=tmp_path, check=True, capture_output=True, text=True)
        errors.append("errors: 0" not in run.stdout)
    assert errors == [False, True]
