"""C compilers: which one is used, and what the user's files are compiled with for control."""

from __future__ import annotations

import os
import shlex
import shutil
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ....core.cache import ask
from ....core.errors import UsageError

HERE = Path(__file__).parent.parent
INCLUDE = HERE / "include"
CXX_CONTROL = INCLUDE / "isospin_control.hpp"
C_ENDINGS = (".c",)
CXX_ENDINGS = (".cc", ".cpp", ".cxx", ".c++", ".C")
# After what the user says: the last one counts.
# SOUND: with optimisation the compiler merges accesses and bugs with them; strcpy and others that it knows become
# stores that nobody reports; fortified functions, link-time code and canaries in the stack would pass by the runtime or
# tell threads apart.  Other sanitizers need libraries of their own.
CONTROL = (
    "-fno-sanitize=all", "-fsanitize=thread", "-g", "-O0", "-fno-omit-frame-pointer", "-fno-pie", "-fno-lto",
    "-fno-stack-protector", "-fno-builtin", "-fcf-protection=none", "-U_FORTIFY_SOURCE", "-pthread",
)  # fmt: skip
# SOUND: without this clang does not report the read of `x++`, and lost updates are not seen.
CLANG_CONTROL = ("-mllvm", "-tsan-instrument-read-before-write=1", "-Qunused-arguments", "-gdwarf-4")


class Compiler(NamedTuple):
    """The commands for C and for C++, and whether they are clang's."""

    c: tuple[str, ...]
    cxx: tuple[str, ...]
    version: str
    clang: bool

    def command(self, file: str) -> tuple[str, ...]:
        return self.cxx if file.endswith(CXX_ENDINGS) else self.c

    def control(self, file: str) -> tuple[str, ...]:
        """What a file is compiled with besides what the user says."""
        known = (*CONTROL, *CLANG_CONTROL) if self.clang else CONTROL
        return (*known, "-include", str(CXX_CONTROL)) if file.endswith(CXX_ENDINGS) else known


def find_compiler(name: str | None = None) -> Compiler:
    """The given one, or CC and CXX, or the system's."""
    chosen = name or os.environ.get("CC")
    if chosen:
        c = tuple(shlex.split(chosen))
        if not c or shutil.which(c[0]) is None:
            raise UsageError(f"there is no C compiler {chosen!r} here")
    else:
        found = next((each for each in ("gcc", "cc", "clang") if shutil.which(each)), None)
        if found is None:
            raise UsageError("there is no C compiler here (tried gcc, cc, clang): install one, or set CC")
        c = (found,)
    given = None if name else os.environ.get("CXX")
    cxx = tuple(shlex.split(given)) if given else (cxx_beside(c[0]), *c[1:])
    return Compiler(c, cxx, *identity(c))


def cxx_beside(command: str) -> str:
    """clang-16 -> clang++-16, gcc -> g++, cc -> c++, with the same directory in front."""
    head, tail = os.path.split(command)
    for ours, theirs in (("clang", "clang++"), ("gcc", "g++"), ("cc", "c++")):
        if ours in tail:
            return os.path.join(head, tail.replace(ours, theirs, 1))
    return "c++"


@cache
def identity(command: tuple[str, ...]) -> tuple[str, bool]:
    """The version of a compiler, and whether it is clang; one that is neither gcc nor clang is refused."""
    version = ask(command, "--version").split("\n", 1)[0]
    macros = ask(command, f"-dM -E -x c {os.devnull}")
    if "__GNUC__" not in macros:
        raise UsageError(f"{' '.join(command)} is neither gcc nor clang")
    return version, "__clang__" in macros


def runtime_compiler(users: Compiler) -> Compiler:
    """gcc: clang cannot leave registers alone.  What is linked together may come from both."""
    for each in (users.c, ("gcc",), ("cc",)):
        if shutil.which(each[0]) and not identity(each)[1]:
            return Compiler(each, each, *identity(each))
    raise UsageError("gcc is needed for the part of isospin that runs inside the program: install it")
