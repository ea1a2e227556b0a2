"""Everything that can be seen of a state, in the user's names: for reports and for people who walk through a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from ..core.errors import NOWHERE, InternalError
from ..core.model import Model, Scalar, Send, Variable, points_to_process
from ..core.trace import Choice, HeapObject, HeapView, Message, Snapshot, Standing, Start
from .explain import Namer, Position, Replayer, shown, view
from .interp import Interpreter, Taken
from .state import State, World

NOBODY = "NULL"  # pid 0 of a pointer automaton: what a null pointer names


class SnapshotMaker:
    """Makes snapshots of positions."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter, self.model = interpreter, interpreter.model
        self.namer = Namer(interpreter)
        self.is_pointer_automaton = any(v.owned for v in self.model.globals)

    def snapshot(self, at: Position, messages: tuple[Message, ...] = ()) -> Snapshot:
        return Snapshot(tuple(self.values(at)), tuple(self.standing(at.state)), self.picture(at), messages)

    # ---------------------------------------------------------------- values

    def values(self, at: Position) -> Iterator[tuple[str, Any]]:
        """Everything that can be seen, with its name."""
        state = at.state
        channels = {c.offset for c in self.model.channels}
        yield from self.frame(at, self.model.globals, state.values, "", channels)
        for index, channel in enumerate(state.channels):
            messages = self.namer.messages(channel, partial(shown, self.model, at))
            if self.interpreter.channel_types[channel.type].capacity:
                yield self.namer.channel_name(state, index), messages
        for pid, process in enumerate(state.processes):
            template = self.model.templates[process.template]
            if self.is_pointer_automaton and template.labels:
                yield f"mode[{pid}]", self.mode(state, pid)
            own = {c.offset for c in template.channels}
            yield from self.frame(at, template.locals, process.frame, f"{template.name}[{pid}]:", own)

    def frame(
        self, at: Position, variables: tuple[Variable, ...], frame: Sequence[int], prefix: str, channels: set[int]
    ) -> Iterator[tuple[str, Any]]:
        for v in variables:
            for i in range(1 if v.owned else 0, v.size):  # element 0 belongs to nobody
                if v.base + i not in channels:
                    yield prefix + v.element(i), shown(self.model, at, frame[v.base + i], v.type)

    def mode(self, state: State, pid: int) -> str:
        process = state.processes[pid]
        labels = self.model.templates[process.template].labels
        return next((name for name, location in labels if location == process.location), str(process.location))

    # ---------------------------------------------------------------- processes

    def standing(self, state: State) -> Iterator[Standing]:
        for pid, process in enumerate(state.processes):
            name = self.interpreter.name(state, pid)
            if self.is_pointer_automaton and name == NOBODY:
                continue
            actions = self.interpreter.actions_of(World(state, pid))
            template = self.model.templates[process.template]
            places = {(a.location, a.text): None for a in actions if a.text}
            yield Standing(pid, name, tuple(places), process.location in template.end_locations)

    # ---------------------------------------------------------------- objects and pointers

    def picture(self, at: Position) -> HeapView | None:
        if self.model.objects:
            return view(self.interpreter, at)
        return self.links(at.state) if self.is_pointer_automaton else None

    def links(self, state: State) -> HeapView:
        """The processes of a pointer automaton as objects, with their modes, local variables and pointers."""
        owned = [v for v in self.model.globals if v.owned]
        objects = []
        for pid, process in enumerate(state.processes):
            if self.model.templates[process.template].name != NOBODY:
                fields = [(v.name, self.named(state, state.values[v.base + pid], v.type)) for v in owned]
                fields.insert(0, ("mode", self.mode(state, pid)))
                objects.append(HeapObject(self.process(state, pid), NOWHERE, tuple(fields)))
        pointers = [
            (v.element(i), self.process(state, state.values[v.base + i]))
            for v in self.model.globals if points_to_process(v.type) and not v.owned
            for i in range(v.size) if state.values[v.base + i]
        ]  # fmt: skip
        return HeapView(tuple(objects), tuple(pointers))

    def named(self, state: State, value: int, kind: Scalar) -> Any:
        if points_to_process(kind):
            return self.process(state, value) if value else NOBODY
        return shown(self.model, Position(state), value, kind)

    def process(self, state: State, pid: int) -> str:
        return f"{self.interpreter.name(state, pid)} {pid}"

    # ---------------------------------------------------------------- messages

    def messages(self, at: Position, taken: Taken) -> Iterator[Message]:
        """What a step put into channels, and took out of them."""
        if taken.partner is not None and isinstance(taken.action.step, Send):
            yield self.rendezvous(at, taken, taken.action.step)
            return
        before, after = at.state, taken.state
        for index in range(0 if after is None else min(len(before.channels), len(after.channels))):
            assert after is not None
            old, new = (self.texts(at._replace(state=state), index) for state in (before, after))
            if old != new:
                yield from difference(self.namer.channel_name(before, index), old, new)

    def waiting(self, at: Position) -> Iterator[Message]:
        """All messages that are in channels."""
        for index in range(len(at.state.channels)):
            name = self.namer.channel_name(at.state, index)
            for position, text in enumerate(self.texts(at, index)):
                yield Message(name, text, True, position)

    def texts(self, at: Position, index: int) -> list[str]:
        channel = at.state.channels[index]
        name = partial(shown, self.model, at)
        return [self.namer.messages(channel._replace(messages=(m,)), name)[1:-1] for m in channel.messages]

    def rendezvous(self, at: Position, taken: Taken, send: Send) -> Message:
        w = World(at.state, taken.pid)
        index = self.interpreter.evaluator.channel(send.channel)(w)
        message = self.interpreter.channels.message(w, send, index)
        channel = at.state.channels[index]._replace(messages=(message,))
        text = self.namer.messages(channel, partial(shown, self.model, at))
        return Message(self.namer.channel_name(at.state, index), text[1:-1], True)


