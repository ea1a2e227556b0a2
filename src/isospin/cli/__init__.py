"""The command `isospin`: arguments -> pipeline -> report; exit status.

0 holds; 1 violated; 2 usage or source error; 3 no violation found, but incomplete; 4 an error of ours.
"""

from __future__ import annotations

import argparse
import json
import os
import sys

from .. import __version__
from ..deadline import TimeIsOver, within
from ..errors import InternalError, SourceError, UsageError
from .arguments import joined, parser
from .check import save_reports
from .screen import INCOMPLETE, INTERNAL, USAGE, error_console

__all__ = ["main", "parser"]


def main(arguments: list[str] | None = None) -> int:
    given = sys.argv[1:] if arguments is None else arguments
    ours, rest = (given[: given.index("--")], given[given.index("--") + 1 :]) if "--" in given else (given, [])
    args = parser().parse_args(joined(ours))
    args.arguments = rest
    try:
        with within(getattr(args, "max_time", None) if args.command != "paper" else None):  # there, it is for each run
            return int(args.run(args))
    except TimeIsOver as over:
        return failed(args, str(over), INCOMPLETE)
    except SourceError as error:
        return source_error(args, error)
    except UsageError as error:
        return failed(args, str(error), USAGE)
    except InternalError as error:
        return failed(args, f"internal error: {error}\nThis is a bug in isospin; please report it.", INTERNAL)
    except KeyboardInterrupt:
        return failed(args, "interrupted", INCOMPLETE)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return INCOMPLETE


def source_error(args: argparse.Namespace, error: SourceError) -> int:
    from ..report.terminal import show_source_error

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
    print(f"isospin: {message}", file=sys.stderr)
    return status
