"""Names that are counted from another number: `grant = who + 1`.

Reference: Ip and Dill's scalarsets, as `sorts.py` infers them.
Differs: adding a constant maps one class of names to another, one to one.  A permutation that keeps the table of that
map keeps the sum (`terms.py` writes the table down), so both classes may stay names.  A sum that comes back to where it
came from (`i = i + 1`) counts, and its classes are plain numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ...core.model import Binary, Const, Expr, Unary
from .specialise import PID
from .value_class import ValueClass


class _Shift(NamedTuple):
    """A constant is added to the values of one class, which gives those of another."""

    operand: ValueClass
    by: int
    result: ValueClass


def find_shift(e: Binary | Unary) -> tuple[Expr, int] | None:
    """What a constant is added to, and the constant."""
    match e:
        case Binary("+", operand, Const(by, text)) | Binary("+", Const(by, text), operand) if text != PID:
            return operand, by
        case Binary("-", operand, Const(by, text)) if text != PID:
            return operand, -by
    return None


class Shifts:
    """All of them, once it is known what flows where."""

    def __init__(self, classes: Iterable[ValueClass], processes: int) -> None:
        self.all = [_Shift(one, by, result.current) for one in classes for by, result in one.shifts.items()]
        self.processes = processes

    def settle(self) -> None:
        """Classes whose sums count are spoilt; the others get all their values."""
        in_order, round_about = self.sorted()
        for shift in round_about:  # SOUND: only a map between finitely many values can be written down
            _doubt(shift.operand)
            _doubt(shift.result)
        self.spread()
        for operand, by, result in in_order:
            values = operand.literals | (set(range(self.processes)) if operand.holds_pids else set())
            result.literals |= {value + by for value in values}

    def sorted(self) -> tuple[list[_Shift], list[_Shift]]:
        """Those into a class before those out of it; and those for which that is impossible."""
        done, rest = list[_Shift](), self.all
        while True:
            results = {s.result.number for s in rest}
            ready = [s for s in rest if s.operand.number not in results]
            if not ready:
                return done, rest
            done, rest = done + ready, [s for s in rest if s.operand.number in results]

    def spread(self) -> None:
        """SOUND: a sum of numbers is a number, and what gives a number when something is added is one."""
        changed = True
        while changed:
            changed = False
            for operand, _, result in self.all:
                if ("number" in (operand.kind, result.kind) or operand.holds_channels) and not (
                    operand.spoilt and result.spoilt
                ):
                    _doubt(operand)
                    _doubt(result)
                    changed = True

    def forget_numbers(self) -> None:
        """Sums of plain numbers are arithmetic like any other."""
        for operand, by, _ in self.all:
            if operand.kind == "number":
                del operand.shifts[by]


def _doubt(one: ValueClass) -> None:
    one.spoilt = list(dict.fromkeys((*one.spoilt, *one.doubts)))
