"""Tokens -> syntax tree, by recursive descent.

Reference: Wang et al., BDD-Based Safety-Analysis of Concurrent Software with Pointer Data Structures (TSE 2004), 3.1.
Differs: the paper draws its automata; here a mode lists its transitions, `when guard do actions goto mode`.
"""

from __future__ import annotations

from collections.abc import Callable

from ...core.errors import Location, SourceError
from ..common.height import check_height
from ..common.tokens import Cursor, Token
from .syntax import (
    OPERATORS,
    Arrow,
    Assignment,
    Comparison,
    Expression,
    IfElse,
    Mode,
    Name,
    Number,
    Operation,
    PointerAutomaton,
    ProcessElement,
    ProcessRule,
    PropertyRule,
    Quantified,
    TransitionRule,
    VariableRule,
)

UNITS = ("global", "local", "const", "process", "init", "invariant", "check")
RELATIONS = ("==", "!=", "<=", ">=", "<", ">")
MOST_DIGITS = 9
MOST_LEVELS = 150  # of operators: each takes more of our levels than one of Promela


class Parser(Cursor):
    """Pointer automata by recursive descent."""

    def __init__(self, tokens: list[Token], file: str) -> None:
        super().__init__(tokens)
        self.automaton = PointerAutomaton(file)

    def parse(self) -> PointerAutomaton:
        """The whole file; after a mistake it goes on with the next unit, so that all are found."""
        while self.token.kind != "end":
            begin = self.index
            try:
                self.unit()
            except SourceError as error:
                self.note(error)
                self.index += self.index == begin
                self.recover()
        if self.problems:
            raise SourceError(self.problems)
        check_height([self.automaton], OPERATORS, MOST_LEVELS)
        return self.automaton

    def recover(self) -> None:
        """Go on with the next unit that starts a line."""
        while self.token.kind != "end" and not (self.at(*UNITS) and self.token.after_newline):
            self.take()

    def unit(self) -> None:
        """A declaration, property or process."""
        automaton = self.automaton
        if self.at("global", "local"):
            automaton.variables += self.variables()
        elif self.accept("const"):
            name = self.expect_name("the name of a constant")
            self.expect("=")
            automaton.constants.append((Name(name.text, name.location), self.expression()))
            self.expect(";")
        elif self.accept("init"):
            automaton.initial.append(self.expression())
            self.expect(";")
        elif self.accept("invariant"):
            name = self.expect_name("the name of the property")
            self.expect(":")
            automaton.properties.append(PropertyRule(name.text, self.expression(), name.location))
            self.expect(";")
        elif self.accept("check"):
            name = self.expect_name("what to check: deadlock, guards")
            automaton.checks.append(Name(name.text, name.location))
            self.expect(";")
        elif self.at("process"):
            automaton.processes.append(self.process())
        else:
            self.unexpected("global, local, const, init, process, invariant or check")

    # ---------------------------------------------------------------- declarations

    def variables(self) -> list[VariableRule]:
        is_local = self.take().text == "local"
        if not self.at("pointer", "discrete"):
            self.unexpected("'pointer' or 'discrete'")
        is_pointer = self.take().text == "pointer"
        names = [self.expect_name("the name of a variable")]
        while self.accept(","):
            names.append(self.expect_name("the name of a variable"))
        bounds = None
        if not is_pointer:
            self.expect(":", "':' and the range of the variable, such as ': 0..5'")
            low = self.sum()
            self.expect("..", "'..' and the largest value")
            bounds = low, self.sum()
        self.expect(";")
        return [VariableRule(n.text, is_local, bounds, n.location) for n in names]

    def process(self) -> ProcessRule:
        self.expect("process")
        name = self.expect_name("the name of the processes")
        count = None
        if self.accept("["):
            count = self.sum()
            self.expect("]")
        if self.accept(";"):
            return ProcessRule(name.text, count, (), name.location)
        self.expect("{", "'{' and the modes, or ';' for processes that do nothing")
        modes = []
        while not self.at("}") and self.token.kind != "end":
            modes.append(self.mode())
        self.expect("}", "'mode' or '}'")
        if not modes:
            hint = f"write 'process {name.text};' for processes that do nothing"
            self.fail(name.location, f"process {name.text} has no modes", hint)
        return ProcessRule(name.text, count, tuple(modes), name.location)

    def mode(self) -> Mode:
        self.expect("mode", "'mode' or '}'")
        name, location = self.mode_name()
        self.expect("{", "'{' and the transitions of the mode")
        rules = []
        while not self.at("}", "mode") and self.token.kind != "end":
            try:
                rules.append(self.rule())
            except SourceError as error:
                self.note(error)
                self.skip_rule()
        self.expect("}", "a transition ('when', 'do' or 'goto') or '}'")
        return Mode(name, tuple(rules), location)

    def skip_rule(self) -> None:
        """Go on behind the transition, or at the end of the mode."""
        while self.token.kind != "end" and not self.at(";", "}", "mode"):
            self.take()
        self.accept(";")

    def mode_name(self) -> tuple[str, Location]:
        token = self.token
        if token.kind == "number":
            return str(self.number().value), token.location
        token = self.expect_name("a mode (a name or a number)")
        return token.text, token.location

    def rule(self) -> TransitionRule:
        location = self.token.location
        if not self.at("when", "do", "goto"):
            self.unexpected("a transition ('when', 'do' or 'goto') or '}'")
        guard = self.expression() if self.accept("when") else None
        assignments = []
        if self.accept("do"):
            assignments.append(self.assignment())
            while self.accept(","):
                assignments.append(self.assignment())
        if guard is not None and not assignments and self.at("="):
            self.fail(self.token.location, "a guard assigns nothing", "comparison is '=='")
        self.expect("goto", "',' or 'goto'" if assignments else "'do' or 'goto'")
        target, place = self.mode_name()
        self.expect(";")
        return TransitionRule(guard, tuple(assignments), target, place, location)

    def assignment(self) -> Assignment:
        location = self.token.location
        target = self.postfix()
        if self.at("=="):
            self.fail(self.token.location, "expected '=', found '=='", "an assignment is written with one '='")
        self.expect("=")
        return Assignment(target, self.expression(), location)

    # ---------------------------------------------------------------- expressions

    def down(self) -> None:
        self.levels += 1
        if self.levels > MOST_LEVELS:
            self.too_deep(f"more than {MOST_LEVELS} operators inside each other")

    def expression(self) -> Expression:
        self.down()
        e = self.implication()
        if (token := self.accept("?")) is not None:
            then = self.expression()
            self.expect(":")
            e = IfElse(e, then, self.expression(), token.location)
        self.levels -= 1
        return e

    def implication(self) -> Expression:
        left = self.left_to_right(("||",), lambda: self.left_to_right(("&&",), self.comparison))
        if (token := self.accept("=>")) is not None:
            self.down()
            left = Operation("=>", (left, self.implication()), token.location)
            self.levels -= 1
        return left

    def left_to_right(self, ops: tuple[str, ...], operand: Callable[[], Expression]) -> Expression:
        left = operand()
        while (token := self.accept(*ops)) is not None:
            left = Operation(token.text, (left, operand()), token.location)
        return left

    def comparison(self) -> Expression:
        operands, ops, place = [self.sum()], [], self.token.location
        while self.at(*RELATIONS):
            ops.append(self.take().text)
            operands.append(self.sum())
        return Comparison(tuple(operands), tuple(ops), place) if ops else operands[0]

    def sum(self) -> Expression:
        return self.left_to_right(("+", "-"), lambda: self.left_to_right(("*", "/"), self.unary))

    def unary(self) -> Expression:
        if (token := self.accept("!", "-")) is not None:
            self.down()
            operand = self.unary()
            self.levels -= 1
            return Operation(token.text, (operand,), token.location)
        if self.at("forall", "exists"):
            return self.quantified()
        return self.postfix()

    def quantified(self) -> Expression:
        token = self.take()
        names = [self.expect_name("a name for a process").text]
        while self.accept(","):
            names.append(self.expect_name("a name for a process").text)
        self.expect(":", "',' or ':'")
        return Quantified(token.text, tuple(names), self.expression(), token.location)

    def postfix(self) -> Expression:
        e = self.primary()
        while self.accept("->") is not None:
            name = self.take() if self.at("mode") else self.expect_name("a local variable")
            e = Arrow(e, name.text, name.location)
        return e

    def number(self) -> Number:
        token = self.take()
        if len(token.text) > MOST_DIGITS:
            text = token.text if len(token.text) <= 40 else f"{token.text[:37]}..."
            self.fail(token.location, f"{text} is too large", f"numbers have at most {MOST_DIGITS} digits")
        return Number(int(token.text), token.location)

    def primary(self) -> Expression:
        token = self.token
        if self.accept("("):
            inner = self.expression()
            self.expect(")")
            return inner
        if token.kind == "number":
            return self.number()
        name = self.take() if self.at("mode") else self.expect_name("a value")
        if self.accept("["):
            index = self.expression()
            self.expect("]")
            return ProcessElement(name.text, index, name.location)
        return Name(name.text, name.location)
