"""Where code goes from one object of an array to another: by arithmetic with an address that it was given.

An element of an array may move under a renaming only if pointers to it lead to nothing else (symmetry/cells.h).  An
address plus a number leads elsewhere, unless the sum stays in the object that the pointer points to; how large that is,
the debugging information says, for values that come from variables and members with a type.

Reference: Lee, Avgerinos, Brumley, NDSS 2011 (types of values in machine code).
Differs: types are given, not inferred; they follow values in registers through straight code only.  What is not known
is taken for an address, and arithmetic with it for a walk.  Of a walk the size of the objects counts over which it
goes: one over `int` does not lead from one struct to the next.  SOUND for programs that stay in the arrays that they
walk through, as C demands, and whose pointers have the types of what they point to, or smaller ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from elftools.dwarf.dwarf_expr import DWARFExprParser

from ..constants import SAVED_REGISTERS
from .dwarf import UNKNOWN, Debug, Type, name_of
from .frame import FrameAnalysis, FrameState, is_string
from .machine import Immediate, MachineFile, MachineFunction, MachineInstruction, MemoryOperand, Operand, Register
from .variables import frame_base, locals_of, location

# Functions that touch no more than one object behind each pointer that they are given.
MODEST = re.compile(
    r"__tsan_(?!mem)|pthread_|sem_|mtx_|cnd_|thrd_|tss_|call_once$|isospin_(toss|assert|outcome)|_Unwind_Resume$|__cxa_|"
    r"_ZSt9terminatev$|_ZSt\d+__throw_|_Zn[wa]|_Zd[la]|_ZNSt6thread|_ZNSt18condition_variable|(isospin_)?(malloc|calloc|"
    r"free|abort|exit|_exit|__assert_fail|__assert|__stack_chk_fail|f?printf|puts|putchar|fflush|sched_yield|u?sleep|"
    r"nanosleep|rand|random)$"
)
COMPUTES = ("cdqe", "cqo", "cwde", "cdq", "mul", "div", "idiv")  # results in registers that are not named
NUMBERS = ("int", "uint", "char", "bool", "float", "enum")


class _RegisterValue(NamedTuple):
    """What is in a register."""

    kind: str  # number, named (an address in the code, or in the frame), pointer, anything
    type: Type = UNKNOWN  # of what a pointer points into
    offset: int = 0  # in it; of a named one: the address, or 0


NUMBER, NAMED, ANYTHING = _RegisterValue("number"), _RegisterValue("named"), _RegisterValue("anything")


class _Walk(Exception):
    """An instruction that may lead from one object to another; `size` is that of the objects, or 0: any."""

    def __init__(self, *values: _RegisterValue) -> None:
        sizes = {v.type.size for v in values if v is not NUMBER}
        self.size = sizes.pop() if len(sizes) == 1 and all(v.kind in ("pointer", "number") for v in values) else 0
        if self.size == 1:  # bytes: of anything
            self.size = 0


def _value_of(type_: Type) -> _RegisterValue:
    """What is known of a value by its type alone."""
    if type_.kind == "pointer":
        return _RegisterValue("pointer", type_.target())
    return NUMBER if type_.kind in NUMBERS else ANYTHING


def _part_at(type_: Type, offset: int) -> Type:
    """The type of what is at an offset in an object."""
    if type_.kind == "array":
        element = type_.target()
        return _part_at(element, offset % element.size) if 0 <= offset < type_.size and element.size else UNKNOWN
    if type_.kind == "record":
        parts = [p for p in type_.parts() if p.offset <= offset < p.offset + p.type.size]
        return _part_at(parts[0].type, offset - parts[0].offset) if len(parts) == 1 else UNKNOWN
    return type_ if offset == 0 else UNKNOWN


class Walks:
    """Of one file; remembered for each function."""

    def __init__(self, machine: MachineFile) -> None:
        self.machine, self.debug = machine, Debug(machine.path)
        self.known: dict[int, dict[int, int]] = {}

    def places(self, function: MachineFunction, frame: FrameAnalysis) -> Mapping[int, int]:
        """The instructions of a function that walk, each with the size of the objects."""
        if function.low not in self.known:
            self.known[function.low] = dict(_Straight(self, function, frame).walking())
        return self.known[function.low]

    def is_address(self, number: int) -> bool:
        """Of a variable: where the program is loaded is known when it is linked."""
        return self.machine.symbol_at(number, self.machine.objects) is not None

    @cached_property
    def globals(self) -> dict[int, Type]:
        return {variable.at: variable.type for variable in self.debug.variables[0]}

    def names(self, function: MachineFunction) -> dict[int, str]:
        """The names of a function's variables by their places in the frame."""
        found = self.debug.function(function.low)
        parser = None if found is None else DWARFExprParser(found.die.cu.structs)
        base = None if found is None or parser is None else frame_base(found.die, parser)
        if found is None or parser is None or base is None:
            return {}
        places = [(location(each, parser), name_of(each)) for each in locals_of(found.die)]
        return {base + place: name for place, name in places if isinstance(place, int)}

    def slots(self, function: MachineFunction) -> dict[int, Type]:
        """The variables of a function by their places in the frame; one that is not alone in its place has no type."""
        found = self.debug.function(function.low)
        parser = None if found is None else DWARFExprParser(found.die.cu.structs)
        base = None if found is None or parser is None else frame_base(found.die, parser)
        slots: dict[int, Type] = {}
        if found is None or parser is None or base is None:
            return slots
        for each in locals_of(found.die):
            place = location(each, parser)
            if isinstance(place, int):
                type_ = self.debug.type_of(each)
                twice = any(o < base + place + type_.size and base + place < o + t.size for o, t in slots.items())
                slots[base + place] = UNKNOWN if twice else type_
        return slots


