"""Buchi automata whose edges carry conjunctions of literals, and reductions that keep the language.

Reference: Etessami and Holzmann, CONCUR 2000; Somenzi and Bloem, CAV 2000 (direct and reverse simulation, pruning);
Babiak, Kretinsky, Rehak, Strejcek, TACAS 2012 (acceptance of components).
Differs: one loop over small passes until nothing changes; acceptance where it does not matter is tried in three ways.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from ..core.model import Expr
from ..core.records import dataclass


class Cube(NamedTuple):
    """A conjunction of literals: the atoms that must hold, and those that must not, as bits."""

    positive: int = 0
    negative: int = 0

    def __and__(self, other: Cube) -> Cube | None:
        both = Cube(self.positive | other.positive, self.negative | other.negative)
        return None if both.positive & both.negative else both

    def implies(self, other: Cube) -> bool:
        return not (other.positive & ~self.positive or other.negative & ~self.negative)

    def holds(self, valuation: int) -> bool:
        return valuation & self.positive == self.positive and not valuation & self.negative


ANYTHING = Cube()
Edge: TypeAlias = tuple[Cube, int]  # label, target
Relation: TypeAlias = list[set[int]]  # for each state, the states that do all that it does


@dataclass(frozen=True)
class Buchi:
    """State 0 is the initial one.  A run is accepting if it visits accepting states for ever."""

    edges: tuple[tuple[Edge, ...], ...]
    accepting: frozenset[int]
    atoms: tuple[Expr, ...] = ()

    @property
    def size(self) -> int:
        return len(self.edges)

    @property
    def transitions(self) -> int:
        return sum(map(len, self.edges))

    @property
    def traps(self) -> frozenset[int]:
        """The accepting states that accept everything from now on: a finite run that reaches one is enough."""
        return frozenset(q for q in self.accepting if (ANYTHING, q) in self.edges[q])


# ------------------------------------------------------------------------------------------------ components


def components(successors: list[list[int]]) -> list[list[int]]:
    """Strongly connected components, each after those that it reaches (Tarjan 1972)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    found: list[list[int]] = []
    for root in range(len(successors)):
        if root in index:
            continue
        todo: list[tuple[int, Iterator[int]]] = []
        _enter(root, successors, index, low, stack, todo)
        while todo:
            state, rest = todo[-1]
            child = next(rest, None)
            if child is None:
                todo.pop()
                if todo:
                    low[todo[-1][0]] = min(low[todo[-1][0]], low[state])
                if low[state] == index[state]:
                    cut = stack.index(state)
                    found.append(stack[cut:])
                    for member in stack[cut:]:
                        low[member] = len(successors)  # finished
                    del stack[cut:]
            elif child not in index:
                _enter(child, successors, index, low, stack, todo)
            elif low[child] < len(successors):
                low[state] = min(low[state], index[child])
    return found


def _enter(
    state: int, successors: list[list[int]], index: dict[int, int], low: dict[int, int], stack: list[int],
    todo: list[tuple[int, Iterator[int]]],
) -> None:  # fmt: skip
    index[state] = low[state] = len(index)
    stack.append(state)
    todo.append((state, iter(successors[state])))


def _targets(a: Buchi) -> list[list[int]]:
    return [[t for _, t in edges] for edges in a.edges]


def _cyclic(a: Buchi) -> list[list[int]]:
    """The components that contain a cycle."""
    after = _targets(a)
    return [c for c in components(after) if len(c) > 1 or c[0] in after[c[0]]]


# ------------------------------------------------------------------------------------------------ passes


def _without_useless(a: Buchi) -> Buchi:
    """Only states that can be reached and from which something is accepted."""
    useful = {q for c in _cyclic(a) if a.accepting & set(c) for q in c}
    after = _targets(a)
    for component in components(after):  # those that are reached come first
        if any(t in useful for q in component for t in after[q]):
            useful |= set(component)
    seen, todo = {0}, [0]
    while todo:
        for t in after[todo.pop()]:
            if t in useful and t not in seen:
                seen.add(t)
                todo.append(t)
    return _restricted(a, [q for q in range(a.size) if q in seen], useful)


def _restricted(a: Buchi, kept: list[int], useful: set[int]) -> Buchi:
    number = {q: i for i, q in enumerate(kept)}
    edges = tuple(tuple((c, number[t]) for c, t in a.edges[q] if t in number and t in useful) for q in kept)
    return replace(a, edges=edges, accepting=frozenset(number[q] for q in a.accepting if q in number))


def _quotient(a: Buchi, leader: list[int]) -> Buchi:
    """Merge states with the same leader, who takes all their edges."""
    kept = [q for q in range(a.size) if leader[q] == q]
    edges: list[list[Edge]] = [[] for _ in range(a.size)]
    for q in range(a.size):
        for cube, t in a.edges[q]:
            if (cube, leader[t]) not in edges[leader[q]]:
                edges[leader[q]].append((cube, leader[t]))
    merged = replace(a, edges=tuple(map(tuple, edges)))
    return _restricted(merged, kept, set(kept))


def _leaders(size: int, above: Relation) -> list[int]:
    """The least state that each one is equivalent to; the initial state is its own."""
    return [next(p for p in range(size) if p in above[q] and q in above[p]) for q in range(size)]


def _refined(size: int, fits: Callable[[int, int, Relation], bool], above: Relation) -> Relation:
    """The greatest relation in which every pair fits."""
    changed = True
    while changed:
        changed = False
        for q in range(size):
            for p in list(above[q]):
                if p != q and not fits(q, p, above):
                    above[q].discard(p)
                    changed = True
    return above


