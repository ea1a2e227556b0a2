"""What the rules about numbers of threads need to know of the code of one file (rules.py)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from .calls import READS_BACK, SAYS_VALUES
from .carriers import Carriers
from .dwarf import UNKNOWN, Type
from .frame import ARGUMENTS
from .machine import MachineFile, MachineFunction, MachineInstruction, MemoryOperand, Register
from .reach import Reach
from .values import Carrier, Number, Value

GIVEN = ARGUMENTS[:6]
_FLOAT = 4  # DW_ATE_float


class NumberedCode:
    """The functions of a file, with what they are given, what they return and what their frames hold."""

    def __init__(self, machine: MachineFile, reach: Reach) -> None:
        self.machine, self.reach = machine, reach
        self.carriers = Carriers(reach.walks)

    @cached_property
    def reads_back(self) -> bool:
        """SOUND: may what the program prints be data for it?"""
        return any(name.removeprefix("isospin_") in READS_BACK for name in self.machine.imported.values())

    def says_values(self, text: Value) -> bool:
        """Is it a format, which nobody changes, that touches no memory?"""
        if not isinstance(text, Number) or not any(low <= text.value < high for low, high in self.machine.constants):
            return False
        return SAYS_VALUES.match(self.machine.bytes_at(text.value, 1024)) is not None

    def slots(self, function: MachineFunction) -> dict[int, tuple[int, Carrier]]:
        liveness = self.reach.liveness(function)
        return {} if liveness.obscure or function.landing else self.carriers.slots(function, liveness)

    def records(self, function: MachineFunction) -> list[tuple[int, int, Carrier]]:
        """What carries numbers in the variables of a frame that others may touch: offset, size, carrier."""
        liveness = self.reach.liveness(function)
        return [] if liveness.obscure else self.carriers.records(function, liveness)

    def shared(self, function: MachineFunction) -> dict[int, Type]:
        """These variables, by their places."""
        liveness = self.reach.liveness(function)
        return {} if liveness.obscure else self.carriers.shared(function, liveness)

    def objects(self, found: Iterable[int]) -> tuple[int, ...]:
        """The variables that constants lie in."""
        every = self.machine.objects
        symbols = (self.machine.symbol_at(n, every) for n in found)
        return tuple(sorted({every.index(s) for s in symbols if s is not None}))

    def parameters(self, function: int) -> frozenset[str]:
        """Registers of arguments that a function may read before it writes them."""
        callee = self.machine.function_at(function)
        read = _read_at_once(callee) if callee is not None else set[str]()
        # SOUND: code that is not optimised puts all arguments away first.  Other code may read some later.
        return frozenset(read if self.most_parameters(function) <= len(read) else GIVEN)

    def given_by_others(self, function: int) -> list[Carrier]:
        """SOUND: the parameters of a function that libraries call, since no rule says what they give to it."""
        called = function in self.reach.called_by_others
        return [self.carriers.parameter(function, register) for register in GIVEN if called]

    def most_parameters(self, function: int) -> int:
        """How many registers the declared parameters may take."""
        found = self.carriers.walks.debug.function(function)
        if found is None:
            return len(GIVEN) + 1
        return sum(_registers_for(child) for child in found.die.iter_children())

    def returns(self, function: int) -> bool:
        found = self.carriers.walks.debug.function(function)
        return found is None or "DW_AT_type" in found.die.attributes or "DW_AT_specification" in found.die.attributes

    def returns_two(self, function: int) -> bool:
        """May there be a part of the result in a second register?  So it is with structs and with 128 bits."""
        debug = self.carriers.walks.debug
        found = debug.function(function)
        result = UNKNOWN if found is None else debug.type_of(found.die)
        return result.kind == "unknown" or 8 < result.size <= 16


def _read_at_once(function: MachineFunction) -> set[str]:
    """Registers of arguments that are read before the first jump or call, and were not written."""
    read: set[str] = set()
    written: set[str] = set()
    for address in sorted(function.code):
        this = function.code[address]
        if address in function.calls or this.name.startswith("j"):
            break
        read |= (_sources(this) & set(GIVEN)) - written
        written |= this.writes
    return read


def _registers_for(child: Any) -> int:
    """How many registers a part of a function's description asks for."""
    if child.tag == "DW_TAG_unspecified_parameters":
        return len(GIVEN) + 1
    if child.tag != "DW_TAG_formal_parameter":
        return 0
    kind = _plain_type(child)
    if kind is None or kind.tag in ("DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_union_type"):
        return len(GIVEN) + 1  # by value: it may be in registers, in parts
    encoding = kind.attributes.get("DW_AT_encoding")
    return 0 if encoding is not None and encoding.value == _FLOAT else 1


def _plain_type(die: Any) -> Any:
    """The type of a variable without names and qualifiers; None if it has none of its own."""
    while "DW_AT_type" in die.attributes:
        die = die.get_DIE_from_attribute("DW_AT_type")
        if die.tag not in ("DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type", "DW_TAG_restrict_type",
                           "DW_TAG_atomic_type"):  # fmt: skip
            return die
    return None


def _sources(this: MachineInstruction) -> set[str]:
    found = {o.name for o in this.operands[1:] if isinstance(o, Register)}
    for operand in this.operands:
        if isinstance(operand, MemoryOperand):
            found |= {operand.base, operand.by}
    return found | (set(this.reads) if this.name not in ("mov", "lea", "xor") else set())
