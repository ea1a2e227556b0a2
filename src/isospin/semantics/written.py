"""Expressions as text again, in Promela: for the labels of automata.

What is written can be read again, and means the same; a test does so with the formulas of the corpus.
"""

from __future__ import annotations

from dataclasses import replace

from ..core.model import (
    AtLabel,
    Binary,
    Bind,
    Bounded,
    ChannelTest,
    Conditional,
    Const,
    Enabled,
    Expr,
    Field,
    LastPid,
    LocationOf,
    Match,
    NonProgress,
    Pattern,
    Place,
    Poll,
    Priority,
    ProcessCount,
    RemoteRead,
    Self,
    Sort,
    Timeout,
    Unary,
    is_pointer,
)
from .text import Mtypes, show

_WORDS: dict[type, str] = {
    Self: "_pid", ProcessCount: "_nr_pr", LastPid: "_last", Timeout: "timeout", NonProgress: "np_",
}  # fmt: skip


def written(e: Expr) -> str:
    """The expression; what has an operator inside of another one stands in parentheses."""
    match e:
        case Const(value, text):
            return text or str(value)
        case Place() | Field():
            return _element(e)
        case Unary(op, operand):
            return f"{op}{_inner(operand)}"
        case Binary(op, left, right):
            return f"{_inner(left)} {op} {_inner(right)}"
        case Conditional(condition, then, otherwise):
            return f"({written(condition)} -> {written(then)} : {written(otherwise)})"
        case Bounded(value):
            return written(value)
        case ChannelTest(test, channel):
            return f"{test}({written(channel)})"
        case Poll(channel, patterns, anywhere):
            return f"{written(channel)}{'??' if anywhere else '?'}[{', '.join(map(_pattern, patterns))}]"
    return _WORDS.get(type(e)) or _of_process(e)


def with_names(e: Expr, mtypes: Mtypes) -> Expr:
    """The expression with the names of what it compares with: automata have atoms in which only numbers are left."""
    if isinstance(e, Unary):
        return replace(e, operand=with_names(e.operand, mtypes))
    if not isinstance(e, Binary):
        return e
    left, right = with_names(e.left, mtypes), with_names(e.right, mtypes)
    return replace(e, left=_named(left, right, mtypes), right=_named(right, left, mtypes))


def _named(e: Expr, beside: Expr, mtypes: Mtypes) -> Expr:
    place = beside.place if isinstance(beside, RemoteRead) else beside
    if not isinstance(e, Const) or e.text or not isinstance(place, Place | Field):
        return e
    if is_pointer(place.variable.type):
        return replace(e, text="null" if e.value == 0 else "")
    is_mtype = place.variable.type.sort is Sort.MTYPE
    return replace(e, text=str(show(e.value, place.variable.type, mtypes))) if is_mtype else e


def _of_process(e: Expr) -> str:
    """What is asked about a process."""
    match e:
        case Enabled(pid):
            return f"enabled({written(pid)})"
        case LocationOf(pid):
            return f"pc_value({written(pid)})"
        case Priority(pid):
            return f"get_priority({written(pid)})"
        case AtLabel(template, pid, label):
            return f"{_process(template, pid)}@{label}"
        case RemoteRead(template, pid, place):
            return f"{_process(template, pid)}:{_element(place)}"
    raise ValueError(f"no expression: {e}")


def _process(template: str, pid: Expr | None) -> str:
    return template if pid is None else f"{template}[{written(pid)}]"


def _inner(e: Expr) -> str:
    return f"({written(e)})" if isinstance(e, Binary) else written(e)


def _element(e: Place | Field) -> str:
    """`a[i].b[j]`, or `p->a[i]`."""
    indices = [f"[{written(i)}]" for i in e.indices]
    parts = []
    for part, count in zip(e.variable.parts, e.variable.dims, strict=True):
        parts.append(part + "".join(indices[:count]))
        del indices[:count]
    path = ".".join(parts)
    return path if isinstance(e, Place) else f"{_inner(e.pointer)}->{path}"


def _pattern(pattern: Pattern) -> str:
    """A part of a message that is looked for."""
    match pattern:
        case Match(Const() as value):
            return written(value)
        case Match(value):
            return f"eval({written(value)})"
        case Bind(None):
            return "_"
        case Bind(place):
            assert place is not None
            return _element(place)
    raise ValueError(f"no pattern: {pattern}")
