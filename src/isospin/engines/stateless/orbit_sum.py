"""How many executions a search with symmetry stands for: at least these.

Reference: the orbit-stabiliser theorem.  An execution, as a trace, has as many images as the group has elements,
divided by those that take the trace to itself.
Differs: the group is that of a single state, the *base*: the one of the first execution in which most can be renamed.
What is found to be alike further on saves more, so the sum is a lower bound.

Example: three threads take a lock in turn.  One execution is explored; whoever changes places, the order is another
one, so it stands for 6.  If each takes a lock of its own, every exchange makes the same trace again: it stands for 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .orbit import EventName, SymmetricNode, named
from .protocol import Thread
from .renamings import permutations_of
from .trail import Bits, Trail, indices

__all__ = ["OrbitSum"]


class OrbitSum:
    """The sum of the orbits of the executions so far."""

    def __init__(self) -> None:
        self.total = 0
        self._base: SymmetricNode | None = None
        self._depth = 0
        self._group: Sequence[Mapping[Thread, Thread]] = ()  # without the identity

    def add(self, trail: Trail, stack: Sequence[SymmetricNode]) -> None:
        """One more execution, which went to its end."""
        base = self._base or self._choose(stack)
        # SOUND: of executions that pass the base none is the image of another, `find_covering` sees to that.  Others
        # could be, so they count for nothing.
        if len(stack) > self._depth and stack[self._depth] is base:
            self.total += 1 if self._is_beyond(base, trail, stack) else self._orbit(trail)

    def _choose(self, stack: Sequence[SymmetricNode]) -> SymmetricNode:
        self._base = max(stack, key=lambda node: len(node.fixing))
        self._depth = stack.index(self._base)
        self._group = permutations_of(image.renaming for image in self._base.fixing)
        return self._base

    def _is_beyond(self, base: SymmetricNode, trail: Trail, stack: Sequence[SymmetricNode]) -> bool:
        """Do renamings not say what the image is?  That of a thread born later, or of an outcome among several."""
        events, behind = trail.events, range(self._depth, len(trail.events))
        return any(events[i].thread not in base.pending or events[i].choice or stack[i].choices for i in behind)

    def _orbit(self, trail: Trail) -> int:
        """How many traces are images of this one."""
        names = named(trail, self._depth)
        places = {name: i for i, name in enumerate(names)}
        past = [bits >> self._depth for bits in trail.past[self._depth :]]
        kept = sum(_is_kept(names, places, past, to) for to in self._group)
        return (len(self._group) + 1) // (kept + 1)


def _is_kept(
    names: Sequence[EventName], places: Mapping[EventName, int], past: Sequence[Bits], to: Mapping[Thread, Thread]
) -> bool:
    """Is the image the same trace?  Programs do the same in the same order, so only the order of events counts."""
    for (thread, n), before in zip(names, past, strict=True):
        at = places.get((to.get(thread, thread), n))
        if at is None or before.bit_count() != past[at].bit_count():
            return False
        images = [(to.get(names[i][0], names[i][0]), names[i][1]) for i in indices(before)]
        if any(name not in places or not past[at] >> places[name] & 1 for name in images):
            return False
    return True
