"""Frames of libraries between those of the program: `ftw` and `qsort` call functions that they were given.

Nothing is known of what a library reads later, so all of its frame and all registers count; but what unwinding needs
is known of every function, so that the frames of the program above it are compared as usual.

Reference: System V ABI for x86-64, section 3.7 (stack unwinding); Linux Standard Base, .eh_frame_hdr.
Differs: only frames whose size is fixed at the place are unwound: the others end the walk, as unknown code does.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from elftools.common.exceptions import DWARFError, ELFError
from elftools.dwarf.callframe import CallFrameInfo
from elftools.elf.elffile import ELFFile

from ..constants import SAVED_REGISTERS
from .liveness import ReturnPoint

# Numbers of registers in the debugging information.
_NUMBERS = {"rbx": 3, "rbp": 6, "r12": 12, "r13": 13, "r14": 14, "r15": 15}
_STACK_POINTER, _RETURN_ADDRESS = 7, 16
_TABLE_OF_PAIRS = b"\x01\x1b\x03\x3b"  # the only form of .eh_frame_hdr that linkers make


class Library:
    """Where the frames of a library end, and where the registers of its callers are."""

    def __init__(self, path: Path) -> None:
        self.elf = ELFFile(path.open("rb"))

    @cached_property
    def unwinding(self) -> Any:
        """What the library says about its frames, for those who unwind them."""
        info = self.elf.get_dwarf_info(relocate_dwarf_sections=False)  # a library is linked
        section = info.eh_frame_sec
        assert section is not None
        return CallFrameInfo(section.stream, section.size, section.address, info.structs, for_eh_frame=True)

    @cached_property
    def table(self) -> list[tuple[int, int]]:
        """Where functions begin, ascending, and where their entries of .eh_frame are."""
        header: Any = self.elf.get_section_by_name(".eh_frame_hdr")
        data = header.data() if header is not None else b""
        if data[:4] != _TABLE_OF_PAIRS:
            return []
        (count,) = struct.unpack_from("<I", data, 8)
        numbers = struct.unpack_from(f"<{2 * count}i", data, 12)
        base = header["sh_addr"]
        return [(base + low, base + entry) for low, entry in zip(numbers[::2], numbers[1::2], strict=True)]

    def point(self, address: int) -> ReturnPoint | None:
        """At a return address; None if the frame is not one of fixed size."""
        try:
            row = self.row(address - 1)
        except (DWARFError, ELFError, AssertionError, KeyError):
            return None
        if row is None or row["cfa"].reg != _STACK_POINTER or row["cfa"].offset % 8:
            return None
        rules = {name: row.get(number) for name, number in _NUMBERS.items()}
        if any(rule is not None and rule.type not in ("OFFSET", "SAME_VALUE") for rule in rules.values()):
            return None
        saved = tuple(
            rule.arg if (rule := rules[name]) is not None and rule.type == "OFFSET" else None
            for name in SAVED_REGISTERS
        )
        sp = -row["cfa"].offset
        everything = ((sp, 0),)
        return ReturnPoint(sp, saved, SAVED_REGISTERS, everything, (), (), (), (), (), ())

    def row(self, address: int) -> Any:
        """The rules for unwinding that hold at an address."""
        place = bisect_right(self.table, address, key=lambda pair: pair[0]) - 1
        if place < 0:
            return None
        entry = self.unwinding._parse_entry_at(self.table[place][1] - self.unwinding.address)
        low, size = entry.header["initial_location"], entry.header["address_range"]
        if not low <= address < low + size or "S" in str(entry.cie.header["augmentation"]):  # S: of a signal
            return None
        rows = [row for row in entry.get_decoded().table if row["pc"] <= address]
        found = rows[-1] if rows else None
        back = found.get(_RETURN_ADDRESS) if found is not None else None
        return found if back is not None and (back.type, back.arg) == ("OFFSET", -8) else None


@cache
def library(path: Path) -> Library:
    return Library(path)
