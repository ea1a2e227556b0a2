"""The bits of a state that symmetries move, in pieces that move as a whole.

Reference: `symmetry/folding/action.py`: what a permutation does to a state.
Differs: a piece may be a whole lane of a process, or what is left of it when names are taken out.
"""

from __future__ import annotations

from dataclasses import field, replace

from ....core.errors import InternalError
from ....core.model import Variable, is_pointer
from ....core.records import dataclass
from ....symmetry.protocol import Folding, LiveSetTables, Slot
from ..constants import OverflowKind
from .facts import Facts, calls_of
from .heaps import StackLayout
from .layout import Layout
from .packing import WORD, BitBlock
from .probe import Sizes, numbered

NONE = -1


@dataclass(frozen=True)
class MovedCell:
    """A piece of one word."""

    word: int
    shift: int
    mask: int  # before it is shifted
    movable: int = NONE  # with which it moves; none: it stays
    names: int = NONE  # the table of the names that it may hold
    label: int = 0  # the same for pieces that take each other's place
    length: int = NONE  # of a message: the piece with the length of the channel
    position: int = 0  # and which message it is
    order: tuple[int, ...] = ()  # where the reference semantics has it in a state
    signed: bool = False
    template: int = NONE  # of a location: whose
    is_pointer: bool = False  # of a heap that is folded: the number says nothing, what it points to does
    is_silent: bool = False  # it moves, but says nothing


def make_room(folding: Folding, facts: Facts, sizes: Sizes) -> None:
    """SOUND: every variable that holds a name has room for all names of its kind; and every process and channel has a
    place, also one that comes late and that nobody met who looked around."""
    if folding.live is not None:
        # every process may come to every place from the first that moves on
        live = folding.live
        sizes.slots[live.base :] = [set(live.movable) for _ in sizes.slots[live.base :]]
        _see_pids(live, facts, sizes)
    for pid, template in enumerate(folding.templates):
        sizes.see_process(pid, template)
    for c in range(len(folding.channel_types)):
        sizes.see_channel(c, _type_of(facts, folding, c))
    known = numbered(facts.model.globals)
    for slot, moved in folding.globals.items():
        _see_all(folding, sizes, (OverflowKind.GLOBAL, known[slot]), moved.names[0])
    for pid, slots in enumerate(folding.locals):
        template = folding.templates[pid]
        variables = facts.model.templates[template].locals
        numbers = numbered(variables)
        for slot, moved in slots.items():
            _see_all(folding, sizes, (OverflowKind.LOCAL, template, numbers[slot]), moved.names[0])
            if numbers[slot] in _saved_variables(facts, template):
                _see_all(folding, sizes, (OverflowKind.SAVED, template, numbers[slot]), moved.names[0])
    for c, moved in folding.channels.items():
        for f, table in enumerate(moved.names):
            _see_all(folding, sizes, (OverflowKind.FIELD, _type_of(facts, folding, c), f), table)
    for kind, fields in enumerate(folding.objects):
        numbers = numbered(facts.model.objects[kind].fields)
        for slot, moved in fields.items():
            _see_all(folding, sizes, (OverflowKind.OBJECT, kind, numbers[slot]), moved.names[0])


def _see_pids(live: LiveSetTables, facts: Facts, sizes: Sizes) -> None:
    """SOUND: what holds pids has room for all of them."""
    names, most = live.names, len(sizes.slots)
    if names is None:
        return
    if names.own:  # every such channel may come to every place behind those that stay
        types = {facts.channel_types.index(c.type) for t in facts.model.templates for c in t.channels}
        sizes.channels[names.fixed :] = [set(types) for _ in sizes.channels[names.fixed :]]
        most = max(most, len(sizes.channels))
    globals_ = numbered(facts.model.globals)
    for place in (p for p in names.globals if p.values):
        sizes.see((OverflowKind.GLOBAL, globals_[place.base]), most)
    for t, places in enumerate(names.locals):
        numbers = numbered(facts.model.templates[t].locals)
        for place in (p for p in places if p.values):
            sizes.see((OverflowKind.LOCAL, t, numbers[place.base]), most)
    for channel, fields in zip(facts.initial[0].channels, names.fields, strict=False):
        kind = facts.channel_types.index(facts.interpreter.channel_types[channel.type])
        for f in (f for f, values in enumerate(fields) if values):
            sizes.see((OverflowKind.FIELD, kind, f), most)
    for template, channels in zip(facts.model.templates, names.own, strict=False):
        for new, fields in zip(template.channels, channels, strict=False):
            for f in (f for f, values in enumerate(fields) if values):
                sizes.see((OverflowKind.FIELD, facts.channel_types.index(new.type), f), most)


