"""What the generator needs to know about a model before it lays out the state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, fields, is_dataclass
from typing import Any

from ....analysis.ample import Ample
from ....core.model import (
    Action,
    Call,
    Chain,
    ChannelType,
    Enabled,
    End,
    Model,
    Run,
    Send,
    Template,
    Timeout,
    Variable,
    is_pointer,
)
from ....core.records import dataclass
from ....semantics.interp import Interpreter
from ....semantics.state import State
from ....semantics.walk import by_source, parts_of, stored
from ..codegen.automaton import ClaimAutomaton


def flat_actions(actions: tuple[Action, ...]) -> Iterator[Action]:
    """All actions, those inside chains included."""
    for action in actions:
        yield action
        if isinstance(action.step, Chain):
            yield from flat_actions(action.step.actions)


def nodes(part: Any) -> Iterator[Any]:
    """Every dataclass object inside expressions and steps; variables and actions are not entered."""
    if isinstance(part, tuple):
        for item in part:
            yield from nodes(item)
    elif is_dataclass(part) and not isinstance(part, Variable | Action):
        yield part
        for f in fields(part):
            yield from nodes(getattr(part, f.name))


@dataclass
class TemplateFacts:
    """A template with its locations in the order of their numbers in C."""

    template: Template
    number: int
    locations: list[int]  # the control points where a process can be between steps, entry first
    leaving: dict[int, list[Action]]
    looping: frozenset[int]  # locations on a cycle of steps that one atomic sequence may take

    def pc(self, location: int) -> int:
        """The location as it stands in a state."""
        return self.locations.index(location)


@dataclass
class Facts:
    """The model with all that the generator asks again and again."""

    model: Model
    interpreter: Interpreter
    initial: list[State]
    templates: list[TemplateFacts]
    channel_types: list[ChannelType]
    constants: dict[int, tuple[int, ...]]  # base of a global that nobody writes -> its values
    used: frozenset[type] = frozenset()
    dies: bool = False
    runs: bool = False
    by_name: dict[str, TemplateFacts] = field(default_factory=dict)
    ample: Ample | None = None  # where one process may move alone
    claim: ClaimAutomaton | None = None  # what the runs are searched for
    fair: bool = False  # only runs that are fair to every process
    several: bool = False  # threads search for them
    compresses: bool = False  # wide states are kept as pairs of halves: one thread, and nothing else needs them

    def tag(self, kind: str) -> int:
        """How a cell of the heap says what is in it."""
        return 1 + [o.name for o in self.model.objects].index(kind)

    @property
    def changes_processes(self) -> bool:
        return self.dies or self.runs


def gather(model: Model, interpreter: Interpreter, initial: list[State]) -> Facts:
    """Which channels, steps and expressions there are, which variables never change, whether processes come and go."""
    templates = [_template_facts(t, i) for i, t in enumerate(model.templates)]
    types: list[ChannelType] = []
    for new in (*model.channels, *(c for t in model.templates for c in t.channels)):
        if new.type not in types:
            types.append(new.type)
    actions = [a for t in model.templates for a in flat_actions(t.actions)]
    steps = [a.step for a in actions]
    used = {type(n) for s in steps for n in nodes(s)} | {type(n) for t in model.templates for n in nodes(t.provided)}
    return Facts(
        model,
        interpreter,
        initial,
        templates,
        types,
        constants(model, actions, initial),
        frozenset(used),
        dies=End in used,
        runs=Run in used,
        by_name={t.template.name: t for t in templates},
    )


def _template_facts(template: Template, number: int) -> TemplateFacts:
    """The locations that can be reached, and those on a loop inside of an atomic sequence."""
    leaving = by_source(template.actions)
    locations, todo = [template.entry], [template.entry]
    while todo:
        for action in leaving.get(todo.pop(), []):
            if action.target not in locations and not isinstance(action.step, End):
                locations.append(action.target)
                todo.append(action.target)
    # A sender in a rendezvous moves without control, and the control may come back to it.
    inside = [a for a in template.actions if a.keeps_control or any(isinstance(n, Send) for n in _parts(a))]
    ahead: dict[int, set[int]] = {here: set() for here in locations}
    for action in inside:
        ahead.setdefault(action.source, set()).add(action.target)
    looping = frozenset(here for here in locations if _reaches(ahead, here))
    return TemplateFacts(template, number, locations, leaving, looping)


def _parts(action: Action) -> Iterator[object]:
    return (a.step for a in flat_actions((action,)))


def _reaches(ahead: dict[int, set[int]], here: int) -> bool:
    """Can one come back to `here`?"""
    seen: set[int] = set()
    todo = list(ahead[here])
    while todo:
        there = todo.pop()
        if there == here:
            return True
        if there not in seen:
            seen.add(there)
            todo += ahead.get(there, ())
    return False


def calls_of(template: Template) -> dict[int, Call]:
    """The calls of a template by their sites."""
    steps = (s for a in template.actions for s in parts_of(a.step))
    return {s.site: s for s in steps if isinstance(s, Call)}


def constants(model: Model, actions: list[Action], initial: list[State]) -> dict[int, tuple[int, ...]]:
    """SOUND: only variables that no action writes and that have the same value in all initial states."""
    changed = {p.variable.base for a in actions for p in stored(a.step) if not p.variable.is_local}
    result = {}
    for v in model.globals:
        values = {s.values[v.base : v.base + v.size] for s in initial}
        if v.base not in changed and len(values) == 1:
            result[v.base] = values.pop()
    return result


def never_assigned(facts: Facts) -> Iterator[tuple[int, int]]:
    """Local variables that have one value as long as the process is there, by template and number.

    SOUND: no step stores into them, nothing forgets them, and no call saves them.
    """
    for t in facts.templates:
        actions = list(flat_actions(t.template.actions))
        changed = {p.variable.base for a in actions for p in stored(a.step) if p.variable.is_local}
        changed |= {v.base for a in actions for v in a.clears if not v.owned}
        if not calls_of(t.template):
            for number, v in enumerate(t.template.locals):
                if not v.shape and v.base not in changed and not is_pointer(v.type):
                    yield t.number, number


def uses_timeout(facts: Facts) -> bool:
    return Timeout in facts.used


def uses_enabled(facts: Facts) -> bool:
    claim = facts.claim is not None and facts.claim.sees_enabled
    return Enabled in facts.used or facts.model.uses_priority or claim
