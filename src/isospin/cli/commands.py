"""The other commands, a function each."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import pipeline
from ..core.deadline import stretch
from ..core.errors import InternalError, UsageError, shown
from ..core.files import read_text
from ..pipeline.kind_options import from_command, refuse
from ..pipeline.kinds import InputKind, kind_of, kind_of_trace
from ..pipeline.settings import Options
from ..version import __version__
from .screen import HOLDS, INCOMPLETE, INTERNAL, VIOLATED, ProgressLine, console, error_console, passing_line

if TYPE_CHECKING:

    from ..core.model import Model
    from ..core.verdict import Symmetry
    from ..pipeline import UserRun

__all__ = [
    "run_audit", "run_completion", "run_doctor", "run_explore", "run_paper", "run_replay", "run_symmetry",
]  # fmt: skip


def loaded(args: argparse.Namespace) -> Model:
    include = tuple(args.include)
    return pipeline.load(Path(args.file), tuple(args.defines), processes=args.processes, include=include)


def run_symmetry(args: argparse.Namespace) -> int:
    """Say which processes or threads can change places."""
    from ..report.document import symmetry_document
    from ..report.terminal import show_symmetry

    with passing_line(args) as say:
        say("looking for symmetries ...")
        report, generators, written = _symmetry_of(args)
    if args.json:
        document = {**symmetry_document(report), "generators": generators}
        print(json.dumps({"schema": 1, "version": __version__, "file": args.file, "symmetry": document}, indent=1))
    else:
        show_symmetry(console(args), report, written)
    return HOLDS


def _symmetry_of(args: argparse.Namespace) -> tuple[Symmetry, list[Any], list[str]]:
    """What is found, with the generators as data and as text; those of a program are text."""
    kind = kind_of(args.file, args.build)
    if kind.is_program:
        find = kind.on_road("find_symmetry")
        if find is None:
            raise UsageError(f"isospin symmetry is not for {kind.title}; `isospin check` says what it found")
        report, texts = find([args.file, *args.more], from_command(kind, vars(args)))
        return report, list(texts), list(texts)
    refuse(kind, vars(args))
    found = pipeline.symmetry(loaded(args), "full")  # as `check` does it
    generators = found.symmetries.generators
    return found.report, [list(g) for g in generators], [found.symmetries.written(g) for g in generators]


def run_explore(args: argparse.Namespace) -> int:
    from ..explorer.start import explore

    out = console(args)

    def say(line: str) -> None:
        out.print(line, soft_wrap=True)

    explore(args.file, args.trace, tuple(args.defines), args.processes, path=args.path, port=args.port or 0,
            include=tuple(args.include), browser=not args.no_browser, version=__version__, say=say)  # fmt: skip
    return HOLDS


def run_audit(args: argparse.Namespace) -> int:
    """Searches with reductions against one without; that they do not agree is an error of ours."""
    kind = kind_of(args.file, args.build)
    if kind.is_program:
        return _audit_program(args, kind)
    refuse(kind, vars(args))
    names = ("symmetry", "main_array", "optimise", "max_states")
    options = Options(**{name: value for name in names if (value := getattr(args, name)) is not None})
    model = loaded(args)
    with passing_line(args) as say:
        reduction, found = pipeline.audit(model, options, say)
    out = console(args)
    sums = "" if found.orbit_sum is None else f", standing for {found.orbit_sum:,}"
    out.print(f"unreduced: {found.states:,} states, {', '.join(found.kinds) or 'nothing found'}")
    strategy = reduction.strategy.name
    out.print(f"{strategy}: {found.reduced_states:,} states{sums}, {', '.join(found.reduced_kinds) or 'nothing found'}")
    for problem in found.problems:
        out.print(f"disagreement: {problem}", style="bold red")
    if found.problems:
        raise InternalError("the reduced run does not agree with the unreduced one")
    out.print("they agree" if found.complete else "not completed: nothing can be concluded")
    return HOLDS if found.complete else INCOMPLETE


def _audit_program(args: argparse.Namespace, kind: InputKind) -> int:
    """Every search of a program against the one that leaves nothing out."""
    options = from_command(kind, vars(args))
    with passing_line(args) as say:
        found = kind.on_road("audit_program")([args.file, *args.more], options, say)
    out = console(args)
    for line in (*found.lines(), found.coverage()):
        out.print(line, soft_wrap=True)
    for problem in found.problems:
        out.print(f"disagreement: {problem}", style="bold red")
    if found.problems:
        raise InternalError("searches of the same program do not agree")
    out.print("they agree" if found.complete else "not completed: nothing can be concluded about what was cut")
    return HOLDS if found.complete else INCOMPLETE


def run_replay(args: argparse.Namespace) -> int:
    """A trace that isospin saved, or a trail of SPIN."""
    from ..report.document import read_choices, read_document

    try:
        text = read_text(args.trace)
        if pipeline.is_spin_trail(text):
            model = loaded(args)
            with stretch("replaying the trail"):
                run = pipeline.replay_spin_trail(model, text)
            return _show_run(args, run)
        document = read_document(text)
        choices, statements, start, said = read_choices(document)
    except json.JSONDecodeError:
        message = f"{shown(args.trace)} is neither a trace that isospin saved nor a trail of SPIN"
        raise UsageError(message) from None
    except ValueError as error:
        raise UsageError(f"{shown(args.trace)}: {error}") from None
    kind = kind_of_trace(args.file, document)
    if args.gdb or args.pdb:
        debug = kind.on_road("debug_trace" if args.gdb else "debug_in_python")
        if debug is None:
            raise UsageError("--gdb is for C programs" if args.gdb else "--pdb is for Python programs")
        return int(debug(args.file, document, choices))
    if kind.is_program:
        return _show_run(args, kind.on_road("replay_trace")(args.file, document, choices))
    defines = tuple(args.defines) or tuple(document.get("defines", ()))
    processes = args.processes or document.get("processes")
    model = pipeline.load(Path(args.file), defines, processes=processes, include=tuple(args.include))
    return _show_run(args, pipeline.replay(model, choices, statements, start, said, document.get("start")))


def _show_run(args: argparse.Namespace, run: UserRun) -> int:
    from ..report.terminal import show_trace

    out = console(args)
    show_trace(out, run.trace)
    out.print(run.ending, soft_wrap=True)
    return VIOLATED if run.violation else HOLDS


def run_paper(args: argparse.Namespace) -> int:
    from ..experiments import command

    out, status = console(args), error_console(args)
    if not args.tables:
        command.listed(out)
        return HOLDS
    page = args.out or ("paper.html" if args.tables == ["all"] else None)
    asked = command.PaperRequest(tuple(args.tables), args.full, args.max_time, args.csv, args.plots, page, args.save)
    progress = ProgressLine(status) if status.is_terminal else None
    return command.run(asked, out, None if progress is None else progress.write, __version__)


def run_doctor(args: argparse.Namespace) -> int:
    from ..doctor import examined, works
    from ..report.terminal import show_findings

    found = examined()
    if args.json:
        document = {"schema": 1, "version": __version__, "works": works(found), "checks": [f._asdict() for f in found]}
        print(json.dumps(document, indent=1))
    else:
        show_findings(console(args), found)
    return HOLDS if works(found) else INTERNAL


def run_completion(args: argparse.Namespace) -> int:
    from ..completion import script
    from .arguments import parser

    print(script(parser(), args.shell))
    return HOLDS
