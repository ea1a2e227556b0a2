"""Expressions and temporal formulas: precedence climbing over SPIN's table of operators."""

from __future__ import annotations

from itertools import pairwise

from ...core.depth import LEVELS
from ...core.errors import Location
from ..common.tokens import Cursor, Token
from .lexer import TYPES
from .syntax import (
    Expression,
    NewExpression,
    Number,
    Operation,
    Part,
    PollExpression,
    Reference,
    RemoteLabel,
    RemoteVariable,
    RunExpression,
)

BINARY = {
    "||": 2, "&&": 3, "|": 7, "^": 8, "&": 9, "==": 10, "!=": 10, "<": 11, ">": 11, "<=": 11, ">=": 11,
    "<<": 12, ">>": 12, "+": 13, "-": 13, "*": 14, "/": 14, "%": 14,
}  # fmt: skip
TEMPORAL = {
    "->": ("implies", 1), "implies": ("implies", 1), "<->": ("equivalent", 1), "equivalent": ("equivalent", 1),
    "\\/": ("||", 2), "/\\": ("&&", 3),
    "U": ("until", 5), "until": ("until", 5), "stronguntil": ("until", 5),
    "W": ("weakuntil", 5), "weakuntil": ("weakuntil", 5),
    "V": ("release", 5), "R": ("release", 5), "release": ("release", 5),
}  # fmt: skip
TEMPORAL_PREFIX = {
    "<>": ("eventually", 5), "eventually": ("eventually", 5), "always": ("always", 5), "X": ("next", 6),
    "next": ("next", 6),
}  # fmt: skip
TEMPORAL_NAMES = frozenset({"implies", "equivalent", "until", "weakuntil", "release", "eventually", "always", "next"})
UNARY = 15
CALLS = frozenset({"len", "empty", "nempty", "full", "nfull", "enabled", "pc_value", "eval", "get_priority"})


