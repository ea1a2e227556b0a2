"""Paths told to the user: replayed on the reference semantics, every step with what it changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ..errors import NOWHERE, InternalError, Location
from ..model import Model, Variable
from ..trace import Choice, Trace, TraceStep
from .evaluate import Channel, Fault, State
from .interp import Interpreter, Taken
from .text import show


class Position(NamedTuple):
    """Where a run is: the state, and who holds atomic control."""

    state: State
    control: int | None = None


class Replayer:
    """The interpreter as a thing that can be stepped."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter

    def start(self) -> Position:
        return Position(next(self.interpreter.initial_states()))

    def options(self, at: Position) -> list[Taken]:
        """What can happen next; a process that blocks inside an atomic sequence loses control."""
        steps = self.interpreter.steps(at.state, at.control) if at.control is not None else []
        return steps or self.interpreter.steps(at.state)

    def take(self, at: Position, choice: Choice) -> Taken | None:
        return next((t for t in self.options(at) if chosen(t) == choice), None)

    def after(self, taken: Taken) -> Position:
        if taken.state is None:
            raise InternalError("a path goes on behind a fault")
        return Position(taken.state, taken.control)


def chosen(taken: Taken) -> Choice:
    partner_action = taken.partner_action.id if taken.partner_action else None
    return Choice(taken.pid, taken.action.id, taken.partner, partner_action)


class Explained(NamedTuple):
    trace: Trace
    faults: tuple[Fault, ...]  # of the last step
    final: State | None


def explain(
    interpreter: Interpreter, choices: Iterable[Choice], until: tuple[str, Location] = ("", NOWHERE)
) -> Explained:
    """Replay a path, up to the first fault of this kind and place if that is given; InternalError if it is none."""
    replayer, namer = Replayer(interpreter), Namer(interpreter)
    at, last = replayer.start(), None
    steps: list[TraceStep] = []
    for number, choice in enumerate(choices, 1):
        last = replayer.take(at, choice)
        if last is None:
            raise InternalError(f"step {number} of the counterexample does not replay: {choice}")
        steps.append(namer.step(at.state, last))
        if last.state is None or any((f.kind, f.location) == until for f in last.faults):
            break
        at = replayer.after(last)
    if last is None:
        return Explained(Trace(), (), at.state)
    return Explained(Trace(tuple(steps)), last.faults, last.state)


class Namer:
    """The user's names for everything in a state."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter
        self.model: Model = interpreter.model

    def step(self, before: State, taken: Taken) -> TraceStep:
        action, partner = taken.action, taken.partner_action
        return TraceStep(
            process=self.interpreter.name(before, taken.pid),
            pid=taken.pid,
            location=action.location,
            statement=action.text,
            partner=taken.partner,
            partner_process="" if taken.partner is None else self.interpreter.name(before, taken.partner),
            partner_statement=partner.text if partner else "",
            partner_location=partner.location if partner else action.location,
            changes=() if taken.state is None else tuple(self.changes(before, taken.state)),
            output=taken.output,
            choice=chosen(taken),
            atomic=taken.control is not None,
        )

    def changes(self, before: State, after: State) -> Iterator[tuple[str, tuple[Any, Any]]]:
        """Names with their value before and after; a process that is born or dies counts as one change."""
        yield from self.values(self.model.globals, before.values, after.values)
        common = min(len(before.processes), len(after.processes))
        for pid in range(common):
            template = self.model.templates[before.processes[pid].template]
            prefix = f"{template.name}[{pid}]:"
            yield from self.values(template.locals, before.processes[pid].frame, after.processes[pid].frame, prefix)
        for pid in range(common, len(after.processes)):
            yield f"{self.interpreter.name(after, pid)}[{pid}]", (None, "started")
        for pid in range(common, len(before.processes)):
            yield f"{self.interpreter.name(before, pid)}[{pid}]", ("ended", None)
        yield from self.contents(before, after)

    def values(
        self, variables: tuple[Variable, ...], old: tuple[int, ...], new: tuple[int, ...], prefix: str = ""
    ) -> Iterator[tuple[str, tuple[Any, Any]]]:
        if old == new:
            return
        for variable in variables:
            for i in range(variable.size):
                a, b = old[variable.base + i], new[variable.base + i]
                if a != b:
                    kind, mtypes = variable.type, self.model.mtypes
                    yield prefix + variable.element(i), (show(a, kind, mtypes), show(b, kind, mtypes))

    def contents(self, before: State, after: State) -> Iterator[tuple[str, tuple[Any, Any]]]:
        for index in range(min(len(before.channels), len(after.channels))):
            old, new = before.channels[index], after.channels[index]
            if old != new:
                yield self.channel_name(after, index), (self.messages(old), self.messages(new))

    def channel_name(self, state: State, index: int) -> str:
        """The variable that created the channel."""
        created = list(self.created(state))
        return created[index] if index < len(created) else f"channel {index + 1}"

    def created(self, state: State) -> Iterator[str]:
        for new in self.model.channels:
            yield element_at(self.model.globals, new.offset)
        for pid, process in enumerate(state.processes):
            template = self.model.templates[process.template]
            for new in template.channels:
                yield f"{template.name}[{pid}]:{element_at(template.locals, new.offset)}"

    def messages(self, channel: Channel) -> str:
        fields = self.interpreter.channel_types[channel.type].fields
        texts = []
        for message in channel.messages:
            shown = (str(show(v, f, self.model.mtypes)) for v, f in zip(message, fields, strict=True))
            texts.append(",".join(shown))
        return "[" + "] [".join(texts) + "]" if texts else "empty"


def element_at(variables: tuple[Variable, ...], slot: int) -> str:
    variable = next(v for v in variables if v.base <= slot < v.base + v.size)
    return variable.element(slot - variable.base)
