"""`isospin check`: which pipeline a file goes through, and where its verdict goes."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..core.deadline import TimeIsOver, stretch
from ..core.errors import SourceError, UsageError
from ..core.verdict import Verdict, unfinished
from .screen import ProgressLine, console, progress_line, write

if TYPE_CHECKING:
    from ..core.model import Model

OF_MODELS = (
    "engine", "ltl", "fair", "non_progress", "bitstate", "fingerprint", "checkpoint", "resume", "permutation",
    "defines", "include", "processes", "spin_trail", "heap_dot", "max_states", "max_memory", "leaks", "main_array",
)  # fmt: skip
C_ENDINGS = (".c", ".cc", ".cpp", ".cxx", ".c++", ".C")
GRACE = 1.0  # seconds for a report, where the time is over
OF_C = ("more", "cflags", "build", "memory", "fork", "spurious", "reuse", "time_outs", "max_step")


def run_check(args: argparse.Namespace) -> int:
    progress = None if args.json or args.quiet else progress_line(args, args.max_states, args.max_time)
    try:
        verdict, model = checked(args, progress)
    except (TimeIsOver, KeyboardInterrupt) as cut:
        verdict, model = unfinished(args.file, str(cut) or "interrupted"), None
    return answered(args, verdict, progress, model)


def checked(args: argparse.Namespace, progress: ProgressLine | None) -> tuple[Verdict, Model | None]:
    """The verdict, and the model that it is about, if it is about one."""
    if is_c_program(args):
        return check_c_program(args, progress), None
    for name in OF_C:
        if getattr(args, name) not in (None, "", "auto", False, []):
            given = "several files are" if name == "more" else f"--{name.replace('_', '-')} is"
            raise UsageError(f"{given} for C programs (.c .cc .cpp)")
    if args.spin_trail is not None and Path(args.file).suffix == ".ptr":
        raise UsageError("--spin-trail: SPIN does not read pointer automata; --trace saves the counterexample")
    return (check_program(args, progress), None) if is_program(args.file) else _check_model(args, progress)


def _check_model(args: argparse.Namespace, progress: ProgressLine | None) -> tuple[Verdict, Model]:
    from .. import pipeline

    options = pipeline.Options(
        engine=args.engine, search=args.search, symmetry=args.symmetry, main_array=args.main_array,
        heap_symmetry=args.heap_symmetry, por=args.por, direction=args.direction, bdd=args.bdd,
        optimise=args.optimise,
        all_errors=args.all_errors, no_deadlock=args.no_deadlock, no_claim=args.no_claim, ltl=args.ltl, fair=args.fair,
        non_progress=args.non_progress, max_states=args.max_states,
        max_depth=args.max_depth, max_time=args.max_time, max_memory=args.max_memory,
        max_objects=args.max_objects, max_recursion=args.max_recursion, leaks=args.leaks, threads=args.threads,
        bitstate=args.bitstate, fingerprint=args.fingerprint, checkpoint=args.checkpoint,
        checkpoint_interval=args.checkpoint_interval, resume=args.resume, permutation=args.permutation,
        max_executions=args.max_executions, max_preemptions=args.max_preemptions, seed=args.seed,
        defines=tuple(args.defines), include=tuple(args.include), processes=args.processes, progress=progress,
    )  # fmt: skip
    model = pipeline.load(Path(args.file), options.defines, options.ltl, options.processes, options.include)
    return pipeline.check(model, options), model


def answered(
    args: argparse.Namespace, verdict: Verdict, progress: ProgressLine | None, model: Model | None = None
) -> int:
    """Tell the verdict.  SOUND: a report that cannot be made is told as well, and changes nothing else."""
    if progress is not None:
        progress.clear()
    if args.html is not None:
        made(args.html, lambda: _save_page(args, verdict, model))
    for path, save in traces(args, verdict):
        made(path, save)
    save_reports(args, verdict)
    _show(args, verdict, _active_variables(args, model))
    return verdict.outcome.exit_status


def made(path: str, make: Callable[[], None]) -> None:
    """Make a report, with a little time even where none is left."""
    try:
        with stretch(f"writing {path}", grace=GRACE):
            return make()
    except UsageError as error:
        problem = str(error)
    except TimeIsOver as over:
        problem = str(over)
    except KeyboardInterrupt:
        problem = f"interrupted while writing {path}"
    except Exception as error:
        problem = f"cannot write {path}: internal error: {type(error).__name__}: {error}"
    print(f"isospin: {problem}", file=sys.stderr)


def _active_variables(args: argparse.Namespace, model: Model | None) -> list[tuple[str, str, str]]:
    from .. import pipeline

    found: list[tuple[str, str, str]] = []
    if model is not None and args.show_active:
        made("the active variables", lambda: found.extend(pipeline.active(model)))
    return found


def is_program(file: str) -> bool:
    return file.endswith(".py")


def is_c_program(args: argparse.Namespace) -> bool:
    return args.file.endswith(C_ENDINGS) or bool(getattr(args, "build", None))


PERMUTATION_IN_PYTHON = """; write it into the program, which alone knows what belongs to which thread:
  isospin.permutation(threads, objects, kind="swap")   # or "rotate"; one more list for each kind of object"""


