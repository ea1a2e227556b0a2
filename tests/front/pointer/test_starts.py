"""Models with several initial states: counted, folded, and named in counterexamples."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from isospin import cli, pipeline
from isospin.core.errors import UsageError
from isospin.core.verdict import Verdict
from isospin.engines.contract import Question
from isospin.engines.explicit import explore as explore_compiled
from isospin.front.pointer.load import load_text
from isospin.symmetry.reduction import reduce

ANY = "local pointer next; {init} process user {{ mode 0 {{ goto 0; }} }} invariant seen: forall p: next[p] == next[p];"


def check(text: str, processes: int, **options: object) -> Verdict:
    return pipeline.check(load_text(text, "model.ptr", processes), pipeline.options(**options))


@pytest.mark.parametrize(("processes", "orbits"), [(2, 3), (3, 7), (4, 19)])
def test_functions_up_to_renaming(processes: int, orbits: int) -> None:
    """Every process points to a process: functional digraphs, of which OEIS A001372 counts 3, 7, 19."""
    text = ANY.format(init="init forall p: next[p] != NULL;")
    verdict = check(text, processes, engine="interp")
    assert (verdict.states, verdict.orbit_sum) == (orbits, str(processes**processes))


@pytest.mark.parametrize(("processes", "orbits"), [(2, 6), (3, 16)])
def test_partial_functions_up_to_renaming(processes: int, orbits: int) -> None:
    """NULL is allowed as well: OEIS A126285 counts 6, 16, 45."""
    verdict = check(ANY.format(init=""), processes, engine="interp")
    assert (verdict.states, verdict.orbit_sum) == (orbits, str((processes + 1) ** processes))


def test_the_compiled_engine_stores_one_initial_state_for_each_orbit() -> None:
    reduction = reduce(load_text(ANY.format(init=""), "model.ptr", 4), "auto")
    found = explore_compiled(reduction.model, Question(), optimisation="-O0", folding=reduction.folding)
    assert (found.states, found.orbit_sum) == (45, 625)


def test_initial_values_that_nobody_reads_are_one() -> None:
    text = ANY.format(init="").replace("next[p] == next[p]", "mode[p] == 0")
    assert check(text, 3, engine="interp", symmetry="none").states == 1
    assert check(text, 3, engine="interp", symmetry="none", optimise="none").states == 64


CHAIN = """
    local pointer next; local discrete x: 0..1;
    init forall p: x[p] == 0 && next[p] != p;
    process user { mode 0 { do next->next->x = 1 goto 1; } mode 1 { } }
"""


@pytest.mark.parametrize("symmetry", ["none", "auto"])
@pytest.mark.parametrize("optimise", ["none", "full"])
def test_a_counterexample_names_where_it_starts(symmetry: str, optimise: str) -> None:
    verdict = check(CHAIN, 3, engine="interp", symmetry=symmetry, optimise=optimise)
    assert [v.kind for v in verdict.violations] == ["null-dereference"]
    trace = verdict.violations[0].trace
    start = dict(trace.start)
    assert set(start) == {"next[1]", "next[2]", "next[3]"}
    (step,) = trace.steps
    first = start[f"next[{step.pid}]"]
    assert first == 0 or start[f"next[{first}]"] == 0


@pytest.mark.parametrize("engine", ["interp", pytest.param("explicit", marks=pytest.mark.slow)])
def test_a_saved_counterexample_replays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], engine: str
) -> None:
    """The violation needs an initial state that is not the first one."""
    model, trace = tmp_path / "model.ptr", tmp_path / "trace.json"
    rule = "when next != NULL && next->next == P do next->x = 1 goto 1;"
    body = CHAIN.replace("do next->next->x = 1 goto 1;", rule) + "invariant calm: forall p: x[p] == 0;"
    model.write_text(body)
    common = [str(model), "-N", "3"]
    assert cli.main(["check", *common, "--engine", engine, "--trace", str(trace)]) == 1
    document = json.loads(trace.read_text())
    assert document["kind"] == "invariant"
    assert sum(document["start"].values()) >= 3
    capsys.readouterr()
    assert cli.main(["replay", str(model), str(trace)]) == 1
    assert "calm does not hold" in capsys.readouterr().out
    document["start"] = dict.fromkeys(document["start"], 0)
    trace.write_text(json.dumps(document))
    assert cli.main(["replay", str(model), str(trace)]) == 2


def test_too_many_initial_states_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isospin.semantics.start.MOST_STARTS", 100)
    text = "local discrete x: 0..9; process user { mode 0 { goto 0; } } invariant any: forall p: x[p] >= 0;"
    with pytest.raises(UsageError, match="more than 100 initial states; say more in init"):
        check(text, 9, engine="interp", symmetry="none")


def test_relations_prune_the_search_for_initial_states() -> None:
    """10^12 combinations, of which one is left."""
    text = "local discrete x: 0..9; init forall p, q: q == p + 1 => x[q] > x[p]; init x[1] == 0 && x[N] <= N - 1;"
    text += "process user { mode 0 { goto 0; } } invariant any: forall p: x[p] == p - 1;"
    verdict = check(text.replace("0..9", "0..11"), 12, engine="interp")
    assert (verdict.outcome, verdict.states) == ("holds", 1)


RING = """
    global pointer token; local pointer next;
    init token == NULL && next[1] == 2 && next[2] == 3 && next[3] == 1;
    process user { mode 0 { when token == NULL || token == P do token = next goto 0; } }
"""


def test_the_anomaly_of_image_false_reachability() -> None:
    """Section 6.2.1 of the paper: swapping two processes of a static ring turns it round, which no run does."""
    around = RING + "invariant clockwise: next[1] == 2 || token == NULL;"
    assert check(around, 3, engine="interp").outcome == "holds"
    model = load_text(RING + "invariant any: forall p: next[p] != NULL;", "model.ptr", 3)
    reduction = pipeline.symmetry(model)
    assert reduction.report.group_order == "3"  # the rotations, not all six permutations
    verdict = pipeline.check(model, pipeline.options(engine="interp"))
    assert (verdict.outcome, verdict.states, verdict.orbit_sum) == ("holds", 2, "4")
