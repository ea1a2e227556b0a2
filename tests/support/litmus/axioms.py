"""What a program can show under RC11: every execution graph is built, and judged by the axioms as they are written.

Reference: Lahav, Vafeiadis, Kang, Hur, Dreyer, Repairing Sequential Consistency in C/C++11 (PLDI 2017), Section 3.
Differs: it does not.  An update is a read and a write that `rmw` relates; a lock is an update that acquires and sees 0,
and giving it back is a store that releases.

Candidates are all ways in which each read sees any write that can be there before it, and all orders of writes; nothing
is left out but what is seen at once to be no graph.  A relation is a list of sets of events, and a set of events is a
number: bit i is event i.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple, TypeAlias

from tests.support.litmus.language import (
    ACQ_REL,
    ACQUIRE,
    PLAIN,
    RELAXED,
    RELEASE,
    SEQ_CST,
    Await,
    Code,
    Compare,
    Fence,
    If,
    Load,
    Lock,
    Program,
    Retry,
    State,
    Store,
    Success,
    Unlock,
    Update,
    final_state,
    updated,
    value_of,
)

ACQUIRES = (ACQUIRE, ACQ_REL, SEQ_CST)
RELEASES = (RELEASE, ACQ_REL, SEQ_CST)
Relation: TypeAlias = list[int]


class Event(NamedTuple):
    """A read, a write or a fence; `pairs`: a write that belongs to the read before it."""

    kind: str  # R W F
    place: str
    order: str
    value: int
    pairs: bool = False
    thread: int = -1  # -1: an initial value
    source: tuple[int, int] | None = None  # of a read: the thread and the number of the write that it sees


@dataclass
class Answer:
    """What RC11 allows."""

    states: Counter[State] = field(default_factory=Counter)  # with the number of consistent graphs of each
    reads: set[Any] = field(default_factory=set)  # graphs without the order of writes
    racy: bool = False  # two plain accesses that nothing orders, in some consistent graph

    @property
    def graphs(self) -> int:
        return sum(self.states.values())


def executions(program: Program, sequences: str = "rc11") -> Answer:
    """All consistent graphs.  `sequences`: what continues a release sequence, also later stores of its thread (rc11),
    or updates only (c20)."""
    answer = Answer()
    for threads in _candidates(program):
        events, sources = _flat(program, threads)
        for graph in _graphs(events, sources, sequences):
            memory = {place: events[order[-1]].value for place, order in graph.orders.items()}
            answer.states[final_state(program, [dict(thread.known) for thread in threads], memory)] += 1
            answer.reads.add(threads)
            answer.racy = answer.racy or graph.races()
    return answer


# -------------------------------------------------------------------------------------------------- threads


class _Thread(NamedTuple):
    """How far a thread is: what is left to do, what it knows, what it did."""

    code: Code
    known: tuple[tuple[str, int], ...] = ()
    events: tuple[Event, ...] = ()


Threads: TypeAlias = tuple[_Thread, ...]


def _candidates(program: Program) -> set[Threads]:
    """All ways in which threads can go to their ends if each read sees any write that is there.

    Without thin air a graph can be built event by event, so that each read sees a write that was made before.  Whatever
    does not read is done at once: that a write is there keeps nobody from anything.
    """
    initial = {
        place: (place, number, program.start(place)) for number, place in enumerate((*program.places, *program.locks))
    }
    begin = tuple(_advance(_Thread(code), number) for number, code in enumerate(program.threads))
    todo, known, ended = [begin], {begin}, set[Threads]()
    while todo:
        threads = todo.pop()
        if not any(thread.code for thread in threads):
            ended.add(threads)
        for number, thread in enumerate(threads):
            for after in _reads(thread, number, threads, initial):
                following = (*threads[:number], after, *threads[number + 1 :])
                if following not in known:
                    known.add(following)
                    todo.append(following)
    return ended


def _advance(thread: _Thread, number: int) -> _Thread:
    """Go on to the next read."""
    while thread.code:
        statement, rest, known = thread.code[0], thread.code[1:], dict(thread.known)
        match statement:
            case If(condition=condition, then=then, otherwise=otherwise):
                thread = thread._replace(code=(then if value_of(condition, known) else otherwise) + rest)
                continue
            case Retry():
                thread = thread._replace(code=statement.last_round + rest)
                continue
            case Fence(order=order):
                event = Event("F", "", order, 0, thread=number)
            case Store(place=place, value=value, order=order):
                event = Event("W", place, order, value_of(value, known), thread=number)
            case Unlock(place=place):
                event = Event("W", place, RELEASE, 0, thread=number)
            case _:
                return thread
        thread = thread._replace(code=rest, events=(*thread.events, event))
    return thread


def _reads(
    thread: _Thread, number: int, threads: Threads, initial: Mapping[str, tuple[str, int, int]]
) -> Iterator[_Thread]:
    """The thread after its next read, for each write that it can see."""
    if not thread.code:
        return
    statement: Any = thread.code[0]
    first = initial[statement.place]
    writes = [((-1, first[1]), first[2])]
    for t, other in enumerate(threads):
        writes += [
            ((t, i), e.value) for i, e in enumerate(other.events) if e.kind == "W" and e.place == statement.place
        ]
    for source, seen in writes:
        for events, new in _accesses(statement, dict(thread.known), seen):
            made = tuple(e._replace(thread=number, source=source if e.kind == "R" else None) for e in events)
            known = tuple(sorted((dict(thread.known) | new).items()))
            yield _advance(_Thread(thread.code[1:], known, thread.events + made), number)


def _accesses(statement: Any, known: dict[str, int], seen: int) -> Iterator[tuple[tuple[Event, ...], dict[str, int]]]:
    """The events of what reads, and what the thread knows by it."""
    match statement:
        case Lock(place=place):
            if seen == 0:
                yield (Event("R", place, ACQUIRE, 0), Event("W", place, RELAXED, 1, True)), {}
        case Load(register=register, place=place, order=order):
            yield (Event("R", place, order, seen),), {register: seen}
        case Await(register=register, place=place, value=value, order=order):
            if seen == value:
                yield (Event("R", place, order, seen),), {register: seen}
        case Success(place=place, expected=expected, desired=desired, order=order):
            if seen == value_of(expected, known):
                yield _update(place, order, seen, value_of(desired, known)), {}
        case Update(register=register, place=place, how=how, value=value, order=order):
            yield _update(place, order, seen, updated(how, seen, value_of(value, known))), {register: seen}
        case Compare(register=register, place=place, expected=expected) if seen == expected:
            wrote = value_of(statement.desired, known)
            yield _update(place, statement.order, seen, wrote), {register: 1, statement.seen: seen}
        case Compare(register=register, place=place, failing=failing):
            yield (Event("R", place, failing, seen),), {register: 0, statement.seen: seen}
        case _:
            raise NotImplementedError(statement)


def _update(place: str, order: str, seen: int, wrote: int) -> tuple[Event, ...]:
    reading = order if order in (ACQUIRE, SEQ_CST) else ACQUIRE if order == ACQ_REL else RELAXED
    writing = order if order in (RELEASE, SEQ_CST) else RELEASE if order == ACQ_REL else RELAXED
    return Event("R", place, reading, seen), Event("W", place, writing, wrote, True)


def _flat(program: Program, threads: Threads) -> tuple[list[Event], dict[int, int]]:
    """All events in one list, initial values first, and for each read the number of what it sees."""
    events = [Event("W", place, RELAXED, program.start(place)) for place in (*program.places, *program.locks)]
    numbers = {(-1, i): i for i in range(len(events))}
    for number, thread in enumerate(threads):
        numbers |= {(number, i): len(events) + i for i in range(len(thread.events))}
        events += thread.events
    return events, {i: numbers[e.source] for i, e in enumerate(events) if e.source is not None}


# -------------------------------------------------------------------------------------------------- relations


def _bits(events: int) -> Iterator[int]:
    while events:
        low = events & -events
        yield low.bit_length() - 1
        events ^= low


def _then(one: Relation, other: Relation) -> Relation:
    """one ; other"""
    found = []
    for row in one:
        reached = 0
        for b in _bits(row):
            reached |= other[b]
        found.append(reached)
    return found


def _either(*relations: Relation) -> Relation:
    found = list(relations[0])
    for relation in relations[1:]:
        found = [a | b for a, b in zip(found, relation, strict=True)]
    return found


def _within(first: int, relation: Relation, last: int) -> Relation:
    """[first] ; relation ; [last]"""
    return [row & last if first >> a & 1 else 0 for a, row in enumerate(relation)]


def _maybe(relation: Relation) -> Relation:
    return [row | 1 << a for a, row in enumerate(relation)]


def _closed(relation: Relation) -> Relation:
    """The transitive closure (Warshall)."""
    rows = list(relation)
    for k in range(len(rows)):
        through = rows[k]
        rows = [row | through if row >> k & 1 else row for row in rows]
    return rows


def _inverse(relation: Relation) -> Relation:
    found = [0] * len(relation)
    for a, row in enumerate(relation):
        for b in _bits(row):
            found[b] |= 1 << a
    return found


def _irreflexive(relation: Relation) -> bool:
    return not any(row >> a & 1 for a, row in enumerate(relation))


# -------------------------------------------------------------------------------------------------- graphs


class _Frame:
    """What a graph has before anybody says who reads from whom."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.events, n = events, len(events)
        self.reads = self.set("R")
        self.writes = self.set("W")
        self.fences = self.set("F")
        self.atomic = sum(1 << i for i, e in enumerate(events) if e.order != PLAIN)
        self.acquires = sum(1 << i for i, e in enumerate(events) if e.order in ACQUIRES)
        self.releases = sum(1 << i for i, e in enumerate(events) if e.order in RELEASES)
        self.sc = sum(1 << i for i, e in enumerate(events) if e.order == SEQ_CST)
        self.initial = sum(1 << i for i, e in enumerate(events) if e.thread < 0)
        self.same = [sum(1 << j for j, f in enumerate(events) if f.place == e.place and e.kind != "F") for e in events]
        self.po = [
            sum(1 << j for j in range(n) if (e.thread < 0 <= events[j].thread) or
                (j > i and 0 <= e.thread == events[j].thread))
            for i, e in enumerate(events)
        ]  # fmt: skip
        self.rmw = [1 << i + 1 if i + 1 < n and events[i + 1].pairs else 0 for i in range(n)]

    def set(self, kind: str) -> int:
        return sum(1 << i for i, e in enumerate(self.events) if e.kind == kind)

    def near(self, relation: Relation) -> Relation:
        """What relates accesses of one place."""
        return [row & same for row, same in zip(relation, self.same, strict=True)]

    def far(self, relation: Relation) -> Relation:
        return [row & ~same for row, same in zip(relation, self.same, strict=True)]


