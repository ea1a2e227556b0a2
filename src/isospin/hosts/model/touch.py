"""What the next operation of a process touches, in objects of the stateless engine.

Reference: `analysis/footprint.py`, which says the same for whole arrays and without looking at a state.
Differs: elements of arrays and channels are told apart where the process alone decides which ones they are.
The answer depends on the process only (where it is, and its variables), never on what is shared: so an operation that
waits touches the same objects whenever it is tried.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import field

from ...core.model import (
    Action,
    Allocate,
    Assert,
    Assign,
    AtLabel,
    Binary,
    Call,
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
    NonProgress,
    Place,
    Poll,
    Print,
    Priority,
    ProcessCount,
    Receive,
    RemoteRead,
    Run,
    Self,
    Send,
    SetPriority,
    Skip,
    Step,
    Store,
    Template,
    Timeout,
    Unary,
    is_pointer,
)
from ...core.records import dataclass
from ...engines.stateless.protocol import NO_OBJECTS, Op, OwnObject
from ...semantics.interp import Interpreter
from ...semantics.state import Fault, World
from ...semantics.walk import evaluated, parts_of, stored, stored_fields, subexpressions

GLOBAL_LOOKS = (Timeout, NonProgress, ProcessCount, LastPid, LocationOf, Priority, AtLabel, Enabled, RemoteRead)
ALWAYS = (Skip, Else, Assign, Store, Assert, Print, Run, Call, Allocate, Delete, SetPriority)
PROCESSES, HEAP, ALL, MONITOR = "processes", "heap", "everything", "monitor"


def channel_object(index: int) -> Hashable:
    return ("channel", index)


@dataclass
class _Touched:
    """Collects what one step reads and writes."""

    reads: set[Hashable] = field(default_factory=set)
    writes: set[Hashable] = field(default_factory=set)


class Toucher:
    """The operations of the processes of one model."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter, self.model = interpreter, interpreter.model
        actions = [(t, a) for t in self.model.templates for a in t.actions]
        self.written = {
            p.variable.base for _, a in actions for s in parts_of(a.step) for p in stored(s) if not p.variable.is_local
        }
        every = [*self.model.channels, *(c for t in self.model.templates for c in t.channels)]
        self.rendezvous = any(c.type.capacity == 0 for c in every)
        looks = any(self.looks(e) for _, a in actions for s in parts_of(a.step) for e in evaluated(s))
        looks |= any(self.looks(e) for t in self.model.templates for v in t.locals for e in v.initial)
        special = any(t.provided is not None for t in self.model.templates) or self.model.uses_priority
        self.watched = looks or special or self.model.watch_leaks
        self.special = special or self.model.watch_leaks
        self.ops: dict[tuple[Hashable, ...], Op] = {}
        self.futures: dict[tuple[Hashable, ...], Op] = {}

    @staticmethod
    def looks(e: Expr) -> bool:
        return any(isinstance(s, GLOBAL_LOOKS) for s in subexpressions(e))

    # ---------------------------------------------------------------- operations

    def op(self, w: World) -> Op:
        """The next operation of the process that `w` is seen by."""
        process = w.processes[w.pid]
        others = len(w.processes) if self.rendezvous else 0
        key = (w.pid, process.template, process.location, process.frame, process.stack, others, len(w.channels))
        known = self.ops.get(key)
        if known is None:
            template = self.model.templates[process.template]
            known = self.ops[key] = self.build(w, template, process.location)
        return known

    def build(self, w: World, template: Template, location: int) -> Op:
        leaving = self.possible(w, self.leaving(template).get(location, []))
        touched, guards = self.move(w, template, location), self.touching(w)
        for action in leaving:
            changed = self.changed(template, [action]) if isinstance(action.step, Deterministic) else set()
            for step in self.beginning(template, action.step):
                self.step(w, step, guards, changed, guards=True)
        # SOUND: a chain can be executed if its first part can.
        waits = not any(isinstance(next(parts_of(a.step)), ALWAYS) for a in leaving) or self.special
        deciding, writes = frozenset(guards.reads | guards.writes), frozenset(touched.writes)
        kind = type(leaving[0].step).__name__.lower() if leaving else "end"
        overwrites = writes if _overwrites(leaving, touched) else NO_OBJECTS
        return Op(kind, frozenset(touched.reads) - writes, writes, waits, deciding, overwrites)

    def possible(self, w: World, leaving: list[Action]) -> list[Action]:
        """The actions that the process does not exclude by itself."""
        if self.rendezvous or any(a.escape for a in leaving):
            return leaving
        known = {a.id: self.verdict(w, a) for a in leaving}
        sure = any(v == 1 for v in known.values())
        return [a for a in leaving if known[a.id] != 0 and not (sure and isinstance(a.step, Else))] or leaving

    def verdict(self, w: World, action: Action) -> int | None:
        """Can the action be executed, if the process alone decides that: 1, 0; None if not."""
        first = next(parts_of(action.step))
        if not isinstance(first, Guard) or not self.settled(first.condition, set()):
            return None
        try:
            return int(self.interpreter.value(first.condition)(w) != 0)
        except Fault:
            return None

    def move(self, w: World, template: Template, location: int) -> _Touched:
        """What the next move may touch: the actions here, and in atomic sequences those behind them."""
        result, table = self.touching(w), self.leaving(template)
        before: dict[int, set[int]] = {location: set()}  # the local slots that may have changed on the way
        todo = [location]
        while todo:
            here = todo.pop()
            for action in table.get(here, []) if here != location else self.possible(w, table.get(here, [])):
                changed = self.through(w, template, action, result, before[here])
                known = before.get(action.target)
                if action.keeps_control and (known is None or not changed <= known):
                    before[action.target] = changed | (known or set())
                    todo.append(action.target)
        return result

    def through(self, w: World, template: Template, action: Action, result: _Touched, before: set[int]) -> set[int]:
        """One action: what it touches is added; which local slots may have changed after it."""
        changed, unknown = set(before), set(before)
        if isinstance(action.step, Deterministic):
            unknown |= self.changed(template, [action])
        for step in self.steps(template, action.step):
            self.step(w, step, result, unknown)
            changed |= _written_locals(step)
            w = self.stepped(w, step, unknown)
        if any(is_pointer(v.type) for v in action.clears):
            result.writes.add(HEAP)
        return changed | {s for v in action.clears for s in range(v.base, v.base + v.size)}

    def stepped(self, w: World, step: Step, unknown: set[int]) -> World:
        """What the process knows after a step: an assignment whose value it alone decides changes what it knows."""
        if not isinstance(step, Assign) or not step.place.variable.is_local:
            unknown |= _written_locals(step)
            return w
        variable = step.place.variable
        if variable.size == 1 and variable.base not in unknown and self.settled(step.value, unknown):
            after = w.writable()
            try:
                value = variable.type.wrap(self.interpreter.value(step.value)(w))
            except Fault:
                unknown |= _written_locals(step)
                return w
            after.set_local(w.pid, variable.base, value)
            return after
        unknown |= _written_locals(step)
        return w

    def future(self, w: World) -> Op | None:
        """All that the process may still touch; not known if it may start others."""
        process = w.processes[w.pid]
        constant = self.constant_frame(process.template, process.frame)
        key = (w.pid, process.template, process.location, constant, len(w.processes), len(w.channels))
        known = self.futures.get(key)
        if known is None:
            template = self.model.templates[process.template]
            actions = reachable(self.leaving(template), process.location)
            if any(isinstance(s, Run) for a in actions for s in self.steps(template, a.step)):
                return None
            touched, changed = self.touching(w), self.changed(template, actions)
            for action in actions:
                for step in self.steps(template, action.step):
                    self.step(w, step, touched, changed)
                if any(is_pointer(v.type) for v in action.clears):
                    touched.writes.add(HEAP)
            known = Op("future", frozenset(touched.reads), frozenset(touched.writes))
            self.futures[key] = known
        return known

    def leaving(self, template: Template) -> dict[int, list[Action]]:
        return self.interpreter.leaving[self.interpreter.template_number[template.name]]

    def constant_frame(self, template: int, frame: tuple[int, ...]) -> tuple[int, ...]:
        changed = self.changed(self.model.templates[template], list(self.model.templates[template].actions))
        return tuple(v for i, v in enumerate(frame) if i not in changed)

    # ---------------------------------------------------------------- steps

    def touching(self, w: World) -> _Touched:
        """What every operation of a process touches."""
        result = _Touched()
        if self.watched:
            result.reads.add(ALL)
        if self.special:
            result.writes.add(ALL)
        if self.rendezvous:
            result.writes.add(OwnObject(w.pid, "at"))
        return result

    def steps(self, template: Template, step: Step) -> list[Step]:
        """The simple steps of a step, in their order."""
        if isinstance(step, Deterministic):
            inner = [a.step for a in template.actions if a.source in step.inside]
            entry = [a.step for a in template.actions if a.source == step.entry]
            return [s for part in (*entry, *inner) for s in self.steps(template, part)]
        return list(parts_of(step))

    def beginning(self, template: Template, step: Step) -> list[Step]:
        """The steps that decide whether a step can be executed: the first; of a d_step perhaps any."""
        steps = self.steps(template, step)
        return steps if isinstance(step, Deterministic) else steps[:1]

    def changed(self, template: Template, actions: list[Action]) -> set[int]:
        """The local slots that actions write: what they say about indices is not known before."""
        found: set[int] = set()
        for action in actions:
            for step in self.steps(template, action.step):
                found |= _written_locals(step)
            for variable in action.clears:
                found |= set(range(variable.base, variable.base + variable.size))
        return found

    def step(self, w: World, step: Step, result: _Touched, changed: set[int], guards: bool = False) -> None:
        """Add what a step reads and writes; with `guards`, only what decides whether it is executable."""
        for e in evaluated(step):
            for part in subexpressions(e):
                self.expression(w, part, result, changed)
        if isinstance(step, Send | Receive):
            self.channel(w, step, result, changed)
        if isinstance(step, Run | End):
            result.writes.add(PROCESSES)  # also of what decides: only the youngest process may die
        if guards:
            return
        if isinstance(step, Run):
            self.beginning_of(w, self.model.template(step.template), result)
        if isinstance(step, End):
            result.writes |= {channel_object(c) for c in self.own_channels(w)}  # they go with the process
        for place in stored(step):
            if not place.variable.is_local:
                result.writes |= self.slots(w, place, changed)
        if self.model.objects and _names_objects(step):
            result.writes.add(HEAP)
        if isinstance(step, SetPriority):
            result.writes.add(ALL)

    def beginning_of(self, w: World, started: Template, result: _Touched) -> None:
        """What a process touches when it is started: its initial values, and the channels that it makes."""
        known = len(w.channels)
        result.writes |= {channel_object(known + i) for i in range(len(started.channels))}
        for part in (p for v in started.locals for e in v.initial for p in subexpressions(e)):
            match part:  # SOUND: its variables are not those of the process that is seen here
                case Place(variable) if not variable.is_local:
                    result.reads |= set(range(variable.base, variable.base + variable.size))
                case ChannelTest() | Poll():
                    result.reads |= {channel_object(c) for c in range(known)}
                case Field():
                    result.reads.add(HEAP)
            if isinstance(part, GLOBAL_LOOKS):
                result.writes.add(ALL)

    def own_channels(self, w: World) -> range:
        before = len(self.model.channels)
        before += sum(len(self.model.templates[p.template].channels) for p in w.processes[: w.pid])
        return range(before, before + len(self.model.templates[w.processes[w.pid].template].channels))

    def expression(self, w: World, e: Expr, result: _Touched, changed: set[int]) -> None:
        match e:
            case Place(variable) if not variable.is_local:
                result.reads |= self.slots(w, e, changed)
            case Field():
                result.reads.add(HEAP)
            case ChannelTest(_, channel) | Poll(channel):
                result.reads |= self.channels(w, channel, changed)
        if isinstance(e, GLOBAL_LOOKS):
            result.writes.add(ALL)

    def channel(self, w: World, step: Send | Receive, result: _Touched, changed: set[int]) -> None:
        """Sending and receiving write the channel, and a rendezvous its possible partners."""
        names = self.channels(w, step.channel, changed)
        result.writes |= names
        if self.model.monitor is not None:
            result.writes.add(MONITOR)
        if self.rendezvous and isinstance(step, Send):
            # SOUND: a rendezvous moves its partner, which may go on in an atomic sequence of its own, and takes from it
            # what it could have done instead.
            for pid, process in enumerate(w.processes):
                result.writes.add(OwnObject(pid, "at"))
                template = self.model.templates[process.template]
                if pid != w.pid and self.has_more(template):
                    partner = Interpreter.seen_by(w, pid)
                    everything = self.changed(template, list(template.actions))
                    for action in template.actions:
                        for inner in self.steps(template, action.step):
                            if not isinstance(inner, Send):
                                self.step(partner, inner, result, everything)
                            else:
                                result.writes |= self.channels(partner, inner.channel, everything)

    def has_more(self, template: Template) -> bool:
        """Is there an atomic sequence, or a place with a receive and something else?"""
        choices = [a for actions in self.leaving(template).values() if len(actions) > 1 for a in actions]
        beside = any(isinstance(s, Receive) for a in choices for s in self.steps(template, a.step))
        return beside or any(a.keeps_control for a in template.actions)

    # ---------------------------------------------------------------- which element, which channel

    def slots(self, w: World, place: Place, changed: set[int]) -> set[Hashable]:
        variable = place.variable
        if all(self.settled(i, changed) for i in place.indices):
            try:
                return {self.interpreter.evaluator.offset(place)(w)}
            except Fault:
                pass
        return set(range(variable.base, variable.base + variable.size))

    def channels(self, w: World, channel: Expr, changed: set[int]) -> set[Hashable]:
        """SOUND: a number may outlast its channel and name one that is made later; who may name any depends on all."""
        if self.settled(channel, changed):
            try:
                number = self.interpreter.value(channel)(w)
                return {channel_object(number - 1)} if number else set()
            except Fault:
                pass
        return {PROCESSES, *(channel_object(c) for c in range(len(w.channels)))}

    def settled(self, e: Expr, changed: set[int]) -> bool:
        """Does the process alone decide the value, and will it still be that when it is needed?"""
        match e:
            case Const() | Self():
                return True
            case Place(variable, indices) if variable.is_local:
                slots = range(variable.base, variable.base + variable.size)
                return changed.isdisjoint(slots) and all(self.settled(i, changed) for i in indices)
            case Place(variable, indices):
                return variable.base not in self.written and all(self.settled(i, changed) for i in indices)
            case Unary(_, operand):
                return self.settled(operand, changed)
            case Binary(_, left, right):
                return self.settled(left, changed) and self.settled(right, changed)
            case Conditional(a, b, c):
                return all(self.settled(x, changed) for x in (a, b, c))
        return False


