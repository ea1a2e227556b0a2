"""Inactive variables: what belongs to a process and will not be read before it is written again becomes 0.

Reference: Wang et al., BDD-Based Safety-Analysis of Concurrent Software with Pointer Data Structures (TSE 2004), 6.1:
an over-approximation of "active" by a fixpoint; a pointer is read by every chain that goes through it.
Differs: here a condition speaks of the mode of the owner alone, and what others may read through pointers is always
active; `activity.py` and `forget.py` say more, on top of this.
A value that is stored through a pointer into a variable that is not active there is stored as 0, so that the
invariant of the pass holds in every state: a variable that is not active is 0 (until its owner moves first, for
variables that start with several values).

It works on `owned` globals, which have an element for each process.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ..analysis.footprint import deciding, observers
from ..core.model import (
    Action,
    Assign,
    AtLabel,
    Binary,
    Bounded,
    Conditional,
    Const,
    Expr,
    Guard,
    Model,
    Place,
    Self,
    Step,
    Template,
    Transition,
    Variable,
)
from ..semantics.walk import evaluated, stored, subexpressions
from .merge import reachable

Bases = frozenset[int]
OWN = (Self(),)


def _owned_places(es: Iterable[Expr]) -> Iterator[Place]:
    return (p for e in es for p in subexpressions(e) if isinstance(p, Place) and p.variable.owned)


def _own_reads(es: Iterable[Expr]) -> Bases:
    """What a process reads of its own variables, by name."""
    return frozenset(p.variable.base for p in _owned_places(es) if p.indices == OWN)


def _never(action: Action) -> bool:
    return isinstance(action.step, Guard) and action.step.condition == Const(0)


def eliminate(model: Model) -> Model:
    """The same model, in which variables that are not active are 0."""
    if not any(v.owned for v in model.globals):
        return model
    activity = ActiveModes(model)
    templates = tuple(activity.rewritten(t) for t in model.templates)
    return replace(model, templates=templates, globals=tuple(map(activity.started, model.globals)))


class ActiveModes:
    """Which owned variables are active at each location of each template."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.always = self.seen_by_others()
        self.active = {t.name: self.solve(t) for t in model.templates}
        actions = [a for t in model.templates for a in reachable(t, list(t.actions))]
        self.written = {p.variable.base for a in actions for p in stored(a.step)}
        self.fixed = frozenset(p.variable.base for p in _owned_places([model.initially]))

    def seen_by_others(self) -> Bases:
        """SOUND: a property, and whoever comes through a pointer, may read a variable in any mode of its owner."""
        watching = [e for e in observers(self.model) if e is not self.model.initially]
        found = {p.variable.base for p in _owned_places(watching)}
        for template in self.model.templates:
            for action in template.actions:
                places = () if _never(action) else _owned_places(evaluated(action.step))
                found |= {p.variable.base for p in places if p.indices != OWN}
        return frozenset(found)

    # ---------------------------------------------------------------- the fixpoint

    def solve(self, template: Template) -> dict[int, Bases]:
        """What is active at each location, from the steps behind it backwards."""
        active: dict[int, Bases] = {}
        for action in template.actions:
            active[action.source] = active[action.target] = self.always
        changed = True
        while changed:
            changed = False
            for action in reversed(template.actions):
                before = active[action.source] | self.before(action.step, active[action.target])
                if before != active[action.source]:
                    active[action.source], changed = before, True
        return active

    def before(self, step: Step, after: Bases) -> Bases:
        """What is active before a step, if this is active after it."""
        if not isinstance(step, Transition):
            return after | _own_reads(evaluated(step))
        for assign in reversed(step.assigns):
            after = self.before_assignment(assign, after)
        return after | _own_reads([step.guard])

    def before_assignment(self, assign: Assign, after: Bases) -> Bases:
        place = assign.place
        if not place.variable.owned or place.indices != OWN:
            # SOUND: through a pointer, somebody else's variable may be written: nothing is overwritten for sure.
            return after | _own_reads(evaluated(assign))
        if place.variable.base not in after:  # nobody needs the value; but whether it faults still matters
            return after | _own_reads(deciding(assign.value))
        return (after - {place.variable.base}) | self.always | _own_reads(evaluated(assign))

    # ---------------------------------------------------------------- the model without them

    def started(self, variable: Variable) -> Variable:
        """An initial value that nobody reads is 0; one of which `initially` speaks stays."""
        entries = [self.active[t.name][t.entry] for t in self.model.templates if self.is_run(t)]
        needed = any(variable.base in active for active in entries)
        if not variable.owned or needed or variable.base in self.fixed:
            return variable
        return replace(variable, choices=(), initial=())

    def is_run(self, template: Template) -> bool:
        return any(i.template == template.name for i in self.model.instances)

    def rewritten(self, template: Template) -> Template:
        return replace(template, actions=tuple(self.action(template, a) for a in template.actions))

    def action(self, template: Template, action: Action) -> Action:
        if not isinstance(action.step, Transition):
            return action
        active = self.active[template.name]
        after, assigns = active[action.target], list[Assign]()
        for assign in reversed(action.step.assigns):
            assigns.insert(0, self.stored(assign, after))
            after = self.before_assignment(assign, after)
        step = Transition(action.step.guard, tuple(assigns))
        return replace(action, step=step, clears=tuple(self.cleared(template, action)))

    def cleared(self, template: Template, action: Action) -> Iterator[Variable]:
        """SOUND: not active at the target, and possibly not 0: active at the source, written on the way, or set at the
        start."""
        active = self.active[template.name]
        suspects = active[action.source] | {p.variable.base for p in stored(action.step)}
        for variable in self.model.globals:
            suspect = variable.base in suspects or action.source == template.entry
            # A variable that nobody writes costs nothing.
            if variable.owned and variable.base in self.written and suspect:
                if variable.base not in active[action.target]:
                    yield variable

    def stored(self, assign: Assign, after: Bases) -> Assign:
        """An assignment through a pointer keeps the value only where its owner needs it."""
        variable, indices = assign.place.variable, assign.place.indices
        if not variable.owned or indices == OWN or variable.base in self.always:
            return assign
        owner = pointer_in(indices[0])
        wanted = self.wanted(variable, owner)
        if variable.base in after:  # SOUND: the owner may be the process itself, which arrives somewhere else
            wanted.append(Binary("==", owner, Self()))
        needed: Expr = Const(0)
        for condition in reversed(wanted):
            needed = condition if needed == Const(0) else Binary("||", condition, needed)
        nothing: Expr = Const(0)
        if may_fault(assign.value):
            nothing = Conditional(assign.value, Const(0), Const(0))  # SOUND: evaluated all the same
        return replace(assign, value=Conditional(needed, assign.value, nothing))

    def wanted(self, variable: Variable, owner: Expr) -> list[Expr]:
        """The owner is in a mode in which the variable is active."""
        return [
            AtLabel(t.name, owner, label)
            for t in self.model.templates
            for label, location in t.labels
            if variable.base in self.active[t.name].get(location, self.always)
        ]


def pointer_in(e: Expr) -> Expr:
    """The pointer that is dereferenced; the store itself sees whether it is NULL."""
    return e.value if isinstance(e, Bounded) and e.kind == "null-dereference" else e


def may_fault(e: Expr) -> bool:
    return any(map(is_risky, subexpressions(e)))


def is_risky(e: Expr) -> bool:
    """May the expression fault by itself, whatever is in it?"""
    return isinstance(e, Bounded) or (isinstance(e, Binary) and e.op in ("/", "%"))
