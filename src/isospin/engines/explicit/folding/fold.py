"""A symmetry strategy for a model -> tables in the generated C file.

Reference: `symmetry/strategies`; `runtime/fold/fold.inc.h` has the algorithms.
Differs: nothing is computed in Python but the tables.
"""

from __future__ import annotations

from ....core.errors import UsageError
from ....core.model import Model
from ....core.permutation import Permutation, inverse
from ....symmetry.protocol import CANONICAL, Folding
from ..codegen.templates import include
from ..state.cells import NONE, Cells, MovedCell
from ..state.facts import calls_of
from ..state.layout import Layout
from .name_places import NamePlaces, keep_table
from .network import Network, families

Lines = list[str]
FOLDS = {
    "exact": "fold_exact(s, images)",
    "enumerate": "fold_least(s, images, false)",
    "segmented": "fold_least(s, images, true)",
    "sorted": "fold_by_swaps(s, images, false)",
    "flattened": "fold_by_swaps(s, images, true)",
    "sorted-main": "(void)(images)",
    "pc-sorted": "(void)(images)",
    "markers": "fold_markers(s, images)",
    "approx-markers": "fold_markers(s, images)",
    "fig5": "fold_by_place(s, images)",
}
KEYS = {
    "flattened": "key_flattened",
    "sorted-main": "key_by_main",
    "pc-sorted": "key_by_main",
    "approx-markers": "key_markers",
}
IN_ORDER = ("sorted", "flattened")  # what they find depends on how states are compared
WITH_OBJECTS = ("none", "exact", "enumerate", "segmented")  # those that compare whole images
MOST_POINTS = 255  # the images of points are bytes
FAR = 4096  # names with larger values are searched for


def objection(model: Model, folding: Folding) -> str:
    """Why the compiled engine does not fold a model in this way; empty if it does."""
    if folding.strategy not in (*FOLDS, "none"):
        return "there is no compiled code for it"
    if model.objects and folding.strategy not in WITH_OBJECTS:
        known = ", ".join(WITH_OBJECTS[1:-1])
        return f"in models with objects the compiled engine knows {known} and {WITH_OBJECTS[-1]} only"
    for template, slots in zip(folding.templates, folding.locals, strict=True):
        if calls_of(model.templates[template]) and any(slot.movable != NONE for slot in slots.values()):
            return "symmetries that exchange variables inside a process that calls functions are not compiled"
    return ""


