"""Coloured text and tables on a terminal: as much of it as verdicts need, and nothing to import.

A small check is done in a few hundredths of a second; a library for terminals takes longer than that to be loaded.
Here a text is pieces with a style each, a style is words (`bold red`), and what is too wide is broken behind words.
Without a terminal there are no styles; with `no_color` (or NO_COLOR) there are no colours.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import TextIO

from ..core.errors import visible

CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}
WEIGHTS = ("bold", "dim")
WIDTH = 80  # where nobody says how wide a line may be
GAP = "  "  # between the columns of a table
_WORD = re.compile(r"\s*\S+\s*")


class Text:
    """A text whose parts have styles."""

    def __init__(self, text: str = "", style: str = "") -> None:
        self.pieces = [(text, style)] if text else []

    @staticmethod
    def assemble(*parts: str | tuple[str, str]) -> Text:
        made = Text()
        for part in parts:
            made.append(*((part,) if isinstance(part, str) else part))
        return made

    def append(self, text: str, style: str = "") -> None:
        if text:
            self.pieces.append((text, style))

    @property
    def plain(self) -> str:
        return "".join(text for text, _ in self.pieces)

    def shown(self) -> Text:
        """With its control characters made visible: a user's text never moves the cursor."""
        made = Text()
        for text, style in self.pieces:
            made.append("\n".join(map(visible, text.split("\n"))), style)
        return made

    def cut(self, begin: int, end: int) -> Text:
        """The part between two places."""
        made, at = Text(), 0
        for text, style in self.pieces:
            made.append(text[max(begin - at, 0) : max(end - at, 0)], style)
            at += len(text)
        return made

    def lines(self, width: int | None = None) -> list[Text]:
        """The lines of the text; those that are too wide are broken."""
        found, at = [], 0
        for line in self.plain.split("\n"):
            for begin, end in [(0, len(line))] if width is None else broken(line, width):
                found.append(self.cut(at + begin, at + end))
            at += len(line) + 1
        return found


def _as_text(given: str | Text) -> Text:
    return given if isinstance(given, Text) else Text(given)


