"""Addresses as sums: what was loaded, a constant, and multiples of a step."""

from __future__ import annotations

from math import gcd
from typing import NamedTuple

from ..constants import Compute
from .values import Carried, Made, Number, Value


class Sum(NamedTuple):
    """An address: what was loaded, a constant, and multiples of a step."""

    bases: tuple[Carried, ...]
    offset: int
    step: int  # 0: none


def as_sum(address: Value) -> Sum | None:
    match address:
        case Number(n):
            return Sum((), n, 0)
        case Carried():
            return Sum((address,), 0, 0)
        case Made(Compute.ADD, one, other) if other is not None:
            a, b = as_sum(one), as_sum(other)
            if a is None or b is None:
                return None
            return Sum(a.bases + b.bases, (a.offset + b.offset) % 2**64, gcd(a.step, b.step))
        case Made():
            return Sum((), 0, _step(address))
    return None


def _step(value: Value) -> int:
    """A number that divides the value, whatever was loaded; 0 is divided by all."""
    match value:
        case Number(n):
            return n
        case Made(Compute.ADD | Compute.SUB, one, other) if other is not None:
            return gcd(_step(one), _step(other))
        case Made(Compute.MUL, one, other) if other is not None:
            return _step(one) * _step(other)
        case Made(Compute.SHL, one, Number(n)):
            return _step(one) << n
    return 1
