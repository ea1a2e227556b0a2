"""The operators of Promela: those of C on 32-bit ints."""

from __future__ import annotations

import operator


def _wrapped(value: int) -> int:
    """What an int holds when `value` is stored in it."""
    value &= 0xFFFFFFFF
    return value - (1 << 32) if value > 0x7FFFFFFF else value


def apply_unary(op: str, value: int) -> int:
    """C's operators on 32-bit ints."""
    if op == "!":
        return int(not value)
    return _wrapped(-value if op == "-" else ~value)


def apply_binary(op: str, left: int, right: int) -> int:
    """C's operators on 32-bit ints; raises ZeroDivisionError."""
    match op:
        case "+":
            return _wrapped(left + right)
        case "-":
            return _wrapped(left - right)
        case "*":
            return _wrapped(left * right)
        case "/" | "%":
            quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
            return _wrapped(quotient if op == "/" else left - quotient * right)
        case "<<" | ">>":
            shift = right & 31  # as the common processors do
            return _wrapped(left << shift if op == "<<" else left >> shift)
        case "&":
            return left & right
        case "|":
            return left | right
        case "^":
            return left ^ right
        case "&&":
            return int(bool(left and right))
        case "||":
            return int(bool(left or right))
    return int(_COMPARISONS[op](left, right))


_COMPARISONS = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
