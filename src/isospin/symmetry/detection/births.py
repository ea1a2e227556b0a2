"""Processes that are started at run time: which of those that are alive can take each other's place.

Reference: Iosif, Symmetry Reduction Criteria for Software Model Checking (SPIN 2002): a family of groups, one for each
number of processes.
Differs: SPIN lets only the youngest process die, so exchanging two processes that may end is no automorphism of the
states.  It is one of what can be seen of them, if pids are nothing but names: a process at its end does nothing but
wait for its death, and its death changes the number of processes and nothing else.  So ended ones are left out.
`docs/develop/decisions/births.md` says why that is right, and who could see the difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import inf

from ...core.errors import Location
from ...core.model import (
    Action,
    AtLabel,
    Binary,
    Chain,
    Const,
    Enabled,
    End,
    Expr,
    Guard,
    LastPid,
    LocationOf,
    Model,
    NonProgress,
    Place,
    Print,
    Priority,
    ProcessCount,
    RemoteRead,
    Run,
    Self,
    SetPriority,
    Step,
    Template,
    Timeout,
)
from ...core.records import dataclass
from ...core.verdict import Refusal
from ...semantics.interp import MOST_PROCESSES, Interpreter
from ...semantics.state import Fault
from ...semantics.walk import by_source, children, evaluated, parts_of, subexpressions
from ..protocol import KEEP_ALL, KEEP_NONE, KEEP_ONE
from .pid_places import PidPlaces, find_pid_places
from .population import NotFoldable, before_runs, claim_expressions, populate, reachable_actions, runs, successors
from .sights import SIGHTS, counts_steps, every_look


@dataclass(frozen=True)
class Births:
    """Which processes can take each other's place while they are alive."""

    model: Model  # without what nobody reads
    base: int  # the processes with smaller pids stay where they are
    movable: tuple[int, ...]  # templates, by number, that other places may have
    ended: tuple[frozenset[int], ...]  # by template: the locations where a process only waits for its death
    keep: int  # how many of the processes that have ended a state keeps
    starts: tuple[frozenset[int], ...]  # by template: the locations from which a process may still start others
    pids: PidPlaces | None = None  # where pids are data; None: nobody sees them
    bounded: bool = True  # only so many processes are ever started
    cautious: bool = False  # states from which others may be started are not folded

    @property
    def names(self) -> tuple[str, ...]:
        """The templates of which there can be several processes."""
        most = _most_of_each(self.model)
        return tuple(n for t in self.movable if most[n := self.model.templates[t].name] > 1)


def find_births(model: Model) -> Births | Refusal | None:
    """What can be folded while processes are started; or what prevents it; None if none are."""
    started = {r.template for t in _alive(model) for a in reachable_actions(t) for r in runs(a.step)}
    if not started or not model.one_start:
        return None
    try:
        return _BirthFinder(_without_unread(model), started).births()
    except NotFoldable as refused:
        return refused.refusal


def _alive(model: Model) -> list[Template]:
    """The templates that a process may have."""
    return [t for t in model.templates if t.kind in ("proctype", "init")]