def cells(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return len(text) if text.isascii() else sum(map(_cells_of, text))


def _cells_of(character: str) -> int:
    if character < "\u0300":
        return 1
    from unicodedata import combining, east_asian_width

    return 0 if combining(character) else 2 if east_asian_width(character) in "WF" else 1


def broken(line: str, width: int) -> list[tuple[int, int]]:
    """Where the pieces of a line begin and end, so that each fits: between words, or inside one that is too long.

    >>> [line[begin:end] for line in ["never executed at all"] for begin, end in broken(line, 9)]
    ['never', 'executed', 'at all']
    """
    if cells(line) <= width:
        return [(0, len(line))]
    found, begin, end = [], 0, 0
    for word in _WORD.finditer(line):
        last = word.start() + len(word.group().rstrip())
        if end > begin and cells(line[begin:last]) > width:
            found.append((begin, end))
            begin = word.start()
        end = last
        while cells(line[begin:end]) > width:
            fits = max(_fitting(line[begin:end], width), 1)
            found.append((begin, begin + fits))
            begin += fits
    return [*found, (begin, end)]


def _fitting(text: str, width: int) -> int:
    """How many characters of a text fit into so many columns."""
    used = 0
    for number, character in enumerate(text):
        used += _cells_of(character)
        if used > width:
            return number
    return len(text)


# -------------------------------------------------------------------------------------------------- tables


class _Column:
    """A column of a table: what stands above it, and how its cells are written."""

    def __init__(self, header: str, justify: str, style: str, no_wrap: bool) -> None:
        self.header, self.justify, self.style, self.no_wrap = Text(header, "bold").shown(), justify, style, no_wrap


class Grid:
    """Columns of text, two blanks apart, no wider than the terminal."""

    def __init__(self) -> None:
        self.columns: list[_Column] = []
        self.rows: list[list[Text]] = []

    def add_column(self, header: str, justify: str = "left", style: str = "", no_wrap: bool = False) -> None:
        self.columns.append(_Column(header, justify, style, no_wrap))

    def add_row(self, *given: str | Text) -> None:
        self.rows.append([_as_text(cell).shown() for cell in given])

    def lines(self, width: int) -> Iterator[Text]:
        """The table, line by line."""
        widths = self.widths(width)
        for row in ([column.header for column in self.columns], *self.rows):
            yield from self.row_lines(row, widths)

    def widths(self, most: int) -> list[int]:
        """As wide as what is in them; where that is too much, the widest give way."""
        widths = [self.natural_width(i) for i in range(len(self.columns))]
        giving = [i for i, column in enumerate(self.columns) if not column.no_wrap]
        excess = self.width - most
        while excess > 0 and giving and max(widths[i] for i in giving) > 1:
            widths[max(giving, key=lambda i: widths[i])] -= 1
            excess -= 1
        return widths

    @property
    def width(self) -> int:
        """Of the table, if nothing gives way."""
        return sum(map(self.natural_width, range(len(self.columns)))) + len(GAP) * (len(self.columns) - 1)

    def natural_width(self, number: int) -> int:
        column = [self.columns[number].header, *(row[number] for row in self.rows if number < len(row))]
        return max(cells(line.plain) for cell in column for line in cell.lines())

    def row_lines(self, row: list[Text], widths: list[int]) -> Iterator[Text]:
        """One row: as many lines as its highest cell has."""
        columns = list(zip(self.columns, widths, strict=True))
        split = [cell.lines(None if c.no_wrap else width) for cell, (c, width) in zip(row, columns, strict=False)]
        for parts in zip_longest(*split, fillvalue=Text()):
            line, at, start = Text(), 0, 0
            for (column, width), part in zip(columns, parts, strict=False):
                begin = start + (width - cells(part.plain) if column.justify == "right" else 0)
                if part.pieces:
                    line.append(" " * (begin - at))
                    for piece, style in part.pieces:
                        line.append(piece, style or column.style)
                    at = begin + cells(part.plain)
                start += width + len(GAP)
            yield line


# -------------------------------------------------------------------------------------------------- the terminal


class Console:
    """Where texts and tables are written."""

    def __init__(
        self, file: TextIO | None = None, width: int | None = None, no_color: bool | None = None,
        force_terminal: bool | None = None, stderr: bool = False,
    ) -> None:  # fmt: skip
        self.given, self.stderr, self.asked_width = file, stderr, width
        self.colours = not (os.environ.get("NO_COLOR") if no_color is None else no_color)
        self.forced = bool(os.environ.get("FORCE_COLOR")) or None if force_terminal is None else force_terminal

    @property
    def file(self) -> TextIO:
        return self.given or (sys.stderr if self.stderr else sys.stdout)

    @property
    def is_terminal(self) -> bool:
        if self.forced is not None:
            return self.forced
        try:
            return self.file.isatty()
        except ValueError:  # it is closed
            return False

    @property
    def width(self) -> int:
        if self.asked_width is not None:
            return self.asked_width
        if (columns := os.environ.get("COLUMNS", "")).isdigit() and int(columns):
            return int(columns)
        try:
            return os.get_terminal_size(self.file.fileno()).columns or WIDTH
        except (OSError, ValueError):
            return WIDTH

    def print(self, what: str | Text | Grid, style: str = "", soft_wrap: bool = False) -> None:
        """Write lines; `soft_wrap` leaves it to the terminal to break them."""
        if isinstance(what, Grid):
            lines: Iterable[Text] = what.lines(self.width)
        else:
            lines = _as_text(what).shown().lines(None if soft_wrap else self.width)
        styled = self.is_terminal and os.environ.get("TERM") not in ("dumb", "unknown")
        self.file.write("".join(f"{self.written(line, style, styled)}\n" for line in lines))
        self.file.flush()  # a pipe shows it at once, too: `explore` goes on for long

    def written(self, line: Text, style: str, styled: bool) -> str:
        if not styled:
            return line.plain
        return "".join(self.painted(text, f"{style} {own}") for text, own in line.pieces)

    def painted(self, text: str, style: str) -> str:
        """A text between the codes of its style."""
        codes = [CODES[word] for word in style.split() if self.colours or word in WEIGHTS]
        return f"\x1b[{';'.join(dict.fromkeys(codes))}m{text}\x1b[0m" if codes else text

    def rule(self, title: str) -> None:
        """A line across the terminal with a title at its left."""
        shown = visible(title)
        self.print(f"{shown} {'-' * max(self.width - cells(shown) - 1, 3)}", soft_wrap=True)
