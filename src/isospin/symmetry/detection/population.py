"""Which processes there are, once all of them exist.

Reference: docs/develop/traps.md, "Processes and pids": with `run`, permutations may move only live processes.
Differs: states in which some process is not born yet are never folded, and behind the last `run` the set of processes
is fixed; so a non-atomic start costs a few states, not the symmetry.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from ...core.errors import Location
from ...core.model import (
    Action,
    Claim,
    Const,
    Deterministic,
    End,
    Expr,
    Guard,
    Model,
    Place,
    Receive,
    Run,
    Self,
    Step,
    Template,
)
from ...core.records import dataclass
from ...core.verdict import Refusal
from ...semantics.interp import Interpreter, Taken
from ...semantics.state import State, World
from ...semantics.walk import atoms, by_source, evaluated, expressions, parts_of, stored, subexpressions

MOST_STARTS = 10_000


@dataclass(frozen=True)
class Population:
    """The processes of a model when all of them exist."""

    state: State  # as it is if nobody else moves while the processes are started
    creator: int | None  # the process that starts others, if one does
    before: frozenset[int]  # its locations at which some process is not born yet
    closed: bool  # every run goes through `state`: nobody can move before all are born
    started: dict[int, Location] = field(default_factory=dict)  # where the processes come from, if they are started

    def is_born(self, state: State, most: int) -> bool:
        """Do all processes up to pid `most` exist, and can no other be born?"""
        if len(state.processes) <= most:
            return False
        creator = self.creator
        if creator is None or creator >= len(state.processes):
            return True
        return state.processes[creator].location not in self.before


class NotFoldable(Exception):
    """Symmetry cannot be used: where, and why."""

    def __init__(self, location: Location, why: str) -> None:
        super().__init__(why)
        self.refusal = Refusal(location, why)


def populate(model: Model, interpreter: Interpreter, deaths_count: bool = True) -> Population:
    """Start all processes; raises NotFoldable if the set of processes is not fixed.

    `deaths_count`: a process that ends makes room for another one with its pid.
    """
    state = next(interpreter.initial_states(), None)
    if state is None:
        raise NotFoldable(Location(model.file), "there is no initial state")
    starts = {t.name: a for t in model.templates for a in reachable_actions(t) if any(runs(a.step))}
    if not starts:
        return Population(state, None, frozenset(), closed=True)
    creators = [i for i, p in enumerate(state.processes) if model.templates[p.template].name in starts]
    if len(creators) != 1:
        first = min(a.location for a in starts.values())
        raise NotFoldable(first, "processes are started while others run, so the set of processes is not fixed")
    return _Starter(model, interpreter, state, creators[0]).start_all(deaths_count)


class _Starter:
    """Runs the one process that starts others, by itself, up to its last `run`."""

    def __init__(self, model: Model, interpreter: Interpreter, state: State, pid: int) -> None:
        self.model, self.interpreter, self.first, self.pid = model, interpreter, state, pid
        self.template = model.templates[state.processes[pid].template]
        self.before = before_runs(self.template)
        self.check_children()

    def check_children(self) -> None:
        """Only this process starts others."""
        for template in self.model.templates:
            if template is self.template or template.kind not in ("proctype", "init"):
                continue
            for action in reachable_actions(template):
                if any(runs(action.step)) and self.is_started(template.name):
                    raise NotFoldable(action.location, "a process that was started starts others itself")
                if self.template.name in (r.template for r in runs(action.step)):
                    raise NotFoldable(action.location, "a process that starts others is started several times")

    def is_started(self, name: str) -> bool:
        return any(r.template == name for a in reachable_actions(self.template) for r in runs(a.step))

    def start_all(self, deaths_count: bool) -> Population:
        state, steps = self.first, list[Taken]()
        started: dict[int, Location] = {}
        while state.processes[self.pid].location in self.before:
            taken = self.step(state)
            steps.append(taken)
            assert taken.state is not None
            for pid in range(len(state.processes), len(taken.state.processes)):
                started[pid] = taken.action.location
            state = taken.state
            if len(steps) > MOST_STARTS:
                raise NotFoldable(taken.action.location, "starting the processes does not come to an end")
        closed = self.is_closed(steps)
        if not closed:
            self.check_open(steps)
            if deaths_count:
                self.check_deaths(state)
        return Population(state, self.pid, self.before, closed, started)

    def step(self, state: State) -> Taken:
        found = self.interpreter.process_steps(World(state, self.pid))
        where = self.interpreter.leaving[state.processes[self.pid].template][state.processes[self.pid].location][0]
        if len(found) != 1 or found[0].state is None or found[0].faults:
            raise NotFoldable(where.location, "which processes are started depends on the run")
        return found[0]

    def is_closed(self, steps: list[Taken]) -> bool:
        """Is this the only process, and does nobody move between the first birth and the last?"""
        if len(self.first.processes) > 1:
            return False
        births = (i for i, t in enumerate(steps) if any(_runs_in(self.template, t.action)))
        born = next(births, len(steps))  # perhaps it goes past all of them, and starts nobody
        return all(t.control == self.pid for t in steps[born:-1])

    def check_open(self, steps: list[Taken]) -> None:
        """Others move meanwhile: they must have no influence on what is started."""
        written = {p.variable.base for t in self.model.templates for a in t.actions for p in stored(a.step)
                   if not p.variable.is_local}  # fmt: skip
        for taken in steps:
            for e in self.deciding(taken.action):
                for part in subexpressions(e):
                    if not _is_own(part, written):
                        raise NotFoldable(taken.action.location, "what is started depends on what others do meanwhile")

    def check_deaths(self, state: State) -> None:
        """Nobody may die meanwhile."""
        for process in state.processes:
            template = self.model.templates[process.template]
            for action in reachable_actions(template):
                if isinstance(action.step, End) and template is not self.template:
                    why = f"{template.name} may end while others are started, so pids can be reused"
                    raise NotFoldable(action.location, why)

    def deciding(self, action: Action) -> Iterator[Expr]:
        for inner in _inner_actions(self.template, action):
            for step in parts_of(inner.step):
                if isinstance(step, Receive):
                    raise NotFoldable(inner.location, "what is started depends on what others send meanwhile")
                if isinstance(step, Guard | Run) or any(p.variable.is_local for p in stored(step)):
                    yield from evaluated(step)


def _is_own(e: Expr, written: set[int]) -> bool:
    """Does the value depend only on the process itself and on what nobody changes?"""
    if isinstance(e, Place):
        return e.variable.is_local or e.variable.base not in written
    return isinstance(e, Const | Self) or type(e).__name__ in ("Unary", "Binary", "Conditional")


# ------------------------------------------------------------------------------------------------ control graphs


def claim_expressions(claim: Claim) -> Iterator[Expr]:
    if claim.formula is not None:
        yield from atoms(claim.formula)
    if claim.template is not None:
        for action in claim.template.actions:
            yield from expressions(action.step)


def runs(step: Step) -> Iterator[Run]:
    for part in parts_of(step):
        if isinstance(part, Run):
            yield part


def _inner_actions(template: Template, action: Action) -> list[Action]:
    """The action, and those of the d_step that it is."""
    if not isinstance(action.step, Deterministic):
        return [action]
    inside = action.step.inside
    return [action] + [a for a in template.actions if a.source in inside]


def _runs_in(template: Template, action: Action) -> Iterator[Run]:
    for inner in _inner_actions(template, action):
        yield from runs(inner.step)


def successors(action: Action) -> tuple[int, ...]:
    """The locations behind an action, and the first one inside if it is a d_step."""
    if isinstance(action.step, Deterministic):
        return action.step.entry, action.target
    return () if isinstance(action.step, End) else (action.target,)


def reachable_actions(template: Template, start: int | None = None) -> list[Action]:
    """The actions that can be reached in the control graph."""
    leaving = by_source(template.actions)
    seen = {template.entry if start is None else start}
    todo = list(seen)
    while todo:
        for action in leaving.get(todo.pop(), []):
            for target in successors(action):
                if target not in seen:
                    seen.add(target)
                    todo.append(target)
    return [a for a in template.actions if a.source in seen]


def before_runs(template: Template) -> frozenset[int]:
    """The locations from which a `run` can still be reached."""
    found = {a.source for a in template.actions if any(runs(a.step))}
    size = -1
    while size != len(found):
        size = len(found)
        found |= {a.source for a in template.actions if any(t in found for t in successors(a))}
    return frozenset(found)
