"""What the checked process asks about its own code, and the answers, as lines of numbers.

It asks once for each program point, or pair of them, and remembers; see runtime/alike.c, which reads these lines:

* place pc:  known sp saved*6 registers flags, then objects: count number*, live and pointed: count (low high)*
  `saved` is 0 for "still in the register", `registers` a set of bits, objects -1 for "all"; "0" alone: not known.
* entry pc:  the same for a function that has not begun: registers is 1 if its argument matters.
* pair pc pc: same count (first second size)*; "0": not the same code.
* globals:  count (low high)*, the variables of the program, in the order of their numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from .frame import SAVED
from .liveness import Point
from .machine import Function, Machine
from .reach import Reach, Reached
from .residual import Residual

CREATES, EXPOSES, BEGINNING = 1, 2, 4
UNKNOWN = "0"


class Code:
    """One file, with everything that can be asked about it."""

    def __init__(self, path: Path, ours: bool) -> None:
        self.machine = Machine(path, ours)
        self.reach = Reach(self.machine)
        self.residual = Residual(self.machine, self.reach)


class Places:
    def __init__(self, executable: Path, runtime: Path) -> None:
        self.executable, self.runtime = executable, runtime
        self.codes: dict[Path, Code] = {}

    def code(self, path: Path) -> Code:
        if path not in self.codes:
            self.codes[path] = Code(path, path == self.runtime)
        return self.codes[path]

    def answer(self, message: Mapping[str, Any]) -> str:
        """The line for a question; `base` is where the runtime was loaded, if the addresses are in it."""
        base = int(message.get("base", 0))
        code = self.code(self.runtime if base else self.executable)
        if message["kind"] == "globals":
            return numbers([len(code.machine.objects)], chain(*((o.low, o.high) for o in code.machine.objects)))
        pc = int(message["pc"]) - base
        if message["kind"] == "pair":
            return pair_line(code, pc, int(message["other"]) - base)
        return place_line(code, pc) if message["kind"] == "place" else entry_line(code, pc)


def place_line(code: Code, pc: int) -> str:
    # The instruction before is the call; behind a call that does not return there may be another function.
    function = code.machine.function_at(pc - 1)
    point = code.reach.liveness(function).point(pc) if function is not None else None
    if function is None or point is None:
        return UNKNOWN
    # The runtime touches memory of the program by pointers only, and what it creates is seen elsewhere.
    ours = code.machine.ours
    reached = Reached(frozenset(), False, False) if ours else code.reach.point(function, pc)
    return line(point, reached, BEGINNING if ours and function.name == "thread_main" else 0)


def entry_line(code: Code, pc: int) -> str:
    function = code.machine.function_at(pc)
    if function is None or function.low != pc or code.reach.liveness(function).obscure:
        return UNKNOWN
    used = code.reach.liveness(function).uses_argument()
    point = Point(-8, (None,) * len(SAVED), ("rbx",) if used else (), (), ())
    return line(point, code.reach.point(function, pc), 0)


def line(point: Point, reached: Reached, flags: int) -> str:
    flags |= CREATES * reached.creates | EXPOSES * reached.exposes
    registers = sum(1 << i for i, name in enumerate(SAVED) if name in point.registers)
    objects = [-1] if reached.objects is None else [len(reached.objects), *sorted(reached.objects)]
    return numbers(
        [1, point.sp, *(place or 0 for place in point.saved), registers, flags],
        objects,
        [len(point.live), *chain(*point.live)],
        [len(point.pointed), *chain(*point.pointed)],
    )


def pair_line(code: Code, first: int, second: int) -> str:
    if is_entry(code.machine.function_at(first), first) and is_entry(code.machine.function_at(second), second):
        return "1 0" if code.residual.same_function(first, second) else UNKNOWN
    slots = code.residual.pair(first, second)
    return UNKNOWN if slots is None else numbers([1, len(slots)], chain(*slots))


def is_entry(function: Function | None, pc: int) -> bool:
    return function is not None and function.low == pc


def numbers(*parts: Iterable[int]) -> str:
    return " ".join(str(n) for part in parts for n in part)
