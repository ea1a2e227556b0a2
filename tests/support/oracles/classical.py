"""Partial orders on the fly as the textbooks have it, to show where it goes wrong; nothing of it is used.

Reference: Peled, Combining Partial Order Reductions with On-the-Fly Model-Checking (1996); Clarke, Grumberg, Peled,
Model Checking (1999), 10.5.1 and 10.6: C0 to C2, and of C3 that no step of an ample set leads to a state of the product
on the stack of the search.  Siegel, What's Wrong with On-the-Fly Partial Order Reduction (CAV 2019).
Differs: nothing that matters: cycles are looked for when the reduced product is complete, so no second search can
be blamed.
"""

from __future__ import annotations

from isospin.analysis.ample import Ample, Analysis
from isospin.core.model import Claim, Model, Template
from isospin.engines.interp.claims import watcher
from isospin.semantics.interp import Interpreter
from isospin.semantics.state import State

Node = tuple[State, int]  # of the product: a state of the model, and one of the automaton


class WithoutCycleCondition(Analysis):
    """Ample sets that satisfy C0 to C2 only."""

    def on_a_cycle(self, template: Template, found: object, passed: object) -> int | None:
        return None


class NoStack(set[Node]):
    """For ample sets that satisfy C3 by themselves: nothing is ever on it."""

    def add(self, node: Node) -> None:
        pass

    def remove(self, node: Node) -> None:
        pass


class Classical:
    def __init__(self, model: Model, claim: Claim, table: Ample | None) -> None:
        self.interpreter = Interpreter(model)
        self.watcher = watcher(claim, self.interpreter)
        self.table = table
        self.edges: dict[Node, list[Node]] = {}
        self.stack: set[Node] = set()

    def violated(self) -> bool:
        """Is there a cycle that the automaton of the negated formula accepts?"""
        for state in self.interpreter.initial_states():
            self.search((state, self.watcher.start))
        accepting = [node for node in self.edges if self.watcher.accepts(*node)]
        return any(node in self.reach(self.edges[node]) for node in accepting)

    def search(self, node: Node) -> None:
        """Depth first: what is ample depends on the stack."""
        if node in self.edges:
            return
        self.stack.add(node)
        self.edges[node] = self.ample(node)
        for following in self.edges[node]:
            self.search(following)
        self.stack.remove(node)

    def ample(self, node: Node) -> list[Node]:
        for pid in self.table.candidates(node[0]) if self.table else ():
            found = self.successors(node, pid)
            if found and not any(following in self.stack for following in found):
                return found
        return self.successors(node)

    def successors(self, node: Node, pid: int | None = None) -> list[Node]:
        """The automaton looks at the state, then the model moves; at the end of a run the automaton goes on."""
        state, at = node
        reached = [m.state for m in self.interpreter.moves(state, pid) if m.state is not None]
        if not reached and pid is None:
            return [(state, b) for b in self.watcher.moves(state, at, True, True)]
        after = self.watcher.moves(state, at, False, False) if reached else []
        return [(following, b) for following in reached for b in after]

    def reach(self, start: list[Node]) -> set[Node]:
        seen, todo = set(start), list(start)
        while todo:
            for node in self.edges[todo.pop()]:
                if node not in seen:
                    seen.add(node)
                    todo.append(node)
        return seen
