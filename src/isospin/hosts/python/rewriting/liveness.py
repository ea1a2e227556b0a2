"""What a thread that waits for others may still use: variables that are read later, and what no variable names."""

from __future__ import annotations

import ast

from .scopes import Comprehension, Scope, Scopes, is_deferred, resolve, walk
from .sites import Sites
from .syntax import first_calls, holding, is_joins, lines

__all__ = ["live_after", "survey"]


def survey(tree: ast.Module, file: str, scopes: Scopes, sites: Sites) -> None:
    """Where something is held without a name; and does a module ask for addresses?"""
    sites.blocks[file] = [*holding(tree), *(lines(b.body) for b in scopes.blocks if not is_joins(b))]
    sites.first_calls[file] = first_calls(tree)
    sites.addressed |= any(name in ("id", "hash") and resolve(scope, name)[0] is None for scope, name in scopes.uses)


def live_after(scopes: Scopes, here: Scope, loop: ast.AST) -> set[str]:
    """Variables of this scope that may be read behind a loop: those that are named later, in a loop around it, or
    in a function inside; but not if each of these places is in a loop that binds the variable first."""
    end = getattr(loop, "end_lineno", 0)
    names = {name for scope, name in scopes.uses if is_deferred(scope, here) and resolve(scope, name)[0] is here}
    bound = _bound_first(here.node, end)
    for node in walk(here.node):
        if isinstance(node, ast.For | ast.While) and node is not loop and any(n is loop for n in walk(node)):
            names |= {n.id for n in walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
            changed = [n.target for n in walk(node) if isinstance(n, ast.AugAssign)]
            names |= {target.id for target in changed if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.lineno > end:
            names.add(node.target.id)  # `x += 1` reads it
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and getattr(node, "lineno", 0) > end:
            if id(node) not in bound:
                names.add(node.id)
    return names


def _bound_first(tree: ast.AST, end: int) -> set[int]:
    """Places behind a line where a variable is read that the loop or comprehension around has just bound."""
    found: set[int] = set()
    for node in walk(tree):
        if getattr(node, "lineno", 0) <= end:
            continue
        if isinstance(node, ast.For):
            inside = [part for statement in node.body for part in walk(statement)]
            targets = {n.id for n in walk(node.target) if isinstance(n, ast.Name)}
        elif isinstance(node, Comprehension):
            results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
            inside = [part for result in results for part in walk(result)]
            targets = {n.id for g in node.generators for n in walk(g.target) if isinstance(n, ast.Name)}
        else:
            continue
        found |= {id(part) for part in inside if isinstance(part, ast.Name) and part.id in targets}
    return found
