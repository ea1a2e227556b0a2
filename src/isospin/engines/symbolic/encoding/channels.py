"""Steps that work on channels: buffers are arrays with a length.

Reference: `semantics/channels.py`, which this file follows.
Differs: the oldest message is always at position 0, and what is behind the last one is 0, so that a channel with the
same messages is always the same bits.
"""

from __future__ import annotations

from ....core.model import Bind, Place, Receive, Send
from ....semantics.channels import RENDEZVOUS_IN_D_STEP
from ....semantics.walk import location_of
from ..backend import Bdd, disjunction
from .expressions import Evaluator
from .numbers import Number
from .world import World


class ChannelSteps:
    """Sending into buffers and receiving from them; what both sides of a rendezvous need as well."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator, self.layout = evaluator, evaluator.layout
        self.manager, self.numbers = evaluator.manager, evaluator.numbers

    def capacity(self, c: int) -> int:
        return self.layout.queues[c].type.capacity

    # ---------------------------------------------------------------- sending

    def can_send(self, w: World, step: Send) -> Bdd:
        found = []
        for condition, c in self.evaluator.channel(w, step.channel):
            room = self.numbers.less(self.evaluator.length(w, c), self.numbers.constant(max(self.capacity(c), 1)))
            found.append(condition & room)
        return disjunction(self.manager, found)

    def offers(self, w: World, step: Send) -> Bdd:
        """Where the send is a rendezvous."""
        found = [c for c, i in self.evaluator.channel(w, step.channel) if not self.capacity(i)]
        return w.condition & disjunction(self.manager, found)

    def payload(self, w: World, step: Send, c: int) -> list[Number]:
        kind = self.layout.queues[c].type
        if len(kind.fields) != len(step.values):
            message = f"{kind.name} carries {len(kind.fields)} fields, {len(step.values)} are sent"
            w.fault(self.manager.true, "channel-misuse", message, location_of(step.channel))
            return []
        return [self.numbers.wrap(self.evaluator.value(w, v), f) for f, v in zip(kind.fields, step.values, strict=True)]

    def send(self, w: World, step: Send) -> list[World]:
        """Into a buffer; what goes through a rendezvous is taken out first."""
        found = []
        for condition, c in self.evaluator.channel(w, step.channel):
            go = w.fork(condition)
            if go.is_empty:
                continue
            if not self.capacity(c):
                go.fault(self.manager.true, "channel-misuse", RENDEZVOUS_IN_D_STEP, location_of(step.channel))
                continue
            message = self.payload(go, step, c)
            if not go.is_empty:
                found += self.put(go, c, message, step.sorted)
        return found

    def put(self, w: World, c: int, message: list[Number], in_order: bool) -> list[World]:
        """A message at the end of a queue, or where its order puts it: one world for each position."""
        length, found = self.evaluator.length(w, c), []
        for position in range(self.capacity(c)):
            here = self.before_it(w, c, position, message) if in_order else self.manager.false
            here = here | self.numbers.equal(length, self.numbers.constant(position))
            go = w.fork(here)
            w.condition = w.condition & ~here
            if not go.is_empty:
                found.append(self.insert(go, c, position, message, in_order))
        return found

    def before_it(self, w: World, c: int, position: int, message: list[Number]) -> Bdd:
        """Is there a message at this position, and is the new one smaller?"""
        there = self.numbers.less(self.numbers.constant(position), self.evaluator.length(w, c))
        smaller = self.manager.false
        for new, old in reversed(list(zip(message, self.evaluator.message(w, c, position), strict=True))):
            smaller = self.numbers.less(new, old) | (self.numbers.equal(new, old) & smaller)
        return there & smaller

    def insert(self, w: World, c: int, position: int, message: list[Number], in_order: bool) -> World:
        if in_order:
            for i in range(self.capacity(c) - 1, position, -1):
                self.write(w, c, i, self.evaluator.message(w, c, i - 1))
        self.write(w, c, position, message)
        w.set(("length", c), self.numbers.add(self.evaluator.length(w, c), self.numbers.one))
        return w

    def write(self, w: World, c: int, position: int, message: list[Number]) -> None:
        for i, value in enumerate(message):
            w.set(("message", c, position, i), value)

    def empty(self, w: World, c: int) -> None:
        for position in range(self.capacity(c)):
            self.write(w, c, position, [self.numbers.zero] * len(self.layout.queues[c].type.fields))
        w.set(("length", c), self.numbers.zero)

    # ---------------------------------------------------------------- receiving

    def receivable(self, w: World, step: Receive) -> list[tuple[Bdd, int, int]]:
        """When, from which channel, from which position."""
        found = []
        for condition, c in self.evaluator.channel(w, step.channel):
            if self.capacity(c):
                with self.evaluator.focused(w, condition):
                    matches = self.evaluator.matches(w, c, step.patterns, step.anywhere)
                found += [(condition & fits, c, position) for fits, position in matches]
        return found

    def receive(self, w: World, step: Receive) -> list[World]:
        found = []
        for condition, c, position in self.receivable(w, step):
            go = w.fork(condition)
            if not go.is_empty:
                found += self.take(go, step, c, position)
        return found

    def take(self, w: World, step: Receive, c: int, position: int) -> list[World]:
        message = self.evaluator.message(w, c, position)
        self.check_size(w, step, c)
        if w.is_empty:
            return []
        if not step.keep:
            self.remove(w, c, position)
        return self.bind(w, step, message)

    def check_size(self, w: World, step: Receive, c: int) -> None:
        kind = self.layout.queues[c].type
        if len(kind.fields) != len(step.patterns):
            text = f"a message of {kind.name} has {len(kind.fields)} fields, {len(step.patterns)} are received"
            w.fault(self.manager.true, "channel-misuse", text, location_of(step.channel))

    def remove(self, w: World, c: int, position: int) -> None:
        last = self.capacity(c) - 1
        for i in range(position, last):
            self.write(w, c, i, self.evaluator.message(w, c, i + 1))
        self.write(w, c, last, [self.numbers.zero] * len(self.layout.queues[c].type.fields))
        w.set(("length", c), self.numbers.subtract(self.evaluator.length(w, c), self.numbers.one))

    def bind(self, w: World, step: Receive, message: list[Number]) -> list[World]:
        worlds = [w]
        for pattern, value in zip(step.patterns, message, strict=True):
            if isinstance(pattern, Bind) and isinstance(pattern.place, Place):
                place = pattern.place
                worlds = [after for one in worlds for after in self.evaluator.assign(one, place, value)]
        return worlds
