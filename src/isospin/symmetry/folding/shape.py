"""A state as labelled edges between processes: what refinement looks at.

Reference: docs/develop/architecture.md, decision 5; Bosnacki et al., Definition 1 (arrays by and of pids), generalised.
Differs: nothing is said about arrays.  A thing that symmetries move belongs to the processes whose places decide its
own: `flag[2]` to process 2, `knows[1][2]` to 1 and 2.  A slot with its value is an edge.  The values of scalarsets are
points like processes: what is said of pids here holds for them too.
"""

from __future__ import annotations

from ...core.model import Scalar, is_pointer
from ...core.trace import Permutation
from ...semantics.state import State
from ..detection.detect import Symmetries
from ..detection.specialise import FixedFacts
from ..groups.group import compose, identity, inverse, orbits
from .action import value_of
from .objects import ObjectEdge, ObjectEdges, Owner, Pids

__all__ = ["ObjectEdge", "Owner", "Pids", "Shape"]


class Shape:
    """The owners of all things, and the edges of states."""

    def __init__(self, symmetries: Symmetries) -> None:
        assert symmetries.grown is not None
        assert symmetries.sorts is not None
        self.symmetries, self.sorts = symmetries, symmetries.sorts
        self.moved = symmetries.moved
        self.owner: dict[tuple[str | int, ...], Owner] = {}
        self.still = 0
        self.constant = _constant_slots(symmetries)
        self.find_owners()
        self.globals = self.slot_table()
        self.frames = self.frame_tables()
        self.places = self.location_tables()
        self.channels = self.channel_table()
        self.known: dict[object, int] = {}
        self.objects = None if symmetries.heap is None else ObjectEdges(self, symmetries)

    # ---------------------------------------------------------------- owners

    def find_owners(self) -> None:
        generators, things = self.symmetries.group.generators, self.symmetries.things
        for number, orbit in enumerate(orbits(generators, range(len(things)))):
            if len(orbit) > 1:
                for thing, owner in self.owners(number, orbit[0], len(orbit)).items():
                    self.owner[things[thing]] = owner

    def owners(self, number: int, first: int, size: int) -> dict[int, Owner]:
        transport = self.transport(first)
        stabiliser = self.stabiliser(transport)
        fixed = [p for p in self.moved if all(h[p] == p for h in stabiliser)]
        of = self.decisive(fixed, size)
        among: Pids = ()
        if len(self.tuple_orbit(of)) < size:
            parts = [o for o in orbits(stabiliser, self.moved) if 1 < len(o) < len(self.moved)]
            among = tuple(sorted(parts, key=len)[0]) if parts else ()
        return {
            thing: Owner(number, tuple(t[p] for p in of), tuple(sorted(t[p] for p in among)))
            for thing, t in transport.items()
        }

    def transport(self, first: int) -> dict[int, Permutation]:
        """For each thing of an orbit, an element (on points) that moves the first one there."""
        size = self.symmetries.points
        reached, todo = {first: identity(size)}, [first]
        while todo:
            thing = todo.pop()
            for g in self.symmetries.group.generators:
                if g[thing] not in reached:
                    reached[g[thing]] = compose(g[:size], reached[thing])
                    todo.append(g[thing])
        return reached

    def stabiliser(self, transport: dict[int, Permutation]) -> list[Permutation]:
        """Schreier generators, on points."""
        size = self.symmetries.points
        found = {
            compose(inverse(transport[g[thing]]), compose(g[:size], t))
            for thing, t in transport.items()
            for g in self.symmetries.group.generators
        }
        return sorted(found)

    def decisive(self, fixed: list[int], size: int) -> Pids:
        """As few of the fixed pids as possible whose places decide the place of the thing."""
        of: Pids = ()
        for pid in sorted(fixed, key=lambda p: (len(self.tuple_orbit((p,))) != size, p)):
            if len(self.tuple_orbit(of)) == size:
                break
            if len(self.tuple_orbit((*of, pid))) > len(self.tuple_orbit(of)):
                of = (*of, pid)
        return of

    def tuple_orbit(self, points: Pids) -> set[Pids]:
        seen, todo = {points}, [points]
        while todo:
            here = todo.pop()
            for g in self.symmetries.group.generators:
                there = tuple(g[p] for p in here)
                if there not in seen:
                    seen.add(there)
                    todo.append(there)
        return seen

    # ---------------------------------------------------------------- tables: what matters in a state

    def slot_table(self) -> list[tuple[int, Owner, dict[int, Owner]]]:
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

    def owned(self, thing: tuple[str | int, ...]) -> Owner:
        """The owner of a thing; one of its own kind for each thing that stays where it is."""
        owner = self.owner.get(thing)
        if owner is None:
            self.still += 1
            return Owner(-self.still)
        return owner

    def frame_tables(self) -> list[list[tuple[int, Owner, dict[int, Owner]]]]:
        assert self.symmetries.grown is not None
        tables = []
        for pid, process in enumerate(self.symmetries.grown.state.processes):
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
        for name, owner in self.owner.items():
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
        return links or any(len(o.of) != 1 or o.among for o in self.owner.values())

    def values(self, key: tuple[str | int, ...]) -> dict[int, Owner]:
        """The values of a class that belong to processes."""
        one = self.sorts.of(key)
        found = {}
        for name, owner in self.owner.items():
            value = None if one.kind == "number" else value_of(one, name)
            if value is not None:
                found[value] = owner
        return found

    # ---------------------------------------------------------------- edges

    def edges(self, state: State) -> list[ObjectEdge]:
        found: list[ObjectEdge] = []
        for slot, owner, values in self.globals:
            self.edge(found, 1, owner, state.values[slot], values)
        for pid, process in enumerate(state.processes):
            place = self.places[pid].get(process.location)
            if place is not None:
                found.append(ObjectEdge(self.label((2, place.orbit, process.priority)), place.of, place.among))
            for slot, owner, values in self.frames[pid]:
                self.edge(found, 3, owner, process.frame[slot], values)
        for c, owner, fields in self.channels:
            if c < len(state.channels):
                self.contents(found, c, owner, state.channels[c].messages, fields)
        if self.symmetries.model.uses_last and (last := self.owner.get(("pid", state.last))) is not None:
            found.append(ObjectEdge(self.label((4,)), last.of, last.among))
        return found

    def object_edges(self, state: State) -> list[ObjectEdge]:
        """What the heap adds, between processes and objects."""
        return [] if self.objects is None else self.objects.edges(state)

    def edge(self, found: list[ObjectEdge], kind: int, owner: Owner, value: int, values: dict[int, Owner]) -> None:
        held = values.get(value)
        if held is None:
            if owner.orbit >= 0:
                found.append(ObjectEdge(self.label((kind, owner.orbit, value)), owner.of, owner.among))
            return
        label = self.label((kind, owner.orbit, held.orbit, "held"))
        found.append(ObjectEdge(label, owner.of + held.of, owner.among + held.among))

    def contents(
        self, found: list[ObjectEdge], c: int, owner: Owner, messages: tuple[tuple[int, ...], ...],
        fields: list[dict[int, Owner]],
    ) -> None:  # fmt: skip
        if owner.orbit >= 0:
            found.append(ObjectEdge(self.label((5, owner.orbit, len(messages))), owner.of, owner.among))
        for position, message in enumerate(messages):
            for i, (value, values) in enumerate(zip(message, fields, strict=True)):
                if not self.is_address(self.sorts.channel_types[c].fields[i]):
                    self.edge(found, 6 + position * 64 + i, owner, value, values)

    def label(self, parts: tuple[object, ...]) -> int:
        return self.known.setdefault(parts, len(self.known))


def _constant_slots(symmetries: Symmetries) -> set[tuple[str | int, ...]]:
    """Slots that say nothing, since they never change or do not count."""
    assert symmetries.grown is not None
    known, found = FixedFacts(symmetries.model, symmetries.grown), set[tuple[str | int, ...]]()
    for variable in symmetries.model.globals:
        for slot in range(variable.base, variable.base + variable.size):
            if variable.hidden or known.value(0, variable, slot) is not None:
                found.add(("global", slot))
    for pid, process in enumerate(symmetries.grown.state.processes):
        template = symmetries.model.templates[process.template]
        cleared = {v.base for a in template.actions for v in a.clears}
        for variable in template.locals:
            for slot in range(variable.base, variable.base + variable.size):
                if variable.base not in cleared and known.value(pid, variable, slot) is not None:
                    found.add(("local", pid, slot))
    return found
