"""Persistent sets and sleep sets.

Reference: Godefroid, POPL 1997 and FORTE 1999 (Figure 1).
Differs: a persistent set is the smallest closure, over all threads to start from, under "may still touch what the next
operation touches".  Symmetry is proved on states by the host, not on sequences, which finds more; threads that are
symmetric to a sleeping one are left out as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from ....core.records import dataclass
from ..depth_first import DepthFirst, Node
from ..protocol import ExecutedStep, Foreseeing, Op, Program, Thread, awake, dependent
from ..search import SearchRequest
from ..symmetry import TransitionSymmetry

__all__ = ["Persistent", "PersistentNode"]


@dataclass(slots=True, eq=False)
class PersistentNode(Node[Thread, None]):
    """What is to be explored is a persistent set without those who sleep."""

    images: AbstractSet[Thread] = frozenset()  # of `todo`: who is left out for the sake of a symmetric one


class Persistent(DepthFirst[PersistentNode]):
    """One persistent set at each node, and sleep sets."""

    node_class = PersistentNode
    keeps_order = False

    def __init__(self, program: Program, asked: SearchRequest) -> None:
        super().__init__(program, asked)
        self.symmetry = TransitionSymmetry(program, asked)
        self._foreseeing = program if isinstance(program, Foreseeing) else None

    def begin(self, node: PersistentNode) -> None:
        foreseen = self._foreseeing
        futures = {t: None if foreseen is None else foreseen.future(t) for t in node.pending}
        sets = [_closure(t, node.pending, futures) for t in node.enabled]
        chosen = min(sets, key=lambda found: len([t for t in found if t in node.enabled]))
        node.todo = [t for t in chosen if t in node.enabled and t not in node.sleep and self.is_allowed(t)]
        if self.asked.symmetry != "none":
            node.images = self.images(node)

    def images(self, node: PersistentNode) -> AbstractSet[Thread]:
        """The threads that are images of others which are asleep or come first: of each orbit all but one."""
        found = set[Thread]()
        for i, thread in enumerate(node.todo):
            first = (*node.sleep, *(t for t in node.todo[:i] if t not in found))
            if any(self.symmetry.here(twin, thread) is not None for twin in first):
                found.add(thread)
        return found

    def choices(self, node: PersistentNode, thread: Thread) -> list[int]:
        return self.symmetry.distinct_choices(thread, super().choices(node, thread))

    def select(self, node: PersistentNode) -> Thread | None:
        while node.todo:
            thread = node.todo.pop(0)
            if thread not in node.images:
                return thread
            # SOUND: a renaming that fixes the state maps all that follows its twin, which is asleep or explored by now,
            # to all that follows this one.  So it is covered, and may sleep from now on, but not before.
            node.sleep[thread] = None
        return None

    def child(self, node: PersistentNode, event: ExecutedStep, child: PersistentNode) -> None:
        child.sleep = awake(node.sleep, node.pending, event.thread)

    def done(self, node: PersistentNode, thread: Thread) -> None:
        node.sleep[thread] = None


def _closure(first: Thread, pending: Mapping[Thread, Op], futures: Mapping[Thread, Op | None]) -> list[Thread]:
    """The least set of threads with `first` such that nobody outside ever touches what their next operations touch."""
    chosen, todo = [first], [first]
    while todo:
        op = pending[todo.pop()]
        for other, future in futures.items():
            # SOUND: also for a next operation that has to wait: who could let it pass touches its object.
            if other not in chosen and (future is None or dependent(op, future)):
                chosen.append(other)
                todo.append(other)
    return sorted(chosen)
