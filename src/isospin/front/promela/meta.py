"""Meta-statements: inline calls, `for` and `select` stand for other statements; and calls of functions.

Reference: what SPIN 6.5 expands them to; the shapes matter, because they are counted as steps.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace

from ...core.errors import Location, TooLarge
from ...core.records import dataclass
from ..common.tokens import Token
from .declaration_parser import DeclarationParser
from .syntax import (
    Assignment,
    Block,
    Break,
    CallStatement,
    ConditionStatement,
    Declaration,
    Declarator,
    ElseGuard,
    Expression,
    Number,
    Operation,
    Part,
    Prefixed,
    ReceiveStatement,
    Reference,
    ReturnStatement,
    ScopedStatements,
    Selection,
    SendStatement,
    Statement,
)

MOST_EXPANSIONS = 20000
MOST_TOKENS = 1_000_000
MOST_CONSTANT_CHOICES = 32  # SPIN: a select over a larger range, or in an inline, becomes a loop


@dataclass(frozen=True)
class Inline:
    """An `inline`: its body is parsed anew at each use."""

    parameters: tuple[str, ...]
    body: tuple[Token, ...]
    location: Location


class MetaStatements(DeclarationParser):
    """Statements that stand for others: inlines, `for`, `select`."""

    def __init__(self, tokens: list[Token]) -> None:
        super().__init__(tokens)
        self.inlines: dict[str, Inline] = {}
        self.expansions = self.spliced = 0
        self.expanding: list[str] = []  # the inlines whose bodies are being parsed
        self.temporaries = 0

    @abstractmethod
    def sequence(self, *closing: str) -> tuple[Statement, ...]:
        """Statements up to a closing token."""

    @abstractmethod
    def block(self) -> Block:
        """Statements in braces."""

    # ---------------------------------------------------------------- inline

    def call(self, target: list[Token] | None) -> Statement:
        """Replace a call by the body of the inline, with its parameters substituted, and parse that."""
        start = self.index
        name = self.take()
        inline = self.inlines[name.text]
        actuals = self.actuals()
        if len(actuals) != len(inline.parameters):
            message = f"inline {name.text} takes {len(inline.parameters)} arguments, got {len(actuals)}"
            self.fail(name.location, message, f"it is defined at {inline.location}")
        self.expansions += 1
        if self.expansions > MOST_EXPANSIONS:
            message = f"the inlines up to here are expanded more than {MOST_EXPANSIONS:,} times"
            raise TooLarge.at(name.location, message, "does one of them call another one twice, and so on?")
        if name.text in self.expanding:
            self.fail(name.location, f"inline {name.text} calls itself", "use a do loop, or a proctype")
        values = dict(zip(inline.parameters, actuals, strict=True))
        body: list[Token] = []
        for token in inline.body:
            if token.kind == "name" and token.text in values:
                actual = values[token.text]
                body.extend(replace(a, after_newline=token.after_newline and i == 0) for i, a in enumerate(actual))
            elif token.text == "return" and target is not None:
                body.extend(target)
            else:
                body.append(token)
        body[0] = replace(body[0], after_newline=False)
        self.spliced += len(body)
        if self.spliced > MOST_TOKENS:
            raise TooLarge.at(name.location, f"the inlines up to here expand to more than {MOST_TOKENS:,} words")
        self.splice(start, body)
        self.expanding.append(name.text)
        try:
            return self.block()
        finally:
            self.expanding.pop()

    def actuals(self) -> list[list[Token]]:
        """The token lists between the parentheses of a call, split at the commas of the outermost level."""
        self.expect("(")
        actuals: list[list[Token]] = [[]]
        depth = 0
        while not (depth == 0 and self.at(")")):
            if self.token.kind == "end":
                self.unexpected("')'")
            depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(self.token.text, 0)
            token = self.take()
            if depth == 0 and token.text == ",":
                actuals.append([])
            else:
                actuals[-1].append(token)
        self.take()
        return [] if actuals == [[]] else actuals

    # ---------------------------------------------------------------- functions

    def function_call(self, target: Reference | None) -> CallStatement:
        name = self.take()
        return CallStatement(name.text, self.inside("(", lambda: self.arguments(")"), ")"), target, name.location)

    def returned(self) -> ReturnStatement:
        location = self.take().location
        ended = self.line_ended() or self.at(";", "}", "::", "fi", "od", "->", "unless") or self.token.kind == "end"
        return ReturnStatement(None if ended else self.expression(), location)

    # ---------------------------------------------------------------- for and select

    def for_loop(self) -> Statement:
        """Over a range, an array or a channel: the loop that SPIN makes of it."""
        location = self.take().location
        self.expect("(")
        self.nesting += 1
        variable = self.reference()
        if self.token.text == "in":  # a keyword only here: SPIN's users have variables of that name
            self.take()
            container = self.reference()
            self.nesting -= 1
            self.expect(")")
            last_part = container.parts[-1]
            if len(container.parts) > 1 or last_part.index is not None:
                self.beyond_spin(container.location, "a for over anything but a whole array or channel")
            if self.channels.get(last_part.name) is (last_part.index is not None):
                return self.for_channel(variable, container, location)
            last: Expression = Operation("last index", (container,), location)
            return self.counting(variable, Number(0, location), last, [], location)
        self.expect(":", "':' or 'in'")
        if self.token.text in self.scalarsets:
            hint = f"select (v : {self.token.text}) chooses any value"
            self.fail(self.token.location, "a loop would visit the values of a scalarset in some order", hint)
        low = self.expression()
        self.expect("..")
        high = self.expression()
        self.nesting -= 1
        self.expect(")")
        self.check_counter(variable, low, high, "for")
        return self.counting(variable, low, high, [], location)

    @abstractmethod
    def beyond_spin(self, location: Location, what: str) -> None:
        """Say that SPIN refuses this."""

    def check_counter(self, variable: Reference, low: Expression, high: Expression, word: str) -> None:
        if len(variable.parts) > 1 or variable.parts[0].index is not None:
            self.beyond_spin(variable.location, f"a field or an array element as the variable of {word}")
        if isinstance(low, Number) and isinstance(high, Number) and low.value > high.value:
            self.beyond_spin(low.location, f"a {word} that starts after its end")

    def counting(
        self, variable: Reference, low: Expression, high: Expression, first: list[Statement], location: Location,
        compare: str = "<=",
    ) -> Prefixed:  # fmt: skip
        """i = low; do :: i <= high -> first; body; i++ :: else -> break od"""
        body = self.block_body()
        guard = ConditionStatement(Operation(compare, (variable, high), location), location)
        advance = Assignment(variable, Operation("+", (variable, Number(1, location)), location), location)
        option = (guard, ScopedStatements((*first, *body), location), advance)
        loop = Selection("do", (option, (ElseGuard(location), Break(location))), location, written=False)
        return Prefixed((Assignment(variable, low, location),), loop, location)

    def block_body(self) -> tuple[Statement, ...]:
        self.expect("{")
        body = self.sequence("}")
        self.expect("}")
        return body

    def for_channel(self, variable: Reference, channel: Reference, location: Location) -> Prefixed:
        """Take each message out, put it back, and run the body with it."""
        self.temporaries += 1
        counter = Reference((Part(f"_for_{self.temporaries}", None, location),))
        declare = Declaration("int", (Declarator(counter.parts[0].name, location),), location, "counter")
        length = Operation("len", (channel,), location)
        rotate: list[Statement] = [
            ReceiveStatement(channel, (variable,), False, False, location),
            SendStatement(channel, (variable,), False, location),
        ]
        loop = self.counting(counter, Number(0, location), length, rotate, location, "<")
        return replace(loop, before=(declare, *loop.before))

    def select_constant(self, variable: Reference, low: int, high: int, location: Location) -> Selection:
        if high < low:
            self.fail(location, f"nothing to select from: {low} .. {high}")
        options = [(Assignment(variable, Number(v, location), location),) for v in range(low, high + 1)]
        return Selection("if", tuple(options), location)

    def select_scalar(self, variable: Reference, location: Location) -> Selection:
        """if :: v = Value#1 :: v = Value#2 ... fi: any value; nobody can write these constants, so none is special."""
        name = self.take().text
        self.nesting -= 1
        self.expect(")")
        values = [Number(v, location, f"{name}#{v}") for v in range(1, self.scalarsets[name] + 1)]
        return Selection("if", tuple((Assignment(variable, v, location),) for v in values), location)

    def select(self) -> Statement:
        """i = low; do :: break :: i < high -> i++ od; the break is tried first but numbered last."""
        location = self.take().location
        self.expect("(")
        self.nesting += 1
        variable = self.reference()
        self.expect(":")
        if self.token.text in self.scalarsets:
            return self.select_scalar(variable, location)
        low = self.expression()
        self.expect("..")
        high = self.expression()
        self.nesting -= 1
        self.expect(")")
        self.check_counter(variable, low, high, "select")
        if isinstance(low, Number) and isinstance(high, Number) and not self.expanding:
            if high.value - low.value <= MOST_CONSTANT_CHOICES:
                return self.select_constant(variable, low.value, high.value, location)
        guard = ConditionStatement(Operation("<", (variable, high), location), location)
        advance = Assignment(variable, Operation("+", (variable, Number(1, location)), location), location)
        loop = Selection("do", ((guard, advance), (Break(location),)), location, option_order=(1, 0), written=False)
        return Prefixed((Assignment(variable, low, location),), loop, location)
