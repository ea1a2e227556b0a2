"""What can go wrong, and whose fault it is.

A `SourceError` is a mistake in the user's model (place, caret, hint); a `UsageError` is a mistake on the command
line (and says what is available); an `InternalError` is a bug of ours.  Nothing else may reach the user.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from .records import dataclass

# What a terminal would obey instead of showing it: control characters, and those that turn the direction of text.
_VISIBLE = {
    **{code: 0x2400 + code for code in range(32) if code not in (9, 10)},
    127: 0x2421,
    **dict.fromkeys([*range(0x80, 0xA0), 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)], 0xFFFD),
}


def visible(text: str) -> str:
    """Text of a user, as it may be written to a terminal or into a document."""
    return text if text.isprintable() else text.translate(_VISIBLE)


def shown(name: str) -> str:
    """The name of a file, as it may stand in a line: what is not printable is written as an escape."""
    return name if name.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in name)


def near_path(path: str) -> str:
    """Relative to where the user is, unless that leads out of it."""
    near = os.path.relpath(path)
    return path if near.startswith("..") else near


@dataclass(frozen=True, order=True)
class Location:
    """A place in a source file; lines and columns count from 1, `length` is what the caret underlines."""

    file: str = "-"
    line: int = 0
    column: int = 0
    length: int = 1

    def __str__(self) -> str:
        return f"{shown(self.file)}:{self.line}:{self.column}"


NOWHERE = Location()


@dataclass(frozen=True)
class Diagnostic:
    """One message about the model, with its place and, where we know one, a way out."""

    location: Location
    message: str
    hint: str = ""
    severity: str = "error"
    source: str | None = ""  # the line itself, where it is in no file; None: it is not shown


class IsospinError(Exception):
    """The root of everything that isospin raises on purpose."""


class SourceError(IsospinError):
    """One or more mistakes in a model; all that were found in one run."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(sorted(set(diagnostics), key=lambda d: (d.location, d.message)))
        super().__init__("; ".join(f"{d.location}: {d.message}" for d in self.diagnostics))

    def __reduce__(self) -> tuple[type[SourceError], tuple[tuple[Diagnostic, ...]]]:
        return SourceError, (self.diagnostics,)  # so that it can go from one process to another

    @classmethod
    def at(cls, location: Location, message: str, hint: str = "") -> SourceError:
        return cls([Diagnostic(location, message, hint)])


class TooLarge(SourceError):
    """A model beyond a limit of ours: it makes no sense to go on looking for mistakes in it."""


class UsageError(IsospinError):
    """A request that makes no sense; the message lists what is available."""


class InternalError(IsospinError):
    """A bug of ours: the result must not be trusted, and none is reported."""
