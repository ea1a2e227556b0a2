"""Values of options as people write them, and a declared option as an argument of `argparse`, or of pytest."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from typing import Any

from .declare import FLAG, LINE, LIST, NATURAL, NUMBER, POSITIVE, SECONDS, SIZE, SWITCH, WORD, WORDS, Option

__all__ = ["argument", "positive"]


def argument(option: Option) -> dict[str, Any]:
    """What `add_argument` is told; what is not given is None, so that defaults stand in the declaration alone."""
    from argparse import BooleanOptionalAction

    if option.form == FLAG:
        return {"help": option.help, "action": "store_true"}
    if option.form == SWITCH:
        return {"help": option.help, "action": BooleanOptionalAction}
    several = {"action": "append", "default": []} if option.form == LIST else {}
    values = {"type": _READERS[option.form], "choices": option.choices or None, "metavar": option.metavar}
    return {"help": option.help, **values, **several}


def _problem(message: str) -> Exception:
    from argparse import ArgumentTypeError

    return ArgumentTypeError(message)


def positive(text: str) -> int:
    if not text.isdigit() or int(text) == 0:
        raise _problem(f"expected a positive number, got {text!r}")
    return int(text)


def _natural(text: str) -> int:
    if not text.isdigit():
        raise _problem(f"expected a number, got {text!r}")
    return int(text)


def seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise _problem(f"expected a number of seconds, got {text!r}")
    return value


def _size(text: str) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kKmMgGtT]?)(i?[bB])?", text)
    if match is None or float(match[1]) == 0:
        raise _problem(f"expected a size such as 500M or 4G, got {text!r}")
    return int(float(match[1]) * 1024 ** " KMGT".index(match[2].upper() or " "))


_READERS: dict[str, Callable[[str], Any]] = {
    WORD: str, LIST: str, LINE: str, WORDS: shlex.split, NUMBER: int, NATURAL: _natural, POSITIVE: positive,
    SECONDS: seconds, SIZE: _size,
}  # fmt: skip
