"""What values mean: plain numbers, or names that are only compared, copied and used as indices.

Reference: Ip and Dill, Better Verification through Symmetry, 1996 (the scalarset discipline); inference by unification.
Differs: nothing is declared.  Values that flow into each other form a class; a class is *named* unless somebody
computes with it or orders it.  Named classes whose values are pids or channels are tied to those; others (numbers given
as parameters, message kinds) have names of their own, which symmetry may permute as long as everything fits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TypeAlias, TypeVar

from ...core.errors import NOWHERE, Location
from ...core.model import (
    Action,
    Allocate,
    Assert,
    Assign,
    AtLabel,
    Binary,
    Bounded,
    Call,
    Chain,
    ChannelTest,
    ChannelType,
    Conditional,
    Const,
    Delete,
    Enabled,
    Expr,
    Field,
    Guard,
    LastPid,
    LocationOf,
    Match,
    Model,
    ObjectType,
    Observe,
    Pattern,
    Place,
    Poll,
    Priority,
    Receive,
    RemoteRead,
    Return,
    Scalar,
    Self,
    Send,
    SetPriority,
    Sort,
    Step,
    Store,
    Template,
    Transition,
    Unary,
    Variable,
    points_to_process,
)
from ...core.verdict import Refusal
from ...semantics.heap import initial_fields
from ...semantics.interp import Interpreter
from ...semantics.state import State
from ...semantics.walk import different_steps, slot_of, stored
from .shifts import Shifts, find_shift
from .specialise import PID, Loop, OwnCode, is_boolean
from .value_class import ValueClass

Key: TypeAlias = tuple[str | int, ...]
# ("global", base), ("local", template, base), ("field", channel, i), ("index", template, base, dimension)


class _Number:
    """The type of what is computed."""


NUMBER = _Number()
Typed: TypeAlias = ValueClass | _Number | Const
_Many = TypeVar("_Many", Binary, Conditional)


class Sorts:
    """Puts all variables, fields and indices whose values flow into each other into classes."""

    def __init__(self, model: Model, interpreter: Interpreter, state: State, owns: list[OwnCode]) -> None:
        self.model, self.state = model, state
        self.channel_types: list[ChannelType] = [interpreter.channel_types[c.type] for c in state.channels]
        self.parent: dict[Key, Key] = {}
        self.classes: dict[Key, ValueClass] = {}
        self.made = 0  # SOUND: classes have different numbers, also when some were joined
        self.finished = False
        self.where: Location = NOWHERE
        self.template: Template | None = None
        self.misused: list[Refusal] = []  # computing with the pid itself
        self.is_in_loop = False
        self.in_loops: dict[tuple[int, str], tuple[Expr, Typed]] = {}  # by identity and template
        self.steps_seen: dict[tuple[int, str], tuple[Step, Location]] = {}  # by identity and template
        self.declare()
        for own in owns:
            self.process(own)
        self.observers()

    # ---------------------------------------------------------------- classes

    def of(self, key: Key) -> ValueClass:
        while self.parent.setdefault(key, key) != key:
            key = self.parent[key]
        if key not in self.classes:
            self.classes[key] = ValueClass(self.made)
            self.made += 1
        return self.classes[key]

    def variable(self, variable: Variable, template: str) -> ValueClass:
        return self.of(_variable_key(variable, template))

    def index(self, variable: Variable, template: str, dimension: int) -> ValueClass:
        return self.of(("index", template if variable.is_local else "", variable.base, dimension))

    def object_field(self, kind: str, variable: Variable) -> ValueClass:
        return self.of(("object", kind, variable.base))

    def object_index(self, kind: str, variable: Variable, dimension: int) -> ValueClass:
        return self.of(("object index", kind, variable.base, dimension))

    def field(self, channel: int, i: int) -> ValueClass:
        return self.of(("field", channel, i))

    @property
    def anybody(self) -> ValueClass:
        """The class of `_pid` in code that processes share."""
        one = self.of(("anybody",))
        one.holds_pids = True
        return one

    def join(self, a: ValueClass, b: ValueClass) -> ValueClass:
        a, b = a.current, b.current
        if a is b:
            return a
        if b.number < a.number:
            a, b = b, a
        a.absorb(b)
        b.joined_with = a
        same = [(result, a.shifts.setdefault(by, result)) for by, result in b.shifts.items()]
        root = next(k for k, c in self.classes.items() if c is a and self.parent[k] == k)
        for key, known in list(self.classes.items()):
            if known is b:
                self.parent[key] = root
                del self.classes[key]
        for one, other in same:
            self.join(one, other)
        return a.current

    def spoil(self, one: Typed, why: str) -> None:
        if self.finished:
            return
        if isinstance(one, ValueClass):
            one.current.spoilt.append(Refusal(self.where, why))
        elif isinstance(one, Const) and one.text == PID:
            self.misused.append(Refusal(self.where, why))

    def unify(self, a: Typed, b: Typed, why: str = "") -> Typed:
        """Two values that meet: assigned, compared, sent, matched."""
        a, b = (one.current if isinstance(one, ValueClass) else one for one in (a, b))
        if isinstance(a, ValueClass) and isinstance(b, ValueClass):
            return self.join(a, b)
        if isinstance(b, ValueClass):
            a, b = b, a
        if not isinstance(a, ValueClass):
            return NUMBER if isinstance(a, _Number) or isinstance(b, _Number) else a
        if isinstance(b, Const):
            self.literal(a, b)
        else:
            self.spoil(a, why or "a number that was computed is stored in it or compared with it")
        return a

    def literal(self, one: ValueClass, value: Const) -> None:
        one.current.literals.add(value.value)
        one.current.holds_pids |= value.text == PID

    # ---------------------------------------------------------------- declarations

    def declare(self) -> None:
        """A class for each variable, with the values that it begins with."""
        for variable in self.model.globals:
            self.declare_variable(variable, "")
            for i in range(variable.size):
                self.variable(variable, "").literals.add(self.state.values[variable.base + i])
            if variable.choices:
                self.variable(variable, "").literals |= set(variable.choices)
        for process in self.state.processes:
            template = self.model.templates[process.template]
            for variable in template.locals:
                self.declare_variable(variable, template.name)
                for i in range(variable.size):
                    self.variable(variable, template.name).literals.add(process.frame[variable.base + i])
        for object_type in self.model.objects:
            for variable, values in _initial_values(object_type):
                self.typed_as(self.object_field(object_type.name, variable), variable.type)
                self.object_field(object_type.name, variable).literals |= values
            for cell in self.state.heap:
                if cell.type and self.model.objects[cell.type - 1] is object_type:
                    self.literal_fields(object_type, cell.fields)
        for c, kind in enumerate(self.channel_types):
            for i, scalar in enumerate(kind.fields):
                self.typed_as(self.field(c, i), scalar)
                self.field(c, i).literals |= {m[i] for m in self.state.channels[c].messages}

    def literal_fields(self, object_type: ObjectType, fields: tuple[int, ...]) -> None:
        for v in object_type.fields:
            self.object_field(object_type.name, v).literals |= set(fields[v.base : v.base + v.size])

    def declare_variable(self, variable: Variable, template: str) -> None:
        one = self.variable(variable, template)
        self.typed_as(one, variable.type)
        if len(variable.initial) == 1 and type(variable.initial[0]).__name__ == "Self":
            one.holds_pids = True

    def typed_as(self, one: ValueClass, scalar: Scalar) -> None:
        one.types.add(scalar)
        one.holds_channels |= scalar.sort is Sort.CHANNEL
        one.holds_pids |= points_to_process(scalar)
        if scalar.sort is Sort.SCALARSET:
            one.scalarsets.add(scalar.enum)
        if scalar.sort is Sort.POINTER:  # addresses are no business of permutations of processes: see heap.py
            one.spoilt.append(Refusal(NOWHERE, "it holds addresses"))

    def finish(self) -> None:
        """A name must survive being stored anywhere in its class; after this, nothing is learnt."""
        self.finished = True
        shifts = Shifts(self.classes.values(), len(self.state.processes))
        shifts.settle()
        for one in self.classes.values():
            values = set(one.literals)
            if one.holds_pids:
                values |= set(range(len(self.state.processes)))
            values |= {v for name in one.scalarsets for v in range(dict(self.model.scalarsets)[name] + 1)}
            narrow = sorted(t.name for t in one.types if any(t.wrap(v) != v for v in values))
            if narrow:  # SOUND: truncation is arithmetic
                one.spoilt.append(Refusal(NOWHERE, f"type {narrow[0]} is too narrow for some of the values"))
        shifts.spread()
        shifts.forget_numbers()

    # ---------------------------------------------------------------- processes

    def process(self, own: OwnCode) -> None:
        self.template = own.template
        for action in own.actions:
            if action.id in own.loops:
                self.loop(own.loops[action.id])
                continue
            if not self.was_seen(action.step, action.location):
                self.action(action)
            for variable in action.clears:
                self.variable(variable, own.template.name).literals.add(variable.rest)
        if own.provided is not None:
            self.where = own.template.location
            self.condition(own.provided)

    def was_seen(self, step: Step, where: Location) -> bool:
        """Has another process of this template the same step?  It says nothing new: what was joined stays joined."""
        key = id(step), self.template.name if self.template else ""
        known = self.steps_seen.get(key)
        if known is None:
            self.steps_seen[key] = step, where
        return known is not None and known[1] == where

    def observers(self) -> None:
        self.template = None
        self.condition(self.model.initially)
        for invariant in self.model.invariants:
            self.where = invariant.location
            self.condition(invariant.condition)
            self.condition(invariant.defined)
        monitor = self.model.monitor
        for action in monitor.template.actions if monitor else ():
            self.action(action)

    def claim(self, e: Expr, where: Location) -> None:
        """An atom of a claim is a condition like any other."""
        self.template, self.where = None, where
        self.condition(e)

    def action(self, action: Action) -> None:
        self.where = action.location
        if isinstance(action.step, Chain):
            for part in action.step.actions:
                self.where = part.location
                self.step(part.step)
        else:
            self.step(action.step)

    def loop(self, loop: Loop) -> None:
        """What a loop does as a whole."""
        self.where = loop.action.location
        for step in loop.before:
            self.step(step)
        self.condition(loop.guard)
        self.is_in_loop = True
        for assign, self.where in loop.assigns:
            if not self.was_seen(assign, self.where):
                self.step(assign)
        self.is_in_loop = False
        for e, self.where in loop.asserts:
            self.condition(e)
        for e, self.where in loop.evaluated:
            self.typed(e)

    def step(self, step: Step) -> None:
        """Values that a step lets flow together are of one class; those it computes with are plain numbers."""
        match step:
            case Guard(condition) | Assert(condition):
                self.condition(condition)
            case Assign(place, value):
                self.unify(self.typed(place), self.typed(value), "the result of arithmetic is stored in it")
            case Transition(guard, assigns):
                self.condition(guard)
                for assign in assigns:
                    self.step(assign)
            case Store(field, value):
                self.unify(self.typed(field), self.typed(value), "the result of arithmetic is stored in it")
            case Allocate(into):
                self.typed(into)
            case Call():
                self.call(step)
            case Return(value=value, into=into):
                if into is not None:
                    self.unify(self.typed(into), self.typed(value), "the result of arithmetic is stored in it")
            case Delete(pointer):
                self.typed(pointer)
            case Send(channel, values):
                self.message(channel, [self.typed(v) for v in values])
                if step.sorted:
                    self.spoil_fields(channel, len(values), "a sorted send (!!) orders the messages")
            case Receive(channel, patterns) | Observe(_, channel, patterns):
                self.message(channel, [self.pattern(p) for p in patterns])
            case SetPriority(pid, value):
                self.as_pid(pid)
                self.spoil(self.typed(value), "priorities are ordered")

    def call(self, step: Call) -> None:
        name = self.template.name if self.template else ""
        for variable in step.variables:
            self.variable(variable, name).literals.add(0)
        for parameter, value in zip(step.parameters, step.values, strict=True):
            self.unify(self.variable(parameter, name), self.typed(value), "the result of arithmetic is passed as it")

    # ---------------------------------------------------------------- channels

    def candidates(self, channel: Expr, width: int) -> list[int]:
        """The channels that an expression can mean."""
        if isinstance(channel, Const):
            c = channel.value - 1
            known = 0 <= c < len(self.channel_types) and len(self.channel_types[c].fields) == width
            return [c] if known else []
        among = self.in_array(channel) if isinstance(channel, Place) else None
        fitting = [c for c, t in enumerate(self.channel_types) if len(t.fields) == width]
        return [c for c in fitting if among is None or c in among]

    def in_array(self, place: Place) -> set[int] | None:
        """The channels of a variable or an array that nobody writes to; None if somebody does."""
        variable, slot = place.variable, slot_of(place)
        # SOUND: such an array holds for ever what it holds now.
        if variable.is_local or variable.choices or variable.base in self.written_globals:
            return None
        slots = range(variable.base, variable.base + variable.size) if slot is None else (slot,)
        return {self.state.values[i] - 1 for i in slots}

    @cached_property
    def written_globals(self) -> set[int]:
        """The global variables that some statement writes to."""
        steps = (step for template in self.model.templates for step in different_steps(template.actions))
        return {place.variable.base for step in steps for place in stored(step) if not place.variable.is_local}

    def message(self, channel: Expr, fields: list[Typed | None]) -> None:
        one = self.typed(channel)
        if isinstance(one, ValueClass):
            one.holds_channels = True
        for c in self.candidates(channel, len(fields)):
            for i, value in enumerate(fields):
                if value is not None:
                    self.unify(self.field(c, i), value, "the result of arithmetic is sent in it")
        self.same_fields(channel, len(fields))

    def same_fields(self, channel: Expr, width: int) -> None:
        """Channels that one expression can mean carry the same kinds of values."""
        candidates = self.candidates(channel, width)
        for c in candidates[1:]:
            for i in range(width):
                self.join(self.field(candidates[0], i), self.field(c, i))

    def spoil_fields(self, channel: Expr, width: int, why: str) -> None:
        for c in self.candidates(channel, width):
            for i in range(width):
                self.spoil(self.field(c, i), why)

    def pattern(self, pattern: Pattern) -> Typed | None:
        if isinstance(pattern, Match):
            return self.typed(pattern.value)
        return None if pattern.place is None else self.typed(pattern.place)

    # ---------------------------------------------------------------- expressions

    def condition(self, e: Expr) -> None:
        one = self.typed(e)
        if isinstance(one, ValueClass):
            one.literals.add(0)  # asking for truth is comparing with 0

    def typed(self, e: Expr) -> Typed:
        """The class of an expression's values; a constant stands for itself."""
        if isinstance(e, Binary):  # first: most are
            return self.once(e, self.operation) if e.op in ("==", "!=") else self.operation(e)
        match e:
            case Const():
                return e
            case Place():
                return self.place(e, self.template.name if self.template else "")
            case Field():
                return self.typed_field(e)
            case RemoteRead(template, pid, place):
                self.as_pid(pid)
                read = self.place(place, template)
                self.unify(read, Const(0))  # what is read of a process that is not there
                return read
            case Self():
                return self.anybody
            case LastPid():
                last = self.of(("last",))
                last.holds_pids = True
                last.literals.add(self.state.last)
                return last
            case Bounded():
                return self.bounded(e)
            case Conditional():
                return self.once(e, self.conditional)
            case Unary():
                return self.operation(e)
        self.query(e)
        return NUMBER

    def once(self, e: _Many, look: Callable[[_Many], Typed]) -> Typed:
        """Looked at once if it is a part of many loops, and no value of a class."""
        if not self.is_in_loop:
            return look(e)
        key = id(e), self.template.name if self.template else ""
        if key not in self.in_loops:
            one = look(e)
            if isinstance(one, ValueClass):
                return one
            self.in_loops[key] = e, one
        return self.in_loops[key][1]

    def conditional(self, e: Conditional) -> Typed:
        self.condition(e.condition)
        return self.unify(self.typed(e.then), self.typed(e.otherwise))

    def bounded(self, e: Bounded) -> Typed:
        """Being no process (0, a process of its own kind, stands for none) is no order among processes."""
        one = self.typed(e.value)
        # SOUND: `terms.py` makes a fact of the bounds: the values outside of them must stay where they are.
        if e.kind != "null-dereference":
            self.spoil(one, "it must lie in a range")
        return one

    def place(self, e: Place, template: str) -> Typed:
        owner = template if e.variable.is_local else ""
        if slot_of(e) is None:
            for dimension, (i, size) in enumerate(zip(e.indices, e.variable.shape, strict=True)):
                one = self.index(e.variable, owner, dimension)
                one.literals |= set(range(size))
                self.unify(one, self.typed(i), "the result of arithmetic is an index")
        else:
            for dimension, i in enumerate(e.indices):
                self.literal(self.index(e.variable, owner, dimension), _as_const(i))
        return self.variable(e.variable, owner)

    def typed_field(self, e: Field) -> Typed:
        self.typed(e.pointer)
        for dimension, (i, size) in enumerate(zip(e.indices, e.variable.shape, strict=True)):
            one = self.object_index(e.kind, e.variable, dimension)
            one.literals |= set(range(size))
            # SOUND: elements of arrays in objects do not move with processes, so their indices are plain numbers.
            one.spoilt.append(Refusal(self.where, "an array inside an object is indexed with it"))
            self.unify(one, self.typed(i), "the result of arithmetic is an index")
        return self.object_field(e.kind, e.variable)

    def operation(self, e: Binary | Unary) -> Typed:
        """An operator: comparing for equality lets values meet, computing and ordering make numbers of them."""
        operands = (e.operand,) if isinstance(e, Unary) else (e.left, e.right)
        if e.op in ("!", "&&", "||"):
            for operand in operands:
                self.condition(operand)
            return NUMBER
        kinds = [self.computed(operand) for operand in operands]  # once: a long sum is deep
        if e.op in ("==", "!="):
            self.unify(kinds[0], kinds[1], "it is compared with the result of arithmetic")
        elif (result := self.shifted(e, kinds)) is not None:
            return result
        else:
            kind = "order" if e.op in ("<", "<=", ">", ">=") else "arithmetic"
            for one in kinds:
                self.spoil(one, f"{kind} ({e.op}) on it")
        return NUMBER

    def computed(self, e: Expr) -> Typed:
        """The class of something that is compared or computed with."""
        return self.typed(e)

    def shifted(self, e: Binary | Unary, kinds: Sequence[Typed]) -> ValueClass | None:
        """The class of a name to which a constant is added; `kinds`: those of the operands."""
        shift = find_shift(e)
        one = next((kind for kind in kinds if isinstance(kind, ValueClass)), None)
        if shift is None or one is None:
            return None
        by, one = shift[1], one.current
        if not self.finished:
            result = one.shifts.setdefault(by, self.of(("shifted", one.number, by)))
            one.doubts.append(Refusal(self.where, f"arithmetic ({e.op}) on it"))
            result.current.doubts.append(Refusal(self.where, "the result of arithmetic is stored in it"))
        return one.shifts[by].current if by in one.shifts else None

    def query(self, e: Expr) -> None:
        match e:
            case ChannelTest(_, channel):
                self.message_channel(channel)
            case Poll(channel, patterns):
                self.message(channel, [self.pattern(p) for p in patterns])
            case Enabled(pid) | LocationOf(pid) | Priority(pid) | AtLabel(_, pid):
                self.as_pid(pid)

    def message_channel(self, channel: Expr) -> None:
        one = self.typed(channel)
        if isinstance(one, ValueClass):
            one.holds_channels = True

    def as_pid(self, e: Expr | None) -> None:
        one = self.typed(e) if e is not None else NUMBER
        if isinstance(one, ValueClass):
            one.holds_pids = True


