"""What a symmetry does to a state.

Reference: docs/develop/traps.md, "Processes and pids": what names a process, its variables or channels moves with it.
Differs: locations move too, where options of a choice name processes (`if :: to = 1 :: to = 2 fi`).
"""

from __future__ import annotations

from collections.abc import Callable

from ...core.errors import InternalError
from ...core.model import Call, Template
from ...core.permutation import Permutation
from ...core.records import dataclass
from ...semantics.calls import slots_of
from ...semantics.state import Cell, Channel, Process, State
from ...semantics.walk import parts_of
from ..detection.symmetries import Symmetries
from ..detection.value_class import ValueClass
from ..protocol import Name

Rename = dict[int, int]  # values that change; others stay
Slots = list[tuple[int, Rename | None]]  # for each slot, where it goes and what happens to its value


@dataclass(frozen=True)
class Moves:
    """A symmetry, made ready for states."""

    pids: Permutation
    globals: Slots
    frames: list[Slots]
    locations: list[Rename]
    channels: list[tuple[int, list[Rename | None]]]
    calls: list[dict[int, list[int]]]  # for each template and call, which slots are saved
    objects: list[list[Rename | None]]  # for each type of object, what happens to its fields
    is_identity: bool
    sees_last: bool  # `_last` is part of the state
    points: Permutation  # what it does to all points: the pids, then the scalarset values

    def apply(self, state: State) -> State:
        """The image of a state: everybody moves to the place of their image, with names changed on the way."""
        if self.is_identity:
            return state
        processes = list(state.processes)
        for pid, process in enumerate(state.processes):
            location = self.locations[pid].get(process.location, process.location)
            target = self.pids[pid]
            frame = _moved(self.frames[pid], process.frame)
            stack = tuple(self.moved_call(pid, process.template, call) for call in process.stack)
            processes[target] = Process(state.processes[target].template, location, frame, process.priority, stack)
        channels = list(state.channels)
        for c, channel in enumerate(state.channels):
            target, fields = self.channels[c]
            channels[target] = Channel(state.channels[target].type, _renamed(channel.messages, fields))
        last = self.pids[state.last] if self.sees_last and state.last < len(self.pids) else state.last
        heap = tuple(self.renamed_object(cell) for cell in state.heap)
        return State(_moved(self.globals, state.values), tuple(channels), tuple(processes), last, state.event, heap)

    def moved_call(self, pid: int, template: int, call: tuple[int, ...]) -> tuple[int, ...]:
        """What a call has saved moves as the variables do."""
        slots = self.calls[template][call[0]]
        place = {slot: i for i, slot in enumerate(slots, 1)}
        result = list(call)
        for slot, value in zip(slots, call[1:], strict=True):
            target, rename = self.frames[pid][slot]
            result[place[target]] = value if rename is None else rename.get(value, value)
        return tuple(result)

    def renamed_object(self, cell: Cell) -> Cell:
        """Objects stay where they are; the names of processes in them change."""
        renames = self.objects[cell.type]
        return Cell(cell.type, _renamed((cell.fields,), renames)[0]) if any(renames) else cell


def _saved_slots(template: Template) -> dict[int, list[int]]:
    steps = (s for a in template.actions for s in parts_of(a.step))
    return {s.site: slots_of(s.variables) for s in steps if isinstance(s, Call)}


def _moved(slots: Slots, frame: tuple[int, ...]) -> tuple[int, ...]:
    result = list(frame)
    for value, (target, rename) in zip(frame, slots, strict=True):
        result[target] = value if rename is None else rename.get(value, value)
    return tuple(result)


def _renamed(messages: tuple[tuple[int, ...], ...], fields: list[Rename | None]) -> tuple[tuple[int, ...], ...]:
    if not messages or not any(fields):
        return messages
    return tuple(tuple(v if r is None else r.get(v, v) for v, r in zip(m, fields, strict=True)) for m in messages)