@dataclass
class _Graph:
    """A consistent one."""

    frame: _Frame
    sources: dict[int, int]  # of each read, the write that it sees
    orders: dict[str, tuple[int, ...]]  # of each place, its writes
    hb: Relation

    def races(self) -> bool:
        frame = self.frame
        for a, one in enumerate(frame.events):
            for b in range(a):
                other = frame.events[b]
                conflict = (
                    one.place == other.place and "W" in (one.kind, other.kind) and "F" not in (one.kind, other.kind)
                )
                plain = PLAIN in (one.order, other.order) and one.thread >= 0 <= other.thread
                if conflict and plain and not (self.hb[a] >> b & 1 or self.hb[b] >> a & 1):
                    return True
        return False


def _graphs(events: Sequence[Event], sources: dict[int, int], sequences: str) -> Iterator[_Graph]:
    """The consistent graphs in which reads see these writes."""
    frame = _Frame(events)
    writes = defaultdict(list)
    rf = [0] * len(events)
    for i, event in enumerate(events):
        if event.kind == "W":
            writes[event.place].append(i)
    for read, write in sources.items():
        rf[write] |= 1 << read
    hb = _happens_before(frame, rf, sequences)
    if not _irreflexive(_closed(_either(frame.po, rf))) or not _irreflexive(hb):
        return
    for orders in _orders(frame, rf, hb, writes):
        mo = [0] * len(events)
        for order in orders:
            for i, write in enumerate(order):
                mo[write] = sum(1 << later for later in order[i + 1 :])
        if _psc(frame, rf, mo, hb):
            yield _Graph(frame, sources, dict(zip(writes, orders, strict=True)), hb)


