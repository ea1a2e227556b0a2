"""What the command is to the system that runs it: standard streams that may be closed or full, and signals."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

MEANINGS = ("holds", "violated", "usage or source error", "incomplete", "an error of isospin itself")
ASKS_TO_END = (signal.SIGTERM, signal.SIGHUP)


class _Stream(io.TextIOWrapper):
    """A standard stream that never fails: what cannot be written is dropped, and `problem` says why.

    A reader that went away (`| head -1`) is no problem: it has what it wanted.
    """

    problem = ""

    def write(self, text: str) -> int:
        try:
            return super().write(text)
        except OSError as error:
            self.give_up(error)
            return len(text)

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            self.give_up(error)

    def give_up(self, error: OSError) -> None:
        if not isinstance(error, BrokenPipeError):
            self.problem = self.problem or str(error.strerror)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, self.fileno())  # what is still in the buffers goes there
        os.close(null)


def opened(standard: IO[Any] | None) -> _Stream:
    """The stream in our hands; characters that it cannot encode are written as escapes."""
    if isinstance(standard, io.TextIOWrapper):
        standard.flush()
        return _Stream(standard.buffer, standard.encoding, "backslashreplace", line_buffering=standard.line_buffering)
    stream = _Stream(open(os.devnull, "wb"), "utf-8", "backslashreplace")  # noqa: SIM115
    stream.problem = "it is closed"
    return stream


@contextmanager
def streams() -> Iterator[_Stream]:
    """Standard output and error that do not fail, for the rest of the process; the output is given."""
    for number in range(3):  # a file that is opened later must not become standard output by its number
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdout, sys.stderr = out, err = opened(sys.stdout), opened(sys.stderr)
    try:
        yield out
    finally:
        out.flush()
        err.flush()


def ended(out: _Stream, status: int) -> int:
    """Say it if nobody could read the answer: the exit status is still that of the verdict."""
    out.flush()
    if out.problem:
        known = MEANINGS[status] if status < len(MEANINGS) else "unknown"
        print(f"isospin: standard output cannot be written: {out.problem}; exit status {status}: {known}",
              file=sys.stderr)  # fmt: skip
    return status


def ignore_signals() -> None:
    """The answer is given, and the exit status is decided: nobody can change it on the way out."""
    for number in (signal.SIGINT, *ASKS_TO_END):
        with suppress(ValueError):  # not in the main thread
            signal.signal(number, signal.SIG_IGN)


def listen_to_signals() -> None:
    """SIGTERM and SIGHUP end a search as Ctrl-C does: what it has is saved and told.

    What was ignored when we were started stays so (`nohup`, jobs in the background of a script).
    """
    for number in ASKS_TO_END:
        with suppress(ValueError):  # not in the main thread
            if signal.getsignal(number) == signal.SIG_DFL:
                signal.signal(number, signal.default_int_handler)
