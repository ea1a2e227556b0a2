"""Names and types: what each word of the program stands for.

Structures and arrays of structures are flattened here: every scalar field becomes one `Variable` of its own whose
shape collects the array sizes on the way to it.
"""

from __future__ import annotations

import difflib
from dataclasses import field, replace
from typing import NoReturn, TypeAlias

from ...core.errors import Diagnostic, Location, SourceError
from ...core.model import (
    BIT,
    BOOL,
    BYTE,
    CHAN,
    INT,
    PID,
    SHORT,
    ChannelType,
    Expr,
    NewChannel,
    ObjectType,
    Scalar,
    Sort,
    Variable,
    pointer_to,
)
from ...core.records import dataclass

SCALARS = {"bit": BIT, "bool": BOOL, "byte": BYTE, "short": SHORT, "int": INT, "pid": PID, "chan": CHAN}
BUILTIN = ("_pid", "_nr_pr", "_last", "_priority", "_")
MOST_ELEMENTS = 1 << 20  # of one array, and of all variables of a process, or outside of processes, together
MOST_LEAVES = 10_000  # scalar fields below one type
MOST_CHANNELS = 2500  # of a process, or outside of processes; SPIN's limit


@dataclass(frozen=True)
class RecordType:
    """A typedef: its fields in order, each with its array size (None: not an array).

    `initial` and `channels` say, by path, how the fields of a new variable start.
    """

    name: str
    fields: tuple[tuple[str, Type, int | None], ...]
    initial: tuple[tuple[tuple[str, ...], tuple[Expr, ...]], ...] = ()
    channels: tuple[tuple[tuple[str, ...], ChannelType], ...] = ()
    leaves: int = 1  # scalar fields, however deep
    height: int = 1


Type: TypeAlias = Scalar | RecordType


@dataclass
class Symbol:
    """A declared variable: its type, whether it is an array, and the flat variables it consists of."""

    name: str
    type: Type
    size: int | None
    location: Location
    leaves: dict[tuple[str, ...], Variable] = field(default_factory=dict)
    channel: ChannelType | None = None  # known if the declaration creates the channel


@dataclass
class VariableFrame:
    """Where flat variables live: the global frame, or the frame of one proctype."""

    is_local: bool
    variables: list[Variable] = field(default_factory=list)
    channels: list[NewChannel] = field(default_factory=list)
    size: int = 0

    def add(self, variable: Variable) -> Variable:
        placed = replace(variable, base=self.size)
        self.variables.append(placed)
        self.size += placed.size
        return placed

    def set_initial(self, variable: Variable, initial: tuple[Expr, ...]) -> None:
        index = next(i for i, v in enumerate(self.variables) if v.base == variable.base)
        self.variables[index] = replace(self.variables[index], initial=initial)


