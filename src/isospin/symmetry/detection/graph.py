"""The facts about a model as a coloured graph, and colour refinement on it.

Reference: McKay and Piperno, Practical Graph Isomorphism II, 2014 (refinement, individualisation).
Differs: terms are shared, so the images of the movables decide everything; colours are numbers that
depend only on the structure, so two refinements can be compared without matching cells.  Who is told apart is news for
those beside it, and nobody else is looked at again: in a ring of a hundred, news travel along the ring once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from ...core.permutation import Permutation
from ..protocol import Name
from .facts import Fact, Ref, Term

Colours = list[int]


class FactGraph:
    """Vertices are the movables (the points before all others), then shared terms."""

    def __init__(self, facts: list[Fact], points: list[Name]) -> None:
        self.facts = facts
        self.movables: list[Name] = list(points)
        self.number = {name: i for i, name in enumerate(self.movables)}
        self.seen: dict[int, int] = {}  # terms that are parts of several facts, by identity
        for fact in facts:
            self.collect(fact.term)
        self.size = len(self.movables)
        self.seen.clear()
        self.labels: dict[tuple[str | int | bool, ...], int] = {}
        self.nodes: list[tuple[int, tuple[int, ...], bool]] = []
        self.shared: dict[tuple[int, tuple[int, ...]], int] = {}
        self.roots = [self.add(fact.term) for fact in facts]
        self.seen.clear()
        self.top = set(self.roots)
        self.parents = self.find_parents()
        self.beside = self.find_beside()
        self.blocks = self.find_blocks()
        self.done: set[tuple[int, int]] = set()  # terms that change places already, as far as `exchange` knows
        kinds = [self.kind(name) for name in self.movables]
        self.start: Colours = kinds + [7 * label + 3 for label, _, _ in self.nodes]

    def collect(self, term: Term) -> None:
        if isinstance(term, Ref):
            if term.name not in self.number:
                self.number[term.name] = len(self.movables)
                self.movables.append(term.name)
        elif id(term) not in self.seen:
            self.seen[id(term)] = 0
            for child in term.children:
                self.collect(child)

    def add(self, term: Term) -> int:
        """The vertex of a term."""
        if isinstance(term, Ref):
            return self.number[term.name]
        known = self.seen.get(id(term))
        if known is not None:
            return known
        children = [self.add(child) for child in term.children]
        if term.unordered:
            children.sort()
        label = self.labels.setdefault((*term.label, "unordered") if term.unordered else term.label, len(self.labels))
        key = (label, tuple(children))
        if key not in self.shared:
            self.shared[key] = self.size + len(self.nodes)
            self.nodes.append((label, tuple(children), term.unordered))
        self.seen[id(term)] = self.shared[key]
        return self.shared[key]

    def find_blocks(self) -> dict[int, list[int]]:
        """The facts about each process, in the order in which they were written."""
        found: dict[int, list[int]] = {}
        for fact, root in zip(self.facts, self.roots, strict=True):
            term: Term = fact.term
            while not isinstance(term, Ref) and term.children:
                term = term.children[0]
            if isinstance(term, Ref) and term.name[0] in ("pid", "loc", "local"):
                found.setdefault(int(term.name[1]), []).append(root)
        return found

    def find_parents(self) -> list[list[tuple[int, int]]]:
        """For each vertex, the terms that it is in, and at which position (0 if that does not matter)."""
        parents: list[list[tuple[int, int]]] = [[] for _ in range(self.size + len(self.nodes))]
        for i, (_, children, unordered) in enumerate(self.nodes):
            for position, child in enumerate(children):
                parents[child].append((self.size + i, 0 if unordered else position + 1))
        return parents

    def find_beside(self) -> list[list[tuple[int, int]]]:
        """For each vertex, who looks at it (the terms that it is in, and its parts), and in which way."""
        beside: list[list[tuple[int, int]]] = [[] for _ in self.parents]
        ways = [(hash((position, 0)), hash((position, 1))) for position in range(2 + self.longest())]
        for child, parents in enumerate(self.parents):
            for parent, position in parents:
                up, down = ways[position]
                beside[child].append((parent, up))
                beside[parent].append((child, down))
        return beside

    def longest(self) -> int:
        return max((len(children) for _, children, _ in self.nodes), default=0)

    @staticmethod
    def kind(name: Name) -> int:
        kinds = ("pid", "loc", "global", "local", "chan", "class", "value", "scalar")
        return 1 + 7 * kinds.index(str(name[0]))

    # ---------------------------------------------------------------- refinement

    def refine(self, colours: Colours, split: Iterable[int] | None = None) -> Colours:
        """Tell apart what looks different, until nothing new is seen; `split`: the colours were stable, and these
        vertices got new ones.  Only who is beside such a vertex is looked at again."""
        colours, rounds = list(colours), 0
        sizes = Counter(colours)
        changed = list(range(len(colours)) if split is None else split)
        while changed:
            rounds += 1
            changed = self.tell_apart(colours, sizes, self.find_news(colours, changed), rounds)
        return colours

    def find_news(self, colours: Colours, changed: list[int]) -> dict[int, list[int]]:
        """By vertex: the new colours beside it, and where."""
        news: defaultdict[int, list[int]] = defaultdict(list)
        for v in changed:
            colour = colours[v]
            for u, way in self.beside[v]:
                news[u].append(colour ^ way)
        return news

    @staticmethod
    def tell_apart(colours: Colours, sizes: Counter[int], news: dict[int, list[int]], rounds: int) -> list[int]:
        """Vertices of one colour get new ones if the news tell them apart; which vertices those are."""
        cells: dict[int, dict[int, list[int]]] = {}
        for u, parts in news.items():
            parts.sort()
            cells.setdefault(colours[u], {}).setdefault(hash((colours[u], rounds, *parts)), []).append(u)
        changed: list[int] = []
        for old, parted in cells.items():
            if sum(map(len, parted.values())) == sizes[old]:  # nobody has no news
                # The most keep their colour, and are no news: who is beside them knows how many are gone (Hopcroft).
                del parted[max(parted, key=lambda new: (len(parted[new]), new))]
            for new, members in parted.items():
                for u in members:
                    colours[u] = new
                sizes[old] -= len(members)
                sizes[new] += len(members)
                changed += members
        return changed

    def round(self, old: Colours) -> Colours:
        """Terms from their parts, upwards; then everything from where it occurs."""
        up = list(old)
        for i, (_, children, unordered) in enumerate(self.nodes, self.size):
            seen = [up[c] for c in children]
            if unordered:
                seen.sort()
            up[i] = hash((up[i], *seen))
        new = list(up)
        for v in range(len(up) - 1, -1, -1):
            new[v] = hash((up[v], *sorted([new[p] * 31 + position for p, position in self.parents[v]])))
        return new

    def individualised(self, points: Iterable[int], base: Colours) -> Colours:
        colours = list(base)
        for tag, point in enumerate(points):
            colours[point] = hash((colours[point], 1_000_003 + tag))
        return colours

    # ---------------------------------------------------------------- automorphisms

    def matching(self, here: Colours, there: Colours) -> Permutation | None:
        """The movables with the same colour, if each colour occurs once."""
        target = {there[i]: i for i in range(self.size)}
        if len(target) < self.size:
            return None
        images = [target.get(here[i], -1) for i in range(self.size)]
        return None if -1 in images or len(set(images)) < self.size else tuple(images)

    def guess_exchange(self, a: int, b: int) -> Permutation | None:
        """Exchange two processes and whatever stands in the same places of what is written about them."""
        for is_alone in (True, False):  # what others say of the two is seldom needed, and much where all name all
            images = self.exchanged(a, b, is_alone)
            if images is not None:
                found = tuple(images.get(i, i) for i in range(self.size))
                if self.is_automorphism(found):
                    return found
        return None

    def exchanged(self, a: int, b: int, is_alone: bool = False) -> dict[int, int] | None:
        """What seems to change places if two processes do; None if they have different facts.  `is_alone`: only their
        own facts are looked at."""
        images = {a: b, b: a}
        if len(self.blocks.get(a, ())) != len(self.blocks.get(b, ())):
            return None
        self.done.clear()
        pairs = list(self.paired(a, b, is_alone))
        for is_clear in (True, False):  # what can be nothing else says what becomes of the rest
            for x, y, alone in pairs:
                known = len(images)
                if alone is is_clear and not self.exchange(x, y, images):
                    self.done.clear()
                    while len(images) > known:
                        images.popitem()
            if not self.spread(images):
                return None
        return images

    def paired(self, a: int, b: int, is_alone: bool) -> Iterator[tuple[int, int, bool]]:
        """Which facts seem to become which if two processes change places: those that name the same processes then, in
        the order in which they were written; all facts about the two, and what others say of them.  With each: is it
        the only one?"""
        images = {a: b, b: a}
        named = self.named_pids
        moved = {a: named[b], b: named[a]}
        for node in self.above([a, b]):
            moved[node] = self.pids_in(
                node, [moved[c] if c in moved else named[c] for c in self.nodes[node - self.size][1]]
            )
        theirs = () if is_alone else ((c, x) for x in moved if (c := self.owner_of.get(x, a)) not in images)
        taken: Counter[tuple[int, int]] = Counter()
        for c, x in (*((a, x) for x in self.blocks.get(a, ())), *theirs):
            key = (images.get(c, c), moved[x] if x in moved else named[x])
            alike = self.of_key.get(key, ())
            if len(alike) > taken[key]:
                yield x, alike[taken[key]], len(alike) == 1
                taken[key] += 1

    @cached_property
    def owner_of(self) -> dict[int, int]:
        """By fact: the process that it is about."""
        return {root: c for c, block in self.blocks.items() for root in block}

    @cached_property
    def of_key(self) -> dict[tuple[int, int], list[int]]:
        """By process and named processes: the facts, in their order."""
        found: dict[tuple[int, int], list[int]] = {}
        for c, block in self.blocks.items():
            for root in block:
                found.setdefault((c, self.named_pids[root]), []).append(root)
        return found

    @cached_property
    def named_pids(self) -> list[int]:
        """By vertex: what it says of which processes, whatever else is in it."""
        found = [-2 - i if name[0] == "pid" else self.kind(name) for i, name in enumerate(self.movables)]
        for node in range(self.size, self.size + len(self.nodes)):
            found.append(self.pids_in(node, [found[c] for c in self.nodes[node - self.size][1]]))
        return found

    def pids_in(self, node: int, parts: list[int]) -> int:
        """What a term says of processes, if its parts say this."""
        label, _, unordered = self.nodes[node - self.size]
        if unordered:
            parts.sort()
        return hash((label, *parts))

    def spread(self, images: dict[int, int]) -> bool:
        """Exchange what stands beside what is exchanged, where there is one place in which it stands."""
        done = set[int]()
        while todo := [x for x in images if x not in done]:
            for x in todo:
                done.add(x)
                mine, others = self.only_parents(x), self.only_parents(images[x])
                if not all(self.exchange(p, others[key], images) for key, p in mine.items() if key in others):
                    return False
        return True

    def only_parents(self, x: int) -> dict[tuple[int, int], int]:
        """The terms that it is in, by their kind and its position in them, if there is one of this kind."""
        found: dict[tuple[int, int], int] = {}
        seen: Counter[tuple[int, int]] = Counter()
        for parent, position in self.parents[x]:
            key = (self.nodes[parent - self.size][0], position)
            seen[key] += 1
            found[key] = parent
        return {key: parent for key, parent in found.items() if seen[key] == 1}

    def exchange(self, x: int, y: int, images: dict[int, int]) -> bool:
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
        if unordered:  # what is in both stays, or changes places with something else in both
            common = Counter(mine) & Counter(others)
            mine = tuple((Counter(mine) - common).elements())
            others = tuple((Counter(others) - common).elements())
        for c, d in zip(mine, others, strict=True):
            if (c != d or c in images) and not self.exchange(c, d, images):
                return False
        self.done.add((x, y))
        return True

    def is_automorphism(self, images: Sequence[int]) -> bool:
        """Does the map keep the set of facts?"""
        moved = {i: image for i, image in enumerate(images) if i != image}
        for node in self.above(moved):  # the others stay as they are
            label, children, unordered = self.nodes[node - self.size]
            parts = [moved.get(c, c) for c in children]
            if unordered:
                parts.sort()
            found = self.shared.get((label, tuple(parts)))
            if found is None or (node in self.top and found not in self.top):
                return False
            moved[node] = found
        return True

    def above(self, movables: Iterable[int]) -> list[int]:
        """The terms that some movables are in, parts before wholes."""
        found, todo = set[int](), list(movables)
        while todo:
            new = {p for p, _ in self.parents[todo.pop()]} - found
            found |= new
            todo += new
        return sorted(found)

    # ---------------------------------------------------------------- what a permutation breaks

    def broken_by_exchange(self, a: int, b: int) -> list[Fact]:
        """The facts that are none any more if two processes change places, with all that seems to belong to them."""
        moved = self.exchanged(a, b) or {}
        for node in self.above(list(moved)):
            label, children, unordered = self.nodes[node - self.size]
            parts = [moved.get(c, c) for c in children]
            if unordered:
                parts.sort()
            moved[node] = self.shared.get((label, tuple(parts)), -1)
        return [f for f, root in zip(self.facts, self.roots, strict=True) if moved.get(root, root) not in self.top]

    def broken(self, here: Colours, there: Colours) -> tuple[int, list[Fact]]:
        """The facts that hold for one colouring and not for the other, as simple ones as possible; and how simple."""
        for depth in range(4):
            here, there = self.round(here), self.round(there)
            mine, other = Counter(here[r] for r in self.top), Counter(there[r] for r in self.top)
            only = mine - other
            odd = [fact for fact, root in zip(self.facts, self.roots, strict=True) if here[root] in only]
            if odd:
                return depth, odd
        return 4, []
