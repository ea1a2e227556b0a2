"""SPIN's examples in the compiled engine, all sizes: SPIN's plain counts, and its default counts at level spin."""

from dataclasses import replace

import pytest

from isospin import pipeline
from isospin.engines.contract import Exploration, Question
from isospin.engines.explicit import explore
from isospin.transform.optimise import optimise
from tests.support.counting import Counts
from tests.support.spin_examples import ROWS, folder, name, needs_examples

PLAIN = [r for r in ROWS if r["plain_status"] == "complete"]
DEFAULT = [r for r in ROWS if r["noreduce_status"] == "complete" and not r["claims"]]
# SPIN merges `_priority = 9` with what follows; we leave models with priorities alone.
DIFFERENT = {"rtos1.pml"}


def run(row: dict[str, str], level: str, search: str = "bfs", threads: int = 1) -> Exploration:
    model = replace(pipeline.load(folder() / row["file"]), claims=())
    found = explore(optimise(model, level), Question(search=search, threads=threads, all_errors=True))
    assert not found.incomplete, found.incomplete
    return found


def counted(found: Exploration) -> Counts:
    return Counts(found.states, found.transitions, bool(found.findings))


@pytest.mark.slow
@needs_examples
@pytest.mark.parametrize("row", PLAIN, ids=name)
def test_plain_counts(row: dict[str, str]) -> None:
    wanted = Counts(
        int(row["states_plain_noclaim"]), int(row["transitions_plain_noclaim"]), row["errors_plain_noclaim"] != "0"
    )
    assert counted(run(row, "none")) == wanted
    assert counted(run(row, "none", "dfs")) == wanted
    assert counted(run(row, "none", threads=2)) == wanted


@pytest.mark.slow
@needs_examples
@pytest.mark.parametrize("row", DEFAULT, ids=name)
def test_default_counts_and_the_full_level(row: dict[str, str]) -> None:
    spin, full = run(row, "spin"), run(row, "full")
    wanted = Counts(int(row["states_noreduce"]), int(row["transitions_noreduce"]), row["errors_full"] != "0")
    if row["file"] not in DIFFERENT:
        assert counted(spin) == wanted
    assert full.states <= spin.states
    assert bool(full.findings) == bool(spin.findings) == wanted.errors
