"""What is known at each location of a template, whichever way a process came there.

Reference: Kildall, A Unified Approach to Global Program Optimization (POPL 1973).
Differs: the inside of a d_step takes part, location by location; facts only get fewer, so the order does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from typing import Generic, TypeVar

from ..core.model import Action, Deterministic, Step, Template
from ..semantics.walk import parts_of

Facts = TypeVar("Facts")


class FactFlow(Generic[Facts]):
    """`after`: the facts behind a step; `left`: those behind a whole action; `both`: what holds on two ways."""

    def __init__(
        self, template: Template, start: Facts, after: Callable[[Facts, Step], Facts],
        left: Callable[[Facts, Action], Facts], both: Callable[[Facts, Facts], Facts],
    ) -> None:  # fmt: skip
        self.template, self.after, self.left, self.both = template, after, left, both
        self.start = start  # less is never known
        self.at: dict[int, Facts] = {template.entry: start}
        while self.pass_on():
            pass

    def pass_on(self) -> bool:
        """Once along all actions; is anything known better?"""
        before = dict(self.at)
        for action in self.template.actions:
            if action.source in self.at and (facts := self.behind(action)) is not None:
                self.arrive(action.target, facts)
        return self.at != before

    def arrive(self, location: int, facts: Facts) -> None:
        self.at[location] = self.both(self.at[location], facts) if location in self.at else facts

    def behind(self, action: Action) -> Facts | None:
        """None: nobody is known to get there yet."""
        facts: Facts | None = self.at[action.source]
        for step in parts_of(action.step):
            facts = None if facts is None else self.behind_step(facts, step)
        return None if facts is None else self.left(facts, action)

    def behind_step(self, facts: Facts, step: Step) -> Facts | None:
        """A d_step is left by any of its last actions."""
        if not isinstance(step, Deterministic):
            return self.after(facts, step)
        self.arrive(step.entry, facts)
        inner = [a for a in self.template.actions if a.source in step.inside and a.target not in step.inside]
        ways = [found for a in inner if a.source in self.at and (found := self.behind(a)) is not None]
        return reduce(self.both, ways) if ways else None

    def before(self, action: Action) -> Iterator[tuple[Step, Facts]]:
        """The steps of an action, each with what is known before it; those inside of a d_step in no order."""
        reached = action.source in self.at
        facts: Facts | None = self.at.get(action.source, self.start)
        for step in parts_of(action.step):
            if isinstance(step, Deterministic):
                for a in self.template.actions:
                    if a.source in step.inside:
                        yield from self.before(a)
            else:
                yield step, self.start if facts is None else facts
            facts = self.behind_step(facts, step) if reached and facts is not None else None
