"""Forward and backward reachability.

Reference: Wang et al., section 4 (SAP); Clarke, Grumberg, Peled, Model Checking, chapter 6.
Differs: only states that are new are expanded; each layer is kept, so that paths can be found again.  With symmetry a
layer is folded before it is compared with what is known: once, or after each transition, as the paper does.
"""

from __future__ import annotations

import resource
import time
from dataclasses import dataclass, field

from ...errors import InternalError
from ..contract import Exploration, Progress, Question
from .backend import Bdd, Manager, disjunction
from .image import Images
from .reduce import Reduction
from .world import Event


class Stop(Exception):
    """The search ends here; the reason is empty if it found what it looked for."""


@dataclass
class Problem:
    """What is asked of a search: plain diagrams."""

    manager: Manager
    images: Images
    initial: Bdd
    events: list[Event]
    bits: int  # of a state
    counted: Bdd  # which states are stored: nobody is inside an atomic sequence
    valid: Bdd  # what a state can be at all
    doubts: Bdd


@dataclass
class Layers:
    """The states by their distance from where the search began."""

    rings: list[Bdd] = field(default_factory=list)
    passes: list[int] = field(default_factory=list)  # how often each was folded
    known: Bdd = None


@dataclass(frozen=True)
class Hit:
    """A violation: the event, the layer, and states in which it happens (forwards) or where it starts (backwards)."""

    event: Event
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
        if question.max_time is not None and now - self.started > question.max_time:
            raise Stop(f"the time of {question.max_time:g} s is over (--max-time)")
        if question.max_memory is not None and memory() > question.max_memory:
            raise Stop(f"the memory of {question.max_memory} bytes is used up (--max-memory)")
        if question.progress and now - self.reported > question.progress_interval:
            self.reported = now
            question.progress(Progress(states, 0, depth, 0, now - self.started, memory()))

    def finish(self, result: Exploration) -> None:
        result.seconds = time.monotonic() - self.started
        result.cpu_seconds = time.process_time() - self.cpu
        result.memory_bytes = memory()


def memory() -> int:
    """The most memory that this process has used so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


class Search:
    """One direction.  `hits` are what was found, `incomplete` says why the search ended early."""

    def __init__(self, problem: Problem, question: Question, reduction: Reduction, clock: Clock) -> None:
        self.problem, self.question, self.reduction, self.clock = problem, question, reduction, clock
        self.manager, self.images = problem.manager, problem.images
        self.layers = Layers(known=self.manager.false)
        self.hits: list[Hit] = []
        self.incomplete = ""
        self.states = 0

    def run(self) -> None:
        try:
            self.search()
        except Stop as stop:
            self.incomplete = str(stop)
        except KeyboardInterrupt:
            self.incomplete = "interrupted"

    def search(self) -> None:
        self.add(self.first(), folded=False)
        while self.layers.rings[-1] != self.manager.false:
            if self.question.max_depth is not None and len(self.layers.rings) > self.question.max_depth:
                raise Stop(f"the search stopped at depth {self.question.max_depth} (--max-depth)")
            self.add(self.following(self.layers.rings[-1]), folded=self.reduction.each)
        self.layers.rings.pop()

    def add(self, states: Bdd, folded: bool) -> None:
        """One more layer: what is new, folded."""
        passes = 1
        if not folded:
            states, passes = self.reduction.fold(states)
        new = states & ~self.layers.known
        self.layers.rings.append(new)
        self.layers.passes.append(passes)
        self.layers.known = self.layers.known | new
        self.states = self.count(self.layers.known)
        if __import__("os").environ.get("DBG"): print(len(self.layers.rings), self.states, self.manager.size(self.layers.known), self.manager.size(new), self.manager.manager.num_inner_nodes())
        self.examine(new)
        if self.question.max_states is not None and self.states >= self.question.max_states:
            raise Stop(f"{self.states} states were stored (--max-states)")
        self.check()

    def check(self) -> None:
        self.clock.check(self.states, len(self.layers.rings) - 1)

    def count(self, states: Bdd) -> int:
        return self.manager.count(states & self.problem.counted, self.problem.bits)

    @property
    def depth(self) -> int:
        return max(len(self.layers.rings) - 1, 0)

    def first(self) -> Bdd:
        raise NotImplementedError

    def following(self, ring: Bdd) -> Bdd:
        raise NotImplementedError

    def examine(self, new: Bdd) -> None:
        raise NotImplementedError


class Forward(Search):
    def first(self) -> Bdd:
        return self.problem.initial

    def following(self, ring: Bdd) -> Bdd:
        found = self.manager.false
        for image in self.images.all:
            after = self.images.after(image, ring)
            if self.reduction.each and after != self.manager.false:
                after = self.reduction.fold(after)[0]
            found = found | after
            self.check()
        return found

    def examine(self, new: Bdd) -> None:
        if new & self.problem.doubts != self.manager.false:
            raise InternalError("a value does not fit into the bits that its range gave it")
        for event in self.problem.events:
            states = new & event.condition
            if states != self.manager.false:
                self.hits.append(Hit(event, len(self.layers.rings) - 1, states))
                if not self.question.all_errors:
                    raise Stop("")


class Backward(Search):
    """From the violations to the initial states."""

    def first(self) -> Bdd:
        return disjunction(self.manager, (e.condition for e in self.problem.events)) & self.problem.valid

    def following(self, ring: Bdd) -> Bdd:
        found = self.manager.false
        for image in self.images.all:
            before = self.images.before(image, ring) & self.problem.valid
            if self.reduction.each and before != self.manager.false:
                before = self.reduction.fold(before)[0]
            found = found | before
            self.check()
        return found

    def examine(self, new: Bdd) -> None:
        states = new & self.problem.initial
        if states != self.manager.false:
            event = self.problem.events[0]  # which one it is, the path will tell
            self.hits.append(Hit(event, len(self.layers.rings) - 1, states))
            if not self.question.all_errors:
                raise Stop("")
