"""Packing bit fields into words: fields never straddle a 64-bit word.

Reference: first fit decreasing, the textbook's bin packing.
Differs: what is larger than a word, or wants whole words, gets them first.
"""

from __future__ import annotations

from ....core.model import Scalar, is_pointer
from ....core.records import dataclass

WORD = 64


@dataclass(frozen=True)
class BitBlock:
    """`count` values of `bits` bits each, from a bit of a word on; over several words they start at bit 0."""

    word: int
    shift: int
    bits: int
    count: int = 1
    signed: bool = False
    checked: bool = False  # values may be too large for it

    @property
    def per_word(self) -> int:
        return WORD // self.bits if self.bits else 1

    @property
    def is_small(self) -> bool:
        """Are all elements in one word?"""
        return self.count * self.bits <= WORD

    def place(self, index: int) -> tuple[int, int]:
        """Word and shift of an element."""
        if self.is_small:
            return self.word, self.shift + index * self.bits
        return self.word + index // self.per_word, index % self.per_word * self.bits


@dataclass(frozen=True)
class Item:
    """Something that needs room."""

    bits: int
    count: int = 1
    signed: bool = False
    checked: bool = False
    words: int = 0  # not 0: whole words, whatever the bits

    @property
    def whole_words(self) -> int:
        """How many words it takes for itself; 0: it shares one with others."""
        if self.words:
            return self.words
        if self.bits * self.count <= WORD:
            return 0
        per = WORD // self.bits
        return -(-self.count // per)

    def at(self, word: int, shift: int) -> BitBlock:
        """The block that it becomes when it stands there."""
        return BitBlock(word, shift, self.bits, self.count, self.signed, self.checked)


Key = tuple[object, ...]


def pack(items: dict[Key, Item], used: int = 0) -> tuple[dict[Key, BitBlock], list[int]]:
    """First fit, large before small.  `used` bits of the first word are taken.  Returns the fill of each word."""
    fill = [used] if used else []
    placed: dict[Key, BitBlock] = {}
    for key, item in items.items():
        if item.whole_words:
            placed[key] = item.at(len(fill), 0)
            per = WORD // item.bits if item.bits and not item.words else 1
            rest = item.count % per if not item.words else 0
            fill += [WORD] * (item.whole_words - 1) + [rest * item.bits if rest else WORD]
    small = [(key, item) for key, item in items.items() if not item.whole_words]
    for key, item in sorted(small, key=lambda pair: -pair[1].bits * pair[1].count):
        size = item.bits * item.count
        word = next((w for w, taken in enumerate(fill) if taken + size <= WORD), None)
        if word is None:
            word = len(fill)
            fill.append(0)
        placed[key] = item.at(word, fill[word])
        fill[word] += size
    return placed, fill


def _width(low: int, high: int) -> tuple[int, bool]:
    """How many bits hold all values of a range that includes 0, and whether one of them is the sign."""
    if low < 0:
        return max(high.bit_length(), (-low - 1).bit_length()) + 1, True
    return high.bit_length(), False


def item_for(kind: Scalar, seen: tuple[int, int], count: int = 1) -> Item:
    """Room for a variable: its type, or less if smaller values were seen; then every store is checked.  A pointer needs
    room for the slots of the heap, and cannot name others."""
    bits, signed = _width(*seen)
    bits = max(bits, 1)
    if is_pointer(kind):
        return Item(bits, count)
    if bits >= kind.bits or (kind.signed and bits + 1 >= kind.bits):
        return Item(kind.bits, count, kind.signed)
    return Item(bits, count, signed, checked=True)
