"""Sequential consistency of execution graphs: is there one order in which everything could have happened?

Reference: Shasha, Snir, TOPLAS 1988: program order, what was seen, the order of writes and "before the next write"
have no cycle.
Differs: the writes of an object see each other, so two that see the same one are a contradiction by themselves.
"""

from __future__ import annotations

from collections.abc import Hashable
from heapq import heapify, heappop, heappush

from .graph import EventName, Graph

__all__ = ["linearise"]


def linearise(graph: Graph) -> list[EventName] | None:
    """The events in an order in which they can be executed, as close as can be to that of insertion; None: there is
    none.  It depends on the graph alone."""
    following = _next_writes(graph)
    if following is None:
        return None
    later: dict[EventName, list[EventName]] = {name: [] for name in graph.events}
    waits_for = dict.fromkeys(graph.events, 0)
    for name, event in graph.events.items():
        for before in event.seen():
            later[before].append(name)
            waits_for[name] += 1
        for o, source in event.sources.items():
            overwriting = following.get((o, source))
            if overwriting is not None and overwriting != name:
                later[name].append(overwriting)
                waits_for[overwriting] += 1
    return _sorted(graph, later, waits_for)


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
