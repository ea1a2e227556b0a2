"""Alike processes in the shapes in which people write them: what is found, and which line is to blame for the rest."""

from __future__ import annotations

import pytest

from isospin import pipeline
from isospin.symmetry.audit import audit
from isospin.symmetry.detection.detect import detect
from isospin.symmetry.detection.prepare import prepare
from isospin.symmetry.reduction import reduce
from isospin.symmetry.strategies import strategy
from isospin.transform.optimise import optimise
from tests.support import paths
from tests.support.symmetric_models import symmetries_of

# order of the group, states without symmetry and with it, at the default level
SHAPES = {
    "allocator": (6, 169, 32), "barrier": (6, 26, 9), "cache": (6, 179, 42), "channel_of_init": (6, 70, 23),
    "channels_of_init": (3, 31, 13), "client_server": (6, 44, 12), "constant_flag": (6, 192, 60),
    "constant_pid": (6, 88, 24), "dekker": (2, 146, 73), "elevator": (2, 656, 332), "filter_lock": (6, 3101, 1581),
    "granted": (6, 101, 22),
    "initial_constant": (6, 362, 111), "initial_lasting": (2, 6658, 4354), "initial_parameters": (24, 901, 179),
    "leader_ring": (3, 31, 13), "loop_atomic": (6, 27, 10), "loop_d_step": (6, 537, 127), "loop_reset": (6, 27, 10),
    "loop_search": (6, 215, 55), "mail_boxes": (6, 64, 16), "map_of_pids": (6, 14, 5), "matrix": (6, 512, 96),
    "neighbours_given": (4, 13, 4), "other_order": (6, 217, 57),
    "other_order_held": (6, 14, 6), "peterson_pid": (2, 38, 19), "peterson_turn": (2, 39, 20),
    "philosophers_mutual": (10, 31, 6), "philosophers_numbered": (4, 81, 24), "pids_in_bytes": (6, 95, 21),
    "print_other_loop": (6, 136, 51),
    "readers_writers": (12, 31, 12), "ring_token": (3, 17, 7), "ring_token_inside": (3, 16, 6),
    "started_one_by_one": (6, 156, 66), "szymanski": (2, 123, 65), "ticket_lock": (6, 248, 54),
    "token_array": (4, 25, 7), "typedef_array": (6, 1728, 496),
}  # fmt: skip
ASYMMETRIC = (
    "asked_in_turn", "bakery", "burns", "leader_by_max", "loop_first", "loop_outside", "philosophers_lefty",
    "print_loop",
)  # fmt: skip
LARGE = ("filter_lock", "initial_lasting", "typedef_array")
FOLDER = paths.DATA / "shapes"


def test_every_shape_is_in_the_table() -> None:
    assert sorted((*SHAPES, *ASYMMETRIC)) == sorted(p.stem for p in FOLDER.glob("*.pml"))


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow) if n in LARGE else n for n in SHAPES])
def test_shape_is_folded(name: str) -> None:
    order, states, folded = SHAPES[name]
    found = symmetries_of(FOLDER / f"{name}.pml", "full")
    checked = audit(found, strategy("auto", found))
    assert (found.order, checked.states, checked.reduced_states) == (order, states, folded)
    assert checked.agrees, checked.problems


@pytest.mark.parametrize("name", [*SHAPES, *ASYMMETRIC])
def test_the_line_that_breaks_it_is_blamed(name: str) -> None:
    path = FOLDER / f"{name}.pml"
    guilty = {i for i, line in enumerate(path.read_text().splitlines(), 1) if "breaks" in line}
    prepared = prepare(optimise(pipeline.load(path), "full"))
    found = detect(prepared.model)
    blamed = {r.location.line for r in (*prepared.refused, *found.refused)}
    assert guilty <= blamed
    assert bool(guilty) == bool(blamed)
    if name in ASYMMETRIC:
        assert found.order == 1


@pytest.mark.parametrize("name", ["print_loop", "leader_by_max"])
def test_lines_are_blamed_also_if_live_processes_are_sorted(name: str) -> None:
    """That those who are alive are exchanged helps little where each is given a value of its own."""
    path = FOLDER / f"{name}.pml"
    guilty = {i for i, line in enumerate(path.read_text().splitlines(), 1) if "breaks" in line}
    one = reduce(optimise(pipeline.load(path), "full"), "auto")
    assert one.symmetries.births is not None
    assert guilty <= {r.location.line for r in one.report.refused}


ORDER_COUNTS = (
    "s = s * 2 + val[i]", "s = val[i]", "val[i] = s; s++", "if :: val[i] == 1 -> who = i; break :: else fi",
    "val[i] = val[(i + 1) % 3]", "if :: val[i] == s -> s++ :: else fi", "if :: s++ :: s = s + val[i] fi",
)  # fmt: skip


