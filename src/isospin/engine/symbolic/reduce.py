"""Folding sets of states by exchanging processes.

Reference: Wang et al., section 6.2: `reduce_symmetry`, `permute`, the order of significance of pointers.
Differs: `gasr` is the paper's: one pass after each transition, by which process is pointed to.  Its comparison goes
round in circles on a cycle of pointers, so it cannot be repeated until nothing changes.  `bdd-sorted` exchanges two
processes where that makes the state smaller as a number, which ends, and folds once for each layer.
An exchange is used only if it leaves the initial states, the violations and the transitions as they are: not by
their text, but by their diagrams (Lemma 1).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...symmetry.protocol import Exchange
from ...trace import Permutation
from .backend import Bdd, Bits, Substitution, disjunction
from .layout import CONTROL, DEAD, Key, Layout
from .numbers import Number
from .problem import Problem
from .steps import Change
from .world import Space


class Reduction:
    """No folding at all."""

    each = False  # is it done after each transition?

    def fold(self, states: Bdd) -> tuple[Bdd, int]:
        """The folded set, and in how many passes that was done."""
        return states, 0

    def unfold(self, states: Bdd, passes: int) -> Bdd:
        """All states that so many passes fold into the set."""
        return states

    def follow(self, bits: Bits, passes: int) -> tuple[Bits, Permutation | None]:
        """What happens to one state."""
        return bits, None


@dataclass(frozen=True)
class Swap:
    """An exchange, ready for diagrams: bits and what takes their place."""

    exchange: Exchange
    parts: dict[Key, Number]  # what each part of the state becomes
    targets: dict[Key, Key]  # where each part goes
    bits: dict[int, Bdd]
    substitution: Substitution


class Swaps:
    """Makes swaps of exchanges."""

    def __init__(self, space: Space, constant: dict[int, bool]) -> None:
        self.space, self.layout, self.numbers, self.manager = space, space.layout, space.numbers, space.manager
        self.constant = constant

    def swap(self, exchange: Exchange) -> Swap | None:
        """None if a part that never changes would have to."""
        parts: dict[Key, Number] = {}
        targets: dict[Key, Key] = {}
        bits: dict[int, Bdd] = {}
        for source, target, rename in moved(self.layout, exchange):
            value = self.renamed(self.space.now[source], rename)
            if target not in self.layout.fields:
                if value != self.space.now[target]:
                    return None
                continue
            parts[target], targets[source] = value, target
            for i, bit in enumerate(self.layout.fields[target].bits):
                new = self.numbers.bit(value, i)
                if bit in self.constant:
                    if new != (self.manager.true if self.constant[bit] else self.manager.false):
                        return None
                elif new != self.manager.variable(bit):
                    bits[bit] = new
        return Swap(exchange, parts, targets, bits, self.manager.substitution(bits))

    def renamed(self, value: Number, rename: dict[int, int]) -> Number:
        result = value
        for old, new in rename.items():
            result = self.numbers.choose(
                self.numbers.equal(value, self.numbers.constant(old)), self.numbers.constant(new), result
            )
        return result


def moved(layout: Layout, exchange: Exchange) -> Iterator[tuple[Key, Key, dict[int, int]]]:
    """Which part of the state goes where, and how its values change."""
    pids = exchange.points
    known = layout.fields.keys() | layout.constants.keys()
    if CONTROL in known:
        yield CONTROL, CONTROL, {p + 1: q + 1 for p, q in enumerate(pids[: len(layout.templates)]) if p != q}
    for pid, places in enumerate(layout.places):
        yield ("at", pid), ("at", pids[pid]), dict(renumbered(layout, exchange, pid, places))
    for slot, (target, rename) in enumerate(exchange.globals):
        if ("global", slot) in known:
            yield ("global", slot), ("global", target), rename
    for pid, frame in enumerate(exchange.locals):
        for slot, (target, rename) in enumerate(frame):
            yield ("local", pid, slot), ("local", pids[pid], target), rename
    for c, (target, fields) in enumerate(exchange.channels):
        if layout.queues[c].type.capacity:
            yield ("length", c), ("length", target), {}
        for position in range(layout.queues[c].type.capacity):
            for i, rename in enumerate(fields):
                yield ("message", c, position, i), ("message", target, position, i), rename


def renumbered(layout: Layout, exchange: Exchange, pid: int, places: list[int]) -> Iterator[tuple[int, int]]:
    there = layout.places[exchange.points[pid]]
    for i, location in enumerate(places):
        image = DEAD if location == DEAD else exchange.locations[pid].get(location, location)
        if image in there and there.index(image) != i:
            yield i, there.index(image)


# ------------------------------------------------------------------------------------------------ Lemma 1


class Lemma:
    """Is an exchange a symmetry of what is searched?  Asked of the diagrams, whatever the text looks like."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.space, self.manager = problem, problem.space, problem.manager
        goal = disjunction(self.manager, (e.condition for e in problem.events))
        self.valid = problem.valid
        self.part = {bit: key for key, part in self.space.layout.fields.items() for bit in part.bits}
        self.sets = [self.valid, problem.initial, goal & self.valid, problem.stored & self.valid]
        self.changes = {self.shape(c.guard, c.changes) for c in problem.changes}

    def kept(self, swap: Swap) -> bool:
        # SOUND: exactly the conditions of Lemma 1; what they do not allow is not used.
        if any(self.manager.substitute(s, swap.substitution) != s for s in self.sets):
            return False
        return all(self.image(c, swap) in self.changes for c in self.problem.changes)

    def shape(self, guard: Bdd, changes: dict[int, Bdd]) -> tuple[Bdd, frozenset[tuple[int, Bdd]]]:
        """The transition where it can be taken: bits without a meaning do not count."""
        where = guard & self.valid
        new = {(bit, f & where) for bit, f in changes.items()}
        return where, frozenset((bit, f) for bit, f in new if f != self.manager.variable(bit) & where)

    def image(self, t: Change, swap: Swap) -> tuple[Bdd, frozenset[tuple[int, Bdd]]]:
        """What the transition is when the two processes have changed places: swap, step, swap."""
        manager, fields = self.manager, self.space.layout.fields
        step = manager.substitution(t.changes)
        changes: dict[int, Bdd] = {}
        # What does not change stays as it is, and so does its image.
        for source in {self.part[bit] for bit in t.changes}:
            key = swap.targets[source]
            for i, bit in enumerate(fields[key].bits):
                if bit not in self.problem.constant:
                    after = manager.substitute(self.space.numbers.bit(swap.parts[key], i), step)
                    changes[bit] = manager.substitute(after, swap.substitution)
        return self.shape(manager.substitute(t.guard, swap.substitution), changes)


