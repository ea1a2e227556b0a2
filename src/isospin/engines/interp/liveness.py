"""Cycles that violate a claim: the product of a model and a watcher, searched for accepting components.

Reference: Couvreur, On-the-fly verification of linear temporal logic, FM 1999 (components merged as the search runs);
docs/develop/traps.md, "Liveness": weak fairness on the annotated quotient, through its threaded structure (Emerson
and Sistla 1997; Gyuris and Sistla 1999).
Differs: SPIN's nested search is for the compiled engine; the verdicts are the same.  The threads of a component are
found by uniting pairs (node, process): where edges carry permutations, pairs that are connected reach each other.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import field
from typing import NamedTuple

from ...analysis.ample import Ample
from ...core import deadline
from ...core.deadline import TimeIsOver, stretch, within
from ...core.errors import Location
from ...core.model import Claim, Model, Timeout
from ...core.records import dataclass
from ...core.trace import FoldedChoice
from ...core.usage import peak_memory
from ...semantics.interp import Interpreter
from ...semantics.state import Fault
from ...semantics.walk import subexpressions
from ...semantics.work import GivenUp
from ...symmetry.protocol import PidsUsedAgain, Strategy
from ..contract import Exploration, Finding, Progress, Question
from .claims import Watcher, looked_at, place, violation, watcher
from .graph import Arc, StateGraph
from .search import GRACE, SearchOver
from .tour import Tour, TourEdge, path_to


class _ProductNode(NamedTuple):
    """A state of the product.  `ended`: the run is over, and the watcher looks at its last state again."""

    state: int
    at: int
    ended: bool = False


@dataclass
class _Component:
    """Nodes that reach each other, as far as has been seen."""

    root: int
    nodes: list[int]
    accepting: bool
    events: int = 0  # edges that closed a cycle
    next_check: int = 1
    has_cycle: bool = False


def check_claim(
    model: Model, claim: Claim, question: Question, strategy: Strategy | None = None, ample: Ample | None = None
) -> Exploration:
    """Look for a run that violates the claim."""
    try:
        return _CycleSearch(model, claim, question, strategy, ample).run()
    except PidsUsedAgain as problem:
        return _CycleSearch(model, claim, question, problem.instead, ample).run()


@dataclass
class _Product:
    """The nodes and edges that have been seen."""

    graph: StateGraph
    nodes: list[_ProductNode] = field(default_factory=list)
    edges: list[list[TourEdge]] = field(default_factory=list)
    number: dict[_ProductNode, int] = field(default_factory=dict)
    roots: list[int] = field(default_factory=list)

    def add(self, node: _ProductNode) -> int:
        number = self.number[node] = len(self.nodes)
        self.nodes.append(node)
        self.edges.append([])
        return number

    def disabled(self, node: int, pid: int) -> bool:
        return self.graph.disabled(self.nodes[node].state, pid)

    def processes(self, node: int) -> int:
        return self.graph.processes(self.nodes[node].state)


class _CycleSearch:
    """Looks for a component of the product with a cycle that violates the claim."""

    def __init__(
        self, model: Model, claim: Claim, question: Question, strategy: Strategy | None, ample: Ample | None
    ) -> None:
        self.interpreter = Interpreter(model)
        self.interpreter.work.allow(question.budget, question.mark, question.at_mark)
        self.claim, self.question = claim, question
        self.watcher: Watcher = watcher(claim, self.interpreter)
        self.sees_timeout = any(isinstance(e, Timeout) for top in looked_at(claim) for e in subexpressions(top))
        self.graph = StateGraph(self.interpreter, strategy, ample)
        self.product = _Product(self.graph)
        self.result = Exploration()
        self.components: list[_Component] = []
        self.alive: list[bool] = []
        self.depth = 0
        self.started, self.cpu = time.monotonic(), time.process_time()
        self.reported = self.started

    def run(self) -> Exploration:
        """Search until it is done or something ends it, and say which."""
        result = self.result
        try:
            with within(self.question.max_time), stretch("searching", grace=GRACE):
                self.search()
        except (SearchOver, GivenUp) as stop:
            result.incomplete = str(stop)
        except TimeIsOver as over:
            result.incomplete = str(over)
        except KeyboardInterrupt:
            result.incomplete = "interrupted"
        if not result.findings:
            # SOUND: what lies behind a bound was not seen, and the verdict says so.
            result.incomplete = result.incomplete or self.graph.cut
        result.states = len(self.product.nodes)
        result.executed = self.graph.executed | self.interpreter.covered
        result.seconds = time.monotonic() - self.started
        result.cpu_seconds = time.process_time() - self.cpu
        result.memory_bytes = peak_memory()
        return result

    # ---------------------------------------------------------------- the search

    def search(self) -> None:
        try:
            initial = [self.graph.begin(s) for s in self.interpreter.initial_states()]
        except Fault as fault:
            self.result.findings.append(Finding(fault.kind, fault.message, fault.location, (), before_start=True))
            return
        for state in initial:
            node = _ProductNode(state, self.watcher.start)
            if node not in self.product.number:
                self.depth_first(node)

    def depth_first(self, root: _ProductNode) -> None:
        """Depth first; a component is complete when the search leaves its first node."""
        stack = [self.enter(root)]
        self.product.roots.append(stack[0][0])
        while stack:
            self.depth = len(stack)
            self.result.depth = max(self.result.depth, self.depth - 1)
            node, rest = stack[-1]
            step = next(rest, None)
            if step is None:
                stack.pop()
                self.leave(node)
                continue
            target, arc = step
            self.result.transitions += 1
            known = self.product.number.get(target)
            if known is None:
                self.product.edges[node].append(TourEdge(len(self.product.nodes), arc))
                stack.append(self.enter(target))
                continue
            self.product.edges[node].append(TourEdge(known, arc))
            if self.alive[known]:
                self.close(known)

    def enter(self, node: _ProductNode) -> tuple[int, Iterator[tuple[_ProductNode, Arc | None]]]:
        number = self.product.add(node)
        self.alive.append(True)
        state = self.graph.states[node.state]
        self.components.append(_Component(number, [number], self.watcher.accepts(state, node.at)))
        self.check_limits()
        return number, self.successors(number, node)

    def successors(self, number: int, node: _ProductNode) -> Iterator[tuple[_ProductNode, Arc | None]]:
        """The watcher moves first, then the model; a run that has ended stays where it is."""
        state = self.graph.states[node.state]
        idle = self.sees_timeout and self.graph.is_idle(node.state)
        try:
            following = self.watcher.moves(state, node.at, node.ended, idle)
        except Fault as fault:
            self.report(place(fault, self.claim), number)
        for at in following:
            if self.watcher.is_final(at):
                message = violation(self.watcher, self.claim, for_good=True)
                self.report(Fault("claim", message, self.claim.location), number)
        for at in following:
            arcs, stuck = self.graph.expand(node.state), self.graph.is_stuck(node.state)
            for arc in arcs:
                yield _ProductNode(arc.target, at), arc
            if stuck and self.watcher.stutters:
                yield _ProductNode(node.state, at, True), None

    def close(self, target: int) -> None:
        """An edge leads back to a node that is not finished: all components behind it are one."""
        top = self.components.pop()
        while top.root > target:
            below = self.components.pop()
            below.nodes += top.nodes
            below.accepting |= top.accepting
            below.events += top.events
            top = below
        top.has_cycle = True
        top.events += 1
        self.components.append(top)
        if top.accepting and (not self.question.fair or top.events >= top.next_check):
            top.next_check = 2 * top.events  # SOUND: checked again when the component is complete
            self.examine(top)

    def leave(self, node: int) -> None:
        if self.components[-1].root != node:
            return
        done = self.components.pop()
        if done.accepting and done.has_cycle:
            self.examine(done)
        for member in done.nodes:
            self.alive[member] = False

    # ---------------------------------------------------------------- what was found

    def examine(self, component: _Component) -> None:
        """If the component has a fair cycle that accepts, the lasso to it is the counterexample."""
        tour = Tour(self.product, component.nodes, self.question.fair)
        if not tour.is_fair():
            return
        accepting = {n for n in component.nodes if self.is_accepting(n)}
        way = path_to(self.product.edges, self.product.roots, set(component.nodes))
        entry = way[-1].target if way else next(r for r in self.product.roots if r in tour.members)
        way += tour.path(entry, accepting)
        seed = way[-1].target if way else entry
        loop = tour.cycle(seed)
        prefix, cycle = _steps(way), _steps(loop)
        message = violation(self.watcher, self.claim, self.question.fair)
        self.finish(self.watcher.cycle, message, self.claim.location, prefix + cycle, len(prefix))

    def is_accepting(self, number: int) -> bool:
        node = self.product.nodes[number]
        return self.watcher.accepts(self.graph.states[node.state], node.at)

    def report(self, fault: Fault, number: int) -> None:
        way = path_to(self.product.edges, self.product.roots, {number})
        self.finish(fault.kind, fault.message, fault.location, _steps(way), None)

    def finish(
        self, kind: str, message: str, location: Location, path: tuple[FoldedChoice, ...], start: int | None
    ) -> None:
        choices = tuple(step.choice for step in path)
        permutations = tuple(step.permutation for step in path)
        folds = permutations if any(p is not None for p in permutations) else ()
        self.result.findings.append(Finding(kind, message, location, choices, folds=folds, cycle_start=start))
        raise SearchOver("")

    # ---------------------------------------------------------------- limits

    def check_limits(self) -> None:
        question, now, size = self.question, time.monotonic(), len(self.product.nodes)
        if question.max_states is not None and size >= question.max_states:
            raise SearchOver(f"{size} states were stored (--max-states)")
        deadline.check()
        if question.max_depth is not None and self.depth > question.max_depth:
            raise SearchOver(f"the search stopped at depth {question.max_depth} (--max-depth)")
        if question.max_memory is not None and size % 256 == 0 and peak_memory() > question.max_memory:
            raise SearchOver(f"the memory of {question.max_memory} bytes is used up (--max-memory)")
        if question.progress and now - self.reported > question.progress_interval:
            self.reported = now
            transitions = self.result.transitions
            question.progress(Progress(size, transitions, self.depth, self.depth, now - self.started, peak_memory()))


def _steps(way: list[TourEdge]) -> tuple[FoldedChoice, ...]:
    return tuple(step for edge in way if edge.arc is not None for step in edge.arc.steps)