def _simulation(a: Buchi) -> Relation:
    """Who can do what each state can, accepting at the same time."""
    above = [{p for p in range(a.size) if p in a.accepting or q not in a.accepting} for q in range(a.size)]

    def fits(q: int, p: int, above: Relation) -> bool:
        return all(any(c.implies(d) and u in above[t] for d, u in a.edges[p]) for c, t in a.edges[q])

    return _refined(a.size, fits, above)


def _reverse_simulation(a: Buchi) -> Relation:
    """Who can be reached in all the ways in which each state can be."""
    entering: list[list[Edge]] = [[] for _ in range(a.size)]
    for q in range(a.size):
        for cube, t in a.edges[q]:
            entering[t].append((cube, q))
    above = [
        {p for p in range(a.size) if (p in a.accepting or q not in a.accepting) and (q != 0 or p == 0)}
        for q in range(a.size)
    ]

    def fits(q: int, p: int, above: Relation) -> bool:
        return all(any(c.implies(d) and u in above[t] for d, u in entering[p]) for c, t in entering[q])

    return _refined(a.size, fits, above)


def _pruned(a: Buchi, above: Relation) -> Buchi:
    """Drop an edge if another one allows at least as much; of two that allow the same, the first stays."""

    def less(one: Edge, other: Edge) -> bool:
        return one[0].implies(other[0]) and other[1] in above[one[1]]

    def kept(edges: tuple[Edge, ...]) -> tuple[Edge, ...]:
        return tuple(
            e for i, e in enumerate(edges)
            if not any(less(e, o) and (j < i or not less(o, e)) for j, o in enumerate(edges) if j != i)
        )  # fmt: skip

    return replace(a, edges=tuple(map(kept, a.edges)))


def _pruned_backwards(a: Buchi, above: Relation) -> Buchi:
    """Drop an edge if its target is entered from a state that is reached in at least as many ways."""
    incoming: dict[int, list[tuple[Cube, int]]] = {}
    for q in range(a.size):
        for cube, t in a.edges[q]:
            incoming.setdefault(t, []).append((cube, q))
    gone: set[tuple[int, Cube, int]] = set()
    for t, entering in incoming.items():
        for i, (c, q) in enumerate(entering):
            for j, (d, p) in enumerate(entering):
                more = i != j and c.implies(d) and p in above[q]
                if more and not (d.implies(c) and q in above[p] and i < j):
                    gone.add((q, c, t))
                    break
    edges = tuple(tuple((c, t) for c, t in a.edges[q] if (q, c, t) not in gone) for q in range(a.size))
    return replace(a, edges=edges)


def _joined(a: Buchi) -> Buchi:
    """Two edges to one state that differ in one literal are one edge without it."""

    def join(edges: tuple[Edge, ...]) -> tuple[Edge, ...]:
        result = list(edges)
        i = 0
        while i < len(result):
            for j in range(i + 1, len(result)):
                if (whole := _union(result[i], result[j])) is not None:
                    result[i] = whole
                    del result[j]
                    i = -1
                    break
            i += 1
        return tuple(result)

    return replace(a, edges=tuple(map(join, a.edges)))


def _union(one: Edge, other: Edge) -> Edge | None:
    (a, b), (c, d) = one[0], other[0]
    if one[1] != other[1]:
        return None
    if one[0].implies(other[0]):
        return other
    if other[0].implies(one[0]):
        return one
    bit = a ^ c
    if bit.bit_count() == 1 and bit == b ^ d and (a | b) == (c | d):
        return Cube(a & c, b & d), one[1]
    return None


# ------------------------------------------------------------------------------------------------ acceptance


def _accepting_variants(a: Buchi) -> Iterator[Buchi]:
    """The same language with other accepting states: where every cycle accepts, and where there is no cycle."""
    inside = {q for c in _cyclic(a) for q in c}
    outside = set(range(a.size)) - inside
    full = set(a.accepting & inside)
    for component in _cyclic(a):
        members = set(component)
        rest = [[t for t in ts if t in members - a.accepting] if q in members - a.accepting else []
                for q, ts in enumerate(_targets(a))]  # fmt: skip
        if members & a.accepting and not any(len(c) > 1 or c[0] in rest[c[0]] for c in components(rest)):
            full |= members
    least = a.accepting & inside
    followers = {q for q in outside if a.edges[q] and all(t in full for _, t in a.edges[q])}
    for chosen in (least, full, full | outside, full | followers, least | outside):
        yield replace(a, accepting=frozenset(chosen))


# ------------------------------------------------------------------------------------------------ all together


def reduced(a: Buchi) -> Buchi:
    """The smallest automaton that the passes find."""
    best = _settled(a)
    improved = True
    while improved:
        improved = False
        for variant in _accepting_variants(best):
            other = _settled(variant)
            if _cost(other) < _cost(best):
                best, improved = other, True
    return _canonical_acceptance(best)


def _cost(a: Buchi) -> tuple[int, int]:
    return a.size, a.transitions


def _settled(a: Buchi) -> Buchi:
    """Apply all passes until nothing gets smaller."""
    a = _joined(_without_useless(a))
    while True:
        before = _cost(a)
        above = _simulation(a)
        a = _quotient(_pruned(a, above), _leaders(a.size, above))
        a = _joined(_without_useless(a))
        above = _reverse_simulation(a)
        a = _quotient(a, _leaders(a.size, above))
        a = _joined(_without_useless(_pruned_backwards(a, _reverse_simulation(a))))
        if _cost(a) == before:
            return a


def _canonical_acceptance(a: Buchi) -> Buchi:
    """Accept only where it matters, so that a search starts no cycle check for nothing."""
    inside = {q for c in _cyclic(a) for q in c}
    return replace(a, accepting=a.accepting & inside)
