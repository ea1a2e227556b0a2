"""Dynamic partial-order reduction with source sets and sleep sets.

Reference: Flanagan, Godefroid, POPL 2005; Abdulla, Aronis, Jonsson, Sagonas, JACM 2017 (Source-DPOR).
Differs: with symmetry it is `symmetric_dpor.py`; programs that run ahead are searched by `ahead.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Generic

from .depth_first import AnyNode, DepthFirst, Node
from .jobs import Gift, JobSearch, Pair, Unseen, Wish
from .protocol import ExecutedStep, Op, Placing, Program, Thread, awake
from .races import SourceSetSearch
from .search import Done, SearchRequest

__all__ = ["Dpor", "DporTree", "SourceNode"]


class SourceNode(Node[Thread, None]):
    """What is to be explored is a source set, which grows with the races of the executions that pass here."""

    __slots__ = ()


class DporTree(JobSearch, DepthFirst[AnyNode], SourceSetSearch, Generic[AnyNode]):
    """Source sets at the nodes of a tree: what is the same with and without symmetry."""

    def __init__(self, program: Program, asked: SearchRequest) -> None:
        super().__init__(program, asked)
        self._placing = program if isinstance(program, Placing) else None
        self.places: list[Done] = []  # of the events of the trail
        self.last_done: dict[Op, Done] = {}  # where an operation was met last

    def begin(self, node: AnyNode) -> None:
        if (first := self.favourite(node.enabled, node.sleep)) is not None:
            node.todo.append(first)

    def select(self, node: AnyNode) -> Thread | None:
        while node.todo:
            if node.gift is not None and self.collect(node):
                continue
            thread: Thread = node.todo.pop(0)
            if thread not in node.sleep and self.is_allowed(thread) and not self.is_left_out(node, thread):
                return thread
        return None

    def is_left_out(self, node: AnyNode, thread: Thread) -> bool:
        """Need it not be explored, for another reason than that it sleeps?"""
        return False

    def go_to(self, depth: int) -> None:
        if self.may_give:
            self.give(depth)
        super().go_to(depth)
        self.analysed = min(self.analysed, depth)

    def also(self, node: AnyNode, thread: Thread) -> None:
        if thread not in node.sleep and thread not in node.todo:
            self.want(thread, len(self.stack) - 1, [thread], node.pending[thread])

    def ended(self, node: AnyNode) -> None:
        if self._placing is not None:
            for thread, op in node.pending.items():
                self.done_by(thread, op)
        self.find_races(node.pending, node.enabled, node.known, node.cut)
        self.at = -1  # asking what a program admits may have moved it

    def is_covered_by(self, thread: Thread, depth: int) -> bool:
        node = self.stack[depth]
        return thread in node.sleep or thread in node.todo

    def want(self, thread: Thread, depth: int, first: Sequence[Thread], op: Op) -> None:
        self.wish(Wish(depth, thread, frozenset(first)), self.reversed_by(depth, op))

    def wish(self, wish: Wish, pair: Pair | None) -> None:
        """What is wanted at a node; those above the subtree of a copy are not decided here."""
        if wish.depth > self.base:
            self.stack[wish.depth].todo.append(wish.thread)
            self.note_reversals(pair)
        else:
            self.wishes[wish] = pair

    def is_wanted(self, thread: Thread, depth: int, first: Sequence[Thread]) -> bool:
        return depth <= self.base and Wish(depth, thread, frozenset(first)) in self.wishes

    def carry_out(self, wish: Wish, pair: Pair | None) -> None:
        if not any(self.is_covered_by(t, wish.depth) for t in wish.first or ()):
            self.wish(wish, pair)

    # ---------------------------------------------------------------- with other processes

    def begun_at(self, below: int) -> Iterator[tuple[int, AnyNode, float]]:
        for depth in range(self.base + 1, below):
            node = self.stack[depth]
            if node.todo and node.todo[0] not in node.sleep:
                yield depth, node, node.begun

    def being_explored(self, depth: int) -> Thread:
        return self.stack[depth].thread

    def explore_given(self, depth: int, node: AnyNode, gift: Gift) -> Any:
        for other in self.stack:
            other.gift = None
        del self.stack[depth + 1 :]
        self.at = -1
        node.thread, node.choices, node.todo = -1, [], [gift.thread]
        node.sleep = {**node.sleep, gift.after: self.sleeps_for(gift.mark)}
        self.go_through()
        return node.sleep.get(gift.thread)

    def sleeps_for(self, mark: Unseen) -> Any:
        """Why the thread sleeps that the first process is exploring."""
        return None

    def is_turn_of(self, node: AnyNode, gift: Gift) -> None:
        node.thread = gift.thread

    def take_over(self, node: AnyNode, gift: Gift, seen: Any) -> None:
        node.sleep[gift.thread] = seen

    # ---------------------------------------------------------------- where executions come from

    def about_to_step(self, thread: Thread, node: AnyNode) -> None:
        if self._placing is not None:
            del self.places[len(self.stack) - 1 :]
            self.places.append(self.done_by(thread, node.pending[thread]))

    def done_by(self, thread: Thread, op: Op) -> Done:
        assert self._placing is not None
        done = self.last_done[op] = Done(self._placing.where_is(thread), op.kind)
        return done

    def reversed_by(self, depth: int, op: Op) -> Pair | None:
        """The event there, and what comes before it now: the racing event, or what a thread would do next."""
        if self._placing is None:
            return None
        there = self.places[self.racing] if self.racing >= 0 else self.last_done.get(op)
        return None if there is None else (self.places[depth], there)

    def is_born(self, thread: Thread, depth: int) -> bool:
        return thread in self.stack[depth].pending


class Dpor(DporTree[SourceNode]):
    """Source-DPOR."""

    node_class = SourceNode

    def child(self, node: SourceNode, event: ExecutedStep, child: SourceNode) -> None:
        if node.sleep:
            child.sleep = awake(node.sleep, node.pending, event.thread)

    def done(self, node: SourceNode, thread: Thread) -> None:
        node.sleep[thread] = None
