"""Walking over the expressions of a model."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import (
    Assert,
    Assign,
    AtLabel,
    Binary,
    Chain,
    ChannelTest,
    Conditional,
    Enabled,
    Expr,
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
    Run,
    Send,
    SetPriority,
    Step,
    Unary,
)


def expressions(step: Step) -> Iterator[Expr]:
    """The expressions of a step, written places included."""
    match step:
        case Guard(condition) | Assert(condition):
            yield condition
        case Assign(place, value):
            yield place
            yield value
        case Send(channel, values, _):
            yield channel
            yield from values
        case Receive(channel, patterns, _, _) | Observe(_, channel, patterns):
            yield channel
            yield from pattern_expressions(patterns)
        case Print(_, values):
            yield from values
        case Run(_, values, _, into):
            yield from values
            if into is not None:
                yield into
        case SetPriority(pid, value):
            yield pid
            yield value
        case Chain(actions):
            for action in actions:
                yield from expressions(action.step)


def pattern_expressions(patterns: tuple[Pattern, ...]) -> Iterator[Expr]:
    for pattern in patterns:
        if isinstance(pattern, Match):
            yield pattern.value
        elif pattern.place is not None:
            yield pattern.place


def children(e: Expr) -> Iterator[Expr]:
    match e:
        case Place(_, indices, _):
            yield from indices
        case Unary(_, operand):
            yield operand
        case Binary(_, left, right, _):
            yield left
            yield right
        case Conditional(condition, then, otherwise):
            yield condition
            yield then
            yield otherwise
        case ChannelTest(_, channel, _):
            yield channel
        case Poll(channel, patterns, _, _):
            yield channel
            yield from pattern_expressions(patterns)
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