def _initial_values(object_type: ObjectType) -> Iterable[tuple[Variable, set[int]]]:
    fields = initial_fields(object_type.fields, object_type.size)
    return [(v, set(fields[v.base : v.base + v.size])) for v in object_type.fields]


def _variable_key(variable: Variable, template: str) -> Key:
    return ("local", template, variable.base) if variable.is_local else ("global", variable.base)


def _as_const(e: Expr) -> Const:
    assert isinstance(e, Const)
    return e


def values_of(e: Expr, sorts: Sorts) -> Iterable[int] | None:
    """All values that an expression of a named class can have; None if that is not known."""
    if isinstance(e, Const):
        return (e.value,)
    if is_boolean(e):
        return (0, 1)
    one = sorts.typed(e)
    if not isinstance(one, ValueClass) or one.kind not in ("pid", "name", "scalar"):
        return None
    if one.kind == "scalar":
        return range(dict(sorts.model.scalarsets)[one.scalarset] + 1)
    return one.literals | (set(range(len(sorts.state.processes))) if one.holds_pids else set())


def is_total(e: Expr, sorts: Sorts) -> bool:
    """Can the evaluation never fault?"""
    match e:
        case Place():
            return slot_of(e) is not None or _in_range(e, sorts)
        case Binary(op, left, right):
            return op not in ("/", "%") and is_total(left, sorts) and is_total(right, sorts)
        case Unary(_, operand):
            return is_total(operand, sorts)
        case Conditional(condition, then, otherwise):
            return is_total(condition, sorts) and is_total(then, sorts) and is_total(otherwise, sorts)
        case ChannelTest(_, channel):
            return isinstance(channel, Const) and 1 <= channel.value <= len(sorts.state.channels)
        case RemoteRead(_, pid, place):
            return slot_of(place) is not None and pid is not None and is_total(pid, sorts)
        case AtLabel(_, pid) | LocationOf(pid) | Priority(pid):
            return pid is not None and is_total(pid, sorts)
        case Poll() | Enabled() | Field() | Bounded():
            return False
    return True


def _in_range(e: Place, sorts: Sorts) -> bool:
    for index, size in zip(e.indices, e.variable.shape, strict=True):
        values = values_of(index, sorts)
        if values is None or not all(0 <= v < size for v in values) or not is_total(index, sorts):
            return False
    return True