class _BirthFinder:
    """Goes through the model for whoever could see a pid, or the death of a process."""

    def __init__(self, model: Model, started: set[str]) -> None:
        self.model, self.started = model, started
        self.first = [i.template for i in model.instances]
        self.base = self.singles()
        self.ended = tuple(_ended(t) for t in model.templates)
        self.counts: list[tuple[Location, Expr]] = []  # where processes are counted

    def births(self) -> Births:
        """What can be folded; raises NotFoldable at the first thing that prevents it."""
        self.look_at_model()
        self.look_at_steps()
        for location, template, e in every_look(self.model):
            self.see(template, location, e)
        self.look_at_channels()
        self.check_own_channels()
        most = self.most_processes()
        pids = self.find_pids(most)
        keep, base = KEEP_NONE, self.base
        if any(self.ended[t] for t in self.movable):
            keep = self.deaths(most)
        if self.base > base:
            pids = self.find_pids(most)  # more of them stay, with their channels
        starts = tuple(before_runs(t) for t in self.model.templates)
        return Births(self.model, self.base, self.movable, self.ended, keep, starts, pids, most <= MOST_PROCESSES)

    def find_pids(self, most: float) -> PidPlaces | None:
        """Where pids are data.  If they are numbers for some who are there from the beginning, those stay."""
        interpreter, read = Interpreter(self.model), set(_read(self.model))
        try:
            pids, self.base = find_pid_places(self.model, interpreter, self.base, most, read)
        except NotFoldable:
            if self.base >= len(self.first):
                raise
            pids, self.base = find_pid_places(self.model, interpreter, len(self.first), most, read)
        return pids

    @property
    def movable(self) -> tuple[int, ...]:
        names = {*self.started, *self.first[self.base :]}
        return tuple(i for i, t in enumerate(self.model.templates) if t.name in names)

    # ---------------------------------------------------------------- processes that stay where they are

    def singles(self) -> int:
        """The first processes that have no equal: nothing is lost if they stay where they are."""
        count = 0
        for name in self.first:
            if name in self.started or self.first.count(name) > 1:
                break
            count += 1
        return count

    def stay(self, template: str, location: Location, why: str) -> None:
        """The processes of a template are known by their numbers: they must all be there from the beginning."""
        if template in self.started:
            raise NotFoldable(location, f"{template} is started at run time, and {why}")
        if template in self.first:
            self.base = max(self.base, len(self.first) - self.first[::-1].index(template))

    # ---------------------------------------------------------------- who sees what

    def look_at_model(self) -> None:
        """What the model as a whole must not have."""
        model, place = self.model, Location(self.model.file)
        if model.monitor is not None:
            raise NotFoldable(model.monitor.template.location, "a trace assertion is judged when all have ended")
        for reason, why in (
            (model.uses_priority, "priorities are used"), (model.uses_last, SIGHTS[LastPid]),
            (model.objects, "the model has objects"), (model.has_calls, "the model has functions"),
            (any(v.owned for v in model.globals), "variables belong to processes by their numbers"),
        ):  # fmt: skip
            if reason:
                raise NotFoldable(place, f"processes are started at run time, and {why}")

    def look_at_steps(self) -> None:
        """What steps do with pids, beside their expressions."""
        for action in (a for t in _alive(self.model) for a in reachable_actions(t)):
            if any(isinstance(step, SetPriority) for step in parts_of(action.step)):
                raise NotFoldable(action.location, f"processes are started at run time, and {SIGHTS[Priority]}")

    def see(self, template: Template | None, location: Location, e: Expr) -> None:
        """Whom an expression knows by number: they stay, or nothing is folded."""
        match e:
            case ProcessCount() | Binary(_, ProcessCount(), Const()) | Binary(_, Const(), ProcessCount()):
                self.counts.append((location, e))
                return
            case Self() if template is None:
                raise NotFoldable(location, "a claim has a pid, and looks at it")
            case RemoteRead(name, pid) | AtLabel(name, pid):
                self.see_other(name, pid, location)
            case LastPid() | Enabled() | LocationOf() | Priority() | NonProgress():
                raise NotFoldable(location, f"processes are started at run time, and {SIGHTS[type(e)]}")
        for part in children(e):
            self.see(template, location, part)

    def see_other(self, name: str, pid: Expr | None, location: Location) -> None:
        """A process is looked at from outside."""
        if pid is not None and not any(self.ended[t] for t in self.movable):
            return  # SOUND: nobody ends, so a pid that is data names whom it always named
        self.stay(name, location, "it is looked at from outside")
        if pid is not None and not (isinstance(pid, Const) and pid.value < self.base):
            raise NotFoldable(location, "processes are started at run time, and one is looked at by a number")

    def look_at_channels(self) -> None:
        """SOUND: numbers of channels are data; those of processes that stay are fixed, and come before all others."""
        for template in _alive(self.model):
            if template.channels and template.name not in self.started:
                self.stay(template.name, template.location, "it has channels of its own")

    def check_own_channels(self) -> None:
        """SOUND: there is a limit on channels as on processes, and those of who has ended count until it dies."""
        most, with_channels = _most_of_each(self.model), [t for t in _alive(self.model) if t.channels]
        owners = [t for t in with_channels if t.name in self.started]
        number = len(self.model.channels) + sum(most[t.name] * len(t.channels) for t in with_channels)
        if owners and not (number <= MOST_PROCESSES and sum(most.values()) <= MOST_PROCESSES):
            why = "it has channels of its own, of which there may be too many"
            raise NotFoldable(owners[0].location, f"{owners[0].name} is started at run time, and {why}")

    # ---------------------------------------------------------------- deaths

    def deaths(self, most: float) -> int:
        """How many of the processes that have ended matter."""
        for claim in self.model.claims:
            if counts_steps(claim):
                raise NotFoldable(claim.location, f"{claim.name} counts steps, and so sees the death of a process")
            if any(self.ended[t] & self.labelled(t) for t in self.movable):
                raise NotFoldable(claim.location, f"{claim.name} sees whether processes have ended")
        for location, e in self.counts:
            self.base = max(self.base, self.counted(location, e))
        mortal = [self.model.templates[t] for t in self.movable if self.ended[t]]
        for template in mortal:
            if template.provided is not None:
                why = f"{template.name} is started at run time, and its provided clause says when it dies"
                raise NotFoldable(template.location, why)
        # SOUND: a cycle of a claim starts nobody, so all who are ever started count there.
        bounded = (most if self.model.claims else self.most_at_once()) <= MOST_PROCESSES
        if bounded and not self.counts:
            return KEEP_NONE
        if all(template.channels for template in mortal):  # a record of one has none
            why = "it has channels of its own, and _nr_pr counts those that have ended"
            raise NotFoldable(mortal[0].location, f"{mortal[0].name} is started at run time, and {why}")
        for template in mortal:
            self.check_last_steps(template)
        if bounded:
            return KEEP_ONE
        # SOUND: how many processes there can be is limited, and those that have ended count until they die.  Nobody
        # need die but for `timeout`, so that the limit is reached if all are kept, or not at all.
        for location, _, e in every_look(self.model):
            if any(isinstance(part, Timeout) for part in subexpressions(e)):
                raise NotFoldable(location, "processes are started in a loop, and timeout waits for their ends")
        if self.model.claims:
            why = "processes are started in a loop, so a run may end since there are too many, which a claim can see"
            raise NotFoldable(self.model.claims[0].location, why)
        return KEEP_ALL

    def check_last_steps(self, template: Template) -> None:
        """SOUND: where deaths count, nobody may die in the step in which it ends: that depends on who is younger."""
        ended = self.ended[self.model.templates.index(template)]
        for action in reachable_actions(template):
            if action.keeps_control and action.target in ended:
                raise NotFoldable(action.location, f"{template.name} is started at run time, and dies in its last step")

    def labelled(self, template: int) -> frozenset[int]:
        return self.model.templates[template].accept_locations | self.model.templates[template].progress_locations

    def counted(self, location: Location, e: Expr) -> int:
        """How many processes must stay where they are, so that all that is asked is whether others are there."""
        why = "processes are started at run time, and _nr_pr counts those that have ended, until they die"
        match e:
            case Binary(op, ProcessCount(), Const(value)):
                enough = value - (op in ("<", ">="))
            case Binary(op, Const(value), ProcessCount()):
                enough = value - (op in (">", "<="))
            case _:
                raise NotFoldable(location, why)
        if op not in ("==", "!=", "<", "<=", ">", ">=") or enough > len(self.first):
            raise NotFoldable(location, why)
        return enough

    def most_processes(self) -> float:
        """A bound on how many processes there are in a run, those that have ended included."""
        return sum(_most_of_each(self.model).values())

    def most_at_once(self) -> float:
        """The same, of those that are there at the same time."""
        return sum(_most_of_each(self.model, at_once=True).values())


