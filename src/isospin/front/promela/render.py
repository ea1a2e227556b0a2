"""Statements back to text, for traces and listings: one line each, in the user's own words."""

from __future__ import annotations

from .expressions import BINARY, UNARY
from .syntax import (
    Assertion,
    Assignment,
    Block,
    Break,
    CallStatement,
    ConditionStatement,
    DeleteStatement,
    ElseGuard,
    Expression,
    Goto,
    NewExpression,
    Number,
    Operation,
    PollExpression,
    PrintStatement,
    PriorityStatement,
    ReceiveStatement,
    Reference,
    RemoteLabel,
    RemoteVariable,
    ReturnStatement,
    RunExpression,
    Selection,
    SendStatement,
    Statement,
)


def reference(ref: Reference) -> str:
    text = ""
    for part in ref.parts:
        text += ("->" if part.arrow else ".") if text else ""
        text += part.name + (f"[{expression(part.index)}]" if part.index else "")
    return text


def _arguments(values: tuple[Expression, ...]) -> str:
    return ", ".join(expression(v) for v in values)


def expression(e: Expression, outer: int = 0) -> str:
    match e:
        case Number():
            return e.text or str(e.value)
        case Reference():
            return reference(e)
        case PollExpression():
            return f"{reference(e.channel)}{'??' if e.anywhere else '?'}[{_arguments(e.arguments)}]"
        case RemoteLabel():
            return f"{_process(e.process, e.index)}@{e.label}"
        case RemoteVariable():
            return f"{_process(e.process, e.index)}:{reference(e.variable)}"
        case RunExpression():
            return f"run {e.process}({_arguments(e.arguments)})"
        case NewExpression():
            return f"new {e.type}"
        case Operation():
            return _operation(e, outer)


def _process(name: str, index: Expression | None) -> str:
    return name if index is None else f"{name}[{expression(index)}]"


def _operation(e: Operation, outer: int) -> str:
    operands = e.operands
    if e.op == "?:":
        return f"({expression(operands[0])} -> {expression(operands[1])} : {expression(operands[2])})"
    if not operands:
        return e.op
    if len(operands) == 2:
        level = BINARY.get(e.op, 1)
        text = f"{expression(operands[0], level)} {e.op} {expression(operands[1], level + 1)}"
        return f"({text})" if level < outer else text
    if e.op in ("!", "~", "-"):
        return f"{e.op}{expression(operands[0], UNARY)}"
    return f"{e.op}({expression(operands[0])})"


def statement(s: Statement) -> str:
    """A statement as traces show it: short, on one line."""
    match s:
        case ConditionStatement():
            return "skip" if isinstance(s.expression, Number) and s.expression.value == 1 else expression(s.expression)
        case Assignment():
            return _assignment(s)
        case CallStatement():
            into = f"{reference(s.target)} = " if s.target is not None else ""
            return f"{into}{s.function}({_arguments(s.arguments)})"
        case ReturnStatement():
            return "return" if s.value is None else f"return {expression(s.value)}"
        case DeleteStatement():
            return f"delete {expression(s.pointer)}"
        case SendStatement():
            return f"{reference(s.channel)}{'!!' if s.sorted else '!'}{_arguments(s.arguments)}"
        case ReceiveStatement():
            inner = f"<{_arguments(s.arguments)}>" if s.keep else _arguments(s.arguments)
            return f"{reference(s.channel)}{'??' if s.anywhere else '?'}{inner}"
        case Assertion():
            return f"assert({expression(s.expression)})"
        case PrintStatement():
            rest = f", {_arguments(s.arguments)}" if s.arguments else ""
            return f'printf("{s.format}"{rest})' if s.format != "%e" else f"printm({_arguments(s.arguments)})"
        case PriorityStatement():
            return f"set_priority({expression(s.pid)}, {expression(s.value)})"
        case Goto():
            return f"goto {s.label}"
        case Break():
            return "break"
        case ElseGuard():
            return "else"
        case Block():
            return f"{s.kind or 'block'} {{ ... }}"
        case Selection():
            return s.kind
        case _:
            return type(s).__name__.lower()


def _assignment(s: Assignment) -> str:
    target, value = reference(s.target), s.value
    if isinstance(value, Operation) and value.op in "+-" and len(value.operands) == 2:
        same = value.operands[0] == s.target
        one = isinstance(value.operands[1], Number) and value.operands[1].value == 1
        if same and one:
            return f"{target}{value.op * 2}"
    return f"{target} = {expression(value)}"
