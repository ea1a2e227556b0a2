"""The syntax tree of Promela: what the user wrote, before names have a meaning.

Meta-terms are already gone: the parser expands `inline` calls, `for` and `select` as SPIN does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import TypeAlias

from ...core.errors import Location
from ...core.records import dataclass

# ------------------------------------------------------------------------------------------------ expressions


@dataclass(frozen=True)
class Number:
    """A number, or a word that stands for one."""

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
    """A variable, an element, a field: `a[i].b`."""

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
    """`c?[x]`: would a receive be possible?"""

    channel: Reference
    arguments: tuple[Expression, ...]
    anywhere: bool
    location: Location


@dataclass(frozen=True)
class RemoteLabel:
    """`p[1]@label`."""

    process: str
    index: Expression | None
    label: str
    location: Location


@dataclass(frozen=True)
class RemoteVariable:
    """`p[1]:x`."""

    process: str
    index: Expression | None
    variable: Reference
    location: Location


@dataclass(frozen=True)
class RunExpression:
    """`run p(x)`."""

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
    """`[2] of { byte, int }`."""

    capacity: Expression
    fields: tuple[str, ...]
    location: Location


@dataclass(frozen=True)
class Declarator:
    """One name in a declaration."""

    name: str
    location: Location
    size: Expression | None = None
    width: Expression | None = None
    initial: Expression | ChannelInit | tuple[Expression, ...] | None = None
    pointer: bool = False


@dataclass(frozen=True)
class Declaration:
    """Variables of one type."""

    type: str  # "byte", "unsigned", "mtype", "mtype:fruit", "chan", or a typedef's name
    items: tuple[Declarator, ...]
    location: Location
    visibility: str = ""  # hidden, show, local


@dataclass(frozen=True)
class MtypeDeclaration:
    """Names of symbolic values."""

    set: str
    names: tuple[tuple[str, Location], ...]


@dataclass(frozen=True)
class ScalarsetDeclaration:
    """A set of values that are only compared."""

    name: str
    size: Number
    location: Location


@dataclass(frozen=True)
class TypeDefinition:
    """`typedef`."""

    name: str
    fields: tuple[Declaration, ...]
    location: Location


# ------------------------------------------------------------------------------------------------ statements


@dataclass(frozen=True)
class Block:
    """`{ }`, `atomic { }`, `d_step { }`."""

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
    """`body unless escape`."""

    body: Statement
    escape: Statement
    location: Location


@dataclass(frozen=True)
class Labelled:
    """A statement with a label."""

    label: str
    statement: Statement
    location: Location


@dataclass(frozen=True)
class Goto:
    """`goto label`."""

    label: str
    location: Location


@dataclass(frozen=True)
class Break:
    """`break`."""

    location: Location


@dataclass(frozen=True)
class ElseGuard:
    """`else`."""

    location: Location


@dataclass(frozen=True)
class ConditionStatement:
    """An expression as a statement: it waits until it is true."""

    expression: Expression
    location: Location


@dataclass(frozen=True)
class Assignment:
    """`x = 1`, `x++`."""

    target: Reference
    value: Expression
    location: Location


@dataclass(frozen=True)
class DeleteStatement:
    """`delete(p)`."""

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
    """`return x`."""

    value: Expression | None
    location: Location


@dataclass(frozen=True)
class SendStatement:
    """`c!x`, `c!!x`."""

    channel: Reference
    arguments: tuple[Expression, ...]
    sorted: bool
    location: Location


@dataclass(frozen=True)
class ReceiveStatement:
    """`c?x`, `c??x`, `c?<x>`."""

    channel: Reference
    arguments: tuple[Expression, ...]
    anywhere: bool
    keep: bool
    location: Location


@dataclass(frozen=True)
class Assertion:
    """`assert(x)`."""

    expression: Expression
    location: Location


@dataclass(frozen=True)
class PrintStatement:
    """`printf`."""

    format: str
    arguments: tuple[Expression, ...]
    location: Location


@dataclass(frozen=True)
class PriorityStatement:
    """`set_priority(pid, value)`."""

    pid: Expression
    value: Expression
    location: Location


@dataclass(frozen=True)
class ExclusiveUse:
    """`xr c`, `xs c`."""

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
    """`ltl name { formula }`."""

    name: str
    expression: Expression
    text: str
    location: Location


@dataclass(frozen=True)
class FunctionDeclaration:
    """A function, as dSPIN has them."""

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
    """A whole file."""

    file: str
    units: list[Unit] = field(default_factory=list)
    beyond: list[tuple[Location, str]] = field(default_factory=list)  # what SPIN refuses
