"""Transition symmetry: when what one thread does first need not be explored, since another does the same.

Reference: Godefroid, FORTE 1999 (permutations of actions, w and its image are the same trace); Yang, Chen,
Gopalakrishnan, Wang, SPIN 2009 (residual code and local state).
Differs: a swap must fix everything in the state, not only the two threads; what the second paper does with it is
unsound, see `dpor.py`.  Declared renamings are candidates, never facts: the host checks each use on the state.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from ...errors import UsageError
from .protocol import Program, Renaming, Thread
from .search import Asked
from .trail import Trail

MOST_ELEMENTS = 5040
SWAP = "discovered swap"


class Symmetry:
    def __init__(self, program: Program, asked: Asked) -> None:
        self.program, self.kind = program, asked.symmetry
        self.group = asked.renamings

    def candidates(self, first: Thread, second: Thread) -> Iterator[Renaming]:
        """The renamings that could take the first thread to the second."""
        if self.kind == "discovered":
            yield swap(first, second)
        yield from (r for r in self.group if r.thread(first) == second)

    def fixes(self, renaming: Renaming) -> bool:
        """Is the program's current state the same after the renaming?"""
        if renaming.name == SWAP:
            return self.program.alike(*sorted(renaming.threads))
        return self.program.fixed(renaming) == ""

    def here(self, first: Thread, second: Thread) -> Renaming | None:
        """A renaming that fixes the current state and takes the first thread to the second."""
        if self.kind == "none":
            return None
        return next((r for r in self.candidates(first, second) if self.fixes(r)), None)

    def fixing(self, threads: Sequence[Thread]) -> list[Renaming]:
        """All renamings that fix the current state; of the discovered ones, the swaps."""
        swaps = [swap(t, u) for t, u in combinations(threads, 2)] if self.kind == "discovered" else []
        return [r for r in (*swaps, *self.group) if self.fixes(r)]


def swap(first: Thread, second: Thread) -> Renaming:
    return Renaming(SWAP, {first: second, second: first})


def closed(generators: Sequence[Renaming]) -> list[Renaming]:
    """All products of the generators but the identity."""
    found = {frozenset(g.threads.items()) | frozenset(g.objects.items()): g for g in generators}
    todo = list(generators)
    while todo:
        a = todo.pop()
        for b in generators:
            product = after(a, b)
            key = frozenset(product.threads.items()) | frozenset(product.objects.items())
            if key and key not in found:
                found[key] = product
                todo.append(product)
                if len(found) > MOST_ELEMENTS:
                    raise UsageError(f"the declared permutations generate more than {MOST_ELEMENTS} others")
    return list(found.values())


def after(a: Renaming, b: Renaming) -> Renaming:
    """First a, then b; what stays is left out."""
    threads = {t: b.thread(a.thread(t)) for t in {*a.threads, *b.threads}}
    objects = {o: b.objects.get(m := a.objects.get(o, o), m) for o in {*a.objects, *b.objects}}
    return Renaming(a.name, {t: u for t, u in threads.items() if t != u}, {o: p for o, p in objects.items() if o != p})


def stable(trail: Trail, renaming: Renaming, base: int) -> bool:
    """Do the events behind the first `base` ones and their images form the same trace?

    Then the renaming fixes the state now if it fixed the state after the first `base` events.
    """
    place: dict[tuple[Thread, int], int] = {}
    names: list[tuple[Thread, int]] = []
    count: dict[Thread, int] = {}
    for index in range(base, len(trail.events)):
        thread = trail.events[index].thread
        count[thread] = name = count.get(thread, 0) + 1
        names.append((thread, name))
        place[thread, name] = index
    if any(count.get(t, 0) != count.get(u, 0) for t, u in renaming.threads.items()):
        return False
    image = [place[renaming.thread(thread), name] for thread, name in names]
    return all(same(trail, renaming, base, index, image) for index in range(base, len(trail.events)))


def same(trail: Trail, renaming: Renaming, base: int, index: int, image: list[int]) -> bool:
    """Is the image of an event the event that is in its place?"""
    there = image[index - base]
    mine, other = trail.events[index], trail.events[there]
    if mine.choice != other.choice or renaming.op(mine.op) != other.op:
        return False
    causes = {c if c < base else image[c - base] for c in trail.causes[index]}
    return causes == set(trail.causes[there])
