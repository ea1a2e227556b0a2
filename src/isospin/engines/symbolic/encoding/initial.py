"""The set of initial states.

Reference: `Interpreter.initialise`, which this file follows.
Differs: variables with a choice of values are not enumerated: the set is one diagram.
"""

from __future__ import annotations

from ....core.errors import Location
from ....core.model import Expr, NewChannel, Variable
from ....semantics.start import free_slots
from ....semantics.state import State
from ..backend import Bdd, conjunction, disjunction
from .layout import Codec, Key
from .numbers import Number
from .start import NotEncodable
from .transitions import TransitionSystem
from .world import World


def cube(machine: TransitionSystem, codec: Codec, state: State, control: int | None = None) -> Bdd:
    """One state as a set."""
    manager = machine.manager
    result = manager.true
    for bit, value in sorted(codec.bits(state, control).items(), reverse=True):
        variable = manager.variable(bit)
        result = result & (variable if value else ~variable)
    return result


class Initial:
    """Gives a value, or a choice of values, to every part of the state."""

    def __init__(self, machine: TransitionSystem) -> None:
        self.machine, self.layout, self.numbers = machine, machine.layout, machine.numbers
        self.manager = machine.manager
        self.w = World(machine.encoding, 0, self.manager.true)
        self.w.store = dict.fromkeys(self.layout.fields, self.numbers.zero)
        self.free = dict(free_slots(self.layout.model.globals))
        self.allowed = self.manager.true

    def states(self) -> Bdd:
        """All initial states as one set: fixed values, chosen ones, and the condition on them."""
        channels = {c.offset: c for c in self.layout.model.channels}
        for variable in self.layout.model.globals:
            for i in range(variable.size):
                self.fill(("global", variable.base + i), variable, i, channels)
        for pid in range(len(self.layout.templates)):
            self.process(pid)
        self.w.condition = self.w.condition & self.allowed
        holds = self.machine.evaluator.truth(self.w, self.layout.model.initially)
        if self.machine.encoding.events:
            raise NotEncodable(Location(self.layout.model.file), "the choice of initial states may fault")
        return self.w.condition & holds & self.equations()

    def process(self, pid: int) -> None:
        """Put a process that exists at the start where it begins, with its arguments and initial values."""
        template, self.w.pid = self.layout.templates[pid], pid
        self.w.go(pid, template.entry)
        values = self.layout.model.instances[pid].values
        for variable, value in zip(template.parameters, values, strict=True):
            self.w.set(("local", pid, variable.base), self.numbers.wrap(self.numbers.constant(value), variable.type))
        channels = {c.offset: c for c in template.channels}
        for variable in template.locals[len(template.parameters) :]:
            for i in range(variable.size):
                self.fill(("local", pid, variable.base + i), variable, i, channels)
        self.w.pid = 0

    def fill(self, key: Key, variable: Variable, i: int, channels: dict[int, NewChannel]) -> None:
        """One element of a variable: a new channel, one of several values, or its initial value."""
        slot = int(key[-1])
        if slot in channels:
            owner = int(key[1]) if key[0] == "local" else None
            numbers = [c for c, q in enumerate(self.layout.queues) if q.owner == owner]
            which = list(channels).index(slot)
            self.w.set(key, self.numbers.constant(numbers[which] + 1))
        elif key[0] == "global" and slot in self.free:
            self.choose(key, self.free[slot])
        elif variable.initial:
            self.w.set(key, self.numbers.wrap(self.initial_value(variable.initial, i), variable.type))

    def choose(self, key: Key, choices: tuple[int, ...]) -> None:
        part = self.layout.fields.get(key)
        if part is None:
            return
        free = self.machine.encoding.now[key]
        self.w.store[key] = free
        equal = [self.numbers.equal(free, self.numbers.constant(v)) for v in dict.fromkeys(choices)]
        self.allowed = self.allowed & disjunction(self.manager, equal)

    def initial_value(self, initial: tuple[Expr, ...], i: int) -> Number:
        if len(initial) > 1 and i >= len(initial):
            return self.numbers.zero
        return self.machine.evaluator.value(self.w, initial[0] if len(initial) == 1 else initial[i])

    def equations(self) -> Bdd:
        parts = []
        for key, part in self.layout.fields.items():
            for i, bit in enumerate(part.bits):
                value = self.numbers.bit(self.w.store[key], i)
                parts.append(~self.manager.xor(self.manager.variable(bit), value))
        return conjunction(self.manager, reversed(parts))