class Names:
    """The tables, and looking things up in them with helpful complaints."""

    def __init__(self) -> None:
        self.records: dict[str, RecordType] = {}
        self.mtypes: dict[str, list[str]] = {"": []}
        self.scalarsets: dict[str, int] = {}
        self.constants: dict[str, tuple[str, int]] = {}  # mtype name -> (set, value)
        self.scopes: list[dict[str, Symbol]] = [{}]
        self.global_frame = VariableFrame(False)
        self.frame = self.global_frame
        self.problems: list[Diagnostic] = []
        self.warnings: list[Diagnostic] = []
        self.later: dict[str, Location] = {}  # all global variables, also those that are not declared yet
        self.pointed: dict[str, Location] = {}  # the types that something points to, and where that is said first
        self.objects: dict[str, Symbol] = {}  # those of them that were needed, as if each were a variable
        self.prefix = ""  # of the variables of a function, which stand among those of its caller
        self.broken: set[str] = set()  # names whose declarations were wrong: one complaint is enough

    # ---------------------------------------------------------------- complaints

    def fail(self, location: Location, message: str, hint: str = "") -> NoReturn:
        raise SourceError.at(location, message, hint)

    def warn(self, location: Location, message: str, hint: str = "") -> None:
        self.warnings.append(Diagnostic(location, message, hint, "warning"))

    def beyond_spin(self, location: Location, what: str, hint: str = "") -> None:
        """Something that has a meaning here, but SPIN does not take; docs/reference/spin.md lists all of them."""
        self.warn(location, f"SPIN refuses {what}", hint)

    def unknown(self, location: Location, what: str, name: str, candidates: list[str]) -> NoReturn:
        if name in self.broken:
            raise SourceError([])
        close = difflib.get_close_matches(name, candidates, 1)
        hint = f"did you mean '{close[0]}'?" if close else ""
        if what == "name" and name in self.later:
            hint = f"it is declared later, at {self.later[name]}; move the declaration up"
        self.fail(location, f"unknown {what} '{name}'", hint)

    # ---------------------------------------------------------------- scopes

    def lookup(self, name: str) -> Symbol | None:
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return None

    def visible(self) -> list[str]:
        return [n for scope in self.scopes for n in scope] + list(self.constants) + list(BUILTIN)

    def declare(self, symbol: Symbol) -> None:
        scope = self.scopes[-1]
        if (first := self.lookup(symbol.name)) is not None:
            if symbol.name in scope:
                self.fail(symbol.location, f"'{symbol.name}' is declared twice", f"first at {first.location}")
            hint = f"it is declared at {first.location} and visible here; choose another name"
            self.fail(symbol.location, f"'{symbol.name}' is declared again", hint)
        if symbol.name in BUILTIN:
            self.fail(symbol.location, f"'{symbol.name}' is predefined", "choose another name")
        if len(self.scopes) == 1 and symbol.name in self.constants:
            self.fail(symbol.location, f"'{symbol.name}' is already the name of an mtype value")
        scope[symbol.name] = symbol

    # ---------------------------------------------------------------- types

    def type_named(self, name: str, location: Location, width: int | None = None) -> Type:
        """The type with this name; unsigned ones have a width."""
        if name == "unsigned":
            if width is None:
                self.fail(location, "an unsigned variable needs a width", "write unsigned x : 4")
            if not 1 <= width <= 32:
                self.fail(location, f"an unsigned variable has 1 to 32 bits, not {width}")
            return Scalar(f"unsigned:{width}", width)
        if name == "mtype" or name.startswith("mtype:"):
            group = name.partition(":")[2]
            if group not in self.mtypes:
                self.unknown(location, "mtype set", group, list(self.mtypes))
            return Scalar(name, 8, sort=Sort.MTYPE, enum=group)
        if name in SCALARS:
            return SCALARS[name]
        if name in self.scalarsets:
            return Scalar(name, self.scalarsets[name].bit_length(), sort=Sort.SCALARSET, enum=name)
        if name.endswith(" *"):
            return self.pointer(name[:-2], location)
        if name not in self.records:
            self.unknown(location, "type", name, list(self.records))
        return self.records[name]

    # ---------------------------------------------------------------- objects

    def pointer(self, name: str, location: Location) -> Scalar:
        """A pointer type; what it points to may be defined later."""
        self.pointed.setdefault(name, location)
        return pointer_to(name)

    def check_pointed(self, name: str) -> None:
        if name not in self.records:
            self.unknown(self.pointed[name], "type", name, list(self.records))
        self.object_symbol(name, self.pointed[name])

    def object_symbol(self, name: str, location: Location) -> Symbol:
        """The fields of an object, as those of a variable in a frame of its own."""
        if name not in self.objects:
            record, frame = self.records[name], VariableFrame(False)
            if record.channels:
                hint = "let the object hold a chan that is created elsewhere"
                self.fail(location, f"{name} creates channels, so it cannot be an object", hint)
            symbol = Symbol(name, record, None, location)
            for path, dims, shape, scalar in flatten((), (), (), record):
                values = dict(record.initial).get(path, ())
                symbol.leaves[path] = frame.add(Variable(path, dims, shape, scalar, 0, False, location, values))
            self.objects[name] = symbol
        return self.objects[name]

    def object_types(self) -> tuple[ObjectType, ...]:
        symbols = [self.object_symbol(name, self.pointed[name]) for name in self.pointed if name in self.records]
        return tuple(ObjectType(s.name, tuple(s.leaves.values()), s.location) for s in symbols)

    def add_mtypes(self, group: str, names: tuple[tuple[str, Location], ...]) -> None:
        members = self.mtypes.setdefault(group, [])
        fresh = []
        for name, location in names:
            if name in self.constants:
                self.fail(location, f"mtype value '{name}' is declared twice")
            if name in fresh:
                self.beyond_spin(location, f"the name '{name}' twice in one list")
            fresh.append(name)
        # SPIN numbers a list from its end; a later list goes on where the earlier one stopped.
        for offset, name in enumerate(reversed(fresh)):
            self.constants[name] = (group, len(members) + offset + 1)
        members.extend(reversed(fresh))

    # ---------------------------------------------------------------- variables

    def variable(
        self, name: str, kind: Type, size: int | None, location: Location, visibility: str = ""
    ) -> Symbol:  # fmt: skip
        """Declare a variable in the innermost scope and place its flat parts in the current frame."""
        symbol = Symbol(name, kind, size, location)
        flats: list[Variable] = []
        for path, dims, shape, scalar in flatten((self.prefix + name,), (int(size is not None),), _shape(size), kind):
            flat = Variable(
                path, dims, shape, scalar, 0, self.frame.is_local, location,
                hidden=visibility == "hidden", show=visibility == "show",
            )  # fmt: skip
            if flat.size > MOST_ELEMENTS:
                self.fail(location, f"'{flat.name}' has {flat.size} elements, too many for a state")
            flats.append(flat)
        if self.frame.size + sum(flat.size for flat in flats) > MOST_ELEMENTS:
            self.fail(location, f"with '{name}' there are more than {MOST_ELEMENTS:,} variables, too many for a state")
        self.declare(symbol)
        symbol.leaves = {flat.parts[1:]: self.frame.add(flat) for flat in flats}
        return symbol


def _shape(size: int | None) -> tuple[int, ...]:
    return () if size is None else (size,)


def flatten(
    path: tuple[str, ...], dims: tuple[int, ...], shape: tuple[int, ...], kind: Type
) -> list[tuple[tuple[str, ...], tuple[int, ...], tuple[int, ...], Scalar]]:
    """All scalar fields below a variable, in order: path, dimensions of each part, shape, type."""
    if isinstance(kind, Scalar):
        return [(path, dims, shape, kind)]
    result = []
    for name, inner, size in kind.fields:
        result += flatten((*path, name), (*dims, int(size is not None)), shape + _shape(size), inner)
    return result