def _saved_variables(facts: Facts, template: int) -> set[int]:
    """The numbers of the variables that calls save."""
    numbers = {v.base: n for n, v in enumerate(facts.model.templates[template].locals)}
    calls = calls_of(facts.model.templates[template])
    return {numbers[v.base] for call in calls.values() for v in call.variables}


def _see_all(folding: Folding, sizes: Sizes, key: tuple[int, ...], table: int) -> None:
    """Make room for every value that a symmetry may put there."""
    for value in folding.names[table] if table != NONE else ():
        sizes.see(key, value)


def _type_of(facts: Facts, folding: Folding, channel: int) -> int:
    return facts.channel_types.index(folding.channel_types[channel])


@dataclass
class Cells:
    """All pieces; those of one movable stand together, in the same order for all movables of an orbit."""

    folding: Folding
    facts: Facts
    layout: Layout
    fine: bool  # as the reference semantics has them, for strategies whose results depend on the order
    cells: list[MovedCell] = field(default_factory=list)
    first: dict[int, int] = field(default_factory=dict)  # movable -> its first piece
    tables: list[dict[int, int]] = field(default_factory=list)  # names as they stand in the bits -> movable
    values: list[int] = field(default_factory=list)  # movable -> how it is written

    def __post_init__(self) -> None:
        self.known: dict[tuple[int, int], int] = {}
        self.labels: dict[tuple[object, ...], int] = {}
        self.values = [movable.value for movable in self.folding.movables]
        self.place_tables = [self.place_table(pid) for pid in range(self.folding.processes)]
        groups: dict[int, list[MovedCell]] = {}
        fixed: list[list[MovedCell]] = []
        for movable, found in [*self.globals(), *self.processes(), *self.channels(), *self.last()]:
            if movable == NONE:
                fixed.append(found)
            else:
                groups.setdefault(movable, []).extend(found)
        for movable, found in groups.items():
            self.first[movable] = len(self.cells)
            self.add(found, movable)
        for found in fixed:
            self.add(found, NONE)

    def add(self, found: list[MovedCell], movable: int) -> None:
        """Number the pieces of one movable; those of its images get the same labels."""
        start = len(self.cells)
        orbit = self.folding.movables[movable].orbit if movable != NONE else -1 - start
        for k, cell in enumerate(found):
            if cell.is_pointer and movable == NONE:
                continue  # it stays, and the chains begin there
            label = self.labels.setdefault((orbit, k), len(self.labels))
            length = start if cell.length != NONE else NONE
            self.cells.append(replace(cell, movable=movable, label=label, length=length))

    # ---------------------------------------------------------------- names

    def table(self, number: int, bits: int) -> int:
        """A table of names as they are in so many bits."""
        if number == NONE:
            return NONE
        if (number, bits) not in self.known:
            found = {}
            for value, movable in self.folding.names[number].items():
                raw = value & ((1 << bits) - 1)
                if raw != value and value >= 0:
                    raise InternalError(f"the name {value} does not fit into {bits} bits")
                found[raw] = movable
            self.known[number, bits] = len(self.tables)
            self.tables.append(found)
        return self.known[number, bits]

    def place_table(self, pid: int) -> int:
        """Locations that symmetries exchange are names."""
        facts = self.facts.templates[self.folding.templates[pid]]
        found = {}
        for location, movable in self.folding.places[pid].items():
            if location in facts.locations:
                found[facts.pc(location)] = movable
                self.values[movable] = facts.pc(location)
        if found:
            self.tables.append(found)
        return len(self.tables) - 1 if found else NONE

    # ---------------------------------------------------------------- variables

    def globals(self) -> list[tuple[int, list[MovedCell]]]:
        """Elements of global variables that move, or that name something that does."""
        found = []
        for v in self.facts.model.globals:
            block = self.layout.globals.get(v.base)
            if block is None or v.hidden:
                continue
            for i in range(v.size):
                slot = self.folding.globals.get(v.base + i)
                if slot is not None and ("global", v.base + i) not in self.folding.constant:
                    cell = self.variable(block, i, slot, (0, v.base + i), is_address=is_pointer(v.type))
                    found.append((slot.movable, [cell]))
        return found

    def variable(
        self, block: BitBlock, index: int, slot: Slot, order: tuple[int, ...], lane: BitBlock | None = None,
        is_address: bool = False,
    ) -> MovedCell:  # fmt: skip
        """One variable as a piece of a word."""
        word, shift = block.place(index)
        if lane is not None:
            word, shift = word + lane.word, shift + lane.shift
        names = self.table(slot.names[0], block.bits)
        mask, points = (1 << block.bits) - 1, is_address and self.folding.folds_heap
        return MovedCell(word, shift, mask, names=names, order=order, signed=block.signed, is_pointer=points)

    # ---------------------------------------------------------------- processes

    def processes(self) -> list[tuple[int, list[MovedCell]]]:
        found: list[tuple[int, list[MovedCell]]] = []
        for pid in range(self.folding.processes):
            found += self.process(pid)
        return found

    def process(self, pid: int) -> list[tuple[int, list[MovedCell]]]:
        """The cells that go with the process, and those that go elsewhere."""
        template, lane = self.folding.templates[pid], self.layout.lanes[pid]
        owned: list[MovedCell] = []
        others: list[tuple[int, list[MovedCell]]] = []
        moves = self.folding.movables[pid].orbit >= 0
        taken = [0] * (self.layout.lane_bits(template)[1])  # bits of the lane that are not just moved
        if self.place_tables[pid] != NONE or self.fine:
            owned.append(self.location(pid, template, lane, taken))
        if self.facts.model.uses_priority and self.fine:
            owned.append(self.own(self.layout.priority[template], 0, lane, (2, pid, 2), taken))
        pointers = {v.base for v in self.facts.model.templates[template].locals if is_pointer(v.type)}
        for base, block in self.layout.locals[template].items():
            for i in range(block.count):
                slot = self.folding.locals[pid].get(base + i, Slot(NONE, (NONE,)))
                order = (2, pid, 1, base + i)
                cell = self.variable(block, i, slot, order, lane, base in pointers)
                if ("local", pid, base + i) in self.folding.constant:
                    _take(taken, block, i)
                elif slot.movable != NONE:
                    _take(taken, block, i)
                    others.append((slot.movable, [cell]))
                elif cell.names != NONE or cell.is_pointer or self.fine:
                    _take(taken, block, i)
                    owned.append(cell)
        if not moves:
            return others + [(NONE, [cell]) for cell in owned if cell.names != NONE]
        silent = self.saved(pid, template, lane, taken)
        return [(pid, self.rest(template, lane, taken) + owned + silent), *others]

    def saved(self, pid: int, template: int, lane: BitBlock, taken: list[int]) -> list[MovedCell]:
        """What calls have saved moves with the process; names and pointers in it say nothing: they depend on the call.

        SOUND: what is silent only makes colours coarser; whole states are compared in the end.
        """
        stack = self.layout.stacks[template]
        if stack is None:
            return []
        masks = [0] * len(taken)
        for entry in stack.entries:
            for word, shift, bits, slot in _stack_slots(stack):
                if self.is_moved_or_pointer(pid, template, slot):
                    masks[entry.word + word] |= ((1 << bits) - 1) << (entry.shift + shift)
        for i, mask in enumerate(masks):
            taken[i] |= mask
        return [MovedCell(lane.word + i, lane.shift, mask, is_silent=True) for i, mask in enumerate(masks) if mask]

    def is_moved_or_pointer(self, pid: int, template: int, slot: int) -> bool:
        variable = _variable_of(self.facts.model.templates[template].locals, slot)
        return slot in self.folding.locals[pid] or (self.folding.folds_heap and is_pointer(variable.type))

    def location(self, pid: int, template: int, lane: BitBlock, taken: list[int]) -> MovedCell:
        """The control location of a process; `taken` notes its bits, so that no other cell has them."""
        bits = self.layout.pc_bits[template]
        taken[0] |= (1 << bits) - 1
        names = self.place_tables[pid]
        mask = (1 << bits) - 1
        return MovedCell(lane.word, lane.shift, mask, names=names, order=(2, pid, 0), template=template)

    def own(self, block: BitBlock, index: int, lane: BitBlock, order: tuple[int, ...], taken: list[int]) -> MovedCell:
        """A cell that goes with its process and holds plain numbers."""
        _take(taken, block, index)
        return self.variable(block, index, Slot(NONE, (NONE,)), order, lane)

    def rest(self, template: int, lane: BitBlock, taken: list[int]) -> list[MovedCell]:
        """What is left of the lane, word by word."""
        if self.fine:
            return []
        fill = self.layout.lane_fill[template]
        masks = [((1 << bits) - 1) & ~gone for bits, gone in zip(fill, taken, strict=True)]
        return [MovedCell(lane.word + i, lane.shift, mask) for i, mask in enumerate(masks) if mask]

    # ---------------------------------------------------------------- channels

    def channels(self) -> list[tuple[int, list[MovedCell]]]:
        """Channels that symmetries change: their lengths and their messages."""
        found = []
        for c, slot in self.folding.channels.items():
            kind = _type_of(self.facts, self.folding, c)
            capacity = self.facts.channel_types[kind].capacity
            if capacity == 0:
                continue  # nothing is ever in it when a state is stored
            length = self.layout.lengths[c]
            start = MovedCell(length.word, length.shift, (1 << length.bits) - 1)
            found.append((slot.movable, [start, *self.contents(c, kind, max(capacity, 1), slot)]))
        return found

    def contents(self, c: int, kind: int, room: int, slot: Slot) -> list[MovedCell]:
        """The fields of all messages that a channel has room for."""
        layout, queue = self.layout.messages[kind], self.layout.queues[c]
        found = []
        for m in range(room):
            if layout.words > 1:
                word, shift = queue.word + m * layout.words, 0
            else:
                per = WORD // layout.bits if 0 < layout.bits <= WORD else 1
                word, shift = queue.word + m // per, queue.shift + m % per * layout.bits
            for f, block in enumerate(layout.fields):
                names = self.table(slot.names[f], block.bits)
                at = (word + block.word, shift + block.shift, (1 << block.bits) - 1)
                order = (1, c, m, f)
                points = self.folding.folds_heap and is_pointer(self.facts.channel_types[kind].fields[f])
                found.append(
                    MovedCell(
                        *at, names=names, length=0, position=m, order=order, signed=block.signed, is_pointer=points
                    )
                )
        return found

    # ---------------------------------------------------------------- who moved last

    def last(self) -> list[tuple[int, list[MovedCell]]]:
        """The process that moved last (`_last`), where that is part of a state and symmetries move it."""
        block = self.layout.single.get("last")
        if block is None or not self.folding.sees_last:
            return []
        self.tables.append({pid: pid for pid in self.folding.moved_processes})
        names = len(self.tables) - 1
        return [(NONE, [MovedCell(block.word, block.shift, (1 << block.bits) - 1, names=names, order=(3,))])]

    @property
    def moved_bits(self) -> list[int]:
        """Word by word, the bits that are in cells."""
        found = [0] * self.layout.key_words
        for cell in self.cells:
            found[cell.word] |= cell.mask << cell.shift
        return found


def _stack_slots(stack: StackLayout) -> set[tuple[int, int, int, int]]:
    """Where an entry may have a saved slot: word and shift in the entry, bits, which slot of the frame."""
    return {
        (*block.place(i), block.bits, base + i)
        for places in stack.saved.values()
        for base, block in places.items()
        for i in range(block.count if block.bits else 0)
    }


def _variable_of(variables: tuple[Variable, ...], slot: int) -> Variable:
    return next(v for v in variables if v.base <= slot < v.base + v.size)


def _take(taken: list[int], block: BitBlock, index: int) -> None:
    """Note which bits of a lane have become cells."""
    word, shift = block.place(index)
    taken[word] |= ((1 << block.bits) - 1) << shift
