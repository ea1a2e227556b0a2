"""Lines that GitHub Actions turns into notes beside the source: `::error file=...,line=...,col=...::message`.

Reference: GitHub, Workflow commands for GitHub Actions, "Setting an error message".
"""

from __future__ import annotations

from collections.abc import Iterator

from ..core.errors import NOWHERE, Location, SourceError, visible
from ..core.verdict import Outcome, Verdict, Violation
from .words import cycle_words

MOST_STEPS = 30  # of a trace, in a note


def notes(found: Verdict | SourceError, file: str) -> Iterator[str]:
    """Violations, gaps and warnings of a verdict; or the mistakes in a source that could not be read."""
    if isinstance(found, SourceError):
        for d in found.diagnostics:
            yield _line("error", d.location, file, "source", f"{d.message}\n{d.hint}".rstrip())
        return
    for violation in found.violations:
        yield _line("error", violation.location, file, violation.kind, _message_of(violation))
    for result in found.properties:
        if result.outcome is Outcome.INCOMPLETE:
            yield _line("warning", NOWHERE, file, "incomplete", f"{result.name}: {result.reason}")
    for warning in found.warnings:
        yield _line("warning", warning.location, file, "warning", warning.message)


def _message_of(violation: Violation) -> str:
    """The message, and the last steps that lead there."""
    steps = violation.trace.steps
    first = max(len(steps) - MOST_STEPS, 0)
    lines = [f"{violation.property}: {violation.message}"]
    lines += [f"... {first} steps ..."] if first else []
    lines += [f"{s.process} {s.pid}, line {s.location.line}: {s.statement}" for s in steps[first:]]
    if violation.trace.cycle_start is not None:
        lines.append(cycle_words(violation.trace))
    return "\n".join(lines)


def _line(level: str, location: Location, file: str, title: str, message: str) -> str:
    where = {"file": file} if location == NOWHERE else {"file": location.file, "line": str(location.line)}
    if location.column > 0:
        where["col"] = str(location.column)
    fields = {**where, "title": f"isospin: {title}"}
    written = ",".join(f"{name}={_value_text(value)}" for name, value in fields.items())
    return f"::{level} {written}::{_message_text(message)}"


def _message_text(text: str) -> str:
    return visible(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _value_text(text: str) -> str:
    return _message_text(text).replace(":", "%3A").replace(",", "%2C")
