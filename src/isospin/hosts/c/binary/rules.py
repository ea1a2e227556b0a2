"""What code does with the numbers that threads were given: the rules that a renaming of them has to keep.

Each instruction is executed on terms (values.py).  Where a value leaves the registers there is a rule: another carrier
gets it, memory is touched at that address, it decides or is data like any other.  A renaming of numbers, threads and
memory is a symmetry of the code if it keeps all rules for all values that carriers may hold; the runtime tries them
(numbers/numbers.c).  What is not understood gives a rule that only numbers keep that stay what they are.

Reference: docs/develop/decisions/numbered-threads.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from .blocks import MadeAt, block_types
from .dwarf import Type
from .execution import CodeRule, FunctionRules, TermExecution
from .machine import MachineFile, MachineFunction
from .numbered_code import NumberedCode
from .reach import Reach
from .targets import Targets
from .values import Carrier

STARTUP = (
    "_start", "_init", "_fini", "deregister_tm_clones", "register_tm_clones", "__do_global_dtors_aux", "frame_dummy",
    "_dl_relocate_static_pie", "__libc_csu_init", "__libc_csu_fini",
)  # fmt: skip
MOST_FUNCTIONS = 400  # of a program that is looked at as a whole


class Rules(NumberedCode):
    """Of one file; remembered for each function."""

    def __init__(self, machine: MachineFile, reach: Reach) -> None:
        super().__init__(machine, reach)
        self.known: dict[int, FunctionRules] = {}

    def of(self, function: MachineFunction) -> FunctionRules:
        if function.low not in self.known:
            self.known[function.low] = TermExecution(self, function, self.targets, self.typed).run()
        return self.known[function.low]

    @cached_property
    def flows(self) -> list[CodeRule] | None:
        """All rules of the program, without knowing what pointers point to; None: there is too much code."""
        functions = [f for f in self.reach.every() if f.name not in STARTUP]
        if len(functions) > MOST_FUNCTIONS:
            return None
        first = [TermExecution(self, function, {}, frozenset()).run() for function in functions]
        return [r for each in first for rules in each.rules.values() for r in rules]

    @cached_property
    def blocks(self) -> dict[MadeAt, Type]:
        """What blocks of the heap are made of, by where they are made."""
        return {} if self.flows is None else block_types(self, self.flows)

    @cached_property
    def typed(self) -> frozenset[int]:
        """Behind which calls of `malloc` the blocks are whose parts are known.

        SOUND: `calloc` writes to them, and no rule says so.
        """
        return frozenset(made.call for made in self.blocks if not made.outer and self.is_call_of(made.call, "malloc"))

    def is_call_of(self, behind: int, name: str) -> bool:
        function = self.machine.function_at(behind - 1)
        return function is not None and any(
            function.code[at].end == behind and target == name for at, target in function.calls.items()
        )

    @cached_property
    def targets(self) -> Mapping[Carrier, Carrier]:
        """What carriers of the stack point to, where that is one carrier, and a plain value."""
        return (
            {}
            if self.flows is None
            else Targets(self, self.flows, {m.call: t for m, t in self.blocks.items() if not m.outer}).found()
        )
