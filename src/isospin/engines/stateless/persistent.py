"""Persistent sets and sleep sets.

Reference: Godefroid, POPL 1997 and FORTE 1999 (Figure 1).
Differs: a persistent set is the smallest closure, over all threads to start from, under "may still touch what the next
operation touches".  Symmetry is proved on states by the host, not on sequences, which finds more; threads that are
symmetric to a sleeping one are left out as well.
"""

from __future__ import annotations

from .protocol import ExecutedStep, Op, Thread, awake, dependent
from .search import Node, Search
from .symmetry import TransitionSymmetry


class Persistent(Search):
    keeps_order = False

    def begin(self, node: Node) -> None:
        futures = {t: self.program.future(t) for t in node.pending}
        sets = [closure(t, node, futures) for t in node.enabled]
        chosen = min(sets, key=lambda found: len([t for t in found if t in node.enabled]))
        node.todo = [t for t in chosen if t in node.enabled and t not in node.sleep and self.allowed(node, t)]
        if self.asked.symmetry != "none":
            node.memory["images"] = self.images(node)

    def images(self, node: Node) -> dict[Thread, Thread]:
        """The threads that are images of others which are asleep or come first: of each orbit all but one."""
        symmetry, found = TransitionSymmetry(self.program, self.asked), {}
        for i, thread in enumerate(node.todo):
            first = (*node.sleep, *(t for t in node.todo[:i] if t not in found))
            twin = next((t for t in first if symmetry.here(t, thread)), None)
            if twin is not None:
                found[thread] = twin
        return found

    def select(self, node: Node) -> Thread | None:
        while node.todo:
            thread: Thread = node.todo.pop(0)
            if thread not in node.memory.get("images", ()):
                return thread
            # SOUND: a renaming that fixes the state maps all that follows its twin, which is asleep or explored by now,
            # to all that follows this one.  So it is covered, and may sleep from now on, but not before.
            node.sleep[thread] = None
        return None

    def child(self, node: Node, event: ExecutedStep, child: Node) -> None:
        child.sleep = awake(node.sleep, node.pending, event.thread)

    def done(self, node: Node, thread: Thread) -> None:
        node.sleep[thread] = None


def closure(first: Thread, node: Node, futures: dict[Thread, Op | None]) -> list[Thread]:
    """The least set of threads with `first` such that nobody outside ever touches what their next operations touch."""
    chosen, todo = [first], [first]
    while todo:
        op = node.pending[todo.pop()]
        for other, future in futures.items():
            # SOUND: also for a next operation that has to wait: who could let it pass touches its object.
            if other not in chosen and (future is None or dependent(op, future)):
                chosen.append(other)
                todo.append(other)
    return sorted(chosen)
