"""Steps through pointers, left for later: which actions these are, and what is known about them at once.

`transitions.py` puts them aside, `pointers.py` encodes them when the first state comes that takes them.
"""

from __future__ import annotations

from ....core.model import Action, AtLabel, Const, Else, Expr, Invariant, Place, RemoteRead, Self, Transition
from ....core.records import dataclass
from ....semantics.walk import expressions, subexpressions
from ..backend import Bdd

TRUE = Const(1)


def follows_pointer(e: Expr) -> bool:
    """Is a variable or the mode of a process read whose number is known only in a state?"""
    return any(map(is_indirect, subexpressions(e)))


def is_indirect(e: Expr) -> bool:
    """Is this one such a read, whatever is in it?"""
    if isinstance(e, Place):
        return e.variable.owned and not is_fixed(e.indices[0])
    return isinstance(e, AtLabel | RemoteRead) and e.pid is not None and not is_fixed(e.pid)


def is_fixed(e: Expr) -> bool:
    return isinstance(e, Const | Self)


@dataclass(frozen=True)
class PointerWork:
    """What is done when the pointers are known: a step, or a look at an invariant."""

    pid: int
    where: Bdd  # no other states need to be looked at
    action: Action | None = None
    invariant: Invariant | None = None
    condition: Expr = TRUE  # the part of the guard, or of the invariant, that follows pointers

    @property
    def step(self) -> Transition:
        assert self.action is not None
        assert isinstance(self.action.step, Transition)
        return self.action.step


def must_wait(actions: list[Action], action: Action) -> bool:
    """Is the action one that is left for later?  Not where the order of the options counts."""
    if not isinstance(action.step, Transition) or any(isinstance(a.step, Else) or a.escape for a in actions):
        return False
    return any(follows_pointer(e) for e in expressions(action.step))
