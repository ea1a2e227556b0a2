"""Which channels an expression can mean: the basis for telling senders and receivers apart.

Reference: Andersen, Program Analysis and Specialization for the C Programming Language (1994), chapter 4.
Differs: one set for each variable and one for everything that travels in messages: models hold few channels.  A model
that computes with the numbers of channels gets no answer but "any".

A set may name too many channels, never too few.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..model import (
    Assign,
    Bind,
    Call,
    Chain,
    ChannelType,
    Const,
    Expr,
    Model,
    Pattern,
    Place,
    Receive,
    Return,
    Run,
    Send,
    Sort,
    Step,
    Variable,
)
from .walk import slot_of


class Queue(NamedTuple):
    """A channel as it stands in the text: a slot of the globals, or of the locals of a template (one each process)."""

    template: str  # "": a global one
    slot: int


class Parameter(NamedTuple):
    """The channel that a local variable of a process names from its birth to its end: each process knows its own."""

    template: str
    slot: int


Queues = frozenset[Queue]
Holder = tuple[str, int]  # a variable: template ("": global) and base
NONE: Queues = frozenset()
MESSAGES: Holder = ("", -1)  # everything that is sent


class Flow(NamedTuple):
    """A value goes into a variable or a message.  `value` is None if it comes out of a message."""

    into: Holder
    expected: bool  # what receives it is declared as a channel
    template: str
    value: Expr | None
    later: bool = True  # not when the variable comes into being


class ChannelValues:
    def __init__(self, model: Model) -> None:
        self.model = model
        self.types = dict(self.declared())
        self.everything: Queues = frozenset(self.types)
        flows = list(self.flows())
        self.written = {f.into for f in flows}
        self.changed = {f.into for f in flows if f.later}
        self.created = {(q.template, q.slot) for q in self.types}
        self.held = self.at_start()
        # SOUND: a number that becomes a channel, or the other way round, can be any channel.
        self.vague = any(self.is_vague(f) for f in flows)
        self.solve(flows)

    def declared(self) -> Iterator[tuple[Queue, ChannelType]]:
        yield from ((Queue("", c.offset), c.type) for c in self.model.channels)
        yield from ((Queue(t.name, c.offset), c.type) for t in self.model.templates for c in t.channels)

    def at_start(self) -> dict[Holder, Queues]:
        return {
            (template, v.base): frozenset(
                q for slot in range(v.base, v.base + v.size) if (q := Queue(template, slot)) in self.types
            )
            for template, v in self.variables()
        }

    def variables(self) -> Iterator[tuple[str, Variable]]:
        yield from (("", v) for v in self.model.globals)
        yield from ((t.name, v) for t in self.model.templates for v in t.locals)

    # ---------------------------------------------------------------- where values go

    def flows(self) -> Iterator[Flow]:
        for name, variable in self.variables():
            for e in variable.initial:
                yield Flow((name, variable.base), is_channel(variable), name, e)
        for instance in self.model.instances:
            for parameter, value in zip(
                self.model.template(instance.template).parameters, instance.values, strict=False
            ):
                yield Flow((instance.template, parameter.base), is_channel(parameter), "", Const(value), later=False)
        for template in self.model.templates:
            for action in template.actions:
                for part in action.step.actions if isinstance(action.step, Chain) else (action,):
                    yield from self.flow(template.name, part.step)

    def flow(self, name: str, step: Step) -> Iterator[Flow]:
        match step:
            case Assign(place, value):
                yield Flow(holder(place, name), is_channel(place.variable), name, value)
            case Send(_, values):
                for i, value in enumerate(values):
                    yield from (Flow(MESSAGES, expected, name, value) for expected in self.fields(len(values), i))
            case Receive(_, patterns):
                yield from self.received(name, patterns)
            case Run(started, values):
                for p, value in zip(self.model.template(started).parameters, values, strict=True):
                    yield Flow((started, p.base), is_channel(p), name, value, later=False)
            case Call(parameters=parameters, values=values):
                for p, value in zip(parameters, values, strict=True):
                    yield Flow((name, p.base), is_channel(p), name, value)
            case Return(value=value, into=Place() as place):
                yield Flow(holder(place, name), is_channel(place.variable), name, value)

    def received(self, name: str, patterns: tuple[Pattern, ...]) -> Iterator[Flow]:
        for i, pattern in enumerate(patterns):
            if isinstance(pattern, Bind) and isinstance(pattern.place, Place):
                expected = is_channel(pattern.place.variable)
                if self.fields(len(patterns), i) == {expected}:
                    yield Flow(holder(pattern.place, name), expected, name, None)
                else:  # a number as a channel, or a channel as a number
                    yield Flow(holder(pattern.place, name), True, name, Const(1))

    def fields(self, count: int, i: int) -> set[bool]:
        """Is field i of messages with so many fields a channel?"""
        return {t.fields[i].sort is Sort.CHANNEL for t in self.types.values() if len(t.fields) == count}

    def is_vague(self, flow: Flow) -> bool:
        if flow.value is None or (isinstance(flow.value, Const) and flow.value.value == 0):
            return False
        return flow.expected != (isinstance(flow.value, Place) and is_channel(flow.value.variable))

    def solve(self, flows: list[Flow]) -> None:
        changed = True
        while changed:
            changed = False
            for flow in flows:
                value = self.held.get(MESSAGES, NONE) if flow.value is None else self.meant(flow.value, flow.template)
                new = self.held.get(flow.into, NONE) | value
                if new != self.held.get(flow.into, NONE):
                    self.held[flow.into], changed = new, True

    # ---------------------------------------------------------------- the answer

    def of(self, e: Expr, template: str) -> Queues:
        """The channels that an expression can mean when it is used as one."""
        if self.vague or not (isinstance(e, Place) and is_channel(e.variable)):
            return self.everything
        return self.meant(e, template)

    def named(self, e: Expr, template: str) -> Queues | frozenset[Parameter]:
        """The same; if it is the same channel for all of a process's life, the variable stands for it."""
        if not self.vague and isinstance(e, Place) and e.variable.is_local and not e.variable.shape:
            own = (template, e.variable.base)
            if is_channel(e.variable) and own not in self.changed and own not in self.created:
                return frozenset({Parameter(*own)})
        return self.of(e, template)

    def channels_of(self, parameter: Parameter) -> Queues:
        return self.held.get((parameter.template, parameter.slot), NONE)

    def meant(self, e: Expr, template: str) -> Queues:
        if not isinstance(e, Place) or not is_channel(e.variable):
            return NONE
        own = holder(e, template)
        queue = Queue(own[0], slot) if (slot := slot_of(e)) is not None else None
        if own not in self.written and queue in self.types and queue is not None:
            return frozenset({queue})
        return self.held.get(own, NONE)


def is_channel(variable: Variable) -> bool:
    return variable.type.sort is Sort.CHANNEL


def holder(place: Place, template: str) -> Holder:
    return (template if place.variable.is_local else "", place.variable.base)
