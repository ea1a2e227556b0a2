"""Expressions -> C, as the reference semantics has them.

A fault does not leave an expression: it sets `w->fault`, the value is then meaningless, and whoever takes the step
looks at `w->fault` before anything comes of it.
"""

from __future__ import annotations

from dataclasses import field

from ....core.model import (
    AtLabel,
    Binary,
    Bind,
    Bounded,
    ChannelTest,
    Conditional,
    Const,
    Enabled,
    Expr,
    Field,
    LastPid,
    LocationOf,
    Match,
    NonProgress,
    Pattern,
    Place,
    Poll,
    Priority,
    ProcessCount,
    RemoteRead,
    Self,
    Target,
    Timeout,
    Unary,
    Variable,
)
from ....core.records import dataclass
from ..constants import WHERE, OverflowKind
from ..state.facts import Facts, nodes
from ..state.layout import Layout
from ..state.packing import BitBlock

Lines = list[str]
SIMPLE = (Binary, Const, Place, Self, Unary)  # cheap to compute, even if nobody asks


def indent(lines: Lines, by: int = 1) -> Lines:
    return ["    " * by + line for line in lines]


@dataclass
class _Sites:
    """Places where something can go wrong; 0 is none, 1 stands for a layout that is too small."""

    count: int = 2

    def new(self) -> int:
        """The number of a new site: a place in the model that a fault or a message can name."""
        self.count += 1
        return self.count - 1


@dataclass
class View:
    """Which state an expression is about, as which process, of which template."""

    state: str
    pid: str
    template: int
    ended: str = ""  # of a claim: does it look at the end of a run again?


