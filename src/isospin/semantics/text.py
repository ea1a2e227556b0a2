"""Values as the user reads them: printf, and names for mtype values."""

from __future__ import annotations

import re

from ..core.model import Scalar, Sort, points_to_process

Mtypes = tuple[tuple[str, tuple[str, ...]], ...]
_CONVERSION = re.compile(r"%(.)|\\(.)")


def _mtype_name(value: int, mtypes: Mtypes, group: str = "") -> str:
    names = dict(mtypes).get(group, ())
    return names[value - 1] if 1 <= value <= len(names) else str(value)


def scalar_name(group: str, value: int) -> str:
    """The values of a scalarset have no names of their own: `Value#1`, `Value#2`."""
    return f"{group}#{value}" if value else "undefined"


def show(value: int, kind: Scalar, mtypes: Mtypes) -> int | str:
    """A value for reports: mtype and scalarset values by name, no process as NULL, everything else as a number."""
    if points_to_process(kind) and value == 0:
        return "NULL"
    if kind.sort is Sort.SCALARSET:
        return scalar_name(kind.enum, value)
    return _mtype_name(value, mtypes, kind.enum) if kind.sort is Sort.MTYPE and value else value


def format_output(text: str, values: list[int], mtypes: Mtypes) -> str:
    """What printf prints."""
    rest = list(values)

    def convert(match: re.Match[str]) -> str:
        if match.group(2):
            return {"n": "\n", "t": "\t"}.get(match.group(2), match.group(2))
        kind = match.group(1)
        if kind == "%" or not rest:
            return "%"
        value = rest.pop(0)
        if kind == "e":
            return _mtype_name(value, mtypes)
        return {"c": chr(value & 0x7F), "x": f"{value & 0xFFFFFFFF:x}", "o": f"{value & 0xFFFFFFFF:o}"}.get(
            kind, str(value & 0xFFFFFFFF if kind == "u" else value)
        )

    return _CONVERSION.sub(convert, text)