ORDER_IS_FORGOTTEN = (
    "s = s + val[i]", "s = s - val[i]", "s = s * (1 + val[i])", "s = s | val[i]", "s = s ^ val[i]", "s = s & val[i]",
    "if :: val[i] == 1 -> s++ :: else fi", "if :: val[i] == 1 -> found = 1 :: else fi",
    "if :: val[i] == 1 -> found = 1; break :: else fi", "found = found || val[i] == 1", "found = found | (val[i] != 1)",
    "if :: val[i] > s -> s = val[i] :: else fi", "s = (val[i] < s -> val[i] : s)", "val[i] = 0",
    "if :: i != _pid && val[i] == 1 -> s++ :: else fi", "if :: val[i] == 1 -> val[i] = 0; s++ :: else fi",
    "if :: who == i -> s = s + val[i] :: else fi", "assert(val[i] < 2)",
)  # fmt: skip


def with_loop(body: str, wrap: str) -> str:
    step = "i = 0; do :: i < 3 -> BODY; i++ :: else -> break od; i = 0; x = s + found; s = 0; found = 0".replace(
        "BODY", body
    )
    return (
        "byte val[3], x; byte who = 9;\n"
        "active [3] proctype P() { byte i, s; bool found;\n"
        f"  do :: val[_pid] = 1 - val[_pid] :: {wrap} {{ {step} }} :: who == _pid -> who = 9 :: x == 2 -> x = 0 od }}\n"
    )


@pytest.mark.parametrize("wrap", ["atomic", "d_step"])
def test_loops_whose_order_is_forgotten(wrap: str) -> None:
    assert {body: symmetries_of(with_loop(body, wrap), "full").order for body in ORDER_IS_FORGOTTEN} == dict.fromkeys(
        ORDER_IS_FORGOTTEN, 6
    )


@pytest.mark.slow
@pytest.mark.parametrize("wrap", ["atomic", "d_step"])
@pytest.mark.parametrize("body", ORDER_IS_FORGOTTEN)
def test_folding_through_such_a_loop_counts_right(body: str, wrap: str) -> None:
    found = symmetries_of(with_loop(body, wrap), "full")
    assert audit(found, strategy("auto", found)).agrees


@pytest.mark.parametrize("wrap", ["atomic", "d_step"])
def test_loops_whose_order_counts(wrap: str) -> None:
    for body in ORDER_COUNTS:
        if "s++ ::" in body and "else" not in body and wrap == "d_step":
            continue  # there the first option is taken
        assert symmetries_of(with_loop(body, wrap)).order < 6, body


COUNTED_FROM_ONE = """byte owner = 3, grant, x; bool granted[5];
active [3] proctype P() {
  do
  :: atomic { owner == 3 -> owner = _pid } :: atomic { owner == _pid -> owner = 3 }
  :: grant = owner + 1 :: granted[owner + 1] = 1 :: atomic { granted[grant] -> granted[grant] = 0 }
  MORE
  od
}
"""


@pytest.mark.parametrize(
    ("more", "order"),
    [("", 6), (":: grant == 2 -> x = 1 - x", 2), (":: x = grant - 1", 1), (":: grant = (grant + 1) % 3", 1),
     (":: grant > owner -> x = 1 - x", 1), (":: grant == owner -> x = 1 - x", 1)],
)  # fmt: skip
def test_names_that_are_counted_from_another_number(more: str, order: int) -> None:
    """Who is named by `grant == 2` is process 1, which therefore stays; 0 - 1 does not fit into a byte."""
    found = symmetries_of(COUNTED_FROM_ONE.replace("MORE", more), "none")
    assert found.order == order
    assert order == 1 or audit(found, strategy("auto", found)).agrees


def test_a_claim_sees_the_middle_of_an_atomic_loop() -> None:
    text = with_loop("s = s + val[i]", "atomic") + "ltl p { [] (x < 4) }\n"
    model = prepare(pipeline.load(text)).model
    assert detect(model).order == 6
    assert detect(model, model.claims).order == 1


def test_a_hundred_processes_are_few_tries() -> None:
    """Each exchange is guessed from what is written about two processes: nothing is searched for."""
    text = "bool flag[100]; byte x; active [100] proctype P() { do :: flag[_pid] = !flag[_pid]; x = 1 - x od }"
    found = symmetries_of(text)
    assert found.fully_symmetric
    assert len(found.group.generators) == 99


def test_an_array_of_channels_that_is_written_to_may_hold_any_channel() -> None:
    """`go` is 1, and so is a client: where it may be sent as a client, that one is not like the others."""
    text = (FOLDER / "granted.pml").read_text()
    written = text.replace("\tbyte id;\n\tdo\n", "\tbyte id;\n\tdo\n\t:: owner == 3 -> grant[0] = request\n")
    assert symmetries_of(text.replace("grant[id]!go", "grant[0]!go")).order == 2
    assert symmetries_of(written).order == 1


def test_a_chain_that_is_looked_at_once_has_nothing_of_one_process_in_it() -> None:
    """What each is given decides where it writes, and somebody looks at one of these places."""
    code = "byte x[9]; proctype P(byte n) { do :: true -> x[n] = 1 od }"
    text = f"{code} init {{ atomic {{ run P(5); run P(7) }} do :: x[5] -> x[1]++ od }}"
    assert symmetries_of(text, "full").order == 1
    assert symmetries_of(text.replace("x[5]", "x[5] || x[7]"), "full").order == 2
