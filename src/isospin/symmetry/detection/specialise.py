"""Every process with its own code: `_pid`, parameters and constants replaced by their values.

Reference: partial evaluation (Jones, Gomard, Sestoft), as far as constant folding goes.
Differs: nothing is unrolled.  `flag[1 - _pid]` and `(_pid + 1) % N` become plain references, so that rings, trees and
tables are structure that can be seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace

from ...core.errors import Location
from ...core.model import (
    A_PROCESS,
    Action,
    Allocate,
    Assert,
    Assign,
    AtLabel,
    Binary,
    Bind,
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
    Expr,
    Field,
    Guard,
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
    Step,
    Store,
    Template,
    Transition,
    Unary,
    Variable,
    apply_binary,
    apply_unary,
    is_pointer,
)
from ...core.records import dataclass
from ...semantics.walk import (
    by_source,
    different_steps,
    evaluated,
    parts_of,
    slot_of,
    stored,
    subexpressions,
)
from ...transform.choosing import settled
from .population import Population, reachable_actions, successors
from .questions import Question, questions

PID = A_PROCESS


@dataclass(frozen=True)
class Loop:
    """An action of one process that goes through a loop, and what it does as a whole."""

    action: Action  # from where to where
    before: tuple[Step, ...]  # what comes first, one after the other
    guard: Expr  # when what follows can begin
    assigns: tuple[tuple[Assign, Location], ...]  # all at once, each with the statement that decides it
    asserts: tuple[tuple[Expr, Location], ...]
    evaluated: tuple[tuple[Expr, Location], ...]  # what may fault
    inside: tuple[int, ...]  # the ids of the actions of the loop, where different ones may be executed in images


@dataclass(frozen=True)
class OwnCode:
    """One process, or any of some alike ones: its template, and its actions with everything known put in."""

    pid: int
    template: Template
    location: int
    actions: tuple[Action, ...]
    provided: Expr | None
    loops: Mapping[int, Loop] = field(default_factory=dict)  # by action: what loops do that nobody can interrupt
    shared_by: tuple[int, ...] = ()  # the processes whose code this is, with `_pid` in it; `pid` is nobody's then
    differs: bool = False  # what never changes, and is in it as a variable, is different for those who share it

    @property
    def pids(self) -> tuple[int, ...]:
        return self.shared_by or (self.pid,)


def specialise(model: Model, population: Population) -> list[OwnCode]:
    known = FixedFacts(model, population)
    return [_own(model, population, known, pid) for pid in range(len(population.state.processes))]


ANYBODY = -2  # the first pid that stands for any of some processes: -1 means none


def share(model: Model, population: Population) -> list[OwnCode]:
    """The processes with the code of each template once, whoever has it; `_pid` stays in it."""
    known, processes = FixedFacts(model, population), population.state.processes
    found: list[OwnCode] = []
    for number in dict.fromkeys(p.template for p in processes):
        pids = tuple(pid for pid, p in enumerate(processes) if p.template == number)
        assert len({processes[pid].location for pid in pids}) == 1  # only who starts others has gone on, and is alone
        if len(pids) == 1:
            found.append(_own(model, population, known, pids[0]))
        else:
            anybody = _AnyFolder(known, ANYBODY - number, model.templates[number], pids)
            found.append(_own(model, population, known, pids[0], anybody))
    return found


def _own(
    model: Model, population: Population, known: FixedFacts, pid: int, anybody: _AnyFolder | None = None
) -> OwnCode:
    process = population.state.processes[pid]
    template = model.templates[process.template]
    folder = anybody or _Folder(known, pid, template)
    kept = _LiveCode(template, folder).reachable(process.location)
    provided = None if template.provided is None else folder.fold(template.provided)
    pids, differs = ((), False) if anybody is None else (anybody.pids, anybody.differs)
    return OwnCode(folder.pid, template, process.location, tuple(kept), provided, {}, pids, differs)


class _LiveCode:
    """The code of a process without what can never be executed, and what can then not be reached."""

    def __init__(self, template: Template, folder: _Folder) -> None:
        self.folder = folder
        self.leaving = by_source(template.actions)
        self.place = {id(a): i for i, a in enumerate(template.actions)}
        self.known: dict[int, list[tuple[int, Action]]] = {}

    def reachable(self, start: int) -> list[Action]:
        """What can be executed from a location on, in the order of the template."""
        found, seen, todo = list[tuple[int, Action]](), {start}, [start]
        while todo:
            options = [o for o in self.options(todo.pop()) if not self.is_empty(o[1])]
            found += options
            new = dict.fromkeys(target for _, action in options for target in successors(action) if target not in seen)
            seen |= new.keys()
            todo += new
        return [action for _, action in sorted(found, key=lambda option: option[0])]

    def options(self, at: int) -> list[tuple[int, Action]]:
        """What can be executed at a location, and its place in the template."""
        if at not in self.known:
            begun = (a for a in self.leaving.get(at, ()) if not self.is_never(a))
            folded = [(self.place[id(a)], self.folder.action(a)) for a in begun]
            steps = [a.step for _, a in folded if not a.escape]
            certain = any(isinstance(step, Guard) and _is_true(step.condition) for step in steps)
            alive = [(i, a) for i, a in folded if not _is_dead(a.step)]
            self.known[at] = [(i, a) for i, a in alive if not (certain and isinstance(a.step, Else))]
        return self.known[at]

    def is_never(self, action: Action) -> bool:
        """Is it a chain that cannot begin?  Then nobody asks what follows."""
        step = action.step
        return isinstance(step, Chain) and _is_dead(self.folder.action(step.actions[0]).step)

    def is_empty(self, action: Action) -> bool:
        """Is it a d_step that cannot begin?"""
        return isinstance(action.step, Deterministic) and not self.options(action.step.entry)


def _is_dead(step: Step) -> bool:
    """Is it sure that the step can never be executed?"""
    match step:
        case Guard(condition) | Transition(guard=condition):
            return _is_false(condition)
        case Chain(actions):
            return _is_dead(actions[0].step)
    return False


def _is_true(e: Expr) -> bool:
    return isinstance(e, Const) and e.value != 0


def _is_false(e: Expr) -> bool:
    return isinstance(e, Const) and e.value == 0


def unread_locals(model: Model, template: Template) -> set[int]:
    """The locals that at most an initial value reads: what is in them says nothing about what a process will do."""
    if template.provided is not None or model.claims:
        return set()
    read = set[int]()
    for other in model.templates:
        steps = different_steps(other.actions)
        for e in (e for step in steps for e in evaluated(step)):
            for part in subexpressions(e):
                if isinstance(part, RemoteRead):
                    return set()
                if isinstance(part, Place) and part.variable.is_local and other is template:
                    read.add(part.variable.base)
        for place in (p for step in steps for p in stored(step) if other is template):
            read |= {p.variable.base for i in place.indices for p in subexpressions(i) if isinstance(p, Place)}
    calls = any(isinstance(s, Call) for a in template.actions for s in parts_of(a.step))
    created = {c.offset for c in template.channels}  # SOUND: who owns channels is found by what names them
    return set() if calls else {v.base for v in template.locals if v.base not in read and v.base not in created}


class FixedFacts:
    """What never changes once all processes exist."""

    def __init__(self, model: Model, population: Population) -> None:
        self.model, self.population = model, population
        self.globals = self.changed_globals()
        self.locals = {t.name: self.changed_locals(t) for t in model.templates}
        self.asked: dict[int, tuple[Question, ...] | None] = {}  # by the identity of an action
        self.folded: dict[tuple[int, tuple[bool, ...]], Action] = {}  # and by the answers, as all who give them see it

    def code(self, template: Template) -> list[Action]:
        """The actions that can still happen."""
        population = self.population
        if population.creator is not None and population.closed:
            process = population.state.processes[population.creator]
            if self.model.templates[process.template] is template:
                return reachable_actions(template, process.location)
        return list(template.actions)

    def written(self, template: Template) -> Iterator[Variable]:
        return (place.variable for step in different_steps(self.code(template)) for place in stored(step))

    def changed_globals(self) -> set[int]:
        written = {v.base for t in self.model.templates for v in self.written(t) if not v.is_local}
        return written | {v.base for v in self.model.globals if v.choices}

    def changed_locals(self, template: Template) -> set[int]:
        written = {v.base for v in self.written(template) if v.is_local}
        # SOUND: a local that starts with a value of others is known only if nobody moved before all were born.
        if not self.population.closed:
            for variable in template.locals[len(template.parameters) :]:
                if not all(isinstance(e, Const | Self) for e in variable.initial):
                    written.add(variable.base)
        return written | unread_locals(self.model, template)

    def changes(self, variable: Variable, template: Template | None) -> bool:
        """May it have another value later?"""
        if not variable.is_local:
            return variable.base in self.globals
        return template is None or variable.base in self.locals[template.name]

    def questions(self, action: Action, template: Template) -> tuple[Question, ...] | None:
        """What an action asks about a process of its template; None if it depends on more than the answers."""
        if id(action) not in self.asked:
            self.asked[id(action)] = questions(action.step, lambda v: not self.changes(v, template))
        return self.asked[id(action)]

    def answer(self, pid: int, question: Question) -> bool | None:
        variable, number = question
        if variable is None:
            return pid == number
        value = self.value(pid, variable, variable.base) if variable.size == 1 else None
        return None if value is None else value.value == number

    def value(self, pid: int, variable: Variable, slot: int) -> Const | None:
        state = self.population.state
        if is_pointer(variable.type):
            return None  # SOUND: folding the heap changes addresses
        if not variable.is_local:
            return None if variable.base in self.globals else Const(state.values[slot])
        process = state.processes[pid]
        if variable.base in self.locals[self.model.templates[process.template].name]:
            return None
        text = PID if variable.initial and all(isinstance(e, Self) for e in variable.initial) else ""
        return Const(process.frame[slot], text)


class _Folder:
    """Puts what is known about one process into expressions and steps."""

    def __init__(self, known: FixedFacts, pid: int, template: Template) -> None:
        self.known, self.pid, self.template = known, pid, template
        # By identity, what is not in `known`: the ways through a loop that chooses share their parts.
        self.parts: dict[tuple[int, tuple[bool, ...]], Action] = {}

    # ---------------------------------------------------------------- expressions

    def fold(self, e: Expr) -> Expr:
        """The expression as this process sees it: what never changes is a constant."""
        match e:
            case Self():
                return Const(self.pid, PID)
            case Place():
                return self.place(e)
            case Field():
                return self.field(e)
            case Unary(op, operand):
                inner = self.fold(operand)
                return Const(apply_unary(op, inner.value)) if isinstance(inner, Const) else Unary(op, inner)
            case Binary():
                return self.binary(e)
            case Conditional(condition, then, otherwise):
                test = self.fold(condition)
                if isinstance(test, Const):
                    return self.fold(then if test.value else otherwise)
                return Conditional(test, self.fold(then), self.fold(otherwise))
            case Bounded(value, low, high):
                inner = self.fold(value)
                known = isinstance(inner, Const) and low <= inner.value <= high
                return inner if known else replace(e, value=inner)
            case ChannelTest() | Poll():
                return self.query(e)
            case Enabled(pid) | LocationOf(pid) | Priority(pid):
                return replace(e, pid=self.fold(pid))
            case AtLabel(template, pid):
                return replace(e, pid=self.which(template, pid))
            case RemoteRead(template, pid, place):
                inner_place = replace(place, indices=tuple(map(self.fold, place.indices)))
                return replace(e, pid=self.which(template, pid), place=inner_place)
        return e

    def which(self, template: str, pid: Expr | None) -> Expr:
        """The process that a remote reference means; without a pid, the oldest one."""
        if pid is not None:
            return self.fold(pid)
        names = [self.known.model.templates[p.template].name for p in self.known.population.state.processes]
        return Const(names.index(template), PID) if template in names else Const(-1)

    def query(self, e: ChannelTest | Poll) -> Expr:
        if isinstance(e, ChannelTest):
            return replace(e, channel=self.fold(e.channel))
        return replace(e, channel=self.fold(e.channel), patterns=self.patterns(e.patterns))

    def place(self, e: Place) -> Expr:
        e = self.target(e)
        slot = slot_of(e)
        if slot is None:
            return e
        return self.value(e.variable, slot) or e

    def value(self, variable: Variable, slot: int) -> Expr | None:
        """What never changes."""
        return self.known.value(self.pid, variable, slot)

    def field(self, e: Field) -> Field:
        return replace(e, pointer=self.fold(e.pointer), indices=tuple(map(self.fold, e.indices)))

    def target(self, e: Place) -> Place:
        return replace(e, indices=tuple(map(self.fold, e.indices))) if e.indices else e

    def binary(self, e: Binary) -> Expr:
        left = self.fold(e.left)
        if e.op in ("&&", "||") and isinstance(left, Const):
            decided = bool(left.value) == (e.op == "||")
            return Const(int(e.op == "||")) if decided else _truth(self.fold(e.right))
        right = self.fold(e.right)
        if e.op in ("&&", "||") and isinstance(right, Const) and bool(right.value) == (e.op == "&&"):
            return _truth(left)
        if e.op in ("&&", "||") and isinstance(right, Const) and _never_faults(left):
            return Const(int(e.op == "||"))
        if isinstance(left, Const) and isinstance(right, Const):
            if not (e.op in ("/", "%") and right.value == 0):
                return Const(apply_binary(e.op, left.value, right.value))
        return replace(e, left=left, right=right)

    # ---------------------------------------------------------------- steps

    def action(self, action: Action) -> Action:
        """The action as this process sees it, and all who give the same answers."""
        answers = self.answers(action)
        key = id(action), answers or ()
        known = self.known.folded if answers is not None else self.parts
        if key not in known:
            known[key] = replace(action, step=self.step(action.step))
        return known[key]

    def answers(self, action: Action) -> tuple[bool, ...] | None:
        """What an action learns of this process; None if that is more than answers."""
        found: list[bool] = []
        for question in (asked := self.known.questions(action, self.template)) or ():
            if (answer := self.known.answer(self.pid, question)) is None:
                return None
            found.append(answer)
        return None if asked is None else tuple(found)

    def step(self, step: Step) -> Step:
        """The step as this process sees it."""
        match step:
            case Guard(condition):
                return Guard(self.fold(condition))
            case Assert(condition):
                return Assert(self.fold(condition))
            case Assign(place, value):
                return Assign(self.target(place), self.fold(value))
            case Transition(guard, assigns):
                parts = ((self.target(a.place), self.fold(a.value)) for a in assigns)
                return Transition(self.fold(guard), tuple(Assign(*part) for part in parts))
            case Store(field, value):
                return Store(self.field(field), self.fold(value))
            case Allocate(into):
                return replace(step, into=self.field(into) if isinstance(into, Field) else self.target(into))
            case Call(values=values):
                return replace(step, values=tuple(map(self.fold, values)))
            case Return(value=value, into=into):
                target = self.field(into) if isinstance(into, Field) else None if into is None else self.target(into)
                return replace(step, value=self.fold(value), into=target)
            case Delete(pointer):
                return replace(step, pointer=self.fold(pointer))
            case Send(channel, values):
                return replace(step, channel=self.fold(channel), values=tuple(map(self.fold, values)))
            case Receive(channel, patterns) | Observe(_, channel, patterns):
                return replace(step, channel=self.fold(channel), patterns=self.patterns(patterns))
            case Print(_, values):
                return replace(step, values=tuple(map(self.fold, values)))
            case SetPriority(pid, value):
                return SetPriority(self.fold(pid), self.fold(value))
            case Chain():
                return self.chain(step)
        return step

    def chain(self, chain: Chain) -> Chain:
        return Chain(settled([self.action(a) for a in chain.actions]))

    def patterns(self, patterns: tuple[Pattern, ...]) -> tuple[Pattern, ...]:
        return tuple(self.pattern(p) for p in patterns)

    def pattern(self, pattern: Pattern) -> Pattern:
        if isinstance(pattern, Match):
            return Match(self.fold(pattern.value))
        if isinstance(pattern.place, Field):
            return Bind(self.field(pattern.place))
        return pattern if pattern.place is None else Bind(self.target(pattern.place))


class _AnyFolder(_Folder):
    """Puts in only what is known about all of some processes."""

    def __init__(self, known: FixedFacts, pid: int, template: Template, pids: tuple[int, ...]) -> None:
        super().__init__(known, pid, template)
        self.pids, self.differs = pids, False
        self.values: dict[tuple[bool, int], Expr | None] = {}

    def fold(self, e: Expr) -> Expr:
        return e if isinstance(e, Self) else super().fold(e)

    def answers(self, action: Action) -> tuple[bool, ...] | None:
        """SOUND: what depends on who it is stays in the code, and is nobody else's."""
        return () if self.known.questions(action, self.template) == () else None

    def value(self, variable: Variable, slot: int) -> Expr | None:
        key = variable.is_local, slot
        if key not in self.values:
            self.values[key] = self.common_value(variable, slot)
        return self.values[key]

    def common_value(self, variable: Variable, slot: int) -> Expr | None:
        """What all of them have in it; `_pid` if that is what each has."""
        values = {self.known.value(pid, variable, slot) for pid in self.pids}
        if len(values) == 1:
            return values.pop()
        if all(value is not None and value.text == PID for value in values):
            return Self()
        self.differs = True
        return None


