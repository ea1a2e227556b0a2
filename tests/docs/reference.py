"""The parts of the reference that are written by a program: `python -m tests.docs.reference` writes them.

The words are those of the schema (src/isospin/report/schema.json); a test compares the page with what would be written.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from isospin.pipeline import settings
from isospin.pipeline.declare import FLAG, SWITCH, Option
from isospin.pipeline.kind_options import every_option, options_of, takes
from isospin.pipeline.kinds import KINDS, InputKind
from tests.support.paths import DOCS, ROOT

PAGE = DOCS / "reference" / "json.md"
OPTIONS_PAGE = DOCS / "reference" / "options.md"
TYPED = ROOT / "src" / "isospin" / "pipeline" / "typed.py"
TYPED_HEAD = '''"""The options of `isospin.check` and `@isospin.test` with their types, for editors and type checkers.

Written by `python -m tests.docs.reference` from the declarations in settings.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict

from ..engines.contract import Progress'''
OPTIONS_HEAD = (
    "Options have the same names everywhere: `--max-time 5`, `isospin.check(file, max_time=5)`, and for Python\n"
    "programs `@isospin.test(max_time=5)` and `pytest --isospin-time 5`. [Commands and options](commands.md) says\n"
    "what they do; this page says which values they take for which kind of input. An empty cell: not for this kind."
)
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


# -------------------------------------------------------------------------------------------------- options


def options_page() -> str:
    """Every option as it is declared, and what it is for."""
    kinds = [kind for kind in KINDS.values() if kind.endings]
    rows = [option_row(name, option, kinds) for name, option in every_option().items()]
    titles = " | ".join(kind.title for kind in kinds)
    lines = ["# Options by kind of input", "", OPTIONS_HEAD, "", f"| in Python | command | default | {titles} |",
             "|---|---|---|" + "---|" * len(kinds), *rows]  # fmt: skip
    return "\n".join(lines) + "\n"


def option_row(name: str, option: Option, kinds: list[InputKind]) -> str:
    cells = []
    for kind in kinds:
        narrower = options_of(kind).narrower.get(name, option.choices)
        cells.append("" if not takes(kind, name) else ", ".join(narrower) or "yes")
    values = f" {option.metavar or ('VALUE' if option.choices else '')}" if option.form not in (FLAG, SWITCH) else ""
    default = "" if option.default is None or option.default is False or option.default == () else option.default
    written = (option.written(name) + values).replace("|", " / ")
    return f"| `{name}` | `{written}` | {default} | {' | '.join(cells)} |"


def typed_module() -> str:
    """The types of options, for editors and type checkers: as they are declared."""
    every = {name: f for kind in KINDS.values() for name, f in field_types(options_of(kind)).items()}
    tests = {name: kind for name, kind in field_types(settings.ProgramOptions).items()
             if name not in ("arguments", "progress")}  # fmt: skip
    lines = [TYPED_HEAD, "", "", *typed_class("CheckOptions", "Of `isospin.check`.", every), "", "",
             *typed_class("TestOptions", "Of `@isospin.test`.", {**tests, "allow_incomplete": "bool"})]  # fmt: skip
    return "\n".join(lines) + "\n"


def typed_class(name: str, about: str, fields: dict[str, str]) -> list[str]:
    return [f"class {name}(TypedDict, total=False):", f'    """{about}"""', "",
            *(f"    {field}: {kind}" for field, kind in fields.items())]  # fmt: skip


def field_types(options: type) -> dict[str, str]:
    """The fields of a class of options, those of its bases first, and their types as they are written."""
    return {f.name: str(f.type) for f in dataclasses.fields(options)}


if __name__ == "__main__":
    TYPED.write_text(typed_module())
    PAGE.write_text(written(PAGE.read_text()))
    OPTIONS_PAGE.write_text(options_page())
