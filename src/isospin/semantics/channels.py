"""Steps that work on channels: sending, receiving, and what a rendezvous is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from ..core.errors import NOWHERE, InternalError, Location
from ..core.model import Bind, ChannelType, Expr, Match, Pattern, Place, Receive, Send, Step, is_pointer, pointed_to
from .evaluate import Fault, Message, World, WritableWorld

if TYPE_CHECKING:
    from .interp import Interpreter

RENDEZVOUS_IN_D_STEP = "a rendezvous inside a d_step: nobody can receive while it runs"
Ready: TypeAlias = Callable[[World], bool]
Effect: TypeAlias = Callable[[WritableWorld], None]


class ChannelSteps:
    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter

    def steps(self, step: Step) -> tuple[Ready, Effect]:
        if isinstance(step, Send):
            return self.send(step)
        if isinstance(step, Receive):
            return self.receive(step)
        raise InternalError(f"step {type(step).__name__} cannot be executed")

    def send(self, step: Send) -> tuple[Ready, Effect]:
        channel = self.interpreter.evaluator.channel(step.channel)

        def ready(w: World) -> bool:
            index = channel(w)
            capacity = self.interpreter.evaluator.channel_type(w, index).capacity
            return len(w.channels[index].messages) < max(capacity, 1)

        def effect(w: WritableWorld) -> None:
            index = channel(w)
            self.put(w, index, self.message(w, step, index), step.sorted)

        return ready, effect

    def message(self, w: World, step: Send, index: int) -> Message:
        kind = self.interpreter.evaluator.channel_type(w, index)
        if len(kind.fields) != len(step.values):
            message = f"{kind.name} carries {len(kind.fields)} fields, {len(step.values)} are sent"
            raise Fault("channel-misuse", message, _location_of(step.channel))
        if self.interpreter.model.objects:
            _check_pointers(kind, step.values, step.channel)
        return tuple(f.wrap(self.interpreter.value(v)(w)) for f, v in zip(kind.fields, step.values, strict=True))

    def put(self, w: WritableWorld, index: int, message: Message, in_order: bool) -> None:
        channel = w.channels[index]
        messages = channel.messages
        position = len(messages)
        if in_order:
            position = next((i for i, m in enumerate(messages) if message < m), position)
        w.channels[index] = channel._replace(messages=messages[:position] + (message,) + messages[position:])
        if self.interpreter.monitor:
            self.interpreter.monitor.observe(w, "send", index, message)

    def receive(self, step: Receive) -> tuple[Ready, Effect]:
        evaluator = self.interpreter.evaluator
        channel, matches = evaluator.channel(step.channel), evaluator.matcher(step.patterns)

        def position(w: World) -> int | None:
            messages = w.channels[channel(w)].messages
            candidates = messages if step.anywhere else messages[:1]
            return next((i for i, m in enumerate(candidates) if matches(w, m)), None)

        def effect(w: WritableWorld) -> None:
            index, where = channel(w), position(w)
            assert where is not None
            self.take(w, step, index, where)

        return lambda w: position(w) is not None, effect

    def take(self, w: WritableWorld, step: Receive, index: int, where: int) -> None:
        channel = w.channels[index]
        message = channel.messages[where]
        if len(message) != len(step.patterns):
            name = self.interpreter.evaluator.channel_type(w, index).name
            text = f"a message of {name} has {len(message)} fields, {len(step.patterns)} are received"
            raise Fault("channel-misuse", text, _location_of(step.channel))
        if self.interpreter.model.objects:
            kind = self.interpreter.evaluator.channel_type(w, index)
            taken = [p.value if isinstance(p, Match) else p.place for p in step.patterns]
            _check_pointers(kind, taken, step.channel)
        if not step.keep:
            if self.interpreter.monitor:
                self.interpreter.monitor.observe(w, "receive", index, message)
            w.channels[index] = channel._replace(messages=channel.messages[:where] + channel.messages[where + 1 :])
        for pattern, value in zip(step.patterns, message, strict=True):
            self.bind(w, pattern, value)

    def bind(self, w: WritableWorld, pattern: Pattern, value: int) -> None:
        if isinstance(pattern, Bind) and pattern.place is not None:
            self.interpreter.assign(pattern.place, lambda _: value)(w)


def _check_pointers(kind: ChannelType, values: Sequence[Expr | None], channel: Expr) -> None:
    """SOUND: a channel that is known only when the model runs must not turn numbers into pointers, nor one kind of
    pointer into another."""
    if message := pointer_problem(kind, values):
        raise Fault("channel-misuse", message, _location_of(channel))


def pointer_problem(kind: ChannelType, values: Sequence[Expr | None]) -> str:
    """What is wrong with sending or receiving these, if anything is."""
    for field, value in zip(kind.fields, values, strict=True):
        if value is not None:
            wanted, given = field.enum if is_pointer(field) else None, pointed_to(value)
            if given != wanted and not (wanted and given == ""):
                return f"{kind.name} carries a {field.name} here, not {'a number' if given is None else 'a pointer'}"
    return ""


def _location_of(e: Expr) -> Location:
    return e.location if isinstance(e, Place) else NOWHERE
