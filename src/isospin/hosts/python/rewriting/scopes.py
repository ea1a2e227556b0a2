"""Which names of a Python module can be shared between threads: its globals, and variables of functions that inner
functions use.

The rules are those of the language reference, 4.2.2.  Names of comprehensions are local; a class body is not visible
from the functions in it.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

Function = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
WHOLE_SCOPE = ("globals", "vars", "locals", "eval", "exec", "dir")
Block = ast.With | ast.AsyncWith | ast.For | ast.AsyncFor
Comprehension = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
FIELDS: dict[type[ast.AST], tuple[str, ...]] = {}  # of each kind of node: those that may have nodes
WITHOUT_NODES = ("ctx", "id", "attr", "arg", "kind", "type_comment", "level")  # fields that have none worth a visit


@dataclass(eq=False)
class Scope:
    """A module, class, function or comprehension, and what its names are."""

    node: ast.AST
    kind: str  # module, class, function, comprehension
    parent: Scope | None
    stores: Counter[str] = field(default_factory=Counter)
    parameters: set[str] = field(default_factory=set)
    outer: set[str] = field(default_factory=set)  # declared nonlocal
    module: set[str] = field(default_factory=set)  # declared global
    captured: set[str] = field(default_factory=set)  # used by functions inside

    def binds(self, name: str) -> bool:
        here = name in self.stores or name in self.parameters
        return here and name not in self.outer and name not in self.module

    def shares(self, name: str) -> bool:
        """May another thread see a change of this variable?"""
        if self.kind != "function" or isinstance(self.node, ast.Lambda) or name not in self.captured:
            return False
        return name not in self.parameters or self.stores[name] > 0


class _Visitor:
    """What `ast.NodeVisitor` does, but quicker: it looks only where nodes may be."""

    def __init__(self) -> None:
        self.visitors: dict[type[ast.AST], Callable[[Any], Any]] = {}

    def visit(self, node: ast.AST) -> Any:
        kind = type(node)
        visitor = self.visitors.get(kind)
        if visitor is None:
            visitor = self.visitors[kind] = getattr(self, f"visit_{kind.__name__}", self.generic_visit)
        return visitor(node)

    def generic_visit(self, node: ast.AST) -> Any:
        for child in children(node):
            self.visit(child)


class Transformer(_Visitor):
    """The same for `ast.NodeTransformer`."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Put what comes of the nodes below in their places."""
        for name in FIELDS.get(type(node)) or _fields_with_nodes(type(node)):
            value = getattr(node, name, None)
            if type(value) is list:
                value[:] = self.visited(value)
            elif isinstance(value, ast.AST):
                setattr(node, name, self.visit(value))
        return node

    def visited(self, values: list[Any]) -> Iterator[Any]:
        for value in values:
            new = self.visit(value) if isinstance(value, ast.AST) else value
            if type(new) is list:
                yield from new
            else:
                yield new


