"""Rounds of loops that are executed once for all processes: what a loop does is the same as when each executes it."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from isospin import pipeline
from isospin.core.model import (
    Binary,
    ChannelTest,
    Conditional,
    Const,
    Expr,
    Model,
    Place,
    Unary,
    apply_binary,
    apply_unary,
)
from isospin.semantics.interp import Interpreter
from isospin.semantics.walk import slot_of
from isospin.symmetry.detection.looping.loops import fold_loops
from isospin.symmetry.detection.looping.rounds import KnownRounds, LoopRound, LoopRun
from isospin.symmetry.detection.population import NotFoldable, populate
from isospin.symmetry.detection.specialise import Loop, OwnCode, specialise
from isospin.transform.optimise import optimise
from tests.support.generators.random_shapes import Writer

SIZE = 5
BODIES = (
    "if :: i < _pid && val[i] == 1 -> s++ :: else fi", "if :: i == _pid -> s = s + 2 :: i != _pid -> s++ fi",
    "if :: _pid > i -> val[i] = 1 :: else -> s = s + val[i] fi", "if :: s < 3 -> s++ :: else -> s = val[i] fi",
    "if :: i != _pid && val[i] == 1 -> found = 1 :: else fi", "if :: i != _pid && flag[i] -> s = 3 :: else fi",
    "s = s + (i == _pid)", "if :: i == _pid -> s = 0 :: else fi", "if :: val[_pid] == 1 -> s++ :: else fi",
    "v = val[i]; s = s + v", "if :: i == 3 -> s = 0 :: else -> s++ fi", "val[i] = s; s = s + val[i]",
    "if :: found -> s = s + val[i] :: else fi; if :: i == _pid -> found = 1 :: else fi",
    "if :: owner == _pid -> s++ :: else fi", "s = s + _pid", "found = found || val[i] == 1 || i == _pid",
    "v = _pid; if :: i == v -> s++ :: else fi", "few = few + val[i]; s = s + few", "wide = wide + i",
)  # fmt: skip
Values = dict[tuple[bool, int], int]


class _LoopWriter(Writer):
    """Writes loops over more indices than other models have, with more about the own pid."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed, shifts=False)
        self.size, self.style, self.me, self.features = SIZE, "active", "_pid", {"loop"}

    def body(self) -> str:
        return self.random.choice(BODIES) if self.random.random() < 0.5 else super().body()


def loops(model: Model) -> list[OwnCode] | None:
    interpreter = Interpreter(model)
    try:
        population = populate(model, interpreter)
    except NotFoldable:
        return None
    return fold_loops(model, specialise(model, population), whole_moves=True)


def valued(e: Expr, values: Values) -> int:
    """The value of an expression, where variables have some values."""
    match e:
        case Const(value):
            return value
        case Place(variable):
            slot = slot_of(e)
            if slot is not None:
                return values[variable.is_local, slot]
            (index,) = e.indices
            return values.get((variable.is_local, variable.base + valued(index, values)), -7)
        case Unary(op, operand):
            return apply_unary(op, valued(operand, values))
        case Binary("max" | "min", left, right):
            return (max if e.op == "max" else min)(valued(left, values), valued(right, values))
        case Binary(op, left, right):
            return apply_binary(op, valued(left, values), valued(right, values))
        case Conditional(condition, then, otherwise):
            return valued(then if valued(condition, values) else otherwise, values)
        case ChannelTest():
            return 1
    raise AssertionError(e)


def done(loop: Loop, values: Values) -> dict[Any, int]:
    """What is different after the loop, and which of its assertions hold."""
    written = {(a.place.variable.is_local, slot_of(a.place)): valued(a.value, values) for a, _ in loop.assigns}
    changed = {key: value for key, value in written.items() if values[key] != value}  # type: ignore[index]
    held = all(valued(e, values) != 0 for e, _ in loop.asserts)
    guard = int(valued(loop.guard, values) != 0)
    return changed | {"guard": guard, "held": int(held), "may fault": len(loop.evaluated)}


def compare(seed: int, monkeypatch: pytest.MonkeyPatch, text: str = "") -> int:
    """How many loops have the same effect, with rounds that are shared and without, in random states."""
    text, random = text or _LoopWriter(seed).model(), Random(seed)
    model, compared = optimise(pipeline.load(text), "full" if seed % 2 else "none"), 0
    with monkeypatch.context() as patch:
        patch.setattr(LoopRun, "go_round", lambda *_: False)
        plain = loops(model)
    shared = loops(model)
    assert (plain is None) == (shared is None)
    if plain is None or shared is None:
        return 0
    for one, other in zip(plain, shared, strict=True):
        assert one.loops.keys() == other.loops.keys(), text
        variables = [*model.globals, *one.template.locals]
        for i, loop in one.loops.items():
            for _ in range(5):
                ranges = [(v, max(v.type.low, -3), min(v.type.high, 4)) for v in variables]
                values = {(v.is_local, v.base + k): random.randint(low, high) for v, low, high in ranges
                          for k in range(v.size)}  # fmt: skip
                assert done(loop, values) == done(other.loops[i], values), (seed, text)
            compared += 1
    return compared


def test_random_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sum(compare(seed, monkeypatch) for seed in range(40)) > 50


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 4000, 250))
def test_many_random_loops(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(first, first + 250):
        compare(seed, monkeypatch)


MODEL = """byte val[5], x, owner; active [5] proctype P() { byte i, s; bool found; do :: owner = _pid ::
d_step { i = 0; found = 0; do :: i < 5 -> BODY; i++ :: else -> break od; i = 0; x = s + found; s = 0 } od }"""


@pytest.mark.parametrize(
    "body",
    ["if :: i != _pid && val[i] == 1 -> found = 1 :: else fi", "if :: val[owner] == val[i] -> s++ :: else fi"],
)
def test_what_is_not_written_on_all_ways_and_what_may_fault(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Process 0 knows before its second round that nothing was found, and process 2 does not."""
    assert compare(0, monkeypatch, MODEL.replace("BODY", body)) == SIZE


def test_most_rounds_are_those_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that meets another process, one that meets oneself, and the end: not as many as there are pairs."""
    text = MODEL.replace("BODY", "if :: i != _pid && val[i] == 1 -> s++ :: else fi")
    known: list[LoopRound] = []
    add = KnownRounds.add

    def count(self: KnownRounds, one: LoopRound) -> None:
        known.append(one)
        add(self, one)

    monkeypatch.setattr(KnownRounds, "add", count)
    assert loops(pipeline.load(text)) is not None
    assert len(known) == 2 * (SIZE - 1) + 1
