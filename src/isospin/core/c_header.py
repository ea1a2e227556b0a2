"""Constants that Python and C share: declared once, in Python, and written as a header when C is compiled.

Each runtime has a table of its own, `constants.py`, with a function `header`.  The header is no file of the tree: it
is made from the table whenever the runtime is compiled, and is part of what the result is known by in the cache.
"""

from __future__ import annotations

from enum import Enum, StrEnum
from pathlib import Path

NAME = "constants.h"  # as the files of a runtime include it


def enumeration(members: type[Enum], prefix: str = "", name: str = "") -> str:
    """An enumeration of C; members that are words are numbered from 0 on."""
    numbers = [place if isinstance(m.value, str) else int(m.value) for place, m in enumerate(members)]
    body = ", ".join(f"{prefix}{m.name} = {number}" for m, number in zip(members, numbers, strict=True))
    return f"{_comment(members)}enum {name + ' ' if name else ''}{{ {body} }};"


def words(members: type[StrEnum], prefix: str) -> str:
    """Texts that are sent, by name."""
    return _comment(members) + "\n".join(f'#define {prefix}{m.name} "{m.value}"' for m in members)


def numbers(**values: int) -> str:
    """Numbers by name, which the preprocessor knows as well."""
    return "\n".join(f"#define {name} {value}" for name, value in values.items())


def addresses(**values: int) -> str:
    """The same for addresses and sizes of memory."""
    return "\n".join(f"#define {name} {value:#x}ul" for name, value in values.items())


def header(*parts: str) -> str:
    return "\n".join(["/* Generated from constants.py. */", "#pragma once", *parts, ""])


def include(place: Path, text: str, runtime: Path) -> tuple[str, ...]:
    """What a compiler has to be told; the header goes to a directory of the caller's."""
    (place / NAME).write_text(text)
    return f"-I{place}", f"-I{runtime}"


def _comment(members: type[Enum]) -> str:
    return f"/* {members.__doc__} */\n" if members.__doc__ else ""
