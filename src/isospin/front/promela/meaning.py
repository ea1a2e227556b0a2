"""Syntax -> model: expressions and single statements, with the checks that need types.

Control flow is not here: see `flow.py`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace

from ...core.errors import Location
from ...core.model import (
    Assert,
    Assign,
    Binary,
    Bind,
    ChannelTest,
    ChannelType,
    Conditional,
    Const,
    Else,
    Enabled,
    Expr,
    Field,
    Guard,
    LastPid,
    LocationOf,
    Match,
    NonProgress,
    Pattern,
    Place,
    Poll,
    Print,
    Priority,
    ProcessCount,
    Receive,
    Run,
    Scalar,
    Self,
    Send,
    SetPriority,
    Skip,
    Sort,
    Step,
    Store,
    Target,
    Timeout,
    Unary,
    Variable,
    apply_binary,
    apply_unary,
    pointed_to,
)
from ...core.records import dataclass
from .discipline import UNDEFINED, SetSize, check_condition, check_index, check_operands, check_same
from .expressions import BINARY, TEMPORAL_NAMES
from .names import RecordType, Symbol, flatten
from .pointers import Pointers
from .render import reference as render_reference
from .syntax import (
    Assertion,
    Assignment,
    Break,
    ChannelInit,
    ConditionStatement,
    DeleteStatement,
    ElseGuard,
    Expression,
    Goto,
    NewExpression,
    Number,
    Operation,
    PollExpression,
    PrintStatement,
    PriorityStatement,
    ReceiveStatement,
    Reference,
    RemoteLabel,
    RemoteVariable,
    RunExpression,
    SendStatement,
    Statement,
)

OPERATORS = frozenset(BINARY)
PROBES = ("empty", "nempty", "full", "nfull")
MOST_PRIORITY = 255
ARITHMETIC = frozenset({"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"})


@dataclass(frozen=True)
class Signature:
    """What callers need to know of a proctype: its parameters; and, once it is built, labels and variables."""

    name: str
    parameters: tuple[str, ...]
    kinds: tuple[str, ...]
    location: Location
    types: tuple[Scalar, ...] = ()


class Meaning(Pointers):
    """What expressions and simple statements mean."""

    def __init__(self) -> None:
        super().__init__()
        self.signatures: dict[str, Signature] = {}
        self.locals_of: dict[str, dict[str, Symbol]] = {}  # variables of finished proctypes, for remote references
        self.used: set[str] = set()  # predefined names somebody looks at: _last, priority
        self.reads: set[int] = set()  # bases of globals that are read
        self.flows_to_hidden: list[tuple[int, set[int]]] = []  # what is read only to be stored in a hidden variable
        self.inside = ""  # the kind of the process that is being translated; ltl, provided
        self.apart: set[int] = set()  # uses of full() and the like where SPIN allows them

    # ---------------------------------------------------------------- constants

    def constant(self, e: Expression, what: str) -> int:
        value = fold(self.expr(e))
        if not isinstance(value, Const):
            self.fail(_place_of(e), f"{what} must be a constant", "write a number, or a name from #define")
        return value.value

    # ---------------------------------------------------------------- expressions

    def expr(self, e: Expression) -> Expr:
        match e:
            case Number():
                return Const(e.value, e.text)
            case Reference():
                return self.value(e)
            case Operation():
                return self.operation(e)
            case PollExpression():
                channel = self.channel(e.channel)
                patterns = self.patterns(e.channel, e.arguments, e.location, fewer=True)
                return Poll(channel, patterns, e.anywhere, e.location)
            case RemoteLabel():
                return self.remote_label(e)
            case RemoteVariable():
                return self.remote_variable(e)
            case NewExpression():
                self.fail(e.location, "new cannot be part of a larger expression", f"write p = new {e.type}")
            case RunExpression():
                self.fail(e.location, "run cannot be part of a larger expression", "write run P() or x = run P()")

    def full(self, e: Expression) -> Expr:
        """A whole expression: full(), empty() and their like stand in it by themselves, or under && and ||."""
        todo = [e]
        while todo:
            part = todo.pop()
            if isinstance(part, Operation) and part.op in ("&&", "||"):
                todo += part.operands
            elif isinstance(part, Operation) and part.op in PROBES:
                self.apart.add(id(part))
        return self.expr(e)

    @abstractmethod
    def remote_label(self, e: RemoteLabel) -> Expr:
        """See remote.py."""

    @abstractmethod
    def remote_variable(self, e: RemoteVariable) -> Expr:
        """See remote.py."""

    @abstractmethod
    def event(self, s: Statement) -> Step:
        """See remote.py."""

    def operation(self, e: Operation) -> Expr:
        if e.op in OPERATORS and len(e.operands) == 2:
            left, right = (self.expr(o) for o in e.operands)
            for operand, source in zip((left, right), e.operands, strict=True):
                if e.op in ARITHMETIC and isinstance(operand, Place) and operand.variable.type.sort is Sort.CHANNEL:
                    self.fail(source.location, f"'{operand.variable.name}' is a channel, not a number")
            self.check_operands(e, left, right)
            check_operands(e.op, (left, right), tuple(o.location for o in e.operands))
            return Binary(e.op, left, right, e.location)
        if e.op in ("!", "-", "~"):
            operand = self.expr(e.operands[0])
            if e.op != "!" and pointed_to(operand) is not None:
                self.fail(e.location, f"arithmetic ({e.op}) on a pointer")
            check_operands(e.op, (operand,), (e.operands[0].location,))
            return fold(Unary(e.op, operand))
        if e.op == "?:":
            condition, then, otherwise = (self.expr(o) for o in e.operands)
            check_condition(condition, e.operands[0].location)
            self.check_same_pointers(e.operands[2], then, otherwise)
            check_operands("==", (then, otherwise), tuple(o.location for o in e.operands[1:]))
            return Conditional(condition, then, otherwise)
        if e.op in PROBES and id(e) not in self.apart:
            self.beyond_spin(e.location, f"{e.op}() as part of another expression than && and ||, and in ltl")
        if e.op in ("len", *PROBES):
            return ChannelTest(e.op, self.channel_operand(e), e.location)
        if e.op == "timeout":
            return Timeout()
        if e.op == "np_":
            if self.inside not in ("never", "ltl"):
                self.fail(e.location, "np_ can only be used in a never claim or an ltl formula")
            return NonProgress()
        if e.op in TEMPORAL_NAMES:
            self.fail(e.location, f"the temporal operator '{e.op}' stands inside an arithmetic expression")
        if e.op == "last index":
            return self.last_index(e)
        return self.process_function(e)

    def process_function(self, e: Operation) -> Expr:
        operand = self.expr(e.operands[0])
        check_operands(e.op, (operand,), (e.operands[0].location,))
        if e.op == "enabled":
            return Enabled(operand)
        if e.op == "pc_value":
            return LocationOf(operand)
        if e.op == "get_priority":
            self.used.add("priority")
            return Priority(operand)
        self.fail(e.location, "eval() belongs in the arguments of a receive")

    def channel_operand(self, e: Operation) -> Expr:
        if isinstance(e.operands[0], Reference):
            return self.channel(e.operands[0])
        return self.expr(e.operands[0])

    def last_index(self, e: Operation) -> Expr:
        """The last index of an array, for `for (i in a)`."""
        reference = e.operands[0]
        assert isinstance(reference, Reference)
        size = self.resolve(reference)[2]
        if size is None or reference.parts[-1].index is not None:
            self.fail(reference.location, f"'{render_reference(reference)}' is neither an array nor a channel")
        return Const(size - 1)

    def value(self, e: Reference) -> Expr:
        name = e.parts[0].name
        if self.lookup(name) is None and len(e.parts) == 1 and e.parts[0].index is None:
            if name in self.constants:
                return Const(self.constants[name][1], name)
            if name == UNDEFINED and self.scalarsets:
                return Const(0, UNDEFINED)
            builtin = self.builtin(name, e.location)
            if builtin is not None:
                return builtin
        place = self.target(e)
        if isinstance(place, Place) and not place.variable.is_local:
            self.reads.add(place.variable.base)
        return place

    def builtin(self, name: str, location: Location) -> Expr | None:
        if name == "_pid":
            return Self()
        if name == "_nr_pr":
            return ProcessCount()
        if name == "_last":
            self.used.add("last")
            return LastPid()
        if name == "_priority":
            self.used.add("priority")
            return Priority(Self())
        if name == "_":
            self.fail(location, "'_' is write-only", "it throws away what is assigned or received")
        if name in ("null", "NULL"):
            return Const(0, "null")
        return None

    # ---------------------------------------------------------------- places

    def resolve(self, e: Reference) -> tuple[Symbol, Scalar | RecordType, int | None, tuple[str, ...]]:
        """The symbol, and the type, array size and path of the last part."""
        first = e.parts[0]
        symbol = self.lookup(first.name)
        if symbol is None:
            self.unknown(first.location, "name", first.name, self.visible())
        return symbol, *self.follow(symbol, e)

    def follow(self, symbol: Symbol, e: Reference) -> tuple[Scalar | RecordType, int | None, tuple[str, ...]]:
        """From a symbol, which the first part names, along the other parts."""
        kind, size = symbol.type, symbol.size
        path: tuple[str, ...] = ()
        for before, part in zip(e.parts, e.parts[1:], strict=False):
            if not isinstance(kind, RecordType):
                hint = f"write {before.name}->{part.name}" if kind.sort is Sort.POINTER else ""
                self.fail(part.location, f"'{before.name}' is a {kind.name}, it has no fields", hint)
            fields = {name: (inner, length) for name, inner, length in kind.fields}
            if part.name not in fields:
                self.unknown(part.location, f"field of {kind.name}", part.name, list(fields))
            kind, size = fields[part.name]
            path = (*path, part.name)
        return kind, size, path

    def indices(self, e: Reference, symbol: Symbol) -> tuple[Expr, ...]:
        """The index expressions along a reference, one for each part that is an array."""
        result: list[Expr] = []
        kind, size = symbol.type, symbol.size
        for i, part in enumerate(e.parts):
            if i > 0:
                assert isinstance(kind, RecordType)
                kind, size = next((k, s) for n, k, s in kind.fields if n == part.name)
            if part.index is None and size is not None:
                self.fail(part.location, f"'{part.name}' is an array of {size}, it needs an index")
            if part.index is not None and size is None:
                self.fail(part.location, f"'{part.name}' is not an array")
            if part.index is not None:
                assert size is not None
                result.append(self.expr(part.index))
                check_index(size, result[-1], part.index.location, part.name)
                if pointed_to(result[-1]) is not None:
                    self.fail(part.index.location, "a pointer cannot be an index")
        return tuple(result)

    def place(self, e: Reference) -> Place:
        symbol, kind, _, path = self.resolve(e)
        self.check_scalar(e, kind)
        return Place(symbol.leaves[path], self.indices(e, symbol), e.location)

    def target(self, e: Reference) -> Target:
        """A variable, or what a chain of arrows leads to."""
        first, *rest = e.segments()
        place = self.place(first)
        if rest and not place.variable.is_local:
            self.reads.add(place.variable.base)
        return self.chain(place, e)

    def fields(self, e: Expression, arrays: bool = True) -> list[Expression]:
        """An argument as scalars: a whole record stands for all its fields in order, with the elements of arrays."""
        if not isinstance(e, Reference) or self.lookup(e.parts[0].name) is None or len(e.segments()) > 1:
            return [e]
        _, kind, _, _ = self.resolve(e)
        if not isinstance(kind, RecordType):
            return [e]
        expanded: list[Expression] = []
        for path, dims, shape, _ in flatten((), (), (), kind):
            if any(dims) and not arrays:
                self.fail(e.location, f"{kind.name} contains an array and cannot be passed as a whole")
            parts = tuple(type(e.parts[0])(name, None, e.location) for name in path[:-1])
            for i in self.elements(kind.name, dims, shape, e.location):
                index = None if i is None else Number(i, e.location)
                expanded.append(Reference((*e.parts, *parts, type(e.parts[0])(path[-1], index, e.location))))
        return expanded

    def elements(
        self, name: str, dims: tuple[int, ...], shape: tuple[int, ...], location: Location
    ) -> Sequence[int | None]:
        """The indices that a field of a record has in a message: an array stands for all its elements."""
        if any(dims[:-1]) or any(isinstance(size, SetSize) for size in shape):
            what = "an array of structures" if any(dims[:-1]) else "an array for a scalarset"
            self.fail(location, f"{name} contains {what} and cannot be part of a message")
        return range(shape[0]) if dims[-1] else (None,)

    # ---------------------------------------------------------------- channels

    def channel(self, e: Reference) -> Expr:
        place = self.value(e)
        if isinstance(place, Place | Field) and place.variable.type.sort is not Sort.CHANNEL:
            self.fail(e.location, f"'{render_reference(e)}' is a {place.variable.type.name}, not a channel")
        if not isinstance(place, Place | Field):
            self.fail(e.location, f"'{render_reference(e)}' is not a channel")
        return place

    def channel_type(self, e: Reference) -> ChannelType | None:
        symbol = self.lookup(e.parts[0].name)
        return symbol.channel if symbol is not None and len(e.parts) == 1 else None

    def check_arity(self, channel: Reference, given: int, location: Location, fewer: bool = False) -> None:
        known = self.channel_type(channel)
        if known is not None and len(known.fields) != given and not (fewer and given < len(known.fields)):
            self.fail(
                location,
                f"channel '{channel.parts[0].name}' carries {counted(len(known.fields), 'field')}, "
                f"this message has {given}",
                f"it is declared at {known.location} as {{ {', '.join(f.name for f in known.fields)} }}",
            )

    def check_message(self, channel: Reference, values: Sequence[Expr | None], sources: list[Expression]) -> None:
        known = self.channel_type(channel)
        for i, (value, source) in enumerate(zip(values, sources, strict=True)):
            if known is not None and value is not None:
                self.check_pointer(known.fields[i], f"field {i + 1} of '{known.name}'", value, strip_eval(source))
                check_same(known.fields[i], value, source.location, f"field {i + 1} of '{channel.parts[0].name}'")

    def patterns(
        self, channel: Reference, values: tuple[Expression, ...], location: Location, fewer: bool = False
    ) -> tuple[Pattern, ...]:
        flat = [f for v in values for f in self.fields(v)]
        self.check_arity(channel, len(flat), location, fewer)
        patterns = tuple(self.pattern(v) for v in flat)
        names = [v.parts[0].name for v in flat if isinstance(v, Reference) and len(v.parts) == 1]
        if any(names.count(n) > 1 and self.lookup(n) is not None for n in names):
            self.beyond_spin(location, "a variable that takes two fields of one message")
        taken = [p.value if isinstance(p, Match) else p.place for p in patterns]
        self.check_message(channel, taken, flat)
        return patterns

    def pattern(self, e: Expression) -> Pattern:
        if isinstance(e, Operation) and e.op == "eval":
            return Match(self.expr(e.operands[0]))
        if isinstance(e, Reference):
            if is_wildcard(e):
                return Bind(None)
            if self.lookup(e.parts[0].name) is not None:
                return Bind(self.target(e))
        value = fold(self.expr(e))
        if isinstance(value, Const):
            return Match(value)
        self.fail(_place_of(e), "a receive takes variables and constants", "compare with an expression by eval(...)")

    # ---------------------------------------------------------------- statements

    def step(self, s: Statement) -> Step:
        if self.inside in ("trace", "notrace"):
            return self.event(s)
        if self.inside == "never" and isinstance(s, SendStatement | ReceiveStatement):
            self.beyond_spin(s.location, "sending and receiving in a never claim")
        match s:
            case ConditionStatement():
                return self.guard(s)
            case Assignment():
                return self.assign(s)
            case DeleteStatement():
                return self.delete(s)
            case SendStatement():
                return self.send(s)
            case ReceiveStatement():
                channel = self.channel(s.channel)
                return Receive(channel, self.patterns(s.channel, s.arguments, s.location), s.anywhere, s.keep)
            case Assertion():
                return Assert(self.condition(s.expression))
            case PrintStatement():
                return self.print(s)
            case PriorityStatement():
                self.used.add("priority")
                return SetPriority(self.expr(s.pid), self.expr(s.value))
            case ElseGuard():
                return Else()
            case Goto() | Break():
                return Skip()
        raise AssertionError(s)

    def condition(self, e: Expression) -> Expr:
        value = self.full(e)
        check_condition(value, e.location)
        return value

    def guard(self, s: ConditionStatement) -> Step:
        if isinstance(s.expression, RunExpression):
            return self.run(s.expression, None)
        condition = self.condition(s.expression)
        return Skip() if condition in (Const(1), Const(1, "skip"), Const(1, "true")) else Guard(condition)

    def run(self, e: RunExpression, into: Place | None) -> Run:
        if e.process not in self.signatures:
            self.unknown(e.location, "proctype", e.process, list(self.signatures))
        signature = self.signatures[e.process]
        flat = [f for a in e.arguments for f in self.fields(a, arrays=False)]
        if len(flat) != len(signature.parameters):
            wanted = ", ".join(signature.kinds) or "none"
            message = f"{e.process} takes {counted(len(signature.parameters), 'argument')}, got {len(flat)}"
            self.fail(e.location, message, f"its parameters are: {wanted} ({signature.location})")
        priority = self.constant(e.priority, "a priority") if e.priority is not None else 1
        if e.priority is not None:
            self.used.add("priority")
            if not 0 <= priority <= MOST_PRIORITY:
                self.fail(e.priority.location, f"a priority is 1 to {MOST_PRIORITY}, not {priority}")
        values = tuple(self.expr(a) for a in flat)
        for name, kind, value, source in zip(signature.parameters, signature.types, values, flat, strict=True):
            self.check_pointer(kind, f"'{name}'", value, source)
            check_same(kind, value, source.location, f"the parameter '{name}'")
        return Run(e.process, values, priority, into)

    def assign(self, s: Assignment) -> Step:
        if is_wildcard(s.target):
            return Guard(Binary("||", self.expr(s.value), Const(1)))
        if len(s.target.parts) == 1 and s.target.parts[0].name == "_priority":
            self.used.add("priority")
            return SetPriority(Self(), self.expr(s.value))
        self.check_writable(s.target)
        place = self.target(s.target)
        if isinstance(s.value, NewExpression):
            return self.allocate(place, s.value)
        if isinstance(s.value, RunExpression):
            check_same(place.variable.type, Self(), s.value.location, f"'{place.variable.name}'")
            self.check_pointer(place.variable.type, f"'{render_reference(s.target)}'", Self(), s.value)
            if isinstance(place, Field):
                self.fail(s.target.location, "the pid of a new process goes to a variable, not to an object")
            return self.run(s.value, place)
        value = self.assigned(place, s.value)
        self.check_pointer(place.variable.type, f"'{render_reference(s.target)}'", value, s.value)
        simple = len(s.target.parts) == 1  # SPIN does not look into fields
        if simple and place.variable.type.sort is Sort.CHANNEL and isinstance(value, Const):
            self.fail(_place_of(s.value), f"a number cannot be assigned to the channel '{place.variable.name}'")
        check_same(place.variable.type, value, _place_of(s.value), f"'{place.variable.name}'")
        self.check_fits(place.variable, value, _place_of(s.value))
        self.check_same_set(place.variable, s.value)
        return Store(place, value) if isinstance(place, Field) else Assign(place, value)

    def assigned(self, place: Target, e: Expression) -> Expr:
        """The value; what is read for a hidden variable matters only if that variable does."""
        if not place.variable.hidden:
            return fold(self.full(e))
        before, self.reads = self.reads, set()
        value = fold(self.full(e))
        self.flows_to_hidden.append((place.variable.base, self.reads))
        self.reads = before
        return value

    def reads_that_matter(self) -> set[int]:
        matters = set(self.reads)
        while any(target in matters and not reads <= matters for target, reads in self.flows_to_hidden):
            matters |= {r for target, reads in self.flows_to_hidden if target in matters for r in reads}
        return matters

    def check_same_set(self, variable: Variable, e: Expression) -> None:
        if isinstance(e, Reference) and variable.type.sort is Sort.MTYPE and self.lookup(e.parts[0].name) is None:
            group, _ = self.constants.get(e.parts[0].name, (variable.type.enum, 0))
            if group != variable.type.enum:
                sets = [f"mtype:{g}" if g else "mtype" for g in (group, variable.type.enum)]
                self.fail(e.location, f"'{e.parts[0].name}' belongs to {sets[0]}, '{variable.name}' to {sets[1]}")

    def check_writable(self, target: Reference) -> None:
        name = target.parts[0].name
        if self.lookup(name) is None and name in ("_pid", "_nr_pr", "_last"):
            self.fail(target.location, f"'{name}' cannot be assigned")
        if self.lookup(name) is None and name in self.constants:
            self.fail(target.location, f"'{name}' is an mtype value, not a variable")

    def check_fits(self, variable: Variable, value: Expr, location: Location) -> None:
        kind = variable.type
        if isinstance(value, Const) and not kind.low <= value.value <= kind.high:
            wrapped = kind.wrap(value.value)
            hint = f"it would become {wrapped}; write {wrapped}, or use a larger type"
            message = f"{value.value} does not fit in '{variable.name}' ({kind.name}: {kind.low} to {kind.high})"
            self.fail(location, message, hint)
        if isinstance(value, Place) and kind.sort is not Sort.CHANNEL and value.variable.type.sort is Sort.CHANNEL:
            self.fail(location, f"'{value.variable.name}' is a channel, '{variable.name}' is a {kind.name}")

    def send(self, s: SendStatement) -> Step:
        flat = [f for a in s.arguments for f in self.fields(a)]
        channel = self.channel(s.channel)
        self.check_arity(s.channel, len(flat), s.location)
        values = tuple(self.expr(strip_eval(a)) for a in flat)
        self.check_message(s.channel, values, flat)
        if s.sorted and any(pointed_to(v) is not None for v in values):
            self.fail(s.location, "a sorted send (!!) orders messages, and pointers have no order")
        return Send(channel, values, s.sorted)

    def print(self, s: PrintStatement) -> Step:
        wanted = s.format.replace("%%", "").count("%")
        if s.format != "%e" and wanted != len(s.arguments):
            message = f"the format has {counted(wanted, 'conversion')}, given: {counted(len(s.arguments), 'value')}"
            if wanted > len(s.arguments):
                self.fail(s.location, message)
            self.warn(s.location, message, "the last values are not printed")
        values = tuple(self.expr(a) for a in s.arguments)
        for value, source in zip(values, s.arguments, strict=False):
            if pointed_to(value) is not None:
                self.fail(source.location, "a pointer cannot be printed", "print a field of the object")
        return Print(s.format, values)

    # ---------------------------------------------------------------- channel declarations

    def new_channel_type(self, name: str, init: ChannelInit) -> ChannelType:
        capacity = self.constant(init.capacity, "the capacity of a channel")
        if not 0 <= capacity <= 255:
            self.fail(init.location, f"a channel holds 0 to 255 messages, not {capacity}")
        fields: list[Scalar] = []
        for kind in init.fields:
            named = self.type_named(kind, init.location)
            for _, dims, shape, scalar in flatten((), (), (), named):
                fields += [scalar] * (len(self.elements(kind, dims, shape, init.location)) if dims else 1)
        if len(fields) == 1 and fields[0].bits == 1:
            fields = [replace(fields[0], bits=8)]  # SPIN keeps a single bit in a byte, and so it does not wrap at 2
        return ChannelType(name, capacity, tuple(fields), init.location)


def is_wildcard(e: Expression) -> bool:
    return isinstance(e, Reference) and len(e.parts) == 1 and e.parts[0].name == "_"


def strip_eval(e: Expression) -> Expression:
    return e.operands[0] if isinstance(e, Operation) and e.op == "eval" else e


def counted(number: int, word: str) -> str:
    return f"{number} {word}{'s' * (number != 1)}"


def _place_of(e: Expression) -> Location:
    return e.location


def fold(e: Expr) -> Expr:
    """Evaluate what is constant (division by zero stays, to fail when it is executed)."""
    match e:
        case Unary(op, Const(value)):
            return Const(apply_unary(op, value))
        case Binary(op, left, right, _):
            a, b = fold(left), fold(right)
            if isinstance(a, Const) and isinstance(b, Const) and not (op in "/%" and b.value == 0):
                return Const(apply_binary(op, a.value, b.value))
    return e
