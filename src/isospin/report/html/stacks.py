"""Stacks, and both accesses of a race, side by side: what the terminal shows in lines below a message."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ...core.verdict import Violation
from .source import line_markup, number_of
from .svg import joined, tag, text

_FRAME = re.compile(r"(?P<call>.*?)\s*\((?P<file>[^()]+?):(?P<line>\d+)(:\d+)?\)")
_CYCLE = "who waits for whom:"


def stacks(violation: Violation, files: list[str]) -> str:
    """A card for each heading, with the lines below it; lines that name a place show what stands there."""
    cards = []
    for heading, lines in _groups(violation.details):
        if not lines and violation.waits and heading.startswith(_CYCLE):
            continue  # it is drawn
        frames = joined(tag("li", _frame(line, files)) for line in lines)
        title = tag("h3", text(heading[:1].upper() + heading[1:].removesuffix(":")))
        cards.append(tag("section", title, tag("ol", frames) if frames else "", class_="stack"))
    return tag("div", joined(cards), class_="stacks") if cards else ""


def _groups(lines: Iterable[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """Lines that are not indented are headings."""
    heading, below = "", list[str]()
    for line in lines:
        if line.startswith(" "):
            below.append(line.strip())
            continue
        if heading or below:
            yield heading, below
        heading, below = line, []
    if heading or below:
        yield heading, below


def _frame(line: str, files: list[str]) -> str:
    """A call, where it is, and the line that stands there."""
    found = _FRAME.fullmatch(line)
    file = number_of(found["file"], files) if found else None
    if found is None or file is None:
        return tag("code", text(line))
    number = int(found["line"])
    place = tag("button", text(f"{found['file'].rsplit('/', 1)[-1]}:{number}"), type="button", class_="place",
                data_line=f"{file}-{number}")  # fmt: skip
    code = line_markup(files[file], number)
    return tag("code", text(found["call"])) + " " + place + (tag("code", code, class_="there") if code else "")
