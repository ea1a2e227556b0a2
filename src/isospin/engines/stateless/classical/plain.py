"""Plain depth-first search: every interleaving.

Reference: Godefroid, POPL 1997, without reductions.
Differs: with symmetry, of threads that can be exchanged in a state only one goes first (VeriSoft's pruning rule).
"""

from __future__ import annotations

from ..depth_first import DepthFirst, Node
from ..protocol import Program, Thread
from ..search import SearchRequest
from ..symmetry import TransitionSymmetry

__all__ = ["Plain", "PlainNode"]


class PlainNode(Node[Thread, None]):
    """Nothing sleeps here."""

    __slots__ = ()


class Plain(DepthFirst[PlainNode]):
    """Every thread that is enabled, at every node."""

    node_class = PlainNode
    keeps_order = False

    def __init__(self, program: Program, asked: SearchRequest) -> None:
        super().__init__(program, asked)
        self.symmetry = TransitionSymmetry(program, asked)

    def begin(self, node: PlainNode) -> None:
        for thread in node.enabled:
            # SOUND: the renaming fixes the state, so what follows the one is the image of what follows the other.
            if self.is_allowed(thread) and not any(self.symmetry.here(t, thread) for t in node.todo):
                node.todo.append(thread)

    def choices(self, node: PlainNode, thread: Thread) -> list[int]:
        return self.symmetry.distinct_choices(thread, super().choices(node, thread))

    def select(self, node: PlainNode) -> Thread | None:
        return node.todo.pop(0) if node.todo else None
