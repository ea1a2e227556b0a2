"""Walking over the expressions of a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..core.errors import NOWHERE, Location
from ..core.model import (
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
    Enabled,
    Expr,
    Field,
    Guard,
    LocationOf,
    Match,
    Observe,
    Pattern,
    Place,
    Poll,
    Print,
    Priority,
    Receive,
    RemoteRead,
    Return,
    Run,
    Send,
    SetPriority,
    Step,
    Store,
    Target,
    Temporal,
    Transition,
    Unary,
    Variable,
)


def evaluated(step: Step) -> Iterator[Expr]:
    """The expressions whose values a step uses, whole."""
    match step:
        case Guard(condition) | Assert(condition):
            yield condition
        case Assign(place, value):
            yield value
            yield from place.indices
        case Transition(guard, assigns):
            yield guard
            for assign in assigns:
                yield from evaluated(assign)
        case Store(field, value):
            yield value
            yield from finding(field)
        case Allocate(into):
            yield from finding(into)
        case Delete(pointer):
            yield pointer
        case Send(channel, values):
            yield channel
            yield from values
        case Receive(channel, patterns) | Observe(_, channel, patterns):
            yield channel
            yield from _matched(patterns)
        case Print(_, values):
            yield from values
        case Run(_, values, _, into):
            yield from values
            yield from () if into is None else into.indices
        case SetPriority(pid, value):
            yield from (pid, value)
        case Call(values=values):
            yield from values
        case Return(value=value, into=into):
            yield value
            yield from () if into is None else finding(into)
        case Chain(actions):
            for action in actions:
                yield from evaluated(action.step)


def stored(step: Step) -> Iterator[Place]:
    """The variables that a step writes."""
    match step:
        case Assign(place) | Allocate(Place() as place):
            yield place
        case Receive(_, patterns):
            yield from (p.place for p in patterns if isinstance(p, Bind) and isinstance(p.place, Place))
        case Run(_, _, _, into) if into is not None:
            yield into
        case Call(variables=variables):
            yield from map(_whole, variables)
        case Return(variables=variables, into=into):
            yield from map(_whole, variables)
            if isinstance(into, Place):
                yield into
        case Chain(actions):
            for action in actions:
                yield from stored(action.step)
        case Transition(_, assigns):
            yield from (a.place for a in assigns)


def _whole(variable: Variable) -> Place:
    """A variable as a place, for those that ask only which one is written."""
    return Place(variable, tuple(Const(0) for _ in variable.shape))


def stored_fields(step: Step) -> Iterator[Field]:
    """The fields of objects that a step writes."""
    match step:
        case Store(field) | Allocate(Field() as field) | Return(into=Field() as field):
            yield field
        case Receive(_, patterns):
            yield from (p.place for p in patterns if isinstance(p, Bind) and isinstance(p.place, Field))
        case Chain(actions):
            for action in actions:
                yield from stored_fields(action.step)


def finding(target: Target) -> Iterator[Expr]:
    """What is evaluated to find what will be written."""
    if isinstance(target, Field):
        yield target.pointer
    yield from target.indices


def expressions(step: Step) -> Iterator[Expr]:
    """The expressions of a step, written places included."""
    yield from stored(step)
    yield from stored_fields(step)
    yield from evaluated(step)


def _matched(patterns: tuple[Pattern, ...]) -> Iterator[Expr]:
    """What is evaluated to match: not the places that a receive stores into, but their indices."""
    for pattern in patterns:
        if isinstance(pattern, Match):
            yield pattern.value
        elif pattern.place is not None:
            yield from finding(pattern.place)


def children(e: Expr) -> Iterator[Expr]:
    """The expressions directly inside of one."""
    match e:
        case Place(_, indices, _):
            yield from indices
        case Field(pointer, _, _, indices):
            yield pointer
            yield from indices
        case Unary(_, operand):
            yield operand
        case Binary(_, left, right, _):
            yield left
            yield right
        case Bounded(value):
            yield value
        case Conditional(condition, then, otherwise):
            yield condition
            yield then
            yield otherwise
        case ChannelTest(_, channel, _):
            yield channel
        case Poll(channel, patterns, _, _):
            yield channel
            yield from _matched(patterns)
        case Enabled(pid) | LocationOf(pid) | Priority(pid):
            yield pid
        case AtLabel(_, pid, _, _):
            if pid is not None:
                yield pid
        case RemoteRead(_, pid, place, _):
            if pid is not None:
                yield pid
            yield from place.indices


def subexpressions(e: Expr) -> Iterator[Expr]:
    """The expression and everything in it."""
    yield e
    for child in children(e):
        yield from subexpressions(child)


def by_source(actions: Iterable[Action]) -> dict[int, list[Action]]:
    """The actions that leave each location, in their order."""
    table: dict[int, list[Action]] = {}
    for action in actions:
        table.setdefault(action.source, []).append(action)
    return table


def slot_of(e: Place | Field) -> int | None:
    """Where the place is in its frame, if that is known and exists."""
    offset = 0
    for index, size in zip(e.indices, e.variable.shape, strict=True):
        if not isinstance(index, Const) or not 0 <= index.value < size:
            return None
        offset = offset * size + index.value
    return e.variable.base + offset


def operands(e: Expr, op: str) -> Iterator[Expr]:
    """What an associative operator joins: of `a && (b && c)` all three."""
    todo = [e]
    while todo:
        part = todo.pop()
        if isinstance(part, Binary) and part.op == op:
            todo += (part.right, part.left)
        else:
            yield part


def atoms(formula: Temporal) -> Iterator[Expr]:
    """The expressions in a formula."""
    if formula.atom is not None:
        yield formula.atom
    for operand in formula.operands:
        yield from atoms(operand)


def parts_of(step: Step) -> Iterator[Step]:
    """The steps of a chain, or the step itself."""
    if isinstance(step, Chain):
        for action in step.actions:
            yield from parts_of(action.step)
    else:
        yield step


def different_steps(actions: Iterable[Action]) -> list[Step]:
    """The steps of actions and those in chains, each once: the ways through a loop that chooses share theirs."""
    found: dict[int, Step] = {}
    for action in actions:
        step = action.step
        parts = {id(part): part for part in step.actions} if isinstance(step, Chain) else {}
        for part in different_steps(parts.values()) if parts else (step,):
            found.setdefault(id(part), part)
    return list(found.values())


def location_of(e: Expr) -> Location:
    """Where an expression is written, as far as that is known."""
    return e.location if isinstance(e, Place) else NOWHERE
