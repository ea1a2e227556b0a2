"""What SPIN refuses and we accept: each with a warning; docs/reference/spin.md lists them."""

import subprocess
from pathlib import Path

import pytest

from isospin.pipeline import Options, check, load
from isospin.report.document import verdict_document
from tests.support import paths, spin

SKIP = "active proctype P() { skip }"
CHANNEL = "chan c = [1] of { byte };"
# a model, and what the warning says behind "SPIN refuses"
BEYOND = {
    "reference_before_definition": ("active proctype P() { Q@L } active proctype Q() { L: skip }", "a reference to Q"),
    "mtype_in_proctype": ("active proctype P() { mtype = { a, b }; skip }", "an mtype declaration inside"),
    "initial_value_of_parameter": ("active proctype P(byte a = 1) { skip }", "an initial value of a parameter"),
    "mtype_name_twice": (f"mtype = {{ a, a }}; {SKIP}", "the name 'a' twice"),
    "initial_value_of_another_set": (f"mtype:x = {{a}}; mtype:y = {{b}}; mtype:x v = b; {SKIP}", "an initial value"),
    "initial_value_from_the_same_list": (f"byte x = 1, y = x; {SKIP}", "an initial value that reads"),
    "expression_in_initial_list": (f"byte a[2] = {{ 1, 1 + 1 }}; {SKIP}", "expressions in a list"),
    "variable_for_two_fields": (
        "chan c = [1] of { byte, byte }; active proctype P() { byte x; c!1, 2; c?x, x }", "a variable that takes two",
    ),
    "negated_probe": (f"{CHANNEL} active proctype P() {{ !full(c) }}", "full() as part of"),
    "probe_as_number": (f"{CHANNEL} active proctype P() {{ byte x; x = empty(c) + 1 }}", "empty() as part of"),
    "probe_in_ltl": (f"{CHANNEL} {SKIP} ltl p {{ [] empty(c) }}", "empty() as part of"),
    "reference_in_d_step": (
        "active proctype Q() { L: skip } active proctype P() { d_step { Q@L -> skip } }", "references to other",
    ),
    "reference_in_provided": (
        "active proctype P() { byte x; skip } active proctype Q() provided (P:x == 0) { skip }",
        "references to other processes",
    ),
    "label_on_escape": ("active proctype P() { { skip } unless L: skip }", "a label on the first statement"),
    "exclusive_use_by_two": (
        f"{CHANNEL} active proctype P() {{ xr c; end: c?_ }} active proctype Q() {{ xr c; end: c?_ }}",
        "xr of one channel in two proctypes",
    ),
    "else_with_exclusive_use": (
        f"{CHANNEL} active proctype P() {{ byte x; xr c; if :: c?x :: else fi }}", "else beside a send or receive",
    ),
    "printm_of_an_expression": ("mtype = { a }; active proctype P() { printm(a + 1) }", "printm of anything but"),
    "channels_in_claim": (f"{CHANNEL} never {{ c!1 }} {SKIP}", "sending and receiving in a never claim"),
    "variable_of_claim": (f"never {{ byte y; y = 1 }} {SKIP}", "variables of a never claim"),
    "skip_in_trace": (f"{CHANNEL} trace {{ skip; c!1 }} active proctype P() {{ c!1 }}", "skip in a trace"),
    "random_receive_in_trace": (f"{CHANNEL} trace {{ c??1 }} active proctype P() {{ c!1 }}", "!!, ?? and ?<...>"),
    "eval_in_trace": (f"{CHANNEL} byte g; trace {{ c!eval(g) }} active proctype P() {{ c!1 }}", "eval() in what"),
    "comma_between_parameters": ("proctype P(byte a, byte b) { skip } init { run P(1, 2) }", "a comma between"),
    "for_backwards": ("active proctype P() { byte i; for (i : 3 .. 1) { skip } }", "a for that starts after its end"),
    "element_as_counter": ("active proctype P() { byte a[2]; for (a[0] : 1 .. 2) { skip } }", "a field or an array"),
    "for_over_a_field": (
        "typedef T { byte b[3] } T t; active proctype P() { byte i; for (i in t.b) { skip } }", "a for over",
    ),
    "formula_named_as_a_proctype": (f"byte x; {SKIP} ltl P {{ [] (x == 0) }}", "an ltl formula with the name"),
    "d_step_behind_a_loop": (
        "byte x; active proctype P() { do :: x > 2 -> break :: else -> x++ od; d_step { x = 1; x = 2 } }",
        "a jump that leads to a d_step",
    ),
    "two_words_of_visibility": (f"hidden show byte x; {SKIP}", "'hidden show'"),
}  # fmt: skip


@pytest.mark.parametrize("name", BEYOND)
def test_warns(name: str) -> None:
    text, wanted = BEYOND[name]
    assert [w.message for w in load(text).warnings if w.message.startswith(f"SPIN refuses {wanted}")]


@pytest.mark.slow
@pytest.mark.skipif(not spin.available(), reason="SPIN is not installed")
@pytest.mark.parametrize("name", BEYOND)
def test_spin_refuses(name: str, tmp_path: Path) -> None:
    (tmp_path / "model.pml").write_text(BEYOND[name][0])
    done = subprocess.run(["spin", "-a", "model.pml"], cwd=tmp_path, capture_output=True, check=False, timeout=60)
    assert done.returncode != 0 or not (tmp_path / "pan.c").exists()


def test_the_page_for_users_of_spin_lists_as_many() -> None:
    page = (paths.DOCS / "reference" / "spin.md").read_text()
    listed = page.partition("## What SPIN refuses and isospin accepts")[2].partition("\n## ")[0]
    assert listed.count("\n- ") >= 13


def test_warnings_are_in_the_report() -> None:
    verdict = check(load(BEYOND["negated_probe"][0]), Options(engine="interp"))
    assert any("SPIN refuses" in w["message"] for w in verdict_document(verdict, "")["warnings"])


def test_what_spin_accepts_is_not_warned_about() -> None:
    text = f"""{CHANNEL} mtype = {{ a, b }}; byte x, y = 3;
        active proctype P() {{ byte v; if :: full(c) && x == 0 -> c?v :: nfull(c) || x == 1 -> c!1 fi; printm(a) }}
        active proctype Q() provided (x == 0) {{ L: (P@end || empty(c)); for (y : 0 .. 2) {{ x = 0 }} end: skip }}
    """.replace("P@end", "P[0]:v == 0")
    assert load(text).warnings == ()
