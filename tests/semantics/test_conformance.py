"""The reference semantics is SPIN's: state and transition counts, construct by construct."""

import csv
from pathlib import Path

import pytest

from tests.support import paths, spin
from tests.support.counting import Counts, counted, counts, explored
from tests.support.expectations import expectation
from tests.support.generators.random_promela import generate

CORPUS = sorted((paths.CORPUS / "promela").glob("*.pml"))
RANDOM = list(csv.DictReader((paths.RECORDED / "random-models.csv").open()))
QUICK = 80  # random models in `make test`


def recorded(path: Path) -> Counts:
    said = expectation(path)
    return Counts(int(said.more["states"]), int(said.more["transitions"]), said.outcome == "violated")


def recorded_random(row: dict[str, str]) -> Counts:
    return Counts(int(row["states"]), int(row["transitions"]), row["errors"] == "yes")


@pytest.mark.parametrize("path", CORPUS, ids=lambda p: p.stem)
def test_corpus_model_has_the_counts_and_the_errors_of_spin(path: Path) -> None:
    found = explored(path)
    assert counted(found) == recorded(path)
    assert {f.kind for f in found.findings} == set(expectation(path).kinds)


@pytest.mark.parametrize("path", CORPUS[::7], ids=lambda p: p.stem)
def test_depth_first_search_counts_the_same(path: Path) -> None:
    assert counts(path, "dfs") == recorded(path)


@pytest.mark.parametrize("row", RANDOM[:QUICK], ids=lambda r: r["seed"])
def test_random_model_has_the_counts_of_spin(row: dict[str, str]) -> None:
    assert counts(generate(int(row["seed"]))) == recorded_random(row)


@pytest.mark.slow
@pytest.mark.parametrize("row", RANDOM[QUICK:], ids=lambda r: r["seed"])
def test_more_random_models(row: dict[str, str]) -> None:
    assert counts(generate(int(row["seed"]))) == recorded_random(row)


def live(path: Path) -> Counts:
    run = spin.plain_run(path)
    return Counts(run.states, run.transitions, run.errors > 0)


@pytest.mark.skipif(not spin.available(), reason="SPIN is not installed")
@pytest.mark.parametrize("path", CORPUS[::20], ids=lambda p: p.stem)
def test_record_is_what_spin_says(path: Path) -> None:
    assert live(path) == recorded(path)


@pytest.mark.slow
@pytest.mark.skipif(not spin.available(), reason="SPIN is not installed")
@pytest.mark.parametrize("path", CORPUS, ids=lambda p: p.stem)
def test_every_record_is_what_spin_says(path: Path) -> None:
    assert live(path) == recorded(path)


@pytest.mark.slow
@pytest.mark.skipif(not spin.available(), reason="SPIN is not installed")
@pytest.mark.parametrize("row", RANDOM, ids=lambda r: r["seed"])
def test_every_random_record_is_what_spin_says(row: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "random.pml"
    path.write_text(generate(int(row["seed"])))
    assert live(path) == recorded_random(row)
