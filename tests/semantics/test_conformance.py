"""The reference semantics is SPIN's: state and transition counts, construct by construct."""

from pathlib import Path

import pytest

from tests.support import paths, spin
from tests.support.counting import MOST_STATES, RANDOM_LEVELS, Counts, counted, counts, explored, recorded_random
from tests.support.expectations import expectation
from tests.support.generators.random_promela import generate

CORPUS = sorted((paths.CORPUS / "promela").glob("*.pml"))
RANDOM = {seed: Counts(*said) for seed, said in recorded_random().items()}
ELSEWHERE = {seed for seed, said in RANDOM.items() if seed < RANDOM_LEVELS and said.states <= MOST_STATES}
QUICK = [seed for seed in RANDOM if seed < 80 and seed not in ELSEWHERE]


def recorded(path: Path) -> Counts:
    said = expectation(path)
    return Counts(int(said.more["states"]), int(said.more["transitions"]), said.outcome == "violated")


@pytest.mark.parametrize("path", CORPUS, ids=lambda p: p.stem)
def test_corpus_model_has_the_counts_and_the_errors_of_spin(path: Path) -> None:
    found = explored(path)
    assert counted(found) == recorded(path)
    assert {f.kind for f in found.findings} == set(expectation(path).kinds)


@pytest.mark.parametrize("path", CORPUS[::7], ids=lambda p: p.stem)
def test_depth_first_search_counts_the_same(path: Path) -> None:
    assert counts(path, "dfs") == recorded(path)


@pytest.mark.parametrize("seed", QUICK)
def test_random_model_has_the_counts_of_spin(seed: int) -> None:
    assert counts(generate(seed)) == RANDOM[seed]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [seed for seed in RANDOM if seed not in QUICK])
def test_more_random_models(seed: int) -> None:
    assert counts(generate(seed)) == RANDOM[seed]


def live(path: Path) -> Counts:
    run = spin.plain_run(path)
    return Counts(run.states, run.transitions, run.errors > 0)


@pytest.mark.skipif(not spin.available(), reason="SPIN is not installed")
@pytest.mark.parametrize("path", CORPUS[::40], ids=lambda p: p.stem)
def test_record_is_what_spin_says(path: Path) -> None:
    assert live(path) == recorded(path)


@pytest.mark.slow
@pytest.mark.skipif(not spin.available(), reason="SPIN is not installed")
@pytest.mark.parametrize("path", CORPUS, ids=lambda p: p.stem)
def test_every_record_is_what_spin_says(path: Path) -> None:
    assert live(path) == recorded(path)


@pytest.mark.slow
@pytest.mark.skipif(not spin.available(), reason="SPIN is not installed")
@pytest.mark.parametrize("seed", RANDOM)
def test_every_random_record_is_what_spin_says(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "random.pml"
    path.write_text(generate(seed))
    assert live(path) == RANDOM[seed]
