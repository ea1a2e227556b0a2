"""Pointers of which only one thing matters: are they NULL?  One bit is enough for them.

Reference: Wang et al., BDD-Based Safety-Analysis of Concurrent Software with Pointer Data Structures (TSE 2004), 7.3:
in the leader election it never matters who the parent is.
Differs: found on the text, for all engines; such pointers may be copied to each other.

It works on pointers to processes.  What a search finds is replayed on the user's model, with the user's pointers; where
a bit is set at the start, the pointer names process 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from ..analysis.footprint import observers
from ..core.errors import Location
from ..core.model import (
    BIT,
    Action,
    Binary,
    Conditional,
    Const,
    Expr,
    Model,
    Place,
    Self,
    Transition,
    Variable,
    points_to_process,
)
from ..semantics.walk import evaluated, stored, subexpressions

Bases = frozenset[int]
NULL, YES, NO = Const(0, "NULL"), Const(1), Const(0)


def only_null_matters(model: Model) -> Model:
    """The same model; a pointer that is only compared with NULL is a bit."""
    bases = bits(model)
    if not bases:
        return model

    def rewritten(action: Action) -> Action:
        if not isinstance(action.step, Transition):
            return action
        assigns = (replace(a, value=_bit(a.value, bases)) if _names(a.place, bases) else a for a in action.step.assigns)
        return replace(action, step=replace(action.step, assigns=tuple(assigns)))

    templates = tuple(replace(t, actions=tuple(map(rewritten, t.actions))) for t in model.templates)
    globals_ = tuple(_started(v) if v.base in bases else v for v in model.globals)
    found: Model = _Retyped(bases).whole(replace(model, templates=templates, globals=globals_))
    return found


# ------------------------------------------------------------------------------------------------ which they are


def bits(model: Model) -> Bases:
    """The variables that are compared with NULL, or copied to others of the kind, and used for nothing else."""
    found = frozenset(v.base for v in model.globals if points_to_process(v.type))
    for template in model.templates:
        for action in template.actions:
            if not isinstance(action.step, Transition):
                found -= {p.variable.base for p in stored(action.step) if not p.variable.is_local}
    read = Counter(p.variable.base for e in _everything(model) for p in _read(e) if _names(p, found))
    while True:
        harmless = Counter(p.variable.base for p in _harmless(model, found))
        kept = frozenset(base for base in found if read[base] == harmless[base])
        if kept == found:
            return found
        found = kept


def _names(e: Expr, bases: Bases) -> bool:
    """Is it an element of one of these global variables?"""
    return isinstance(e, Place) and not e.variable.is_local and e.variable.base in bases


def _read(e: Expr) -> Iterator[Place]:
    """All places in an expression."""
    return (p for p in subexpressions(e) if isinstance(p, Place))


def _everything(model: Model) -> Iterator[Expr]:
    """All expressions that are evaluated, whoever does it."""
    yield from observers(model)
    yield from (i.defined for i in model.invariants)
    for template in model.templates:
        for action in template.actions:
            yield from evaluated(action.step)


def _harmless(model: Model, bases: Bases) -> Iterator[Place]:
    """The places that are read only to see whether they are NULL."""
    for e in _everything(model):
        for part in subexpressions(e):
            if isinstance(part, Binary) and part.op in ("==", "!="):
                for a, b in ((part.left, part.right), (part.right, part.left)):
                    if isinstance(a, Place) and _names(a, bases) and isinstance(b, Const) and b.value == 0:
                        yield a
    for template in model.templates:
        for action in template.actions:
            for assign in action.step.assigns if isinstance(action.step, Transition) else ():
                if _names(assign.place, bases):
                    yield from (p for p in _results(assign.value) if isinstance(p, Place) and _names(p, bases))


def _results(e: Expr) -> Iterator[Expr]:
    """What the value is taken from."""
    if isinstance(e, Conditional):
        yield from (*_results(e.then), *_results(e.otherwise))
    else:
        yield e


# ------------------------------------------------------------------------------------------------ as bits


def _bit(value: Expr, bases: Bases) -> Expr:
    """SOUND: nobody can tell two pointers from each other that are both not NULL; what faults, still does."""
    match value:
        case Const(number):
            return YES if number else NO
        case Self():
            return YES
        case Conditional(condition, then, otherwise):
            return Conditional(condition, _bit(then, bases), _bit(otherwise, bases))
    return value if _names(value, bases) else Conditional(Binary("!=", value, NULL), YES, NO)


def _started(variable: Variable) -> Variable:
    """What it may start with, as bits."""
    initial = tuple(_bit(e, frozenset()) for e in variable.initial)
    return replace(variable, initial=initial, choices=tuple(sorted({int(c != 0) for c in variable.choices})))


class _Retyped:
    """The same terms, with another type for these variables."""

    def __init__(self, bases: Bases) -> None:
        self.bases = bases

    def whole(self, term: Any) -> Any:
        """The term, with all its parts."""
        if isinstance(term, tuple):
            parts = tuple(map(self.whole, term))
            return term if all(a is b for a, b in zip(parts, term, strict=True)) else parts
        if isinstance(term, Variable):
            found = not term.is_local and term.base in self.bases
            return replace(term, type=BIT) if found else term
        if not is_dataclass(term) or isinstance(term, type | Location):
            return term
        given = {f.name: getattr(term, f.name) for f in fields(term)}
        changed = {name: new for name, old in given.items() if (new := self.whole(old)) is not old}
        return replace(term, **changed) if changed else term
