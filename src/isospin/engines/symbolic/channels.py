"""Steps that work on channels: buffers are arrays with a length, a rendezvous is one step of two processes.

Reference: `semantics/channels.py`, which this file follows.
Differs: the oldest message is always at position 0, and what is behind the last one is 0, so that a channel with the
same messages is always the same bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.errors import NOWHERE, Location
from ...core.model import Action, Bind, Chain, Deterministic, Expr, Place, Receive, Send
from ...semantics.channels import RENDEZVOUS_IN_D_STEP
from .backend import Bdd, disjunction
from .numbers import Number
from .start import NotEncodable
from .world import World

if TYPE_CHECKING:
    from .steps import TransitionSystem


class ChannelSteps:
    def __init__(self, machine: TransitionSystem) -> None:
        self.machine, self.evaluator, self.layout = machine, machine.evaluator, machine.layout
        self.manager, self.numbers = machine.manager, machine.numbers

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
            w.fault(self.manager.true, "channel-misuse", message, _location_of(step.channel))
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
                go.fault(self.manager.true, "channel-misuse", RENDEZVOUS_IN_D_STEP, _location_of(step.channel))
                continue
            message = self.payload(go, step, c)
            if not go.is_empty:
                found += self.put(go, c, message, step.sorted)
        return found

    def put(self, w: World, c: int, message: list[Number], in_order: bool) -> list[World]:
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
            w.fault(self.manager.true, "channel-misuse", text, _location_of(step.channel))

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
                worlds = [after for one in worlds for after in self.machine.assign(one, place, value)]
        return worlds

    # ---------------------------------------------------------------- rendezvous

    def rendezvous(self, w: World, action: Action, step: Send, ended: list[tuple[World, int | None]]) -> Bdd:
        """A send and a receive as one step; returns where there is a partner, or a fault.  `w` keeps the rest."""
        taken = self.manager.false
        for condition, c in self.evaluator.channel(w, step.channel):
            go = w.fork(condition)
            if self.capacity(c) or go.is_empty:
                continue
            w.condition = w.condition & ~condition
            offered = go.condition
            message = self.payload(go, step, c)
            taken = taken | (offered & ~go.condition)
            self.machine.arrive(go, go.pid, action)
            for pid in reversed(self.machine.pids):
                if pid != go.pid and not go.is_empty:
                    events = len(self.machine.space.events)
                    taken = taken | self.partner(go, pid, c, message, ended)
                    # A partner that faults ends the search for others.
                    fatal = [e for e in self.machine.space.events[events:] if e.kind != "assertion"]
                    go.condition = go.condition & ~disjunction(self.manager, (e.condition for e in fatal))
        return taken

    def partner(
        self, sender: World, pid: int, c: int, message: list[Number], ended: list[tuple[World, int | None]]
    ) -> Bdd:
        """As `receivers` of the interpreter."""
        machine, taken = self.machine, self.manager.false
        provided = self.seen_by(sender, pid)
        for location, actions in machine.leaving[pid].items():
            here = provided.condition & sender.is_at(pid, location)
            barred = self.manager.false
            escapes: dict[int, Bdd] = {}
            for action in actions if here != self.manager.false else ():
                barred = barred | disjunction(self.manager, (e for n, e in escapes.items() if n != action.escape))
                go = provided.fork(here & ~barred)
                found = self.accept(go, action, c, message, ended)
                taken = taken | found
                escapes = {n: e & ~found for n, e in escapes.items()}
                if action.escape:
                    escapes[action.escape] = escapes.get(action.escape, self.manager.false) | found
        return taken

    def seen_by(self, sender: World, pid: int) -> World:
        """The world after the send, from the receiver's point of view."""
        other = sender.fork(self.manager.true)
        other.pid = pid
        template = self.layout.templates[pid]
        if template.provided is not None:
            other.condition = other.condition & self.evaluator.truth(other, template.provided)
        return other

    def accept(
        self, w: World, action: Action, c: int, message: list[Number], ended: list[tuple[World, int | None]]
    ) -> Bdd:
        """Take the message, if the action starts with a receive that fits."""
        first = action.step.actions[0] if isinstance(action.step, Chain) else action
        if isinstance(first.step, Deterministic):
            self.refuse_receiving(w, first.step)
        if not isinstance(first.step, Receive):
            return self.manager.false
        step = first.step
        if step.keep:
            raise NotEncodable(first.location, "?<> from a rendezvous channel cannot be encoded")
        named = self.evaluator.value(w, step.channel)
        go = w.fork(self.numbers.equal(named, self.numbers.constant(c + 1)))
        go = go.fork(self.evaluator.fits(go, message, step.patterns))
        if go.is_empty:
            return self.manager.false
        taken = go.condition
        self.check_size(go, step, c)
        worlds = [] if go.is_empty else self.bind(go, step, message)
        rest = action.step.actions[1:] if isinstance(action.step, Chain) else ()
        for after in (x for one in worlds for x in self.machine.chain(one, rest)):
            self.machine.arrive(after, w.pid, action)
            after.executed.add(action.id)
            control = w.pid if action.keeps_control else None
            after.pid = w.pid
            ended.append((after, control))
        return taken

    def refuse_receiving(self, w: World, step: Deterministic) -> None:
        for action in self.machine.leaving[w.pid].get(step.entry, []):
            if isinstance(action.step, Receive):
                raise NotEncodable(action.location, "a d_step that starts with a receive cannot be encoded")


def _location_of(e: Expr) -> Location:
    return e.location if isinstance(e, Place) else NOWHERE
