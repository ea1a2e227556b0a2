"""The heap as labelled edges between processes and objects: what refinement sees of it.

Reference: McKay and Piperno 2014 (vertices of several kinds in one refinement); Iosif's chains say only where to look.
Differs: an object is a vertex behind those of the processes.  Addresses occur nowhere, so renaming them changes
nothing; objects that the edges do not tell apart are told apart by chains once the processes are in place.
"""

from __future__ import annotations

from ...core.model import Variable, is_pointer
from ...semantics.heap import pointer_slots
from ...semantics.state import FREE, State
from ..detection.symmetries import Symmetries
from .owners import LabelledEdge, Owner, Owners


class ObjectEdges:
    """Made once for a model; `edges` for each state, whose heap must be folded already."""

    def __init__(self, owners: Owners, symmetries: Symmetries) -> None:
        assert symmetries.population is not None
        self.owners, self.model = owners, symmetries.model
        self.first = symmetries.points  # the vertex of the first object
        hidden = set(symmetries.interpreter.hidden)
        self.globals = [
            (slot, owners.owned(("global", slot)))
            for slot, _ in pointer_slots(self.model.globals)
            if slot not in hidden
        ]
        self.frames = [
            [
                (slot, owners.owned(("local", pid, slot)))
                for slot, _ in pointer_slots(self.model.templates[p.template].locals)
            ]
            for pid, p in enumerate(symmetries.population.state.processes)
        ]
        self.channels = [
            (c, owners.owned(("chan", c)), [i for i, f in enumerate(kind.fields) if is_pointer(f)])
            for c, kind in enumerate(owners.sorts.channel_types)
        ]
        self.fields = [[], *(self.fields_of(v.name, v.fields) for v in self.model.objects)]

    def fields_of(self, name: str, fields: tuple[Variable, ...]) -> list[tuple[int, bool, dict[int, Owner]]]:
        """For each field its offset, whether it is a pointer, and the values that belong to processes."""
        return [
            (v.base + i, is_pointer(v.type), self.owners.values(("object", name, v.base)))
            for v in fields
            for i in range(v.size)
        ]

    def count(self, state: State) -> int:
        """How many objects there are, with the deleted ones that are named."""
        most = len(state.heap)
        for slot, _ in self.globals:
            most = max(most, state.values[slot])
        for table, process in zip(self.frames, state.processes, strict=False):
            most = max([most, *(process.frame[slot] for slot, _ in table)])
        for c, _, fields in self.channels:
            for message in state.channels[c].messages if fields and c < len(state.channels) else ():
                most = max([most, *(message[i] for i in fields)])
        for cell in state.heap:
            most = max([most, *(cell.fields[i] for i, is_link, _ in self.fields[cell.type] if is_link)])
        return most

    def edges(self, state: State) -> list[LabelledEdge]:
        """Edges from whoever holds a pointer to the object, between objects, and to what objects name."""
        found: list[LabelledEdge] = []
        for slot, owner in self.globals:
            self.points(found, ("global", owner.orbit), owner, state.values[slot])
        for table, process in zip(self.frames, state.processes, strict=False):
            for slot, owner in table:
                self.points(found, ("local", owner.orbit), owner, process.frame[slot])
        for c, owner, fields in self.channels:
            for position, message in enumerate(state.channels[c].messages if c < len(state.channels) else ()):
                for i in fields:
                    self.points(found, ("message", owner.orbit, position, i), owner, message[i])
        # Places behind the last object that pointers name look like those between objects.
        for slot, cell in enumerate((*state.heap, *[FREE] * (self.count(state) - len(state.heap)))):
            self.object(found, self.first + slot, cell.type, cell.fields)
        return found

    def points(self, found: list[LabelledEdge], label: tuple[object, ...], owner: Owner, value: int) -> None:
        target = (self.first + value - 1,) if value else ()
        found.append(LabelledEdge(self.owners.label((*label, bool(value))), owner.of + target, owner.among))

    def object(self, found: list[LabelledEdge], vertex: int, kind: int, fields: tuple[int, ...]) -> None:
        """The edges of one object; plain fields are in the label of an edge to itself."""
        plain: list[int] = []
        for i, is_link, values in self.fields[kind]:
            value, held = fields[i], None
            if is_link:
                target = (self.first + value - 1,) if value else ()
                found.append(LabelledEdge(self.owners.label(("field", kind, i, bool(value))), (vertex, *target), ()))
            elif (held := values.get(value)) is not None:
                label = self.owners.label(("holds", kind, i, held.orbit))
                found.append(LabelledEdge(label, (vertex, *held.of), held.among))
            else:
                plain += (i, value)
        found.append(LabelledEdge(self.owners.label(("object", kind, *plain)), (vertex,), ()))
