"""Which objects a pointer can name: the footprint of `p->f`.

Reference: Andersen, Program Analysis and Specialization for the C Programming Language (1994), chapter 4: an object is
the statement that allocates it; sets grow along assignments until nothing changes.
Differs: one set for everything that travels in messages.  A pointer that dangles may name a later object in the same
place: where that can be seen, what names a deleted object names all objects of its type.

A set may name too many objects, never too few.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..core.model import (
    Action,
    Allocate,
    Assign,
    Binary,
    Bind,
    Call,
    Chain,
    Conditional,
    Delete,
    Expr,
    Field,
    Match,
    Model,
    Place,
    Poll,
    Receive,
    RemoteRead,
    Return,
    Run,
    Send,
    Step,
    Store,
    Target,
    Template,
    pointed_to,
)
from ..semantics.walk import subexpressions
from .footprint import all_expressions

Site = int  # the number of the action that allocates
Sites = frozenset[Site]
NONE: Sites = frozenset()
VariableKey = tuple[str | Site, int]  # a variable of a template ("": a global one) or of the objects of a site
MESSAGES: VariableKey = ("", -1)  # everything that is sent


class _PointerFlow(NamedTuple):
    """A pointer goes into a variable, a field or a message.  `value` None: it comes out of a message."""

    into: Target | VariableKey
    template: str
    value: Expr | Site | None


def _single_actions(template: Template) -> Iterator[Action]:
    for action in template.actions:
        yield from action.step.actions if isinstance(action.step, Chain) else (action,)


class PointsTo:
    """Which objects each pointer of a model can name: sites of `new`, closed under assignments."""

    def __init__(self, model: Model) -> None:
        self.model = model
        steps = [(t.name, a) for t in model.templates for a in _single_actions(t)]
        self.types: dict[Site, str] = {a.id: a.step.type for _, a in steps if isinstance(a.step, Allocate)}
        self.flows = [flow for name, a in steps for flow in self.flow(name, a)]
        self.flows += [
            _PointerFlow((t.name, v.base), t.name, e) for t in model.templates for v in t.locals for e in v.initial
        ]
        self.deletes = [(a.step.pointer, name) for name, a in steps if isinstance(a.step, Delete)]
        self.held: dict[VariableKey, Sites] = {}
        self.deleted = NONE
        while self.grow():
            pass

    def flow(self, name: str, action: Action) -> Iterator[_PointerFlow]:
        """Which values an action lets flow into which variables."""
        match action.step:
            case Assign(place, value):
                yield _PointerFlow(place, name, value)
            case Store(field, value):
                yield _PointerFlow(field, name, value)
            case Allocate(into):
                yield _PointerFlow(into, name, action.id)
            case Send(_, values):
                yield from (_PointerFlow(MESSAGES, name, value) for value in values)
            case Receive(_, patterns):
                places = [p.place for p in patterns if isinstance(p, Bind) and p.place is not None]
                yield from (_PointerFlow(place, name, None) for place in places)
            case Run(started, values):
                parameters = self.model.template(started).parameters
                yield from (_PointerFlow((started, p.base), name, v) for p, v in zip(parameters, values, strict=True))
            case Call(parameters=parameters, values=values):
                yield from (_PointerFlow((name, p.base), name, v) for p, v in zip(parameters, values, strict=True))
            case Return(value=value, into=into) if into is not None:
                yield _PointerFlow(into, name, value)

    def grow(self) -> bool:
        """Once along all flows; is there anything new?"""
        changed = False
        for flow in self.flows:
            if value := self.flowing(flow):
                for key in self.variables(flow.into, flow.template):
                    new = self.held.get(key, NONE) | value
                    changed |= new != self.held.get(key, NONE)
                    self.held[key] = new
        deleted = self.deleted.union(*(self.of(e, name) for e, name in self.deletes))
        changed |= deleted != self.deleted
        self.deleted = deleted
        return changed

    def flowing(self, flow: _PointerFlow) -> Sites:
        if isinstance(flow.value, int):
            return frozenset({flow.value})
        return self.held.get(MESSAGES, NONE) if flow.value is None else self.of(flow.value, flow.template)

    def variables(self, into: Target | VariableKey, template: str) -> Iterator[VariableKey]:
        match into:
            case Place(variable):
                yield template if variable.is_local else "", variable.base
            case Field(pointer, _, variable):
                yield from ((site, variable.base) for site in self.of(pointer, template))
            case _:
                yield into

    # ---------------------------------------------------------------- the answer

    def of(self, e: Expr, template: str) -> Sites:
        """The objects that the value of an expression can name."""
        found = self.meant(e, template)
        # SOUND: where a place is used again, a pointer to what was there names what is there.
        again = {self.types[site] for site in found if self.is_recycled(site)}
        return found | {site for site, kind in self.types.items() if kind in again}

    def meant(self, e: Expr, template: str) -> Sites:
        match e:
            case Place() | Field():
                return NONE.union(*(self.held.get(h, NONE) for h in self.variables(e, template)))
            case Conditional(_, then, otherwise):
                return self.of(then, template) | self.of(otherwise, template)
            case RemoteRead(name, _, place):
                return self.held.get((name, place.variable.base), NONE)
        return NONE

    def is_recycled(self, site: Site) -> bool:
        """May a later object stand in the place of such a one, while pointers name it?"""
        return site in self.deleted and self.types[site] not in self.model.unaliased

    @property
    def recycled(self) -> frozenset[str]:
        """The types with such objects."""
        return frozenset(self.types[site] for site in self.types if self.is_recycled(site))


# ------------------------------------------------------------------------------------------------ who sees addresses


def never_compared(model: Model) -> frozenset[str]:
    """Types of objects of which no two pointers are ever compared, if only finite runs count.

    SOUND: for those it is enough if `new` takes a place that nobody names.  A run in which an object takes a place that
    dangling pointers name is the same, step by step, with the object in another place, until somebody follows or
    deletes such a pointer; then the other run is in error.  (A claim about infinite runs would miss what comes after.)
    """
    if model.claims:
        return frozenset()
    seen = {kind for e in all_expressions(model) for kind in _compared(e)}
    for template in model.templates:
        steps: Iterator[Step] = (a.step for a in _single_actions(template))
        seen |= {kind for s in steps if isinstance(s, Receive) for p in s.patterns for kind in _matched_pointer(p)}
    return frozenset(o.name for o in model.objects) - seen


def _compared(e: Expr) -> Iterator[str]:
    match e:
        case Binary(_, left, right):
            kinds = [kind for part in (left, right) if (kind := pointed_to(part))]
            yield from kinds if len(kinds) == 2 else ()
        case Poll(_, patterns):
            for pattern in patterns:
                yield from _matched_pointer(pattern)


def _matched_pointer(pattern: object) -> Iterator[str]:
    if isinstance(pattern, Match):
        yield from (kind for part in subexpressions(pattern.value) if (kind := pointed_to(part)))