class _Straight:
    """Values in the registers of one function, followed from each place to which jumps lead."""

    def __init__(self, walks: Walks, function: MachineFunction, frame: FrameAnalysis) -> None:
        self.walks, self.function, self.frame = walks, function, frame
        self.slots = walks.slots(function)
        self.values: dict[str, _RegisterValue] = {}
        self.spilled: dict[int, _RegisterValue] = {}  # in places of the frame that belong to no variable

    def walking(self) -> Iterator[tuple[int, int]]:
        """Where it walks, and over objects of which size; 0: any."""
        if self.frame.obscure:
            yield from dict.fromkeys(self.function.code, 0).items()
            return
        joins = self.joins()
        for address in sorted(self.frame.before):
            this, state = self.function.code[address], self.frame.before[address]
            if address in joins:
                self.values, self.spilled = {}, {}
            try:
                self.step(this, state)
            except _Walk as walk:
                yield address, walk.size
                self.forget(this)

    def joins(self) -> set[int]:
        """Where registers may hold other things than the instruction before has left there."""
        code = self.function.code
        found = {t for a, following in self.function.following.items() for t in following if t != code[a].end}
        found |= {code[a].end for a, following in self.function.following.items() if code[a].end not in following}
        return found | set(self.function.landing)

    def forget(self, this: MachineInstruction) -> None:
        """Nothing is known of what the instruction writes."""
        for register in this.writes:
            self.values.pop(register, None)

    # ---------------------------------------------------------------------------------------------- instructions

    def step(self, this: MachineInstruction, state: FrameState) -> None:
        """What registers hold behind an instruction; raises if it may be a walk."""
        for operand in this.operands:
            if isinstance(operand, MemoryOperand) and this.name not in ("lea", "nop") and not operand.segment:
                self.reached(operand, state)
        if this.address in self.function.calls:
            self.call(this)
            return
        if is_string(this):
            raise _Walk(ANYTHING)
        target = this.operands[0] if this.operands else None
        if this.name in COMPUTES:
            self.forget(this)
            self.values.update(dict.fromkeys(this.writes & {"rax", "rdx"}, NUMBER))
            return
        if not isinstance(target, Register) or target.name not in this.writes:
            self.written_in_place(this, state)
            self.spill(this, state)
            self.forget(this)
            return
        made = self.made(this, target, state)
        self.forget(this)
        self.values[target.name] = made

    def call(self, this: MachineInstruction) -> None:
        """What a call leaves in registers; one that may return anything ends the walk."""
        name = self.function.calls[this.address]
        self.values = {r: v for r, v in self.values.items() if r in SAVED_REGISTERS}
        if isinstance(name, str) and not MODEST.match(name):
            raise _Walk(ANYTHING)

    def written_in_place(self, this: MachineInstruction, state: FrameState) -> None:
        """add [memory], register: what is there must be a number."""
        target = this.operands[0] if this.operands else None
        if this.name in ("add", "sub", "inc", "dec", "xadd") and isinstance(target, MemoryOperand) and target.size == 8:
            if (old := self.loaded(target, state)) is not NUMBER:
                raise _Walk(old)

    def spill(self, this: MachineInstruction, state: FrameState) -> None:
        """The compiler puts a value aside for a while."""
        target = this.operands[0] if this.operands else None
        exact = self.frame.exact(target, state) if isinstance(target, MemoryOperand) else None
        if exact is None or not isinstance(target, MemoryOperand):
            return
        for place in [p for p in self.spilled if p < exact + target.size and exact < p + 8]:
            del self.spilled[place]
        alone = not any(low - 8 < exact < low + type_.size for low, type_ in self.slots.items())
        if this.name == "mov" and isinstance(this.operands[1], Register) and this.operands[1].size == 8 and alone:
            self.spilled[exact] = self.value(this.operands[1], state)

    def made(self, this: MachineInstruction, target: Register, state: FrameState) -> _RegisterValue:
        """What an instruction puts into its first operand."""
        if target.name.startswith("xmm"):
            return ANYTHING
        if this.name == "lea":
            return self.address(this.operands[1], state)
        if this.name == "mov" and isinstance(this.operands[1], Immediate):
            return self.value(this.operands[1], state)
        if target.size < 8 or this.name in ("movzx", "movsx", "movsxd", "cvttsd2si", "cvttss2si"):
            return NUMBER
        if this.name in ("mov", "movabs"):
            return self.value(this.operands[1], state)
        if this.name in ("add", "sub", "inc", "dec"):
            return self.sum(this, target, state)
        if this.name in ("imul", "shl", "sal", "sar", "shr", "and", "or", "xor", "not", "neg"):
            return NUMBER  # an address with which that is done is a number
        return ANYTHING

    def sum(self, this: MachineInstruction, target: Register, state: FrameState) -> _RegisterValue:
        """What an addition leaves in its target."""
        old, other = self.value(target, state), this.operands[-1]
        if this.name in ("inc", "dec") or isinstance(other, Immediate):
            by = other.value if isinstance(other, Immediate) else 1
            return self.moved(old, by if this.name in ("add", "inc") else -by)
        return self.together(old, self.value(other, state))

    # ---------------------------------------------------------------------------------------------- values

    def value(self, operand: Operand, state: FrameState) -> _RegisterValue:
        """What an operand holds, as far as that is known."""
        if isinstance(operand, Immediate):
            return _RegisterValue("named", offset=operand.value) if self.walks.is_address(operand.value) else NUMBER
        if isinstance(operand, MemoryOperand):
            return self.loaded(operand, state)
        if operand.name in state.pointers:
            return NAMED
        return self.values.get(operand.name, ANYTHING)

    def loaded(self, operand: MemoryOperand, state: FrameState) -> _RegisterValue:
        """What 8 bytes of memory hold."""
        if operand.size != 8 or operand.segment or operand.by:
            return NUMBER if operand.size < 8 else ANYTHING
        exact = self.frame.exact(operand, state)
        if exact is not None:
            return self.spilled.get(exact) or _value_of(self.typed(self.slots, exact))
        base = self.based(operand, state)
        if base.kind == "pointer":
            return _value_of(_part_at(base.type, base.offset + operand.offset))
        if base.kind == "named" and base.offset + operand.offset:
            return _value_of(self.typed(self.walks.globals, base.offset + operand.offset))
        return ANYTHING

    def typed(self, table: dict[int, Type], place: int) -> Type:
        """The type of what is at a place, by a table of variables."""
        for low, type_ in table.items():
            if low <= place < low + type_.size:
                return _part_at(type_, place - low)
        return UNKNOWN

    def based(self, operand: MemoryOperand, state: FrameState) -> _RegisterValue:
        return self.value(Register(operand.base, 8), state) if operand.base else _RegisterValue("named")

    def address(self, operand: Operand, state: FrameState) -> _RegisterValue:
        """Of a memory operand."""
        assert isinstance(operand, MemoryOperand)
        base = self.based(operand, state)
        if not operand.by:
            return (
                _RegisterValue("named", offset=operand.offset) if not operand.base else self.moved(base, operand.offset)
            )
        index = self.value(Register(operand.by, 8), state)
        if not operand.base:
            return NUMBER if operand.scale > 1 and not operand.offset else self.together(NAMED, index)
        return self.moved(self.together(base, index if operand.scale == 1 else NUMBER), operand.offset)

    def moved(self, value: _RegisterValue, by: int) -> _RegisterValue:
        """The value plus a number: still in its object, or a walk."""
        if self.walks.is_address(by):
            return NAMED
        if value.kind == "pointer" and 0 <= value.offset + by < max(value.type.size, 1):
            return value._replace(offset=value.offset + by)
        if value.kind == "named":
            return value._replace(offset=value.offset + by if value.offset else 0)
        if value is NUMBER or by == 0:
            return value
        raise _Walk(value)

    def together(self, one: _RegisterValue, other: _RegisterValue) -> _RegisterValue:
        """The sum or the difference of two values."""
        if "named" in (one.kind, other.kind):
            return NAMED
        if one is NUMBER and other is NUMBER:
            return NUMBER
        raise _Walk(one, other)

    def reached(self, operand: MemoryOperand, state: FrameState) -> None:
        """Memory that is read or written."""
        base = self.based(operand, state)
        end = base.offset + operand.offset + operand.size
        if operand.by:
            index = self.value(Register(operand.by, 8), state)
            if "named" not in (base.kind, index.kind):
                raise _Walk(base, index)
        elif base.kind == "pointer" and base.type.size:
            if not 0 <= base.offset + operand.offset <= end <= base.type.size:
                raise _Walk(base)
        elif base.kind != "named" and (operand.offset or base is NUMBER):
            raise _Walk(ANYTHING)
