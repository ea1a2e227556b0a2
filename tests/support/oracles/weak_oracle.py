"""What tiny programs of atomic accesses can show under C11: all executions, by their axioms.

A script is what one thread does, letters in threes: S store, L load, A add one, F fence; where; number of the order.

Reference: Lahav, Vafeiadis, Kang, Hur, Dreyer, PLDI 2017 (RC11: coherence, atomicity, and their condition for seq_cst).
Differs: reads out of thin air are not forbidden, so that load buffering is seen, as C++20 allows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from random import Random

RELAXED, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST = 0, 2, 3, 4, 5
ORDERS = {"S": (RELAXED, RELEASE, SEQ_CST), "L": (RELAXED, ACQUIRE, SEQ_CST),
          "A": (RELAXED, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST), "F": (ACQUIRE, RELEASE, ACQ_REL, SEQ_CST)}  # fmt: skip
Pairs = frozenset[tuple[int, int]]


@dataclass(frozen=True)
class Event:
    kind: str  # S L A F, or I: the initial value
    place: str
    order: int
    thread: int
    locked: bool = False  # a comparison that fails: on x86 it empties the store buffer all the same

    @property
    def reads(self) -> bool:
        return self.kind in "LA"

    @property
    def writes(self) -> bool:
        return self.kind in "SAI"

    @property
    def acquires(self) -> bool:
        return self.order in (ACQUIRE, ACQ_REL, SEQ_CST) and self.kind != "S"

    @property
    def releases(self) -> bool:
        return self.order in (RELEASE, ACQ_REL, SEQ_CST) and self.kind != "L"


def random_program(random: Random) -> list[str]:
    """Few threads, few accesses; some programs keep to one or two orders."""
    threads = random.choice((2, 2, 3))
    orders = random.choice(((5,), (0,), (0, 5), (2, 3, 4), (2, 3, 4, 5), (0, 2, 3, 4, 5)))
    lengths = [random.randint(2, 3) if threads == 2 else random.randint(1, 2) for _ in range(threads)]
    return ["".join(random_access(random, orders) for _ in range(length)) for length in lengths]


def random_access(random: Random, orders: tuple[int, ...]) -> str:
    kind = random.choice("SSSSLLLLAAF")
    allowed = [order for order in ORDERS[kind] if order in orders] or [SEQ_CST]
    return f"{kind}{random.choice('xy')}{random.choice(allowed)}"


def events_of(scripts: Sequence[str]) -> list[Event]:
    found = [Event("I", place, RELAXED, -1) for place in "xy"]
    for thread, script in enumerate(scripts):
        parts = [script[i : i + 3] for i in range(0, len(script), 3)]
        found += [Event(part[0], "" if part[0] == "F" else part[1], int(part[2]), thread) for part in parts]
    return found


# -------------------------------------------------------------------------------------------------- relations


def closed(pairs: Pairs) -> Pairs:
    found = set(pairs)
    while new := {(a, d) for a, b in found for c, d in found if b == c} - found:
        found |= new
    return frozenset(found)


def after(*relations: Pairs) -> Pairs:
    first, *rest = relations
    for relation in rest:
        first = frozenset((a, d) for a, b in first for c, d in relation if b == c)
    return first


def acyclic(pairs: Pairs) -> bool:
    return all(a != b for a, b in closed(pairs))


class Execution:
    """One choice of what reads read from, and of the order of the writes at each place."""

    def __init__(self, events: list[Event], rf: Pairs, mo: Pairs) -> None:
        self.events, self.rf, self.mo = events, rf, mo
        count = range(len(events))
        self.same = frozenset((a, a) for a in count)
        self.sb = frozenset((a, b) for a in count for b in count if a < b and self.in_order(a, b))
        self.rb = frozenset((r, b) for a, r in rf for c, b in mo if a == c and b != r)

    def in_order(self, a: int, b: int) -> bool:
        one, other = self.events[a].thread, self.events[b].thread
        return one == other != -1 or (one == -1 != other)

    def where(self, wanted: str) -> Pairs:
        return frozenset((i, i) for i, e in enumerate(self.events) if getattr(e, wanted))

    def kinds(self, kinds: str, order: int | None = None) -> Pairs:
        return frozenset((i, i) for i, e in enumerate(self.events)
                         if e.kind in kinds and (order is None or e.order == order))  # fmt: skip

    def is_interleaving(self) -> bool:
        return acyclic(self.sb | self.rf | self.mo | self.rb)

    def happens_before(self) -> Pairs:
        fences, writes, reads = self.kinds("F"), self.kinds("SA"), self.kinds("LA")
        rmw = frozenset((a, b) for a, b in self.rf if self.events[b].kind == "A")
        sequence = after(writes, self.same | closed(rmw))
        releases = after(self.where("releases"), self.same | after(fences, self.sb), sequence)
        acquires = after(reads, self.same | after(self.sb, fences), self.where("acquires"))
        return closed(self.sb | after(releases, self.rf, acquires))

    def is_atomic(self) -> bool:
        """Nothing comes between what an update reads and what it writes."""
        return not any((w, c) in self.mo and (c, u) in self.mo
                       for w, u in self.rf if self.events[u].kind == "A" for c in range(len(self.events)))  # fmt: skip

    def is_allowed(self) -> bool:
        if not self.is_atomic():
            return False
        hb, eco = self.happens_before(), closed(self.rf | self.mo | self.rb)
        if any(a == b for a, b in hb | after(hb, eco)):
            return False
        return acyclic(self.seq_cst(hb, eco))

    def seq_cst(self, hb: Pairs, eco: Pairs) -> Pairs:
        place = [e.place for e in self.events]
        apart = frozenset((a, b) for a, b in self.sb if place[a] != place[b] or not place[a])
        local = frozenset((a, b) for a, b in hb if place[a] and place[a] == place[b])
        between = self.sb | after(apart, hb, apart) | local | self.mo | self.rb
        accesses, fences = self.kinds("SLA", SEQ_CST), self.kinds("F", SEQ_CST)
        base = after(accesses | fences | after(fences, hb), between, accesses | fences | after(hb, fences))
        return base | after(fences, hb | after(hb, eco, hb), fences)

    def outcome(self) -> tuple[tuple[tuple[int, int], ...], tuple[int, ...]]:
        """Which write each read reads, and the last writes: as if each stored a value of its own."""
        writes = [i for i, e in enumerate(self.events) if e.writes]
        last = tuple(w for w in writes if all((w, other) not in self.mo for other in writes))
        return tuple(sorted(self.rf, key=lambda pair: pair[1])), last


def executions(scripts: Sequence[str]) -> Iterator[Execution]:
    events = events_of(scripts)
    writes = {p: [i for i, e in enumerate(events) if e.writes and e.place == p] for p in "xy"}
    reads = [i for i, e in enumerate(events) if e.reads]
    for sources in product(*([w for w in writes[events[r].place] if w != r] for r in reads)):
        rf = frozenset(zip(sources, reads, strict=True))
        if not acyclic(frozenset((a, b) for a, b in rf if events[b].kind == "A")):
            continue
        for x, y in product(*(permutations(writes[p][1:]) for p in "xy")):
            chains = [(writes["x"][0], *x), (writes["y"][0], *y)]
            mo = frozenset((c[i], c[j]) for c in chains for i in range(len(c)) for j in range(i + 1, len(c)))
            yield Execution(events, rf, mo)


def is_weak(scripts: Sequence[str]) -> bool:
    """Can the program show what no interleaving shows?"""
    allowed, interleaved = set(), set()
    for execution in executions(scripts):
        if execution.is_atomic() and execution.is_interleaving():
            interleaved.add(execution.outcome())
        elif execution.is_allowed():
            allowed.add(execution.outcome())
    return bool(allowed - interleaved)
