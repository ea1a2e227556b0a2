"""When two program points begin the same code, up to the places of variables in the stack frame.

Both are followed in step: the same instructions with the same registers, constants and variables of the file; places in
the two frames are paired as they come, and a place has one partner.  Callees are equal, or the same code again.

Reference: Yang, Chen, Gopalakrishnan, Wang, SPIN 2009, section 3 (residual code, rules R0-R13).
Differs: machine code; a place whose address is given away must have the same offset in both frames, since pointers to
it are compared as numbers.

A worked example: `here()` stands for any call in which a thread may wait.

    int twin_a(int first, long second)
    { int sum = first; here(); sum += table[first] + 3; there(); return sum + (int)second; }
    int twin_b(long pad, int first, long second)
    { int sum = first; number = pad; here(); sum += table[first] + 3; there(); return sum + (int)second; }

Behind `here()` both do the same.  `pad` is dead there; the others lie elsewhere, since `pad` took room.  Both codes
are followed in step.  Where the one reads `first` in its frame, so does the other in its own: these two places are
partners from now on; and so on for `sum` and `second`.  With gcc 12, in bytes below the upper end of the frame:
`second` 64 and 72, `first` 52 and 60, `sum` 36 and 36.  What the threads have there is then compared, 16 bytes in all.

>>> pair("twin_a", "twin_b")
partners of 4, 4, 8 bytes
>>> pair("twin_a", "other_constant")  # + 4 instead of + 3
other code
>>> pair("twin_a", "mixed_up")  # returns first + second: `sum` would have two partners
other code
"""

from __future__ import annotations

from typing import NamedTuple

from .frame import FrameState, Pointer
from .liveness import Liveness
from .machine import Immediate, MachineFile, MachineInstruction, MemoryOperand, Register
from .reach import Reach
from .variables import Range


class _Slot(NamedTuple):
    """Bytes that take each other's part: offsets in the two frames."""

    first: int
    second: int
    size: int


class _OtherCode(Exception):
    """The code is not the same."""


class ResidualMachineCode:
    """Answers about pairs of program points of one file, remembered."""

    def __init__(self, machine: MachineFile, reach: Reach) -> None:
        self.machine, self.reach = machine, reach
        self.functions: dict[tuple[int, int], bool] = {}
        self.points: dict[tuple[int, int], tuple[_Slot, ...] | None] = {}

    def pair(self, first: int, second: int) -> tuple[_Slot, ...] | None:
        """The live slots of two return addresses, side by side; None: not the same code, or not known."""
        key = (first, second)
        if key not in self.points:
            try:
                self.points[key] = self.compare_points(first, second)
            except _OtherCode:
                self.points[key] = None
        return self.points[key]

    def compare_points(self, first: int, second: int) -> tuple[_Slot, ...]:
        """Follow both; what is live in the one must be partner of what is live in the other."""
        one, other = (self.known(a) for a in (first, second))
        a, b = one.point(first), other.point(second)
        if a is None or b is None or a.registers != b.registers:
            raise _OtherCode
        step = _LockStep(self, one, other)
        step.run(first, second)
        slots = tuple(slot for low, high in a.live for slot in step.partners(low, high))
        if _covered(slots) != _covered(tuple(_Slot(low, low, high - low) for low, high in b.live)):
            raise _OtherCode
        return slots

    def known(self, address: int) -> Liveness:
        """What is alive in the function at this address; raises where that cannot be known."""
        function = self.machine.function_at(address)
        if function is None or function.landing:
            raise _OtherCode
        liveness = self.reach.liveness(function)
        if liveness.obscure:
            raise _OtherCode
        return liveness

    def same_function(self, first: int, second: int) -> bool:
        """Do two functions consist of the same code?  While that is being found out, it is assumed."""
        if first == second or self.functions.get((first, second)):
            return True
        if (first, second) in self.functions:
            return False
        before = set(self.functions)
        self.functions[first, second] = True
        try:
            _LockStep(self, self.known(first), self.known(second)).run(first, second)
        except _OtherCode:
            # SOUND: what was found under the wrong assumption is forgotten.
            self.functions = {k: v for k, v in self.functions.items() if k in before or not v}
            self.functions[first, second] = False
        return self.functions[first, second]


def _covered(slots: tuple[_Slot, ...]) -> list[Range]:
    """The bytes of the second frame, merged."""
    found: list[Range] = []
    for low, high in sorted((s.second, s.second + s.size) for s in slots):
        if found and found[-1][1] == low:
            low = found.pop()[0]
        found.append((low, high))
    return found


