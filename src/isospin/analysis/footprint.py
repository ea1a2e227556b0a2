"""What an action touches: the basis for merging statements and for partial-order reduction.

Reference: Godefroid, Partial-Order Methods for the Verification of Concurrent Systems (LNCS 1032).
Differs: locals are kept apart from globals; a local variable or a label that somebody else looks at counts as shared.

A footprint may name too much, never too little.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields

from ..core.model import (
    Action,
    Allocate,
    AtLabel,
    Binary,
    Bounded,
    Chain,
    ChannelTest,
    ChannelType,
    Conditional,
    Delete,
    Deterministic,
    Else,
    Enabled,
    End,
    Expr,
    Field,
    Guard,
    LastPid,
    LocationOf,
    Model,
    NonProgress,
    Place,
    Poll,
    Priority,
    ProcessCount,
    Receive,
    RemoteRead,
    Return,
    Run,
    Send,
    SetPriority,
    Step,
    Template,
    Timeout,
    Transition,
)
from ..core.records import dataclass
from ..semantics.walk import atoms, children, evaluated, stored, stored_fields, subexpressions
from .ranges import Ranges

ANY = -1  # a channel that is not known before the model runs
Numbers = frozenset[int]
NONE: Numbers = frozenset()


@dataclass(frozen=True)
class Footprint:
    """Variables are named by their base in the global or local frame, channels by the variable that names them."""

    reads: Numbers = NONE
    writes: Numbers = NONE
    local_reads: Numbers = NONE
    local_writes: Numbers = NONE
    sends: Numbers = NONE
    receives: Numbers = NONE
    tests: Numbers = NONE
    creates: frozenset[str] = frozenset()
    heap_reads: frozenset[tuple[str, int]] = frozenset()  # fields of objects: the type of the pointer, and the base
    heap_writes: frozenset[tuple[str, int]] = frozenset()
    allocates: bool = False  # creates or deletes objects
    ends: bool = False
    exposed: bool = False  # others see it (a variable or label that they refer to) or can interrupt it
    everything: bool = False  # depends on what all others do
    blocks: bool = False  # is not always executable
    faults: bool = False  # may be an error of its own

    def __or__(self, other: Footprint) -> Footprint:
        return Footprint(*(getattr(self, f.name) | getattr(other, f.name) for f in fields(self)))

    @property
    def is_local(self) -> bool:
        """Nobody else can influence it or notice it."""
        shared = self.reads or self.writes or self.sends or self.receives or self.tests or self.creates
        # SOUND: any dereference depends on `delete`, also of a field that nobody writes.
        heap = self.heap_reads or self.heap_writes or self.allocates
        return not (shared or heap or self.ends or self.exposed or self.everything)


EMPTY = Footprint()
EVERYTHING = Footprint(everything=True)


@dataclass(frozen=True)
class _RemoteUse:
    """What others refer to: (template, base of a local variable) and (template, location)."""

    variables: frozenset[tuple[str, int]] = frozenset()
    locations: frozenset[tuple[str, int]] = frozenset()


# ------------------------------------------------------------------------------------------------ what a model looks at


def observers(model: Model) -> Iterator[Expr]:
    """Expressions outside of the processes' own steps: claims, monitors, provided clauses, the initial condition."""
    yield model.initially
    yield from (i.condition for i in model.invariants)
    for claim in model.claims:
        yield from () if claim.formula is None else atoms(claim.formula)
        for action in claim.template.actions if claim.template else ():
            yield from evaluated(action.step)
    for action in model.monitor.template.actions if model.monitor else ():
        yield from evaluated(action.step)
    yield from (t.provided for t in model.templates if t.provided is not None)


def all_expressions(model: Model) -> Iterator[Expr]:
    """Every expression of the model, with all its parts."""
    tops = list(observers(model))
    for template in model.templates:
        tops += [e for a in template.actions for e in evaluated(a.step)]
        tops += [e for v in template.locals for e in v.initial]
    tops += [e for v in model.globals for e in v.initial]
    for top in tops:
        yield from subexpressions(top)


