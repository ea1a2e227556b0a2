"""Count a model's states with the reference interpreter, as SPIN counts them."""

from dataclasses import dataclass
from pathlib import Path

from isospin import pipeline
from isospin.engines.contract import Exploration, Question
from isospin.engines.interp.search import explore


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
