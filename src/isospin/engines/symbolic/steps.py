"""What every process can do, as transitions between sets of states.

Reference: Wang et al., sections 4 and 5.2; `semantics/interp.py`, which this file follows method by method.
Differs: a transition is a guard and the new values of the bits that change.  An assignment through a pointer or an
index is one transition for each target, so that most new values are constants.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ...core.errors import Location
from ...core.model import (
    Action,
    Assert,
    Assign,
    Chain,
    Deterministic,
    Else,
    End,
    Expr,
    Guard,
    Place,
    Print,
    Receive,
    Send,
    Skip,
    Step,
    Timeout,
    Transition,
    Variable,
)
from ...semantics.walk import by_source, expressions, subexpressions
from .backend import Bdd, disjunction
from .channels import ChannelSteps
from .expressions import Evaluator
from .layout import CONTROL, DEAD
from .numbers import Number
from .pointers import Pointers
from .start import NotEncodable
from .world import Change, Space, World

MOST_PATHS = 4000  # through one d_step


@dataclass
class _ProcessMoves:
    """What one process can do, before anybody asks who holds control."""

    enabled: Bdd  # where it can do something, be it a fault
    ended: list[tuple[World, int | None]] = field(default_factory=list)  # and who then holds control


class TransitionSystem:
    """All transitions of a model."""

    def __init__(self, space: Space) -> None:
        self.space, self.manager, self.numbers, self.layout = space, space.manager, space.numbers, space.layout
        self.evaluator = Evaluator(space)
        self.channels = ChannelSteps(self)
        self.leaving = [by_source(t.actions) for t in self.layout.templates]
        self.pids = range(len(self.layout.templates))
        self.pointers = Pointers(self)
        self.waits = any(isinstance(e, Timeout) for e in self.expressions())

    # ---------------------------------------------------------------- all of them

    def changes(self) -> list[Change]:
        """Computes the events on the way, and where nothing moves."""
        plain = [self.moves(pid, timeout=False) for pid in self.pids]
        self.moving = disjunction(self.manager, (m.enabled for m in plain))
        found = [t for pid, m in zip(self.pids, plain, strict=True) for t in self.finished(pid, m, self.may_move(pid))]
        found += self.releases(plain)
        self.space.events = [replace(e, condition=e.condition & self.may_move(e.pid)) for e in self.space.events]
        if self.waits:
            found += self.timeouts()
        return [t for t in found if t.guard != self.manager.false]

    def timeouts(self) -> list[Change]:
        """Where nothing moves, `timeout` is true."""
        found, waiting = [], self.free & ~self.moving
        ordinary, self.space.events = self.space.events, []
        for pid in self.pids:
            late = self.moves(pid, timeout=True)
            found += self.finished(pid, late, waiting)
            self.moving = self.moving | late.enabled
        late_events = [replace(e, condition=e.condition & waiting) for e in self.space.events]
        self.space.events = ordinary + late_events
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
        return ~self.numbers.truth(self.space.now[CONTROL]) if self.has_control else self.manager.true

    def holds(self, pid: int) -> Bdd:
        if not self.has_control:
            return self.manager.false
        return self.numbers.equal(self.space.now[CONTROL], self.numbers.constant(pid + 1))

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
            w = World(self.space, pid, self.holds(pid) & ~plain[pid].enabled)
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
            here = provided & self.space.is_at(pid, location)
            found = barred = self.manager.false
            escapes: dict[int, Bdd] = {}
            for action in actions:
                if self.postpones(actions, action):
                    self.pointers.postpone(pid, action, here)
                    continue
                barred = barred | disjunction(self.manager, (e for n, e in escapes.items() if n != action.escape))
                where = here & ~barred & (~found if isinstance(action.step, Else) else self.manager.true)
                if where == self.manager.false:
                    continue
                taken = self.attempt(pid, action, where, timeout, result)
                found = found | taken
                escapes = {n: e & ~taken for n, e in escapes.items()}
                if action.escape:
                    escapes[action.escape] = escapes.get(action.escape, self.manager.false) | taken
            result.enabled = result.enabled | found
        return result

    def postpones(self, actions: list[Action], action: Action) -> bool:
        """Where it matters at once who can move, nothing is left for later."""
        return not self.has_control and not self.waits and self.pointers.postpones(actions, action)

    def provided(self, pid: int) -> Bdd:
        template = self.layout.templates[pid]
        if template.provided is None:
            return self.manager.true
        return self.safely(pid, template.provided, template.location)

    def safely(self, pid: int, e: Expr, location: Location) -> Bdd:
        """An expression that is no part of a step: it must not fault."""
        w = World(self.space, pid, self.manager.true)
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
        self.space.tick()
        w = World(self.space, pid, where, timeout)
        w.facts = facts
        w.action = action
        w.executed.add(action.id)
        step = action.step
        ready = self.ready(w, step)
        taken = (where & ~w.condition) | (w.condition & ready)
        go = w.fork(ready)
        if isinstance(step, Send):
            taken = taken & ~self.channels.offers(go, step)
            taken = taken | self.channels.rendezvous(go, action, step, result.ended)
        if not go.is_empty:
            for after in self.effect(go, action):
                self.arrive(after, pid, action)
                result.ended.append((after, pid if action.keeps_control else None))
        return taken

    def arrive(self, w: World, pid: int, action: Action) -> None:
        if not isinstance(action.step, End):
            w.go(pid, action.target)
            for variable in action.clears:
                self.clear(w, pid, variable)

    def clear(self, w: World, pid: int, variable: Variable) -> None:
        if variable.owned:
            w.set(("global", variable.base + pid), self.numbers.zero)
            return
        for i in range(variable.size):
            w.set(("local", pid, variable.base + i), self.numbers.zero)

    # ---------------------------------------------------------------- steps

    def ready(self, w: World, step: Step) -> Bdd:
        match step:
            case Guard(condition) | Transition(condition):
                return self.evaluator.truth(w, condition)
            case Chain(actions):
                return self.ready(w, actions[0].step)
            case Send():
                return self.channels.can_send(w, step)
            case Receive():
                return disjunction(self.manager, (c for c, _, _ in self.channels.receivable(w, step)))
            case End():
                younger = [w.is_at(q, DEAD) for q in self.pids if q > w.pid]
                return ~disjunction(self.manager, (~dead for dead in younger))
            case Deterministic(entry):
                return self.any_ready(w, self.leaving[w.pid].get(entry, []))
        return self.manager.true

    def any_ready(self, w: World, actions: list[Action]) -> Bdd:
        """Who comes later is asked only where the others are not ready."""
        found = self.manager.false
        for action in actions:
            with self.evaluator.focused(w, ~found):
                found = found | self.ready(w, action.step)
        return found

    def effect(self, w: World, action: Action) -> list[World]:
        """The worlds that come of a step; those that fault end."""
        match action.step:
            case Skip() | Else() | Guard():
                return [w]
            case Assign(place, value):
                return self.assigned(w, place, value)
            case Transition(_, assigns):
                return self.all_assigned(w, assigns)
            case Assert(condition):
                holds = self.evaluator.truth(w, condition)
                w.fails(~holds, f"{action.text} failed", action.location)
                return [w]
            case Print(_, values):
                w.careless = True
                for value in values:
                    self.evaluator.value(w, value)
                w.careless = w.tainted = False
                return [w]
            case Chain(actions):
                return self.chain(w, actions)
            case Deterministic():
                return self.deterministic(w, action.step)
            case End():
                return [self.die(w)]
            case Send():
                return self.channels.send(w, action.step)
            case Receive():
                return self.channels.receive(w, action.step)
        raise NotEncodable(action.location, f"{type(action.step).__name__.lower()} cannot be encoded")

    def assigned(self, w: World, place: Place, value: Expr) -> list[World]:
        # SOUND: a variable is hidden only if its value flows nowhere but into others like it and into locals that are
        # dead at once, so any value will do; where one decides more than that, the model is refused.
        w.careless = True
        number = self.evaluator.value(w, value)
        w.careless = w.tainted = False
        return self.assign(w, place, number)

    def all_assigned(self, w: World, assigns: tuple[Assign, ...]) -> list[World]:
        worlds = [w]
        for assign in assigns:
            worlds = [after for one in worlds for after in self.assigned(one, assign.place, assign.value)]
        return worlds

    def assign(self, w: World, place: Place, value: Number) -> list[World]:
        """Wang's `indirect_assignment`: a world for each place that may be meant."""
        wrapped = self.numbers.wrap(value, place.variable.type)
        found = []
        slots = self.evaluator.slots(w, place)
        for condition, slot in slots:
            after = w.fork(condition) if len(slots) > 1 else w
            if not after.is_empty:
                after.set(self.evaluator.key(w.pid, place, slot), wrapped)
                found.append(after)
        return found

    def chain(self, w: World, actions: tuple[Action, ...]) -> list[World]:
        worlds = [w]
        for action in actions:
            worlds = [after for one in worlds for after in self.effect(one, action) if not after.is_empty]
        return worlds

    def die(self, w: World) -> World:
        layout, pid = self.layout, w.pid
        w.go(pid, DEAD)
        for variable in layout.templates[pid].locals:
            self.clear(w, pid, variable)
        for c, queue in enumerate(layout.queues):
            if queue.owner == pid:
                self.channels.empty(w, c)
        return w

    def deterministic(self, w: World, step: Deterministic) -> list[World]:
        """From the entry, the first executable action each time, until the d_step is left."""
        todo: list[tuple[World, int]] = [(w, step.entry)]
        found: list[World] = []
        paths = 0
        while todo:
            here, location = todo.pop()
            if location not in step.inside:
                found.append(here)
                continue
            paths += 1
            first = self.leaving[w.pid][location][0]
            if paths > MOST_PATHS:
                raise NotEncodable(first.location, f"a d_step with more than {MOST_PATHS} steps")
            for action in self.leaving[w.pid][location]:
                ready = self.ready(here, action.step)
                go = here.fork(ready)
                here.condition = here.condition & ~ready
                go.executed.add(action.id)
                if not go.is_empty:
                    todo += [(after, action.target) for after in self.effect(go, action) if not after.is_empty]
            here.fault(self.manager.true, "deadlock", "a d_step blocks after its first statement", first.location)
        return found
