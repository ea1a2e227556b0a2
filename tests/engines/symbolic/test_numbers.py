"""Vectors of diagrams compute as C does."""

from __future__ import annotations

from random import Random

import pytest

from isospin.core.arithmetic import apply_binary, apply_unary
from isospin.core.model import BYTE, INT, SHORT
from isospin.engines.symbolic.backend import Manager, manager
from isospin.engines.symbolic.encoding.numbers import Arithmetic, Number

OPERATORS = ["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "==", "!=", "<", "<=", ">", ">="]
CORNERS = (0, 1, -1, 2, 5, -7, 31, 32, 33, 2**31 - 1, -(2**31), -(2**31) + 1)


def at(m: Manager, a: Arithmetic, number: Number, bits: dict[int, bool]) -> int:
    found = a.value(tuple(m.true if m.evaluate(bit, bits) else m.false for bit in number))
    assert found is not None
    return found


@pytest.mark.parametrize("backend", ["oxidd", "cudd"])
def test_operators(backend: str) -> None:
    m, random = manager(backend, 8, 1 << 14), Random(1)
    a = Arithmetic(m)
    x, y = (a.narrow([m.variable(first + i) for i in range(4)]) for first in (0, 4))
    for op in OPERATORS:
        z = a.binary(op, x, y)
        for _ in range(40):
            bits = {i: random.random() < 0.5 for i in range(8)}
            left, right = at(m, a, x, bits), at(m, a, y, bits)
            if right or op not in "/%":
                assert at(m, a, z, bits) == apply_binary(op, left, right), (op, left, right)


@pytest.mark.parametrize("op", OPERATORS)
def test_corners(op: str) -> None:
    a = Arithmetic(manager("oxidd", 1, 1 << 10))
    for left in CORNERS:
        for right in CORNERS:
            if right or op not in "/%":
                found = a.value(a.binary(op, a.constant(left), a.constant(right)))
                assert found == apply_binary(op, left, right), (left, right)


def test_one_operand_and_wrapping() -> None:
    a = Arithmetic(manager("oxidd", 1, 1 << 10))
    for value in CORNERS:
        for op in "-~!":
            assert a.value(a.unary(op, a.constant(value))) == apply_unary(op, value)
        for kind in (BYTE, SHORT, INT):
            assert a.value(a.wrap(a.constant(value), kind)) == kind.wrap(value)


@pytest.mark.parametrize("backend", ["oxidd", "cudd"])
def test_counting_is_exact(backend: str) -> None:
    m = manager(backend, 90, 1 << 12)
    f = m.variable(0) | m.variable(89)
    assert m.count(f, 90) == 3 * 2**88
    assert m.count(~f, 90) == 2**88
    assert m.evaluate(f, m.pick(f))


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_less_than_a_constant(width: int) -> None:
    """On either side, also where the constant is none of the values."""
    diagrams = manager("oxidd", width, 1 << 12)
    numbers = Arithmetic(diagrams)
    number = tuple(diagrams.variable(i) for i in range(width))
    for constant in range(-18, 19):
        known = numbers.constant(constant)
        less, more = numbers.less(number, known), numbers.less(known, number)
        for pattern in range(1 << width):
            bits = {i: bool(pattern >> i & 1) for i in range(width)}
            value = pattern - (1 << width) if bits[width - 1] else pattern
            assert diagrams.evaluate(less, bits) == (value < constant)
            assert diagrams.evaluate(more, bits) == (constant < value)
