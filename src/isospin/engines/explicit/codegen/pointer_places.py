"""Where the pointers of a model are, as C tables for heap.inc.h and calls.inc.h in runtime/heap."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ....core.model import Variable, is_pointer
from ....semantics.heap import hidden
from ..state.heaps import HeapLayout, StackLayout
from ..state.layout import Layout
from ..state.packing import BitBlock
from .tables import field_table, table, table2

Lines = list[str]
PointerPlace = tuple[int, int, int]  # word, shift, tag of what the pointer there points to


class PointerPlaces:
    """All places of a state that may hold a pointer: the roots of the heap, and the links inside it."""

    def __init__(self, layout: Layout) -> None:
        self.layout, self.facts = layout, layout.facts
        self.locals = [list(self.of(t.template.locals, layout.locals[t.number])) for t in self.facts.templates]
        self.saved = [self.saved_in(number, stack) for number, stack in enumerate(layout.stacks)]
        self.messages = [
            [(f, 0, self.facts.tag(field.enum)) for f, field in enumerate(kind.fields) if is_pointer(field)]
            for kind in self.facts.channel_types
        ]

    def of(self, variables: Iterable[Variable], places: dict[int, BitBlock]) -> Iterator[PointerPlace]:
        """The pointers among some variables; one that takes no room is null."""
        for v in (v for v in variables if is_pointer(v.type) and v.base in places and places[v.base].bits):
            for i in range(v.size):
                yield (*places[v.base].place(i), self.facts.tag(v.type.enum))

    def saved_in(self, template: int, stack: StackLayout | None) -> list[list[PointerPlace]]:
        """For each site of a template, where its entries have pointers."""
        variables = self.facts.templates[template].template.locals
        return [] if stack is None else [list(self.of(variables, stack.saved[site])) for site in stack.sites]

    # ---------------------------------------------------------------- what is known before the runtime is included

    def configuration(self) -> Lines:
        """The sizes of heap and stacks: macros that the runtime looks at."""
        heap, model = self.layout.heap, self.facts.model
        lines = [f"#define CALLS {int(any(self.layout.stacks))}", f"#define MAX_RECURSION {model.max_recursion}"]
        if heap is None:
            return [*lines, "#define HEAP_SLOTS 0"]
        return [
            *lines,
            f"#define HEAP_SLOTS {len(heap.cells)}",
            f"#define MAX_OBJECTS {model.max_objects}",
            f"#define OBJECT_TYPES {len(model.objects)}",
            f"#define POINTER_BITS {len(heap.cells).bit_length()}",
            f"#define KIND_BITS {heap.tag_bits}",
            f"#define CELL_WORDS {heap.words}",
            f"#define CELL_BITS {heap.item.bits}",
        ]

    def text(self) -> Lines:
        lines = self.stacks() if any(self.layout.stacks) else []
        return lines if self.layout.heap is None else [*lines, *self.heap(self.layout.heap)]

    def stacks(self) -> Lines:
        """Where the saved variables of calls are."""
        empty = BitBlock(0, 0, 0)
        stacks = self.layout.stacks
        entries = [s.entries if s else [] for s in stacks]
        return [
            *field_table("DEPTH", [s.depth if s else empty for s in stacks]),
            table2("uint16_t", "ENTRY_WORD", [[b.word for b in row] for row in entries]),
            table2("uint8_t", "ENTRY_SHIFT", [[b.shift for b in row] for row in entries]),
            table("uint16_t", "ENTRY_WORDS", [s.words if s else 1 for s in stacks]),
            table("uint8_t", "ENTRY_BITS", [s.item.bits if s else 0 for s in stacks]),
            table("uint16_t", "SITE_MASK", [(1 << s.site_bits) - 1 if s else 0 for s in stacks]),
        ]

    def heap(self, heap: HeapLayout) -> Lines:
        """Where cells are, which fields of an object are pointers, and where chains begin."""
        objects = zip(self.facts.model.objects, heap.objects, strict=True)
        links = [[], *(list(self.of(o.fields, places)) for o, places in objects)]
        fixed, roots = self.roots()
        sites = [row for rows in self.saved for row in rows]
        return [
            table("uint16_t", "CELL_WORD", [b.word for b in heap.cells]),
            table("uint8_t", "CELL_SHIFT", [b.shift for b in heap.cells]),
            "struct pointer_place {\n    uint16_t word;\n    uint8_t shift, kind;\n};",
            f"#define FIXED_ROOTS {int(fixed)}",
            f"#define MOST_ROOTS {max(self.most_roots(), 1)}",
            f"#define MOST_LINKS {max(1, *map(len, links))}",
            f"#define N_ROOTS {len(roots)}",
            _place_table("ROOT", [roots], flat=True),
            *_counted("LINK", links),
            *_counted("LOCAL_POINTER", self.locals),
            *_counted("MESSAGE_POINTER", self.messages),
            *_counted("SAVED_POINTER", sites),
            table("uint16_t", "FIRST_SITE", [sum(map(len, self.saved[:t])) for t in range(len(self.saved))]),
        ]

    # ---------------------------------------------------------------- outside the heap

    def globals(self) -> list[PointerPlace]:
        """The global pointers that belong to the identity of a state."""
        aside = hidden(self.facts.model)
        return list(self.of((v for v in self.facts.model.globals if v not in aside), self.layout.globals))

    def roots(self) -> tuple[bool, list[PointerPlace]]:
        """Are they the same in every state?  All of them, or those of global variables."""
        stacks = any(row for rows in self.saved for row in rows)
        if self.facts.changes_processes or stacks or any(self.messages):
            return False, self.globals()
        found = self.globals()
        for lane, process in zip(self.layout.lanes, self.facts.initial[0].processes, strict=True):
            found += [(lane.word + w, lane.shift + s, tag) for w, s, tag in self.locals[process.template]]
        return True, found

    def most_roots(self) -> int:
        """How many pointers outside the heap there can be in one state."""
        count = len(self.globals())
        for templates in self.layout.sizes.slots:
            count += max(len(self.locals[t]) + self.most_saved(t) for t in templates)
        for types in self.layout.sizes.channels:
            count += max(len(self.messages[t]) * max(self.facts.channel_types[t].capacity, 1) for t in types)
        return count

    def most_saved(self, template: int) -> int:
        stack = self.layout.stacks[template]
        return 0 if stack is None else stack.room * max(map(len, self.saved[template]))


def _counted(name: str, rows: list[list[PointerPlace]]) -> Lines:
    """A table of places, and how many are in each row."""
    return [table("uint16_t", f"N_{name}S", [len(row) for row in rows]), _place_table(name, rows)]


def _place_table(name: str, rows: list[list[PointerPlace]], flat: bool = False) -> str:
    """An array of places: of rows, or of one row where it is `flat`."""
    shown = [", ".join(f"{{{w}, {s}, {kind}}}" for w, s, kind in row) or "{0, 0, 0}" for row in rows]
    if flat:
        return f"static const struct pointer_place {name}[] MAYBE_UNUSED = {{{shown[0]}}};"
    width = max([1, *map(len, rows)])
    body = ", ".join(f"{{{row}}}" for row in shown) or "{{0, 0, 0}}"
    return f"static const struct pointer_place {name}[][{width}] MAYBE_UNUSED = {{{body}}};"
