"""Questions about the syntax tree of a module."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from .scopes import Comprehension, Function, children

PLACE = ("lineno", "col_offset", "end_lineno", "end_col_offset")
SCOPES = (*Function, ast.ClassDef, *Comprehension)
CONTROLLED = ("threading", "queue", "concurrent.futures", "_thread")  # what comes from there needs no hook


def is_joins(node: ast.AST) -> bool:
    """`for t in threads: t.join()`: waiting for a set of threads, in which their order does not matter."""
    if not isinstance(node, ast.For) or node.orelse or len(node.body) != 1 or not isinstance(node.target, ast.Name):
        return False
    statement = node.body[0]
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or call.args or call.keywords or not isinstance(call.func, ast.Attribute):
        return False
    receiver = call.func.value
    return call.func.attr == "join" and isinstance(receiver, ast.Name) and receiver.id == node.target.id


def is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))


def is_constant(*sides: ast.expr) -> bool:
    """Is one of these a constant that no container can be like?  Bytes are like a `bytearray`."""
    return any(isinstance(side, ast.Constant) and not isinstance(side.value, bytes) for side in sides)


def lines(body: list[ast.stmt]) -> tuple[int, int]:
    return body[0].lineno, body[-1].end_lineno or body[-1].lineno


def is_plain_class(node: ast.ClassDef) -> bool:
    """Does the statement always make the same class: functions and constants, and nothing that is computed?"""
    computed = [*node.bases, *node.keywords, *node.decorator_list, *getattr(node, "type_params", ())]
    return not computed and all(_is_plain_member(statement) for statement in node.body)


def _is_plain_member(node: ast.stmt) -> bool:
    if isinstance(node, ast.FunctionDef):
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
        defaults = [*node.args.defaults, *node.args.kw_defaults]
        annotations = [node.returns, *(a.annotation for a in arguments if a is not None)]
        values = [d for d in defaults if not isinstance(d, ast.Constant)]
        return not any((*node.decorator_list, *annotations, *values, *getattr(node, "type_params", ())))
    if isinstance(node, ast.Assign):
        return isinstance(node.value, ast.Constant) and all(isinstance(t, ast.Name) for t in node.targets)
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def library_imports(tree: ast.Module) -> Iterable[tuple[str, str]]:
    """Names that `import` binds to modules of the standard library, at the top of the module."""
    for statement in tree.body:
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                root = alias.name.split(".")[0]
                if root in sys.stdlib_module_names and ("." not in alias.name or alias.asname):
                    yield alias.asname or alias.name, alias.name


def controlled_imports(tree: ast.Module) -> Iterable[str]:
    """Names that come from modules for which the program gets stand-ins."""
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom) and statement.module in CONTROLLED and not statement.level:
            yield from (alias.asname or alias.name for alias in statement.names)


def looped(tree: ast.Module) -> set[str]:
    """Globals that are bound inside a loop of the module's own body: more than once, perhaps."""
    loops = [n for n in _own_nodes(tree) if isinstance(n, ast.For | ast.While)]
    return {name for loop in loops for name in bound_names(loop)}


def bound_names(statement: ast.AST) -> set[str]:
    """Names that a statement of a module's body binds there."""
    names: set[str] = set()
    for node in [statement, *_own_nodes(statement)]:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(a.asname or a.name).split(".")[0] for a in node.names}
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
    return names


def _own_nodes(tree: ast.AST) -> Iterable[ast.AST]:
    """All nodes below, but not those inside functions, classes and comprehensions."""
    pending = children(tree) if not _is_scope(tree) else []
    while pending:
        node = pending.pop()
        yield node
        if not _is_scope(node):
            pending += children(node)


def located(node: ast.AST, place: tuple[int, int, int, int] = (1, 0, 1, 0)) -> None:
    """What `ast.fix_missing_locations` does, but quicker: nodes without a place get that of the node above."""
    if "lineno" in node._attributes:
        mine = vars(node)
        if mine.get("end_lineno") is None:
            for name, value in zip(PLACE, place, strict=True):
                if mine.get(name) is None:
                    mine[name] = value
        place = mine["lineno"], mine["col_offset"], mine["end_lineno"], mine["end_col_offset"]
    for child in children(node):
        located(child, place)


def _is_scope(node: ast.AST) -> bool:
    return isinstance(node, SCOPES)


def holding(tree: ast.Module) -> list[tuple[int, int]]:
    """Lines in which Python holds an exception, or what a function is about to return, without a name."""
    tries: list[Any] = [node for node in ast.walk(tree) if isinstance(node, ast.Try | TryStar)]
    bodies = [body for node in tries for body in (node.finalbody, *(handler.body for handler in node.handlers))]
    return [lines(body) for body in bodies if body]


def first_calls(tree: ast.Module) -> dict[Range, str]:
    """Calls during which nothing waits that their statement has computed before; and what is called."""
    found: dict[Range, str] = {}
    for statement in ast.walk(tree):
        if isinstance(statement, ast.stmt) and not isinstance(statement, ast.AugAssign):
            for part in ast.iter_child_nodes(statement):
                if isinstance(part, ast.expr):
                    found.update(_first_calls(part))
    return found


def _first_calls(node: ast.expr) -> Iterator[tuple[Range, str]]:
    if isinstance(node, ast.Call):
        function = node.func
        if isinstance(function, ast.Name | ast.Attribute):
            name = function.id if isinstance(function, ast.Name) else function.attr
            yield (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset), name
        if isinstance(function, ast.Attribute) and not isinstance(function.value, ast.Name):
            yield from _first_calls(function.value)
        elif isinstance(function, ast.Name | ast.Attribute) and node.args:  # `sys.exit(main())`
            yield from _first_calls(node.args[0])
    elif isinstance(node, ast.Compare | ast.BinOp):
        yield from _first_calls(node.left)


TryStar: type = getattr(ast, "TryStar", ast.Try)
Range = tuple[int, int | None, int, int | None]  # lines and columns, as a code object has them
