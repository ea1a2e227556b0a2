"""A strategy for a model as plain tables (`protocol.Folding`), for engines that are compiled.

Reference: `action.py` and `shape.py`, which say the same in functions.
Differs: only what some symmetry moves is there.  Locations and variables that simply go with their process are not
movables of their own.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from ...core.errors import UsageError
from ...core.permutation import Permutation, orbits
from ...semantics.state import State
from ..detection.births import Births
from ..detection.pid_places import PidVariable
from ..detection.symmetries import Symmetries
from ..detection.value_class import ValueClass
from ..protocol import (
    CANONICAL,
    Folding,
    Level,
    LiveNamesTables,
    LiveSetTables,
    LiveVariable,
    Movable,
    Name,
    Slot,
    Strategy,
)
from ..strategies.base import MOST_ELEMENTS, Base
from ..strategies.births import LiveSet
from .action import value_of
from .births import BirthFold, Remembered
from .owners import Owner

FIXED = Owner(-1)


def tables(symmetries: Symmetries, strategy: Strategy) -> Folding | None:
    """None if nothing is folded."""
    if isinstance(strategy, Base):
        return _Tables(symmetries, strategy).folding()
    if isinstance(strategy, LiveSet):
        return _live_set(symmetries, strategy.births)
    return None if symmetries.heap is None else _without_group(symmetries)


def _live_set(symmetries: Symmetries, fold: BirthFold) -> Folding:
    """The live processes are sorted."""
    births, record = fold.births, fold.record
    kept = (0, 0) if record is None else (record.template, record.location)
    live = LiveSetTables(births.base, births.movable, births.ended, births.keep, kept, _live_names(births))
    plain = _without_group(symmetries)
    return replace(
        plain, strategy="exact", folds_heap=False, live=live,
        move=lambda images, state: _moved(fold, images, state),
    )  # fmt: skip


def _live_names(births: Births) -> LiveNamesTables | None:
    """Where pids are data."""
    if births.pids is None:
        return None
    pids, starts = births.pids, births.starts
    globals_, locals_ = _variables(pids.globals), tuple(map(_variables, pids.locals))
    own = pids.own if pids.owns_channels else ()
    return LiveNamesTables(
        globals_, locals_, pids.fields, starts, births.bounded, births.cautious, own, pids.fixed
    )  # fmt: skip


def _variables(places: tuple[PidVariable, ...]) -> tuple[LiveVariable, ...]:
    found = []
    for place in places:
        v = place.variable
        known: dict[tuple[int, ...], int] = {}
        labels = tuple(known.setdefault(place.rest(i), v.base + len(known)) for i in range(v.size))
        pids = tuple(map(place.pids, range(v.size)))
        found.append(LiveVariable(v.base, v.size, place.values, pids, place.strides, labels, place.default))
    return tuple(found)


def _moved(fold: BirthFold, images: Permutation, state: State) -> State:
    """Where the images say; with none, as the fold itself would."""
    if not images:
        try:
            found = fold.images(state)
        except Remembered:
            return state
        return state if found is None else fold.move(found, state)
    return fold.move(images, state)


def _without_group(symmetries: Symmetries) -> Folding:
    """Only addresses are folded: no process moves."""
    return Folding(
        strategy="none", exactness=CANONICAL, order=1, points=0, processes=0, templates=(), channel_types=(), moved=(),
        families=(), has_links=False, creator=None, before=frozenset(), movables=(), levels=(), swaps=(), names=(),
        globals={}, locals=(), places=(), channels={}, objects=tuple({} for _ in symmetries.model.objects),
        folds_heap=True, constant=frozenset(), main={}, kinds=(), sees_last=False, live=None,
        move=lambda _, state: symmetries.settle(state),
    )  # fmt: skip


class _Tables:
    """Writes the tables of one strategy for one model."""

    def __init__(self, symmetries: Symmetries, strategy: Base) -> None:
        if strategy.name == "enumerate" and symmetries.order > MOST_ELEMENTS:
            raise UsageError(f"--symmetry enumerate: the group has {symmetries.order} elements; exact can do it")
        assert symmetries.sorts is not None
        self.symmetries, self.sorts, self.strategy = symmetries, symmetries.sorts, strategy
        self.shape, self.group = strategy.shape, symmetries.group
        self.regular = self.find_regular()
        self.kept = self.keep()
        self.number = {symmetries.movables[i]: new for new, i in enumerate(self.kept)}
        self.classes: dict[int, int] = {}  # number of a class of values -> its table of names
        self.names: list[dict[int, int]] = []

    def folding(self) -> Folding:
        """Everything about a strategy that a compiled engine needs."""
        found, one = self.symmetries, self.strategy
        population = found.population
        assert population is not None
        globals_ = {v.base + i: self.slot(("global", v.base + i), self.sorts.variable(v, ""))
                    for v in found.model.globals for i in range(v.size)}  # fmt: skip
        return Folding(
            strategy=one.name,
            exactness=one.exactness,
            order=found.order,
            points=found.points,
            processes=found.processes,
            templates=tuple(p.template for p in population.state.processes),
            channel_types=tuple(self.sorts.channel_types),
            moved=found.moved,
            families=tuple(map(tuple, one.families)) if found.fully_symmetric else (),
            has_links=self.shape.has_links,
            creator=population.creator,
            before=population.before,
            movables=tuple(self.movable(i) for i in self.kept),
            levels=tuple(self.levels()),
            swaps=tuple(self.swaps()),
            globals={i: slot for i, slot in globals_.items() if _is_moved(slot)},
            locals=tuple(self.frames()),
            places=tuple(self.locations(pid) for pid in range(found.processes)),
            channels=self.channels(),
            objects=self.objects(),
            folds_heap=found.heap is not None,
            names=tuple(self.names),
            constant=frozenset(self.shape.constant),
            main=self.main(),
            kinds=tuple({x: o.orbit for x, o in places.items()} for places in self.shape.places),
            sees_last=found.model.uses_last,
            live=None,
            move=self.move,
        )

    # ---------------------------------------------------------------- movables and elements

    def find_regular(self) -> set[Name]:
        """Locations and local variables that are the same in whatever process they end up."""
        movables, found = self.symmetries.movables, set[Name]()
        for orbit in orbits(self.group.generators, range(len(movables))):
            names = [movables[i] for i in orbit]
            if names[0][0] in ("local", "loc") and len({name[2] for name in names}) == 1:
                found |= set(names)
        return found

    def keep(self) -> list[int]:
        """The movables that need a number, by their old ones; points first."""
        movables, points = self.symmetries.movables, self.symmetries.points
        owned = self.shape.owners.owner
        return list(range(points)) + [
            i for i in range(points, len(movables)) if movables[i] in owned and movables[i] not in self.regular
        ]

    def movable(self, old: int) -> Movable:
        name = self.symmetries.movables[old]
        owner = self.shape.owners.owner.get(name, FIXED)
        value = int(name[2]) if name[0] in ("scalar", "value", "loc", "local") else int(name[1]) + (name[0] == "chan")
        return Movable(owner.orbit, owner.of, owner.among, value)

    def renumbered(self, element: Permutation) -> Permutation:
        movables = self.symmetries.movables
        return tuple(self.number[movables[element[i]]] for i in self.kept)

    def element(self, points: Permutation) -> Permutation:
        found = self.group.with_images(points)
        assert found is not None
        return self.renumbered(found)

    def levels(self) -> list[Level]:
        return [
            Level(level.point, {y: self.renumbered(t) for y, t in level.reach.items()})
            for level in self.group.levels
            if len(level.reach) > 1
        ]

    def swaps(self) -> list[Permutation]:
        """For strategies that sort by swaps, what they use; for others, all exchanges of two points."""
        if self.strategy.name in ("sorted", "flattened"):
            return [self.element(m.points) for m in self.strategy.swaps]
        found = []
        for a, b in combinations(self.symmetries.moved, 2):
            images = list(range(self.symmetries.points))
            images[a], images[b] = b, a
            element = self.group.with_images(tuple(images))
            if element is not None:
                found.append(self.renumbered(element))
        return found

    def move(self, points: Permutation, state: State) -> State:
        moved = self.strategy.actions.of_pids(points).apply(state) if points else state
        return self.symmetries.settle(moved)

    # ---------------------------------------------------------------- slots

    def slot(self, name: Name, *classes: ValueClass) -> Slot:
        return Slot(self.number.get(name, -1), tuple(map(self.table, classes)))

    def table(self, one: ValueClass) -> int:
        """The table of names of a class; negative if nothing in it moves."""
        if one.number not in self.classes:
            found = {}
            for name, owner in self.shape.owners.owner.items():
                value = None if one.kind == "number" or owner.orbit < 0 else value_of(one, name)
                if value is not None:
                    found[value] = self.number[name]
            self.classes[one.number] = len(self.names) if found else -1
            if found:
                self.names.append(found)
        return self.classes[one.number]

    def frames(self) -> list[dict[int, Slot]]:
        found = []
        for pid, template in enumerate(map(self.symmetries.model.template, self.symmetries.templates)):
            slots = {v.base + i: self.slot(("local", pid, v.base + i), self.sorts.variable(v, template.name))
                     for v in template.locals for i in range(v.size)}  # fmt: skip
            found.append({i: slot for i, slot in slots.items() if _is_moved(slot)})
        return found

    def locations(self, pid: int) -> dict[int, int]:
        return {int(n[2]): i for n, i in self.number.items() if n[0] == "loc" and n[1] == pid}

    def channels(self) -> dict[int, Slot]:
        found = {}
        for c, kind in enumerate(self.sorts.channel_types):
            slot = self.slot(("chan", c), *(self.sorts.field(c, i) for i in range(len(kind.fields))))
            if _is_moved(slot):
                found[c] = slot
        return found

    def objects(self) -> tuple[dict[int, Slot], ...]:
        found = []
        for object_type in self.symmetries.model.objects:
            slots = {v.base + i: Slot(-1, (self.table(self.sorts.object_field(object_type.name, v)),))
                     for v in object_type.fields for i in range(v.size)}  # fmt: skip
            found.append({i: slot for i, slot in slots.items() if _is_moved(slot)})
        return tuple(found)

    def main(self) -> dict[int, Name]:
        """By process; there is nothing to sort scalarset values by."""
        processes = self.symmetries.processes
        array = self.strategy.main_array
        if array in (None, "pc") or self.strategy.name not in ("segmented", "sorted-main"):
            return dict.fromkeys((p for p in self.symmetries.moved if p < processes), ("place",))
        slots = self.strategy.main_slots(str(array))
        return {p: ("local" if is_local else "global", slot) for p, (is_local, slot) in slots.items() if p < processes}


def _is_moved(slot: Slot) -> bool:
    return slot.movable >= 0 or any(table >= 0 for table in slot.names)