def usable(swaps: list[Swap], lemma: Lemma) -> list[Swap]:
    """The swaps that are symmetries.

    A swap within a family that is connected by proven ones is a product of them, and needs no proof of its own.
    """
    family: dict[int, int] = {}

    def find(p: int) -> int:
        while family.get(p, p) != p:
            p = family[p]
        return p

    for swap in sorted(swaps, key=lambda s: s.exchange.pair[1] - s.exchange.pair[0]):
        a, b = map(find, swap.exchange.pair)
        if a != b and lemma.kept(swap):
            family[b] = a
    return [s for s in swaps if find(s.exchange.pair[0]) == find(s.exchange.pair[1])]


# ------------------------------------------------------------------------------------------------ folding


class Folding(Reduction):
    """Exchanges two processes where a comparison says so, pair after pair."""

    def __init__(self, space: Space, swaps: list[Swap]) -> None:
        self.space, self.manager, self.numbers = space, space.manager, space.numbers
        self.steps = [(swap, r) for swap in swaps if (r := self.reverse(swap)) != self.manager.false]

    def reverse(self, swap: Swap) -> Bdd:
        """The states in which the two are in the wrong order."""
        raise NotImplementedError

    def once(self, states: Bdd) -> Bdd:
        for swap, reverse in self.steps:
            wrong = states & reverse
            if wrong != self.manager.false:
                states = (states & ~reverse) | self.manager.substitute(wrong, swap.substitution)
        return states

    def unfold(self, states: Bdd, passes: int) -> Bdd:
        for _ in range(passes):
            for swap, reverse in reversed(self.steps):
                states = (states & ~reverse) | (self.manager.substitute(states, swap.substitution) & reverse)
        return states

    def follow(self, bits: Bits, passes: int) -> tuple[Bits, Permutation | None]:
        total: Permutation | None = None
        for _ in range(passes):
            for swap, reverse in self.steps:
                if self.manager.evaluate(reverse, bits):
                    bits = {**bits, **{b: self.manager.evaluate(f, bits) for b, f in swap.bits.items()}}
                    points = swap.exchange.points
                    total = points if total is None else tuple(points[p] for p in total)
        return bits, total


