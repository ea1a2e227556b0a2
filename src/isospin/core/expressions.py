"""Values: their types, the variables that hold them, and the expressions that compute them.

The first half of a model; `core/model.py` has the rest, and passes on what is defined here: import it from there.
"""

from __future__ import annotations

from enum import Enum
from functools import cached_property
from math import prod
from typing import TypeAlias

from .errors import NOWHERE, Location
from .records import dataclass

__all__ = [
    "A_PROCESS", "BIT", "BOOL", "BYTE", "CHAN", "INT", "MOST_OBJECTS", "PID", "SHORT", "AtLabel", "Binary",
    "Bind", "Bounded", "ChannelTest", "ChannelType", "Conditional", "Const", "Enabled", "Expr", "Field",
    "LastPid", "LocationOf", "Match", "NonProgress", "ObjectType", "Pattern", "Place", "Poll", "Priority",
    "ProcessCount", "RemoteRead", "Scalar", "Self", "Sort", "Target", "Timeout", "Unary", "Variable",
    "is_pointer", "pointed_to", "pointer_to", "points_to_process", "process_pointer",
]  # fmt: skip

# ------------------------------------------------------------------------------------------------ types


class Sort(Enum):
    """What a value means.  Symmetry permutes pids, channels, scalarset values and objects; the rest is plain data."""

    NUMBER = "number"
    PID = "pid"
    CHANNEL = "chan"
    MTYPE = "mtype"
    SCALARSET = "scalarset"
    POINTER = "pointer"


@dataclass(frozen=True)
class Scalar:
    """A machine type: assignments wrap to `bits`, as in C."""

    name: str
    bits: int
    signed: bool = False
    sort: Sort = Sort.NUMBER
    enum: str = ""  # the named mtype set or scalarset; what it points to, for sort POINTER

    @property
    def low(self) -> int:
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def high(self) -> int:
        return (1 << (self.bits - 1)) - 1 if self.signed else (1 << self.bits) - 1

    def wrap(self, value: int) -> int:
        """The value that is stored when `value` is assigned."""
        value &= (1 << self.bits) - 1
        return value - (1 << self.bits) if self.signed and value > self.high else value


BIT = Scalar("bit", 1)
BOOL = Scalar("bool", 1)
BYTE = Scalar("byte", 8)
SHORT = Scalar("short", 16, signed=True)
INT = Scalar("int", 32, signed=True)
PID = Scalar("pid", 8, sort=Sort.PID)
CHAN = Scalar("chan", 8, sort=Sort.CHANNEL)
A_PROCESS = "_pid"  # the text of a constant that stands for a process
MOST_OBJECTS = (1 << 16) - 2  # slots that a pointer can name


def pointer_to(record: str) -> Scalar:
    return Scalar(f"{record} *", 16, sort=Sort.POINTER, enum=record)


def is_pointer(kind: Scalar) -> bool:
    return kind.sort is Sort.POINTER


def process_pointer(size: int) -> Scalar:
    """Names one of the processes 1 to `size`, or none of them: 0."""
    return Scalar("pointer", size.bit_length(), sort=Sort.PID)


def points_to_process(kind: Scalar) -> bool:
    return kind.sort is Sort.PID and kind.name == "pointer"


@dataclass(frozen=True)
class Variable:
    """A flattened variable: an array of scalars of the given shape at `base` in its frame.

    `parts` and `dims` rebuild the user's name: parts ("a", "b") with dims (1, 1) is `a[_].b[_]`.
    """

    parts: tuple[str, ...]
    dims: tuple[int, ...]  # how many indices follow each part
    shape: tuple[int, ...]
    type: Scalar
    base: int
    is_local: bool
    location: Location = NOWHERE
    initial: tuple[Expr, ...] = ()  # one expression for all elements, or one each; none: zero
    choices: tuple[int, ...] = ()  # several initial values: the model has a set of initial states
    owned: bool = False  # a global array in which element p belongs to process p
    hidden: bool = False  # not part of the identity of a state
    show: bool = False
    rest: int = 0  # the value of a local that nobody will read, where an action clears it

    @cached_property
    def name(self) -> str:
        return ".".join(self.parts)

    @cached_property
    def size(self) -> int:
        return prod(self.shape)

    def element(self, offset: int) -> str:
        """The user's name of the element at `offset`: `a[1].b[0]`."""
        indices: list[int] = []
        for n in reversed(self.shape):
            offset, index = divmod(offset, n)
            indices.append(index)
        text, taken = [], list(reversed(indices))
        for part, dims in zip(self.parts, self.dims, strict=True):
            text.append(part + "".join(f"[{taken.pop(0)}]" for _ in range(dims)))
        return ".".join(text)


