"""Count a model's states with the reference interpreter, as SPIN counts them."""

import csv
from dataclasses import dataclass
from pathlib import Path

from isospin import pipeline
from isospin.engines.contract import Exploration, Question
from isospin.engines.interp.search import explore
from tests.support import paths

RANDOM_LEVELS = 60  # random models that `transform/test_optimise.py` explores in `make test`, those with no more states
MOST_STATES = 4000


def recorded_random() -> dict[int, tuple[int, int, bool]]:
    """What SPIN said about the random models: states, transitions, whether there are errors."""
    rows = csv.DictReader((paths.RECORDED / "random-models.csv").open())
    return {int(r["seed"]): (int(r["states"]), int(r["transitions"]), r["errors"] == "yes") for r in rows}


@dataclass(frozen=True)
class Counts:
    states: int
    transitions: int
    errors: bool


def explored(source: Path | str, search: str = "bfs") -> Exploration:
    return explore(pipeline.load(source), Question(search=search, all_errors=True, optimise="none"))


def counts(source: Path | str, search: str = "bfs") -> Counts:
    return counted(explored(source, search))


def counted(found: Exploration) -> Counts:
    assert not found.incomplete, found.incomplete
    return Counts(found.states, found.transitions, bool(found.findings))
