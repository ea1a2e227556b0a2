"""The names inside objects, and inside what calls have saved -> tables for name_places and heap_edges of runtime."""

from __future__ import annotations

from ....core.model import is_pointer
from ..codegen.tables import table
from ..state.cells import NONE, Cells
from ..state.layout import Layout
from ..state.packing import WORD, BitBlock

Lines = list[str]
MOST_KEEP = 4096  # words of a table
NamePlace = tuple[int, int, int, int]  # word, shift, mask, table of names


class NamePlaces:
    """Fields of objects, and of what calls have saved, that name processes or values of scalarsets."""

    def __init__(self, cells: Cells) -> None:
        self.cells, self.folding, self.layout = cells, cells.folding, cells.layout
        heap = self.layout.heap
        self.objects: list[list[NamePlace]] = [[]]
        for fields, slots in zip(heap.objects if heap else (), self.folding.objects, strict=False):
            self.objects.append(self.of(fields, {i: slot.names[0] for i, slot in slots.items()}))
        self.first: list[int] = []  # by template: its first site
        self.saved: list[list[NamePlace]] = []
        for template in range(len(self.layout.stacks)):
            self.first.append(len(self.saved))
            self.saved += self.saved_by(template)

    def of(self, places: dict[int, BitBlock], names: dict[int, int]) -> list[NamePlace]:
        """The fields among these that have a table of names."""
        found = []
        for base, block in places.items():
            for i in range(block.count if block.bits else 0):
                number = self.cells.table(names.get(base + i, NONE), block.bits)
                if number != NONE:
                    found.append((*block.place(i), (1 << block.bits) - 1, number))
        return found

    def saved_by(self, template: int) -> list[list[NamePlace]]:
        """By site.  All processes of a template hold the same names."""
        stack = self.layout.stacks[template]
        names: dict[int, int] = {}
        for pid, slots in enumerate(self.folding.locals):
            if self.folding.templates[pid] == template:
                names |= {i: slot.names[0] for i, slot in slots.items()}
        return [] if stack is None else [self.of(stack.saved[site], names) for site in stack.sites]

    def configuration(self) -> Lines:
        """What has to be known before the runtime is included."""
        objects = self.layout.heap is not None
        return [
            f"#define OBJECTS {int(objects)}",
            f"#define HEAP_FOLDS {int(self.folding.folds_heap)}",
            f"#define SAVED_NAMES {int(any(self.saved))}",
            f"#define MOST_NAME_PLACES {max(map(len, self.objects))}",
            f"#define VERTICES (POINTS{' + HEAP_SLOTS' if objects else ''})",
        ]

    def tables(self) -> Lines:
        """The name places of objects, by tag, and of saved entries, by site."""
        lines = []
        if self.layout.heap is not None:
            lines += [*_rows("NAME_PLACE", self.objects), self.plain()]
        if any(self.saved):
            lines += [*_rows("SAVED_NAME_PLACE", self.saved), table("uint16_t", "FIRST_SAVED", self.first)]
        return lines

    def plain(self) -> str:
        """By tag, the bits of a cell that are neither names nor pointers."""
        heap = self.layout.heap
        assert heap is not None
        lines = []
        for tag, name_places in enumerate(self.objects):
            masks = [(1 << heap.item.bits) - 1] * heap.words
            for word, shift, mask, _ in [*name_places, *(self.pointers(tag - 1) if tag else [])]:
                masks[word] &= ~(mask << shift)
            lines.append("{" + ", ".join(f"0x{m:x}ULL" for m in masks) + "}")
        return f"static const word PLAIN[][CELL_WORDS] MAYBE_UNUSED = {{{', '.join(lines)}}};"

    def pointers(self, kind: int) -> list[NamePlace]:
        """Where objects of a type have pointers, in the form of name places."""
        heap = self.layout.heap
        assert heap is not None
        found = []
        for v in self.cells.facts.model.objects[kind].fields:
            block = heap.objects[kind][v.base]
            if is_pointer(v.type):
                found += [(*block.place(i), (1 << block.bits) - 1, NONE) for i in range(v.size)]
        return found


def keep_table(layout: Layout) -> Lines:
    """For each number of objects, word by word, the bits that stay when all slots behind them are cleared."""
    if layout.heap is None:
        return []
    cells, words = layout.heap.cells, layout.heap.words
    first, last = min(b.word for b in cells), max(b.word for b in cells) + words
    if (last - first) * (len(cells) + 1) > MOST_KEEP:
        return ["#define KEEPS 0"]
    row = [(1 << WORD) - 1] * (last - first)
    table_of = [list(row)]
    for block in reversed(cells):
        for word in range(words):
            row[block.word - first + word] &= ~(((1 << layout.heap.item.bits) - 1) << block.shift)
        table_of.insert(0, list(row))
    body = ", ".join("{" + ", ".join(f"0x{w:x}ULL" for w in row) + "}" for row in table_of)
    return [
        f"#define KEEPS {last - first}",
        f"#define FIRST_KEPT {first}",
        f"static const word KEEP[][{last - first}] MAYBE_UNUSED = {{{body}}};",
    ]


def _rows(name: str, table_of: list[list[NamePlace]]) -> Lines:
    """Rows of different lengths as one C table, and how long each is."""
    width = max(1, *map(len, table_of))
    shown = [", ".join(f"{{0x{mask:x}ULL, {w}, {s}, {names}}}" for w, s, mask, names in row) for row in table_of]
    body = ", ".join(f"{{{row or '{0}'}}}" for row in shown)
    return [
        table("uint8_t", f"N_{name}S", [len(row) for row in table_of]),
        f"static const struct name_place {name}[][{width}] MAYBE_UNUSED = {{{body}}};",
    ]
