"""The facts about a model as a coloured graph, and colour refinement on it.

Reference: McKay and Piperno, Practical Graph Isomorphism II, 2014 (refinement, individualisation).
Differs: terms are shared, so the images of the movables decide everything; colours are numbers that
depend only on the structure, so two refinements can be compared without matching cells.  Who is told apart is news for
those beside it, and nobody else is looked at again: in a ring of a hundred, news travel along the ring once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property

from ....core.permutation import Permutation
from ...protocol import Name
from ..facts import Fact, Ref, Term

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

    def individualised(self, points: Iterable[int], base: Colours, first: int = 0) -> Colours:
        """The colours with a new one for each of the points; `first`: how many points have got such before."""
        colours = list(base)
        for tag, point in enumerate(points, first):
            colours[point] = hash((colours[point], 1_000_003 + tag))
        return colours

    # ---------------------------------------------------------------- automorphisms

    def matching(self, here: Colours, there: Colours) -> Permutation | None:
        """The movables with the same colour; where several have it, those that can stay do."""
        places: dict[int, list[int]] = {}
        for i in range(self.size):
            places.setdefault(there[i], []).append(i)
        images = [-1] * self.size
        for i in range(self.size):
            among = places.get(here[i], ())
            images[i] = among[0] if len(among) == 1 else i if here[i] == there[i] else -1
        free = {colour: iter([i for i in among if here[i] != colour]) for colour, among in places.items()}
        for i, image in enumerate(images):
            if image < 0:
                images[i] = next(free.get(here[i], iter(())), -1)
        return tuple(images) if len(set(images) - {-1}) == self.size else None

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

    # ---------------------------------------------------------------- what a permutation breaks

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
