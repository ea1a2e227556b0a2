"""Steps that work on channels: sending, receiving, and what a rendezvous is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..core.errors import InternalError
from ..core.model import (
    Bind,
    ChannelType,
    Expr,
    Match,
    Pattern,
    Receive,
    Send,
    Step,
    Target,
    is_pointer,
    pointed_to,
)
from .evaluate import Evaluator
from .monitor import Monitor
from .state import Effect, Fault, Message, Ready, Value, World, WritableWorld
from .walk import location_of

RENDEZVOUS_IN_D_STEP = "a rendezvous inside a d_step: nobody can receive while it runs"


class ChannelSteps:
    """Sending and receiving, as functions of the world; `assign` stores what is received."""

    def __init__(
        self, evaluator: Evaluator, monitor: Monitor | None, assign: Callable[[Target, Value], Effect]
    ) -> None:
        self.evaluator, self.monitor, self.assign = evaluator, monitor, assign

    def steps(self, step: Step) -> tuple[Ready, Effect]:
        if isinstance(step, Send):
            return self.send(step)
        if isinstance(step, Receive):
            return self.receive(step)
        raise InternalError(f"step {type(step).__name__} cannot be executed")

    def send(self, step: Send) -> tuple[Ready, Effect]:
        channel = self.evaluator.channel(step.channel)

        def ready(w: World) -> bool:
            index = channel(w)
            capacity = self.evaluator.channel_type(w, index).capacity
            return len(w.channels[index].messages) < max(capacity, 1)

        def effect(w: WritableWorld) -> None:
            index = channel(w)
            self.put(w, index, self.message(w, step, index), step.sorted)

        return ready, effect

    def message(self, w: World, step: Send, index: int) -> Message:
        kind = self.evaluator.channel_type(w, index)
        if len(kind.fields) != len(step.values):
            message = f"{kind.name} carries {len(kind.fields)} fields, {len(step.values)} are sent"
            raise Fault("channel-misuse", message, location_of(step.channel))
        if self.evaluator.model.objects:
            _check_pointers(kind, step.values, step.channel)
        return tuple(f.wrap(self.evaluator.value(v)(w)) for f, v in zip(kind.fields, step.values, strict=True))

    def put(self, w: WritableWorld, index: int, message: Message, in_order: bool) -> None:
        channel = w.channels[index]
        messages = channel.messages
        position = len(messages)
        if in_order:
            position = next((i for i, m in enumerate(messages) if message < m), position)
        w.channels[index] = channel._replace(messages=messages[:position] + (message,) + messages[position:])
        if self.monitor:
            self.monitor.observe(w, "send", index, message)

    def receive(self, step: Receive) -> tuple[Ready, Effect]:
        evaluator = self.evaluator
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
        """Remove a message (unless it is only read) and bind its fields."""
        channel = w.channels[index]
        message = channel.messages[where]
        if len(message) != len(step.patterns):
            name = self.evaluator.channel_type(w, index).name
            text = f"a message of {name} has {len(message)} fields, {len(step.patterns)} are received"
            raise Fault("channel-misuse", text, location_of(step.channel))
        if self.evaluator.model.objects:
            kind = self.evaluator.channel_type(w, index)
            taken = [p.value if isinstance(p, Match) else p.place for p in step.patterns]
            _check_pointers(kind, taken, step.channel)
        if not step.keep:
            if self.monitor:
                self.monitor.observe(w, "receive", index, message)
            w.channels[index] = channel._replace(messages=channel.messages[:where] + channel.messages[where + 1 :])
        for pattern, value in zip(step.patterns, message, strict=True):
            self.bind(w, pattern, value)

    def bind(self, w: WritableWorld, pattern: Pattern, value: int) -> None:
        if isinstance(pattern, Bind) and pattern.place is not None:
            self.assign(pattern.place, lambda _: value)(w)


def _check_pointers(kind: ChannelType, values: Sequence[Expr | None], channel: Expr) -> None:
    """SOUND: a channel that is known only when the model runs must not turn numbers into pointers, nor one kind of
    pointer into another."""
    if message := pointer_problem(kind, values):
        raise Fault("channel-misuse", message, location_of(channel))


def pointer_problem(kind: ChannelType, values: Sequence[Expr | None]) -> str:
    """What is wrong with sending or receiving these, if anything is."""
    for field, value in zip(kind.fields, values, strict=True):
        if value is not None:
            wanted, given = field.enum if is_pointer(field) else None, pointed_to(value)
            if given != wanted and not (wanted and given == ""):
                return f"{kind.name} carries a {field.name} here, not {'a number' if given is None else 'a pointer'}"
    return ""
