"""Which of the graphs that are the same up to renaming of alike threads is explored: decided on every prefix.

Reference: Kokologiannakis, Marmanis, Vafeiadis, PLDI 2024 (SPORE: alike threads read in the order of writes).
Differs: what a revisit has kept tells threads apart from then on, so that no orbit is lost.  Threads may be alike from
the point on at which both have come to be, and may have objects of their own.  `docs/explanation/stateless.md` has the
argument why a graph that is not in order may be left out with all that follows it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator

from ..protocol import Op, Program, Renaming, Thread
from ..search import SearchRequest
from ..symmetry import TransitionSymmetry
from .graph import Alike, Declined, EventName, GaveWay, Graph, GraphEvent, touched

__all__ = ["GraphFolding", "NotFirst"]


class NotFirst(Exception):
    """Something can come before the events after which two threads were said to be alike."""


class GraphFolding:
    """The threads that are alike, and what that leaves out."""

    def __init__(self, program: Program, asked: SearchRequest) -> None:
        self._symmetry = TransitionSymmetry(program, asked)
        self._declared = [r for r in asked.renamings if len(r.threads) == 2 and not r.tosses]
        self._wanted = asked.symmetry != "none"
        self._refuted: set[Hashable] = set()

    def look(self, graph: Graph, threads: Iterable[Thread]) -> None:
        """Which of these threads are alike in the program's current state, which is that after the graph?"""
        if self._wanted:
            new = [t for t in threads if not graph.lengths.get(t)]
            known = {(a.first, a.second) for a in graph.alike}
            pairs = [(a, b) for i, a in enumerate(new) for b in new[i + 1 :] if (a, b) not in known]
            graph.alike += tuple(self._found(graph, pairs))

    def _found(self, graph: Graph, pairs: Iterable[tuple[Thread, Thread]]) -> Iterator[Alike]:
        base = frozenset(graph.events)
        ops = [event.op for event in graph.events.values()]
        written = frozenset(o for op in ops for o in op.writes)
        every = frozenset(o for op in ops for o in touched(op))
        for first, second in pairs:
            if (first, second, base) not in self._refuted:
                exchange = self._exchange(first, second)
                if exchange is not None:
                    yield Alike(exchange, first, second, base, every, written)

    def _exchange(self, first: Thread, second: Thread) -> Renaming | None:
        """Of the renamings that fix the current state one that moves these two and no other thread."""
        wanted = {first: second, second: first}
        found = self._symmetry.discover(first, second)
        if found is not None and found.threads == wanted and not found.tosses:
            return found
        return next((r for r in self._declared if r.threads == wanted and self._symmetry.is_fixed_by(r)), None)

    def check(self, graph: Graph, thread: Thread, op: Op) -> None:
        """SOUND: what follows a graph that is left out begins with the base, as its image does, only if nothing can
        come before a part of it.  If something can, the two threads are no longer taken for alike."""
        for alike in graph.alike:
            if op.writes.isdisjoint(alike.touched) and op.reads.isdisjoint(alike.written):
                continue
            known = graph.prefix(graph.after(thread, op))
            for name in alike.base - known:
                other = graph.events[name].op
                if not (op.writes.isdisjoint(touched(other)) and op.reads.isdisjoint(other.writes)):
                    self._refuted.add(alike.key)
                    raise NotFirst

    def keeps(self, graph: Graph) -> bool:
        """Is a graph to be explored, or one of its images?"""
        if not graph.alike:
            return True
        kept = _find_kept(graph)
        return all(_is_in_order(graph, alike, kept) for alike in graph.alike)


def _find_kept(graph: Graph) -> set[EventName]:
    """Events that an event depends on that was inserted before them: a revisit has kept them."""
    places = {entry: i for i, entry in enumerate(graph.order)}
    found: set[EventName] = set()
    for place, entry in enumerate(graph.order):
        if isinstance(entry, Declined):
            continue
        seen = [entry.by] if isinstance(entry, GaveWay) else list(graph.events[entry].seen())
        if any(places[name] > place for name in seen):
            found |= {name for name in graph.prefix(seen) if places[name] > place}
    return found


def _is_in_order(graph: Graph, alike: Alike, kept: set[EventName]) -> bool:
    """Of a graph and its image under the exchange of two threads: is this the one that is explored?"""
    for nth in range(graph.lengths.get(alike.second, 0)):
        one, other = graph.events.get(EventName(alike.first, nth)), graph.events[EventName(alike.second, nth)]
        if one is None:
            return False
        if one.name in kept:
            return True
        decided = _compare(graph, alike.exchange, one, other)
        if decided:
            return decided > 0
    return True


UNDECIDED = 1


def _compare(graph: Graph, exchange: Renaming, one: GraphEvent, other: GraphEvent) -> int:
    """Positive: as they should be; negative: the wrong way round; 0: alike."""
    for o in sorted(one.sources, key=repr):
        image = exchange.object(o)
        if image not in other.sources:
            return UNDECIDED
        seen, wanted = one.sources[o], other.sources[image]
        if seen == wanted or (seen is not None and wanted == EventName(exchange.thread(seen.thread), seen.nth)):
            continue
        if image != o:
            return UNDECIDED
        return _place(graph, o, wanted) - _place(graph, o, seen)
    return one.choice - other.choice


def _place(graph: Graph, o: Hashable, source: EventName | None) -> int:
    return -1 if source is None else graph.chains[o].index(source)
