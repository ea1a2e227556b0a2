"""From C and C++ files to an executable under control.

The user's files are compiled with the calls of the thread sanitizer, `main` is renamed, and everything is linked
against our own runtime instead of the sanitizer's.  Results are kept by content in the user's cache directory: the
runtime and its parts once for each compiler, an object once for each preprocessed text.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ....core import c_header
from ....core.cache import cache_root, compile_all_in, compile_in, digest, keep, kept, made, usable, workplace
from ....core.deadline import Ended
from ....core.errors import Diagnostic, InternalError, Location, SourceError, UsageError
from ..constants import header
from . import overlooked
from .compilers import C_ENDINGS, CXX_ENDINGS, HERE, INCLUDE, Compiler, find_compiler, runtime_compiler

RUNTIME = HERE / "runtime"
RUNTIME_FLAGS = (
    "-std=gnu11", "-O2", "-g", "-fPIC", "-fvisibility=hidden", "-fno-stack-protector", "-fno-omit-frame-pointer",
    "-fno-builtin", "-fno-tree-loop-distribute-patterns",  # or our memcpy becomes a call of itself
    "-fexceptions",  # those of the program pass through callbacks
    # SOUND: the user's values stay in these registers while a thread is parked, and are found there.
    "-ffixed-rbx", "-ffixed-r12", "-ffixed-r13", "-ffixed-r14", "-ffixed-r15",
    "-Wall", "-Wextra",
)  # fmt: skip
# Names are bound before the program runs: a lazy binding would write memory in the middle of an execution.  Fixed
# addresses: those of the debugging information are those of the run.
LINK = ("-no-pie", "-pthread", "-Wl,-z,now", "-Wl,-z,noexecstack", "-rdynamic")
SYSTEM = ("-lm", "-ldl", "-lrt")
USER_MAIN = "isospin_user_main"
OUTPUT_WITH_VALUE = ("-o", "-MF", "-MT", "-MQ")
OUTPUT = re.compile(
    r"-o.*|-[cESPC]|-CC|-d[A-Z]|-M([MDPG]|MD|[FTQ].*)?|-fsyntax-only|--?save-temps.*"
    r"|-pg?|--?coverage|-fprofile-arcs|-ftest-coverage"  # what counts and measures as it runs
)
NO_ROOM = re.compile(r"No space left on device|File too large|File size limit exceeded|Disk quota exceeded")
RENAMES = "renames.txt"
SOURCES = (".c", ".S")  # of the runtime; everything else is part of all of them
LINKED_MEMBER = re.compile(r"\((.*\.a)\)")  # and then its name
COMPILERS_OWN = re.compile(r"(^|/)(\w*crt\w*\.o$|libgcc\w*\.a|libc_nonshared\.a|libpthread_nonshared\.a)")


class Compiled(NamedTuple):
    """The objects of a program, and with what they are linked."""

    objects: tuple[Path, ...]
    compiler: Compiler
    driver: tuple[str, ...]
    linking: tuple[str, ...]


def build(files: Sequence[str | Path], cflags: Sequence[str] = (), compiler: str | None = None) -> Path:
    """The executable for these files, in the cache; `compiler` is a command for C such as gcc or clang-16."""
    return link_threads(compile_files(files, cflags, compiler))[0]


def compile_files(files: Sequence[str | Path], cflags: Sequence[str], compiler: str | None) -> Compiled:
    """The objects of these files, in the cache."""
    check_platform()
    names = [str(file) for file in files]
    check_files(names)
    chosen = find_compiler(compiler)
    compiling, linking = split_flags(with_files(cflags))
    objects = tuple(compile_file(name, compiling, chosen) for name in names)
    driver = chosen.cxx if any(name.endswith(CXX_ENDINGS) for name in names) else chosen.c
    return Compiled(objects, chosen, driver, linking)


def link_threads(program: Compiled) -> tuple[Path, Path]:
    """The executable of a program of threads, and the runtime that it is linked with."""
    library = runtime_library(program.compiler)
    return link(program.driver, program.objects, program.linking, library), library


def check_platform() -> None:
    system, machine = os.uname().sysname, os.uname().machine
    if system != "Linux" or machine not in ("x86_64", "AMD64"):
        raise UsageError(f"C programs are checked on x86-64 Linux only; this is {machine} {system}")


def check_files(names: Sequence[str]) -> None:
    """Complain about what is missing or no C file, before a compiler does."""
    if not names:
        raise UsageError("there is no C file to compile")
    for name in names:
        if not name.endswith((*C_ENDINGS, *CXX_ENDINGS)):
            raise UsageError(f"{name} is not a C or C++ file; those end in {' '.join((*C_ENDINGS, *CXX_ENDINGS))}")
        try:
            open(name, "rb").close()
        except OSError as error:
            raise UsageError(f"cannot read {name}: {error.strerror}") from None


# -------------------------------------------------------------------------------------------------- the steps


def split_flags(cflags: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What is for the compiler, and what only the linker understands."""
    compiling: list[str] = []
    linking: list[str] = []
    rest = iter(cflags)
    for flag in rest:
        if flag in ("-L", "-l", "-Xlinker"):
            linking += [flag, next(rest, "")]
        elif re.match(r"-l|-L|-Wl,|[^-].*\.(a|o|so)$", flag):
            linking.append(flag)
        else:
            compiling.append(flag)
    return tuple(compiling), tuple(linking)


