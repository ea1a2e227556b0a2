"""Steps and expressions as terms over the things that a permutation can move.

Reference: Donaldson and Miller, Automatic Symmetry Detection for Model Checking, FM 2005 (the static channel diagram).
Differs: the whole specialised program is in the terms, not only who talks to whom.  Operators that commute are
unordered.
"""

from __future__ import annotations

from ...core.model import (
    Allocate,
    Assert,
    Assign,
    AtLabel,
    Binary,
    Bounded,
    Call,
    Chain,
    ChannelTest,
    Conditional,
    Const,
    Delete,
    Deterministic,
    Else,
    Enabled,
    End,
    Expr,
    Field,
    Guard,
    LastPid,
    LocationOf,
    Match,
    Model,
    Observe,
    Pattern,
    Place,
    Poll,
    Print,
    Priority,
    Receive,
    RemoteRead,
    Return,
    Self,
    Send,
    SetPriority,
    Skip,
    Step,
    Store,
    Transition,
    Unary,
    Variable,
)
from ...semantics.walk import different_steps, expressions, operands, slot_of, subexpressions
from .facts import Ref, Term, TermNode, flattened
from .population import Population
from .questions import speaks_of_nobody
from .shifts import find_shift
from .sorts import Sorts, Typed, is_total, values_of
from .specialise import FixedFacts, OwnCode, is_boolean
from .value_class import ValueClass

COMMUTATIVE = ("+", "*", "&", "|", "^", "&&", "||", "==", "!=", "max", "min")
ASSOCIATIVE = ("+", "*", "&", "|", "^", "&&", "||", "max", "min")


