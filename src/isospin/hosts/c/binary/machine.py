"""Machine code of an executable: its functions, decoded, and what is where in its data.

Functions come from the symbols of the file, instructions from capstone, calls of other libraries get their names from
the relocations.  What is not understood is said (`Function.obscure`), and nothing is then concluded from it.

Reference: Yang, Chen, Gopalakrishnan, Wang, SPIN 2009, who compare source text with CIL.
Differs: machine code needs no second parser for C, sees what the compiler made of it, and works for C++ as well.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import capstone
from capstone import x86
from elftools.elf.elffile import ELFFile

from ....core.records import dataclass
from .variables import Extents, FrameVariables

MOST_ENTRIES = 4096  # of a jump table
# Calls behind which nothing of the same function is executed.
NEVER_RETURNS = {
    "abort", "exit", "_exit", "_Exit", "quick_exit", "pthread_exit", "__assert_fail", "__assert", "__stack_chk_fail",
    "_Unwind_Resume", "__cxa_throw", "__cxa_rethrow", "__cxa_bad_cast", "_ZSt9terminatev", "longjmp", "siglongjmp",
}  # fmt: skip
# Calls that return twice, or go on elsewhere: control that the code does not show.
RETURNS_TWICE = {"setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "getcontext", "swapcontext", "vfork"}


class Register(NamedTuple):
    """An operand in a register."""

    name: str  # of the whole register: rax for eax and al
    size: int
    upper: bool = False  # the second byte: ah


class Immediate(NamedTuple):
    """A constant operand."""

    value: int


class MemoryOperand(NamedTuple):
    """An operand in memory: base + by * scale + offset."""

    base: str
    by: str  # the register that is multiplied by the scale
    scale: int
    offset: int  # of rip-relative operands: the address, and no base
    size: int
    segment: str


Operand = Register | Immediate | MemoryOperand


class MachineInstruction(NamedTuple):
    """One instruction, decoded."""

    address: int
    size: int
    name: str
    operands: tuple[Operand, ...]
    reads: frozenset[str]  # whole registers, implicit ones included
    writes: frozenset[str]

    @property
    def end(self) -> int:
        return self.address + self.size

    @property
    def is_vector(self) -> bool:
        return any(isinstance(o, Register) and o.name.startswith(("xmm", "ymm", "st")) for o in self.operands)

    @property
    def has_upper(self) -> bool:
        """Does it name the second byte of a register?"""
        return any(isinstance(o, Register) and o.upper for o in self.operands)


@dataclass
class MachineFunction:
    """The instructions of a function, and where each may lead."""

    name: str
    low: int
    high: int
    cold: tuple[int, int] = (0, 0)  # the part that the compiler put elsewhere
    code: dict[int, MachineInstruction] = field(default_factory=dict)
    following: dict[int, tuple[int, ...]] = field(default_factory=dict)
    calls: dict[int, str | int | None] = field(default_factory=dict)  # a name in another library, an address, unknown
    obscure: str = ""  # why it is not understood
    extents: Extents | None = None  # of its variables on the stack, if they can be trusted
    landing: frozenset[int] = frozenset()  # instructions that only exceptions lead to
    tables: set[int] = field(default_factory=set)  # where its jump tables are

    def holds(self, address: int) -> bool:
        """Is it in the function, or in the part of it that the compiler moved aside?"""
        return self.low <= address < self.high or self.cold[0] <= address < self.cold[1]


class MachineSymbol(NamedTuple):
    """A range of addresses with a name."""

    low: int
    high: int
    name: str


class MachineFile:
    """One file of machine code; addresses are those of the file."""

    def __init__(self, path: Path, ours: bool = False) -> None:
        self.path = path
        self.ours = ours  # it is our runtime
        self.elf = ELFFile(path.open("rb"))
        self.segments = [(s["p_vaddr"], s.data()) for s in self.elf.iter_segments() if s["p_type"] == "PT_LOAD"]
        self.decoder = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
        self.decoder.detail = True
        self.known: dict[int, MachineFunction] = {}

    # ---------------------------------------------------------------------------------------------- the file

    @cached_property
    def symbols(self) -> list[Any]:
        table: Any = self.elf.get_section_by_name(".symtab")
        return [s for s in table.iter_symbols() if s["st_shndx"] != "SHN_UNDEF"]

    @cached_property
    def functions(self) -> list[MachineSymbol]:
        return self.table("STT_FUNC", 0)

    @cached_property
    def objects(self) -> list[MachineSymbol]:
        """The variables with a place of their own, ascending, without overlaps."""
        merged: list[MachineSymbol] = []
        for found in self.table("STT_OBJECT", 1):
            if merged and found.low < merged[-1].high:
                last = merged.pop()
                found = MachineSymbol(last.low, max(last.high, found.high), last.name)
            merged.append(found)
        return merged

    def table(self, kind: str, least: int) -> list[MachineSymbol]:
        """The symbols of a kind in the order of their addresses; of several at one address the largest."""
        found = {
            s["st_value"]: MachineSymbol(s["st_value"], s["st_value"] + max(s["st_size"], least), s.name)
            for s in sorted(self.symbols, key=lambda s: int(s["st_size"]))
            if s["st_info"]["type"] == kind
        }
        return [found[low] for low in sorted(found)]

    @cached_property
    def constants(self) -> list[tuple[int, int]]:
        """Data that nobody writes."""
        found = [s for s in self.elf.iter_sections() if s.name.startswith((".rodata", ".data.rel.ro"))]
        return [(s["sh_addr"], s["sh_addr"] + s["sh_size"]) for s in found]

    @cached_property
    def imported(self) -> dict[int, str]:
        """Where the addresses of functions and data of other libraries are put when the program is loaded."""
        found: dict[int, str] = {}
        for table, entry in self.relocations():
            if entry["r_info_sym"]:
                found[entry["r_offset"]] = table.get_symbol(entry["r_info_sym"]).name
        return found

    def relocations(self) -> Iterator[tuple[Any, Any]]:
        """Those of the loader, with the table of symbols that they refer to."""
        section: Any
        for section in self.elf.iter_sections():
            if section["sh_type"] == "SHT_RELA" and section["sh_flags"] & 2:
                for entry in section.iter_relocations():
                    yield self.elf.get_section(section["sh_link"]), entry

    @cached_property
    def copied(self) -> frozenset[int]:
        """Where variables of other libraries live in this file: those libraries use them, too."""
        return frozenset(
            entry["r_offset"]
            for _, entry in self.relocations()
            if entry["r_info_type"] == 5  # R_X86_64_COPY
        )

    def bytes_at(self, address: int, size: int) -> bytes:
        """What the file has there; nothing if no segment covers it."""
        for low, data in self.segments:
            if low <= address < low + len(data):
                return bytes(data[address - low : address - low + size])
        return b""

    def word(self, address: int, size: int = 8) -> int | None:
        data = self.bytes_at(address, size)
        return int.from_bytes(data, "little", signed=size == 4) if len(data) == size else None

    def symbol_at(self, address: int, table: list[MachineSymbol]) -> MachineSymbol | None:
        place = bisect_right(table, address, key=lambda s: s.low) - 1
        return table[place] if place >= 0 and table[place].low <= address < table[place].high else None

    @cached_property
    def variables(self) -> FrameVariables:
        return FrameVariables(self.elf, self.ours)

    # ---------------------------------------------------------------------------------------------- functions

    def function_at(self, address: int) -> MachineFunction | None:
        """The function that an address is in."""
        found = self.symbol_at(address, self.functions)
        if found is not None and found.name.endswith(".cold"):
            warm = found.name.removesuffix(".cold")
            found = next((f for f in self.functions if f.name == warm), None)
        if found is None:
            return None
        if found.low not in self.known:
            self.known[found.low] = self.decoded(found)
        return self.known[found.low]

    def decoded(self, symbol: MachineSymbol) -> MachineFunction:
        """The instructions that control can reach, also those that the compiler moved aside as cold."""
        function = MachineFunction(symbol.name, symbol.low, symbol.high, extents=self.variables.of(symbol.low))
        cold = next((f for f in self.functions if f.name == f"{symbol.name}.cold"), None)
        if cold is not None:
            function.cold = (cold.low, cold.high)
        self.walk(function)
        return function

    def walk(self, function: MachineFunction) -> None:
        """Decode a function, and follow it from its first instruction."""
        for low, high in ((function.low, function.high), function.cold):
            for each in self.linear(low, high):
                function.code[each.address] = each
        todo = [function.low]
        while todo and not function.obscure:
            address = todo.pop()
            if address not in function.code:
                function.obscure = f"there is no instruction at {address:#x}"
            elif address not in function.following:
                function.following[address] = self.successors(function, function.code[address])
                todo += function.following[address]
        if not function.obscure:
            self.walk_landing(function)

    def walk_landing(self, function: MachineFunction) -> None:
        """What no path leads to: code for exceptions."""
        rest = [a for a in sorted(function.code) if a not in function.following]
        for address in rest:
            known = function.code
            function.following[address] = tuple(a for a in self.successors(function, known[address]) if a in known)
        function.landing = frozenset(a for a in rest if not _is_padding(function.code[a]))

    def linear(self, low: int, high: int) -> Iterator[MachineInstruction]:
        """The instructions between two addresses; it ends early at bytes that are none."""
        for raw in self.decoder.disasm(self.bytes_at(low, high - low), low):
            yield _translated(raw)

    # ---------------------------------------------------------------------------------------------- control

    def successors(self, function: MachineFunction, this: MachineInstruction) -> tuple[int, ...]:
        """Where an instruction may lead inside of its function."""
        if this.name in ("ret", "hlt", "ud2"):
            return ()
        if this.name == "call":
            return self.after_call(function, this)
        if this.name == "jmp":
            return self.after_jump(function, this)
        if this.name.startswith("j") or this.name.startswith("loop"):
            target = this.operands[0]
            if isinstance(target, Immediate) and function.holds(target.value):
                return (this.end, target.value)
            function.obscure = f"a conditional jump leaves it at {this.address:#x}"
            return ()
        return (this.end,)

    def after_call(self, function: MachineFunction, this: MachineInstruction) -> tuple[int, ...]:
        """Where control goes on; notes the target, and what makes the function obscure."""
        target = function.calls[this.address] = self.target(this.operands[0])
        if target in RETURNS_TWICE:
            function.obscure = f"it calls {target}"
        if target in NEVER_RETURNS or not function.holds(this.end):
            return ()
        return (this.end,)

    def after_jump(self, function: MachineFunction, this: MachineInstruction) -> tuple[int, ...]:
        """The same for `jmp`: a place in the function, a table of places, or another function."""
        operand = this.operands[0]
        if isinstance(operand, Immediate) and function.holds(operand.value):
            return (operand.value,)
        if not isinstance(operand, Immediate):
            table = self.jump_table(function, this)
            if table:
                return table
        target = self.target(operand)
        if target is None:
            function.obscure = f"it jumps to a computed address at {this.address:#x}"
        function.calls[this.address] = target  # a call in the last place
        return ()

    def target(self, operand: Operand) -> str | int | None:
        """What is called: the name of a function of another library, an address of this file, or unknown."""
        if isinstance(operand, MemoryOperand) and not operand.base and not operand.by:
            return self.imported.get(operand.offset)
        if not isinstance(operand, Immediate):
            return None
        if self.symbol_at(operand.value, self.functions) is None:
            return self.stub(operand.value)
        return operand.value

    def stub(self, address: int) -> str | None:
        """The name behind an entry of the procedure linkage table."""
        for raw in self.decoder.disasm(self.bytes_at(address, 32), address):
            this = _translated(raw)
            if this.name == "jmp":
                operand = this.operands[0]
                return self.imported.get(operand.offset) if isinstance(operand, MemoryOperand) else None
            if this.name not in ("endbr64", "push", "bnd"):
                return None
        return None

    def jump_table(self, function: MachineFunction, jump: MachineInstruction) -> tuple[int, ...]:
        """The targets of a switch: addresses of 8 bytes, or distances of 4 bytes from the table.

        SOUND: the table is read on until an entry leads out of the function: perhaps too far, never too short.
        """
        before = self.before(function, jump, 12)
        for this in [jump, *before]:
            for operand in this.operands:
                if isinstance(operand, MemoryOperand) and operand.by and operand.scale == 8 and operand.offset:
                    function.tables.add(operand.offset)
                    return tuple(self.entries(function, operand.offset, 8))
        loads = [operand for this in before if this.name == "lea" for operand in this.operands]
        bases = [operand.offset for operand in loads if isinstance(operand, MemoryOperand) and not operand.base]
        function.tables.update(bases[:1])
        return tuple(self.entries(function, bases[0], 4)) if bases else ()

    def before(self, function: MachineFunction, this: MachineInstruction, most: int) -> list[MachineInstruction]:
        """The instructions before this one in memory, the nearest first."""
        places = sorted(a for a in function.code if a < this.address)
        return [function.code[a] for a in reversed(places[-most:])]

    def entries(self, function: MachineFunction, table: int, size: int) -> Iterator[int]:
        """The targets in a jump table: up to the first word that is no code of the function."""
        for number in range(MOST_ENTRIES):
            word = self.word(table + number * size, size)
            address = None if word is None else word if size == 8 else table + word
            if address is None or address not in function.code:
                return
            yield address


def _is_padding(this: MachineInstruction) -> bool:
    return this.name in ("nop", "int3") or (this.name in ("xchg", "data16") and len(this.reads) < 2)


# -------------------------------------------------------------------------------------------------- from capstone

WHOLE: dict[str, str] = {}
for _wide, _parts in {
    "rax": "eax ax al ah", "rbx": "ebx bx bl bh", "rcx": "ecx cx cl ch", "rdx": "edx dx dl dh", "rsi": "esi si sil",
    "rdi": "edi di dil", "rbp": "ebp bp bpl", "rsp": "esp sp spl", "rip": "eip ip",
}.items():  # fmt: skip
    WHOLE.update(dict.fromkeys([_wide, *_parts.split()], _wide))
for _number in range(8, 16):
    WHOLE.update({f"r{_number}{_part}": f"r{_number}" for _part in ("", "d", "w", "b")})


UPPER = ("ah", "bh", "ch", "dh")
# Registers that instructions read and write besides those that the decoder knows of.
ALSO_READS = {"rcl": ("rflags",), "rcr": ("rflags",), "cmc": ("rflags",), "xlatb": ("rax", "rbx")}
ALSO_WRITES = {"cmpxchg": ("rax", "rflags"), "xlatb": ("rax",), "syscall": ("rax", "rcx", "r11")}


def _whole(name: str) -> str:
    """The register of which this one is a part."""
    return WHOLE.get(name, name)


def _translated(raw: Any) -> MachineInstruction:
    """An instruction of capstone in our words."""
    reads, writes = raw.regs_access()
    name = raw.mnemonic.removeprefix("notrack ").removeprefix("bnd ").removeprefix("lock ")
    return MachineInstruction(
        raw.address,
        raw.size,
        name,
        tuple(_operand(raw, o) for o in raw.operands),
        frozenset(_whole(raw.reg_name(r)) for r in reads).union(ALSO_READS.get(name, ())),
        frozenset(_whole(raw.reg_name(r)) for r in writes).union(ALSO_WRITES.get(name, ())),
    )


def _operand(raw: Any, found: Any) -> Operand:
    """An operand of capstone in our words; addresses relative to rip become absolute."""
    if found.type == x86.X86_OP_REG:
        name = raw.reg_name(found.reg)
        return Register(_whole(name), found.size, name in UPPER)
    if found.type == x86.X86_OP_IMM:
        return Immediate(found.imm)
    mem = found.mem
    base = _whole(raw.reg_name(mem.base)) if mem.base else ""
    index = _whole(raw.reg_name(mem.index)) if mem.index else ""
    segment = raw.reg_name(mem.segment) if mem.segment else ""
    if base == "rip":
        return MemoryOperand("", index, mem.scale, raw.address + raw.size + mem.disp, found.size, segment)
    return MemoryOperand(base, index, mem.scale, mem.disp, found.size, segment)
