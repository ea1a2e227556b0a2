"""Heaps without addresses: what cannot be reached is collected, and objects are numbered by their access chains.

Reference: Iosif, Symmetry reduction criteria for software model checking (dSPIN), section 3 and Fig. 4.
Differs: chains are ordered by their roots, then by length, so that each root needs one queue (Cheney's collector), and
pointers that walk through a structure change no numbers; the places of deleted objects that pointers still name take
part as objects without fields, since `new` may use them again.

The result is canonical for the renaming of addresses: two states are equal up to addresses and garbage if and only if
they become the same state.

A worked example.  `head` names cell 3, whose `next` is cell 1; a process has `mine`, also cell 1, and `old`, cell 4,
which was deleted.  Nothing leads to cell 2.

    head -> 3    cell 1: value 20, next 0    cell 3: value 10, next 1    mine -> 1
                 cell 2: value 99, next 0    cell 4: deleted             old  -> 4

The roots are globals, then variables of processes.  `head` is first: cell 3 becomes 1; from it, cell 1 becomes 2.
`mine` leads to what has a number already.  `old` comes last: the empty place becomes 3, and keeps its number, since a
`new` may take it.  Cell 2 got no number, so it is garbage.

>>> fold_heap(head=3, mine=1, old=4, cells=[(20, 0), (99, 0), (10, 1)])
head 1, mine 2, old 3, cells (10, 2) (20, 0)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...semantics.heap import hidden, pointer_slots
from ...semantics.interp import Interpreter
from ...semantics.state import FREE, Cell, Channel, Process, State, trimmed

Slots = list[int]


class HeapFold:
    """Collects garbage and renumbers objects."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.map = interpreter.heap
        self.globals = [slot for slot, _ in self.map.globals]
        # SOUND: what is hidden is never followed, only copied to what is hidden; so it may be forgotten.
        self.hidden = [slot for slot, _ in pointer_slots(hidden(interpreter.model))]
        self.frames = [[slot for slot, _ in table] for table in self.map.frames]
        self.objects = [[slot for slot, _ in table] for table in self.map.objects]

    def fold(self, state: State, order: Sequence[int] | None = None) -> State:
        """The state with its heap in order; `order` says in which order the processes count, if not in their own."""
        forgets = any(state.values[slot] for slot in self.hidden)
        numbers = self.numbers(state, order)
        if not forgets and len(numbers) >= len(state.heap) and all(old == new for old, new in numbers.items()):
            return state
        return self.renumbered(state, numbers)

    def numbers(self, state: State, order: Sequence[int] | None = None) -> dict[int, int]:
        """The new value of each pointer that occurs."""
        found: dict[int, int] = {}

        def meet(values: Iterable[int]) -> None:
            for value in values:
                if value and value not in found:
                    follow(value)

        def follow(root: int) -> None:
            found[root] = len(found) + 1
            queue = [root]
            for value in queue:  # grows while we walk
                if value <= len(state.heap):
                    cell = state.heap[value - 1]
                    for i in self.objects[cell.type]:
                        if (there := cell.fields[i]) and there not in found:
                            found[there] = len(found) + 1
                            queue.append(there)

        meet(state.values[slot] for slot in self.globals)
        for pid in range(len(state.processes)) if order is None else order:
            process = state.processes[pid]
            meet(process.frame[slot] for slot in self.frames[process.template])
            for call in process.stack:
                meet(call[i] for i, _ in self.map.saved[process.template][call[0]])
        for channel in state.channels:
            if channel.messages:
                fields = self.fields_of(channel)
                meet(message[i] for message in channel.messages for i in fields)
        return found

    def fields_of(self, channel: Channel) -> Slots:
        return [i for i, _ in self.map.message_pointers(channel.type)]

    def renumbered(self, state: State, numbers: dict[int, int]) -> State:
        """The state with its objects in these slots; those that have no number are gone."""
        values = _replaced(state.values, self.globals, numbers)
        if self.hidden:
            values = _replaced(values, self.hidden, {})
        processes = tuple(self.process(p, numbers) for p in state.processes)
        channels = tuple(self.channel(c, numbers) if c.messages else c for c in state.channels)
        heap = [FREE] * len(numbers)
        for old, new in numbers.items():
            if old <= len(state.heap):
                cell = state.heap[old - 1]
                heap[new - 1] = Cell(cell.type, _replaced(cell.fields, self.objects[cell.type], numbers))
        return state._replace(values=values, channels=channels, processes=processes, heap=trimmed(heap))

    def process(self, process: Process, numbers: dict[int, int]) -> Process:
        frame = _replaced(process.frame, self.frames[process.template], numbers)
        saved = self.map.saved[process.template]
        stack = tuple(_replaced(call, [i for i, _ in saved[call[0]]], numbers) for call in process.stack)
        return process._replace(frame=frame, stack=stack)

    def channel(self, channel: Channel, numbers: dict[int, int]) -> Channel:
        fields = self.fields_of(channel)
        return channel._replace(messages=tuple(_replaced(m, fields, numbers) for m in channel.messages))


def _replaced(frame: tuple[int, ...], slots: Slots, numbers: dict[int, int]) -> tuple[int, ...]:
    """The frame with its pointers renamed; null stays null, and what has no number becomes null."""
    if not slots:
        return frame
    result = list(frame)
    for slot in slots:
        result[slot] = numbers.get(frame[slot], 0)
    return tuple(result)
