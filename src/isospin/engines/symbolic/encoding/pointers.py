"""Steps through pointers: encoded way by way, when the first state comes that goes this way.

Reference: Wang et al., section 5 (`indirect_ref`, `indirect_condition`, `indirect_assignment`).
Differs: no condition over all states is built for `x->y->z`.  The states at hand are split by whom x names, then by
whom y of that process names, and so on; empty parts are dropped at once.  When all pointers of a step are known, the
step is an ordinary one, which is encoded once and kept.  Ways that no state ever goes never come into being.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace

from ....core.errors import InternalError
from ....core.model import Bounded, Const, Expr, Invariant, Place, Self
from ....core.records import dataclass
from ....semantics.walk import operands
from ..backend import Bdd, Substitution, disjunction
from .image import SetTransition, images
from .layout import Key
from .numbers import Number
from .postponed import PointerWork, follows_pointer
from .transitions import TransitionSystem
from .world import Change, SymbolicViolation, Unknown, World

FEW = 4  # values: so many are told apart as quickly bit by bit


@dataclass
class _Way:
    """All pointers are known: an ordinary step."""

    changes: list[Change]
    images: list[SetTransition]
    events: list[SymbolicViolation]
    enabled: Bdd
    doubts: Bdd  # states in which a value does not fit: never reached


@dataclass
class _Fork:
    """A pointer is not known yet: the ways, by its value."""

    where: Bdd  # no other states need to be looked at
    facts: dict[Number, Number]
    number: Number
    ways: dict[int, _Way | _Fork] = field(default_factory=dict)
    equal: dict[int, Bdd] = field(default_factory=dict)  # where the pointer has each of these values
    taken: int = 0  # how many ways the states went that came last


@dataclass
class PointerMoves:
    """What the states at hand can do through pointers."""

    steps: list[tuple[SetTransition, Bdd]] = field(default_factory=list)  # who goes which way
    events: list[SymbolicViolation] = field(default_factory=list)
    executed: set[int] = field(default_factory=set)


class PointerSteps:
    """The steps of a model through pointers, and the parts of its invariants that follow some."""

    def __init__(self, machine: TransitionSystem) -> None:
        self.machine, self.encoding, self.manager = machine, machine.encoding, machine.manager
        self.works = machine.postponed
        self.roots: list[_Way | _Fork | None] = []
        self.constant: dict[int, bool] = {}  # bits that never change

    # ---------------------------------------------------------------- what is left for later

    def watch(self, invariant: Invariant) -> list[Expr]:
        """Keeps the conjuncts that follow pointers; returns the others."""
        parts = list(operands(invariant.condition, "&&"))
        for part in filter(follows_pointer, parts):
            self.works.append(PointerWork(0, self.machine.free, invariant=invariant, condition=part))
        return [part for part in parts if not follows_pointer(part)]

    def settle(self, constant: dict[int, bool], keep: Substitution) -> None:
        """Some bits never change: they are in none of the diagrams any more; what no state can do is forgotten."""
        self.constant = constant
        works = (replace(p, where=self.manager.substitute(p.where, keep)) for p in self.works)
        self.works = [p for p in works if p.where != self.manager.false]
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
        """The global elements that an assignment may write."""
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

    def take(self, states: Bdd, reached: bool = True) -> PointerMoves:
        """All steps of these states, and what goes wrong in them."""
        result = PointerMoves()
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
            todo += [(self.onwards(work, node, value), left) for value, left in self.split(node, part)]

    def onwards(self, work: PointerWork, fork: _Fork, value: int) -> _Way | _Fork:
        found = fork.ways.get(value)
        if found is None:
            known = self.machine.numbers.constant(value)
            fork.equal[value] = self.machine.numbers.equal(fork.number, known)
            where = fork.where & fork.equal[value]
            found = fork.ways[value] = self.encoded(work, where, fork.facts | {fork.number: known})
        return found

    # ---------------------------------------------------------------- one way

    def encoded(self, work: PointerWork, where: Bdd, facts: dict[Number, Number]) -> _Way | _Fork:
        """The step in these states, or the number that has to be known first, to split them by it."""
        self.encoding.tick()
        before, self.encoding.events = self.encoding.events, []
        self.encoding.doubts.clear()
        try:
            return self.step(work, where, facts) if work.action is not None else self.look(work, where, facts)
        except Unknown as unknown:
            return _Fork(where, facts, unknown.number)
        finally:
            self.encoding.events = before

    def step(self, work: PointerWork, where: Bdd, facts: dict[Number, Number]) -> _Way:
        assert work.action is not None
        machine = self.machine
        moves = machine.taken(work.pid, work.action, where, facts)
        changes = [Change(w.condition, self.new_bits(w), work.pid, w.ids) for w, _ in moves.ended]
        changes = [c for c in changes if c.guard != self.manager.false]
        made = images(self.manager, changes)
        doubts = disjunction(self.manager, self.encoding.doubts)
        return _Way(changes, made, self.encoding.events, moves.enabled, doubts)

    def look(self, work: PointerWork, where: Bdd, facts: dict[Number, Number]) -> _Way:
        assert work.invariant is not None
        w = World(self.encoding, 0, where)
        w.facts = facts
        wrong = where & ~self.machine.evaluator.truth(w, work.condition)
        invariant = work.invariant
        event = SymbolicViolation(wrong, "invariant", f"{invariant.name} does not hold", invariant.location)
        return _Way([], [], [event], self.manager.false, self.manager.false)

    def new_bits(self, w: World) -> dict[int, Bdd]:
        return {bit: new for bit, new in self.machine.new_bits(w).items() if bit not in self.constant}

    def split(self, fork: _Fork, states: Bdd) -> list[tuple[int, Bdd]]:
        """The states by the values of the pointer; where most values come up each time, they are asked one by one."""
        found: list[tuple[int, Bdd]] = []
        if 2 * fork.taken > max(len(fork.ways), FEW):
            for value in sorted(fork.equal, reverse=True):
                if (part := states & fork.equal[value]) != self.manager.false:
                    found.append((value, part))
            states = states & ~disjunction(self.manager, fork.equal.values())
        if states != self.manager.false:
            found += self.by_value(fork.number, states)
        fork.taken = len(found)
        return found

    def by_value(self, number: Number, states: Bdd) -> Iterator[tuple[int, Bdd]]:
        """The values that the number has in these states, and where: asked bit by bit, so others cost nothing."""
        sign = len(number) - 1
        todo = [(sign if number[sign] != self.manager.false else sign - 1, 0, states)]
        while todo:
            i, value, part = todo.pop()
            if i < 0:
                yield value, part
                continue
            one = part & number[i]
            if one != part:
                todo.append((i - 1, value, part & ~number[i]))
            if one != self.manager.false:
                todo.append((i - 1, value + (-1 << i if i == sign else 1 << i), one))
