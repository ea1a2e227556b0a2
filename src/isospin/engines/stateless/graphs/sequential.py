"""Sequential consistency of execution graphs: is there one order in which everything could have happened?

Reference: Shasha, Snir, TOPLAS 1988: program order, what was seen, the order of writes and "before the next write"
have no cycle.
Differs: the writes of an object see each other, so two that see the same one are a contradiction by themselves.  The
writes of a register have no order of their own: one is looked for (Gibbons, Korach, SICOMP 1997, for the problem;
reads go first, a write has to wait for those who read the one before it, and what failed once is not tried again).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from heapq import heapify, heappop, heappush

from .graph import EventName, Graph, GraphEvent

__all__ = ["linearise"]


def linearise(graph: Graph) -> list[EventName] | None:
    """The events in an order in which they can be executed, as close as can be to that of insertion; None: there is
    none.  It depends on the graph alone."""
    following = _next_writes(graph)
    if following is None:
        return None
    later: dict[EventName, list[EventName]] = {name: [] for name in graph.events}
    for name, event in graph.events.items():
        for before in event.seen():
            later[before].append(name)
        for o, source in event.sources.items():
            overwriting = following.get((o, source))
            if overwriting is not None and overwriting != name:
                later[name].append(overwriting)
    if any(graph.stores.values()):
        return _RegisterOrder(graph, later).find() if _saturate(graph, later) else None
    return _sorted(graph, later, _count(later))


def _count(later: dict[EventName, list[EventName]]) -> dict[EventName, int]:
    """How many events each one follows directly."""
    waits_for = dict.fromkeys(later, 0)
    for names in later.values():
        for name in names:
            waits_for[name] += 1
    return waits_for


def _saturate(graph: Graph, later: dict[EventName, list[EventName]]) -> bool:
    """Add what follows from what is seen: a write that comes before a reader of another one comes before that one, too,
    and one that comes after what is read comes after its readers.  False: there is a contradiction."""
    readers = [(name, o, w) for name, e in graph.events.items() if e.register for o, w in e.sources.items()]
    while True:
        order = _sorted(graph, later, _count(later))
        if order is None:
            return False
        past = _pasts(order, later)
        bit = {name: 1 << i for i, name in enumerate(order)}
        new = set[tuple[EventName, EventName]]()
        for reader, o, seen in readers:
            for store in graph.stores.get(o, ()):
                if store != seen and (seen is None or past[store] & bit[seen]) and not past[store] & bit[reader]:
                    new.add((reader, store))
                if store != seen and seen is not None and past[reader] & bit[store] and not past[seen] & bit[store]:
                    new.add((store, seen))
        if not new:
            return True
        for first, second in new:
            later[first].append(second)


def _pasts(order: list[EventName], later: dict[EventName, list[EventName]]) -> dict[EventName, int]:
    """Of each event those before it, as the bits of a number."""
    past = dict.fromkeys(order, 0)
    for i, name in enumerate(order):
        for other in later[name]:
            past[other] |= past[name] | 1 << i
    return past


def _next_writes(graph: Graph) -> dict[tuple[Hashable, EventName | None], EventName] | None:
    """The write that sees a write of an object; None: there are two."""
    found: dict[tuple[Hashable, EventName | None], EventName] = {}
    for name, event in graph.events.items():
        for o in event.writes:
            key = o, event.sources[o]
            if key in found:
                return None
            found[key] = name
    return found


def _sorted(
    graph: Graph, later: dict[EventName, list[EventName]], waits_for: dict[EventName, int]
) -> list[EventName] | None:
    place = {name: i for i, name in enumerate(graph.order)}
    ready = [(place[name], name) for name, count in waits_for.items() if not count]
    heapify(ready)
    found: list[EventName] = []
    while ready:
        _, name = heappop(ready)
        found.append(name)
        for other in later[name]:
            waits_for[other] -= 1
            if not waits_for[other]:
                heappush(ready, (place[other], other))
    return found if len(found) == len(waits_for) else None


class _RegisterOrder:
    """Looks for an order in which all who read a register see what they should."""

    def __init__(self, graph: Graph, later: dict[EventName, list[EventName]]) -> None:
        self.graph, self.later = graph, later
        self.place = {name: i for i, name in enumerate(graph.order)}
        self.readers: dict[tuple[Hashable, EventName | None], int] = {}
        for event in graph.events.values():
            for key in self.seen(event):
                self.readers[key] = self.readers.get(key, 0) + 1
        self.failed: set[tuple[frozenset[EventName], frozenset[tuple[Hashable, EventName]]]] = set()

    @staticmethod
    def seen(event: GraphEvent) -> Iterable[tuple[Hashable, EventName | None]]:
        return event.sources.items() if event.register else ()

    def find(self) -> list[EventName] | None:
        return self._from([], _count(self.later), {}, self.readers)

    def _from(
        self, done: list[EventName], waits_for: dict[EventName, int], last: dict[Hashable, EventName],
        readers: dict[tuple[Hashable, EventName | None], int],
    ) -> list[EventName] | None:  # fmt: skip
        """The rest of an order: what changes no register comes at once."""
        done, waits_for, readers = list(done), dict(waits_for), dict(readers)
        while ready := [n for n, count in waits_for.items() if not count and self._is_harmless(n, last)]:
            for name in sorted(ready, key=self.place.__getitem__):
                self._take(name, done, waits_for)
                for key in self.seen(self.graph.events[name]):
                    readers[key] -= 1
        if not waits_for:
            return done
        here = frozenset(waits_for), frozenset(last.items())
        if here in self.failed:
            return None
        for name in sorted((n for n, count in waits_for.items() if not count), key=self.place.__getitem__):
            stored = list(self.graph.events[name].stored)
            if stored and not any(readers.get((o, last.get(o))) for o in stored):
                after, rest = list(done), dict(waits_for)
                self._take(name, after, rest)
                found = self._from(after, rest, {**last, **dict.fromkeys(stored, name)}, readers)
                if found is not None:
                    return found
        self.failed.add(here)
        return None

    def _is_harmless(self, name: EventName, last: dict[Hashable, EventName]) -> bool:
        event = self.graph.events[name]
        return not event.stored and all(last.get(o) == source for o, source in self.seen(event))

    def _take(self, name: EventName, done: list[EventName], waits_for: dict[EventName, int]) -> None:
        done.append(name)
        del waits_for[name]
        for other in self.later[name]:
            waits_for[other] -= 1
