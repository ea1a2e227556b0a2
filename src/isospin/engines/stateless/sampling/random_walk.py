"""Random scheduling: executions at random, from a seed.  Never exhaustive.

Reference: the naive randomised scheduler that Burckhardt et al., ASPLOS 2010, compare with.
Differs: nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from hashlib import blake2b
from random import Random

from ..protocol import ExecutedStep, Program, Thread
from ..search import Search, SearchRequest, spread

EXECUTIONS = 1000
MOST_KNOWN = 20_000  # executions whose class is kept


class RandomWalk(Search):
    """One execution after the other, each decided by chance."""

    what = "random scheduling"

    def __init__(self, program: Program, asked: SearchRequest) -> None:
        super().__init__(program, asked)
        self.random = Random(asked.seed)
        self.most = asked.max_executions or EXECUTIONS

    def search(self) -> None:
        while self.result.executions + self.result.blocked < self.most:
            self.execute()
            self.trail.events.clear()
        # SOUND: whatever was seen, something may not have been.
        self.result.incomplete = f"{self.what}: {self.most} executions with seed {self.asked.seed}{self.coverage()}"

    def coverage(self) -> str:
        """How many of them were different, and how many there are besides."""
        sample = self.result.sample
        if len(sample) < 2 or len(sample) < self.result.executions:
            return ""
        known, unseen = spread(Counter(sample))
        more = "none more is expected" if unseen < 0.5 else f"at least {unseen:,.0f} more are expected"
        return f", of which {known:,} were different; {more} (an estimate)"

    def execute(self) -> None:
        """One execution, with whoever `pick` says at each step."""
        self.program.restart()
        self.prepare()
        limit = self.asked.max_depth
        while enabled := list(self.program.enabled()):
            self.tick()
            if limit is not None and len(self.trail.events) >= limit:
                self.result.blocked += 1
                return
            thread = self.pick(enabled)
            self.take(thread, self.random.randrange(self.count_choices(thread)))
        if len(self.result.sample) < MOST_KNOWN:
            self.result.sample.append(class_of(self.trail.events))
        self.count_execution()
        self.tick()

    def prepare(self) -> None:
        """A new execution begins."""

    def pick(self, enabled: list[Thread]) -> Thread:
        return self.random.choice(enabled)

    def take(self, thread: Thread, choice: int) -> None:
        op = self.program.pending()[thread]
        found = self.program.step(thread, choice)
        self.trail.events.append(ExecutedStep(thread, choice, op))
        self.result.transitions += 1
        self.result.depth = max(self.result.depth, len(self.trail.events))
        for problem in found:
            self.report(problem)


def class_of(events: Sequence[ExecutedStep]) -> int:
    """A number that two executions have in common if they differ only in the order of steps that touch nothing in
    common; others have the same one by accident only.  It is the same in every process."""
    total = 0
    before: dict[Thread, int] = {}
    written: dict[Hashable, int] = {}  # the last write of each object
    readers: dict[Hashable, int] = {}  # who has read it since
    for thread, choice, op in events:
        seen = sum(_mixed(o, written.get(o, 0)) for o in (*op.reads, *op.writes))
        seen += sum(readers.get(o, 0) for o in op.writes)
        before[thread] = me = _mixed(thread, choice, op.kind, before.get(thread, 0), seen)
        for o in op.writes:
            written[o], readers[o] = me, 0
        for o in op.reads - op.writes:
            readers[o] = readers.get(o, 0) + me
        total += me
    return total % (1 << 64)


def _mixed(*parts: object) -> int:
    return int.from_bytes(blake2b(repr(parts).encode(), digest_size=8).digest())
