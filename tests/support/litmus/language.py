"""A small language of threads with atomic accesses: what litmus tests are made of.

A value is a number, the name of a register, or an operator with two values: `("+", "r0", 1)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import add, and_, eq, mul, ne, or_, sub, xor
from typing import NamedTuple, TypeAlias

PLAIN, RELAXED, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST = "plain", "relaxed", "acquire", "release", "acq_rel", "seq_cst"
LOAD_ORDERS = (RELAXED, ACQUIRE, SEQ_CST)
STORE_ORDERS = (RELAXED, RELEASE, SEQ_CST)
UPDATE_ORDERS = (RELAXED, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST)
FENCE_ORDERS = (ACQUIRE, RELEASE, ACQ_REL, SEQ_CST)
EXCHANGE = "exchange"
OPERATORS = {"+": add, "-": sub, "*": mul, "^": xor, "&": and_, "|": or_, "==": eq, "!=": ne}
UPDATES = {"add": "+", "sub": "-", "or": "|", "xor": "^", "and": "&"}

Value: TypeAlias = "int | str | tuple[str, Value, Value]"
Registers: TypeAlias = Mapping[str, int]
State: TypeAlias = tuple[tuple[str, int], ...]  # `0:r0` of thread 0, and places, by their names


class Load(NamedTuple):
    """A register gets what is in a place."""

    register: str
    place: str
    order: str


class Store(NamedTuple):
    """A place gets a value."""

    place: str
    value: Value
    order: str


class Update(NamedTuple):
    """A read-modify-write (a key of UPDATES, or EXCHANGE); the register gets what was there before."""

    register: str
    place: str
    how: str
    value: Value
    order: str


class Compare(NamedTuple):
    """A strong compare-and-exchange: the register says whether it succeeded, `seen` gets what was there before."""

    register: str
    seen: str
    place: str
    expected: int
    desired: Value
    order: str
    failing: str


class Fence(NamedTuple):
    """A fence."""

    order: str


class Await(NamedTuple):
    """Load again and again until the value is there.  Rounds that fail are no part of an execution."""

    register: str
    place: str
    value: int
    order: str


class Success(NamedTuple):
    """A compare-and-exchange that succeeds: one that does not makes the loop around it go round once more."""

    place: str
    expected: Value
    desired: Value
    order: str


class Retry(NamedTuple):
    """Add to a place by a loop of a load and a compare-and-exchange; the register gets what was there before."""

    register: str
    place: str
    value: int
    reading: str
    order: str

    @property
    def last_round(self) -> Code:
        wanted = Success(self.place, self.register, ("+", self.register, self.value), self.order)
        return (Load(self.register, self.place, self.reading), wanted)


class Lock(NamedTuple):
    """Take a lock; it is free at the start."""

    place: str


class Unlock(NamedTuple):
    """Give a lock back."""

    place: str


class If(NamedTuple):
    """Code that depends on a value: anything but 0 is true."""

    condition: Value
    then: Code
    otherwise: Code = ()


Statement: TypeAlias = "Load | Store | Update | Compare | Fence | Await | Success | Retry | Lock | Unlock | If"
Code: TypeAlias = "tuple[Statement, ...]"


class Program(NamedTuple):
    """Threads over shared places; those that are not named here are 0 at the start."""

    name: str
    threads: tuple[Code, ...]
    initial: tuple[tuple[str, int], ...] = ()

    @property
    def locks(self) -> tuple[str, ...]:
        return tuple(sorted({s.place for s in self.statements() if isinstance(s, Lock | Unlock)}))

    @property
    def places(self) -> tuple[str, ...]:
        """Without locks."""
        found = {s.place for s in self.statements() if not isinstance(s, Fence | If | Lock | Unlock)}
        return tuple(sorted(found | {place for place, _ in self.initial}))

    @property
    def plain(self) -> frozenset[str]:
        """Places that are accessed without atomics."""
        accesses = (s for s in self.statements() if isinstance(s, Load | Store))
        return frozenset(s.place for s in accesses if s.order == PLAIN)

    def statements(self) -> list[Statement]:
        """All of them, also those inside of others."""
        return [s for code in self.threads for s in inside(code)]

    def start(self, place: str) -> int:
        return dict(self.initial).get(place, 0)


def inside(code: Code) -> list[Statement]:
    found: list[Statement] = []
    for statement in code:
        found.append(statement)
        if isinstance(statement, If):
            found += inside(statement.then) + inside(statement.otherwise)
    return found


def registers(code: Code) -> tuple[str, ...]:
    """All that a thread writes, in the order in which they come."""
    names: list[str] = []
    for s in inside(code):
        if isinstance(s, Load | Update | Compare | Await | Retry):
            names.append(s.register)
        if isinstance(s, Compare):
            names.append(s.seen)
    return tuple(dict.fromkeys(names))


def value_of(value: Value, known: Registers) -> int:
    """What an expression is worth; registers that nobody has written are 0."""
    if isinstance(value, int):
        return value
    if isinstance(value, str):
        return known.get(value, 0)
    operator, one, other = value
    return int(OPERATORS[operator](value_of(one, known), value_of(other, known)))


def updated(how: str, before: int, value: int) -> int:
    return value if how == EXCHANGE else int(OPERATORS[UPDATES[how]](before, value))


def final_state(program: Program, known: list[dict[str, int]], memory: Mapping[str, int]) -> State:
    """All registers and all places at the end; those that were never written are 0."""
    found = {f"{t}:{name}": known[t].get(name, 0) for t, code in enumerate(program.threads) for name in registers(code)}
    return tuple(sorted((found | {place: memory[place] for place in program.places}).items()))
