"""Folding sets of states by exchanging processes.

Reference: Wang et al., section 6.2: `reduce_symmetry`, the order of significance of pointers.
Differs: neighbours are exchanged wherever they are in the wrong order, again and again, as in sorting; a layer is
folded once, not after each transition.  `gasr` has the paper's order: who is pointed to.  `bdd-sorted` has one that
tells more processes apart.  Each compares a few parts of the two processes, never whole states: that keeps the diagram
of "in the wrong order" small.  Both may go round in circles, where pointers do: then folding stops early.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, cycle
from typing import TypeAlias

from ...core.permutation import Permutation, compose
from ...symmetry.protocol import Rename
from .backend import Bdd, Bits
from .encoding.layout import Key
from .encoding.numbers import Number
from .encoding.world import Encoding
from .swaps import Swap, occupied, renamed

Fold: TypeAlias = tuple[int, ...]  # which exchanges were made, in order
Order: TypeAlias = tuple[Bdd, Bdd]  # where the first of two processes comes first, and where the second does
PATIENCE = 8  # exchanges for each pair of processes, before folding stops


class SymbolicFolding:
    """No folding at all."""

    def fold(self, states: Bdd) -> tuple[Bdd, Fold]:
        """The folded set, and how it was made."""
        return states, ()

    def unfold(self, states: Bdd, fold: Fold) -> Bdd:
        """All states that are folded into the set."""
        return states

    def follow(self, bits: Bits, fold: Fold) -> tuple[Bits, Permutation | None]:
        """What happens to one state."""
        return bits, None


class _Folding(SymbolicFolding):
    """Exchanges two processes where a comparison says so, pair after pair."""

    def __init__(self, encoding: Encoding, swaps: list[Swap]) -> None:
        self.encoding, self.manager, self.numbers = encoding, encoding.manager, encoding.numbers
        self.steps = [(s, r, ~r) for s in swaps if (r := self.reverse(s)) != self.manager.false]
        pairs = [set(s.pair) for s, _, _ in self.steps]
        self.beside = [[k for k, other in enumerate(pairs) if other & mine and other != mine] for mine in pairs]

    def reverse(self, swap: Swap) -> Bdd:
        """The states in which the two are in the wrong order: the first difference decides."""
        reverse = self.manager.false
        for before, after in reversed(list(self.orders(swap))):
            reverse = self.manager.ite(self.manager.xor(before, after), after, reverse)
        return reverse

    def orders(self, swap: Swap) -> Iterator[Order]:
        raise NotImplementedError

    def fold(self, states: Bdd) -> tuple[Bdd, Fold]:
        """Exchange neighbours that stand in the wrong order until none do; also which exchanges were made, in order."""
        made: list[int] = []
        dirty, most = set(range(len(self.steps))), PATIENCE * len(self.steps) ** 2
        sweeps = self.to_and_fro()
        while dirty and states != self.manager.false and len(made) < most:
            k = next(k for k in sweeps if k in dirty)
            dirty.discard(k)
            swap, reverse, right = self.steps[k]
            wrong = states & reverse
            if wrong != self.manager.false:
                self.encoding.tick()
                # SOUND: wherever this stops, each state was only ever replaced by another one of its orbit.
                states = (states & right) | self.manager.substitute(wrong, swap.substitution)
                made.append(k)
                dirty |= set(self.beside[k])
        return states, tuple(made)

    def to_and_fro(self) -> Iterator[int]:
        """The exchanges from the last to the first and back, again and again.

        States in which one of many has moved meet on the way: a process goes to its place by one sweep, whichever the
        direction, and each exchange takes all of those along that have come so far.
        """
        order = range(len(self.steps))
        return chain.from_iterable(cycle((order[::-1], order)))

    def unfold(self, states: Bdd, fold: Fold) -> Bdd:
        for k in reversed(fold):
            swap, reverse, right = self.steps[k]
            states = (states & right) | (self.manager.substitute(states, swap.substitution) & reverse)
        return states

    def follow(self, bits: Bits, fold: Fold) -> tuple[Bits, Permutation | None]:
        total: Permutation | None = None
        for k in fold:
            swap, reverse, _ = self.steps[k]
            if self.manager.evaluate(reverse, bits):
                bits = {**bits, **{b: self.manager.evaluate(f, bits) for b, f in swap.bits.items()}}
                points = swap.exchange.points
                total = points if total is None else compose(points, total)
        return bits, total

    # ---------------------------------------------------------------- what can be compared

    def named_by(self, swap: Swap, by_processes: bool) -> Iterator[Order]:
        """Whom the parts of the state that stay in place name: those of other processes, or all the rest."""
        for source, target, rename in swap.moves:
            if source == target and rename and self.is_of_process(source) == by_processes:
                yield self.equal(source, min(rename)), self.equal(source, max(rename))

    def is_of_process(self, key: Key) -> bool:
        return key[0] == "local" or (key[0] == "global" and self.encoding.layout.variables[key].size > 1)

    def equal(self, key: Key, value: int) -> Bdd:
        named = self.numbers.equal(self.encoding.now[key], self.numbers.constant(value))
        return named & occupied(self.encoding, key)

    def own(self, swap: Swap) -> list[tuple[Key, Key, Rename]]:
        """What belongs to the first of the two, and its counterpart."""
        first = {k: n for n, k in enumerate(self.encoding.layout.fields)}
        found = [m for m in swap.moves if m[0] != m[1] and self.is_first(swap, m[0], m[1])]
        return sorted(found, key=lambda m: first[m[0]])

    @staticmethod
    def is_first(swap: Swap, source: Key, target: Key) -> bool:
        if source[0] in ("at", "local"):
            return source[1] == swap.pair[0]
        return source < target


class _Sorted(_Folding):
    """Whom global pointers name; mode, plain values and pointers of the two; at last, whom other processes name."""

    def orders(self, swap: Swap) -> Iterator[Order]:
        """By what the two are compared, the most telling first: where they are, what they hold, whom they name."""
        yield from self.named_by(swap, by_processes=False)
        own = self.own(swap)
        for a, b, rename in own:
            if not rename or a[0] == "at":
                yield self.larger(renamed(self.encoding, self.encoding.now[a], rename), self.encoding.now[b])
        pointers = [m for m in own if m[2] and m[0][0] != "at"]
        for a, b, rename in pointers:
            if 0 not in rename:
                yield self.equal(a, 0), self.equal(b, 0)
        for a, b, rename in pointers:
            # To name one of the two is the same, whichever it is: so the comparison does not change with the exchange.
            one = {max(rename): min(rename)}
            yield self.larger(*(renamed(self.encoding, self.encoding.now[k], one) for k in (b, a)))
        yield from self.named_by(swap, by_processes=True)

    def larger(self, a: Number, b: Number) -> Order:
        return self.numbers.less(b, a), self.numbers.less(a, b)


class _Gasr(_Folding):
    """The paper's: who is pointed to by the most significant pointer comes first; ties are not broken."""

    def orders(self, swap: Swap) -> Iterator[Order]:
        """Global pointers in the order of their declaration, then the local ones."""
        yield from self.named_by(swap, by_processes=False)
        yield from self.named_by(swap, by_processes=True)
        for a, b, rename in self.own(swap):
            if rename and a[0] != "at":
                yield self.equal(a, max(rename)), self.equal(b, min(rename))


STRATEGIES: dict[str, type[_Folding]] = {"bdd-sorted": _Sorted, "gasr": _Gasr}