class Fold:
    """The tables of one strategy for one model, and the names of the C functions that use them."""

    def __init__(self, folding: Folding, layout: Layout) -> None:
        if folding.points > MOST_POINTS:
            what = f"symmetries of {folding.points} processes and scalarset values"
            raise UsageError(f"{what} are too many for the compiled engine; use --symmetry none, or --engine interp")
        if folding.strategy not in (*FOLDS, "none"):
            raise UsageError(f"--symmetry {folding.strategy} has no compiled code; --engine interp can do it")
        self.folding, self.layout, self.facts = folding, layout, layout.facts
        if self.key is not None and self.facts.claim is not None:
            # SOUND: an edge must end in the stored state itself; these go on from another one.
            why = "goes on from a state without saying how it is mapped to the one that is stored"
            raise UsageError(f"--symmetry {folding.strategy} {why}; for cycles use exact")
        self.cells = Cells(folding, layout.facts, layout, fine=folding.strategy in IN_ORDER)
        self.name_places = NamePlaces(self.cells)
        simple = None if any(self.name_places.saved) else families(self.cells)
        ties = folding.folds_heap or any(self.name_places.objects)
        self.network = None if simple is None or not self.quick_birth else Network(self.cells, simple, ties)

    @property
    def key(self) -> str | None:
        """The function for what is looked up in place of a state."""
        return None if self.folding.exactness == CANONICAL else KEYS.get(self.folding.strategy)

    @property
    def counts_orbits(self) -> bool:
        """Can the states that representatives stand for be counted?"""
        f = self.folding
        plain = not f.folds_heap and self.facts.claim is None
        return f.exactness == CANONICAL and f.order < 1 << 128 and plain

    def text(self) -> Lines:
        """All tables of the strategy, and behind them the templates that use them."""
        f = self.folding
        if f.order == 1:
            defined = ["#define FOLDS 1", "#define ONE_PER_ORBIT 1"]
            return [*defined, *keep_table(self.layout), include("fold/fold_heap")]
        return [
            "#define FOLDS 1",
            "#define MOVES_POINTS 1",  # not only objects
            *keep_table(self.layout),
            *(["#define ORBITS 1"] if self.counts_orbits else []),
            *(["#define ONE_PER_ORBIT 1"] if f.exactness == CANONICAL else []),
            f"#define FOLD(s, images) {'fold_by_sort(s, images)' if self.network else FOLDS[f.strategy]}",
            *([f"#define FOLD_KEY(s, key) {self.key}(s, key)"] if self.key else []),
            f"#define GROUP_ORDER {_wide(f.order if self.counts_orbits else 1)}",
            f"#define POINTS {f.points}",
            f"#define FOLDED_PIDS {f.processes}",
            f"#define MOVABLES {len(f.movables)}",
            f"#define CELLS {len(self.cells.cells)}",
            f"#define LEVELS {len(f.levels)}",
            f"#define N_MOVED {len(f.moved)}",
            f"#define FAMILIES {len(f.families)}",
            f"#define SWAPS {len(f.swaps)}",
            *self.name_places.configuration(),
            include("fold/movables"),
            *self.cell_tables(),
            *self.movable_tables(),
            *self.name_tables(),
            *self.name_places.tables(),
            *self.level_tables(),
            *self.follower_tables(),
            *self.swap_tables(),
            *self.family_tables(),
            *self.born(),
            *self.main(),
            *(['#include "fold/lanes.h"', *self.unborn(), *self.network.text()] if self.network else []),
            include("fold/fold"),
        ]

    def description(self) -> Lines:
        """What the rest of the runtime knows of it."""
        lines = [f".n_images = {self.folding.points}, .counts_orbits = {int(self.counts_orbits)},"]
        lines.append(f".folds_heap = {int(self.folding.folds_heap)},")
        return [*lines, ".key = key_state,"] if self.key else lines

    # ---------------------------------------------------------------- cells and movables

    def cell_tables(self) -> Lines:
        """The cells, which bits of a state they cover, and which of them hold the length of a channel."""
        rows = [f"    {self.cell(c)}" for c in self.cells.cells]
        lengths = {c.length for c in self.cells.cells}
        return [
            "static const struct cell CELL[] MAYBE_UNUSED = {\n" + ",\n".join(rows) + "};",
            _array("word", "MOVED_BITS", [f"0x{w:x}ULL" for w in self.cells.moved_bits]),
            _array("uint8_t", "IS_LENGTH", [int(i in lengths) for i in range(len(self.cells.cells))]),
        ]

    def cell(self, c: MovedCell) -> str:
        flags = f"{int(c.signed)}, {int(c.is_pointer)}, {int(c.is_silent)}"
        numbers = f"{c.word}, {c.position}, {c.shift}, {c.mask.bit_length()}, {flags}"
        return f"{{0x{c.mask:x}ULL, {c.label + 1}, {numbers}, {c.movable}, {c.names}, {c.length}, {c.template}}}"

    def movable_tables(self) -> Lines:
        """What symmetries move: to which points it belongs, its orbit, and its first cell."""
        movables = self.folding.movables
        pool: list[int] = []
        rows = []
        for t in movables:
            start, middle = f"OWNER_POOL + {len(pool)}", f"OWNER_POOL + {len(pool) + len(t.of)}"
            rows.append(f"{{{start}, {middle}, {len(t.of)}, {len(t.among)}}}")
            pool += [*t.of, *t.among]
        return [
            _array("uint8_t", "OWNER_POOL", pool),
            f"static const struct owners OWNERS[] MAYBE_UNUSED = {{{', '.join(rows)}}};",
            _array("int32_t", "ORBIT", [t.orbit for t in movables]),
            _array("int32_t", "VALUE", self.cells.values),
            _array("int16_t", "FIRST_CELL", [self.cells.first.get(i, NONE) for i in range(len(movables))]),
            _array("uint8_t", "MOVED", list(self.folding.moved)),
        ]

    def name_tables(self) -> Lines:
        """Values that name something: which movable each value stands for."""
        lines, rows = [], []
        for i, table in enumerate(self.cells.tables):
            limit = max([v + 1 for v in table if v < FAR], default=0)
            far = sorted(v for v in table if v >= FAR)
            lines += [
                _array("int16_t", f"NAMES_{i}", [table.get(v, NONE) for v in range(limit)]),
                _array("uint32_t", f"FAR_VALUE_{i}", far),
                _array("int16_t", f"FAR_MOVABLE_{i}", [table[v] for v in far]),
            ]
            rows.append(f"{{NAMES_{i}, {limit}, FAR_VALUE_{i}, FAR_MOVABLE_{i}, {len(far)}}}")
        return [*lines, f"static const struct names NAMES[] MAYBE_UNUSED = {{{', '.join(rows) or '{0}'}}};"]

    # ---------------------------------------------------------------- elements

    def level_tables(self) -> Lines:
        """The stabiliser chain: where each base point can go, and by which element."""
        lines, rows = [], []
        for i, level in enumerate(self.folding.levels):
            reach = sorted(level.reach)
            lines += [
                _array("uint8_t", f"REACH_{i}", reach),
                _elements(f"THERE_{i}", [level.reach[y] for y in reach]),
                _elements(f"BACK_{i}", [inverse(level.reach[y]) for y in reach]),
            ]
            rows.append(f"{{{level.point}, {len(reach)}, REACH_{i}, THERE_{i}, BACK_{i}}}")
        return [*lines, f"static const struct level LEVEL[] MAYBE_UNUSED = {{{', '.join(rows)}}};"]

    def follower_tables(self) -> Lines:
        """The movables behind the points: which point each follows, and where it goes when that goes somewhere."""
        points, generators = self.folding.points, [g for level in self.folding.levels for g in level.reach.values()]
        leaders, rows = list[int](), list[list[int]]()
        for t, movable in enumerate(self.folding.movables[points:], points):
            ways = ((p, _where_led(generators, p, t)) for p in (*movable.of, *movable.among))
            found = next(((p, led) for p, led in ways if led is not None), None)
            if found is None:
                return ["#define FOLLOWERS 0"]
            leaders.append(found[0])
            rows.append([found[1].get(q, NONE) for q in range(points)])
        return [
            "#define FOLLOWERS 1",
            _array("uint8_t", "LEADER", leaders),
            "static const int16_t LED_TO[][POINTS] MAYBE_UNUSED = {"
            + (", ".join("{" + ", ".join(map(str, row)) + "}" for row in rows) or "{0}")
            + "};",
        ]

    def swap_tables(self) -> Lines:
        """Exchanges (or generators, where there are none), and which cells each of them changes."""
        swaps, starts, changes = self.folding.swaps, [0], list[str]()
        which = [[NONE] * self.folding.points for _ in range(self.folding.points)]
        for number, swap in enumerate(swaps):
            changes += [f"{{{to}, {came}}}" for to, came in self.changes(swap)]
            starts.append(len(changes))
            moved = [p for p in range(self.folding.points) if swap[p] != p]
            if len(moved) == 2:
                which[moved[0]][moved[1]] = which[moved[1]][moved[0]] = number
        return [
            _elements("SWAP", list(swaps) or [tuple(range(len(self.folding.movables)))]),
            _array("uint32_t", "SWAP_START", starts),
            f"static const struct change SWAP_CHANGE[] MAYBE_UNUSED = {{{', '.join(changes) or '{0}'}}};",
            "static const int16_t SWAP_OF[][POINTS] MAYBE_UNUSED = {"
            + ", ".join("{" + ", ".join(map(str, row)) + "}" for row in which)
            + "};",
        ]

    def changes(self, swap: Permutation) -> list[tuple[int, int]]:
        """The cells that an element changes and where their contents come from, as states are compared."""
        cells, found = self.cells.cells, []
        for i, cell in enumerate(cells):
            to = i
            if cell.movable != NONE:
                to = self.cells.first[swap[cell.movable]] + i - self.cells.first[cell.movable]
            if to != i or cell.names != NONE:
                found.append((to, i))
        return sorted(found, key=lambda change: cells[change[0]].order)

    def family_tables(self) -> Lines:
        """The processes of each family."""
        rows = ", ".join("{" + ", ".join(map(str, pids)) + "}" for pids in self.folding.families)
        return [
            f"static const uint8_t FAMILY[][POINTS] MAYBE_UNUSED = {{{rows or '{0}'}}};",
            _array("uint8_t", "FAMILY_SIZE", [len(pids) for pids in self.folding.families]),
        ]

    # ---------------------------------------------------------------- questions about states

    def born(self) -> Lines:
        """SOUND: states in which a process that symmetries move is not born yet are never folded."""
        f = self.folding
        test = f"n_processes(s) >= {self.enough}" if self.enough else "true"
        if f.creator is None:
            return [f"#define IS_BORN(s) ({test})"]
        template = self.facts.templates[f.templates[f.creator]]
        before = [int(x in f.before) for x in template.locations]
        place = f"pc_of(s, {f.creator}, {template.number})"
        return [
            _array("uint8_t", "BEFORE", before),
            f"#define IS_BORN(s) ({test} && (n_processes(s) <= {f.creator} || !BEFORE[{place}]))",
        ]

    @property
    def enough(self) -> int:
        """So many processes that all that symmetries move are among them."""
        return max(self.folding.moved_processes, default=-1) + 1

    def unborn(self) -> Lines:
        """The same for several states at once: which of them are not born."""
        f, count = self.folding, self.layout.single.get("processes")
        lines = ["ALWAYS_INLINE four_words unborn_four(const four_words *s) {", "    (void)s;"]
        terms = ["(four_words){0}"]
        if count is not None and self.enough:
            there = f"(s[{count.word}] >> {count.shift} & 0x{(1 << count.bits) - 1:x}ULL)"
            terms.append(f"({there} - {self.enough}ULL) >> 63")
        if f.creator is not None:
            template, lane = self.facts.templates[f.templates[f.creator]], self.layout.lanes[f.creator]
            before = sum(1 << pc for pc, x in enumerate(template.locations) if x in f.before)
            mask = (1 << self.layout.pc_bits[template.number]) - 1
            place = f"(s[{lane.word}] >> {lane.shift} & 0x{mask:x}ULL)"
            terms.append(f"((((four_words){{0}} + 0x{before:x}ULL) >> {place}) & 1ULL)")
        return [*lines, f"    return {' | '.join(terms)};", "}"]

    @property
    def quick_birth(self) -> bool:
        """SOUND: the creator is there when all that are moved are, and its locations fit into a word."""
        f = self.folding
        if f.creator is None:
            return True
        return f.creator < self.enough and len(self.facts.templates[f.templates[f.creator]].locations) <= 64

    def main(self) -> Lines:
        """The main array, by process."""
        lines: Lines = []
        cases: Lines = []
        for pid, where in sorted(self.folding.main.items()):
            match where:
                case ("place",):
                    template = self.facts.templates[self.folding.templates[pid]]
                    kinds = [self.folding.kinds[pid].get(x, x) for x in template.locations]
                    lines.append(_array("int32_t", f"KIND_{pid}", kinds))
                    value = f"KIND_{pid}[pc_of(s, {pid}, {template.number})]"
                case ("global", int(slot)):
                    value = self.global_value(slot)
                case ("local", int(slot)):
                    value = self.local_value(pid, slot)
                case _:
                    raise AssertionError(where)
            cases.append(f"    case {pid}: return {value};")
        head = "static MAYBE_UNUSED val main_value(const word *s, unsigned pid) {"
        return [*lines, head, "    switch (pid) {", *cases, "    default: return 0;", "    }", "}"]

    def global_value(self, slot: int) -> str:
        """C that reads an element of a global variable from `s`; a number where it is constant."""
        for base, block in self.layout.globals.items():
            if base <= slot < base + block.count:
                word, shift = block.place(slot - base)
                return _value_at(word, shift, block.bits, block.signed)
        constant = (v[slot - base] for base, v in self.facts.constants.items() if base <= slot < base + len(v))
        return str(next(constant, 0))

    def local_value(self, pid: int, slot: int) -> str:
        """C that reads a local variable of a process from `s`; 0 where it takes no room."""
        lane = self.layout.lanes[pid]
        for base, block in self.layout.locals[self.folding.templates[pid]].items():
            if base <= slot < base + block.count:
                word, shift = block.place(slot - base)
                return _value_at(lane.word + word, lane.shift + shift, block.bits, block.signed)
        return "0"


