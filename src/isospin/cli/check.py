"""`isospin check`: which pipeline a file goes through, and where its verdict goes."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import pipeline
from ..core.deadline import TimeIsOver, stretch
from ..core.errors import SourceError, UsageError
from ..core.verdict import Verdict, unfinished
from ..pipeline.kind_options import from_command
from ..pipeline.kinds import KINDS, kind_of
from ..version import __version__
from .screen import ProgressLine, console, progress_line, write

if TYPE_CHECKING:
    from ..core.model import Model

__all__ = ["run_check", "save_reports"]

GRACE = 1.0  # seconds for a report, where the time is over


def run_check(args: argparse.Namespace) -> int:
    progress = None if args.json or args.quiet else progress_line(args, args.max_states, args.max_time)
    try:
        verdict, model = checked(args, progress)
    except (TimeIsOver, KeyboardInterrupt) as cut:
        verdict, model = unfinished(args.file, str(cut) or "interrupted"), None
    return answered(args, verdict, progress, model)


def checked(args: argparse.Namespace, progress: ProgressLine | None) -> tuple[Verdict, Model | None]:
    """The verdict, and the model that it is about, if it is about one."""
    kind = kind_of(args.file, args.build)
    if args.more and not kind.several:
        takers = (k.described for k in KINDS.values() if k.several and k.endings)
        raise UsageError(f"{args.file} cannot be checked together with files of {' and '.join(takers)}")
    options = from_command(kind, {**vars(args), "progress": progress})
    if kind.is_program:
        return kind.on_road("check_files")([args.file, *args.more], options), None
    model = _load_model(args, options)
    return pipeline.check(model, options), model


def _load_model(args: argparse.Namespace, options: Any) -> Model:
    given = options.defines, options.ltl, options.processes, options.include, options.claim
    return pipeline.load(Path(args.file), *given)


def answered(
    args: argparse.Namespace, verdict: Verdict, progress: ProgressLine | None, model: Model | None = None
) -> int:
    """Tell the verdict.  SOUND: a report that cannot be made is told as well, and changes nothing else."""
    if progress is not None:
        progress.clear()
    saved = []
    if args.html is not None and made(args.html, lambda: _save_page(args, verdict, model)):
        saved.append(args.html)
    for path, save in _traces(args, verdict, model):
        if made(path, save) and verdict.violations:
            saved.append(path)
    saved += save_reports(args, verdict)
    _show(args, verdict, _active_variables(args, model))
    _tell_saved(args, saved)
    return verdict.outcome.exit_status


def _tell_saved(args: argparse.Namespace, saved: list[str]) -> None:
    if args.json or args.quiet:
        return
    for path in saved:
        what = f"; isospin replay {args.file} {path} steps through it" if path == args.trace else ""
        console(args).print(f"saved {path}{what}", style="dim", soft_wrap=True)


def made(path: str, make: Callable[[], None]) -> bool:
    """Make a report, with a little time even where none is left.  Was it made?"""
    try:
        with stretch(f"writing {path}", grace=GRACE):
            make()
        return True
    except UsageError as error:
        problem = str(error)
    except TimeIsOver as over:
        problem = str(over)
    except KeyboardInterrupt:
        problem = f"interrupted while writing {path}"
    except Exception as error:
        problem = f"cannot write {path}: internal error: {type(error).__name__}: {error}"
    print(f"isospin: {problem}", file=sys.stderr)
    return False


def _active_variables(args: argparse.Namespace, model: Model | None) -> list[tuple[str, str, str]]:
    found: list[tuple[str, str, str]] = []
    if model is not None and args.show_active:
        made("the active variables", lambda: found.extend(pipeline.active(model)))
    return found


def _show(args: argparse.Namespace, verdict: Verdict, active: list[tuple[str, str, str]]) -> None:
    """Tell the verdict on standard output: for people, or as JSON."""
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
    from ..report.html import MOST_STEPS, MOST_VIOLATIONS, page

    shown = verdict.violations[:MOST_VIOLATIONS]
    views = [] if model is None else [pipeline.run_view(model, v, MOST_STEPS) for v in shown]
    write(args.html, page(verdict, __version__, views))


def _traces(
    args: argparse.Namespace, verdict: Verdict, model: Model | None
) -> Iterator[tuple[str, Callable[[], None]]]:
    """Where the first counterexample goes, and how; where there is none, an old file must not be mistaken for one."""
    found = verdict.violations[0] if verdict.violations else None

    def document() -> str | None:
        from ..report.document import trace_document

        if found is None:
            return None
        content = trace_document(found, verdict.file, tuple(args.defines), __version__)
        if args.processes is not None:
            content["processes"] = args.processes
        return json.dumps(content, indent=1) + "\n"

    def picture() -> str | None:
        from ..report.dot import heap_dot

        return heap_dot(found.trace) if found else None

    def trail() -> str | None:
        from ..report.document import spin_trail

        return spin_trail(found.trace) if found else None

    def itf() -> str | None:
        from ..report.itf import itf_document

        if found is None or model is None:
            return None
        seen = pipeline.snapshots(model, found.trace)
        return json.dumps(itf_document(found, seen, verdict.file, __version__), indent=1) + "\n"

    for path, text in ((args.trace, document), (args.heap_dot, picture), (args.spin_trail, trail), (args.itf, itf)):
        if path is not None:
            yield path, partial(lambda path, text: write(path, text()), path, text)


def save_reports(args: argparse.Namespace, found: Verdict | SourceError) -> list[str]:
    """What other programs read, of mistakes in the source, too; the files that were written."""
    saved = []
    if (sarif := getattr(args, "sarif", None)) is not None:
        from ..report.sarif import sarif_document

        document = partial(sarif_document, found, __version__)
        saved += [sarif] * made(sarif, lambda: write(sarif, json.dumps(document(), indent=1) + "\n"))
    if (junit := getattr(args, "junit", None)) is not None:
        from ..report.junit import junit_text

        saved += [junit] * made(junit, lambda: write(junit, junit_text(found, args.file)))
    if (summary := getattr(args, "markdown", None)) is not None:
        from ..report.markdown import markdown_text

        saved += [summary] * made(summary, lambda: write(summary, markdown_text(found, args.file)))
    if getattr(args, "annotations", None) is not None:
        from ..report.github import notes

        for line in notes(found, args.file):
            print(line, file=sys.stderr if args.json else sys.stdout)  # --json keeps standard output for itself
    return saved
