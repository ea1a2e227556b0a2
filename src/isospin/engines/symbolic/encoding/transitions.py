"""What every process can do, as transitions between sets of states.

Reference: Wang et al., sections 4 and 5.2; `semantics/interp.py`, which this file follows method by method.
Differs: a transition is a guard and the new values of the bits that change.  An assignment through a pointer or an
index is one transition for each target, so that most new values are constants.
"""

from __future__ import annotations

from dataclasses import field, replace

from ....core.errors import Location
from ....core.model import Action, Binary, Else, Expr, Send, Timeout, Transition
from ....core.records import dataclass
from ....semantics.walk import expressions, operands, subexpressions
from ....transform.inactive import may_fault
from ..backend import Bdd, disjunction
from .expressions import Evaluator
from .layout import CONTROL
from .numbers import Number
from .postponed import TRUE, PointerWork, follows_pointer, must_wait
from .rendezvous import Ended, Escapes, Rendezvous
from .start import NotEncodable
from .steps import StepEncoder
from .world import Change, Encoding, World


@dataclass
class _ProcessMoves:
    """What one process can do, before anybody asks who holds control."""

    enabled: Bdd  # where it can do something, be it a fault
    ended: Ended = field(default_factory=list)


class TransitionSystem:
    """All transitions of a model."""

    def __init__(self, encoding: Encoding) -> None:
        self.encoding, self.layout = encoding, encoding.layout
        self.manager, self.numbers = encoding.manager, encoding.numbers
        self.evaluator = Evaluator(encoding)
        self.steps = StepEncoder(self.evaluator)
        self.rendezvous = Rendezvous(self.steps)
        self.leaving, self.pids = self.steps.leaving, self.steps.pids
        self.postponed: list[PointerWork] = []  # steps through pointers: for `pointers.py`
        self.waits = any(isinstance(e, Timeout) for e in self.expressions())

    # ---------------------------------------------------------------- all of them

    def changes(self) -> list[Change]:
        """Computes the events on the way, and where nothing moves."""
        plain = [self.moves(pid, timeout=False) for pid in self.pids]
        self.moving = disjunction(self.manager, (m.enabled for m in plain))
        found = [t for pid, m in zip(self.pids, plain, strict=True) for t in self.finished(pid, m, self.may_move(pid))]
        found += self.releases(plain)
        self.encoding.events = [replace(e, condition=e.condition & self.may_move(e.pid)) for e in self.encoding.events]
        if self.waits:
            found += self.timeouts()
        return [t for t in found if t.guard != self.manager.false]

    def timeouts(self) -> list[Change]:
        """Where nothing moves, `timeout` is true."""
        found, waiting = [], self.free & ~self.moving
        ordinary, self.encoding.events = self.encoding.events, []
        for pid in self.pids:
            late = self.moves(pid, timeout=True)
            found += self.finished(pid, late, waiting)
            self.moving = self.moving | late.enabled
        late_events = [replace(e, condition=e.condition & waiting) for e in self.encoding.events]
        self.encoding.events = ordinary + late_events
        return found

    def expressions(self) -> list[Expr]:
        actions = [a for t in {t.name: t for t in self.layout.templates}.values() for a in t.actions]
        found = [e for a in actions for outer in expressions(a.step) for e in subexpressions(outer)]
        for t in self.layout.templates:
            found += [] if t.provided is None else list(subexpressions(t.provided))
        return found

    # ---------------------------------------------------------------- control

    @property
    def has_control(self) -> bool:
        return CONTROL in self.layout.fields

    @property
    def free(self) -> Bdd:
        """Nobody holds control."""
        return ~self.numbers.truth(self.encoding.now[CONTROL]) if self.has_control else self.manager.true

    def holds(self, pid: int) -> Bdd:
        if not self.has_control:
            return self.manager.false
        return self.numbers.equal(self.encoding.now[CONTROL], self.numbers.constant(pid + 1))

    def may_move(self, pid: int | None) -> Bdd:
        assert pid is not None
        return self.free | self.holds(pid)

    def finished(self, pid: int, moves: _ProcessMoves, where: Bdd) -> list[Change]:
        found = []
        for w, control in moves.ended:
            if self.has_control:
                w.set(CONTROL, self.numbers.constant(0 if control is None else control + 1))
            found.append(Change(w.condition & where, self.new_bits(w), pid, w.ids))
        return found

    def releases(self, plain: list[_ProcessMoves]) -> list[Change]:
        """A process that blocks inside an atomic sequence loses control."""
        found = []
        for pid in self.pids if self.has_control else ():
            w = World(self.encoding, pid, self.holds(pid) & ~plain[pid].enabled)
            w.set(CONTROL, self.numbers.zero)
            found.append(Change(w.condition, self.new_bits(w), pid))
        return found

    def new_bits(self, w: World) -> dict[int, Bdd]:
        found = {}
        for key, value in w.store.items():
            for i, bit in enumerate(self.layout.fields[key].bits):
                new = self.numbers.bit(value, i)
                if new != self.manager.variable(bit):
                    found[bit] = new
        return found

    # ---------------------------------------------------------------- one process

    def moves(self, pid: int, timeout: bool) -> _ProcessMoves:
        """As `process_steps` of the interpreter: else, escapes of `unless`, provided."""
        result = _ProcessMoves(self.manager.false)
        provided = self.provided(pid)
        for location, actions in self.leaving[pid].items():
            if location not in self.layout.places[pid]:
                continue  # inside a d_step
            here = provided & self.encoding.is_at(pid, location)
            found, escapes = self.manager.false, Escapes(self.manager)
            for action in actions:
                if self.postpones(actions, action):
                    self.postpone(pid, action, here)
                    continue
                where = here & ~escapes.bar(action) & (~found if isinstance(action.step, Else) else self.manager.true)
                if where == self.manager.false:
                    continue
                taken = self.attempt(pid, action, where, timeout, result)
                found = found | taken
                escapes.note(action, taken)
            result.enabled = result.enabled | found
        return result

    def postpones(self, actions: list[Action], action: Action) -> bool:
        """Where it matters at once who can move, nothing is left for later."""
        return not self.has_control and not self.waits and must_wait(actions, action)

    def postpone(self, pid: int, action: Action, here: Bdd) -> None:
        """What of the guard follows no pointers is decided now."""
        assert isinstance(action.step, Transition)
        rest: Expr = TRUE
        for part in operands(action.step.guard, "&&"):
            if follows_pointer(part) or may_fault(action.step.guard):
                rest = part if rest == TRUE else Binary("&&", rest, part)
            else:
                here = here & self.evaluator.truth(World(self.encoding, pid, here), part)
        self.postponed.append(PointerWork(pid, here, action, condition=rest))

    def provided(self, pid: int) -> Bdd:
        template = self.layout.templates[pid]
        if template.provided is None:
            return self.manager.true
        return self.safely(pid, template.provided, template.location)

    def safely(self, pid: int, e: Expr, location: Location) -> Bdd:
        """An expression that is no part of a step: it must not fault."""
        w = World(self.encoding, pid, self.manager.true)
        value = self.evaluator.truth(w, e)
        if w.condition != self.manager.true:
            raise NotEncodable(location, "a fault in a provided clause cannot be encoded")
        return value

    def taken(self, pid: int, action: Action, where: Bdd, facts: dict[Number, Number]) -> _ProcessMoves:
        """One action in states in which it is known whom the pointers name; may ask for more of them."""
        result = _ProcessMoves(self.manager.false)
        result.enabled = self.attempt(pid, action, where, False, result, facts)
        return result

    def attempt(
        self, pid: int, action: Action, where: Bdd, timeout: bool, result: _ProcessMoves,
        facts: dict[Number, Number] | None = None,
    ) -> Bdd:  # fmt: skip
        """Take the action where it is executable; returns where it is."""
        self.encoding.tick()
        w = World(self.encoding, pid, where, timeout)
        w.facts = facts
        w.action = action
        w.executed.add(action.id)
        step = action.step
        ready = self.steps.ready(w, step)
        taken = (where & ~w.condition) | (w.condition & ready)
        go = w.fork(ready)
        if isinstance(step, Send):
            taken = taken & ~self.steps.channels.offers(go, step)
            taken = taken | self.rendezvous.take(go, action, step, result.ended)
        if not go.is_empty:
            for after in self.steps.effect(go, action):
                self.steps.arrive(after, pid, action)
                result.ended.append((after, pid if action.keeps_control else None))
        return taken
