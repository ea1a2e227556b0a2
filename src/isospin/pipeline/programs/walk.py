"""Programs step by step: the way of a witness, who tells a schedule, with steps that are chosen on the way.

A witness makes the steps that it is given, and tells each.  Here they are given one by one, when it asks for them:
first those of a path, then those that chance chooses.  What can come next is seen in the state in which it stops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import field, replace
from itertools import chain
from random import Random

from ...core import deadline
from ...core.errors import UsageError
from ...core.records import dataclass
from ...core.trace import Choice, Trace, TraceStep
from ...core.verdict import Violation
from ...core.walk import Crossroads
from ...engines.stateless.protocol import Program, Step, choice_counter

UNCONTROLLED = "this cannot be controlled: "
NO_STEP = -1  # the choice of a row that is no step of its own, in the traces of all hosts


def steps_of(path: Sequence[Choice]) -> list[Step]:
    return [Step(choice.pid, choice.action) for choice in path if choice.action != NO_STEP]


def options_of(program: Program) -> list[Step]:
    """All that can come next: who moves, and with which outcome."""
    count = choice_counter(program)
    return [Step(thread, choice) for thread in program.enabled() for choice in range(count(thread))]


@dataclass
class Way:
    """The steps of a path, then those that chance chooses, as long as nothing fails and there is time."""

    path: Sequence[Step]
    chance: Random | None = None
    most: int = 0
    made: list[Step] = field(default_factory=list)

    def through(self, program: Program, failed: Callable[[], bool]) -> Iterator[Step]:
        """One by one, when they are asked for: each is chosen in the state in which it is made."""
        self.made.clear()
        for step in chain(self.path, self.by_chance(program, failed)):
            self.made.append(step)
            yield step

    def by_chance(self, program: Program, failed: Callable[[], bool]) -> Iterator[Step]:
        chance = None if self.chance is None else copy(self.chance)  # so that the same comes again
        while chance is not None and len(self.made) < self.most and not failed() and not deadline.is_over():
            options = options_of(program)
            if not options:
                return
            yield chance.choice(options)


class ProgramWalker:
    """A program that somebody walks through; `go` makes a run, and differs between kinds of programs."""

    cannot: tuple[type[BaseException], ...] = ()  # the program left what can be controlled

    def __init__(self, file: str) -> None:
        self.file = file

    def at(self, path: Sequence[Choice]) -> Crossroads:
        return self.guarded(Way(steps_of(path)))

    def random(self, path: Sequence[Choice], chance: Random, steps: int) -> Crossroads:
        return self.guarded(Way(steps_of(path), chance, steps))

    def close(self) -> None:
        """Nothing is kept between two runs, unless a kind of program does."""

    def go(self, way: Way) -> Crossroads:
        """Make a run."""
        raise NotImplementedError

    def guarded(self, way: Way) -> Crossroads:
        """Make a run; if it leaves what can be controlled, what came before that is shown, and why it ends."""
        try:
            return self.go(way)
        except self.cannot as problem:
            before = self.go(Way(way.made[:-1])) if way.made else Crossroads()
            return replace(before, options=(), waiting=(), ending=f"{UNCONTROLLED}{problem}", cut=True)

    def reached(
        self, way: Way, trace: Trace, failure: Violation | None, options: Sequence[TraceStep], waiting: Sequence[str]
    ) -> Crossroads:
        """Where a run has come to."""
        made = [row for row in trace.steps if row.choice.action != NO_STEP]
        if [(s.choice.pid, s.choice.action) for s in made[: len(way.path)]] != [tuple(step) for step in way.path]:
            raise UsageError(f"the trace is not a run of {self.file}; was the program changed?")
        if failure is not None:
            return Crossroads(trace, ending=f"{failure.kind}: {failure.message}", failure=failure)
        if not options:
            return Crossroads(trace, ending="the run has ended, and nothing is violated")
        late = deadline.reason("simulating") if deadline.is_over() else f"stopped after {len(made)} steps"
        return Crossroads(trace, tuple(options), tuple(waiting), "" if way.chance is None else late)
