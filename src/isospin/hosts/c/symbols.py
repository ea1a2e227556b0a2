"""The symbols of an ELF file for x86-64, read directly: thousands of them in a millisecond.

Reference: System V ABI, chapter 4 (object files); the layouts are those of `Elf64_Ehdr`, `Elf64_Shdr` and `Elf64_Sym`.
Differs: two tables are read and nothing else; all other questions about a file go to pyelftools (binary/dwarf.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from struct import Struct
from typing import IO, NamedTuple

SECTIONS_AT = Struct("<40xQ10xHH2x")  # of the header: where the sections are, the size of one, and how many
SECTION = Struct("<4xI16xQQI4x8xQ")  # kind, place, size, the section that belongs to it, size of an entry
SYMBOL = Struct("<IBxHQ8x")  # name, kind, section, value
SYMBOLS, DYNAMIC_SYMBOLS = 2, 11  # kinds of sections
NOWHERE = 0  # the section of what a file uses and does not have
MAGIC = b"\x7fELF\x02\x01"  # 64 bits, little end first


class _Section(NamedTuple):
    """What the table of sections says of one."""

    kind: int
    place: int
    size: int
    link: int
    entry: int


def undefined(path: Path) -> frozenset[str]:
    """The names that an object file uses and does not have."""
    with path.open("rb") as file:
        found = (names[at : names.index(b"\0", at)] for names, at, place, _ in _rows(file, SYMBOLS) if place == NOWHERE)
        return frozenset(name.decode(errors="replace") for name in found if name)


def exported(path: Path, name: str) -> int:
    """Where a library has what it exports under the name; 0 if it does not."""
    wanted = name.encode() + b"\0"
    with path.open("rb") as file:
        rows = _rows(file, DYNAMIC_SYMBOLS)
        return next((value for names, at, place, value in rows if place != NOWHERE and names.startswith(wanted, at)), 0)


def _rows(file: IO[bytes], kind: int) -> Iterator[tuple[bytes, int, int, int]]:
    """Of each symbol in the tables of a kind: all names, where its own begins, its section, its value."""
    sections = _sections(file)
    for table in (section for section in sections if section.kind == kind):
        names = _content(file, sections[table.link])
        for at, _, place, value in SYMBOL.iter_unpack(_content(file, table)):
            yield names, at, place, value


def _sections(file: IO[bytes]) -> list[_Section]:
    header = file.read(SECTIONS_AT.size)
    if not header.startswith(MAGIC) or len(header) < SECTIONS_AT.size:
        return []
    place, size, count = SECTIONS_AT.unpack(header)
    file.seek(place)
    if count == 0:  # too many for the header: then the first section says how many, in its size
        count = _Section(*SECTION.unpack(file.read(SECTION.size))).size
        file.seek(place)
    data = file.read(size * count)
    return [_Section(*SECTION.unpack_from(data, size * number)) for number in range(count)]


def _content(file: IO[bytes], section: _Section) -> bytes:
    file.seek(section.place)
    return file.read(section.size)