def with_files(flags: Sequence[str]) -> list[str]:
    """With what is in files of flags (`@FILE`).  SOUND: an object is known by its flags, so they have to be seen."""
    found: list[str] = []
    for flag in flags:
        file = Path(flag[1:])
        found += with_files(shlex.split(file.read_text())) if flag[:1] == "@" and file.is_file() else [flag]
    return found


def without_output(flags: Sequence[str]) -> tuple[str, ...]:
    """All but what says what is to be made and measured, and where: that is ours to say.

    SOUND: an object is known by what the preprocessor prints; with `-o` it prints nothing, with `-dM` something else.
    """
    kept_flags: list[str] = []
    rest = iter(flags)
    for flag in rest:
        if flag in OUTPUT_WITH_VALUE:
            next(rest, None)
        elif not OUTPUT.fullmatch(flag):
            kept_flags.append(flag)
    return tuple(kept_flags)


def cache_directory() -> Path:
    return usable(cache_root() / "c")[0]


def cache_note() -> str:
    """What the user should know about the cache, if anything."""
    return usable(cache_root() / "c")[1]


def includes(place: Path) -> tuple[str, ...]:
    """Where the headers of the runtime are; the generated one is written into a directory of the caller's."""
    return c_header.include(place, header(), RUNTIME)


@cache
def _runtime_text() -> bytes:
    return _text_of(RUNTIME.rglob("*"))


def _text_of(files: Iterable[Path]) -> bytes:
    return b"".join(p.name.encode() + p.read_bytes() for p in sorted(files) if p.is_file())


def runtime_library(compiler: Compiler) -> Path:
    """Our runtime as a shared library."""
    compiler = runtime_compiler(compiler)
    name = digest("runtime", " ".join(compiler.c), compiler.version, " ".join(RUNTIME_FLAGS), _runtime_text(), header())
    if (known := kept(cache_directory(), name, ".so")) is not None:
        return known
    with workplace(made(cache_directory())) as place:
        parts = _runtime_parts(compiler, place)
        library = place / "runtime.so"
        linking = [*compiler.c, "-shared", "-Wl,-z,now", "-Wl,-z,noexecstack"]
        ours([*linking, *map(str, parts), "-lm", "-ldl", "-o", str(library)], place)
        return keep(cache_directory(), name, library, ".so")


