"""The import rule of the architecture: data flows one way, and a room knows only what it needs.

`core` knows nothing of ours; `front`, `semantics`, `ltl` and `report` know the core; `analysis` and `transform` build
on the semantics; `symmetry` knows all that is known about models; engines know symmetry only through its protocol, and
no engine knows another, but for the automata of claims that `interp` has; hosts know the protocol of the stateless
engine; `pipeline` knows everything; the command and the public API see the pipeline and what it returns.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.support import paths

PACKAGE = "isospin"
SOURCE = paths.ROOT / "src" / PACKAGE

CORE = ("core",)
MEANING = (*CORE, "semantics", "analysis", "transform")  # what is known about models
OUTSIDE = ("pipeline", *CORE, "report")

# Room -> what it may import, as dotted names below the package; a name stands for everything under it.
# The room of a module is the longest name here that it begins with; a room may always import itself.
# A module in no room is an error: decide what it may know, and add it.
RULES: dict[str, tuple[str, ...]] = {
    "core": (),
    "version": (),
    "front": CORE,
    "front.promela": (*CORE, "front.common", "front.preprocessor"),
    "front.pointer": (*CORE, "front.common"),
    "front.litmus": (*CORE, "front.common"),
    "semantics": CORE,
    "analysis": (*CORE, "semantics"),
    "transform": (*CORE, "semantics", "analysis"),
    "ltl": CORE,
    "report": CORE,
    "symmetry": MEANING,
    "engines": CORE,
    "engines.interp": (*MEANING, "ltl", "symmetry.protocol", "engines.contract"),
    "engines.explicit": (*MEANING, "ltl", "symmetry.protocol", "engines.contract", "engines.interp"),
    "engines.symbolic": (*MEANING, "ltl", "symmetry.protocol", "engines.contract"),
    "engines.stateless": (*CORE, "engines.contract"),
    "hosts": (*CORE, "engines.stateless"),
    "hosts.model": (*MEANING, "engines.stateless", "engines.contract"),
    "hosts.python": (*CORE, "engines.stateless"),
    "hosts.c": (*CORE, "engines.stateless"),
    "hosts.processes": (*CORE, "engines.stateless", "hosts.c"),
    "pipeline": (*MEANING, "front", "ltl", "symmetry", "report", "engines", "hosts", "version"),
    "explorer": (*MEANING, "symmetry", "report", "engines.contract", "pipeline"),
    "__init__": (*OUTSIDE, "notebook", "version"),
    "pytest_plugin": OUTSIDE,
    "cli": (*OUTSIDE, "version", "completion", "doctor", "experiments", "explorer"),
    "completion": ("pipeline.kinds",),
    "notebook": (*OUTSIDE, "cli.parser"),  # with the options of the command
    "doctor": (*OUTSIDE, "check"),  # of the public API
    "experiments": (*OUTSIDE, *MEANING, "engines", "hosts", "front", "symmetry"),  # they measure the inner parts, too
    "__main__": (*OUTSIDE, "cli"),
}


@cache
def told(source: str) -> tuple[ast.AST, ...]:
    """Imports and classes, wherever they are in a source: read once for all tests that ask."""
    kinds = (ast.Import, ast.ImportFrom, ast.ClassDef)
    return tuple(
        node for node in ast.walk(ast.parse(source))
        if isinstance(node, kinds) or (isinstance(node, ast.Call) and dynamic(node) is not None)
    )  # fmt: skip


def imported(source: str, module: str, is_package: bool = False) -> Iterator[tuple[int, str]]:
    """Line and absolute dotted name of everything that the source of `module` imports, wherever it does so.

    `from a.b import c` counts as `a.b.c`: c may be a module, and if not, the prefix decides all the same.
    """
    for node in told(source):
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


def is_below(name: str, room: str) -> bool:
    return name == room or name.startswith(f"{room}.")


def room_of(module: str) -> str | None:
    """`isospin.engines.explicit.state.layout` is in room `engines.explicit`; the package itself is `__init__`."""
    name = module.partition(".")[2] or "__init__"
    return max((room for room in RULES if is_below(name, room)), key=len, default=None)


def violations(source: str, module: str, is_package: bool = False) -> list[str]:
    """What the source of `module` imports against the rules, one readable line each."""
    room = room_of(module)
    if room is None:
        return [f"{module}: no import rule; add one to RULES in {Path(__file__).name}"]
    allowed = [f"{PACKAGE}.{name}" for name in (room, *RULES[room])]
    closed = [f"{PACKAGE}.{name}" for name in RULES if is_below(name, room) and name != room]  # rooms inside
    return [
        f"{module}:{line}: {room!r} may not import {name}"
        for line, name in imported(source, module, is_package)
        if is_below(name, PACKAGE)
        and (not any(is_below(name, known) for known in allowed) or any(is_below(name, known) for known in closed))
    ]


def cycle(sources: dict[str, str], names: tuple[str, ...]) -> list[str] | None:
    """A cycle among modules, given their sources by name."""
    graph = {
        name: [other for other in names for _, target in imported(source, f"{PACKAGE}.{name}")
               if is_below(target, f"{PACKAGE}.{other}")]
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


@pytest.mark.parametrize("room", ["core", "ltl", "analysis", "transform", "front/promela", "front/pointer"])
def test_a_room_without_cycles(room: str) -> None:
    paths = [path for path in (SOURCE / room).glob("*.py") if path.name != "__init__.py"]
    sources = {f"{room}/{path.stem}".replace("/", "."): path.read_text(encoding="utf-8") for path in paths}
    assert cycle(sources, tuple(sources)) is None


def test_no_folder_is_a_heap() -> None:
    """A folder of so many files needs rooms."""
    folders = [folder for folder in (SOURCE, *SOURCE.rglob("*")) if folder.is_dir() and folder.name != "__pycache__"]
    counts = {f: sum(p.suffix in (".py", ".c", ".h") for p in f.iterdir()) for f in folders}
    assert {str(f.relative_to(SOURCE)): n for f, n in counts.items() if n > 20} == {}


# The checker itself: what it must refuse, and what it must let pass.

REFUSED = [
    ("isospin.core.model", "import isospin.pipeline"),
    ("isospin.core.model", "import isospin"),
    ("isospin.core.trace", "from isospin.semantics import interp"),
    ("isospin.core.trace", "from ..semantics.interp import step"),
    ("isospin.front.promela.parser", "from isospin.engines.explicit import run"),
    ("isospin.front.promela.parser", "from ..pointer import lexer"),
    ("isospin.front.promela.parser", "from isospin import *"),
    ("isospin.semantics.interp", "from isospin import symmetry"),
    ("isospin.semantics.interp", "from ..analysis import ample"),
    ("isospin.report.terminal", "def late():\n    from isospin.semantics import interp"),
    ("isospin.report.terminal", "import importlib\nimportlib.import_module('isospin.engines')"),
    ("isospin.symmetry.detection.detect", "from ...engines import explicit"),
    ("isospin.engines.explicit", "from isospin.symmetry.groups.group import Group"),
    ("isospin.engines.explicit", "from isospin.symmetry import protocol, groups"),
    ("isospin.engines.explicit", "from isospin.symmetry import *"),
    ("isospin.engines.explicit", "import isospin.symmetry.protocols_and_more"),
    ("isospin.engines.symbolic.search", "from ..explicit import drive"),
    ("isospin.engines.contract", "from .interp import search"),
    ("isospin.engines.stateless.dpor", "from ...hosts import python"),
    ("isospin.hosts.python.program", "from ..c.host import Pending"),
    ("isospin.hosts.memory", "from .python import program"),
    ("isospin.cli", "from isospin.front import promela"),
    ("isospin.cli", "from .semantics import interp"),
    ("isospin", "from .cli import main"),
    ("isospin.attic", "import os"),
]

ALLOWED = [
    ("isospin.core.trace", "import json\nfrom isospin.core.model import Model"),
    ("isospin.front.promela.parser", "from .lexer import tokens\nfrom ...core.errors import SourceError"),
    ("isospin.front.promela.parser", "import isospinner\nfrom isospin.front.promela.syntax import Program"),
    ("isospin.symmetry.detection.detect", "from isospin.analysis.footprint import footprint"),
    ("isospin.engines.explicit", "from isospin.symmetry.protocol import Strategy\nfrom isospin import semantics"),
    ("isospin.engines.explicit", "from isospin.symmetry import protocol"),
    ("isospin.hosts.python.program", "from ...engines.stateless.protocol import Program"),
    ("isospin.pipeline", "from isospin.front import promela\nfrom . import engines, report, symmetry"),
    ("isospin.cli", "from isospin import pipeline, version\nfrom isospin.report import terminal"),
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
    source = "from .protocol import Strategy\nfrom ..semantics import interp\nfrom ..engines import explicit"
    assert violations(source, "isospin.symmetry", is_package=True) == [
        "isospin.symmetry:3: 'symmetry' may not import isospin.engines.explicit"
    ]


def test_a_cycle_is_found() -> None:
    names = ("core.model", "core.trace", "core.errors")
    sources = {
        "core.model": "from isospin.core.trace import Trace",
        "core.trace": "from .model import Model",
        "core.errors": "",
    }
    assert set(cycle(sources, names) or []) == {"core.model", "core.trace"}
    assert cycle({**sources, "core.trace": "from isospin.core.errors import InternalError"}, names) is None
