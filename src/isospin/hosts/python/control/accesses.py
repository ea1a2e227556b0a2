"""Accesses of threads to shared objects: which of them the scheduler is asked about, and which of them race.

An access becomes visible when it was seen to race (`share`): then the search starts again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from threading import get_ident
from typing import Any

from ....engines.stateless.protocol import Op
from .indices import IndexName
from .notes import OUTSIDE, BorderNotes
from .outcome import ExecutionOutcome
from .records import (
    WHOLE,
    AttributeSpace,
    Fiber,
    Named,
    ObjectRecord,
    SearchMemory,
    SharedPlace,
    Touched,
    part,
    place_text,
)
from .scheduler import FOREIGN, Scheduler

MOST_READS = 20_000  # that are remembered to see whether a loop waits for something
SEVERAL = -1


_OVER = Scheduler(SearchMemory(), ExecutionOutcome())  # of executions that are over
_OVER.alone, _OVER.dying = False, True


class Accesses:
    """The objects of one execution, and who accessed what of them."""

    __slots__ = (
        "_border", "_scheduler", "check_made", "check_order", "memory", "plain", "records", "shared", "shows_all",
        "spots", "wants_races", "watches_order",
    )  # fmt: skip

    def __init__(self, scheduler: Scheduler, border: BorderNotes, wants_races: bool) -> None:
        self._scheduler, self._border = scheduler, border
        self.memory = scheduler.memory
        self.shared = scheduler.memory.known.shared  # sites at which the scheduler is asked
        self.records: dict[int, ObjectRecord] = {id(OUTSIDE): ObjectRecord("outside", OUTSIDE)}
        self.plain: set[tuple[type, str]] = set()  # attributes that are found in the object itself
        self.spots: dict[tuple[int, Hashable], SharedPlace] = {}  # such attributes and variables, by object and name
        self.wants_races = wants_races
        self.shows_all = scheduler.memory.shows_all  # what several threads write is accessed by operations only
        self.check_order: Callable[[Any, bool], None] = lambda thing, write: None
        self.check_made: Callable[[Any], None] = lambda thing: None
        self.watches_order = False  # are symmetries looked for?

    def forget(self) -> None:
        """The execution is over."""
        self._scheduler = _OVER  # or they would keep each other
        self.records.clear()
        self.spots.clear()

    # ------------------------------------------------------------------------------------------------- places

    def record(self, thing: Any) -> ObjectRecord:
        """The record of an object; one without a name gets it from the thread that comes across it first."""
        found = self.records.get(id(thing))
        if found is None:
            found = self.records[id(thing)] = ObjectRecord(self.name(thing), thing)
            if self.watches_order and not self._scheduler.alone:
                self.check_made(thing)
        return found

    def name(self, thing: Any) -> Hashable:
        """By which name all executions know an object: its class, or who made it as its how many-th."""
        if isinstance(thing, type):
            return f"class {thing.__module__}.{thing.__qualname__}"
        if isinstance(thing, Named) and "_made" in vars(thing):
            return self.memory.name(thing._maker, thing._made)
        return self.new_name()

    def new_name(self) -> Hashable:
        me = self._scheduler.running
        if me.task is not None:
            me.task_made += 1
            return self.memory.name_in_task(me.task, me.task_made)
        me.made += 1
        return self.memory.names.get((me.tid, me.made)) or self.memory.name(me.tid, me.made)

    def access(self, record: ObjectRecord, key: Hashable, write: bool, site: int) -> None:
        """An access to an attribute or variable; a change of it may be anything."""
        if self._scheduler.alone:
            self._scheduler.running.effects += write
        else:
            place = self.place(record, key)
            self.reach(place, write, site, place.writing)

    def place(self, record: ObjectRecord, key: Hashable) -> SharedPlace:
        place = record.places.get(key)
        if place is None:
            place = record.places[key] = self.memory.place(record, key, not self.wants_races)
            if self.shows_all:
                self.know_ordered(record)
        return place

    def spot(self, thing: Any, key: Hashable) -> SharedPlace:
        """The place of an attribute that is in the object itself, or of a variable; looked up once."""
        place = self.spots[id(thing), key] = self.place(self.record(thing), key)
        return place

    def reach(self, place: SharedPlace, write: bool, site: int, changing: Op | None = None) -> None:
        """Ask the scheduler, if the place is known as shared here, and look for races.  What changes it is an
        assignment, if nothing else is said."""
        scheduler = self._scheduler
        me = scheduler.running
        who = me.who
        if scheduler.dying:
            return
        if site in self.shared:
            if scheduler.watching is not None:
                me.touched = (place.thing, place.key, write)
            if get_ident() != scheduler.system_thread:
                raise RuntimeError(FOREIGN)
            scheduler.pause(me, me.tid, (changing or place.storing) if write else place.reading)
            if place.hidden or self.wants_races:
                self.meet(place, write, site, me)
            elif place.owner != SEVERAL:  # two accesses that are both visible need no check: the search reorders them
                place.owner = who if place.owner is None or place.owner == who else SEVERAL
        else:
            place.hidden = True
            if place.owner is None:
                place.owner = who
            elif place.owner != who:
                place.owner = SEVERAL
                if place.written_in & ~me.known or (write and place.read_in & ~me.known):
                    self.compare(place, write, site, me)
        if write:  # as in `note`, but most accesses come here, and a call costs
            me.effects += 1
            if me.time > place.time:
                place.time = me.time
            place.writes[who, site] = period = me.period
            place.written_in |= 1 << period
            place.version += 1
            if place.hidden and place.name in self.memory.learnt.awaited:
                self.share(site)
        else:
            if place.time > me.time:
                me.time = place.time
            place.reads[who, site] = period = me.period
            place.read_in |= 1 << period
            if me.turns:
                self.reading(me, place)
        if place.hidden and self.shows_all:
            self.show(place)

    def meet(self, place: SharedPlace, write: bool, site: int, me: Fiber) -> None:
        """An access, perhaps by another thread than the last one."""
        if place.owner is None:
            place.owner = me.who
        elif place.owner != me.who:
            place.owner = SEVERAL
            self.compare(place, write, site, me)

    def note(self, place: SharedPlace, write: bool, site: int, me: Fiber) -> None:
        """Remember an access, and find those that nothing orders with it."""
        who = me.who
        if place.owner != who:
            self.meet(place, write, site, me)
        if site not in self.shared:
            place.hidden = True
        _stamp(place, write, me)
        if write:
            place.writes[who, site] = period = me.period
            place.written_in |= 1 << period
            place.version += 1
            if place.hidden and place.name in self.memory.learnt.awaited:
                self.share(site)
        else:
            place.reads[who, site] = period = me.period
            place.read_in |= 1 << period
            if me.turns:
                self.reading(me, place)
        if place.hidden and self.shows_all:
            self.show(place)

    def compare(self, place: SharedPlace, write: bool, site: int, me: Fiber) -> None:
        """The race check.  Two accesses that are both visible need none: the search reorders them anyway."""
        if not place.hidden and site in self.shared and not self.wants_races:
            return
        known, who = me.known, me.who
        if place.written_in & ~known:
            for (other, where), when in place.writes.items():
                if other != who and not known >> when & 1:
                    self.race(where, site, place, when)
        if write and place.read_in & ~known:
            for (other, where), when in place.reads.items():
                if other != who and not known >> when & 1:
                    self.race(where, site, place, when)

    def reading(self, me: Fiber, what: Any) -> None:
        """Note what a loop reads, and how new it was: `polling` asks whether a turn saw anything new."""
        if not me.turns:  # in no loop
            return
        me.read_log.append((what, what.version))
        if len(me.read_log) > MOST_READS:
            me.read_log.clear()
            me.turns.clear()

    def race(self, first: int, second: int, place: SharedPlace, when: int) -> None:
        """SOUND: an access that takes part in a race is visible from the next execution on; the search starts again."""
        pair = (first, second) if first <= second else (second, first)
        self.share(first)
        self.share(second)
        for site in pair:
            if site in self.memory.spread:
                self._border.run_as_one_step(self.memory.spread[site], site)
        scheduler = self._scheduler
        if scheduler.running.quiet >> when & 1 or not self.memory.guesses.isdisjoint(pair):
            return  # a package's lock orders them, or it is not known that both are accesses
        if pair not in self.memory.races:
            self.memory.races[pair] = place_text(place)
        scheduler.outcome.race(first, second, place, scheduler.running, scheduler.is_repeating)

    def spread(self, what: str, site: int) -> None:
        """SOUND: a call takes more than one step.  That does not matter as long as nobody else touches what it does."""
        if site in self.shared:
            self._border.run_as_one_step(what, site)
        self.memory.spread.setdefault(site, what)

    def is_shared(self, record: ObjectRecord) -> bool:
        """Have two threads reached this object?"""
        owners = {place.owner for place in record.places.values()} - {None}
        return SEVERAL in owners or len(owners) > 1

    def share(self, site: int) -> None:
        """From the next execution on, accesses at this site are visible."""
        if site not in self.shared:
            self.memory.learnt.shared.add(site)
            self.memory.learn()

    def show(self, place: SharedPlace) -> None:
        """SOUND: if several threads write a place at sites where the scheduler is asked, a search may leave their order
        open.  Who comes behind all of them, and is hidden since nothing races there, sees which one was last; and what
        is written there, between what others do, has its place among them.  So all of it has to be seen."""
        if len({who for who, site in place.writes if site in self.shared}) > 1:
            for _, site in (*place.reads, *place.writes):
                self.share(site)

    def know_ordered(self, record: ObjectRecord) -> None:
        """SOUND: who looks at an object as a whole sees all that is in it at a time: assignments keep their order."""
        if record.name in self.memory.learnt.ordered and record.name not in self.memory.known.ordered:
            if record.name in self.memory.learnt.item_keys or any(not _is_item(key) for key in record.places):
                self.memory.learn()

    # ------------------------------------------------------------------------------------------------- containers

    def access_item(self, record: ObjectRecord, key: Hashable, write: bool, site: int, assigns: bool = False) -> None:
        """An access to an item; `assigns`: what was there does not matter."""
        me = self._scheduler.running
        if write:
            me.effects += 1
        if self._scheduler.alone or self._scheduler.dying:
            return
        if type(record) is AttributeSpace:
            self.access_all([(record, key, write)], site)
            return
        place, whole = self.place(record, key), self.place(record, WHOLE)
        if site in self.shared:
            self.know_key(record, key)
            me.touched = (record.thing, key, write)
            self._scheduler.visit(self.item_op(record.name, place, whole, write, assigns))
        self.note(place, write, site, me)
        self.compare(whole, write, site, me)
        if not write:
            _stamp(whole, False, me)
            self.reading(me, whole)

    def access_whole(self, record: ObjectRecord, write: bool, site: int) -> None:
        me = self._scheduler.running
        if write:
            me.effects += 1
        if self._scheduler.alone or self._scheduler.dying:
            return
        if type(record) is AttributeSpace:
            self.access_all([(record, WHOLE, write)], site)
            return
        whole = self.place(record, WHOLE)
        if site in self.shared:
            if not write:
                self.know_whole(record.name)
            self._scheduler.visit(self.whole_op(record.name, whole, write))
        self.note_whole(record, whole, write, site)

    def note_whole(self, record: ObjectRecord, whole: SharedPlace, write: bool, site: int) -> None:
        me = self._scheduler.running
        if self.shows_all:
            self.memory.learnt.ordered.add(record.name)
            self.know_ordered(record)
        self.note(whole, write, site, me)
        for key, place in record.places.items():
            if key is not WHOLE:
                self.compare(place, write, site, me)
                if not write:
                    _stamp(place, False, me)
                    self.reading(me, place)

    def access_all(self, touched: Sequence[Touched], site: int) -> None:
        """A step that touches several objects; those with True are changed.

        SOUND: it has one effect, so it is one operation.  With one for each object, others could come in between,
        and executions that end differently would count as the same.
        """
        me = self._scheduler.running
        me.effects += any(write for _, _, write in touched)
        if self._scheduler.alone or self._scheduler.dying or not touched:
            return
        if any(type(record) is AttributeSpace for record, _, _ in touched):
            touched = [part for entry in touched for part in _spread_out(*entry)]
        if site in self.shared:
            for record, key, write in touched:
                if key is WHOLE and not write:
                    self.know_whole(record.name)
            self._scheduler.visit(self.joint_op(touched))
        for record, key, write in touched:
            if key is WHOLE:
                if self.watches_order:
                    self.check_order(record.thing, write)
                self.note_whole(record, self.place(record, WHOLE), write, site)
            else:
                self.note(self.place(record, key), write, site, me)

    def know_key(self, record: ObjectRecord, key: Hashable) -> None:
        """SOUND: an operation on a whole container names all items; one that it did not name starts all again."""
        name, known, learnt = record.name, self.memory.known, self.memory.learnt
        if isinstance(key, tuple) and isinstance(key[1], IndexName) and key not in known.item_keys.get(name, ()):
            family = key[1].family  # what is named with one item of a family is named with all
            others = {("item", IndexName(family, value)) for value in known.indices.domain(family)}
            learnt.item_keys.setdefault(name, set()).update(others)
        if key not in known.item_keys.get(name, ()):
            learnt.item_keys.setdefault(name, set()).add(key)
            if name in learnt.whole:
                self.memory.learn()
            self.know_resized(name)
            if self.shows_all:
                self.know_ordered(record)

    def know_resized(self, name: Hashable) -> None:
        """SOUND: an operation on an item names the container as soon as an operation changes that as a whole."""
        known, learnt = self.memory.known, self.memory.learnt
        if name in learnt.resized and name not in known.resized and name in learnt.item_keys:
            self.memory.learn()

    def know_whole(self, name: Hashable) -> None:
        """Somebody touches the container as a whole, so all its items have to be known."""
        known, learnt = self.memory.known, self.memory.learnt
        learnt.whole.add(name)
        if known.item_keys.get(name, set()) != learnt.item_keys.get(name, set()):
            self.memory.learn()

    def item_op(self, name: Hashable, place: SharedPlace, whole: SharedPlace, write: bool, assigns: bool) -> Op:
        if name not in self.memory.known.resized:
            return (place.storing if assigns else place.writing) if write else place.reading

        def make() -> Op:
            if write:
                return Op("write", reads=frozenset([whole.name]), writes=frozenset([place.name]))
            return Op("read", reads=frozenset([whole.name, place.name]))

        return self.memory.op((place.name, write, "item"), make)

    def whole_op(self, name: Hashable, whole: SharedPlace, write: bool) -> Op:
        def make() -> Op:
            if write:
                self.memory.learnt.resized.add(name)
                self.know_resized(name)
                return Op("write", writes=frozenset([whole.name]))
            keys = self.memory.known.item_keys.get(name, ())
            return Op("read", reads=frozenset([whole.name, *(part(name, key) for key in keys)]))

        return self.memory.op((name, WHOLE, write), make)

    def joint_op(self, touched: Sequence[Touched]) -> Op:
        def make() -> Op:
            ops = [self.part_op(*part) for part in touched]
            writes = frozenset[Hashable]().union(*(op.writes for op in ops))
            return Op("write" if writes else "read", frozenset().union(*(op.reads for op in ops)) - writes, writes)

        if len(touched) == 1:
            return self.part_op(*touched[0])
        return self.memory.op((*((r.name, key, write) for r, key, write in touched), "joint"), make)

    def part_op(self, record: ObjectRecord, key: Hashable, write: bool) -> Op:
        """The operation on an item or attribute, or on all of a container."""
        place = self.place(record, key)
        return self.whole_op(record.name, place, write) if key is WHOLE else place.writing if write else place.reading


def _spread_out(record: ObjectRecord, key: Hashable, write: bool) -> Sequence[Touched]:
    """Accesses to a dictionary of attributes as those to the attributes."""
    return record.parts(key, write) if type(record) is AttributeSpace and _is_item(key) else [(record, key, write)]


def _is_item(key: Hashable) -> bool:
    return key is WHOLE or isinstance(key, tuple)


def _stamp(place: SharedPlace, write: bool, me: Fiber) -> None:
    """Who reads what another thread wrote is not earlier than that."""
    if write:
        place.time = max(place.time, me.time)
    else:
        me.time = max(me.time, place.time)
