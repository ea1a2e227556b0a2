"""Compiling, and remembering what was compiled.

The runtime is compiled once for each compiler, the generated file once for each model.  Results are kept by content in
the user's cache directory, and the oldest are removed when there are too many.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from ....core import c_header
from ....core.cache import ask, cache_root, compile_all_in, digest, keep, kept, made, workplace
from ....core.depth import LEVELS
from ....core.errors import InternalError, UsageError
from ..constants import header
from .mpi import Mpi

RUNTIME = Path(__file__).parent.parent / "runtime"
SOURCES = (
    "core/main.c", "core/report.c", "core/spill.c", "core/store.c", "search/checkpoint.c", "search/parallel.c",
    "search/path.c", "table/grow.c", "table/inexact.c", "table/squeeze.c",
)  # fmt: skip
CLUSTER_SOURCES = ("cluster/findings.c", "cluster/leftovers.c", "cluster/ranks.c", "cluster/saved.c")
FLAGS = ("-std=gnu11", "-fwrapv", "-fno-strict-aliasing", "-w", "-pthread")


class NoCompiler(UsageError):
    """There is no C compiler on this machine."""

    def __init__(self, tried: str) -> None:
        super().__init__(
            f"there is no C compiler here (tried {tried}): install gcc or clang, or `pip install isospin[compiler]`, "
            "or set CC; small models can be checked with --engine interp"
        )


def compiler() -> tuple[str, ...]:
    """The command of the C compiler: CC, or the system's, or the one from PyPI."""
    chosen = os.environ.get("CC")
    if chosen:
        command = tuple(shlex.split(chosen))
        if not command or shutil.which(command[0]) is None:
            raise NoCompiler(f"CC={chosen}")
        return command
    for name in ("cc", "gcc", "clang"):
        if shutil.which(name):
            return (name,)
    try:
        import ziglang  # type: ignore[import-not-found]  # noqa: F401
    except ImportError:
        raise NoCompiler("cc, gcc, clang") from None
    return (sys.executable, "-m", "ziglang", "cc")


@cache
def _version(command: tuple[str, ...]) -> str:
    said = ask(command, "--version")
    if not said:
        raise InternalError(f"{' '.join(command)} --version failed")
    return said.split("\n", 1)[0]


def compiler_version() -> str:
    """Of the compiler that would be used."""
    return _version(compiler())


@cache
def machine_flags() -> tuple[str, ...]:
    """What this system can do and others cannot (nothing is known without /proc); part of the name in the cache."""
    try:
        features = Path("/proc/cpuinfo").read_text(errors="replace").split()
    except OSError:
        return ()
    fixed = ("-fno-pie", "-no-pie")  # addresses known when linking: a tenth faster
    return (*fixed, *(f"-m{name}" for name in ("bmi2", "avx2", "popcnt") if name in features))


def cache_directory() -> Path:
    return cache_root() / "explicit"


def _run(commands: Sequence[list[str]], place: Path) -> None:
    for done in compile_all_in(place, commands):
        if done.returncode != 0:
            raise InternalError(f"{' '.join(done.args)} failed:\n{done.stderr[-4000:]}")


@cache
def runtime_text() -> bytes:
    """All of the runtime: what a compiled checker depends on besides its own text."""
    files = (p.name.encode() + p.read_bytes() for p in sorted(RUNTIME.rglob("*")) if p.suffix in (".c", ".h"))
    return b"".join([header().encode(), *files])


def includes(place: Path) -> tuple[str, ...]:
    """Where the headers of the runtime are; the generated one is written into a directory of the caller's."""
    return c_header.include(place, header(), RUNTIME)


def checker(
    source: str, optimisation: str = "-O2", extra: tuple[str, ...] = (), directory: Path | None = None,
    mpi: Mpi | None = None,
) -> Path:  # fmt: skip
    """The executable for a generated file, in the cache if no directory is given; with `mpi` a program of that MPI."""
    command, flags, identity = _way(optimisation, extra if mpi is None else (*extra, "-DCLUSTER=1", *mpi.flags))
    directory = directory or cache_directory()
    key = digest(source, *identity)
    if (program := kept(directory, key)) is not None:
        return program
    sources = SOURCES if mpi is None else (*SOURCES, *CLUSTER_SOURCES)
    archive = _runtime_object(made(directory), command, flags, sources, digest("runtime", *identity))
    with workplace(directory) as place:
        text, result = place / "model.c", place / "checker"
        text.write_text(source)
        libraries = () if mpi is None else mpi.libraries
        _run([[*command, *flags, *includes(place), str(text), str(archive), *libraries, "-o", str(result)]], place)
        return keep(directory, key, result)


def is_known(source: str, optimisation: str, extra: tuple[str, ...] = ()) -> bool:
    """Is the executable in the cache?"""
    try:
        return kept(cache_directory(), digest(source, *_way(optimisation, extra)[2])) is not None
    except (OSError, RuntimeError):  # no cache: who compiles will say so
        return False


def _way(optimisation: str, extra: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str | bytes, ...]]:
    """The compiler, its flags, and what a result depends on besides its source."""
    command = compiler()
    # clang has a limit of its own for what stands inside each other; ours counts
    deep = (f"-fbracket-depth={8 * LEVELS}",) if "clang" in _version(command) else ()
    flags = (*FLAGS, *machine_flags(), *deep, optimisation, *extra)
    return command, flags, (" ".join(command), _version(command), " ".join(flags), runtime_text())


def _runtime_object(
    directory: Path, command: tuple[str, ...], flags: tuple[str, ...], sources: tuple[str, ...], key: str
) -> Path:
    """The runtime as one object file."""
    if (known := kept(directory, key, ".o")) is not None:
        return known
    with workplace(directory) as place:
        parts = [str(place / f"{Path(source).name}.o") for source in sources]
        compiling = [*command, *flags, *includes(place), "-c"]
        _run([[*compiling, str(RUNTIME / file), "-o", part] for file, part in zip(sources, parts, strict=True)], place)
        result = place / "runtime.o"
        _run([[*command, "-r", "-nostdlib", *parts, "-o", str(result)]], place)
        return keep(directory, key, result, ".o")