def _most_of_each(model: Model, at_once: bool = False) -> dict[str, float]:
    """For each template a bound on how many processes of it there are in a run, or `at_once`."""
    first = len(model.instances) if at_once else -1
    try:
        state = populate(model, Interpreter(model), deaths_count=False).state
    except (NotFoldable, Fault):
        starts = {t.name: list(_starts(t, first)) for t in model.templates}
        found = dict.fromkeys(starts, 0.0)
        for instance in model.instances:
            _add(instance.template, 1, starts, (), found)
        return found
    names = [model.templates[p.template].name for p in state.processes]
    return {t.name: float(names.count(t.name)) for t in model.templates}


def _starts(template: Template, first: int) -> Iterator[tuple[str, float]]:
    """What a process starts, and how often at most; or how often until only the `first` processes are there again."""
    for action in reachable_actions(template):
        started = [run.template for run in runs(action.step)]
        if started:
            again = id(action) in _behind(template, action, first)
            yield from ((name, inf if again else 1) for name in started)


def _behind(template: Template, action: Action, first: int) -> set[int]:
    """The actions that may follow one, by identity, as long as others than the first processes are there."""
    leaving, found = by_source(template.actions), set[int]()
    todo = list(successors(action))
    while todo:
        for one in leaving.get(todo.pop(), ()):
            # SOUND: only the youngest can die, so who is started has died if no more are there than at the beginning.
            if id(one) not in found and not _are_so_few(_guard(one.step), first):
                found.add(id(one))
                todo += successors(one)
    return found


