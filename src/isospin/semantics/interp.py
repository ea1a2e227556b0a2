"""The reference semantics: what a model means.

Reference: the verifiers that SPIN 6.5 generates, without statement merging, dead variables and partial orders.
Differs: a fault (index out of range, bad channel, division by zero) ends the run that causes it and is a finding of its
own kind, where SPIN's verifier aborts or computes on.

Obvious before fast: this file simulates, replays and explains, runs where no C compiler exists, and is the oracle
for every other engine.  Two levels: `steps` are single statements (a rendezvous is one step of two processes); `moves`
are sequences of steps between states that are stored, that is, through whole atomic sequences.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..core.errors import NOWHERE
from ..core.model import (
    Action,
    Allocate,
    Assert,
    Assign,
    Call,
    Chain,
    ChannelType,
    Delete,
    Deterministic,
    Else,
    End,
    Expr,
    Field,
    Guard,
    Model,
    NewChannel,
    Print,
    Receive,
    Return,
    Run,
    Send,
    SetPriority,
    Skip,
    Step,
    Store,
    Target,
    Transition,
)
from ..core.records import dataclass
from ..core.trace import Start
from . import calls, objects
from .channels import RENDEZVOUS_IN_D_STEP, ChannelSteps
from .evaluate import Evaluator
from .heap import HeapMap, hidden
from .monitor import Monitor
from .start import Starts
from .state import Channel, Effect, Fault, Process, Ready, State, Value, World, WritableWorld
from .text import format_output
from .walk import by_source
from .work import MOST_STEPS, Endless, Work

MOST_PROCESSES = 255

class Taken(NamedTuple):
    """One step that can be taken in a state, and what comes of it."""

    pid: int
    action: Action
    state: State | None  # None: the step faults
    control: int | None = None  # the process that keeps atomic control
    partner: int | None = None  # the receiver of a rendezvous
    partner_action: Action | None = None
    faults: tuple[Fault, ...] = ()  # failed assertions; or the fault that ended the step
    output: str = ""
    slot: int | None = None  # where `new` put its object
    reuses: bool = False  # that slot is one that dangling pointers name
    cut: str = ""  # the step is not taken, since a bound was reached: what comes of it is not known


@dataclass(frozen=True)
class Move:
    """Steps from one stored state to the next; `state` is None if the last step faults or control never comes back."""

    steps: tuple[Taken, ...]
    state: State | None


class Interpreter:
    """The steps and moves of a model; every expression and step is turned into a function once."""

    def __init__(self, model: Model, channel_types: list[ChannelType] | None = None) -> None:
        self.model = model
        self.channel_types: list[ChannelType] = [] if channel_types is None else channel_types
        self.evaluator = Evaluator(model, self.channel_types, self.enabled)
        self.template_number = self.evaluator.template_number
        self.value = self.evaluator.value
        self.leaving = [by_source(t.actions) for t in model.templates]
        self.provided = [None if t.provided is None else self.value(t.provided) for t in model.templates]
        self.covered: set[int] = set()  # ids of the actions that were executed inside d_steps
        self.compiled: dict[int, tuple[Step, Ready, Effect]] = {}
        self.monitor = Monitor(model.monitor, self.evaluator) if model.monitor else None
        self.channels = ChannelSteps(self.evaluator, self.monitor, self.assign)
        self.heap = HeapMap(model, self.channel_types)
        self.hidden = [v.base + i for v in hidden(model) for i in range(v.size)]
        self.work = Work()

    def unbounded(self) -> Interpreter:
        """Without the bounds on objects and calls, which are for searches; states of one are states of the other."""
        return Interpreter(self.model.unbounded(), self.channel_types)

    # ---------------------------------------------------------------- initial states

    def initial_states(self, start: Start = ()) -> Iterator[State]:
        """All of them; or those in which variables that may start with several values have the given ones."""
        for chosen in Starts(self.model, self.value, start).combinations(self.first({})):
            w = self.first(chosen)
            if self.value(self.model.initially)(w):
                yield w.state()

    def first(self, chosen: dict[int, int]) -> WritableWorld:
        """Where everything begins, with some of the values chosen."""
        blank = State((0,) * self.model.frame_size, (), (), 0, self.monitor.entry if self.monitor else 0)
        w = World(blank).writable()
        self.initialise(w, chosen)
        return w

    def initialise(self, w: WritableWorld, chosen: dict[int, int]) -> None:
        channels = {c.offset: c for c in self.model.channels}
        for variable in self.model.globals:
            for i in range(variable.size):
                slot = variable.base + i
                if slot in channels:
                    w.values[slot] = self.create_channel(w, channels[slot])
                elif slot in chosen:
                    w.values[slot] = chosen[slot]
                elif variable.initial:
                    w.values[slot] = variable.type.wrap(self.initial_value(variable.initial, i, w))
        for instance in self.model.instances:
            self.create_process(w, instance.template, instance.values, instance.priority)

    def initial_value(self, initial: tuple[Expr, ...], i: int, w: World) -> int:
        if len(initial) == 1:
            return self.value(initial[0])(w)
        return self.value(initial[i])(w) if i < len(initial) else 0

    def create_channel(self, w: WritableWorld, new: NewChannel) -> int:
        if new.type not in self.channel_types:
            self.channel_types.append(new.type)
        if len(w.channels) >= MOST_PROCESSES:
            raise Fault("channel-misuse", "more than 255 channels", new.type.location)
        w.channels.append(Channel(self.channel_types.index(new.type), ()))
        return len(w.channels)

    def create_process(self, w: WritableWorld, name: str, values: tuple[int, ...], priority: int) -> int:
        """A new process, with its parameters, channels and initial values set; returns its pid."""
        number = self.template_number[name]
        template = self.model.templates[number]
        if len(w.processes) >= MOST_PROCESSES:
            raise Fault("too-many-processes", f"cannot run {name}: {MOST_PROCESSES} processes are alive")
        pid, caller = len(w.processes), w.pid
        frame = (0,) * template.frame_size
        w.processes.append(Process(number, template.entry, frame, priority if self.model.uses_priority else 1))
        w.pid = pid
        for variable, value in zip(template.parameters, values, strict=True):
            w.set_local(pid, variable.base, variable.type.wrap(value))
        channels = {c.offset: c for c in template.channels}
        for variable in template.locals[len(template.parameters) :]:
            for i in range(variable.size):
                slot = variable.base + i
                if slot in channels:
                    w.set_local(pid, slot, self.create_channel(w, channels[slot]))
                elif variable.initial:
                    w.set_local(pid, slot, variable.type.wrap(self.initial_value(variable.initial, i, w)))
        w.pid = caller
        return pid

    # ---------------------------------------------------------------- moves

    def identity(self, state: State) -> State:
        """The state without what the model declares irrelevant."""
        if not self.hidden:
            return state
        values = list(state.values)
        for slot in self.hidden:
            values[slot] = 0
        return state._replace(values=tuple(values))

    def moves(self, state: State, only: int | None = None) -> Iterator[Move]:
        """All moves from a stored state, in SPIN's order; or those of one process."""
        path: list[Taken] = []
        inside: set[tuple[State, int]] = set()  # what `path` went through
        todo = [(0, taken) for taken in reversed(self.steps(state, only))]
        while todo:
            depth, taken = todo.pop()
            while len(path) > depth:
                left = path.pop()
                inside.discard((left.state, left.control))
            if taken.state is None or taken.control is None:
                yield Move((*path, taken), taken.state)
                continue
            if (taken.state, taken.control) in inside:
                # An endless loop inside an atomic sequence leads nowhere new, but what happens in it happens.
                yield Move((*path, taken), None)
                continue
            following = self.steps(taken.state, taken.control)
            if not following:  # blocked: control is lost, and the state is one like any other
                yield Move((*path, taken), taken.state)
                continue
            if depth > MOST_STEPS:
                raise Endless(taken.action.location)
            path.append(taken)
            inside.add((taken.state, taken.control))
            todo.extend((depth + 1, t) for t in reversed(following))

    # ---------------------------------------------------------------- steps

    def steps(self, state: State, control: int | None = None) -> list[Taken]:
        """All single steps; only those of the process in control, if there is one."""
        if control is not None:
            return self.process_steps(World(state, control))
        for timeout in (False, True):
            found = []
            for pid in reversed(range(len(state.processes))):
                found += self.process_steps(World(state, pid, timeout))
            if found:
                return found
        return []

    def process_steps(self, w: World) -> list[Taken]:
        """What a process can do: an escape that can be executed hides what it escapes from, and `else` comes last."""
        self.work.spend()
        found: list[Taken] = []
        escape = 0
        if not self.may_move(w):
            return found
        for action in self.actions_of(w):
            if escape and action.escape != escape:
                break  # the escape clause of an unless can be executed, so the rest cannot
            if isinstance(action.step, Else) and found:
                continue
            taken = list(self.attempt(w, action))
            if taken:
                found += taken
                escape = action.escape
        return found

    def actions_of(self, w: World) -> list[Action]:
        process = w.processes[w.pid]
        return self.leaving[process.template].get(process.location, [])

    def may_move(self, w: World) -> bool:
        """The provided clause, and nobody with a higher priority can move."""
        if not self.is_provided(w):
            return False
        if not self.model.uses_priority:
            return True
        mine = w.processes[w.pid].priority
        return not any(p.priority > mine and self.can_move(w, i) for i, p in enumerate(w.processes) if i != w.pid)

    def is_provided(self, w: World) -> bool:
        condition = self.provided[w.processes[w.pid].template]
        return condition is None or bool(condition(w))

    def can_move(self, w: World, pid: int) -> bool:
        other = self.seen_by(w, pid)
        return self.is_provided(other) and any(self.ready(other, a) for a in self.actions_of(other))

    def enabled(self, w: World, pid: int) -> bool:
        """Can the process take a step (a rendezvous send counts without a partner, as in SPIN)?"""
        if pid == w.pid:
            raise Fault("out-of-range", "a process cannot ask whether it is enabled itself")
        if not 0 <= pid < len(w.processes):
            return False
        other = self.seen_by(w, pid)
        return any(self.ready(other, a) for a in self.actions_of(other))

    @staticmethod
    def seen_by(w: World, pid: int) -> World:
        state = State(tuple(w.values), tuple(w.channels), tuple(w.processes), w.last, w.event, tuple(w.heap))
        return World(state, pid, w.timeout)

    def ready(self, w: World, action: Action) -> bool:
        return self.compile(action)[0](w)

    def attempt(self, w: World, action: Action) -> Iterator[Taken]:
        """Take the action if it is executable: at most one result, or one for each partner of a rendezvous and for
        each place of a new object."""
        try:
            if not self.compile(action)[0](w):
                return
            if isinstance(action.step, Send) and self.is_rendezvous(w, action.step.channel):
                yield from self.rendezvous(w, action, action.step)
                return
            if calls.starts_call(action) and len(w.processes[w.pid].stack) >= self.model.max_recursion:
                # SOUND: as below, the step could be taken.
                yield Taken(w.pid, action, None, cut=f"more than {self.model.max_recursion} calls (--max-recursion)")
                return
            if (new := objects.allocation(action)) is not None:
                yield from self.allocations(w, action, new)
                return
            yield self.act(w, action)
        except Fault as fault:
            if fault.location == NOWHERE:
                fault.location = action.location
            yield Taken(w.pid, action, None, faults=(*fault.earlier, fault))

    def act(self, w: World, action: Action) -> Taken:
        after = w.writable()
        try:
            self.compile(action)[1](after)
        except Fault as fault:
            fault.earlier = tuple(after.failed)  # what failed earlier in the same chain or d_step is told as well
            raise
        self.arrive(after, w.pid, action)
        return self.taken(after, w.pid, action, w)

    def allocations(self, w: World, action: Action, new: Allocate) -> Iterator[Taken]:
        """The action with a new object in each place where it may be."""
        fresh, again = self.heap.places(w, new.type)
        for slot in ([] if fresh is None else [fresh]) + again:
            w.slot = slot
            try:
                yield self.act(w, action)._replace(slot=slot, reuses=slot != fresh)
            except Fault as fault:
                fault.location = action.location if fault.location == NOWHERE else fault.location
                faults = (*fault.earlier, fault)
                yield Taken(w.pid, action, None, faults=faults, slot=slot, reuses=slot != fresh)
        if fresh is None:
            # SOUND: the step could be taken, so neither `else` nor a deadlock may come of it.
            yield Taken(w.pid, action, None, cut=f"more than {self.model.max_objects} objects (--max-objects)")

    def arrive(self, after: WritableWorld, pid: int, action: Action) -> None:
        """Behind a step: the new location, dead variables cleared, and who moved last."""
        if not isinstance(action.step, End):
            after.processes[pid] = after.processes[pid]._replace(location=action.target)
            for variable in action.clears:
                if variable.owned:
                    after.values[variable.base + pid] = 0
                    continue
                for i in range(variable.size):
                    after.set_local(pid, variable.base + i, variable.rest)
        if self.model.uses_last:
            after.last = pid

    def taken(self, after: WritableWorld, pid: int, action: Action, before: World) -> Taken:
        control = pid if action.keeps_control else None
        if self.model.watch_leaks:
            after.failed += objects.leaks(self.heap, before, after, action)
        return Taken(pid, action, after.state(), control, faults=tuple(after.failed), output=after.output)

    # ---------------------------------------------------------------- rendezvous

    def is_rendezvous(self, w: World, channel: Expr) -> bool:
        return self.evaluator.channel_type(w, self.evaluator.channel(channel)(w)).capacity == 0

    def rendezvous(self, w: World, action: Action, send: Send) -> Iterator[Taken]:
        """A send and a receive as one step; atomic control goes to the receiver, if it is in an atomic sequence."""
        index = self.evaluator.channel(send.channel)(w)
        offered = w.writable()
        message = self.channels.message(offered, send, index)
        self.channels.put(offered, index, message, False)
        self.arrive(offered, w.pid, action)
        waiting = offered.state()
        for pid in reversed(range(len(waiting.processes))):
            if pid != w.pid:
                yield from self.receivers(World(waiting, pid), index, w, action, offered)

    def receivers(self, w: World, index: int, before: World, sent: Action, offered: WritableWorld) -> Iterator[Taken]:
        """The ways in which a process completes a rendezvous on this channel."""
        escape = 0
        if not self.may_move(w):
            return
        for action in self.actions_of(w):
            if escape and action.escape != escape:
                return
            if not self.takes_from(w, action, index):
                continue
            effect = self.compile(action)[1]
            after = w.writable()
            after.failed += offered.failed
            effect(after)
            self.arrive(after, w.pid, action)
            escape = action.escape
            taken = self.taken(after, w.pid, action, before)
            yield taken._replace(pid=before.pid, action=sent, partner=w.pid, partner_action=action)

    def takes_from(self, w: World, action: Action, index: int) -> bool:
        """Can the action start with a receive from this channel?"""
        if isinstance(action.step, Chain):
            return self.takes_from(w, action.step.actions[0], index)
        if isinstance(action.step, Deterministic):
            table = self.leaving[w.processes[w.pid].template]
            first = self.first_ready(w, table.get(action.step.entry, []))
            return first is not None and self.takes_from(w, first, index)
        if not isinstance(action.step, Receive) or self.value(action.step.channel)(w) != index + 1:
            return False
        return self.ready(w, action)

    # ---------------------------------------------------------------- compiling steps

    def compile(self, action: Action) -> tuple[Ready, Effect]:
        """When an action can be executed, and what it does."""
        known = self.compiled.get(id(action.step))
        if known is None:
            ready, effect = self.translate(action)
            known = self.compiled[id(action.step)] = (action.step, ready, effect)
        return known[1], known[2]

    def translate(self, action: Action) -> tuple[Ready, Effect]:
        """An action as two functions: is it executable, and what does it do?"""
        match action.step:
            case Skip() | Else():
                return _always, _nothing
            case Guard(condition):
                test = self.value(condition)
                return lambda w: test(w) != 0, _nothing
            case Assign(place, value):
                return _always, self.assign(place, self.value(value))
            case Transition(guard, assigns):
                return self.transition(self.value(guard), [self.assign(a.place, self.value(a.value)) for a in assigns])
            case Store(field, value):
                return _always, self.assign(field, self.value(value))
            case Allocate(into, kind):
                return _always, objects.allocate(self.evaluator, into, self.heap.blank[kind], self.assign)
            case Delete():
                return _always, objects.delete(self.evaluator, action.step)
            case Assert(condition):
                return _always, self.assertion(action, self.value(condition))
            case Print(text, values):
                return _always, self.print(text, [self.value(v) for v in values])
            case Call():
                return _always, calls.call(self.evaluator, action.step)
            case Return():
                return calls.returns(self.evaluator, action.step, self.assign)
            case SetPriority(pid, value):
                return _always, self.set_priority(self.value(pid), self.value(value))
            case Run():
                return _always, self.run(action.step)
            case End():
                return (lambda w: w.pid == len(w.processes) - 1), self.die
            case Deterministic():
                return self.deterministic(action.step)
            case Chain(actions):
                return self.chain(actions)
            case _:
                return self.channels.steps(action.step)

    def assign(self, place: Target, value: Value) -> Effect:
        if isinstance(place, Field):
            return objects.store(self.evaluator, place, value)
        offset, wrap, is_local = self.evaluator.offset(place), place.variable.type.wrap, place.variable.is_local

        def effect(w: WritableWorld) -> None:
            result = wrap(value(w))
            if is_local:
                w.set_local(w.pid, offset(w), result)
            else:
                w.values[offset(w)] = result

        return effect

    @staticmethod
    def transition(guard: Value, assigns: list[Effect]) -> tuple[Ready, Effect]:
        def effect(w: WritableWorld) -> None:
            for assign in assigns:
                assign(w)

        return lambda w: guard(w) != 0, effect

    def assertion(self, action: Action, condition: Value) -> Effect:
        def effect(w: WritableWorld) -> None:
            if not condition(w):
                w.failed.append(Fault("assertion", f"{action.text} failed", action.location))

        return effect

    def print(self, text: str, values: list[Value]) -> Effect:
        def effect(w: WritableWorld) -> None:
            w.output += format_output(text, [v(w) for v in values], self.model.mtypes)

        return effect

    def set_priority(self, pid: Value, value: Value) -> Effect:
        def effect(w: WritableWorld) -> None:
            which, priority = pid(w), value(w)
            if not 1 <= priority <= 255:
                raise Fault("out-of-range", f"a priority is 1 to 255, not {priority}")
            if 0 <= which < len(w.processes):
                w.processes[which] = w.processes[which]._replace(priority=priority)

        return effect

    def run(self, step: Run) -> Effect:
        values = [self.value(v) for v in step.values]
        store = None if step.into is None else step.into

        def effect(w: WritableWorld) -> None:
            pid = self.create_process(w, step.template, tuple(v(w) for v in values), step.priority)
            if store is not None:
                self.assign(store, lambda _: pid)(w)

        return effect

    def die(self, w: WritableWorld) -> None:
        """The process and the channels that it created disappear."""
        process = w.processes.pop()
        for _ in self.model.templates[process.template].channels:
            w.channels.pop()

    def chain(self, actions: tuple[Action, ...]) -> tuple[Ready, Effect]:
        parts = [self.compile(a) for a in actions]

        def effect(w: WritableWorld) -> None:
            for _, part in parts:
                part(w)

        return parts[0][0], effect

    # ---------------------------------------------------------------- d_step

    def deterministic(self, step: Deterministic) -> tuple[Ready, Effect]:
        """A d_step as one step: the first executable action each time, until control leaves it."""

        def ready(w: World) -> bool:
            return self.first_ready(w, self.leaving[w.processes[w.pid].template].get(step.entry, [])) is not None

        def effect(w: WritableWorld) -> None:
            table, location = self.leaving[w.processes[w.pid].template], step.entry
            for _ in range(MOST_STEPS):
                if location not in step.inside:
                    return
                self.work.spend()
                action = self.first_ready(w, table.get(location, []))
                if action is None:
                    where = table[location][0].location
                    raise Fault("deadlock", "a d_step blocks after its first statement", where)
                if isinstance(action.step, Send) and self.is_rendezvous(w, action.step.channel):
                    raise Fault("channel-misuse", RENDEZVOUS_IN_D_STEP, action.location)
                self.compile(action)[1](w)
                self.covered.add(action.id)
                location = action.target
            raise Fault("divergence", "a d_step does not end", table[step.entry][0].location)

        return ready, effect

    def first_ready(self, w: World, actions: list[Action]) -> Action | None:
        return next((a for a in actions if self.ready(w, a)), None)

    # ---------------------------------------------------------------- states without moves

    def stuck(self, state: State) -> Fault | None:
        """What is wrong with a state in which nothing can move, if anything is."""
        if not self.model.wants_deadlock:
            return None
        waiting = [
            pid
            for pid, process in enumerate(state.processes)
            if process.location not in self.model.templates[process.template].end_locations
        ]
        if waiting:
            names = ", ".join(f"{self.name(state, pid)} {pid}" for pid in waiting)
            action = self.leaving[state.processes[waiting[0]].template][state.processes[waiting[0]].location][0]
            return Fault("deadlock", f"invalid end state: {names} cannot go on", action.location)
        return self.monitor.at_end(state) if self.monitor and state.processes else None

    def broken(self, state: State) -> Iterator[Fault]:
        """The invariants that are not true in a state."""
        w = World(state)
        for invariant in self.model.invariants:
            if not self.value(invariant.condition)(w):
                defined = self.value(invariant.defined)(w)
                what = "does not hold" if defined else "is undefined"
                yield Fault("invariant", f"{invariant.name} {what}: {invariant.text}", invariant.location)

    def wrong_at(self, state: State) -> Iterator[Fault]:
        """What is wrong with a state itself."""
        yield from self.broken(state)
        if not self.steps(state) and (stuck := self.stuck(state)):
            yield stuck

    def name(self, state: State, pid: int) -> str:
        return self.model.templates[state.processes[pid].template].name


def _always(w: World) -> bool:
    return True


def _nothing(w: WritableWorld) -> None:
    pass
