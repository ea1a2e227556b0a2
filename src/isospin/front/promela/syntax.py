"""The syntax tree of Promela: what the user wrote, before names have a meaning.

Meta-terms are already gone: the parser expands `inline` calls, `for` and `select` as SPIN does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from ...core.errors import Location

# ------------------------------------------------------------------------------------------------ expressions


@dataclass(frozen=True)
class Number:
    value: int
    location: Location
    text: str = ""


@dataclass(frozen=True)
class Part:
    """One component of a reference: `name` or `name[index]`."""

    name: str
    index: Expression | None
    location: Location
    arrow: bool = False  # it is a field of the object that what stands before points to


@dataclass(frozen=True)
class Reference:
    parts: tuple[Part, ...]

    @property
    def location(self) -> Location:
        return self.parts[0].location

    def __str__(self) -> str:
        return ".".join(p.name + ("[...]" if p.index else "") for p in self.parts)

    def segments(self) -> list[Reference]:
        """The pieces between the arrows."""
        starts = [i for i, p in enumerate(self.parts) if p.arrow or i == 0]
        return [Reference(self.parts[a:b]) for a, b in zip(starts, [*starts[1:], len(self.parts)], strict=True)]


@dataclass(frozen=True)
class Operation:
    """An operator or a predefined function; temporal operators too, inside `ltl`."""

    op: str
    operands: tuple[Expression, ...]
    location: Location


@dataclass(frozen=True)
class PollExpression:
    channel: Reference
    arguments: tuple[Expression, ...]
    anywhere: bool
    location: Location


@dataclass(frozen=True)
class RemoteLabel:
    process: str
    index: Expression | None
    label: str
    location: Location


@dataclass(frozen=True)
class RemoteVariable:
    process: str
    index: Expression | None
    variable: Reference
    location: Location


@dataclass(frozen=True)
class RunExpression:
    process: str
    arguments: tuple[Expression, ...]
    priority: Expression | None
    location: Location


@dataclass(frozen=True)
class NewExpression:
    """`new Node`."""

    type: str
    location: Location


Expression: TypeAlias = (
    Number | Reference | Operation | PollExpression | RemoteLabel | RemoteVariable | RunExpression | NewExpression
)

OPERATORS = (Part, Operation, PollExpression, RemoteLabel, RemoteVariable, RunExpression)  # that expressions stand in

# ------------------------------------------------------------------------------------------------ declarations


@dataclass(frozen=True)
class ChannelInit:
    capacity: Expression
    fields: tuple[str, ...]
    location: Location


@dataclass(frozen=True)
class Declarator:
    name: str
    location: Location
    size: Expression | None = None
    width: Expression | None = None
    initial: Expression | ChannelInit | tuple[Expression, ...] | None = None
    pointer: bool = False


@dataclass(frozen=True)
class Declaration:
    type: str  # "byte", "unsigned", "mtype", "mtype:fruit", "chan", or a typedef's name
    items: tuple[Declarator, ...]
    location: Location
    visibility: str = ""  # hidden, show, local


@dataclass(frozen=True)
class MtypeDeclaration:
    set: str
    names: tuple[tuple[str, Location], ...]


@dataclass(frozen=True)
class ScalarsetDeclaration:
    name: str
    size: Number
    location: Location


@dataclass(frozen=True)
class TypeDefinition:
    name: str
    fields: tuple[Declaration, ...]
    location: Location


# ------------------------------------------------------------------------------------------------ statements


@dataclass(frozen=True)
class Block:
    kind: str  # atomic, d_step, or "" for plain braces
    body: tuple[Statement, ...]
    location: Location


@dataclass(frozen=True)
class Selection:
    """`if` or `do`."""

    kind: str
    options: tuple[tuple[Statement, ...], ...]
    location: Location
    option_order: tuple[int, ...] = ()  # the order in which SPIN tries them, where it is not the textual one
    written: bool = True  # by the user; it does not stand for a for or select


@dataclass(frozen=True)
class Unless:
    body: Statement
    escape: Statement
    location: Location


@dataclass(frozen=True)
class Labelled:
    label: str
    statement: Statement
    location: Location


@dataclass(frozen=True)
class Goto:
    label: str
    location: Location


@dataclass(frozen=True)
class Break:
    location: Location


@dataclass(frozen=True)
class ElseGuard:
    location: Location


@dataclass(frozen=True)
class ConditionStatement:
    expression: Expression
    location: Location


@dataclass(frozen=True)
class Assignment:
    target: Reference
    value: Expression
    location: Location


@dataclass(frozen=True)
class DeleteStatement:
    pointer: Expression
    location: Location


@dataclass(frozen=True)
class CallStatement:
    """`f(a)`, or `x = f(a)`."""

    function: str
    arguments: tuple[Expression, ...]
    target: Reference | None
    location: Location


@dataclass(frozen=True)
class ReturnStatement:
    value: Expression | None
    location: Location


@dataclass(frozen=True)
class SendStatement:
    channel: Reference
    arguments: tuple[Expression, ...]
    sorted: bool
    location: Location


@dataclass(frozen=True)
class ReceiveStatement:
    channel: Reference
    arguments: tuple[Expression, ...]
    anywhere: bool
    keep: bool
    location: Location


@dataclass(frozen=True)
class Assertion:
    expression: Expression
    location: Location


@dataclass(frozen=True)
class PrintStatement:
    format: str
    arguments: tuple[Expression, ...]
    location: Location


@dataclass(frozen=True)
class PriorityStatement:
    pid: Expression
    value: Expression
    location: Location


@dataclass(frozen=True)
class ExclusiveUse:
    kind: str  # xr, xs
    channels: tuple[Reference, ...]
    location: Location


@dataclass(frozen=True)
class ScopedStatements:
    """Statements with a scope of their own but no block of their own (the body of `for`)."""

    body: tuple[Statement, ...]
    location: Location


@dataclass(frozen=True)
class Prefixed:
    """A loop that `for` or `select` stands for, and what comes before it; a label belongs to the loop."""

    before: tuple[Statement, ...]
    statement: Statement
    location: Location


Statement: TypeAlias = (
    Declaration | MtypeDeclaration | Block | Selection | Unless | Labelled | Goto | Break | ElseGuard
    | ConditionStatement
    | Assignment | DeleteStatement | CallStatement | ReturnStatement | SendStatement | ReceiveStatement | Assertion
    | PrintStatement | PriorityStatement
    | ExclusiveUse | ScopedStatements | Prefixed
)  # fmt: skip


def inner(e: Expression) -> Iterator[Expression]:
    """The expression and its operands."""
    yield e
    for operand in e.operands if isinstance(e, Operation) else ():
        yield from inner(operand)


# ------------------------------------------------------------------------------------------------ the program


@dataclass(frozen=True)
class ProcessDeclaration:
    """proctype, init, never, trace or notrace."""

    kind: str
    name: str
    parameters: tuple[Declaration, ...]
    body: tuple[Statement, ...]
    location: Location
    active: Expression | None = None
    priority: Expression | None = None
    provided: Expression | None = None


@dataclass(frozen=True)
class NamedFormula:
    name: str
    expression: Expression
    text: str
    location: Location


@dataclass(frozen=True)
class FunctionDeclaration:
    name: str
    parameters: tuple[Declaration, ...]
    result: str  # a type; empty: no result
    body: tuple[Statement, ...]
    location: Location


Unit: TypeAlias = (
    FunctionDeclaration | Declaration | MtypeDeclaration | ScalarsetDeclaration | TypeDefinition | ProcessDeclaration
    | NamedFormula
)  # fmt: skip


@dataclass
class PromelaProgram:
    file: str
    units: list[Unit] = field(default_factory=list)
    beyond: list[tuple[Location, str]] = field(default_factory=list)  # what SPIN refuses
