"""Files of permutations: one on each line, in cycles; `#` starts a comment.

    (0 1 2)(3 4)                       # numbers, with blanks between them
    (child 1, child 2) (pipe 0, pipe 1)  # names of several words, with commas

What the words mean is decided by who asks; each knows its place, so that mistakes can be shown where they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .errors import Location, SourceError
from .files import read_text
from .records import dataclass

__all__ = ["CycleLine", "CycleWord", "read_cycles"]

HINT = "cycles such as (0 1 2)(3 4)"
_CYCLE = re.compile(r"\(([^()]*)\)")


@dataclass(frozen=True)
class CycleWord:
    """A word of a cycle, and where it stands."""

    text: str
    location: Location


@dataclass(frozen=True)
class CycleLine:
    """The cycles of one permutation."""

    text: str
    location: Location
    cycles: tuple[tuple[CycleWord, ...], ...]


def read_cycles(path: str) -> Iterator[CycleLine]:
    """The permutations in a file; one that is not written in cycles is an error with its place."""
    for number, line in enumerate(read_text(path).split("\n"), 1):
        text = line.split("#")[0]
        if text.strip():
            at = len(text) - len(text.lstrip())
            here = Location(path, number, at + 1, len(text.strip()))
            yield CycleLine(text.strip(), here, tuple(_cycles(text, Location(path, number))))


def _cycles(text: str, line: Location) -> Iterator[tuple[CycleWord, ...]]:
    """The cycles of a line, with nothing between them."""
    end = 0
    for match in _CYCLE.finditer(text):
        _nothing_between(text[end : match.start()], end, line)
        words = tuple(_words(match[1], match.start(1), line))
        if not words:
            raise SourceError.at(_at(line, match.start(), len(match[0])), "there is nothing in this cycle", HINT)
        yield words
        end = match.end()
    _nothing_between(text[end:], end, line)


def _words(text: str, begin: int, line: Location) -> Iterator[CycleWord]:
    """Between commas; without any, numbers between blanks, or one name."""
    numbers = "," not in text and all(word.isdecimal() for word in text.split())
    for match in re.finditer(r"\S+" if numbers else r"[^,]+", text):
        word = match[0].strip()
        at = begin + match.start() + len(match[0]) - len(match[0].lstrip())
        if not word:
            raise SourceError.at(_at(line, begin + match.start(), len(match[0])), "a name is missing here", HINT)
        yield CycleWord(word, _at(line, at, len(word)))


def _nothing_between(text: str, begin: int, line: Location) -> None:
    word = text.strip()
    if word:
        at = begin + len(text) - len(text.lstrip())
        raise SourceError.at(_at(line, at, len(word)), f"expected cycles in parentheses, got {word!r}", HINT)


def _at(line: Location, index: int, length: int) -> Location:
    return Location(line.file, line.line, index + 1, max(length, 1))
