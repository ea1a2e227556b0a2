"""Execution graphs: what happened, and for each access which write it saw; no order beside that.

Reference: Kokologiannakis, Marmanis, Gladstein, Vafeiadis, POPL 2022 (TruSt: execution graphs with an order in which
events were inserted).
Differs: an event is a whole operation and may touch several objects.  A write of an object sees the write before it, so
that the writes of each object are a chain, and the order of writes needs no relation of its own.  Only *registers* have
no chain: objects that are overwritten and read, one at a time, and nothing else.  Who reads them tells which write came
last; what nobody reads has no order.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import NamedTuple, TypeAlias

from ....core.records import dataclass
from ..protocol import JOIN, Op, OwnObject, Renaming, Thread

__all__ = ["Alike", "Declined", "Entry", "EventName", "GaveWay", "Graph", "GraphEvent", "Sources"]


class EventName(NamedTuple):
    """The how many-th event of which thread, from 0."""

    thread: Thread
    nth: int


class GaveWay(NamedTuple):
    """In the place of an event: the thread could have gone on here, and another event came first."""

    name: EventName
    by: EventName


class Declined(NamedTuple):
    """An event that could have come in between the earlier ones, and did not: another one did."""

    name: EventName


Sources: TypeAlias = Mapping[Hashable, EventName | None]  # of each object the write that is seen; None: none
Entry: TypeAlias = EventName | GaveWay | Declined


@dataclass(frozen=True, slots=True)
class GraphEvent:
    """An operation that was executed.  `after` are the events before it in its own thread, or its thread's birth, or
    the ends of those that it joins."""

    name: EventName
    op: Op
    sources: Sources
    after: tuple[EventName, ...]
    choice: int = 0
    failed: bool = False  # it ended the program: the others go on as if it was only about to happen

    register: bool = False  # it touches a register: it overwrites it, or sees a write of it

    @property
    def writes(self) -> Iterable[Hashable]:
        """The objects in whose chains it is."""
        return () if self.failed or self.register else self.op.writes

    @property
    def stored(self) -> Iterable[Hashable]:
        """The register that it overwrites."""
        return self.op.writes if self.register and not self.failed else ()

    def seen(self) -> Iterable[EventName]:
        """All that it knows of directly."""
        yield from self.after
        for source in self.sources.values():
            if source is not None:
                yield source


def touched(op: Op) -> Iterable[Hashable]:
    """The objects whose order matters; of a join none: it follows the ends of the threads that it names."""
    return () if op.kind == JOIN else op.reads | op.writes if op.reads else op.writes


def may_use_register(op: Op) -> bool:
    """Does an operation touch one object, and only overwrite or only read it?"""
    if op.waits or op.kind == JOIN or len(op.reads) + len(op.writes) != 1:
        return False
    return op.overwrites == op.writes


@dataclass(frozen=True, slots=True, eq=False)
class Alike:
    """Two threads that an automorphism exchanges after some events, which must come before everything else."""

    exchange: Renaming
    first: Thread
    second: Thread
    base: frozenset[EventName]
    touched: frozenset[Hashable]  # by the base
    written: frozenset[Hashable]

    @property
    def key(self) -> Hashable:
        return self.first, self.second, self.base


@dataclass(slots=True)
class Graph:
    """Events in the order in which they were inserted, which is no order of time."""

    order: list[Entry] = field(default_factory=list)
    events: dict[EventName, GraphEvent] = field(default_factory=dict)
    chains: dict[Hashable, list[EventName]] = field(default_factory=dict)  # the writes of each object
    births: dict[Thread, EventName] = field(default_factory=dict)
    lengths: dict[Thread, int] = field(default_factory=dict)  # how many events each thread has
    alike: tuple[Alike, ...] = ()  # threads that can be exchanged
    stores: dict[Hashable, list[EventName]] = field(default_factory=dict)  # the writes of each register

    def copy(self) -> Graph:
        chains = {o: list(names) for o, names in self.chains.items()}
        return Graph(list(self.order), dict(self.events), chains, dict(self.births), dict(self.lengths), self.alike,
                     {o: list(names) for o, names in self.stores.items()})  # fmt: skip

    def next_name(self, thread: Thread) -> EventName:
        return EventName(thread, self.lengths.get(thread, 0))

    def add(self, event: GraphEvent) -> None:
        """One more event; its writes come last in their chains."""
        name = event.name
        self.order.append(name)
        self.events[name] = event
        self.lengths[name.thread] = max(self.lengths.get(name.thread, 0), name.nth + 1)
        for o in event.writes:
            self.chains.setdefault(o, []).append(name)
        for o in event.stored:
            self.stores.setdefault(o, []).append(name)

    def put_back(self, event: GraphEvent, place: int) -> None:
        """An event that only reads, where it was."""
        self.add(event)
        self.order.insert(place, self.order.pop())

    def with_event(self, event: GraphEvent) -> Graph:
        made = self.copy()
        made.add(event)
        return made

    def change(self, event: GraphEvent) -> None:
        """Another choice, or another outcome, of an event."""
        before = self.events[event.name]
        self.events[event.name] = event
        for o in set(before.writes).difference(event.writes):
            self.chains[o].remove(event.name)
        for o in set(before.stored).difference(event.stored):
            self.stores[o].remove(event.name)

    def choosing(self, name: EventName, choice: int) -> Graph:
        made = self.copy()
        made.events[name] = replace(made.events[name], choice=choice)
        return made

    def restricted(self, keep: Container[Entry]) -> Graph:
        """Only these."""
        order = [entry for entry in self.order if entry in keep]
        events = {name: event for name, event in self.events.items() if name in keep}
        chains = {o: [n for n in names if n in events] for o, names in self.chains.items()}
        lengths: dict[Thread, int] = {}
        for name in events:
            lengths[name.thread] = max(lengths.get(name.thread, 0), name.nth + 1)
        births = {t: name for t, name in self.births.items() if name in events}
        alike = tuple(pair for pair in self.alike if pair.base <= events.keys())
        stores = {o: [n for n in names if n in events] for o, names in self.stores.items()}
        return Graph(order, events, chains, births, lengths, alike, stores)

    # ---------------------------------------------------------------- relations

    def last(self, o: Hashable) -> EventName | None:
        chain = self.chains.get(o)
        return chain[-1] if chain else None

    def ends(self, op: Op) -> dict[Hashable, EventName | None]:
        """What an operation sees if it comes last."""
        return {o: self.last(o) for o in touched(op)}

    def behind(self, o: Hashable, source: EventName | None) -> Sequence[EventName]:
        """The writes of an object after one that is seen; of registers none."""
        if o in self.stores:
            return ()
        chain = self.chains.get(o, ())
        return chain if source is None else chain[chain.index(source) + 1 :]

    def up_to(self, o: Hashable, source: EventName | None) -> Sequence[EventName]:
        """The writes of an object from one that is seen back to the first."""
        chain = self.chains.get(o, [])
        return () if source is None else chain[chain.index(source) :: -1]

    def prefix(self, names: Iterable[EventName]) -> set[EventName]:
        """Events, and all that they know of: by their threads and by what they saw."""
        found: set[EventName] = set()
        todo = list(names)
        while todo:
            name = todo.pop()
            if name not in found:
                found.add(name)
                todo += self.events[name].seen()
        return found

    def refused_by(self, name: EventName) -> set[EventName]:
        """The events that an event has to come after."""
        return {entry.by for entry in self.order if isinstance(entry, GaveWay) and entry.name == name}

    def declined_at(self, name: EventName) -> int:
        """The place from which on something new must have happened for an event to come in; -1: none."""
        return max((i for i, entry in enumerate(self.order) if entry == Declined(name)), default=-1)

    def after(self, thread: Thread, op: Op) -> tuple[EventName, ...]:
        """What the next operation of a thread follows by itself."""
        length = self.lengths.get(thread, 0)
        birth = self.births.get(thread)
        found = [EventName(thread, length - 1)] if length else []
        if birth is not None and (not length or birth not in self.prefix(found)):  # numbers may be used again
            found.append(birth)
        if op.kind == JOIN:
            joined = [name.thread for name in op.reads if isinstance(name, OwnObject)]
            found += [EventName(t, self.lengths[t] - 1) for t in joined if self.lengths.get(t)]
            found += [self.births[t] for t in joined if t in self.births and not self.lengths.get(t)]
        return tuple(found)
