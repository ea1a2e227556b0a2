"""The command `isospin`: arguments -> pipeline -> report; exit status.

0 holds; 1 violated; 2 usage or source error; 3 no violation found, but incomplete; 4 an error of ours.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import traceback
from importlib import import_module
from pathlib import Path

from ..core.deadline import TimeIsOver, within
from ..core.errors import InternalError, SourceError, UsageError, visible
from ..version import __version__
from . import process
from .arguments import joined, parser
from .screen import INCOMPLETE, INTERNAL, USAGE, error_console

__all__ = ["main", "parser"]

TRACEBACK = "ISOSPIN_TRACEBACK"  # a variable of the environment
MOST_CHARACTERS = 300  # of what an exception says about itself


def main(arguments: list[str] | None = None) -> int:
    """Without arguments this is the process: its streams and signals are ours."""
    if arguments is not None:
        return command(arguments)
    with process.streams() as out:
        try:
            process.listen_to_signals()
            status = command(sys.argv[1:])
        except SystemExit as end:  # of the parser of arguments
            status = end.code if isinstance(end.code, int) else 0
        except KeyboardInterrupt:  # before it began, or while it was being told how it ended
            status = INCOMPLETE
        process.ignore_signals()
        return process.ended(out, status)


def command(given: list[str]) -> int:
    ours, rest = (given[: given.index("--")], given[given.index("--") + 1 :]) if "--" in given else (given, [])
    if not given:
        parser().print_help()
        return USAGE
    args = parser(given[0]).parse_args(joined(ours))
    args.arguments = rest
    if not getattr(args, "watch", False):
        return _run(args)
    from .watch import watch

    return watch(args, _run)


def _run(args: argparse.Namespace) -> int:
    """Run a command, and tell what went wrong."""
    try:
        if args.command == "check" and args.more:
            from .each import check_each, is_several

            if is_several(args):
                return check_each(args, _run)
        with within(getattr(args, "max_time", None) if args.command != "paper" else None):  # there, it is for each run
            module, _, name = args.run.partition(".")
            return int(getattr(import_module(f".{module}", __name__), name)(args))
    except TimeIsOver as over:
        return failed(args, str(over), INCOMPLETE)
    except SourceError as error:
        return _source_error(args, error)
    except UsageError as error:
        return failed(args, str(error), USAGE)
    except KeyboardInterrupt:
        return failed(args, "interrupted", INCOMPLETE)
    except Exception as error:
        return _crashed(args, error)


def _source_error(args: argparse.Namespace, error: SourceError) -> int:
    from ..report.terminal import show_source_error
    from .check import save_reports

    if getattr(args, "json", False):
        problems = [{"location": str(d.location), "message": d.message, "hint": d.hint} for d in error.diagnostics]
        print(json.dumps({"schema": 1, "version": __version__, "outcome": None, "errors": problems}, indent=1))
    show_source_error(error_console(args), error)
    save_reports(args, error)
    return USAGE


def failed(args: argparse.Namespace, message: str, status: int) -> int:
    if getattr(args, "json", False):
        document = {"schema": 1, "version": __version__, "outcome": None, "errors": [{"message": message}]}
        print(json.dumps(document, indent=1))
    print(f"isospin: {visible(message)}", file=sys.stderr)
    return status


def _crashed(args: argparse.Namespace, error: Exception) -> int:
    """A bug of ours, or a limit of the machine: one line, and no verdict."""
    if os.environ.get(TRACEBACK) or getattr(args, "verbose", False):
        traceback.print_exception(error, file=sys.stderr)
    how = f"{TRACEBACK}=1 shows the traceback"
    if isinstance(error, MemoryError):
        return failed(args, f"the memory is used up; nothing was decided ({how})", INTERNAL)
    if isinstance(error, RecursionError):
        return failed(args, f"internal error: something is nested too deeply for us ({how})", INTERNAL)
    if isinstance(error, InternalError):
        return failed(args, f"internal error: {error}\nThis is a bug in isospin; please report it.", INTERNAL)
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return failed(args, f"internal error: {text[:MOST_CHARACTERS]} ({place(error)}); this is a bug in isospin; "
                        f"please report it ({how})", INTERNAL)  # fmt: skip


def place(error: Exception) -> str:
    """Where it was raised: the last of our own lines."""
    package = Path(__file__).parent.parent
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if Path(f.filename).is_relative_to(package)]
    last = (ours or frames)[-1]
    return f"{Path(last.filename).name}:{last.lineno}"
