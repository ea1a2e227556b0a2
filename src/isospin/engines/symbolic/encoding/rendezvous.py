"""A rendezvous: a send and a receive as one step of two processes.

Reference: `semantics/interp.py`, `rendezvous` and `receivers`, which this file follows.
Differs: all partners at once; where an earlier one faults, the later ones are not asked.
"""

from __future__ import annotations

from ....core.model import Action, Chain, Deterministic, Receive, Send
from ..backend import Bdd, Manager, disjunction
from .numbers import Number
from .start import NotEncodable
from .steps import StepEncoder
from .world import World

Ended = list[tuple[World, int | None]]  # worlds after a move, and who then holds control


class Escapes:
    """Of an `unless`: where one of its escapes can be taken, the actions behind it cannot."""

    def __init__(self, manager: Manager) -> None:
        self.manager, self.barred = manager, manager.false
        self.taken: dict[int, Bdd] = {}  # by the number of the escape

    def bar(self, action: Action) -> Bdd:
        """Where this action comes too late; asked for each action in their order."""
        others = (e for number, e in self.taken.items() if number != action.escape)
        self.barred = self.barred | disjunction(self.manager, others)
        return self.barred

    def note(self, action: Action, taken: Bdd) -> None:
        """Where the action can be taken."""
        self.taken = {number: e & ~taken for number, e in self.taken.items()}
        if action.escape:
            self.taken[action.escape] = self.taken.get(action.escape, self.manager.false) | taken


class Rendezvous:
    """Finds the partners of a send."""

    def __init__(self, steps: StepEncoder) -> None:
        self.steps, self.channels, self.evaluator = steps, steps.channels, steps.evaluator
        self.encoding, self.layout = steps.encoding, steps.layout
        self.manager, self.numbers = steps.manager, steps.numbers

    def take(self, w: World, action: Action, step: Send, ended: Ended) -> Bdd:
        """A send and a receive as one step; returns where there is a partner, or a fault.  `w` keeps the rest."""
        taken = self.manager.false
        for condition, c in self.evaluator.channel(w, step.channel):
            go = w.fork(condition)
            if self.channels.capacity(c) or go.is_empty:
                continue
            w.condition = w.condition & ~condition
            offered = go.condition
            message = self.channels.payload(go, step, c)
            taken = taken | (offered & ~go.condition)
            self.steps.arrive(go, go.pid, action)
            for pid in reversed(self.steps.pids):
                if pid != go.pid and not go.is_empty:
                    events = len(self.encoding.events)
                    taken = taken | self.partner(go, pid, c, message, ended)
                    # A partner that faults ends the search for others.
                    fatal = [e for e in self.encoding.events[events:] if e.kind != "assertion"]
                    go.condition = go.condition & ~disjunction(self.manager, (e.condition for e in fatal))
        return taken

    def partner(self, sender: World, pid: int, c: int, message: list[Number], ended: Ended) -> Bdd:
        """As `receivers` of the interpreter."""
        taken = self.manager.false
        provided = self.seen_by(sender, pid)
        for location, actions in self.steps.leaving[pid].items():
            here = provided.condition & sender.is_at(pid, location)
            escapes = Escapes(self.manager)
            for action in actions if here != self.manager.false else ():
                go = provided.fork(here & ~escapes.bar(action))
                found = self.accept(go, action, c, message, ended)
                taken = taken | found
                escapes.note(action, found)
        return taken

    def seen_by(self, sender: World, pid: int) -> World:
        """The world after the send, from the receiver's point of view."""
        other = sender.fork(self.manager.true)
        other.pid = pid
        template = self.layout.templates[pid]
        if template.provided is not None:
            other.condition = other.condition & self.evaluator.truth(other, template.provided)
        return other

    def accept(self, w: World, action: Action, c: int, message: list[Number], ended: Ended) -> Bdd:
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
        self.channels.check_size(go, step, c)
        worlds = [] if go.is_empty else self.channels.bind(go, step, message)
        rest = action.step.actions[1:] if isinstance(action.step, Chain) else ()
        for after in (x for one in worlds for x in self.steps.chain(one, rest)):
            self.steps.arrive(after, w.pid, action)
            after.executed.add(action.id)
            control = w.pid if action.keeps_control else None
            after.pid = w.pid
            ended.append((after, control))
        return taken

    def refuse_receiving(self, w: World, step: Deterministic) -> None:
        for action in self.steps.leaving[w.pid].get(step.entry, []):
            if isinstance(action.step, Receive):
                raise NotEncodable(action.location, "a d_step that starts with a receive cannot be encoded")
