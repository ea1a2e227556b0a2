"""Constant tables in the generated C file."""

from __future__ import annotations

from collections.abc import Sequence

from ..state.facts import Facts
from ..state.layout import Layout
from ..state.packing import BitBlock


def table(kind: str, name: str, values: Sequence[int]) -> str:
    return f"static const {kind} {name}[] MAYBE_UNUSED = {{{', '.join(map(str, values or [0]))}}};"


def table2(kind: str, name: str, rows: list[list[int]]) -> str:
    width = max([1, *map(len, rows)])
    body = ", ".join("{" + ", ".join(map(str, row or [0])) + "}" for row in rows or [[0]])
    return f"static const {kind} {name}[][{width}] MAYBE_UNUSED = {{{body}}};"


def field_table(name: str, blocks: list[BitBlock]) -> list[str]:
    """Where fields are: word, shift and mask, each as a table."""
    return [
        table("uint16_t", f"{name}_WORD", [b.word for b in blocks]),
        table("uint8_t", f"{name}_SHIFT", [b.shift for b in blocks]),
        table("uint32_t", f"{name}_MASK", [(1 << b.bits) - 1 for b in blocks]),
    ]


def channel_tables(facts: Facts, layout: Layout) -> list[str]:
    """Where the length and the messages of each channel are, and what its fields are."""
    types, empty = facts.channel_types, BitBlock(0, 0, 0)
    slots = range(len(layout.lengths))
    messages = layout.messages
    return [
        *field_table("LEN", layout.lengths or [empty]),
        table("uint16_t", "DATA_WORD", [b.word for b in layout.queues]),
        table("uint8_t", "DATA_SHIFT", [b.shift for b in layout.queues]),
        table("uint16_t", "DATA_WORDS", layout.queue_words),
        table("uint8_t", "DATA_BITS", [b.bits for b in layout.queues]),
        *field_table("TYPE", [layout.type_field.get(c, empty) for c in slots]),
        table("uint8_t", "ONLY_TYPE", [min(layout.sizes.channels[c]) for c in slots]),
        table2("uint8_t", "TYPE_FITS", [[int(t in x) for t in range(len(types))] for x in layout.sizes.channels]),
        table("uint16_t", "CAPACITY", [t.capacity for t in types]),
        table("uint16_t", "FIELDS", [len(t.fields) for t in types]),
        table("uint16_t", "MESSAGE_BITS", [m.bits for m in messages]),
        table("uint8_t", "PER_WORD", [64 // m.bits if 0 < m.bits <= 64 else 1 for m in messages] or [1]),
        table("uint16_t", "MESSAGE_WORDS", [m.words for m in messages] or [1]),
        table2("uint8_t", "FIELD_WORD", [[b.word for b in m.fields] for m in messages]),
        table2("uint8_t", "FIELD_SHIFT", [[b.shift for b in m.fields] for m in messages]),
        table2("uint8_t", "FIELD_BITS", [[b.bits for b in m.fields] for m in messages]),
        table2("uint8_t", "FIELD_SIGNED", [[int(b.signed) for b in m.fields] for m in messages]),
        table2("uint8_t", "FIELD_CHECKED", [[int(b.checked) for b in m.fields] for m in messages]),
        table2("uint8_t", "DECLARED_BITS", [[f.bits for f in t.fields] for t in types]),
        table2("uint8_t", "DECLARED_SIGNED", [[int(f.signed) for f in t.fields] for t in types]),
    ]
