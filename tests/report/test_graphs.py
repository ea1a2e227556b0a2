"""State graphs for other programs: exactly the states and moves that a search counts, folded and not."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from isospin import pipeline
from isospin.cli import main
from isospin.core.graph import ModelGraph
from isospin.report.graphs import aut_text, dot_text, graphml_text
from tests.support.generators import random_symmetric
from tests.support.paths import EXAMPLES

XML = "{http://graphml.graphdrawing.org/xmlns}"
FILES = ["philosophers.pml", "peterson.pml", "pointer/mcs_bug.ptr", "heap/list_use_after_delete.pml"]
SIZES = {".ptr": 2}  # processes of a pointer automaton


def graph_and_counts(source: str | Path, **options: str) -> tuple[ModelGraph, int, int]:
    model = pipeline.load(source, processes=SIZES.get(Path(source).suffix) if isinstance(source, Path) else None)
    asked = pipeline.options(engine="interp", por="off", all_errors=True, **options)
    verdict = pipeline.check(model, asked)
    return pipeline.state_graph(model, pipeline.options(**options)), verdict.states, verdict.transitions


@pytest.mark.parametrize("symmetry", ["none", "exact"])
@pytest.mark.parametrize("file", FILES)
def test_as_many_states_and_moves_as_the_search_counts(file: str, symmetry: str) -> None:
    graph, states, transitions = graph_and_counts(EXAMPLES / file, symmetry=symmetry)
    assert (len(graph.nodes), len(graph.edges) + len(graph.starts)) == (states, transitions)  # a start counts as a move
    assert {e.source for e in graph.edges} | {e.target for e in graph.edges} <= set(range(states))
    assert not graph.incomplete


def test_random_models_have_the_graph_that_is_counted() -> None:
    for seed in range(2):
        text = random_symmetric.generate(seed)
        whole, states, transitions = graph_and_counts(text, symmetry="none")
        assert (len(whole.nodes), len(whole.edges) + len(whole.starts)) == (states, transitions), seed
        folded, states, transitions = graph_and_counts(text, symmetry="exact")
        assert (len(folded.nodes), len(folded.edges) + len(folded.starts)) == (states, transitions), seed
        assert len(folded.nodes) <= len(whole.nodes)


@pytest.mark.slow
def test_many_random_models_have_the_graph_that_is_counted() -> None:
    for seed in range(100, 200):
        for symmetry in ("none", "exact"):
            graph, states, transitions = graph_and_counts(random_symmetric.generate(seed), symmetry=symmetry)
            assert (len(graph.nodes), len(graph.edges) + len(graph.starts)) == (states, transitions), seed


def test_orbits_add_up_to_the_whole_graph() -> None:
    for file in ("philosophers.pml", "pointer/mcs_bug.ptr"):
        whole, *_ = graph_and_counts(EXAMPLES / file, symmetry="none")
        folded, *_ = graph_and_counts(EXAMPLES / file, symmetry="exact")
        assert sum(node.orbit or 0 for node in folded.nodes) == len(whole.nodes)
        assert sum((folded.nodes[e.source].orbit or 0) for e in folded.edges) == len(whole.edges)
        assert {w for n in folded.nodes for w in n.wrong} == {w for n in whole.nodes for w in n.wrong}


def test_aldebaran() -> None:
    graph, *_ = graph_and_counts(EXAMPLES / "philosophers.pml", symmetry="none")
    head, *lines = aut_text(graph).splitlines()
    assert head == f"des (0, {len(graph.edges)}, {len(graph.nodes)})"
    found = [re.fullmatch(r'\((\d+), "([^"]*)", (\d+)\)', line) for line in lines]
    assert [(int(m[1]), int(m[3])) for m in found if m] == [(e.source, e.target) for e in graph.edges]


def test_several_starts_get_one_before_them() -> None:
    source = "global discrete x: 0..2; init x <= 1; process p { mode 0 { when x == 0 do x = 2 goto 0; } }"
    graph = pipeline.state_graph(load_pointer(source), pipeline.options(symmetry="none"))
    assert len(graph.starts) == 2
    head, *lines = aut_text(graph).splitlines()
    count = len(graph.nodes)
    assert head == f"des ({count}, {len(graph.edges) + 2}, {count + 1})"
    assert sum(f'({count}, "start", ' in line for line in lines) == 2


def load_pointer(source: str):  # type: ignore[no-untyped-def]
    from isospin.front.pointer.load import read_model

    return read_model(source, "x.ptr", processes=1)


def test_networkx_reads_the_graphml() -> None:
    networkx = pytest.importorskip("networkx")
    graph, *_ = graph_and_counts(EXAMPLES / "philosophers.pml", symmetry="exact")
    read = networkx.parse_graphml(graphml_text(graph), force_multigraph=True)
    assert (read.number_of_nodes(), read.number_of_edges()) == (len(graph.nodes), len(graph.edges))
    assert read.nodes["0"]["start"] is True
    assert sum(data["orbit"] for _, data in read.nodes(data=True)) == 35
    assert any("permutation" in data for *_, data in read.edges(data=True))
    assert [n for n, data in read.nodes(data=True) if data.get("wrong") == "deadlock"]


def test_what_stands_in_a_model_is_escaped() -> None:
    source = 'byte x; active proctype p() { x = (1 < 2 && 3 > 2 -> 5 : 6); printf("<&>\\n"); assert(x == 1) }'
    graph, *_ = graph_and_counts(source, optimise="none")
    root = ElementTree.fromstring(graphml_text(graph))
    moves = [d.text for d in root.iter(f"{XML}data") if d.get("key") == "move"]
    assert any("<&>" in (move or "") for move in moves)
    assert '"' not in "".join(line.partition('"')[2].rpartition('"')[0] for line in aut_text(graph).splitlines()[1:])
    assert '\\"' in dot_text(graph)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = str(EXAMPLES / "philosophers.pml")
    assert main(["graph", model]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("digraph ")
    assert out.count(" -> ") - out.count("-> taken") >= 27
    assert "13 states, 27 moves" in err
    file = tmp_path / "g.aut"
    assert main(["graph", model, "--symmetry", "none", "--out", str(file)]) == 0
    assert file.read_text().startswith("des (0, 75, 35)")
    assert main(["graph", model, "--max-states", "5"]) == 3
    assert "not complete" in capsys.readouterr().err
    assert main(["graph", str(EXAMPLES / "python" / "bank.py")]) == 2


# -------------------------------------------------------------------------------------------------- ITF


def test_a_deadlock_as_itf(tmp_path: Path) -> None:
    file = tmp_path / "d.itf.json"
    assert main(["check", str(EXAMPLES / "philosophers.pml"), "--itf", str(file), "--quiet"]) == 1
    found = json.loads(file.read_text())
    assert found["vars"] == ["philosopher", "taken"]
    assert len(found["states"]) == 7
    assert "loop" not in found
    first, last = found["states"][0], found["states"][-1]
    assert first["taken"] == [0, 0, 0]
    assert last["taken"] == [1, 1, 1]
    assert last["philosopher"] == [{"left": 0, "right": 1}, {"left": 1, "right": 2}, {"left": 2, "right": 0}]
    assert [s["#meta"]["index"] for s in found["states"]] == list(range(7))
    assert last["#meta"]["statement"] == "taken[left] = true"


def test_a_lasso_as_itf_goes_back_to_where_it_began(tmp_path: Path) -> None:
    model, file = tmp_path / "m.pml", tmp_path / "l.itf.json"
    model.write_text("byte x; active proctype p() { x = 7; do :: x = 1 :: x = 0 od } ltl up { <>[] (x == 1) }\n")
    assert main(["check", str(model), "--ltl", "up", "--itf", str(file), "--quiet"]) == 1
    found = json.loads(file.read_text())
    values = [state["x"] for state in found["states"]]
    assert 0 <= found["loop"] < len(values)
    assert 0 in values[found["loop"] :]  # or x == 1 for ever


def test_an_array_that_does_not_begin_at_0_is_a_function(tmp_path: Path) -> None:
    file = tmp_path / "p.itf.json"
    assert main(["check", str(EXAMPLES / "pointer" / "mcs_bug.ptr"), "--itf", str(file), "--quiet"]) == 1
    last = json.loads(file.read_text())["states"][-1]
    assert sorted(key for key, _ in last["locked"]["#map"]) == [1, 2, 3]


def test_itf_is_for_models(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.itf.json"
    assert main(["check", str(EXAMPLES / "python" / "bank.py"), "--itf", str(file)]) == 2
    assert not file.exists()
