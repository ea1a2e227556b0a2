"""The state graph that the explorer walks through."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from isospin import pipeline
from isospin.core.errors import UsageError
from isospin.core.trace import Choice
from isospin.explorer.app import Explorer
from isospin.explorer.graph import ExplorerGraph
from isospin.explorer.view import Viewer
from isospin.semantics.interp import Interpreter
from tests.support.paths import EXAMPLES

# 8 counters from 0 to 9 that never meet: 10 to the power of 8 states, by hand.
HUGE = """
byte x[8];
proctype count(byte i; byte by) { do :: x[i] < 9 -> x[i]++ :: else -> x[i] = 0 od }
init { atomic { run count(0, 1); run count(1, 2); run count(2, 3); run count(3, 4); run count(4, 5); run count(5, 6);
  run count(6, 7); run count(7, 8) } }
"""


def graph_of(source: str | Path) -> ExplorerGraph:
    return ExplorerGraph(pipeline.load(source))


def all_states(graph: ExplorerGraph) -> int:
    """Every state of the model that is walked through, one by one."""
    interpreter = Interpreter(graph.model)
    todo = list(interpreter.initial_states())
    seen = set(todo)
    for state in todo:
        new = {m.state for m in interpreter.moves(state) if m.state is not None} - seen
        seen |= new
        todo += new
    return len(seen)


@pytest.mark.parametrize("name", ["philosophers.pml", "peterson.pml", "symmetry/star.pml", "symmetry/ring.pml"])
def test_the_orbits_of_the_nodes_make_up_the_state_space(name: str) -> None:
    graph = graph_of(EXAMPLES / name)
    todo: list[tuple[int, ...]] = [(i,) for i in range(len(graph.starts))]
    sizes: dict[int, int] = {}
    while todo:
        path = todo.pop()
        there = graph.there(path)
        if graph.number(there) not in sizes:
            sizes[graph.number(there)] = graph.orbit_size(there.at.state)
            todo += [(*path, i) for i in range(len(graph.moves(there.at.state)))]
    assert sum(sizes.values()) == all_states(graph)


def test_members_of_an_orbit_are_states_and_can_be_walked_to() -> None:
    graph = graph_of(EXAMPLES / "philosophers.pml")
    path = (0, 0, 1)
    here = graph.there(path)
    members = graph.members(here.at.state)
    assert len({m.state for m in members}) == graph.orbit_size(here.at.state) == 3
    for member in members:
        there = graph.permuted(path, member.permutation)
        assert there is not None
        assert graph.there(there).at.state == member.state
        assert graph.number(graph.there(there)) == graph.number(here)
    assert {m.written for m in members} == {"()", "(0 1 2)", "(0 2 1)"}


def test_the_same_path_leads_to_the_same_state_and_a_wrong_one_is_refused() -> None:
    path = (0, 2, 1, 0)
    one, other = (graph_of(EXAMPLES / "philosophers.pml").there(path) for _ in range(2))
    assert one.at.state == other.at.state
    graph = graph_of(EXAMPLES / "philosophers.pml")
    for wrong in [(1,), (), (0, 99), (0, -1)]:
        with pytest.raises(UsageError):
            graph.there(wrong)


@pytest.mark.parametrize(
    "name",
    [
        "philosophers.pml",
        "heap/list_use_after_delete.pml",
        "heap/treiber_aba.pml",
        "pointer/mcs_bug.ptr",
        "symmetry/ring.pml",
    ],
)
def test_a_counterexample_becomes_a_path_that_ends_where_it_fails(name: str) -> None:
    model = pipeline.load(EXAMPLES / name)
    options = pipeline.options()
    app = Explorer(model, options, "0")
    verdict = pipeline.check(model, options)
    told = app.summary(verdict)
    (violation,) = told["violations"]
    assert violation["path"] is not None, violation["why"]
    assert violation["what"] in app.graph.wrong(app.graph.there(violation["path"]))


def test_a_cycle_keeps_its_start() -> None:
    source = "byte x;\nactive [2] proctype p() { do :: atomic { x = 1; x = 2 } :: x = 0 od }\nltl up { <>[] (x == 1) }"
    model = pipeline.load(source)
    verdict = pipeline.check(model, pipeline.options(engine="interp"))
    app = Explorer(model, pipeline.options(), "0")
    (violation,) = app.summary(verdict)["violations"]
    path, cycle = violation["path"], violation["cycle"]
    start, end = app.graph.there(path[: cycle + 1]), app.graph.there(path)
    assert start.at.state == end.at.state
    assert cycle < len(path) - 1


def test_a_trace_of_another_model_is_refused() -> None:
    app = Explorer(pipeline.load(EXAMPLES / "peterson.pml"), pipeline.options(), "0")
    path, _, why = app.walkable((Choice(7, 7),), {}, None)
    assert path is None
    assert "not a run of this model" in why


def test_faults_deadlocks_and_ends_are_seen_in_the_neighbourhood() -> None:
    source = "active proctype p() { if :: assert(false) :: false :: skip; false :: goto done fi; done: skip }"
    view = Viewer(graph_of(source)).state((0,))
    nodes = view["graph"]["nodes"]
    assert [n["wrong"].split(":")[0] for n in nodes if n["wrong"]] == ["deadlock"]
    assert any(e["bad"] for e in view["graph"]["edges"])
    assert [a["wrong"] for a in view["actions"] if a["wrong"]] == [["assertion: assert(false) failed"]]


def test_a_hundred_million_states_open_at_once() -> None:
    began = time.process_time()
    viewer = Viewer(graph_of(HUGE))
    view = viewer.state((0,))
    for _ in range(10):
        view = viewer.state((*view["path"], 0))
    assert time.process_time() - began < 3
    assert 8 <= len(view["graph"]["nodes"]) <= 40
    assert len(viewer.graph.numbers) < 2000  # no more was looked at than what is shown


def test_several_initial_states() -> None:
    viewer = Viewer(graph_of(EXAMPLES / "pointer" / "readers_writers_bug.ptr"))
    count = viewer.about()["starts"]
    assert count >= 1
    assert viewer.state((count - 1,))["path"] == (count - 1,)


def test_an_initial_value_that_faults_is_told() -> None:
    with pytest.raises(UsageError, match="no initial state"):
        graph_of("byte z; byte x = 1 / z; active proctype p() { skip }")


def test_many_moves_are_cut_and_an_endless_atomic_sequence_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    many = Viewer(graph_of("active proctype p() { byte x; select (x : 1 .. 250); skip }"))
    assert many.state((0,))["cut"] is False  # a select is a loop, not 250 moves
    wide = Viewer(graph_of("byte x; active proctype p() { atomic { select (x : 1 .. 250) } }"))
    view = wide.state((0,))
    assert (len(view["actions"]), view["cut"]) == (200, True)
    longest = max(view["actions"], key=lambda a: a["steps"][-1]["skipped"])
    assert len(longest["steps"]) == 13
    monkeypatch.setattr("isospin.semantics.interp.MOST_STEPS", 500)
    with pytest.raises(UsageError, match="does not end"):
        Viewer(graph_of("int x; active proctype p() { atomic { do :: x++ od } }")).state((0,))
