"""Paths told to the user: replayed on the reference semantics, every step with what it changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

from ..core.errors import NOWHERE, InternalError, Location
from ..core.model import End, Model, Scalar, Variable, is_pointer
from ..core.trace import Choice, HeapObject, HeapView, Start, Trace, TraceStep
from .interp import Interpreter, Taken
from .objects import allocation
from .start import start_of
from .state import FREE, Channel, Fault, State
from .text import show


class Position(NamedTuple):
    """Where a run is: the state, who holds atomic control, and the objects so far."""

    state: State
    control: int | None = None
    objects: tuple[tuple[str, Location], ...] = ()  # type and place of allocation; object n stands at n - 1
    occupants: tuple[int, ...] = ()  # for each slot the number of the last object in it, 0 if there was none

    def occupant(self, slot: int) -> int:
        return self.occupants[slot] if slot < len(self.occupants) else 0


class Replayer:
    """The interpreter as a thing that can be stepped."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter

    def start(self, start: Start = ()) -> Position:
        """SOUND: what a search forgot about its initial state does not matter, so the first that fits will do."""
        found = next(self.interpreter.initial_states(start), None)
        if found is None:
            raise InternalError("the counterexample starts where no run starts")
        return Position(found)

    def options(self, at: Position) -> list[Taken]:
        """What can happen next; a process that blocks inside an atomic sequence loses control."""
        steps = self.interpreter.steps(at.state, at.control) if at.control is not None else []
        return steps or self.interpreter.steps(at.state)

    def take(self, at: Position, choice: Choice) -> Taken | None:
        options = [t for t in self.options(at) if not t.cut]
        found = next((t for t in options if self.choice(at, t) == choice), None)
        if found is None and choice.reuse is not None:
            # Nobody names that place here (a variable may be dead there and forgotten here): any place is as good.
            found = next((t for t in options if choice_of(t) == choice._replace(reuse=None)), None)
        return found

    def leaving(self, at: Position) -> Iterator[Taken]:
        """The steps of those who have come to their end, the youngest first."""
        while (found := next((t for t in self.options(at) if isinstance(t.action.step, End)), None)) is not None:
            yield found
            at = self.after(at, found)

    def choice(self, at: Position, taken: Taken) -> Choice:
        """The choice in terms that every model of the run shares."""
        bare = choice_of(taken)
        return bare if bare.reuse is None else bare._replace(reuse=at.occupant(bare.reuse))

    def after(self, at: Position, taken: Taken) -> Position:
        """Where a step leads; a new object gets the next number in the trace, whatever slot it takes."""
        if taken.state is None:
            raise InternalError("a path goes on behind a fault")
        objects, occupants = at.objects, at.occupants
        if taken.slot is not None and (new := allocation(taken.action)) is not None:
            objects = (*objects, (new.type, taken.action.location))
            padded = list(occupants) + [0] * (taken.slot + 1 - len(occupants))
            padded[taken.slot] = len(objects)
            occupants = tuple(padded)
        return Position(taken.state, taken.control, objects, occupants)


def choice_of(taken: Taken) -> Choice:
    """The choice as an engine sees it: with the slot of the state."""
    partner_action = taken.partner_action.id if taken.partner_action else None
    reuse = taken.slot if taken.reuses else None
    return Choice(taken.pid, taken.action.id, taken.partner, partner_action, reuse)


def shared(interpreter: Interpreter, choices: Iterable[Choice]) -> Iterator[Choice]:
    """The path of an engine in terms that every model of the run shares."""
    if not interpreter.model.objects:
        yield from choices
        return
    replayer = Replayer(interpreter)
    at = replayer.start()
    for choice in choices:
        taken = next((t for t in replayer.options(at) if choice_of(t) == choice), None)
        if taken is None:
            raise InternalError(f"a step of the search does not replay: {choice}")
        yield replayer.choice(at, taken)
        if taken.state is None:
            return
        at = replayer.after(at, taken)


class _Explained(NamedTuple):
    """A path that was run again: the trace, what went wrong, and where it ended."""

    trace: Trace
    faults: tuple[Fault, ...]  # of the last step
    final: State | None


