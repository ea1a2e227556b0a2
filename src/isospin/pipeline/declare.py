"""How an option is declared: once, as a field of a class in settings.py, with all that anybody must know about it.

The command line, `isospin.check(...)`, `pytest --isospin` and the reference page are made from these declarations.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import Field, field
from typing import Any, ClassVar, NamedTuple

from ..core.errors import UsageError

# What values look like on the command line (cli/arguments.py reads them).
FLAG, SWITCH, WORD, LIST = "flag", "switch", "word", "list"
LINE, WORDS = "line", "words"  # what may begin like an option; WORDS are split as a shell does
NUMBER, NATURAL, POSITIVE, SECONDS, SIZE = "number", "natural", "positive", "seconds", "size"
ABOVE_ZERO = (POSITIVE, SECONDS, SIZE)

# Where they stand in the help.
GROUPS = ("", "how to search", "what to look for", "limits", "long runs (--search bfs, one thread)", "output")
INPUT, HOW, WHAT, LIMITS, LONG, OUTPUT = GROUPS


class Option(NamedTuple):
    """One option: its name in Python, and how it is given on the command line."""

    default: Any
    help: str | None
    group: str
    form: str
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    flag: str = ""  # if it is not made of the name
    only: tuple[str, ...] = ()  # of the kinds whose class has it: only these (a kind, `models` or `programs`)
    instead: Mapping[str, str] = {}  # by kind: what to do where there is no such option
    mild: bool = False  # where there is no such option, it is ignored
    harmless: tuple[str, ...] = ()  # values that change nothing where there is no such option
    pytest: str = ""  # its name after --isospin-, if it is not made of the name
    common: bool = False  # one of the few that `isospin check --help` shows

    def written(self, name: str) -> str:
        return self.flag or f"--{name.replace('_', '-')}"

    def in_pytest(self, name: str) -> str:
        return self.pytest or name.replace("_", "-")


def option(
    default: Any, help: str | None, group: str, form: str = WORD, metavar: str | None = None, **more: Any
) -> Any:
    """A field of a class of options."""
    return field(default=default, metadata={"option": Option(default, help, group, form, metavar, **more)})


class OptionSet:
    """A class whose fields are options; `declared` has them by name, those of its bases first."""

    declared: ClassVar[dict[str, Option]] = {}

    def __init_subclass__(cls) -> None:
        own = {name: part.metadata["option"] for name, part in vars(cls).items()
               if isinstance(part, Field) and "option" in part.metadata}  # fmt: skip
        cls.declared = {**cls.declared, **own}


_TYPES: dict[str, tuple[type, ...]] = {
    FLAG: (bool,), SWITCH: (bool,), WORD: (str, os.PathLike), LINE: (str,), LIST: (tuple, list), WORDS: (tuple, list),
    NUMBER: (int,), NATURAL: (int,), POSITIVE: (int,), SIZE: (int,), SECONDS: (int, float),
}  # fmt: skip
_CALLED = {
    FLAG: "True or False", SWITCH: "True or False", WORD: "a text", LINE: "a text", LIST: "a tuple of texts",
    WORDS: "a tuple of texts", SIZE: "a number of bytes", SECONDS: "a number of seconds",
    **dict.fromkeys((NUMBER, NATURAL, POSITIVE), "a whole number"),
}  # fmt: skip


def check_values(options: OptionSet, narrower: Mapping[str, tuple[str, ...]], version: str) -> None:
    """Are the values among those that there are?"""
    for name, option in options.declared.items():
        value, values = getattr(options, name), narrower.get(name, option.choices)
        if values and value not in values:
            raise UsageError(f"{option.written(name)} {value}: available {version}: {', '.join(values)}")
        if value != option.default and not isinstance(value, _TYPES[option.form]):
            raise UsageError(f"{name}: expected {_CALLED[option.form]}, got {value!r}")
        if option.form in ABOVE_ZERO and value is not None and value <= 0:
            raise UsageError(f"{option.written(name)} {value}: expected a positive number")
