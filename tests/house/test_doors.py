"""The doors of the rooms: each says what is in the room, and others take only what it offers.

The `__init__.py` of a room and of each room inside it has a docstring that tells a stranger what is there, and
`__all__`: the names and the modules that others may import.  What begins with an underscore is a module's own.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.test_imports import PACKAGE, SOURCE, absolute, is_below, our_modules, told

MODULES = our_modules()
ROOT = SOURCE.parent.parent
DOORS = {name: path for name, path in MODULES.items() if path.name == "__init__.py" and name != PACKAGE}


def offered(path: Path) -> list[str]:
    """What `__all__` of a module lists."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and [getattr(t, "id", "") for t in node.targets] == ["__all__"]:
            return [str(value) for value in ast.literal_eval(node.value)]
    return []


OFFERED = {name: offered(path) for name, path in DOORS.items()}


def taken(source: str, module: str, is_package: bool = False) -> Iterator[tuple[int, str, str]]:
    """Line, our module, and name in it (or nothing), of everything that a source imports from us."""
    for node in told(source):
        if isinstance(node, ast.ImportFrom):
            base = absolute(node, module, is_package)
            for alias in node.names if is_below(base, PACKAGE) else ():
                inner = f"{base}.{alias.name}"
                yield (node.lineno, inner, "") if inner in MODULES else (node.lineno, base, alias.name)
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, "") for alias in node.names if alias.name in MODULES)


def trespasses(source: str, module: str, is_package: bool = False) -> list[str]:
    """What a module takes through a wall: one readable line each."""
    found = []
    for line, target, name in taken(source, module, is_package):
        if name.startswith("_") and not name.startswith("__"):
            found.append(f"{module}:{line}: {name} is {target}'s own")
        if name and name not in OFFERED.get(target, [name]) and not is_below(module, target):
            found.append(f"{module}:{line}: {target} does not offer {name}")
        while (room := target.rpartition(".")[0]) not in ("", PACKAGE) and not is_below(module, room):
            if target.rpartition(".")[2] not in OFFERED[room]:
                found.append(f"{module}:{line}: {room} does not offer {target.rpartition('.')[2]}")
            target = room
    return list(dict.fromkeys(found))


def test_nobody_goes_through_a_wall() -> None:
    found = [
        line
        for module, path in MODULES.items()
        for line in trespasses(path.read_text(encoding="utf-8"), module, path.name == "__init__.py")
    ]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize("room", DOORS)
def test_a_door_says_what_is_behind_it(room: str) -> None:
    tree = ast.parse(DOORS[room].read_text(encoding="utf-8"))
    lines = (ast.get_docstring(tree) or "").splitlines()
    assert 3 <= len(lines) <= 14, f"{room}: what is in the room, what goes in, what comes out, where to start?"
    assert OFFERED[room], f"{room}: what does it offer?"
    known = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    known |= {alias.asname or alias.name for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) for alias in n.names}
    known |= {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    known |= {str(ast.literal_eval(k)) for n in ast.walk(tree) if isinstance(n, ast.Dict) for k in n.keys if k}
    assert [n for n in OFFERED[room] if f"{room}.{n}" not in MODULES and n not in known] == []


def test_a_class_name_means_one_thing() -> None:
    """Names that are used twice are listed in the glossary, with the reason; and no others are."""
    names = Counter(
        node.name
        for path in MODULES.values()
        for node in told(path.read_text(encoding="utf-8"))
        if isinstance(node, ast.ClassDef)
    )
    page = (ROOT / "docs" / "develop" / "glossary.md").read_text(encoding="utf-8")
    rows = page.partition("## Class names that are used twice")[2].splitlines()
    listed = {name for row in rows for name in re.findall(r"`(\w+)`", row.partition("|")[2].partition("|")[0])}
    assert {name for name, count in names.items() if count > 1} == listed


# The checker itself: what it must find, and what it must let pass.


@pytest.mark.parametrize(
    ("module", "source", "why"),
    [
        ("isospin.pipeline.models.safety", "from ...transform.merge import _counts_steps", "own"),
        ("isospin.pipeline.models.safety", "from ...transform.nullness import is_tested", "does not offer nullness"),
        ("isospin.symmetry.reduction", "from ..semantics import evaluate", "does not offer evaluate"),
        ("isospin.symmetry.reduction", "from .detection.terms import facts", "does not offer terms"),
        ("isospin.pipeline.models.safety", "import isospin.symmetry.unwind", "does not offer unwind"),
        ("isospin.pipeline.models.check", "from ...engines.explicit import MOST_ATTEMPTS", "does not offer MOST"),
    ],
)
def test_a_trespass_is_found(module: str, source: str, why: str) -> None:
    (line,) = trespasses(source, module)
    assert why in line


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("isospin.semantics.interp", "from .evaluate import Evaluator"),
        ("isospin.symmetry.detection.detect", "from .terms import facts"),
        ("isospin.symmetry.folding.canon", "from ..detection.detect import Symmetries"),
        ("isospin.pipeline.models.check", "from ...engines.explicit import explore\nimport json"),
        ("isospin.cli", "from isospin.version import __version__"),
    ],
)
def test_what_is_offered_may_be_taken(module: str, source: str) -> None:
    assert trespasses(source, module) == []
