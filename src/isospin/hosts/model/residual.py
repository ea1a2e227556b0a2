"""Residual code: when two processes of a model will do the same from here on, whatever their templates are.

Reference: Yang, Chen, Gopalakrishnan, Wang, SPIN 2009, section 3 (residual code, rules R0-R13, local state).
Differs: control graphs instead of text: two places are alike if they start bisimilar graphs with equal steps, local
variables being known by their position in the frame.  Only variables that the residual code mentions are compared.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import fields, is_dataclass
from typing import Any

from ...core.errors import Location
from ...core.model import Action, Deterministic, End, Self, Template, Variable
from ...semantics.interp import Interpreter
from ...semantics.state import State
from .touch import Toucher, reachable

Place = tuple[int, int]  # template, location


class ResidualModelCode:
    """What processes of a model will still do: are two of them alike from here on?"""

    def __init__(self, interpreter: Interpreter, toucher: Toucher) -> None:
        self.interpreter, self.model = interpreter, interpreter.model
        self.keys: dict[int, tuple[Any, Hashable]] = {}
        everything = [a.step for t in self.model.templates for a in t.actions]
        # SOUND: nobody looks at processes by number, and nobody can tell in which order they die.
        self.usable = not toucher.watched and not any(isinstance(s, End) for s in everything)
        self.classes = self.refined() if self.usable else {}
        self.facts: dict[Place, tuple[bool, tuple[int, ...]]] = {}

    def alike(self, state: State, first: int, second: int) -> bool:
        """Is exchanging the two processes an automorphism from this state on?"""
        a, b = state.processes[first], state.processes[second]
        if not self.usable or a.priority != b.priority or a.stack or b.stack:
            return False
        if self.classes[a.template, a.location] != self.classes[b.template, b.location]:
            return False
        blind, slots = self.fact((a.template, a.location))
        # SOUND: neither knows its own number any more, and the rest of the state is plain data for all.
        return blind and all(a.frame[s] == b.frame[s] for s in slots)

    def fact(self, place: Place) -> tuple[bool, tuple[int, ...]]:
        """Is the residual code without `_pid` and channels of its own, and which local slots does it mention?"""
        if place not in self.facts:
            template = self.model.templates[place[0]]
            seen: set[int] = set()
            blind = not template.channels
            for action in reachable(self.interpreter.leaving[place[0]], place[1]):
                for thing in _inside(self.steps(template, action)):
                    blind = blind and not isinstance(thing, Self)
                    if isinstance(thing, Variable) and thing.is_local:
                        seen |= set(range(thing.base, thing.base + thing.size))
            self.facts[place] = (blind, tuple(sorted(seen)))
        return self.facts[place]

    @staticmethod
    def steps(template: Template, action: Action) -> list[Any]:
        if isinstance(action.step, Deterministic):
            return [a.step for a in template.actions if a.source in action.step.inside]
        return [action.step]

    # ---------------------------------------------------------------- bisimulation

    def refined(self) -> dict[Place, int]:
        """The coarsest partition of places by what leaves them and where that leads."""
        places = [
            (t, location)
            for t, template in enumerate(self.model.templates)
            for location in sorted({template.entry, *(x for a in template.actions for x in (a.source, a.target))})
        ]
        classes = dict.fromkeys(places, 0)
        while True:
            names: dict[Hashable, int] = {}
            following = {p: names.setdefault((classes[p], self.look(p, classes)), len(names)) for p in places}
            if len(names) == len(set(classes.values())):
                return classes
            classes = following

    def look(self, place: Place, classes: dict[Place, int]) -> Hashable:
        number, location = place
        template = self.model.templates[number]
        leaving = self.interpreter.leaving[number].get(location, [])
        return (
            location in template.end_locations,
            tuple((self.step_key(template, a), classes[number, a.target], a.keeps_control, a.escape) for a in leaving),
        )

    def step_key(self, template: Template, action: Action) -> Hashable:
        if isinstance(action.step, Deterministic):
            return (template.name, action.id)  # d_steps are alike only if they are the same one
        return self.key(action.step), tuple(v.base for v in action.clears)

    def key(self, thing: Any) -> Hashable:
        known = self.keys.get(id(thing))
        if known is None:
            known = self.keys[id(thing)] = (thing, self.make_key(thing))
        return known[1]

    def make_key(self, thing: Any) -> Hashable:
        """A part of a step without the places and words of the source."""
        if isinstance(thing, Variable):
            return (thing.is_local, thing.base, thing.shape, thing.type)
        if isinstance(thing, tuple):
            return tuple(map(self.key, thing))
        if isinstance(thing, Action):
            return (self.key(thing.step), tuple(v.base for v in thing.clears))
        if is_dataclass(thing) and not isinstance(thing, type):
            shown = [f.name for f in fields(thing) if f.name not in ("location", "text")]
            return (type(thing).__name__, *(self.key(getattr(thing, name)) for name in shown))
        assert not isinstance(thing, Location)
        return thing  # type: ignore[no-any-return]


def _inside(thing: Any) -> list[Any]:
    """All parts of a step."""
    found, todo = [], [thing]
    while todo:
        part = todo.pop()
        found.append(part)
        if isinstance(part, tuple | list):
            todo += part
        elif is_dataclass(part) and not isinstance(part, type | Variable | Location):
            todo += [getattr(part, f.name) for f in fields(part)]
    return found
