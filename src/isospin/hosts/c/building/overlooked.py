"""Accesses that clang's thread sanitizer overlooks: the module that it works on is changed so that they are announced.

It leaves out accesses to local variables whose address nobody else has.  But of an element or a member it asks whether
others have the address of that element, not that of the array (up to LLVM 20), so that hardly any access to a local
array or struct is announced.  Here each such address is made a number that nobody uses: then it counts as given away,
and no instruction comes of it.  What is passed by value, and what has a size that it has no call for (`long double`),
it does not announce at all: for that the calls are made here.

Reference: Serebryany, Iskhodzhanov, WBIA 2009; ThreadSanitizer.cpp of LLVM (Transforms/Instrumentation).
Differs: works on the text of a module, so that no part of clang is needed but its command.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field
from itertools import count

from ....core.errors import UsageError
from ....core.records import dataclass

# What makes the module, as text and before all passes; and what goes on with it.
MAKE = ("-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes")
GO_ON = ("-c", "-x", "ir")
NAME = r'(?:"[^"]*"|[-\w$.]+)'
VARIABLE = re.compile(rf"  (%{NAME}) = alloca ")
ANY_ACCESS = re.compile(rf"  (?:%{NAME} = load|(?P<stores>store)) ")
# An address has the type of the value in front of it, and a star, or it is a `ptr` (since LLVM 15).
VALUE = r"(?P<type><[^<>]*>|\{[^{}]*\}|.+?)(?: .+)?"
ACCESS = re.compile(rf"{ANY_ACCESS.pattern}(?:volatile )?{VALUE}, (?P<to>(?P=type)\*|ptr) (?P<place>[%@]{NAME})(?:,|$)")
# Atomic ones are announced in any case.  In other address spaces is what is local to the thread.
TOLD = re.compile(rf"{ANY_ACCESS.pattern}(?:atomic .*|.* addrspace\(.*)")
COMPUTED = r"(?:null|undef|poison|\w+ (?:\w+ )*\(.*\))"
CONSTANT = re.compile(rf"{ANY_ACCESS.pattern}.*, .*(?:\*|ptr) {COMPUTED}(?:, (?:align|!).*)?$")
STRUCT = rf"(?:%{NAME}|\{{ [^{{}}()]* \}})"
BY_VALUE = re.compile(
    rf"(?P<to>ptr|{STRUCT}\*) (?:[\w()]+ )*byval\((?P<type>{STRUCT})\) (?:align \d+ )?(?P<place>[%@]{NAME})(?=[,)])"
)
CALL = re.compile(rf"  (?:%{NAME} = )?(?:\w+ )?(?:call|invoke) ")
SOURCE = re.compile(r", !dbg !\d+")
SIZES = (8, 16, 32, 64, 128)  # in bits: those that it has calls for
VECTOR = re.compile(r"<(\d+) x (.*)>")
BITS = {"half": 16, "bfloat": 16, "float": 32, "double": 64, "fp128": 128, "x86_fp80": 80, "ptr": 64}


def announced(module: str) -> str:
    """The same module, but all its accesses to variables that others may know will be announced."""
    change = _Change()
    text = "\n".join(new for line in module.split("\n") for new in change.line(line))
    for hook, byte in sorted(change.used.items()):
        text += f"\ndeclare void @{hook}({byte}, i64)\n" * (f"@{hook}(" not in module)
    return text


@dataclass
class _Change:
    """On the way through a module."""

    own: set[str] = field(default_factory=set)  # the local variables of this function
    numbers: Iterator[int] = field(default_factory=count)
    used: dict[str, str] = field(default_factory=dict)  # calls that were made, and the type of what they are given

    def line(self, line: str) -> Iterator[str]:
        """The line, and in front of it what makes that it is announced."""
        if line.startswith("define "):
            self.own = set()
        elif found := VARIABLE.match(line):
            self.own.add(found[1])
        elif ANY_ACCESS.match(line) and not TOLD.match(line):
            yield from self.access(line)
        elif "byval(" in line and CALL.match(line):
            for found in BY_VALUE.finditer(line):
                yield from self.announce("__tsan_read_range", found, line)
        yield line

    def access(self, line: str) -> Iterator[str]:
        """SOUND: of a whole variable clang itself knows whether others have its address, and others have that of a
        part only if they have that of the whole.  A line that is not understood may hide an access.
        """
        found = ACCESS.match(line)
        if found is None:
            if not CONSTANT.match(line):
                raise UsageError(f"it is not known here what this clang means ({line.strip()}): use gcc")
            return
        if found["place"][0] == "%" and found["place"] not in self.own:
            yield f"  %isospin.{next(self.numbers)} = ptrtoint {found['to']} {found['place']} to i64"
        if _bits(found["type"]) not in SIZES:
            yield from self.announce("__tsan_write_range" if found["stores"] else "__tsan_read_range", found, line)

    def announce(self, hook: str, found: re.Match[str], line: str) -> Iterator[str]:
        """A call of our own."""
        size = f"ptrtoint ({found['to']} getelementptr ({found['type']}, {found['to']} null, i32 1) to i64)"
        source = SOURCE.search(line)
        place, self.used[hook] = found["place"], "ptr"
        if found["to"] != "ptr":
            place, self.used[hook] = f"%isospin.{next(self.numbers)}", "i8*"
            yield f"  {place} = bitcast {found['to']} {found['place']} to i8*"
        yield f"  call void @{hook}({self.used[hook]} {place}, i64 {size}){source[0] if source else ''}"


def _bits(kind: str) -> int:
    """The size of a type that clang loads or stores at once.  A pair of registers has 128 bits, whatever is in it."""
    if vector := VECTOR.fullmatch(kind):
        return int(vector[1]) * _bits(vector[2])
    if kind.endswith("*"):
        return BITS["ptr"]
    if kind.startswith("{"):
        return 0 if "x86_fp80" in kind else 128
    return int(kind[1:]) if re.fullmatch(r"i\d+", kind) else BITS.get(kind, 0)
