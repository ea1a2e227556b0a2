"""Accesses to shared memory that the compiler does not announce: they would be missed, so they have to be told.

With -fsanitize=thread every access of memory is announced by a call of `__tsan_read4` and the like, just before it,
with a few exceptions: gcc does not announce reading a struct that is passed by value, nor storing one that a function
returned; nobody announces what inline assembly does.

An access to a variable by name must have a call with the address of all its bytes shortly before it; one through a
pointer must be paid for by the calls before it, byte by byte.  Constants and thread-local storage need none, nor does
the own stack, but for variables whose address was given away: of them all places are known, so that each access needs
an announcement of its bytes, and it counts only if another thread uses a variable of that function
(runtime/race/visits.c).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from ....core.records import dataclass
from .frame import COPIES, HOOK, TOLD, FrameAnalysis, Pointer, is_string
from .liveness import reachable
from .machine import Immediate, MachineFile, MachineFunction, MachineInstruction, MemoryOperand, Register
from .reach import constant_in
from .variables import Extents, Range

NEAR = 64  # instructions between an announcement and the access
ATOMIC = re.compile(r"__tsan_atomic(\d+)_load$")  # clang may read once more what it does not need
VPTR = re.compile(r"__tsan_vptr_(read|update)$")
LIBRARY = re.compile(r"_ZN?K?(St|9__gnu_cxx|10__cxxabiv1)")  # the standard library of C++, compiled with the program
TOUCHLESS = {"lea", "nop", "call", "jmp", "push", "prefetcht0"}


class _Silent(NamedTuple):
    """An access that nobody announced."""

    address: int  # of the instruction
    function: str
    writes: bool


class _Announced(NamedTuple):
    """An access to a variable by name that was announced."""

    place: int  # in the order of instructions
    low: int
    high: int
    writes: bool


@dataclass
class _Credit:
    """What was announced and not yet used, of accesses through pointers; in bytes."""

    reads: int = 0
    writes: int = 0

    def pays(self, size: int, writes: bool) -> bool:
        """Were so many bytes announced?  Then they are used up."""
        if not writes and self.reads >= size:
            self.reads -= size
            return True
        if self.writes < size:
            return False
        self.writes -= size if writes else 0  # an announced write covers the reading of its neighbours' bits
        return True


@dataclass
class _Search:
    """One function, from its first instruction to its last."""

    machine: MachineFile
    function: MachineFunction
    frame: FrameAnalysis
    named: list[_Announced] = field(default_factory=list)
    credit: _Credit = field(default_factory=_Credit)
    last: MachineInstruction | None = None  # the one before

    def run(self) -> Iterator[_Silent]:
        """The accesses of the function to shared memory that no hook announces, in the order of addresses."""
        for place, address in enumerate(sorted(self.function.code)):
            this = self.function.code[address]
            target = self.function.calls.get(address)
            if address in self.function.calls:
                self.announce(place, address, target)
            elif address in self.frame.before:
                yield from self.accesses(place, this)
            self.last = this

    def announce(self, place: int, address: int, target: str | int | None) -> None:
        """If the call is a hook: note what it announces, by address where that is constant, else by size."""
        name = VPTR.sub("__tsan_write8", target) if isinstance(target, str) else ""
        hook = HOOK.match(ATOMIC.sub(lambda found: f"__tsan_read{int(found[1]) // 8}", name))
        if hook is None:
            return
        size = constant_in(self.function, address, "rsi") if hook[2] == "_range" else int(hook[2])
        where = _address_in(self.function, address)
        state = self.frame.before.get(address)
        if where is not None and size is not None:
            self.named.append(_Announced(place, where, where + size, "write" in hook[1]))
        elif state is None or "rdi" not in state.pointers:
            self.credit.reads += (size or 1 << 20) * ("read" in hook[1])
            self.credit.writes += (size or 1 << 20) * ("write" in hook[1])

    def accesses(self, place: int, this: MachineInstruction) -> Iterator[_Silent]:
        """What this instruction reads or writes of shared memory without a word."""
        for number, operand in enumerate(this.operands):
            if not isinstance(operand, MemoryOperand) or not self.is_shared(this, operand):
                continue
            for writes in _ways(this, number):
                if not self.is_announced(place, this, operand, writes):
                    yield _Silent(this.address, self.function.name, writes)

    def is_shared(self, this: MachineInstruction, operand: MemoryOperand) -> bool:
        """Neither in the own frame, nor a constant, nor local to the thread."""
        if this.name in TOUCHLESS - {"push"} or operand.segment:
            return False
        if self.frame.address(operand, self.frame.before[this.address]) is not None:
            return False
        if not operand.base:
            return self.is_variable(operand.offset)  # perhaps a table, with an index
        return not self.is_table(operand.offset) and not self.is_table(self.added(operand.base))

    def added(self, register: str) -> int:
        """The number that the instruction before this one adds to a register; 0 if it does something else."""
        if self.last is None or self.last.name != "add" or register not in self.last.writes:
            return 0
        more = self.last.operands[-1]
        return more.value if isinstance(more, Immediate) else 0

    def is_table(self, address: int) -> bool:
        """A constant of the program, by its name: what is added to it is an index.

        SOUND: as the distance of a member from a pointer it would be one of megabytes.
        """
        constants = any(low <= address < high for low, high in self.machine.constants)
        return constants and self.machine.symbol_at(address, self.machine.objects) is not None

    def is_variable(self, address: int) -> bool:
        """A variable of the program, and no constant."""
        constants = any(low <= address < high for low, high in self.machine.constants)
        return not constants and self.machine.symbol_at(address, self.machine.objects) is not None

    def is_announced(self, place: int, this: MachineInstruction, operand: MemoryOperand, writes: bool) -> bool:
        """Constant addresses by hooks nearby that name them; others as long as what hooks announced suffices."""
        if operand.base or operand.by or is_string(this):
            return self.credit.pays(operand.size, writes)
        missing = set(range(operand.offset, operand.offset + operand.size))
        for each in reversed(self.named):
            if each.place < place - NEAR or not missing:
                break
            if each.writes or not writes:
                missing -= set(range(each.low, each.high))
        return not missing


def _address_in(function: MachineFunction, call: int) -> int | None:
    """The address that is given to a call, if it is known: a number, perhaps with another one added by clang."""
    known = _number_in(function, call)
    before = max((a for a in function.code if a < call), default=call)
    this = function.code[before]
    if known is not None or this.name != "add" or "rdi" not in this.writes:
        return known
    base, more = _number_in(function, before), this.operands[-1]
    return base + more.value if base is not None and isinstance(more, Immediate) else None


def _number_in(function: MachineFunction, place: int) -> int | None:
    """The number in rdi; clang may have put it aside, into its frame, and take it from there again."""
    known = constant_in(function, place, "rdi")
    for address in sorted((a for a in function.code if a < place and known is None), reverse=True)[:NEAR]:
        this = function.code[address]
        if address in function.calls or this.name.startswith("j"):
            break
        if "rdi" in this.writes:
            source = this.operands[-1]
            return _put_aside(function, source) if this.name == "mov" and isinstance(source, MemoryOperand) else None
    return known


def _put_aside(function: MachineFunction, slot: MemoryOperand) -> int | None:
    """SOUND: the only number that is ever put there, and nobody has the address."""
    if slot.base not in ("rbp", "rsp") or slot.by:
        return None
    found: set[int | None] = set()
    for address, this in function.code.items():
        same = [n for n, o in enumerate(this.operands) if isinstance(o, MemoryOperand) and _overlap(o, slot)]
        if not same or (this.name == "mov" and same == [1]):
            continue
        source = this.operands[-1]
        plain = this.name == "mov" and same == [0] and this.operands[0] == slot and isinstance(source, Register)
        found.add(constant_in(function, address, source.name) if plain and isinstance(source, Register) else None)
    return found.pop() if len(found) == 1 else None


def _overlap(one: MemoryOperand, other: MemoryOperand) -> bool:
    """With an index, an operand is somewhere behind the beginning of an array."""
    ends = one.offset + (1 << 20 if one.by else max(one.size, 1))
    return one.base == other.base and one.offset < other.offset + other.size and other.offset < ends


def _ways(this: MachineInstruction, number: int) -> tuple[bool, ...]:
    """Does it read the operand, write it, or both?  True is for writing."""
    if number > 0 or this.name in ("cmp", "test", "push", "mul", "div", "idiv", "imul", "fld", "fild", "fadd"):
        return (False,)
    return (True,) if this.name in COPIES else (False, True)


# -------------------------------------------------------------------------------------------------- own variables


class _Told(NamedTuple):
    """An announcement."""

    place: int  # in the order of instructions
    where: Range
    writes: bool


@dataclass
class _OwnSearch:
    """One function, from its first instruction to its last."""

    function: MachineFunction
    frame: FrameAnalysis
    shared: dict[Range, set[int]]  # variables whose address was given away, and the instructions behind that
    told: list[_Told] = field(default_factory=list)

    def run(self) -> Iterator[tuple[int, Range, bool]]:
        """The instructions, what they access, and whether they write."""
        for place, address in enumerate(sorted(self.frame.effects)):
            if address in self.function.calls:
                self.call(place, address)
                continue
            self.told = [each for each in self.told if each.place >= place - NEAR]
            for variable, behind in self.shared.items():
                if address in behind:
                    yield from self.accesses(address, variable)

    def call(self, place: int, address: int) -> None:
        """SOUND: an announcement is just before its access; anything that runs in between has nothing to do with it."""
        target = self.function.calls[address]
        name = target if isinstance(target, str) else ""
        hook = HOOK.match(ATOMIC.sub(lambda found: f"__tsan_read{int(found[1]) // 8}", name))
        if hook is None and not TOLD.match(name):
            self.told = []
        pointer = None if hook is None else self.pointer(address)
        if hook is None or pointer is None:
            return
        size = constant_in(self.function, address, "rsi") if hook[2] == "_range" else int(hook[2])
        if pointer.exact is not None and size is not None:
            self.told.append(_Told(place, (pointer.exact, pointer.exact + size), "write" in hook[1]))
            return
        whole = (v for v in self.shared if any(v[0] <= root < v[1] for root in pointer.roots))
        self.told += [_Told(place, variable, "write" in hook[1]) for variable in whole]

    def pointer(self, call: int) -> Pointer | None:
        """The address in the frame that a call gets; clang may have put it aside, into the frame."""
        known, more = self.frame.before[call].pointers.get("rdi"), 0
        earlier = (a for a in sorted(self.frame.effects, reverse=True) if a < call and known is None)
        for address in islice(earlier, NEAR):
            this = self.function.code[address]
            if address in self.function.calls or this.name.startswith("j"):
                break
            if "rdi" in this.writes:
                source = this.operands[-1]
                if this.name != "add" or not isinstance(source, Immediate):
                    return self.put_aside(this, more)
                more += source.value
        return known

    def put_aside(self, this: MachineInstruction, more: int) -> Pointer | None:
        """What the instruction takes from the frame, and some bytes more."""
        place = self.frame.exact(this.operands[-1], self.frame.before[this.address]) if this.name == "mov" else None
        found = None if place is None else self.aside.get(place)
        return found and Pointer(found.roots, None if found.exact is None else found.exact + more)

    @cached_property
    def aside(self) -> dict[int, Pointer]:
        """SOUND: the only address that is ever put there, word for word."""
        found: dict[int, set[Pointer | None]] = {}
        for address, effects in self.frame.effects.items():
            this, state = self.function.code[address], self.frame.before[address]
            for low, high in effects.kills:
                source = this.operands[-1] if this.name == "mov" and high - low == 8 else None
                known = state.pointers.get(source.name) if isinstance(source, Register) else None
                for place in range(low - 7, high):
                    found.setdefault(place, set()).add(known if place == low else None)
        return {place: each for place, (each, *more) in found.items() if each is not None and not more}

    def accesses(self, address: int, variable: Range) -> Iterator[tuple[int, Range, bool]]:
        """What this instruction does to the variable without a word."""
        effects = self.frame.effects[address]
        for ranges, writes in ((effects.reads, False), (effects.kills, True)):
            for low, high in ranges:
                part = max(low, variable[0]), min(high, variable[1])
                if part[0] < part[1] and not self.is_told(part, writes):
                    yield address, part, writes
        if any(variable[0] <= root < variable[1] for root in effects.touches) and not self.is_near(variable):
            yield address, variable, False

    def is_told(self, part: Range, writes: bool) -> bool:
        """An announced write covers the reading of its neighbours' bits."""
        missing = set(range(*part))
        for each in self.told:
            if each.writes or not writes:
                missing -= set(range(*each.where))
        return not missing

    def is_near(self, variable: Range) -> bool:
        """Of an access somewhere in the variable: was anything in it announced?"""
        return any(each.where[0] < variable[1] and variable[0] < each.where[1] for each in self.told)


