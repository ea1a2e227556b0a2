"""Expressions as functions of the world."""

from __future__ import annotations

from collections.abc import Callable

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
    Model,
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
from .state import Fault, Message, Process, Value, World
from .walk import location_of


class Evaluator:
    """Turns expressions into functions, once.

    `channel_types` grows while channels are created; `enabled` says whether a process can take a step.
    """

    def __init__(
        self, model: Model, channel_types: list[ChannelType], enabled: Callable[[World, int], bool]
    ) -> None:
        self.model, self.channel_types, self.enabled = model, channel_types, enabled
        self.template_number = {t.name: i for i, t in enumerate(model.templates)}
        self.memory: dict[int, tuple[Expr, Value]] = {}

    def value(self, e: Expr) -> Value:
        known = self.memory.get(id(e))
        if known is None:
            known = self.memory[id(e)] = (e, self.build(e))
        return known[1]

    def build(self, e: Expr) -> Value:
        """An expression as a function of the world; faults are raised when it is called."""
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
        location = location_of(e)
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
        return self.channel_types[w.channels[index].type]

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
        templates = self.model.templates
        return int(not any(p.location in templates[p.template].progress_locations for p in w.processes))

    def process_query(self, e: Expr) -> Value:
        """What expressions ask about other processes; of one that is not there the answer is 0."""
        match e:
            case Enabled(pid):
                which = self.value(pid)
                return lambda w: int(self.enabled(w, which(w)))
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
        number = self.template_number[template.name]
        if pid is None:
            return lambda w: next((p for p in w.processes if p.template == number), None)
        which = self.value(pid)

        def find(w: World) -> Process | None:
            i = which(w)
            return w.processes[i] if 0 <= i < len(w.processes) and w.processes[i].template == number else None

        return find

    def at_label(self, e: AtLabel) -> Value:
        template = self.model.template(e.template)
        find, target = self.finder(template, e.pid), template.label(e.label)
        return lambda w: int((p := find(w)) is not None and p.location == target)

    def remote_read(self, e: RemoteRead) -> Value:
        find = self.finder(self.model.template(e.template), e.pid)
        offset = self.offset(e.place) if e.place.indices else self.value(Const(e.place.variable.base))
        return lambda w: 0 if (p := find(w)) is None else p.frame[offset(w)]
