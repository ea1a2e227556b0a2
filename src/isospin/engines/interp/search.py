"""Exhaustive search with the reference interpreter.

Reference: textbook breadth-first and depth-first search.
Differs: nothing without a strategy: this is the oracle, with no compression, and parents kept for traces.  A symmetry
strategy folds each state before it is looked up; the permutation is kept on every step.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterator
from typing import NamedTuple

from ...analysis.ample import Ample
from ...core import deadline
from ...core.deadline import TimeIsOver, stretch, within
from ...core.errors import Location
from ...core.model import Model
from ...core.permutation import Permutation
from ...core.trace import Choice, FoldedChoice
from ...core.usage import peak_memory
from ...semantics.explain import choice_of
from ...semantics.interp import Interpreter, Move, Taken
from ...semantics.start import start_of
from ...semantics.state import Fault, State
from ...semantics.work import GivenUp
from ...symmetry.protocol import Folded, PidsUsedAgain, Strategy, fold_start
from ..contract import Exploration, Finding, Progress, Question
from .order import Order


def explore(
    model: Model, question: Question, strategy: Strategy | None = None, ample: Ample | None = None
) -> Exploration:
    """Search the states of a model; again, and more cautiously, if pids turn out to be used again."""
    try:
        return InterpreterSearch(model, question, strategy, ample).run()
    except PidsUsedAgain as problem:
        found = InterpreterSearch(model, question, problem.instead, ample).run()
        found.notes = (*found.notes, str(problem))
        return found


GRACE = 0.5  # seconds: the search itself asks how much time it has, but not in the middle of a state


class SearchOver(Exception):
    """The search ends here; the reason is empty if it found what it looked for."""


class _Task(NamedTuple):
    """A stored state that is to be expanded; by the moves of everybody, if one process was not enough."""

    number: int
    everybody: bool = False


class InterpreterSearch:
    """Visits every state once, breadth first or depth first."""

    def __init__(
        self, model: Model, question: Question, strategy: Strategy | None = None, ample: Ample | None = None
    ) -> None:
        self.interpreter = Interpreter(model)
        self.interpreter.work.allow(question.budget, question.mark, question.at_mark)
        self.question = question
        self.strategy = strategy
        self.order = None if ample is None else Order(self.interpreter, ample)
        self.wants_new = ample is not None and ample.wants_new
        self.moved_alone = False  # in the state that was expanded last
        self.result = Exploration()
        self.number: dict[Hashable, int] = {}  # stored states, in the order of discovery
        self.states: list[State] = []
        self.parent: list[tuple[int, tuple[FoldedChoice, ...]]] = []
        self.known: set[tuple[str, Location]] = set()
        self.over = False  # one violation is enough: its state is expanded to the end, as in C, and no other
        self.reached: tuple[int, Permutation | None] = 0, None  # by the last move: which state, permuted how
        self.queued = 0
        self.started = time.monotonic()
        self.cpu = time.process_time()
        self.reported = self.started

    def run(self) -> Exploration:
        """Search until it is done or something ends it, and say which."""
        try:
            with within(self.question.max_time), stretch("searching", grace=GRACE):
                self.search()
                self.result.orbit_sum = None if self.result.incomplete else self.orbit_sum()
        except (SearchOver, GivenUp) as stop:
            self.result.incomplete = str(stop)
        except TimeIsOver as over:
            self.result.incomplete = str(over)
        except KeyboardInterrupt:
            self.result.incomplete = "interrupted"
        return self.finish()

    def finish(self) -> Exploration:
        result = self.result
        result.states = len(self.states)
        result.executed |= self.interpreter.covered
        result.seconds = time.monotonic() - self.started
        result.cpu_seconds = time.process_time() - self.cpu
        result.memory_bytes = peak_memory()
        return result

    def orbit_sum(self) -> int | None:
        """How many states the stored ones stand for, if the strategy knows."""
        if self.strategy is None:
            return None
        sizes = [self.strategy.orbit_size(s) for s in self.states]
        known = [size for size in sizes if size is not None]
        return sum(known) if len(known) == len(sizes) else None

    # ---------------------------------------------------------------- the two searches

    def search(self) -> None:
        try:
            initial = list(self.interpreter.initial_states())
        except Fault as fault:
            self.result.findings.append(Finding(fault.kind, fault.message, fault.location, (), before_start=True))
            return
        roots = [n for state in initial if (n := self.visit(state, -1, ())) is not None]
        if self.question.search == "dfs":
            self.depth_first(roots)
        else:
            self.breadth_first(roots)

    def breadth_first(self, roots: list[int]) -> None:
        layer = [_Task(number) for number in roots]
        while layer:
            if self.too_deep(self.result.depth):
                return
            following: list[_Task] = []
            for task in layer:
                self.queued = len(layer) + len(following)
                following += self.follow(task)
                if self.over:
                    self.result.depth += 1
                    raise SearchOver("")
            layer = following
            self.result.depth += bool(layer)

    def follow(self, task: _Task) -> list[_Task]:
        """What a state leaves to do: its new successors; or the state itself, if who moved alone found none."""
        found = [_Task(n) for n in self.expand(*task) if n is not None]
        if found or task.everybody or not self.moved_alone or not self.wants_new:
            return found
        return [_Task(task.number, everybody=True)]

    def depth_first(self, roots: list[int]) -> None:
        for root in roots:
            stack: list[Iterator[int | None]] = [self.expand(root)]
            while stack:
                self.result.depth = max(self.result.depth, len(stack) - 1)
                self.queued = len(stack)
                child = next(stack[-1], -1)
                if self.over:
                    raise SearchOver("")
                if child == -1:
                    stack.pop()
                elif child is not None and not self.too_deep(len(stack)):
                    stack.append(self.expand(child))

    def too_deep(self, depth: int) -> bool:
        limit = self.question.max_depth
        if limit is None or depth < limit:
            return False
        self.result.incomplete = f"the search stopped at depth {limit} (--max-depth)"
        return True

    # ---------------------------------------------------------------- one state

    def visit(self, state: State, parent: int, choices: tuple[Choice, ...]) -> int | None:
        """Store a state; its number if it is new."""
        self.result.transitions += 1
        key, representative, permutation = self.fold(state, parent)
        number = self.number.setdefault(key, len(self.states))
        self.reached = number, permutation
        if number < len(self.states):
            return None
        self.states.append(representative)
        last = (FoldedChoice(choices[-1], permutation),) if choices else ()
        self.parent.append((parent, (*map(FoldedChoice, choices[:-1]), *last)))
        self.check_limits()
        return number

    def fold(self, state: State, parent: int) -> Folded:
        if parent < 0 or self.strategy is None:
            return fold_start(self.strategy, state, self.interpreter)
        self.interpreter.work.spend(len(state.processes))
        return self.strategy.fold(state, self.states[parent])

    def expand(self, number: int, everybody: bool = False) -> Iterator[int | None]:
        """The successors of a stored state: the number of each new one, None for one that is known."""
        state, moved = self.states[number], False
        for broken in self.interpreter.broken(state):
            self.report(broken, number)
        for move in self.moves(state, everybody):
            moved = True
            self.examine(number, move)
            if move.state is not None:
                yield self.visit(move.state, number, tuple(choice_of(t) for t in move.steps))
        if not moved and self.question.deadlock and (fault := self.interpreter.stuck(state)):
            self.report(fault, number)

    def moves(self, state: State, everybody: bool) -> Iterator[Move]:
        """All moves; or those of one process, if that is enough."""
        if self.order is None:
            return self.interpreter.moves(state)
        alone = [] if everybody else self.order.alone(state)
        self.moved_alone = bool(alone)
        return map(self.order.leap, alone or self.interpreter.moves(state))

    def examine(self, number: int, move: Move) -> None:
        """Note what a move executed, its faults, and whether it met a bound."""
        for i, taken in enumerate(move.steps):
            if taken.cut:
                # SOUND: what lies behind a bound was not seen, and the verdict says so.
                self.result.incomplete = self.result.incomplete or taken.cut
                continue
            self.cover(taken)
            for fault in taken.faults:
                steps = tuple(FoldedChoice(choice_of(t)) for t in move.steps[: i + 1])
                self.report(fault, number, steps)

    def cover(self, taken: Taken) -> None:
        self.result.executed.add(taken.action.id)
        if taken.partner_action is not None:
            self.result.executed.add(taken.partner_action.id)

    def path(self, number: int) -> tuple[FoldedChoice, ...]:
        pieces = []
        while number >= 0:
            number, choices = self.parent[number]
            pieces.append(choices)
        return tuple(choice for piece in reversed(pieces) for choice in piece)

    def root(self, number: int) -> State:
        while self.parent[number][0] >= 0:
            number = self.parent[number][0]
        return self.states[number]

    def report(self, fault: Fault, number: int, steps: tuple[FoldedChoice, ...] = ()) -> None:
        """A fault of a stored state, or of steps from it."""
        where = (fault.kind, fault.location)
        if where not in self.known and not self.over:
            self.known.add(where)
            path = self.path(number) + steps
            choices = tuple(step.choice for step in path)
            permutations = tuple(step.permutation for step in path)
            folds = permutations if any(p is not None for p in permutations) else ()
            # SOUND: symmetries keep the set of initial states, so a representative of one is one.
            start = start_of(self.interpreter.model, self.root(number))
            found = Finding(fault.kind, fault.message, fault.location, choices, start=start, folds=folds)
            self.result.findings.append(found)
        self.over = not self.question.all_errors

    # ---------------------------------------------------------------- limits

    def check_limits(self) -> None:
        question, now = self.question, time.monotonic()
        if question.max_states is not None and len(self.states) >= question.max_states:
            raise SearchOver(f"{len(self.states)} states were stored (--max-states)")
        deadline.check()
        if question.max_memory is not None and len(self.states) % 256 == 0 and peak_memory() > question.max_memory:
            raise SearchOver(f"the memory of {question.max_memory} bytes is used up (--max-memory)")
        if question.progress and now - self.reported > question.progress_interval:
            self.reported = now
            question.progress(self.snapshot(now))

    def snapshot(self, now: float) -> Progress:
        return Progress(
            len(self.states), self.result.transitions, self.result.depth, self.queued, now - self.started, peak_memory()
        )
