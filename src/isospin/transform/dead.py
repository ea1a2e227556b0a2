"""Dead variables: locals that will not be read become 0, globals that nobody reads are hidden.

Reference: Aho, Sethi, Ullman, Compilers, 10.6 (live variables); SPIN 6.5, whose default `Flavour.SPIN` imitates.
Differs: SPIN resets a scalar at the statement that wrote it, received it or tested it last.  `Flavour.FULL` clears
every dead local, arrays and fields too, and knows faint variables: those that only flow into dead ones.

Invariant of `FULL`: at every location, a variable that is dead there is 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import Enum

from ..analysis.footprint import Footprints, deciding, observers
from ..core.model import (
    Action,
    Assign,
    Call,
    Chain,
    Const,
    Deterministic,
    End,
    Expr,
    Guard,
    Model,
    Place,
    Print,
    Receive,
    Return,
    Run,
    Skip,
    Sort,
    Step,
    Template,
    Variable,
    is_pointer,
)
from ..semantics.walk import evaluated, finding, stored, stored_fields, subexpressions

Bases = frozenset[int]


class _Flavour(Enum):
    """How much is done: what SPIN does, or all that is right."""

    SPIN = "spin"
    FULL = "full"


def _locals_read(es: Iterable[Expr]) -> set[int]:
    return {p.variable.base for e in es for p in subexpressions(e) if isinstance(p, Place) and p.variable.is_local}


def _globals_read(es: Iterable[Expr]) -> set[int]:
    return {p.variable.base for e in es for p in subexpressions(e) if isinstance(p, Place) and not p.variable.is_local}


def _fault_deciding(step: Step) -> Iterator[Expr]:
    """SOUND: of a step whose result nobody sees, what decides whether it faults still matters."""
    for e in evaluated(step):
        yield from deciding(e)
    for place in stored(step):
        yield from place.indices
    yield from stored_fields(step)


def _killed_by(step: Step) -> set[int]:
    """The scalars that a step overwrites."""
    return {p.variable.base for p in stored(step) if p.variable.is_local and not p.variable.shape}


class _LiveLocals:
    """Which locals of a template may still be read from each location."""

    def __init__(self, prints: Footprints, template: Template, hidden: Bases, flavour: _Flavour) -> None:
        self.prints, self.template, self.hidden, self.flavour = prints, template, hidden, flavour
        # SOUND: what others read through remote references is never dead.
        seen = {base for name, base in prints.remote.variables if name == template.name}
        self.always = frozenset(seen | _locals_read([template.provided] if template.provided else []))
        self.live = self.solve()

    def solve(self) -> dict[int, Bases]:
        sources = {a.source for a in self.template.actions}
        live: dict[int, Bases] = dict.fromkeys(sources | {a.target for a in self.template.actions}, self.always)
        changed = True
        while changed:
            changed = False
            for action in reversed(self.template.actions):
                before = live[action.source] | self.before(action, live)
                if before != live[action.source]:
                    live[action.source], changed = before, True
        return live

    def before(self, action: Action, live: dict[int, Bases]) -> Bases:
        """What must be live before the action, for what is live after it."""
        step, after = action.step, live[action.target]
        if isinstance(step, Deterministic):
            return live.get(step.entry, self.always) | self.always
        if isinstance(step, Guard) and step.condition == Const(0):
            return self.always  # never executable
        if isinstance(step, End):
            return self.always
        if isinstance(step, Call):
            # SOUND: what the function's variables were comes back behind the call.
            mine = {v.base for v in step.variables}
            later = live.get(step.after, self.always) | _locals_read(() if step.into is None else finding(step.into))
            kept = (after - mine) | (later & mine)
            return kept | frozenset(_locals_read(evaluated(step))) | self.always
        if isinstance(step, Return):
            restored = {v.base for v in step.variables} | _killed_by(step)
            read = _locals_read([step.value]) | self.found_later(step)
            return (after - restored) | read | self.always
        if isinstance(step, Chain) and not any(isinstance(part.step, Call | Return) for part in step.actions):
            for part in reversed(step.actions):  # what the chain itself writes first is not read from before it
                after = self.plainly_before(part.step, after)
            return after
        return self.plainly_before(step, after)

    def plainly_before(self, step: Step, after: Bases) -> Bases:
        """The same for one plain step."""
        return (after - _killed_by(step)) | self.reads(step, after) | self.always

    @staticmethod
    def found_later(step: Return) -> set[int]:
        """What finds the place of the result is read behind the call: by then the caller's variables are back."""
        mine = {v.base for v in step.variables}
        return set() if step.into is None else _locals_read(finding(step.into)) - mine

    def reads(self, step: Step, after: Bases) -> Bases:
        if self.flavour is _Flavour.FULL and self.is_faint(step, after):
            return frozenset(_locals_read(_fault_deciding(step)))
        return frozenset(_locals_read(evaluated(step)))

    def is_faint(self, step: Step, after: Bases) -> bool:
        """Does the step compute only what nobody looks at?"""
        if isinstance(step, Print):
            return True  # what is printed comes from replaying the path on the original model
        if not isinstance(step, Assign):
            return False
        variable = step.place.variable
        return variable.base not in (after if variable.is_local else self.observed)

    @property
    def observed(self) -> Bases:
        return frozenset(v.base for v in self.prints.model.globals) - self.hidden


# ------------------------------------------------------------------------------------------------ SPIN's resets