def explain(
    interpreter: Interpreter, choices: Iterable[Choice], until: tuple[str, Location] = ("", NOWHERE), start: Start = ()
) -> _Explained:
    """Replay a path, up to the first fault of this kind and place if that is given; InternalError if it is none.

    Before a deadlock, all leave who have come to their end and were left standing there (`transform/linger.py`).
    """
    replayer, namer = Replayer(interpreter), Namer(interpreter)
    at, last = replayer.start(start), None
    lost: tuple[int, Taken, Position] | None = None  # the last step that loses an object
    chosen_first = tuple(namer.start_values(at.state))
    steps: list[TraceStep] = []
    for number, choice in enumerate(choices, 1):
        last = replayer.take(at, choice)
        if last is None:
            raise InternalError(f"step {number} of the counterexample does not replay: {choice}")
        steps.append(namer.step(at, last))
        if last.state is None or any((f.kind, f.location) == until for f in last.faults):
            break
        at = replayer.after(at, last)
        if any(f.kind == until[0] == "leak" for f in last.faults):
            lost = len(steps), last, at
    if lost is not None and last is not None and not any(f.kind == "leak" for f in last.faults):
        # The search took several statements as one step: which of them loses the object, the model as written tells.
        count, last, at = lost
        del steps[count:]
    if until[0] == "deadlock":
        for last in replayer.leaving(at):
            steps.append(namer.step(at, last))
            at = replayer.after(at, last)
    if last is None:
        return _Explained(Trace(start=chosen_first), (), at.state)
    return _Explained(Trace(tuple(steps), start=chosen_first), last.faults, last.state)


JOIN = "(end of the choice)"  # a step that only goes on behind `fi` or `od`: nobody wrote it


class Namer:
    """The user's names for everything in a state."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter
        self.model: Model = interpreter.model

    def step(self, at: Position, taken: Taken) -> TraceStep:
        action, partner, before = taken.action, taken.partner_action, at.state
        after = at if taken.state is None else Replayer(self.interpreter).after(at, taken)
        return TraceStep(
            process=self.interpreter.name(before, taken.pid),
            pid=taken.pid,
            location=action.location,
            statement=action.text or JOIN,
            partner=taken.partner,
            partner_process="" if taken.partner is None else self.interpreter.name(before, taken.partner),
            partner_statement=(partner.text or JOIN) if partner else "",
            partner_location=partner.location if partner else action.location,
            changes=() if taken.state is None else tuple(self.changes(at, after)),
            output=taken.output,
            choice=Replayer(self.interpreter).choice(at, taken),
            atomic=taken.control is not None,
            heap=view(self.interpreter, after) if self.model.objects else None,
        )

    def start_values(self, state: State) -> Iterator[tuple[str, int]]:
        """The initial values that could have been others."""
        for slot, value in start_of(self.interpreter.model, state):
            yield _element_at(self.model.globals, slot), value

    def changes(self, here: Position, there: Position) -> Iterator[tuple[str, tuple[Any, Any]]]:
        """Names with their value before and after; a process that is born or dies counts as one change."""
        before, after = here.state, there.state
        self.shown = (partial(shown, self.model, here), partial(shown, self.model, there))
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
        yield from self.heap(here, there)

    def heap(self, here: Position, there: Position) -> Iterator[tuple[str, tuple[Any, Any]]]:
        """Objects that are new, deleted or changed."""
        before, after = here.state.heap, there.state.heap
        for slot in range(max(len(before), len(after))):
            old, new = (heap[slot] if slot < len(heap) else FREE for heap in (before, after))
            if old.type == 0 and new.type:
                again = here.occupant(slot) and self.is_named(here, slot)
                place = f", in the place of {object_name(here, slot)}" if again else ""
                yield object_name(there, slot), (None, f"new{place}")
            elif old.type and new.type == 0:
                yield object_name(here, slot), ("deleted", None)
            elif old.type:
                fields = self.model.objects[new.type - 1].fields
                yield from self.values(fields, old.fields, new.fields, f"{object_name(there, slot)}.")

    def is_named(self, at: Position, slot: int) -> bool:
        _, again = self.interpreter.heap.places(at.state, at.objects[at.occupant(slot) - 1][0])
        return slot in again

    def values(
        self, variables: tuple[Variable, ...], old: tuple[int, ...], new: tuple[int, ...], prefix: str = ""
    ) -> Iterator[tuple[str, tuple[Any, Any]]]:
        if old == new:
            return
        for variable in variables:
            for i in range(variable.size):
                a, b = old[variable.base + i], new[variable.base + i]
                if a != b:
                    old_shown, new_shown = self.shown
                    yield prefix + variable.element(i), (old_shown(a, variable.type), new_shown(b, variable.type))

    def contents(self, before: State, after: State) -> Iterator[tuple[str, tuple[Any, Any]]]:
        for index in range(min(len(before.channels), len(after.channels))):
            old, new = before.channels[index], after.channels[index]
            if old != new:
                texts = (self.messages(old, self.shown[0]), self.messages(new, self.shown[1]))
                yield self.channel_name(after, index), texts

    def channel_name(self, state: State, index: int) -> str:
        """The variable that created the channel."""
        created = list(self.created(state))
        return created[index] if index < len(created) else f"channel {index + 1}"

    def created(self, state: State) -> Iterator[str]:
        for new in self.model.channels:
            yield _element_at(self.model.globals, new.offset)
        for pid, process in enumerate(state.processes):
            template = self.model.templates[process.template]
            for new in template.channels:
                yield f"{template.name}[{pid}]:{_element_at(template.locals, new.offset)}"

    def messages(self, channel: Channel, shown: Callable[[int, Scalar], int | str]) -> str:
        fields = self.interpreter.channel_types[channel.type].fields
        texts = []
        for message in channel.messages:
            texts.append(",".join(str(shown(v, f)) for v, f in zip(message, fields, strict=True)))
        return "[" + "] [".join(texts) + "]" if texts else "empty"


def _element_at(variables: tuple[Variable, ...], slot: int) -> str:
    variable = next(v for v in variables if v.base <= slot < v.base + v.size)
    return variable.element(slot - variable.base)


# ------------------------------------------------------------------------------------------------ objects


def object_name(at: Position, slot: int) -> str:
    """Node#3: the third object of the run, wherever it is."""
    number = at.occupant(slot)
    return f"{at.objects[number - 1][0]}#{number}" if number else f"slot {slot}"


