"""Declarations: variables, channels, types, mtype values.

SPIN gives a variable its initial value when the process starts if the declaration stands before the first statement of
the proctype; anywhere else the declaration is a step of its own that assigns the initial value (or 0).
"""

from __future__ import annotations

from dataclasses import replace

from ...core.depth import BLOCKS
from ...core.errors import SourceError
from ...core.model import Assign, ChannelType, Const, Expr, NewChannel, Place, Scalar, Skip, Step, Variable
from .discipline import MOST_VALUES, SetSize, check_same
from .meaning import fold
from .names import MOST_CHANNELS, MOST_LEAVES, RecordType, Symbol, Type, VariableFrame
from .remote import Remote
from .render import expression as render_expression
from .syntax import (
    ChannelInit,
    Declaration,
    Declarator,
    Expression,
    MtypeDeclaration,
    NewExpression,
    Number,
    Reference,
    RunExpression,
    ScalarsetDeclaration,
    TypeDefinition,
    inner,
)


class Declarations(Remote):
    """Declarations of variables, channels and types, turned into those of the model."""

    def __init__(self) -> None:
        super().__init__()
        self.initialising = True  # still before the first statement of a proctype, or outside all of them

    def define_type(self, unit: TypeDefinition) -> None:
        if unit.name in self.records:
            self.fail(unit.location, f"type '{unit.name}' is defined twice")
        try:
            self.define_fields(unit)
        except SourceError:
            self.broken.add(unit.name)
            raise

    def define_scalarset(self, unit: ScalarsetDeclaration) -> None:
        if unit.name in self.scalarsets:
            self.fail(unit.location, f"scalarset '{unit.name}' is declared twice")
        if not 1 <= unit.size.value <= MOST_VALUES:
            self.broken.add(unit.name)
            self.fail(unit.size.location, f"a scalarset has 1 to {MOST_VALUES} values, not {unit.size.value}")
        self.scalarsets[unit.name] = unit.size.value

    def define_fields(self, unit: TypeDefinition) -> None:
        """The fields of a typedef, with the initial values and channels that a variable of it begins with."""
        fields: list[tuple[str, Type, int | None]] = []
        initial: list[tuple[tuple[str, ...], tuple[Expr, ...]]] = []
        channels: list[tuple[tuple[str, ...], ChannelType]] = []
        for declaration in unit.fields:
            for item in declaration.items:
                kind, size = self.shape(declaration, item)
                if any(name == item.name for name, _, _ in fields):
                    self.fail(item.location, f"field '{item.name}' is declared twice")
                fields.append((item.name, kind, size))
                if isinstance(kind, RecordType):
                    initial += [((item.name, *path), values) for path, values in kind.initial]
                    channels += [((item.name, *path), channel) for path, channel in kind.channels]
                elif isinstance(item.initial, ChannelInit):
                    channels.append(((item.name,), self.new_channel_type(item.name, item.initial)))
                elif item.initial is not None:
                    values = self.initial_values(item, kind, size)
                    for value, source in zip(values, _sources(item), strict=True):
                        self.check_pointer(kind, f"'{item.name}'", value, source)
                    initial.append(((item.name,), values))
        inner = [kind for _, kind, _ in fields if isinstance(kind, RecordType)]
        leaves = len(fields) - len(inner) + sum(kind.leaves for kind in inner)
        height = 1 + max((kind.height for kind in inner), default=0)
        if leaves > MOST_LEAVES or height > BLOCKS:
            self.fail(unit.location, f"type '{unit.name}' has {leaves:,} fields, {height} inside each other: too many")
        self.records[unit.name] = RecordType(
            unit.name, tuple(fields), tuple(initial), tuple(channels), leaves, height
        )  # fmt: skip

    def shape(self, declaration: Declaration, item: Declarator) -> tuple[Type, int | None]:
        """Type, and size if it is an array; SPIN keeps arrays of bits in bytes."""
        width = None if item.width is None else self.constant(item.width, "the width of an unsigned variable")
        if width is not None and declaration.type != "unsigned":
            self.fail(item.location, f"only unsigned variables have a width, '{item.name}' is a {declaration.type}")
        place = declaration.location if item.width is None else item.width.location
        name = f"{declaration.type} *" if item.pointer else declaration.type
        kind = self.type_named(name, place, width)
        if item.size is None:
            return kind, None
        if isinstance(item.size, Reference) and (name := item.size.parts[0].name) in self.scalarsets:
            return kind, SetSize(self.scalarsets[name], name)
        size = self.constant(item.size, "the size of an array")
        if size < 1:
            self.fail(item.location, f"array '{item.name}' has size {size}", "an array has at least one element")
        if isinstance(kind, Scalar) and kind.bits == 1:
            kind = replace(kind, bits=8)  # SPIN keeps arrays of bits in bytes, and so their elements do not wrap at 2
        return kind, size

    def declare_all(self, s: Declaration | MtypeDeclaration) -> list[tuple[Step, str, Declarator]]:
        """Declare; returns the steps that a declaration in the middle of a body stands for."""
        if isinstance(s, MtypeDeclaration):
            self.add_mtypes(s.set, s.names)
            return []
        steps: list[tuple[Step, str, Declarator]] = []
        for item in s.items:
            self.check_initial(s, item)
            try:
                steps += self.declare_one(s, item)
            except SourceError as error:
                self.problems.extend(error.diagnostics)
                self.broken.add(item.name)
        return steps

    def check_initial(self, s: Declaration, item: Declarator) -> None:
        """Initial values that SPIN does not take."""
        before = {other.name for other in s.items[: s.items.index(item)]}
        for source in _sources(item):
            if any(isinstance(e, Reference) and e.parts[0].name in before for e in inner(source)):
                self.beyond_spin(source.location, "an initial value that reads a variable of the same declaration")
            if isinstance(item.initial, tuple) and not isinstance(source, Number):
                self.beyond_spin(source.location, "expressions in a list of initial values")
            group = s.type.partition(":")[2]
            named = self.constants.get(source.parts[0].name) if isinstance(source, Reference) else None
            if s.type.startswith("mtype:") and named is not None and named[0] != group:
                self.beyond_spin(source.location, f"an initial value that is not of mtype:{group}")

    def declare_one(self, s: Declaration, item: Declarator) -> list[tuple[Step, str, Declarator]]:
        """The variable; and the step that sets it where it is declared behind the first statement."""
        if s.visibility == "hidden" and self.frame.is_local:
            self.fail(item.location, f"'{item.name}' is local, only globals can be hidden")
        if not self.frame.is_local and item.name in self.signatures:
            hint = f"it is at {self.signatures[item.name].location}"
            self.fail(item.location, f"'{item.name}' is the name of a proctype", hint)
        kind, size = self.shape(s, item)
        values = self.initial_values(item, kind, size)
        symbol = self.variable(item.name, kind, size, item.location, s.visibility)
        if isinstance(kind, RecordType):
            self.start_fields(symbol, kind)
        if isinstance(item.initial, ChannelInit):
            self.create_channels(symbol, item, item.initial)
            return []
        for value, source in zip(values, _sources(item), strict=True):
            self.check_pointer(symbol.leaves[()].type, f"'{item.name}'", value, source)
            self.check_fits(symbol.leaves[()], value, source.location)
        if self.initialising:
            if values:
                self.frame.set_initial(symbol.leaves[()], values)
            return []
        if s.visibility == "counter":  # the hidden counter of `for (m in q)` is set by the loop itself
            return []
        return [self.late(symbol, item, values)]

    def initial_values(self, item: Declarator, kind: Type, size: int | None) -> tuple[Expr, ...]:
        sources = _sources(item)
        if any(isinstance(v, RunExpression) for v in sources):
            self.fail(item.location, "run cannot initialise a variable", "assign it in a statement of its own")
        if any(isinstance(v, NewExpression) for v in sources):
            self.fail(item.location, "new cannot initialise a variable", "assign it in a statement of its own")
        if sources and not isinstance(kind, Scalar):
            self.fail(item.location, f"'{item.name}' is a {kind.name} and cannot be initialised as a whole")
        if isinstance(item.initial, tuple) and (size is None or len(sources) > size):
            message = f"{len(sources)} initial values for '{item.name}'"
            self.fail(item.location, message, f"it has {size} elements" if size else "it is not an array")
        values = tuple(fold(self.expr(v)) for v in sources)
        for value, source in zip(values, sources, strict=True):
            assert isinstance(kind, Scalar)
            check_same(kind, value, source.location, f"'{item.name}'")
        return values

    def late(self, symbol: Symbol, item: Declarator, values: tuple[Expr, ...]) -> tuple[Step, str, Declarator]:
        """The step of a declaration behind the first statement: an assignment, as in SPIN."""
        if not isinstance(symbol.type, Scalar):
            return Skip(), f"declare {item.name}", item
        indices: tuple[Expr, ...] = ()
        name = item.name
        if symbol.size is not None:
            if item.initial is not None:
                self.warn(
                    item.location,
                    f"only {item.name}[0] is initialised here, as in SPIN",
                    "declare the array before the first statement",
                )
            indices, name = (Const(0),), f"{item.name}[0]"
        value = values[0] if values else Const(0)
        text = f"{name} = {render_expression(_sources(item)[0]) if values else 0}"
        return Assign(Place(symbol.leaves[()], indices, item.location), value), text, item

    def start_fields(self, symbol: Symbol, kind: RecordType) -> None:
        """The initial values and channels that the typedef gives to its fields."""
        for path, values in kind.initial:
            self.frame.set_initial(symbol.leaves[path], values)
        for path, channel in kind.channels:
            self.place_channels(self.frame, symbol.leaves[path], channel)

    def create_channels(self, symbol: Symbol, item: Declarator, init: ChannelInit) -> None:
        if symbol.type is not self.type_named("chan", item.location):
            self.fail(item.location, f"'{item.name}' is not declared as chan")
        if not self.initialising:
            hint = "move it before the first statement"
            self.fail(item.location, f"channel '{item.name}' is created in the middle of a proctype", hint)
        symbol.channel = self.new_channel_type(item.name, init)
        self.place_channels(self.frame, symbol.leaves[()], symbol.channel)

    def place_channels(self, frame: VariableFrame, variable: Variable, kind: ChannelType) -> None:
        if len(frame.channels) + variable.size > MOST_CHANNELS:
            self.fail(kind.location, f"more than {MOST_CHANNELS} channels")
        for offset in range(variable.size):
            frame.channels.append(NewChannel(variable.base + offset, kind))


def _sources(item: Declarator) -> tuple[Expression, ...]:
    initial = item.initial
    if initial is None or isinstance(initial, ChannelInit):
        return ()
    return initial if isinstance(initial, tuple) else (initial,)