def _overwrites(leaving: list[Action], touched: _Touched) -> bool:
    """Does it assign to one slot, once or several times, what depends on nothing shared, and does it always?"""
    if len(leaving) != 1 or leaving[0].keeps_control:
        return False
    if not all(isinstance(part, Assign | Assert | Skip) for part in parts_of(leaving[0].step)):
        return False
    return not touched.reads and len(touched.writes) == 1 and all(isinstance(slot, int) for slot in touched.writes)


def _names_objects(step: Step) -> bool:
    """Does it change objects, or who names them?  Where a new object goes depends on which pointers there are."""
    if isinstance(step, Allocate | Delete | Store | Send | Receive | Run | End) or any(
        True for _ in stored_fields(step)
    ):
        return True
    return any(is_pointer(p.variable.type) for p in stored(step))


def _written_locals(step: Step) -> set[int]:
    places = (p.variable for p in stored(step) if p.variable.is_local)
    return {slot for v in places for slot in range(v.base, v.base + v.size)}


def reachable(table: dict[int, list[Action]], location: int) -> list[Action]:
    found, todo, seen = list[Action](), [location], {location}
    while todo:
        for action in table.get(todo.pop(), []):
            found.append(action)
            if action.target not in seen:
                seen.add(action.target)
                todo.append(action.target)
    return found
