"""Hooks at every access that another thread may see: attributes, globals, captured variables, items, container methods.

A module is parsed, rewritten and compiled; what it computes stays the same.  Each access becomes a call of a hook of
`hooks.py`, which lets the scheduler run others first and then does the access.  Locals of a function that no inner
function uses get no hook: nobody else can see them.

Reference: the idea is that of Loom and Shuttle for Rust, where the shared types carry the hooks.
Differs: Python has no such types, so the hooks are at the places of access, found in the syntax tree.

Example: the numbers are sites, which stand for a place in the source; `self` and `total` are seen by nobody else.

    >>> hooked('''
    ... class Account:
    ...     def pay(self, amount):
    ...         total = self.balance + amount
    ...         self.balance = total
    ... ''')
    class Account:
        def pay(self, amount):
            total = _iso_binary('Add', _iso_load(self, 'balance', 2), amount, 3)
            _iso_store(total, self, 'balance', 4)
    _iso_bound('Account')

`_iso_load` announces that `balance` is about to be read.  If that place was seen to race, the scheduler decides who
goes on, and between the two hooks another thread may come, whose payment is lost.  `+` has a hook since both sides may
be containers that others change.  Of a global variable that a function binds, both accesses have one:

    >>> hooked('''
    ... def work():
    ...     global hits
    ...     hits = hits + 1
    ... ''')
    def work():
        global hits
        hits = _iso_write(_iso_fetch(_iso_module, 'hits', 2) + 1, _iso_module, 'hits', 3)
    _iso_bound('work')

and `+ 1` has none: nothing is added to a container but another one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from types import CodeType
from typing import Any, NamedTuple

from .building import Building
from .liveness import live_after, survey
from .scopes import WHOLE_SCOPE, resolve, walk
from .sites import Sites
from .syntax import (
    CONTROLLED,
    bound_names,
    is_constant,
    is_joins,
    is_plain_class,
    is_text,
    located,
)  # fmt: skip

PLAIN_CALLS = {"super", "isinstance", "issubclass", "range", "type",
               "id", "callable", "object", "Exception", "ValueError", "int", "float", "abs"}  # fmt: skip
INSIDES = ("mutex", "not_empty", "not_full", "all_tasks_done", "queue")  # of a queue
LOOKING = ("range", "type", "id")  # of these builtins: they look at numbers, and C code does not ask them
CONVERTING = ("int", "float")
CONTAINER_OPERATORS = (ast.Add, ast.Sub, ast.BitOr, ast.BitAnd, ast.BitXor, ast.Mult)


class Rewritten(NamedTuple):
    """A module with hooks."""

    code: CodeType
    variable: frozenset[str]  # globals that may be bound again while others look at them: they have hooks
    private: frozenset[str]  # globals that are bound again, but named only by the module's own body: they have none
    classes: frozenset[tuple[int, str]]  # lines and names of classes that are always made alike


def rewritten(source: str, file: str, sites: Sites, variable: Iterable[str] = (), foreign: bool = False) -> Rewritten:
    """A module with hooks.  Globals that are bound once get none, unless they are known as `variable`."""
    tree = ast.parse(source, file)
    classes = frozenset((s.lineno, s.name) for s in tree.body if isinstance(s, ast.ClassDef) and is_plain_class(s))
    rewriter = _Rewriter(tree, source, file, sites, set(variable))
    rewriter.foreign = foreign
    survey(tree, file, rewriter.scopes, sites)
    located(rewriter.module(tree))
    code = compile(tree, file, "exec", dont_inherit=True)
    return Rewritten(code, frozenset(rewriter.variable), frozenset(rewriter.private), classes)


class _Rewriter(Building):
    """Puts hooks into the tree of one module."""

    def module(self, tree: ast.Module) -> ast.Module:
        head = 0
        for statement in tree.body:  # a docstring and imports from the future stay first
            docstring = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            if not docstring and not (isinstance(statement, ast.ImportFrom) and statement.module == "__future__"):
                break
            head += 1
        tree.body = tree.body[:head] + self.statements(tree.body[head:])
        return tree

    # ---------------------------------------------------------------------------------------------- scopes

    def statements(self, body: list[ast.stmt]) -> list[ast.stmt]:
        result: list[ast.stmt] = []
        for statement in body:
            names = bound_names(statement) if self.here.kind == "module" else set()
            new = self.visit(statement)
            result += new if isinstance(new, list) else [new]
            result += self.bound(statement, names - self.variable - self.private)
        return result

    def bound(self, statement: ast.stmt, bound: set[str]) -> list[ast.stmt]:
        """Tell that a global got its only value: if other threads run already, it must have hooks after all."""
        names = sorted(bound)
        return [ast.copy_location(ast.Expr(self.hook("bound", *map(ast.Constant, names), at=statement)), statement)
                ] if names else []  # fmt: skip

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST | list[ast.AST]:
        node.decorator_list = [self.decorator(d) for d in node.decorator_list]
        self.defaults(node.args)
        home = self.owner(node.name)
        before, self.here = self.here, self.scopes.of[node]
        self.functions.append(node.name)
        body = self.statements(node.body)
        self.functions.pop()
        if self.here in self.markers:
            new = ast.Assign([ast.Name(self.markers[self.here], ast.Store())], self.hook("scope", at=node))
            body.insert(1 if ast.get_docstring(node, clean=False) is not None else 0, ast.copy_location(new, node))
        node.body, self.here = body, before
        return self.announced(node, node.name, home)

    visit_AsyncFunctionDef = visit_FunctionDef

    def decorator(self, node: ast.expr) -> ast.expr:
        plain = isinstance(node, ast.Name) and node.id in ("property", "staticmethod", "classmethod")
        accessor = isinstance(node, ast.Attribute) and node.attr in ("setter", "getter", "deleter")
        new = self.expression(node)
        return new if plain or accessor else self.hook("decorator", new, self.site(node), at=node)

    def announced(self, node: ast.stmt, name: str, home: ast.expr | None) -> ast.AST | list[ast.AST]:
        """A definition of a name that others may see is a write."""
        if home is None:
            return node
        rebind = self.hook("rebind", home, ast.Constant(name), self.site(node), at=node)
        return [ast.copy_location(ast.Expr(rebind), node), node]

    def defaults(self, arguments: ast.arguments) -> None:
        arguments.defaults = [self.visit(d) for d in arguments.defaults]
        arguments.kw_defaults = [None if d is None else self.visit(d) for d in arguments.kw_defaults]

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self.defaults(node.args)
        before, self.here = self.here, self.scopes.of[node]
        node.body = self.visit(node.body)
        self.here = before
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST | list[ast.AST]:
        node.decorator_list = [self.decorator(d) for d in node.decorator_list]
        node.bases = [self.visit(b) for b in node.bases]
        node.keywords = [self.visit(k) for k in node.keywords]
        home = self.owner(node.name)
        outside, before = self.class_name, self.here
        self.class_name, self.here = node.name, self.scopes.of[node]
        self.functions.append(node.name)
        node.body = self.statements(node.body)
        self.functions.pop()
        self.class_name, self.here = outside, before
        return self.announced(node, node.name, home)

    def comprehension(self, node: ast.AST) -> ast.AST:
        generators: list[ast.comprehension] = node.generators  # type: ignore[attr-defined]
        first = generators[0]
        first.iter = self.iterated(first.iter)
        before, self.here = self.here, self.scopes.of[node]
        for generator in generators:
            if generator is not first:
                generator.iter = self.iterated(generator.iter)
            generator.ifs = [self.tested(test) for test in generator.ifs]
        for name in ("elt", "key", "value"):
            if hasattr(node, name):
                setattr(node, name, self.visit(getattr(node, name)))
        self.here = before
        return node if isinstance(node, ast.GeneratorExp) else self.fresh(node)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = comprehension

    def fresh(self, node: ast.AST) -> ast.AST:
        """A new container gets its name where it is made, which is the same place in every schedule."""
        assert isinstance(node, ast.expr)
        return self.hook("new", node, at=node)

    # ---------------------------------------------------------------------------------------------- loads

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if not isinstance(node.ctx, ast.Load):
            return node
        home = self.owner(node.id)
        if home is None:
            return node
        if isinstance(home, ast.Name) and home.id == "_iso_module":
            return self.hook("fetch", home, ast.Constant(node.id), self.site(node), at=node)
        read = self.hook("read", home, ast.Constant(node.id), self.site(node), at=node)
        return self.hook("seen", read, node, at=node)  # first the hook, then the variable

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.value, ast.Name) and self.is_library(node.value.id):
            return node  # nobody changes the standard library
        self.notice_insides(node)
        value = self.visit(node.value)
        return self.hook("load", value, ast.Constant(self.mangled(node.attr)), self.site(node), at=node)

    def notice_insides(self, node: ast.Attribute) -> None:
        """`q.mutex` and the like; `self.queue` is mostly an attribute of the program's own."""
        own = node.attr == "queue" and isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
        self.sites.looks_inside |= node.attr in INSIDES and not own

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        return self.hook("item", self.visit(node.value), self.key(node.slice), self.site(node), at=node)

    def visit_List(self, node: ast.List) -> ast.AST:
        node.elts = [self.visit(e) for e in node.elts]
        return self.fresh(node) if isinstance(node.ctx, ast.Load) else node

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        values = []
        for key, value in zip(node.keys, node.values, strict=True):
            values.append(self.touched(value) if key is None else self.visit(value))
        node.keys = [None if k is None else self.visit(k) for k in node.keys]
        node.values = values
        return self.fresh(node)

    def visit_Set(self, node: ast.Set) -> ast.AST:
        node.elts = [self.visit(e) for e in node.elts]
        return self.fresh(node)

    def visit_Starred(self, node: ast.Starred) -> ast.AST:
        node.value = self.touched(node.value) if isinstance(node.ctx, ast.Load) else node.value
        return node

    def iterated(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
            if resolve(self.here, "range")[0] is None:
                return self.hook("numbers", self.expression(node), self.site(node), at=node)
        if isinstance(node, ast.Tuple):
            return self.expression(node)
        iterated = self.hook("iterate", self.expression(node), self.site(node), at=node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "enumerate":
            if resolve(self.here, "enumerate")[0] is None:
                return self.hook("counted", iterated, self.site(node), at=node)
        return iterated

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        hook = "shown" if self.only_shown else "show"
        with self.showing(False):
            node.value = self.hook(hook, self.expression(node.value), self.site(node), at=node)
        if node.format_spec is not None:
            node.format_spec = self.visit(node.format_spec)
        return node

    def visit_YieldFrom(self, node: ast.YieldFrom) -> ast.AST:
        node.value = self.hook("delegate", self.expression(node.value), self.site(node), at=node)
        return node

    # ---------------------------------------------------------------------------------------------- operators

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        node.values = [*(self.tested(v) for v in node.values[:-1]), self.expression(node.values[-1])]
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        node.operand = self.tested(node.operand) if isinstance(node.op, ast.Not) else self.operand(node.operand)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        node.test = self.tested(node.test)
        node.body, node.orelse = self.expression(node.body), self.expression(node.orelse)
        return node

    def operand(self, node: ast.expr) -> ast.expr:
        """Of an operator that may have no hook: objects of unknown libraries are noticed, if there are any."""
        new = self.expression(node)
        if not self.foreign or isinstance(node, ast.Constant):
            return new
        return self.hook("noticed", new, self.site(node), at=node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        plain = is_constant(node.left, node.right)
        text = isinstance(node.op, ast.Mod) and (is_text(node.left) or not isinstance(node.right, ast.Constant))
        node.left, node.right = self.operand(node.left), self.operand(node.right)
        if not text and ((plain and not isinstance(node.op, ast.Mult)) or not isinstance(node.op, CONTAINER_OPERATORS)):
            return node
        operator = ast.Constant(type(node.op).__name__)
        return self.hook("binary", operator, node.left, node.right, self.site(node), at=node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        sides = [node.left, *node.comparators]
        plain = is_constant(*sides)
        if len(node.ops) == 1 and isinstance(node.ops[0], ast.In | ast.NotIn):
            left, right = self.expression(node.left), self.expression(node.comparators[0])
            found = self.hook("contains", left, right, self.site(node), at=node)
            inverted = isinstance(node.ops[0], ast.NotIn)
            return ast.copy_location(ast.UnaryOp(ast.Not(), found), node) if inverted else found
        if len(node.ops) == 1 and not plain and not isinstance(node.ops[0], ast.Is | ast.IsNot):
            left, right = self.operand(node.left), self.operand(node.comparators[0])
            return self.hook("compare", ast.Constant(type(node.ops[0]).__name__), left, right, self.site(node), at=node)
        if len(node.ops) > 1:
            node.left, *node.comparators = [self.linked(side, "chained comparison") for side in sides]
            return node
        numeric = all(type(side.value) is int for side in sides if isinstance(side, ast.Constant))
        if len(node.ops) == 1 and numeric and isinstance(node.ops[0], ast.Is | ast.IsNot):
            found = self.hook("same", self.operand(node.left), self.operand(node.comparators[0]), at=node)
            inverted = isinstance(node.ops[0], ast.IsNot)
            return ast.copy_location(ast.UnaryOp(ast.Not(), found), node) if inverted else found
        node.left = self.operand(node.left)
        within = [isinstance(op, ast.In | ast.NotIn) for op in node.ops]
        node.comparators = [
            self.touched(c) if w else self.operand(c) for c, w in zip(node.comparators, within, strict=True)
        ]
        return node

    def linked(self, node: ast.expr, what: str) -> ast.expr:
        new = self.operand(node)
        return (
            new
            if isinstance(node, ast.Constant)
            else self.hook("linked", new, ast.Constant(what), self.site(node), at=node)
        )

    # ---------------------------------------------------------------------------------------------- calls

    def visit_Call(self, node: ast.Call) -> ast.AST:
        shows = isinstance(node.func, ast.Name) and node.func.id == "print" and resolve(self.here, "print")[0] is None
        shows = shows and all(keyword.arg in ("sep", "end", "flush") for keyword in node.keywords)
        arguments = [self.text(a) if shows else self.visit(a) for a in node.args]
        for keyword in node.keywords:
            if keyword.arg == "name" and self.is_thread(node.func):
                keyword.value = self.text(keyword.value)
            else:
                keyword.value = self.touched(keyword.value) if keyword.arg is None else self.expression(keyword.value)
        keywords = node.keywords
        function = node.func
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            module = self.libraries.get(function.value.id) if self.is_library(function.value.id) else None
            if module in CONTROLLED:
                return ast.copy_location(ast.Call(function, arguments, keywords), node)
            if module is not None:
                hook = ast.Name("_iso_call", ast.Load())
                return ast.copy_location(ast.Call(hook, [self.site(node), function, *arguments], keywords), node)
        if isinstance(function, ast.Attribute):
            receiver = self.expression(function.value)
            name = ast.Constant(self.mangled(function.attr))
            head = [self.site(node), receiver, name]
            hook = ast.Name("_iso_method" if arguments or keywords else "_iso_ask", ast.Load())
            return ast.copy_location(ast.Call(hook, [*head, *arguments], keywords), node)
        if isinstance(function, ast.Name) and function.id in WHOLE_SCOPE and resolve(self.here, function.id)[0] is None:
            return self.whole_scope(node, function, arguments)
        if isinstance(function, ast.Name) and self.is_plain(function.id):
            if function.id in LOOKING and resolve(self.here, function.id)[0] is None:
                arguments = [a if isinstance(a, ast.Constant) else self.looked_at(a) for a in arguments]
            elif function.id in CONVERTING and len(arguments) == 1 and not isinstance(arguments[0], ast.Starred):
                arguments = [self.hook("touch", arguments[0], self.site(node), at=node)]  # perhaps a `bytearray`
            return ast.copy_location(ast.Call(self.expression(function), arguments, keywords), node)
        head = [self.site(node), self.expression(function)]
        return ast.copy_location(ast.Call(ast.Name("_iso_call", ast.Load()), [*head, *arguments], keywords), node)

    def whole_scope(self, node: ast.Call, function: ast.Name, arguments: list[ast.expr]) -> ast.AST:
        """`vars(x)`, `globals()`, `eval(...)`: they look at the frame of their caller, so they are called from here."""
        site = self.site(node)
        call = ast.copy_location(ast.Call(function, arguments, node.keywords), node)
        if function.id in ("globals", "locals") or not arguments:
            return self.hook("asked_for", call, site, at=node)
        if function.id == "vars":
            return self.hook("attributes_of", *arguments, site, at=node)
        announced = self.hook("dynamic_code", ast.Constant(function.id), site, at=node)
        both = ast.Subscript(ast.Tuple([announced, function], ast.Load()), ast.Constant(1), ast.Load())
        call.func = ast.copy_location(both, node)
        return call

    def is_plain(self, name: str) -> bool:
        """A call that needs no hook: a builtin that touches no container, or a function of this very module."""
        scope, _ = resolve(self.here, name)
        if scope is None:
            return name in PLAIN_CALLS and not (self.foreign and name in ("int", "float", "abs"))
        if scope.kind == "module" and name not in self.variable and name in self.controlled:
            return True
        return scope.kind == "module" and name not in self.variable and name in self.own_functions

    # ---------------------------------------------------------------------------------------------- stores

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.AST]:
        unpacked = any(isinstance(t, ast.Tuple | ast.List) for t in node.targets)
        value = self.touched(node.value) if unpacked else self.expression(node.value)
        if len(node.targets) == 1:
            return self.stored(node.targets[0], value, node)
        if all(isinstance(t, ast.Name) and self.owner(t.id) is None for t in node.targets):
            node.value = value
            return node
        name = self.temporary()
        result: list[ast.AST] = [ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], value), node)]
        for target in node.targets:
            result += self.stored(target, ast.Name(name, ast.Load()), node)
        return [*result, *self.forgotten([name], node)]

    def forgotten(self, names: list[str], at: ast.stmt) -> list[ast.AST]:
        """The names of a module or class can be seen: ours do not stay there."""
        if self.here.kind not in ("module", "class") or not names:
            return []
        return [ast.copy_location(ast.Delete([ast.Name(name, ast.Del()) for name in names]), at)]

    def stored(self, target: ast.expr, value: ast.expr, at: ast.stmt) -> list[ast.AST]:
        """Statements that store a value; all of it is evaluated, in Python's order, before the hook."""
        if isinstance(target, ast.Name):
            home = self.owner(target.id)
            if home is not None:
                value = self.hook("write", value, home, ast.Constant(target.id), self.site(at), at=at)
            return [ast.copy_location(ast.Assign([target], value), at)]
        if isinstance(target, ast.Attribute):
            name = ast.Constant(self.mangled(target.attr))
            store = self.hook("store", value, self.expression(target.value), name, self.site(at), at=at)
            return [ast.copy_location(ast.Expr(store), at)]
        if isinstance(target, ast.Subscript):
            arguments = (value, self.expression(target.value), self.key(target.slice), self.site(at))
            return [ast.copy_location(ast.Expr(self.hook("setitem", *arguments, at=at)), at)]
        return self.unpacked(target, value, at)

    def unpacked(self, target: ast.expr, value: ast.expr, at: ast.stmt) -> list[ast.AST]:
        """a, b.c = v: first into temporaries, then one store each."""
        later: list[ast.AST] = []
        shape = self.shape(target, later, at)
        return [ast.copy_location(ast.Assign([shape], value), at), *later]

    def shape(self, target: ast.expr, later: list[ast.AST], at: ast.stmt) -> ast.expr:
        if isinstance(target, ast.Tuple | ast.List):
            return ast.copy_location(ast.Tuple([self.shape(e, later, at) for e in target.elts], ast.Store()), target)
        if isinstance(target, ast.Starred):
            return ast.copy_location(ast.Starred(self.shape(target.value, later, at), ast.Store()), target)
        if isinstance(target, ast.Name) and self.owner(target.id) is None:
            return target
        name = self.temporary()
        later += [*self.stored(target, ast.Name(name, ast.Load()), at), *self.forgotten([name], at)]
        return ast.Name(name, ast.Store())

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | list[ast.AST]:
        if node.value is None:
            return node
        if isinstance(node.target, ast.Name) and self.here.kind != "function":  # class and module keep annotations
            home = self.owner(node.target.id)
            node.value = self.expression(node.value)
            if home is not None:
                node.value = self.hook(
                    "write", node.value, home, ast.Constant(node.target.id), self.site(node), at=node
                )
            return node
        return self.stored(node.target, self.expression(node.value), node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.AST:
        node.value = self.expression(node.value)
        home = self.owner(node.target.id)
        if home is not None:
            node.value = self.hook("write", node.value, home, ast.Constant(node.target.id), self.site(node), at=node)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.AST]:
        """x += e is a read, then a write; and a change of the value itself, if that is a container."""
        if (
            isinstance(node.target, ast.Name)
            and self.owner(node.target.id) is None
            and isinstance(node.value, ast.Constant)
        ):
            return node
        before: list[ast.AST] = []
        names: list[str] = []

        def kept(value: ast.expr) -> ast.expr:
            name = self.temporary()
            names.append(name)
            before.append(ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], value), node))
            return ast.Name(name, ast.Load())

        target = node.target
        if isinstance(target, ast.Attribute):
            home = kept(self.expression(target.value))
            name = ast.Constant(self.mangled(target.attr))
            old = kept(self.hook("load", home, name, self.site(node), at=node))
        elif isinstance(target, ast.Subscript):
            home, name = kept(self.expression(target.value)), kept(self.key(target.slice))  # type: ignore[assignment]
            old = kept(self.hook("item", home, name, self.site(node), at=node))
        else:
            old = self.expression(ast.copy_location(ast.Name(target.id, ast.Load()), node))
            if self.owner(target.id) is not None:
                old = kept(old)
        value = self.operand(node.value)
        if self.foreign and not isinstance(old, ast.Name):
            old = self.hook("noticed", old, self.site(node), at=node)
        if isinstance(node.value, ast.Constant) or not isinstance(node.op, CONTAINER_OPERATORS):
            new: ast.expr = kept(old) if not isinstance(old, ast.Name) else old
            step = ast.AugAssign(ast.Name(new.id, ast.Store()), node.op, value)  # type: ignore[attr-defined]
            before.append(ast.copy_location(step, node))
        else:
            operator = ast.Constant(type(node.op).__name__)
            new = self.hook("inplace", operator, old, value, self.site(node), at=node)
        if isinstance(target, ast.Name):
            return [
                *before,
                *([] if isinstance(new, ast.Name) and new.id == target.id else self.stored(target, new, node)),
                *self.forgotten(names, node),
            ]
        hook = "store" if isinstance(target, ast.Attribute) else "setitem"
        change = ast.copy_location(ast.Expr(self.hook(hook, new, home, name, self.site(node), at=node)), node)
        return [*before, change, *self.forgotten(names, node)]

    def visit_Delete(self, node: ast.Delete) -> list[ast.AST]:
        result: list[ast.AST] = []
        for target in node.targets:
            if isinstance(target, ast.Attribute):
                arguments = (self.expression(target.value), ast.Constant(self.mangled(target.attr)), self.site(node))
                result.append(ast.Expr(self.hook("delete", *arguments, at=node)))
            elif isinstance(target, ast.Subscript):
                arguments = (self.expression(target.value), self.key(target.slice), self.site(node))  # type: ignore[assignment]
                result.append(ast.Expr(self.hook("delitem", *arguments, at=node)))
            else:
                if isinstance(target, ast.Name) and (home := self.owner(target.id)) is not None:
                    rebind = self.hook("rebind", home, ast.Constant(target.id), self.site(node), at=node)
                    result.append(ast.Expr(rebind))
                result.append(self.told_if_it_fails(ast.Delete([target]), node))
        return [ast.copy_location(statement, node) for statement in result]

    # ---------------------------------------------------------------------------------------------- statements

    def visit_For(self, node: ast.For | ast.AsyncFor) -> ast.AST:
        if is_joins(node):
            live = ast.Tuple([ast.Constant(n) for n in sorted(live_after(self.scopes, self.here, node))], ast.Load())
            node.iter = self.hook("joins", self.expression(node.iter), live, self.site(node), at=node)
        elif isinstance(node, ast.For):
            node.iter = self.iterated(node.iter)
        later: list[ast.AST] = []
        home = self.owner(node.target.id) if isinstance(node.target, ast.Name) and isinstance(node, ast.For) else None
        if home is not None and isinstance(node.target, ast.Name):
            node.iter = self.hook("binding", node.iter, home, ast.Constant(node.target.id), self.site(node), at=node)
        else:
            node.target = self.shape(node.target, later, node)
        node.body = [*later, *self.statements(node.body)]  # type: ignore[list-item]
        node.orelse = self.statements(node.orelse)
        return node

    visit_AsyncFor = visit_For

    def visit_While(self, node: ast.While) -> ast.AST:
        yields = any(isinstance(n, ast.Yield | ast.YieldFrom | ast.Await) for n in walk(node))
        node.test = self.tested(node.test)
        turn = self.hook("turn", self.site(node), ast.Constant(not yields), at=node)
        node.test = ast.copy_location(ast.BoolOp(ast.Or(), [turn, node.test]), node)
        node.body, node.orelse = self.statements(node.body), self.statements(node.orelse)
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        node.test = self.tested(node.test)
        node.body, node.orelse = self.statements(node.body), self.statements(node.orelse)
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        node.test = self.tested(node.test)
        node.msg = None if node.msg is None else self.text(node.msg)
        return node

    def visit_With(self, node: ast.With | ast.AsyncWith) -> ast.AST:
        later: list[ast.AST] = []
        for item in node.items:
            item.context_expr = self.hook("manager", self.expression(item.context_expr), self.site(node), at=node)
            if item.optional_vars is not None:
                item.optional_vars = self.shape(item.optional_vars, later, node)
        node.body = [*later, *self.statements(node.body)]  # type: ignore[list-item]
        return node

    visit_AsyncWith = visit_With

    def visit_Try(self, node: ast.Try) -> ast.AST:
        node.body, node.orelse = self.statements(node.body), self.statements(node.orelse)
        node.finalbody = self.statements(node.finalbody)
        for handler in node.handlers:
            handler.type = None if handler.type is None else self.expression(handler.type)
            handler.body = self.statements(handler.body)
        return node

    def visit_TryStar(self, node: Any) -> ast.AST:
        return self.visit_Try(node)

    def visit_Match(self, node: ast.Match) -> ast.AST:
        node.subject = self.linked(node.subject, "match")
        for case in node.cases:
            case.guard = None if case.guard is None else self.tested(case.guard)
            case.body = self.statements(case.body)
        return node