def remotely_used(model: Model) -> _RemoteUse:
    """Local variables that others read, and locations that others, or claims, can tell."""
    variables, locations = set(), set()
    for e in all_expressions(model):
        if isinstance(e, RemoteRead):
            variables.add((e.template, e.place.variable.base))
        elif isinstance(e, AtLabel):
            location = model.template(e.template).label(e.label)
            locations |= set() if location is None else {(e.template, location)}
    for template in model.templates:
        # SOUND: claims about labels see who is at one, and who has left it.
        seen = {n for c in model.claims for n in _labels_of(template, c.kind)}
        locations |= {(template.name, n) for n in seen}
    return _RemoteUse(frozenset(variables), frozenset(locations))


def _labels_of(template: Template, kind: str) -> frozenset[int]:
    """The locations that a claim of this kind looks at."""
    if kind == "accept":
        return template.accept_locations
    return template.progress_locations if kind == "non-progress" else NONE


# ------------------------------------------------------------------------------------------------ faults


def deciding(e: Expr) -> Iterator[Expr]:
    """The parts of an expression on whose values it depends whether evaluating it faults."""
    match e:
        case Place(_, indices):
            yield from indices
        case Binary("/" | "%", left, right):
            yield right
            yield from deciding(left)
        case Bounded(value):
            yield value
        case Binary("&&" | "||", left, right):
            inner = list(deciding(right))  # once: it goes down into the whole tree
            yield from [left, *inner] if inner else deciding(left)
        case Conditional(condition, then, otherwise):
            inner = [*deciding(then), *deciding(otherwise)]
            yield from [condition, *inner] if inner else deciding(condition)
        case ChannelTest() | Poll() | Enabled() | LocationOf() | Priority() | AtLabel() | RemoteRead() | Field():
            yield e
        case _:
            for child in children(e):
                yield from deciding(child)


# ------------------------------------------------------------------------------------------------ footprints


