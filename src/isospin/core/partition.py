"""Parts that grow together: which elements are in the same one.

Reference: Tarjan 1975 (union-find), with path halving.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class Partition(Generic[T]):
    """Every element is in a part of its own until it is joined with another."""

    def __init__(self) -> None:
        self.leader: dict[T, T] = {}

    def find(self, x: T) -> T:
        """The leader of the part that x is in."""
        leader = self.leader
        while (above := leader.get(x, x)) != x:
            leader[x] = x = leader.get(above, above)
        return x

    def join(self, a: T, b: T) -> bool:
        """One part of two, led by the leader of a's; False: they were the same already."""
        a, b = self.find(a), self.find(b)
        if a != b:
            self.leader[b] = a
        return a != b
