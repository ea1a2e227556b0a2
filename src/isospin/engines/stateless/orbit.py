"""When an execution so far is the image of one that was explored: at most one execution for each orbit of traces.

Reference: Godefroid, FORTE 1999, who asks whether a sequence of actions and its image are the same trace.
Differs: the image need not be the same trace; it is enough that it begins with something that was explored, up to the
order of independent events.  Then all that can follow was seen, up to renaming.  Choices of a thread (tosses) count:
what it explored with an earlier choice is explored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from itertools import chain, combinations, permutations, product
from math import factorial, prod

from ...core.records import dataclass
from .depth_first import Node
from .protocol import SWAP, ExecutedStep, Op, Renaming, Thread, swap
from .symmetry import TransitionSymmetry
from .trail import Bits, Trail

__all__ = ["Image", "Seen", "SymmetricNode", "find_covering", "find_fixing", "moved", "named"]

Seen = set[tuple[Thread, int, Op]]  # operations that were pending in a subtree: of which thread, its how many-th
Lengths = Mapping[Thread, int]  # how many events each thread has; of others: none
EventName = tuple[Thread, int]  # the how many-th event of a thread
MOST_ELEMENTS = 120


class Image:
    """A renaming with what it does to operations, remembered."""

    def __init__(self, renaming: Renaming) -> None:
        self.renaming = renaming
        self.origins = {b: a for a, b in renaming.threads.items()}  # of which thread each one is the image
        self._ops: dict[Op, Op] = {}

    def op(self, op: Op) -> Op:
        known = self._ops.get(op)
        if known is None:
            known = self._ops[op] = self.renaming.op(op)
        return known

    def choice(self, event: ExecutedStep) -> int:
        """Which choice the image of an event has."""
        return self.renaming.choice(event.thread, event.choice)

    def back(self, seen: Seen, lengths: Lengths) -> Seen:
        """What the inverse makes of operations of threads, if it fixes a state behind so many events."""
        return moved(seen, self.renaming.inverse, lengths)


def moved(seen: Seen, renaming: Renaming, lengths: Lengths) -> Seen:
    """The images of operations under a renaming that fixes the state behind so many events.  What was done before is
    none of them: who sleeps has seen more than what comes now."""
    found: Seen = set()
    for thread, nth, op in seen:
        ahead = nth - lengths.get(thread, 0)
        if ahead >= 0:
            image = renaming.thread(thread)
            found.add((image, lengths.get(image, 0) + ahead, renaming.op(op)))
    return found


@dataclass(slots=True, eq=False)
class SymmetricNode(Node[Thread, Seen]):
    """Of a thread that sleeps we remember what was seen in its subtree, to know with what its images would race."""

    lengths: Lengths = field(default_factory=dict)
    seen: Seen = field(default_factory=set)  # in all subtrees so far, and in those that were left out
    subtrees: list[Seen] = field(default_factory=list)  # of the choices so far of the thread that is being explored
    asleep: set[Thread] = field(default_factory=set)  # since an earlier node, and nobody wanted them here so far
    fixing: Sequence[Image] = ()  # renamings that fix this state, where it was worth looking for some


def find_fixing(symmetry: TransitionSymmetry, threads: Sequence[Thread]) -> list[Image]:
    """The renamings that fix the program's current state: those that are known, and those that hosts find."""
    return [Image(r) for r in (*symmetry.declared_here(), *_discover(symmetry, threads))]


def _discover(symmetry: TransitionSymmetry, threads: Sequence[Thread]) -> Iterator[Renaming]:
    """Renamings that the host finds: classes of threads that can take each other's place, and what they generate."""
    classes: list[list[Thread]] = []
    generators: list[Renaming] = []  # each takes the first of a class to another one
    for thread in threads:
        for like in classes:
            if (found := symmetry.discover(like[0], thread)) is not None:
                like.append(thread)
                generators.append(found)
                break
        else:
            classes.append([thread])
    classes = [c for c in classes if len(c) > 1]
    if all(len(r.threads) == 2 and not r.objects for r in generators):
        yield from _exchanges(classes)
    else:
        yield from _generated(generators) or _pairs(symmetry, classes)


