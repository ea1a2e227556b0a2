"""`isospin swarm`: many small searches that differ, on whatever executor there is."""

from __future__ import annotations

import argparse
import os
import signal
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import fields
from importlib import import_module
from typing import TYPE_CHECKING

from ..core.errors import UsageError
from ..pipeline.kind_options import from_command, options_of
from ..pipeline.kinds import InputKind, kind_of
from .check import answered
from .screen import console, progress_line

if TYPE_CHECKING:
    from ..pipeline.swarm import SwarmReport

__all__ = ["run_swarm"]

OF_THE_SWARM = ("max_time", "workers")  # which mean something else in one search
WORKERS = "a number, mpi, or MODULE:NAME of an executor of concurrent.futures, or of a function that makes one"
MOST_SHOWN = 5  # statements


def run_swarm(args: argparse.Namespace) -> int:
    """Search in many ways at once, and tell what was seen and what was not."""
    from ..pipeline.swarm import swarm

    kind = kind_of(args.file, args.build)
    files = [os.path.abspath(file) for file in (args.file, *args.more)]
    executor, workers = _executor(args.workers)
    line = None if args.json or args.quiet else progress_line(args, max_time=args.time)

    def tell(report: SwarmReport) -> None:
        if line is not None:
            line.say(f"{report.searches} searches, {report.seconds:.0f} of {args.time:.0f} s, "
                     f"{len(report.violations)} violations")  # fmt: skip

    try:
        report = swarm(kind, files, _given(kind, args), args.time, executor, workers, args.searches, tell)
    finally:
        _close(executor)
    status = answered(args, report.verdict(args.file), line)
    if not args.json and not args.quiet:
        for text in _coverage(report, workers):
            console(args).print(text, soft_wrap=True)
    return status


def _given(kind: InputKind, args: argparse.Namespace) -> dict[str, object]:
    """The options that all searches have in common."""
    given = {name: value for name, value in vars(args).items() if name not in OF_THE_SWARM}
    options = from_command(kind, given)
    names = [f.name for f in fields(options_of(kind)) if given.get(f.name) not in (None, [], False)]
    return {name: getattr(options, name) for name in names}


def _executor(text: str) -> tuple[Executor, int]:
    """Where the searches run, and how many at a time."""
    if text.isdigit() and int(text):
        return ProcessPoolExecutor(int(text), initializer=_leave_interrupts), int(text)
    if text == "mpi":
        try:
            from mpi4py.futures import MPIPoolExecutor  # type: ignore[import-not-found,unused-ignore]
        except ImportError:
            raise UsageError("--workers mpi needs mpi4py: pip install mpi4py") from None
        made: Executor = MPIPoolExecutor()
    else:
        made = _found_executor(text)
    known = getattr(made, "num_workers", None) or getattr(made, "_max_workers", None)
    return made, int(known or os.cpu_count() or 1)


def _found_executor(text: str) -> Executor:
    module, _, name = text.partition(":")
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(f"--workers {text}: {error}; expected {WORKERS}") from None
    made = found() if callable(found) else found
    if not hasattr(made, "submit"):
        raise UsageError(f"--workers {text}: that is no executor; expected {WORKERS}")
    executor: Executor = made
    return executor


def _close(executor: Executor) -> None:
    """Without waiting; not every executor knows how to leave out what has not begun (Dask's does not)."""
    try:
        executor.shutdown(wait=False, cancel_futures=True)
    except TypeError:
        executor.shutdown(wait=False)


def _leave_interrupts() -> None:
    """Ctrl-C is for the command, which ends its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _coverage(report: SwarmReport, workers: int) -> Iterator[str]:
    """What was seen, and what was not, as far as it is known."""
    if report.failed:
        yield f"{report.failed} searches did not come back: {report.why_failed}"
    yield f"{report.searches} searches, {workers} at a time, {report.cpu_seconds:.0f} s of CPU time"
    seen, unseen = report.estimate
    if report.searches > 1 and seen:
        what = "classes of executions" if report.is_program else "states"
        yield f"about {seen:,.0f} different {what} were seen; at least about {unseen:,.0f} more were not (an estimate)"
    if report.unreached is not None:
        yield from _unreached(report)


def _unreached(report: SwarmReport) -> Iterator[str]:
    never = sorted(report.unreached or (), key=lambda u: (u.location.file, u.location.line))
    if not never:
        yield "every statement was executed"
        return
    yield f"{len(never)} statements were executed by none of the searches:"
    for one in never[:MOST_SHOWN]:
        yield f"  {one.location}: {one.statement}"
    if len(never) > MOST_SHOWN:
        yield f"  and {len(never) - MOST_SHOWN} more"
