"""Dynamic partial-order reduction with source sets and sleep sets, and with symmetry that stays sound.

Reference: Flanagan, Godefroid, POPL 2005; Abdulla, Aronis, Jonsson, Sagonas, JACM 2017 (Source-DPOR); Yang, Chen,
Gopalakrishnan, Wang, SPIN 2009 (symmetry).
Differs: Figure 5 of the last paper is unsound: leaving out a thread that is symmetric to an explored one leaves out
also the races of its subtree with *earlier* events.  So of each subtree we remember which operations were pending in
it; when a thread is left out, we map those of its twin, and go back for each of them to the earlier events on which it
depends, as Flanagan and Godefroid do; what orders them behind the node is not known, and not assumed.  Every subtree is
then complete by itself, up to renaming, before the next one is begun, so that its threads may sleep there.

It does not help that a renaming maps the whole execution so far to itself, and that the races left out are images of
races that were seen: their reversals are explored later, where a sleeping thread may count on what was left out here.
"""

from __future__ import annotations

from .orbit import Seen, covering, fixing
from .protocol import JOIN, ExecutedStep, Op, Program, Thread, awake, dependent
from .search import Node, Search, SearchRequest
from .symmetry import TransitionSymmetry
from .trail import PLAIN, WAITS, Bits, Reversal, TooManyCuts, indices


