"""What a step does to a set of states: when it can be taken, and the worlds that come of it.

Reference: Wang et al., sections 4 and 5.2; `semantics/interp.py`, which this file follows method by method.
Differs: an assignment through a pointer or an index is one world for each target, so that most new values are
constants.
"""

from __future__ import annotations

from ....core.model import (
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
    Transition,
    Variable,
)
from ....semantics.walk import by_source
from ..backend import Bdd, disjunction
from .channels import ChannelSteps
from .expressions import Evaluator
from .layout import DEAD
from .start import NotEncodable
from .world import World

MOST_PATHS = 4000  # through one d_step


class StepEncoder:
    """The steps of a model, each by itself."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator, self.layout, self.manager = evaluator, evaluator.layout, evaluator.manager
        self.encoding, self.numbers = evaluator.encoding, evaluator.numbers
        self.channels = ChannelSteps(evaluator)
        self.leaving = [by_source(t.actions) for t in self.layout.templates]
        self.pids = range(len(self.layout.templates))

    def ready(self, w: World, step: Step) -> Bdd:
        """The states in which a step is executable."""
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
        return self.evaluator.assign(w, place, number)

    def all_assigned(self, w: World, assigns: tuple[Assign, ...]) -> list[World]:
        worlds = [w]
        for assign in assigns:
            worlds = [after for one in worlds for after in self.assigned(one, assign.place, assign.value)]
        return worlds

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

    # ---------------------------------------------------------------- where a step ends

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
            w.set(("local", pid, variable.base + i), self.numbers.constant(variable.rest))
