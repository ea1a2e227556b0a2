"""What the rewriter is built from: hooks, the places they stand for, and the homes of variables."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from .scopes import Scope, Scopes, Transformer, resolve
from .sites import Site, Sites
from .syntax import controlled_imports, library_imports, looped

# methods that C code calls, and whose answer it looks at
ASKED_BY_C = ("__len__", "__hash__", "__index__", "__length_hint__", "__sizeof__", "__bool__", "__int__", "__float__")


class Building(Transformer):
    """Pieces of syntax trees: calls of hooks, names for values in between."""

    def __init__(self, tree: ast.Module, source: str, file: str, sites: Sites, variable: set[str]) -> None:
        super().__init__()
        self.lines = source.splitlines()
        self.file = file
        self.sites = sites
        self.counts: Counter[tuple[Site, str]] = Counter()
        self.scopes = Scopes(tree, source)
        self.here = self.scopes.top
        self.class_name = ""
        self.functions: list[str] = []
        self.temporaries = 0
        self.only_shown = False  # the text that is being made
        self.foreign = False  # the program has imported an unknown library
        self.markers: dict[Scope, str] = {}
        self.libraries = dict(library_imports(tree))
        self.controlled = set(controlled_imports(tree))
        self.own_functions = {s.name for s in tree.body if isinstance(s, ast.FunctionDef) and not s.decorator_list}
        again = looped(tree) | {n for n, count in self.scopes.top.stores.items() if count > 1}
        # SOUND: no other code of the module names them, and if code elsewhere does, that is seen (`hooks.homes`).
        self.private = again - variable - set(self.scopes.declared) - self.scopes.named_elsewhere()
        self.variable = (variable | again | set(self.scopes.declared)) - self.private

    def site(self, node: ast.AST) -> ast.Constant:
        line, column = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
        text = self.lines[line - 1].strip() if 0 < line <= len(self.lines) else ""
        place, kind = Site(self.file, line, column + 1, text, ".".join(self.functions)), type(node).__name__
        self.counts[place, kind] += 1
        return ast.Constant(self.sites.add(place, kind, self.counts[place, kind]))

    def hook(self, name: str, *arguments: ast.expr, at: ast.AST) -> ast.Call:
        return ast.copy_location(ast.Call(ast.Name(f"_iso_{name}", ast.Load()), list(arguments), []), at)

    def temporary(self) -> str:
        self.temporaries += 1
        return f"_iso_t{self.temporaries}"

    def owner(self, name: str) -> ast.expr | None:
        """What stands for the variable's home in hooks; None if nobody else can see a change of it."""
        if self.here.kind == "module" or name in self.here.module:
            return self.global_home(name)
        scope, _ = resolve(self.here, name)
        if scope is None or scope.kind == "class":
            return None
        if scope.kind == "module":
            return self.global_home(name)
        return ast.Name(self.marker(scope), ast.Load()) if scope.shares(name) else None

    def global_home(self, name: str) -> ast.expr | None:
        return ast.Name("_iso_module", ast.Load()) if name in self.variable else None

    def marker(self, scope: Scope) -> str:
        return self.markers.setdefault(scope, f"_iso_s{len(self.markers)}")

    def mangled(self, name: str) -> str:
        if name.startswith("__") and not name.endswith("__") and self.class_name:
            return f"_{self.class_name.lstrip('_')}{name}"
        return name

    def key(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Slice):
            parts = [ast.Constant(None) if p is None else self.visit(p) for p in (node.lower, node.upper, node.step)]
            return self.hook("slice", *parts, at=node)
        if isinstance(node, ast.Tuple):
            return ast.copy_location(ast.Tuple([self.key(e) for e in node.elts], ast.Load()), node)
        return self.expression(node)

    def expression(self, node: ast.expr) -> ast.expr:
        new = self.visit(node)
        assert isinstance(new, ast.expr)
        return new

    def touched(self, node: ast.expr) -> ast.expr:
        """The value, of which all is read if it is a container."""
        new = self.expression(node)
        if isinstance(node, ast.Constant | ast.Tuple | ast.JoinedStr | ast.Compare | ast.BinOp | ast.Lambda):
            return new
        return self.hook("touch", new, self.site(node), at=node)

    def told_if_it_fails(self, statement: ast.stmt, at: ast.AST) -> ast.stmt:
        """SOUND: whether a variable can be deleted may depend on others."""
        tell = ast.copy_location(ast.Expr(self.hook("failed", at=at)), at)
        handler = ast.ExceptHandler(None, None, [tell, ast.copy_location(ast.Raise(), at)])
        made = ast.Try([ast.copy_location(statement, at)], [ast.copy_location(handler, at)], [], [])
        return ast.copy_location(made, at)

    def tested(self, node: ast.expr) -> ast.expr:
        """A condition: a container that is tested is read."""
        if isinstance(node, ast.Compare | ast.BoolOp) or (
            isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
        ):
            return self.expression(node)
        new = self.expression(node)
        return new if isinstance(node, ast.Constant) else self.hook("test", new, self.site(node), at=node)

    def is_library(self, name: str) -> bool:
        """Does this name stand for a module of the standard library, here and always?"""
        scope, _ = resolve(self.here, name)
        return scope is self.scopes.top and name in self.libraries and name not in self.variable

    # ---------------------------------------------------------------------------------------------- numbers of threads

    def looked_at(self, node: ast.expr) -> ast.expr:
        """An argument of a function without a hook that looks at numbers."""
        if not isinstance(node, ast.Starred):
            return self.hook("looked_at", node, at=node)
        hook = ast.Name("_iso_looked_at", ast.Load())
        each = ast.Call(ast.Name("_iso_map", ast.Load()), [hook, node.value], [])
        return ast.copy_location(ast.Starred(ast.copy_location(each, node), ast.Load()), node)

    def visit_Return(self, node: ast.Return) -> ast.AST:
        if node.value is not None:
            node.value = self.expression(node.value)
            if self.functions and self.functions[-1] in ASKED_BY_C:
                node.value = self.hook("looked_at", node.value, at=node)
        return node

    def text(self, node: ast.expr) -> ast.expr:
        """An expression whose value is only shown: no number of a thread is told by a text that is made right here."""
        with self.showing(isinstance(node, ast.JoinedStr)):
            return self.expression(node)

    def is_thread(self, function: ast.expr) -> bool:
        """Is this Python's class of threads?  Their names are shown; who asks for one is seen."""
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            home = function.value.id
            return function.attr == "Thread" and self.is_library(home) and self.libraries[home] == "threading"
        if not isinstance(function, ast.Name) or function.id != "Thread":
            return False
        return resolve(self.here, "Thread")[0] is self.scopes.top and "Thread" in self.controlled - self.variable

    @contextmanager
    def showing(self, shows: bool) -> Iterator[None]:
        """What is inside makes a text that is only shown."""
        before, self.only_shown = self.only_shown, shows
        yield
        self.only_shown = before
