"""Expressions of a pointer automaton -> expressions of the model.

Reference: Wang et al. (TSE 2004), 3.2 and 3.3: three values, and every operator strict: TRUE || undefined is undefined.
Differs: an expression that may be undefined becomes two that never fault, its value and whether it is defined; since
every operator is strict, the whole is defined where all its parts are.  (`c ? a : b`, which is ours, needs only one of
its branches.)  In actions an undefined value is a fault of its own kind, raised where it happens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product

from ...core.errors import Location, SourceError, TooLarge
from ...core.model import (
    A_PROCESS,
    AtLabel,
    Binary,
    Bounded,
    Conditional,
    Const,
    Expr,
    Place,
    Self,
    Unary,
    Variable,
    apply_binary,
    apply_unary,
)
from ...core.records import dataclass
from .names import CONSTANTS, Names, Role
from .syntax import (
    Arrow,
    Assignment,
    Comparison,
    Expression,
    IfElse,
    Name,
    Number,
    Operation,
    ProcessElement,
    Quantified,
    show,
)

TRUE, FALSE = Const(1), Const(0)
LOGIC = ("!", "&&", "||", "=>")
MOST_TERMS = 20_000  # that one quantifier stands for
MOST_TERMS_IN_ALL = 100_000
MOST_MODES = 50  # in a tree of conditions, one inside the other
FARTHEST = 1 << 31
MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True)
class _RangedValue:
    """A value, and between which numbers it lies; the mode of a process is known by the process."""

    expr: Expr
    low: int
    high: int
    mode_of: Expr | None = None

    @property
    def constant(self) -> int | None:
        return self.expr.value if isinstance(self.expr, Const) else None


def _constant(value: int, text: str = "") -> _RangedValue:
    return _RangedValue(Const(value, text), value, value)


class Meaning:
    """Reads expressions as one process of a role, or (without a role) from outside.

    `faults`: undefined values are faults; otherwise `defined` collects when they are not there.
    """

    def __init__(self, names: Names, role: Role | None = None, faults: bool = False) -> None:
        self.names, self.role, self.faults = names, role, faults
        self.bound: dict[str, int] = {}
        self.defined: list[Expr] = []

    # ---------------------------------------------------------------- conditions

    def strict(self, e: Expression) -> Expr:
        """The condition, false where it is undefined."""
        value = self.condition(e)
        return conjunction([*self.defined, value])

    def condition(self, e: Expression) -> Expr:
        """What must be true; `defined` gets what must hold for it to have a value at all."""
        match e:
            case Operation("!", (operand,)):
                return _negation(self.condition(operand))
            case Operation("&&" | "||" | "=>", (left, right)):
                a, b = self.condition(left), self.condition(right)
                return self.conjoin([a, b]) if e.op == "&&" else self.disjoin([_negation(a) if e.op == "=>" else a, b])
            case Comparison():
                return self.comparison(e)
            case Quantified():
                return self.quantified(e)
            case IfElse(condition, then, otherwise):
                return self.choice(condition, lambda: self.condition(then), lambda: self.condition(otherwise))
        value = self.value(e)
        return Const(int(value.constant != 0)) if value.constant is not None else Binary("!=", value.expr, Const(0))

    def conjoin(self, parts: Iterable[Expr]) -> Expr:
        return _joined("&" if self.faults else "&&", parts, TRUE)

    def disjoin(self, parts: Iterable[Expr]) -> Expr:
        # SOUND: in actions all operands are evaluated, so that a fault in any of them is seen.
        return _joined("|" if self.faults else "||", parts, FALSE)

    def quantified(self, e: Quantified) -> Expr:
        """A quantifier stands for a condition for each choice of processes, so it must not be too large."""
        if len(set(e.names)) < len(e.names):
            raise SourceError.at(e.location, "a quantifier names the same process twice", "choose different names")
        for name in e.names:
            if name in self.bound or self.names.is_taken(name):
                raise SourceError.at(e.location, f"'{name}' has a meaning already", "choose another name")
        terms = self.names.size ** min(len(e.names), 64)
        self.names.terms += terms
        if self.names.terms > MOST_TERMS_IN_ALL:
            message = f"the quantifiers up to here stand for more than {MOST_TERMS_IN_ALL} conditions"
            raise TooLarge.at(e.location, message, "use a smaller -N")
        if terms > MOST_TERMS:
            raise SourceError.at(e.location, f"this stands for more than {MOST_TERMS} conditions", "use a smaller -N")
        parts = []
        for pids in product(range(1, self.names.size + 1), repeat=len(e.names)):
            self.bound.update(zip(e.names, pids, strict=True))
            parts.append(self.condition(e.body))
        for name in e.names:
            del self.bound[name]
        return self.conjoin(parts) if e.kind == "forall" else self.disjoin(parts)

    def choice(self, condition: Expression, then: Callable[[], Expr], otherwise: Callable[[], Expr]) -> Expr:
        """Only the branch that is taken has to be defined."""
        test = self.condition(condition)
        outside, branches = self.defined, []
        for read in (then, otherwise):
            self.defined = []
            branches.append((read(), conjunction(self.defined)))
        self.defined = outside
        (yes, needs_yes), (no, needs_no) = branches
        if needs_yes != TRUE or needs_no != TRUE:
            self.defined.append(_conditional(test, needs_yes, needs_no))
        return _conditional(test, yes, no)

    def comparison(self, e: Comparison) -> Expr:
        """A chain of comparisons; those with modes become tests of locations."""
        values = [self.value(x) for x in e.operands]
        parts: list[Expr] = []
        modes: tuple[Expr, frozenset[int]] | None = None  # of one process, from neighbouring comparisons
        for left, op, right in zip(values, e.ops, values[1:], strict=False):
            if left.mode_of is None and right.mode_of is not None:
                left, op, right = right, MIRRORED[op], left
            if left.mode_of is None or right.constant is None:
                parts.append(_compared(left, op, right))
                continue
            chosen = frozenset(m for m in self.names.labels if apply_binary(op, m, right.constant))
            if modes is not None and modes[0] == left.mode_of:
                chosen &= modes[1]
                parts.pop()
            modes = left.mode_of, chosen
            parts.append(self.mode_is(left.mode_of, chosen))
        return self.conjoin(parts)

    # ---------------------------------------------------------------- values

    def value(self, e: Expression) -> _RangedValue:
        """An expression with the range of its values."""
        match e:
            case Number(value):
                return _constant(value)
            case Name(name):
                return self.named(name, e.location)
            case Arrow(pointer, name):
                return self.of_process(name, self.process(self.value(pointer), pointer), e.location)
            case ProcessElement(name, index):
                return self.of_process(name, self.process(self.value(index), index), e.location)
            case Operation(op) if op not in LOGIC:
                return self.arithmetic(e)
            case IfElse(condition, then, otherwise):
                return self.choose(condition, then, otherwise)
        hint = "a condition is not a number: write `condition ? 1 : 0`"
        raise SourceError.at(e.location, f"expected a value, found the condition '{show(e)}'", hint)

    def choose(self, condition: Expression, then: Expression, otherwise: Expression) -> _RangedValue:
        found: list[_RangedValue] = []

        def read(e: Expression) -> Expr:
            found.append(self.value(e))
            return found[-1].expr

        expr = self.choice(condition, lambda: read(then), lambda: read(otherwise))
        return _RangedValue(expr, min(v.low for v in found), max(v.high for v in found))

    def named(self, name: str, location: Location) -> _RangedValue:
        """A constant, a mode, the process itself (`P`), or a variable."""
        names = self.names
        if name in self.bound:
            return _constant(self.bound[name], A_PROCESS)
        if name == "N":
            return _constant(names.size)
        if name in CONSTANTS:
            return _constant(CONSTANTS[name], name if name == "NULL" else "")
        if name in names.constants:
            return _constant(names.constants[name])
        if name in names.modes:
            return _constant(names.modes[name])
        if name == "P":
            if self.role is None:
                raise SourceError.at(location, "'P' has no meaning here", "no process is meant: use a quantifier")
            return _RangedValue(Self(), self.role.first, self.role.first + self.role.count - 1)
        if name != "mode" and name not in names.variables:
            raise names.unknown(name, location)
        if name != "mode" and not names.variables[name].owned:
            return _RangedValue(Place(names.variables[name], (), location), *names.bounds[name])
        if self.role is None:
            raise SourceError.at(location, f"'{name}' is local: whose is meant?", f"write {name}[p]")
        return self.of_process(name, Self(), location)

    def of_process(self, name: str, pid: Expr, location: Location) -> _RangedValue:
        """The local variable of a process."""
        if name == "mode":
            return self.mode(pid)
        variable = self.names.variables.get(name)
        if variable is None:
            raise self.names.unknown(name, location, "local variable")
        if not variable.owned:
            raise SourceError.at(location, f"'{name}' is global: no process has its own", f"write {name}")
        return _RangedValue(Place(variable, (pid,), location), *self.names.bounds[name])

    def process(self, value: _RangedValue, e: Expression) -> Expr:
        """The process that a pointer names; NULL names none."""
        size, place, text = self.names.size, e.location, show(e)
        if value.constant is not None and not 1 <= value.constant <= size:
            message = "NULL names no process" if value.constant == 0 else f"there is no process {value.constant}"
            raise SourceError.at(place, message, f"the processes are 1 to {size}")
        if value.low >= 1 and value.high <= size:
            return value.expr
        fits = value.low >= 0 and value.high <= size
        if not self.faults:
            inside = Binary("!=", value.expr, Const(0, "NULL")) if fits else _within(value.expr, 1, size)
            self.defined.append(inside)
            return value.expr if fits else Conditional(inside, value.expr, Const(0))
        inner = value.expr
        if not fits:
            inner = Bounded(inner, 0, size, "out-of-range", f"{text} is not a process", place)
        return Bounded(inner, 1, size, "null-dereference", f"{text} is NULL", place)

    def arithmetic(self, e: Operation) -> _RangedValue:
        """Constants are computed at once; of the rest the range is known."""
        values = [self.value(x) for x in e.operands]
        known = [v.constant for v in values]
        if e.op == "/":
            values[1] = self.divisor(values[1], e.location)
        if all(k is not None for k in known):
            return _constant(_calculated(e.op, [k for k in known if k is not None]))
        if len(values) == 1:
            return _RangedValue(Unary("-", values[0].expr), *_clipped(-values[0].high, -values[0].low))
        (left, right), expr = values, Binary(e.op, values[0].expr, values[1].expr, e.location)
        return _RangedValue(expr, *_interval(e.op, left, right))

    def divisor(self, value: _RangedValue, location: Location) -> _RangedValue:
        if value.constant == 0:
            raise SourceError.at(location, "division by zero")
        if value.constant is not None or value.low > 0 or self.faults:
            return value
        nonzero = Binary("!=", value.expr, Const(0))
        self.defined.append(nonzero)
        return _RangedValue(Conditional(nonzero, value.expr, Const(1)), value.low, value.high)

    # ---------------------------------------------------------------- modes

    def roles(self, pid: Expr) -> list[Role]:
        """The roles that a process may have."""
        if isinstance(pid, Const):
            return [self.names.role_of(pid.value)]
        if isinstance(pid, Self) and self.role is not None:
            return [self.role]
        return self.names.roles

    def mode_is(self, pid: Expr, modes: frozenset[int]) -> Expr:
        """Is the process in one of the modes?"""
        roles = self.roles(pid)
        if len(roles) == 1 and isinstance(pid, Const | Self) and set(roles[0].modes) <= modes:
            return TRUE
        return _joined("||", [self.at(r, pid, m) for r in roles for m in r.modes if m in modes], FALSE)

    def at(self, role: Role, pid: Expr, mode: int) -> Expr:
        return AtLabel(role.name, pid, self.names.labels[mode])

    def mode(self, pid: Expr) -> _RangedValue:
        expr: Expr = Const(0)
        known = [(self.at(role, pid, number), Const(number)) for role in self.roles(pid) for number in role.modes]
        if len(known) > MOST_MODES:  # the same, in a tree that is not as high: only one of them counts
            expr = _joined("+", [Conditional(at, number, Const(0)) for at, number in known], Const(0))
        else:
            for at, number in known:
                expr = Conditional(at, number, expr)
        return _RangedValue(expr, min(0, *self.names.labels), max(self.names.labels), pid)

    # ---------------------------------------------------------------- actions

    def assignment(self, a: Assignment) -> tuple[Place, Expr]:
        """Where the value goes, and the value; one that is out of range is a fault."""
        match a.target:
            case Name("mode") | Arrow(_, "mode") | ProcessElement("mode"):
                raise SourceError.at(a.location, "the mode cannot be assigned", "a transition ends with `goto`")
            case Name() | Arrow() | ProcessElement():
                target = self.value(a.target)
            case _:
                raise SourceError.at(a.location, "this cannot be assigned", "assign to a variable")
        if not isinstance(target.expr, Place):
            raise SourceError.at(a.location, f"'{show(a.target)}' cannot be assigned", "assign to a variable")
        variable: Variable = target.expr.variable
        low, high = self.names.bounds[variable.name]
        value = self.value(a.value)
        if value.constant is not None and not low <= value.constant <= high:
            message = f"{value.constant} is outside of {low}..{high}"
            raise SourceError.at(a.location, message, f"the range of {variable.name} is {low}..{high}")
        if low <= value.low and value.high <= high:
            return target.expr, value.expr
        message = f"{show(a.target)} cannot hold this value: its range is {low}..{high}"
        return target.expr, Bounded(value.expr, low, high, "out-of-range", message, a.location)


# ------------------------------------------------------------------------------------------------ building


def _joined(op: str, parts: Iterable[Expr], neutral: Const) -> Expr:
    """One balanced expression, without parts that say nothing."""
    kept = [p for p in parts if p != neutral]
    absorbing = Const(1 - neutral.value)
    if absorbing in kept and op in ("&&", "||"):
        return absorbing
    kept = list(dict.fromkeys(kept))
    while len(kept) > 1:
        pairs = [kept[i : i + 2] for i in range(0, len(kept), 2)]
        kept = [Binary(op, pair[0], pair[1]) if len(pair) == 2 else pair[0] for pair in pairs]
    return kept[0] if kept else neutral


def conjunction(parts: Iterable[Expr]) -> Expr:
    return _joined("&&", parts, TRUE)


def _negation(e: Expr) -> Expr:
    match e:
        case Const(value):
            return Const(int(not value))
        case Unary("!", operand):
            return operand
    return Unary("!", e)


def _conditional(test: Expr, yes: Expr, no: Expr) -> Expr:
    if isinstance(test, Const):
        return yes if test.value else no
    return Conditional(test, yes, no)


def _within(e: Expr, low: int, high: int) -> Expr:
    return Binary("&&", Binary(">=", e, Const(low)), Binary("<=", e, Const(high)))


def _compared(left: _RangedValue, op: str, right: _RangedValue) -> Expr:
    if left.constant is not None and right.constant is not None:
        return Const(int(apply_binary(op, left.constant, right.constant)))
    return Binary(op, left.expr, right.expr)


def _calculated(op: str, known: list[int]) -> int:
    return apply_unary(op, known[0]) if len(known) == 1 else apply_binary(op, known[0], known[1])


def _interval(op: str, left: _RangedValue, right: _RangedValue) -> tuple[int, int]:
    (a, b), (c, d) = (left.low, left.high), (right.low, right.high)
    if op == "/":
        most = max(abs(a), abs(b))
        return (0, b) if a >= 0 and c >= 0 else (-most, most)
    corners = {"+": (a + c, b + d), "-": (a - d, b - c), "*": (a * c, a * d, b * c, b * d)}[op]
    return _clipped(min(corners), max(corners))


def _clipped(low: int, high: int) -> tuple[int, int]:
    """Arithmetic has 32 bits: what may not fit may be anything."""
    return (low, high) if low >= -FARTHEST and high < FARTHEST else (-FARTHEST, FARTHEST - 1)