def _happens_before(frame: _Frame, rf: Relation, sequences: str) -> Relation:
    everything = (1 << len(rf)) - 1
    strong = frame.writes & frame.atomic
    later = _maybe(frame.near(frame.po) if sequences == "rc11" else [0] * len(rf))
    updates = _maybe(_closed(_then(rf, frame.rmw)))
    rs = _then(_within(frame.writes, later, strong), updates)
    after_fence = _maybe(_within(frame.fences, frame.po, everything))
    before_fence = _maybe(_within(everything, frame.po, frame.fences))
    seen = _within(everything, rf, frame.reads & frame.atomic)
    sw = _within(frame.releases, _then(_then(_then(after_fence, rs), seen), before_fence), frame.acquires)
    return _closed(_either(frame.po, sw))


def _from_reads(frame: _Frame, rf: Relation, mo: Relation) -> Relation:
    """rb: a write that is later than the one that a read sees."""
    found = _then(_inverse(rf), mo)
    return [row & ~(1 << a) for a, row in enumerate(found)]


def _orders(
    frame: _Frame, rf: Relation, hb: Relation, writes: Mapping[str, list[int]]
) -> Iterator[tuple[tuple[int, ...], ...]]:
    """All orders of the writes to each place that are coherent and keep updates in one piece."""
    sees = _inverse(rf)
    fitting = []
    for found in writes.values():
        possible = _extensions((), found, frame, sees, hb)
        fitting.append([order for order in possible if _coherent(frame, rf, hb, order)])
    yield from product(*fitting)


