"""Optimal dynamic partial-order reduction: one execution for each Mazurkiewicz trace, and none is begun in vain.

Reference: Abdulla, Aronis, Jonsson, Sagonas, JACM 2017 (Optimal-DPOR: source sets and wakeup trees).
Differs: operations that wait are reversed by cuts (`trail.py`), if the program admits them there; a thread with several
choices is one branch of a wakeup tree, with a subtree for each choice that a sequence asks for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ...errors import UsageError
from .dpor import Dpor
from .protocol import Event, Op, Program, Thread
from .search import Asked, Node
from .trail import Reversal, can_start

ANY = -1  # all choices of a thread


@dataclass(slots=True)
class Branch:
    """A thread to be explored, and how to go on after each of its choices; nothing: in any way."""

    thread: Thread
    op: Op
    then: dict[int, list[Branch]] = field(default_factory=dict)


class Optimal(Dpor):
    def __init__(self, program: Program, asked: Asked) -> None:
        if asked.symmetry != "none":
            raise UsageError("--search optimal does not go together with symmetry; use --search dpor")
        super().__init__(program, asked)

    def begin(self, node: Node) -> None:
        if not node.todo:
            first = next((t for t in node.enabled if t not in node.sleep and self.allowed(node, t)), None)
            if first is not None:
                thread = self.favourite(node, first)
                node.todo.append(Branch(thread, node.pending[thread]))

    def select(self, node: Node) -> Thread | None:
        while node.todo:
            branch: Branch = node.todo.pop(0)
            node.memory["branch"] = branch
            if self.allowed(node, branch.thread):
                return branch.thread
        return None

    def child(self, node: Node, event: Event, child: Node) -> None:
        super().child(node, event, child)
        child.todo = node.memory["branch"].then.get(event.choice, [])

    def first_new(self) -> int:
        # SOUND: also old races: whether a sleeping thread covers a reversal depends on all that follows the race.
        return 0

    def reverse(self, reversal: Reversal) -> None:
        """Insert the reversed order into the wakeup tree where the race begins, if nothing there covers it."""
        node = self.stack[reversal.depth]
        sequence = [(e.thread, e.op) for e in reversal.kept] + [(reversal.thread, reversal.op)]
        if any(can_start(t, node.pending[t], sequence) for t in node.sleep):
            return
        events = [*reversal.kept, Event(reversal.thread, ANY, reversal.op)]
        insert(node.todo, events, lambda: self.trail.admitted(self.program, reversal))


def insert(branches: list[Branch], events: list[Event], admitted: Callable[[], bool]) -> None:
    """Add a sequence to a wakeup tree, unless one of the tree covers it: a leaf stands for all that can follow it."""
    if not events:
        return
    sequence = [(e.thread, e.op) for e in events]
    branch = next((b for b in branches if can_start(b.thread, b.op, sequence)), None)
    if branch is None:
        if admitted():
            append(branches, events)
        return
    index = next((i for i, e in enumerate(events) if e.thread == branch.thread), None)
    choice = ANY if index is None else events[index].choice
    rest = events if index is None else [*events[:index], *events[index + 1 :]]
    for c, following in branch.then.items():
        if following and choice in (ANY, c):
            insert(following, rest, admitted)


def append(branches: list[Branch], events: list[Event]) -> None:
    for event in events:
        branch = Branch(event.thread, event.op)
        branches.append(branch)
        if event.choice != ANY:
            branch.then[event.choice] = branches = []
