"""Values in registers as terms over what was loaded: what code computes from the number that a thread was given.

A term is a number, what a carrier held when an instruction loaded it, or made from two terms.  What cannot be followed
is unknown, but for the carriers and the variables of the program that it was made from.

Reference: King, CACM 1976 (symbolic execution).
Differs: straight from machine code, without conditions of paths; the runtime computes the terms for all numbers that a
carrier may hold (numbers/numbers.c), so that nothing has to be recognised: (i + 1) % n is just a term.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import gcd
from typing import NamedTuple

from ..constants import Compute

MOST_NODES = 400
WORD = 2**64


class Carrier(NamedTuple):
    """What holds values over time: a variable on the stack, a parameter, a result, a member of structs, a variable."""

    kind: str
    where: str
    name: str  # for people


class Number(NamedTuple):
    """A constant, as 64 bits."""

    value: int


class Carried(NamedTuple):
    """What a carrier held when it was loaded."""

    carrier: Carrier
    at: int  # the instruction


class Address(NamedTuple):
    """Of an object that code makes as it runs: nobody knows its number.

    A variable of the own frame, by its place; or a block of the heap, by the instruction behind the call for it.
    """

    of: str  # frame or block
    at: int


class Made(NamedTuple):
    """Computed from two terms, or from one of them."""

    how: Compute
    one: Value
    other: Value | None


class LostValue(NamedTuple):
    """Nobody knows how it is computed, but from these."""

    carriers: frozenset[Carrier]
    numbers: frozenset[int]


class Low(NamedTuple):
    """Only the low bytes are known; the others are still those of something else."""

    size: int
    value: Value
    rest: LostValue


Value = Number | Carried | Address | Made | LostValue | Low
NOTHING = LostValue(frozenset(), frozenset())
ZERO, SIGN = (
    {1: Compute.ZERO8, 2: Compute.ZERO16, 4: Compute.ZERO32},
    {1: Compute.SIGN8, 2: Compute.SIGN16, 4: Compute.SIGN32},
)

CONDITIONS: dict[str, tuple[Compute, bool, bool, bool]] = {  # how, sides exchanged, negated, signed
    "e": (Compute.EQUAL, False, False, False), "ne": (Compute.EQUAL, False, True, False),
    "l": (Compute.LESS, False, False, True), "ge": (Compute.LESS, False, True, True),
    "g": (Compute.LESS, True, False, True), "le": (Compute.LESS, True, True, True),
    "b": (Compute.BELOW, False, False, False), "ae": (Compute.BELOW, False, True, False),
    "a": (Compute.BELOW, True, False, False), "be": (Compute.BELOW, True, True, False),
}  # fmt: skip


def number(value: int) -> Number:
    return Number(value % WORD)


def terms(value: Value) -> Iterator[Value]:
    """The term and all that it is made of, in the order of the text."""
    yield value
    match value:
        case Made(_, one, other):
            yield from terms(one)
            if other is not None:
                yield from terms(other)
        case Low(_, inner, rest):
            yield from terms(inner)
            yield rest


def leaves(value: Value) -> Iterator[Carried]:
    return (term for term in terms(value) if isinstance(term, Carried))


def has_address(value: Value) -> bool:
    return any(isinstance(term, Address) for term in terms(value))


def carriers(value: Value) -> frozenset[Carrier]:
    found = {leaf.carrier for leaf in leaves(value)}
    return frozenset(found).union(*(term.carriers for term in terms(value) if isinstance(term, LostValue)))


def numbers(value: Value) -> frozenset[int]:
    """The constants in a term: some of them may be addresses."""
    found = {term.value for term in terms(value) if isinstance(term, Number)}
    return frozenset(found).union(*(term.numbers for term in terms(value) if isinstance(term, LostValue)))


def nodes(value: Value) -> int:
    return sum(not isinstance(term, Low) for term in terms(value))


def lost(values: Iterable[Value]) -> LostValue:
    """Something is made from these, and nobody knows how."""
    known = list(values)
    return LostValue(frozenset().union(*map(carriers, known)), frozenset().union(*map(numbers, known)))


def made(how: Compute, one: Value, other: Value | None = None) -> Value:
    """One term from two; what cannot be followed any more is unknown."""
    parts = [one] if other is None else [one, other]
    if any(isinstance(p, LostValue | Low) for p in parts):
        return lost(parts)
    if all(isinstance(p, Number) for p in parts):
        return Number(compute(how, *(p.value for p in parts if isinstance(p, Number))))
    if other == Number(0) and how in (Compute.ADD, Compute.SUB, Compute.SHL):
        return one
    found = Made(how, one, other)
    few = len(set(leaves(found))) <= 2
    return found if few and nodes(found) <= MOST_NODES else lost(parts)


def narrow(value: Value, size: int) -> Value:
    """The low bytes, the others zero."""
    if size >= 8:
        return lost([value]) if isinstance(value, Low) else value
    if isinstance(value, Low):
        return narrow(value.value, size) if size <= value.size else lost([value])
    if isinstance(value, Made) and value.how == ZERO[size]:
        return value
    return made(ZERO[size], value)


def written(old: Value, value: Value, size: int) -> Value:
    """What a register holds when a part of it is written: four bytes clear the others, fewer leave them."""
    return Low(size, value, lost([old])) if size < 4 else narrow(value, size)


def signed(value: Value, size: int) -> Value:
    """The low bytes, with their sign."""
    if size >= 8:
        return narrow(value, 8)
    low = narrow(value, size)
    return made(SIGN[size], low)


def sign_of(value: Value, size: int) -> Value:
    """0 or -1, of that size."""
    return narrow(made(Compute.SAR, signed(value, size), Number(size * 8 - 1)), size) if size else NOTHING


def _as_signed(value: int, bits: int = 64) -> int:
    value %= 1 << bits
    return value - (1 << bits) if value >> (bits - 1) else value


def compute(how: Compute, one: int, other: int = 0) -> int:
    """What numbers/compute.c computes, too."""
    a, b = _as_signed(one), _as_signed(other)
    match how:
        case Compute.ADD:
            found = one + other
        case Compute.SUB:
            found = one - other
        case Compute.MUL:
            found = one * other
        case Compute.HIGH:
            found = (a * b) >> 64
        case Compute.HIGHU:
            found = (one * other) >> 64
        case Compute.SHL:
            found = one << (other & 63)
        case Compute.SHR:
            found = one >> (other & 63)
        case Compute.SAR:
            found = a >> (other & 63)
        case Compute.AND:
            found = one & other
        case Compute.OR:
            found = one | other
        case Compute.XOR:
            found = one ^ other
        case Compute.ZERO8 | Compute.ZERO16 | Compute.ZERO32:
            found = one % (1 << (8 << (how - Compute.ZERO8)))
        case Compute.SIGN8 | Compute.SIGN16 | Compute.SIGN32:
            found = _as_signed(one, 8 << (how - Compute.SIGN8))
        case Compute.QUOTIENT | Compute.REMAINDER:
            found = _divided(a, b, how == Compute.REMAINDER)
        case Compute.QUOTIENTU | Compute.REMAINDERU:
            found = _divided(one, other, how == Compute.REMAINDERU)
        case Compute.EQUAL:
            found = one == other
        case Compute.LESS:
            found = a < b
        case Compute.BELOW:
            found = one < other
    return int(found) % WORD


def _divided(a: int, b: int, remainder: bool) -> int:
    """As processors divide; by 0, or if the result is too large, they fault, and nothing follows."""
    if b == 0 or (a, b) == (-WORD // 2, -1):
        return 0
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return a - quotient * b if remainder else quotient


def condition_name(name: str) -> str:
    """Of those that have several names: one."""
    return {"z": "e", "nz": "ne", "c": "b", "nc": "ae", "nae": "b", "nb": "ae", "na": "be", "nbe": "a", "nge": "l",
            "nl": "ge", "ng": "le", "nle": "g"}.get(name, name)  # fmt: skip


def postfix(value: Value, order: list[Carried]) -> list[int]:
    """The term for the runtime: pairs of what to do and a number; `order` are the leaves."""
    match value:
        case Number(n):
            return [Compute.NUMBER, n if n < WORD // 2 else n - WORD]
        case Carried():
            return [Compute.CARRIED, order.index(value)]
        case Made(how, one, other):
            second = [] if other is None else postfix(other, order)
            return [*postfix(one, order), *second, how, 0]
    raise AssertionError(value)


# -------------------------------------------------------------------------------------------------- addresses as sums


class Sum(NamedTuple):
    """An address: what was loaded, a constant, and multiples of a step."""

    bases: tuple[Carried | Address, ...]
    offset: int
    step: int  # 0: none


def as_sum(address: Value) -> Sum | None:
    """An address as a sum of what it is computed from; None: it is none."""
    match address:
        case Number(n):
            return Sum((), n, 0)
        case Carried() | Address():
            return Sum((address,), 0, 0)
        case Made(Compute.ADD, one, other) if other is not None:
            a, b = as_sum(one), as_sum(other)
            if a is None or b is None:
                return None
            return Sum(a.bases + b.bases, (a.offset + b.offset) % 2**64, gcd(a.step, b.step))
        case Made():
            return Sum((), 0, _step(address))
    return None


def _step(value: Value) -> int:
    """A number that divides the value, whatever was loaded; 0 is divided by all."""
    match value:
        case Number(n):
            return n
        case Made(Compute.ADD | Compute.SUB, one, other) if other is not None:
            return gcd(_step(one), _step(other))
        case Made(Compute.MUL, one, other) if other is not None:
            return _step(one) * _step(other)
        case Made(Compute.SHL, one, Number(n)):
            return _step(one) << n
    return 1
