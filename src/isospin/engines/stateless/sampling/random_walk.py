"""Random scheduling: executions at random, from a seed.  Never exhaustive.

Reference: the naive randomised scheduler that Burckhardt et al., ASPLOS 2010, compare with.
Differs: nothing.
"""

from __future__ import annotations

from random import Random

from .protocol import ExecutedStep, Program, Thread
from .search import Search, SearchRequest

EXECUTIONS = 1000


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
        self.result.incomplete = f"{self.what}: {self.most} executions with seed {self.asked.seed}"

    def execute(self) -> None:
        """One execution, with whoever `pick` says at each step."""
        self.program.restart()
        self.prepare()
        limit = self.asked.max_depth
        while enabled := list(self.program.enabled()):
            if limit is not None and len(self.trail.events) >= limit:
                self.result.blocked += 1
                self.tick()
                return
            thread = self.pick(enabled)
            self.take(thread, self.random.randrange(self.count_choices(thread)))
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
