"""`isospin simulate`: one run of a model or a program, at random, or step by step, forwards and back."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

from .. import pipeline
from ..core.deadline import TimeIsOver, stretch
from ..core.errors import UsageError, shown
from ..core.files import read_text
from ..core.trace import Choice, TraceStep
from ..core.walk import Crossroads, Walker
from ..pipeline.kind_options import from_command, refuse
from ..pipeline.kinds import kind_of
from ..version import __version__
from .commands import loaded
from .screen import HOLDS, INCOMPLETE, VIOLATED, console, passing_line, write

if TYPE_CHECKING:
    from ..report.ink import Console

__all__ = ["run_simulate"]

INTERRUPTED = "interrupted"
NO_STEP = -1  # the choice of a row that is no step of its own


def run_simulate(args: argparse.Namespace) -> int:
    """A random run, or one that somebody makes; it begins with a saved one, if there is one."""
    from ..report.terminal import show_trace

    saved = _read_saved(args.begin) if args.begin else {}
    path = _steps([Choice(*step["choice"]) for step in saved.get("trace", ())])
    seed = int.from_bytes(os.urandom(3), "big") if args.seed is None else args.seed
    with passing_line(args) as say:
        walker, chance = _walker(args, seed, saved, say)
        try:
            if args.interactive:
                found = _Guide(walker, console(args), args.steps).walk(path)
            else:
                found = walker.random(path, chance, args.steps)
        finally:
            walker.close()
    out = console(args)
    show_trace(out, found.trace)
    out.print(found.ending + ("" if args.interactive else f" (--seed {seed})"), soft_wrap=True)
    for line in found.failure.details if found.failure is not None else ():
        out.print(f"  {line}", soft_wrap=True)
    if args.trace is not None:
        _save(args, found)
    return VIOLATED if found.failure is not None else INCOMPLETE if found.cut else HOLDS


def _walker(args: argparse.Namespace, seed: int, saved: dict[str, Any], say: Any) -> tuple[Walker, Random]:
    """Who makes the run, and the chance by which it goes."""
    kind = kind_of(args.file, args.build)
    if args.more and not kind.several:
        raise UsageError("several files are for C programs")
    if kind.is_program:
        say("preparing the program ...")
        walk = kind.on_road("walk_through")
        if walk is None:
            raise UsageError(f"isospin simulate is not for {kind.title}")
        return walk([args.file, *args.more], from_command(kind, vars(args))), Random(seed)
    refuse(kind, {name: value for name, value in vars(args).items() if name != "trace"})
    walker = pipeline.ModelWalker(loaded(args), seed, saved.get("start"), say)
    return walker, walker.chance


def _read_saved(path: str) -> dict[str, Any]:
    from ..report.document import read_document

    try:
        return read_document(read_text(path))
    except json.JSONDecodeError:
        raise UsageError(f"{shown(path)} is not a trace that isospin saved") from None
    except ValueError as error:
        raise UsageError(f"{shown(path)}: {error}") from None


def _save(args: argparse.Namespace, found: Crossroads) -> None:
    from ..report.document import trace_document

    write(args.trace, json.dumps(trace_document(found.saved(), args.file, tuple(args.defines), __version__), indent=1))


def _steps(choices: Sequence[Choice]) -> list[Choice]:
    return [choice for choice in choices if choice.action != NO_STEP]


class _Guide:
    """Asks for each step, until somebody has enough."""

    def __init__(self, walker: Walker, out: Console, most: int) -> None:
        self.walker, self.out, self.most = walker, out, most

    def walk(self, path: list[Choice]) -> Crossroads:
        """Forwards and back; every place is reached from the start."""
        told = 0
        here = self.walker.at(path)
        try:
            while True:
                for row in here.trace.steps[told:]:
                    self.say(f"     {_described(row)}")
                told = len(here.trace.steps)
                ended = here.ending or (f"stopped after {self.most} steps" if len(path) >= self.most else "")
                answer = self.ask(here, ended, bool(path))
                if answer == "":
                    return _ended(here, ended or "stopped")
                if answer == "b":
                    path = path[:-1]
                    self.say("     back" if path else "     back at the start")
                else:
                    path = [*path, here.options[int(answer) - 1].choice]
                here = self.walker.at(path)
                told = len(here.trace.steps) if answer == "b" else told
        except KeyboardInterrupt:
            return _ended(here, INTERRUPTED, cut=True)
        except TimeIsOver as over:
            return _ended(here, str(over), cut=True)

    def ask(self, here: Crossroads, ended: str, can_go_back: bool) -> str:
        """The number of a step, b for back, nothing to stop."""
        if ended:
            self.say(ended)
        else:
            for number, row in enumerate(here.options, 1):
                self.say(f"{number:3}  {_described(row)}")
            for line in here.waiting:
                self.say(f"  -  {line}")
        count = 0 if ended else len(here.options)
        words = [f"1-{count}"] if count else []
        words += ["b to go back"] if can_go_back else []
        while True:
            answer = _read_answer(f"step ({', '.join([*words, 'q to stop'])}): ")
            if answer is None:
                return ""
            if answer in ("q", "quit") or (answer == "" and not count):
                return ""
            if answer in ("b", "back") and can_go_back:
                return "b"
            if answer == "" and count == 1:
                return "1"
            if answer.isdecimal() and 1 <= int(answer) <= count:
                return answer

    def say(self, line: str) -> None:
        self.out.print(line, soft_wrap=True)


def _read_answer(prompt: str) -> str | None:
    """What somebody types, or what stands in a file or a pipe, which is shown then; None at its end."""
    try:
        with stretch("waiting for an answer"):
            answer = input(prompt).strip()
    except EOFError:
        print()
        return None
    if sys.stdin is None or not sys.stdin.isatty():
        print(answer)
    return answer


def _ended(here: Crossroads, ending: str, cut: bool = False) -> Crossroads:
    return replace(here, ending=here.ending or ending, cut=here.cut or cut)


def _described(row: TraceStep) -> str:
    from ..report.terminal import change_text

    changes = f"   {text}" if (text := change_text(row)) else ""
    partner = f" with {row.partner_process} {row.partner}" if row.partner is not None else ""
    line = f"{row.location.line}: " if row.location.line else ""
    return f"{row.process} {row.pid}{partner}  {line}{row.statement}{changes}"
