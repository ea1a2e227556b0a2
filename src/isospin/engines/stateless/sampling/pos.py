"""Partial-order sampling: random priorities of operations, drawn anew where one meets another.  Never exhaustive.

Reference: Yuan, Yang, Gu, CAV 2018 (POS).
Differs: nothing.  A race between two operations is decided by a throw of its own, however long the threads are, so that
rare orders come up more often than by choosing threads at random.
"""

from __future__ import annotations

from ..protocol import Thread, dependent
from .random_walk import RandomWalk

__all__ = ["PartialOrderSampling"]


class PartialOrderSampling(RandomWalk):
    """The enabled operation with the highest priority is executed."""

    what = "partial-order sampling"

    def prepare(self) -> None:
        self.priority: dict[Thread, float] = {}

    def pick(self, enabled: list[Thread]) -> Thread:
        for thread in enabled:
            self.priority.setdefault(thread, self.random.random())
        return max(enabled, key=lambda t: self.priority[t])

    def take(self, thread: Thread, choice: int) -> None:
        pending = self.program.pending()
        done = pending[thread]
        met = [t for t in self.priority if t in pending and dependent(pending[t], done)]
        for other in {thread, *met}:
            self.priority.pop(other, None)
        super().take(thread, choice)