class Dpor(Search):
    def __init__(self, program: Program, asked: SearchRequest) -> None:
        super().__init__(program, asked)
        self.symmetry = TransitionSymmetry(program, asked)
        self.symmetric = asked.symmetry != "none"
        self.analysed = 0  # events of the trail whose races are known
        self.limited = asked.max_preemptions is not None

    # ---------------------------------------------------------------- nodes

    def begin(self, node: Node) -> None:
        if self.symmetric and len(self.stack) == 1:
            node.memory["fixing"] = fixing(self.program, self.symmetry, list(node.pending))
        if (first := self.favourite(node)) is not None:
            node.todo.append(first)

    def favourite(self, node: Node) -> Thread | None:
        """The thread that moved last goes on, if it can: executions with few switches come first."""
        if self.trail.events:
            last = self.trail.events[-1][0]
            if last in node.enabled and last not in node.sleep:
                return last
        for thread in node.enabled:
            if thread not in node.sleep and self.allowed(node, thread):
                return thread
        return None

    def select(self, node: Node) -> Thread | None:
        while node.todo:
            thread: Thread = node.todo.pop(0)
            if thread in node.sleep or (self.limited and not self.allowed(node, thread)):
                continue
            if not (self.symmetric and self.skipped(node, thread)):
                return thread
        return None

    def go_to(self, depth: int) -> None:
        super().go_to(depth)
        self.analysed = min(self.analysed, depth)

    def child(self, node: Node, event: ExecutedStep, child: Node) -> None:
        if node.sleep:
            child.sleep = awake(node.sleep, node.pending, event.thread)
        if self.symmetric:
            seen: Seen = set(child.pending.items())
            for other in child.sleep.values():
                seen |= other
            child.memory["seen"] = seen
            if len(child.pending) > len(node.pending):
                child.memory["fixing"] = fixing(self.program, self.symmetry, list(child.pending))
            child.covered = self.is_covered(child)

    def closed(self, parent: Node, child: Node) -> None:
        if self.symmetric:
            seen = child.memory["seen"] | {(parent.thread, parent.pending[parent.thread])}
            parent.memory.setdefault("choices", []).append(seen)
            parent.memory.setdefault("seen", set()).update(seen)

    def done(self, node: Node, thread: Thread) -> None:
        node.sleep[thread] = set().union(*node.memory.pop("choices", ())) if self.symmetric else None

    def also(self, node: Node, thread: Thread) -> None:
        if thread not in node.sleep and thread not in node.todo:
            node.todo.append(thread)

    # ---------------------------------------------------------------- races

    def ended(self, node: Node) -> None:
        """Race detection for the events that are new since the last execution, and for those who wait at the end."""
        events, races_of = self.trail.events, self.trail.races_of
        for index in range(self.first_new(), len(events)):
            _, races, waits = races_of[index]
            if waits == WAITS or (races and waits == PLAIN):  # a join has none
                event = events[index]
                self.analyse(event.thread, event.op, self.trail.before[index], index)
        self.analysed = len(events)
        for thread, op in node.pending.items():
            if node.cut or (op.waits and thread not in node.enabled):
                self.analyse(thread, op, node.known[thread], None)
        self.at = -1  # asking what a program admits may have moved it

    def analyse(self, thread: Thread, op: Op, before: Bits, index: int | None) -> None:
        try:
            for reversal in self.trail.races(self.program, thread, op, before, index, self.covered):
                self.reverse(reversal)
        except TooManyCuts:
            self.result.incomplete = "an operation waits for too many objects: not all orders were tried"

    def covered(self, thread: Thread, depth: int) -> bool:
        """Was the thread explored there, or will it be?"""
        node = self.stack[depth]
        return thread in node.sleep or thread in node.todo

    def want(self, thread: Thread, depth: int) -> None:
        """Explore the thread there."""
        self.stack[depth].todo.append(thread)

    def is_born(self, thread: Thread, depth: int) -> bool:
        """Did the thread live there?"""
        return thread in self.stack[depth].pending

    def first_new(self) -> int:
        """The first event that no execution before had: all behind it are new, too."""
        return self.analysed

    def reverse(self, reversal: Reversal) -> None:
        """Some thread with which the reversed order can begin must be explored where the race begins."""
        depth, kept, thread, _, conflicts, before = reversal
        if not (conflicts & kept or before >> depth) and self.covered(thread, depth):  # it is one of them
            return
        first = [t for t in self.trail.initials(reversal) if self.is_born(t, depth)]
        if any(self.covered(t, depth) for t in first):
            return
        if self.trail.admitted(self.program, reversal):
            self.want(thread if thread in first else first[0], depth)

    # ---------------------------------------------------------------- symmetry

    def skipped(self, node: Node, thread: Thread) -> bool:
        """Is there a thread, explored here or asleep, of which this one is the image?"""
        if node.sleep and self.at != len(self.stack) - 1:
            self.go_to(len(self.stack) - 1)
        for twin, seen in node.sleep.items():
            renaming = self.symmetry.here(twin, thread)
            if renaming is not None:
                self.skip(node, thread, {(renaming.thread(t), renaming.op(op)) for t, op in seen})
                return True
        return False

    def is_covered(self, node: Node) -> bool:
        """Is the execution so far the image of one that was explored?"""
        for base in range(len(self.stack)):
            for image in self.stack[base].memory.get("fixing", ()):
                seen = covering(self.trail, self.stack, base, image)
                if seen is not None:
                    self.leave_out(node, image.back(seen))
                    return True
        return False

    def skip(self, node: Node, thread: Thread, images: Seen) -> None:
        self.leave_out(node, images)
        # SOUND: and the races with its own first operation.  Those of its twin may have been left to the subtree of a
        # sleeping thread, and that is where we are.
        node.sleep[thread] = images
        first = node.pending[thread]
        for t, op in images:
            if t != thread and op.kind != JOIN and dependent(op, first):
                self.go_back(len(self.stack) - 1, t)

    def leave_out(self, node: Node, images: Seen) -> None:
        # SOUND: the races of the subtree that is left out with earlier events; see above.
        for t, op in images:
            if op.kind == JOIN:  # it passes in no other order
                continue
            for index in self.racing(t, op, node):
                self.go_back(index, t)
        node.memory.setdefault("seen", set()).update(images)

    def racing(self, thread: Thread, op: Op, node: Node) -> list[int]:
        """The events with which the operation may race."""
        unknown = self.trail.conflicting(op) & ~node.known.get(thread, 0)
        return [i for i in indices(unknown) if self.trail.events[i].thread != thread]

    def go_back(self, index: int, thread: Thread) -> None:
        node = self.stack[index]
        wanted = [thread] if thread in node.enabled else node.enabled
        node.todo += [t for t in wanted if t not in node.todo and t not in node.sleep and t != node.thread]
