"""How one graph leads to others: where an operation can come in, and what it takes back.

Reference: Kokologiannakis, Marmanis, Gladstein, Vafeiadis, POPL 2022 (backward revisits, maximal extensions).
Differs: an event that is taken back leaves a mark in its place (`GaveWay`) instead of staying there with another
source: it comes again when its thread goes on, after the event that it had to give way to.  So an operation that has to
wait there is nothing special, and one with several objects can give way for each of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from ..protocol import JOIN, Op, Thread
from .graph import Declined, Entry, EventName, GaveWay, Graph, GraphEvent, Sources, touched
from .sequential import linearise

__all__ = ["is_canonical", "other_places", "other_sources", "readers_of", "revisited"]

Candidates: TypeAlias = dict[Hashable, list[EventName | None]]  # of each object: what may be seen


def other_places(graph: Graph, thread: Thread, op: Op) -> Iterator[GraphEvent]:
    """The next operation of a thread where it does not come last, and nobody sees it."""
    if op.kind == JOIN or not op.reads:
        return
    name, after, ends = graph.next_name(thread), graph.after(thread, op), graph.ends(op)
    candidates = {o: [ends[o]] if o in op.writes else _all_sources(graph, o) for o in touched(op)}
    earlier, declined = graph.refused_by(name), graph.declined_at(name)
    new = set(graph.order[declined:]) if declined >= 0 else None
    for sources in _assignments(graph, after, candidates):
        if sources != ends:
            event = GraphEvent(name, op, sources, after)
            known = graph.prefix(event.seen()) if earlier or new is not None else set()
            if earlier <= known and (new is None or not new.isdisjoint(known)):
                yield event


def other_sources(graph: Graph, event: GraphEvent) -> Iterator[GraphEvent]:
    """The reading of a register with each other write that it may see."""
    for o, seen in event.sources.items():
        for source in (None, *graph.stores.get(o, ())):
            if source != seen:
                yield replace(event, sources={o: source})


def readers_of(graph: Graph, store: GraphEvent) -> Iterator[tuple[Graph, GraphEvent]]:
    """The graphs in which an earlier reading of a register sees a write that comes in."""
    own = graph.prefix(store.after)
    places = {entry: i for i, entry in enumerate(graph.order)}
    for name, event in list(graph.events.items()):
        if event.register and not event.choice and name not in own and store.op.writes & event.op.reads:
            if is_canonical(graph, places, name, own):
                kept = graph.restricted({*graph.order[: places[name]], *own})
                kept.add(store)
                back = GraphEvent(name, event.op, dict.fromkeys(event.op.reads, store.name), event.after, register=True)
                kept.put_back(back, places[name])
                yield kept, back


def _all_sources(graph: Graph, o: Hashable) -> list[EventName | None]:
    return [*reversed(graph.chains.get(o, ())), None]


def _assignments(graph: Graph, after: Sequence[EventName], candidates: Candidates) -> Iterator[Sources]:
    """What an operation can see, object by object, so that it knows of no later write of any."""
    chosen: dict[Hashable, EventName | None] = {}
    objects = list(candidates)

    def choose(depth: int, known: set[EventName]) -> Iterator[Sources]:
        if any(name in known for o, source in chosen.items() for name in graph.behind(o, source)):
            return
        if depth == len(objects):
            yield dict(chosen)
            return
        o = objects[depth]
        for source in candidates[o]:
            chosen[o] = source
            yield from choose(depth + 1, known if source is None or source in known else known | graph.prefix([source]))
            del chosen[o]

    yield from choose(0, graph.prefix(after))


def revisited(graph: Graph, thread: Thread, op: Op) -> Iterator[tuple[Graph, GraphEvent]]:
    """The graphs in which the next operation of a thread comes before an earlier event: the event is taken back, and
    what follows from it; what is left, and the operation."""
    if op.kind == JOIN or not op.writes:
        return
    name, after = graph.next_name(thread), graph.after(thread, op)
    own, earlier = graph.prefix(after), graph.refused_by(name)
    places = {entry: i for i, entry in enumerate(graph.order)}
    for entry, event in list(graph.events.items()):
        common = op.writes.intersection(event.sources)
        if not common or event.choice or entry in own:
            continue
        # SOUND: what is taken back saw the last writes of what is left, so the operation sees the same ones.
        candidates: Candidates = {o: [event.sources[o]] for o in common}
        for o in touched(op):
            if o not in common:
                candidates[o] = _sources_without(graph, o, entry)
        for sources in _assignments(graph, after, candidates):
            known = graph.prefix([*after, *(s for s in sources.values() if s is not None)])
            if entry not in known and earlier <= known and is_canonical(graph, places, entry, known):
                kept = graph.restricted({*graph.order[: places[entry]], *known})
                if all(kept.last(o) == sources[o] for o in op.writes):
                    kept.order.insert(places[entry], GaveWay(entry, name))
                    yield kept, GraphEvent(name, op, sources, after)


def _sources_without(graph: Graph, o: Hashable, gone: EventName) -> list[EventName | None]:
    """What may be seen of an object that does not know of an event."""
    found: list[EventName | None] = [None]
    for name in graph.chains.get(o, ()):
        if gone in graph.prefix([name]):
            break
        found.append(name)
    return found[::-1]


def is_canonical(graph: Graph, places: dict[Entry, int], first: EventName, kept: set[EventName]) -> bool:
    """Is everything from an event on, but what is kept, as the search would insert it by itself after what is left?
    Then it is taken back here, and in no other graph that leads to the same one."""
    start, needed = places[first], -1
    for entry in graph.order[:start]:
        needed = max(needed, _latest_needed(graph, places, entry, kept))
    for place in range(start, len(graph.order)):
        entry = graph.order[place]
        if entry in kept:
            continue
        if needed >= place or not _is_last(graph, places, entry, place, kept):
            return False
        needed = max(needed, _latest_needed(graph, places, entry, kept))
    return True


def _latest_needed(graph: Graph, places: dict[Entry, int], entry: Entry, kept: set[EventName]) -> int:
    """The last place of what an entry saw and what is not kept."""
    if isinstance(entry, Declined):
        return -1
    names = [entry.by] if isinstance(entry, GaveWay) else graph.events[entry].seen()
    return max((places[name] for name in names if name not in kept), default=-1)


def _is_last(graph: Graph, places: dict[Entry, int], entry: Entry, place: int, kept: set[EventName]) -> bool:
    """Did an event see the last writes of all that was inserted before it, or is kept?"""
    if isinstance(entry, Declined):
        return True
    if isinstance(entry, GaveWay):
        return entry.by in kept or places[entry.by] < place
    event = graph.events[entry]
    if event.choice:
        return False
    if event.register:
        before = {e for e in graph.order if places[e] < place} | kept
        return not event.sources or _first_source(graph.restricted(before), event) == event.sources
    for o, source in event.sources.items():
        if source is not None and places[source] > place and source not in kept:
            return False
        for name in graph.behind(o, source):
            if name != entry and (places[name] < place or name in kept):
                return False
    return True


def _first_source(graph: Graph, event: GraphEvent) -> Sources | None:
    """What the reading of a register sees if it is canonical: of all that it may see, the first by name.  The order in
    which events were inserted may not decide that, since it differs from graph to graph."""
    for o in event.sources:
        for source in (None, *sorted(graph.stores.get(o, ()))):
            if linearise(graph.with_event(replace(event, sources={o: source}))) is not None:
                return {o: source}
    return None
