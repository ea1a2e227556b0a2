"""Expressions as vectors of diagrams.

Reference: Wang et al., section 5.1 (`indirect_ref`, `indirect_arith`).
Differs: bit vectors instead of a value variable; an array with an unknown index is a choice between its elements.
Faults are found on the way, in the order of `semantics/evaluate.py`: the first one counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ....core.errors import NOWHERE, Location
from ....core.model import (
    AtLabel,
    Binary,
    Bind,
    Bounded,
    ChannelTest,
    Conditional,
    Const,
    Expr,
    LocationOf,
    Match,
    NonProgress,
    Pattern,
    Place,
    Poll,
    ProcessCount,
    RemoteRead,
    Self,
    Timeout,
    Unary,
)
from ....semantics.walk import location_of
from ..backend import Bdd, disjunction
from .layout import DEAD, Key
from .numbers import Arithmetic, Number
from .start import NotEncodable
from .world import Encoding, World


class Evaluator:
    """The values of expressions in a world, and the worlds that come of an assignment."""

    def __init__(self, encoding: Encoding) -> None:
        self.encoding, self.layout, self.manager = encoding, encoding.layout, encoding.manager
        self.numbers: Arithmetic = encoding.numbers

    # ---------------------------------------------------------------- values

    def truth(self, w: World, e: Expr) -> Bdd:
        return self.numbers.truth(self.value(w, e))

    def value(self, w: World, e: Expr) -> Number:
        """As `semantics/evaluate.py`, for all states of the world at once; faults are noted with their condition."""
        match e:
            case Const(value):
                return self.numbers.constant(value)
            case Place():
                return self.read(w, e)
            case Unary(op, operand):
                return self.numbers.unary(op, self.value(w, operand))
            case Binary():
                return self.binary(w, e)
            case Conditional(condition, then, otherwise):
                test = self.truth(w, condition)
                with self.focused(w, test):
                    yes = self.value(w, then)
                with self.focused(w, ~test):
                    no = self.value(w, otherwise)
                return self.numbers.choose(test, yes, no)
            case Bounded(inner, low, high):
                number = self.value(w, inner)
                bad = self.numbers.less(number, self.numbers.constant(low))
                bad = bad | self.numbers.less(self.numbers.constant(high), number)
                w.fault(bad, e.kind, e.message, e.location)
                return number
            case Self():
                return self.numbers.constant(w.pid)
            case ProcessCount():
                return self.process_count(w)
            case Timeout():
                return self.numbers.constant(int(w.timeout))
            case ChannelTest() | Poll():
                return self.channel_query(w, e)
        return self.process_query(w, e)

    @contextmanager
    def focused(self, w: World, condition: Bdd) -> Iterator[None]:
        """What is evaluated here matters only where the condition is true."""
        before = w.focus
        w.focus = before & condition
        try:
            yield
        finally:
            w.focus = before

    def binary(self, w: World, e: Binary) -> Number:
        if e.op in ("&&", "||"):
            left = self.truth(w, e.left)
            with self.focused(w, left if e.op == "&&" else ~left):
                right = self.truth(w, e.right)
            return self.numbers.boolean(left & right if e.op == "&&" else left | right)
        a, b = self.value(w, e.left), self.value(w, e.right)
        if e.op in ("/", "%"):
            w.fault(~self.numbers.truth(b), "division-by-zero", "division by zero", e.location)
        return self.numbers.binary(e.op, a, b)

    # ---------------------------------------------------------------- variables

    def read(self, w: World, e: Place) -> Number:
        return self.any_of([(c, w.get(self.key(w.pid, e, slot))) for c, slot in self.slots(w, e)])

    @staticmethod
    def key(pid: int, e: Place, slot: int) -> Key:
        return ("local", pid, slot) if e.variable.is_local else ("global", slot)

    def any_of(self, choices: list[tuple[Bdd, Number]]) -> Number:
        """The one whose condition is true; one of them is, or the value is never used."""
        if not choices:
            return self.numbers.zero
        result = choices[-1][1]
        for condition, value in reversed(choices[:-1]):
            result = self.numbers.choose(condition, value, result)
        return result

    def slots(self, w: World, e: Place) -> list[tuple[Bdd, int]]:
        """Where the place can be in its frame, and when; an index out of range is a fault."""
        found = [(self.manager.true, 0)]
        for index, size in zip(e.indices, e.variable.shape, strict=True):
            i = self.value(w, index)
            if e.variable.owned:
                i = w.pointer(i)
            message = f"an index is out of range for {e.variable.name} (size {size})"
            w.fault(self.out_of_range(i, size), "out-of-range", message, e.location)
            known = self.numbers.value(i)
            if known is not None:
                found = [(c, offset * size + known) for c, offset in found if 0 <= known < size]
                continue
            elements = [(self.numbers.equal(i, self.numbers.constant(n)), n) for n in range(size)]
            found = [
                (c & here, offset * size + n) for c, offset in found for here, n in elements
                if here != self.manager.false
            ]  # fmt: skip
        return [(c, e.variable.base + offset) for c, offset in found]

    def assign(self, w: World, place: Place, value: Number) -> list[World]:
        """Wang's `indirect_assignment`: a world for each place that may be meant."""
        wrapped = self.numbers.wrap(value, place.variable.type)
        found = []
        slots = self.slots(w, place)
        for condition, slot in slots:
            after = w.fork(condition) if len(slots) > 1 else w
            if not after.is_empty:
                after.set(self.key(w.pid, place, slot), wrapped)
                found.append(after)
        return found

    def out_of_range(self, i: Number, size: int) -> Bdd:
        known = self.numbers.value(i)
        if known is not None:
            return self.manager.false if 0 <= known < size else self.manager.true
        return i[-1] | ~self.numbers.less(i, self.numbers.constant(size))

    # ---------------------------------------------------------------- channels

    def channel(self, w: World, e: Expr) -> list[tuple[Bdd, int]]:
        """The channels that a name can stand for, and when; a name that stands for none is a fault."""
        number = self.value(w, e)
        location = location_of(e)
        found = []
        for c, queue in enumerate(self.layout.queues):
            named = self.numbers.equal(number, self.numbers.constant(c + 1))
            if queue.owner is not None:
                named = named & self.alive(w, queue.owner)
            if named != self.manager.false:
                found.append((named, c))
        known = disjunction(self.manager, (c for c, _ in found))
        w.fault(~known, "channel-misuse", "this names no channel", location)
        return found

    def length(self, w: World, c: int) -> Number:
        return w.get(("length", c)) if self.layout.queues[c].type.capacity else self.numbers.zero

    def message(self, w: World, c: int, position: int) -> list[Number]:
        return [w.get(("message", c, position, i)) for i in range(len(self.layout.queues[c].type.fields))]

    def channel_query(self, w: World, e: ChannelTest | Poll) -> Number:
        found = []
        for condition, c in self.channel(w, e.channel):
            with self.focused(w, condition):
                found.append((condition, self.poll(w, e, c) if isinstance(e, Poll) else self.test(w, e.test, c)))
        return self.any_of(found)

    def test(self, w: World, test: str, c: int) -> Number:
        length = self.length(w, c)
        if test == "len":
            return length
        if test in ("empty", "nempty"):
            return self.numbers.boolean(self.numbers.truth(length) if test == "nempty" else ~self.numbers.truth(length))
        capacity = max(self.layout.queues[c].type.capacity, 1)
        full = ~self.numbers.less(length, self.numbers.constant(capacity))
        return self.numbers.boolean(full if test == "full" else ~full)

    def poll(self, w: World, e: Poll, c: int) -> Number:
        if self.layout.queues[c].type.capacity == 0:
            text = "a rendezvous channel cannot be polled"
            w.fault(self.manager.true, "channel-misuse", text, e.location)
            return self.numbers.zero
        found = [condition for condition, _ in self.matches(w, c, e.patterns, e.anywhere)]
        return self.numbers.boolean(disjunction(self.manager, found))

    def matches(self, w: World, c: int, patterns: tuple[Pattern, ...], anywhere: bool) -> list[tuple[Bdd, int]]:
        """At which position the first message is that fits, and when."""
        found, left = [], self.manager.true
        for position in range(self.layout.queues[c].type.capacity if anywhere else 1):
            there = left & self.numbers.less(self.numbers.constant(position), self.length(w, c))
            if there == self.manager.false:
                continue
            with self.focused(w, there):
                fits = there & self.fits(w, self.message(w, c, position), patterns)
            found.append((fits, position))
            left = left & ~fits
        return found

    def fits(self, w: World, message: list[Number], patterns: tuple[Pattern, ...]) -> Bdd:
        """The states in which the message fits the patterns."""
        result = self.manager.true
        for i, pattern in enumerate(patterns):
            assert isinstance(pattern, Match | Bind)
            if isinstance(pattern, Match):
                if i >= len(message):
                    return self.manager.false
                with self.focused(w, result):
                    result = result & self.numbers.equal(message[i], self.value(w, pattern.value))
        return result

    # ---------------------------------------------------------------- processes

    def alive(self, w: World, pid: int) -> Bdd:
        return ~w.is_at(pid, DEAD)

    def process_count(self, w: World) -> Number:
        """Only the youngest can die, so those who live come first."""
        counts = [(self.alive(w, pid), self.numbers.constant(pid + 1)) for pid in range(len(self.layout.templates))]
        return self.any_of([*reversed(counts), (self.manager.true, self.numbers.zero)])

    def process_query(self, w: World, e: Expr) -> Number:
        """What expressions ask about other processes; those that are not there have the value zero."""
        match e:
            case AtLabel(template, pid, label):
                target = self.layout.model.template(template).label(label)
                assert target is not None
                at = [c & w.is_at(q, target) for c, q in self.found(w, template, pid)]
                return self.numbers.boolean(disjunction(self.manager, at))
            case RemoteRead():
                return self.remote(w, e)
            case LocationOf(pid):
                which = self.value(w, pid)
                found = [(self.numbers.equal(which, self.numbers.constant(q)) & w.is_at(q, x), self.numbers.constant(x))
                         for q, places in enumerate(self.layout.places) for x in places if x != DEAD]  # fmt: skip
                return self.any_of([*found, (self.manager.true, self.numbers.zero)])
            case NonProgress():
                at = [w.is_at(q, x) for q, t in enumerate(self.layout.templates) for x in t.progress_locations]
                return self.numbers.boolean(~disjunction(self.manager, at))
        raise NotEncodable(w.place(_place_of(e)), f"{type(e).__name__.lower()} cannot be encoded")

    def remote(self, w: World, e: RemoteRead) -> Number:
        owners = self.found(w, e.template, e.pid)
        with self.focused(w, disjunction(self.manager, (c for c, _ in owners))):
            slots = self.slots(w, e.place)
        found = [(c & here, w.get(("local", q, slot))) for c, q in owners for here, slot in slots]
        return self.any_of([*found, (self.manager.true, self.numbers.zero)])

    def found(self, w: World, template: str, pid: Expr | None) -> list[tuple[Bdd, int]]:
        """The process that a remote reference means, if it lives: without a number, the oldest of its template."""
        own = [q for q, t in enumerate(self.layout.templates) if t.name == template]
        if pid is not None:
            which = w.pointer(self.value(w, pid))
            known = self.numbers.value(which)
            if known is not None:
                return [(self.alive(w, q), q) for q in own if q == known]
            return [(self.numbers.equal(which, self.numbers.constant(q)) & self.alive(w, q), q) for q in own]
        return [(self.alive(w, q), q) for q in own[:1]]


def _place_of(e: Expr) -> Location:
    found = getattr(e, "location", NOWHERE)
    return found if isinstance(found, Location) else NOWHERE
