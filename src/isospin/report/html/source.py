"""The sources that a verdict speaks of, line by line, with statements that no run executes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from ...core.errors import Location
from ...core.verdict import Unreached, Verdict
from .colours import ColouredText, coloured_lines
from .svg import joined, tag, text

MOST_LINES = 20_000
UNREADABLE = "(the source is not there any more)"


def files_of(verdict: Verdict) -> list[str]:
    """The main file first, then others that steps were taken in."""
    names = [verdict.file]
    for violation in verdict.violations:
        names += [s.location.file for s in violation.trace.steps if s.location.line]
    names += [u.location.file for u in verdict.unreached]
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(_identity(name), name)
    return list(found.values())


def number_of(file: str, files: list[str]) -> int | None:
    """Which of the files it is; a file may have several names, from here or from the root."""
    return next((i for i, name in enumerate(files) if name == file or _identity(name) == _identity(file)), None)


@cache
def _identity(file: str) -> str:
    return os.path.realpath(file)


@cache
def _read_lines(file: str) -> list[list[ColouredText]]:
    try:
        whole = Path(file).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return [[ColouredText(UNREADABLE, "")]]
    lines = whole.removesuffix("\n").split("\n")[:MOST_LINES]
    return coloured_lines("\n".join(line.removesuffix("\r") for line in lines), file)


def line_markup(file: str, line: int) -> str:
    """One line of a file, with its colours; empty if there is none."""
    lines = _read_lines(file)
    pieces = lines[line - 1] if line <= len(lines) else []
    return _cut(pieces, 0, sum(len(piece.text) for piece in pieces)).strip()


def listing(number: int, file: str, unreached: Iterable[Unreached]) -> str:
    """A source file; unreached statements are marked in their lines."""
    marks: dict[int, list[Location]] = {}
    words: dict[int, list[str]] = {}
    for item in unreached:
        if _identity(item.location.file) == _identity(file):
            marks.setdefault(item.location.line, []).append(item.location)
            words.setdefault(item.location.line, []).append(item.statement)
    lines = []
    for n, line in enumerate(_read_lines(file), 1):
        is_marked = n in marks
        tip = "never executed: " + "; ".join(words[n]) if is_marked else None
        content = tag("code", _source_line(line, marks.get(n, []), words.get(n, [])))
        lines.append(tag("li", content, id=f"line-{number}-{n}",
                         class_="unreached" if is_marked else None, title=tip))  # fmt: skip
    return tag("ol", joined(lines), class_="source", data_file=number)


def _source_line(pieces: list[ColouredText], places: list[Location], words: list[str]) -> str:
    """The line with its unreached statements in elements of their own, where they stand in it as they are reported."""
    line = joined(piece.text for piece in pieces)
    spans = sorted({(p.column - 1, p.column - 1 + len(w)) for p, w in zip(places, words, strict=True)
                    if p.column and line[p.column - 1 :].startswith(w)})  # fmt: skip
    parts, at = [], 0
    for start, end in spans:
        if start >= at:
            parts += [_cut(pieces, at, start), tag("s", _cut(pieces, start, end))]
            at = end
    return joined([*parts, _cut(pieces, at, len(line))]) or " "


def _cut(pieces: list[ColouredText], start: int, end: int) -> str:
    """A part of a line, with its colours."""
    found, at = [], 0
    for piece in pieces:
        shown = piece.text[max(start - at, 0) : max(end - at, 0)]
        at += len(piece.text)
        if shown:
            found.append(tag("i", text(shown), class_=piece.kind) if piece.kind else text(shown))
    return joined(found)
