"""What does not matter any more where a process arrives becomes 0: by conditions, not only by modes.

Reference: Wang et al., BDD-Based Safety-Analysis of Concurrent Software with Pointer Data Structures (TSE 2004), 6.1.
Differs: in the model, so for all engines; `activity.py` finds the conditions.  A process forgets when it makes a step
itself.  To ask whether others name it costs something in each step, so a variable is asked about only if a few runs
forget it at least once: what is never forgotten costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from random import Random

from ..core.model import (
    A_PROCESS,
    Action,
    Assign,
    Binary,
    Conditional,
    Const,
    Expr,
    Model,
    Place,
    Self,
    Template,
    Transition,
    Variable,
)
from ..semantics.interp import Interpreter
from ..semantics.state import State, World
from ..semantics.walk import stored, subexpressions
from .activity import (
    ALWAYS,
    GLOBAL,
    IN,
    ME,
    NEVER,
    NULL,
    OTHER,
    POINTER,
    Activity,
    Cubes,
    Part,
    Values,
    can_be_asked,
    order,
)

RUNS, STEPS = 4, 60  # that are tried
ME_NULL = ((ME, Self()), (NULL, Const(0, "NULL")))


def forget(model: Model) -> Model:
    """The same model, in which processes forget what does not matter."""
    if not can_be_asked(model):
        return model
    return _Forgetting(model).whole()


class _Forgetting:
    """Adds to each step what is forgotten behind it."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.active = Activity(model).active
        written = {p.variable.base for t in model.templates for a in t.actions for p in stored(a.step)}
        # A variable that nobody writes costs nothing.
        self.variables = [v for v in model.globals if v.owned and v.base in written]
        self.variable = {v.base: v for v in model.globals}
        run = {i.template for i in model.instances}
        self.entries = [(t.name, t.entry) for t in model.templates if t.name in run]
        self.asked_at_start = {p.variable.base for p in subexpressions(model.initially) if isinstance(p, Place)}
        self.used = frozenset(self.tried())

    def asked(self, template: str, location: int) -> Iterator[tuple[Variable, Cubes]]:
        """The variables that matter here only sometimes; 0 must be one of their usual values."""
        for x in (x for x in self.variables if not x.initial):
            cubes = self.active[x.base][template, location]
            if cubes not in (ALWAYS, NEVER):
                yield x, cubes

    # ---------------------------------------------------------------- the model

    def whole(self) -> Model:
        """The model with all of its steps."""
        templates = (replace(t, actions=tuple(self.step(t, a) for a in t.actions)) for t in self.model.templates)
        return replace(self.model, templates=tuple(templates), globals=tuple(map(self.started, self.model.globals)))

    def started(self, variable: Variable) -> Variable:
        """An initial value that never matters is 0; one of which `initially` speaks stays."""
        if variable not in self.variables or variable.base in self.asked_at_start:
            return variable
        matters = (self.active[variable.base][place] != NEVER for place in self.entries)
        return variable if any(matters) else replace(variable, choices=(), initial=())

    def step(self, template: Template, action: Action) -> Action:
        """SOUND: one after the other, since what is forgotten first may be what the next condition looks at."""
        if not isinstance(action.step, Transition):
            return action
        assigns = list(action.step.assigns)
        for x, cubes in self.asked(template.name, action.target):
            if x not in action.clears and (template.name, x.base) in self.used:
                place = Place(x, (Self(),))
                kept = Conditional(self.condition(cubes, action.clears), place, Const(0))
                assigns.append(Assign(place, kept))
        return replace(action, step=replace(action.step, assigns=tuple(assigns)), clears=self.cleared(template, action))

    def cleared(self, template: Template, action: Action) -> tuple[Variable, ...]:
        """What never matters where the step leads, and may be there: it mattered before, was written, or set first."""
        bases = {p.variable.base for p in stored(action.step)}
        found = list(action.clears)
        for x in self.variables:
            active = self.active[x.base]
            suspect = active[template.name, action.source] != NEVER or x.base in bases
            if (suspect or action.source == template.entry) and active[template.name, action.target] == NEVER:
                found += [x] if x not in found else []
        return tuple(found)

    # ---------------------------------------------------------------- conditions

    def condition(self, cubes: Cubes, cleared: tuple[Variable, ...] = ()) -> Expr:
        """One of the cubes is true; what is cleared behind the step counts as 0."""
        bases = {v.base for v in cleared}
        found = []
        for cube in sorted(cubes, key=order):
            parts = [self.part(part, values, part[1] in bases) for part, values in sorted(cube, key=_first)]
            found.append(_joined("&&", parts, Const(1)))
        return _joined("||", found, Const(0))

    def part(self, part: Part, values: Values, cleared: bool) -> Expr:
        """A part of the state, as P sees it, has one of the values."""
        kind, base, every = part
        if kind == IN:
            return self.named(self.variable[base])
        if kind != GLOBAL and cleared:
            return Const(int((NULL if every == POINTER else 0) in values))
        place = Place(self.variable[base], () if kind == GLOBAL else (Self(),))
        if every != POINTER:
            numbers = sorted(v for v in values if isinstance(v, int))
            return _joined("||", [Binary("==", place, Const(n)) for n in numbers], Const(0))
        if OTHER in values:
            return _joined("&&", [Binary("!=", place, e) for v, e in ME_NULL if v not in values], Const(1))
        return _joined("||", [Binary("==", place, e) for v, e in ME_NULL if v in values], Const(0))

    def named(self, pointer: Variable) -> Expr:
        """Another process names P by this pointer."""
        found: list[Expr] = []
        for pid in range(1, pointer.size):
            other = Const(pid, A_PROCESS)
            names = Binary("==", Place(pointer, (other,)), Self())
            found.append(Binary("&&", Binary("!=", other, Self()), names))
        return _joined("||", found, Const(0))

    # ---------------------------------------------------------------- a few runs

    def tried(self) -> Iterator[tuple[str, int]]:
        """The variables that a few runs forget somewhere."""
        places = {(t.name, a.target) for t in self.model.templates for a in t.actions}
        if not any(True for place in places for _ in self.asked(*place)):
            return
        interpreter = Interpreter(self.model)
        conditions = {
            place: [(x, interpreter.value(self.condition(c))) for x, c in self.asked(*place)] for place in places
        }
        names = [t.name for t in self.model.templates]
        for state, pid in self.runs(interpreter):
            process = state.processes[pid]
            world = World(state, pid)
            for x, matters in conditions[names[process.template], process.location]:
                if state.values[x.base + pid] and not matters(world):
                    yield names[process.template], x.base

    def runs(self, interpreter: Interpreter) -> Iterator[tuple[State, int]]:
        """States, and who has just come there."""
        first = next(interpreter.initial_states(), None)
        for seed in range(RUNS if first is not None else 0):
            random, state = Random(seed), first
            for _ in range(STEPS):
                options = [taken for taken in interpreter.steps(state) if taken.state is not None] if state else []
                if not options:
                    break
                taken = random.choice(options)
                state = taken.state
                if state is not None:
                    yield state, taken.pid


def _joined(op: str, parts: list[Expr], neutral: Const) -> Expr:
    """All of them by one operator, without those that say nothing."""
    absorbing = Const(1 - neutral.value)
    if absorbing in parts:
        return absorbing
    kept = [part for part in parts if part != neutral]
    return reduce(lambda a, b: Binary(op, a, b), kept) if kept else neutral


def _first(item: tuple[Part, Values]) -> tuple[str, int]:
    """By the kind of a part, and its variable."""
    return item[0][0], item[0][1]