def _value_at(word: int, shift: int, bits: int, signed: bool) -> str:
    if signed:
        return f"get_signed(s[{word}], {shift}, {bits})"
    return f"(val)(s[{word}] >> {shift} & 0x{(1 << bits) - 1:x}ULL)"


def _array(kind: str, name: str, values: list[int] | list[str]) -> str:
    return f"static const {kind} {name}[] MAYBE_UNUSED = {{{', '.join(map(str, values)) or '0'}}};"


def _where_led(generators: list[Permutation], leader: int, follower: int) -> dict[int, int] | None:
    """Where the follower goes, by the place that the leader takes; None if that does not say it."""
    found, todo = {leader: follower}, [leader]
    while todo:
        p = todo.pop()
        for g in generators:
            if g[p] not in found:
                todo.append(g[p])
            if found.setdefault(g[p], g[found[p]]) != g[found[p]]:
                return None
    return found


def _elements(name: str, rows: list[Permutation]) -> str:
    body = ",\n".join("    {" + ", ".join(map(str, row)) + "}" for row in rows)
    return f"static const movable {name}[][MOVABLES] MAYBE_UNUSED = {{\n{body}}};"


def _wide(number: int) -> str:
    """A constant of 128 bits."""
    high, low = divmod(number, 1 << 64)
    return f"((unsigned __int128)0x{high:x}ULL << 64 | 0x{low:x}ULL)"