@dataclass
class Expressions:
    """Writes expressions; `may_fault` says whether what was written since it was reset can fault."""

    facts: Facts
    layout: Layout
    sites: _Sites = field(default_factory=_Sites)
    helpers: list[str] = field(default_factory=list)  # functions that come before those that use them
    names: int = 0
    may_fault: bool = False

    def name(self, prefix: str) -> str:
        """A name for C that was not used before."""
        self.names += 1
        return f"{prefix}_{self.names}"

    def fault_site(self) -> int:
        """A new site of something that may be a fault; whoever asks `may_fault` hears of it."""
        self.may_fault = True
        return self.sites.new()

    def about_pid(self, template: int) -> tuple[str, str]:
        """The parameter of a function that says which process of a template it is about, and the first statement of the
        function.  SOUND: where only one slot has room for the template, it can be no other: the compiler may know."""
        home = self.layout.home(template)
        if home is None:
            return "const unsigned pid", "    (void)pid;"
        return "const unsigned slot MAYBE_UNUSED", f"    const unsigned pid MAYBE_UNUSED = {home};"

    # ---------------------------------------------------------------- expressions

    def expr(self, e: Expr, v: View) -> str:
        """The C expression for the value, from the point of view of one process."""
        match e:
            case Const(value):
                return _literal(value)
            case Place():
                return self.read(e, v)
            case Field():
                return self.read_field(e, v)
            case Unary(op, operand):
                inner = self.expr(operand, v)
                return f"(val)!{inner}" if op == "!" else f"(val)(int32_t)({op}(uint32_t){inner})"
            case Binary():
                return self.binary(e, v)
            case Conditional(condition, then, otherwise):
                parts = [self.expr(x, v) for x in (condition, then, otherwise)]
                return f"({parts[0]} ? {parts[1]} : {parts[2]})"
            case Bounded(value, low, high):
                inner = self.expr(value, v)
                return f"bounded(w, {inner}, {_literal(low)}, {_literal(high)}, {self.fault_site()})"
            case Self():
                return f"(val){v.pid}"
            case ProcessCount():
                return f"(val)n_processes({v.state})"
            case LastPid():
                return f"(val)LAST({v.state})" if self.facts.model.uses_last else "0"
            case Timeout():
                return "(val)w->timeout"
            case NonProgress():
                unless = f"!{v.ended} && " if v.ended else ""
                return f"(val)({unless}non_progress({v.state}))"
            case ChannelTest():
                return self.channel_test(e, v)
            case Poll():
                return self.poll(e, v)
            case _:
                return self.about_process(e, v)

    def binary(self, e: Binary, v: View) -> str:
        """An operator, with C's rules for 32 bits; what may fault on the right is not computed in vain."""
        left = self.expr(e.left, v)
        before, self.may_fault = self.may_fault, False
        right = self.expr(e.right, v)
        simple = not self.may_fault and all(isinstance(n, SIMPLE) for n in nodes(e.right))
        self.may_fault = self.may_fault or before
        match e.op:
            case "&&" | "||" if simple:  # to compute both is cheaper than to guess wrong which way the branch goes
                return f"(val)(({left} != 0) {e.op[0]} ({right} != 0))"
            case "+" | "-" | "*":
                return f"(val)(int32_t)((uint32_t){left} {e.op} (uint32_t){right})"
            case "/" | "%":
                name = "divide" if e.op == "/" else "modulo"
                if isinstance(e.right, Const) and e.right.value > 0:
                    return f"(val)(int32_t)({left} {e.op} {right})"
                return f"{name}(w, {left}, {right}, {self.fault_site()})"
            case "<<":
                return f"(val)(int32_t)((uint32_t){left} << ({right} & 31))"
            case ">>":
                return f"(val)(int32_t)({left} >> ({right} & 31))"
            case "&" | "|" | "^":
                return f"({left} {e.op} {right})"
        return f"(val)({left} {e.op} {right})"

    # ---------------------------------------------------------------- variables

    def index(self, e: Target, v: View) -> int | str:
        """The element's number in its variable: a number if it is known."""
        if all(isinstance(i, Const) and 0 <= i.value < n for i, n in zip(e.indices, e.variable.shape, strict=True)):
            number = 0
            for i, n in zip(e.indices, e.variable.shape, strict=True):
                assert isinstance(i, Const)
                number = number * n + i.value
            return number
        text = "0"
        for i, n in zip(e.indices, e.variable.shape, strict=True):
            checked = self.expr(i, v)
            known = self.possible(i, v.template)
            inside = bool(known) and all(0 <= value < n for value in known)
            if not inside and not (isinstance(i, Bounded) and i.low >= 0 and i.high < n):
                checked = f"in_range(w, {checked}, {n}, {self.fault_site()})"
            text = checked if text == "0" else f"({text} * {n} + {checked})"
        return text

    def read(self, e: Place, v: View) -> str:
        """The value of a variable: a constant, a part of the lane of the process, or a part of the state."""
        number = self.index(e, v) if e.indices else 0
        variable = e.variable
        if variable.is_local:
            return self.fixed(v, variable) or self.local(v.template, variable, number, v.state, v.pid)
        if variable.base in self.facts.constants:
            values = self.facts.constants[variable.base]
            return _literal(values[number]) if isinstance(number, int) else f"(val)constant_{variable.base}[{number}]"
        return get(v.state, self.layout.globals[variable.base], number)

    def fixed(self, v: View, variable: Variable) -> str:
        """C for a local variable that is never assigned, if it is known what it is in each slot."""
        values = self.layout.fixed(v.template, variable)
        if len(set(values.values())) == 1:
            return _literal(next(iter(values.values())))
        return f"(val){fixed_name(self.local_number(v.template, variable))}[{v.pid}]" if values else ""

    def possible(self, e: Expr, template: int) -> tuple[int, ...]:
        """All values that an expression can have, if they are few and known; else none."""
        if isinstance(e, Const):
            return (e.value,)
        if isinstance(e, Place) and not e.variable.is_local:
            return self.facts.constants.get(e.variable.base, ())
        if isinstance(e, Place) and not e.indices:
            return tuple(self.layout.fixed(template, e.variable).values())
        return ()

    def local(self, template: int, variable: Variable, number: int | str, state: str, pid: str) -> str:
        """C that reads an element of a local variable."""
        block = self.layout.locals[template][variable.base]
        return get(state, block, number, f"LANE_WORD[{pid}]", f"LANE_SHIFT[{pid}]")

    def store(self, place: Target, value: str, v: View) -> list[str]:
        """Assign: the value is wrapped to the type, then must fit the layout."""
        variable = place.variable
        before, number = [], "0"
        if isinstance(place, Field):
            block, kind, where = self.field_block(place), OverflowKind.OBJECT, self.field_number(place)
            before = [f"    const unsigned slot = {self.object(place, v)};"]
            at = locate(block, "at", "CELL_WORD[slot]", "CELL_SHIFT[slot]")
        elif variable.is_local:
            block = self.layout.locals[v.template][variable.base]
            at = locate(block, "at", f"LANE_WORD[{v.pid}]", f"LANE_SHIFT[{v.pid}]")
            kind, where = OverflowKind.LOCAL, self.local_number(v.template, variable)
        else:
            if variable.base in self.facts.constants:
                raise AssertionError(f"{variable.name} is written, so it is not constant")
            block = self.layout.globals[variable.base]
            at = locate(block, "at", "0", "0")
            bases = [g.base for g in self.facts.model.globals]
            kind, where = OverflowKind.GLOBAL, bases.index(variable.base)
        number = str(self.index(place, v)) if place.indices else "0"
        lines = ["{", f"    val value = {wrap(value, variable.type.bits, variable.type.signed)};"]
        lines += [f"    {x}" for x in self.fit("value", block, kind, where)]
        lines += [*before, f"    const unsigned at MAYBE_UNUSED = (unsigned)({number});"]
        lines += [f"    put({v.state} + {at[0]}, {at[1]}, {mask(block.bits)}, value);", "}"]
        return lines

    def local_number(self, template: int, variable: Variable) -> int:
        """The variable as overflows name it."""
        bases = [x.base for x in self.facts.templates[template].template.locals]
        return template * WHERE + bases.index(variable.base)

    # ---------------------------------------------------------------- objects

    def object(self, e: Field, v: View) -> str:
        """The slot of the object whose field it is."""
        return f"object(w, {v.state}, {self.expr(e.pointer, v)}, {self.fault_site()}, {self.fault_site()})"

    def field_block(self, e: Field) -> BitBlock:
        assert self.layout.heap is not None
        return self.layout.heap.objects[self.facts.tag(e.kind) - 1][e.variable.base]

    def field_number(self, e: Field) -> int:
        """The field as overflows name it."""
        bases = [x.base for x in self.facts.model.object(e.kind).fields]
        return (self.facts.tag(e.kind) - 1) * WHERE + bases.index(e.variable.base)

    def read_field(self, e: Field, v: View) -> str:
        slot, found = self.name("slot"), self.object(e, v)
        number = self.index(e, v) if e.indices else 0
        value = get(v.state, self.field_block(e), number, f"CELL_WORD[{slot}]", f"CELL_SHIFT[{slot}]")
        return f"({{ const unsigned {slot} = {found}; {value}; }})"

    def fit(self, value: str, block: BitBlock, kind: OverflowKind, where: int) -> list[str]:
        """The test that a value fits into its bits; if not, the search begins again with more of them."""
        if not block.checked:
            return []
        self.may_fault = True
        if block.signed:
            high = 1 << (block.bits - 1)
            test = f"(uint64_t)({value} + {_literal(high)}) >> {block.bits}"
        else:
            test = f"(uint64_t){value} >> {block.bits}"
        return [f"if (UNLIKELY({test})) report_overflow(w, OVERFLOW_{kind.name}, {where}, (int){value});"]

    # ---------------------------------------------------------------- channels

    def channel(self, e: Expr, v: View) -> str:
        """The index of a channel; a constant where it is known."""
        text = self.expr(e, v)
        if text.isdigit() and 0 < int(text) <= len(self.facts.model.channels):
            return f"{int(text) - 1}"
        if self.are_static(self.possible(e, v.template)):
            return f"(unsigned)({text} - 1)"
        return f"channel(w, {v.state}, {text}, {self.fault_site()}, {self.fault_site()})"

    def are_static(self, numbers: tuple[int, ...]) -> bool:
        """Are these channels that are always there?"""
        return bool(numbers) and all(0 < number <= len(self.facts.model.channels) for number in numbers)

    def known_type(self, e: Expr, template: int) -> int | None:
        """The number of the type that the channel has, whichever of several it may be; None if that is not known."""
        numbers = self.possible(e, template)
        if not self.are_static(numbers):
            return None
        kinds = (self.facts.initial[0].channels[number - 1].type for number in numbers)
        types = {self.facts.channel_types.index(self.facts.interpreter.channel_types[kind]) for kind in kinds}
        return types.pop() if len(types) == 1 else None

    def type_of(self, e: Expr, state: str, template: int) -> str:
        """The type of channel `c`, which the expression gave."""
        known = self.known_type(e, template)
        return f"type_of({state}, c)" if known is None else str(known)

    def full(self, e: Expr, v: View) -> str:
        """Is there no room in the channel?"""
        known, channel = self.known_type(e, v.template), self.channel(e, v)
        if known is None:
            return f"chan_full({v.state}, {channel})"
        return f"(chan_len({v.state}, {channel}) >= {max(self.facts.channel_types[known].capacity, 1)})"

    def channel_test(self, e: ChannelTest, v: View) -> str:
        length = f"chan_len({v.state}, {self.channel(e.channel, v)})"
        match e.test:
            case "len":
                return f"(val){length}"
            case "empty":
                return f"(val)({length} == 0)"
            case "nempty":
                return f"(val)({length} != 0)"
        full = self.full(e.channel, v)
        return f"(val){full}" if e.test == "full" else f"(val)!{full}"

    def poll(self, e: Poll, v: View) -> str:
        finder = self.finder(e.channel, e.patterns, e.anywhere, v.template, self.sites.new())
        self.may_fault = True
        return f"(val)({finder}(w, {v.state}, {v.pid}) >= 0)"

    def finder(self, channel: Expr, patterns: tuple[Pattern, ...], anywhere: bool, template: int, poll: int = 0) -> str:
        """A function that finds the message a receive would take, or -1."""
        name, v = self.name("find"), View("s", "pid", template)
        tests = [
            f"if (t_fields <= {i} || chan_field(s, c, t, m, {i}) != {self.expr(p.value, v)}) {{ SKIP }}"
            for i, p in enumerate(patterns)
            if isinstance(p, Match)
        ]
        assert all(isinstance(p, Match | Bind) for p in patterns)
        parameter, first = self.about_pid(template)
        lines = [
            f"static MAYBE_UNUSED int {name}(struct worker *w, const word *s, {parameter}) {{",
            f"{first} (void)w;",
            f"    const unsigned c = {self.channel(channel, v)};",
            f"    const unsigned t = {self.type_of(channel, 's', template)}, t_fields MAYBE_UNUSED = FIELDS[t];",
            "    (void)t;",
        ]
        if poll:
            lines.append(f"    if (CAPACITY[t] == 0) {{ fault(w, {poll}); return -1; }}")
        if anywhere:
            looking = [test.replace("SKIP", "continue;") for test in tests]
            body = ["for (unsigned m = 0; m < n; m++) {", *indent([*looking, "return w->fault ? -1 : (int)m;"]), "}"]
        else:
            looking = [test.replace("SKIP", "return -1;") for test in tests]
            begin = ["if (n == 0) return -1;", "const unsigned m MAYBE_UNUSED = 0;"]
            body = [*begin, *looking, "return w->fault ? -1 : 0;"]
        end = ["    return -1;"] if anywhere else []
        head = ["    const unsigned n = chan_len(s, c);", "    if (UNLIKELY(w->fault)) return -1;"]
        lines += [*head, *indent(body), *end, "}"]
        self.helpers.append("\n".join(lines))
        return name

    # ---------------------------------------------------------------- processes

    def about_process(self, e: Expr, v: View) -> str:
        """What a statement asks about other processes: enabled, where they are, their variables."""
        match e:
            case Enabled(pid):
                return f"enabled(w, {v.state}, {self.expr(pid, v)}, {v.pid}, {self.fault_site()})"
            case LocationOf(pid):
                return f"location_of({v.state}, {self.expr(pid, v)})"
            case Priority(pid):
                return f"priority_of({v.state}, {self.expr(pid, v)})"
            case AtLabel():
                target = self.facts.by_name[e.template]
                location = target.template.label(e.label)
                if location not in target.locations:
                    return "0"
                return f"at_pc({v.state}, {self.which(e.template, e.pid, v)}, {target.number}, {target.pc(location)})"
            case RemoteRead():
                target = self.facts.by_name[e.template]
                name = self.name("who")
                number = self.index(e.place, v) if e.place.indices else 0
                value = self.local(target.number, e.place.variable, number, v.state, name)
                which = f"find_process({v.state}, {self.which(e.template, e.pid, v)}, {target.number})"
                return f"({{ const int {name} = {which}; {name} < 0 ? 0 : {value}; }})"
        raise AssertionError(e)

    def which(self, template: str, pid: Expr | None, v: View) -> str:
        """The pid that is meant; without one, the oldest process of the template."""
        if pid is None:
            return f"oldest({v.state}, {self.facts.by_name[template].number})"
        return self.expr(pid, v)


