"""Which threads were found alike where most of them live, and what was said about the others: for the report."""

from __future__ import annotations

from typing import Any

from ...engines.stateless.alike import Obstacle, ThreadSymmetry, find_families
from ...engines.stateless.protocol import Renaming, Thread
from .control.kernel import Kernel
from .control.records import Fiber
from .images import Differs

__all__ = ["Census"]

Pair = tuple[Thread, Thread]


class Census:
    """The answers to the questions of a search, in the first state in which the most threads live."""

    def __init__(self) -> None:
        self._state: tuple[Any, ...] = ()
        self._search: Any = None
        self._most = 0
        self._kinds: dict[Thread, str] = {}
        self._names: dict[Thread, str] = {}
        self._alike: dict[Pair, Renaming] = {}
        self._problems: dict[Pair, Obstacle] = {}

    def note(self, kernel: Kernel, first: Thread, second: Thread, answer: Renaming | Differs) -> None:
        """Two threads were compared."""
        state = tuple((t, len(f.log), f.visits) for t, f in kernel.fibers.items())
        if len(kernel.pending) > self._most or self._search is not kernel.memory.known:
            self._begin(kernel, state)
        if state == self._state and isinstance(answer, Renaming):
            self._alike[first, second] = answer
            self._alike[second, first] = answer.inverse
        elif state == self._state and isinstance(answer, Differs):
            self._problems[first, second] = self._obstacle(kernel, (first, second), answer)

    def _begin(self, kernel: Kernel, state: tuple[Any, ...]) -> None:
        self._most, self._state, self._search = len(kernel.pending), state, kernel.memory.known
        self._alike, self._problems = {}, {}
        self._kinds = {t: _what_runs(f) for t, f in kernel.fibers.items() if t}
        self._names = {t: f.name for t, f in kernel.fibers.items()}

    def _obstacle(self, kernel: Kernel, pair: Pair, problem: Differs) -> Obstacle:
        names = tuple(self._names[t] for t in pair)
        why, place = str(problem), problem.place
        if why == "differs":  # an ordinary number: perhaps one that was taken for an index until it was told
            reasons = kernel.indices.known.reasons
            ordinary = kernel.indices.known.ordinary
            told = [reasons[f, v] for f, v in reasons if str(v) in problem.values and f in ordinary]
            why, place = told[0] if told else (why, place)
        return Obstacle(names, problem.variable, problem.values, why, place)

    def families(self) -> ThreadSymmetry:
        problems = [o for (a, b), o in self._problems.items() if self._kinds.get(a) == self._kinds.get(b) is not None]
        return find_families(self._kinds, self._find, problems)

    def _find(self, first: Thread, second: Thread) -> Renaming | None:
        return self._alike.get((first, second))


def _what_runs(fiber: Fiber) -> str:
    """The function that a thread was given, or its class; of a worker of a pool the name of the pool."""
    if fiber.serves is not None:
        return str(fiber.serves.prefix)
    target = getattr(fiber.handle, "_target", None)
    name = getattr(target, "__name__", None)
    return str(name or type(fiber.handle).__name__)
