"""What actions touch."""

from isospin.analysis.footprint import ANY, Footprint, Footprints, footprint, remotely_used
from isospin.analysis.ranges import Ranges
from isospin.core.model import Action, Assign, Model, Template
from isospin.front.promela.load import load_text

TEXT = """
byte g, h[3];
chan q = [1] of { byte };
chan r = [0] of { byte };
proctype P(byte k; chan c)
{
    byte x, a[2];
    x = 1;
    g = x + k;
    h[g] = 2;
    h[g % 3] = 1;
    a[k & 1] = 0;
    x = x / k;
    x = x / (k + 1);
    q!x + 1;
    c?x;
    (len(q) > 0);
    assert(g == 1);
    run P(x, q);
    (timeout);
    (_nr_pr == 1);
    d_step { x = 0; g = x }
}
init { run P(0, q) }
"""


def model(text: str = TEXT) -> Model:
    return load_text(text, "model.pml")


def prints(text: str) -> Footprint:
    """The footprint of the statement of P with this text."""
    m = model()
    template = m.template("P")
    return footprint(m, template, action(template, text))


def action(template: Template, text: str) -> Action:
    return next(a for a in template.actions if a.text.replace(" ", "").startswith(text.replace(" ", "")))


def test_local_and_global_variables() -> None:
    assert prints("x = 1") == Footprint(local_writes=frozenset({2}))
    assert prints("x = 1").is_local
    assert prints("g = x + k") == Footprint(writes=frozenset({0}), local_reads=frozenset({0, 2}))
    assert not prints("g = x + k").is_local
    assert prints("assert(g == 1)").reads == {0}


def test_faults_are_foreseen() -> None:
    assert prints("h[g] = 2").faults
    assert not prints("h[g % 3] = 1").faults
    assert not prints("a[k & 1] = 0").faults
    assert prints("x = x / k").faults
    assert not prints("x = x / (k + 1)").faults
    assert prints("run P").faults
    assert prints("run P").creates == {"P"}


def test_channels() -> None:
    q = model().globals[2].base
    assert prints("q!x").sends == {q}
    assert prints("q!x").blocks
    assert prints("c?x").receives == {ANY}
    assert prints("c?x").faults  # a channel that is not known may not exist
    assert prints("len(q) > 0").tests == {q}
    assert not Footprints(model()).may_be_rendezvous(place("q!x"))
    assert Footprints(model()).may_be_rendezvous(place("c?x"))


def place(text: str):  # type: ignore[no-untyped-def]
    return action(model().template("P"), text).step.channel  # type: ignore[union-attr]


def test_what_depends_on_everything() -> None:
    assert prints("timeout").everything
    assert prints("_nr_pr == 1").everything


def test_a_d_step_is_the_sum_of_its_steps() -> None:
    m = model()
    steps = [a for a in m.template("P").actions if type(a.step).__name__ == "Deterministic"]
    found = footprint(m, m.template("P"), steps[0])
    assert found.writes == {0}
    assert 2 in found.local_writes
    assert found.faults


def test_remote_references() -> None:
    m = model("""
        active proctype P() { byte x, y; x = 1; y = 2; L: skip; x = 0 }
        active proctype Q() { (P[0]@L); assert(P[0]:x == 1) }
    """)
    p = m.template("P")
    used = remotely_used(m)
    assert used.variables == {("P", 0)}
    assert used.locations == {("P", p.label("L"))}
    all_prints = Footprints(m)
    assert all_prints.of(p, action(p, "x = 1")).exposed
    assert all_prints.of(p, action(p, "y = 2")).exposed  # it arrives at the label
    assert not all_prints.of(p, action(p, "x = 0")).is_local


def test_claims_are_observers() -> None:
    m = model("active proctype P() { byte x; x = 1; x = 2 }\nltl p { [] (P:x < 3) }")
    assert remotely_used(m).variables == {("P", 0)}


def test_ranges_hold_in_every_state() -> None:
    m = model("""
        byte a, b, c; short d = -5;
        active [3] proctype P() {
            byte i; a = _pid; b = a + 1;
            do :: i < 3 -> i++; c = i & 3 :: else -> break od;
            d = d + 0
        }
    """)
    known = Ranges(m).known
    assert known["", 0] == (0, 2)
    assert known["", 1] == (0, 3)
    assert known["", 2] == (0, 3)
    assert known["", 3] == (-5, 0)
    assert known["P", 0] == (0, 255)


def test_steps_are_not_changed_by_looking() -> None:
    assert isinstance(action(model().template("P"), "x = 1").step, Assign)
