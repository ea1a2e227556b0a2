"""Pids as data where processes are started at run time: who is known, how they are renamed, and the canonical order.

Reference: `canon.py`: refine, individualise, compare the leaves.
Differs: the processes are those that are alive, and beside them the pids of ended ones that somebody still knows.  An
element of an array that is indexed by a pid belongs to that process, and is forgotten with it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ...core.model import Model
from ...core.permutation import Permutation
from ...semantics.state import State
from ..detection.pid_places import CHANNEL, FORGOTTEN, HOLDS, PidPlaces, PidVariable
from .own_channels import NOBODY, Own, OwnChannels

GONE = 255
MOST = 255  # pids are smaller


class _Held(NamedTuple):
    """A value in a state: to whom it belongs, and what it is."""

    label: tuple[int, ...]  # which place, but for the pids in it
    owners: tuple[int, ...]
    value: int
    holds: bool  # it is a pid, or that of the owner of a channel
    default: int  # what it would be if it belonged to nobody


class LiveNames:
    """What pids mean in the states of one model."""

    def __init__(self, model: Model, places: PidPlaces, base: int) -> None:
        self.model, self.places, self.base = model, places, base
        self.channels = OwnChannels(places, base)
        named = [{p.variable.base for p in variables} for variables in places.locals]
        # by template: the slots of a frame that say the same whatever the pids are
        self.plain = [
            [v.base + i for v in t.locals if v.base not in named[n] for i in range(v.size)]
            for n, t in enumerate(model.templates)
        ]

    # ---------------------------------------------------------------- what is in a state

    def held(self, state: State, but: Container[int] = ()) -> Iterator[_Held]:
        """All values that have to do with pids; `but`: not the variables and channels of these processes."""
        owners = self.channels.owners(state)
        for one, values in self.places_in(state, owners, but):
            own = self.channels.owner(one.value, owners) if values == CHANNEL else None
            if own is not None:
                one = one._replace(label=(*one.label, own.which), value=own.pid, holds=True, default=NOBODY - 1)
            yield one

    def places_in(self, state: State, owners: list[Own], but: Container[int]) -> Iterator[tuple[_Held, int]]:
        """The same, with numbers of channels as they are; and what the values are."""
        for place in self.places.globals:
            yield from _elements(place, state.values, (0, place.variable.base), ())
        for pid, process in enumerate(state.processes):
            for place in self.places.locals[process.template] if pid not in but else ():
                label = (1, place.variable.base, process.template)
                yield from _elements(place, process.frame, label, (pid,))
        for c, fields in enumerate(self.places.fields):
            if c < len(state.channels):
                yield from _messages(state.channels[c].messages, fields, (2, c), ())
        for c, own in enumerate(owners, self.channels.fixed):
            if own.pid not in but:
                fields = self.channels.fields(state, own)
                yield from _messages(state.channels[c].messages, fields, (3, own.which), (own.pid,))

    def knows_dead_channel(self, state: State, live: list[int], known: list[int]) -> bool:
        """Does somebody know a channel of a process that has ended?  `known`: pids of others that somebody knows."""
        owners, gone = self.channels.owners(state), self.ended(state, live)
        found = (
            self.channels.owner(one.value, owners)
            for one, values in self.places_in(state, owners, gone)
            if values == CHANNEL and not any(p in gone and p not in known for p in one.owners)
        )
        return any(own is not None and (own.pid == NOBODY or own.pid in gone) for own in found)

    def known_of_others(self, state: State, live: list[int]) -> list[int]:
        """The pids of others than live processes that somebody knows who is alive, or who is known himself."""
        alive, known, size = set(live), set[int](), -1
        held = [h for h in self.held(state, self.ended(state, live)) if h.holds and self.base <= h.value < MOST]
        while len(known) > size:
            size = len(known)
            for one in held:
                if all(p < self.base or p in alive or p in known for p in one.owners) and one.value not in alive:
                    known.add(one.value)
        return sorted(known)

    def left_over(self, state: State, live: list[int]) -> bool:
        """Is there something in an element of an array that belongs to no live process?"""
        alive = set(live)
        return any(
            one.value != one.default
            for one in self.held(state, self.ended(state, live))
            if any(p >= self.base and p not in alive for p in one.owners)
        )

    def ended(self, state: State, live: list[int]) -> set[int]:
        """Those whose variables nobody reads any more, also if somebody knows their pids."""
        return set(range(self.base, len(state.processes))) - set(live)

    # ---------------------------------------------------------------- renaming

    def renamed(self, state: State, images: Permutation, numbers: Mapping[int, int]) -> State:
        """The state, whose processes and channels are in place already, with new pids and numbers of channels in all
        data."""
        values = list(state.values)
        for place in self.places.globals:
            self.rename(place, values, state.values, images, numbers)
        processes = []
        for process in state.processes:
            frame = list(process.frame)
            for place in self.places.locals[process.template]:
                self.rename(place, frame, process.frame, images, numbers)
            processes.append(process._replace(frame=tuple(frame)))
        moved = state._replace(values=tuple(values), processes=tuple(processes))
        channels = list(state.channels)
        own = (self.channels.fields(moved, one) for one in self.channels.owners(moved))
        for c, fields in zip(range(len(channels)), (*self.places.fields, *own), strict=False):
            if any(fields):
                messages = (
                    tuple(self.value(v, values, images, numbers) for v, values in zip(m, fields, strict=True))
                    for m in channels[c].messages
                )
                channels[c] = channels[c]._replace(messages=tuple(messages))
        return moved._replace(channels=tuple(channels))

    def rename(
        self, place: PidVariable, new: list[int], old: Sequence[int], images: Permutation, numbers: Mapping[int, int]
    ) -> None:
        """One variable: its elements move, and its values are replaced."""
        base, size = place.variable.base, place.variable.size
        if any(place.by):
            for i in range(size):
                if any(p >= self.base for p in place.pids(i)):
                    new[base + i] = place.default
        for i in range(size):
            target = self.target(place, i, images)
            if target is not None:
                new[base + target] = self.value(old[base + i], place.values, images, numbers)

    def target(self, place: PidVariable, i: int, images: Permutation) -> int | None:
        """Where an element goes; None: it belongs to nobody any more."""
        indices = place.indices(i)
        for d, is_pid in enumerate(place.by):
            if is_pid and indices[d] >= self.base:
                image = images[indices[d]] if indices[d] < len(images) else GONE
                if image == GONE:
                    return None
                indices[d] = image
        return place.element(indices)

    def value(self, value: int, values: int, images: Permutation, numbers: Mapping[int, int]) -> int:
        if values == CHANNEL:
            return numbers.get(value, value)
        if values != HOLDS:
            return 0 if values == FORGOTTEN else value
        # a value that belongs to nobody any more is overwritten, or goes with a process that has ended
        return images[value] if 0 <= value < len(images) and images[value] != GONE else value

    # ---------------------------------------------------------------- the canonical order

    def canonical(self, state: State, live: int, known: int) -> list[int]:
        """How to order the live processes and the known pids of a state, which has them in this order from the first on
        that moves."""
        return _LiveOrder(self, state, live, known).best()


def _elements(
    place: PidVariable, values: Sequence[int], label: tuple[int, ...], owners: tuple[int, ...]
) -> Iterator[tuple[_Held, int]]:
    if place.values == FORGOTTEN:
        return
    for i in range(place.variable.size):
        value, pids = values[place.variable.base + i], (*owners, *place.pids(i))
        yield _Held((*label, *place.rest(i)), pids, value, place.values == HOLDS, place.default), place.values


def _messages(
    messages: Iterable[Sequence[int]], fields: Sequence[int], label: tuple[int, ...], owners: tuple[int, ...]
) -> Iterator[tuple[_Held, int]]:
    for m, message in enumerate(messages):
        for f, values in enumerate(fields):
            if values in (HOLDS, CHANNEL):
                yield _Held((*label, m, f), owners, message[f], values == HOLDS, 0), values


class _LiveOrder:
    """The search for the canonical order of the live processes of one state."""

    def __init__(self, names: LiveNames, state: State, live: int, known: int) -> None:
        self.names, self.state = names, state
        self.count, self.live = live + known, live
        # where the first of them is: behind records of ended ones, if there are such; then nobody is known
        self.first = len(state.processes) - live if live else names.base
        self.edges = self.find_edges()
        self.leaf: tuple[State, list[int]] | None = None

    def best(self) -> list[int]:
        if self.count < 2:
            return list(range(self.count))
        self.descend(self.refine([hash(self.begin(i)) for i in range(self.count)]))
        assert self.leaf is not None
        return self.leaf[1]

    def begin(self, i: int) -> tuple[object, ...]:
        """What a process is, without its pids."""
        if i >= self.live:
            return (1,)
        process = self.state.processes[self.first + i]
        plain = (process.frame[s] for s in self.names.plain[process.template])
        return (0, process.template, process.location, *plain, *self.plain_messages(self.first + i))

    def plain_messages(self, pid: int) -> Iterator[tuple[int, ...]]:
        """What is in the channels of a process, but for names."""
        channels = self.names.channels
        for c, own in enumerate(channels.owners(self.state), channels.fixed):
            if own.pid == pid:
                fields = channels.fields(self.state, own)
                for message in self.state.channels[c].messages:
                    yield (own.which, *(v for v, values in zip(message, fields, strict=True) if not values))

    def find_edges(self) -> list[tuple[int, tuple[int, ...]]]:
        """What is said of whom, as a label and places; who stays is part of the label."""
        found = []
        for label, owners, value, holds, default in self.names.held(self.state):
            about = [*owners, *([value] if holds else [])]
            moved = tuple(p - self.first for p in about if 0 <= p - self.first < self.count)
            if not moved or (value == default and len(moved) < len(about)):
                continue
            fixed = tuple(-1 if 0 <= p - self.first < self.count else p for p in about)
            found.append((hash((*label, *fixed, -1 if holds else value)), moved))
        return found

    def refine(self, colours: list[int]) -> list[int]:
        """Tell them apart by what is said of them, until nothing new is seen."""
        count = -1
        while count < self.count:
            seen: list[list[int]] = [[] for _ in colours]
            for label, about in self.edges:
                whole = hash((label, *(colours[p] for p in about)))
                for position, p in enumerate(about):
                    seen[p].append(hash((whole, position, tuple([q == p for q in about]))))
            colours = [hash((c, *sorted(s))) for c, s in zip(colours, seen, strict=True)]
            new = len(set(colours))
            if new == count:
                break
            count = new
        return colours

    def descend(self, colours: list[int]) -> None:
        """Decide who comes first among those that look alike."""
        # those that are alive come first, whatever their colours
        order = sorted(range(self.count), key=lambda i: (i >= self.live, colours[i], i))
        shared = next((colours[i] for i in order if colours.count(colours[i]) > 1), None)
        alike = [i for i in order if colours[i] == shared]
        if not alike:
            self.compare(order)
            return
        tried: list[int] = []
        for i in alike:
            if not any(self.are_twins(i, j) for j in tried):
                tried.append(i)
        for i in tried:
            below = list(colours)
            for n, j in enumerate(alike if len(tried) == 1 else [i]):  # the order of twins does not matter
                below[j] = hash((below[j], 99991 + n))
            self.descend(self.refine(below))

    def moved(self, order: list[int]) -> State:
        """The state with its processes and pids in another order."""
        state, first = self.state, self.first
        size = max(len(state.processes), first + self.count)
        images = list(range(size))
        for place, i in enumerate(order):
            images[first + i] = first + place
        processes = list(state.processes)
        processes[first : first + self.live] = [state.processes[first + i] for i in order[: self.live]]
        sources = [*range(self.names.base, first), *(first + i for i in order[: self.live])]
        channels, numbers = self.names.channels.carried(state, sources)
        placed = state._replace(processes=tuple(processes), channels=channels)
        return self.names.renamed(placed, tuple(images), numbers)

    def are_twins(self, i: int, j: int) -> bool:
        """Is the state the same if they change places?"""
        order = list(range(self.count))
        order[i], order[j] = j, i
        return self.moved(order) == self.state

    def compare(self, order: list[int]) -> None:
        state = self.moved(order)
        if self.leaf is None or state < self.leaf[0]:
            self.leaf = state, order