class TermWriter:
    """Writes what processes do and look at as terms."""

    def __init__(self, model: Model, population: Population, owns: list[OwnCode], sorts: Sorts) -> None:
        self.model, self.state, self.owns, self.sorts = model, population.state, owns, sorts
        self.started = population.started
        self.fixed = FixedFacts(model, population)
        self.own: OwnCode | None = None
        self.arrays: dict[tuple[int, bool, int | None], TermNode] = {}  # large, and parts of many facts
        self.steps: dict[int, tuple[Step, TermNode | None]] = {}  # by identity: their terms, if the same for everybody
        self.interned: dict[TermNode, TermNode] = {}
        self.parts_of_many: dict[tuple[int, bool], tuple[Expr, Term | None]] = {}  # by identity, of sums and the like
        steps = different_steps(a for own in owns for a in own.actions)
        looks = (e for step in steps for whole in expressions(step) for e in subexpressions(whole))
        self.exact_locations = any(isinstance(e, LocationOf) for e in looks)

    def place_of(self, pid: int, location: int) -> Ref:
        return Ref(("loc", pid, location))

    # ---------------------------------------------------------------- steps

    def step(self, step: Step) -> TermNode:
        """A step as a term: two that a permutation takes to each other become equal.  Equal terms are one, and a step
        that is the same for everybody is written once."""
        known = self.steps.get(id(step))
        if known is not None and known[1] is not None:
            return known[1]
        term = self.write_step(step)
        term = self.interned.setdefault(term, term)
        if known is None:
            self.steps[id(step)] = step, term if speaks_of_nobody(step) else None
        return term

    def write_step(self, step: Step) -> TermNode:
        """What a step does, for the process at hand."""
        match step:
            case Skip() | Else():
                return TermNode((type(step).__name__,))
            case End():  # SOUND: only the youngest process may die, so a process that can die stays where it is
                return TermNode(("end", self.own.pid if self.own else -1))
            case Guard(condition):
                return TermNode(("guard",), (self.truth(condition),))
            case Assert(condition):
                return TermNode(("assert",), (self.truth(condition),))
            case Assign(place, value):
                target = self.sorts.typed(place)
                return TermNode(("assign",), (self.term(place), self.term(value, target)))
            case Transition(guard, assigns):
                return TermNode(("transition",), (self.truth(guard), *map(self.step, assigns)))
            case Store(field, value):
                return TermNode(("store",), (self.term(field), self.term(value, self.sorts.typed(field))))
            case Allocate(into, kind):
                return TermNode(("new", kind), (self.term(into),))
            case Call():
                return self.call(step)
            case Return(_, site, variables, value, into):
                among = None if into is None else self.sorts.typed(into)
                result = () if into is None else (self.term(into),)
                return TermNode(("return", site), (self.term(value, among), *self.slots(variables), *result))
            case Delete(pointer):
                return TermNode(("delete",), (self.term(pointer),))
            case Print(_, values):
                kept = tuple(self.term(v, self.sorts.typed(v)) for v in values if not is_total(v, self.sorts))
                return TermNode(("print",), kept)
            case SetPriority(pid, value):
                return TermNode(("priority",), (self.pid_term(pid), self.term(value)))
            case Deterministic(entry, inside):
                assert self.own is not None
                places = tuple(self.place_of(self.own.pid, i) for i in sorted(inside))
                return TermNode(
                    ("d_step",), (self.place_of(self.own.pid, entry), TermNode(("in",), places, unordered=True))
                )
            case Chain(actions):
                return TermNode(("chain",), tuple(self.step(a.step) for a in actions))
        return self.communication(step)

    def call(self, step: Call) -> TermNode:
        """SOUND: the variables of the function become 0, and the sites of calls do not move."""
        assert self.own is not None
        name = self.own.template.name
        zeros = [self.const(0, self.sorts.variable(v, name)) for v in step.variables for _ in range(v.size)]
        given = [
            self.term(value, self.sorts.variable(parameter, name))
            for parameter, value in zip(step.parameters, step.values, strict=True)
        ]
        forgets = TermNode(("forgets",), self.slots(step.forgets), unordered=True)
        return TermNode(("call", step.function, step.site), (*given, *self.slots(step.variables), *zeros, forgets))

    def slots(self, variables: tuple[Variable, ...]) -> tuple[Ref, ...]:
        return tuple(self.slot_ref(v, v.base + i) for v in variables for i in range(v.size))

    def communication(self, step: Step) -> TermNode:
        match step:
            case Send(channel, values, in_order):
                fields = tuple(self.term(v, self.field(channel, len(values), i)) for i, v in enumerate(values))
                return TermNode(("send", in_order), (self.channel(channel), *fields))
            case Receive(channel, patterns, anywhere, keep):
                return TermNode(("receive", anywhere, keep), (self.channel(channel), *self.patterns(channel, patterns)))
            case Observe(event, channel, patterns):
                return TermNode(("observe", event), (self.channel(channel), *self.patterns(channel, patterns)))
        raise AssertionError(step)

    def field(self, channel: Expr, width: int, i: int) -> Typed:
        candidates = self.sorts.candidates(channel, width)
        return self.sorts.field(candidates[0], i) if candidates else Const(0)

    def patterns(self, channel: Expr, patterns: tuple[Pattern, ...]) -> tuple[Term, ...]:
        return tuple(self.pattern(p, self.field(channel, len(patterns), i)) for i, p in enumerate(patterns))

    def pattern(self, pattern: Pattern, field: Typed) -> Term:
        if isinstance(pattern, Match):
            return TermNode(("match",), (self.term(pattern.value, field),))
        return TermNode(("bind",), () if pattern.place is None else (self.term(pattern.place),))

    def channel(self, e: Expr) -> Term:
        if isinstance(e, Const):
            known = 1 <= e.value <= len(self.state.channels)
            return Ref(("chan", e.value - 1)) if known else TermNode(("no channel", e.value))
        return self.term(e)

    # ---------------------------------------------------------------- expressions

    def term(self, e: Expr, among: Typed | None = None) -> Term:
        """The expression; a literal is taken as a value of the class `among`."""
        match e:
            case Const(value):
                return self.const(value, among)
            case Place():
                return self.place(e)
            case Field():
                indices = (self.term(i) for i in e.indices)
                return TermNode(("field", e.kind, e.variable.base), (self.term(e.pointer), *indices))
            case LastPid():
                return TermNode(("_last",))
            case Self():
                assert self.own is not None  # SOUND: `bodies.py` has seen that it is a name, and no number
                return Ref(("pid", self.own.pid))
            case Unary("!", operand):
                return TermNode(("!",), (self.truth(operand),))
            case Unary(op, operand):
                return TermNode((op,), (self.term(operand),))
            case Binary():
                return self.binary(e)
            case Bounded():
                return self.bounded(e, among)
            case Conditional(condition, then, otherwise):
                children = (self.truth(condition), self.term(then, among), self.term(otherwise, among))
                return TermNode(("?",), children)
            case ChannelTest(test, channel):
                return TermNode((test,), (self.channel(channel),))
            case Poll(channel, patterns, anywhere):
                return TermNode(("poll", anywhere), (self.channel(channel), *self.patterns(channel, patterns)))
        return self.remote(e)

    def truth(self, e: Expr) -> Term:
        if is_boolean(e) or isinstance(e, Const):
            return TermNode(("number", int(e.value != 0))) if isinstance(e, Const) else self.term(e)
        return TermNode(("truth",), (self.term(e), self.const(0, self.sorts.typed(e))))

    def const(self, value: int, among: Typed | None) -> Term:
        kind = among.kind if isinstance(among, ValueClass) else "number"
        if kind == "pid" and 0 <= value < len(self.state.processes):
            return Ref(("pid", value))
        if kind == "chan" and 1 <= value <= len(self.state.channels):
            return Ref(("chan", value - 1))
        if kind == "number" or not isinstance(among, ValueClass):
            return TermNode(("number", value))
        if kind == "scalar" and 1 <= value <= dict(self.model.scalarsets)[among.scalarset]:
            return Ref(("scalar", among.scalarset, value))
        return Ref(("value", among.number, value))

    def shift(self, e: Binary) -> Term | None:
        """A name to which a constant is added, with the table of what that gives."""
        shift = find_shift(e)
        result = None if shift is None else self.sorts.shifted(e, [self.sorts.typed(shift[0])])
        values = None if shift is None or result is None else values_of(shift[0], self.sorts)
        if shift is None or values is None or result is None or result.kind == "number":
            return None
        operand, by = shift
        one = self.sorts.typed(operand)
        entries = (TermNode(("entry",), (self.const(v, one), self.const(v + by, result))) for v in sorted(values))
        return TermNode(("sum",), (TermNode(("array",), tuple(entries), unordered=True), self.term(operand)))

    def binary(self, e: Binary) -> Term:
        if e.op in ("+", "-") and (found := self.shift(e)) is not None:
            return found
        if e.op in ASSOCIATIVE and (parts := self.total_parts(e)) is not None:
            return TermNode((e.op,), flattened(e.op, parts), unordered=True)
        if e.op in ("&&", "||"):
            # SOUND: the right side is not evaluated if the left decides; so the order matters if one can fault.
            return TermNode((e.op,), flattened(e.op, (self.truth(e.left), self.truth(e.right))))
        among = self.sorts.unify(self.sorts.typed(e.left), self.sorts.typed(e.right)) if e.op in ("==", "!=") else None
        children = (self.term(e.left, among), self.term(e.right, among))
        if e.op not in COMMUTATIVE or not (is_total(e.left, self.sorts) and is_total(e.right, self.sorts)):
            return TermNode((e.op,), children)
        return TermNode((e.op,), children, unordered=True)

    def total_parts(self, e: Binary) -> list[Term] | None:
        """What an associative operator joins, if no part can fault."""
        found = [self.part(part, e.op in ("&&", "||")) for part in operands(e, e.op)]
        known = [term for term in found if term is not None]
        return known if len(known) == len(found) else None

    def part(self, e: Expr, is_truth: bool) -> Term | None:
        """A part of a sum, or the like; None if it can fault.  Those of different processes are often the same."""
        if (id(e), is_truth) in self.parts_of_many:
            return self.parts_of_many[id(e), is_truth][1]
        is_long = isinstance(e, Binary) and e.op in ASSOCIATIVE
        is_safe = self.total_parts(e) is not None if isinstance(e, Binary) and is_long else is_total(e, self.sorts)
        term = None if not is_safe else self.truth(e) if is_truth else self.term(e)
        if not is_long and not any(map(_is_own, subexpressions(e))):
            self.parts_of_many[id(e), is_truth] = e, term
        return term

    def bounded(self, e: Bounded, among: Typed | None) -> Term:
        one = self.sorts.typed(e.value)
        if not isinstance(one, ValueClass) or one.kind == "number":
            return TermNode(("bounded", e.kind, e.low, e.high), (self.term(e.value, among),))
        # SOUND: which values are outside is part of the fact, so nothing moves into the bounds or out of them.
        values = values_of(e.value, self.sorts)
        assert values is not None
        outside = tuple(self.const(v, one) for v in sorted(values) if not e.low <= v <= e.high)
        return TermNode(
            ("bounded", e.kind), (self.term(e.value, among), TermNode(("outside",), outside, unordered=True))
        )

    # ---------------------------------------------------------------- places

    def slot_ref(self, variable: Variable, slot: int, pid: int | None = None) -> Ref:
        if not variable.is_local:
            return Ref(("global", slot))
        if pid is None:
            assert self.own is not None
            pid = self.own.pid
        return Ref(("local", pid, slot))

    def place(self, e: Place, pid: int | None = None, template: str | None = None) -> Term:
        slot = slot_of(e)
        if slot is not None:
            return self.slot_ref(e.variable, slot, pid)
        owner = template or (self.own.template.name if self.own and e.variable.is_local else "")
        classes = [self.sorts.index(e.variable, owner, d) for d in range(len(e.indices))]
        indices = tuple(self.term(i, k) for i, k in zip(e.indices, classes, strict=True))
        return TermNode(("element",), (self.array(e.variable, classes, pid), *indices))

    def array(self, variable: Variable, classes: list[ValueClass], pid: int | None) -> TermNode:
        """An array is the set of its elements with their indices; indices that are names may be permuted."""
        owner = None if not variable.is_local else self.own.pid if self.own and pid is None else pid
        key = (variable.base, variable.is_local, owner)
        if key not in self.arrays:
            self.arrays[key] = self.write_array(variable, classes, pid)
        return self.arrays[key]

    def write_array(self, variable: Variable, classes: list[ValueClass], pid: int | None) -> TermNode:
        entries = []
        for offset in range(variable.size):
            rest, indices = offset, list[Term]()
            for size, one in zip(reversed(variable.shape), reversed(classes), strict=True):
                rest, i = divmod(rest, size)
                indices.insert(0, self.const(i, one))
            entries.append(TermNode(("entry",), (self.slot_ref(variable, variable.base + offset, pid), *indices)))
        return TermNode(("array",), tuple(entries), unordered=True)

    # ---------------------------------------------------------------- other processes

    def pid_term(self, e: Expr) -> Term:
        if isinstance(e, Const):
            known = 0 <= e.value < len(self.state.processes)
            return Ref(("pid", e.value)) if known else TermNode(("number", e.value))
        return self.term(e)

    def remote(self, e: Expr) -> Term:
        match e:
            case AtLabel(template, pid, label):
                return self.look(("at label",), pid, self.label_of(template, label))
            case RemoteRead(template, pid, place):
                table = {o.pid: self.place(place, o.pid, template) for o in self.owns if o.template.name == template}
                # SOUND: 0 is read of a process that is not there, so 0 must stay 0 among these values.
                none = self.const(0, self.sorts.typed(e))
                return TermNode(("remote",), (self.look(("read",), pid, table), none))
            case Enabled(pid) | LocationOf(pid) | Priority(pid):
                return TermNode((type(e).__name__,), (self.pid_term(pid),))
        return TermNode((type(e).__name__,))  # timeout, np_, _nr_pr: the same for everybody

    def label_of(self, template: str, label: str) -> dict[int, Term]:
        target = self.model.template(template).label(label)
        assert target is not None
        return {own.pid: self.place_of(own.pid, target) for own in self.owns if own.template.name == template}

    def look(self, label: tuple[str], pid: Expr | None, table: dict[int, Term]) -> Term:
        if pid is None:  # in a claim: the oldest process, which is the last one to die
            pid = Const(min(table, default=-1))
        if isinstance(pid, Const):
            return TermNode(label, (table[pid.value],)) if pid.value in table else TermNode(("number", 0))
        one = self.sorts.typed(pid)
        entries = tuple(TermNode(("entry",), (self.const(p, one), term)) for p, term in table.items())
        return TermNode((*label, "of"), (TermNode(("array",), entries, unordered=True), self.term(pid)))


def _is_own(e: Expr) -> bool:
    return isinstance(e, Self) or (isinstance(e, Place) and e.variable.is_local)