def spin_resets(prints: Footprints, template: Template) -> dict[int, Bases]:
    """For each action id the scalars that SPIN sets to 0 after it."""
    if prints.remote.variables:
        return {}  # SPIN gives up, in all processes
    live = _LiveLocals(prints, template, frozenset(), _Flavour.SPIN).live
    fit = [v for v in template.locals if not v.shape and len(v.parts) == 1 and v.type.sort is not Sort.CHANNEL]
    scalars = {v.base for v in fit if not _keeps_alive(prints.model, v)}
    inner = inside_d_steps(template)
    resets = {}
    for action in template.actions:
        if action.source not in inner:
            used = _spin_candidates(action.step) & scalars
            resets[action.id] = frozenset(used - live[action.target])
    return resets


def _spin_candidates(step: Step) -> set[int]:
    """SPIN looks at what a statement writes, and at what a condition or a receive reads."""
    written = {p.variable.base for p in stored(step) if p.variable.is_local and not p.variable.shape}
    if isinstance(step, Guard | Receive | Skip) or (isinstance(step, Run) and step.into is None):
        written |= _locals_read(evaluated(step))
    return written


def _keeps_alive(model: Model, variable: Variable) -> bool:
    """SOUND: whether an object is lost depends on all pointers, also on those that nobody will use."""
    return model.watch_leaks and is_pointer(variable.type)


def inside_d_steps(template: Template) -> set[int]:
    return {n for a in template.actions if isinstance(a.step, Deterministic) for n in a.step.inside}


# ------------------------------------------------------------------------------------------------ the full flavour


class Clearing:
    """What to clear after each action so that dead locals are 0 everywhere."""

    def __init__(self, prints: Footprints, template: Template, hidden: Bases) -> None:
        self.template = template
        self.live = _LiveLocals(prints, template, hidden, _Flavour.FULL).live
        created = {c.offset for c in template.channels}
        # SOUND: a local that owns its channels keeps their names, dead or not: symmetry needs to find them.
        self.clearable = [
            v for v in template.locals
            if not created & set(range(v.base, v.base + v.size)) and not _keeps_alive(prints.model, v)
        ]  # fmt: skip
        parameters = {v.base for v in template.parameters}
        self.started = {v.base for v in template.locals if v.initial or v.base in parameters}

    def at_start(self) -> tuple[Variable, ...]:
        """The locals, without initial values that nobody reads: they would tell who has moved from who has not."""
        parameters = {v.base for v in self.template.parameters}

        def needed(v: Variable) -> bool:
            # SOUND: an initial value that is computed may fault.
            plain = v in self.clearable and all(isinstance(e, Const) for e in v.initial)
            return v.base in parameters or not plain or v.base in self.live.get(self.template.entry, frozenset())

        return tuple(v if needed(v) else replace(v, initial=()) for v in self.template.locals)

    def after(self, action: Action) -> tuple[Variable, ...]:
        # SOUND: dead at the target, and possibly not 0: live at the source, written on the way, or set at the start.
        if isinstance(action.step, End):
            return ()
        suspects = self.live[action.source] | self.written(action.step)
        suspects |= self.started if action.source == self.template.entry else set()
        dead = suspects - self.live[action.target]
        return tuple(v for v in self.clearable if v.base in dead)

    def saving(self, step: Step) -> Step:
        """The step, saving only what is needed behind a call."""
        if isinstance(step, Chain):
            first = replace(step.actions[0], step=self.saving(step.actions[0].step))
            return Chain((first, *step.actions[1:])) if isinstance(first.step, Call) else step
        if not isinstance(step, Call):
            return step
        needed = self.live[step.after] | _locals_read(() if step.into is None else finding(step.into))
        return replace(step, forgets=tuple(v for v in self.clearable if v in step.variables and v.base not in needed))

    def written(self, step: Step) -> set[int]:
        if isinstance(step, Deterministic):
            inner = [a.step for a in self.template.actions if a.source in step.inside]
            return {base for s in inner for base in self.written(s)}
        return {p.variable.base for p in stored(step) if p.variable.is_local}


# ------------------------------------------------------------------------------------------------ globals


def spin_hidden(model: Model) -> Bases:
    """The scalar and array globals that SPIN takes for write-only: read nowhere, except by printf, ++ and --."""
    read: set[int] = _globals_read(_outside(model))
    for action in (a for t in model.templates for a in t.actions):
        step = action.step
        if isinstance(step, Assign) and action.text.endswith(("++", "--")):
            read |= _globals_read(step.place.indices)
        elif not isinstance(step, Print):
            read |= _globals_read(evaluated(step))
        if isinstance(step, Receive):
            read |= {p.variable.base for p in stored(step) if not p.variable.is_local}
    simple = [v for v in model.globals if len(v.parts) == 1 and v.type.sort is not Sort.CHANNEL]
    return frozenset(v.base for v in simple if v.base not in read and not _keeps_alive(model, v))


def full_hidden(model: Model) -> Bases:
    """The globals that cannot influence anything: they flow only into each other and into what is printed."""
    read = _globals_read(_outside(model))
    flows: list[tuple[int, set[int]]] = []
    for step in (a.step for t in model.templates for a in t.actions):
        read |= _globals_read(_fault_deciding(step))
        if isinstance(step, Assign) and not step.place.variable.is_local:
            flows.append((step.place.variable.base, _globals_read([step.value])))
        elif not isinstance(step, Print):
            read |= _globals_read(evaluated(step))
    while any(target in read and not sources <= read for target, sources in flows):
        read |= {s for target, sources in flows if target in read for s in sources}
    created = {c.offset for c in model.channels}
    return frozenset(
        v.base for v in model.globals
        if v.base not in read and not created & set(range(v.base, v.base + v.size)) and not _keeps_alive(model, v)
    )  # fmt: skip


def _outside(model: Model) -> Iterator[Expr]:
    """Expressions that are no part of a step."""
    yield from observers(model)
    for variable in [*model.globals, *(v for t in model.templates for v in t.locals)]:
        yield from variable.initial
