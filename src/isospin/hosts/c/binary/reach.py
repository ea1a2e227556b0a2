"""What code can still do from a program point on: which variables of the file it names, does it start threads?

Memory that is reached through pointers is not counted here: whoever asks has to look for pointers in live memory.

Reference: the classical call graph closure.
Differs: a call through a pointer may go to every function of the file whose address is taken anywhere.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import field
from functools import cached_property
from typing import Any, NamedTuple

from ....core.records import dataclass
from .liveness import Liveness, reachable
from .machine import Immediate, MachineFile, MachineFunction, MachineInstruction, MemoryOperand, Register
from .walks import Walks

# Libraries that touch no variable of the program unless they are given its address, or it is theirs (copied).
KNOWN_LIBRARIES = ("libc.", "libm.", "libstdc++.", "libgcc_s.", "libpthread.", "librt.", "libdl.", "ld-linux")
# With these a function is kept, to be called later by somebody who is not seen; in which register it is given.
KEEPS_FUNCTIONS = {
    "atexit": "rdi", "on_exit": "rdi", "at_quick_exit": "rdi", "__cxa_atexit": "rdi", "__cxa_thread_atexit": "rdi",
    "__cxa_at_quick_exit": "rdi",
    "__cxa_thread_atexit_impl": "rdi", "pthread_key_create": "rsi", "tss_create": "rsi", "signal": "rsi",
    "sigaction": "", "timer_create": "", "makecontext": "", "dlsym": "", "pthread_atfork": "", "sigset": "rsi",
    "bsd_signal": "rsi", "ssignal": "rsi", "sysv_signal": "rsi", "__sysv_signal": "rsi", "fopencookie": "",
    "_ZSt13set_terminatePFvvE": "rdi", "_ZSt15set_new_handlerPFvvE": "rdi",
}  # fmt: skip
# These call functions that they are given, or start threads with them; in which registers they are.
CALLS_BACK = {
    "pthread_create": ("rdx",), "thrd_create": ("rsi",), "pthread_once": ("rsi",), "call_once": ("rsi",),
    "qsort": ("rcx",), "qsort_r": ("rcx",), "bsearch": ("r8",), "lfind": ("r8",), "lsearch": ("r8",),
    "tsearch": ("rdx",), "tfind": ("rdx",), "tdelete": ("rdx",), "twalk": ("rsi",), "twalk_r": ("rsi",),
    "tdestroy": ("rsi",), "ftw": ("rsi",), "nftw": ("rsi",), "scandir": ("rdx", "rcx"), "glob": ("rdx",),
}  # fmt: skip
STARTS = ("pthread_create", "thrd_create")
# With these code does what an exchange of two threads does not cover: it starts further ones, or asks for numbers.
APART = (
    *STARTS, "fork", "vfork", "clone", "_ZNSt6thread15_M_start_thread", "_ZNSt13__future_base",
    "_ZSt5async", "gettid", "syscall", "sched_getcpu", "getcpu", "pthread_getthreadid",
)  # fmt: skip
# SOUND: `%m` is the text of errno.  Also in wide characters, which have zeros between them.
ERROR_TEXT = re.compile(rb"%[-+ #'0-9.*$hlqjztLI\0]*m")


class Reached(NamedTuple):
    """What the code behind a point can still do, with all that it calls."""

    objects: frozenset[int] | None  # numbers in `Machine.objects`; None: all
    apart: bool  # may do what an exchange of threads does not cover
    exposes: bool  # may give away addresses of the own stack
    errno: bool  # may look at errno
    walks: frozenset[int]  # over objects of which sizes it may go by arithmetic with pointers, 0: any (walks.py)


@dataclass
class _Mentions:
    """What the code of one function, or a part of it, names."""

    objects: set[int] = field(default_factory=set)
    callees: set[int] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    indirect: bool = False

    def add(self, other: _Mentions) -> None:
        self.objects |= other.objects
        self.callees |= other.callees
        self.names |= other.names
        self.indirect = self.indirect or other.indirect


class Reach:
    """Answers about one file, remembered for each function and point."""

    def __init__(self, machine: MachineFile) -> None:
        self.machine = machine
        self.bodies: dict[int, _Mentions] = {}
        self.closures: dict[int, _Mentions] = {}
        self.lives: dict[int, Liveness] = {}
        dynamic: Any = machine.elf.get_section_by_name(".dynamic")
        needed = [tag.needed for tag in dynamic.iter_tags("DT_NEEDED")]
        self.foreign = [n for n in needed if "/" not in n and not n.startswith(KNOWN_LIBRARIES)]

    def liveness(self, function: MachineFunction) -> Liveness:
        if function.low not in self.lives:
            self.lives[function.low] = Liveness(function, self.machine.ours)
        return self.lives[function.low]

    @cached_property
    def walks(self) -> Walks:
        return Walks(self.machine)

    # ---------------------------------------------------------------------------------------------- points

    def point(self, function: MachineFunction, address: int) -> Reached:
        """From an address of a function on, until it returns."""
        if function.obscure:
            return Reached(None, True, True, True, frozenset({0}))
        found = self.mentioned(function, [function.code[place] for place in reachable(function, address)])
        for callee in self.closure(found):
            found.add(self.body(callee))
        exposes = bool(found.indirect or self.foreign) or any(
            self.exposing(f) for f in [function.low, *self.closure(found)]
        )
        apart = bool(self.foreign) or any(name.startswith(APART) for name in found.names)
        known = frozenset(found.objects | self.always)
        lost = bool(self.foreign) or self.lost(found)
        errno = lost or "__errno_location" in found.names or self.prints_errno(found.names)
        walks = frozenset({0}) if lost else self.walk(function, address, found)
        return Reached(None if lost else known, apart or lost, exposes, errno, walks)

    def prints_errno(self, names: Iterable[str]) -> bool:
        return self.has_error_text and any("printf" in name or name == "outcome" for name in map(_plain_name, names))

    @cached_property
    def has_error_text(self) -> bool:
        """May a text of the program be a format with `%m` in it?"""
        return any(ERROR_TEXT.search(data) for _, data in self.machine.segments)

    def closure_of_taken(self) -> set[int]:
        return self.closure(_Mentions(callees=set(self.taken), indirect=True))

    def called_back(self) -> Reached:
        """What a library may still do that is in the middle of a call: anything with what it can call."""
        found = _Mentions(callees=set(self.taken), indirect=True)
        for callee in self.closure_of_taken():
            found.add(self.body(callee))
        lost = bool(self.foreign) or self.lost(found)
        apart = lost or any(name.startswith(APART) for name in found.names)
        return Reached(None if lost else frozenset(found.objects | self.always), apart, True, True, frozenset({0}))

    def walk(self, function: MachineFunction, address: int, found: _Mentions) -> frozenset[int]:
        """Over objects of which sizes the code behind a point may walk, callees included."""
        here, ahead = self.walks.places(function, self.liveness(function).frame), reachable(function, address)
        sizes = {size for place, size in here.items() if place in ahead}
        for callee in map(self.machine.function_at, self.closure(found)):
            if callee is not None:
                sizes.update(self.walks.places(callee, self.liveness(callee).frame).values())
        return frozenset(sizes)

    def closure(self, start: _Mentions) -> set[int]:
        """All functions that may be called."""
        seen: set[int] = set()
        todo = [*start.callees, *(self.taken if start.indirect else self.kept)]
        while todo:
            callee = todo.pop()
            if callee not in seen:
                seen.add(callee)
                body = self.body(callee)
                todo += body.callees
                todo += self.taken if body.indirect else ()
        return seen

    def lost(self, found: _Mentions) -> bool:
        """Is there a callee that is not understood?"""
        return any(self.machine.function_at(c) is None or self.obscure(c) for c in self.closure(found))

    def obscure(self, address: int) -> bool:
        """Is there code of which we do not know what it does?"""
        function = self.machine.function_at(address)
        return function is None or bool(function.obscure)

    def exposing(self, address: int) -> bool:
        """May a function give away addresses of its own frame?"""
        function = self.machine.function_at(address)
        if function is None:
            return True
        liveness = self.liveness(function)
        return bool(liveness.obscure) or liveness.escaped != 0

    # ---------------------------------------------------------------------------------------------- mentions

    def body(self, address: int) -> _Mentions:
        """What a whole function mentions."""
        if address not in self.bodies:
            function = self.machine.function_at(address)
            every = function.code.values() if function is not None else ()
            self.bodies[address] = _Mentions() if function is None else self.mentioned(function, every)
        return self.bodies[address]

    def mentioned(self, function: MachineFunction, code: Iterable[MachineInstruction]) -> _Mentions:
        """Which variables and functions some instructions mention, and whom they call."""
        found = _Mentions()
        for this in code:
            for address in constants(this):
                self.mention(address, found)
            if this.address in function.calls:
                target = function.calls[this.address]
                found.indirect = found.indirect or target is None
                if isinstance(target, str):
                    found.names.add(target)
                    found.indirect = found.indirect or self.calls_back(function, this.address) is None
                elif target is not None:
                    found.callees.add(target)
        return found

    def calls_back(self, function: MachineFunction, call: int) -> set[int] | None:
        """The functions of the program that a call of a library calls in turn; None: it may be any."""
        target = function.calls[call]
        if target is None:
            return None
        found: set[int] = set()
        for register in CALLS_BACK.get(_plain_name(target), ()) if isinstance(target, str) else ():
            given = constant_in(function, call, register)
            if given is None:
                return None
            found |= {given} & self.starts
        return found

    def mention(self, address: int, found: _Mentions) -> None:
        """A number in the code that may be an address."""
        name = self.machine.imported.get(address)
        if name is not None and name in self.by_name:
            self.mention(self.by_name[name], found)
        elif name is not None:
            found.names.add(name)
        elif address in self.starts:
            found.callees.add(address)
        elif address in self.object_bytes:
            found.objects.add(self.object_bytes[address])
        else:
            symbol = self.machine.symbol_at(address, self.machine.objects)
            if symbol is not None:
                self.object_bytes[address] = number = self.machine.objects.index(symbol)
                found.objects.add(number)

    @cached_property
    def object_bytes(self) -> dict[int, int]:
        return {}

    @cached_property
    def starts(self) -> frozenset[int]:
        return frozenset(f.low for f in self.machine.functions)

    @cached_property
    def by_name(self) -> dict[str, int]:
        kinds = ("STT_FUNC", "STT_OBJECT")
        return {s.name: s["st_value"] for s in self.machine.symbols if s["st_info"]["type"] in kinds}

    @cached_property
    def always(self) -> frozenset[int]:
        """Variables that others may touch at any time."""
        objects = self.machine.objects
        return frozenset(n for n, o in enumerate(objects) if any(o.low <= a < o.high for a in self.machine.copied))

    @cached_property
    def kept(self) -> frozenset[int]:
        """Functions that may be called at any time later by libraries, or in the end."""
        found = set(self.destructors())
        if KEEPS_FUNCTIONS.keys().isdisjoint(self.machine.imported.values()):
            return frozenset(found)
        for function in self.every():
            for address, target in function.calls.items():
                register = KEEPS_FUNCTIONS.get(target) if isinstance(target, str) else None
                if register is not None:
                    given = constant_in(function, address, register)
                    found |= self.taken if given is None else {given} & self.starts
        return frozenset(found)

    @cached_property
    def called_by_others(self) -> frozenset[int]:
        """Functions that libraries call with arguments of their own choice; those that threads begin with are not."""
        found, started = set(self.kept), Counter[int]()
        for function in self.every():
            for address, target in function.calls.items():
                name = _plain_name(target) if isinstance(target, str) else ""
                given = self.calls_back(function, address) if name in CALLS_BACK else set[int]()
                if name in STARTS:
                    started.update(given or ())
                else:
                    found |= self.taken if given is None else given
        return frozenset(f for f in found if self.mentions(f) > started[f])

    def destructors(self) -> Iterator[int]:
        """`__attribute__((destructor))`, besides that of the compiler's own start-up code."""
        ours = {symbol.low for symbol in self.machine.functions if symbol.name != "__do_global_dtors_aux"}
        for section in self.machine.elf.iter_sections():
            if section["sh_type"] == "SHT_FINI_ARRAY":
                data = section.data()
                words = (int.from_bytes(data[at : at + 8], "little") for at in range(0, len(data), 8))
                yield from (word for word in words if word in ours)

    def every(self) -> Iterator[MachineFunction]:
        for symbol in self.machine.functions:
            function = self.machine.function_at(symbol.low)
            if function is not None:
                yield function

    @cached_property
    def taken(self) -> frozenset[int]:
        """Functions whose address is somewhere: in code other than as the target of a call, or in data."""
        found = set(self.pointed_to)
        for function in self.every():
            found |= {a for this in function.code.values() for a in constants(this) if a in self.starts}
        return frozenset(found)

    def mentions(self, function: int) -> int:
        """How many instructions have its address; in data it counts for more than there can be."""
        if function in self.pointed_to:
            return len(self.machine.functions) ** 2
        return self.times_named[function]

    @cached_property
    def pointed_to(self) -> frozenset[int]:
        return frozenset(self.pointers_in_data())

    @cached_property
    def times_named(self) -> Counter[int]:
        """By how many instructions each address is named."""
        every = (this for each in self.every() for this in each.code.values())
        return Counter(address for this in every for address in set(constants(this)))

    def pointers_in_data(self) -> Iterator[int]:
        """Functions whose addresses stand in the data of the file."""
        for section in self.machine.elf.iter_sections():
            if section["sh_flags"] & 6 == 2 and section["sh_type"] == "SHT_PROGBITS":  # alloc, no code
                data = section.data()
                for place in range(-section["sh_addr"] % 8, len(data) - 7, 8):
                    word = int.from_bytes(data[place : place + 8], "little")
                    if word in self.starts:
                        yield word


