"""The kinds of input: what each is recognised by, and which module knows what to do with it.

A kind is one line in `KINDS`, and nothing of it is imported before a file of it is there.  To add one:

- a kind of model: a front end with `read_model(text, file, **options) -> Model`, whose options are named in `reads`;
- a kind of program: a module with `check_files(files, options) -> Verdict` and
  `replay_trace(file, document, choices) -> UserRun`.

Everything else that decides by the kind of a file asks here.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from ..core.errors import UsageError, shown

_PACKAGE = __name__.partition(".")[0]


class InputKind(NamedTuple):
    """A kind of input.  Modules are named below the package, and imported when they are asked for something."""

    name: str
    title: str  # of many of them, in messages
    endings: tuple[str, ...]  # of files; none: found among those of another kind by looking into them
    options: str = "Options"  # the class in settings.py: what can be asked about it
    road: str = "pipeline.models.check"  # has `check_files` and, of a program, `replay_trace`
    front: str = ""  # of a model: has `read_model`
    reads: tuple[str, ...] = ()  # the options that the front end reads
    several: bool = False  # files that make up one program
    mark: str = ""  # a key in what its saved traces know about their host, where the name of the file says nothing

    @property
    def is_program(self) -> bool:
        """Is it run, instead of read?"""
        return not self.front

    @property
    def described(self) -> str:
        return f"{self.title} ({' '.join(self.endings)})" if self.endings else self.title

    def on_road(self, what: str) -> Any:
        """A function of its road; None if the road does not have it."""
        return getattr(import_module(f"{_PACKAGE}.{self.road}"), what, None)

    def read_model(self, text: str, file: str, options: dict[str, Any]) -> Any:
        """The model in a text, with those options that its front end reads."""
        read = import_module(f"{_PACKAGE}.{self.front}").read_model
        return read(text, file, **{name: options[name] for name in self.reads})


# fmt: off
KINDS: dict[str, InputKind] = {kind.name: kind for kind in (
    InputKind("promela", "Promela models", (".pml", ".prom", ".promela", ".p"), front="front.promela.load",
         reads=("defines", "include", "ltl")),
    InputKind("pointer", "pointer automata", (".ptr",), front="front.pointer.load", reads=("defines", "processes")),
    InputKind("python", "Python programs", (".py",), "ProgramOptions", "pipeline.programs.python"),
    InputKind("c", "C programs", (".c", ".cc", ".cpp", ".cxx", ".c++", ".C"), "CProgramOptions", "pipeline.programs.c",
         several=True, mark="cflags"),
    InputKind("processes", "C programs that fork", (), "ProcessOptions", "pipeline.programs.processes",  # found by `c`
         several=True, mark="processes"),
    InputKind("litmus", "litmus tests", (".litmus",), "CProgramOptions", "pipeline.programs.litmus", mark="litmus"),
)}
# fmt: on


def kind_of(source: str | Path, build: str | None = None) -> InputKind:
    """The kind of a file, or of a text: anything with a line break or a brace in it is Promela.

    What a command of the user's builds is a C program, whatever its name.
    """
    if build:
        return KINDS["c"]
    if is_text(source):
        return KINDS["promela"]
    for kind in KINDS.values():
        if kind.endings and os.path.basename(source).endswith(kind.endings):
            return kind
    known = [f"{kind.title} in {' '.join(kind.endings)}" for kind in KINDS.values() if kind.endings]
    raise UsageError(f"{shown(str(source))}: unknown kind of file; {', '.join(known).replace(' in ', ' end in ', 1)}")


def kind_of_trace(file: str, document: dict[str, Any]) -> InputKind:
    """The kind of the file that a saved trace is about."""
    host = document.get("host") or {}
    marked = [kind for kind in KINDS.values() if kind.mark and kind.mark in host]
    return marked[-1] if marked else kind_of(file)


def is_text(source: str | Path) -> bool:
    """The text of a model, not the name of a file?"""
    return isinstance(source, str) and ("\n" in source or "{" in source)


def is_program(file: str) -> bool:
    """Is it a program, which is run?  Files of no known kind are none."""
    return file.endswith(endings(programs=True))


def endings(programs: bool) -> tuple[str, ...]:
    """Of the files of all programs, or of all models."""
    return tuple(e for kind in KINDS.values() if kind.is_program is programs for e in kind.endings)
