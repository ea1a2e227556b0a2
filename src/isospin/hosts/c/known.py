"""The answers about code that are known already, beside the files that they are about.

Whoever finds all of them here does not load what reads machine code.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.cache import digest
from ...core.errors import NOWHERE, Location, near_path
from .wire import CodeQuestion

if TYPE_CHECKING:
    from .binary.dwarf import Debug
    from .binary.places import CodeFile


class Known:
    """The answers about one file, in memory and beside the file: it is named by its content and does not change.

    SOUND: each line ends with a digest of itself and of the name: one that is torn, or was not written by us, is none.
    """

    def __init__(self, path: Path, ours: bool) -> None:
        self.path, self.ours = path, ours
        self.store = path.with_name(f"{path.stem}.{_analysis()}.places")
        self.lines: dict[str, str] = {}
        with suppress(OSError):
            for line in self.store.read_text(errors="replace").splitlines():
                text, _, mark = line.rpartition(" ")
                key, colon, answer = text.partition(": ")
                if colon and mark == self.mark(text):
                    self.lines[key] = answer

    def mark(self, text: str) -> str:
        """A seal of a line, so that a damaged one is noticed."""
        return digest(self.store.name, text)[:16]

    @cached_property
    def code(self) -> CodeFile:
        return _code_of(self.path, self.path.stat().st_mtime_ns, self.ours)

    @cached_property
    def debug(self) -> Debug:
        """What the compiler says about the file."""
        return debug_of(self.path)

    def answer(self, kind: str, pc: int, other: int) -> str:
        """The line of numbers that answers a question of the runtime."""
        return self.kept(f"{kind} {pc} {other}", lambda: self.code.answer(kind, pc, other))

    def library(self, path: Path, pc: int, begins: bool) -> str:
        """The same about a point in a library, which may call what it was given; it is known by its age and size."""
        found = path.stat() if path.is_file() else None
        form = digest(str(path), str(found and (found.st_size, found.st_mtime_ns)))[:16]
        return self.kept(f"library {form} {pc} {int(begins)}", lambda: self.read_library(path, pc, begins))

    def read_library(self, path: Path, pc: int, begins: bool) -> str:
        from .binary.places import library_line

        return library_line(self.code, path, pc, begins)

    def function(self, pc: int) -> str:
        """The name of the function that an instruction belongs to; nothing if it belongs to none."""
        return self.kept(f"function {pc}", lambda: getattr(self.debug.function(pc), "name", ""))

    def silent(self, visits: Collection[int] = ()) -> list[tuple[int, bool]]:
        """The accesses of a program that nobody announces: where, and whether they write.

        SOUND: those of a function to its own variables count if others used some of these; `visits` says where the
        function went on then, or 0: it may have been any.
        """
        found = [int(word) for word in self.answer("silent", 0, 0).split()]
        own = [int(word) for word in self.answer("own", 0, 0).split()] if visits else []
        functions = zip(own[::4], own[1::4], own[2::4], own[3::4], strict=True)
        visited = ((pc, w) for pc, w, low, high in functions if 0 in visits or any(low < v <= high for v in visits))
        return [(pc, bool(writes)) for pc, writes in (*zip(found[::2], found[1::2], strict=True), *visited)]

    def own_place(self, pc: int) -> Location:
        """The line of the user's own code that an instruction belongs to."""
        return placed(self.kept(f"line {pc}", lambda: written(self.debug.own_place(pc))))

    def field(self, record: str, name: str) -> tuple[int, int]:
        """Where a field of a struct begins, and how long it is."""
        offset, size = self.kept(f"field {record}.{name}", lambda: self.read_field(record, name)).split()
        return int(offset), int(size)

    def read_field(self, record: str, name: str) -> str:
        found = next(part for part in self.debug.record(record).parts() if part.name == name)
        return f"{found.offset} {found.type.size}"

    def kept(self, key: str, find: Callable[[], str]) -> str:
        """From memory or worked out, and then kept beside the file, with a mark that tells damage."""
        if key not in self.lines:
            self.lines[key] = find()
            with suppress(OSError), self.store.open("a") as file:
                text = f"{key}: {self.lines[key]}"
                file.write(f"{text} {self.mark(text)}\n")
        return self.lines[key]


def written(where: Location) -> str:
    """A place as it can be kept: what its file is called depends on where the user is."""
    file = where.file if where == NOWHERE else os.path.abspath(where.file)
    return json.dumps([file, where.line, where.column, where.length])


def placed(text: str) -> Location:
    """The place that was kept, as somebody calls it who is here."""
    file, *where = json.loads(text)
    return NOWHERE if file == NOWHERE.file else Location(near_path(file), *where)


def debug_of(path: Path) -> Debug:
    """What the compiler says about a file, for whoever needs it: to load it takes longer than most checks."""
    return _debug_of(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=4)
def _debug_of(path: Path, changed: int) -> Debug:
    from .binary.dwarf import Debug

    return Debug(path)


@lru_cache(maxsize=4)
def _code_of(path: Path, changed: int, ours: bool) -> CodeFile:
    from .binary.places import CodeFile

    return CodeFile(path, ours)


@cache
def _analysis() -> str:
    """What the answers depend on besides the file: the code here."""
    here = Path(__file__).parent / "binary"
    names = (
        "blocks", "calls", "carriers", "dwarf", "execution", "frame", "libraries", "liveness", "machine", "places",
        "reach", "numbered_code", "residual", "rules", "silent", "targets", "values", "variables", "walks",
    )  # fmt: skip
    beside = ("../constants", "../known", "../telling/names", "../telling/reasons")
    return digest(*((here / f"{name}.py").read_bytes() for name in (*beside, *names)))[:8]


class Places:
    """Both files: the user's program, and our runtime."""

    def __init__(self, executable: Path, runtime: Path) -> None:
        self.executable, self.runtime = Known(executable, False), Known(runtime, True)

    def answer(self, question: CodeQuestion) -> str:
        """The line for a question."""
        _, pc, other, begins, base, library = question
        if library:
            return self.executable.library(Path(library), pc - base, begins)
        known = self.runtime if base else self.executable
        return known.answer("begins" if begins else question.kind, pc - base, other - base if other else 0)
