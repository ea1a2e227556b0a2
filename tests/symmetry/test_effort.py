"""How much work it is to find the symmetries of many processes: calls are counted, not seconds."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import pytest

from isospin import pipeline
from isospin.symmetry.detection.seeing.graph import FactGraph
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


def letters(n: int) -> str:
    """Everybody may write to each of the others."""
    options = " ".join(f":: {k} != _pid -> box[{k}]!_pid; sent[{k}] = 1 - sent[{k}]" for k in range(n))
    return (
        f"chan box[{n}] = [1] of {{ pid }}; bool sent[{n}]; byte x;\nactive [{n}] proctype P() {{ pid q;\n"
        f"  do {options}\n  :: box[_pid]?q -> x = 1 - x od }}\n"
    )


def anybody(n: int) -> str:
    """One of all is chosen by a loop."""
    return (
        f"bool flag[{n}]; byte x; active [{n}] proctype P() {{ byte i;\n  do :: select (i : 0 .. {n - 1});"
        " if :: i != _pid -> flag[i] = 1 :: else fi :: flag[_pid] -> flag[_pid] = 0; x = 1 - x od }\n"
    )


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
    [
        (flags, 2.6), (everybody_names_everybody, 2.6), (loop_beside_me, 2.6), (loop_in_atomic, 2.6), (letters, 2.6),
        (sum_of_labels, 3.3),
    ],
)  # fmt: skip
def test_twice_as_many_processes_are_not_more_work_than_there_is_to_read(shape: Any, most: float) -> None:
    """What one says of all is written once for all who say it."""
    assert count_calls(shape(40)) < most * count_calls(shape(20))


@pytest.mark.parametrize("shape", [everybody_names_everybody, loop_beside_me, loop_in_atomic, letters])
def test_a_few_thousand_calls_for_each_process(shape: Any) -> None:
    """A second is a few million calls."""
    assert count_calls(shape(40)) < 6000 * 40


def test_a_choice_among_many_is_a_few_calls_for_each_pair() -> None:
    """The ways through a loop are as long as it has rounds."""
    assert count_calls(anybody(70)) < 250 * 70 * 70


def ring_of_names(n: int) -> str:
    options = " ".join(f":: {k} != _pid -> flag[{k}] = 1" for k in range(n))
    more = f":: flag[_pid] -> flag[(_pid + 1) % {n}] = 0"
    return f"bool flag[{n}]; active [{n}] proctype P() {{ do {options} {more} od }}"


def count_news(text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often somebody gets another colour."""
    tell_apart, count = FactGraph.tell_apart, 0

    def counted(*given: Any) -> list[int]:
        nonlocal count
        changed = tell_apart(*given)
        count += len(changed)
        return changed

    with monkeypatch.context() as patched:
        patched.setattr(FactGraph, "tell_apart", staticmethod(counted))
        assert reduce(pipeline.load(text), "auto").symmetries.order > 1
    return count


def test_news_travel_along_a_ring_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """There are as many facts as pairs of processes, and most keep their colours while the news go round."""
    assert count_news(ring_of_names(24), monkeypatch) < 5 * count_news(ring_of_names(12), monkeypatch)
