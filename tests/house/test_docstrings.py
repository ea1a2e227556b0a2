"""Docstrings: every class has one, and every function whose name does not say it all.

What a name says cannot be measured.  So: a long function has one, and of the others at most so many have none; who
writes more of them lowers the number.  Visitors of a syntax tree (`visit_Call`) are named by what they visit.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.house.test_imports import SOURCE

LONG, MIDDLING = 20, 12  # lines
MOST_SILENT = 150  # functions of a middling length without a docstring
MOST_LINES = 600  # of a file
# One `match` each, over all that its name says; their files are as long as a file may be.
SILENT = {
    "front/promela/flow.py": {"statement", "prepare", "prepare_choice"},
    "front/promela/meaning.py": {"expr", "operation", "step", "assign"},
}


def nodes(tree: ast.AST, inside: bool = False) -> Iterator[ast.ClassDef | ast.FunctionDef]:
    """Classes and functions, but no functions inside of functions."""
    for node in (*getattr(tree, "body", ()), *getattr(tree, "orelse", ())):
        if isinstance(node, ast.ClassDef) or (isinstance(node, ast.FunctionDef) and not inside):
            yield node
        yield from nodes(node, inside or isinstance(node, ast.FunctionDef))


def silent(source: str) -> list[tuple[ast.ClassDef | ast.FunctionDef, int]]:
    """What has no docstring, with its length in lines."""
    found = [n for n in nodes(ast.parse(source)) if ast.get_docstring(n) is None]
    return [(n, (n.end_lineno or 0) - n.lineno + 1) for n in found if not n.name.startswith(("__", "visit_"))]


@cache
def everywhere() -> list[tuple[str, ast.ClassDef | ast.FunctionDef, int]]:
    texts = {p.relative_to(SOURCE).as_posix(): p.read_text(encoding="utf-8") for p in sorted(SOURCE.rglob("*.py"))}
    return [(name, node, length) for name, text in texts.items() for node, length in silent(text)]


def test_every_class_has_a_docstring() -> None:
    assert [f"{file}: {node.name}" for file, node, _ in everywhere() if isinstance(node, ast.ClassDef)] == []


def test_every_long_function_has_a_docstring() -> None:
    found = [(file, n.name) for file, n, length in everywhere() if isinstance(n, ast.FunctionDef) and length >= LONG]
    assert [f"{file}: {name}" for file, name in found if name not in SILENT.get(file, ())] == []
    assert sum(map(len, SILENT.values())) == len(found), "one of those has a docstring now: take it off the list"


def test_not_more_functions_without_a_docstring() -> None:
    found = [f"{file}: {node.name}" for file, node, length in everywhere() if length >= MIDDLING]
    assert len(found) <= MOST_SILENT, "\n".join(found)


def test_no_file_is_too_long() -> None:
    lengths = {p: len(p.read_text(encoding="utf-8").splitlines()) for p in SOURCE.rglob("*.[pch]*") if _is_code(p)}
    assert len(lengths) > 400
    assert {p.relative_to(SOURCE).as_posix(): n for p, n in lengths.items() if n > MOST_LINES} == {}


def _is_code(path: Path) -> bool:
    return path.suffix in (".py", ".c", ".h")


# The measure itself: what it must find, and what it must let pass.


def test_what_is_silent_is_found() -> None:
    source = 'class A:\n    def f(self):\n        def g(): pass\n        return g\n\n\ndef h():\n    """Says."""\n'
    assert [(node.name, length) for node, length in silent(source)] == [("A", 4), ("f", 3)]
    assert silent('class A:\n    """Says."""\n\n    def visit_Call(self): ...\n    def __init__(self): ...\n') == []
