"""What a function does with its own stack frame: which instruction reads, writes or gives away which part of it.

A forward analysis that knows, before each instruction, which registers hold addresses in the frame, and which
registers still hold what the caller had in them.  Offsets count from the upper end of the frame (the CFA: the stack
pointer before the call).

Reference: Balakrishnan, Reps, CC 2004 (value sets for machine code).
Differs: only addresses in the own frame are followed, only in registers: one that is stored anywhere has escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import NamedTuple

from ....core.records import dataclass
from ..constants import SAVED_REGISTERS
from .machine import Immediate, MachineFunction, MachineInstruction, MemoryOperand, Operand, Register
from .variables import Range

ARGUMENTS = ("rdi", "rsi", "rdx", "rcx", "r8", "r9", "r10")
# Calls that are told an address and neither use nor keep it.
TOLD = re.compile(r"__tsan_((unaligned_)?(read|write)(\d+|_range)(_pc)?|vptr_(read|update)|func_(entry|exit))$")
# Those that announce an access: how, and of how many bytes.
HOOK = re.compile(r"__tsan_(?:unaligned_|volatile_)*(read_write|read|write)(\d+|_range)(?:_pc)?$")
# Calls that use what their second argument points to, and forget the address before they return.
BORROWS = re.compile(r"__tsan_atomic\d+_compare_exchange_(strong|weak)$")
# The first operand is written wholly, without being read.
COPIES = {
    "mov", "movabs", "movzx", "movsx", "movsxd", "movaps", "movups", "movapd", "movupd", "movdqa", "movdqu", "movss",
    "movsd", "movq", "movd", "lea", "cvttsd2si", "cvttss2si", "movlpd", "movlps", "movhpd", "movhps", "fstp", "fst",
    "fistp", "fisttp", "fnstcw", "sete", "setne", "setg", "setge", "setl", "setle", "seta", "setae", "setb", "setbe",
    "sets", "setns", "setp", "setnp", "seto", "setno",
}  # fmt: skip
COMPARES = {"cmp", "test"}
STRINGS = re.compile(r"(rep\w* )?(movs|stos|cmps|scas|lods)[bdqw]?$")


class Pointer(NamedTuple):
    """An address in the frame: made from the addresses of these places, and exactly this offset if it is known."""

    roots: frozenset[int]
    exact: int | None


class FrameState(NamedTuple):
    """Before an instruction."""

    pointers: Mapping[str, Pointer]
    kept: frozenset[str]  # registers that still hold what they held at the start: the caller's values, an argument
    saved: Mapping[str, int]  # where the caller's values are in the frame


ENTRY = FrameState({"rsp": Pointer(frozenset({-8}), -8)}, frozenset((*SAVED_REGISTERS, "rdi")), {})


@dataclass
class _Effects:
    """What one instruction does to the frame."""

    reads: list[Range] = field(default_factory=list)
    kills: list[Range] = field(default_factory=list)  # written for sure and wholly
    touches: set[int] = field(default_factory=set)  # read or written somewhere in the pieces around these places
    escapes: set[int] = field(default_factory=set)  # somebody else knows addresses in the pieces around these places
    lends: set[int] = field(default_factory=set)  # of those: known only while the call lasts
    outgoing: list[Range] = field(default_factory=list)  # written as arguments of a call
    calls: int | None = None  # the stack pointer at a call that may look at arguments on the stack


class FrameAnalysis:
    """The analysis of one function; `obscure` says why it failed."""

    def __init__(self, function: MachineFunction) -> None:
        self.function, self.obscure = function, function.obscure
        self.before: dict[int, FrameState] = {}
        self.effects: dict[int, _Effects] = {}
        if not self.obscure:
            self.run()

    # ---------------------------------------------------------------------------------------------- the analysis

    def run(self) -> None:
        """Forward to a fixpoint: what is known before each instruction."""
        todo = [(self.function.low, ENTRY)]
        while todo and not self.obscure:
            address, state = todo.pop()
            known = self.before.get(address)
            merged = state if known is None else self.join(known, state)
            if merged != known:
                self.before[address] = merged
                after = self.after(self.function.code[address], merged)
                todo += [(following, after) for following in self.function.following[address]]
        self.run_landing()
        for address, state in self.before.items():
            if not self.obscure:
                self.effects[address] = self.effect(self.function.code[address], state)

    def run_landing(self) -> None:
        """Exceptions come in with the frame as it is where it is complete: at the calls."""
        calls = [a for a in self.function.calls if a in self.before]
        if not self.function.landing or not calls or self.obscure:
            return
        state = self.before[calls[0]]
        for address in calls[1:]:
            state = self.join(state, self.before[address])
        kept = {r: p for r, p in state.pointers.items() if r in ("rbp", "rsp")}
        for address in sorted(self.function.landing):
            self.before.setdefault(address, FrameState(kept, state.kept - {"rdi"}, state.saved))

    def join(self, one: FrameState, other: FrameState) -> FrameState:
        """What is known where two ways meet: an address from either, saved registers only if both agree."""
        pointers: dict[str, Pointer] = {}
        for register in {*one.pointers, *other.pointers}:
            a, b = one.pointers.get(register), other.pointers.get(register)
            known = [p for p in (a, b) if p is not None]
            exact = known[0].exact if a is not None and b is not None and a.exact == b.exact else None
            pointers[register] = Pointer(frozenset().union(*(p.roots for p in known)), exact)
        saved = {r: o for r, o in one.saved.items() if other.saved.get(r) == o}
        return FrameState(pointers, one.kept & other.kept, saved)

    # ---------------------------------------------------------------------------------------------- transfer

    def after(self, this: MachineInstruction, state: FrameState) -> FrameState:
        """What is known behind an instruction."""
        if this.address in self.function.calls:
            return self.after_call(state)
        pointers = {r: p for r, p in state.pointers.items() if r not in this.writes}
        kept, saved = state.kept - this.writes, dict(state.saved)
        stack = state.pointers.get("rsp")
        if stack is None or stack.exact is None:
            self.obscure = f"the size of its frame is not fixed at {this.address:#x}"
            return state
        pointers["rsp"] = stack
        self.save(this, state, saved)
        self.move(this, state, pointers)
        restored = self.restored(this, state)
        return FrameState(pointers, kept | restored, saved)

    def after_call(self, state: FrameState) -> FrameState:
        """What is known behind a call: it keeps the registers that it has to save."""
        keep = ("rsp", *SAVED_REGISTERS)
        return FrameState({r: p for r, p in state.pointers.items() if r in keep}, state.kept - {"rdi"}, state.saved)

    def save(self, this: MachineInstruction, state: FrameState, saved: dict[str, int]) -> None:
        """A register that still is the caller's is put into the frame."""
        source = this.operands[-1] if this.operands and this.name in ("push", "mov") else None
        if not isinstance(source, Register) or source.size != 8:
            return
        if source.name not in state.kept & frozenset(SAVED_REGISTERS):
            return
        place = self.pushed(state) if this.name == "push" else self.exact(this.operands[0], state)
        if place is not None and source.name not in saved:
            saved[source.name] = place

    def restored(self, this: MachineInstruction, state: FrameState) -> frozenset[str]:
        """Registers that have their caller's value again behind an instruction."""
        if this.name == "leave" and state.saved.get("rbp") == (self.base_offset(state) or 0):
            return frozenset({"rbp"})
        found = self.restores(this, state)
        return frozenset({found}) if found else frozenset()

    def restores(self, this: MachineInstruction, state: FrameState) -> str:
        """The register that gets the caller's value back."""
        target = this.operands[0] if this.operands else None
        if not isinstance(target, Register) or target.size != 8 or target.name not in state.saved:
            return ""
        if this.name == "pop":
            return target.name if state.pointers["rsp"].exact == state.saved[target.name] else ""
        if this.name == "mov":
            return target.name if self.exact(this.operands[1], state) == state.saved[target.name] else ""
        return ""

    def move(self, this: MachineInstruction, state: FrameState, pointers: dict[str, Pointer]) -> None:
        """Where the stack pointer is behind an instruction, and which registers hold addresses then."""
        stack = state.pointers["rsp"]
        assert stack.exact is not None
        if this.name in ("push", "pushfq"):
            pointers["rsp"] = _at(stack.exact - 8)
        elif this.name in ("pop", "popfq"):
            pointers["rsp"] = _at(stack.exact + 8)
        elif this.name == "leave":
            base = self.base_offset(state)
            self.obscure = self.obscure or ("" if base is not None else f"leave without a frame at {this.address:#x}")
            pointers["rsp"] = _at((base or 0) + 8)
        elif this.operands and isinstance(this.operands[0], Register) and this.operands[0].name in this.writes:
            value = self.value(this, state)
            if value is not None:
                pointers[this.operands[0].name] = value
            elif this.operands[0].name == "rsp":
                del pointers["rsp"]

    def base_offset(self, state: FrameState) -> int | None:
        base = state.pointers.get("rbp")
        return None if base is None else base.exact

    def value(self, this: MachineInstruction, state: FrameState) -> Pointer | None:
        """The address in the frame that an instruction puts into its first operand."""
        target, *sources = this.operands
        assert isinstance(target, Register)
        if this.name == "lea" and isinstance(sources[0], MemoryOperand):
            return self.address(sources[0], state)
        if this.name == "mov" and isinstance(sources[0], Register) and target.size == 8:
            return state.pointers.get(sources[0].name)
        if this.name == "xchg" or not sources:
            return self.mixed(this, state)
        old = state.pointers.get(target.name)
        if this.name in ("add", "sub") and isinstance(sources[0], Immediate) and old is not None:
            by = sources[0].value if this.name == "add" else -sources[0].value
            if target.name == "rsp":
                return _at(old.exact + by) if old.exact is not None else None
            return Pointer(old.roots, None if old.exact is None else old.exact + by)
        return None if target.name == "rsp" else self.mixed(this, state)

    def mixed(self, this: MachineInstruction, state: FrameState) -> Pointer | None:
        """Any other computation with addresses gives some address near one of them."""
        if this.name in COPIES:
            return None
        used = [state.pointers[r] for r in _registers_of(this.operands) if r in state.pointers and r != "rsp"]
        return Pointer(frozenset().union(*(p.roots for p in used)), None) if used else None

    # ---------------------------------------------------------------------------------------------- operands

    def address(self, operand: MemoryOperand, state: FrameState) -> Pointer | None:
        """The address of a memory operand, if it is in the frame."""
        base, index = state.pointers.get(operand.base), state.pointers.get(operand.by)
        if (base is None and index is None) or operand.segment:
            return None
        if base is None or index is not None:
            return Pointer(frozenset().union(*(p.roots for p in (base, index) if p is not None)), None)
        if operand.base in ("rsp", "rbp") and base.exact is not None:
            place = base.exact + operand.offset
            return Pointer(frozenset({place}), None if operand.by else place)
        exact = None if operand.by or base.exact is None else base.exact + operand.offset
        return Pointer(base.roots, exact)

    def exact(self, operand: Operand, state: FrameState) -> int | None:
        """The offset in the frame, if it is known exactly."""
        found = self.address(operand, state) if isinstance(operand, MemoryOperand) else None
        return None if found is None else found.exact

    def pushed(self, state: FrameState) -> int | None:
        """Where the next push writes."""
        exact = state.pointers["rsp"].exact
        return None if exact is None else exact - 8

    # ---------------------------------------------------------------------------------------------- effects

    def effect(self, this: MachineInstruction, state: FrameState) -> _Effects:
        """Which parts of the frame an instruction reads, overwrites, or gives away."""
        found = _Effects()
        stack = state.pointers.get("rsp")
        if stack is None or stack.exact is None:
            self.obscure = f"the size of its frame is not fixed at {this.address:#x}"
            return found
        if this.address in self.function.calls:
            self.call_effect(this, state, found)
        else:
            self.value_escapes(this, state, found)
        self.operand_effects(this, state, found)
        self.stack_effects(this, state, found)
        return found

    def call_effect(self, this: MachineInstruction, state: FrameState, found: _Effects) -> None:
        """A call may use all arguments: addresses in them are given away, unless it only announces an access."""
        target = self.function.calls[this.address]
        if not (isinstance(target, str) and TOLD.match(target)):
            found.calls = state.pointers["rsp"].exact
            # SOUND: arguments may be in any of these; addresses in the others do not survive the call, or are ours.
            found.escapes |= roots(state, ARGUMENTS)
            if isinstance(target, str) and BORROWS.match(target):
                found.lends |= roots(state, ("rsi",)) - roots(state, ("rdi",))

    def value_escapes(self, this: MachineInstruction, state: FrameState, found: _Effects) -> None:
        """An address that is stored, or computed with in a way that is not followed."""
        if this.name in ("ret", "leave", "nop", "pop") or this.name in COMPARES:
            if this.name == "ret":
                found.escapes |= roots(state, ("rax",))
            return
        values = [o for o in this.operands if isinstance(o, Register) and o.name in state.pointers]
        followed = this.name in ("mov", "add", "sub", "lea") and isinstance(this.operands[0], Register)
        if followed and (this.name == "lea" or all(o.size == 8 for o in values)):
            return
        saving = this.name == "push" or (this.name in COPIES and isinstance(this.operands[0], MemoryOperand))
        for each in values:
            if saving or each is not this.operands[0] or this.name not in COPIES:
                if not (each.name in ("rsp", "rbp") and this.name == "push" and each.name in state.kept):
                    found.escapes |= state.pointers[each.name].roots

    def operand_effects(self, this: MachineInstruction, state: FrameState, found: _Effects) -> None:
        """Of the operands in memory; one whose place is not exact touches its whole piece."""
        string = is_string(this)
        for number, each in enumerate(this.operands):
            if not isinstance(each, MemoryOperand) or this.name in ("lea", "nop"):
                continue
            address = self.address(each, state)
            if address is None:
                continue
            if address.exact is None or string or not each.size:
                found.touches |= address.roots
                continue
            where = (address.exact, address.exact + each.size)
            if number == 0 and this.name in COPIES:
                found.kills.append(where)
                if each.base == "rsp":
                    found.outgoing.append(where)
            elif not self.restores(this, state):
                found.reads.append(where)

    def stack_effects(self, this: MachineInstruction, state: FrameState, found: _Effects) -> None:
        """Of push, pop and their kin."""
        place = state.pointers["rsp"].exact
        assert place is not None
        if this.name in ("push", "pushfq"):
            found.kills.append((place - 8, place))
            source = this.operands[0] if this.operands else None
            if not (isinstance(source, Register) and state.kept & {source.name} and source.name in SAVED_REGISTERS):
                found.outgoing.append((place - 8, place))
        elif this.name in ("pop", "popfq") and not self.restores(this, state):
            found.reads.append((place, place + 8))


def is_string(this: MachineInstruction) -> bool:
    """Does it walk through memory?  There is a movsd that does, and one that does not."""
    return bool(STRINGS.match(this.name)) and not any(r.startswith("xmm") for r in _registers_of(this.operands))


def _at(offset: int) -> Pointer:
    return Pointer(frozenset({offset}), offset)


def roots(state: FrameState, registers: tuple[str, ...]) -> frozenset[int]:
    """The variables of the frame that these registers may point into."""
    return frozenset().union(*(state.pointers[r].roots for r in registers if r in state.pointers))


def _registers_of(operands: tuple[Operand, ...]) -> Iterator[str]:
    for each in operands:
        if isinstance(each, Register):
            yield each.name
