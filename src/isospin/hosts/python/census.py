"""Which threads were found alike where most of them live, and what was said about the others: for the report."""

from __future__ import annotations

from typing import Any

from ...engines.stateless.alike import Obstacle, ThreadSymmetry, find_families
from ...engines.stateless.protocol import Renaming, Thread, swap
from .control.kernel import Kernel

__all__ = ["Census"]


class Census:
    """The answers to the questions of a search, in the first state in which the most threads live."""

    def __init__(self) -> None:
        self._state: tuple[Any, ...] = ()
        self._most = 0
        self._kinds: dict[Thread, str] = {}
        self._names: dict[Thread, str] = {}
        self._alike: dict[tuple[Thread, Thread], str] = {}  # empty: they are

    def note(self, kernel: Kernel, first: Thread, second: Thread, problem: str) -> None:
        """Two threads were compared."""
        state = tuple((t, len(f.log)) for t, f in kernel.fibers.items())
        if len(kernel.pending) > self._most:
            self._most, self._state = len(kernel.pending), state
            self._alike = {}
            self._kinds = {t: _what_runs(f) for t, f in kernel.fibers.items() if t}
            self._names = {t: f.name for t, f in kernel.fibers.items()}
        if state == self._state:
            self._alike[min(first, second), max(first, second)] = problem

    def families(self) -> ThreadSymmetry:
        return find_families(self._kinds, self._find, self._obstacles())

    def _find(self, first: Thread, second: Thread) -> Renaming | None:
        return swap(first, second) if self._alike.get((min(first, second), max(first, second))) == "" else None

    def _obstacles(self) -> list[Obstacle]:
        return [
            Obstacle((self._names[a], self._names[b]), why=problem)
            for (a, b), problem in self._alike.items() if problem and self._kinds.get(a) == self._kinds.get(b)
        ]  # fmt: skip


def _what_runs(fiber: Any) -> str:
    """The function that a thread was given, or its class."""
    target = getattr(fiber.handle, "_target", None)
    name = getattr(target, "__name__", None)
    return str(name or type(fiber.handle).__name__)
