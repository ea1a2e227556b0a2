"""The import rule of the architecture: data flows one way, and a room knows only what it needs.

`model, verdict, trace, errors` know nothing of ours but each other, and without cycles; the rooms `front, ir,
symmetry, report` know those four (symmetry also ir); engines know symmetry only through its protocol;
`pipeline` knows everything; the explorer looks at states through `ir` and `symmetry`; the command and the public API
see the pipeline and what it returns.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = "isospin"
SOURCE = Path(__file__).parent.parent / "src" / PACKAGE

CORE = ("model", "arithmetic", "verdict", "trace", "errors", "deadline", "depth", "files")
OUTSIDE = ("pipeline", *CORE, "report")

# Room -> what it may import, as dotted names below the package; a name stands for everything under it.
# A room may always import itself. A room that is not listed is an error: decide what it may know, and add it.
RULES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(CORE, CORE),
    "front": CORE,
    "ir": CORE,
    "ltl": CORE,
    "report": CORE,
    "symmetry": (*CORE, "ir"),
    "engine": (*CORE, "ir", "ltl", "symmetry.protocol"),
    "pipeline": (*CORE, "front", "ir", "symmetry", "report", "engine", "__version__"),
    "explorer": (*CORE, "ir", "symmetry", "report", "engine.contract", "pipeline"),
    "__init__": OUTSIDE,
    "pytest_plugin": OUTSIDE,
    "cli": (*OUTSIDE, "__version__", "completion", "doctor", "experiments", "explorer"),
    "completion": (),
    "doctor": OUTSIDE,
    "experiments": (*OUTSIDE, "engine", "front", "ir", "symmetry"),  # they measure the inner parts, too
    "__main__": (*OUTSIDE, "__version__", "cli"),
}


def imported(source: str, module: str, is_package: bool = False) -> Iterator[tuple[int, str]]:
    """Line and absolute dotted name of everything that the source of `module` imports, wherever it does so.

    `from a.b import c` counts as `a.b.c`: c may be a module, and if not, the prefix decides all the same.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = absolute(node, module, is_package)
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call) and (name := dynamic(node)) is not None:
            yield node.lineno, name


def absolute(node: ast.ImportFrom, module: str, is_package: bool) -> str:
    """The module that a `from ... import` names, with leading dots resolved."""
    if not node.level:
        return node.module or ""
    up = node.level - (1 if is_package else 0)
    parts = module.split(".")
    return ".".join([*parts[: len(parts) - up], *([node.module] if node.module else [])])


def dynamic(call: ast.Call) -> str | None:
    """The name in `import_module("...")` or `__import__("...")`: a rule is not there to be walked around."""
    function = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if function not in ("import_module", "__import__") or not call.args:
        return None
    first = call.args[0]
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else None


