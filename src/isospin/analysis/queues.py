"""Which channels an expression can mean: the basis for telling senders and receivers apart.

Reference: Andersen, Program Analysis and Specialization for the C Programming Language (1994), chapter 4.
Differs: one set for each variable and one for everything that travels in messages: models hold few channels.  A model
that computes with the numbers of channels gets no answer but "any".

A channel goes with the process that made it, and its number is given to the next one.  Whoever got it from that process
itself, when it was started, ends before it; but what was sent or is in a global variable may outlast it.  Such a name
may stand for any channel that a process makes later.

A set may name too many channels, never too few.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from ..core.model import (
    Assign,
    Bind,
    Call,
    ChannelType,
    Const,
    Expr,
    Model,
    Place,
    Receive,
    Return,
    Run,
    Send,
    Sort,
    Step,
    Transition,
    Variable,
)
from ..semantics.walk import parts_of, slot_of


class ChannelText(NamedTuple):
    """A channel as it stands in the text: a slot of the globals, or of the locals of a template (one each process)."""

    template: str  # "": a global one
    slot: int


class Parameter(NamedTuple):
    """The channel that a local variable of a process names from its birth to its end: each process knows its own."""

    template: str
    slot: int


Queues = frozenset[ChannelText]
VariableKey = tuple[str, int]  # a variable: template ("": global) and base
NONE: Queues = frozenset()
MESSAGES: VariableKey = ("", -1)  # everything that is sent


class _ChannelFlow(NamedTuple):
    """A value goes into a variable or a message.  `value` is None if it comes out of a message."""

    into: VariableKey
    template: str
    value: Expr | None
    expected: bool | None = None  # what receives it is declared as a channel; None: that depends on the message
    later: bool = True  # not when the variable comes into being


class ChannelValues:
    """Which channels each variable of a model can name."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.types = dict(self.declared())
        self.everything: Queues = frozenset(self.types)
        flows = list(self.flows())
        self.written = {f.into for f in flows}
        self.changed = {f.into for f in flows if f.later}
        self.created = {(q.template, q.slot) for q in self.types}
        self.held = self.at_start()
        self.vague = False
        self.solve(flows)
        while self.reuse():
            self.solve(flows)
        # SOUND: a number that becomes a channel, or the other way round, can be any channel.  Up to the first step that
        # does so the sets are right, so they tell which steps can.
        self.vague = any(map(self.is_vague, flows)) or any(self.is_mixed(name, step) for name, step in self.steps())

    def declared(self) -> Iterator[tuple[ChannelText, ChannelType]]:
        yield from ((ChannelText("", c.offset), c.type) for c in self.model.channels)
        yield from ((ChannelText(t.name, c.offset), c.type) for t in self.model.templates for c in t.channels)

    def at_start(self) -> dict[VariableKey, Queues]:
        return {
            (template, v.base): frozenset(
                q for slot in range(v.base, v.base + v.size) if (q := ChannelText(template, slot)) in self.types
            )
            for template, v in self.variables()
        }

    def variables(self) -> Iterator[tuple[str, Variable]]:
        yield from (("", v) for v in self.model.globals)
        yield from ((t.name, v) for t in self.model.templates for v in t.locals)

    def steps(self) -> Iterator[tuple[str, Step]]:
        return ((t.name, s) for t in self.model.templates for a in t.actions for s in parts_of(a.step))

    # ---------------------------------------------------------------- where values go

    def flows(self) -> Iterator[_ChannelFlow]:
        for name, variable in self.variables():
            for e in variable.initial:
                yield _ChannelFlow((name, variable.base), name, e, is_channel(variable))
        for instance in self.model.instances:
            for parameter, value in zip(
                self.model.template(instance.template).parameters, instance.values, strict=False
            ):
                yield _ChannelFlow(
                    (instance.template, parameter.base), "", Const(value), is_channel(parameter), later=False
                )
        for name, step in self.steps():
            yield from self.flow(name, step)

    def flow(self, name: str, step: Step) -> Iterator[_ChannelFlow]:
        """Which values a step lets flow into which variables."""
        match step:
            case Assign(place, value):
                yield _ChannelFlow(_key_of(place, name), name, value, is_channel(place.variable))
            case Transition(_, assigns):
                for assign in assigns:
                    yield from self.flow(name, assign)
            case Send(_, values):
                yield from (_ChannelFlow(MESSAGES, name, value) for value in values)
            case Receive(_, patterns):
                places = (p.place for p in patterns if isinstance(p, Bind) and isinstance(p.place, Place))
                yield from (_ChannelFlow(_key_of(place, name), name, None) for place in places)
            case Run(started, values):
                for p, value in zip(self.model.template(started).parameters, values, strict=True):
                    yield _ChannelFlow((started, p.base), name, value, is_channel(p), later=False)
            case Call(parameters=parameters, values=values):
                for p, value in zip(parameters, values, strict=True):
                    yield _ChannelFlow((name, p.base), name, value, is_channel(p))
            case Return(value=value, into=Place() as place):
                yield _ChannelFlow(_key_of(place, name), name, value, is_channel(place.variable))

    def is_vague(self, flow: _ChannelFlow) -> bool:
        if flow.expected is None or flow.value is None:
            return False
        return not _fits(flow.value, flow.expected)

    def is_mixed(self, name: str, step: Step) -> bool:
        """May a message carry a number where a channel is expected, or the other way round?"""
        match step:
            case Send(channel, values):
                return any(not _fits(v, f) for fields in self.fields(channel, name, len(values))
                           for v, f in zip(values, fields, strict=True))  # fmt: skip
            case Receive(channel, patterns):
                places = [p.place if isinstance(p, Bind) else None for p in patterns]
                return any(isinstance(p, Place) and is_channel(p.variable) != f
                           for fields in self.fields(channel, name, len(patterns))
                           for p, f in zip(places, fields, strict=True))  # fmt: skip
        return False

    def fields(self, channel: Expr, name: str, count: int) -> Iterator[list[bool]]:
        """Which fields are channels, for all kinds of messages with so many fields that the channel may carry."""
        types = (self.types[q] for q in self.of(channel, name))
        return ([f.sort is Sort.CHANNEL for f in t.fields] for t in types if len(t.fields) == count)

    def solve(self, flows: list[_ChannelFlow]) -> None:
        changed = True
        while changed:
            changed = False
            for flow in flows:
                value = self.held.get(MESSAGES, NONE) if flow.value is None else self.meant(flow.value, flow.template)
                new = self.held.get(flow.into, NONE) | value
                if new != self.held.get(flow.into, NONE):
                    self.held[flow.into], changed = new, True

    @cached_property
    def later(self) -> Queues:
        """The channels of processes that are started on the way: they may have any number that was used before."""
        started = {s.template for _, s in self.steps() if isinstance(s, Run)}
        return frozenset(q for q in self.everything if q.template in started)

    @property
    def outlasting(self) -> Queues:
        """Channels of processes that may be used by others when the process has ended."""
        if self.vague:
            return frozenset(q for q in self.everything if q.template)
        kept = (queues for (name, _), queues in self.held.items() if not name)
        return frozenset(q for queues in kept for q in queues if q.template)

    def reuse(self) -> bool:
        """SOUND: a name that outlasts a channel stands for the one that gets its number.  Is there anything new?"""
        outlasting, changed = self.outlasting, False
        for name, queues in self.held.items():
            if queues & outlasting and not queues >= self.later and not self.is_own(name):
                self.held[name], changed = queues | self.later, True
        return changed

    def is_own(self, variable: VariableKey) -> bool:
        """Does the variable of a process name what this process made, for all of its life?"""
        return bool(variable[0]) and variable in self.created and variable not in self.written

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

    def makers(self, e: Expr, template: str) -> frozenset[str]:
        """The templates of processes with which the channel may go before it is used."""
        if not self.vague and isinstance(e, Place) and self.is_own(_key_of(e, template)):
            return frozenset()
        return frozenset(q.template for q in self.of(e, template) & self.outlasting)

    def channels_of(self, parameter: Parameter) -> Queues:
        return self.held.get((parameter.template, parameter.slot), NONE)

    def meant(self, e: Expr, template: str) -> Queues:
        if not isinstance(e, Place) or not is_channel(e.variable):
            return NONE
        own = _key_of(e, template)
        queue = ChannelText(own[0], slot) if (slot := slot_of(e)) is not None else None
        if own not in self.written and queue in self.types and queue is not None:
            return frozenset({queue})
        return self.held.get(own, NONE)


def is_channel(variable: Variable) -> bool:
    return variable.type.sort is Sort.CHANNEL


def _fits(value: Expr, channel: bool) -> bool:
    """Is it a channel, or no channel, as expected?  0 names no channel."""
    if isinstance(value, Const) and value.value == 0:
        return True
    return channel == (isinstance(value, Place) and is_channel(value.variable))


def _key_of(place: Place, template: str) -> VariableKey:
    return (template if place.variable.is_local else "", place.variable.base)
