"""The part of the reference that is written by a program: `python -m tests.docs.reference` writes reference/json.md.

The words are those of the schema (src/isospin/report/schema.json); a test compares the page with what would be written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from tests.support.paths import DOCS

PAGE = DOCS / "reference" / "json.md"
TITLES = {
    "verdict": "The verdict", "property": "A property", "symmetry": "Symmetry", "violation": "A violation",
    "step": "A step of a trace", "trace": "A saved trace", "errors": "When nothing could be checked",
}  # fmt: skip


def schema() -> Any:
    return json.loads(files("isospin.report").joinpath("schema.json").read_text())


def kind(part: Any) -> str:
    """The type of a key, in a few words."""
    if "$ref" in part:
        name = part["$ref"].rsplit("/", 1)[1]
        return f"[{name}](#{TITLES[name].lower().replace(' ', '-')})"
    if "enum" in part:
        return "one of " + ", ".join(f"`{value}`" for value in part["enum"])
    if "const" in part:
        return f"`{part['const']}`"
    types = part.get("type", "object")
    written = " or ".join(types) if isinstance(types, list) else str(types)
    return f"list of {kind(part['items'])}" if written == "array" and "items" in part else written


def section(name: str, part: Any) -> Iterator[str]:
    yield f"## {TITLES[name]}\n"
    yield f"{part['description'][0].upper()}{part['description'][1:]}.\n"
    yield from table(part)
    for key, below in part["properties"].items():
        inner = below.get("items", below.get("additionalProperties"))
        if isinstance(inner, dict) and "properties" in inner:
            yield f"Each of `{key}`:\n"
            yield from table(inner)


def table(part: Any) -> Iterator[str]:
    yield "| key | type | |\n|---|---|---|"
    for key, below in part["properties"].items():
        optional = "" if key in part.get("required", ()) else " (optional)"
        yield f"| `{key}`{optional} | {kind(below)} | {below.get('description', '')} |"
    yield ""


def written(page: str) -> str:
    """The page with its tables as the schema has them; what stands before the first heading is kept."""
    head = page.split("\n## ", 1)[0].rstrip()
    parts = [line for name in TITLES for line in section(name, schema()["$defs"][name])]
    return "\n".join([head, "", *parts]).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text()))
