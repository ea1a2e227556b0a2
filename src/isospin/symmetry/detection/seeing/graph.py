"""The facts about a model as a coloured graph, and colour refinement on it.

Reference: McKay and Piperno, Practical Graph Isomorphism II, 2014 (refinement, individualisation).
Differs: terms are shared, so the images of the movables decide everything; colours are numbers that
depend only on the structure, so two refinements can be compared without matching cells.  Who is told apart is news for
those beside it, and nobody else is looked at again: in a ring of a hundred, news travel along the ring once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from ....core.permutation import Permutation
from ...protocol import Name
from ..facts import Fact, Ref, Term
from .sparse import SparseGraph

Colours = list[int]


class FactGraph:
    """Vertices are the movables (the points before all others), then shared terms."""

    def __init__(self, facts: list[Fact], points: list[Name]) -> None:
        self.facts = facts
        self.movables: list[Name] = list(points)
        self.number = {name: i for i, name in enumerate(self.movables)}
        self.seen: dict[int, int] = {}  # terms that are parts of several facts, by identity
        self.collect(facts)
        self.size = len(self.movables)
        self.labels: dict[tuple[str | int | bool, ...], int] = {}
        self.nodes: list[tuple[int, tuple[int, ...], bool]] = []
        self.shared: dict[tuple[int, tuple[int, ...]], int] = {}
        self.roots = [self.add(fact.term) for fact in facts]
        self.seen.clear()
        self.top = set(self.roots)
        self.parents = self.find_parents()
        self.blocks = self.find_blocks()
        kinds = [self.kind(name) for name in self.movables]
        self.plain: Colours = kinds + [7 * label + 3 for label, _, _ in self.nodes]  # what a vertex is by itself
        self.sparse = SparseGraph(self)
        self.start = self.sparse.start

    def with_facts(self, more: list[Fact]) -> FactGraph:
        """The graph with more facts; its terms stand behind those of this one."""
        return FactGraph([*self.facts, *more], self.movables)

    def carried(self, colours: Colours, other: FactGraph) -> Colours:
        """The colours of another graph, to which facts were added to make this one."""
        return [*colours[:other.size], *self.start[other.size:self.size], *colours[other.size:],
                *self.start[self.size + len(other.nodes):]]  # fmt: skip

    def collect(self, facts: list[Fact]) -> None:
        """Find what the facts speak of, in the order in which it is named."""
        number, seen = self.number, set[int]()
        todo: list[Term] = [fact.term for fact in reversed(facts)]
        while todo:
            term = todo.pop()
            if isinstance(term, Ref):
                if term.name not in number:
                    number[term.name] = len(self.movables)
                    self.movables.append(term.name)
            elif id(term) not in seen:
                seen.add(id(term))
                todo += reversed(term.children)

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
        beside = self.sparse.beside
        for v in changed:
            colour = colours[v]
            for u, way in beside[v]:
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

    def look_up(self, old: Colours) -> Colours:
        """Terms from their parts, upwards."""
        up = list(old)
        for i, (_, children, unordered) in enumerate(self.nodes, self.size):
            seen = [up[c] for c in children]
            if unordered:
                seen.sort()
            up[i] = hash((up[i], *seen))
        return up

    def look_down(self, up: Colours) -> Colours:
        """Everything from where it occurs."""
        new = list(up)
        for v in range(len(up) - 1, -1, -1):
            new[v] = hash((up[v], *sorted([new[p] * 31 + position for p, position in self.parents[v]])))
        return new

    @staticmethod
    def renamed(colours: Colours, names: Mapping[int, Name]) -> tuple[Colours, list[int]]:
        """The colours with new ones where names tell vertices of one colour apart; and whose these are."""
        numbers = {name: i for i, name in enumerate(dict.fromkeys(names.values()))}
        sizes, named = Counter(colours), Counter(colours[i] for i in names)
        kinds = Counter(colour for colour, _ in {(colours[i], name) for i, name in names.items()})
        apart = [i for i in names if kinds[colours[i]] > 1 or named[colours[i]] < sizes[colours[i]]]
        colours = list(colours)
        for i in apart:
            colours[i] = hash((colours[i], 17, numbers[names[i]]))
        return colours, apart

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
        in_others = any(self.parents[root] for root in self.top)
        for depth in range(4):
            here, there = self.look_up(here), self.look_up(there)
            if in_others:  # a fact that is in no other term looks as different before as after
                here, there = self.look_down(here), self.look_down(there)
            mine, other = Counter(here[r] for r in self.top), Counter(there[r] for r in self.top)
            only = mine - other
            odd = [fact for fact, root in zip(self.facts, self.roots, strict=True) if here[root] in only]
            if odd:
                return depth, odd
            if not in_others:
                here, there = self.look_down(here), self.look_down(there)
        return 4, []
