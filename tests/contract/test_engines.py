"""What every engine keeps: a new one is tested as soon as `--engine` knows it.

An engine that stores states counts those that SPIN counts, if nothing is reduced.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from isospin.cli import main
from isospin.pipeline.settings import Options
from tests.support import expectations, paths

ENGINES = [name for name in Options.declared["engine"].choices if name != "auto"]
STATELESS = ("stateless",)  # explores executions, and does not count states
PLAIN = ("--optimise", "none", "--por", "off", "--symmetry", "none")
MODELS = [paths.CORPUS / "promela" / f"{name}.pml" for name in (
    "active_count", "assert_fails_midway", "atomic_rendezvous_passes_control", "deadlock_channel_full",
    "chan_of_chan",
)]  # fmt: skip


@pytest.mark.parametrize("path", MODELS, ids=lambda p: p.stem)
@pytest.mark.parametrize("engine", ENGINES)
def test_verdicts_and_counts_are_those_of_spin(engine: str, path: Path) -> None:
    wanted = expectations.expectation(path)
    plain = () if engine in STATELESS else PLAIN
    document = expectations.verdict(path, "--engine", engine, "--all-errors", "--no-claim", *plain)
    assert document["engine"] == engine
    assert (document["outcome"], {v["kind"] for v in document["violations"]}) == (wanted.outcome, set(wanted.kinds))
    if engine not in STATELESS:
        assert document["states"] == wanted.number("states")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_violation_is_saved_and_replayed(
    engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """SOUND: paths are found on a reduced model, and confirmed on the one that the user wrote."""
    path, trace = str(paths.EXAMPLES / "stateless" / "philosophers.pml"), str(tmp_path / "trace.json")
    status = main(["check", path, "--json", "--engine", engine, "--trace", trace])
    (violation,) = json.loads(capsys.readouterr().out)["violations"]
    assert (status, violation["kind"]) == (1, "deadlock")
    assert main(["replay", path, trace]) == 1
    assert "deadlock" in capsys.readouterr().out


@pytest.mark.parametrize("bound", [("--max-time", "0.000001"), ("--max-depth", "2")], ids=" ".join)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_search_that_was_cut_short_is_never_said_to_hold(engine: str, bound: tuple[str, str]) -> None:
    document = expectations.verdict(paths.EXAMPLES / "peterson.pml", "--engine", engine, *bound)
    assert document["outcome"] == "incomplete"
    assert bound[0] in document["reason"]
