"""Plain depth-first search: every interleaving.

Reference: Godefroid, POPL 1997, without reductions.
Differs: with symmetry, of threads that can be exchanged in a state only one goes first (VeriSoft's pruning rule).
"""

from __future__ import annotations

from .protocol import Thread
from .search import Node, Search
from .symmetry import TransitionSymmetry


class Plain(Search):
    keeps_order = False

    def begin(self, node: Node) -> None:
        symmetry = TransitionSymmetry(self.program, self.asked)
        for thread in node.enabled:
            # SOUND: the renaming fixes the state, so what follows the one is the image of what follows the other.
            if self.allowed(node, thread) and not any(symmetry.here(t, thread) for t in node.todo):
                node.todo.append(thread)

    def select(self, node: Node) -> Thread | None:
        return node.todo.pop(0) if node.todo else None
