"""A set of states that is being changed step by step: the symbolic counterpart of the interpreter's world.

Reference: Wang et al., section 5 (`indirect_condition`, `indirect_assignment`).
Differs: not the set itself is changed, but what every part of the state becomes, as a function of the state before the
step.  A step of many assignments is then one transition, forwards and backwards.
"""

from __future__ import annotations

from collections.abc import Callable

from ....core.errors import NOWHERE, Location
from ....core.model import Action
from ....core.records import dataclass
from ..backend import Bdd, Manager, Substitution
from .layout import BitField, Key, Layout
from .numbers import Arithmetic, Number
from .start import NotEncodable

WIDEST = 11  # bits of a number by whose values states are split


@dataclass(frozen=True)
class SymbolicViolation:
    """A violation: a state as it is, or what happens when process `pid` moves in it."""

    condition: Bdd
    kind: str
    message: str
    location: Location
    pid: int | None = None
    executed: frozenset[int] = frozenset()  # ids of the actions in which it happens


@dataclass(frozen=True)
class Change:
    """In the states of `guard`, the bits change as given."""

    guard: Bdd
    changes: dict[int, Bdd]
    pid: int
    executed: frozenset[int] = frozenset()  # ids of the actions; none: a process that blocks gives control away


class Unknown(Exception):
    """Whom a pointer names is not known, and must be before the step can be encoded."""

    def __init__(self, number: Number) -> None:
        super().__init__()
        self.number = number


class Encoding:
    """What all worlds share: the diagrams, the layout, and the events that were seen."""

    def __init__(self, layout: Layout, manager: Manager, tick: Callable[[], None] = lambda: None) -> None:
        self.layout, self.manager = layout, manager
        self.tick = tick  # called now and then: may end the work by an exception
        self.numbers = Arithmetic(manager)
        self.now: dict[Key, Number] = {key: self.read(part) for key, part in layout.fields.items()}
        self.now |= {key: self.numbers.constant(value) for key, value in layout.constants.items()}
        self.events: list[SymbolicViolation] = []
        self.doubts: list[Bdd] = []  # states in which a value would not fit: none of them may be reached

    def read(self, part: BitField) -> Number:
        bits = [self.manager.variable(bit) for bit in part.bits]
        return self.numbers.narrow(bits) if part.signed else self.numbers.unsigned(bits)

    def is_at(self, pid: int, location: int) -> Bdd:
        place = self.layout.places[pid].index(location)
        return self.numbers.equal(self.now["at", pid], self.numbers.constant(place))

    def settle(self, constant: Substitution) -> None:
        """Bits that never change are in none of the diagrams any more."""
        for key, number in self.now.items():
            self.now[key] = tuple(self.manager.substitute(bit, constant) for bit in number)


class World:
    """The states of `condition`, from the point of view of process `pid`, after some assignments."""

    def __init__(self, encoding: Encoding, pid: int, condition: Bdd, timeout: bool = False) -> None:
        self.encoding, self.pid, self.condition, self.timeout = encoding, pid, condition, timeout
        self.mover = pid  # not the same for the receiver of a rendezvous
        self.focus = encoding.manager.true  # where the expression that is being evaluated matters
        self.store: dict[Key, Number] = {}
        self.facts: dict[Number, Number] | None = None  # pointers that are known; None: nobody asks for them
        self.action: Action | None = None
        self.executed: set[int] = set()
        self.careless = False  # what is evaluated is assigned or printed: hidden variables may be read
        self.tainted = False  # a hidden variable was read

    def fork(self, condition: Bdd) -> World:
        other = World(self.encoding, self.pid, self.condition & condition, self.timeout)
        other.store, other.action, other.executed = dict(self.store), self.action, set(self.executed)
        other.mover, other.facts = self.mover, self.facts
        return other

    @property
    def is_empty(self) -> bool:
        return bool(self.condition == self.encoding.manager.false)

    def get(self, key: Key) -> Number:
        found = self.store.get(key)
        if found is None:
            found = self.encoding.now.get(key)
        if found is None:
            return self.hidden(key)
        return self.facts.get(found, found) if self.facts else found

    def pointer(self, number: Number) -> Number:
        """Whom a pointer names: in a step that is encoded way by way it must be known."""
        if self.facts is None or len(number) > WIDEST or self.encoding.numbers.value(number) is not None:
            return number
        if number in self.facts:
            return self.facts[number]
        if self.condition & self.focus == self.encoding.manager.false:
            return self.encoding.numbers.zero  # nobody looks
        raise Unknown(number)

    def hidden(self, key: Key) -> Number:
        if not self.careless:
            variable = self.encoding.layout.variables[key]
            raise NotEncodable(variable.location, f"{variable.name} is hidden, but others depend on it")
        self.tainted = True
        return self.encoding.numbers.zero

    def set(self, key: Key, value: Number) -> None:
        part = self.encoding.layout.fields.get(key)
        if part is None:
            return  # hidden, or a constant that keeps its value
        numbers, width = self.encoding.numbers, len(part.bits)
        kept = numbers.extend(value, width)
        stored = numbers.narrow(kept) if part.signed else numbers.unsigned(kept)
        if stored != value:
            # SOUND: the ranges say that this cannot happen; the search asks again.
            self.encoding.doubts.append(self.condition & ~numbers.equal(stored, value))
        self.store[key] = stored

    def fault(self, when: Bdd, kind: str, message: str, location: Location = NOWHERE) -> None:
        """The step ends here in some states."""
        where = self.condition & self.focus & when
        if where == self.encoding.manager.false:
            return
        if self.tainted:
            raise NotEncodable(self.place(location), "a fault depends on a hidden variable")
        self.encoding.events.append(SymbolicViolation(where, kind, message, self.place(location), self.mover, self.ids))
        self.condition = self.condition & ~where

    def fails(self, when: Bdd, message: str, location: Location) -> None:
        """An assertion: the step goes on."""
        where = self.condition & when
        if where != self.encoding.manager.false:
            self.encoding.events.append(SymbolicViolation(where, "assertion", message, location, self.mover, self.ids))

    @property
    def ids(self) -> frozenset[int]:
        return frozenset(self.executed)

    def place(self, location: Location) -> Location:
        return self.action.location if location == NOWHERE and self.action is not None else location

    # ---------------------------------------------------------------- processes

    def is_at(self, pid: int, location: int) -> Bdd:
        places, numbers = self.encoding.layout.places[pid], self.encoding.numbers
        if location not in places:
            return numbers.false
        return numbers.equal(self.get(("at", pid)), numbers.constant(places.index(location)))

    def go(self, pid: int, location: int) -> None:
        self.set(("at", pid), self.encoding.numbers.constant(self.encoding.layout.places[pid].index(location)))
