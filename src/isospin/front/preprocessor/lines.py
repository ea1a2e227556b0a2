"""Text -> logical lines: continued lines are joined, comments are blanks; every character keeps its place.

Reference: C99 5.1.1.2, translation phases 2 and 3.
Differs: a character is traced back to its line and column in the file.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property

from ...core.errors import Location, SourceError
from ...core.records import dataclass

_CONTINUED = re.compile(r"\\[ \t\r\f\v]*\n")
# A string or character without an end goes up to the end of its line: what looks like a comment there is none.
_SPECIAL = re.compile(r""""(?:\\.|[^"\\\n]++)*+"?|'(?:\\.|[^'\\\n]++)*+'?|//[^\n]*|/\*(?s:.*?)\*/|/\*|\n""")


class File:
    """A file: its name as the user would write it, and the places of its characters."""

    def __init__(self, text: str, name: str, path: str) -> None:
        self.name, self.path = name, path
        self.original = text
        self.cuts: list[int] = []  # where, in the joined text, something was cut out
        self.cut: list[int] = [0]  # how much, up to there
        parts, at, length = [], 0, 0
        for match in _CONTINUED.finditer(text):
            parts.append(text[at : match.start()])
            length += len(parts[-1])
            self.cuts.append(length)
            self.cut.append(self.cut[-1] + match.end() - match.start())
            at = match.end()
        self.text = "".join([*parts, text[at:]])

    @cached_property
    def starts(self) -> list[int]:
        """Where the lines of the original text start."""
        return [0, *(m.end() for m in re.finditer(r"\n", self.original))]

    def place(self, offset: int, length: int = 1) -> Location:
        """Of a character of the joined text."""
        offset += self.cut[bisect_right(self.cuts, offset)]
        line = bisect_right(self.starts, offset)
        return Location(self.name, line, offset - self.starts[line - 1] + 1, length)

    def stretches(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """The pieces of a part of the joined text that stand in one line of the file."""
        while start < end:
            i = bisect_right(self.cuts, start)
            stop = min(self.cuts[i], end) if i < len(self.cuts) else end
            yield start, stop
            start = stop


@dataclass(frozen=True)
class Line:
    """A logical line: its text, and for parts of it where they stand in the joined text of the file."""

    file: File
    text: str
    parts: list[tuple[int, int]]  # offset here, offset there

    def place(self, offset: int, length: int = 1) -> Location:
        here, there = self.parts[max(bisect_right(self.parts, (offset, 1 << 62)) - 1, 0)]
        return self.file.place(there + offset - here, length)

    def verbatim(self) -> Iterator[tuple[str, Location]]:
        """The text in pieces that stand like that in the file."""
        ends = [here for here, _ in self.parts[1:]] + [len(self.text)]
        for (here, there), end in zip(self.parts, ends, strict=True):
            for start, stop in self.file.stretches(there, there + end - here):
                yield self.text[start - there + here : stop - there + here], self.file.place(start)


def lines(file: File) -> Iterator[Line]:
    """Lines as the preprocessor sees them: joined where a backslash ends them, with comments as one space."""
    text, at = file.text, 0
    done, parts, length = "", [(0, 0)], 0
    for match in _SPECIAL.finditer(text):
        found, start = match.group(), match.start()
        if found == "/*":
            raise SourceError.at(file.place(start, 2), "this comment has no end", "close it with */")
        if found == "\n":
            yield Line(file, done + text[at:start], parts)
            at = match.end()
            done, parts, length = "", [(0, at)], 0
        elif found[0] == "/":
            done += text[at:start] + " "
            at, length = match.end(), len(done)
            parts.append((length, at))
    if at < len(text) or done:
        yield Line(file, done + text[at:], parts)
