"""Probabilistic concurrency testing: random priorities, and a few places where they change.  Never exhaustive.

Reference: Burckhardt, Kothari, Musuvathi, Nagarakatte, ASPLOS 2010.
Differs: the length of an execution is that of the longest one so far, since it is not known before.
"""

from __future__ import annotations

from ..protocol import Thread
from .random_walk import RandomWalk

__all__ = ["Pct"]


class Pct(RandomWalk):
    """The enabled thread with the highest priority goes on."""

    what = "probabilistic concurrency testing"

    def prepare(self) -> None:
        self.priority: dict[Thread, float] = {}
        length = max(self.result.depth, 1)
        places = [self.random.randrange(length) for _ in range(self.asked.changes)]
        self.change = {place: -1.0 - i for i, place in enumerate(places)}

    def pick(self, enabled: list[Thread]) -> Thread:
        for thread in enabled:
            self.priority.setdefault(thread, self.random.random())
        first = max(enabled, key=lambda t: self.priority[t])
        lower = self.change.get(len(self.trail.events))
        if lower is not None:
            self.priority[first] = lower
            first = max(enabled, key=lambda t: self.priority[t])
        return first
