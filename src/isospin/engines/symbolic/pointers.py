"""Steps through pointers: encoded way by way, when the first state comes that goes this way.

Reference: Wang et al., section 5 (`indirect_ref`, `indirect_condition`, `indirect_assignment`).
Differs: no condition over all states is built for `x->y->z`.  The states at hand are split by whom x names, then by
whom y of that process names, and so on; empty parts are dropped at once.  When all pointers of a step are known, the
step is an ordinary one, which is encoded once and kept.  Ways that no state ever goes never come into being.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ...core.errors import InternalError
from ...core.model import (
    Action,
    AtLabel,
    Binary,
    Bounded,
    Const,
    Else,
    Expr,
    Invariant,
    Place,
    RemoteRead,
    Self,
    Transition,
)
from ...semantics.walk import expressions, subexpressions
from ...transform.inactive import may_fault
from .backend import Bdd, Substitution, disjunction
from .image import Image, images
from .layout import Key
from .numbers import Number
from .world import Change, SymbolicViolation, Unknown, World

if TYPE_CHECKING:
    from .steps import TransitionSystem

TRUE = Const(1)


def follows_pointer(e: Expr) -> bool:
    """Is a variable or the mode of a process read whose number is known only in a state?"""
    for part in subexpressions(e):
        if isinstance(part, Place) and part.variable.owned and not is_fixed(part.indices[0]):
            return True
        if isinstance(part, AtLabel | RemoteRead) and part.pid is not None and not is_fixed(part.pid):
            return True
    return False


def is_fixed(e: Expr) -> bool:
    return isinstance(e, Const | Self)


def _conjuncts(e: Expr) -> list[Expr]:
    if isinstance(e, Binary) and e.op == "&&":
        return _conjuncts(e.left) + _conjuncts(e.right)
    return [e]


@dataclass(frozen=True)
class Work:
    """What is done when the pointers are known: a step, or a look at an invariant."""

    pid: int
    where: Bdd  # no other states need to be looked at
    action: Action | None = None
    invariant: Invariant | None = None
    condition: Expr = TRUE  # the part of the guard, or of the invariant, that follows pointers

    @property
    def step(self) -> Transition:
        assert self.action is not None
        assert isinstance(self.action.step, Transition)
        return self.action.step


@dataclass
class _Way:
    """All pointers are known: an ordinary step."""

    changes: list[Change]
    images: list[Image]
    events: list[SymbolicViolation]
    enabled: Bdd
    doubts: Bdd  # states in which a value does not fit: never reached


@dataclass
class _Fork:
    """A pointer is not known yet: the ways, by its value."""

    facts: dict[Number, Number]
    number: Number
    values: list[tuple[int, Bdd]]
    ways: dict[int, _Way | _Fork] = field(default_factory=dict)


@dataclass
class Taken:
    """What the states at hand can do through pointers."""

    steps: list[tuple[Image, Bdd]] = field(default_factory=list)  # who goes which way
    events: list[SymbolicViolation] = field(default_factory=list)
    executed: set[int] = field(default_factory=set)


class Pointers:
    def __init__(self, machine: TransitionSystem) -> None:
        self.machine, self.space, self.manager = machine, machine.space, machine.manager
        self.works: list[Work] = []
        self.roots: list[_Way | _Fork | None] = []
        self.constant: dict[int, bool] = {}  # bits that never change
        self.equal: dict[Number, list[tuple[int, Bdd]]] = {}

    # ---------------------------------------------------------------- what is left for later

    def postpones(self, actions: list[Action], action: Action) -> bool:
        """Is the action one for this file?  Not where the order of the options counts."""
        if not isinstance(action.step, Transition) or any(isinstance(a.step, Else) or a.escape for a in actions):
            return False
        return any(follows_pointer(e) for e in expressions(action.step))

    def postpone(self, pid: int, action: Action, here: Bdd) -> None:
        assert isinstance(action.step, Transition)
        rest: Expr = TRUE
        for part in _conjuncts(action.step.guard):
            if follows_pointer(part) or may_fault(action.step.guard):
                rest = part if rest == TRUE else Binary("&&", rest, part)
            else:
                here = here & self.machine.evaluator.truth(World(self.space, pid, here), part)
        self.works.append(Work(pid, here, action, condition=rest))

    def watch(self, invariant: Invariant) -> list[Expr]:
        """Keeps the conjuncts that follow pointers; returns the others."""
        parts = _conjuncts(invariant.condition)
        for part in filter(follows_pointer, parts):
            self.works.append(Work(0, self.machine.free, invariant=invariant, condition=part))
        return [part for part in parts if not follows_pointer(part)]

    def settle(self, constant: dict[int, bool], keep: Substitution) -> None:
        """Some bits never change: they are in none of the diagrams any more."""
        self.constant = constant
        self.works = [replace(p, where=self.manager.substitute(p.where, keep)) for p in self.works]
        self.roots = [None] * len(self.works)

    def touched(self) -> Iterator[Key]:
        """All parts of the state that a step through pointers may change."""
        for work in self.works:
            if work.action is not None:
                yield "at", work.pid
                yield from (("global", v.base + work.pid) for v in work.action.clears)
                for assign in work.step.assigns:
                    yield from self.targets(work.pid, assign.place)

    def targets(self, pid: int, place: Place) -> Iterator[Key]:
        base = place.variable.base
        match place.indices:
            case ():
                yield "global", base
            case (Self(),):
                yield "global", base + pid
            case (Const(value),):
                yield "global", base + value
            case (index, *_):
                first = max(index.low, 0) if isinstance(index, Bounded) else 0
                yield from (("global", base + i) for i in range(first, place.variable.size))

    # ---------------------------------------------------------------- the states at hand

    def take(self, states: Bdd, reached: bool = True) -> Taken:
        """All steps of these states, and what goes wrong in them."""
        result = Taken()
        for k, work in enumerate(self.works):
            for way, part in self.ways(k, states):
                if reached and part & way.doubts != self.manager.false:
                    raise InternalError("a value does not fit into the bits that its range gave it")
                result.steps += [(image, part) for image in way.images]
                for event in way.events:
                    if (wrong := part & event.condition) != self.manager.false:
                        result.events.append(replace(event, condition=wrong))
                if work.action is not None and part & way.enabled != self.manager.false:
                    result.executed.add(work.action.id)
        return result

    def stuck(self, states: Bdd) -> Bdd:
        """Where no step through pointers can be taken."""
        for k, work in enumerate(self.works):
            if work.action is not None:
                ways = list(self.ways(k, states))
                states = states & ~disjunction(self.manager, (part & way.enabled for way, part in ways))
        return states

    def taken(self, states: Bdd) -> Iterator[Bdd]:
        """Where each step goes to its end."""
        for k, work in enumerate(self.works):
            if work.action is not None:
                guards = (part & c.guard for way, part in self.ways(k, states) for c in way.changes)
                yield disjunction(self.manager, guards)

    def ways(self, k: int, states: Bdd) -> Iterator[tuple[_Way, Bdd]]:
        """The ways that some of the states go, and which of them do."""
        work = self.works[k]
        here = states & work.where
        if here == self.manager.false:
            return
        root = self.roots[k]
        if root is None:
            root = self.roots[k] = self.encoded(work, work.where, {})
        todo: list[tuple[_Way | _Fork, Bdd]] = [(root, here)]
        while todo:
            node, part = todo.pop()
            if isinstance(node, _Way):
                yield node, part
                continue
            for value, equal in node.values:
                if (left := part & equal) != self.manager.false:
                    todo.append((self.onwards(work, node, value, equal), left))

    def onwards(self, work: Work, fork: _Fork, value: int, equal: Bdd) -> _Way | _Fork:
        found = fork.ways.get(value)
        if found is None:
            facts = fork.facts | {fork.number: self.machine.numbers.constant(value)}
            where = work.where
            for number, known in facts.items():
                where = where & self.machine.numbers.equal(number, known)
            found = fork.ways[value] = self.encoded(work, where, facts)
        return found

    # ---------------------------------------------------------------- one way

    def encoded(self, work: Work, where: Bdd, facts: dict[Number, Number]) -> _Way | _Fork:
        self.space.tick()
        before, self.space.events = self.space.events, []
        self.space.doubts.clear()
        try:
            return self.step(work, where, facts) if work.action is not None else self.look(work, where, facts)
        except Unknown as unknown:
            return _Fork(facts, unknown.number, self.by_value(unknown.number))
        finally:
            self.space.events = before

    def step(self, work: Work, where: Bdd, facts: dict[Number, Number]) -> _Way:
        assert work.action is not None
        machine = self.machine
        moves = machine.taken(work.pid, work.action, where, facts)
        changes = [Change(w.condition, self.new_bits(w), work.pid, w.ids) for w, _ in moves.ended]
        changes = [c for c in changes if c.guard != self.manager.false]
        made = images(self.manager, changes)
        doubts = disjunction(self.manager, self.space.doubts)
        return _Way(changes, made, self.space.events, moves.enabled, doubts)

    def look(self, work: Work, where: Bdd, facts: dict[Number, Number]) -> _Way:
        assert work.invariant is not None
        w = World(self.space, 0, where)
        w.facts = facts
        wrong = where & ~self.machine.evaluator.truth(w, work.condition)
        invariant = work.invariant
        event = SymbolicViolation(wrong, "invariant", f"{invariant.name} does not hold", invariant.location)
        return _Way([], [], [event], self.manager.false, self.manager.false)

    def new_bits(self, w: World) -> dict[int, Bdd]:
        return {bit: new for bit, new in self.machine.new_bits(w).items() if bit not in self.constant}

    def by_value(self, number: Number) -> list[tuple[int, Bdd]]:
        """All values that the number can have, and where."""
        found = self.equal.get(number)
        if found is None:
            numbers, half = self.machine.numbers, 1 << len(number) - 1
            low = 0 if number[-1] == self.manager.false else -half
            equal = ((v, numbers.equal(number, numbers.constant(v))) for v in range(low, half))
            found = self.equal[number] = [(v, f) for v, f in equal if f != self.manager.false]
        return found
