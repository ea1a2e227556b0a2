"""A trace as an execution graph: which write each read saw, which one is newer, what happens before what.

Reference: Lahav, Vafeiadis, Kang, Hur, Dreyer, PLDI 2017 (RC11): the relations rf, mo, fr and hb.
Differs: only what a reader needs.  Of happens-before the edges between threads that say something new; of fr those to
writes that had been made already, which no interleaving in this order could miss.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ....core.trace import ExecutedEvent, ExecutionGraph, OrderEdge
from ....engines.stateless.protocol import Thread
from ..constants import SEES_INITIAL, OperationKind
from ..weak import ORDERS
from ..wire import NO_WRITE, Seen

_Variable = tuple[int, int]


class _Moved(NamedTuple):
    """A step: who made it, and what he knows of each thread then; `own` is the number of what he did in it."""

    thread: Thread
    own: int
    knows: tuple[int, ...]


class GraphRecorder:
    """Is told each step of a run as it is made."""

    def __init__(self) -> None:
        self.moved: list[_Moved] = []
        self.events: dict[int, ExecutedEvent] = {}
        self.edges: list[OrderEdge] = []
        self.step_of: dict[tuple[_Variable, int], int] = {}  # a variable's writes, by their names
        self.ordered: dict[_Variable, list[int]] = {}  # the same in modification order, as far as it is known
        self.sees: dict[int, tuple[_Variable, int]] = {}  # what each read saw
        self.places: dict[tuple[Thread, int], int] = {}  # the last step of a thread at a place in the code

    def note(
        self, thread: Thread, pc: int, clock: Sequence[int], event: tuple[str, str], seen: Seen | None, choice: int
    ) -> None:
        """One more step: what it did and its order in words, what it saw, and where it was told to put its write."""
        step = len(self.moved)
        own, *knows = clock or (0,)
        self.places[thread, pc] = step
        self.events[step] = ExecutedEvent(step, *event)
        self.edges += self._ordered_by(thread, knows)
        self.moved.append(_Moved(thread, own, tuple(knows)))
        if seen is not None:
            self._access(step, seen, choice)

    def _access(self, step: int, seen: Seen, choice: int) -> None:
        """Note what a read saw, and where a write comes in."""
        variable = seen.variable
        if seen.source != NO_WRITE:
            self.sees[step] = variable, seen.source
        if (source := self.step_of.get((variable, seen.source))) is not None:
            self.edges.append(OrderEdge("rf", source, step))
        if seen.name != NO_WRITE:
            self.step_of[variable, seen.name] = step
            self._place(self.ordered.setdefault(variable, []), seen, choice)

    def _place(self, ordered: list[int], seen: Seen, choice: int) -> None:
        """An update comes just behind what it saw; a store last, or just before the write that its choice names."""
        if seen.source == SEES_INITIAL:
            ordered.insert(0, seen.name)
        elif seen.source != NO_WRITE:
            ordered.insert(ordered.index(seen.source) + 1, seen.name)
        elif choice in ordered:
            ordered.insert(ordered.index(choice), seen.name)
        else:
            ordered.append(seen.name)

    # ---------------------------------------------------------------------------------------------- happens before

    def _ordered_by(self, thread: Thread, knows: Sequence[int]) -> Iterator[OrderEdge]:
        """From the last steps of others of which he did not know before."""
        before = next((m.knows for m in reversed(self.moved) if m.thread == thread), ())
        fresh = [s for t, known in enumerate(knows) if t != thread and known > (before[t : t + 1] or (0,))[0]
                 if (s := self._last_known(t, known)) is not None]  # fmt: skip
        for step in fresh:
            if not any(self._is_known(step, other) for other in fresh if other != step):
                yield OrderEdge("hb", step, len(self.moved))

    def _last_known(self, thread: Thread, number: int) -> int | None:
        """The last step of a thread that whoever knows of it up to this number knows of."""
        steps = (i for i, m in enumerate(self.moved) if m.thread == thread and m.own <= number)
        return max(steps, default=None)

    def _is_known(self, step: int, later: int) -> bool:
        """Does one step happen before another one?"""
        m, knows = self.moved[step], self.moved[later].knows
        return step < later and m.thread < len(knows) and knows[m.thread] >= m.own

    # ---------------------------------------------------------------------------------------------- the graph

    def graph(self, race: tuple[tuple[Thread, int], tuple[Thread, int]] | None = None) -> ExecutionGraph | None:
        """All of it; nothing where no source was chosen.  `race`: the places of two accesses that nothing orders."""
        if not self.ordered and not self.sees:
            return None
        edges = [*self.edges, *self._newer(), *self._missed()]
        if race is not None and all(place in self.places for place in race):
            edges.append(OrderEdge("race", self.places[race[0]], self.places[race[1]]))
        fences = {event.step for event in self.events.values() if event.text == OperationKind.FENCE}
        touched = {step for edge in edges for step in edge[1:]} | {*self.sees, *self.step_of.values()} | fences
        return ExecutionGraph(tuple(self.events[step] for step in sorted(touched)), tuple(edges))

    def _newer(self) -> Iterator[OrderEdge]:
        """From each write to the next one of its variable."""
        for variable, names in self.ordered.items():
            steps = [self.step_of[variable, name] for name in names]
            yield from (OrderEdge("mo", a, b) for a, b in pairwise(steps))

    def _missed(self) -> Iterator[OrderEdge]:
        """From a read to the oldest write that is newer than what it saw, and had been made."""
        for step, (variable, source) in self.sees.items():
            names = self.ordered.get(variable, [])
            newer = names[names.index(source) + 1 :] if source in names else names
            missed = [s for name in newer if (s := self.step_of[variable, name]) < step]
            if missed:
                yield OrderEdge("fr", step, missed[0])


def order_word(seen: Seen | None) -> str:
    return "" if seen is None else ORDERS[seen.order]
