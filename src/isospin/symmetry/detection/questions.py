"""What an action asks about the process that has it: those who give the same answers have the same code.

Reference: partial evaluation (Jones, Gomard, Sestoft), where code is specialised once for each kind of input.
Differs: where everybody names everybody else (`k != _pid -> ...`), an action asks whether one is k.  All but one answer
alike, so that it is written twice, and not for each of a hundred processes; who knows code by its identity afterwards
looks at it once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from ...core.model import (
    Assert,
    Assign,
    Binary,
    Chain,
    Const,
    Expr,
    Field,
    Guard,
    Place,
    Receive,
    Self,
    Send,
    Skip,
    Step,
    Transition,
    Variable,
)
from ...semantics.walk import children, different_steps, expressions, stored, subexpressions

Question: TypeAlias = tuple[Variable | None, int]  # is `_pid`, or a variable that never changes, this number?
_WITHOUT_OWNER = (Skip, Guard, Assign, Transition, Assert, Send, Receive)


class _IsTold(Exception):
    """Something depends on a process in another way."""


def questions(step: Step, is_fixed: Callable[[Variable], bool]) -> tuple[Question, ...] | None:
    """All that a step depends on, of what differs between processes of a template; None if it is more than answers.
    `is_fixed`: does a local variable never change?  Its value is put in, and others have other ones."""
    parts = _parts(step)
    if not all(isinstance(part, _WITHOUT_OWNER) for part in parts):
        return None
    try:
        return tuple(dict.fromkeys(q for part in parts for e in expressions(part) for q in _asked(e, is_fixed)))
    except _IsTold:
        return None


def _asked(e: Expr, is_fixed: Callable[[Variable], bool]) -> Iterator[Question]:
    if isinstance(e, Binary) and e.op in ("==", "!="):
        for own, other in ((e.left, e.right), (e.right, e.left)):
            # SOUND: a comparison with a number is put in as 0 or 1, so that nothing else of the process is in the code.
            if _is_own(own, is_fixed) and isinstance(other, Const) and not (isinstance(own, Place) and own.indices):
                yield own.variable if isinstance(own, Place) else None, other.value
                return
    if _is_own(e, is_fixed) or isinstance(e, Field):
        raise _IsTold
    for child in children(e):
        yield from _asked(child, is_fixed)


def _is_own(e: Expr, is_fixed: Callable[[Variable], bool]) -> bool:
    return isinstance(e, Self) or (isinstance(e, Place) and e.variable.is_local and is_fixed(e.variable))


def speaks_of_nobody(step: Step) -> bool:
    """Is the step the same whoever executes it, with nothing of its own in it?"""
    different = _parts(step)
    if not all(isinstance(part, _WITHOUT_OWNER) for part in different):
        return False
    parts = [part for s in different for e in expressions(s) for part in subexpressions(e)]
    places = [*(p for s in different for p in stored(s)), *(part for part in parts if isinstance(part, Place))]
    return not any(isinstance(part, Self | Field) for part in parts) and not any(p.variable.is_local for p in places)


def _parts(step: Step) -> list[Step]:
    return different_steps(step.actions) if isinstance(step, Chain) else [step]
