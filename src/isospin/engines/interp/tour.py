"""Ways through a component of a product: to a node, round a cycle, round a cycle that is fair to every process.

Reference: docs/develop/traps.md, "Liveness"; Emerson and Sistla 1997 (threads through an annotated quotient).
Differs: the way is made piece by piece, for one process after the other that was not served yet.

A worked example, that of `graph.py`: may a fair run stay between 10 and 11, so that some bit is always set?  A thread
follows a process through the permutations.  The pairs (state, process) are united along the edges between the two
states:

    10 -> 11, 1 moves:              (10, 0) with (11, 0), (10, 1) with (11, 1)
    11 -> 10, 1 moves:              (11, 0) with (10, 0), (11, 1) with (10, 1)
    11 -> 10, 0 moves, exchanged:   (11, 0) with (10, 1), (11, 1) with (10, 0)

All four are one thread, and it is served, since its process moves somewhere.  So there is a fair run: it turns 1 on,
then 0 off, which by exchange is 1 again, and so on.  Without the last edge there would be two threads.  Then (10, 0)
and (11, 0) would never be served: a process that can always move and never does.  A counter that is mapped
by the permutations, as in dSPIN, misses such runs (docs/develop/traps.md).

>>> threads("10", "11")
1 thread, served: fair
>>> threads("10", "11", without="exchanged")
2 threads, 1 of them not served: not fair
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, Protocol, TypeVar

from ...core.errors import InternalError
from ...core.partition import Partition
from .graph import Arc

T = TypeVar("T")


class TourEdge(NamedTuple):
    """An edge of a product."""

    target: int
    arc: Arc | None  # None: only the watcher moves, since the run has ended

    def image(self, pid: int) -> int:
        return pid if self.arc is None else self.arc.image(pid)

    def moves(self, pid: int) -> bool:
        return self.arc is not None and pid in self.arc.movers


class _TourGraph(Protocol):
    """What a tour asks of the product that it goes through."""

    edges: list[list[TourEdge]]

    def disabled(self, node: int, pid: int) -> bool: ...

    def processes(self, node: int) -> int: ...


def _shortest(
    starts: Iterable[T],
    after: Callable[[T], Iterator[tuple[TourEdge, T]]],
    wanted: Callable[[T, TourEdge | None], bool],
    inside: bool = False,
) -> list[TourEdge] | None:
    """The shortest way from a start to what is wanted; `inside`: with at least one edge."""
    came: dict[T, tuple[T, TourEdge] | None] = dict.fromkeys(starts)
    if not inside:
        for start in came:
            if wanted(start, None):
                return []
    layer = list(came)
    while layer:
        following: list[T] = []
        for here in layer:
            for edge, there in after(here):
                if wanted(there, edge):
                    return [*_trail(came, here), edge]
                if there not in came:
                    came[there] = (here, edge)
                    following.append(there)
        layer = following
    return None


def _trail(came: dict[T, tuple[T, TourEdge] | None], at: T) -> list[TourEdge]:
    way: list[TourEdge] = []
    while (step := came[at]) is not None:
        at, edge = step
        way.append(edge)
    return way[::-1]


def path_to(edges: list[list[TourEdge]], starts: list[int], goal: set[int]) -> list[TourEdge]:
    """The shortest way to a node of the goal, as far as has been explored."""
    found = _shortest(starts, lambda n: ((e, e.target) for e in edges[n]), lambda n, _: n in goal)
    if found is None:
        raise InternalError("a node of the product cannot be reached")
    return found


class Tour:
    """Strongly connected nodes, and what a run that stays among them can do."""

    def __init__(self, product: _TourGraph, nodes: list[int], fair: bool) -> None:
        self.product, self.nodes, self.fair = product, nodes, fair
        self.members = set(nodes)
        self.processes = max(map(product.processes, nodes)) if fair else 0

    def inner(self, node: int) -> Iterator[tuple[TourEdge, int]]:
        return ((e, e.target) for e in self.product.edges[node] if e.target in self.members)

    def path(self, start: int, goal: set[int]) -> list[TourEdge]:
        found = _shortest([start], self.inner, lambda n, _: n in goal)
        if found is None:
            raise InternalError("a component is not connected")
        return found

    # ---------------------------------------------------------------- fairness

    def serves(self, node: int, pid: int) -> bool:
        return self.product.disabled(node, pid)

    def is_fair(self) -> bool:
        """Is no process left waiting by a run that visits everything here again and again?"""
        if not self.fair:
            return True
        threads = Partition[tuple[int, int]]()
        # SOUND: a thread follows a process through the permutations of the edges; each must be served somewhere.
        served = {(n, p) for n in self.nodes for p in range(self.processes) if self.serves(n, p)}
        for n in self.nodes:
            for edge, there in self.inner(n):
                for p in range(self.processes):
                    threads.join((n, p), (there, edge.image(p)))
                    if edge.moves(p):
                        served.add((n, p))
        happy = {threads.find(pair) for pair in served}
        return all(threads.find((n, p)) in happy for n in self.nodes for p in range(self.processes))

    def cycle(self, seed: int) -> list[TourEdge]:
        """A way from the seed back to it, with at least one edge; fair to all, if that is asked for."""
        way: list[TourEdge] = []
        at, waiting = seed, {p: p for p in range(self.processes)}  # who is to be served, and where it is now
        waiting = {p: q for p, q in waiting.items() if not self.serves(seed, q)}
        while waiting:
            for edge in self.way_to_serve(at, next(iter(waiting.values()))):
                waiting = {
                    p: edge.image(q) for p, q in waiting.items()
                    if not edge.moves(q) and not self.serves(edge.target, edge.image(q))
                }  # fmt: skip
                way.append(edge)
                at = edge.target
        if at == seed and way:
            return way
        back = _shortest([at], self.inner, lambda n, _: n == seed, inside=True)
        if back is None:
            raise InternalError("a component is not connected")
        return way + back

    def way_to_serve(self, node: int, pid: int) -> list[TourEdge]:
        """The shortest way on which the process moves, or comes to where it cannot."""

        def after(pair: tuple[int, int]) -> Iterator[tuple[TourEdge, tuple[int, int]]]:
            for edge, there in self.inner(pair[0]):
                # the mark -1 says that the process moved: it is served
                yield edge, (there, -1 if edge.moves(pair[1]) else edge.image(pair[1]))

        found = _shortest([(node, pid)], after, lambda n, _: n[1] == -1 or self.serves(*n))
        if found is None:
            raise InternalError("a process is not served in a component that was called fair")
        return found
