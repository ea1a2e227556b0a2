"""Pointers of which only one thing matters: are they NULL?  One bit is enough for them.

Reference: Wang et al., BDD-Based Safety-Analysis of Concurrent Software with Pointer Data Structures (TSE 2004), 7.3:
in the leader election it never matters who the parent is.
Differs: the bit is kept as a pointer to the owner itself, or NULL: symmetries go on to rename it as any other pointer.

It works on `owned` globals, which have an element for each process.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from ..analysis.footprint import observers
from ..core.model import Action, Assign, Binary, Conditional, Const, Expr, Model, Place, Transition, points_to_process
from ..semantics.walk import evaluated, stored, subexpressions
from .inactive import pointer_in

NULL = Const(0, "NULL")


def only_null_matters(model: Model) -> Model:
    """The same model; a pointer that is only compared with NULL names its owner wherever it is not NULL."""
    bases = bits(model)
    if not bases:
        return model

    def rewritten(action: Action) -> Action:
        if not isinstance(action.step, Transition):
            return action
        assigns = tuple(_one_bit(a) if a.place.variable.base in bases else a for a in action.step.assigns)
        return replace(action, step=replace(action.step, assigns=assigns))

    templates = tuple(replace(t, actions=tuple(map(rewritten, t.actions))) for t in model.templates)
    return replace(model, templates=templates)


def bits(model: Model) -> frozenset[int]:
    """The variables that are compared with NULL, and used for nothing else."""
    found = {v.base for v in model.globals if v.owned and points_to_process(v.type)}
    read: Counter[int] = Counter()
    harmless: Counter[int] = Counter()
    for e in _everything(model):
        for part in subexpressions(e):
            if isinstance(part, Place) and not part.variable.is_local:
                read[part.variable.base] += 1
            if isinstance(part, Binary) and part.op in ("==", "!="):
                for a, b in ((part.left, part.right), (part.right, part.left)):
                    if isinstance(a, Place) and not a.variable.is_local and isinstance(b, Const) and b.value == 0:
                        harmless[a.variable.base] += 1
    for template in model.templates:
        for action in template.actions:
            if not isinstance(action.step, Transition):
                found -= {p.variable.base for p in stored(action.step) if not p.variable.is_local}
    return frozenset(base for base in found if read[base] == harmless[base])


def _everything(model: Model) -> Iterator[Expr]:
    yield from observers(model)
    yield from (i.defined for i in model.invariants)
    for template in model.templates:
        for action in template.actions:
            yield from evaluated(action.step)


def _one_bit(assign: Assign) -> Assign:
    """SOUND: nobody can tell two pointers from each other that are both not NULL; what faults, still does."""
    (index,) = assign.place.indices
    owner = pointer_in(index)
    if assign.value in (owner, NULL) or assign.value == Const(0):
        return assign
    return replace(assign, value=Conditional(Binary("!=", assign.value, NULL), owner, NULL))
