"""The truth of a formula on a lasso, straight from the definition of its operators.

Reference: Pnueli, The temporal logic of programs, 1977; Manna and Pnueli 1992.
Differs: nothing of the translation to automata is used here, so that it can confirm counterexamples and judge tests.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from ..core.model import Expr, Temporal

Truth = list[bool]
Holds = Callable[[Expr, int], bool]  # does the predicate hold at a position?


def satisfies(formula: Temporal, length: int, back: int, holds: Holds) -> bool:
    """Is the formula true at the start of the word whose last position is followed by position `back`?"""
    return _evaluate(formula, length, back, holds)[0]


def _evaluate(formula: Temporal, length: int, back: int, holds: Holds) -> Truth:
    """The truth of the formula at each position."""
    if formula.atom is not None:
        return [holds(formula.atom, i) for i in range(length)]
    parts = [_evaluate(f, length, back, holds) for f in formula.operands]
    always, never = [True] * length, [False] * length
    match formula.op:
        case "!":
            return [not a for a in parts[0]]
        case "next":
            return parts[0][1:] + [parts[0][back]]
        case "eventually":
            return _until(always, parts[0], back)
        case "always":
            return _release(never, parts[0], back)
        case "until":
            return _until(parts[0], parts[1], back)
        case "release":
            return _release(parts[0], parts[1], back)
        case "weakuntil":  # a W b: b releases a or b
            return _release(parts[1], [a or b for a, b in zip(*parts, strict=True)], back)
    return [_connective(formula.op, a, b) for a, b in zip(*parts, strict=True)]


def _connective(op: str, a: bool, b: bool) -> bool:
    match op:
        case "&&":
            return a and b
        case "||":
            return a or b
        case "implies":
            return not a or b
        case "equivalent":
            return a == b
    raise ValueError(f"no temporal operator {op}")


def _until(left: Truth, right: Truth, back: int) -> Truth:
    """The least solution of: here = right or (left and there)."""
    return _solve(left, right, back, False)


def _release(left: Truth, right: Truth, back: int) -> Truth:
    """The greatest solution of: here = right and (left or there)."""
    return [not x for x in _solve([not x for x in left], [not x for x in right], back, False)]


def _solve(left: Truth, right: Truth, back: int, start: bool) -> Truth:
    """From the last position backwards, twice: what the end of the loop learns from its start counts then."""
    size = len(left)
    truth = [start] * size
    follower = [j for _, j in pairwise(range(size))] + [back]
    for _ in range(2):
        for i in reversed(range(size)):
            truth[i] = right[i] or (left[i] and truth[follower[i]])
    return truth
