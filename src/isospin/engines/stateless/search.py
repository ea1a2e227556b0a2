"""What all searches share: the stack, going back, limits, counting, findings.

A search is a class with a few hooks: `begin` (a new node), `select` (the next thread to explore at a node, or None),
`done` (a thread is explored), `ended` (an execution ends).  Everything else is here.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...core import deadline
from ...core.deadline import TimeIsOver, within
from .protocol import ExecutedStep, Found, Op, Program, Renaming, Step, Thread
from .trail import Bits, Trail


@dataclass(frozen=True)
class SearchProgress:
    """How far a search is; `estimate` is the number of executions to expect, from the shape of the tree so far."""

    executions: int
    blocked: int
    transitions: int
    seconds: float
    estimate: float


@dataclass(frozen=True)
class SearchRequest:
    """What to look for, and how far."""

    all_errors: bool = False
    deadlock: bool = True
    symmetry: str = "none"  # none, declared, discovered
    renamings: tuple[Renaming, ...] = ()  # the declared ones
    max_depth: int | None = None
    max_time: float | None = None
    max_preemptions: int | None = None
    max_executions: int | None = None
    seed: int = 0  # of random scheduling
    changes: int = 3  # of PCT: how many changes of priority
    progress: Callable[[SearchProgress], None] | None = None
    progress_interval: float = 0.5
    found: Callable[[ScheduleFinding], None] | None = None  # told at once what is found


@dataclass(frozen=True)
class ScheduleFinding:
    """What was found, and the steps that lead to it."""

    found: Found
    steps: tuple[Step, ...]


@dataclass
class SearchResult:
    """What was seen.  `incomplete` says why something was not, and is empty if nothing was left out."""

    findings: list[ScheduleFinding] = field(default_factory=list)
    executions: int = 0  # that went to their end
    blocked: int = 0  # that were begun, and given up as redundant
    transitions: int = 0  # steps of the search, those of going back not counted
    depth: int = 0
    incomplete: str = ""
    estimate: float = 0.0
    seconds: float = 0.0
    cpu_seconds: float = 0.0


class _Stop(Exception):
    """The search ends here; the reason is empty if it found what it looked for."""


class Crossing:
    """A state on the stack: what was explored there, and what is still to be."""

    __slots__ = ("choices", "explored", "todo")

    def __init__(self) -> None:
        self.todo: list[Any] = []
        self.choices: list[int] = []  # of the thread that is being explored, still to come
        self.explored = 0  # children


class Node(Crossing):
    """A state on the stack, with what can happen in it."""

    __slots__ = ("covered", "cut", "enabled", "known", "memory", "pending", "saved", "sleep", "thread")

    def __init__(
        self, pending: Mapping[Thread, Op], enabled: Sequence[Thread], saved: Any | None, known: dict[Thread, Bits]
    ) -> None:
        super().__init__()
        self.thread: Thread = -1  # being explored
        self.sleep: dict[Thread, Any] = {}  # threads that need not be explored here (any more)
        self.pending, self.enabled, self.saved = pending, enabled, saved
        self.known = known  # of every living thread: what happened before its next operation
        self.cut = self.covered = False  # too deep; nothing that follows needs to be explored
        self.memory: dict[str, Any] = {}  # what a search keeps for itself


class Search:
    keeps_order = True  # needs the happens-before relation

    def __init__(self, program: Program, asked: SearchRequest) -> None:
        self.program, self.asked = program, asked
        self.result = SearchResult()
        self.trail = Trail()
        self.stack: list[Node] = []
        self.deepest = sys.maxsize if asked.max_depth is None else asked.max_depth
        self.at = 0  # how many events of the trail the program has executed
        self.known: set[tuple[str, str, str]] = set()
        self.started, self.cpu = time.monotonic(), time.process_time()
        self.reported = self.started

    # ---------------------------------------------------------------- hooks

    def begin(self, node: Node) -> None:
        """A new node, in which something is enabled: what is to be explored?"""

    def select(self, node: Node) -> Thread | None:
        """The next thread to explore."""
        raise NotImplementedError

    def choices(self, node: Node, thread: Thread) -> list[int]:
        """The choices of a thread that are to be explored, the first one last; the program is at the node."""
        count = self.program.choices(thread)
        return [0] if count == 1 else list(range(count - 1, -1, -1))

    def child(self, node: Node, event: ExecutedStep, child: Node) -> None:
        """A new node was reached; decide what its sleep set is."""

    def done(self, node: Node, thread: Thread) -> None:
        """A thread was explored."""

    def also(self, node: Node, thread: Thread) -> None:
        """A step takes a thread with it, which could have moved by itself."""

    def ended(self, node: Node) -> None:
        """An execution ends: nothing is enabled, or it was given up."""

    # ---------------------------------------------------------------- the loop

    def run(self) -> SearchResult:
        try:
            with within(self.asked.max_time):
                self.search()
            if self.asked.max_preemptions is not None:
                # SOUND: backtracking is computed from what was seen; under the bound something was not.
                self.result.incomplete = f"at most {self.asked.max_preemptions} preemptions in an execution"
        except _Stop as stop:
            self.result.incomplete = str(stop) or self.result.incomplete
        except TimeIsOver as over:
            self.result.incomplete = str(over)
        except KeyboardInterrupt:
            self.result.incomplete = "interrupted"
        return self.finish()

    def finish(self) -> SearchResult:
        self.result.estimate = self.result.executions if not self.stack else self.estimate()
        self.result.seconds = time.monotonic() - self.started
        self.result.cpu_seconds = time.process_time() - self.cpu
        return self.result

    def search(self) -> None:
        self.program.restart()
        pending = self.program.pending()
        self.open(Node(pending, self.program.enabled(), self.program.save(), dict.fromkeys(pending, 0)))
        stack = self.stack
        while stack:
            node = stack[-1]
            if node.choices:
                self.advance(node)
            elif node.todo and (thread := self.select(node)) is not None:
                if self.at != len(stack) - 1:
                    self.go_to(len(stack) - 1)
                if choices := self.choices(node, thread):
                    node.thread, node.choices = thread, choices
            else:
                self.close(node)

    def advance(self, node: Node) -> None:
        """One step further, with the next choice of the thread that is being explored."""
        thread, choice, depth = node.thread, node.choices.pop(), len(self.stack) - 1
        if self.at != depth:
            self.go_to(depth)
        event = ExecutedStep(thread, choice, node.pending[thread])
        found = self.program.step(thread, choice)
        for other in self.program.carried():
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
            for other in self.program.carried():
                known[other] |= past
        else:
            self.trail.events.append(event)
        for problem in found:
            self.report(problem)
        pending = self.program.pending()
        if not pending.keys() <= node.pending.keys():
            born(known, pending.keys() - node.pending.keys(), past)
        child = Node(pending, self.program.enabled(), self.program.save(), known)
        self.child(node, event, child)
        self.open(child)

    def open(self, node: Node) -> None:
        depth = len(self.stack)
        self.stack.append(node)
        if depth > self.result.depth:
            self.result.depth = depth
        if node.covered:
            self.result.blocked += 1
            self.ended(node)
        elif not node.enabled:
            self.complete(node)
        elif depth >= self.deepest:
            self.result.incomplete = f"executions longer than {self.deepest} steps were cut off (--max-depth)"
            node.cut = True
            self.ended(node)
        else:
            self.begin(node)
        if self.result.transitions % 256 == 0:
            self.tick()

    def complete(self, node: Node) -> None:
        self.result.executions += 1
        problem = self.program.stuck()
        if problem is not None and (self.asked.deadlock or problem.kind != "deadlock"):
            self.report(problem)
        self.ended(node)
        self.tick()
        if self.asked.max_executions is not None and self.result.executions >= self.asked.max_executions:
            raise _Stop(f"stopped after {self.result.executions} executions (--max-executions)")

    def close(self, node: Node) -> None:
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
            if parent.todo:
                return
            node = stack.pop()

    def closed(self, parent: Node, child: Node) -> None:
        """A node is left for ever."""

    def go_to(self, depth: int) -> None:
        """Bring the program and the trail to the node at this depth."""
        node = self.stack[depth]
        self.trail.truncate(depth)
        if node.saved is not None:
            self.program.restore(node.saved)
        else:
            self.program.replay(self.trail.events)
        self.at = depth

    # ---------------------------------------------------------------- limits, findings

    def allowed(self, node: Node, thread: Thread) -> bool:
        """Is the thread within the bound on preemptions?"""
        limit = self.asked.max_preemptions
        if limit is None:
            return True
        order = [*(e.thread for e in self.trail.events[: len(self.stack) - 1]), thread]
        steps = zip(order, order[1:], self.stack[1:], strict=False)
        return sum(a != b and a in n.enabled for a, b, n in steps) <= limit

    def report(self, found: Found) -> None:
        key = (found.kind, str(found.location), found.message)
        if key not in self.known:
            self.known.add(key)
            steps = tuple(Step(e.thread, e.choice) for e in self.trail.events)
            self.result.findings.append(ScheduleFinding(found, steps))
            if self.asked.found is not None:
                self.asked.found(self.result.findings[-1])
        if not self.asked.all_errors:
            raise _Stop("")

    def tick(self) -> None:
        now = time.monotonic()
        deadline.check()
        if self.asked.progress is not None and now - self.reported > self.asked.progress_interval:
            self.reported = now
            result, seconds = self.result, now - self.started
            self.asked.progress(
                SearchProgress(result.executions, result.blocked, result.transitions, seconds, self.estimate())
            )

    def crossings(self) -> Sequence[Crossing]:
        return [node for node in self.stack if node.thread >= 0]

    def estimate(self) -> float:
        """How many executions there may be: those seen, divided by the part of the tree that was seen, if at each node
        all subtrees were alike (Knuth 1975)."""
        seen, share = 0.0, 1.0
        for node in self.crossings():
            branches = node.explored + len(node.todo) + 1
            seen += share * node.explored / branches
            share /= branches
        return self.result.executions / (seen + share) if self.result.executions else 1.0


def born(known: dict[Thread, Bits], threads: Iterable[Thread], newest: Bits) -> None:
    """New threads, perhaps with the numbers of some that died: they know what their parent does."""
    for thread in threads:
        known[thread] = known.get(thread, 0) | newest
