"""What the commands write to: the terminal, the line about progress, files."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import UsageError

if TYPE_CHECKING:
    from ..report.ink import Console

HOLDS, VIOLATED, USAGE, INCOMPLETE, INTERNAL = 0, 1, 2, 3, 4


def _console(**how: Any) -> Console:
    from ..report.ink import Console

    return Console(**how)


def console(args: argparse.Namespace) -> Console:
    return _console(no_color=args.no_color or None, width=None if sys.stdout.isatty() else 120)


def error_console(args: argparse.Namespace) -> Console:
    return _console(stderr=True, no_color=args.no_color or None)


def progress_line(
    args: argparse.Namespace, max_states: int | None = None, max_time: float | None = None
) -> ProgressLine | None:
    """A line about a long job, if somebody sits there and reads it."""
    console = error_console(args)
    return ProgressLine(console, max_states, max_time) if console.is_terminal else None


@contextmanager
def passing_line(args: argparse.Namespace) -> Iterator[Callable[[str], None]]:
    """What a long job says about itself, on a line that is gone when it is done."""
    line = progress_line(args)
    try:
        yield (lambda text: None) if line is None else line.say
    finally:
        if line is not None:
            line.clear()


class ProgressLine:
    """One line on a terminal that says how far a job is; how much is left only where a limit or an estimate says so."""

    def __init__(self, console: Console, max_states: int | None = None, max_time: float | None = None) -> None:
        self.console, self.max_states, self.max_time = console, max_states, max_time
        self.shown = False

    def __call__(self, now: Any) -> None:
        if now.doing:
            self.write(f"\r{now.doing} ...")
        elif now.executions is not None:
            expected = "" if now.expected is None else f" of about {now.expected:,.0f}"
            self.write(f"\r{now.executions:,}{expected} executions, {now.transitions:,} transitions{self.share(now)}")
        else:
            rate = now.states / max(now.seconds, 1e-9)
            self.write(
                f"\r{now.states:,} states{self.share(now)}, {now.transitions:,} transitions, depth {now.depth}, "
                f"queue {now.queue:,}, {rate:,.0f} states/s, {now.memory_bytes / 1e6:.0f} MB"
            )

    def share(self, now: Any) -> str:
        """How much of a limit is used up."""
        if self.max_states is not None and now.states:
            return f" ({100 * now.states / self.max_states:.0f} % of --max-states)"
        return f" ({100 * now.seconds / self.max_time:.0f} % of --max-time)" if self.max_time is not None else ""

    def say(self, text: str) -> None:
        self.write(f"\r{text}")

    def write(self, text: str) -> None:
        self.console.file.write(text[: self.console.width] + "\x1b[K")
        self.console.file.flush()
        self.shown = True

    def clear(self) -> None:
        if self.shown:
            self.console.file.write("\r\x1b[K")
            self.console.file.flush()


def write(path: str, text: str | None) -> None:
    try:
        if text is None:
            if Path(path).is_file():  # never a device
                Path(path).unlink()
        else:
            Path(path).write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from None
