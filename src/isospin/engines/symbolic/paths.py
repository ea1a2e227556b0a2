"""Counterexamples: from the layers of a search back to a path of states, one process step after the other.

Reference: Clarke, Grumberg, McMillan, Zhao, Efficient Generation of Counterexamples and Witnesses (1995).
Differs: each step is looked up in the reference semantics, so that a path that comes out is one.  Where layers were
folded, the folding is undone symbolically, and the permutation is kept on the step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from ...core.errors import InternalError
from ...core.permutation import Permutation, compose, inverse
from ...core.records import dataclass
from ...core.trace import Choice
from ...semantics.explain import choice_of
from ...semantics.interp import Interpreter
from ...semantics.start import start_of
from ...semantics.state import Fault, State
from ..contract import Finding
from .backend import Bdd, Bits
from .encoding.problem import Problem
from .encoding.start import Begin
from .encoding.world import SymbolicViolation
from .reduce import Fold
from .search import Backward, Hit, SymbolicSearch


@dataclass
class _Path:
    """What was done so far; the permutation after each step."""

    state: State
    control: int | None
    choices: list[Choice] = field(default_factory=list)
    folds: list[Permutation | None] = field(default_factory=list)

    def fold(self, permutation: Permutation | None) -> None:
        if permutation is not None and self.folds:
            before = self.folds[-1]
            self.folds[-1] = permutation if before is None else compose(permutation, before)


class Tracer:
    """Finds a path of the user's model in the sets that a search went through."""

    def __init__(self, problem: Problem, interpreter: Interpreter, begin: Begin, search: SymbolicSearch) -> None:
        self.problem, self.interpreter, self.begin, self.search = problem, interpreter, begin, search
        self.manager, self.reduction = problem.manager, search.reduction

    def finding(self, hit: Hit) -> Finding:
        first, path, event = self.backward(hit) if isinstance(self.search, Backward) else self.forward(hit)
        fault, last = self.ending(path, event)
        before = self.begin.paths.get(first, ())
        choices = (*before, *path.choices, *last)
        folds = (*[None] * len(before), *path.folds, *[None] * len(last))
        start = start_of(self.interpreter.model, first)
        used = folds if any(f is not None for f in folds) else ()
        return Finding(fault.kind, fault.message, fault.location, choices, start=start, folds=used)

    # ---------------------------------------------------------------- forwards: from the violation back, then forth

    def forward(self, hit: Hit) -> tuple[State, _Path, SymbolicViolation]:
        """Backwards through the rings to an initial state, then the steps from there."""
        states = [self.problem.some(hit.states)]
        layers = self.search.layers
        for layer in range(hit.layer, 0, -1):
            unfolded = self.reduction.unfold(self.problem.one(states[0]), layers.folds[layer])
            states.insert(0, self.problem.some(self.search.before(unfolded, layers.rings[layer - 1])))
        path = _Path(*self.problem.state(states[0]))
        first = path.state
        for layer, target in enumerate(states[1:], 1):
            self.advance(path, target, layers.folds[layer])
        assert hit.event is not None
        return first, path, hit.event

    def advance(self, path: _Path, target: Bits, fold: Fold) -> None:
        """The step that leads to the target, once its result is folded."""
        for state, control, choice in self.steps(path):
            bits, permutation = self.reduction.follow(self.problem.codec.bits(state, control), fold)
            if bits == target:
                self.take(path, choice)
                path.fold(permutation)
                path.state, path.control = self.problem.state(bits)
                return
        raise InternalError("a step of the symbolic search has no counterpart in the reference semantics")

    def take(self, path: _Path, choice: Choice | None) -> None:
        if choice is not None:
            path.choices.append(choice)
            path.folds.append(None)

    def steps(self, path: _Path) -> Iterator[tuple[State, int | None, Choice | None]]:
        """What can come next; a process that blocks inside an atomic sequence gives control away."""
        options = self.interpreter.steps(path.state, path.control)
        if path.control is not None and not options:
            yield path.state, None, None
        for taken in options:
            if taken.state is not None:
                yield self.interpreter.identity(taken.state), taken.control, choice_of(taken)

    # ---------------------------------------------------------------- backwards: the layers lead to the violation

    def backward(self, hit: Hit) -> tuple[State, _Path, SymbolicViolation]:
        """From an initial state down through the rings of states that lead to an error."""
        layers = self.search.layers
        bits = self.unfolded(self.problem.some(hit.states), hit.layer)[0]
        path = _Path(*self.problem.state(bits))
        first = path.state
        for layer in range(hit.layer, 0, -1):
            bits = self.descend(path, layers.rings[layer - 1])
            bits, back = self.unfolded(bits, layer - 1)
            path.fold(back)
            path.state, path.control = self.problem.state(bits)
        here = self.problem.one(bits)
        wrong = self.problem.wrong(here, self.problem.pointers.take(here))
        return first, path, next(e for e in wrong if self.manager.evaluate(e.condition, bits))

    def unfolded(self, bits: Bits, layer: int) -> tuple[Bits, Permutation | None]:
        """A state that was folded into this one and leads on, and the permutation to it."""
        layers = self.search.layers
        unfolded = self.reduction.unfold(self.problem.one(bits), layers.folds[layer])
        onwards = self.search.before(layers.rings[layer - 1], unfolded) if layer else self.search.first()
        found = self.problem.some(unfolded & onwards)
        _, permutation = self.reduction.follow(found, layers.folds[layer])
        if permutation is None:
            return found, None
        return found, inverse(permutation)

    def descend(self, path: _Path, ring: Bdd) -> Bits:
        for state, control, choice in self.steps(path):
            bits = self.problem.codec.bits(state, control)
            if self.manager.evaluate(ring, bits):
                self.take(path, choice)
                return bits
        raise InternalError("a step of the symbolic search has no counterpart in the reference semantics")

    # ---------------------------------------------------------------- the end

    def ending(self, path: _Path, event: SymbolicViolation) -> tuple[Fault, tuple[Choice, ...]]:
        """The violation itself, and the step in which it happens."""
        for fault, last in self.faults(path, event.pid is None):
            if (fault.kind, fault.location) == (event.kind, event.location):
                return fault, last
        raise InternalError(f"the symbolic search saw '{event.message}' where the reference semantics does not")

    def faults(self, path: _Path, of_state: bool) -> Iterator[tuple[Fault, tuple[Choice, ...]]]:
        if of_state:
            yield from ((fault, ()) for fault in self.interpreter.wrong_at(path.state))
            return
        for taken in self.interpreter.steps(path.state, path.control):
            yield from ((fault, (choice_of(taken),)) for fault in taken.faults)
