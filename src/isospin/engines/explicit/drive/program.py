"""The checker of a generated file, wherever there is room for it.

The cache may be full, read-only or not ours, or programs may not be started from it: then a temporary directory is
used, and the user is told.
"""

from __future__ import annotations

import os
from pathlib import Path

from ....core.cache import temporary_directory, unusable
from ....core.errors import InternalError, UsageError
from .build import NoCompiler, checker
from .mpi import Mpi

NO_ROOM = ("No space left on device", "Disk quota exceeded", "Read-only file system", "Permission denied",
           "Input/output error", "File too large", "File size limit exceeded")  # fmt: skip


def compile_checker(
    source: str, optimisation: str, flags: tuple[str, ...], mpi: Mpi | None = None
) -> tuple[Path, str]:
    """The program, and what the user should know about where it is."""
    program, problem = _attempt(source, optimisation, flags, None, mpi)
    if program is not None:
        return program, ""
    try:
        place = temporary_directory()
    except OSError as error:
        raise _NoPlace(problem, str(error)) from None
    program, again = _attempt(source, optimisation, flags, place, mpi)
    if program is None:
        raise _NoPlace(problem, again)
    return program, unusable(problem)


class _NoPlace(NoCompiler):
    """The compiler has nowhere to write."""

    def __init__(self, cache: str, temporary: str) -> None:
        UsageError.__init__(
            self,
            f"the model cannot be compiled: there is no place to write: {cache}; {temporary}; make room, or name "
            "another place with XDG_CACHE_HOME or TMPDIR, or check small models with --engine interp",
        )


def _attempt(
    source: str, optimisation: str, flags: tuple[str, ...], directory: Path | None, mpi: Mpi | None
) -> tuple[Path | None, str]:
    """The program, or why it cannot be there."""
    try:
        program = checker(source, optimisation, flags, directory, mpi)
    except OSError as error:
        return None, f"{error.filename}: {error.strerror}" if error.filename else str(error)
    except RuntimeError as error:  # no home directory
        return None, str(error)
    except InternalError as error:
        if (why := next((text for text in NO_ROOM if text in str(error)), None)) is None:
            raise
        return None, f"the C compiler says: {why}"
    if not os.access(program, os.X_OK):
        return None, f"{program.parent}: programs may not be started from there"
    return program, ""
