"""Functions: heads, calls and returns.  Their bodies become part of every proctype that calls them (see flow.py)."""

from __future__ import annotations

from ...core.errors import Location
from ...core.model import Binary, Call, Const, Expr, Place, Return, Scalar, Step, Target, Variable, pointed_to
from ...core.records import dataclass
from .declarations import Declarations
from .meaning import counted
from .names import Symbol
from .render import reference as render_reference
from .syntax import CallStatement, FunctionDeclaration, ReturnStatement, Statement


@dataclass(frozen=True)
class _Head:
    """What callers need to know of a function."""

    names: tuple[str, ...]
    types: tuple[Scalar, ...]
    result: Scalar | None
    location: Location


class Functions(Declarations):
    """Functions and calls, as actions of the templates that call them."""

    def __init__(self) -> None:
        super().__init__()
        self.functions: dict[str, FunctionDeclaration] = {}
        self.heads: dict[str, _Head] = {}
        self.function: FunctionDeclaration | None = None  # the one whose body is being translated
        self.areas: dict[tuple[int, str], dict[str, Symbol]] = {}  # (frame, function) -> its parameters

    def define_function(self, unit: FunctionDeclaration) -> None:
        """Its head: parameters and result are scalars or pointers."""
        if unit.name in self.heads:
            first = f"first at {self.heads[unit.name].location}"
            self.fail(unit.location, f"function '{unit.name}' is defined twice", first)
        names, types = [], []
        for declaration in unit.parameters:
            for item in declaration.items:
                kind, size = self.shape(declaration, item)
                if size is not None or not isinstance(kind, Scalar):
                    hint = "pass a pointer to an object, or make it global"
                    self.fail(item.location, f"'{item.name}' is no scalar and no pointer", hint)
                names.append(item.name)
                types.append(kind)
        result = self.type_named(unit.result, unit.location) if unit.result else None
        if result is not None and not isinstance(result, Scalar):
            self.fail(unit.location, f"a function cannot return a whole {result.name}", "return a pointer to an object")
        self.functions[unit.name] = unit
        self.heads[unit.name] = _Head(tuple(names), tuple(types), result, unit.location)

    def step(self, s: Statement) -> Step:
        if isinstance(s, CallStatement):
            return self.call(s)
        if isinstance(s, ReturnStatement):
            return self.returned(s)
        return super().step(s)

    # ---------------------------------------------------------------- variables

    def function_scope(self, name: str) -> dict[str, Symbol]:
        """The parameters of a function in the frame of the proctype, and later its variables."""
        key = (id(self.frame), name)
        if key not in self.areas:
            saved = self.scopes, self.prefix, self.initialising
            self.scopes, self.prefix, self.initialising = [self.scopes[0], {}], f"{name}.", True
            for declaration in self.functions[name].parameters:
                self.declare_all(declaration)
            self.areas[key] = self.scopes[-1]
            self.scopes, self.prefix, self.initialising = saved
        return self.areas[key]

    def variables_of(self, name: str) -> tuple[Variable, ...]:
        """All variables of a function, once its body was translated: in blocks, too."""
        return tuple(v for v in self.frame.variables if v.parts[0].startswith(f"{name}."))

    # ---------------------------------------------------------------- steps

    def call(self, s: CallStatement) -> Call:
        """A call with its arguments, and the variables of the function, which it saves for the case of recursion."""
        if s.function not in self.heads:
            self.fail(s.location, f"function '{s.function}' is not correct")
        if self.inside in ("never", "trace", "notrace"):
            self.fail(s.location, "a function is called outside a process")
        head = self.heads[s.function]
        if len(s.arguments) != len(head.types):
            message = f"{s.function} takes {counted(len(head.types), 'argument')}, got {len(s.arguments)}"
            shown = ", ".join(f"{t.name} {n}" for n, t in zip(head.names, head.types, strict=True)) or "none"
            self.fail(s.location, message, f"its parameters are: {shown} ({head.location})")
        values = tuple(self.expr(a) for a in s.arguments)
        for name, kind, value, source in zip(head.names, head.types, values, s.arguments, strict=True):
            self.check_pointer(kind, f"'{name}'", value, source)
        into = self.result_place(s, head)
        scope = self.function_scope(s.function)
        parameters = tuple(scope[name].leaves[()] for name in head.names)
        return Call(s.function, -1, parameters, values, (), 0, into)

    def result_place(self, s: CallStatement, head: _Head) -> Target | None:
        if s.target is None:
            return None
        if head.result is None:
            self.fail(s.location, f"{s.function} has no result", f"write function {s.function}(...) : type")
        self.check_writable(s.target)
        place = self.target(s.target)
        self.check_pointer(place.variable.type, f"'{render_reference(s.target)}'", _sample(head.result), s.target)
        return place

    def returned(self, s: ReturnStatement) -> Return:
        """A return; site and variables are filled in for each call of the function."""
        assert self.function is not None
        name, kind = self.function.name, self.heads[self.function.name].result
        if s.value is None or kind is None:
            if s.value is not None:
                self.fail(s.location, f"{name} has no result", f"write function {name}(...) : type")
            return Return(name, -1, (), Const(0))
        value = self.expr(s.value)
        self.check_pointer(kind, f"the result of {name}", value, s.value)
        return Return(name, -1, (), _cut_to(kind, value))


def _sample(kind: Scalar) -> Expr:
    """Something of this type, for checks."""
    return Place(Variable(("result",), (0,), (), kind, 0, True))


def _cut_to(kind: Scalar, value: Expr) -> Expr:
    """The value as the type of the result holds it; what is signed is cut where it is stored."""
    if pointed_to(value) is not None or kind.signed or kind.bits >= 31 or isinstance(value, Const):
        return value
    return Binary("&", value, Const((1 << kind.bits) - 1))
