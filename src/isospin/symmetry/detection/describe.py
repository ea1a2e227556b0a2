"""A model as a set of facts about the things that a permutation can move.

Reference: Donaldson and Miller, Automatic Symmetry Detection for Model Checking, FM 2005 (the static channel diagram).
Differs: a permutation that keeps the set of facts is a symmetry by construction.  Options of a choice are unordered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ...core.model import (
    Action,
    Chain,
    Claim,
    Deterministic,
    Model,
    ObjectType,
    Step,
    Temporal,
    Variable,
)
from ...semantics.heap import initial_fields
from ..protocol import Name
from .facts import Fact, Ref, Term, TermNode, flattened
from .population import Population
from .sights import propositions
from .sorts import Sorts
from .specialise import Loop, OwnCode
from .terms import TermWriter
from .value_class import ValueClass


def facts(
    model: Model, population: Population, owns: list[OwnCode], sorts: Sorts, claims: tuple[Claim, ...]
) -> list[Fact]:
    writer = Describer(model, population, owns, sorts)
    found = list(writer.all())
    for number, claim in enumerate(claims):
        found += writer.claim(number, claim)
    return found


def elements(
    model: Model, population: Population, owns: list[OwnCode], sorts: Sorts, movables: list[Name]
) -> list[Fact]:
    """Where some variables stand in their arrays, as far as the indices are names."""
    writer = Describer(model, population, owns, sorts)
    found = list(writer.elements(model.globals, [int(name[1]) for name in movables if name[0] == "global"]))
    for own in owns:
        writer.own = own
        mine = [int(name[2]) for name in movables if name[0] == "local" and name[1] == own.pid]
        found += writer.elements(own.template.locals, mine)
    return found


def variable_at(variables: tuple[Variable, ...], slot: int) -> Variable:
    return next(v for v in variables if v.base <= slot < v.base + v.size)


class Describer(TermWriter):
    """Writes down all facts about a model."""

    def all(self) -> Iterator[Fact]:
        for own in self.owns:
            yield from self.process(own)
        self.own = None
        yield from self.globals()
        yield from self.channels()
        yield from self.objects()
        yield from self.classes()
        for name, size in self.model.scalarsets:
            yield from (Fact(TermNode(("scalarset", name), (Ref(("scalar", name, v)),))) for v in range(1, size + 1))
        if self.model.uses_last:
            yield Fact(TermNode(("last",), (Ref(("pid", self.state.last)),)), text="_last")
        yield Fact(TermNode(("initially",), (self.truth(self.model.initially),)))
        for invariant in self.model.invariants:
            # SOUND: each must be kept by itself, so that a violation of one stays a violation of this one.
            for text, e in (("invariant", invariant.condition), ("defined", invariant.defined)):
                term = TermNode((text, invariant.name), (self.truth(e),))
                yield Fact(term, invariant.location, f"property {invariant.name}")
        yield from self.monitor()

    # ---------------------------------------------------------------- processes

    def process(self, own: OwnCode) -> Iterator[Fact]:
        """All facts about one process, or about some that share their code."""
        self.own, self.sorts.template = own, own.template
        me, where = Ref(("pid", own.pid)), own.template.location
        if own.shared_by:
            yield Fact(TermNode(("body", own.template.name), (me,)))
        for pid in own.pids:
            kind = TermNode(("process", own.template.name, self.state.processes[pid].priority), (Ref(("pid", pid)),))
            yield Fact(kind, self.started.get(pid, where), "priority")
        at = TermNode(("at",), (self.place_of(own.pid, own.location),))
        yield Fact(at, where, "where it starts", start=self.model.one_start)
        for location in sorted({a.source for a in own.actions} | {own.location}):
            yield self.location(own, me, location)
        for variable in own.template.locals:
            for i in range(variable.size):
                yield from self.slot(variable, Ref(("local", own.pid, variable.base + i)), (me,), i)
        if own.provided is not None:
            yield Fact(TermNode(("provided",), (me, self.truth(own.provided))), where, "provided clause")
        yield from self.actions(own)

    def location(self, own: OwnCode, me: Ref, location: int) -> Fact:
        t = own.template
        flags = (location in t.end_locations, location in t.progress_locations, location in t.accept_locations)
        exact = location if self.exact_locations else -1
        return Fact(TermNode(("location", *flags, exact), (self.place_of(own.pid, location), me)), t.location, "label")

    def actions(self, own: OwnCode) -> Iterator[Fact]:
        """What a process can do, each action with how often it is written."""
        inside = {i for a in own.actions if isinstance(a.step, Deterministic) for i in a.step.inside}
        seen: dict[object, tuple[TermNode, list[Action]]] = {}
        order: Counter[int] = Counter()
        escapes: dict[int, list[int]] = {}
        for action in own.actions:
            known = escapes.setdefault(action.source, [])
            if action.escape not in known:
                known.append(action.escape)
            order[action.source] += 1
            # SOUND: a d_step takes the first option that it can, so there the order of options counts.
            position = order[action.source] if action.source in inside else 0
            place = (position, known.index(action.escape))
            key: object
            if (loop := own.loops.get(action.id)) is not None:
                key = node = self.loop(loop, place)
                yield from self.parts(loop)
            else:
                node = self.action(own, action, place)
                label, (source, target, step, clears), _ = node
                key = (label, source, target, id(step), id(clears))  # equal steps are one, and to compare them is slow
            seen.setdefault(key, (node, []))[1].append(action)
        for node, same in seen.values():
            more = (i for a in same if a.id in own.loops for i in own.loops[a.id].inside)
            ids = tuple(dict.fromkeys([*(a.id for a in same), *more]))
            yield Fact(TermNode(("times", len(same)), (node,)), same[0].location, _kind_of(same[0].step), ids)

    def action(self, own: OwnCode, action: Action, position: tuple[int, int]) -> TermNode:
        label: tuple[str | int | bool, ...] = ("action", action.keeps_control, *position)
        ends = (self.place_of(own.pid, action.source), self.place_of(own.pid, action.target))
        return TermNode(label, (*ends, self.step(action.step), self.clears(own, action)))

    def clears(self, own: OwnCode, action: Action) -> TermNode:
        """What an action forgets."""
        found = [
            TermNode(
                ("clear",),
                (self.slot_ref(v, v.base + i), self.const(v.rest, self.sorts.variable(v, own.template.name))),
            )
            for v in action.clears
            for i in ([own.pid] if v.owned else range(v.size))
        ]
        term = TermNode(("clears",), tuple(found), unordered=True)
        return self.interned.setdefault(term, term)

    def loop(self, loop: Loop, position: tuple[int, int]) -> TermNode:
        """What a loop does, in no order."""
        action = loop.action
        own = self.own
        assert own is not None
        ends = (self.place_of(own.pid, action.source), self.place_of(own.pid, action.target))
        groups = (
            [self.step(assign) for assign, _ in loop.assigns],
            [TermNode(("assert",), (self.truth(e),)) for e, _ in loop.asserts],
            [TermNode(("evaluate",), (self.term(e),)) for e, _ in loop.evaluated],
        )
        parts = (TermNode(("all",), tuple(group), unordered=True) for group in groups)
        before = TermNode(("before",), tuple(map(self.step, loop.before)))
        return TermNode(("loop", action.keeps_control, *position), (*ends, before, self.truth(loop.guard), *parts))

    def parts(self, loop: Loop) -> Iterator[Fact]:
        """Its parts by themselves say nothing new, but a report can name their lines."""
        assert self.own is not None
        here = self.place_of(self.own.pid, loop.action.source)
        for assign, where in loop.assigns:
            yield Fact(TermNode(("part of loop",), (here, self.step(assign))), where, "loop")

    # ---------------------------------------------------------------- variables, channels, classes

    def globals(self) -> Iterator[Fact]:
        for variable in self.model.globals:
            for i in range(variable.size):
                owner = (Ref(("pid", i)),) if variable.owned else ()  # so that it moves with its process
                yield from self.slot(variable, Ref(("global", variable.base + i)), owner, i)

    def elements(self, variables: tuple[Variable, ...], slots: list[int]) -> Iterator[Fact]:
        """The indices of some elements, where they are names."""
        template = self.own.template.name if self.own else ""
        for slot in slots:
            variable, indices = variable_at(variables, slot), list[Term]()
            rest = slot - variable.base
            for dimension in reversed(range(len(variable.shape))):
                rest, i = divmod(rest, variable.shape[dimension])
                one = self.sorts.index(variable, template, dimension)
                if one.kind != "number":
                    indices.insert(0, self.const(i, one))
            if indices:
                term = TermNode(("element of", variable.base), (self.slot_ref(variable, slot), *indices))
                yield Fact(term, variable.location, variable.name)

    def slot(self, variable: Variable, ref: Ref, owner: tuple[Ref, ...], i: int) -> Iterator[Fact]:
        """What kind of variable it is, and what it begins with, for each who has it."""
        one = self.sorts.variable(variable, self.own.template.name if self.own and variable.is_local else "")
        kind = variable.type
        label = ("slot", kind.bits, kind.signed, variable.hidden, one.kind)
        yield Fact(TermNode(label, (ref, *owner, *self.class_ref(one))), variable.location, f"{variable.name}")
        if variable.choices:
            choices = tuple(self.const(v, one) for v in variable.choices)
            yield Fact(TermNode(("choices",), (ref, TermNode(("set",), choices, unordered=True))), variable.location)
            return
        # SOUND: what never changes is part of the code; and of several initial states one for each orbit is enough only
        # if symmetries keep the set of them.
        passing = self.model.one_start and self.fixed.changes(variable, self.own.template if self.own else None)
        for pid in (None,) if self.own is None else self.own.pids:
            frame = self.state.values if pid is None else self.state.processes[pid].frame
            whose = (Ref(("pid", pid)),) if self.own is not None and self.own.shared_by and pid is not None else ()
            term = TermNode(("initial",), (ref, self.const(frame[variable.base + i], one), *whose))
            text, where = f"the initial value of {variable.element(i)}", variable.location
            if self.own is not None and pid in self.started and variable in self.own.template.parameters:
                text, where = f"the value given for {variable.element(i)}", self.started[pid]
            yield Fact(term, where, text, start=passing)

    def class_ref(self, one: ValueClass) -> tuple[Ref, ...]:
        return (Ref(("class", one.number)),) if one.kind == "name" else ()

    def channels(self) -> Iterator[Fact]:
        """What each channel carries, and what is in it where runs begin."""
        for c, channel in enumerate(self.state.channels):
            kind = self.sorts.channel_types[c]
            classes = [self.sorts.field(c, i) for i in range(len(kind.fields))]
            shape = (f"{f.bits}{f.signed}{k.kind}" for f, k in zip(kind.fields, classes, strict=True))
            label: tuple[str | int | bool, ...] = ("channel", kind.capacity, *shape)
            fields = tuple(TermNode(("field", k.kind), self.class_ref(k)) for k in classes)
            yield Fact(TermNode(label, (Ref(("chan", c)), *fields)), kind.location, f"channel {kind.name}")
            messages = tuple(
                TermNode(("message",), tuple(self.const(v, k) for v, k in zip(m, classes, strict=True)))
                for m in channel.messages
            )
            held = TermNode(("contents",), (Ref(("chan", c)), *messages))
            yield Fact(held, kind.location, f"contents of {kind.name}", start=self.model.one_start)

    def classes(self) -> Iterator[Fact]:
        for one in self.sorts.classes.values():
            for value in sorted(one.literals):
                ref = self.const(value, one)
                if isinstance(ref, Ref) and ref.name[0] == "value":
                    yield Fact(TermNode(("value", one.kind), (ref, *self.class_ref(one))))

    def objects(self) -> Iterator[Fact]:
        """What a new object holds, and the objects that are there when all processes exist; slots do not move."""
        for object_type in self.model.objects:
            for i, value in enumerate(initial_fields(object_type.fields, object_type.size)):
                blank = self.const(value, self.field_class(object_type, i))
                term = TermNode(("blank", object_type.name, i), (blank,))
                yield Fact(term, object_type.location, f"a new {object_type.name}")
        for slot, cell in enumerate(self.state.heap):
            object_type = self.model.objects[cell.type - 1]
            for i, value in enumerate(cell.fields):
                held = self.const(value, self.field_class(object_type, i))
                term = TermNode(("object", slot, cell.type, i), (held,))
                yield Fact(term, object_type.location, f"an object {object_type.name}")

    def field_class(self, object_type: ObjectType, offset: int) -> ValueClass:
        variable = next(v for v in object_type.fields if v.base <= offset < v.base + v.size)
        return self.sorts.object_field(object_type.name, variable)

    def monitor(self) -> Iterator[Fact]:
        monitor = self.model.monitor
        for i, action in enumerate(monitor.template.actions if monitor else ()):
            step = self.step(action.step)
            yield Fact(
                TermNode(("monitor", i, action.source, action.target), (step,)), action.location, "trace assertion"
            )

    # ---------------------------------------------------------------- claims

    def claim(self, number: int, claim: Claim) -> Iterator[Fact]:
        """SOUND: every atom of a claim must be invariant by itself; that is what the quotient needs."""
        self.own = self.sorts.template = None
        if claim.formula is not None:
            for i, atom in enumerate(propositions(claim.formula)):
                term = TermNode(("atom", number, i), (self.proposition(atom),))
                yield Fact(term, claim.location, f"claim {claim.name}")
        for i, action in enumerate(claim.template.actions if claim.template else ()):
            yield Fact(
                TermNode(("claim", number, i), (self.step(action.step),)), action.location, f"claim {claim.name}"
            )

    def proposition(self, formula: Temporal) -> Term:
        if formula.atom is not None:
            return self.truth(formula.atom)
        children = tuple(map(self.proposition, formula.operands))
        if formula.op in ("&&", "||"):
            return TermNode((formula.op,), flattened(formula.op, children), unordered=True)
        return TermNode((formula.op,), children)


def _kind_of(step: Step) -> str:
    inner = step.actions[0].step if isinstance(step, Chain) else step
    return {"Assert": "assertion", "End": "death"}.get(type(inner).__name__, "statement")