class _LockStep:
    """Two codes followed in step; `slots` are the places that became partners."""

    def __init__(self, residual: ResidualMachineCode, one: Liveness, other: Liveness) -> None:
        self.residual, self.one, self.other = residual, one, other
        self.partner: dict[int, int] = {}
        self.slots: list[_Slot] = []

    def run(self, first: int, second: int) -> None:
        """Walk from both places at once; raises where the code differs, or one place would have two partners."""
        a, b = self.one.frame.before.get(first), self.other.frame.before.get(second)
        if a is None or b is None:
            raise _OtherCode
        self.registers(a, b)
        todo = [(first, second)]
        while todo:
            here, there = todo.pop()
            if self.partner.setdefault(here, there) != there:
                raise _OtherCode
            if (following := self.step(here, there)) is not None:
                todo += [pair for pair in following if self.partner.get(pair[0]) != pair[1]]

    def registers(self, a: FrameState, b: FrameState) -> None:
        """Addresses in the frames that registers hold at the start."""
        if a.pointers.keys() != b.pointers.keys():
            raise _OtherCode
        for register, pointer in a.pointers.items():
            if register not in ("rsp", "rbp"):
                self.pointers(pointer, b.pointers[register])

    # ---------------------------------------------------------------------------------------------- instructions

    def step(self, here: int, there: int) -> list[tuple[int, int]]:
        """One instruction of each: equal in name, operands and effects, or the codes differ."""
        a, b = self.one.function.code[here], self.other.function.code[there]
        if a.name != b.name or len(a.operands) != len(b.operands):
            raise _OtherCode
        before = self.one.frame.before[here], self.other.frame.before[there]
        if here in self.one.function.calls or there in self.other.function.calls:
            self.calls(here, there)
        for number in range(len(a.operands)):
            self.operands(a, b, number, *before)
        self.effects(here, there)
        following = self.one.function.following[here], self.other.function.following[there]
        if len(following[0]) != len(following[1]):
            raise _OtherCode
        return list(zip(*following, strict=True))

    def operands(
        self, a: MachineInstruction, b: MachineInstruction, number: int, before: FrameState, other: FrameState
    ) -> None:
        """Equal registers and constants; places in the frames become partners."""
        one, two = a.operands[number], b.operands[number]
        if isinstance(one, Immediate) and isinstance(two, Immediate):
            elsewhere = a.name == "call" or a.name.startswith("j") or a.operands[0] == Register("rsp", 8)
            if one != two and not elsewhere:  # where to, and how large the frame is, is compared as what follows
                raise _OtherCode
        elif isinstance(one, MemoryOperand) and isinstance(two, MemoryOperand):
            self.memory(one, two, before, other)
        elif one != two or not isinstance(one, Register):
            raise _OtherCode

    def memory(self, one: MemoryOperand, two: MemoryOperand, before: FrameState, other: FrameState) -> None:
        """Both are places in the own frame, or the same place elsewhere."""
        first, second = self.one.frame.address(one, before), self.other.frame.address(two, other)
        if (first is None) != (second is None) or (one.size, one.base, one.by, one.scale) != (
            two.size, two.base, two.by, two.scale,
        ):  # fmt: skip
            raise _OtherCode
        if first is None or second is None:
            if one.offset in self.one.function.tables and two.offset in self.other.function.tables:
                two = two._replace(offset=one.offset)  # where they lead is compared as what follows
            if one != two:
                raise _OtherCode
        elif first.exact is not None and second.exact is not None and one.size:
            self.bind(first.exact, second.exact, one.size)
        else:
            self.pointers(first, second)

    def effects(self, here: int, there: int) -> None:
        """What is not written in the operands: the stack, and addresses that are given away."""
        a, b = self.one.frame.effects[here], self.other.frame.effects[there]
        for mine, yours in ((a.reads, b.reads), (a.kills, b.kills), (a.outgoing, b.outgoing)):
            if len(mine) != len(yours):
                raise _OtherCode
            for (low, high), (low2, _) in zip(mine, yours, strict=True):
                self.bind(low, low2, high - low)
        if {self.one.piece(x) for x in a.escapes} != {self.other.piece(x) for x in b.escapes}:
            raise _OtherCode
        for place in a.escapes:
            low, high = self.one.piece(place)
            self.bind(low, low, high - low)

    def calls(self, here: int, there: int) -> None:
        """Both call the same function, or functions of the same code."""
        first, second = self.one.function.calls.get(here, ""), self.other.function.calls.get(there, "")
        if first != second and not (
            isinstance(first, int) and isinstance(second, int) and self.residual.same_function(first, second)
        ):
            raise _OtherCode
        # SOUND: variables of callees must be at the same places, if others may know them.
        if self.one.frame.effects[here].calls != self.other.frame.effects[there].calls:
            if first is None or (isinstance(first, int) and self.exposes(first)):
                raise _OtherCode

    def exposes(self, callee: int) -> bool:
        """May the callee give others a pointer into the frame?"""
        function = self.residual.machine.function_at(callee)
        return function is None or self.residual.reach.point(function, callee).exposes

    # ---------------------------------------------------------------------------------------------- places

    def pointers(self, first: Pointer, second: Pointer) -> None:
        """Addresses somewhere in pieces of the frames: the pieces are partners."""
        if len(first.roots) != 1 or len(second.roots) != 1 or (first.exact is None) != (second.exact is None):
            raise _OtherCode
        (root,), (root2,) = first.roots, second.roots
        (low, high), (low2, high2) = self.one.piece(root), self.other.piece(root2)
        if (root - low, high - low) != (root2 - low2, high2 - low2):
            raise _OtherCode
        if first.exact is not None and second.exact is not None and first.exact - low != second.exact - low2:
            raise _OtherCode
        self.bind(low, low2, high - low)

    def bind(self, first: int, second: int, size: int) -> None:
        """Make places partners, if that agrees with all partners so far."""
        new = _Slot(first, second, size)
        for old in self.slots:
            if old == new:
                return
            first_touches = _overlap(old.first, new.first, old.size, size)
            touching = first_touches or _overlap(old.second, new.second, old.size, size)
            if touching and old.second - old.first != second - first:
                raise _OtherCode
        self.slots.append(new)

    def partners(self, low: int, high: int) -> list[_Slot]:
        """The slots that make up a range of the first frame."""
        found = []
        while low < high:
            slot = next((s for s in self.slots if s.first <= low < s.first + s.size), None)
            if slot is None:
                raise _OtherCode
            end = min(high, slot.first + slot.size)
            found.append(_Slot(low, low + slot.second - slot.first, end - low))
            low = end
        return found


def _overlap(a: int, b: int, size_a: int, size_b: int) -> bool:
    return a < b + size_b and b < a + size_a
