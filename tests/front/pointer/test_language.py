"""What pointer automata mean: small ones, with answers by hand (Wang et al., TSE 2004, section 3)."""

from __future__ import annotations

import pytest

from isospin import pipeline
from isospin.core.errors import UsageError
from isospin.core.verdict import Verdict
from isospin.front.pointer.load import load_text


def check(text: str, processes: int = 2, **options: object) -> Verdict:
    model = pipeline.checked(load_text(text, "model.ptr", processes))
    chosen = {"engine": "interp", "symmetry": "none", "optimise": "none", **options}
    return pipeline.check(model, pipeline.options(**chosen))


def kinds(text: str, processes: int = 2) -> list[str]:
    return [v.kind for v in check(text, processes, all_errors=True).violations]


def user(*rules: str, more: str = "") -> str:
    """One mode with these transitions, and another one to go to."""
    return f"process user {{ mode 0 {{ {' '.join(rules)} }} mode 1 {{ {more} }} }}"


START = "global pointer L; local pointer next; local discrete x: 0..9; "
BLANK = START + "init L == NULL && forall p: next[p] == NULL && x[p] == 0; "


@pytest.mark.parametrize(
    ("guard", "taken"),
    [
        ("next->x == 0", False),  # undefined
        ("!(next->x == 0)", False),  # so is its negation
        ("TRUE || next->x == 0", False),  # strict: TRUE || undefined is undefined
        ("FALSE && next->x == 0", False),
        ("FALSE => next->x == 0", False),
        ("next == NULL ? TRUE : next->x == 0", True),  # only one branch counts
        ("next == NULL", True),
        ("next", False),  # a value is true if it is not 0
        ("!x", True),
        ("1 / x == 1", False),
        ("1 / x == 1 || TRUE", False),
        ("(P + 5)->x == 0", False),
        ("x[P] == 0 && x[1] == x[2]", True),
        ("P->x == 0 && P->mode == 0", True),
        ("mode == 0 && mode[1] < 1", True),
        ("1 <= P <= N", True),
        ("1 < P < 2", False),
        ("exists q: q != P && mode[q] == 0", True),
        ("forall q: q->next == NULL", True),
        ("exists q: next[q]->x == 0", False),  # undefined for some q, hence undefined
        ("7 / 2 == 3 && -7 / 2 == -3 && 2 - 1 - 1 == 0", True),
    ],
)
def test_guards_are_strict(guard: str, taken: bool) -> None:
    verdict = check(BLANK + user(f"when {guard} goto 1;") + " invariant never: forall p: mode[p] == 0;")
    assert [v.kind for v in verdict.violations] == ["invariant"] * taken


@pytest.mark.parametrize(
    ("action", "kind"),
    [
        ("next->x = 1", "null-dereference"),
        ("x = next->x", "null-dereference"),
        ("next = P, next->next->next = NULL, x = next->next->x", "null-dereference"),
        ("x = 1 / x", "division-by-zero"),
        ("x = x - 1", "out-of-range"),
        ("next = P - 1 - P", "out-of-range"),
        ("x = 5, x = 2 * x", "out-of-range"),
        ("(P + 7)->x = 1", "out-of-range"),
        ("x = x[L]", "null-dereference"),
        ("x = (TRUE || next->x == 0) ? 1 : 0", "null-dereference"),
    ],
)
def test_a_memory_fault_is_a_violation_of_its_own_kind(action: str, kind: str) -> None:
    assert kinds(BLANK + user(f"do {action} goto 1;")) == [kind]


def test_what_an_undefined_guard_is_can_be_asked_for() -> None:
    text = BLANK + user("when TRUE || next->x == 0 goto 1;")
    assert kinds(text) == []
    assert kinds(text + "check guards;") == ["null-dereference"]


@pytest.mark.parametrize(
    ("property", "holds"),
    [
        ("forall p: x[p] == 0", True),
        ("L->x == 0", False),  # undefined
        ("L == NULL || L->x == 0", False),  # strict
        ("L == NULL ? TRUE : L->x == 0", True),
        ("forall p, q: p < q => mode[p] == mode[q]", True),
        ("exists p: mode[p] == 1", False),
        ("N == 2 && x[1] + x[N] == 0", True),
    ],
)
def test_properties(property: str, holds: bool) -> None:
    verdict = check(BLANK + user("goto 0;") + f" invariant it: {property};")
    assert verdict.outcome == ("holds" if holds else "violated")


