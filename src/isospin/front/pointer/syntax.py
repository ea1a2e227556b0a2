"""The syntax tree of a pointer automaton, and its text."""

from __future__ import annotations

from dataclasses import field
from typing import TypeAlias

from ...core.errors import NOWHERE, Location
from ...core.records import dataclass


@dataclass(frozen=True)
class Number:
    """A number as it is written."""

    value: int
    location: Location = NOWHERE


@dataclass(frozen=True)
class Name:
    """A variable, a constant, a mode, or a process that a quantifier names."""

    name: str
    location: Location = NOWHERE


@dataclass(frozen=True)
class Arrow:
    """`y->x`: the variable x of the process that y points to."""

    pointer: Expression
    name: str
    location: Location = NOWHERE


@dataclass(frozen=True)
class ProcessElement:
    """`x[i]`: the variable x of process i."""

    name: str
    index: Expression
    location: Location = NOWHERE


@dataclass(frozen=True)
class Operation:
    """`+ - * /`, `! && || =>`, and unary minus, which has one operand."""

    op: str
    operands: tuple[Expression, ...]
    location: Location = NOWHERE


@dataclass(frozen=True)
class Comparison:
    """`6 <= mode[1] <= 9`: every two neighbours are compared."""

    operands: tuple[Expression, ...]
    ops: tuple[str, ...]
    location: Location = NOWHERE


@dataclass(frozen=True)
class IfElse:
    """`c ? a : b`: only one of the two is evaluated."""

    condition: Expression
    then: Expression
    otherwise: Expression
    location: Location = NOWHERE


@dataclass(frozen=True)
class Quantified:
    """`forall` or `exists` over processes."""

    kind: str  # forall, exists
    names: tuple[str, ...]
    body: Expression
    location: Location = NOWHERE


Expression: TypeAlias = Number | Name | Arrow | ProcessElement | Operation | Comparison | IfElse | Quantified


@dataclass(frozen=True)
class Assignment:
    """A new value for a variable."""

    target: Expression
    value: Expression
    location: Location


@dataclass(frozen=True)
class TransitionRule:
    """When a process may go from a mode to another, and what it assigns."""

    guard: Expression | None
    assignments: tuple[Assignment, ...]
    target: str
    target_location: Location
    location: Location


@dataclass(frozen=True)
class Mode:
    """A mode of a process with its rules."""

    name: str  # a number or a name
    rules: tuple[TransitionRule, ...]
    location: Location


@dataclass(frozen=True)
class ProcessRule:
    """A role: so many processes with these modes; without modes, passive ones."""

    name: str
    count: Expression | None  # None: all the others
    modes: tuple[Mode, ...]
    location: Location


@dataclass(frozen=True)
class VariableRule:
    """The declaration of variables."""

    name: str
    is_local: bool
    bounds: tuple[Expression, Expression] | None  # None: a pointer
    location: Location


@dataclass(frozen=True)
class PropertyRule:
    """A condition that must hold in every state."""

    name: str
    condition: Expression
    location: Location


@dataclass
class PointerAutomaton:
    """A whole file."""

    file: str
    constants: list[tuple[Name, Expression]] = field(default_factory=list)
    variables: list[VariableRule] = field(default_factory=list)
    processes: list[ProcessRule] = field(default_factory=list)
    properties: list[PropertyRule] = field(default_factory=list)
    initial: list[Expression] = field(default_factory=list)
    checks: list[Name] = field(default_factory=list)


OPERATORS = (Arrow, ProcessElement, Operation, Comparison, IfElse, Quantified)

# ------------------------------------------------------------------------------------------------ text

BINDING = {"=>": 1, "||": 2, "&&": 3, "+": 6, "-": 6, "*": 7, "/": 7}
OPERAND = 9


def show(e: Expression, outside: int = 0) -> str:
    """An expression as one would write it; `outside` is how tightly what stands around it binds."""
    match e:
        case Number(value):
            return str(value)
        case Name(name):
            return name
        case Arrow(pointer, name):
            return f"{show(pointer, OPERAND)}->{name}"
        case ProcessElement(name, index):
            return f"{name}[{show(index)}]"
        case Operation(op, (operand,)):
            return f"{op}{show(operand, 8)}"
        case Operation(op, (left, right)):
            mine = BINDING[op]
            return _bracketed(f"{show(left, mine)} {op} {show(right, mine + 1)}", mine, outside)
        case Comparison(operands, ops):
            rest = "".join(f" {op} {show(x, 6)}" for op, x in zip(ops, operands[1:], strict=True))
            return _bracketed(show(operands[0], 6) + rest, 5, outside)
        case IfElse(condition, then, otherwise):
            return _bracketed(f"{show(condition, 1)} ? {show(then, 1)} : {show(otherwise)}", 0, outside)
        case Quantified(kind, names, body):
            return _bracketed(f"{kind} {', '.join(names)}: {show(body)}", 0, outside)
    raise AssertionError(e)


def _bracketed(text: str, mine: int, outside: int) -> str:
    return f"({text})" if mine < outside else text


def show_rule(rule: TransitionRule) -> str:
    """A transition on one line, as reports show it."""
    guard = f"when {show(rule.guard)} " if rule.guard is not None else ""
    actions = ", ".join(f"{show(a.target)} = {show(a.value)}" for a in rule.assignments)
    return f"{guard}{f'do {actions} ' if actions else ''}goto {rule.target}"
