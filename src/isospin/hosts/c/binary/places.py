"""What the checked process asks about its own code, and the answers, as lines of numbers.

It asks once for each program point, or pair of them, and remembers.  runtime/symmetry/alike.c reads these lines:

* place pc:  known sp saved*6 registers flags, objects: count number*,
  live, pointed, freed, returned, lent, told: count (low high)*, pieces: count (low high stride)*, walks: count size*;
  `saved` is 0 for "still in the register", `registers` a set of bits, objects -1 for "all"; "0" alone: not known.
  If it `begins`: the function there has not begun; registers is 1 if its argument matters.
* frame pc:  the same line, but only with what is known of the frame: nothing about variables, walks and carriers.
* pair pc pc: same count (first second size)*; "0": not the same code.
* globals:  count (low high stride)*, the variables of the program, in the order of their numbers; then the same for
  constants.  The stride is the size of the elements of an array, and of anything else its own size; it is
  negative if libraries use the variable, too.  Then what carries numbers in them: count (object offset size carrier)*;
  a size of 0: anywhere in it.
* A line about a place ends with: code that is still to be executed, count (function low high)*; carriers, in the
  frame: count (low size carrier)*, in the registers: carrier*6; those that must keep their numbers: count carrier*;
  the call before it, unless a function of the program is called: function low high, else 0 0 0; and the functions of
  the program that it may call: count function*.
  A carrier is an odd number; the bit before is set for members of structs and variables of the program.
* blocks:  count (site outer size parts: count (offset size carrier)*)*, ascending: what is in blocks of the heap, by
  the instruction behind the call that made them, and, if that is in a function that returns the block, behind the call
  of that function, or 0; `size` is that of one element.
* rules function:  count (at kind leaves: count carrier* target code: count (what number)* objects: count number*)*
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

from ....core.cache import digest
from ..constants import SAVED_REGISTERS, PlaceFlag, Rule
from .execution import CodeRule
from .libraries import library
from .liveness import ReturnPoint, reachable
from .machine import MachineFile, MachineFunction, MachineSymbol
from .reach import APART, KNOWN_LIBRARIES, Reach, Reached
from .residual import ResidualMachineCode
from .rules import Rules
from .silent import own_silent_accesses, silent_accesses
from .values import Carried, Carrier, carriers, leaves, postfix
from .walks import MODEST

UNKNOWN = "0"
# Where a function begins: its argument stands for the first of the registers.
ENTRY = ReturnPoint(-8, (None,) * len(SAVED_REGISTERS), SAVED_REGISTERS[:1], (), (), (), (), (), (), ())
Three = tuple[int, int, int]
NO_REGISTERS = (0,) * len(SAVED_REGISTERS)
NO_CALL = (0, 0, 0)
FREEING = ("free", "release_block")  # of our runtime: they do not look at what is in a block


class CodeFile:
    """One file, with everything that can be asked about it."""

    def __init__(self, path: Path, ours: bool) -> None:
        self.machine = MachineFile(path, ours)
        self.reach = Reach(self.machine)
        self.residual = ResidualMachineCode(self.machine, self.reach)
        self.rules = Rules(self.machine, self.reach)

    def answer(self, kind: str, pc: int, other: int) -> str:
        """The line of numbers that answers a question of the runtime."""
        if kind == "globals":
            fixed, every = self.reach.always, self.machine.objects
            objects = [(o.low, o.high, -self.stride(o) if n in fixed else self.stride(o)) for n, o in enumerate(every)]
            constants = [(low, high, high - low) for low, high in self.machine.constants]
            parts = [
                (number, offset, size, identity(carrier))
                for number, symbol in enumerate(self.machine.objects)
                for offset, size, carrier in self.rules.carriers.parts(symbol)
            ]
            return _numbers(
                [len(objects)], chain(*objects), [len(constants)], chain(*constants), [len(parts)], chain(*parts)
            )
        if kind == "rules":
            return _rules_line(self, pc)
        if kind == "blocks":
            return _blocks_line(self)
        if kind == "silent":
            return _numbers(chain(*((s.address, int(s.writes)) for s in silent_accesses(self.machine))))
        if kind == "own":
            return _numbers(chain(*own_silent_accesses(self.machine)))
        if kind == "pair":
            return _pair_line(self, pc, other)
        if kind == "frame":
            return _frame_line(self, pc)
        return _place_line(self, pc) if kind == "place" else _entry_line(self, pc)

    def stride(self, symbol: MachineSymbol) -> int:
        """Rows of an array of arrays are no elements: programs walk from one to the next as they like."""
        known = self.reach.walks.globals.get(symbol.low)
        whole = symbol.high - symbol.low
        if known is None or known.kind != "array" or known.size != whole or known.target().kind == "array":
            return whole
        return known.target().size


def _place_line(code: CodeFile, pc: int) -> str:
    """What is known of a return address."""
    # The instruction before is the call; behind a call that does not return there may be another function.
    function = code.machine.function_at(pc - 1)
    point = code.reach.liveness(function).point(pc) if function is not None else None
    if function is None or point is None:
        return UNKNOWN
    # The runtime touches memory of the program by pointers only, and what it creates is seen elsewhere.
    ours = code.machine.ours
    if ours and function.name in FREEING:
        point = point._replace(freed=point.live)
    reached = NOTHING if ours else code.reach.point(function, pc)
    carried = _carriers_line() if ours else _carried(code, function, pc, point)
    flags = PlaceFlag.BEGINNING * (ours and function.name == "thread_main")
    if not ours:
        flags |= _flags_of_call(code, function, pc)
    return _line(point, reached, flags) + carried


NOTHING = Reached(frozenset(), False, False, False, frozenset())


def _frame_line(code: CodeFile, pc: int) -> str:
    """What is known of the frame behind a return address: quickly, without what follows from the rest of the code."""
    function = code.machine.function_at(pc - 1)
    point = code.reach.liveness(function).point(pc) if function is not None else None
    if function is None or point is None:
        return UNKNOWN
    flags = PlaceFlag.BEGINNING * (code.machine.ours and function.name == "thread_main")
    flags |= PlaceFlag.UNUSED * code.reach.liveness(function).is_result_unused(pc)
    return _line(point, NOTHING, flags) + _carriers_line()


def library_line(program: CodeFile, path: Path, pc: int, begins: bool) -> str:
    """What is known of a return address in a library, which may call any function that it can have been given; or of
    the first instruction of a function there (that of `std::thread`), where only its argument is alive."""
    if not path.name.startswith(KNOWN_LIBRARIES) or not path.is_file():
        return UNKNOWN
    point = ENTRY if begins else library(path).point(pc)
    if point is None:
        return UNKNOWN
    ahead = [(f.low, f.low, f.high) for f in _functions(program, program.reach.closure_of_taken())]
    return _line(point, program.reach.called_back(), 0) + _carriers_line(ahead)


def _entry_line(code: CodeFile, pc: int) -> str:
    """The answer about the first instruction of a function, where only its argument is alive."""
    function = code.machine.function_at(pc)
    if function is None or function.low != pc or code.reach.liveness(function).obscure:
        return UNKNOWN
    point = ENTRY if code.reach.liveness(function).uses_argument() else ENTRY._replace(registers=())
    argument = identity(code.rules.carriers.parameter(function.low, "rdi"))
    registers = [argument, *[0] * (len(SAVED_REGISTERS) - 1)]
    return _line(point, code.reach.point(function, pc), 0) + _carriers_line(
        _ahead(code, function, pc), registers=registers
    )


def _line(point: ReturnPoint, reached: Reached, flags: int) -> str:
    """The numbers, in the order that the runtime reads them."""
    flags |= PlaceFlag.APART * reached.apart | PlaceFlag.EXPOSES * reached.exposes | PlaceFlag.ERRNO * reached.errno
    registers = sum(1 << i for i, name in enumerate(SAVED_REGISTERS) if name in point.registers)
    objects = [-1] if reached.objects is None else [len(reached.objects), *sorted(reached.objects)]
    ranges = point.live, point.pointed, point.freed, point.returned, point.lent, point.told
    return _numbers(
        [1, point.sp, *(place or 0 for place in point.saved), registers, flags],
        objects,
        *([len(part), *chain(*part)] for part in ranges),
        [len(point.pieces), *chain(*point.pieces)],
        [len(reached.walks), *sorted(reached.walks)],
    )


# -------------------------------------------------------------------------------------------------- numbers of threads


def identity(carrier: Carrier) -> int:
    """The same number for the same carrier, in every process."""
    return int(digest(carrier.kind, carrier.where)[:14], 16) * 4 + 2 * (carrier.kind == "memory") + 1


def _functions(code: CodeFile, addresses: Iterable[int]) -> list[MachineFunction]:
    return [f for f in map(code.machine.function_at, sorted(addresses)) if f is not None]


def _ahead(code: CodeFile, function: MachineFunction, pc: int) -> list[Three]:
    """The code that is still to be executed: ranges, each with its function."""
    here = sorted(reachable(function, pc))
    found = [(function.low, at, function.code[at].end) for at in here]
    merged: list[Three] = []
    for low, start, end in found:
        if merged and merged[-1][2] == start:
            start = merged.pop()[1]
        merged.append((low, start, end))
    mentioned = code.reach.mentioned(function, [function.code[at] for at in here])
    return merged + [(f.low, f.low, f.high) for f in _functions(code, code.reach.closure(mentioned))]


def _carried(code: CodeFile, function: MachineFunction, pc: int, point: ReturnPoint) -> str:
    """What carries numbers of threads at a program point, as the runtime reads it."""
    held = code.rules.slots(function)
    slots = [(low, size, identity(carrier)) for low, (size, carrier) in held.items()]
    slots += [(low, size, identity(carrier)) for low, size, carrier in code.rules.records(function)]
    slots.sort()
    behind = code.rules.of(function).behind.get(pc, {})
    registers, kept = [], []
    for name in SAVED_REGISTERS:
        value = behind.get(name) if name in point.registers else None
        registers.append(identity(value.carrier) if isinstance(value, Carried) else 0)
        if value is not None and not isinstance(value, Carried):
            kept += [identity(c) for c in sorted(carriers(value))]
    ahead, call = _ahead(code, function, pc), _library_call(function, pc)
    if call is None:
        return _carriers_line(ahead, slots, registers, kept)
    called = code.reach.calls_back(function, call)
    every = sorted(code.reach.taken if called is None else called)
    return _carriers_line(ahead, slots, registers, kept, (function.low, call, pc), every)


def _library_call(function: MachineFunction, pc: int) -> int | None:
    """Where the call is that ends at a program point, unless it is one of a function of the program.

    SOUND: who stands in it has still to read and write what it will.
    """
    found = [address for address in function.calls if function.code[address].end == pc]
    return found[0] if found and not isinstance(function.calls[found[0]], int) else None


def _flags_of_call(code: CodeFile, function: MachineFunction, pc: int) -> int:
    """Who stands in it has not looked at errno yet, started the thread, or gone over all that it was given."""
    call = _library_call(function, pc)
    name = None if call is None else function.calls[call]
    if not isinstance(name, str):
        return PlaceFlag.WALKS * (call is not None)
    walks = PlaceFlag.WALKS * (MODEST.match(name) is None)
    return PlaceFlag.ERRNO * code.reach.prints_errno([name]) | PlaceFlag.APART * name.startswith(APART) | walks


def _carriers_line(
    ahead: Sequence[Three] = (), slots: Sequence[Three] = (), registers: Sequence[int] = NO_REGISTERS,
    kept: Sequence[int] = (), call: Three = NO_CALL, called: Sequence[int] = (),
) -> str:  # fmt: skip
    return " " + _numbers(
        [len(ahead)], chain(*ahead), [len(slots)], chain(*slots), registers, [len(kept)], kept, call,
        [len(called)], called,
    )  # fmt: skip


def _rules_line(code: CodeFile, low: int) -> str:
    function = code.machine.function_at(low)
    found = [rule for each in code.rules.of(function).rules.values() for rule in each] if function is not None else []
    return _numbers([len(found)], chain(*map(_rule_numbers, found)))


def _rule_numbers(rule: CodeRule) -> list[int]:
    value = None if rule.kind in (Rule.WIDEN, Rule.OWN) else rule.value
    order = list(dict.fromkeys(leaves(value))) if value is not None else []
    code = postfix(value, order) if value is not None else []
    target = identity(rule.target) if rule.target is not None else rule.size
    return [
        rule.at, rule.kind, len(order), *(identity(leaf.carrier) for leaf in order), target, len(code) // 2, *code,
        len(rule.objects), *rule.objects,
    ]  # fmt: skip


def _blocks_line(code: CodeFile) -> str:
    found = [
        [*made, type_.size, len(parts), *chain(*((offset, size, identity(carrier)) for offset, size, carrier in parts))]
        for made, type_ in sorted(code.rules.blocks.items(), key=lambda one: one[0])
        if (parts := code.rules.carriers.block_parts(made.names, type_))
    ]
    return _numbers([len(found)], chain(*found))


def _pair_line(code: CodeFile, first: int, second: int) -> str:
    """May a thread at one place be taken for one at the other?  With the slots that have to be equal."""
    if _is_entry(code.machine.function_at(first), first) and _is_entry(code.machine.function_at(second), second):
        return "1 0" if code.residual.same_function(first, second) else UNKNOWN
    slots = code.residual.pair(first, second)
    return UNKNOWN if slots is None else _numbers([1, len(slots)], chain(*slots))


def _is_entry(function: MachineFunction | None, pc: int) -> bool:
    return function is not None and function.low == pc


def _numbers(*parts: Iterable[int]) -> str:
    return " ".join(str(n) for part in parts for n in part)