def _own_silent(function: MachineFunction, frame: FrameAnalysis) -> Iterator[tuple[int, Range, bool]]:
    """Of one function."""
    shared: dict[Range, set[int]] = {}
    variables = [] if function.extents is None else function.extents.ranges
    for address, effects in frame.effects.items():
        for root in effects.escapes - effects.lends:
            for variable in variables:
                if variable[0] <= root < variable[1]:
                    behind = (reachable(function, following) for following in function.following[address])
                    shared.setdefault(variable, set()).update(*behind)
    return _OwnSearch(function, frame, shared).run() if shared else iter(())


# -------------------------------------------------------------------------------------------------- the whole program


def silent_accesses(machine: MachineFile) -> list[_Silent]:
    """Of all functions of which the variables are known: those that were compiled under our control."""
    found: list[_Silent] = []
    for function, extents, frame in _known(machine):
        every = _Search(machine, function, frame).run()
        found += [s for s in every if not (s.writes and extents.by_pointer and _by_pointer(function, s))]
    return found


def own_silent_accesses(machine: MachineFile) -> Iterator[tuple[int, int, int, int]]:
    """Of the same functions, to their own variables: the instruction, whether it writes, and where the function is."""
    for function, _, frame in _known(machine):
        for address, _, writes in _own_silent(function, frame):
            yield address, int(writes), function.low, max(function.code.values(), key=lambda each: each.end).end


def _known(machine: MachineFile) -> Iterator[tuple[MachineFunction, Extents, FrameAnalysis]]:
    for symbol in machine.functions:
        function = machine.function_at(symbol.low)
        if function is None or function.extents is None or function.extents.variadic or LIBRARY.match(symbol.name):
            continue
        frame = FrameAnalysis(function)
        if not frame.obscure:
            yield function, function.extents, frame


def _by_pointer(function: MachineFunction, access: _Silent) -> bool:
    """Is it where the caller wants to have a large result?  That is its own stack."""
    return any(isinstance(o, MemoryOperand) and o.base for o in function.code[access.address].operands)
