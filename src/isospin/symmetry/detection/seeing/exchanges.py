"""What else changes places if two processes do: a guess, from what is written about both.

Reference: Darga, Sakallah and Markov, Faster Symmetry Discovery using Sparsity of Symmetries, 2008 (most generators
move few things).
Differs: nothing is refined.  What stands in the same places of the facts about both changes places with it, and so does
what stands beside that, where the colours leave one choice: of two philosophers in a hundred the guess looks at no
others.  A guess is used only if it keeps all facts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property

from ....core.permutation import Permutation
from ..facts import Fact
from .graph import Colours, FactGraph

Images = dict[int, int]


class Exchanges:
    """Guesses exchanges of two processes; `colours`: what has different ones is different.

    Without them, it says what seems to belong to the two where they can not be exchanged.
    """

    def __init__(self, graph: FactGraph, colours: Colours | None = None) -> None:
        self.graph, self.knows_colours = graph, colours is not None
        self.colours = graph.plain if colours is None else graph.sparse.complete(colours)
        self.size, self.nodes = graph.size, graph.nodes
        self.moved: dict[int, int] = {}  # what terms say of processes when the two have changed places
        self.alone: dict[int, dict[tuple[int, ...], int]] = {}  # what `known_parents` has found
        self.done: set[tuple[int, int]] = set()  # terms that change places already, as far as `exchange` knows

    def guess(self, a: int, b: int) -> Permutation | None:
        """Exchange two processes and whatever stands in the same places of what is written about them."""
        for is_alone in (True, False):  # what others say of the two is seldom needed, and much where all name all
            images = self.exchanged(a, b, is_alone)
            if images is not None:
                found = tuple(images.get(i, i) for i in range(self.size))
                if self.graph.is_automorphism(found):
                    return found
        return None

    def broken(self, a: int, b: int) -> list[Fact]:
        """The facts that are none any more if two processes change places, with all that seems to belong to them."""
        graph, moved = self.graph, self.exchanged(a, b) or {}
        for node in graph.above(list(moved)):
            label, children, unordered = self.nodes[node - self.size]
            parts = [moved.get(c, c) for c in children]
            if unordered:
                parts.sort()
            moved[node] = graph.shared.get((label, tuple(parts)), -1)
        return [f for f, root in zip(graph.facts, graph.roots, strict=True) if moved.get(root, root) not in graph.top]

    def exchanged(self, a: int, b: int, is_alone: bool = False) -> Images | None:
        """What seems to change places if two processes do; None if they have different facts.  `is_alone`: only their
        own facts are looked at."""
        images = {a: b, b: a}
        blocks = self.graph.blocks
        if len(blocks.get(a, ())) != len(blocks.get(b, ())):
            return None
        self.done.clear()
        pairs = list(self.paired(a, b, is_alone))
        for is_clear in (True, False):  # what can be nothing else says what becomes of the rest
            for x, y, alone in pairs:
                if alone is is_clear:
                    self.try_exchange(x, y, images)
            if not self.spread(images):
                return None
        return images

    def try_exchange(self, x: int, y: int, images: Images) -> None:
        """Let two vertices change places, and all in them, or nothing at all."""
        known = len(images)
        if not self.exchange(x, y, images):
            self.done.clear()
            while len(images) > known:
                images.popitem()

    def paired(self, a: int, b: int, is_alone: bool) -> Iterator[tuple[int, int, bool]]:
        """Which facts seem to become which if two processes change places: those that name the same processes then, in
        the order in which they were written; all facts about the two, and what others say of them.  With each: is it
        the only one?"""
        images = {a: b, b: a}
        named, blocks, moved = self.graph.named_pids, self.graph.blocks, self.renamed(a, b)
        theirs = () if is_alone else ((c, x) for x in moved if (c := self.owner_of.get(x, a)) not in images)
        taken: Counter[tuple[int, int, int]] = Counter()
        for c, x in (*((a, x) for x in blocks.get(a, ())), *theirs):
            key = (images.get(c, c), moved[x] if x in moved else named[x], self.colours[x])
            alike = self.of_key.get(key, ())
            if len(alike) > taken[key]:
                yield x, alike[taken[key]], len(alike) == 1
                taken[key] += 1

    def renamed(self, a: int, b: int) -> dict[int, int]:
        """What terms that name two processes say of processes if the two change places."""
        named = self.graph.named_pids
        self.moved = {a: named[b], b: named[a]}
        for node in self.graph.above([a, b]):
            parts = [self.moved.get(c, named[c]) for c in self.nodes[node - self.size][1]]
            self.moved[node] = self.graph.pids_in(node, parts)
        return self.moved

    @cached_property
    def owner_of(self) -> dict[int, int]:
        """By fact: the process that it is about."""
        return {root: c for c, block in self.graph.blocks.items() for root in block}

    @cached_property
    def of_key(self) -> dict[tuple[int, int, int], list[int]]:
        """By process, named processes and colour: the facts, in their order."""
        found: dict[tuple[int, int, int], list[int]] = {}
        for c, block in self.graph.blocks.items():
            for root in block:
                found.setdefault((c, self.graph.named_pids[root], self.colours[root]), []).append(root)
        return found

    def spread(self, images: Images) -> bool:
        """Exchange what stands beside what is exchanged, where there is one place in which it stands."""
        seen = set[int]()
        while todo := [(x, y) for x, y in (*images.items(), *self.exchanged_terms()) if x not in seen]:
            for x, y in todo:
                seen.add(x)
                mine, others = self.only_parents(x, self.moved), self.known_parents(y)
                if not all(self.exchange(p, others[key], images) for key, p in mine.items() if key in others):
                    return False
        return True

    def exchanged_terms(self) -> Iterable[tuple[int, int]]:
        """Whose neighbours are looked at, too: labels alone would lead too far."""
        return list(self.done) if self.knows_colours else ()

    def known_parents(self, x: int) -> dict[tuple[int, ...], int]:
        """The same when nobody has changed places."""
        if x not in self.alone:
            self.alone[x] = self.only_parents(x, {})
        return self.alone[x]

    def only_parents(self, x: int, moved: Images) -> dict[tuple[int, ...], int]:
        """The terms that it is in, by their colour and its position in them, if there is one of this colour; or else by
        which processes they name, too, the two that change places in the other's place (`moved`)."""
        found: dict[tuple[int, ...], int] = {}
        seen: Counter[tuple[int, ...]] = Counter()
        for parent, position in self.graph.parents[x]:
            key = (self.colours[parent], position)
            for one in (key, (*key, moved.get(parent, self.graph.named_pids[parent])))[: 1 + self.knows_colours]:
                seen[one] += 1
                found[one] = parent
        return {key: parent for key, parent in found.items() if seen[key] == 1}

    def exchange(self, x: int, y: int, images: Images) -> bool:
        """Let two vertices change places, and all in them."""
        if x == y:
            return images.get(x, x) == x
        if (x, y) in self.done:
            return True
        if x < self.size or y < self.size:
            return images.setdefault(x, y) == y and images.setdefault(y, x) == x
        (label, mine, unordered), (other, others, _) = self.nodes[x - self.size], self.nodes[y - self.size]
        if label != other or len(mine) != len(others):
            return False
        if unordered:
            mine, others = self.apart(mine, others)
        for c, d in zip(mine, others, strict=True):
            if (c != d or c in images) and not self.exchange(c, d, images):
                return False
        self.done.add((x, y))
        return True

    def apart(self, mine: Iterable[int], others: Iterable[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """What is in one of them only, like beside like: what is in both stays, or changes places with something else
        in both."""
        common = Counter(mine) & Counter(others)
        first, second = ((Counter(one) - common).elements() for one in (mine, others))
        return tuple(sorted(first, key=self.order)), tuple(sorted(second, key=self.order))

    def order(self, x: int) -> tuple[int, int]:
        return self.colours[x], x
