"""A verdict as Markdown, for the summary of a job or a comment on a change.

Reference: GitHub Flavored Markdown; what comes from a model is escaped, so that nothing in it is markup.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from ..core.errors import NOWHERE, SourceError, visible
from ..core.trace import Trace
from ..core.verdict import Outcome, Verdict, Violation
from .terminal import change_text, summary
from .words import cycle_words

MARKS = {Outcome.HOLDS: "✅ holds", Outcome.VIOLATED: "❌ violated", Outcome.INCOMPLETE: "⚠️ incomplete"}
MOST_STEPS = 200  # of a trace: a summary is no place for more
MOST_VIOLATIONS = 10


def markdown_text(found: Verdict | SourceError, file: str) -> str:
    """Of mistakes in a source, too."""
    lines = _mistakes(found, file) if isinstance(found, SourceError) else _verdict(found, file)
    return "\n".join(lines) + "\n"


def _mistakes(error: SourceError, file: str) -> Iterator[str]:
    yield f"### {_code(file)}: ❌ cannot be read"
    yield ""
    for d in error.diagnostics:
        hint = f" ({_plain(d.hint)})" if d.hint else ""
        yield f"- {_code(str(d.location))} {_plain(d.message)}{hint}"


def _verdict(verdict: Verdict, file: str) -> Iterator[str]:
    yield f"### {_code(file)}: {MARKS[verdict.outcome]}"
    yield ""
    yield from ("| property | | |", "|---|---|---|")
    for p in verdict.properties:
        formula = _code(p.formula) if p.formula not in ("", p.name) else ""
        reason = _plain(p.reason)
        yield f"| {_code(p.name)} {formula} | {MARKS[p.outcome]} | {reason} |"
    yield ""
    for violation in verdict.violations[:MOST_VIOLATIONS]:
        yield from _violation(violation)
    if (more := len(verdict.violations) - MOST_VIOLATIONS) > 0:
        yield from (f"... and {more} more violations", "")
    for warning in verdict.warnings:
        where = "" if warning.location == NOWHERE else f"{_code(str(warning.location))} "
        yield f"- {where}{_plain(warning.message)}"
    yield from ("", f"<sub>{_plain(summary(verdict))}</sub>")


def _violation(violation: Violation) -> Iterator[str]:
    where = "" if violation.location == NOWHERE else f" ({_code(str(violation.location))})"
    yield f"**{_plain(violation.kind)}**: {_code(violation.message)}{where}"
    yield ""
    if violation.details:
        yield f"<pre>{'<br>'.join(map(_plain, violation.details))}</pre>"
        yield ""
    if violation.trace.steps:
        yield from _steps(violation.trace)


def _steps(trace: Trace) -> Iterator[str]:
    first = max(len(trace.steps) - MOST_STEPS, 0)
    yield f"<details><summary>the counterexample, {len(trace.steps)} steps</summary>"
    yield ""
    if first:
        yield from (f"The first {first} steps are left out.", "")
    yield from ("| step | line | who | statement | changes |", "|---:|---:|---|---|---|")
    for number, step in enumerate(trace.steps[first:], first + 1):
        partner = "" if step.partner is None else f" → {step.partner_process} {step.partner}"
        statement = step.statement + (f" → {step.partner_statement}" if step.partner is not None else "")
        who = _plain(f"{step.process} {step.pid}{partner}")
        yield f"| {number} | {step.location.line or ''} | {who} | {_code(statement)} | {_code(change_text(step))} |"
    yield ""
    if trace.cycle_start is not None:
        yield from (cycle_words(trace), "")
    yield from ("</details>", "")


def _code(words: str) -> str:
    return f"<code>{_plain(words)}</code>" if words else ""


def _plain(words: str) -> str:
    """Words that mean nothing in Markdown or HTML, and that stay in their cell of a table."""
    text = escape(visible(words))
    for character in "\\`*_[]|~":
        text = text.replace(character, f"&#{ord(character)};")
    return text.replace("\n", "<br>")
