"""Expressions as functions of the world, and the world itself: a state seen by one process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ..core.errors import NOWHERE, Location
from ..core.model import (
    AtLabel,
    Binary,
    Bind,
    Bounded,
    ChannelTest,
    ChannelType,
    Conditional,
    Const,
    Enabled,
    Expr,
    Field,
    LastPid,
    LocationOf,
    Match,
    NonProgress,
    Pattern,
    Place,
    Poll,
    Priority,
    ProcessCount,
    RemoteRead,
    Self,
    Template,
    Timeout,
    Unary,
    apply_binary,
    apply_unary,
)
from .heap import FREE, Cell, trimmed

if TYPE_CHECKING:
    from .interp import Interpreter

Message: TypeAlias = tuple[int, ...]


class Channel(NamedTuple):
    type: int  # index into Interpreter.channel_types
    messages: tuple[Message, ...]


class Process(NamedTuple):
    template: int  # index into Model.templates
    location: int
    frame: tuple[int, ...]
    priority: int = 1
    stack: tuple[tuple[int, ...], ...] = ()  # for each call the site, and what the function's variables were before


class State(NamedTuple):
    """Everything that distinguishes two situations.  Process i has pid i; channel i has id i + 1."""

    values: tuple[int, ...]
    channels: tuple[Channel, ...]
    processes: tuple[Process, ...]
    last: int = 0  # the process that moved last, if the model looks at it
    event: int = 0  # location of the trace automaton
    heap: tuple[Cell, ...] = ()


class Fault(Exception):
    """The model did something that has no meaning: a violation of its own kind."""

    def __init__(self, kind: str, message: str, location: Location = NOWHERE) -> None:
        super().__init__(message)
        self.kind, self.message, self.location = kind, message, location
        self.earlier: tuple[Fault, ...] = ()  # assertions that failed before it, in the same step


class World:
    """A state that is being read or changed, from the point of view of process `pid`."""

    __slots__ = (
        "channels", "event", "failed", "heap", "last", "output", "pid", "processes", "slot", "stutters", "timeout",
        "values",
    )  # fmt: skip

    def __init__(self, state: State, pid: int = 0, timeout: bool = False) -> None:
        self.values: Sequence[int] = state.values
        self.channels: Sequence[Channel] = state.channels
        self.processes: Sequence[Process] = state.processes
        self.last, self.event = state.last, state.event
        self.heap: Sequence[Cell] = state.heap
        self.slot = 0  # where the next `new` puts its object
        self.pid, self.timeout = pid, timeout
        self.stutters = False  # the run has ended, and a claim looks at its last state again
        self.failed: list[Fault] = []  # assertions that failed on the way
        self.output = ""

    def writable(self) -> WritableWorld:
        return WritableWorld(self)


class WritableWorld(World):
    """A copy that can be changed."""

    __slots__ = ()
    values: list[int]
    channels: list[Channel]
    processes: list[Process]
    heap: list[Cell]

    def __init__(self, world: World) -> None:
        self.values, self.channels = list(world.values), list(world.channels)
        self.processes, self.heap, self.slot = list(world.processes), list(world.heap), world.slot
        self.last, self.event, self.pid, self.timeout = world.last, world.event, world.pid, world.timeout
        self.stutters = world.stutters
        self.failed, self.output = [], ""

    def state(self) -> State:
        heap = trimmed(self.heap) if self.heap else ()
        return State(tuple(self.values), tuple(self.channels), tuple(self.processes), self.last, self.event, heap)

    def set_local(self, pid: int, offset: int, value: int) -> None:
        process = self.processes[pid]
        frame = process.frame[:offset] + (value,) + process.frame[offset + 1 :]
        self.processes[pid] = process._replace(frame=frame)

    def set_cell(self, slot: int, cell: Cell) -> None:
        self.heap += [FREE] * (slot + 1 - len(self.heap))
        self.heap[slot] = cell

    def set_field(self, slot: int, offset: int, value: int) -> None:
        cell = self.heap[slot]
        self.heap[slot] = cell._replace(fields=cell.fields[:offset] + (value,) + cell.fields[offset + 1 :])


Value: TypeAlias = Callable[[World], int]


class Evaluator:
    """Turns expressions into functions, once; needs the interpreter for `enabled` and for channel types."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter
        self.memory: dict[int, tuple[Expr, Value]] = {}

    def value(self, e: Expr) -> Value:
        known = self.memory.get(id(e))
        if known is None:
            known = self.memory[id(e)] = (e, self.build(e))
        return known[1]

    def build(self, e: Expr) -> Value:
        match e:
            case Const(value):
                return lambda w: value
            case Place():
                return self.read(e)
            case Field():
                return self.read_field(e)
            case Unary(op, operand):
                inner = self.value(operand)
                return lambda w: apply_unary(op, inner(w))
            case Binary():
                return self.binary(e)
            case Conditional(condition, then, otherwise):
                test, yes, no = self.value(condition), self.value(then), self.value(otherwise)
                return lambda w: yes(w) if test(w) else no(w)
            case Bounded():
                return self.bounded(e)
            case Self():
                return lambda w: w.pid
            case ProcessCount():
                return lambda w: len(w.processes)
            case LastPid():
                return lambda w: w.last
            case Timeout():
                return lambda w: int(w.timeout)
            case NonProgress():
                return self.non_progress
            case ChannelTest() | Poll():
                return self.channel_query(e)
            case _:
                return self.process_query(e)

    def binary(self, e: Binary) -> Value:
        left, right, op, where = self.value(e.left), self.value(e.right), e.op, e.location
        if op == "&&":
            return lambda w: int(bool(left(w) and right(w)))
        if op == "||":
            return lambda w: int(bool(left(w) or right(w)))
        if op == "==":
            return lambda w: int(left(w) == right(w))

        def apply(w: World) -> int:
            try:
                return apply_binary(op, left(w), right(w))
            except ZeroDivisionError:
                raise Fault("division-by-zero", "division by zero", where) from None

        return apply

    def bounded(self, e: Bounded) -> Value:
        inner, low, high = self.value(e.value), e.low, e.high

        def compute(w: World) -> int:
            value = inner(w)
            if not low <= value <= high:
                raise Fault(e.kind, f"{e.message} ({value})" if e.kind == "out-of-range" else e.message, e.location)
            return value

        return compute

    # ---------------------------------------------------------------- variables

    def read(self, e: Place) -> Value:
        if not e.indices:
            base = e.variable.base
            if e.variable.is_local:
                return lambda w: w.processes[w.pid].frame[base]
            return lambda w: w.values[base]
        offset = self.offset(e)
        if e.variable.is_local:
            return lambda w: w.processes[w.pid].frame[offset(w)]
        return lambda w: w.values[offset(w)]

    def offset(self, e: Place | Field) -> Value:
        """Where the place is in its frame or object; an index out of range is a fault."""
        base, shape = e.variable.base, e.variable.shape
        indices = [self.value(i) for i in e.indices]

        def compute(w: World) -> int:
            result = 0
            for index, size in zip(indices, shape, strict=True):
                i = index(w)
                if not 0 <= i < size:
                    message = f"index {i} is out of range for {e.variable.name} (size {size})"
                    raise Fault("out-of-range", message, e.location)
                result = result * size + i
            return base + result

        return compute

    # ---------------------------------------------------------------- objects

    def read_field(self, e: Field) -> Value:
        slot, offset = self.slot(e), self.offset(e)
        return lambda w: w.heap[slot(w)].fields[offset(w)]

    def slot(self, e: Field) -> Value:
        """The slot of the object whose field it is; a pointer that names none is a fault."""
        pointer = self.value(e.pointer)

        def compute(w: World) -> int:
            value = pointer(w)
            if value == 0:
                raise Fault("null-dereference", f"{e.text} is null", e.location)
            if value > len(w.heap) or not w.heap[value - 1].type:
                message = f"{e.text} points to an object that was deleted"
                raise Fault("use-after-delete", message, e.location)
            return value - 1

        return compute

    # ---------------------------------------------------------------- channels

    def channel(self, e: Expr) -> Value:
        """The index of a channel in the state; a name that stands for none is a fault."""
        identity = self.value(e)
        location = e.location if isinstance(e, Place) else NOWHERE
        name = e.variable.name if isinstance(e, Place) else "channel"

        def compute(w: World) -> int:
            number = identity(w)
            if number == 0:
                raise Fault("channel-misuse", f"{name} is used before it names a channel", location)
            if number > len(w.channels):
                raise Fault("channel-misuse", f"{name} names a channel that does not exist (any more)", location)
            return number - 1

        return compute

    def channel_type(self, w: World, index: int) -> ChannelType:
        return self.interpreter.channel_types[w.channels[index].type]

    def channel_query(self, e: ChannelTest | Poll) -> Value:
        channel = self.channel(e.channel)
        if isinstance(e, Poll):
            return self.poll(e, channel)
        test = e.test
        if test == "len":
            return lambda w: len(w.channels[channel(w)].messages)
        if test in ("empty", "nempty"):
            wanted = test == "empty"
            return lambda w: int((not w.channels[channel(w)].messages) == wanted)

        def full(w: World) -> int:
            index = channel(w)
            capacity = max(self.channel_type(w, index).capacity, 1)
            return int((len(w.channels[index].messages) >= capacity) == (test == "full"))

        return full

    def poll(self, e: Poll, channel: Value) -> Value:
        matches = self.matcher(e.patterns)

        def compute(w: World) -> int:
            index = channel(w)
            if self.channel_type(w, index).capacity == 0:
                raise Fault("channel-misuse", "a rendezvous channel cannot be polled", e.location)
            messages = w.channels[index].messages
            candidates = messages if e.anywhere else messages[:1]
            return int(any(matches(w, m) for m in candidates))

        return compute

    def matcher(self, patterns: tuple[Pattern, ...]) -> Callable[[World, Message], bool]:
        wanted = [(i, self.value(p.value)) for i, p in enumerate(patterns) if isinstance(p, Match)]
        assert all(isinstance(p, Match | Bind) for p in patterns)
        return lambda w, message: all(i < len(message) and message[i] == value(w) for i, value in wanted)

    # ---------------------------------------------------------------- processes

    def non_progress(self, w: World) -> int:
        if w.stutters:
            return 0  # as in SPIN: a run that has ended is no cycle without progress
        templates = self.interpreter.model.templates
        return int(not any(p.location in templates[p.template].progress_locations for p in w.processes))

    def process_query(self, e: Expr) -> Value:
        match e:
            case Enabled(pid):
                which = self.value(pid)
                return lambda w: int(self.interpreter.enabled(w, which(w)))
            case LocationOf(pid):
                which = self.value(pid)
                return lambda w: w.processes[which(w)].location if 0 <= which(w) < len(w.processes) else 0
            case Priority(pid):
                which = self.value(pid)
                return lambda w: w.processes[which(w)].priority if 0 <= which(w) < len(w.processes) else 0
            case AtLabel():
                return self.at_label(e)
            case RemoteRead():
                return self.remote_read(e)
        raise AssertionError(e)

    def finder(self, template: Template, pid: Expr | None) -> Callable[[World], Process | None]:
        """The process that a remote reference means, if it lives."""
        number = self.interpreter.template_number[template.name]
        if pid is None:
            return lambda w: next((p for p in w.processes if p.template == number), None)
        which = self.value(pid)

        def find(w: World) -> Process | None:
            i = which(w)
            return w.processes[i] if 0 <= i < len(w.processes) and w.processes[i].template == number else None

        return find

    def at_label(self, e: AtLabel) -> Value:
        template = self.interpreter.model.template(e.template)
        find, target = self.finder(template, e.pid), template.label(e.label)
        return lambda w: int((p := find(w)) is not None and p.location == target)

    def remote_read(self, e: RemoteRead) -> Value:
        find = self.finder(self.interpreter.model.template(e.template), e.pid)
        offset = self.offset(e.place) if e.place.indices else self.value(Const(e.place.variable.base))
        return lambda w: 0 if (p := find(w)) is None else p.frame[offset(w)]