def _refuse_options_of_models(args: argparse.Namespace, names: tuple[str, ...], programs: str) -> None:
    for name in names:
        given = getattr(args, name, None)
        if given not in (None, False, [], "auto", "stateless"):
            option = "-D" if name == "defines" else "-N" if name == "processes" else f"--{name.replace('_', '-')}"
            hint = PERMUTATION_IN_PYTHON if (name, programs) == ("permutation", "Python") else ""
            raise UsageError(f"{option} is for models, not for {programs} programs{hint}")


def check_c_program(args: argparse.Namespace, progress: Any) -> Verdict:
    from ..pipeline import c_programs

    also_c = ("defines", "leaks", "permutation")
    _refuse_options_of_models(args, tuple(name for name in OF_MODELS if name not in also_c), "C")
    cflags = (*shlex.split(args.cflags), *(f"-D{define}" for define in args.defines))
    options = c_programs.CProgramOptions(
        search=args.search, symmetry=args.symmetry, all_errors=args.all_errors,
        no_deadlock=args.no_deadlock, memory=args.memory, races=args.races is not False, leaks=args.leaks,
        fork=args.fork, spurious=args.spurious, reuse=args.reuse, time_outs=args.time_outs, max_depth=args.max_depth,
        max_time=args.max_time,
        max_executions=args.max_executions, max_preemptions=args.max_preemptions, max_step=args.max_step,
        seed=args.seed, permutation=args.permutation, cflags=cflags,
        build=args.build, arguments=tuple(args.arguments), progress=progress,
    )  # fmt: skip
    return c_programs.check_c_program([args.file, *args.more], options)


def check_program(args: argparse.Namespace, progress: Any) -> Verdict:
    from ..pipeline import programs

    _refuse_options_of_models(args, OF_MODELS, "Python")
    options = programs.ProgramOptions(
        search=args.search, symmetry=args.symmetry, all_errors=args.all_errors,
        no_deadlock=args.no_deadlock, races=bool(args.races), max_depth=args.max_depth, max_time=args.max_time,
        max_executions=args.max_executions, max_preemptions=args.max_preemptions, seed=args.seed,
        arguments=tuple(args.arguments), progress=progress,
    )  # fmt: skip
    return programs.check_program(args.file, options)


def _show(args: argparse.Namespace, verdict: Verdict, active: list[tuple[str, str, str]]) -> None:
    if args.json:
        from ..report.document import verdict_document

        document = verdict_document(verdict, __version__)
        if args.show_active:
            document["active"] = [{"process": p, "variable": v, "modes": modes} for p, v, modes in active]
        print(json.dumps(document, indent=1))
    else:
        from ..report.terminal import show_active, show_verdict

        if args.show_active:
            show_active(console(args), active)

        show_verdict(console(args), verdict, args.quiet, args.verbose)


def _save_page(args: argparse.Namespace, verdict: Verdict, model: Model | None = None) -> None:
    """Save the report; of a model with all that can be seen in the states of its counterexamples."""
    from .. import pipeline
    from ..report.html import MOST_STEPS, MOST_VIOLATIONS, page

    shown = verdict.violations[:MOST_VIOLATIONS]
    scenes = [] if model is None else [pipeline.scenes(model, v.trace, MOST_STEPS) for v in shown]
    write(args.html, page(verdict, __version__, scenes))


def traces(args: argparse.Namespace, verdict: Verdict) -> Iterator[tuple[str, Callable[[], None]]]:
    """Where the first counterexample goes, and how; where there is none, an old file must not be mistaken for one."""
    from ..report.document import spin_trail, trace_document
    from ..report.dot import heap_dot

    found = verdict.violations[0] if verdict.violations else None

    def document() -> str | None:
        if found is None:
            return None
        content = trace_document(found, verdict.file, tuple(args.defines), __version__)
        if args.processes is not None:
            content["processes"] = args.processes
        return json.dumps(content, indent=1) + "\n"

    def picture() -> str | None:
        return heap_dot(found.trace) if found else None

    def trail() -> str | None:
        return spin_trail(found.trace) if found else None

    for path, text in ((args.trace, document), (args.heap_dot, picture), (args.spin_trail, trail)):
        if path is not None:
            yield path, partial(lambda path, text: write(path, text()), path, text)


def save_reports(args: argparse.Namespace, found: Verdict | SourceError) -> None:
    """What other programs read: SARIF, JUnit, notes for GitHub; of mistakes in the source, too."""
    from ..report.github import notes
    from ..report.junit import junit_text
    from ..report.sarif import sarif_document

    if (sarif := getattr(args, "sarif", None)) is not None:
        made(sarif, lambda: write(sarif, json.dumps(sarif_document(found, __version__), indent=1) + "\n"))
    if (junit := getattr(args, "junit", None)) is not None:
        made(junit, lambda: write(junit, junit_text(found, args.file)))
    if getattr(args, "annotations", None) is not None:
        for line in notes(found, args.file):
            print(line, file=sys.stderr if args.json else sys.stdout)  # --json keeps standard output for itself