def _runtime_parts(compiler: Compiler, place: Path) -> list[Path]:
    """The objects of the runtime.  Each is kept as soon as it is there: a run whose time is over leaves the next one
    something, and whoever changes one file compiles one."""
    directory = made(cache_directory() / "parts")
    sources = {_part_name(compiler, source): source for source in _runtime_sources()}
    found = {name: kept(directory, name, ".o") for name in sources}
    missing = [name for name, path in found.items() if path is None]
    command = [*compiler.c, *RUNTIME_FLAGS, f"-I{INCLUDE}", *includes(place), "-c"]

    def keep_part(number: int, ended: Ended) -> None:
        name = missing[number]
        if ended.returncode == 0:
            found[name] = keep(directory, name, place / name, ".o")

    ours_all([[*command, str(sources[name]), "-o", str(place / name)] for name in missing], place, keep_part)
    return [path for path in found.values() if path is not None]


def _runtime_sources() -> list[Path]:
    return sorted(p for p in RUNTIME.rglob("*") if p.suffix in SOURCES)


@cache
def _runtime_headers() -> bytes:
    return _text_of(p for p in RUNTIME.rglob("*") if p.suffix not in SOURCES)


def _part_name(compiler: Compiler, source: Path) -> str:
    """SOUND: any header may be in any part."""
    made_by = " ".join(compiler.c), compiler.version, " ".join(RUNTIME_FLAGS)
    return digest("part", *made_by, str(source.relative_to(RUNTIME)), source.read_bytes(), _runtime_headers(), header())


def compile_file(file: str, flags: Sequence[str], compiler: Compiler) -> Path:
    """The object of one file; known by the text behind the preprocessor, so that a changed header counts."""
    command = [*compiler.command(file), *without_output(flags), *compiler.control(file), f"-isystem{INCLUDE}"]
    with workplace(made(cache_directory())) as place:
        text, remarks = _users([*command, "-E", file], place)
        _protect(flags, remarks)
        key = digest(text, " ".join(command), compiler.version, os.getcwd(), file, _renames(), _changes(compiler))
        if (known := kept(cache_directory(), key, ".o")) is not None:
            return known
        part, names = place / "part.o", place / RENAMES
        if compiler.clang:
            _compile_by_clang(command, file, part)
        else:
            _users([*command, "-c", file, "-o", str(part)], place)
        names.write_text(_renames())
        ours(["objcopy", f"--redefine-syms={names}", str(part)], place)
        return keep(cache_directory(), key, part, ".o")


def _compile_by_clang(command: Sequence[str], file: str, part: Path) -> None:
    """SOUND: it would not announce all accesses, if it were not stopped half way and its module changed."""
    module = part.with_suffix(".ll")
    _users([*command, *overlooked.MAKE, file, "-o", str(module)], part.parent)
    module.write_bytes(overlooked.announced(module.read_bytes().decode("latin-1")).encode("latin-1"))
    _users([*command, *overlooked.GO_ON, str(module), "-o", str(part)], part.parent)


def _changes(compiler: Compiler) -> bytes:
    """What is done to clang's modules."""
    return Path(overlooked.__file__).read_bytes() if compiler.clang else b""


def _renames() -> str:
    """What has another name in the user's objects: `main`, and functions of libc that no library may take from us."""
    path = RUNTIME / RENAMES
    others = [line for line in path.read_text().splitlines() if line.split()[:1] != ["main"]] if path.exists() else []
    return "".join(f"{line}\n" for line in [f"main {USER_MAIN}", *others])


def link(driver: tuple[str, ...], objects: Sequence[Path], flags: Sequence[str], library: Path) -> Path:
    """The executable.  Ours stands before every other library: the first one that has a name gives its meaning."""
    names = [str(path) for path in objects]
    key = digest("program, all seen", " ".join(driver), " ".join(flags), str(library), *names)
    if (known := kept(cache_directory(), key)) is not None:
        return known
    with workplace(made(cache_directory())) as place:
        program = place / "program"
        before = ["-Wl,--no-as-needed", str(library), "-Wl,--as-needed"]
        command = [*driver, *LINK, *names, *before, *flags, *SYSTEM, "-Wl,-t,-t", "-o", str(program)]
        _refuse_unseen(_users(command, place)[0], names)
        return keep(cache_directory(), key, program)