class Sorted(Folding):
    """The state as a number, in the order of its bits: it gets smaller with each exchange."""

    def reverse(self, swap: Swap) -> Bdd:
        smaller = self.manager.false
        for bit, new in sorted(swap.bits.items(), reverse=True):
            old = self.manager.variable(bit)
            smaller = self.manager.ite(self.manager.xor(new, old), old, smaller)
        return smaller

    def __init__(self, space: Space, swaps: list[Swap]) -> None:
        super().__init__(space, swaps)
        self.unsorted = disjunction(self.manager, (reverse for _, reverse in self.steps))

    def fold(self, states: Bdd) -> tuple[Bdd, int]:
        passes, left = 0, states & self.unsorted
        done = states & ~self.unsorted
        while left != self.manager.false:
            # SOUND: an exchange makes the state smaller, so this ends; when it does, no exchange does so any more.
            after, passes = self.once(left), passes + 1
            done, left = done | (after & ~self.unsorted), after & self.unsorted
        return done, passes


class Gasr(Folding):
    """The paper's: who is pointed to by the most significant pointer comes first; ties are not broken."""

    each = True

    def fold(self, states: Bdd) -> tuple[Bdd, int]:
        return self.once(states), 1

    def reverse(self, swap: Swap) -> Bdd:
        """Global pointers in the order of their declaration, then the local ones."""
        reverse = self.manager.false
        for before, after in reversed(list(self.significance(swap))):
            reverse = self.manager.ite(self.manager.xor(before, after), after, reverse)
        return reverse

    def significance(self, swap: Swap) -> Iterator[tuple[Bdd, Bdd]]:
        """For each pointer: does it say that the first of the two comes first, and that the second does?"""
        exchange, layout, now = swap.exchange, self.space.layout, self.space.now

        def names(key: Key, value: int) -> Bdd:
            return self.numbers.equal(now[key], self.numbers.constant(value))

        for slot, (target, rename) in enumerate(exchange.globals):
            key: Key = ("global", slot)
            if rename and target == slot and key in layout.fields:
                yield names(key, min(rename)), names(key, max(rename))
        for a, b, rename in self.local_pointers(swap):
            yield names(a, max(rename)), names(b, min(rename))

    def local_pointers(self, swap: Swap) -> Iterator[tuple[Key, Key, dict[int, int]]]:
        """Pointers of the first and of the second process: locals, or elements of arrays with one for each process."""
        exchange, fields = swap.exchange, self.space.layout.fields
        i, j = exchange.pair
        for slot, (target, rename) in enumerate(exchange.globals):
            if rename and target > slot and ("global", slot) in fields:
                yield ("global", slot), ("global", target), rename
        for slot, (target, rename) in enumerate(exchange.locals[i]):
            if rename and ("local", i, slot) in fields and ("local", j, target) in fields:
                yield ("local", i, slot), ("local", j, target), rename


STRATEGIES: dict[str, type[Folding]] = {"bdd-sorted": Sorted, "gasr": Gasr}