def _exchanges(classes: list[list[Thread]]) -> Iterator[Renaming]:
    """Where any two of a class can be exchanged: all permutations of each."""
    if prod(factorial(len(c)) for c in classes) > MOST_ELEMENTS:
        yield from (swap(a, b) for c in classes for i, a in enumerate(c) for b in c[i + 1 :])
        return
    for chosen in product(*(permutations(c) for c in classes)):
        moved = {
            a: b for c, order in zip(classes, chosen, strict=True) for a, b in zip(c, order, strict=True) if a != b
        }
        if moved:
            yield Renaming(SWAP, moved)


def _generated(generators: list[Renaming]) -> list[Renaming]:
    """All products but the identity; none at all if they are too many."""
    found: list[Renaming] = []
    for made in chain(generators, (e.then(g) for e in found for g in generators)):
        if not made.is_identity and made not in found:
            if len(found) + 1 == MOST_ELEMENTS:
                return []
            found.append(made)
    return found


def _pairs(symmetry: TransitionSymmetry, classes: list[list[Thread]]) -> list[Renaming]:
    """For each two of a class one that takes the one to the other."""
    found: list[Renaming] = []
    for a, b in (pair for c in classes for pair in combinations(c, 2)):
        made = symmetry.discover(a, b)
        if made is not None and made not in found:
            found.append(made)
    return found


def find_covering(trail: Trail, stack: Sequence[SymmetricNode], base: int) -> tuple[Image, Seen] | None:
    """A renaming that fixes the state behind the first `base` events and under which the image of the others was
    explored, with what was seen there; None: there is none."""
    # SOUND: who is born behind `base` would have to move with its parent, and renamings do not know it.
    if any(event.thread not in stack[base].pending for event in trail.events[base:]):
        return None
    if not any(node.sleep or node.subtrees for node in stack[base:]):  # nothing was explored there
        return None
    places = {name: base + i for i, name in enumerate(named(trail, base))}
    for image in stack[base].fixing:
        seen = _covered(trail, stack, base, image, places)
        if seen is not None:
            return image, seen
    return None


def _covered(
    trail: Trail, stack: Sequence[SymmetricNode], base: int, image: Image, places: Mapping[EventName, int]
) -> Seen | None:
    """What was seen where the image of the events behind the first `base` ones was explored; None: it was not."""
    taken = (1 << base) - 1  # the events whose images make up the stack so far
    counts: dict[Thread, int] = {}
    origin = image.origins.get
    for depth in range(base, len(stack)):
        for thread, choice, seen in _explored(stack[depth]):
            index = places.get((origin(thread, thread), counts.get(thread, 0) + 1))
            if index is not None and _follows(trail, index, taken):
                if choice is None or image.choice(trail.events[index]) == choice:
                    return seen
        if depth == len(trail.events):
            return None
        event = trail.events[depth]
        counts[event.thread] = counts.get(event.thread, 0) + 1
        index = places.get((origin(event.thread, event.thread), counts[event.thread]))
        if index is None or not _follows(trail, index, taken):
            return None
        if image.choice(trail.events[index]) != event.choice or image.op(trail.events[index].op) != event.op:
            return None
        taken |= 1 << index
    return None


def _follows(trail: Trail, index: int, taken: Bits) -> bool:
    """Can the event come next, if those were taken?"""
    return not trail.past[index] & ~(taken | 1 << index)


def named(trail: Trail, base: int) -> list[EventName]:
    """The names of the events behind the first `base` ones."""
    counts: dict[Thread, int] = {}
    found = []
    for event in trail.events[base:]:
        counts[event.thread] = counts.get(event.thread, 0) + 1
        found.append((event.thread, counts[event.thread]))
    return found


def _explored(node: SymmetricNode) -> Iterator[tuple[Thread, int | None, Seen]]:
    """The threads that were explored at a node, or sleep there; and of the one being explored the earlier choices."""
    for thread, seen in node.sleep.items():
        yield thread, None, seen
    for choice, seen in enumerate(node.subtrees):
        yield node.thread, choice, seen
