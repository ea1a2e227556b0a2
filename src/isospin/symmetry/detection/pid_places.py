"""Where the pids of processes are that are started at run time: what is renamed when they take each other's place.

Reference: Ip and Dill's scalarsets, as `sorts.py` infers them.
Differs: there is no list of processes to go by.  Templates are looked at as they are: `_pid` is a name, and so is what
`run` returns.  A constant names the same process for ever, so that one must stay where it is.  Pids that are handed
around but never compared say nothing, and are forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from ...core.errors import Location
from ...core.model import (
    A_PROCESS,
    Action,
    Binary,
    Chain,
    Const,
    Expr,
    Match,
    Model,
    Pattern,
    Place,
    Run,
    Scalar,
    Self,
    Step,
    Template,
    Unary,
    Variable,
)
from ...core.records import dataclass
from ...semantics.interp import MOST_PROCESSES, Interpreter
from ...semantics.state import Channel, Process, State
from ...semantics.walk import slot_of
from ...transform.choosing import settled
from .population import NotFoldable, claim_expressions, reachable_actions, runs
from .sorts import Sorts, Typed
from .specialise import OwnCode
from .value_class import ValueClass

SOME_PID = Const(-1, A_PROCESS)  # no value that a constant of the model could have as a pid
MOST_INDICES = 2  # pids among the indices of one array


PLAIN, HOLDS, FORGOTTEN, CHANNEL = range(4)  # what values are: numbers, pids, pids that nobody looks at, channels


class PidVariable(NamedTuple):
    """A variable that holds pids, or whose elements belong to them."""

    variable: Variable
    values: int  # HOLDS, FORGOTTEN, CHANNEL, or PLAIN if only its indices are pids
    by: tuple[bool, ...]  # by dimension: its indices are pids
    default: int  # what is in an element that belongs to nobody

    def indices(self, i: int) -> list[int]:
        """Those of element i."""
        found = []
        for size in reversed(self.variable.shape):
            i, index = divmod(i, size)
            found.append(index)
        return found[::-1]

    def pids(self, i: int) -> tuple[int, ...]:
        """The pids among them."""
        return tuple(index for index, is_pid in zip(self.indices(i), self.by, strict=True) if is_pid)

    def rest(self, i: int) -> tuple[int, ...]:
        """The others."""
        return tuple(index for index, is_pid in zip(self.indices(i), self.by, strict=True) if not is_pid)

    def element(self, indices: Iterable[int]) -> int:
        found = 0
        for index, size in zip(indices, self.variable.shape, strict=True):
            found = found * size + index
        return found

    @property
    def strides(self) -> tuple[int, ...]:
        """By pid among the indices: how far the elements of two successive ones are from each other."""
        ones = [self.element(int(d == k) for k in range(len(self.by))) for d in range(len(self.by))]
        return tuple(stride for stride, is_pid in zip(ones, self.by, strict=True) if is_pid)


@dataclass(frozen=True)
class PidPlaces:
    """All of them."""

    globals: tuple[PidVariable, ...]
    locals: tuple[tuple[PidVariable, ...], ...]  # by template
    fields: tuple[tuple[int, ...], ...]  # by channel: what the fields of its messages hold
    # by template, for those that are started at run time: the same for each of their own channels
    own: tuple[tuple[tuple[int, ...], ...], ...] = ()
    fixed: int = 0  # so many channels belong to nobody, or to processes that stay

    @property
    def owns_channels(self) -> bool:
        """Do processes that move have channels of their own?"""
        return any(self.own)


def find_pid_places(
    model: Model, interpreter: Interpreter, base: int, most: float, read: set[tuple[str, int]]
) -> tuple[PidPlaces | None, int]:
    """The places where pids may be (none: nobody sees them), and how many processes stay since constants name them.

    `base`: so many stay in any case; `most`: so many can there be; `read`: the variables that somebody reads, as their
    template (none if global) and first slot.  Raises NotFoldable where pids are numbers.
    """
    return _PlaceFinder(model, _TemplateSorts(model, interpreter, base), base, most, read).find()


# ------------------------------------------------------------------------------------------------ classes of values


class _TemplateSorts(Sorts):
    """The classes of values of the templates of a model, whatever processes there are."""

    def __init__(self, model: Model, interpreter: Interpreter, base: int) -> None:
        self.constants: list[tuple[ValueClass, int, Location]] = []
        self.seen: list[ValueClass] = []  # somebody compares its values, or uses them as indices
        self.matched = 0  # patterns that compare
        self.fixed = _all_stay(model, base)
        alive = [t for t in model.templates if t.kind in ("proctype", "init")]
        owns, state = list(map(_own, alive)), _with_all(model, interpreter, alive)
        self.declared = list(_declared(model, state))
        super().__init__(model, interpreter, state, owns)
        known = (0, 0, 0)
        while known != (known := self.progress()):  # which channels are meant depends on what is joined
            self.matched = 0
            for template in alive:
                self.begin(template)
            for own in owns:
                self.process(own)
            for claim in model.claims:
                for e in claim_expressions(claim):
                    self.claim(e, claim.location)

    def declare_variable(self, variable: Variable, template: str) -> None:
        self.typed_as(self.variable(variable, template), variable.type)

    def candidates(self, channel: Expr, width: int) -> list[int]:
        """The channels that an expression can mean: those whose numbers flow there."""
        found = super().candidates(channel, width)
        if isinstance(channel, Place) and self.in_array(channel) is not None:
            return found
        one = self.typed(channel)
        if isinstance(one, ValueClass) and not one.current.spoilt:  # SOUND: a number that was computed may be any
            return [c for c in found if self.of(self.declared[c]) is one.current or c + 1 in one.current.literals]
        return found

    def progress(self) -> tuple[int, int, int]:
        """Different as long as something new is learnt."""
        return self.made, len(self.classes), sum(bool(one.spoilt) for one in self.classes.values())

    def begin(self, template: Template) -> None:
        """What the variables of a new process hold."""
        self.template = template
        for variable in template.locals[len(template.parameters) :]:
            self.where = variable.location
            for e in variable.initial:
                self.unify(self.variable(variable, template.name), self.typed(e), "it begins with a computed number")

    def step(self, step: Step) -> None:
        """A step may start a process: its parameters get values, and its pid may be kept."""
        if not isinstance(step, Run):
            super().step(step)
            return
        for parameter, value in zip(self.model.template(step.template).parameters, step.values, strict=True):
            known = self.variable(parameter, step.template)
            self.unify(known, self.typed(value), "the result of arithmetic is passed as it")
        if step.into is not None:
            self.unify(self.typed(step.into), SOME_PID)

    def typed(self, e: Expr) -> Typed:
        if not isinstance(e, Self):
            return super().typed(e)
        name = self.template.name if self.template is not None else ""
        if name not in self.fixed:
            return SOME_PID
        one = self.of(("self", name))
        for pid in self.fixed[name]:
            self.literal(one, Const(pid))
        return one

    def as_pid(self, e: Expr | None) -> None:
        if e is not None:
            self.see(self.unify(self.asked(), self.typed(e), "a process is asked for by a computed number"))

    def literal(self, one: ValueClass, value: Const) -> None:
        super().literal(one, value)
        if value.text != A_PROCESS:
            self.constants.append((one, value.value, self.where))

    def unify(self, a: Typed, b: Typed, why: str = "") -> Typed:
        """SOUND: `_pid` and a constant meet without being in a class, and the constant names a process all the same."""
        if isinstance(a, Const) and isinstance(b, Const) and (a.text == A_PROCESS) != (b.text == A_PROCESS):
            return super().unify(self.asked(), a if b.text == A_PROCESS else b)
        return super().unify(a, b, why)

    def asked(self) -> ValueClass:
        """The class of pids that are asked for, whoever keeps them."""
        one = self.of(("asked",))
        one.holds_pids = True
        self.see(one)
        return one

    def condition(self, e: Expr) -> None:
        one = self.typed(e)
        if isinstance(one, Const) and one.text == A_PROCESS:
            one = self.asked()
        if isinstance(one, ValueClass):
            self.see(one)
            self.literal(one, Const(0))  # asking for truth is comparing with 0

    def see(self, one: Typed | None) -> None:
        if isinstance(one, ValueClass):
            self.seen.append(one)

    def computed(self, e: Expr) -> Typed:
        one = super().computed(e)
        self.see(one)
        return one

    def shifted(self, e: Binary | Unary, kinds: Sequence[Typed]) -> ValueClass | None:
        """SOUND: a pid is renamed where it is, so nothing else may be said of it."""
        return None

    def pattern(self, pattern: Pattern) -> Typed | None:
        one = super().pattern(pattern)
        if not isinstance(pattern, Match):
            return one
        self.matched += 1
        compared = self.of(("matched", self.matched))
        self.see(compared)
        return None if one is None else self.unify(compared, one, "it is compared with the result of arithmetic")

    def place(self, e: Place, template: str) -> Typed:
        owner = template if e.variable.is_local else ""
        for dimension, i in enumerate(e.indices):
            one = self.index(e.variable, owner, dimension)
            self.see(one)
            if slot_of(e) is None:
                self.unify(one, self.typed(i), "the result of arithmetic is an index")
            else:
                assert isinstance(i, Const)
                self.literal(one, i)
        return self.variable(e.variable, owner)


def _all_stay(model: Model, base: int) -> dict[str, list[int]]:
    """The pids of the processes of each template that has none but those that stay."""
    started = {r.template for t in model.templates for a in reachable_actions(t) for r in runs(a.step)}
    first = [i.template for i in model.instances]
    return {
        name: [pid for pid, other in enumerate(first) if other == name]
        for name in set(first[:base])
        if name not in started and name not in first[base:]
    }


def _declared(model: Model, state: State) -> Iterator[tuple[str | int, ...]]:
    """By channel of a state: the variable that is declared with it."""
    for new in model.channels:
        yield "global", _first_slot(model.globals, new.offset)
    for process in state.processes:
        template = model.templates[process.template]
        for new in template.channels:
            yield "local", template.name, _first_slot(template.locals, new.offset)


def _first_slot(variables: tuple[Variable, ...], slot: int) -> int:
    return next(v.base for v in variables if v.base <= slot < v.base + v.size)


def _own(template: Template) -> OwnCode:
    actions = tuple(map(_settled, reachable_actions(template)))
    return OwnCode(0, template, template.entry, actions, template.provided)


def _settled(action: Action) -> Action:
    """Without the counting of a loop that chooses a value."""
    return replace(action, step=Chain(settled(action.step.actions))) if isinstance(action.step, Chain) else action


def _with_all(model: Model, interpreter: Interpreter, alive: list[Template]) -> State:
    """The initial state and beside it a process of each template, with its channels."""
    state = next(interpreter.initial_states())
    processes, channels = list(state.processes), list(state.channels)
    there = {p.template for p in processes}
    for template in alive:
        number = model.templates.index(template)
        if number not in there:
            processes.append(Process(number, template.entry, (0,) * template.frame_size))
            for new in template.channels:
                if new.type not in interpreter.channel_types:
                    interpreter.channel_types.append(new.type)
                channels.append(Channel(interpreter.channel_types.index(new.type), ()))
    return state._replace(processes=tuple(processes), channels=tuple(channels))


# ------------------------------------------------------------------------------------------------ places


class _PlaceFinder:
    """Makes places of classes, and refuses classes that are not what pids must be."""

    def __init__(self, model: Model, sorts: _TemplateSorts, base: int, most: float, read: set[tuple[str, int]]) -> None:
        self.model, self.sorts, self.base, self.read = model, sorts, base, read
        self.names = int(min(most, MOST_PROCESSES))
        started = {r.template for t in model.templates for a in reachable_actions(t) for r in runs(a.step)}
        self.owners = {t.name for t in model.templates if t.channels and t.name in started}

    def find(self) -> tuple[PidPlaces | None, int]:
        """All places, and how many processes stay."""
        sorts, model = self.sorts, self.model
        for refusal in sorts.misused:
            why = refusal.why.replace("on it", "on a pid")
            raise NotFoldable(refusal.location, f"a pid is used as a number: {why}")
        for one in (one for one in sorts.classes.values() if self.values_of(one) == HOLDS):
            self.check(one)
        if not self.owners and not any(one.holds_pids for one in sorts.classes.values()):
            return None, self.base
        self.keep_constants()
        fixed = self.fixed_channels()
        self.check_channels(fixed)
        places = PidPlaces(
            tuple(self.variables(model.globals, None)),
            tuple(tuple(self.variables(t.locals, t)) for t in model.templates),
            tuple(map(self.fields, range(fixed))),
            tuple(tuple(map(self.fields, self.channels_of(t))) for t in model.templates),
            fixed,
        )
        return places, self.base

    def fields(self, channel: int) -> tuple[int, ...]:
        """What the fields of the messages of a channel hold."""
        kind = self.sorts.channel_types[channel]
        return tuple(self.values_of(self.sorts.field(channel, i)) for i in range(len(kind.fields)))

    # ---------------------------------------------------------------- channels of their own

    def fixed_channels(self) -> int:
        """How many channels come before those of processes that move."""
        stay = self.model.instances[: self.base]
        return len(self.model.channels) + sum(len(self.model.template(i.template).channels) for i in stay)

    def channels_of(self, template: Template) -> Iterator[int]:
        """The channels of some process of a template that moves, in the state that classes were made from."""
        if template.name not in self.owners:
            return
        first = len(self.model.channels)
        for process in self.sorts.state.processes:
            there = self.model.templates[process.template]
            if there is template:
                yield from range(first, first + len(there.channels))
                return
            first += len(there.channels)

    def check_channels(self, fixed: int) -> None:
        """SOUND: the number of a channel that moves is a name, and nothing else."""
        for one in self.sorts.classes.values() if self.owners else ():
            if one.holds_channels:
                for refusal in one.spoilt:
                    raise NotFoldable(refusal.location, f"the number of a channel is used as a number: {refusal.why}")
                if one.kind != "chan":
                    raise NotFoldable(self.where(one), "channels and other names are kept in one place")
                for kind in one.types:
                    if kind.wrap(MOST_PROCESSES) != MOST_PROCESSES:
                        why = f"a channel is kept in a {kind.name}, which is too narrow for all of them"
                        raise NotFoldable(self.where(one, kind), why)
        for one, value, location in self.sorts.constants if self.owners else ():
            if one.current.holds_channels and value > fixed:
                raise NotFoldable(location, f"a channel is compared with {value}, and may be that of any process")

    def values_of(self, one: ValueClass) -> int:
        if not one.current.holds_pids:
            return CHANNEL if one.current.holds_channels and self.owners else PLAIN
        # SOUND: a class in which somebody computes is one of numbers, whoever looks at them
        seen = one.current.spoilt or any(other.current is one.current for other in self.sorts.seen)
        return HOLDS if seen else FORGOTTEN

    def check(self, one: ValueClass) -> None:
        """Nothing but names is in a class."""
        for refusal in one.spoilt:
            raise NotFoldable(refusal.location, f"a pid is used as a number: {refusal.why}")
        if one.kind != "pid":
            raise NotFoldable(self.where(one), "pids and other names are kept in one place")
        for kind in one.types:
            if kind.wrap(self.names) != self.names:  # SOUND: truncation is arithmetic
                why = f"a pid is kept in a {kind.name}, which is too narrow for {self.names} processes"
                raise NotFoldable(self.where(one, kind), why)

    def where(self, one: ValueClass, kind: Scalar | None = None) -> Location:
        """Where something is declared that holds such values."""
        declared = [("", v) for v in self.model.globals] + [(t.name, v) for t in self.model.templates for v in t.locals]
        for owner, variable in declared:
            if self.sorts.variable(variable, owner) is one and kind in (None, variable.type):
                return variable.location
        return next((t.location for t in self.sorts.channel_types if kind in t.fields), Location(self.model.file))

    def keep_constants(self) -> None:
        """SOUND: who is named by a constant stays; it must be there from the beginning."""
        for one, value, location in self.sorts.constants:
            self.keep(one, value, location)
        for variable in self.model.globals:
            for i in range(variable.size):
                value = self.sorts.state.values[variable.base + i]
                self.keep(self.sorts.variable(variable, ""), value, variable.location)
        for template in self.model.templates:
            for variable in template.locals:
                # SOUND: 0 is in it before it has a value, and where it is cleared
                for value in {0, variable.rest}:
                    self.keep(self.sorts.variable(variable, template.name), value, variable.location)

    def keep(self, one: ValueClass, value: int, location: Location) -> None:
        if self.values_of(one) != HOLDS or not self.base <= value <= MOST_PROCESSES:
            return
        if value >= len(self.model.instances):
            raise NotFoldable(location, f"a pid is compared with {value}, and process {value} is started at run time")
        self.base = value + 1

    def variables(self, declared: tuple[Variable, ...], template: Template | None) -> Iterator[PidVariable]:
        """Those that hold pids or are indexed by them."""
        owner = "" if template is None else template.name
        for variable in declared:
            values = self.values_of(self.sorts.variable(variable, owner))
            is_read = (owner, variable.base) in self.read
            by = tuple(self.sorts.index(variable, owner, d).holds_pids for d in range(len(variable.shape)))
            if (values != PLAIN or any(by)) and not self.is_aside(variable, is_read):
                found = PidVariable(variable, values, by, 0)
                default = self.default(found, template) if any(by) else 0
                yield found._replace(default=default) if is_read else found._replace(values=FORGOTTEN)

    def is_aside(self, variable: Variable, is_read: bool) -> bool:
        """Is it no part of a state, and nobody looks at it?"""
        if variable.hidden and is_read:
            raise NotFoldable(variable.location, f"{variable.name} is hidden, and has to do with pids")
        return variable.hidden

    def default(self, found: PidVariable, template: Template | None) -> int:
        """What is in an element that belongs to nobody: the same in all."""
        variable = found.variable
        if sum(found.by) > MOST_INDICES:
            raise NotFoldable(variable.location, f"{variable.name} is indexed with more than two pids")
        for size, is_pid in zip(variable.shape, found.by, strict=True):
            if is_pid and size < self.names:
                why = f"{variable.name} has {size} elements, and there may be {self.names} processes"
                raise NotFoldable(variable.location, why)
        values: Iterable[int] = self.sorts.state.values[variable.base : variable.base + variable.size]
        others = set[int]()
        if template is not None:
            values = self.initial_values(variable)
            others = {variable.rest for a in template.actions for v in a.clears if v.base == variable.base}
        others |= {v for i, v in enumerate(values) if any(pid >= self.base for pid in found.pids(i))}
        if len(others) > 1:
            raise NotFoldable(variable.location, f"the elements of {variable.name} begin with different values")
        return others.pop() if others else 0

    def initial_values(self, variable: Variable) -> list[int]:
        if not all(isinstance(e, Const) for e in variable.initial):
            raise NotFoldable(variable.location, f"the elements of {variable.name} begin with values that are computed")
        given = [e.value for e in variable.initial if isinstance(e, Const)]
        return given * variable.size if len(given) == 1 else given + [0] * (variable.size - len(given))