def _extensions(
    begun: tuple[int, ...], left: Sequence[int], frame: _Frame, sees: Relation, hb: Relation
) -> Iterator[tuple[int, ...]]:
    """Orders in which a write is behind all that happened before it, that of an update right behind what it sees."""
    if not left:
        yield begun
    for write in left:
        if any(hb[other] >> write & 1 for other in left):
            continue
        if frame.events[write].pairs and not (begun and sees[write - 1] >> begun[-1] & 1):
            continue
        yield from _extensions((*begun, write), [w for w in left if w != write], frame, sees, hb)


def _coherent(frame: _Frame, rf: Relation, hb: Relation, order: Sequence[int]) -> bool:
    mo = [0] * len(rf)
    for i, write in enumerate(order):
        mo[write] = sum(1 << later for later in order[i + 1 :])
    mine = frame.same[order[0]]
    rb = _within(mine, _from_reads(frame, rf, mo), mine)
    eco = _closed(_either(_within(mine, rf, mine), mo, rb))
    if not _irreflexive(_then(hb, _maybe(eco))):
        return False
    between = _then(rb, mo)
    return not any(row & between[a] for a, row in enumerate(frame.rmw))


def _psc(frame: _Frame, rf: Relation, mo: Relation, hb: Relation) -> bool:
    """Is the partial order of what is seq_cst one?"""
    if not frame.sc:
        return True
    everything = (1 << len(rf)) - 1
    rb = _from_reads(frame, rf, mo)
    far = frame.far(frame.po)
    scb = _either(frame.po, _then(_then(far, hb), far), frame.near(hb), mo, rb)
    fences = frame.sc & frame.fences
    identity = [1 << a for a in range(len(rf))]
    left = _either(_within(frame.sc, identity, everything), _within(fences, _maybe(hb), everything))
    right = _either(_within(everything, identity, frame.sc), _within(everything, _maybe(hb), fences))
    eco = _closed(_either(rf, mo, rb))
    psc_fences = _within(fences, _either(hb, _then(_then(hb, eco), hb)), fences)
    return _irreflexive(_closed(_either(_then(_then(left, scb), right), psc_fences)))