def shown(model: Model, at: Position, value: int, kind: Scalar) -> int | str:
    if not is_pointer(kind):
        return show(value, kind, model.mtypes)
    if value == 0:
        return "null"
    live = value <= len(at.state.heap) and at.state.heap[value - 1].type
    return object_name(at, value - 1) + ("" if live else " (deleted)")


def view(interpreter: Interpreter, at: Position) -> HeapView:
    """The whole heap, and what points into it."""
    model, state = interpreter.model, at.state
    objects = []
    for slot, cell in enumerate(state.heap):
        if cell.type:
            fields = model.objects[cell.type - 1].fields
            values = [
                (v.element(i), shown(model, at, cell.fields[v.base + i], v.type)) for v in fields for i in range(v.size)
            ]
            allocated = at.objects[at.occupant(slot) - 1][1]
            objects.append((at.occupant(slot), HeapObject(object_name(at, slot), allocated, tuple(values))))
    ordered = tuple(o for _, o in sorted(objects, key=lambda pair: pair[0]))
    return HeapView(ordered, tuple(_pointers(interpreter, at)))


def _pointers(interpreter: Interpreter, at: Position) -> Iterator[tuple[str, str]]:
    """The variables and messages that point to objects."""
    model, state = interpreter.model, at.state
    frames = [("", model.globals, state.values)]
    for pid, process in enumerate(state.processes):
        template = model.templates[process.template]
        frames.append((f"{template.name}[{pid}]:", template.locals, process.frame))
    for prefix, variables, values in frames:
        for v in variables:
            for i in range(v.size if is_pointer(v.type) else 0):
                if values[v.base + i]:
                    yield prefix + v.element(i), str(shown(model, at, values[v.base + i], v.type))
    namer = Namer(interpreter)
    for c, channel in enumerate(state.channels):
        fields = interpreter.channel_types[channel.type].fields
        for position, message in enumerate(channel.messages):
            for value, kind in zip(message, fields, strict=True):
                if is_pointer(kind) and value:
                    yield f"{namer.channel_name(state, c)}?{position}", str(shown(model, at, value, kind))
