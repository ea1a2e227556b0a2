"""The report as a page: what stands in it, and that nothing of a model can run in it."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import isospin
from isospin import pipeline
from isospin.cli import main
from isospin.core.trace import Message, RunView
from isospin.core.verdict import Verdict
from isospin.report.html import page
from isospin.report.html.layered import draw
from isospin.semantics.snapshot import difference
from tests.support.paths import EXAMPLES

EVIL = "<script>alert('x')</script>"
EVIL_MODEL = f"""
active proctype p() {{
  printf("{EVIL}</title>"); /* {EVIL} --> ]]> */
  assert(false)
}}
"""


def checked(source: str | Path, **options: Any) -> tuple[Verdict, str]:
    model = pipeline.load(source)
    verdict = pipeline.check(model, pipeline.options(engine="interp", **options))
    return verdict, page(verdict, "0", [pipeline.run_view(model, v) for v in verdict.violations])


def data_of(text: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text)
    assert found is not None
    return json.loads(found[1])


def values_at(story: Any, step: int) -> dict[str, Any]:
    now: dict[str, Any] = {}
    for changed in story["values"][: step + 1]:
        now |= {name: value[0] for name, *value in changed if value}
    return now


def test_a_deadlock_with_its_steps_values_and_who_waits_where() -> None:
    verdict, text = checked(EXAMPLES / "philosophers.pml")
    (story,) = data_of(text)["stories"]
    assert len(story["steps"]) == len(verdict.violations[0].trace.steps) == 6
    end = values_at(story, 6)
    assert [end[f"taken[{i}]"] for i in range(3)] == [1, 1, 1]
    assert [end[f"philosopher[{i}]:right"] for i in range(3)] == [1, 2, 0]
    assert text.count("19: !taken[right]") == 3
    assert "deadlock: philosopher 0, philosopher 1, philosopher 2 cannot go on" in text
    assert "never executed" not in text  # nobody asks before the failure is mended


def test_a_run_that_holds_shows_its_scope_and_what_is_never_executed() -> None:
    verdict, text = checked("active proctype p() {\n  if\n  :: true\n  :: false -> skip; assert(0)\n  fi\n}")
    assert verdict
    assert "The search was exhaustive and exact" in text
    assert [(u.location.line, u.statement) for u in verdict.unreached] == [(4, "false"), (4, "skip"), (4, "assert(0)")]
    assert "3 statements are never executed" in text
    assert data_of(text)["stories"] == []


def test_unreached_statements_are_marked_where_they_stand(tmp_path: Path) -> None:
    model = tmp_path / "m.pml"
    model.write_text("active proctype p() {\n  if\n  :: true\n  :: false -> assert(0)\n  fi\n}\n")
    _, text = checked(model)
    plain = re.sub(r"</?i[^>]*>", "", text)  # without colours
    assert re.search(r'id="line-0-4" class="unreached".*<s>false</s> -&gt; <s>assert\(0\)</s>', plain)
    assert 'id="line-0-3" class' not in text


def test_an_incomplete_run_says_that_it_proves_nothing() -> None:
    _, text = checked(EXAMPLES / "peterson.pml", max_states=5)
    assert "This is no proof" in text
    assert "max-states" in text


def test_a_lasso_says_where_the_cycle_begins() -> None:
    source = "byte x;\nactive proctype p() { do :: x = 1 :: x = 0 od }\nltl up { <>[] (x == 1) }"
    verdict, text = checked(source)
    start = verdict.violations[0].trace.cycle_start
    assert start is not None
    assert data_of(text)["stories"][0]["cycle"] == start
    assert "the cycle begins here" in text
    assert "repeated for ever" in text


def test_messages_go_from_the_step_that_sends_to_the_one_that_receives() -> None:
    source = """chan q = [2] of { byte }; chan r = [0] of { byte };
    active proctype a() { q!3; q!4; r!5 }
    active proctype b() { byte x; r?x; q?x; assert(x != 3) }"""
    model = pipeline.load(source)
    (violation,) = pipeline.check(model, pipeline.options(engine="interp")).violations
    seen = [m for s in pipeline.snapshots(model, violation.trace) for m in s.messages]
    assert seen == [
        Message("q", "3", True, 0),
        Message("q", "4", True, 1),
        Message("r", "5", True, 0),
        Message("q", "3", False, 0),
    ]
    _, text = checked(source)
    assert "4 stays in q" in text
    assert text.count("<title>q: 3</title>") == 1


def test_one_message_more_or_less_wherever_it_is() -> None:
    assert list(difference("q", ["1", "3"], ["1", "2", "3"])) == [Message("q", "2", True, 1)]
    assert list(difference("q", ["1", "2", "3"], ["1", "3"])) == [Message("q", "2", False, 1)]
    assert list(difference("q", ["1", "2"], ["2", "5", "6"])) == [
        Message("q", "1", False, 0),
        Message("q", "5", True, 1),
        Message("q", "6", True, 2),
    ]


def test_objects_are_drawn_and_deleted_ones_too() -> None:
    _, text = checked(EXAMPLES / "heap" / "list_use_after_delete.pml")
    (story,) = data_of(text)["stories"]
    assert "Node#1 (deleted)" in story["pictures"][story["picture"][-1]]
    assert "Node#2" not in story["pictures"][story["picture"][1]]
    assert len(story["pictures"]) < len(story["picture"])  # equal ones are there once


def test_a_pointer_automaton_is_drawn_as_processes_that_point() -> None:
    model = pipeline.load(EXAMPLES / "pointer" / "mcs_bug.ptr")
    trace = pipeline.check(model, pipeline.options(engine="explicit")).violations[0].trace
    last = pipeline.snapshots(model, trace)[-1].picture
    assert last is not None
    assert last.pointers == (("L", "user 2"),)
    fields = {o.name: dict(o.fields) for o in last.objects}
    assert fields["user 1"]["next"] == "user 2"
    assert [fields[f"user {p}"]["mode"] for p in (1, 2)] == ["6", "6"]


def test_nothing_of_a_model_becomes_markup(tmp_path: Path) -> None:
    file = tmp_path / "<b>evil.pml"
    file.write_text(EVIL_MODEL)
    _, text = checked(file)
    assert text.count("<script") == 2  # the data, and our own
    assert "<script>alert" not in text
    assert "<b>evil" not in text
    assert "alert('x')" in data_of(text)["stories"][0]["steps"][0]["statement"]


def test_no_request_can_leave_and_no_other_script_can_run() -> None:
    _, text = checked(EXAMPLES / "peterson.pml")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    assert policy[1].startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy[1]
    assert re.findall(r"(?:src|href)=", text) == []
    assert " style=" not in text


def test_the_command_writes_the_page_for_programs_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "r.html"
    assert main(["check", str(EXAMPLES / "python" / "bank.py"), "--html", str(out)]) == 1
    (story,) = data_of(out.read_text())["stories"]
    assert ["Account.balance", "20", "-60"] in [c for s in story["steps"] for c in s["changes"]]
    assert main(["check", str(EXAMPLES / "python" / "bank.py"), "--html", str(tmp_path / "no" / "r.html")]) == 1
    assert "cannot write" in capsys.readouterr().err


# -------------------------------------------------------------------------------------------------- layers


def test_layers_keep_nodes_apart_and_edges_forward() -> None:
    sizes = dict.fromkeys("abcdefg", (40.0, 20.0))
    edges = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("a", "d"), ("d", "a"), ("e", "f"), ("g", "g")]
    found = draw(sizes, edges)
    for a, b in edges[:5]:
        assert found.places[a][0] < found.places[b][0]
    for x in {x for x, _ in found.places.values()}:
        column = sorted(y for u, y in found.places.values() if u == x)
        assert all(b - a >= 20 for a, b in pairwise(column))
    assert len(found.routes[4]) == 3  # the long edge bends once
    assert max(y for _, y in found.places.values()) <= found.height


def test_a_long_list_does_not_exhaust_the_stack() -> None:
    sizes = dict.fromkeys(range(3000), (10.0, 10.0))
    found = draw(sizes, [(n, n + 1) for n in range(2999)])
    assert found.places[2999][0] > found.places[0][0]


def test_of_a_long_run_the_last_steps_are_shown_and_arrows_stay_true(monkeypatch: pytest.MonkeyPatch) -> None:
    source = """chan q = [3] of { byte };
    active proctype a() { byte n; do :: n < 40 -> n++; q!n :: else -> assert(false) od }
    active proctype b() { byte x; do :: q?x od }"""
    model = pipeline.load(source)
    trace = pipeline.check(model, pipeline.options(engine="interp", search="dfs")).violations[0].trace
    whole, part = pipeline.snapshots(model, trace), pipeline.snapshots(model, trace, 20)
    assert [s.values for s in part] == [s.values for s in whole[-21:]]
    assert [s.messages for s in part[1:]] == [s.messages for s in whole[-20:]]
    waiting = dict(part[0].values)["q"]
    assert [m.text for m in part[0].messages] == ([] if waiting == "empty" else waiting[1:-1].split("] ["))
    monkeypatch.setattr("isospin.report.html.story.MOST_STEPS", 20)
    verdict = pipeline.check(model, pipeline.options(engine="interp", search="dfs"))
    text = page(verdict, "0", [RunView(tuple(part))])
    assert len(data_of(text)["stories"][0]["steps"]) == 20
    assert f"The first {len(trace.steps) - 20} steps are not shown" in text
    sent = {m.text for s in part[1:] for m in s.messages if m.sent}
    received = {m.text for s in part[1:] for m in s.messages if not m.sent}
    assert set(re.findall(r"<title>q: (\d+)</title>", text)) == sent & received


def test_no_statement_is_cut_in_its_lane() -> None:
    long = "x = " + " + ".join(f"(y * {n})" for n in range(30))
    model = f"int x, y; active proctype p() {{ {long}; assert(x == 1) }} active proctype q() {{ y = 0 }}"
    verdict = isospin.check(model, engine="interp")
    drawn = verdict.html()
    assert "…" not in drawn[drawn.index('class="chart"') : drawn.index('class="failed"')]
    assert "29</text>" in drawn[drawn.index('class="chart"') :]
