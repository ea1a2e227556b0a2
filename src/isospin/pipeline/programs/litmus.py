"""Litmus tests: each becomes a C program, which goes the road of C programs.

`check_files` looks for the final state that a test asks for, and has a run that leads there; `explore_states` collects
all final states, as `isospin litmus` shows them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...core.cache import temporary_directory
from ...core.errors import UsageError
from ...core.files import read_text
from ...core.records import dataclass
from ...core.trace import Choice, UserRun
from ...core.verdict import Outcome, Symmetry, Verdict, Violation
from ...front.litmus.conditions import holds_in
from ...front.litmus.load import read_test
from ...front.litmus.program import ASKED, state_of, write_program
from ...front.litmus.test import LitmusTest
from ..settings import CProgramOptions
from . import audit, c, walk

__all__ = [
    "LitmusAnswer", "audit_program", "check_files", "debug_trace", "explore_states", "find_symmetry", "replay_trace",
    "walk_through",
]  # fmt: skip


@dataclass(frozen=True)
class LitmusAnswer:
    """The final states of a test, each with its executions, and what they say about the condition."""

    test: LitmusTest
    verdict: Verdict
    states: tuple[tuple[dict[str, int], int], ...]

    @property
    def positive(self) -> int:
        """Executions in whose final state the condition holds."""
        return sum(count for state, count in self.states if holds_in(self.test.condition, state))

    @property
    def negative(self) -> int:
        return sum(count for _, count in self.states) - self.positive

    @property
    def is_complete(self) -> bool:
        return self.verdict.outcome is Outcome.HOLDS

    @property
    def is_ok(self) -> bool | None:
        """Is it as the test says?  None: nobody knows, since something was left out, or the program is broken."""
        if self.verdict.violations:
            return None
        sure = {"exists": self.positive > 0, "~exists": self.positive > 0, "forall": self.negative > 0}
        if not self.is_complete and not sure[self.test.quantifier]:
            return None
        return (self.positive > 0) if self.test.quantifier == "exists" else not sure[self.test.quantifier]


# -------------------------------------------------------------------------------------------------- the program


def _read(files: Sequence[str | Path]) -> LitmusTest:
    if len(files) != 1:
        raise UsageError("a litmus test is one file; `isospin litmus` takes several, each by itself")
    name = str(files[0])
    return read_test(read_text(name), name)


def _write(test: LitmusTest) -> str:
    """The C program of a test, in a file of its own."""
    path = temporary_directory() / f"{Path(test.file).stem}.litmus.c"
    path.write_text(write_program(test), encoding="utf-8", errors="surrogateescape")
    return str(path)


def _asking(options: CProgramOptions) -> CProgramOptions:
    """A final state that is asked for is a failure.  Registers have names, so threads are not alike."""
    chosen = "none" if options.symmetry == "auto" else options.symmetry
    return replace(options, cflags=(*options.cflags, f"-D{ASKED}"), symmetry=chosen)


# -------------------------------------------------------------------------------------------------- the roads


def check_files(files: Sequence[str | Path], options: CProgramOptions) -> Verdict:
    """Is a final state reached that the test asks for (`exists`, `~exists`), or one that it excludes (`forall`)?"""
    test = _read(files)
    verdict = c.check_files([_write(test)], _asking(options))
    violations = tuple(_marked(violation) for violation in verdict.violations)
    return replace(verdict, file=test.file, violations=violations)


def _marked(violation: Violation) -> Violation:
    """Its trace knows that it is of a litmus test, whose program is made again to run it."""
    host = {**(violation.trace.host or {}), "litmus": True, "files": []}
    return replace(violation, trace=replace(violation.trace, host=host))


def explore_states(file: str | Path, options: CProgramOptions) -> LitmusAnswer:
    """All final states."""
    test = _read([file])
    chosen = "none" if options.symmetry == "auto" else options.symmetry
    verdict = c.check_files([_write(test)], replace(options, symmetry=chosen))
    states = tuple((state_of(text), count) for text, count in verdict.outcomes)
    return LitmusAnswer(test, replace(verdict, file=test.file), states)


def replay_trace(path: str, document: dict[str, Any], choices: Sequence[Choice]) -> UserRun:
    return c.replay_trace(*_again(path, document), choices)


def debug_trace(path: str, document: dict[str, Any], choices: Sequence[Choice]) -> int:
    return c.debug_trace(*_again(path, document), choices)


def _again(path: str, document: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The program that a saved trace is about, made again."""
    program = _write(_read([path]))
    return program, {**document, "host": {**document["host"], "files": [os.path.basename(program)]}}


def walk_through(files: Sequence[str | Path], options: CProgramOptions) -> walk.ProgramWalker:
    return c.walk_through([_write(_read(files))], _asking(options))


def audit_program(
    files: Sequence[str | Path], options: CProgramOptions, say: audit.Say = lambda text: None
) -> audit.ProgramAudit:
    return c.audit_program([_write(_read(files))], _asking(options), say)


def find_symmetry(files: Sequence[str | Path], options: CProgramOptions) -> tuple[Symmetry, tuple[str, ...]]:
    return c.find_symmetry([_write(_read(files))], options)
