"""Forward and backward reachability.

Reference: Wang et al., section 4 (SAP); Clarke, Grumberg, Peled, Model Checking, chapter 6.
Differs: only states that are new are expanded; each layer is kept, so that paths can be found again.  With symmetry a
layer is folded before it is compared with what is known: once, or after each transition, as the paper does.  Then the
loop is the paper's as well, which expands all that is known, again and again: `gasr` is there to be compared with.
"""

from __future__ import annotations

import time
from dataclasses import field
from functools import cached_property

from ...core import deadline
from ...core.deadline import TimeIsOver
from ...core.errors import InternalError, Location
from ...core.records import dataclass
from ...core.usage import peak_memory
from ..contract import Exploration, Progress, Question
from .backend import Bdd, disjunction
from .encoding.image import SetTransition
from .encoding.problem import Problem
from .encoding.world import SymbolicViolation
from .reduce import Fold, SymbolicFolding


class SymbolicStop(Exception):
    """The search ends here; the reason is empty if it found what it looked for."""



@dataclass
class _Layers:
    """The states by their distance from where the search began."""

    known: Bdd
    rings: list[Bdd] = field(default_factory=list)
    folds: list[Fold] = field(default_factory=list)  # how each was folded


@dataclass(frozen=True)
class Hit:
    """Where a layer meets what is looked for: violations (forwards), or initial states (backwards)."""

    event: SymbolicViolation | None  # backwards the path will tell
    layer: int
    states: Bdd


class Clock:
    """Limits and progress."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.started, self.cpu = time.monotonic(), time.process_time()
        self.reported = self.started

    def check(self, states: int, depth: int) -> None:
        question, now = self.question, time.monotonic()
        deadline.check()
        if question.progress and now - self.reported > question.progress_interval:
            self.reported = now
            question.progress(Progress(states, 0, depth, 0, now - self.started, peak_memory()))

    def finish(self, result: Exploration) -> None:
        result.seconds = time.monotonic() - self.started
        result.cpu_seconds = time.process_time() - self.cpu
        result.memory_bytes = peak_memory()


class SymbolicSearch:
    """One direction.  `hits` are what was found, `incomplete` says why the search ended early."""

    def __init__(self, problem: Problem, question: Question, reduction: SymbolicFolding, clock: Clock) -> None:
        self.problem, self.question, self.reduction, self.clock = problem, question, reduction, clock
        self.manager = problem.manager
        self.layers = _Layers(self.manager.false)
        self.hits: list[Hit] = []
        self.incomplete = ""
        self.states = self.nodes = 0  # nodes: the most that were in the table
        self.may_grow = False  # may the search be started again with a larger table?

    def run(self) -> None:
        try:
            self.search()
        except SymbolicStop as stop:
            self.incomplete = str(stop)
        except TimeIsOver as over:
            self.incomplete = str(over)
        except KeyboardInterrupt:
            self.incomplete = "interrupted"

    def search(self) -> None:
        self.add(self.first())
        while self.layers.rings[-1] != self.manager.false:
            if self.question.max_depth is not None and len(self.layers.rings) > self.question.max_depth:
                raise SymbolicStop(f"the search stopped at depth {self.question.max_depth} (--max-depth)")
            self.add(self.following(self.layers.rings[-1]))
        self.layers.rings.pop()

    def add(self, states: Bdd) -> None:
        """One more layer: what is new, folded."""
        states, fold = self.reduction.fold(states & ~self.layers.known)
        new = states & ~self.layers.known
        self.layers.rings.append(new)
        self.layers.folds.append(fold)
        self.layers.known = self.layers.known | new
        self.states += self.manager.count(new & self.problem.stored, self.problem.bits)
        self.examine(new)
        if self.question.max_states is not None and self.states >= self.question.max_states:
            raise SymbolicStop(f"{self.states} states were stored (--max-states)")
        self.check()

    def check(self) -> None:
        self.nodes = max(self.nodes, self.manager.nodes())
        if self.may_grow and self.manager.is_crowded():
            raise MemoryError
        self.clock.check(self.states, self.depth)

    @property
    def depth(self) -> int:
        return max(len(self.layers.rings) - 1, 0)

    def first(self) -> Bdd:
        raise NotImplementedError

    def following(self, ring: Bdd) -> Bdd:
        raise NotImplementedError

    def examine(self, new: Bdd) -> None:
        raise NotImplementedError

    def before(self, states: Bdd, within: Bdd) -> Bdd:
        """Those of `within` from which one step leads to the states."""
        raise NotImplementedError


class Forward(SymbolicSearch):
    """From the initial states, layer by layer, to a violation."""

    def __init__(self, problem: Problem, question: Question, reduction: SymbolicFolding, clock: Clock) -> None:
        super().__init__(problem, question, reduction, clock)
        self.seen: set[tuple[str, Location]] = set()
        self.executed: set[int] = set()  # ids of the actions through pointers

    def first(self) -> Bdd:
        return self.problem.initial

    def following(self, ring: Bdd) -> Bdd:
        found = self.manager.false
        for image, states in self.problem.steps(ring, self.taken):
            found = found | image.after(states)
            self.check()
        return found

    def before(self, states: Bdd, within: Bdd) -> Bdd:
        steps = self.problem.steps(within, self.problem.pointers.take(within))
        return within & disjunction(self.manager, (image.before(states) for image, _ in steps))

    def examine(self, new: Bdd) -> None:
        """What is wrong with new states; the first finding may end the search."""
        self.taken = self.problem.pointers.take(new)
        self.executed |= self.taken.executed
        if new & self.problem.doubts != self.manager.false:
            raise InternalError("a value does not fit into the bits that its range gave it")
        for event in self.problem.wrong(new, self.taken):
            if (event.kind, event.location) in self.seen:
                continue
            states = new & event.condition
            if states != self.manager.false:
                self.seen.add((event.kind, event.location))
                self.hits.append(Hit(event, len(self.layers.rings) - 1, states))
                if not self.question.all_errors:
                    raise SymbolicStop("")


class Backward(SymbolicSearch):
    """From the violations to the initial states."""

    def first(self) -> Bdd:
        wrong = self.problem.wrong(self.problem.valid, self.problem.everything)
        return disjunction(self.manager, (e.condition for e in wrong)) & self.problem.valid

    @cached_property
    def images(self) -> list[SetTransition]:
        problem = self.problem
        return [image for image, _ in problem.steps(problem.valid, problem.everything)]

    def following(self, ring: Bdd) -> Bdd:
        found = self.manager.false
        for image in self.images:
            found = found | (image.before(ring) & self.problem.valid)
            self.check()
        return found

    def before(self, states: Bdd, within: Bdd) -> Bdd:
        return within & disjunction(self.manager, (image.before(states) for image in self.images))

    def examine(self, new: Bdd) -> None:
        """One path is enough: which violation it leads to, the path will tell."""
        states = new & self.problem.initial
        if states != self.manager.false:
            self.hits.append(Hit(None, len(self.layers.rings) - 1, states))
            raise SymbolicStop("")
