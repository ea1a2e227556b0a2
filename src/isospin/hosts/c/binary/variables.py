"""Where the variables of functions are in their stack frames, from the debugging information (DWARF)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from typing import Any

from elftools.dwarf.dwarf_expr import DWARFExprParser

VARIABLES = ("DW_TAG_variable", "DW_TAG_formal_parameter")
WRAPPERS = ("DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type", "DW_TAG_atomic_type", "DW_TAG_restrict_type")
POINTERS = ("DW_TAG_pointer_type", "DW_TAG_reference_type", "DW_TAG_rvalue_reference_type")
SCALARS = (*POINTERS, "DW_TAG_base_type", "DW_TAG_enumeration_type")
Range = tuple[int, int]  # first byte, behind the last one; from the frame's upper end (the CFA)
Piece = tuple[int, int, int]  # the same, and the size of the elements of an array; of anything else its own size


class Extents:
    """The variables in a frame, merged where they overlap; everything between two of them is one piece as well."""

    def __init__(
        self, found: list[Piece], variadic: bool = False, by_pointer: bool = False, scalars: Iterable[Range] = ()
    ) -> None:
        self.variadic = variadic  # it looks at arguments through a pointer
        self.by_pointer = by_pointer  # the result is put where the caller says
        self.pieces: list[Piece] = []
        for low, high, stride in sorted(found):
            if self.pieces and low < self.pieces[-1][1]:
                low, high = self.pieces[-1][0], max(high, self.pieces.pop()[1])
                stride = high - low
            self.pieces.append((low, high, stride))
        self.ranges: list[Range] = [(low, high) for low, high, _ in self.pieces]
        # Numbers, pointers and arrays of them, where reading is announced by itself.
        self.scalars = sorted(set(scalars) & set(self.ranges))

    def around(self, offset: int, lowest: int, highest: int) -> Range:
        """The piece that an offset is in: a variable, or a gap (temporaries of the compiler have no names)."""
        place = bisect_right(self.ranges, offset, key=lambda r: r[0])
        before = self.ranges[place - 1] if place else (lowest, lowest)
        if before[0] <= offset < before[1]:
            return before
        after = self.ranges[place][0] if place < len(self.ranges) else highest
        return (min(before[1], offset), max(after, offset + 1))


@lru_cache(maxsize=64)
def expression_parser(structs: Any) -> DWARFExprParser:
    """Of a unit; it takes longer to make one than to use it."""
    return DWARFExprParser(structs)


def dwarf_of(elf: Any) -> Any:
    """What the compiler says about a file, if anything; a linker has put in all addresses, which takes long to do."""
    return elf.get_dwarf_info(relocate_dwarf_sections=elf["e_type"] == "ET_REL") if elf.has_dwarf_info() else None


class FrameVariables:
    """For each function by its address; units of the debugging information are read when they are needed.

    SOUND: functions are left out of which something is not simply on the stack: then the compiler optimised, and
    addresses may be computed from outside of a variable.  Our own runtime has no arrays on the stack that it would do
    that with.
    """

    def __init__(self, elf: Any, ours: bool) -> None:
        self.info = dwarf_of(elf)
        self.ours = ours
        self.table = None if self.info is None else self.info.get_aranges()
        self.units: set[int] = set()
        self.found: dict[int, Extents] = {}

    def of(self, function: int) -> Extents | None:
        """Where the variables of a function are in its frame; its unit is read when it is asked for."""
        for unit in self.units_at(function):
            if unit.cu_offset not in self.units:
                self.units.add(unit.cu_offset)
                self.read(unit)
        return self.found.get(function)

    def units_at(self, function: int) -> Iterator[Any]:
        """The unit that has the function; all of them if there is no table of addresses."""
        if self.info is None or function in self.found:
            return
        place = None if self.table is None else self.table.cu_offset_at_addr(function)
        if place is None:
            yield from self.info.iter_CUs()
        else:
            yield self.info.get_CU_at(place)

    def read(self, unit: Any) -> None:
        """Note the frames of all functions of a unit."""
        parser = expression_parser(unit.structs)
        for die in _functions_in(unit.get_top_DIE()):
            ranges = _frame_of(die, parser, self.ours)
            if ranges is not None:
                variadic = any(child.tag == "DW_TAG_unspecified_parameters" for child in die.iter_children())
                scalars = _scalars_of(die, parser) if self.by_gcc else ()
                low = die.attributes["DW_AT_low_pc"].value
                self.found[low] = Extents(ranges, variadic, _returns_by_pointer(die), scalars)

    @cached_property
    def by_gcc(self) -> bool:
        """SOUND: clang does not announce a read if a write to the same place follows."""
        units = (unit.get_top_DIE().attributes.get("DW_AT_producer") for unit in self.info.iter_CUs())
        return all(made is not None and made.value.startswith(b"GNU ") for made in units)


def _returns_by_pointer(die: Any) -> bool:
    """Does the function get the address for its result as a hidden argument?"""
    for name in ("DW_AT_specification", "DW_AT_abstract_origin"):
        if name in die.attributes and "DW_AT_type" not in die.attributes:
            return _returns_by_pointer(die.get_DIE_from_attribute(name))
    result = die.get_DIE_from_attribute("DW_AT_type") if "DW_AT_type" in die.attributes else None
    while result is not None and result.tag in WRAPPERS:
        result = result.get_DIE_from_attribute("DW_AT_type") if "DW_AT_type" in result.attributes else None
    if result is None or result.tag not in ("DW_TAG_structure_type", "DW_TAG_union_type", "DW_TAG_class_type"):
        return False
    by_convention = result.tag == "DW_TAG_class_type" or "DW_AT_calling_convention" in result.attributes
    return by_convention or (_size_of(result) or 0) > 16


def _functions_in(die: Any) -> Iterator[Any]:
    for child in die.iter_children():
        if child.tag == "DW_TAG_subprogram" and "DW_AT_low_pc" in child.attributes:
            yield child
        elif child.tag == "DW_TAG_namespace":
            yield from _functions_in(child)


def _frame_of(die: Any, parser: DWARFExprParser, ours: bool) -> list[Piece] | None:
    """The pieces of the frame of a function; None if one of its variables is nowhere in particular."""
    base = frame_base(die, parser)
    if base is None:
        return None
    ranges = []
    for each in locals_of(die):
        place = location(each, parser)
        size = None if place is None else _size_of(each)
        if place is None or size is None:
            if not ours:
                return None
        elif place != "elsewhere":
            ranges.append((base + int(place), base + int(place) + size, _element_size(each) or size))
    return ranges


def _scalars_of(die: Any, parser: DWARFExprParser) -> Iterator[Range]:
    """Where variables are that have no parts, or are arrays of such.

    SOUND: a bit field is written by reading the bytes around it, and only the write is announced.
    """
    base = frame_base(die, parser)
    for each in locals_of(die):
        place, size, kind = location(each, parser), _size_of(each), _kind_of(each)
        if base is not None and isinstance(place, int) and size is not None and kind in SCALARS:
            yield base + place, base + place + size


def _kind_of(die: Any) -> str:
    """The tag of the type of a variable; of an array, of its elements."""
    if "DW_AT_abstract_origin" in die.attributes and "DW_AT_type" not in die.attributes:
        die = die.get_DIE_from_attribute("DW_AT_abstract_origin")
    while die.tag in (*VARIABLES, *WRAPPERS, "DW_TAG_array_type") and "DW_AT_type" in die.attributes:
        die = die.get_DIE_from_attribute("DW_AT_type")
    return str(die.tag)


def frame_base(die: Any, parser: DWARFExprParser) -> int | None:
    """What offsets of variables count from, relative to the CFA."""
    attribute = die.attributes.get("DW_AT_frame_base")
    if attribute is None or attribute.form != "DW_FORM_exprloc":
        return None
    first = parser.parse_expr(attribute.value)[0].op_name
    return {"DW_OP_call_frame_cfa": 0, "DW_OP_reg6": -16}.get(first)


def locals_of(die: Any) -> Iterator[Any]:
    """Variables and parameters, those of inner blocks and of inlined functions included."""
    for child in die.iter_children():
        if child.tag in VARIABLES:
            yield child
        elif child.tag in ("DW_TAG_lexical_block", "DW_TAG_inlined_subroutine"):
            yield from locals_of(child)


def location(die: Any, parser: DWARFExprParser) -> int | str | None:
    """An offset, "elsewhere" (static variables), or None: not in one place."""
    attribute = die.attributes.get("DW_AT_location")
    if attribute is None:
        declared = any(name in die.attributes for name in ("DW_AT_declaration", "DW_AT_const_value", "DW_AT_external"))
        return "elsewhere" if declared else None
    if attribute.form != "DW_FORM_exprloc":
        return None
    parts = parser.parse_expr(attribute.value)
    if len(parts) == 1 and parts[0].op_name == "DW_OP_fbreg":
        return int(parts[0].args[0])
    return "elsewhere" if parts and parts[0].op_name in ("DW_OP_addr", "DW_OP_const8u") else None


def _size_of(die: Any) -> int | None:
    """In bytes; None if it is not fixed."""
    if "DW_AT_byte_size" in die.attributes:
        return int(die.attributes["DW_AT_byte_size"].value)
    if die.tag in POINTERS:
        return 8
    if die.tag == "DW_TAG_array_type":
        return _array_size(die)
    if die.tag in (*VARIABLES, *WRAPPERS) and "DW_AT_type" in die.attributes:
        return _size_of(die.get_DIE_from_attribute("DW_AT_type"))
    if die.tag in VARIABLES and "DW_AT_abstract_origin" in die.attributes:
        return _size_of(die.get_DIE_from_attribute("DW_AT_abstract_origin"))
    return None


def _element_size(die: Any) -> int:
    """Of an array; 0: it is none, or one of arrays, or that is not known."""
    while die.tag in (*VARIABLES, *WRAPPERS) and "DW_AT_type" in die.attributes:
        die = die.get_DIE_from_attribute("DW_AT_type")
    dimensions = [part for part in die.iter_children() if part.tag == "DW_TAG_subrange_type"]
    if die.tag != "DW_TAG_array_type" or len(dimensions) != 1:
        return 0
    element = die.get_DIE_from_attribute("DW_AT_type")
    return 0 if _is_array(element) else _size_of(element) or 0


def _is_array(die: Any) -> bool:
    while die.tag in WRAPPERS and "DW_AT_type" in die.attributes:
        die = die.get_DIE_from_attribute("DW_AT_type")
    return bool(die.tag == "DW_TAG_array_type")


def _count_of(part: Any) -> int | None:
    """Of one dimension."""
    count, upper = part.attributes.get("DW_AT_count"), part.attributes.get("DW_AT_upper_bound")
    known = [a for a in (count, upper) if a is not None and isinstance(a.value, int)]
    return int(known[0].value) + (known[0] is upper) if known else None


def _array_size(die: Any) -> int | None:
    """In bytes; None if a dimension is not constant."""
    element = _size_of(die.get_DIE_from_attribute("DW_AT_type"))
    if element is None:
        return None
    for part in die.iter_children():
        if part.tag == "DW_TAG_subrange_type":
            count = _count_of(part)
            if count is None:
                return None
            element *= count
    return element
