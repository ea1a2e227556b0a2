"""Programs with a build of their own: a compiler that also makes, beside each object, its twin under control.

`--build "make ..."` runs the command with compilers in front of the real ones.  Each call does what was asked for, so
that the user's tree is as after any build; in addition every source is compiled for control into the cache, and the
object carries the name of its twin in a section of its own.  The linker joins these sections, also from archives, so
that an executable says which twins it is made of.

SOUND: what is linked and has no twin would run unseen: it is refused.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

from ....core import deadline
from ....core.cache import is_whole, made, workplace
from ....core.errors import IsospinError, UsageError
from ....core.records import dataclass
from .build import cache_directory, compile_file, link, runtime_library, split_flags
from .compilers import C_ENDINGS, CXX_ENDINGS, Compiler, find_compiler, identity

SECTION = ".isospin"
NAMES = ("cc", "gcc", "clang", "c++", "g++", "clang++")
RECORDS, SHIMS, FOR_CC, FOR_CXX = "ISOSPIN_RECORDS", "ISOSPIN_SHIMS", "ISOSPIN_CC", "ISOSPIN_CXX"
WITH_VALUE = {"-I", "-D", "-U", "-include", "-isystem", "-iquote", "-idirafter", "-MF", "-MT", "-MQ", "-x"}
LINK_WITH_VALUE = {"-L", "-l", "-Xlinker", "-u", "-T", "-z"}
# Where a compiler puts what it needs itself.
SYSTEM = re.compile(r"^(/usr|/lib|/lib64|/opt)/|^/.*/(crt\w*|libgcc\w*)\.(o|a)$")


# -------------------------------------------------------------------------------------------------- the whole build


def build_by_command(command: str, wanted: str) -> Path:
    """Run the user's build and link the twins of what it made."""
    records = made(cache_directory() / "builds" / hashlib.sha256(os.getcwd().encode()).hexdigest()[:24])
    _run_build(command, records)
    record = _record_of(records, wanted)
    missing = [twin for twin in record["twins"] if not is_whole(Path(twin))]
    if missing or record["unknown"]:
        parts = ", ".join(record["unknown"]) or "parts of it"
        raise UsageError(
            f"{wanted}: {parts} was not compiled under control; build everything anew, such as --build 'make clean all'"
        )
    compiler = find_compiler()
    library = runtime_library(compiler)
    return link(tuple(record["driver"]), [Path(twin) for twin in record["twins"]], record["flags"], library)


def _run_build(command: str, records: Path) -> None:
    """Run the command of the user with our compilers in front of the real ones."""
    with workplace(Path(tempfile.gettempdir())) as shims:
        for name in NAMES:
            _write_shim(shims / name, name)
        environment = {
            **os.environ, "PATH": f"{shims}{os.pathsep}{os.environ.get('PATH', '')}", RECORDS: str(records),
            SHIMS: str(shims), FOR_CC: os.environ.get("CC", ""), FOR_CXX: os.environ.get("CXX", ""),
            "CC": str(shims / "cc"), "CXX": str(shims / "c++"),
        }  # fmt: skip
        shell = ["/bin/sh", "-c", command]
        done = deadline.run(shell, "building", env=environment, stdout=sys.stderr, stderr=None, stdin=None)
    if done.returncode != 0:
        raise UsageError(f"the build failed: {command} (exit status {done.returncode})")


