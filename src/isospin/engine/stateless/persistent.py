"""Persistent sets and sleep sets.

Reference: Godefroid, POPL 1997 and FORTE 1999 (Figure 1).
Differs: a persistent set is the smallest closure, over all threads to start from, under "may still touch what the next
operation touches".  Symmetry is proved on states by the host, not on sequences, which finds more; threads that are
symmetric to a sleeping one are left out as well.
"""

from __future__ import annotations

from .protocol import Event, Op, Thread, dependent
from .search import Node, Search, awake
from .symmetry import Symmetry


class Persistent(Search):
    keeps_order = False

    def begin(self, node: Node) -> None:
        symmetry = Symmetry(self.program, self.asked)
        futures = {t: self.program.future(t) for t in node.pending}
        sets = [closure(t, node, futures) for t in node.enabled]
        for thread in min(sets, key=lambda chosen: len([t for t in chosen if t in node.enabled])):
            if thread not in node.enabled or thread in node.sleep or not self.allowed(node, thread):
                continue
            # SOUND: a renaming that fixes the state maps all that follows the sleeping or chosen thread to all that
            # follows this one; so this one is covered, and may sleep.
            if any(symmetry.here(t, thread) for t in (*node.sleep, *node.todo)):
                node.sleep[thread] = None
            else:
                node.todo.append(thread)

    def select(self, node: Node) -> Thread | None:
        return node.todo.pop(0) if node.todo else None

    def child(self, node: Node, event: Event, child: Node) -> None:
        child.sleep = awake(node.sleep, node.pending, event)

    def done(self, node: Node, thread: Thread, child: Node | None) -> None:
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
