"""When a run of the user's model is back where it was: up to what a search leaves out, and up to addresses.

Reference: Iosif, Symmetry reduction criteria for software model checking (dSPIN), Theorem 2: states that differ in
addresses only are bisimilar.
Differs: variables that the searched model clears or hides do not count either, nor objects that only they lead to.

A run that allocates in a cycle need never come back to a state: what it loses stays, and every round has new objects.
It is a lasso all the same if its end is its start with the objects renamed.  Then whatever was done in one round can be
done in the next one, by the objects that stand in the same places, and no property can tell the rounds apart.
"""

from __future__ import annotations

from collections.abc import Collection

from ..core.model import Call, Model, Template
from ..semantics.interp import Interpreter
from ..semantics.state import Process, State
from ..semantics.walk import parts_of
from .folding.heap import HeapFold


class Likeness:
    """Compares states of the user's model as a search of another model (`searched`) saw them."""

    def __init__(self, interpreter: Interpreter, searched: Model) -> None:
        self.heap = HeapFold(interpreter) if interpreter.model.objects else None
        self.hidden = {v.base + i for v in searched.globals if v.hidden for i in range(v.size)}
        self.cleared = [
            {v.base + i for a in t.actions for v in a.clears for i in range(v.size)} for t in searched.templates
        ]
        self.forgotten = [_forgotten(t) for t in searched.templates]

    def same(self, a: State, b: State) -> bool:
        """Are they equal but for what does not count?"""
        return self.folded(self.visible(a)) == self.folded(self.visible(b))

    def folded(self, state: State) -> State:
        return state if self.heap is None else self.heap.fold(state)

    def counterparts(self, a: State, b: State) -> list[tuple[int, int]]:
        """For two states that are the same, the slots of the objects that stand in the same places."""
        if self.heap is None:
            return []
        if self.folded(a) != self.folded(b):
            a, b = self.visible(a), self.visible(b)
        first, second = (self.heap.numbers(s) for s in (a, b))
        there = {number: value for value, number in second.items()}
        return [(value - 1, there[number] - 1) for value, number in first.items()]

    def visible(self, state: State) -> State:
        values = _masked(state.values, self.hidden)
        return state._replace(values=values, processes=tuple(map(self.process, state.processes)))

    def process(self, process: Process) -> Process:
        forgotten = self.forgotten[process.template]
        stack = tuple(_masked(call, forgotten.get(call[0], ())) for call in process.stack)
        return process._replace(frame=_masked(process.frame, self.cleared[process.template]), stack=stack)


def _masked(frame: tuple[int, ...], slots: Collection[int]) -> tuple[int, ...]:
    return tuple(0 if i in slots else v for i, v in enumerate(frame)) if slots else frame


def _forgotten(template: Template) -> dict[int, set[int]]:
    """For each call, where its entry on the stack holds variables that nobody needs behind it."""
    found: dict[int, set[int]] = {}
    for step in (s for a in template.actions for s in parts_of(a.step)):
        if isinstance(step, Call) and step.forgets:
            forgotten = {v.base for v in step.forgets}
            saved = [v.base for v in step.variables for _ in range(v.size)]
            found[step.site] = {i for i, base in enumerate(saved, 1) if base in forgotten}
    return found
