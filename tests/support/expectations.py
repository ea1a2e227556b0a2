"""What a model or a program says about itself, in one dialect, and the runner that holds it to that.

A comment near the top of a file, in the syntax of its language:

    /* expect: violated deadlock; line: 13; options: --leaks -D N=2; why: nobody gives the second fork back */

First the outcome and the kinds of what is found, then any of `KEYS`; `why` is for readers, and takes the rest of the
line.  A word that is not known here is an error: an expectation that nobody reads would pass for ever.
"""

from __future__ import annotations

import io
import json
import re
import shlex
from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from isospin.cli import main
from isospin.report.words import KINDS

STATUS = {"holds": 0, "violated": 1, "incomplete": 3}
KEYS = {
    "states": "of the whole state graph, without any reduction and with every error, as SPIN counts them",
    "transitions": "as `states`",
    "executions": "that are enough",
    "line": "where the violation is",
    "reason": "a part of why the search is incomplete",
    "message": "a part of what is said about each violation",
    "options": "of `isospin check`",
    "runtime": "options of the runtime of C programs, as it is told them",
    "fork": "why the runtime asks for a process for each execution",
    "why": "for the reader",
}
_LINE = re.compile(r"^[ ]*(?:/\*|\(\*|\*|//|#)[ ]+(expect\b.*?)[ ]*(?:\*[/)])?$", re.MULTILINE | re.IGNORECASE)
_HEAD = 20  # lines in which an expectation may stand


class Misspelt(Exception):
    """A file that does not say what is expected of it, or not in words that are known."""


@dataclass(frozen=True)
class Expectation:
    outcome: str
    kinds: tuple[str, ...] = ()
    more: Mapping[str, str] = field(default_factory=dict)

    def number(self, key: str) -> int | None:
        return int(self.more[key]) if key in self.more else None

    @property
    def options(self) -> list[str]:
        return shlex.split(self.more.get("options", ""))


def expectation(path: Path) -> Expectation:
    """What a file says about itself; it must."""
    found = _LINE.findall("\n".join(path.read_text(encoding="utf-8").splitlines()[:_HEAD]))
    if len(found) != 1:
        raise Misspelt(f"{path}: {len(found)} lines say what is expected")
    try:
        return parse(found[0])
    except Misspelt as error:
        raise Misspelt(f"{path}: {error}") from None


def parse(line: str) -> Expectation:
    """`expect: violated deadlock; states: 33`, without the signs of the comment."""
    line, *why = line.split("; why: ", 1)
    first, *parts = (part.strip() for part in line.split(";"))
    key, colon, words = first.partition(": ")
    if (key, colon) != ("expect", ": "):
        raise Misspelt(f"'{first}' is not 'expect: ...'")
    outcome, *kinds = words.split()
    if outcome not in STATUS:
        raise Misspelt(f"no outcome '{outcome}'; there are {', '.join(STATUS)}")
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown or bool(kinds) != (outcome == "violated"):
        raise Misspelt(f"'{first}': what is violated has kinds, and only that; unknown: {', '.join(unknown) or 'none'}")
    more = dict(_pair(part) for part in parts)
    if len(more) < len(parts):
        raise Misspelt("a key is given twice")
    return Expectation(outcome, tuple(kinds), more | ({"why": why[0]} if why else {}))


def _pair(part: str) -> tuple[str, str]:
    key, colon, value = part.partition(": ")
    if not colon or key not in KEYS or not value.strip():
        raise Misspelt(f"'{part}' is not 'KEY: VALUE' with one of {', '.join(KEYS)}")
    if key in ("states", "transitions", "executions", "line") and not value.isdecimal():
        raise Misspelt(f"'{part}': a number is needed")
    return key, value


def verdict(path: Path, *options: str) -> dict[str, Any]:
    """What `isospin check --json` says; the exit status is that of the outcome."""
    with redirect_stdout(io.StringIO()) as out:
        status = main(["check", str(path), "--json", *options])
    document = json.loads(out.getvalue())
    assert isinstance(document, dict)
    assert status == STATUS[document["outcome"]]
    return document


def check(path: Path, *more: str, counts: bool = True) -> dict[str, Any]:
    """Check a file with its own options and `more`, and hold it to what it says; `counts`: also about executions."""
    wanted = expectation(path)
    document = verdict(path, *more, *wanted.options)
    found = document["violations"]
    said = document["reason"] or [f"{v['kind']}: {v['message']}" for v in found]
    assert document["outcome"] == wanted.outcome, said
    assert tuple(v["kind"] for v in found) == wanted.kinds, said
    assert wanted.more.get("reason", "") in document["reason"]
    assert all(wanted.more.get("message", "") in v["message"] for v in found)
    if (enough := wanted.number("executions")) is not None and counts and not more:
        assert document["executions"] <= enough
    if (line := wanted.number("line")) is not None:
        places = [v["location"].split(":") for v in found]
        assert [(Path(file).resolve(), number) for file, number, _ in places] == [(path, str(line))]
    return document