def _write_shim(path: Path, name: str) -> None:
    """A script with the name of a compiler that calls this module."""
    package = Path(__file__).parents[4]
    module = __name__
    path.write_text(
        f'#!/bin/sh\nPYTHONPATH="{package}${{PYTHONPATH:+:$PYTHONPATH}}" '
        f'exec "{sys.executable}" -m {module} {name} "$@"\n'
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def _record_of(records: Path, wanted: str) -> dict[str, Any]:
    """What is known about the executable, if it is still the one that was linked then."""
    path = Path(os.path.abspath(wanted))
    record = records / f"{_name_in_records(path)}.json"
    if not path.exists() or not record.exists():
        others = sorted(json.loads(p.read_text())["output"] for p in records.glob("*.json"))
        known = f"; these were: {', '.join(os.path.relpath(o) for o in others)}" if others else ""
        raise UsageError(f"{wanted} was not linked by this build{known}")
    found: dict[str, Any] = json.loads(record.read_text())
    if found["content"] != _content(path):
        raise UsageError(f"{wanted} was linked by another build since; build it anew, such as --build 'make clean all'")
    return found


def _name_in_records(path: Path) -> str:
    return hashlib.sha256(str(path).encode()).hexdigest()[:24]


def _content(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


# -------------------------------------------------------------------------------------------------- one call


@dataclass
class _CompilerCall:
    """The words of a call, sorted by what they are."""

    sources: list[str] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)  # objects and archives
    compiling: list[str] = field(default_factory=list)
    linking: list[str] = field(default_factory=list)
    output: str = ""
    does: str = "link"  # or compile; or other: nothing for us


def sorted_words(words: Sequence[str]) -> _CompilerCall:
    """What a call of a compiler asks for."""
    call = _CompilerCall()
    rest = iter(words)
    for word in rest:
        if word in ("-E", "-S", "-M", "-MM", "-fsyntax-only", "--version", "-v", "-dumpmachine", "-dumpversion"):
            call.does = "other"
        elif word == "-c":
            call.does = "compile" if call.does == "link" else call.does
        elif word == "-o" or (word.startswith("-o") and not word.startswith("-o=")):
            call.output = word[2:] or next(rest, "")
        elif word in WITH_VALUE:
            call.compiling += [word, next(rest, "")]
        elif word in LINK_WITH_VALUE:
            call.linking += [word, next(rest, "")]
        elif not word.startswith("-") and word.endswith((*C_ENDINGS, *CXX_ENDINGS)):
            call.sources.append(word)
        elif not word.startswith("-"):
            call.inputs.append(word)
        else:
            compiling, linking = split_flags([word])
            call.compiling += compiling
            call.linking += linking
    return call


def main(words: list[str]) -> int:
    """What runs in place of a compiler: the call itself, and the twin beside it."""
    name, *rest = words
    real = _real_compiler(name)
    call = sorted_words(rest)
    if call.does == "other" or not (call.sources or call.inputs):
        return subprocess.run([*real, *rest], check=False).returncode
    try:
        return _compile_twins(real, rest, call) if call.does == "compile" else _link_twins(real, rest, call)
    except IsospinError as error:
        print(f"isospin: {error}", file=sys.stderr)
        return 1


def _real_compiler(name: str) -> tuple[str, ...]:
    """Behind the shims; what the user had in CC and CXX stands for cc and c++."""
    chosen = os.environ.get(FOR_CC if name == "cc" else FOR_CXX if name == "c++" else "", "")
    paths = [p for p in os.environ.get("PATH", "").split(os.pathsep) if p != os.environ.get(SHIMS)]
    command = (chosen or name).split()
    found = shutil.which(command[0], path=os.pathsep.join(paths))
    if found is None:
        print(f"isospin: there is no compiler {command[0]}", file=sys.stderr)
        raise SystemExit(127)
    return (found, *command[1:])


def _as_compiler(real: tuple[str, ...]) -> Compiler:
    return Compiler(real, real, *identity(real))


def _twin_of(real: tuple[str, ...], source: str, call: _CompilerCall) -> Path:
    """The object of a source that is compiled under control, beside the user's own."""
    return compile_file(source, call.compiling, _as_compiler(real))


def _compile_twins(real: tuple[str, ...], words: list[str], call: _CompilerCall) -> int:
    """Compile as asked, then note in the object which twin belongs to it."""
    done = subprocess.run([*real, *words], check=False)
    for source in call.sources if done.returncode == 0 else ():
        output = call.output or f"{Path(source).stem}.o"
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(f"{_twin_of(real, source, call)}\n")
            file.flush()
            add = ["objcopy", f"--remove-section={SECTION}", f"--add-section={SECTION}={file.name}", output]
            done = subprocess.run(add, check=False)
    return done.returncode


def _link_twins(real: tuple[str, ...], words: list[str], call: _CompilerCall) -> int:
    """The real link says which files it takes; the sections in what it made say which twins these have."""
    done = subprocess.run([*real, *words, "-Wl,-t,-t"], check=False, stdout=subprocess.PIPE, text=True)
    output = Path(os.path.abspath(call.output or "a.out"))
    if done.returncode != 0 or not output.exists():
        return done.returncode
    here = [_twin_of(real, source, call) for source in call.sources]
    there = _twins_in(output)
    lines = [line for line in done.stdout.splitlines() if not SYSTEM.match(line.lstrip("("))]
    libraries = [line for line in lines if re.search(r"\.so[.\d]*$", line)]
    taken = [line for line in lines if _is_object(line)]
    record = {
        "output": str(output), "content": _content(output), "driver": list(real),
        "twins": [str(twin) for twin in (*here, *there)], "flags": [f for f in call.linking if f != "-shared"],
        "unknown": libraries + (taken if len(taken) != len(there) else []),
    }  # fmt: skip
    records = made(Path(os.environ[RECORDS]))
    (records / f"{_name_in_records(output)}.json").write_text(json.dumps(record))
    return 0


def _is_object(line: str) -> bool:
    """An object of the user, alone or in an archive; not one that the compiler made on its way from sources in the
    same call, which has a name in the directory for temporary files."""
    temporary = re.match(rf"{re.escape(tempfile.gettempdir())}/cc\w+\.o$", line)
    return temporary is None and re.search(r"\.a$|\.so[.\d]*$", line) is None


def _twins_in(output: Path) -> list[Path]:
    """The twins that an object or executable names in our section."""
    with tempfile.NamedTemporaryFile("r") as file:
        command = ["objcopy", f"--dump-section={SECTION}={file.name}", str(output), os.devnull]
        subprocess.run(command, check=False, stderr=subprocess.DEVNULL)
        return [Path(line) for line in Path(file.name).read_text().replace("\0", "").splitlines() if line]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
