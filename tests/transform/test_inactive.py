"""Inactive variables: when they are cleared, and what must not be lost."""

from __future__ import annotations

import pytest

from isospin import pipeline
from isospin.front.pointer.load import load_text
from isospin.transform.show import active_conditions

HEAD = "global pointer L; local pointer next; local discrete x: 0..3; init L == NULL && forall p: next[p] == NULL;"


def active(rules: str, more: str = "") -> dict[str, str]:
    return {a.variable: str(a) for a in active_conditions(load_text(f"{HEAD} {rules} {more}", "m.ptr", 2))}


@pytest.mark.parametrize(
    ("rules", "x"),
    [
        ("mode 0 { do x = 1 goto 1; } mode 1 { when x == 1 goto 0; }", "in 1"),
        ("mode 0 { do x = 3 - x goto 1; } mode 1 { goto 0; }", "never"),  # flows only into itself
        ("mode 0 { do x = x + 1 goto 1; } mode 1 { goto 0; }", "always"),  # whether it is out of range
        ("mode 0 { do x = 3 - x goto 1; } mode 1 { when x == 1 goto 0; }", "always"),
        ("mode 0 { do x = 3, next = L goto 1; } mode 1 { do L->x = x goto 0; }", "in 1"),
        ("mode 0 { do L->x = 1 goto 1; } mode 1 { when x == 1 do x = 0 goto 0; }", "in 1; in 0 where L != P"),
        ("mode 0 { do x = 1 goto 1; } mode 1 { when L->x == 1 goto 0; }", "where L == P"),  # others look
        ("mode 0 { do x = 1 goto 1; } mode 1 { when x[1] == 1 goto 0; }", "always"),
        ("mode 0 { do x = 1 goto 1; } mode 1 { do x = 1 / x goto 0; }", "in 1"),  # whether it faults
        ("mode 0 { do x = 2, x = 1 goto 1; } mode 1 { do x = 0, next = x + P - P goto 0; }", "never"),
    ],
)
def test_active(rules: str, x: str) -> None:
    assert active(f"process user {{ {rules} }}")["x"] == x


def test_pointers_are_read_by_chains() -> None:
    rules = "mode 0 { do next = L goto 1; } mode 1 { do next->x = 1 goto 2; } mode 2 { goto 0; }"
    assert active(f"process user {{ {rules} }}")["next"] == "in 1"
    longer = rules.replace("next->x", "next->next->x")  # the second one is somebody else's
    named = "L == P || (exists q: q != P && next[q] == P)"
    assert active(f"process user {{ {longer} }}")["next"] == f"in 1; in 0, 2 where {named}"


def test_properties_read_too() -> None:
    rules = "process user { mode 0 { do x = 1 goto 0; } }"
    assert active(rules)["x"] == "never"
    assert active(rules, "invariant i: forall p: x[p] <= 3;")["x"] == "always"


def outcomes(text: str, processes: int = 2) -> set[str]:
    model = load_text(text, "m.ptr", processes)
    verdicts = [
        pipeline.check(model, pipeline.options(engine="interp", symmetry=symmetry, optimise=level))
        for level in ("none", "full")
        for symmetry in ("none", "auto")
    ]
    return {v.outcome.value for v in verdicts}


@pytest.mark.parametrize(
    ("rules", "outcome"),
    [
        # the process writes its own variable through a pointer, after it overwrote it, and reads it in the same step
        ("mode 0 { do next = P, x = 0, next->x = 2, next = (x == 2 ? P : NULL) goto 1; } mode 1 { }", "violated"),
        # it writes it through a pointer where the variable is not active yet, and reads it in the next mode
        ("mode 0 { do next = P, next->x = 2 goto 1; } mode 1 { when x == 2 do x = 0 goto 2; } mode 2 { }", "violated"),
        # what is stored where nobody needs it may fault all the same
        ("mode 0 { do L = P goto 1; } mode 1 { do L->x = 1 / (x - x) goto 2; } mode 2 { }", "violated"),
        ("mode 0 { do x = 1 / (2 - 2 * (P - P)) goto 1; } mode 1 { }", "holds"),
    ],
)
def test_traps(rules: str, outcome: str) -> None:
    text = f"{HEAD} init forall p: x[p] == 0; process user {{ {rules} }}"
    if "(x == 2" in rules:
        text += "invariant i: forall p: mode[p] == 1 => next[p] != p;"
    elif "mode 2" in rules:
        text += "invariant i: forall p: mode[p] != 2;"
    assert outcomes(text) == {outcome}
