"""Going on without asking the hub: which thread is next, and what happened on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....engines.stateless.protocol import Asleep, Moment, Op, dependent

if TYPE_CHECKING:
    from .kernel import Kernel

NOBODY_NEW: dict[int, Op] = {}


class Dash:
    """See `RunsAhead.run_ahead`."""

    __slots__ = ("asleep", "choices", "count", "kernel", "moments", "most")

    def __init__(self, kernel: Kernel, asleep: Asleep, most: int) -> None:
        self.kernel, self.asleep, self.most = kernel, asleep, most
        self.choices = 1  # of the first step
        self.count = len(kernel.fibers)
        self.moments: list[Moment] = []

    def next(self, last: int) -> int:
        """The thread that moved last has announced what it does next, or ended: who goes on?  -1: the hub decides."""
        kernel, asleep = self.kernel, self.asleep
        if kernel.found:
            return -1
        pending, waiting, moments = kernel.pending, kernel.waiting, self.moments
        op = pending.get(last)
        moments.append((last, op, NOBODY_NEW if len(kernel.fibers) == self.count else self.born(), asleep))
        if len(moments) == self.most or kernel.news:
            return -1
        if op is None or last in asleep or (last in waiting and not waiting[last]()):
            for last in pending:
                if last not in asleep and (last not in waiting or waiting[last]()):
                    break
            else:
                return -1
        if last in kernel.tossing:
            return -1
        if asleep:
            op = pending[last]
            self.asleep = {t: o for t, o in asleep.items() if not dependent(o, op)}
        return last

    def born(self) -> dict[int, Op]:
        """The threads that were started since this was asked last, with what they do first."""
        kernel = self.kernel
        new = list(kernel.fibers)[self.count :]
        self.count = len(kernel.fibers)
        return {t: kernel.pending[t] for t in new if t in kernel.pending}
