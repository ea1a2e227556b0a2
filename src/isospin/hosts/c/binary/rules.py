"""What code does with the numbers that threads were given: the rules that a renaming of them has to keep.

Each instruction is executed on terms (values.py).  Where a value leaves the registers there is a rule: another carrier
gets it, memory is touched at that address, it decides or is data like any other.  A renaming of numbers, threads and
memory is a symmetry of the code if it keeps all rules for all values that carriers may hold; the runtime tries them
(symmetry/numbers.c).  What is not understood gives a rule that only numbers keep that stay what they are.

Reference: docs/develop/decisions/numbered-threads.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from .carriers import Carriers
from .execution import GIVEN, FunctionRules, TermExecution
from .machine import MachineFile, MachineFunction, MachineInstruction, MemoryOperand, Register
from .reach import Reach
from .targets import Targets
from .values import Carrier

STARTUP = (
    "_start", "_init", "_fini", "deregister_tm_clones", "register_tm_clones", "__do_global_dtors_aux", "frame_dummy",
    "_dl_relocate_static_pie", "__libc_csu_init", "__libc_csu_fini",
)  # fmt: skip
MOST_FUNCTIONS = 400  # of a program that is looked at as a whole


class Rules:
    """Of one file; remembered for each function."""

    def __init__(self, machine: MachineFile, reach: Reach) -> None:
        self.machine, self.reach = machine, reach
        self.carriers = Carriers(reach.walks)
        self.known: dict[int, FunctionRules] = {}

    def of(self, function: MachineFunction) -> FunctionRules:
        if function.low not in self.known:
            self.known[function.low] = TermExecution(self, function, self.targets).run()
        return self.known[function.low]

    @cached_property
    def targets(self) -> Mapping[Carrier, Carrier]:
        """What carriers of the stack point to, where that is one carrier, and a plain value."""
        functions = [f for f in self.reach.every() if f.name not in STARTUP]
        if len(functions) > MOST_FUNCTIONS:
            return {}
        first = [TermExecution(self, function, {}).run() for function in functions]
        flows = [r for each in first for rules in each.rules.values() for r in rules]
        return Targets(self, flows).found()

    def slots(self, function: MachineFunction) -> dict[int, tuple[int, Carrier]]:
        liveness = self.reach.liveness(function)
        return {} if liveness.obscure or function.landing else self.carriers.slots(function, liveness)

    def records(self, function: MachineFunction) -> list[tuple[int, int, Carrier]]:
        """The members of structs in a frame: offset, size, carrier."""
        liveness = self.reach.liveness(function)
        return [] if liveness.obscure else self.carriers.records(function)

    def objects(self, found: Iterable[int]) -> tuple[int, ...]:
        """The variables that constants lie in."""
        every = self.machine.objects
        symbols = (self.machine.symbol_at(n, every) for n in found)
        return tuple(sorted({every.index(s) for s in symbols if s is not None}))

    def parameters(self, function: int) -> frozenset[str]:
        """Registers of arguments that a function reads before it writes them."""
        callee = self.machine.function_at(function)
        read: set[str] = set()
        written: set[str] = set()
        for address in sorted(callee.code) if callee is not None else ():
            this = callee.code[address] if callee is not None else None
            if this is None or address in (callee.calls if callee is not None else ()) or this.name.startswith("j"):
                break
            read |= (_sources(this) & set(GIVEN)) - written
            written |= this.writes
        return frozenset(read)

    def returns(self, function: int) -> bool:
        found = self.carriers.walks.debug.function(function)
        return found is None or "DW_AT_type" in found.die.attributes or "DW_AT_specification" in found.die.attributes


def _sources(this: MachineInstruction) -> set[str]:
    found = {o.name for o in this.operands[1:] if isinstance(o, Register)}
    for operand in this.operands:
        if isinstance(operand, MemoryOperand):
            found |= {operand.base, operand.by}
    return found | (set(this.reads) if this.name not in ("mov", "lea", "xor") else set())