def _refuse_unseen(taken: str, ours: Sequence[str]) -> None:
    """SOUND: what is linked into the program and was not compiled for control would run unseen; `taken` is what the
    linker says, a file or a member of an archive a line."""
    lines = [line for line in taken.splitlines() if line.endswith((".o", ".o)")) or LINKED_MEMBER.match(line)]
    unseen = [line for line in lines if line not in ours and not COMPILERS_OWN.search(line)]
    if unseen:
        name = os.path.relpath(found[1]) if (found := LINKED_MEMBER.match(unseen[0])) else unseen[0]
        hint = "name its source files instead, or link it as a shared library, whose calls are announced"
        raise UsageError(f"{name} was not compiled under control, so that nothing in it would be seen: {hint}")


# -------------------------------------------------------------------------------------------------- running compilers


def _with_room(done: subprocess.CompletedProcess[str]) -> subprocess.CompletedProcess[str]:
    """What a compiler said; that there is no room is told as the user's problem, not as an error in the program."""
    if done.returncode != 0 and (found := NO_ROOM.search(done.stderr)):
        raise UsageError(f"the program cannot be built: {found[0]} (df and ulimit -f say how much room there is)")
    return done


def ours(command: list[str], place: Path) -> None:
    """A command that fails only by our fault."""
    ours_all([command], place)


def ours_all(commands: Sequence[list[str]], place: Path, tell: Callable[[int, Ended], None] | None = None) -> None:
    """The same with several of them, side by side; `tell` hears of each when it ends."""
    try:
        ended = compile_all_in(place, commands, tell)
    except FileNotFoundError:
        raise UsageError(f"{commands[0][0]} is not installed; it comes with the compiler (binutils)") from None
    for done in map(_with_room, ended):
        if done.returncode != 0:
            raise InternalError(f"{' '.join(done.args)} failed:\n{done.stderr[-4000:]}")


def _users(command: list[str], place: Path) -> tuple[str, str]:
    """A command that fails if the user's program is wrong; its output, and what it remarks."""
    try:
        done = _with_room(compile_in(place, command))
    except FileNotFoundError:
        raise UsageError(f"there is no compiler {command[0]!r} here; set CC and CXX") from None
    if done.returncode != 0:
        raise complaint(done.stderr)
    return done.stdout, done.stderr


def _protect(flags: Sequence[str], remarks: str) -> None:
    """SOUND: a `#define` that silently takes the place of a `-D` gives a verdict about another program."""
    given = {flag[2:].partition("=")[0]: flag[2:] for flag in flags if flag.startswith("-D")}
    for file, line, column, name in REDEFINED.findall(remarks):
        if name in given:
            hint = f"write #ifndef {name} before and #endif after it, or leave the -D out"
            message = f"-D {given[name]} has no effect: the program defines it here"
            raise SourceError.at(Location(file, int(line), int(column or 1), len(name)), message, hint)


REDEFINED = re.compile(
    r"""^([^\s:][^:\n]*):(\d+):(?:(\d+):)? warning: ["'](\w+)["'] (?:macro )?redefined""", re.MULTILINE
)
COMPILER_SAYS = re.compile(r"^([^\s:][^:\n]*):(\d+):(\d+): (?:fatal )?error: (.*)$", re.MULTILINE)
LINKER_SAYS = re.compile(r"(?:^|[\s:])([^\s:]+):(\d+): ((?:undefined reference|multiple definition).*)$", re.MULTILINE)


def complaint(text: str) -> SourceError | UsageError:
    """What the compiler says, in its own words, at the place that it names."""
    found = [Diagnostic(Location(f, int(line), int(column)), m) for f, line, column, m in COMPILER_SAYS.findall(text)]
    found += [Diagnostic(Location(f, int(line), 1), _readable(m)) for f, line, m in LINKER_SAYS.findall(text)]
    if found:
        return SourceError(found)
    if f"undefined reference to `{USER_MAIN}'" in text:
        return UsageError("these files have no function main: name all files of the program")
    return UsageError(f"the program cannot be built:\n{_readable(text[-4000:]).strip()}")


def _readable(text: str) -> str:
    return text.replace(USER_MAIN, "main")
