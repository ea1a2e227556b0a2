"""The heap of a state: where objects are, who names them, where `new` may put the next one.

Reference: dSPIN (Iosif, 2001), section 3; docs/develop/traps.md, "Heap".
Differs: `new` may reuse the place of a deleted object that dangling pointers still name, as allocators do: the ABA bug
needs it.  All such places are tried, so that the numbers of slots mean nothing and states that differ only in them
behave alike; of the slots that nobody names the lowest stands for all.

A slot that is not in use has no object; a pointer to it dangles.  SOUND: a slot that pointers to T name is used again
only for a T, so that a pointer never names an object of another type.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..core.model import Call, ChannelType, Const, Model, Template, Variable, is_pointer
from .state import Cell, State, World
from .walk import parts_of

Pointers = list[tuple[int, str]]  # offsets in a frame that hold pointers, and to what


def pointer_slots(variables: Iterable[Variable]) -> Pointers:
    return [(v.base + i, v.type.enum) for v in variables if is_pointer(v.type) for i in range(v.size)]


def hidden(model: Model) -> list[Variable]:
    """Globals that are not part of the identity of a state.  SOUND: who watches leaks looks through every pointer."""
    return [v for v in model.globals if v.hidden and not (model.watch_leaks and is_pointer(v.type))]


def _saved_pointers(template: Template) -> dict[int, Pointers]:
    """For each call of a template, where in its entry on the stack pointers are saved."""
    found = {}
    for step in (s for a in template.actions for s in parts_of(a.step)):
        if isinstance(step, Call):
            slots = [v.type for v in step.variables for _ in range(v.size)]
            found[step.site] = [(i, kind.enum) for i, kind in enumerate(slots, 1) if is_pointer(kind)]
    return found


class HeapMap:
    """Where the pointers of a model are."""

    def __init__(self, model: Model, channel_types: list[ChannelType]) -> None:
        self.model, self.channel_types = model, channel_types
        # SOUND: a hidden pointer is never followed, only copied to what is hidden; so the place that it names is free.
        self.globals = pointer_slots(v for v in model.globals if v not in hidden(model))
        self.saved = [_saved_pointers(t) for t in model.templates]
        self.frames = [pointer_slots(t.locals) for t in model.templates]
        self.objects: list[Pointers] = [[], *(pointer_slots(o.fields) for o in model.objects)]
        self.blank = {o.name: Cell(i + 1, initial_fields(o.fields, o.size)) for i, o in enumerate(model.objects)}

    def message_pointers(self, channel_type: int) -> Pointers:
        fields = self.channel_types[channel_type].fields
        return [(i, f.enum) for i, f in enumerate(fields) if is_pointer(f)]

    def roots(self, s: State | World) -> Iterator[tuple[str, int]]:
        """All pointers outside the heap, in a fixed order: to what, and the value."""
        for slot, kind in self.globals:
            yield kind, s.values[slot]
        for process in s.processes:
            for slot, kind in self.frames[process.template]:
                yield kind, process.frame[slot]
            for call in process.stack:
                yield from ((kind, call[i]) for i, kind in self.saved[process.template][call[0]])
        for channel in s.channels:
            if channel.messages and (pointers := self.message_pointers(channel.type)):
                for message in channel.messages:
                    yield from ((kind, message[i]) for i, kind in pointers)

    def inside(self, cell: Cell) -> Iterator[tuple[str, int]]:
        """The pointers of an object."""
        return ((kind, cell.fields[i]) for i, kind in self.objects[cell.type])

    def places(self, s: State | World, kind: str) -> tuple[int | None, list[int]]:
        """Where `new kind` may put an object: a slot that nobody names (None: the heap is full), and the others."""
        named = {(k, v - 1) for k, v in self.roots(s) if v}
        named |= {(k, v - 1) for cell in s.heap for k, v in self.inside(cell) if v}
        live = {i for i, cell in enumerate(s.heap) if cell.type}
        used = live | {slot for _, slot in named}
        # SOUND: deleted slots that are named differ for the program, so each is a choice of its own.
        again = sorted(slot for k, slot in named if k == kind and slot not in live)
        again = [] if kind in self.model.unaliased else again
        fresh = next(i for i in range(len(used) + 1) if i not in used)
        return (fresh if len(used) < self.model.max_objects else None), again

    def reachable(self, s: State | World) -> list[int]:
        """The slots with objects that variables lead to, each once, in the order of their shortest chains."""
        order: list[int] = []
        seen: set[int] = set()

        def reach(values: Iterable[tuple[str, int]]) -> None:
            for _, value in values:
                if 0 < value <= len(s.heap) and value - 1 not in seen and s.heap[value - 1].type:
                    seen.add(value - 1)
                    order.append(value - 1)

        reach(self.roots(s))
        for slot in order:  # grows while we walk
            reach(self.inside(s.heap[slot]))
        return order

    def lost(self, s: State | World) -> set[int]:
        """The slots of objects that no chain of pointers leads to."""
        live = {i for i, cell in enumerate(s.heap) if cell.type}
        return live - set(self.reachable(s)) if live else live


def initial_fields(fields: tuple[Variable, ...], size: int) -> tuple[int, ...]:
    values = [0] * size
    for variable in fields:
        given = [e.value for e in variable.initial if isinstance(e, Const)]
        for i in range(variable.size if given else 0):
            value = given[0] if len(given) == 1 else given[i] if i < len(given) else 0
            values[variable.base + i] = variable.type.wrap(value)
    return tuple(values)