def fixed_name(number: int) -> str:
    """The table of what a local variable is in each slot, by its number among those of all templates."""
    return f"fixed_{number}"


def _literal(value: int) -> str:
    if -(2**31) < value < 2**31:
        return str(value) if value >= 0 else f"({value})"
    return f"({value}LL)" if value > -(2**63) else "INT64_MIN"


def mask(bits: int) -> str:
    return f"0x{(1 << bits) - 1:x}ULL"


def locate(block: BitBlock, number: int | str, word: str, shift: str) -> tuple[str, str]:
    """Word and shift of an element, as C; `word` and `shift` say where the lane is."""
    if isinstance(number, int):
        w, s = block.place(number)
        return _plus(word, w), _plus(shift, s)
    if block.count == 1:
        return _plus(word, block.word), _plus(shift, block.shift)
    if block.is_small:
        return _plus(word, block.word), f"({_plus(shift, block.shift)} + (unsigned)({number}) * {block.bits})"
    at = f"(unsigned)({number})"
    return f"({_plus(word, block.word)} + {at} / {block.per_word})", f"({at} % {block.per_word} * {block.bits})"


def _plus(base: str, offset: int) -> str:
    if base == "0":
        return str(offset)
    return f"{base} + {offset}" if offset else base


def get(state: str, block: BitBlock, number: int | str, word: str = "0", shift: str = "0") -> str:
    """C that reads an element of a block, `word` and `shift` further on."""
    w, s = locate(block, number, word, shift)
    if block.signed:
        return f"get_signed({state}[{w}], {s}, {block.bits})"
    return f"(val)({state}[{w}] >> ({s}) & {mask(block.bits)})"


def wrap(value: str, bits: int, signed: bool) -> str:
    """C that cuts a value to the bits of its type."""
    if signed:
        return f"(val)({value})" if bits >= 64 else f"wrap_signed({value}, {bits})"
    return f"(val)((uint64_t)({value}) & {mask(bits)})"
