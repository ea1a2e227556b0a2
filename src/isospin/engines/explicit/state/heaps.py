"""Where objects are in a state, and what calls save: the layout of the heap and of the stacks of processes.

Reference: none.
Differs: a cell of the heap is like the lane of a process: a piece of a word if every type of object fits, whole words
otherwise, and inside it the places depend only on the type.  What is unused is zero.
"""

from __future__ import annotations

from dataclasses import field

from ....core.model import Call, Scalar
from ....core.records import dataclass
from ..constants import OverflowKind
from .facts import Facts
from .packing import WORD, BitBlock, Item, Key, item_for, pack
from .probe import MOST_RESTARTS, Sizes

NO_ROOM = BitBlock(0, 0, 0)


@dataclass
class HeapLayout:
    """Inside a cell: the tag of the type in the lowest bits (0: there is no object), then the fields."""

    tag_bits: int
    item: Item  # what a cell needs
    objects: list[dict[int, BitBlock]]  # type -> base of a field -> where in the cell
    cells: list[BitBlock] = field(default_factory=list)  # slot -> where in the state

    @property
    def words(self) -> int:
        return self.item.words or 1


@dataclass
class StackLayout:
    """Inside the lane of a process: how many calls it is in, and an entry for each of them."""

    site_bits: int
    sites: dict[int, int]  # site -> number that stands in an entry
    saved: dict[int, dict[int, BitBlock]]  # site -> base of a variable -> where in the entry
    item: Item  # what an entry needs
    room: int
    depth: BitBlock = NO_ROOM  # in the lane, as the entries
    entries: list[BitBlock] = field(default_factory=list)

    @property
    def words(self) -> int:
        return self.item.words or 1

    def items(self) -> dict[Key, Item]:
        """What a stack needs room for: its depth and its entries."""
        found: dict[Key, Item] = {("depth",): Item(self.room.bit_length())}
        return found | {("entry", i): self.item for i in range(self.room)}

    def place(self, placed: dict[Key, BitBlock]) -> None:
        """Remember where packing has put them."""
        self.depth = placed["depth",]
        self.entries = [placed["entry", i] for i in range(self.room)]


def heap_layout(facts: Facts, sizes: Sizes) -> HeapLayout | None:
    """Where the fields of each type of object are in a cell, and how large cells have to be."""
    if not facts.model.objects:
        return None
    tag = len(facts.model.objects).bit_length()
    objects, fills = [], []
    for number, kind in enumerate(facts.model.objects):
        items: dict[Key, Item] = {
            (v.base,): item_for(v.type, sizes.range((OverflowKind.OBJECT, number, i), v.type), v.size)
            for i, v in enumerate(kind.fields)
        }
        placed, fill = pack(items, tag)
        objects.append(_by_base(placed))
        fills.append(fill)
    return HeapLayout(tag, _enough(fills), objects)


def stack_layout(sizes: Sizes, number: int, calls: dict[int, Call], names: dict[int, int]) -> StackLayout | None:
    """For a template; `names` are the numbers of its variables by their bases."""
    if not calls:
        return None
    bits = (len(calls) - 1).bit_length()
    saved, fills = {}, []
    for site, call in calls.items():
        items: dict[Key, Item] = {
            (v.base,): _saved_item(sizes, (OverflowKind.SAVED, number, names[v.base]), v.type, v.size)
            for v in call.variables
        }
        placed, fill = pack(items, bits)
        saved[site] = _by_base(placed)
        fills.append(fill)
    return StackLayout(bits, {s: i for i, s in enumerate(calls)}, saved, _enough(fills), max(sizes.depths[number], 1))


def _saved_item(sizes: Sizes, key: tuple[int, ...], kind: Scalar, count: int) -> Item:
    """Without recursion a call saves zeros, which need no room: whether there is more to save is checked."""
    if sizes.values.get(key, (0, 0)) == (0, 0) and sizes.restarts <= MOST_RESTARTS:
        return Item(0, count, checked=True)
    return item_for(kind, sizes.range(key, kind), count)


def _enough(fills: list[list[int]]) -> Item:
    """Room for any of several."""
    words = max(len(fill) for fill in fills)
    return Item(WORD, words=words) if words > 1 else Item(max(fill[0] if fill else 0 for fill in fills))


def _by_base(placed: dict[Key, BitBlock]) -> dict[int, BitBlock]:
    return {int(str(k[0])): b for k, b in placed.items()}
