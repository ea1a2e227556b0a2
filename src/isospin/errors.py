"""What can go wrong, and whose fault it is.

A `SourceError` is a mistake in the user's model (place, caret, hint); a `UsageError` is a mistake on the command
line (and says what is available); an `InternalError` is a bug of ours.  Nothing else may reach the user.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Location:
    """A place in a source file; lines and columns count from 1, `length` is what the caret underlines."""

    file: str = "-"
    line: int = 0
    column: int = 0
    length: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


NOWHERE = Location()


@dataclass(frozen=True)
class Diagnostic:
    """One message about the model, with its place and, where we know one, a way out."""

    location: Location
    message: str
    hint: str = ""
    severity: str = "error"
    source: str = ""  # the line itself, where it is in no file


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
