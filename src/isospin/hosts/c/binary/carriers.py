"""Where numbers of threads are kept between two instructions: in variables of the stack, members of structs, globals.

A carrier stands for all places of its kind: `id` of every `struct job` is one.  Each place belongs to one carrier at
most; what belongs to none is compared byte by byte, and only numbers that no renaming changes may be put there.

SOUND for programs whose pointers have the types of what they point to (walks.py).
"""

from __future__ import annotations

from collections.abc import Iterator

from .dwarf import UNKNOWN, Type
from .liveness import Liveness
from .machine import MachineFunction, MachineSymbol
from .values import Carrier
from .variables import Range
from .walks import Walks

MOST_PARTS = 512  # of one variable; of larger ones it is not known what they hold
POINTER = Type("pointer", size=8)  # to anything


class Carriers:
    """Of one file."""

    def __init__(self, walks: Walks) -> None:
        self.walks = walks
        self.types: dict[Carrier, Type] = {}
        self.frames: dict[int, dict[int, tuple[int, Carrier]]] = {}

    # ---------------------------------------------------------------------------------------------- stacks

    def slots(self, function: MachineFunction, liveness: Liveness) -> dict[int, tuple[int, Carrier]]:
        """By offset in the frame: the size, and the carrier.

        SOUND: bytes that are touched in more than one way, or whose address is given away, have none.
        """
        if function.low not in self.frames:
            self.frames[function.low] = self.find_slots(function, liveness)
        return self.frames[function.low]

    def find_slots(self, function: MachineFunction, liveness: Liveness) -> dict[int, tuple[int, Carrier]]:
        touched: set[Range] = set()
        for effects in liveness.frame.effects.values():
            touched.update((*effects.reads, *effects.kills))
        taken = _given_away(liveness)
        known, names = self.walks.slots(function), self.walks.names(function)
        found: dict[int, tuple[int, Carrier]] = {}
        for low, high in sorted(touched):
            others = [*taken, *(each for each in touched if each != (low, high))]
            if low >= 0 or high - low not in (1, 2, 4, 8) or any(a < high and low < b for a, b in others):
                continue
            carrier = Carrier("stack", f"{function.low} {low}", names.get(low, ""))
            found[low] = (high - low, carrier)
            if low in known:
                self.types[carrier] = known[low]
        return found

    def shared(self, function: MachineFunction, liveness: Liveness) -> dict[int, Type]:
        """The variables of a frame that others may touch by pointers, by places: structs, and what has escaped."""
        taken = _given_away(liveness)
        return {
            low: type_
            for low, type_ in self.walks.slots(function).items()
            if _holds_record(type_) or any(a < low + type_.size and low < b for a, b in taken)
        }

    def records(self, function: MachineFunction, liveness: Liveness) -> list[tuple[int, int, Carrier]]:
        """What carries numbers in the shared variables of a frame: offset, size, carrier.

        SOUND: a place has one carrier.  One that has a slot is in a struct to which nobody has a pointer.
        """
        found = []
        own = [(low, low + size) for low, (size, _) in self.slots(function, liveness).items()]
        for low, type_ in self.shared(function, liveness).items():
            for offset, size in scalars(type_, 0):
                at = low + offset
                carrier = self.inside(type_, offset, size, 0, self.variable(function, low))
                if carrier is not None and not any(a < at + size and at < b for a, b in own):
                    found.append((at, size, carrier))
        return found if len(found) <= MOST_PARTS else [(low, 0, carrier) for low, _, carrier in found]

    def all_in(self, function: MachineFunction, low: int, type_: Type) -> set[Carrier]:
        """What carries numbers in one of them."""
        outer = self.variable(function, low)
        every = (self.inside(type_, offset, size, 0, outer) for offset, size in scalars(type_, 0, once=True))
        return {carrier for carrier in every if carrier is not None}

    def variable(self, function: MachineFunction, low: int) -> tuple[str, str]:
        return f"frame {function.low} {low}", self.walks.names(function).get(low, "")

    @staticmethod
    def parameter(function: int, register: str) -> Carrier:
        return Carrier("parameter", f"{function} {register}", "")

    @staticmethod
    def result(function: int) -> Carrier:
        return Carrier("result", str(function), "")

    # ---------------------------------------------------------------------------------------------- memory

    def at(self, symbol: MachineSymbol, offset: int, size: int, step: int = 0) -> Carrier | None:
        """The carrier of some bytes of a variable of the program; None: not one, or not known.

        `step`: multiples of it may be added to the offset.
        """
        type_ = self.walks.globals.get(symbol.low, UNKNOWN)
        if type_.size != symbol.high - symbol.low:
            return None
        return self.inside(type_, offset, size, step, (f"variable {symbol.low}", symbol.name))

    def inside(self, type_: Type, offset: int, size: int, step: int, outer: tuple[str, str]) -> Carrier | None:
        """The same for a type; members of structs have the same carrier in all of them."""
        if type_.kind == "array":
            element = type_.target()
            if not element.size or (step % element.size and element.kind != "array"):
                return None
            inner = step if element.kind == "array" else 0
            return self.inside(element, offset % element.size, size, inner, outer)
        if step:
            return None
        if type_.kind == "record":
            parts = [p for p in type_.parts() if p.offset < offset + size and offset < p.offset + p.type.size]
            if len(parts) != 1:
                return None
            part = parts[0]
            member = (f"{self.key(type_)} {part.offset}", part.name)
            return self.inside(part.type, offset - part.offset, size, 0, member)
        if offset or type_.size != size or size not in (1, 2, 4, 8):
            return None
        carrier = Carrier("memory", *outer)
        self.types[carrier] = self.agreed(self.types.get(carrier, type_), type_)
        return carrier

    def agreed(self, one: Type, other: Type) -> Type:
        """SOUND: structs whose members have the same names may hold pointers to different things."""
        if one is other or one.kind != "pointer" or other.kind != "pointer":
            return one
        first, second = one.target(), other.target()
        if any(each.kind == "record" and not each.size for each in (first, second)):  # only declared there
            return one if first.size else other
        return one if self.name(first) == self.name(second) else POINTER

    def name(self, type_: Type) -> str:
        """Of a type: two that have the same hold the same."""
        return self.key(type_) if type_.kind == "record" else f"{type_.kind} {type_.name} {type_.size}"

    @staticmethod
    def key(type_: Type) -> str:
        members = ",".join(f"{p.name}@{p.offset}" for p in type_.parts())
        return f"struct {type_.size} {members}"

    def pointee(self, carrier: Carrier) -> Type:
        """The type of what the pointers in a carrier point to."""
        type_ = self.types.get(carrier, UNKNOWN)
        return type_.target() if type_.kind == "pointer" else UNKNOWN

    def behind(self, carrier: Carrier, offset: int, size: int, step: int) -> Carrier | None:
        """What is at an offset from a pointer that a carrier holds."""
        target = self.pointee(carrier)
        if target.kind != "record" or not 0 <= offset < target.size or step % target.size:
            return None
        return self.inside(target, offset, size, 0, ("", ""))

    def in_block(self, site: int, type_: Type) -> Carrier | None:
        """Of a block of plain values, made at one place."""
        return self.inside(type_, 0, type_.size, 0, (f"block {site}", ""))

    def block_parts(self, site: int, type_: Type) -> list[tuple[int, int, Carrier]]:
        """Of one element of the blocks made at one place: offset, size, carrier; none if there are too many."""
        every = ((o, s, self.inside(type_, o, s, 0, (f"block {site}", ""))) for o, s in scalars(type_, 0))
        found = [(offset, size, carrier) for offset, size, carrier in every if carrier is not None]
        return found if len(found) <= MOST_PARTS else []

    def parts(self, symbol: MachineSymbol) -> list[tuple[int, int, Carrier]]:
        """Of a variable of the program: offset, size, carrier.  A size of 0: there are too many, anywhere in it."""
        type_ = self.walks.globals.get(symbol.low, UNKNOWN)
        if type_.size != symbol.high - symbol.low:
            return []
        found = []
        for offset, size in scalars(type_, 0):
            carrier = self.at(symbol, offset, size)
            if carrier is not None:
                found.append((offset, size, carrier))
            if len(found) > MOST_PARTS:
                return [(0, 0, c) for c in {c for _, _, c in self.some_parts(symbol, type_)}]
        return found

    def some_parts(self, symbol: MachineSymbol, type_: Type) -> Iterator[tuple[int, int, Carrier]]:
        """One of each carrier."""
        for offset, size in scalars(type_, 0, once=True):
            carrier = self.at(symbol, offset, size)
            if carrier is not None:
                yield offset, size, carrier


def _given_away(liveness: Liveness) -> list[Range]:
    """Parts of a frame that are not touched by exact places alone."""
    taken = [(place, place + 8) for place in liveness.saved_places]
    for effects in liveness.frame.effects.values():
        taken += [*effects.outgoing, *(liveness.piece(place) for place in effects.touches | effects.escapes)]
    return taken


def plain_element(type_: Type) -> Type | None:
    """What an array is made of in the end, if it is neither array nor struct; of a plain value itself."""
    while type_.kind == "array":
        type_ = type_.target()
    return type_ if type_.kind not in ("record", "unknown") else None


def _holds_record(type_: Type) -> bool:
    return type_.kind == "record" or (type_.kind == "array" and _holds_record(type_.target()))


def scalars(type_: Type, base: int, once: bool = False) -> Iterator[tuple[int, int]]:
    """Offset and size of everything that is neither array nor struct."""
    if type_.kind == "array":
        element = type_.target()
        for number in range(min(type_.count, 1) if once else type_.count):
            yield from scalars(element, base + number * element.size, once)
    elif type_.kind == "record":
        for part in type_.parts():
            yield from scalars(part.type, base + part.offset, once)
    elif type_.size:
        yield base, type_.size
