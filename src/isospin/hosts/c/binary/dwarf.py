"""What the compiler says about a program (DWARF): lines, functions, variables and their types."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from elftools.elf.elffile import ELFFile

from ....core.errors import NOWHERE, Location, near_path
from ....core.records import dataclass
from .variables import POINTERS, VARIABLES, WRAPPERS, dwarf_of, expression_parser, frame_base, location

SYSTEM = ("/usr/", "/lib/", "/opt/")  # code of libraries that was compiled into the program, such as C++ templates
RECORDS = ("DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_union_type")
ENCODINGS = {1: "address", 2: "bool", 4: "float", 5: "int", 6: "char", 7: "uint", 8: "char", 16: "char"}


class _DebugPart(NamedTuple):
    """A member of a struct."""

    name: str
    offset: int
    type: Type


def _nothing() -> Type:
    return UNKNOWN


@dataclass(frozen=True)
class Type:
    """A type, as far as values and their parts are shown."""

    kind: str  # int uint char bool float enum pointer array record unknown
    name: str = ""
    size: int = 0
    parts: Callable[[], tuple[_DebugPart, ...]] = tuple  # of a record
    target: Callable[[], Type] = _nothing  # of a pointer, or the elements of an array
    count: int = 0  # of an array
    values: Mapping[int, str] = field(default_factory=dict)  # of an enumeration


UNKNOWN = Type("unknown")


class DebugVariable(NamedTuple):
    """A variable of the program."""

    name: str
    at: int  # the address; of a local variable, from the frame's upper end (CFA); of a thread-local one, in its block
    type: Type


class _DebugLine(NamedTuple):
    """A row of the table of lines."""

    location: Location
    is_end: bool


class DebugFunction(NamedTuple):
    """A function with its range of addresses."""

    name: str
    low: int
    high: int
    die: Any


class Debug:
    """The debugging information of one file; parts of it are read when first needed."""

    def __init__(self, path: Path) -> None:
        self.stream = path.open("rb")
        self.elf = ELFFile(self.stream)
        self.info: Any = dwarf_of(self.elf)
        self.known: dict[int, Type] = {}

    def units(self) -> Iterator[Any]:
        return iter(self.info.iter_CUs()) if self.info is not None else iter(())

    # ---------------------------------------------------------------------------------------------- lines

    @cached_property
    def lines(self) -> tuple[list[int], list[_DebugLine]]:
        """The line table of all units: addresses in order, and the line that begins at each."""
        found: list[tuple[int, bool, _DebugLine]] = []
        for unit in self.units():
            program = self.info.line_program_for_CU(unit)
            if program is not None:
                found.extend(_lines_of(unit, program))
        found.sort(key=lambda row: (row[0], not row[1]))
        return [row[0] for row in found], [row[2] for row in found]

    def place(self, pc: int) -> Location:
        """The line of an instruction."""
        addresses, lines = self.lines
        at = bisect_right(addresses, pc) - 1
        return NOWHERE if at < 0 or lines[at].is_end else lines[at].location

    def own_place(self, pc: int) -> Location:
        """The same; for code that the compiler put in from a library (std::atomic), the line where it is called."""
        found, inside = self.place(pc), self.function(pc)
        return found if inside is None or not is_system(found) else self.call_site(inside.die, pc) or found

    def users_place(self, pc: int, calls: Sequence[int]) -> str:
        """ " at FILE:LINE" of the user's own code behind a call into a library; nothing if there is none."""
        found = (self.own_place(each - 1) for each in (pc, *calls))
        own = next((where for where in found if not is_system(where)), None)
        return "" if own is None else f" at {own.file}:{own.line}"

    def call_site(self, die: Any, pc: int) -> Location | None:
        """Where the innermost inlined function at an address was called from."""
        for child in die.iter_children():
            if child.tag not in ("DW_TAG_inlined_subroutine", "DW_TAG_lexical_block") or not _covers(child, pc):
                continue
            found = self.called_at(child) if child.tag == "DW_TAG_inlined_subroutine" else None
            found = found or self.call_site(child, pc)
            if found is not None:
                return found
        return None

    def called_at(self, die: Any) -> Location | None:
        """Where an inlined call stands in the user's own source."""
        if "DW_AT_low_pc" not in die.attributes:  # in several pieces: not asked for
            return None
        program = self.info.line_program_for_CU(die.cu)
        name = _file_names(die.cu, program).get(_value(die, "DW_AT_call_file", 0), "") if program is not None else ""
        where = Location(name, _value(die, "DW_AT_call_line", 0), max(_value(die, "DW_AT_call_column", 1), 1))
        return None if is_system(where) or not name else where

    # ---------------------------------------------------------------------------------------------- functions

    @cached_property
    def functions(self) -> list[DebugFunction]:
        found = []
        for unit in self.units():
            for die in unit.iter_DIEs():
                if die.tag == "DW_TAG_subprogram" and "DW_AT_low_pc" in die.attributes:
                    found.append(_function(die))
        return sorted(found, key=lambda f: f.low)

    @cached_property
    def starts(self) -> list[int]:
        return [f.low for f in self.functions]

    def function(self, pc: int) -> DebugFunction | None:
        at = bisect_right(self.starts, pc) - 1
        return self.functions[at] if at >= 0 and pc < self.functions[at].high else None

    def locals(self, found: DebugFunction, pc: int) -> list[DebugVariable]:
        """The variables of a function that are in scope, innermost first; offsets from the CFA."""
        parser = expression_parser(found.die.cu.structs)
        base = frame_base(found.die, parser)
        variables: list[DebugVariable] = []
        if base is not None:
            self.collect(found.die, pc, base, parser, variables)
        return variables[::-1]

    def collect(self, die: Any, pc: int, base: int, parser: Any, into: list[DebugVariable]) -> None:
        """The variables of a block, and of those blocks in it that `pc` is in; `base` is that of the frame."""
        for child in die.iter_children():
            if child.tag in VARIABLES:
                offset = location(child, parser)
                if isinstance(offset, int):
                    into.append(DebugVariable(name_of(child), base + offset, self.type_of(child)))
            elif child.tag == "DW_TAG_lexical_block" and _covers(child, pc):
                self.collect(child, pc, base, parser, into)

    # ---------------------------------------------------------------------------------------------- variables

    @cached_property
    def variables(self) -> tuple[list[DebugVariable], list[DebugVariable]]:
        """The static ones by address (of files, functions and classes), and the thread-local ones."""
        fixed: dict[int, DebugVariable] = {}
        local: dict[int, DebugVariable] = {}
        for unit in self.units():
            parser = expression_parser(unit.structs)
            for die in unit.iter_DIEs():
                attribute = die.attributes.get("DW_AT_location") if die.tag == "DW_TAG_variable" else None
                if attribute is None or attribute.form != "DW_FORM_exprloc":
                    continue
                parts = parser.parse_expr(attribute.value)
                into = fixed if [p.op_name for p in parts] == ["DW_OP_addr"] else local if _is_tls(parts) else None
                if into is not None:
                    at = parts[0].args[0]
                    into.setdefault(at, DebugVariable(name_of(die), at, self.type_of(die)))
        return [fixed[a] for a in sorted(fixed)], [local[a] for a in sorted(local)]

    @cached_property
    def tls_size(self) -> int:
        """Of the block of thread-local variables, rounded up: it ends where the thread's base is."""
        segment = next((s for s in self.elf.iter_segments() if s["p_type"] == "PT_TLS"), None)
        if segment is None:
            return 0
        return int(-(-segment["p_memsz"] // segment["p_align"]) * segment["p_align"])

    def writable(self) -> list[tuple[int, int]]:
        """Where the program's own data are: first byte, behind the last one."""
        found = [s for s in self.elf.iter_segments() if s["p_type"] == "PT_LOAD" and s["p_flags"] & 2]
        return [(s["p_vaddr"], s["p_vaddr"] + s["p_memsz"]) for s in found]

    # ---------------------------------------------------------------------------------------------- types

    def record(self, name: str) -> Type:
        """A struct by its name."""
        for unit in self.units():
            for die in unit.get_top_DIE().iter_children():
                if die.tag in RECORDS and name_of(die) == name and "DW_AT_declaration" not in die.attributes:
                    return self.type(die)
        return UNKNOWN

    def type_of(self, die: Any) -> Type:
        """The type that an entry refers to."""
        origin = die
        while "DW_AT_type" not in origin.attributes:
            link = next((a for a in ("DW_AT_specification", "DW_AT_abstract_origin") if a in origin.attributes), None)
            if link is None:
                return UNKNOWN
            origin = origin.get_DIE_from_attribute(link)
        return self.type(origin.get_DIE_from_attribute("DW_AT_type"))

    def type(self, die: Any) -> Type:
        """The type that an entry describes; read once, since types refer to each other."""
        if die.offset not in self.known:
            self.known[die.offset] = self.read_type(die)
        return self.known[die.offset]

    def read_type(self, die: Any) -> Type:
        """A type as the compiler describes it; what it points to is read when it is asked for."""
        name, size = name_of(die), int(_value(die, "DW_AT_byte_size", 0))
        if die.tag in WRAPPERS:
            inner = self.type_of(die)
            return Type(**{**vars(inner), "name": name or inner.name})
        if die.tag == "DW_TAG_base_type":
            return Type(ENCODINGS.get(_value(die, "DW_AT_encoding", 0), "unknown"), name, size)
        if die.tag in POINTERS:
            return Type("pointer", name, 8, target=lambda: self.type_of(die))
        if die.tag == "DW_TAG_enumeration_type":
            entries = {_value(c, "DW_AT_const_value", 0): name_of(c) for c in die.iter_children()}
            return Type("enum", name, size, values=entries)
        if die.tag in RECORDS:
            return Type("record", name, size, parts=lambda: self.members(die))
        if die.tag == "DW_TAG_array_type":
            return self.array(die)
        return UNKNOWN

    def members(self, die: Any) -> tuple[_DebugPart, ...]:
        """The fields and base classes of a struct, with their offsets."""
        found: list[_DebugPart] = []
        for child in die.iter_children():
            offset = _value(child, "DW_AT_data_member_location", _value(child, "DW_AT_data_bit_offset", 0) // 8)
            is_field = child.tag == "DW_TAG_member" and "DW_AT_external" not in child.attributes
            if (is_field or child.tag == "DW_TAG_inheritance") and isinstance(offset, int):
                found.append(_DebugPart(name_of(child), offset, self.type_of(child)))
        return tuple(found)

    def array(self, die: Any) -> Type:
        """An array type; several dimensions are arrays of arrays."""
        counts = []
        for part in die.iter_children():
            if part.tag == "DW_TAG_subrange_type":
                upper = _value(part, "DW_AT_upper_bound", -1)
                counts.append(_value(part, "DW_AT_count", upper + 1 if isinstance(upper, int) else 0))
        made = self.type_of(die)
        for count in reversed(counts):
            element = made
            made = Type("array", "", element.size * count, target=lambda e=element: e, count=count)  # type: ignore[misc]
        return made


def _is_tls(parts: list[Any]) -> bool:
    names = [part.op_name for part in parts]
    return len(names) == 2 and names[1] in ("DW_OP_GNU_push_tls_address", "DW_OP_form_tls_address")


def _value(die: Any, name: str, otherwise: Any) -> Any:
    return die.attributes[name].value if name in die.attributes else otherwise


def name_of(die: Any) -> str:
    """The name, perhaps that of what it is an instance or a definition of."""
    for _ in range(4):
        if "DW_AT_name" in die.attributes:
            return str(die.attributes["DW_AT_name"].value.decode(errors="replace"))
        link = next((a for a in ("DW_AT_specification", "DW_AT_abstract_origin") if a in die.attributes), None)
        if link is None:
            break
        die = die.get_DIE_from_attribute(link)
    return ""


def _function(die: Any) -> DebugFunction:
    """An entry of a function; its end is an address or a size."""
    low, high = _value(die, "DW_AT_low_pc", 0), die.attributes.get("DW_AT_high_pc")
    end = low if high is None else high.value if high.form == "DW_FORM_addr" else low + high.value
    return DebugFunction(name_of(die), low, end, die)


def _covers(die: Any, pc: int) -> bool:
    """A block without one simple range counts as in scope."""
    if "DW_AT_low_pc" not in die.attributes or "DW_AT_high_pc" not in die.attributes:
        return True
    block = _function(die)
    return block.low <= pc < block.high


def _lines_of(unit: Any, program: Any) -> Iterator[tuple[int, bool, _DebugLine]]:
    """Address, whether a sequence ends there, and line: of one unit."""
    files = _file_names(unit, program)
    for entry in program.get_entries():
        state = entry.state
        if state is not None:
            name = files.get(state.file, "-")
            where = Location(name, state.line, max(state.column, 1))
            yield state.address, state.end_sequence, _DebugLine(where, state.end_sequence)


def _file_names(unit: Any, program: Any) -> dict[int, str]:
    """The files of a unit, as the user named them if he did."""
    header = program.header
    top = unit.get_top_DIE()
    here = _value(top, "DW_AT_comp_dir", b"").decode(errors="replace")
    directories = [here, *(d.decode(errors="replace") for d in header.include_directory)]
    first = 1
    if header.version >= 5:
        directories, first = directories[1:], 0
    found = {}
    for number, entry in enumerate(header.file_entry, first):
        name = entry.name.decode(errors="replace")
        directory = directories[entry.dir_index] if entry.dir_index < len(directories) else ""
        found[number] = near_path(os.path.normpath(os.path.join(here, directory, name)))
    return found


def is_system(place: Location) -> bool:
    return place == NOWHERE or place.file.startswith(SYSTEM)
