"""How large things get: looked up in a few runs of the interpreter, corrected when the engine finds more.

Reference: none.
Differs: instead of proving ranges we guess them and check every store: a value that does not fit stops the engine,
which then starts again with a larger layout.  A guess can cost time, never a wrong result.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from random import Random

from ....analysis.ranges import Ranges
from ....core.model import Scalar, Sort, Variable, is_pointer
from ....core.records import dataclass
from ....semantics.interp import Interpreter
from ....semantics.state import Fault, Process, State
from ..constants import MOST_ALIVE, WHERE, Overflow, OverflowKind
from .facts import Facts, calls_of, never_assigned

WALKS = 8
STEPS = 400
EFFORT = 60_000  # values looked at
MOST_RESTARTS = 3
NARROW = 15  # a proven range up to this is taken as it is

Range = tuple[int, int]
Settle = Callable[[State], State]


@dataclass
class Sizes:
    """What a layout must hold: ranges of values, templates that a process slot may get, types of channel slots, slots
    of the heap, calls inside calls."""

    values: dict[tuple[int, ...], Range] = field(default_factory=dict)
    slots: list[set[int]] = field(default_factory=list)
    channels: list[set[int]] = field(default_factory=list)
    objects: int = 1
    depths: dict[int, int] = field(default_factory=dict)  # by template that calls functions
    # by template and number of a local variable that is never assigned: what it is in the processes of each slot
    fixed: dict[tuple[int, int], dict[int, int]] = field(default_factory=dict)
    restarts: int = 0

    def see(self, key: tuple[int, ...], value: int) -> None:
        """This value must fit there."""
        low, high = self.values.get(key, (0, 0))
        if not low <= value <= high:
            self.values[key] = (min(low, value), max(high, value))

    def see_process(self, pid: int, template: int) -> None:
        _see_kind(self.slots, pid, template)

    def see_channel(self, number: int, kind: int) -> None:
        _see_kind(self.channels, number, kind)

    def range(self, key: tuple[int, ...], kind: Scalar) -> Range:
        """The values that there is room for; all of the type if guessing has failed too often."""
        if is_pointer(kind):
            return 0, self.objects
        if self.restarts > MOST_RESTARTS:
            return kind.low, kind.high
        low, high = self.values.get(key, (0, 0))
        return max(low, kind.low), min(high, kind.high)


def _see_kind(places: list[set[int]], number: int, kind: int) -> None:
    """What is in this place may be of this kind."""
    if number == len(places):
        places.append(set())
    places[number].add(kind)


VALUES = (OverflowKind.GLOBAL, OverflowKind.LOCAL, OverflowKind.FIELD, OverflowKind.OBJECT, OverflowKind.SAVED)


def probe(facts: Facts, settle: Settle | None = None) -> Sizes:
    """Look around; `settle` is what the search does to the heap of a state before it goes on from there."""
    sizes = Sizes(fixed={key: {} for key in never_assigned(facts)})
    watch = _Watch(facts, sizes)
    for state in facts.initial[:16]:
        watch.see(state)
    for state in facts.initial[16:]:
        watch.see_fixed(state)
    _expect(facts, sizes)
    random = Random(1)
    for walk in range(WALKS):
        _stroll(facts.interpreter, facts.initial[walk % len(facts.initial)], random, watch, settle)
    return sizes


def _expect(facts: Facts, sizes: Sizes) -> None:
    """What is known without running: names of mtypes, and variables that provably stay small."""
    most = {group: len(names) for group, names in facts.model.mtypes}
    proven = Ranges(facts.model).known

    def scalar(key: tuple[int, ...], kind: Scalar, interval: Range) -> None:
        if kind.sort is Sort.MTYPE:
            sizes.see(key, most.get(kind.enum, max(most.values(), default=0)))
        elif interval[0] >= -NARROW and interval[1] <= NARROW:
            sizes.see(key, interval[0])
            sizes.see(key, interval[1])

    for i, v in enumerate(facts.model.globals):
        scalar((OverflowKind.GLOBAL, i), v.type, proven["", v.base])
    for number, t in enumerate(facts.model.templates):
        for i, v in enumerate(t.locals):
            scalar((OverflowKind.LOCAL, number, i), v.type, proven[t.name, v.base])
            sizes.see((OverflowKind.LOCAL, number, i), v.rest)  # SOUND: clearing does not look whether it fits
    for number, channel in enumerate(facts.channel_types):
        for f, kind in enumerate(channel.fields):
            scalar((OverflowKind.FIELD, number, f), kind, (kind.low, kind.high))
    for number, o in enumerate(facts.model.objects):
        for i, v in enumerate(o.fields):
            scalar((OverflowKind.OBJECT, number, i), v.type, (v.type.low, v.type.high))


def _stroll(interpreter: Interpreter, state: State, random: Random, watch: _Watch, settle: Settle | None) -> None:
    """One run at random; all states beside the way are looked at, too."""
    control = None
    for _ in range(STEPS):
        if watch.effort > EFFORT:
            return
        try:
            taken = [t for t in interpreter.steps(state, control) if t.state is not None]
        except Fault:
            return
        for t in taken:
            if t.state is not None:
                watch.see(t.state)
        if not taken:
            if control is None:
                return
            control = None
            continue
        chosen = random.choice(taken)
        assert chosen.state is not None
        state, control = chosen.state, chosen.control
        if settle is not None and control is None:
            state = settle(state)


class _Watch:
    """Notes the largest values, numbers of processes and channels that were seen."""

    def __init__(self, facts: Facts, sizes: Sizes) -> None:
        self.facts, self.sizes = facts, sizes
        self.effort = 0
        self.globals = numbered(facts.model.globals)
        self.locals = [numbered(t.locals) for t in facts.model.templates]
        self.objects = [numbered(o.fields) for o in facts.model.objects]
        self.calls = [calls_of(t) for t in facts.model.templates]
        for number in (n for n, calls in enumerate(self.calls) if calls):
            sizes.depths[number] = 1

    def see(self, state: State) -> None:
        """Note every value of a state; `effort` says how much looking that was."""
        sizes = self.sizes
        self.effort += len(state.values) + sum(len(p.frame) for p in state.processes) + 10
        for base, value in enumerate(state.values):
            if value:
                sizes.see((OverflowKind.GLOBAL, self.globals[base]), value)
        for pid, process in enumerate(state.processes):
            sizes.see_process(pid, process.template)
            names = self.locals[process.template]
            for offset, value in enumerate(process.frame):
                if value:
                    sizes.see((OverflowKind.LOCAL, process.template, names[offset]), value)
            self.see_stack(process)
        self.see_fixed(state)
        self.see_channels(state)
        self.see_heap(state)

    def see_fixed(self, state: State) -> None:
        """Note what variables are that are never assigned; one that differs in a slot is not fixed."""
        for key in list(self.sizes.fixed) if self.sizes.fixed else []:
            template, number = key
            base, seen = self.facts.model.templates[template].locals[number].base, self.sizes.fixed[key]
            for pid, process in enumerate(state.processes):
                if process.template == template and seen.setdefault(pid, process.frame[base]) != process.frame[base]:
                    del self.sizes.fixed[key]
                    break

    def see_stack(self, process: Process) -> None:
        """What calls save; the slot of a pointer says nothing."""
        if process.stack:
            self.sizes.depths[process.template] = max(self.sizes.depths[process.template], len(process.stack))
        names = self.locals[process.template]
        for entry in process.stack:
            slots = [v.base + i for v in self.calls[process.template][entry[0]].variables for i in range(v.size)]
            for slot, value in zip(slots, entry[1:], strict=True):
                self.sizes.see((OverflowKind.SAVED, process.template, names[slot]), value)

    def see_heap(self, state: State) -> None:
        """Note how many objects there are, and what is in them."""
        self.sizes.objects = max(self.sizes.objects, len(state.heap))
        for cell in state.heap:
            self.effort += len(cell.fields)
            for offset, value in enumerate(cell.fields):
                if value:
                    self.sizes.see((OverflowKind.OBJECT, cell.type - 1, self.objects[cell.type - 1][offset]), value)

    def see_channels(self, state: State) -> None:
        """Note the types of the channels, and what is in their messages."""
        types = self.facts.channel_types
        for number, channel in enumerate(state.channels):
            kind = types.index(self.facts.interpreter.channel_types[channel.type])
            self.sizes.see_channel(number, kind)
            for message in channel.messages:
                for f, value in enumerate(message):
                    self.sizes.see((OverflowKind.FIELD, kind, f), value)


def numbered(variables: tuple[Variable, ...]) -> dict[int, int]:
    """The number of the variable that has a slot of its frame."""
    return {v.base + i: n for n, v in enumerate(variables) for i in range(v.size)}


def enlarge(sizes: Sizes, facts: Facts, overflow: Overflow) -> None:
    """Make room for what did not fit."""
    kind, where, what = overflow
    # how many there are says nothing about how large they get
    sizes.restarts += kind not in (OverflowKind.OBJECTS, OverflowKind.DEPTH, OverflowKind.FIXED)
    runnable = set(range(len(facts.templates)))
    if kind == OverflowKind.PROCESSES:
        more = max(2, len(sizes.slots) // 2)
        sizes.slots += [set(runnable) for _ in range(min(more, MOST_ALIVE - len(sizes.slots)))]
    elif kind == OverflowKind.TEMPLATE:
        sizes.slots[where].add(what)
        for slot in sizes.slots[where + 1 :] if sizes.restarts > 2 else []:
            slot |= runnable
    elif kind == OverflowKind.CHANNELS:
        every = set(range(len(facts.channel_types)))
        more = max(2, len(sizes.channels) // 2)
        sizes.channels += [set(every) for _ in range(min(more, MOST_ALIVE - len(sizes.channels)))]
    elif kind == OverflowKind.TYPE:
        sizes.channels[where].add(what)
    elif kind == OverflowKind.OBJECTS:
        sizes.objects = min(sizes.objects + max(2, sizes.objects // 2), facts.model.max_objects)
    elif kind == OverflowKind.FIXED:
        del sizes.fixed[divmod(where, WHERE)]
    elif kind == OverflowKind.DEPTH:
        sizes.depths[where] = min(max(what, 2 * sizes.depths[where]), facts.model.max_recursion)
    else:
        raise AssertionError(kind)


def enlarge_value(sizes: Sizes, key: tuple[int, ...], value: int, generous: bool = False) -> None:
    """A value did not fit: leave room for somewhat larger ones too, and with `generous` at once for all variables."""
    sizes.restarts += 1
    sizes.see(key, 2 * value + (value > 0))
    if generous or sizes.restarts > 1:  # do not start again for each variable: give all of them two more bits
        for other, (low, high) in list(sizes.values.items()):
            sizes.values[other] = (4 * low, 4 * high + 3)
