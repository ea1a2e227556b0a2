"""From C and C++ files to an executable whose processes ask before they do anything that others could notice.

Compiled as programs of threads are (`hosts/c/building/build.py`), and linked against another library.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ...core import c_header
from ...core.cache import digest, keep, kept, made, workplace
from ...core.errors import UsageError
from ..c.building.build import RUNTIME as THREADS
from ..c.building.build import Compiled, cache_directory, compile_files, link, ours, ours_all
from ..c.building.compilers import Compiler
from ..c.symbols import undefined
from .constants import header

RUNTIME = Path(__file__).parent / "runtime"
FLAGS = (
    "-std=gnu11", "-O2", "-g", "-fPIC", "-fvisibility=hidden", "-fno-stack-protector", "-fno-omit-frame-pointer",
    "-fno-builtin", "-Wall", "-Wextra",
)  # fmt: skip
FORKS = frozenset({"fork"})
THREADED = frozenset({"pthread_create", "thrd_create"})


class ForkingProgram(NamedTuple):
    """An executable, and the functions that the user's files call and do not have."""

    executable: Path
    calls: frozenset[str]


def forks(program: Compiled) -> bool:
    """Is this a program of processes?  One that has both processes and threads is refused."""
    calls = _undefined(program)
    if calls & FORKS and calls & THREADED:
        raise UsageError("the program calls fork and pthread_create: processes with several threads are not supported")
    return bool(calls & FORKS)


def _undefined(program: Compiled) -> frozenset[str]:
    """The names that its files use and do not define."""
    return frozenset[str]().union(*map(undefined, program.objects))


def build(files: Sequence[str | Path], cflags: Sequence[str] = (), compiler: str | None = None) -> ForkingProgram:
    """The executable for these files, in the cache."""
    return link_processes(compile_files(files, cflags, compiler))


def link_processes(program: Compiled) -> ForkingProgram:
    """The executable of a program of processes."""
    executable = link(program.driver, program.objects, program.linking, _library(program.compiler))
    return ForkingProgram(executable, _undefined(program))


def _library(compiler: Compiler) -> Path:
    """Our runtime as a shared library."""
    sources = sorted(p for p in RUNTIME.iterdir() if p.suffix in (".c", ".h"))
    text = b"".join(p.name.encode() + p.read_bytes() for p in sources)
    name = digest("processes", " ".join(compiler.c), compiler.version, " ".join(FLAGS), text, _renamed(), header())
    if (known := kept(cache_directory(), name, ".so")) is not None:
        return known
    with workplace(made(cache_directory())) as place:
        names, result = place / "names.S", place / "runtime.so"
        names.write_text(_renamed())
        files = [names, *(p for p in sources if p.suffix == ".c")]
        parts = [str(place / f"{file.name}.o") for file in files]
        command = [*compiler.c, *FLAGS, *c_header.include(place, header(), RUNTIME), "-c"]
        ours_all([[*command, str(file), "-o", part] for file, part in zip(files, parts, strict=True)], place)
        ours([*compiler.c, "-shared", "-Wl,-z,now", *parts, "-lm", "-o", str(result)], place)
        return keep(cache_directory(), name, result, ".so")


def _renamed() -> str:
    """The functions that programs of threads call under another name are libc's own here."""
    table = THREADS / "renames.txt"
    pairs = [line.split() for line in table.read_text().splitlines()] if table.exists() else []
    text = ['.section .note.GNU-stack,"",@progbits', ".text"]
    for old, new in (p for p in pairs if len(p) == 2 and p[0] != "main"):
        text.append(f".weak {old}\n.globl {new}\n.type {new}, @function\n{new}: jmp {old}@PLT")  # older libcs lack some
    return "\n".join(text) + "\n"
