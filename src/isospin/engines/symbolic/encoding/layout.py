"""Which bits stand for what, and in which order they are asked.

Reference: Aziz, Tasiran, Brayton, BDD Variable Ordering for Interacting Finite State Machines (1994).
Differs: two fixed orders, both measured.  For processes with pointers to each other: all modes, then their variables
field by field, and the global ones last, or first where many processes are exchanged: they decide which come first.
For others everything of one process together, unless symmetry compares processes, which needs what is compared side by
side.  Beside each bit there is one more, for the new value of variables whose new value depends on the old one; it is
used by few steps and costs nothing where it is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from ....analysis.ranges import Interval, Ranges
from ....core.errors import InternalError
from ....core.model import (
    INT,
    ChannelType,
    Const,
    Deterministic,
    End,
    Guard,
    Instance,
    Model,
    Place,
    Self,
    Sort,
    Template,
    Variable,
)
from ....core.records import dataclass
from ....semantics.interp import Interpreter
from ....semantics.state import Channel, Process, State
from ....semantics.walk import expressions, stored, subexpressions
from .start import Begin, before_run, runs

Key: TypeAlias = tuple[str | int, ...]
# ("control",), ("at", pid), ("global", slot), ("local", pid, slot), ("length", channel),
# ("message", channel, position, field)
CONTROL: Key = ("control",)
FEW = 4  # processes, NULL included
DEAD = -1  # the location of a process that has ended


@dataclass(frozen=True)
class BitField:
    """A part of the state: its bits, lowest first."""

    key: Key
    bits: tuple[int, ...]  # numbers of variables of the diagrams
    signed: bool = False


@dataclass(frozen=True)
class _ChannelBits:
    """A channel, and the process whose it is (None: a global one)."""

    type: ChannelType
    owner: int | None


class Layout:
    """Everything that a state consists of; parts that never change are constants and have no bits."""

    def __init__(self, model: Model, start: Begin, exchanged: bool = False) -> None:
        self.model, self.start = model, start
        self.exchanged = exchanged  # are processes compared with each other?
        self.templates = [model.templates[t] for t in start.processes]
        self.queues = list(self.channels())
        self.places = [self.locations(t) for t in self.templates]
        self.variables: dict[Key, Variable] = {("global", v.base + i): v for v in model.globals for i in range(v.size)}
        for pid, template in enumerate(self.templates):
            self.variables |= {("local", pid, v.base + i): v for v in template.locals for i in range(v.size)}
        # SOUND: what was sent before the search starts may have come from variables that have other values by now.
        messages = (m for state in start.states for channel in state.channels for m in channel.messages)
        self.ranges = Ranges(_started(model, start), messages)
        self.constants: dict[Key, int] = dict(self.find_constants())
        self.fields: dict[Key, BitField] = {}
        self.known_limits: dict[Key, Interval | None] = {}
        self.count = 0
        for key, bounds in self.parts():
            if key not in self.constants:
                self.allocate([key], bounds)
        for c, queue in enumerate(self.queues):
            for i, kind in enumerate(queue.type.fields):
                # A message that moves up is copied bit by bit, so its bits stand beside each other.
                keys = [("message", c, position, i) for position in range(queue.type.capacity)]
                self.allocate(keys, self.ranges.sent(i, len(queue.type.fields), kind))

    def channels(self) -> Iterator[_ChannelBits]:
        yield from (_ChannelBits(c.type, None) for c in self.model.channels)
        for pid, template in enumerate(self.templates):
            yield from (_ChannelBits(c.type, pid) for c in template.channels)

    @staticmethod
    def locations(template: Template) -> list[int]:
        """The locations that a process may rest at; DEAD if it may die."""
        found = {a.source for a in template.actions}
        inner = {i for a in template.actions if isinstance(a.step, Deterministic) for i in a.step.inside}
        resting = {template.entry} | {a.target for a in template.actions if a.source not in inner}
        # Behind the last `run` nobody can come to a place from which there is one.
        outer = sorted(found - (inner - resting) - before_run(template))
        mortal = any(isinstance(a.step, End) for a in template.actions)
        return outer + [DEAD] if mortal else outer

    # ---------------------------------------------------------------- what there is

    def parts(self) -> Iterator[tuple[Key, Interval]]:
        """All parts of the state in the order of their bits, with the values that they can have."""
        if any(a.keeps_control for t in self.templates for a in t.actions):
            yield CONTROL, (0, len(self.templates))
        owned = any(v.owned for v in self.model.globals)
        yield from self.by_field(owned) if owned or self.exchanged else self.by_process()
        for c, queue in enumerate(self.queues):
            if queue.type.capacity:
                yield ("length", c), (0, queue.type.capacity)

    def by_field(self, owned: bool) -> Iterator[tuple[Key, Interval]]:
        """For processes that point to each other, or are compared: what they have in common stays together."""
        single = [part for v in self.seen() if v.size == 1 for part in self.elements(v)]
        # Where few are exchanged, there is little to compare, and steps are cheaper the other way round: measured.
        early = not owned or (self.exchanged and len(self.templates) > FEW)
        yield from single if early else ()
        for pid in range(len(self.templates)):
            yield self.location(pid)
        for name in dict.fromkeys(t.name for t in self.templates):
            frames = [self.locals(pid) for pid, t in enumerate(self.templates) if t.name == name]
            yield from (part for parts in zip(*frames, strict=True) for part in parts)
        # Narrow fields first, and the pointer that was declared last before the others: measured.
        for v in sorted(self.seen(), key=lambda v: (not v.owned, self.width(v) if v.owned else 0, -v.base)):
            yield from self.elements(v) if v.size > 1 else ()
        yield from () if early else single

    def by_process(self) -> Iterator[tuple[Key, Interval]]:
        """What belongs to a process stays together; an index is asked before the array."""
        rows = [v for v in self.seen() if v.size > 1]
        own = [v for v in rows if v.base in self.own_arrays()]
        for v in self.seen():
            yield from self.elements(v) if v.size == 1 else ()
        for pid in range(len(self.templates)):
            yield self.location(pid)
            yield from self.locals(pid)
            for v in own:
                if pid < v.size:
                    yield ("global", v.base + pid), self.bounds("", v)
        for v in own:
            yield from list(self.elements(v))[len(self.templates) :]
        for v in rows:
            yield from self.elements(v) if v not in own else ()

    def seen(self) -> list[Variable]:
        return [v for v in self.model.globals if not v.hidden]

    def own_arrays(self) -> set[int]:
        """The globals that processes index by their own number."""
        steps = [a.step for t in self.templates for a in t.actions]
        places = (e for s in steps for outer in expressions(s) for e in subexpressions(outer) if isinstance(e, Place))
        return {p.variable.base for p in places if p.indices == (Self(),)}

    def elements(self, variable: Variable) -> Iterator[tuple[Key, Interval]]:
        for i in range(variable.size):
            yield ("global", variable.base + i), self.bounds("", variable)

    def width(self, variable: Variable) -> int:
        low, high = self.bounds("", variable)
        return high - low

    def location(self, pid: int) -> tuple[Key, Interval]:
        return ("at", pid), (0, len(self.places[pid]) - 1)

    def locals(self, pid: int) -> Iterator[tuple[Key, Interval]]:
        template = self.templates[pid]
        for v in template.locals:
            for i in range(v.size):
                yield ("local", pid, v.base + i), self.bounds(template.name, v)

    def bounds(self, template: str, variable: Variable) -> Interval:
        low, high = self.ranges.known.get((template, variable.base), (INT.low, INT.high))
        return max(low, variable.type.low), min(high, variable.type.high)

    def limits(self, key: Key) -> Interval | None:
        """Between which values a part of the state lies; None if nothing is known of it."""
        if key not in self.known_limits:
            self.known_limits[key] = self.find_limits(key)
        return self.known_limits[key]

    def find_limits(self, key: Key) -> Interval | None:
        """As `limits`, the first time."""
        if key in self.constants:
            return self.constants[key], self.constants[key]
        match key[0]:
            case "at":
                return 0, len(self.places[int(key[1])]) - 1
            case "control":
                return 0, len(self.templates)
            case "length":
                return 0, self.queues[int(key[1])].type.capacity
        variable = self.variables.get(key)
        if variable is None:
            return None
        return self.bounds(self.templates[int(key[1])].name if key[0] == "local" else "", variable)

    def allocate(self, keys: Sequence[Key], bounds: Interval) -> None:
        """Bits for parts with the same bounds; the highest is asked first."""
        low, high = bounds
        width = max(high.bit_length(), (~low).bit_length()) + 1 if low < 0 else high.bit_length()
        for n, key in enumerate(keys):
            bits = tuple(2 * (self.count + (width - 1 - i) * len(keys) + n) for i in range(width))
            self.fields[key] = BitField(key, bits, low < 0)
        self.count += width * len(keys)

    # ---------------------------------------------------------------- constants

    def find_constants(self) -> Iterator[tuple[Key, int]]:
        """Variables that nobody writes, with one value in all states where the search starts."""
        written = {("", v.base) for v in self.model.globals if v.choices}
        for template in {t.name: t for t in self.templates}.values():
            mortal = any(isinstance(a.step, End) for a in template.actions)
            written |= {(template.name, v.base) for v in template.locals if mortal}
            written |= {(template.name if v.is_local else "", v.base) for v in _changed(template)}
        for key, variable in self.variables.items():
            owner = self.templates[int(key[1])].name if key[0] == "local" else ""
            if (owner, variable.base) not in written and not variable.hidden:
                values = {self.value(state, key) for state in self.starting(key, variable)}
                if len(values) == 1:
                    yield key, values.pop()

    def starting(self, key: Key, variable: Variable) -> list[State]:
        """States that show all values that the variable can start with; none if that is not known."""
        if self.start.states or self.start.sample is None:
            return self.start.states
        given = key[0] == "local" and any(v.base == variable.base for v in self.templates[int(key[1])].parameters)
        # SOUND: what is computed may depend on the choices.
        known = given or variable.type.sort is Sort.CHANNEL or all(isinstance(e, Const) for e in variable.initial)
        return [self.start.sample] if known else []

    @staticmethod
    def value(state: State, key: Key) -> int:
        if key[0] == "global":
            return state.values[int(key[1])]
        pid = int(key[1])
        return state.processes[pid].frame[int(key[2])] if pid < len(state.processes) else 0


def _resting(template: Template) -> tuple[int, ...]:
    """What is left in the variables of a process that has ended."""
    frame = [0] * template.frame_size
    for v in template.locals:
        frame[v.base : v.base + v.size] = [v.rest] * v.size
    return tuple(frame)


def _changed(template: Template) -> Iterator[Variable]:
    for action in template.actions:
        yield from (p.variable for p in stored(action.step))
        yield from action.clears


def _started(model: Model, start: Begin) -> Model:
    """A model for `Ranges`: nothing is started any more, and the initial values span those of the states."""

    def spans(variable: Variable, values: Iterable[int]) -> Variable:
        constants = tuple(Const(x) for x in dict.fromkeys(values))
        return replace(variable, initial=constants, choices=()) if constants else variable

    def settled(template: Template, number: int) -> Template:
        frames = [p.frame for s in start.states for p in s.processes if p.template == number]
        locals_ = tuple(spans(v, [f[v.base + i] for f in frames for i in range(v.size)]) for v in template.locals)
        actions = tuple(replace(a, step=Guard(Const(0))) if runs(a) else a for a in template.actions)
        return replace(template, locals=locals_, parameters=locals_[: len(template.parameters)], actions=actions)

    globals_ = tuple(
        spans(v, [s.values[v.base + i] for s in start.states for i in range(v.size)] or v.choices)
        for v in model.globals
    )
    templates = tuple(settled(t, i) for i, t in enumerate(model.templates))
    if start.states:
        instances = tuple(Instance(model.templates[t].name) for t in start.processes)
    else:
        instances = model.instances
    return replace(model, globals=globals_, templates=templates, instances=instances)


# ------------------------------------------------------------------------------------------------ states


class Codec:
    """States as bits, and back."""

    def __init__(self, layout: Layout, interpreter: Interpreter) -> None:
        self.layout, self.interpreter = layout, interpreter

    def values(self, state: State, control: int | None = None) -> dict[Key, int]:
        """A state as a value for each field of the layout; a process that does not exist is dead, and at rest."""
        layout = self.layout
        found: dict[Key, int] = {CONTROL: 0 if control is None else control + 1}
        for slot, value in enumerate(state.values):
            found["global", slot] = value
        for pid, template in enumerate(layout.templates):
            alive = pid < len(state.processes)
            location = state.processes[pid].location if alive else DEAD
            found["at", pid] = layout.places[pid].index(location)
            frame = state.processes[pid].frame if alive else _resting(template)
            found |= {("local", pid, slot): value for slot, value in enumerate(frame)}
        for c, queue in enumerate(layout.queues):
            messages = state.channels[c].messages if c < len(state.channels) else ()
            found["length", c] = len(messages)
            for position in range(queue.type.capacity):
                for i in range(len(queue.type.fields)):
                    found["message", c, position, i] = messages[position][i] if position < len(messages) else 0
        return found

    def bits(self, state: State, control: int | None = None) -> dict[int, bool]:
        values = self.values(state, control)
        found = {
            bit: bool(values[key] >> i & 1)
            for key, part in self.layout.fields.items()
            for i, bit in enumerate(part.bits)
        }
        # SOUND: a value that was cut off would be another state.
        if any(self.number(found, key) != values[key] for key in self.layout.fields):
            raise InternalError("a value does not fit into the bits that its range gave it")
        return found

    def number(self, bits: dict[int, bool], key: Key) -> int:
        if key in self.layout.constants:
            return self.layout.constants[key]
        part = self.layout.fields.get(key)
        if part is None:
            return 0
        value = sum(bits.get(bit, False) << i for i, bit in enumerate(part.bits))
        return value - (1 << len(part.bits)) if part.signed and bits.get(part.bits[-1], False) else value

    def state(self, bits: dict[int, bool]) -> tuple[State, int | None]:
        """The state, and who holds control.  What is hidden is 0."""
        layout = self.layout
        values = tuple(self.number(bits, ("global", slot)) for slot in range(layout.model.frame_size))
        processes = []
        for pid, template in enumerate(layout.templates):
            location = layout.places[pid][self.number(bits, ("at", pid))]
            frame = tuple(self.number(bits, ("local", pid, slot)) for slot in range(template.frame_size))
            if location != DEAD:
                processes.append(Process(layout.start.processes[pid], location, frame))
        channels = []
        for c, queue in enumerate(layout.queues):
            if queue.owner is None or queue.owner < len(processes):
                messages = tuple(
                    tuple(self.number(bits, ("message", c, position, i)) for i in range(len(queue.type.fields)))
                    for position in range(self.number(bits, ("length", c)))
                )
                channels.append(Channel(self.interpreter.channel_types.index(queue.type), messages))
        control = self.number(bits, CONTROL) - 1
        return State(values, tuple(channels), tuple(processes)), None if control < 0 else control
