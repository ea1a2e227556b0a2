"""The symbolic engine: sets of states as binary decision diagrams.

Reference: Wang, Schmidt, Yu, Huang, Wang, BDD-Based Safety-Analysis of Concurrent Software with Pointer Data Structures
Using Graph Automorphism Symmetry Reduction (IEEE TSE 30(6), 2004).
Differs: it reads the model that all engines read, so it also checks Promela; its answers are replayed like all others.

`explore` below is the way in: `encoding` turns the model into diagrams (of one of the libraries in `backend`), `search`
goes from the initial states forwards or from the violations backwards, `swaps`, `lemma` and `reduce` fold sets of
states, and `paths` finds a path of the user's model in what was searched.
"""

from __future__ import annotations

from functools import partial

from ...core.deadline import TimeIsOver, stretch, within
from ...core.model import Model
from ...core.records import dataclass
from ...semantics.interp import Interpreter
from ...semantics.state import Fault
from ...symmetry.protocol import Exchange
from ..contract import Exploration, Finding, Question
from .backend import BACKENDS, BYTES_PER_NODE, Manager, manager
from .encoding.layout import Codec, Layout
from .encoding.problem import Problem, encode
from .encoding.start import Begin, NotEncodable, begin, refuse
from .lemma import Lemma, usable
from .paths import Tracer
from .reduce import STRATEGIES, SymbolicFolding
from .search import Backward, Clock, Forward, SymbolicSearch, SymbolicStop
from .swaps import Swaps, moved, spanning

__all__ = ["BACKENDS", "DIRECTIONS", "Method", "NotEncodable", "explore"]

DIRECTIONS: dict[str, type[SymbolicSearch]] = {"forward": Forward, "backward": Backward}
SMALL, STEP, LARGE = 1 << 16, 1 << 4, 1 << 24  # nodes of the table: at first, from one to the next, and at most
GRACE = 0.5  # seconds: the search asks by itself, but not in the middle of an operation on diagrams
FEW_BITS = 40  # of a state: the small table is enough for most such models


@dataclass(frozen=True)
class Method:
    """How to search."""

    direction: str = "forward"
    symmetry: str = "none"  # none, gasr, bdd-sorted
    exchanges: tuple[Exchange, ...] = ()
    backend: str = "oxidd"
    nodes: int = 0  # of the first table; 0: by the size of the model


def explore(model: Model, question: Question, method: Method = Method()) -> Exploration:  # noqa: B008
    """Raises Refused for models that cannot be encoded."""
    clock = Clock(question)
    try:
        with within(question.max_time), stretch("searching", grace=GRACE):
            return _Engine(model, question, method, clock).run()
    except Fault as fault:
        found = Exploration([Finding(fault.kind, fault.message, fault.location, (), before_start=True)])
        clock.finish(found)
        return found


class _Engine:
    """Tries with a small table first, which most models fit into; a larger one costs time before it is used."""

    def __init__(self, model: Model, question: Question, method: Method, clock: Clock) -> None:
        self.model, self.question, self.method, self.clock = model, question, method, clock
        refuse(model)
        self.interpreter = Interpreter(model)
        self.begin: Begin = begin(model, self.interpreter, question.deadlock)
        self.layout = Layout(model, self.begin, bool(method.exchanges))
        self.notes: tuple[str, ...] = ()

    def run(self) -> Exploration:
        """Search, with more and more nodes while diagrams run out of them."""
        result = Exploration(self.begin.findings[:], executed=set(self.begin.executed))
        result.states = self.begin.before
        if result.findings and not self.question.all_errors:
            self.clock.finish(result)
            return result
        most = self.most_nodes()
        small = self.method.nodes or (SMALL if self.layout.count < FEW_BITS else SMALL * STEP)
        nodes = most if self.method.backend == "cudd" else small
        while True:
            try:
                self.attempt(result, min(nodes, most))
                break
            except SymbolicStop as stop:
                result.incomplete = str(stop)
                break
            except TimeIsOver as over:
                result.incomplete = str(over)
                break
            except KeyboardInterrupt:
                result.incomplete = "interrupted"
                break
            except BACKENDS[self.method.backend].full:
                if nodes >= most:
                    result.incomplete = f"the table of {most} nodes is full (--max-memory makes it larger)"
                    break
            nodes *= STEP
        result.notes = self.notes
        self.clock.finish(result)
        return result

    def most_nodes(self) -> int:
        limit = self.question.max_memory
        return LARGE if limit is None else max(limit // BYTES_PER_NODE, 1 << 10)

    def attempt(self, result: Exploration, nodes: int) -> None:
        """One search with room for so many nodes; what it found is added when it has come to its end."""
        diagrams = manager(self.method.backend, 2 * self.layout.count, nodes)
        named = [move for e in spanning(self.method.exchanges) for move in moved(self.layout, e) if move[2]]
        codec = Codec(self.layout, self.interpreter)
        tick = partial(self.clock.check, self.begin.before, 0)
        problem = encode(codec, self.begin, diagrams, self.question.deadlock, named, tick)
        search = DIRECTIONS[self.method.direction](problem, self.question, self.reduction(problem), self.clock)
        search.may_grow = nodes < self.most_nodes()
        search.run()
        tracer = Tracer(problem, self.interpreter, self.begin, search)
        found = [tracer.finding(hit) for hit in search.hits]
        self.report(result, problem, search, diagrams)
        result.findings += found

    def reduction(self, problem: Problem) -> SymbolicFolding:
        if self.method.symmetry == "none":
            return SymbolicFolding()
        exchanges = self.method.exchanges
        swaps, kept = usable(exchanges, Swaps(problem.encoding, problem.constant), Lemma(problem, exchanges))
        if kept < len(exchanges):
            left = len(exchanges) - kept
            self.notes = (f"{left} of {len(exchanges)} exchanges of processes were not used: they change "
                          "the initial states, the violations or the transitions",)  # fmt: skip
        return STRATEGIES[self.method.symmetry](problem.encoding, swaps) if swaps else SymbolicFolding()

    def report(self, result: Exploration, problem: Problem, search: SymbolicSearch, diagrams: Manager) -> None:
        """The figures of a search; transitions and what was executed are known only forwards."""
        known = search.layers.known
        result.states = self.begin.before + search.states
        result.nodes = search.nodes
        result.depth, result.incomplete = search.depth, search.incomplete
        if isinstance(search, Forward):
            seen = [(c, diagrams.count(known & c.guard, problem.bits)) for c in problem.changes]
            first = self.begin.transitions or diagrams.count(problem.initial, problem.bits)
            result.transitions = first + sum(n for c, n in seen if c.executed)
            result.transitions += sum(diagrams.count(f, problem.bits) for f in problem.pointers.taken(known))
            result.executed |= search.executed
            result.executed |= {i for c, n in seen if n for i in c.executed}
            result.executed |= {i for e in problem.events if known & e.condition != diagrams.false for i in e.executed}
