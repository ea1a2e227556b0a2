"""How large things get: looked up in a few runs of the interpreter, corrected when the engine finds more.

Reference: none.
Differs: instead of proving ranges we guess them and check every store: a value that does not fit stops the engine,
which then starts again with a larger layout.  A guess can cost time, never a wrong result.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from ...ir.evaluate import Fault, State
from ...ir.interp import Interpreter
from ...ir.ranges import Ranges
from ...model import Scalar, Sort
from .facts import Facts

WALKS = 8
STEPS = 400
EFFORT = 60_000  # values looked at
MOST_RESTARTS = 3
NARROW = 15  # a proven range up to this is taken as it is

Range = tuple[int, int]


@dataclass
class Sizes:
    """What a layout must hold: ranges of values, templates that a process slot may get, types of channel slots."""

    values: dict[tuple[int, ...], Range] = field(default_factory=dict)
    slots: list[set[int]] = field(default_factory=list)
    channels: list[set[int]] = field(default_factory=list)
    restarts: int = 0

    def see(self, key: tuple[int, ...], value: int) -> None:
        low, high = self.values.get(key, (0, 0))
        if not low <= value <= high:
            self.values[key] = (min(low, value), max(high, value))

    def range(self, key: tuple[int, ...], kind: Scalar) -> Range:
        if self.restarts > MOST_RESTARTS:
            return kind.low, kind.high
        low, high = self.values.get(key, (0, 0))
        return max(low, kind.low), min(high, kind.high)


GLOBAL, LOCAL, FIELD, PROCESSES, TEMPLATE, CHANNELS, TYPE = range(1, 8)


def probe(facts: Facts) -> Sizes:
    sizes = Sizes()
    watch = Watch(facts, sizes)
    for state in facts.initial[:16]:
        watch.see(state)
    expect(facts, sizes)
    random = Random(1)
    for walk in range(WALKS):
        stroll(facts.interpreter, facts.initial[walk % len(facts.initial)], random, watch)
    return sizes


def expect(facts: Facts, sizes: Sizes) -> None:
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
        scalar((GLOBAL, i), v.type, proven["", v.base])
    for number, t in enumerate(facts.model.templates):
        for i, v in enumerate(t.locals):
            scalar((LOCAL, number, i), v.type, proven[t.name, v.base])
    for number, channel in enumerate(facts.channel_types):
        for f, kind in enumerate(channel.fields):
            scalar((FIELD, number, f), kind, (kind.low, kind.high))


def stroll(interpreter: Interpreter, state: State, random: Random, watch: Watch) -> None:
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


class Watch:
    def __init__(self, facts: Facts, sizes: Sizes) -> None:
        self.facts, self.sizes = facts, sizes
        self.effort = 0
        self.globals = {v.base + i: n for n, v in enumerate(facts.model.globals) for i in range(v.size)}
        self.locals = [
            {v.base + i: n for n, v in enumerate(t.locals) for i in range(v.size)} for t in facts.model.templates
        ]

    def see(self, state: State) -> None:
        sizes = self.sizes
        self.effort += len(state.values) + sum(len(p.frame) for p in state.processes) + 10
        for base, value in enumerate(state.values):
            if value:
                sizes.see((GLOBAL, self.globals[base]), value)
        for pid, process in enumerate(state.processes):
            if pid == len(sizes.slots):
                sizes.slots.append(set())
            sizes.slots[pid].add(process.template)
            names = self.locals[process.template]
            for offset, value in enumerate(process.frame):
                if value:
                    sizes.see((LOCAL, process.template, names[offset]), value)
        self.see_channels(state)

    def see_channels(self, state: State) -> None:
        types = self.facts.channel_types
        for number, channel in enumerate(state.channels):
            kind = types.index(self.facts.interpreter.channel_types[channel.type])
            if number == len(self.sizes.channels):
                self.sizes.channels.append(set())
            self.sizes.channels[number].add(kind)
            for message in channel.messages:
                for f, value in enumerate(message):
                    self.sizes.see((FIELD, kind, f), value)


def enlarge(sizes: Sizes, facts: Facts, kind: int, where: int, what: int) -> None:
    """Make room for what did not fit."""
    sizes.restarts += 1
    runnable = set(range(len(facts.templates)))
    if kind == PROCESSES:
        more = max(2, len(sizes.slots) // 2)
        sizes.slots += [set(runnable) for _ in range(min(more, 255 - len(sizes.slots)))]
    elif kind == TEMPLATE:
        sizes.slots[where].add(what)
        for slot in sizes.slots[where + 1 :] if sizes.restarts > 2 else []:
            slot |= runnable
    elif kind == CHANNELS:
        every = set(range(len(facts.channel_types)))
        more = max(2, len(sizes.channels) // 2)
        sizes.channels += [set(every) for _ in range(min(more, 255 - len(sizes.channels)))]
    elif kind == TYPE:
        sizes.channels[where].add(what)
    else:
        raise AssertionError(kind)


def enlarge_value(sizes: Sizes, key: tuple[int, ...], value: int) -> None:
    """A value did not fit: leave room for somewhat larger ones too."""
    sizes.restarts += 1
    sizes.see(key, 2 * value + (value > 0))
    if sizes.restarts > 1:  # do not start again for each variable: give all of them two more bits
        for other, (low, high) in list(sizes.values.items()):
            sizes.values[other] = (4 * low, 4 * high + 3)
