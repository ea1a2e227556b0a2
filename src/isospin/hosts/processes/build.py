"""From C and C++ files to an executable whose processes ask before they do anything that others could notice.

Compiled as programs of threads are (`hosts/c/building/build.py`), and linked against another library.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ...core import c_header, deadline
from ...core.cache import digest, keep, kept, made, workplace
from ...core.errors import UsageError
from ..c.building.build import (
    CXX_ENDINGS,
    Compiler,
    cache_directory,
    check_files,
    check_platform,
    compile_file,
    find_compiler,
    link,
    ours,
    split_flags,
)
from ..c.building.build import RUNTIME as THREADS
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


def _forks(objects: Sequence[Path]) -> bool:
    """Is this a program of processes?  One that has both processes and threads is refused."""
    calls = _undefined(objects)
    if calls & FORKS and calls & THREADED:
        raise UsageError("the program calls fork and pthread_create: processes with several threads are not supported")
    return bool(calls & FORKS)


def _undefined(objects: Sequence[Path]) -> frozenset[str]:
    """The names that these files use and do not define."""
    try:
        done = deadline.run(["nm", "-u", *map(str, objects)], "looking at the program")
    except OSError:
        raise UsageError("nm does not work here; it comes with the compiler (binutils)") from None
    if done.returncode != 0:
        raise UsageError("nm does not work here; it comes with the compiler (binutils)")
    words = (line.split() for line in done.stdout.splitlines())
    return frozenset(w[1].split("@")[0] for w in words if len(w) == 2)


def build(files: Sequence[str | Path], cflags: Sequence[str] = (), compiler: str | None = None) -> ForkingProgram:
    """The executable for these files, in the cache."""
    return _link(_objects_of(files, cflags, compiler), files, cflags, compiler)


def build_if_forks(files: Sequence[str | Path], cflags: Sequence[str], compiler: str | None) -> ForkingProgram | None:
    """The same, if they are a program of processes."""
    objects = _objects_of(files, cflags, compiler)
    return _link(objects, files, cflags, compiler) if _forks(objects) else None


def _objects_of(files: Sequence[str | Path], cflags: Sequence[str], compiler: str | None) -> list[Path]:
    """The object files of a program, compiled one by one."""
    check_platform()
    names = [str(file) for file in files]
    check_files(names)
    return [compile_file(name, split_flags(cflags)[0], find_compiler(compiler)) for name in names]


def _link(
    objects: Sequence[Path], files: Sequence[str | Path], cflags: Sequence[str], compiler: str | None
) -> ForkingProgram:
    chosen = find_compiler(compiler)
    driver = chosen.cxx if any(str(file).endswith(CXX_ENDINGS) for file in files) else chosen.c
    return ForkingProgram(link(driver, objects, split_flags(cflags)[1], _library(chosen)), _undefined(objects))


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
        files = [str(p) for p in sources if p.suffix == ".c"]
        command = [*compiler.c, *FLAGS, *c_header.include(place, header(), RUNTIME), "-shared", "-Wl,-z,now"]
        ours([*command, *files, str(names), "-lm", "-o", str(result)], place)
        return keep(cache_directory(), name, result, ".so")


def _renamed() -> str:
    """The functions that programs of threads call under another name are libc's own here."""
    table = THREADS / "renames.txt"
    pairs = [line.split() for line in table.read_text().splitlines()] if table.exists() else []
    text = ['.section .note.GNU-stack,"",@progbits', ".text"]
    for old, new in (p for p in pairs if len(p) == 2 and p[0] != "main"):
        text.append(f".weak {old}\n.globl {new}\n.type {new}, @function\n{new}: jmp {old}@PLT")  # older libcs lack some
    return "\n".join(text) + "\n"
