"""A model as diagrams: everything that a search needs, and the way back to states."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property

from ....core.records import dataclass
from ....semantics.state import State
from ..backend import Bdd, Bits, Manager, conjunction, disjunction
from .constants import constant_bits, literal, simplified
from .image import SetTransition, images
from .initial import Initial, cube
from .layout import DEAD, Codec, Key
from .pointers import PointerMoves, PointerSteps
from .start import Begin
from .transitions import TransitionSystem
from .world import Change, Encoding, SymbolicViolation, World

Renamed = tuple[Key, Key, dict[int, int]]  # which part goes where, and how its values change


@dataclass
class Problem:
    """What is searched.  Bits that never change are in none of the diagrams."""

    encoding: Encoding
    codec: Codec
    constant: dict[int, bool]
    changes: list[Change]
    images: list[SetTransition]
    initial: Bdd
    events: list[SymbolicViolation]
    deadlocks: list[SymbolicViolation]  # as far as steps through pointers do not lead out of them
    pointers: PointerSteps  # what is not written down, but taken by the states at hand
    bits: int  # of a state
    stored: Bdd  # the states that are counted: nobody is inside an atomic sequence
    valid: Bdd  # what a state can be at all
    doubts: Bdd  # states in which a value does not fit: never reached

    @property
    def manager(self) -> Manager:
        return self.encoding.manager

    def state(self, bits: Bits) -> tuple[State, int | None]:
        return self.codec.state({**bits, **self.constant})

    def one(self, bits: Bits) -> Bdd:
        """The set of one state."""
        result = self.manager.true
        for bit in self.free_bits(reverse=True):
            variable = self.manager.variable(bit)
            result = result & (variable if bits.get(bit, False) else ~variable)
        return result

    def wrong(self, states: Bdd, taken: PointerMoves) -> Iterator[SymbolicViolation]:
        """All violations that these states may show."""
        yield from self.events
        yield from taken.events
        if self.deadlocks:
            stuck = self.pointers.stuck(states)
            yield from (replace(e, condition=e.condition & stuck) for e in self.deadlocks)

    def steps(self, states: Bdd, taken: PointerMoves) -> Iterator[tuple[SetTransition, Bdd]]:
        """All transitions, and which of the states may take them."""
        yield from ((image, states) for image in self.images)
        yield from taken.steps

    @cached_property
    def everything(self) -> PointerMoves:
        """The steps through pointers of all states that there could be."""
        return self.pointers.take(self.valid, reached=False)

    def free_bits(self, reverse: bool = False) -> list[int]:
        bits = (b for part in self.encoding.layout.fields.values() for b in part.bits if b not in self.constant)
        return sorted(bits, reverse=reverse)

    def some(self, states: Bdd) -> dict[int, bool]:
        """One of the states, with all its bits."""
        picked = self.manager.pick(states)
        return {bit: picked.get(bit, False) for bit in self.free_bits()} | self.constant


def encode(
    codec: Codec, begin: Begin, manager: Manager, deadlock: bool, named: list[Renamed], tick: Callable[[], None]
) -> Problem:
    """May refuse: see `Refused`.  The bits of parts that are `named` are kept, unless their only value stays."""
    layout = codec.layout
    machine = TransitionSystem(Encoding(layout, manager, tick))
    if begin.states or begin.before:
        initial = disjunction(manager, (cube(machine, codec, s) for s in begin.states))
    else:
        initial = Initial(machine).states()
    changes = machine.changes()
    pointers = PointerSteps(machine)
    events = [*_merged(machine.encoding.events), *_invariants(machine, pointers)]
    stuck = _merged(list(deadlocks(machine)) if deadlock else [])
    touched = set(pointers.touched())
    bits = [b for part in layout.fields.values() for b in part.bits]
    constant = _constant(machine, initial, changes, named, touched)
    keep = manager.substitution({bit: literal(manager, value) for bit, value in constant.items()})

    def without(f: Bdd) -> Bdd:
        return manager.substitute(f, keep)

    encoding = machine.encoding
    encoding.settle(keep)
    pointers.settle(constant, keep)
    simple = [c for change in changes if (c := simplified(manager, change, constant)).guard != manager.false]
    return Problem(
        encoding,
        codec,
        constant,
        simple,
        images(manager, simple),
        without(initial),
        [e for event in events if (e := replace(event, condition=without(event.condition))).condition != manager.false],
        [replace(event, condition=without(event.condition)) for event in stuck],
        pointers,
        len(bits) - len(constant),
        without(machine.free),
        without(valid(machine)),
        without(disjunction(manager, machine.encoding.doubts)),
    )


def _constant(
    machine: TransitionSystem, initial: Bdd, changes: list[Change], named: list[Renamed], touched: set[Key]
) -> dict[int, bool]:
    """The bits that never change; those of a part whose values symmetries rename only if its one value is kept."""
    fields, written = machine.layout.fields, {bit for change in changes for bit in change.changes}
    kept = touched | {
        key for key, target, _ in named if key != target or (key in fields and written & set(fields[key].bits))
    }  # fmt: skip
    while True:
        candidates = [b for key, part in fields.items() if key not in kept for b in part.bits]
        found = constant_bits(machine.manager, initial, candidates, changes)
        # SOUND: what is kept may be what the induction over the others rests on, so it begins again.
        rest = [(key, rename) for key, _, rename in named if key in fields and key not in kept]
        moved = {key for key, rename in rest if not _stays(found, fields[key].bits, rename)}
        if not moved:
            return found
        kept |= moved


def _stays(constant: dict[int, bool], bits: tuple[int, ...], rename: dict[int, int]) -> bool:
    """Has a part one value, and is that not renamed?"""
    known = [constant[b] for b in bits if b in constant]
    return len(known) == len(bits) and sum(bit << i for i, bit in enumerate(known)) not in rename


def _merged(events: list[SymbolicViolation]) -> list[SymbolicViolation]:
    """One event for each kind, place and action."""
    found: dict[tuple[object, ...], SymbolicViolation] = {}
    for event in events:
        key = (event.kind, event.location, event.pid is None, event.executed)
        known = found.get(key)
        found[key] = event if known is None else replace(known, condition=known.condition | event.condition)
    return list(found.values())


def _invariants(machine: TransitionSystem, pointers: PointerSteps) -> Iterator[SymbolicViolation]:
    """Looked at in states that are stored."""
    for invariant in machine.layout.model.invariants:
        # Conjunct by conjunct: of all processes together, the diagram may be exponential in their number.
        for part in pointers.watch(invariant):
            holds = machine.evaluator.truth(World(machine.encoding, 0, machine.manager.true), part)
            yield SymbolicViolation(
                machine.free & ~holds, "invariant", f"{invariant.name} does not hold", invariant.location
            )


def deadlocks(machine: TransitionSystem) -> Iterator[SymbolicViolation]:
    """Nothing moves, and somebody is where no run may end; told by the first of those."""
    stuck = machine.free & ~machine.moving
    for pid, template in enumerate(machine.layout.templates):
        ends = [machine.encoding.is_at(pid, x) for x in machine.layout.places[pid]
                if x == DEAD or x in template.end_locations]  # fmt: skip
        for location, actions in machine.leaving[pid].items():
            if location in machine.layout.places[pid] and location not in template.end_locations:
                here = stuck & machine.encoding.is_at(pid, location)
                yield SymbolicViolation(here, "deadlock", "invalid end state", actions[0].location)
        stuck = stuck & disjunction(machine.manager, ends)


def valid(machine: TransitionSystem) -> Bdd:
    """Values that exist: places of processes, and who holds control."""
    numbers, layout = machine.numbers, machine.layout
    most: dict[Key, int] = {("at", pid): len(places) - 1 for pid, places in enumerate(layout.places)}
    most |= {("control",): len(layout.templates)}
    most |= {("length", c): queue.type.capacity for c, queue in enumerate(layout.queues)}
    parts = [~numbers.less(numbers.constant(high), machine.encoding.now[key])
             for key, high in most.items() if key in layout.fields]  # fmt: skip
    for key, variable in layout.variables.items():
        if key in layout.fields:
            owner = layout.templates[int(key[1])].name if key[0] == "local" else ""
            low, high = layout.bounds(owner, variable)
            value = machine.encoding.now[key]
            parts += [~numbers.less(numbers.constant(high), value), ~numbers.less(value, numbers.constant(low))]
    return conjunction(machine.manager, reversed(parts))