def _plain_name(name: str) -> str:
    """Of a function of a library, also if ours stands in front of it."""
    return name.removeprefix("isospin_")


def constant_in(function: MachineFunction, call: int, register: str) -> int | None:
    """The number that is put into a register just before a call; None: that is not known."""
    places = sorted(a for a in function.code if a < call)
    for place in reversed(places[-12:]):
        this = function.code[place]
        if place in function.calls or this.name.startswith("j"):
            return None
        if register in this.writes:
            return _constant_of(function, this)
    return None


def _constant_of(function: MachineFunction, this: MachineInstruction) -> int | None:
    """What an instruction writes, if it is a number: mov, lea, xor of a register with itself, and copies of those."""
    source = this.operands[-1]
    if this.name == "xor" and this.operands[0] == source:
        return 0
    if this.name == "lea" and isinstance(source, MemoryOperand) and not source.base and not source.by:
        return source.offset
    if this.name not in ("mov", "movabs"):
        return None
    if isinstance(source, Register):
        return constant_in(function, this.address, source.name)
    return source.value if isinstance(source, Immediate) else None


def constants(this: MachineInstruction) -> Iterator[int]:
    """Numbers that may be addresses; jumps and calls name code of their own accord."""
    direct = this.name == "call" or this.name.startswith("j")
    for operand in this.operands:
        if isinstance(operand, MemoryOperand):
            yield operand.offset
        elif isinstance(operand, Immediate) and not direct:
            yield operand.value
