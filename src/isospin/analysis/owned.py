"""Objects that only their maker knows: made by a process, and named by one of its variables and by nothing else.

Reference: Dwyer, Hatcliff, Robby, Ranganath, Exploiting Object Escape and Locking Information in Partial-Order
Reductions (Formal Methods in System Design, 2004).
Differs: known for each location before the search, for scalars that `new` was assigned to and that were not copied
since; nothing has to be looked up in a state.

What is done to such an object is as local as a local variable.
"""

from __future__ import annotations

from ..core.model import (
    Allocate,
    Assign,
    Call,
    Conditional,
    Delete,
    Expr,
    Place,
    Return,
    Run,
    Send,
    Step,
    Store,
    is_pointer,
)
from ..semantics.walk import stored

Owned = frozenset[int]  # bases of local variables
NONE: Owned = frozenset()


def owned_after(owned: Owned, step: Step, recycled: frozenset[str], seen: Owned) -> Owned:
    """Which variables own an object behind a step; `seen` are those that others look at."""
    owned -= _lost(step)
    # SOUND: an object in a place that dangling pointers name is known to their holders.
    if isinstance(step, Allocate) and step.type not in recycled and isinstance(step.into, Place):
        variable = step.into.variable
        if variable.is_local and not variable.shape and variable.base not in seen:
            owned |= {variable.base}
    return owned


def _lost(step: Step) -> Owned:
    """Variables that do not own an object after the step: overwritten, deleted, or copied."""
    gone = {p.variable.base for p in stored(step) if p.variable.is_local}
    match step:
        case Assign(_, value) | Store(_, value) | Return(value=value):
            gone |= _copied(value)
        case Send(_, values) | Run(_, values) | Call(values=values):
            gone |= {base for value in values for base in _copied(value)}
        case Delete(pointer):
            gone |= _copied(pointer)
    return frozenset(gone)


def _copied(e: Expr) -> set[int]:
    """The local pointers whose value the expression can have."""
    match e:
        case Place(variable) if variable.is_local and is_pointer(variable.type):
            return {variable.base}
        case Conditional(_, then, otherwise):
            return _copied(then) | _copied(otherwise)
    return set()
