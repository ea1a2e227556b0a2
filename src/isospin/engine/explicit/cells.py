"""The bits of a state that symmetries move, in pieces that move as a whole.

Reference: `symmetry/action.py`: what a permutation does to a state.
Differs: a piece may be a whole lane of a process, or what is left of it when names are taken out.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ...errors import InternalError
from ...symmetry.protocol import Folding, Slot
from .facts import Facts
from .layout import Layout
from .packing import WORD, Block
from .probe import FIELD, GLOBAL, LOCAL, Sizes

NONE = -1


@dataclass(frozen=True)
class Cell:
    """A piece of one word."""

    word: int
    shift: int
    mask: int  # before it is shifted
    thing: int = NONE  # with which it moves; none: it stays
    names: int = NONE  # the table of the names that it may hold
    label: int = 0  # the same for pieces that take each other's place
    length: int = NONE  # of a message: the piece with the length of the channel
    position: int = 0  # and which message it is
    order: tuple[int, ...] = ()  # where the reference semantics has it in a state
    signed: bool = False
    template: int = NONE  # of a location: whose


def make_room(folding: Folding, facts: Facts, sizes: Sizes) -> None:
    """SOUND: every variable that holds a name has room for all names of its kind."""
    known = {v.base + i: n for n, v in enumerate(facts.model.globals) for i in range(v.size)}
    for slot, moved in folding.globals.items():
        see_all(folding, sizes, (GLOBAL, known[slot]), moved.names[0])
    for pid, slots in enumerate(folding.locals):
        template = folding.templates[pid]
        variables = facts.model.templates[template].locals
        numbers = {v.base + i: n for n, v in enumerate(variables) for i in range(v.size)}
        for slot, moved in slots.items():
            see_all(folding, sizes, (LOCAL, template, numbers[slot]), moved.names[0])
    for c, moved in folding.channels.items():
        for f, table in enumerate(moved.names):
            see_all(folding, sizes, (FIELD, type_of(facts, folding, c), f), table)


def see_all(folding: Folding, sizes: Sizes, key: tuple[int, ...], table: int) -> None:
    for value in folding.names[table] if table != NONE else ():
        sizes.see(key, value)


def type_of(facts: Facts, folding: Folding, channel: int) -> int:
    return facts.channel_types.index(folding.channel_types[channel])


@dataclass
class Cells:
    """All pieces; those of one thing stand together, in the same order for all things of an orbit."""

    folding: Folding
    facts: Facts
    layout: Layout
    fine: bool  # as the reference semantics has them, for strategies whose results depend on the order
    cells: list[Cell] = field(default_factory=list)
    first: dict[int, int] = field(default_factory=dict)  # thing -> its first piece
    tables: list[dict[int, int]] = field(default_factory=list)  # names as they stand in the bits -> thing
    values: list[int] = field(default_factory=list)  # thing -> how it is written

    def __post_init__(self) -> None:
        self.known: dict[tuple[int, int], int] = {}
        self.labels: dict[tuple[object, ...], int] = {}
        self.values = [thing.value for thing in self.folding.things]
        self.place_tables = [self.place_table(pid) for pid in range(self.folding.processes)]
        groups: dict[int, list[Cell]] = {}
        fixed: list[list[Cell]] = []
        for thing, found in [*self.globals(), *self.processes(), *self.channels(), *self.last()]:
            if thing == NONE:
                fixed.append(found)
            else:
                groups.setdefault(thing, []).extend(found)
        for thing, found in groups.items():
            self.first[thing] = len(self.cells)
            self.add(found, thing)
        for found in fixed:
            self.add(found, NONE)

    def add(self, found: list[Cell], thing: int) -> None:
        start = len(self.cells)
        orbit = self.folding.things[thing].orbit if thing != NONE else -1 - start
        for k, cell in enumerate(found):
            label = self.labels.setdefault((orbit, k), len(self.labels))
            length = start if cell.length != NONE else NONE
            self.cells.append(replace(cell, thing=thing, label=label, length=length))

    # ---------------------------------------------------------------- names

    def table(self, number: int, bits: int) -> int:
        """A table of names as they are in so many bits."""
        if number == NONE:
            return NONE
        if (number, bits) not in self.known:
            found = {}
            for value, thing in self.folding.names[number].items():
                raw = value & ((1 << bits) - 1)
                if raw != value and value >= 0:
                    raise InternalError(f"the name {value} does not fit into {bits} bits")
                found[raw] = thing
            self.known[number, bits] = len(self.tables)
            self.tables.append(found)
        return self.known[number, bits]

    def place_table(self, pid: int) -> int:
        """Locations that symmetries exchange are names."""
        facts = self.facts.templates[self.folding.templates[pid]]
        found = {}
        for location, thing in self.folding.places[pid].items():
            if location in facts.locations:
                found[facts.pc(location)] = thing
                self.values[thing] = facts.pc(location)
        if found:
            self.tables.append(found)
        return len(self.tables) - 1 if found else NONE

    # ---------------------------------------------------------------- variables

    def globals(self) -> list[tuple[int, list[Cell]]]:
        found = []
        for v in self.facts.model.globals:
            block = self.layout.globals.get(v.base)
            if block is None or v.hidden:
                continue
            for i in range(v.size):
                slot = self.folding.globals.get(v.base + i)
                if slot is not None and ("global", v.base + i) not in self.folding.constant:
                    cell = self.variable(block, i, slot, (0, v.base + i))
                    found.append((slot.thing, [cell]))
        return found

    def variable(self, block: Block, index: int, slot: Slot, order: tuple[int, ...], lane: Block | None = None) -> Cell:
        word, shift = block.place(index)
        if lane is not None:
            word, shift = word + lane.word, shift + lane.shift
        names = self.table(slot.names[0], block.bits)
        return Cell(word, shift, (1 << block.bits) - 1, names=names, order=order, signed=block.signed)

    # ---------------------------------------------------------------- processes

    def processes(self) -> list[tuple[int, list[Cell]]]:
        found: list[tuple[int, list[Cell]]] = []
        for pid in range(self.folding.processes):
            found += self.process(pid)
        return found

    def process(self, pid: int) -> list[tuple[int, list[Cell]]]:
        """The cells that go with the process, and those that go elsewhere."""
        template, lane = self.folding.templates[pid], self.layout.lanes[pid]
        owned: list[Cell] = []
        others: list[tuple[int, list[Cell]]] = []
        moves = self.folding.things[pid].orbit >= 0
        taken = [0] * (self.layout.lane_bits(template)[1])  # bits of the lane that are not just moved
        if self.place_tables[pid] != NONE or self.fine:
            owned.append(self.location(pid, template, lane, taken))
        if self.facts.model.uses_priority and self.fine:
            owned.append(self.own(self.layout.priority[template], 0, lane, (2, pid, 2), taken))
        for base, block in self.layout.locals[template].items():
            for i in range(block.count):
                slot = self.folding.locals[pid].get(base + i, Slot(NONE, (NONE,)))
                order = (2, pid, 1, base + i)
                cell = self.variable(block, i, slot, order, lane)
                if ("local", pid, base + i) in self.folding.constant:
                    take(taken, block, i)
                elif slot.thing != NONE:
                    take(taken, block, i)
                    others.append((slot.thing, [cell]))
                elif cell.names != NONE or self.fine:
                    take(taken, block, i)
                    owned.append(cell)
        if not moves:
            return others + [(NONE, [cell]) for cell in owned if cell.names != NONE]
        return [(pid, self.rest(template, lane, taken) + owned), *others]

    def location(self, pid: int, template: int, lane: Block, taken: list[int]) -> Cell:
        bits = self.layout.pc_bits[template]
        taken[0] |= (1 << bits) - 1
        names = self.place_tables[pid]
        mask = (1 << bits) - 1
        return Cell(lane.word, lane.shift, mask, names=names, order=(2, pid, 0), template=template)

    def own(self, block: Block, index: int, lane: Block, order: tuple[int, ...], taken: list[int]) -> Cell:
        take(taken, block, index)
        return self.variable(block, index, Slot(NONE, (NONE,)), order, lane)

    def rest(self, template: int, lane: Block, taken: list[int]) -> list[Cell]:
        """What is left of the lane, word by word."""
        if self.fine:
            return []
        fill = self.layout.lane_fill[template]
        masks = [((1 << bits) - 1) & ~gone for bits, gone in zip(fill, taken, strict=True)]
        return [Cell(lane.word + i, lane.shift, mask) for i, mask in enumerate(masks) if mask]

    # ---------------------------------------------------------------- channels

    def channels(self) -> list[tuple[int, list[Cell]]]:
        found = []
        for c, slot in self.folding.channels.items():
            kind = type_of(self.facts, self.folding, c)
            capacity = self.facts.channel_types[kind].capacity
            if capacity == 0 and not self.facts.mailbox:
                continue  # nothing is ever in it when a state is stored
            length = self.layout.lengths[c]
            start = Cell(length.word, length.shift, (1 << length.bits) - 1)
            found.append((slot.thing, [start, *self.contents(c, kind, max(capacity, 1), slot)]))
        return found

    def contents(self, c: int, kind: int, room: int, slot: Slot) -> list[Cell]:
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
                found.append(Cell(*at, names=names, length=0, position=m, order=order, signed=block.signed))
        return found

    # ---------------------------------------------------------------- who moved last

    def last(self) -> list[tuple[int, list[Cell]]]:
        block = self.layout.single.get("last")
        if block is None or not self.folding.sees_last:
            return []
        self.tables.append({pid: pid for pid in self.folding.moved_processes})
        names = len(self.tables) - 1
        return [(NONE, [Cell(block.word, block.shift, (1 << block.bits) - 1, names=names, order=(3,))])]

    @property
    def moved_bits(self) -> list[int]:
        """Word by word, the bits that are in cells."""
        found = [0] * self.layout.key_words
        for cell in self.cells:
            found[cell.word] |= cell.mask << cell.shift
        return found


def take(taken: list[int], block: Block, index: int) -> None:
    word, shift = block.place(index)
    taken[word] |= ((1 << block.bits) - 1) << shift