def difference(channel: str, old: list[str], new: list[str]) -> Iterator[Message]:
    """One message more or less, wherever it is; otherwise (in a d_step) some from the front, and some at the end."""
    if len(new) == len(old) + 1:
        where = next((i for i, text in enumerate(old) if new[i] != text), len(old))
        if new[:where] + new[where + 1 :] == old:
            yield Message(channel, new[where], True, where)
            return
    if len(old) == len(new) + 1:
        where = next((i for i, text in enumerate(new) if old[i] != text), len(new))
        if old[:where] + old[where + 1 :] == new:
            yield Message(channel, old[where], False, where)
            return
    gone = next(k for k in range(len(old) + 1) if new[: len(old) - k] == old[k:])
    for text in old[:gone]:
        yield Message(channel, text, False, 0)
    for position, text in enumerate(new[len(old) - gone :], len(old) - gone):
        yield Message(channel, text, True, position)


def snapshots(model: Model, choices: Sequence[Choice], start: Start, most: int | None = None) -> list[Snapshot]:
    """The first state of a run, and what comes of each step; a step that faults leaves everything as it was.

    Of a long run only the last states, before and after `most` steps; the first of them then says what was sent before.
    """
    interpreter = Interpreter(model)
    replayer, maker = Replayer(interpreter), SnapshotMaker(interpreter)
    at = replayer.start(start)
    skipped = 0 if most is None else max(len(choices) - most, 0)
    found = [] if skipped else [maker.snapshot(at)]
    for number, choice in enumerate(choices, 1):
        taken = replayer.take(at, choice)
        if taken is None:
            raise InternalError(f"a step of the run does not replay: {choice}")
        before, at = at, at if taken.state is None else replayer.after(at, taken)
        if number == skipped:
            found.append(maker.snapshot(at, tuple(maker.waiting(at))))
        elif number > skipped:
            found.append(maker.snapshot(at, tuple(maker.messages(before, taken))))
    return found
