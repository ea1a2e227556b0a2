"""Which parts of a stack frame and which registers matter from a program point on.

A program point is the return address of a call: the thread is somewhere below in a callee and will come back here.

Reference: the classical backward analysis of live variables (Kildall 1973), over pieces of the frame.
Differs: pieces whose address was given away are not simply live or dead.  If the function itself does not use them any
more, they matter only if somebody still has a pointer to them: `ReturnPoint.pointed`, for the caller to find out.

A worked example:

    int argument(int used, int unused) { here(); number = unused; here(); return used; }

At the first `here()` both arguments are still read: 8 bytes of the frame are live, and two threads that wait there are
alike only if these are equal.  At the second one only `used` is: 4 bytes.  What `unused` was makes no difference any
more.

>>> live("argument")
8 bytes, then 4
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import NamedTuple

from ..constants import SAVED_REGISTERS
from .frame import ARGUMENTS, COPIES, HOOK, TOLD, FrameAnalysis, FrameState
from .machine import MachineFunction, MachineInstruction, MemoryOperand, Operand, Register
from .variables import Piece, Range

NEAR = 8  # instructions between an announcement and the access
MOST_PLACES = 200  # to which a result that is perhaps not used is followed
MOVES = ("mov", "movsx", "movsxd", "movzx")
CALLERS = (-16, 0)  # the caller's frame pointer, where the frame pointer points to, and the return address


def reachable(function: MachineFunction, address: int) -> set[int]:
    """The instructions that may still be executed, exceptions included."""
    seen: set[int] = set()
    todo = [address, *function.landing]
    while todo:
        place = todo.pop()
        if place not in seen and place in function.code:
            seen.add(place)
            todo += function.following[place]
    return seen


class ReturnPoint(NamedTuple):
    """What is known of a return address."""

    sp: int  # the stack pointer behind the call
    saved: tuple[int | None, ...]  # of SAVED_REGISTERS: where the caller's value is; None: still there
    registers: tuple[str, ...]  # of SAVED_REGISTERS: those whose values are read from here on
    live: tuple[Range, ...]
    pointed: tuple[Range, ...]  # matter only if there is a pointer to them, or to the rest of their pieces
    freed: tuple[Range, ...]  # live, but only to be given to `free`: what they point to is not looked at
    returned: tuple[Range, ...]  # live, but only to be the result of the function
    lent: tuple[Range, ...]  # of `pointed`: nobody has a pointer once the present call is over
    told: tuple[Range, ...]  # variables all accesses to which are announced
    pieces: tuple[Piece, ...]  # variables; addresses in one of them do not lead to another


class Liveness:
    """Of one function; `obscure` says why nothing is known."""

    def __init__(self, function: MachineFunction, ours: bool = False) -> None:
        self.function, self.ours = function, ours
        self.frame = FrameAnalysis(function)
        self.obscure = self.frame.obscure
        self.points: dict[int, ReturnPoint | None] = {}

    def point(self, address: int) -> ReturnPoint | None:
        """At a return address; None if it is not known."""
        if address not in self.points:
            self.points[address] = None if self.obscure else self.make_point(address)
        return self.points[address]

    def make_point(self, address: int) -> ReturnPoint | None:
        """Put together what the analyses say of the place behind a call."""
        call = self.call_before(address)
        if call is None:
            return None
        returns = address in self.function.following[call]
        state = self.frame.before[address] if returns else self.frame.before[call]
        stack = state.pointers.get("rsp")
        lost = [r for r in SAVED_REGISTERS if r not in state.saved and r not in state.kept]
        if stack is None or stack.exact is None or lost:
            return None
        bits = self.always | (self.live_before[address] if returns else 0)
        if self.ours:  # our runtime shows where it was called from to the user, and decides nothing by it
            bits &= ~self.bits([CALLERS])
        ahead = reachable(self.function, address)
        freed = self.only(self.loads_for_free, ahead, bits)
        returned = self.only(self.loads_for_return, ahead, bits)
        live = self.ranges(bits, {x for each in (*freed, *returned, *self.told) for x in each})
        registers = tuple(r for i, r in enumerate(SAVED_REGISTERS) if bits >> i & 1 and r not in state.pointers)
        # SOUND: each range is in one variable, since a pointer to another one says nothing about it.
        pointed = self.ranges(self.escaped & ~bits, {x for low, high, _ in self.pieces for x in (low, high)})
        lent = self.ranges(self.lent & ~bits)
        saved = tuple(state.saved.get(r) for r in SAVED_REGISTERS)
        return ReturnPoint(stack.exact, saved, registers, live, pointed, freed, returned, lent, self.told, self.pieces)

    def call_before(self, address: int) -> int | None:
        """The call that returns to this address."""
        calls = (c for c in self.function.calls if self.function.code[c].end == address and c in self.frame.before)
        return next(calls, None)

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """The variables of the frame; without debug information all of it is one."""
        extents = self.function.extents
        return ((self.lowest, 0, -self.lowest),) if extents is None else tuple(extents.pieces)

    @cached_property
    def told(self) -> tuple[Range, ...]:
        """Variables that others may have a pointer to, and all accesses to which are announced."""
        used = (each for each in told_variables(self.frame) if self.numbers.keys() >= set(each))  # else nobody names it
        return tuple(each for each in used if self.bits([each]) & self.escaped)

    def only(self, purpose: Callable[[int], bool], ahead: set[int], live: int) -> tuple[Range, ...]:
        """Of what is live: what is only read for this purpose."""
        read: dict[Range, bool] = {}
        for place in ahead:
            effects = self.frame.effects.get(place)
            for each in effects.reads if effects is not None else ():
                read[each] = read.get(each, True) and purpose(place)
        others = self.bits(each for each, good in read.items() if not good) | self.escaped | self.always
        good = [each for each in sorted(read) if read[each] and not self.bits([each]) & (others | ~live)]
        return tuple(good)

    def loads_for_free(self, address: int) -> bool:
        """mov slot, rax; mov rax, rdi; call free"""
        load = self.function.code[address]
        if load.name != "mov" or not isinstance(load.operands[0], Register) or load.operands[0].size != 8:
            return False
        target = load.operands[0].name
        following = self.function.code.get(load.end)
        if following is not None and following.name == "mov" and following.operands == (
            Register("rdi", 8), Register(target, 8),
        ):  # fmt: skip
            target, following = "rdi", self.function.code.get(following.end)
        return target == "rdi" and following is not None and self.function.calls.get(following.address) == "free"

    def uses_argument(self) -> bool:
        """Does the function ever look at its first argument?  It may be put into the frame and stay there unread."""
        for address, state in self.frame.before.items():
            this = self.function.code[address]
            reads = "rdi" in this.reads or address in self.function.calls
            if "rdi" in state.kept and reads and not self.only_stored(this):
                return True
        return False

    def only_stored(self, this: MachineInstruction) -> bool:
        """Is the argument put into a place that nobody reads later?"""
        effects = self.frame.effects[this.address]
        if this.name != "mov" or not effects.kills:
            return False
        bits = self.bits(effects.kills)
        after = self.always | self.escaped
        for following in self.function.following[this.address]:
            after |= self.live_before.get(following, 0)
        return not bits & after

    def loads_for_return(self, address: int) -> bool:
        """Is what is loaded here copied about until it is the result, and nothing else?"""
        load = self.function.code[address]
        if load.name != "mov" or not isinstance(load.operands[0], Register) or load.operands[0].size != 8:
            return False
        holders: set[str | int] = {load.operands[0].name}
        for _ in range(24):
            following = self.function.following[address]
            if len(following) != 1 or following[0] not in self.frame.before:
                return False
            address = following[0]
            this = self.function.code[address]
            if this.name == "ret":
                return "rax" in holders
            if not self.carry(this, self.frame.before[address], holders):
                return False
        return False

    def is_result_unused(self, address: int) -> bool:
        """Does nobody look at what the call before this address returned?  It may be put into a variable unread."""
        seen: set[tuple[int, frozenset[str]]] = set()
        todo = [(address, frozenset({"rax"}))]
        while todo:
            place, holders = todo.pop()
            if not holders or (place, holders) in seen:
                continue
            seen.add((place, holders))
            left = self.spread(place, holders) if place in self.frame.effects else None
            if left is None or len(seen) > MOST_PLACES:
                return False
            todo += [(following, left) for following in self.function.following[place]]
        return True

    def spread(self, address: int, holders: frozenset[str]) -> frozenset[str] | None:
        """Which registers hold a value behind an instruction; None: it is used, or may be."""
        this = self.function.code[address]
        if address in self.function.calls:
            target = self.function.calls[address]
            told = isinstance(target, str) and TOLD.match(target)
            return holders & frozenset(SAVED_REGISTERS) if told or not holders & frozenset(ARGUMENTS) else None
        if this.name in ("nop", "jmp"):
            return holders
        if this.name in MOVES and isinstance(this.operands[1], Register) and not self.inside(this) & holders:
            if this.operands[1].name in holders:
                return self.copied(this, holders)
        if this.name in ("ret", "leave") or self.looks_at(this) & holders:
            return None
        return holders - this.writes

    def copied(self, this: MachineInstruction, holders: frozenset[str]) -> frozenset[str] | None:
        """The value goes to another register, or to where nobody reads it."""
        target = this.operands[0]
        if isinstance(target, Register):
            return holders | {target.name}
        return holders if self.only_stored(this) else None

    def looks_at(self, this: MachineInstruction) -> set[str]:
        """The registers whose values matter to an instruction."""
        named = {o.name for o in this.operands if isinstance(o, Register)} | self.inside(this) | set(this.reads)
        if self.writes_wholly(this) and isinstance(this.operands[0], Register):
            others = {o.name for o in this.operands[1:] if isinstance(o, Register)} | self.inside(this)
            named -= {this.operands[0].name} - others
        return named

    def carry(self, this: MachineInstruction, state: FrameState, holders: set[str | int]) -> bool:
        """One step of a value on its way; false if it is used, or if that is not clear."""
        if this.address in self.function.calls:
            holders -= {"rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"}
            return self.function.calls[this.address] == "__tsan_func_exit"
        if this.name in ("leave", "nop", "jmp") or this.operands[:1] == (Register("rsp", 8),):
            return True
        if this.name == "pop":
            holders -= {o.name for o in this.operands if isinstance(o, Register)}
            return True
        return this.name == "mov" and self.copy(this, state, holders)

    def copy(self, this: MachineInstruction, state: FrameState, holders: set[str | int]) -> bool:
        """Follow a value through a copy; False if it may go where it cannot be followed."""
        target, source = (self.holder(each, state) for each in this.operands)
        if source in holders:
            if target is not None:
                holders.add(target)
            return target is not None and not self.inside(this) & holders
        named = self.inside(this) | {o.name for o in this.operands[1:] if isinstance(o, Register)}
        exact = [self.frame.exact(each, state) for each in this.operands]
        near = any(abs(place - h) < 16 for place in exact if place is not None for h in holders if isinstance(h, int))
        if named & holders or near:
            return False
        holders -= {o.name for o in this.operands[:1] if isinstance(o, Register)}
        return True

    def holder(self, operand: Operand, state: FrameState) -> str | int | None:
        """A whole register or a word of the frame: something that can hold a value."""
        if isinstance(operand, Register):
            return operand.name if operand.size == 8 else None
        return self.frame.exact(operand, state) if isinstance(operand, MemoryOperand) and operand.size == 8 else None

    # ---------------------------------------------------------------------------------------------- pieces

    @cached_property
    def lowest(self) -> int:
        """How far down the frame reaches."""
        exact = [s.pointers["rsp"].exact or 0 for s in self.frame.before.values() if "rsp" in s.pointers]
        return min([-16, *exact])

    def piece(self, offset: int) -> Range:
        """What an address near this place may be used for."""
        extents = self.function.extents
        if self.ours and offset >= CALLERS[0]:
            return CALLERS
        # SOUND: of optimised code nothing is known; an address may lead anywhere in the frame.
        return (self.lowest, 0) if extents is None else extents.around(offset, self.lowest, 0)

    @cached_property
    def atoms(self) -> list[int]:
        """Where pieces of the frame begin and end: between two of them all bytes are treated alike."""
        cuts: set[int] = {self.lowest, *CALLERS, -8}
        for found in self.frame.effects.values():
            cuts.update(x for each in (*found.reads, *found.kills) for x in each)
            cuts.update(x for place in found.touches | found.escapes for x in self.piece(place))
        cuts.update(x for place in self.saved_places for x in (place, place + 8))
        return sorted(cuts)

    @cached_property
    def saved_places(self) -> frozenset[int]:
        return frozenset(o for s in self.frame.before.values() for o in s.saved.values())

    @cached_property
    def numbers(self) -> dict[int, int]:
        return {cut: number + len(SAVED_REGISTERS) for number, cut in enumerate(self.atoms)}

    def bits(self, ranges: Iterable[Range]) -> int:
        """Ranges of the frame as a set of bits, one for each piece between two boundaries."""
        found = 0
        for low, high in ranges:
            found |= (1 << self.numbers[high]) - (1 << self.numbers[low])
        return found

    def piece_bits(self, places: Iterable[int]) -> int:
        """All of the pieces, without what belongs to the caller."""
        own = self.bits([(-8, 0), *((o, o + 8) for o in self.saved_places)])
        return self.bits(self.piece(place) for place in places) & ~own

    def ranges(self, bits: int, cuts: AbstractSet[int] = frozenset()) -> tuple[Range, ...]:
        """Ranges of bytes, as long as possible, but cut there."""
        found: list[Range] = []
        for low, high in zip(self.atoms, self.atoms[1:], strict=False):
            if bits >> self.numbers[low] & 1:
                if found and found[-1][1] == low and low not in cuts:
                    low = found.pop()[0]
                found.append((low, high))
        return tuple(found)

    # ---------------------------------------------------------------------------------------------- the analysis

    @cached_property
    def escaped(self) -> int:
        """What somebody else may have a pointer to, from the start."""
        return self.piece_bits(place for found in self.frame.effects.values() for place in found.escapes)

    @cached_property
    def lent(self) -> int:
        """Of what escapes: what is only ever lent to calls that forget it."""
        effects = self.frame.effects.values()
        kept = self.piece_bits(place for found in effects for place in found.escapes - found.lends)
        return self.piece_bits(place for found in effects for place in found.lends) & ~kept

    @cached_property
    def outgoing(self) -> list[Range]:
        return [each for found in self.frame.effects.values() for each in found.outgoing]

    @cached_property
    def always(self) -> int:
        """What exceptions may read, from anywhere."""
        found = 0
        for address in self.function.landing:
            if address in self.frame.effects:
                found |= self.uses(self.function.code[address])
        return found

    @cached_property
    def live_before(self) -> dict[int, int]:
        """Before each instruction."""
        live = dict.fromkeys(self.frame.before, 0)
        order = sorted(live, reverse=True)
        changed = True
        while changed:
            changed = False
            for address in order:
                this = self.function.code[address]
                after = 0
                for following in self.function.following[address]:
                    after |= live.get(following, 0)
                found = (after & ~self.defines(this)) | self.uses(this)
                if found != live[address]:
                    live[address], changed = found, True
        return live

    def uses(self, this: MachineInstruction) -> int:
        """The bits, of pieces of the frame and of registers, that an instruction needs."""
        known = self.use_bits.get(this.address)
        if known is None:
            effects = self.frame.effects[this.address]
            found = self.bits(effects.reads) | self.piece_bits(effects.touches | effects.escapes)
            if effects.calls is not None:
                found |= self.bits(r for r in self.outgoing if r[0] >= effects.calls)
            known = self.use_bits[this.address] = found | self.register_uses(this)
        return known

    @cached_property
    def use_bits(self) -> dict[int, int]:
        return {}

    def register_uses(self, this: MachineInstruction) -> int:
        """Of registers that survive calls; the frame pointer at a return is no use."""
        if this.name in ("leave", "ret") or (this.address in self.function.calls and this.name == "jmp"):
            return 0
        read = set(this.reads)
        first = this.operands[0] if this.operands else None
        if self.writes_wholly(this) and isinstance(first, Register):
            read -= {first.name} - {o.name for o in this.operands[1:] if isinstance(o, Register)} - self.inside(this)
        else:
            read |= {o.name for o in this.operands if isinstance(o, Register)}
        return sum(1 << i for i, r in enumerate(SAVED_REGISTERS) if r in read)

    @staticmethod
    def inside(this: MachineInstruction) -> set[str]:
        """Registers of addresses."""
        return {r for o in this.operands if isinstance(o, MemoryOperand) for r in (o.base, o.by)}

    @staticmethod
    def writes_wholly(this: MachineInstruction) -> bool:
        """Does it give its first operand, a register, a new value without a look at the old one?"""
        first = this.operands[0] if this.operands else None
        if not isinstance(first, Register) or first.size < 4:
            return False
        if this.name in ("xor", "sub") and len(this.operands) == 2:
            return this.operands[0] == this.operands[1]
        return this.name == "pop" or (this.name in COPIES and not this.name.startswith("set"))

    def defines(self, this: MachineInstruction) -> int:
        """The bits that an instruction overwrites without reading them."""
        found = self.bits(self.frame.effects[this.address].kills)
        first = this.operands[0] if this.operands else None
        if isinstance(first, Register) and first.name in SAVED_REGISTERS and self.writes_wholly(this):
            found |= 1 << SAVED_REGISTERS.index(first.name)
        return found


# -------------------------------------------------------------------------------------------------- old values


def told_variables(frame: FrameAnalysis) -> Iterator[Range]:
    """Numbers, pointers and arrays of them that the function itself accesses only where a hook says so just before.

    What is not announced (inline assembly, code that was optimised) makes the variable one of which nothing is said.
    SOUND: others access them by pointers, and those accesses are announced or found by silent.py.
    """
    before = _predecessors(frame)
    extents = frame.function.extents
    for low, high in extents.scalars if extents is not None else ():
        if all(_is_told(frame, before, address, (low, high)) for address in frame.effects):
            yield low, high


def _predecessors(frame: FrameAnalysis) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for address in frame.effects:
        for following in frame.function.following[address]:
            found.setdefault(following, []).append(address)
    return found


def _is_told(frame: FrameAnalysis, before: dict[int, list[int]], address: int, variable: Range) -> bool:
    """Does the instruction leave the variable alone, or is it announced?"""
    effects = frame.effects[address]
    if any(variable[0] <= place < variable[1] for place in effects.touches | effects.lends):
        return False
    reads = [each for each in effects.reads if _meet(each, variable)]
    writes = [each for each in effects.kills if _meet(each, variable)]
    return all(_is_announced(frame, before, address, each, "read") for each in reads) and all(
        _is_announced(frame, before, address, each, "write") for each in writes
    )


def _meet(one: Range, other: Range) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _is_announced(frame: FrameAnalysis, before: dict[int, list[int]], address: int, where: Range, how: str) -> bool:
    """Is the call before it, on the only way to it, a hook with all these bytes?"""
    for _ in range(NEAR):
        ways = before.get(address, [])
        if len(ways) != 1:
            return False
        address = ways[0]
        if address in frame.function.calls:
            return _announces(frame, address, where, how)
    return False


def _announces(frame: FrameAnalysis, call: int, where: Range, how: str) -> bool:
    target = frame.function.calls[call]
    hook = HOOK.match(target) if isinstance(target, str) else None
    told = frame.before[call].pointers.get("rdi")
    if hook is None or hook[1] != how or hook[2] == "_range" or told is None or told.exact is None:
        return False
    return told.exact <= where[0] and where[1] <= told.exact + int(hook[2])