def _guard(step: Step) -> Expr | None:
    """What must hold before anything else is done."""
    first = step.actions[0].step if isinstance(step, Chain) else step
    return first.condition if isinstance(first, Guard) else None


def _are_so_few(condition: Expr | None, most: int) -> bool:
    """Does it say that there are at most so many processes?"""
    match condition:
        case Binary("&&", left, right):
            return _are_so_few(left, most) or _are_so_few(right, most)
        case Binary("==" | "<=", ProcessCount(), Const(value)) | Binary("==" | ">=", Const(value), ProcessCount()):
            return value <= most
        case Binary("<", ProcessCount(), Const(value)) | Binary(">", Const(value), ProcessCount()):
            return value <= most + 1
    return False


def _add(
    name: str, number: float, starts: dict[str, list[tuple[str, float]]], above: tuple[str, ...],
    found: dict[str, float],
) -> None:  # fmt: skip
    """So many more processes of a template, and all that they start."""
    found[name] += number
    for started, often in starts[name]:
        if started not in above or found[started] != inf:
            _add(started, inf if started in above else number * often, starts, (*above, name), found)


def _ended(template: Template) -> frozenset[int]:
    """The locations at which a process only waits for its death."""
    leaving = by_source(tuple(reachable_actions(template)))
    return frozenset(x for x, actions in leaving.items() if all(isinstance(a.step, End) for a in actions))


# ------------------------------------------------------------------------------------------------ what nobody reads


def _without_unread(model: Model) -> Model:
    """The model in which no pid is kept in a variable that nobody reads."""
    read = set(_read(model))

    def forgets(step: Step, name: str) -> Step:
        if isinstance(step, Chain):
            return replace(step, actions=tuple(forgetting(a, name) for a in step.actions))
        if isinstance(step, Run) and step.into is not None and not step.into.indices:
            variable = step.into.variable
            return step if (name if variable.is_local else "", variable.base) in read else replace(step, into=None)
        return step

    def forgetting(action: Action, name: str) -> Action:
        step = forgets(action.step, name)
        return action if step == action.step else replace(action, step=step)

    templates = (replace(t, actions=tuple(forgetting(a, t.name) for a in t.actions)) for t in model.templates)
    return replace(model, templates=tuple(templates))


def _read(model: Model) -> Iterator[tuple[str, int]]:
    """The variables that somebody reads: the template, or nothing for a global one, and the first slot."""
    found: list[tuple[str, Expr]] = []
    for template in model.templates:
        steps = (s for a in template.actions for s in parts_of(a.step) if not isinstance(s, Print))
        found += [(template.name, e) for s in steps for e in evaluated(s)]
        found += [(template.name, e) for v in template.locals for e in v.initial]
        found += [(template.name, template.provided)] if template.provided is not None else []
    found += [("", e) for claim in model.claims for e in claim_expressions(claim)]
    found += [("", e) for i in model.invariants for e in (i.condition, i.defined)]
    for name, e in found:
        for part in subexpressions(e):
            if isinstance(part, Place):
                yield (name if part.variable.is_local else "", part.variable.base)
            elif isinstance(part, RemoteRead):
                yield part.template, part.place.variable.base
