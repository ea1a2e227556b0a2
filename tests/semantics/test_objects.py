"""Models with objects: traces and pictures; what each of them says about itself is checked in `contract/`."""

from __future__ import annotations

from pathlib import Path

import pytest

from isospin import pipeline
from isospin.cli import main
from tests.support import paths
from tests.support.expectations import verdict

ABA = paths.EXAMPLES / "heap" / "treiber_aba.pml"


def test_a_trace_names_objects_and_shows_the_heap() -> None:
    document = verdict(ABA)
    steps = document["violations"][0]["trace"]
    assert steps[0]["changes"] == {"top": ["null", "Node#1"], "Node#1": [None, "new"]}
    reused = [name for s in steps for name, (_, new) in s["changes"].items() if new == "new, in the place of Node#1"]
    assert reused == ["Node#3"]
    last = steps[-1]["heap"]
    assert last["Node#3"]["fields"] == {"value": 0, "below": "null"}
    assert last["Node#3"]["allocated"].endswith("treiber_aba.pml:52:2")
    assert steps[-2]["heap"] == last, "the step that fails changes nothing"


def test_names_are_the_same_with_and_without_folding() -> None:
    """The shortest trace need not be the same one, but each object keeps its name from its birth on."""
    for way in ([], ["--symmetry", "none"], ["--optimise", "none"], ["--symmetry", "fig5"]):
        steps = verdict(ABA, *way, *(["--engine", "interp"] if way else []))["violations"][0]["trace"]
        born = [name for s in steps for name, (old, new) in s["changes"].items() if old is None and "new" in str(new)]
        assert born == [f"Node#{i + 1}" for i in range(len(born))]


def test_a_saved_trace_replays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved, picture = tmp_path / "trace.json", tmp_path / "heap.dot"
    assert main(["check", str(ABA), "--trace", str(saved), "--heap-dot", str(picture), "--quiet"]) == 1
    assert main(["replay", str(ABA), str(saved)]) == 1
    assert "use-after-delete: " in capsys.readouterr().out
    dot = picture.read_text()
    assert dot.startswith("digraph heap {")
    assert '"Node#2 (deleted)" [style=dashed, color=red];' in dot
    assert '"top" -> "Node#2 (deleted)";' in dot
    assert dot.count("{") == dot.count("}") == 1


def test_no_violation_no_picture(tmp_path: Path) -> None:
    picture = tmp_path / "heap.dot"
    picture.write_text("old")
    path = paths.CORPUS / "heap" / "delete_null_is_nothing.pml"
    main(["check", str(path), "--heap-dot", str(picture), "--engine", "interp"])
    assert not picture.exists()


def test_a_model_with_objects_can_be_simulated(capsys: pytest.CaptureFixture[str]) -> None:
    path = paths.EXAMPLES / "heap" / "two_lock_queue.pml"
    assert main(["simulate", str(path), "--seed", "1", "--steps", "300"]) == 0
    assert "Node#" in capsys.readouterr().out


def test_the_engine_of_a_model_with_objects(capsys: pytest.CaptureFixture[str]) -> None:
    """Compiled, unless the strategy depends on the path."""
    assert verdict(ABA, "--engine", "explicit")["engine"] == "explicit"
    queue = paths.EXAMPLES / "heap" / "two_lock_queue.pml"
    assert verdict(queue, "--symmetry", "fig5")["engine"] == "interp"
    assert main(["check", str(queue), "--symmetry", "fig5", "--engine", "explicit"]) == 2
    assert "knows exact, enumerate and segmented only" in capsys.readouterr().err


def test_the_lowest_free_slot_is_used_where_nothing_dangles() -> None:
    """Without dangling pointers there is one place for a new object, so the unreduced search stays small."""
    text = """typedef T { byte x };
    T *a, *b;
    active proctype P() { a = new T; b = new T; atomic { delete a; a = null }; a = new T }"""
    verdict = pipeline.check(pipeline.load(text), pipeline.options(engine="interp", symmetry="none", optimise="none"))
    assert (verdict.outcome, verdict.states) == ("holds", 6)
