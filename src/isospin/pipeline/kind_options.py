"""From what was asked for to the options of a kind; what does not fit the kind is refused, in words of the declaration.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Any

from ..core.errors import UsageError
from . import settings
from .declare import Option
from .kinds import KINDS, InputKind

__all__ = ["audience", "every_option", "from_command", "from_names", "make_options", "options_of", "refuse", "takes"]


def options_of(kind: InputKind) -> type[settings.CommonOptions]:
    """The class of what can be asked about a kind."""
    found: type[settings.CommonOptions] = getattr(settings, kind.options)
    return found


@cache
def every_option() -> dict[str, Option]:
    """All options of all kinds, in the order of the help."""
    found: dict[str, Option] = {}
    for kind in KINDS.values():
        for name, option in options_of(kind).declared.items():
            found.setdefault(name, option)
    return found


def make_options(kind: InputKind, given: Mapping[str, Any]) -> Any:
    """The options of a kind by their names in Python; an unknown one lists what is available."""
    return from_names(options_of(kind), given, f" for {kind.title}")


def from_names(options: type, given: Mapping[str, Any], whom: str = "") -> Any:
    known = [f.name for f in fields(options)]
    for name in given:
        if name not in known:
            from difflib import get_close_matches

            close = get_close_matches(name, known, 1)
            hint = f"did you mean {close[0]}? " if close else ""
            raise UsageError(f"there is no option {name}{whom}; {hint}available: {', '.join(sorted(known))}")
    return options(**given)


def from_command(kind: InputKind, given: Mapping[str, Any]) -> Any:
    """The options of a kind from all that stands on a command line; what was not given is None, or False."""
    refuse(kind, given)
    values = {f.name: given[f.name] for f in fields(options_of(kind)) if given.get(f.name) not in (None, [])}
    lists = {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
    return from_names(options_of(kind), {**values, **lists})


def refuse(kind: InputKind, given: Mapping[str, Any]) -> None:
    """What was given, but means nothing for this kind."""
    for name, option in {**every_option(), **settings.OutputOptions.declared}.items():
        value = given.get(name)
        if not value or value == option.default or value in option.harmless or option.mild or takes(kind, name):
            continue
        reason = option.instead.get(kind.name, "")
        raise UsageError(f"{option.written(name)} is for {audience(name)}, not for {kind.title}{reason}")


def takes(kind: InputKind, name: str) -> bool:
    """Can this be asked about this kind?"""
    option = {**settings.OutputOptions.declared, **options_of(kind).declared}.get(name)
    return option is not None and (not option.only or bool({kind.name, _road(kind)} & {*option.only}))


def _road(kind: InputKind) -> str:
    return "programs" if kind.is_program else "models"


def audience(name: str) -> str:
    """Whom an option is for."""
    kinds = [kind for kind in KINDS.values() if kind.endings and takes(kind, name)]
    if all(kind in kinds for kind in KINDS.values() if not kind.is_program):
        programs = [kind.title for kind in kinds if kind.is_program]
        return " and ".join(["models", *programs])
    return " and ".join(kind.described for kind in kinds)