class _Nameless(_Folder):
    """Takes the name of a process out of its code again.

    SOUND: `_pid` in code that is shared becomes a pid that is nobody's, so what is known of a round that somebody made,
    and of how its pid compares, is not taken for what everybody does.
    """

    def __init__(self, pid: int) -> None:
        self.pid, self.parts = pid, {}

    def fold(self, e: Expr) -> Expr:
        return Self() if isinstance(e, Const) and e.text == PID and e.value == self.pid else super().fold(e)

    def place(self, e: Place) -> Expr:
        return self.target(e)

    def answers(self, action: Action) -> None:
        return None

    def which(self, template: str, pid: Expr | None) -> Expr:
        return Const(-1) if pid is None else self.fold(pid)


def without_name(action: Action, pid: int) -> Action:
    """The action of a process with `_pid` where its pid stands: the same for all who differ in nothing else."""
    return replace(action, step=_Nameless(pid).step(action.step))


COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


def is_boolean(e: Expr) -> bool:
    """Is the value always 0 or 1?"""
    if isinstance(e, Binary):
        return e.op in ("&&", "||") or e.op in COMPARISONS
    if isinstance(e, Unary):
        return e.op == "!"
    if isinstance(e, ChannelTest):
        return e.test != "len"
    return isinstance(e, Poll | AtLabel | Enabled) or type(e).__name__ in ("Timeout", "NonProgress")


def _never_faults(e: Expr) -> bool:
    """Is it sure that the evaluation does not fault, whatever the state?"""
    match e:
        case Place():
            return slot_of(e) is not None
        case Unary(_, operand):
            return _never_faults(operand)
        case Binary(op, left, right):
            return op not in ("/", "%") and _never_faults(left) and _never_faults(right)
    return isinstance(e, Const)


def _truth(e: Expr) -> Expr:
    """1 if the value is not 0."""
    if isinstance(e, Const):
        return Const(int(e.value != 0))
    return e if is_boolean(e) else Binary("!=", e, Const(0))
