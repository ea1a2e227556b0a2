"""What a counterexample tells besides its steps: colours, who waits for whom, stacks, automata."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import isospin
from isospin import pipeline
from isospin.core.errors import NOWHERE
from isospin.core.trace import RunView, Trace, Wait
from isospin.core.verdict import Violation
from isospin.report.html import colours, waiting
from isospin.report.html.stacks import stacks
from tests.support.paths import EXAMPLES

# -------------------------------------------------------------------------------------------------- colours


@pytest.mark.parametrize(
    "file", ["philosophers.pml", "pointer/mcs_bug.ptr", "c/bank.c", "c/queue.cpp", "python/bank.py"]
)
def test_colours_change_no_letter(file: str) -> None:
    text = (EXAMPLES / file).read_text()
    lines = colours.coloured_lines(text, file)
    assert "\n".join("".join(piece.text for piece in line) for line in lines) == text
    assert {"hk", "hc", "ht"} <= {piece.kind for line in lines for piece in line}


def test_a_language_that_nobody_knows_has_no_colours() -> None:
    assert colours.coloured_lines("a\nb", "x.unheard-of") == [[("a", "")], [("b", "")]]


# -------------------------------------------------------------------------------------------------- waiting


def waits(source: str | Path, **options: Any) -> dict[int, Wait]:
    (violation,) = isospin.check(source, **options).violations
    return {w.pid: w for w in violation.waits}


def test_who_waits_in_a_model_waits_for_who_changed_it_last() -> None:
    found = waits(EXAMPLES / "philosophers.pml", engine="interp")
    assert {pid: w.whom for pid, w in found.items()} == {
        0: ((1, "taken[1]"),), 1: ((2, "taken[2]"),), 2: ((0, "taken[0]"),)
    }  # fmt: skip
    assert [w.pid for w, _ in waiting.cycle_of(list(found.values()))] == [0, 1, 2]


def test_who_waits_for_a_message_waits_for_who_sends_it() -> None:
    source = """chan a = [1] of { byte }, b = [0] of { byte }, c = [0] of { byte };
    active proctype p() { byte x; a!1; a!2; b!3 }
    active proctype q() { byte y; b?y; c!1; a?y }
    active proctype bystander() { byte z; end: c?z }"""
    found = waits(source, engine="interp")
    assert found[0].whom == ((1, "a"),)  # a is full, and q alone takes from it
    assert found[1].whom == ((0, "b"),)
    assert 2 not in found  # it may end there


@pytest.mark.parametrize("program", ["c/philosophers.c", "python/philosophers.py"])
def test_threads_that_wait_for_locks_form_a_cycle(program: str) -> None:
    found = waits(EXAMPLES / program)
    cycle = waiting.cycle_of(list(found.values()))
    assert {w.pid for w, _ in cycle} == set(found) - {0}
    assert all("forks" in what for _, what in cycle)
    assert found[0].whom == tuple((pid, "its end") for pid in sorted(set(found) - {0}))


def test_no_cycle_where_nobody_waits_for_the_first() -> None:
    chain = [Wait(0, "a", "", ((1, "x"),)), Wait(1, "b", "", ((2, "y"),)), Wait(2, "c", "")]
    assert waiting.cycle_of(chain) == []
    assert "<svg" not in waiting.waiting(chain, {})
    assert "waits for" not in waiting.waiting([], {})


@pytest.mark.parametrize("size", [1, 2, 3, 4, 7])
def test_the_cycle_is_drawn_inside_of_its_picture(size: int) -> None:
    ring = [Wait(i, "thread", "", (((i + 1) % size, f"lock {i}"),)) for i in range(size)]
    drawn = waiting.waiting(ring, {})
    found = re.search(r'width="([\d.]+)" height="([\d.]+)"', drawn)
    assert found is not None
    width, height = map(float, found.groups())
    for x, y, w, h in re.findall(r'<rect x="([-\d.]+)" y="([-\d.]+)" width="([\d.]+)" height="([\d.]+)"', drawn):
        assert 0 <= float(x) <= width - float(w)
        assert 0 <= float(y) <= height - float(h)
    assert drawn.count("marker-end") == size
    assert all(f"lock {i}</text>" in drawn for i in range(size))


def test_waits_are_part_of_the_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from isospin.cli import main

    assert main(["check", str(EXAMPLES / "philosophers.pml"), "--json"]) == 1
    (violation,) = json.loads(capsys.readouterr().out)["violations"]
    assert violation["waits"][0]["whom"] == [{"pid": 1, "what": "taken[1]"}]


# -------------------------------------------------------------------------------------------------- stacks


def test_both_accesses_of_a_race_stand_side_by_side(tmp_path: Path) -> None:
    source = tmp_path / "race.c"
    source.write_text("int total;\nvoid add(int n) {\n  total += n;\n}\n")
    lines = (
        "first a 1 writes total:",
        f"  add(n = 1)  ({source}:3:3)",
        "then b 2 reads total:",
        f"  f  ({source}:9:1)",
    )
    violation = Violation("race", "safety", "", NOWHERE, Trace(), lines)
    drawn = stacks(violation, [str(source)])
    assert drawn.count('class="stack"') == 2
    assert (
        re.sub(r"<[^>]*>", "", drawn)
        == "First a 1 writes totaladd(n = 1) race.c:3total += n;Then b 2 reads totalf race.c:9"
    )
    assert 'data-line="0-3"' in drawn


# -------------------------------------------------------------------------------------------------- automata

CLAIMED = """mtype = { idle, trying, critical }; mtype state[2] = idle; bool busy;
active [2] proctype user() {
  do
  :: state[_pid] = trying; atomic { !busy -> busy = true }; state[_pid] = critical; busy = false; state[_pid] = idle
  od
}
ltl served { [] (state[0] == trying -> <> (state[0] == critical)) }
"""


def view_of(source: str, **options: Any) -> tuple[RunView, Trace]:
    model = pipeline.load(source)
    violation = next(v for v in pipeline.check(model, pipeline.options(**options)).violations if v.property != "safety")
    return pipeline.run_view(model, violation), violation.trace


def test_a_claim_is_beside_the_run_in_the_states_that_can_still_accept() -> None:
    view, trace = view_of(CLAIMED, engine="interp")
    found = view.automaton
    assert found is not None
    assert found.accepting == (1,)
    assert (1, 1, "!(state[0] == critical)") in found.edges
    assert len(found.along) == len(trace.steps) + 1
    trying = next(i for i, s in enumerate(view.snapshots) if dict(s.values)["state[0]"] == "trying")
    assert all(dict(s.values)["state[0]"] != "critical" for s in view.snapshots[trying:])
    for at, states in enumerate(found.along):
        if states:  # before it is trying for good, it can only have waited
            assert (1 in states) == (at > trying), at


def test_a_state_that_was_guessed_too_early_is_not_shown() -> None:
    source = "byte x; active proctype p() { x = 1; x = 0; x = 1; x = 0; do :: skip od } ltl again { []<> (x == 1) }"
    view, _ = view_of(source, engine="interp", optimise="none")
    assert view.automaton is not None
    (final,) = view.automaton.accepting
    seen = [(dict(s.values)["x"], states) for s, states in zip(view.snapshots, view.automaton.along, strict=True)]
    assert [final in states for x, states in seen if x == 1] == [False, False]  # it was guessed, and is dead there
    assert final in seen[-1][1]


def test_a_never_claim_has_the_names_of_its_labels() -> None:
    view, _ = view_of("bool x; active proctype p() { do :: x = !x od }\n"
                      "never { start: if :: x -> goto accept :: else -> goto start fi; accept: goto start }",
                      engine="interp")  # fmt: skip
    assert view.automaton is not None
    assert {"start", "accept"} <= set(view.automaton.names)
    assert all(view.automaton.names[q].startswith("accept") for q in view.automaton.accepting)


def test_accept_labels_are_no_automaton() -> None:
    view, _ = view_of("active proctype p() { bool x; accept: do :: x = !x od }", engine="interp")
    assert view.automaton is None