def room_of(module: str) -> str:
    """`isospin.front.promela.lexer` is in room `front`; the package itself is `__init__`."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def violations(source: str, module: str, is_package: bool = False) -> list[str]:
    """What the source of `module` imports against the rules, one readable line each."""
    room = room_of(module)
    if room not in RULES:
        return [f"{module}: no import rule for {room!r}; add one to RULES in {Path(__file__).name}"]
    allowed = [f"{PACKAGE}.{name}" for name in (room, *RULES[room])]
    return [
        f"{module}:{line}: {room!r} may not import {name}"
        for line, name in imported(source, module, is_package)
        if (name == PACKAGE or name.startswith(f"{PACKAGE}."))
        and not any(name == known or name.startswith(f"{known}.") for known in allowed)
    ]


def cycle(sources: dict[str, str]) -> list[str] | None:
    """A cycle among the core modules, given their sources by name."""
    graph = {
        name: [core for core in CORE for _, target in imported(source, f"{PACKAGE}.{name}")
               if f"{target}.".startswith(f"{PACKAGE}.{core}.")]
        for name, source in sources.items()
    }  # fmt: skip
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return None


def our_modules() -> dict[str, Path]:
    def name(path: Path) -> str:
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    return {name(path): path for path in sorted(SOURCE.rglob("*.py"))}


def test_rooms_import_only_what_they_may() -> None:
    modules = our_modules()
    assert modules, f"no sources in {SOURCE}"
    found = [
        line
        for module, path in modules.items()
        for line in violations(path.read_text(encoding="utf-8"), module, path.name == "__init__.py")
    ]
    assert not found, "\n" + "\n".join(found)


def test_core_has_no_cycle() -> None:
    sources = {name: SOURCE / f"{name}.py" for name in CORE}
    assert cycle({name: path.read_text(encoding="utf-8") for name, path in sources.items()}) is None


# The checker itself: what it must refuse, and what it must let pass.

REFUSED = [
    ("isospin.model", "import isospin.pipeline"),
    ("isospin.model", "import isospin"),
    ("isospin.trace", "from isospin.ir import interp"),
    ("isospin.trace", "from .ir.interp import step"),
    ("isospin.front.promela.parser", "from isospin.engine.explicit import run"),
    ("isospin.front.promela.parser", "from ...ir import spec"),
    ("isospin.front.promela.parser", "from isospin import *"),
    ("isospin.ir.interp", "from isospin import symmetry"),
    ("isospin.report.terminal", "def late():\n    from isospin.ir import interp"),
    ("isospin.report.terminal", "import importlib\nimportlib.import_module('isospin.engine')"),
    ("isospin.symmetry.detect", "from ..engine import explicit"),
    ("isospin.engine.explicit", "from isospin.symmetry.group import Group"),
    ("isospin.engine.explicit", "from isospin.symmetry import protocol, group"),
    ("isospin.engine.explicit", "from isospin.symmetry import *"),
    ("isospin.engine.explicit", "import isospin.symmetry.protocols_and_more"),
    ("isospin.cli", "from isospin.front import promela"),
    ("isospin.cli", "from .ir import interp"),
    ("isospin", "from .cli import main"),
    ("isospin.attic", "import os"),
]

ALLOWED = [
    ("isospin.trace", "import json\nfrom isospin.model import Model"),
    ("isospin.front.promela.parser", "from .lexer import tokens\nfrom ...errors import SourceError"),
    ("isospin.front.promela.parser", "import isospinner\nfrom isospin.front.c import parse"),
    ("isospin.symmetry.detect", "from isospin.ir.footprints import footprint"),
    ("isospin.engine.explicit", "from isospin.symmetry.protocol import Strategy\nfrom isospin import ir"),
    ("isospin.engine.explicit", "from isospin.symmetry import protocol"),
    ("isospin.pipeline", "from isospin.front import promela\nfrom . import engine, report, symmetry"),
    ("isospin.cli", "from isospin import __version__, pipeline\nfrom isospin.report import terminal"),
    ("isospin.__main__", "from .cli import main"),
    ("isospin", "from isospin.pipeline import check"),
]


@pytest.mark.parametrize(("module", "source"), REFUSED)
def test_a_violation_is_found(module: str, source: str) -> None:
    (line,) = violations(source, module, is_package=module == PACKAGE)
    assert line.startswith(module)


@pytest.mark.parametrize(("module", "source"), ALLOWED)
def test_what_is_allowed_passes(module: str, source: str) -> None:
    assert violations(source, module, is_package=module == PACKAGE) == []


def test_dots_count_from_the_package_in_an_init_file() -> None:
    source = "from .protocol import Strategy\nfrom ..ir import spec\nfrom ..engine import explicit"
    assert violations(source, "isospin.symmetry", is_package=True) == [
        "isospin.symmetry:3: 'symmetry' may not import isospin.engine.explicit"
    ]


def test_a_cycle_in_the_core_is_found() -> None:
    sources = {"model": "from isospin.trace import Trace", "trace": "from .model import Model", "errors": ""}
    assert set(cycle(sources) or []) == {"model", "trace"}
    assert cycle({**sources, "trace": "from isospin.errors import InternalError"}) is None
