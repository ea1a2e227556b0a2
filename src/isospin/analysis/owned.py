"""Objects that only their maker knows: made by a process, and named by one of its variables and by nothing else.

Reference: Dwyer, Hatcliff, Robby, Ranganath, Exploiting Object Escape and Locking Information in Partial-Order
Reductions (Formal Methods in System Design, 2004).
Differs: known for each location before the search, for scalars that `new` was assigned to and that were not copied
since; nothing has to be looked up in a state.

What is done to such an object is as local as a local variable.
"""

from __future__ import annotations

from ..core.model import (
    Action,
    Allocate,
    Assign,
    Call,
    Conditional,
    Delete,
    Deterministic,
    Expr,
    Place,
    Return,
    Run,
    Send,
    Step,
    Store,
    Template,
    is_pointer,
)
from ..semantics.walk import by_source, parts_of, stored
from .points import PointsTo

Owned = frozenset[int]  # bases of local variables
NONE: Owned = frozenset()


class Ownership:
    """For one template; `seen` are its variables that others look at."""

    def __init__(self, template: Template, points: PointsTo, seen: frozenset[int]) -> None:
        self.template, self.points, self.seen = template, points, seen
        self.at: dict[int, Owned] = {template.entry: NONE}
        self.solve()

    def solve(self) -> None:
        leaving, todo = by_source(self.template.actions), [self.template.entry]
        while todo:
            here = todo.pop()
            for action in leaving.get(here, []):
                after = self.after(self.at[here], action)
                known = self.at.get(action.target)
                new = after if known is None else known & after
                if new != known:
                    self.at[action.target] = new
                    todo.append(action.target)

    def after(self, owned: Owned, action: Action) -> Owned:
        for part in parts_of(action.step):
            owned = self.after_step(owned, part)
        return owned - {v.base for v in action.clears}

    def after_step(self, owned: Owned, step: Step) -> Owned:
        if isinstance(step, Deterministic):
            return owned - self.lost_in(step)
        owned -= _lost(step)
        # SOUND: an object in a place that dangling pointers name is known to their holders.
        if isinstance(step, Allocate) and step.type not in self.points.recycled and isinstance(step.into, Place):
            variable = step.into.variable
            if variable.is_local and not variable.shape and variable.base not in self.seen:
                owned |= {variable.base}
        return owned

    def lost_in(self, step: Deterministic) -> Owned:
        """What a d_step may give away, anywhere in it."""
        inner = (a.step for a in self.template.actions if a.source in step.inside)
        return NONE.union(*(_lost(part) for s in inner for part in parts_of(s)))


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
