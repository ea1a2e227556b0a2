"""How many executions tiny programs of atomic accesses have under a memory model: all graphs, by the axioms.

A script is what one thread does, letters in fives, as tests/data/programs/c/weak/steps.c says.  Who waits does so in
one step, with a value that lets it go on; or for ever, and then what is last in modification order does not let it.
A mutex is a variable m of its own: whoever takes it waits until it is 0 and sets 1, whoever gives it back sets 0.

Reference: Lahav, Vafeiadis, Kang, Hur, Dreyer, PLDI 2017 (RC11, with "program order and sources have no cycle");
Alglave, Maranget, Tautschnig, TOPLAS 2014 (x86-TSO); Shasha, Snir, TOPLAS 1988 (sequential consistency).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import groupby, permutations, product
from random import Random
from typing import Any

from .weak_oracle import ORDERS, SEQ_CST, Event, Execution, Pairs, acyclic

MOST_EVENTS = 7
FAILING = {0: 0, 2: 2, 3: 0, 4: 2, 5: 5}  # the order of a comparison that fails
PLACES, MUTEX = "xym", "m"
TAKE, GIVE = "Mm201", "Um310"
ALLOWED = {"W": "L", "C": "A", "K": "A"}  # whose orders these have


def random_program(random: Random, kinds: str, most: int = MOST_EVENTS) -> list[str]:
    """Two to four threads; some programs keep to one or two orders."""
    orders = random.choice(((5,), (0,), (0, 5), (2, 3, 4), (2, 3, 4, 5), (0, 2, 3, 4, 5)))
    lengths = [random.randint(1, 3) for _ in range(random.choice((2, 2, 3, 3, 4)))]
    if sum(lengths) > most:
        return random_program(random, kinds, most)
    return ["".join(random_step(random, kinds, orders) for _ in range(length)) for length in lengths]


def random_alike(random: Random, kinds: str) -> list[str]:
    """The same, and two or more threads do the same."""
    orders = random.choice(((5,), (0,), (0, 5), (2, 3, 4), (2, 3, 4, 5), (0, 2, 3, 4, 5)))
    copies, others = random.choice(((2, 0), (2, 1), (2, 1), (2, 2), (3, 0), (3, 1), (4, 0)))
    lengths = [random.randint(1, 3) for _ in range(others + 1)]
    codes = ["".join(random_step(random, kinds, orders) for _ in range(length)) for length in lengths]
    scripts = codes[:1] * copies + codes[1:]
    if sum(map(len, scripts)) > 5 * MOST_EVENTS:
        return random_alike(random, kinds)
    random.shuffle(scripts)
    return scripts


def random_sections(random: Random, kinds: str) -> list[str]:
    """The same, but smaller, with two or three pieces of it inside critical sections."""
    threads = [[script[i : i + 5] for i in range(0, len(script), 5)] for script in random_program(random, kinds, 5)]
    for steps in random.choices(threads, k=random.randint(2, 3)):
        free = [i for i in range(len(steps) + 1) if steps[:i].count(TAKE) == steps[:i].count(GIVE)]
        begin = random.choice(free)
        taken = steps.index(TAKE, begin) if TAKE in steps[begin:] else len(steps)
        steps[begin:begin] = [TAKE, *(steps.pop(begin) for _ in range(random.randint(0, taken - begin))), GIVE]
    return ["".join(steps) for steps in threads]


def random_step(random: Random, kinds: str, orders: tuple[int, ...]) -> str:
    kind = random.choice(kinds)
    allowed = [order for order in ORDERS[ALLOWED.get(kind, kind)] if order in orders] or [SEQ_CST]
    return f"{kind}{random.choice('xy')}{random.choice(allowed)}{random.randint(0, 2)}{random.randint(0, 2)}"


def count(scripts: Sequence[str], model: str) -> int:
    """The graphs that the model allows."""
    return sum(1 for _ in graphs(scripts, model))


def graphs(scripts: Sequence[str], model: str) -> Iterator[Execution]:
    return (execution for _, execution in ended_graphs(scripts, model))


def ended_graphs(scripts: Sequence[str], model: str) -> Iterator[tuple[Ending, Execution]]:
    allowed: dict[str, Callable[[Execution], bool]] = {"sc": Execution.is_interleaving, "tso": is_tso, "rc11": is_rc11}
    for ends in ways_to_end(scripts):
        yield from ((ends, e) for e in ends.executions() if e.is_atomic() and allowed[model](e))


def count_read(scripts: Sequence[str], model: str, commutes: bool = True) -> int:
    """The same, where only what is read tells graphs apart, but for variables whose order of writes shows.  Of a
    variable that is only added to and loaded, a load sees a set of additions, if they commute."""
    return classes_and_graphs(scripts, model, commutes)[0]


def classes_and_graphs(scripts: Sequence[str], model: str, commutes: bool = True) -> tuple[int, int]:
    """How many there are if only what is read tells them apart, and how many graphs."""
    classes = list(read_classes(scripts, model, commutes))
    return len(set(classes)), len(classes)


def count_ended(scripts: Sequence[str], model: str, commutes: bool = True) -> int:
    """How many graphs there are in which nobody waits for ever, of those that `count` or `count_read` counts."""
    if model != "sc":
        return sum(not ends.waiting for ends, _ in ended_graphs(scripts, model))
    return len({found for found in read_classes(scripts, model, commutes) if not found[1]})


def read_classes(scripts: Sequence[str], model: str, commutes: bool) -> Iterator[tuple[Hashable, ...]]:
    """Of each graph: its events, who waits for ever, what is read, and the orders of writes that show."""
    shown = {*ordered_places(scripts, model, commutes), MUTEX}
    for ends, e in ended_graphs(scripts, model):
        mo = frozenset((a, b) for a, b in e.mo if e.events[a].place in shown)
        yield tuple(e.events), tuple(ends.waiting), sources(e, shown), mo


def sources(e: Execution, shown: set[str]) -> frozenset[tuple[frozenset[int], int]]:
    """What each read sees; what an addition finds whose order does not show is seen by nobody."""
    counted = {event.place for event in e.events if event.kind == "A"} - shown
    found = set()
    for source, read in e.rf:
        place, kind = e.events[read].place, e.events[read].kind
        if place not in counted:
            found.add((frozenset({source}), read))
        elif kind != "A":
            found.add((frozenset(a for a in range(len(e.events)) if a == source or (a, source) in e.mo), read))
    return frozenset(found)


def may_learn(scripts: Sequence[str]) -> bool:
    """Could an addition learn something by its order that others do before, which then may not race, or not be weak?"""
    steps = [script[i : i + 5] for script in scripts for i in range(0, len(script), 5)]
    learns = any(step[0] == "F" or (step[0] == "A" and step[2] in "245") for step in steps)
    return learns and any(step[2] != str(SEQ_CST) for step in steps if step not in (TAKE, GIVE))


def ordered_places(scripts: Sequence[str], model: str, commutes: bool = True) -> set[str]:
    """The variables that anybody updates, compares, or waits for in vain, in some graph.  Additions alone show no
    order, unless somebody waits in vain for anything."""
    threads = [[script[i : i + 5] for i in range(0, len(script), 5)] for script in scripts]
    added = {step[1] for steps in threads for step in steps if step[0] == "A"}
    every = [(t, i, step) for t, steps in enumerate(threads) for i, step in enumerate(steps)]
    asked = [row for row in every if row[2][0] in "ACKW" or (row[2][0] == "S" and row[2][1] in added)]
    reached = [(t, i, step) for t, i, step in asked if is_reached(threads, t, i, model)]
    kinds = {place: {step[0] for *_, step in reached if step[1] == place} for place in PLACES}
    in_vain = {step[0] for t, i, step in reached if step[0] in "KW" and waits_in_vain(threads, t, i, model)}
    found = set()
    for place, ways in kinds.items():
        adds = "A" in ways and (in_vain or "S" in ways or not commutes)
        if ways & set("CK") or adds or ("W" in ways and ("A" in ways or "W" in in_vain)):
            found.add(place)
    return found


def is_reached(threads: list[list[str]], t: int, i: int, model: str) -> bool:
    """Does a thread come to a step in some graph?"""
    waits = any(step[0] in "WK" for steps in threads for step in steps)
    if not waits or not any(step[0] in "WKM" for step in threads[t][:i]):
        return True
    before = ["".join(steps[: i if steps is threads[t] else None]) for steps in threads]
    return any(sum(e.thread == t for e in g.events) == i for g in graphs(before, model))


def waits_in_vain(threads: list[list[str]], t: int, i: int, model: str) -> bool:
    """May a step that waits find something else?"""
    step = threads[t][i]
    before = ["".join(steps[: i if steps is threads[t] else None]) for steps in threads]
    looking = [*before[:t], before[t] + "L" + step[1:], *before[t + 1 :]]
    return bool(set(values_seen(looking, t, i, model)) - {int(step[3])})


def values_seen(scripts: Sequence[str], thread: int, nth: int, model: str) -> Iterator[int]:
    """What the nth step of a thread, which loads, may see."""
    for ends, e in ended_graphs(scripts, model):
        own = [number for number, event in enumerate(e.events) if event.thread == thread]
        if len(own) > nth:
            seen = {read: source for source, read in e.rf}
            yield ends.value(seen[own[nth]], seen)


def count_orbits(scripts: Sequence[str], model: str) -> tuple[int, int]:
    """The graphs that the model allows, and how many there are up to renaming of threads that do the same."""
    numbers = range(len(scripts))
    renamings = [p for p in permutations(numbers) if all(scripts[p[t]] == scripts[t] for t in numbers)]
    found = list(graphs(scripts, model))
    return len(found), len({min(renamed(execution, to) for to in renamings) for execution in found})


def renamed(execution: Execution, to: Sequence[int]) -> tuple[Any, ...]:
    """All that there is in a graph, if threads change their numbers."""
    names: list[tuple[int, int]] = []
    for event in execution.events:
        thread = -1 if event.thread < 0 else to[event.thread]
        names.append((thread, sum(name[0] == thread for name in names)))
    kinds = tuple(sorted((name, event.kind) for name, event in zip(names, execution.events, strict=True)))
    return (kinds, *(tuple(sorted((names[a], names[b]) for a, b in pairs)) for pairs in (execution.rf, execution.mo)))


# -------------------------------------------------------------------------------------------------- candidates


def ways_to_end(scripts: Sequence[str]) -> Iterator[Ending]:
    """Each thread goes to its end, or waits somewhere for ever; each comparison succeeds or not."""
    threads = [[script[i : i + 5] for i in range(0, len(script), 5)] for script in scripts]
    cuts = [[None, *(i for i, step in enumerate(steps) if step[0] in "WKM")] for steps in threads]
    for where in product(*cuts):
        done = [steps[:at] for steps, at in zip(threads, where, strict=True)]
        waiting = [steps[at] for steps, at in zip(threads, where, strict=True) if at is not None]
        comparing = sum(step[0] == "C" for steps in done for step in steps)
        for equal in product((False, True), repeat=comparing):
            yield Ending(done, waiting, list(equal))


class Ending:
    """What all threads do, up to what they see."""

    def __init__(self, threads: Sequence[Sequence[str]], waiting: Sequence[str], equal: list[bool]) -> None:
        self.waiting = waiting
        self.events = [Event("I", place, 0, -1) for place in PLACES]
        self.steps = ["I"] * len(PLACES)
        for number, steps in enumerate(threads):
            for step in steps:
                self.events.append(event_of(step, number, step[0] in "KMU" or (step[0] == "C" and equal.pop(0))))
                self.steps.append(step)

    def executions(self) -> Iterator[Execution]:
        writes = {p: [i for i, e in enumerate(self.events) if e.writes and e.place == p] for p in PLACES}
        reads = [i for i, e in enumerate(self.events) if e.reads]
        for sources in product(*([w for w in writes[self.events[r].place] if self.may_see(r, w)] for r in reads)):
            rf, seen = frozenset(zip(sources, reads, strict=True)), dict(zip(reads, sources, strict=True))
            if not acyclic(Execution(self.events, rf, frozenset()).sb | rf) or not self.fits(seen):
                continue
            for orders in product(*(self.orders(p, writes[p], seen) for p in PLACES)):
                chains = dict(zip(PLACES, orders, strict=True))
                if all(self.value(chains[step[1]][-1], seen) != int(step[3]) for step in self.waiting):
                    yield Execution(self.events, rf, ordered(list(chains.values())))

    def may_see(self, read: int, write: int) -> bool:
        """Whoever gives a mutex back is the one who has it; whoever takes it finds it given back."""
        kind = self.steps[read][0]
        if kind == "U":
            return write == read - 1 - next(i for i, s in enumerate(reversed(self.steps[:read])) if s == TAKE)
        return write != read and (kind != "M" or self.steps[write] != TAKE)

    def orders(self, place: str, writes: Sequence[int], seen: dict[int, int]) -> Iterator[tuple[int, ...]]:
        """Writes of one thread to one place are in order under every model.  What a mutex goes through is settled by
        who took it after whom; that it is atomic is seen to elsewhere."""
        if place != MUTEX:
            threads = [list(own) for _, own in groupby(writes[1:], lambda write: self.events[write].thread)]
            yield from ((writes[0], *order) for order in merged(threads))
            return
        after = {source: read for read, source in seen.items() if self.events[read].place == MUTEX}
        chain = [writes[0]]
        while chain[-1] in after:
            chain.append(after[chain[-1]])
        if len(chain) == len(writes):
            yield tuple(chain)

    def value(self, write: int, seen: dict[int, int]) -> int:
        step = self.steps[write]
        kind = step[0]
        if kind == "A":
            return self.value(seen[write], seen) + 1
        return 0 if kind == "I" else int(step[3 if kind == "S" else 4])

    def fits(self, seen: dict[int, int]) -> bool:
        """Do comparisons come out as was said, and do those go on who wait?"""
        for read, source in seen.items():
            step = self.steps[read]
            if step[0] in "CKWMU" and (self.value(source, seen) == int(step[3])) != (
                step[0] == "W" or self.events[read].kind == "A"
            ):
                return False
        return True


def merged(threads: Sequence[Sequence[int]]) -> Iterator[tuple[int, ...]]:
    """All orders that keep the order of each thread."""
    if not any(threads):
        yield ()
    for number, own in enumerate(threads):
        if own:
            others = [*threads[:number], own[1:], *threads[number + 1 :]]
            yield from ((own[0], *rest) for rest in merged(others))


def event_of(step: str, thread: int, writes: bool) -> Event:
    kind, place, order = step[0], step[1], int(step[2])
    if kind in "CKMU":
        return Event("A", place, order, thread) if writes else Event("L", place, FAILING[order], thread, True)
    return Event("L" if kind == "W" else kind, "" if kind == "F" else place, order, thread)


def ordered(chains: Sequence[Sequence[int]]) -> Pairs:
    return frozenset((c[i], c[j]) for c in chains for i in range(len(c)) for j in range(i + 1, len(c)))


# -------------------------------------------------------------------------------------------------- models


def is_rc11(e: Execution) -> bool:
    return acyclic(e.rf | e.mo | e.rb) and e.is_allowed()


def is_tso(e: Execution) -> bool:
    place = [event.place for event in e.events]
    local = frozenset((a, b) for a, b in e.sb if place[a] and place[a] == place[b])
    kept = frozenset((a, b) for a, b in e.sb if stays_in_order(e, a, b))
    external = frozenset((a, b) for a, b in e.rf if e.events[a].thread != e.events[b].thread)
    return acyclic(local | e.rf | e.mo | e.rb) and acyclic(kept | external | e.mo | e.rb)


def stays_in_order(e: Execution, a: int, b: int) -> bool:
    """All but a store before a load, unless one of them, or something between them, empties the buffer."""
    one, other = e.events[a], e.events[b]
    if "F" in (one.kind, other.kind):
        return False
    between = [e.events[c] for c in range(len(e.events)) if (a, c) in e.sb and (c, b) in e.sb]
    return one.kind != "S" or other.kind != "L" or any(empties(c) for c in (one, other, *between))


def empties(event: Event) -> bool:
    return event.kind == "A" or event.locked or (event.order == SEQ_CST and event.kind in "SF")
