"""Exchanges of two processes, made ready for diagrams.

Reference: Wang et al., section 6.2: `permute`.
Differs: an exchange says where every part of the state goes and which of its values are renamed, so that channels,
arrays and control move along.

A worked example: `bit b[2]`, one bit for each of two processes.  The exchange of 0 and 1 puts the variable of b[1] in
the place of that of b[0], and the other way round, at once, in any diagram: the set b[0] & !b[1] becomes b[1] & !b[0].

>>> swapped("01")
10
>>> swapped("00 01")
00 10

Folding (`reduce.py`) does that to the part of a set in which the two are in the wrong order, here b[0] < b[1]:

>>> folded("01 10 11")
10 11
"""

from __future__ import annotations

from collections.abc import Iterator

from ...core.partition import Partition
from ...core.records import dataclass
from ...symmetry.protocol import Exchange, Rearrangement, Rename
from .backend import Bdd, Substitution
from .encoding.layout import CONTROL, DEAD, Key, Layout
from .encoding.numbers import Number
from .encoding.world import Encoding


@dataclass(frozen=True)
class Swap:
    """A rearrangement, mostly an exchange of two processes, ready for diagrams: bits and what takes their place."""

    exchange: Rearrangement
    moves: list[tuple[Key, Key, Rename]]  # which part goes where, and how its values change; others stay as they are
    parts: dict[Key, Number]  # what each of these parts becomes
    targets: dict[Key, Key]  # where each of them goes
    bits: dict[int, Bdd]
    substitution: Substitution

    @property
    def pair(self) -> tuple[int, int]:
        assert isinstance(self.exchange, Exchange)
        return self.exchange.pair


class Swaps:
    """Makes swaps of exchanges."""

    def __init__(self, encoding: Encoding, constant: dict[int, bool]) -> None:
        self.encoding, self.layout = encoding, encoding.layout
        self.manager, self.numbers = encoding.manager, encoding.numbers
        self.constant = constant
        self.made: dict[tuple[int, int], Swap | None] = {}

    def swap(self, exchange: Exchange) -> Swap | None:
        """None if a part that never changes would have to, or a value would not fit where it goes."""
        if exchange.pair not in self.made:
            self.made[exchange.pair] = self.make(exchange)
        return self.made[exchange.pair]

    def make(self, exchange: Rearrangement) -> Swap | None:
        """The rearrangement as a substitution of bits; None if a value would not fit where it goes."""
        parts: dict[Key, Number] = {}
        targets: dict[Key, Key] = {}
        bits: dict[int, Bdd] = {}
        moves = []
        for source, target, rename in moved(self.layout, exchange):
            if source == target and not rename:
                continue
            within = self.fitting(source, target, rename)
            if within is None:
                return None
            value = self.value(source, within)
            if target not in self.layout.fields:
                if value != self.encoding.now[target]:
                    return None
                continue
            moves.append((source, target, within))
            parts[target], targets[source] = value, target
            places = self.layout.fields[target].bits
            for bit, new in zip(places, self.numbers.extend(value, len(places)), strict=True):
                if bit in self.constant:
                    if new != (self.manager.true if self.constant[bit] else self.manager.false):
                        return None
                elif new != self.manager.variable(bit):
                    bits[bit] = new
        return Swap(exchange, moves, parts, targets, bits, self.manager.substitution(bits))

    def value(self, source: Key, rename: Rename) -> Number:
        """What a part becomes: a place of a queue in which there is no message stays as empty places are."""
        plain = self.encoding.now[source]
        if not rename or (there := occupied(self.encoding, source)) == self.manager.true:
            return renamed(self.encoding, plain, rename)
        return self.numbers.choose(there, renamed(self.encoding, plain, rename), plain)

    def fitting(self, source: Key, target: Key, rename: Rename) -> Rename | None:
        """Only the values that a part can have at all are renamed; all of them must fit."""
        here, there = self.layout.limits(source), self.layout.limits(target)
        if here is None or there is None:
            return rename
        # SOUND: values outside of `here` are in no state that is valid, and only those are compared and folded.
        within = {old: new for old, new in rename.items() if here[0] <= old <= here[1]}
        same = here == there or source in self.layout.constants
        return within if same and all(there[0] <= new <= there[1] for new in within.values()) else None


def occupied(encoding: Encoding, key: Key) -> Bdd:
    """Where a part of the state has a meaning: a place of a queue, where there is a message in it."""
    if key[0] != "message":
        return encoding.manager.true
    _, channel, position, _ = key
    return encoding.numbers.less(encoding.numbers.constant(int(position)), encoding.now[("length", channel)])


def renamed(encoding: Encoding, value: Number, rename: Rename) -> Number:
    """The number with some of its values changed: each bit is turned where the old and the new value differ in it."""
    if not rename:
        return value
    numbers = encoding.numbers
    constants = [numbers.constant(new) for new in rename.values()]
    result = numbers.extend(value, max(map(len, (value, *constants))))
    for old, new in rename.items():
        here = numbers.equal(value, numbers.constant(old))
        for i, bit in enumerate(result):
            if (old ^ new) >> i & 1:
                result[i] = numbers.xor(bit, here)
    return numbers.narrow(result)


def spanning(exchanges: tuple[Exchange, ...]) -> Iterator[Exchange]:
    """Of nearest processes, as many as lead everywhere where all of them lead."""
    families = Partition[int]()
    for exchange in sorted(exchanges, key=lambda e: e.pair[1] - e.pair[0]):
        if families.join(*exchange.pair):
            yield exchange


def moved(layout: Layout, exchange: Rearrangement) -> Iterator[tuple[Key, Key, Rename]]:
    """Which part of the state goes where, and how its values change."""
    pids = exchange.points
    known = layout.fields.keys() | layout.constants.keys()
    if CONTROL in known:
        yield CONTROL, CONTROL, {p + 1: q + 1 for p, q in enumerate(pids[: len(layout.templates)]) if p != q}
    for pid, places in enumerate(layout.places):
        yield ("at", pid), ("at", pids[pid]), dict(_renumbered(layout, exchange, pid, places))
    for slot, (target, rename) in enumerate(exchange.globals):
        if ("global", slot) in known:
            yield ("global", slot), ("global", target), rename
    for pid, frame in enumerate(exchange.locals):
        for slot, (target, rename) in enumerate(frame):
            yield ("local", pid, slot), ("local", pids[pid], target), rename
    for c, (target, fields) in enumerate(exchange.channels):
        if layout.queues[c].type.capacity:
            yield ("length", c), ("length", target), {}
        for position in range(layout.queues[c].type.capacity):
            for i, rename in enumerate(fields):
                yield ("message", c, position, i), ("message", target, position, i), rename


def _renumbered(layout: Layout, exchange: Rearrangement, pid: int, places: list[int]) -> Iterator[tuple[int, int]]:
    there = layout.places[exchange.points[pid]]
    for i, location in enumerate(places):
        image = DEAD if location == DEAD else exchange.locations[pid].get(location, location)
        if image in there and there.index(image) != i:
            yield i, there.index(image)
