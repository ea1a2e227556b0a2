"""How much work it is to find the symmetries of many processes: calls are counted, not seconds."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import pytest

from isospin import pipeline
from isospin.symmetry.reduction import reduce
from isospin.transform.optimise import optimise


def everybody_names_everybody(n: int) -> str:
    options = " ".join(f":: owner = {i}" for i in range(n))
    return (
        f"byte owner = 255; bool flag[{n}]; byte x;\nactive [{n}] proctype P() {{\n"
        f"  do :: atomic {{ owner == 255 -> if {options} fi }}\n"
        "  :: owner == _pid -> flag[_pid] = !flag[_pid]; x = 1 - x; owner = 255 od }\n"
    )


def loop_beside_me(n: int) -> str:
    return (
        f"byte val[{n}]; byte x;\nactive [{n}] proctype P() {{ byte i, s;\n  do :: val[_pid] = 1 - val[_pid]\n"
        f"  :: d_step {{ i = 0; do :: i < {n} -> if :: i != _pid && val[i] == 1 -> s++ :: else fi; i++\n"
        "     :: else -> break od; i = 0; x = s > 0; s = 0 } od }\n"
    )


def loop_in_atomic(n: int) -> str:
    return loop_beside_me(n).replace("d_step", "atomic")


def sum_of_labels(n: int) -> str:
    """Who looks at all others is one long sum; they are started at run time."""
    looks = " + ".join(f"P[{i}]@cs" for i in range(1, n + 1))
    starts = " ".join("run P();" for _ in range(n))
    return (
        "byte in; proctype P() { do :: in++; cs: in-- od }\n"
        f"proctype W() {{ do :: assert({looks} >= 0) od }}\ninit {{ atomic {{ {starts} run W() }} }}\n"
    )


def flags(n: int) -> str:
    return f"bool flag[{n}]; byte x; active [{n}] proctype P() {{ do :: flag[_pid] = !flag[_pid]; x = 1 - x od }}"


def count_calls(text: str) -> int:
    """How many functions are called to find all exchanges of the processes of a model."""
    model = optimise(pipeline.load(text), "full")
    calls = 0

    def count(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        found = reduce(model, "auto").symmetries
    finally:
        sys.setprofile(before)
    assert found.fully_symmetric
    assert found.order > 1
    return calls


@pytest.mark.parametrize(
    ("shape", "most"),
    [(flags, 3.2), (everybody_names_everybody, 4), (loop_beside_me, 4), (sum_of_labels, 3.3)],
)  # fmt: skip
def test_twice_as_many_processes_are_not_more_work_than_there_is_to_read(shape: Any, most: float) -> None:
    """What all say of all is the square of their number."""
    assert count_calls(shape(40)) < most * count_calls(shape(20))


@pytest.mark.parametrize(
    ("shape", "most"), [(everybody_names_everybody, 230), (loop_beside_me, 340), (loop_in_atomic, 300)]
)
def test_a_few_calls_for_each_pair(shape: Any, most: int) -> None:
    """A hundred processes are ten thousand pairs, and a second is a few million calls."""
    assert count_calls(shape(40)) < most * 40 * 40