@dataclass(frozen=True)
class ChannelType:
    """The shape of a channel: how many messages it holds (0: rendezvous) and what a message carries."""

    name: str
    capacity: int
    fields: tuple[Scalar, ...]
    location: Location = NOWHERE


@dataclass(frozen=True)
class ObjectType:
    """What `new` makes: its fields, flattened like a frame of their own; `initial` of a field is constant."""

    name: str
    fields: tuple[Variable, ...]
    location: Location = NOWHERE

    @property
    def size(self) -> int:
        return sum(v.size for v in self.fields)


# ------------------------------------------------------------------------------------------------ expressions


@dataclass(frozen=True)
class Const:
    """A number; `text` is how the user wrote it, where that matters."""

    value: int
    text: str = ""  # the symbolic name, for reports


@dataclass(frozen=True)
class Place:
    """A variable element that can be read and written: `a[i].b[j]`."""

    variable: Variable
    indices: tuple[Expr, ...] = ()
    location: Location = NOWHERE


@dataclass(frozen=True)
class Field:
    """A field of the object that a pointer names, to be read or written: `p->a[i]`."""

    pointer: Expr
    kind: str  # the ObjectType
    variable: Variable  # one of its fields
    indices: tuple[Expr, ...] = ()
    location: Location = NOWHERE
    text: str = ""  # the pointer, in the user's words


@dataclass(frozen=True)
class Unary:
    """An operator on one operand."""

    op: str  # - ~ !
    operand: Expr


@dataclass(frozen=True)
class Binary:
    """An operator on two operands; `&&` and `||` may leave the right one alone."""

    op: str
    left: Expr
    right: Expr
    location: Location = NOWHERE


@dataclass(frozen=True)
class Conditional:
    """`condition -> then : otherwise`."""

    condition: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True)
class Bounded:
    """A value that must lie between two bounds; outside of them the evaluation is a fault of this kind."""

    value: Expr
    low: int
    high: int
    kind: str  # null-dereference, out-of-range
    message: str
    location: Location = NOWHERE


@dataclass(frozen=True)
class Self:
    """The pid of the process that evaluates the expression."""



@dataclass(frozen=True)
class ProcessCount:
    """How many processes are alive."""



@dataclass(frozen=True)
class LastPid:
    """The pid of the process that moved last."""



@dataclass(frozen=True)
class Timeout:
    """True when nothing else can move."""



@dataclass(frozen=True)
class NonProgress:
    """True when no process is at a progress location."""



@dataclass(frozen=True)
class ChannelTest:
    """`len`, `empty`, `nempty`, `full`, `nfull` of a channel."""

    test: str
    channel: Expr
    location: Location = NOWHERE


@dataclass(frozen=True)
class Poll:
    """Could this receive be executed?  Has no effect."""

    channel: Expr
    patterns: tuple[Pattern, ...]
    anywhere: bool
    location: Location = NOWHERE


@dataclass(frozen=True)
class Enabled:
    """Can process `pid` move?"""

    pid: Expr


@dataclass(frozen=True)
class LocationOf:
    """The number of the location at which process `pid` is (SPIN's pc_value)."""

    pid: Expr


@dataclass(frozen=True)
class Priority:
    """The priority of process `pid`."""

    pid: Expr


@dataclass(frozen=True)
class AtLabel:
    """Is process `pid` of the given template (None: the oldest of that template) at the label?"""

    template: str
    pid: Expr | None
    label: str
    location: Location = NOWHERE


@dataclass(frozen=True)
class RemoteRead:
    """A local variable of another process (None: the oldest of that template)."""

    template: str
    pid: Expr | None
    place: Place
    location: Location = NOWHERE


Expr: TypeAlias = (
    Const | Place | Field | Unary | Binary | Conditional | Bounded | Self | ProcessCount | LastPid | Timeout
    | NonProgress | ChannelTest | Poll | Enabled | LocationOf | Priority | AtLabel | RemoteRead
)  # fmt: skip
Target: TypeAlias = Place | Field  # what can be written


def pointed_to(e: Expr) -> str | None:
    """What the value of an expression points to: empty for null, None if it is no pointer."""
    match e:
        case Const(0, "null"):
            return ""
        case Place(variable) | Field(_, _, variable) | RemoteRead(_, _, Place(variable)):
            return variable.type.enum if is_pointer(variable.type) else None
        case Conditional(_, then, otherwise):
            return pointed_to(then) or pointed_to(otherwise)
    return None


@dataclass(frozen=True)
class Match:
    """A receive pattern that compares: a constant, or `eval(e)`."""

    value: Expr


@dataclass(frozen=True)
class Bind:
    """A receive pattern that stores; without a place the value is thrown away."""

    place: Target | None


Pattern: TypeAlias = Match | Bind
