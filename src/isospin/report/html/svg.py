"""Pieces of HTML and SVG; everything that comes from a model is escaped here and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape as html_escape
from typing import Any


def text(value: Any) -> str:
    """Text, made harmless."""
    return html_escape(str(value), quote=True)


def tag(name: str, *content: str, **attributes: Any) -> str:
    """An element; the content is markup already, attribute values are escaped; `class_` and `data_x` are spelled so."""
    named = (
        f' {key.rstrip("_").replace("_", "-")}="{text(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{''.join(named)}>{''.join(content)}</{name}>"


def joined(parts: Iterable[str]) -> str:
    return "".join(parts)


def _shortened(value: str, length: int) -> str:
    """At most `length` characters."""
    line = " ".join(value.split())
    return line if len(line) <= length else line[: max(length - 1, 1)] + "…"


def label(value: str, x: float, y: float, length: int | None = None, class_: str | None = None) -> str:
    """A line of text; what is cut off can be read in a tooltip."""
    short = value if length is None else _shortened(value, length)
    tip = tag("title", text(value)) if short != value else ""
    return tag("text", tip, text(short), x=number(x), y=number(y), class_=class_)


def number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def curve(points: list[tuple[float, float]]) -> str:
    """A smooth line from left to right through the points."""
    (x, y), *rest = points
    path = f"M{number(x)} {number(y)}"
    for u, v in rest:
        half = (x + u) / 2
        path += f"C{number(half)} {number(y)} {number(half)} {number(v)} {number(u)} {number(v)}"
        x, y = u, v
    return path
