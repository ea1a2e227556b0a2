"""Searches that keep a node for each state of the current execution: the stack, going forward, going back.

Such a search is a class with a class of nodes and a few hooks: `begin` (a new node), `select` (the next thread to
explore at a node, or None), `child` (a new node was reached), `done` (a thread is explored), `ended` (an execution
ends).  Everything else is here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any, Generic, TypeVar

from ...core.records import dataclass
from .protocol import ExecutedStep, Meeting, Op, Program, Restorable, Thread, Why, replayer
from .search import Junction, Search, SearchRequest, Todo
from .trail import Bits


@dataclass(slots=True, eq=False)
class Node(Junction[Todo], Generic[Todo, Why]):
    """A state on the stack, with what can happen in it, and what was and is to be explored there.

    Searches say what there is to do (`Todo`: a thread, a branch of a wakeup tree), what they want to know of a thread
    that sleeps (`Why`), and add fields of their own."""

    pending: Mapping[Thread, Op] = field(kw_only=True)
    enabled: Sequence[Thread] = field(kw_only=True)
    known: dict[Thread, Bits] = field(kw_only=True)  # of every living thread: what happened before its next operation
    saved: object = field(default=None, kw_only=True)  # the program here, if it can save
    thread: Thread = -1  # being explored
    sleep: dict[Thread, Why] = field(default_factory=dict)  # threads that need not be explored here (any more)
    cut: bool = False  # too deep
    covered: bool = False  # nothing that follows needs to be explored
    begun: float = 0.0  # on the clock of the process: when the thread was chosen that is being explored


AnyNode = TypeVar("AnyNode", bound=Node[Any, Any])


class DepthFirst(Search, Generic[AnyNode]):
    """The tree of executions, depth first."""

    node_class: type[AnyNode]
    keeps_order = True  # needs the happens-before relation
    now = 0.0  # what a search takes for the time of the process

    def __init__(self, program: Program, asked: SearchRequest) -> None:
        super().__init__(program, asked)
        self.stack: list[AnyNode] = []
        self.base = -1  # where the subtree begins that is explored; what is above is not ours
        self.at = 0  # how many events of the trail the program has executed; -1: it is somewhere else
        self.met = False  # did a step move more than one thread?
        self._meeting = program if isinstance(program, Meeting) else None
        self._restorable: Restorable[Any] | None = program if isinstance(program, Restorable) else None
        self._replay = replayer(program)

    # ---------------------------------------------------------------- hooks

    def begin(self, node: AnyNode) -> None:
        """A new node, in which something is enabled: what is to be explored?"""

    def select(self, node: AnyNode) -> Thread | None:
        """The next thread to explore."""
        raise NotImplementedError

    def choices(self, node: AnyNode, thread: Thread) -> list[int]:
        """The choices of a thread that are to be explored, the first one last; the program is at the node."""
        count = self.count_choices(thread)
        return [0] if count == 1 else list(range(count - 1, -1, -1))

    def about_to_step(self, thread: Thread, node: AnyNode) -> None:
        """The program is at the node, and the thread makes its next step."""

    def child(self, node: AnyNode, event: ExecutedStep, child: AnyNode) -> None:
        """A new node was reached; decide what its sleep set is."""

    def done(self, node: AnyNode, thread: Thread) -> None:
        """A thread was explored."""

    def also(self, node: AnyNode, thread: Thread) -> None:
        """A step takes a thread with it, which could have moved by itself."""

    def ended(self, node: AnyNode) -> None:
        """An execution ends: nothing is enabled, or it was given up."""

    def closed(self, parent: AnyNode, child: AnyNode) -> None:
        """A node is left for ever."""

    # ---------------------------------------------------------------- the loop

    def search(self) -> None:
        """A stack of nodes; the program is replayed only when the next step is not where it stands."""
        self.program.restart()
        self.open(self.make_node(dict.fromkeys(self.program.pending(), 0)))
        self.go_through()

    def go_through(self) -> None:
        """All that is left to explore below the node at `base`, and at it."""
        stack = self.stack
        while stack:
            node = stack[-1]
            if node.choices:
                self.advance(node)
            elif node.todo and (thread := self.select(node)) is not None:
                if self.at != len(stack) - 1:
                    self.go_to(len(stack) - 1)
                if choices := self.choices(node, thread):
                    node.thread, node.choices, node.begun = thread, choices, self.now
            elif len(stack) - 1 == self.base:
                return
            else:
                self.close(node)

    def make_node(self, known: dict[Thread, Bits]) -> AnyNode:
        """The node of the program's current state."""
        saved = None if self._restorable is None else self._restorable.save()
        program = self.program
        return self.node_class(pending=program.pending(), enabled=program.enabled(), known=known, saved=saved)

    def advance(self, node: AnyNode) -> None:
        """One step further, with the next choice of the thread that is being explored."""
        thread, choice, depth = node.thread, node.choices.pop(), len(self.stack) - 1
        if self.at != depth:
            self.go_to(depth)
        self.about_to_step(thread, node)
        event = ExecutedStep(thread, choice, node.pending[thread])
        found = self.program.step(thread, choice)
        partners = () if self._meeting is None else self._meeting.partners()
        self.met |= bool(partners)
        for other in partners:
            # SOUND: what it could have done by itself happens in no execution that goes on from here.
            if other in node.enabled:
                self.also(node, other)
        self.at = depth + 1
        self.result.transitions += 1
        known, past = node.known, 0
        if self.keeps_order:
            past = self.trail.push(thread, choice, event.op, known)
            known = known.copy()
            known[thread] = past
            for other in partners:
                known[other] |= past
        else:
            self.trail.events.append(event)
        for problem in found:
            self.report(problem)
        child = self.make_node(known)
        if not child.pending.keys() <= node.pending.keys():
            _bear(known, child.pending.keys() - node.pending.keys(), past)
        self.child(node, event, child)
        self.open(child)

    def open(self, node: AnyNode) -> None:
        """A new node: an end, a cut, or a place to explore."""
        depth = len(self.stack)
        self.stack.append(node)
        if depth > self.result.depth:
            self.result.depth = depth
        if node.covered:
            self.result.blocked += 1
            self.ended(node)
        elif not node.enabled:
            self.count_execution()
            self.ended(node)
            self.check_limits()
        elif depth >= self.deepest:
            self.cut_off()
            node.cut = True
            self.ended(node)
        else:
            self.begin(node)
        if self.result.transitions % 256 == 0:
            self.tick()

    def close(self, node: AnyNode) -> None:
        """Nothing more is to be explored here."""
        if node.thread < 0 and node.enabled and not node.cut and not node.covered:  # nothing here had to be explored
            self.result.blocked += 1
            self.ended(node)
        stack = self.stack
        stack.pop()
        while stack:
            parent = stack[-1]
            self.closed(parent, node)
            if parent.choices:
                return
            parent.explored += 1
            self.done(parent, parent.thread)
            if parent.todo or len(stack) - 1 == self.base:
                return
            node = stack.pop()

    def go_to(self, depth: int) -> None:
        """Bring the program and the trail to the node at this depth."""
        self.trail.truncate(depth)
        if self._restorable is not None:
            self._restorable.restore(self.stack[depth].saved)
        else:
            self._replay(self.trail.events)
        self.at = depth

    def finish(self) -> None:
        super().finish()
        if self.stack:
            self.result.estimate = self.estimate()

    def junctions(self) -> Sequence[AnyNode]:
        return [node for node in self.stack if node.thread >= 0]

    def is_allowed(self, thread: Thread) -> bool:
        limit = self.asked.max_preemptions
        if limit is None:
            return True
        order = [*(e.thread for e in self.trail.events[: len(self.stack) - 1]), thread]
        steps = zip(order, order[1:], self.stack[1:], strict=False)
        return sum(a != b and a in n.enabled for a, b, n in steps) <= limit


def _bear(known: dict[Thread, Bits], threads: Iterable[Thread], newest: Bits) -> None:
    """New threads, perhaps with the numbers of some that died: they know what their parent does."""
    for thread in threads:
        known[thread] = known.get(thread, 0) | newest