def test_the_message_tells_undefined_from_false() -> None:
    verdict = check(BLANK + user("goto 0;") + " invariant a: L->x == 0; invariant b: x[1] == 1;", all_errors=True)
    assert [v.message for v in verdict.violations] == ["a is undefined: L->x == 0", "b does not hold: x[1] == 1"]


def test_actions_are_one_step_and_see_each_other() -> None:
    """A recurrent assignment, through a pointer: y->x = 3 * y->x + z (the paper's own example)."""
    rule = "do x = 1, next = P, next->x = 3 * next->x + x, L = P, L->x = L->x + 1 goto 1;"
    verdict = check(BLANK + user(rule) + " invariant result: forall p: x[p] == (mode[p] == 1 ? 5 : 0);")
    assert verdict.outcome == "holds"
    assert verdict.states == 4 + 1  # nobody, 1, 2, 1 then 2, 2 then 1 moved; L tells the last two apart


def test_only_the_mode_is_fixed_at_the_start() -> None:
    assert check(START.replace("0..9", "0..3") + user("goto 0;")).states == 3 * 3**2 * 4**2
    assert check(START + "init forall p: x[p] == 3 && next[p] != p;" + user("goto 0;")).states == 3 * 2**2
    related = START + "init L == next[1] && next[1] == next[2] && x[1] + x[2] == 3;" + user("goto 0;")
    assert check(related).states == 3 * 4
    assert check(START + "init L->x == 0 && forall p: next[p] == p && x[p] == 0;" + user("goto 0;")).states == 2


def test_the_stateless_engine_refuses_invariants() -> None:
    with pytest.raises(UsageError, match="need stored states"):
        check(BLANK + user("goto 0;") + "invariant i: L == NULL;", engine="stateless", symmetry="auto")


def test_nothing_holds_without_initial_states() -> None:
    verdict = check(START + "init L == 1 && L != 1;" + user("goto 0;"))
    assert (verdict.outcome, verdict.states) == ("incomplete", 0)
    assert "no initial state" in verdict.reason
    assert check(START + "init FALSE;" + user("goto 0;"), symmetry="auto").outcome == "incomplete"


def test_passive_processes_and_roles() -> None:
    text = """
        global pointer top; local pointer link; local discrete value: 0..3;
        init top == NULL && forall p: link[p] == NULL && value[p] == 0;
        process cell[N - 2];
        process worker {
            mode w { when top == NULL do top = 1, top->value = 3, top->link = P goto done; when top goto done; }
            mode done { }
        }
        invariant one: value[1] == 3 || value[1] == 0;
    """
    verdict = check(text, 4)
    assert verdict.outcome == "holds"
    assert {s.pid for v in check(text + "invariant no: top == NULL;", 4).violations for s in v.trace.steps} <= {3, 4}
    assert check(text + "invariant who: forall p: mode[p] == w => p > 2;", 4).outcome == "holds"


def test_no_deadlock_check_unless_asked() -> None:
    text = BLANK + user("when L == NULL do L = P goto 1;", more="when L == NULL goto 0;")
    assert kinds(text) == []
    assert set(kinds(text + "check deadlock;")) == {"deadlock"}
    assert kinds(BLANK + user("goto 1;") + "check deadlock;") == []  # a mode without transitions is an end


def test_constants_on_the_command_line() -> None:
    text = "const SIZE = 2; global discrete x: 0..SIZE; init x == SIZE; process u { mode 0 { } }"
    model = load_text(text, "m.ptr", 1, ["SIZE=7"])
    assert model.globals[0].initial[0].value == 7  # type: ignore[union-attr]


def test_negative_ranges() -> None:
    head, tail = "global discrete x: -3..2; init x == -3; ", "invariant i: x >= -3;"
    text = head + user("when x < 2 do x = x + 1 goto 0;") + tail
    assert check(text).states == 6
    assert check(text.replace("x < 2", "x <= 2"), all_errors=True).violations[0].kind == "out-of-range"
