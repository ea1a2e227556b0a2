"""The whole state graph, as a search sees it: every state that it stores, every move that it counts.

Differs from `graph`, which makes the graph on demand, for claims: this one is for other programs to read.
"""

from __future__ import annotations

from ...core.graph import GraphEdge, GraphNode, ModelGraph
from ...core.model import Action, Chain, Model
from ...core.trace import Choice, FoldedChoice
from ...semantics.explain import Namer, Position
from ...semantics.interp import Move
from ...semantics.snapshot import SnapshotMaker
from ...semantics.state import Fault, State
from ...symmetry.protocol import PidsUsedAgain, Strategy
from ..contract import Exploration, Question
from .search import InterpreterSearch


def whole_graph(model: Model, question: Question, strategy: Strategy | None) -> tuple[ModelGraph, Exploration]:
    """The graph, and what the search that made it counted."""
    try:
        search = _Recorder(model, question, strategy)
        found = search.run()
    except PidsUsedAgain as problem:
        search = _Recorder(model, question, problem.instead)
        found = search.run()
    return search.graph(), found


class _Recorder(InterpreterSearch):
    """A search that remembers what it does."""

    def __init__(self, model: Model, question: Question, strategy: Strategy | None) -> None:
        super().__init__(model, question, strategy)
        self.edges: list[GraphEdge] = []
        self.starts: set[int] = set()
        self.wrong: dict[int, list[str]] = {}
        self.label = ""  # of the move that is being made
        self.namer, self.maker = Namer(self.interpreter), SnapshotMaker(self.interpreter)

    def examine(self, number: int, move: Move) -> None:
        super().examine(number, move)
        self.label = self.told(self.states[number], move)

    def told(self, state: State, move: Move) -> str:
        """Who does what; an atomic sequence is one move."""
        steps, at = [], state
        for taken in move.steps:
            said = self.who(at, taken.pid, taken.action)
            if taken.partner is not None and taken.partner_action is not None:
                said += f" > {self.who(at, taken.partner, taken.partner_action)}"
            steps.append(said)
            at = at if taken.state is None else taken.state
        return "; ".join(steps)

    def who(self, state: State, pid: int, action: Action) -> str:
        """A process and its statement; of merged ones all."""
        parts = action.step.actions if isinstance(action.step, Chain) else (action,)
        texts = [a.text for a in parts if a.text]
        return f"{self.interpreter.name(state, pid)} {pid}: {'; '.join(texts) or 'goes on'}"

    def visit(self, state: State, parent: int, choices: tuple[Choice, ...]) -> int | None:
        """Every move is an edge, whether its target is new or known."""
        new = super().visit(state, parent, choices)
        target, permutation = self.reached
        if parent < 0:
            self.starts.add(target)
        else:
            self.edges.append(GraphEdge(parent, target, self.label, permutation))
        return new

    def report(self, fault: Fault, number: int, steps: tuple[FoldedChoice, ...] = ()) -> None:
        kinds = self.wrong.setdefault(number, [])
        if fault.kind not in kinds:
            kinds.append(fault.kind)
        super().report(fault, number, steps)

    def graph(self) -> ModelGraph:
        nodes = []
        for number, state in enumerate(self.states):
            orbit = self.strategy.orbit_size(state) if self.strategy is not None else 1
            values = tuple(self.maker.values(Position(state)))
            nodes.append(GraphNode(values, orbit, tuple(self.wrong.get(number, ())), number in self.starts))
        return ModelGraph(self.interpreter.model.file, tuple(nodes), tuple(self.edges), self.result.incomplete)
