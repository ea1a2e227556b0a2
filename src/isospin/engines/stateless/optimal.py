"""Optimal dynamic partial-order reduction: one execution for each Mazurkiewicz trace, and none is begun in vain.

Reference: Abdulla, Aronis, Jonsson, Sagonas, JACM 2017 (Optimal-DPOR: source sets and wakeup trees).
Differs: operations that wait are reversed by cuts (`trail.py`), if the program admits them there; a thread with several
choices is one branch of a wakeup tree, with the choices that sequences ask for and a subtree for each.

Example: thread a writes x; b writes y and reads x; c writes z and reads x.  The readers come before or after the write,
so there are 2 * 2 traces.  Each line is an execution, with the wakeup tree where it begins, after it:

    >>> optimal("x=", "y= x?", "z= x?")
    abbcc, then b(c(b))
    bcbac, then nothing
    bcbca, then nothing
    bccab, then nothing
    4 executions, 0 in vain

In abbcc the read of b races with the write of a.  To reverse the race, leave out the write and all that follows from it
(both reads), keep the rest in its order (y= of b, z= of c), and let the read of b come: b, c, b.  That sequence is the
wakeup tree, and the next execution begins with it; then it goes on as it likes, and finds the next race.  The read of c
races with the write, too, and the reversed order is b, c, c.  It is not inserted: the tree has b and c already, and its
leaf, the read of b, does not depend on the read of c, so it can come first, and covers what follows.  The tree is what
keeps executions from being begun in vain: who knows only that b comes first may take steps after which all threads that
can still move are asleep.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from ...core.errors import UsageError
from ...core.records import dataclass
from .depth_first import DepthFirst, Node
from .protocol import ExecutedStep, Op, Program, Thread, awake
from .races import RaceSearch
from .search import SearchRequest
from .trail import Reversal, can_start

__all__ = ["Optimal", "WakeupNode"]

ANY = -1  # all choices of a thread


@dataclass(slots=True)
class _Branch:
    """A thread to be explored, with some of its choices (None: all), and how to go on after each (nothing: anyhow)."""

    thread: Thread
    op: Op
    only: set[int] | None = None
    then: dict[int, list[_Branch]] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class WakeupNode(Node[_Branch, None]):
    """What is to be explored is a wakeup tree: `todo` are its branches."""

    branch: _Branch | None = None  # being explored
    tried: dict[Thread, set[int]] = field(default_factory=dict)  # of threads with choices left: those explored
    now: set[int] = field(default_factory=set)  # choices of `thread` that will have been explored after this branch
    of: int = 0  # how many it has in all


class Optimal(DepthFirst[WakeupNode], RaceSearch):
    """Optimal-DPOR."""

    node_class = WakeupNode

    def __init__(self, program: Program, asked: SearchRequest) -> None:
        if asked.symmetry != "none":
            raise UsageError("--search optimal does not go together with symmetry; use --search dpor")
        super().__init__(program, asked)
        self.several: set[tuple[Thread, Op]] = set()  # operations that have had several choices

    # ---------------------------------------------------------------- nodes

    def begin(self, node: WakeupNode) -> None:
        if not node.todo:
            thread = self.favourite(node.enabled, node.sleep)
            if thread is not None:
                node.todo.append(_Branch(thread, node.pending[thread]))

    def select(self, node: WakeupNode) -> Thread | None:
        while node.todo:
            node.branch = branch = node.todo.pop(0)
            if self.is_allowed(branch.thread):
                return branch.thread
        return None

    def choices(self, node: WakeupNode, thread: Thread) -> list[int]:
        assert node.branch is not None
        count, only = self.count_choices(thread), node.branch.only
        if count > 1:
            self.several.add((thread, node.pending[thread]))
        tried = node.tried.get(thread, set())
        chosen = [c for c in range(count) if c not in tried and (only is None or c in only)]
        node.now, node.of = tried | set(chosen), count
        return chosen[::-1]

    def child(self, node: WakeupNode, event: ExecutedStep, child: WakeupNode) -> None:
        assert node.branch is not None
        if node.sleep:
            child.sleep = awake(node.sleep, node.pending, event.thread)
        child.todo = node.branch.then.get(event.choice, [])
        if node.tried:
            child.tried = awake(node.tried, node.pending, event.thread)

    def done(self, node: WakeupNode, thread: Thread) -> None:
        if len(node.now) == node.of:
            node.sleep[thread] = None
            node.tried.pop(thread, None)
        else:
            node.tried[thread] = node.now

    def also(self, node: WakeupNode, thread: Thread) -> None:
        if thread not in node.sleep and not any(b.thread == thread and b.only is None for b in node.todo):
            node.todo.append(_Branch(thread, node.pending[thread]))

    def ended(self, node: WakeupNode) -> None:
        self.find_races(node.pending, node.enabled, node.known, node.cut)
        self.at = -1  # asking what a program admits may have moved it

    # ---------------------------------------------------------------- wakeup trees

    def first_new(self) -> int:
        # SOUND: also old races: whether a sleeping thread covers a reversal depends on all that follows the race.
        return 0

    def reverse(self, reversal: Reversal) -> None:
        """Insert the reversed order into the wakeup tree where the race begins, if nothing there covers it."""
        node = self.stack[reversal.depth]
        events = [*self.trail.events_of(reversal.kept), ExecutedStep(reversal.thread, ANY, reversal.op)]
        sequence = [(e.thread, e.op) for e in events]
        if any(can_start(t, node.pending[t], sequence) for t in node.sleep):
            return
        for thread, choices in node.tried.items():
            first = next((e for e in events if e.thread == thread), None)
            if first is not None and first.choice in choices and can_start(thread, first.op, sequence):
                return
        self.insert(node.todo, events, lambda: self.trail.is_admitted(reversal))

    def insert(self, branches: list[_Branch], events: list[ExecutedStep], admitted: Callable[[], bool]) -> None:
        """Add a sequence to a wakeup tree, unless one of it covers it: a leaf stands for all that can follow it."""
        if not events:
            return
        sequence = [(e.thread, e.op) for e in events]
        for branch in branches:
            index = next((i for i, e in enumerate(events) if e.thread == branch.thread), None)
            if not can_start(branch.thread, branch.op, sequence):
                continue
            if index is None and branch.only is not None:
                for following in branch.then.values():
                    if following:
                        self.insert(following, events, admitted)
            else:  # what the thread does with other choices is not in a branch that has only some
                rest = events if index is None else [*events[:index], *events[index + 1 :]]
                self.insert_behind(branch, ANY if index is None else events[index].choice, rest, admitted)
                return
        if admitted():
            self.append(branches, events)

    def insert_behind(
        self, branch: _Branch, choice: int, rest: list[ExecutedStep], admitted: Callable[[], bool]
    ) -> None:
        """Add what comes after a thread that the tree has already; its choice may be new."""
        if branch.only is not None and choice not in branch.only:
            if not admitted():
                return
            if choice == ANY:
                branch.only = None
            else:
                branch.only.add(choice)
                self.append(branch.then.setdefault(choice, []), rest)
                return
        for c, following in branch.then.items():
            if following and choice in (ANY, c):
                self.insert(following, rest, admitted)

    def append(self, branches: list[_Branch], events: list[ExecutedStep]) -> None:
        """A new branch, one event below the other."""
        for event in events:
            branch = _Branch(event.thread, event.op, {event.choice} if self.asks(event) else None)
            branches.append(branch)
            if event.choice != ANY:
                branch.then[event.choice] = branches = []

    def asks(self, event: ExecutedStep) -> bool:
        """Does it matter which choice the thread makes?"""
        return event.choice != ANY and (event.thread, event.op) in self.several
