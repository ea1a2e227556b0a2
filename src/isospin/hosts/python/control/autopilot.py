"""Going on without asking the hub: which thread is next, and what happened on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ....engines.stateless.protocol import Asleep, Moment, Op, dependent
from .outcome import ExecutionOutcome

NOBODY_NEW: dict[int, Op] = {}


class Autopilot:
    """See `RunsAhead.run_ahead`.  It looks at the tables of the scheduler, and changes nothing there."""

    __slots__ = ("_asleep", "_count", "_fibers", "_found", "_most", "_news", "_pending", "_tossing", "_waiting",
                 "choices", "moments")  # fmt: skip

    def __init__(
        self, fibers: Mapping[int, Any], pending: Mapping[int, Op], waiting: Mapping[int, Callable[[], bool]],
        tossing: Mapping[int, Any], outcome: ExecutionOutcome, asleep: Asleep, most: int,
    ) -> None:  # fmt: skip
        self._fibers, self._pending, self._waiting, self._tossing = fibers, pending, waiting, tossing
        self._found, self._news = outcome.found, outcome.news
        self._asleep, self._most = asleep, most
        self._count = len(fibers)
        self.choices = 1  # of the first step
        self.moments: list[Moment] = []

    def next(self, last: int) -> int:
        """The thread that moved last has announced what it does next, or ended: who goes on?  -1: the hub decides."""
        if self._found:
            return -1
        asleep, pending, waiting, moments = self._asleep, self._pending, self._waiting, self.moments
        op = pending.get(last)
        moments.append((last, op, NOBODY_NEW if len(self._fibers) == self._count else self._born(), asleep))
        if len(moments) == self._most or self._news:
            return -1
        if op is None or last in asleep or (last in waiting and not waiting[last]()):
            for last in pending:
                if last not in asleep and (last not in waiting or waiting[last]()):
                    break
            else:
                return -1
        if last in self._tossing:
            return -1
        if asleep:
            op = pending[last]
            self._asleep = {t: o for t, o in asleep.items() if not dependent(o, op)}
        return last

    def _born(self) -> dict[int, Op]:
        """The threads that were started since this was asked last, with what they do first."""
        new = list(self._fibers)[self._count :]
        self._count = len(self._fibers)
        return {t: self._pending[t] for t in new if t in self._pending}
