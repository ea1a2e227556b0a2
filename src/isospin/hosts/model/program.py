"""Any Promela model as a program: processes are threads, moves between stored states are steps.

Stateful and stateless search so check each other.  What a process can do in a state is remembered, as long as there is
room: the search itself stores nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ...core.errors import UsageError
from ...core.model import Const, Guard, Model
from ...core.records import dataclass
from ...core.trace import Choice
from ...engines.stateless.protocol import Exchanging, ExecutedStep, Found, Op, Renaming, Step, Thread, dependent
from ...semantics.explain import choice_of
from ...semantics.interp import Interpreter, Move
from ...semantics.state import State, World
from .residual import ResidualModelCode
from .touch import Toucher

MOST_REMEMBERED = 200_000
Mover = Callable[[State], State | None]  # what a renaming does to a state; None: it does not apply to it


@dataclass(slots=True, eq=False)
class _View:
    """A state, and what can happen in it."""

    state: State | None  # None: a fault ended the run
    pending: dict[Thread, Op]
    enabled: list[Thread]
    moves: dict[Thread, list[Move]]  # of those who were asked
    after: dict[tuple[Thread, int], _View]  # where known moves lead


class ModelProgram(Exchanging):
    """A model at some state of one run."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.interpreter = Interpreter(model)
        self.toucher = Toucher(self.interpreter)
        self.residual = ResidualModelCode(self.interpreter, self.toucher)
        self.movers: dict[str, Mover] = {}  # of the renamings that it can check, by their names
        initial = list(self.interpreter.initial_states())
        if len(initial) != 1:
            raise UsageError(f"{model.file}: the stateless engine needs one initial state, not {len(initial)}")
        self.initial = initial[0]
        self.views: dict[State, _View] = {}
        self.ended = _View(None, {}, [], {}, {})
        self.total = self.toucher.watched  # who can move may depend on whether anybody else can
        self.executed: set[int] = set()
        self.cut = ""  # why something was not explored
        self._partners: tuple[Thread, ...] = ()
        self.restart()

    def restart(self) -> None:
        self.view = self.look(self.initial)

    def save(self) -> _View:
        return self.view

    def restore(self, saved: _View) -> None:
        self.view = saved

    # ---------------------------------------------------------------- states

    def look(self, state: State, before: _View | None = None, op: Op | None = None) -> _View:
        """What can happen in a state; `before`, and what was done since then, say what did not change."""
        known = self.views.get(state)
        if known is None:
            if len(self.views) > MOST_REMEMBERED:
                self.views.clear()
            known = self.views[state] = self.make(state, before, op)
        return known

    def make(self, state: State, before: _View | None, op: Op | None) -> _View:
        view = _View(state, {}, [], {}, {})
        for pid in range(len(state.processes)):
            if before is not None and op is not None and not self.total and _same_process(before, state, pid):
                same = before.pending.get(pid)
                # SOUND: independent operations neither enable nor disable each other.
                if same is None or not dependent(same, op):
                    if same is not None:
                        view.pending[pid] = same
                    if pid in before.enabled:
                        view.enabled.append(pid)
                    continue
            if not self.is_finished(state, pid):
                view.pending[pid] = self.toucher.op(World(state, pid))
                if self.moves(view, pid):
                    view.enabled.append(pid)
        return view

    def moves(self, view: _View, pid: Thread) -> list[Move]:
        """What a process can do."""
        found = view.moves.get(pid)
        if found is None and view.state is not None:
            if self.total:
                every = list(self.interpreter.moves(view.state))
                found = [m for m in every if m.steps[0].pid == pid]
            else:
                found = list(self.interpreter.moves(view.state, pid))
            if any(m.steps[-1].cut for m in found):
                self.cut = next(m.steps[-1].cut for m in found if m.steps[-1].cut)
                found = [m for m in found if not m.steps[-1].cut]
            view.moves[pid] = found
        return found or []

    def is_finished(self, state: State, pid: int) -> bool:
        """Will it never move again?"""
        process = state.processes[pid]
        leaving = self.interpreter.leaving[process.template].get(process.location, [])
        return all(isinstance(a.step, Guard) and a.step.condition == Const(0) for a in leaving)

    def pending(self) -> Mapping[Thread, Op]:
        return self.view.pending

    def enabled(self) -> Sequence[Thread]:
        return self.view.enabled

    def choices(self, thread: Thread) -> int:
        return len(self.moves(self.view, thread))

    # ---------------------------------------------------------------- steps

    def step(self, thread: Thread, choice: int = 0) -> Sequence[Found]:
        move = self.moves(self.view, thread)[choice]
        self._partners = tuple({t.partner for t in move.steps if t.partner is not None} - {thread})
        found = []
        for taken in move.steps:
            self.executed.add(taken.action.id)
            if taken.partner_action is not None:
                self.executed.add(taken.partner_action.id)
            found += [Found(f.kind, f.message, f.location, taken.pid) for f in taken.faults]
        if move.state is None and not found:
            self.cut = "an atomic sequence does not end"
        self.view = self.after(self.view, thread, choice)
        return found

    def partners(self) -> Sequence[Thread]:
        return self._partners

    def stuck(self) -> Found | None:
        fault = None if self.view.state is None else self.interpreter.stuck(self.view.state)
        return None if fault is None else Found(fault.kind, fault.message, fault.location)

    def replay(self, past: Sequence[ExecutedStep]) -> None:
        self.restart()
        for event in past:
            self.view = self.after(self.view, event.thread, event.choice)

    def after(self, view: _View, thread: Thread, choice: int) -> _View:
        known = view.after.get((thread, choice))
        if known is None:
            state = self.moves(view, thread)[choice].state
            known = self.ended if state is None else self.look(state, view, view.pending[thread])
            view.after[thread, choice] = known
        return known

    def path(self, steps: Sequence[Step]) -> tuple[Choice, ...]:
        """The choices of an execution, statement by statement."""
        view, found = self.look(self.initial), list[Choice]()
        for step in steps:
            found += [choice_of(taken) for taken in self.moves(view, step.thread)[step.choice].steps]
            view = self.after(view, step.thread, step.choice)
        return tuple(found)

    # ---------------------------------------------------------------- futures, symmetry

    def future(self, thread: Thread) -> Op | None:
        assert self.view.state is not None
        return self.toucher.future(World(self.view.state, thread))

    def are_alike(self, first: Thread, second: Thread) -> bool:
        return self.view.state is not None and self.residual.alike(self.view.state, first, second)

    def what_changes(self, renaming: Renaming) -> str:
        mover = self.movers.get(renaming.name)
        if mover is None:
            return f"{renaming.name} is not known to be a symmetry of the model"
        image = None if self.view.state is None else mover(self.view.state)
        return "" if image is not None and image == self.view.state else "the state changes"


def _same_process(before: _View, state: State, pid: Thread) -> bool:
    assert before.state is not None
    return pid < len(before.state.processes) and before.state.processes[pid] is state.processes[pid]