class Actions:
    """The elements of a group as moves of states; made once, on demand."""

    def __init__(self, symmetries: Symmetries) -> None:
        assert symmetries.population is not None
        assert symmetries.sorts is not None
        self.symmetries, self.sorts = symmetries, symmetries.sorts
        self.state: State = symmetries.population.state
        self.number = {name: i for i, name in enumerate(symmetries.movables)}
        self.ready: dict[Permutation, Moves] = {}
        self.most = max((p for p in symmetries.moved if p < symmetries.processes), default=-1)

    def moves(self, element: Permutation) -> Moves:
        points = element[: self.symmetries.points]
        known = self.ready.get(points)
        if known is None:
            known = self.ready[points] = self.compile(element)
        return known

    def of_pids(self, pids: Permutation) -> Moves:
        """The symmetry that permutes the points (pids, then scalarset values) in this way."""
        if pids in self.ready:
            return self.ready[pids]
        element = self.symmetries.group.with_images(pids)
        if element is None:
            raise InternalError(f"the permutation {pids} is not a symmetry of the model")
        return self.moves(element)

    def is_born(self, state: State) -> bool:
        """Symmetries act only where all processes that they move exist, and no other can be born."""
        population = self.symmetries.population
        return population is not None and population.is_born(state, self.most)

    # ---------------------------------------------------------------- compiling

    def compile(self, element: Permutation) -> Moves:
        """What an element does, worked out once: where each slot goes, and how its values are renamed."""
        movables, model = self.symmetries.movables, self.symmetries.model
        image: Callable[..., Name] = lambda *name: movables[element[self.number[name]]]  # noqa: E731
        renames: dict[int, Rename | None] = {}

        def rename(one: ValueClass) -> Rename | None:
            if one.number not in renames:
                renames[one.number] = self.rename(one, element)
            return renames[one.number]

        slots_of = [
            (int(image("global", v.base + i)[1]), rename(self.sorts.variable(v, "")))
            for v in model.globals
            for i in range(v.size)
        ]
        frames: list[Slots] = []
        locations: list[Rename] = [{} for _ in self.state.processes]
        for pid, process in enumerate(self.state.processes):
            template = model.templates[process.template]
            frames.append([
                (int(image("local", pid, v.base + i)[2]), rename(self.sorts.variable(v, template.name)))
                for v in template.locals
                for i in range(v.size)
            ])  # fmt: skip
        for i, name in enumerate(movables):
            if name[0] == "loc" and movables[element[i]][2] != name[2]:
                locations[int(name[1])][int(name[2])] = int(movables[element[i]][2])
        channels = [
            (int(image("chan", c)[1]), [rename(self.sorts.field(c, i)) for i in range(len(kind.fields))])
            for c, kind in enumerate(self.sorts.channel_types)
        ]
        objects: list[list[Rename | None]] = [[]]
        for object_type in model.objects:
            sorts = [self.sorts.object_field(object_type.name, v) for v in object_type.fields for _ in range(v.size)]
            objects.append([rename(sort) for sort in sorts])
        calls = [_saved_slots(t) for t in model.templates]
        pids = element[: len(self.state.processes)]
        is_identity = element == self.symmetries.group.unit
        points = element[: self.symmetries.points]
        return Moves(pids, slots_of, frames, locations, channels, calls, objects, is_identity, model.uses_last, points)

    def rename(self, one: ValueClass, element: Permutation) -> Rename | None:
        return _rename_values(one, element, self.symmetries.movables) or None


def _rename_values(one: ValueClass, element: Permutation, movables: tuple[Name, ...]) -> Rename:
    """How the values of a class change."""
    found: Rename = {}
    if one.kind == "number":
        return found
    for name, target in zip(movables, element, strict=True):
        here, there = value_of(one, name), movables[target]
        if here is not None:
            found[here] = int(there[2]) if there[0] in ("value", "scalar") else int(there[1]) + (there[0] == "chan")
    return {a: b for a, b in found.items() if a != b}


def value_of(one: ValueClass, name: Name) -> int | None:
    """The value that a movable is in a class, if it is one."""
    if name[0] == "value" and name[1] == one.number:
        return int(name[2])
    if name[0] == "scalar" and one.scalarset == name[1]:
        return int(name[2])
    if name[0] == "pid" and one.kind == "pid":
        return int(name[1])
    if name[0] == "chan" and one.kind == "chan":
        return int(name[1]) + 1
    return None