class ExpressionParser(Cursor):
    """Expressions by precedence climbing."""

    def __init__(self, tokens: list[Token]) -> None:
        super().__init__(tokens)
        self.in_formula = False
        self.pointers: set[str] = set()  # names of variables and fields that are pointers somewhere
        # `function` is a word of its own only before a name and a parenthesis
        self.functions = {
            b.text for a, b, c in zip(tokens, tokens[1:], tokens[2:], strict=False)
            if a.text == "function" and a.kind == "name" and b.kind == "name" and c.text == "("
        }  # fmt: skip
        self.processes = {name.text for before, name in pairwise(tokens) if before.text in ("proctype", "D_proctype")}

    def expression(self, minimum: int = 0) -> Expression:
        self.levels += 1
        if self.levels > LEVELS:
            self.too_deep(f"more than {LEVELS} operators inside each other")
        left = self.prefix()
        while (operator := self.infix()) and operator[1] >= minimum:
            token = self.take()
            right = self.expression(operator[1] + 1)
            left = Operation(operator[0], (left, right), token.location)
        self.levels -= 1
        return left

    def infix(self) -> tuple[str, int] | None:
        token = self.token
        if token.kind == "end" or self.line_ended():
            return None
        if self.in_formula and token.text in TEMPORAL:
            return TEMPORAL[token.text]
        if token.kind == "op" and token.text in BINARY:
            return token.text, BINARY[token.text]
        return None

    def prefix(self) -> Expression:
        token = self.token
        if self.in_formula:
            if token.text in TEMPORAL_PREFIX:
                name, level = TEMPORAL_PREFIX[self.take().text]
                return Operation(name, (self.expression(level),), token.location)
            if token.text == "[" and self.ahead().text == "]":
                self.index += 2
                return Operation("always", (self.expression(5),), token.location)
        if self.at("!", "~", "-"):
            self.take()
            return Operation(token.text, (self.expression(UNARY),), token.location)
        if self.accept("!!"):
            inner = Operation("!", (self.expression(UNARY),), token.location)
            return Operation("!", (inner,), token.location)
        return self.primary()

    def primary(self) -> Expression:
        """Numbers, parentheses, built-in functions, and what begins with a name."""
        token = self.token
        if token.kind == "number":
            return self.number()
        if token.kind == "char":
            self.take()
            return Number(_character(token.text), token.location, token.text)
        if self.at("("):
            return self.inside("(", self.conditional, ")")
        if self.at("true", "skip", "false"):
            return Number(int(self.take().text != "false"), token.location, token.text)
        if self.at("timeout", "np_"):
            return Operation(self.take().text, (), token.location)
        if token.kind == "keyword" and token.text in CALLS:
            self.take()
            return Operation(token.text, (self.inside("(", self.expression, ")"),), token.location)
        if self.at("run"):
            return self.run()
        if self.at("c_expr"):
            self.fail(token.location, "c_expr is not supported yet", "write the condition in Promela")
        if self.at_name():
            return self.named()
        return self.unexpected("an expression")

    def number(self, what: str = "a number") -> Number:
        if self.token.kind != "number":
            self.unexpected(what)
        token = self.take()
        digits = token.text.lstrip("0")
        value = int(digits or "0") if len(digits) <= 10 else 1 << 31
        if value > 0x7FFFFFFF:
            text = token.text if len(token.text) <= 40 else f"{token.text[:37]}..."
            self.fail(token.location, f"{text} does not fit in an int", "the largest int is 2147483647")
        return Number(value, token.location)

    def conditional(self) -> Expression:
        condition = self.expression()
        if self.in_formula or not self.at("->"):
            return condition
        location = self.take().location
        then = self.expression()
        self.expect(":", "':' and the value for a false condition")
        return Operation("?:", (condition, then, self.expression()), location)

    def run(self) -> RunExpression:
        location = self.take().location
        name = self.expect_name("the name of a proctype")
        arguments = self.inside("(", lambda: self.arguments(")"), ")")
        priority = self.number() if self.accept("priority") else None
        return RunExpression(name.text, arguments, priority, span(location, name.location))

    def arguments(self, closing: str) -> tuple[Expression, ...]:
        if self.at(closing):
            return ()
        arguments = [self.argument()]
        while self.accept(","):
            arguments.append(self.argument())
        return tuple(arguments)

    def argument(self) -> Expression:
        return self.expression()

    # ---------------------------------------------------------------- names

    def named(self) -> Expression:
        """What begins with a name: a variable, an object, a process with a label or variable of its."""
        token = self.token
        if self.at_new():
            return self.new()
        if token.text in self.processes or self.ahead().text == "@":
            return self.remote()
        if self.ahead().text == "(" and not (self.ahead().after_newline and self.nesting == 0):
            if token.text in self.functions:
                hint = f"write x = {token.text}(...) as a statement of its own"
                self.fail(token.location, "a function call cannot be part of an expression", hint)
            hint = "an inline can only be called as a statement"
            self.fail(token.location, f"'{token.text}' is not a function", hint)
        reference = self.reference()
        if len(reference.parts) == 1 and self.accept("@"):  # name[...]@label
            label = self.expect_name("a label")
            return RemoteLabel(token.text, reference.parts[0].index, label.text, span(token.location, label.location))
        if self.at("?", "??") and self.ahead().text == "[" and not self.line_ended():
            return self.poll(reference)
        return reference

    def remote(self) -> Expression:
        """`P[pid]@label` or `P[pid]:variable`."""
        token = self.take()
        index = self.inside("[", self.expression, "]") if self.at("[") else None
        if self.accept("@"):
            label = self.expect_name("a label")
            return RemoteLabel(token.text, index, label.text, span(token.location, label.location))
        if self.accept(":"):
            return RemoteVariable(token.text, index, self.reference(), token.location)
        self.fail(
            token.location,
            f"'{token.text}' is a proctype, not a variable",
            f"write {token.text}[pid]@label or {token.text}[pid]:variable",
        )

    def at_new(self) -> bool:
        """`new T`; the word by itself is a name like any other."""
        after = self.ahead()
        named = after.kind == "name" or (after.kind == "keyword" and after.text in TYPES)
        here = self.at_name() and self.token.text == "new" and not self.in_formula
        return here and named and not after.after_newline

    def new(self) -> NewExpression:
        location, kind = self.take().location, self.take()
        return NewExpression(kind.text, span(location, kind.location))

    def reference(self) -> Reference:
        parts = [self.part()]
        while (self.at(".") and not self.line_ended()) or self.at_arrow(parts[-1]):
            arrow = self.take().text == "->"
            parts.append(self.part(arrow))
        return Reference(tuple(parts))

    def at_arrow(self, before: Part) -> bool:
        """Is this the arrow of `p->field`?  With spaces it separates statements, and behind what is no pointer too."""
        after = self.ahead()
        close = self.at("->") and not self.token.spaced and not after.spaced and after.kind == "name"
        return close and (before.name in self.pointers or before.arrow)

    def part(self, arrow: bool = False) -> Part:
        token = self.expect_name("a variable")
        index = None
        if self.at("[") and not self.line_ended():
            index = self.inside("[", self.expression, "]")
            if self.at("[") and not self.line_ended():
                hint = "for a table, make an array of a typedef that contains an array"
                self.fail(self.token.location, "an array has one index", hint)
        return Part(token.text, index, token.location, arrow)

    def poll(self, channel: Reference) -> PollExpression:
        token = self.take()
        arguments = self.inside("[", lambda: self.message("]"), "]")
        return PollExpression(channel, arguments, token.text == "??", token.location)

    def message(self, closing: str) -> tuple[Expression, ...]:
        """Arguments of a send or receive: `a, b, c` or `a(b, c)`, which means the same."""
        first = self.message_field(closing)
        if self.at("(") and not self.line_ended():
            return (first, *self.inside("(", lambda: self.arguments(")"), ")"))
        fields = [first]
        while self.accept(","):
            fields.append(self.message_field(closing))
        return tuple(fields)

    def message_field(self, closing: str) -> Expression:
        if self.at_name() and self.ahead().text == "(":  # a message type with its arguments in parentheses
            return Reference((Part(self.token.text, None, self.take().location),))
        return self.expression(BINARY["<<"] if closing == ">" else 0)


def _character(text: str) -> int:
    escapes = {"\\n": 10, "\\t": 9, "\\r": 13, "\\0": 0, "\\\\": 92, "\\'": 39}
    return escapes.get(text[1:-1], ord(text[-2]))


def span(first: Location, last: Location) -> Location:
    """From the start of one place to the end of another, if they are on one line."""
    if (first.file, first.line) != (last.file, last.line):
        return first
    return Location(first.file, first.line, first.column, max(last.column + last.length - first.column, 1))