class Scopes(_Visitor):
    """All scopes of a module, by node, with what is captured where."""

    def __init__(self, tree: ast.Module, source: str) -> None:
        super().__init__()
        self.declaring = "global" in source or "nonlocal" in source
        self.blocks: list[Block] = []  # bodies in which Python holds a manager or an iterator without a name
        self.of: dict[ast.AST, Scope] = {}
        self.uses: list[tuple[Scope, str]] = []
        self.declared: Counter[str] = Counter()  # names that functions declare global
        self.top = self.here = Scope(tree, "module", None)
        self.of[tree] = self.top
        for statement in tree.body:
            self.visit(statement)
        for scope, name in self.uses:
            owner, crossed = resolve(scope, name)
            if owner is not None and owner.kind == "function" and crossed:
                owner.captured.add(name)
        for scope in self.of.values():
            for name in scope.outer:
                owner, _ = resolve(scope, name)
                if owner is not None:
                    owner.stores[name] += scope.stores[name]

    def named_elsewhere(self) -> set[str]:
        """Names that occur outside the module's own body; all of them, if it asks for its names as a whole."""
        if any(name in WHOLE_SCOPE for _, name in self.uses):
            return {name for _, name in self.uses}
        return {name for scope, name in self.uses if scope is not self.top}

    # ---------------------------------------------------------------------------------------------- names

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.store(node.id)
        self.uses.append((self.here, node.id))

    def store(self, name: str) -> None:
        scope = self.here
        while scope.kind == "comprehension" and scope.parent is not None:  # only := gets here
            scope = scope.parent
        if name in scope.module:
            self.top.stores[name] += 1
        scope.stores[name] += 1

    def visit_Global(self, node: ast.Global) -> None:
        self.here.module.update(node.names)
        if self.here.kind != "module":
            self.declared.update(node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self.here.outer.update(node.names)
        self.uses += [(self.here, name) for name in node.names]

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            self.store((alias.asname or alias.name).split(".")[0])

    visit_ImportFrom = visit_Import

    def visit_With(self, node: Block) -> None:
        self.blocks.append(node)
        self.generic_visit(node)

    visit_AsyncWith = visit_For = visit_AsyncFor = visit_With

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self.store(node.name)
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs | ast.MatchStar) -> None:
        if node.name:
            self.store(node.name)
        self.generic_visit(node)

    visit_MatchStar = visit_MatchAs

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest:
            self.store(node.rest)
        self.generic_visit(node)

    # ---------------------------------------------------------------------------------------------- scopes

    def inside(self, node: ast.AST, kind: str, body: list[ast.AST]) -> Scope:
        before = self.here
        scope = self.here = self.of[node] = Scope(node, kind, before)
        if isinstance(node, Function):
            arguments = node.args
            every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
            scope.parameters = {a.arg for a in every if a is not None}
        for child in body:
            if isinstance(child, ast.Global):  # `global x` may come after the first use only as an error
                scope.module.update(child.names)
        for child in body:
            self.visit(child)
        self.here = before
        return scope

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.store(node.name)
        for outside in [*node.decorator_list, *node.args.defaults, *node.args.kw_defaults]:
            if outside is not None:
                self.visit(outside)
        declarations = [n for n in walk(node) if isinstance(n, ast.Global | ast.Nonlocal)] if self.declaring else []
        self.inside(node, "function", [*(d for d in declarations if _owner_is(node, d)), *node.body])

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        for default in [*node.args.defaults, *node.args.kw_defaults]:
            if default is not None:
                self.visit(default)
        self.inside(node, "function", [node.body])

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.store(node.name)
        for outside in [*node.decorator_list, *node.bases, *node.keywords]:
            self.visit(outside)
        self.inside(node, "class", [*node.body])

    def visit_comprehension_node(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        first, *others = node.generators
        self.visit(first.iter)
        results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        before = self.here
        self.here = self.of[node] = Scope(node, "comprehension", before)
        for generator in node.generators:
            self.here.parameters |= {n.id for n in walk(generator.target) if isinstance(n, ast.Name)}
        for part in [*first.ifs, *(p for g in others for p in (g.iter, *g.ifs)), *results]:
            self.visit(part)
        self.here = before

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_comprehension_node


def _owner_is(function: ast.AST, declaration: ast.AST) -> bool:
    """Does this `global` or `nonlocal` belong to the function itself, not to one inside?"""
    pending = children(function)
    while pending:
        node = pending.pop()
        if node is declaration:
            return True
        if not isinstance(node, (*Function, ast.ClassDef)):
            pending += children(node)
    return False


def resolve(scope: Scope, name: str) -> tuple[Scope | None, bool]:
    """The scope that a name belongs to (None: builtin), and whether it lies outside the function that uses it."""
    crossed = False
    here: Scope | None = scope
    while here is not None:
        if name in here.module:
            while here.parent is not None:
                here = here.parent
            return here, True
        visible = here.kind != "class" or here is scope
        if visible and here.binds(name):
            return here, crossed
        crossed = crossed or here.kind == "function" or isinstance(here.node, ast.GeneratorExp)
        here = here.parent
    return None, crossed


def is_deferred(scope: Scope, home: Scope) -> bool:
    """Is this scope inside a function, class or generator of the other one, so that it may run at any later time?"""
    later = False
    here: Scope | None = scope
    while here is not None and here is not home:
        later = later or here.kind != "comprehension" or isinstance(here.node, ast.GeneratorExp)
        here = here.parent
    return later and here is home


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes right below, without those that only say whether a name is loaded or stored."""
    found: list[ast.AST] = []
    fields = FIELDS.get(type(node))
    for name in _fields_with_nodes(type(node)) if fields is None else fields:
        value = getattr(node, name, None)
        if type(value) is list:
            found += [part for part in value if isinstance(part, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def _fields_with_nodes(kind: type[ast.AST]) -> tuple[str, ...]:
    found = FIELDS[kind] = tuple(name for name in kind._fields if name not in WITHOUT_NODES)
    return found


def walk(node: ast.AST) -> list[ast.AST]:
    """A node and all below it."""
    found = [node]
    for each in found:
        found += children(each)
    return found
