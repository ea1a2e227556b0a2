"""Where the symbolic search starts: behind the last `run`, when the set of processes is known.

Reference: `semantics/interp.py`; docs/develop/traps.md, "Processes and pids".
Differs: what happens before all processes are born is searched state by state, which is cheap since little happens
there; a model that starts processes for ever, or different ones in different runs, is refused.
"""

from __future__ import annotations

from dataclasses import field

from ....core.errors import Location, SourceError
from ....core.model import Action, Deterministic, Model, Run, Template
from ....core.records import dataclass
from ....core.trace import Choice
from ....semantics.explain import choice_of
from ....semantics.interp import Interpreter, Move
from ....semantics.state import Fault, State
from ....semantics.walk import parts_of
from ....semantics.work import Endless
from ...contract import Finding

MOST_BEFORE = 5000  # states before all processes are born
HINT = "the explicit engine (--engine explicit) can check this model"


class NotEncodable(SourceError):
    """A model that cannot be encoded: where, and why."""

    def __init__(self, location: Location, why: str) -> None:
        super().__init__(SourceError.at(location, f"--engine symbolic: {why}", HINT).diagnostics)
        self.location, self.why = location, why


@dataclass
class Begin:
    """The processes, and how they came to be."""

    processes: tuple[int, ...]  # the template of each
    states: list[State]  # all are born in them; empty if there is a choice of initial values
    sample: State | None = None  # one of the initial states, or what they look like
    before: int = 0  # stored states in which some process is not born yet
    paths: dict[State, tuple[Choice, ...]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    executed: set[int] = field(default_factory=set)
    transitions: int = 0


def refuse(model: Model) -> None:
    """What no encoding is there for."""
    place = Location(model.file)
    reasons = {
        "objects and functions cannot be encoded": bool(model.objects) or model.has_calls,
        "priorities cannot be encoded": model.uses_priority,
        "_last cannot be encoded": model.uses_last,
    }
    for why, is_so in reasons.items():
        if is_so:
            raise NotEncodable(place, why)
    if model.monitor is not None:
        raise NotEncodable(model.monitor.template.location, "trace assertions cannot be encoded")


def begin(model: Model, interpreter: Interpreter, deadlock: bool) -> Begin:
    if any(runs(a) for t in model.templates for a in t.actions):
        return _BirthSearch(model, interpreter, deadlock).run()
    first = interpreter.first({}).state()
    processes = tuple(p.template for p in first.processes)
    if any(v.choices for v in model.globals):
        return Begin(processes, [], first)
    states = [interpreter.identity(s) for s in interpreter.initial_states()]
    return Begin(processes, states, first, paths=dict.fromkeys(states, ()), transitions=len(states))


def runs(action: Action) -> bool:
    return any(isinstance(step, Run) for step in parts_of(action.step))


def before_run(template: Template) -> set[int]:
    """The locations from which a `run` can be reached."""
    into: dict[int, set[int]] = {}
    for a in template.actions:
        into.setdefault(a.target, set()).add(a.source)
        if isinstance(a.step, Deterministic):
            into.setdefault(a.step.entry, set()).add(a.source)
    found = {a.source for a in template.actions if runs(a)}
    todo = list(found)
    while todo:
        for source in into.get(todo.pop(), set()) - found:
            found.add(source)
            todo.append(source)
    return found


class _BirthSearch:
    """Searches the states in which a process may still be born."""

    def __init__(self, model: Model, interpreter: Interpreter, deadlock: bool) -> None:
        self.model, self.interpreter, self.deadlock = model, interpreter, deadlock
        self.growing = [before_run(t) for t in model.templates]
        self.start = Begin((), [])
        self.seen: set[State] = set()
        self.layer: list[State] = []

    def run(self) -> Begin:
        for state in self.interpreter.initial_states():
            self.visit(state, ())
        while self.layer:
            state = self.layer.pop(0)
            self.expand(state)
        self.start.processes = self.processes()
        return self.start

    def is_growing(self, state: State) -> bool:
        return any(p.location in self.growing[p.template] for p in state.processes)

    def visit(self, state: State, path: tuple[Choice, ...]) -> None:
        """A state in which processes are still started is expanded later; any other one is an initial state."""
        self.start.transitions += 1
        key = self.interpreter.identity(state)
        if key in self.seen:
            return
        self.seen.add(key)
        self.start.paths[key] = path
        if self.is_growing(state):
            self.start.before += 1
            self.layer.append(key)
        else:
            self.start.states.append(key)
        if len(self.seen) > MOST_BEFORE:
            raise NotEncodable(self.place(), f"processes are started while others run: more than {MOST_BEFORE} states")

    def place(self) -> Location:
        return next(a.location for t in self.model.templates for a in t.actions if runs(a))

    def expand(self, state: State) -> None:
        """All moves of a state, and what is wrong with it."""
        path, moved = self.start.paths[state], False
        try:
            for move in self.interpreter.moves(state):
                moved = True
                self.examine(path, move)
                if move.state is not None:
                    self.visit(move.state, (*path, *map(choice_of, move.steps)))
        except Endless as endless:
            raise NotEncodable(self.place(), str(endless)) from None
        for broken in self.interpreter.broken(state):
            self.report(broken, path)
        if not moved and self.deadlock and (stuck := self.interpreter.stuck(state)):
            self.report(stuck, path)

    def examine(self, path: tuple[Choice, ...], move: Move) -> None:
        for i, taken in enumerate(move.steps):
            self.start.executed |= {a.id for a in (taken.action, taken.partner_action) if a is not None}
            for fault in taken.faults:
                self.report(fault, (*path, *map(choice_of, move.steps[: i + 1])))

    def report(self, fault: Fault, path: tuple[Choice, ...]) -> None:
        self.start.findings.append(Finding(fault.kind, fault.message, fault.location, path))

    def processes(self) -> tuple[int, ...]:
        """The same in all states, but for those that are dead."""
        lists = [tuple(p.template for p in s.processes) for s in self.start.states]
        longest = max(lists, key=len, default=())
        if any(longest[: len(one)] != one for one in lists):
            raise NotEncodable(self.place(), "which processes are started depends on the run")
        return longest
