"""Makes a model fit for symmetry: finished processes stay, and constants are not cleared.

Reference: docs/develop/traps.md: SPIN lets only the youngest process die, so permutations do not keep runs in which
some end.
Differs: a finished process stays as a record that nobody can distinguish from a dead one; where somebody could, the
model is left alone and the reason is given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field, replace

from ...core.errors import Location
from ...core.model import (
    Action,
    AtLabel,
    ChannelTest,
    Const,
    Enabled,
    End,
    Expr,
    Guard,
    LastPid,
    LocationOf,
    Model,
    NonProgress,
    Poll,
    Priority,
    ProcessCount,
    RemoteRead,
    Self,
    Template,
    Timeout,
)
from ...core.records import dataclass
from ...core.trace import Choice
from ...core.verdict import Refusal
from ...semantics.explain import Position, Replayer, choice_of
from ...semantics.interp import Interpreter
from ...semantics.state import Fault, State
from ...semantics.walk import stored, subexpressions
from .looping.rounds import KnownLoops
from .population import NotFoldable, claim_expressions, populate, reachable_actions, runs
from .resting import rest_beside_names
from .sights import SIGHTS, counts_steps, every_look
from .specialise import unread_locals

NEVER = Guard(Const(0))


@dataclass(frozen=True)
class Prepared:
    """A model with the same verdicts, and why it is not more symmetric."""

    model: Model
    refused: tuple[Refusal, ...] = ()
    deaths_removed: bool = False
    loops: KnownLoops = field(default_factory=KnownLoops)  # what is known of its loops


def prepare(model: Model, everywhere: bool = False) -> Prepared:
    """What detection should look at, and what both the reduced and the unreduced run should search; `everywhere`: let
    nobody die, also if no process has a sibling."""
    prepared = _symmetric_termination(model, everywhere)
    return replace(prepared, model=rest_beside_names(_keep_constants(prepared.model), prepared.loops))


# ------------------------------------------------------------------------------------------------ termination


def _symmetric_termination(model: Model, everywhere: bool = False) -> Prepared:
    """The model in which nobody dies, if nobody can tell; finished processes wait at a valid end."""
    try:
        population = populate(model, Interpreter(model), deaths_count=False)
    except (NotFoldable, Fault):
        return Prepared(model)  # there will be no symmetry: the plain semantics is as good
    families = _repeated(model, population.state)
    mortal = {t.name: a for t in model.templates for a in reachable_actions(t) if isinstance(a.step, End)}
    if everywhere:
        families = set(mortal)
    if not any(name in mortal for name in families):
        return Prepared(model)
    reason = next(_noticed(model, set(mortal), _oldest(model, population.state)), None)
    if reason is None and not population.closed:
        reason = next(_pids_seen(model), None)
    if reason is not None:
        return Prepared(model, (reason,))
    # SOUND: nobody counts processes or looks at one that has ended; a process at its end is at a valid end location, so
    # the same states are deadlocks.  Who is started when somebody has died gets a pid that was in use, but nobody sees
    # pids then; a run in which nobody dies before the last is started has the pids of this model.
    return Prepared(replace(model, templates=tuple(map(_without_end, model.templates))), deaths_removed=True)


def _repeated(model: Model, state: State) -> set[str]:
    names = [model.templates[p.template].name for p in state.processes]
    return {name for name in names if names.count(name) > 1}


def _oldest(model: Model, state: State) -> str:
    """The template of process 0, if no other process has it."""
    names = [model.templates[p.template].name for p in state.processes]
    return names[0] if names and names.count(names[0]) == 1 else ""


def _without_end(template: Template) -> Template:
    def stays(action: Action) -> Action:
        return replace(action, step=NEVER) if isinstance(action.step, End) else action

    if template.kind not in ("proctype", "init"):
        return template
    return replace(template, actions=tuple(map(stays, template.actions)))


def _noticed(model: Model, mortal: set[str], oldest: str) -> Iterator[Refusal]:
    """Who could tell a process that has ended from one that waits at its end."""
    for location, _, e in every_look(model):
        for part in subexpressions(e):
            if why := _tells(model, part, mortal):
                yield Refusal(location, f"{why}, so processes that end cannot be permuted")
    place = Location(model.file)
    if model.monitor is not None:
        yield Refusal(model.monitor.template.location, "a trace assertion is judged when all processes have ended")
    if model.uses_priority:
        yield Refusal(place, "a process that is about to end may hold up those of lower priority")
    for claim in model.claims:
        if counts_steps(claim):
            yield Refusal(claim.location, f"{claim.name} counts steps, and so sees the death of a process")
    if model.watch_leaks:
        yield Refusal(place, "what a process loses when it ends is looked for (--leaks)")
    if model.uses_last:
        yield Refusal(place, "_last sees the death of a process")
    for template in model.templates:
        # SOUND: the oldest process dies when all others have died, so nobody is left who could use its channels, but a
        # claim that looks at them.
        outlived = template.name == oldest and not _claims_see_channels(model)
        if template.name in mortal and template.channels and not outlived:
            why = f"the channels of {template.name} disappear when it ends, and only the youngest process can end"
            yield Refusal(template.location, why)


def _claims_see_channels(model: Model) -> bool:
    parts = (part for claim in model.claims for e in claim_expressions(claim) for part in subexpressions(e))
    return any(isinstance(part, ChannelTest | Poll) for part in parts)


def _pids_seen(model: Model) -> Iterator[Refusal]:
    """Who could tell that a pid was used before, when processes end while others are started."""
    why = "processes may end while others are started, so that pids are used again"
    for location, _, e in every_look(model):
        for part in subexpressions(e):
            if isinstance(part, Self | LastPid | RemoteRead | AtLabel | Timeout):
                yield Refusal(location, f"{why}, and {SIGHTS[type(part)]}")
    for template in model.templates:
        for action in reachable_actions(template):
            if any(run.into is not None for run in runs(action.step)):
                yield Refusal(action.location, f"{why}, and the value of run is kept")


def _tells(model: Model, e: Expr, mortal: set[str]) -> str:
    match e:
        case RemoteRead(template) if template in mortal:
            return f"a variable of {template} is read from outside"
        case AtLabel(template, _, label) if template in mortal:
            owner = model.template(template)
            ends = {a.source for a in owner.actions if isinstance(a.step, End)}
            return f"the label {label} is at the end of {template}" if owner.label(label) in ends else ""
        case ProcessCount() | Enabled() | LocationOf() | Priority() | NonProgress():
            return SIGHTS[type(e)]
    return ""


# ------------------------------------------------------------------------------------------------ constants


def _keep_constants(model: Model) -> Model:
    """Do not clear variables that keep their first value: they cost nothing, and a cleared id looks like id 0."""
    return replace(model, templates=tuple(_clears_only_changed(model, t) for t in model.templates))


def _clears_only_changed(model: Model, template: Template) -> Template:
    changed = {p.variable.base for a in template.actions for p in stored(a.step) if p.variable.is_local}
    changed |= unread_locals(model, template)

    def cleared(action: Action) -> Action:
        kept = tuple(v for v in action.clears if v.owned or v.base in changed)
        return replace(action, clears=kept) if action.clears else action

    return replace(template, actions=tuple(map(cleared, template.actions)))


# ------------------------------------------------------------------------------------------------ paths


def with_deaths(model: Model, choices: Iterable[Choice], to_the_end: bool = False) -> list[Choice]:
    """A path of the model without deaths as one of the model itself: let processes die where a step waits for it.

    Only `timeout` waits for deaths; and a deadlock, which needs a path `to_the_end`.
    """
    replayer = Replayer(Interpreter(model))
    at, path = replayer.start(), list[Choice]()
    for choice in choices:
        while (taken := replayer.take(at, choice)) is None and (death := _next_death(replayer, at)) is not None:
            path.append(death[0])
            at = death[1]
        path.append(choice)
        if taken is None or taken.state is None:
            return path
        at = replayer.after(at, taken)
    while to_the_end and _only_deaths(replayer, at) and (death := _next_death(replayer, at)) is not None:
        path.append(death[0])
        at = death[1]
    return path


def with_all_deaths(
    model: Model, prefix: Iterable[Choice], cycle: Iterable[Choice]
) -> tuple[list[Choice], list[Choice]]:
    """A lasso of the model without deaths as one of the model itself: all who can die do so before the cycle starts.

    A process that waits to die for ever would be treated unfairly.  Nobody is born in the cycle, so nobody dies in it.
    """
    replayer = Replayer(Interpreter(model))
    path = with_deaths(model, prefix)
    at = replayer.start()
    for choice in path:
        taken = replayer.take(at, choice)
        assert taken is not None
        at = replayer.after(at, taken)
    while at.control is None and (death := _next_death(replayer, at)) is not None:
        path.append(death[0])
        at = death[1]
    return path, list(cycle)


def _only_deaths(replayer: Replayer, at: Position) -> bool:
    options = replayer.options(at)
    return bool(options) and all(isinstance(t.action.step, End) for t in options)


def _next_death(replayer: Replayer, at: Position) -> tuple[Choice, Position] | None:
    for taken in replayer.options(at):
        if isinstance(taken.action.step, End):
            return choice_of(taken), replayer.after(at, taken)
    return None
