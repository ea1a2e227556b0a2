"""A state as labelled edges between processes: what refinement looks at.

Reference: docs/develop/architecture.md, decision 5; Bosnacki et al., Definition 1 (arrays by and of pids), generalised.
Differs: nothing is said about arrays.  A movable belongs to the processes whose places decide its own: `flag[2]` to
process 2, `knows[1][2]` to 1 and 2.  A slot with its value is an edge.  The values of scalarsets are points like
processes: what is said of pids here holds for them too.
"""

from __future__ import annotations

from ...core.model import Scalar, is_pointer
from ...semantics.state import State
from ..detection.specialise import FixedFacts
from ..detection.symmetries import Symmetries
from ..protocol import Name
from .objects import ObjectEdges
from .owners import LabelledEdge, Owner, Owners


class Shape:
    """What of a state matters to symmetries, and its edges."""

    def __init__(self, symmetries: Symmetries) -> None:
        assert symmetries.population is not None
        assert symmetries.sorts is not None
        self.symmetries, self.sorts = symmetries, symmetries.sorts
        self.moved = symmetries.moved
        self.owners = Owners(symmetries, self.sorts)
        self.owned, self.values, self.label = self.owners.owned, self.owners.values, self.owners.label
        self.constant = _constant_slots(symmetries)
        self.globals = self.slot_table()
        self.frames = self.frame_tables()
        self.places = self.location_tables()
        self.channels = self.channel_table()
        self.objects = None if symmetries.heap is None else ObjectEdges(self.owners, symmetries)

    # ---------------------------------------------------------------- tables: what matters in a state

    def slot_table(self) -> list[tuple[int, Owner, dict[int, Owner]]]:
        """The global slots that say something about processes: slot, owner, and the owners of its values."""
        table = []
        for variable in self.symmetries.model.globals:
            for i in range(variable.size):
                slot = variable.base + i
                owner, values = self.owned(("global", slot)), self.values(("global", variable.base))
                if self.is_address(variable.type):
                    continue
                if (owner.orbit >= 0 or values) and ("global", slot) not in self.constant:
                    table.append((slot, owner, values))
        return table

    def is_address(self, kind: Scalar) -> bool:
        """SOUND: where heaps are folded, an address means nothing; `objects.py` says what it points to."""
        return self.symmetries.heap is not None and is_pointer(kind)

    def objects_in(self, state: State) -> int:
        return 0 if self.objects is None else self.objects.count(state)

    def frame_tables(self) -> list[list[tuple[int, Owner, dict[int, Owner]]]]:
        """The same for local variables, by pid."""
        assert self.symmetries.population is not None
        tables = []
        for pid, process in enumerate(self.symmetries.population.state.processes):
            table = []
            template = self.symmetries.model.templates[process.template]
            for variable in template.locals:
                if self.is_address(variable.type):
                    continue
                values = self.values(("local", template.name, variable.base))
                for i in range(variable.size):
                    owner = self.owned(("local", pid, variable.base + i))
                    if (owner.orbit >= 0 or values) and ("local", pid, variable.base + i) not in self.constant:
                        table.append((variable.base + i, owner, values))
            tables.append(table)
        return tables

    def location_tables(self) -> list[dict[int, Owner]]:
        tables: list[dict[int, Owner]] = [{} for _ in range(self.symmetries.processes)]
        for name, owner in self.owners.owner.items():
            if name[0] == "loc":
                tables[int(name[1])][int(name[2])] = owner
        return tables

    def channel_table(self) -> list[tuple[int, Owner, list[dict[int, Owner]]]]:
        table = []
        for c, kind in enumerate(self.sorts.channel_types):
            fields = [self.values(("field", c, i)) for i in range(len(kind.fields))]
            owner = self.owned(("chan", c))
            if owner.orbit >= 0 or any(fields):
                table.append((c, owner, fields))
        return table

    @property
    def has_links(self) -> bool:
        """Can something that belongs to a process name a process?  (Arrays from pids to pids, in the papers' words.)"""
        if self.symmetries.model.objects:
            return True  # objects name processes, and each other
        slots = [entry for table in (self.globals, *self.frames) for entry in table]
        links = any(owner.orbit >= 0 and values for _, owner, values in slots)
        links |= any(owner.orbit >= 0 and any(fields) for _, owner, fields in self.channels)
        return links or any(len(o.of) != 1 or o.among for o in self.owners.owner.values())

    # ---------------------------------------------------------------- edges

    def edges(self, state: State) -> list[LabelledEdge]:
        """All edges of a state; objects have their own (`objects.py`)."""
        found: list[LabelledEdge] = []
        for slot, owner, values in self.globals:
            self.edge(found, 1, owner, state.values[slot], values)
        for pid, process in enumerate(state.processes):
            place = self.places[pid].get(process.location)
            if place is not None:
                found.append(LabelledEdge(self.label((2, place.orbit, process.priority)), place.of, place.among))
            for slot, owner, values in self.frames[pid]:
                self.edge(found, 3, owner, process.frame[slot], values)
        for c, owner, fields in self.channels:
            if c < len(state.channels):
                self.contents(found, c, owner, state.channels[c].messages, fields)
        if self.symmetries.model.uses_last and (last := self.owners.owner.get(("pid", state.last))) is not None:
            found.append(LabelledEdge(self.label((4,)), last.of, last.among))
        return found

    def object_edges(self, state: State) -> list[LabelledEdge]:
        """What the heap adds, between processes and objects."""
        return [] if self.objects is None else self.objects.edges(state)

    def edge(self, found: list[LabelledEdge], kind: int, owner: Owner, value: int, values: dict[int, Owner]) -> None:
        held = values.get(value)
        if held is None:
            if owner.orbit >= 0:
                found.append(LabelledEdge(self.label((kind, owner.orbit, value)), owner.of, owner.among))
            return
        label = self.label((kind, owner.orbit, held.orbit, "held"))
        found.append(LabelledEdge(label, owner.of + held.of, owner.among + held.among))

    def contents(
        self, found: list[LabelledEdge], c: int, owner: Owner, messages: tuple[tuple[int, ...], ...],
        fields: list[dict[int, Owner]],
    ) -> None:  # fmt: skip
        """How many messages a channel has, and whom each field names."""
        if owner.orbit >= 0:
            found.append(LabelledEdge(self.label((5, owner.orbit, len(messages))), owner.of, owner.among))
        for position, message in enumerate(messages):
            for i, (value, values) in enumerate(zip(message, fields, strict=True)):
                if not self.is_address(self.sorts.channel_types[c].fields[i]):
                    self.edge(found, 6 + position * 64 + i, owner, value, values)


def _constant_slots(symmetries: Symmetries) -> set[Name]:
    """Slots that say nothing, since they never change or do not count."""
    assert symmetries.population is not None
    known, found = FixedFacts(symmetries.model, symmetries.population), set[Name]()
    for variable in symmetries.model.globals:
        for slot in range(variable.base, variable.base + variable.size):
            if variable.hidden or known.value(0, variable, slot) is not None:
                found.add(("global", slot))
    for pid, process in enumerate(symmetries.population.state.processes):
        template = symmetries.model.templates[process.template]
        cleared = {v.base for a in template.actions for v in a.clears}
        for variable in template.locals:
            for slot in range(variable.base, variable.base + variable.size):
                if variable.base not in cleared and known.value(pid, variable, slot) is not None:
                    found.add(("local", pid, slot))
    return found
