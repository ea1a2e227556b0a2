"""Notebooks: `%load_ext isospin`, then cells that begin with `%%promela` are checked and show their report."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Any

from .core.errors import IsospinError, SourceError

if TYPE_CHECKING:
    from collections.abc import Callable

    from .core.verdict import Verdict


def register(shell: Any, check: Callable[..., Verdict]) -> None:
    """The cells of a shell are checked by the public `check`, which this module is below of."""

    def promela(line: str, cell: str) -> Verdict | None:
        return _check_cell(check, line, cell)

    promela.__doc__ = _check_cell.__doc__
    shell.register_magic_function(promela, magic_kind="cell", magic_name="promela")


def _check_cell(check: Callable[..., Verdict], line: str, cell: str) -> Verdict | None:
    """Check the model in a cell; the options are those of `isospin check`: `%%promela --ltl safe --symmetry none`."""
    from .cli import parser
    from .pipeline.kind_options import options_of
    from .pipeline.kinds import KINDS

    try:
        args = vars(parser().parse_args(["check", "cell.pml", *shlex.split(line)]))
    except SystemExit:  # it has said why
        return None
    known = options_of(KINDS["promela"]).declared
    given: dict[str, Any] = {name: value for name, value in args.items() if name in known and value}
    given |= {name: tuple(value) for name, value in given.items() if isinstance(value, list)}
    try:
        return check(f"{cell.rstrip()}\n", **given)
    except SourceError as error:
        _tell_mistakes(error, cell)
    except IsospinError as error:
        print(f"isospin: {error}", file=sys.stderr)
    return None


def _tell_mistakes(error: SourceError, cell: str) -> None:
    """Places in the cell: there is no file whose line could be shown."""
    lines = cell.splitlines()
    for d in error.diagnostics:
        print(f"line {d.location.line}, column {d.location.column}: {d.message}", file=sys.stderr)
        if 0 < d.location.line <= len(lines):
            print(f"  {lines[d.location.line - 1]}\n  {' ' * (d.location.column - 1)}^", file=sys.stderr)
        if d.hint:
            print(f"  hint: {d.hint}", file=sys.stderr)