class Footprints:
    """The footprints of one model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.remote = remotely_used(model)
        self.ranges = Ranges(model)
        self.fixed = self.fixed_channels()
        every = list(model.channels) + [c for t in model.templates for c in t.channels]
        self.has_rendezvous = any(c.type.capacity == 0 for c in every)

    def fixed_channels(self) -> dict[int, frozenset[ChannelType]]:
        """The global variables that name the same channels for ever, and what these are."""
        written = {
            p.variable.base for t in self.model.templates for a in t.actions for p in stored(a.step)
            if not p.variable.is_local
        }  # fmt: skip
        types = {c.offset: c.type for c in self.model.channels}
        slots = {v.base: range(v.base, v.base + v.size) for v in self.model.globals}
        return {
            base: frozenset(types[s] for s in span)
            for base, span in slots.items()
            if base not in written and all(s in types for s in span)
        }

    def channel(self, e: Expr) -> int:
        if isinstance(e, Place) and not e.variable.is_local and e.variable.base in self.fixed:
            return e.variable.base
        return ANY

    def may_be_rendezvous(self, channel: Expr) -> bool:
        name = self.channel(channel)
        return self.has_rendezvous if name == ANY else any(t.capacity == 0 for t in self.fixed[name])

    def carries(self, channel: Expr, count: int) -> bool:
        """Is it known that the channel exists and that a message has `count` fields?"""
        name = self.channel(channel)
        return name != ANY and all(len(t.fields) == count for t in self.fixed[name])

    # ---------------------------------------------------------------- expressions

    def expression(self, e: Expr, template: str = "") -> Footprint:
        """What evaluating an expression touches."""
        result = self.node(e, template)
        for child in children(e):
            result |= self.expression(child, template)
        return result

    def node(self, e: Expr, template: str) -> Footprint:
        """The footprint of one node of an expression, without what is inside of it."""
        match e:
            case Place(variable, indices):
                faults = bool(indices) and not self.ranges.fits(e, template)
                if not variable.is_local:
                    return Footprint(reads=frozenset({variable.base}), faults=faults)
                seen = (template, variable.base) in self.remote.variables
                return Footprint(local_reads=frozenset({variable.base}), faults=faults, exposed=seen)
            case Field():
                return Footprint(heap_reads=frozenset({_field_name(e)}), faults=True)
            case Bounded(value, least, most):
                low, high = self.ranges.bounds(value, template)
                return Footprint(faults=low < least or high > most)
            case Binary("/" | "%", _, right):
                low, high = self.ranges.bounds(right, template)
                return Footprint(faults=low <= 0 <= high)
            case ChannelTest(_, channel):
                return Footprint(tests=frozenset({self.channel(channel)}), faults=self.channel(channel) == ANY)
            case Poll(channel, patterns):
                sound = self.carries(channel, len(patterns)) and not self.may_be_rendezvous(channel)
                return Footprint(tests=frozenset({self.channel(channel)}), faults=not sound)
            case Timeout() | NonProgress() | ProcessCount() | LastPid() | LocationOf() | Priority() | AtLabel():
                return EVERYTHING
            case Enabled() | RemoteRead():
                return Footprint(everything=True, faults=True)
        return EMPTY

    def place(self, place: Place, template: str) -> Footprint:
        """What writing a place touches."""
        variable, faults = place.variable, not self.ranges.fits(place, template)
        result = EMPTY
        for index in place.indices:
            result |= self.expression(index, template)
        if not variable.is_local:
            return result | Footprint(writes=frozenset({variable.base}), faults=faults)
        seen = (template, variable.base) in self.remote.variables
        return result | Footprint(local_writes=frozenset({variable.base}), faults=faults, exposed=seen)

    # ---------------------------------------------------------------- steps

    def of(self, template: Template, action: Action) -> Footprint:
        """What an action touches, where it starts and where it arrives included."""
        result = self.step(template, action.step)
        if action.escape or any(a.escape for a in template.actions_from(action.source)):
            result |= Footprint(exposed=True, blocks=True)
        borders = {(template.name, action.source), (template.name, action.target)}
        if borders & self.remote.locations:
            result |= Footprint(exposed=True)
        if template.provided is not None or self.model.uses_priority:
            result |= Footprint(everything=True, blocks=True)
        return result

    def step(self, template: Template, step: Step) -> Footprint:
        name = template.name
        if isinstance(step, Chain):
            return _union(self.step(template, a.step) for a in step.actions)
        if isinstance(step, Deterministic):
            inner = [a for a in template.actions if a.source in step.inside]
            return _union(self.step(template, a.step) for a in inner) | Footprint(blocks=True, faults=True)
        result = _union(self.expression(e, name) for e in evaluated(step))
        result |= _union(self.place(p, name) for p in stored(step))
        fields = frozenset(map(_field_name, stored_fields(step)))
        result |= Footprint(heap_writes=fields, faults=bool(fields))
        return result | self.own(step)

    def own(self, step: Step) -> Footprint:
        """What a step touches beyond its expressions and places."""
        match step:
            case Guard() | Transition():
                return Footprint(blocks=True)
            case Else():
                return Footprint(blocks=True, everything=True)
            case Send(channel, values):
                ok = self.carries(channel, len(values))
                return Footprint(sends=frozenset({self.channel(channel)}), blocks=True, faults=not ok)
            case Receive(channel, patterns):
                ok = self.carries(channel, len(patterns))
                return Footprint(receives=frozenset({self.channel(channel)}), blocks=True, faults=not ok)
            case Run(started):
                return Footprint(creates=frozenset({started}), faults=True)
            case Allocate() | Delete():
                return Footprint(allocates=True, faults=True)
            case Return():
                return Footprint(blocks=True)  # there is one for each call, of which one is executable
            case SetPriority():
                return Footprint(everything=True, faults=True)
            case End():
                return Footprint(ends=True, blocks=True)
        return EMPTY


def _field_name(e: Field) -> tuple[str, int]:
    return e.kind, e.variable.base


def _union(footprints: Iterable[Footprint]) -> Footprint:
    result = EMPTY
    for f in footprints:
        result |= f
    return result


def footprint(model: Model, template: Template, action: Action) -> Footprint:
    """One footprint; use `Footprints` for many."""
    return Footprints(model).of(template, action)
