"""Tokens -> syntax tree, by recursive descent.

Reference: the grammar of SPIN 6.5 (spin.y), as its manual pages describe it.
Differs: hand-written instead of generated, so that an error names what was expected, several errors are found in one
run, and the context decides (`a : b` is a remote reference only if `a` is a proctype).
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from itertools import pairwise

from ...core.depth import LEVELS
from ...core.errors import Location, SourceError
from ..common.height import check_height
from ..common.tokens import Token
from .expressions import span
from .lexer import TYPES
from .meta import Inline, MetaStatements
from .syntax import (
    OPERATORS,
    Assertion,
    Assignment,
    Block,
    Break,
    ConditionStatement,
    Declaration,
    DeleteStatement,
    ElseGuard,
    ExclusiveUse,
    Expression,
    FunctionDeclaration,
    Goto,
    Labelled,
    NamedFormula,
    Number,
    Operation,
    PrintStatement,
    PriorityStatement,
    ProcessDeclaration,
    PromelaProgram,
    ReceiveStatement,
    Reference,
    RunExpression,
    Selection,
    SendStatement,
    Statement,
    Unless,
)

UNITS = ("proctype", "D_proctype", "active", "init", "inline", "typedef", "ltl", "never", "trace", "notrace")


class Parser(MetaStatements):
    """Promela by recursive descent, as SPIN reads it."""

    def __init__(self, tokens: list[Token], file: str) -> None:
        super().__init__(tokens)
        self.program = PromelaProgram(file)
        self.choices = 0  # how many if and do are open
        self.in_function = False

    # ---------------------------------------------------------------- units

    def parse(self) -> PromelaProgram:
        """The whole file; after a mistake it goes on with the next unit, so that several are found."""
        while self.token.kind != "end":
            try:
                self.unit()
            except SourceError as error:
                self.note(error)
                self.in_body, self.nesting, self.in_formula, self.choices = False, 0, False, 0
                self.recover()
        if self.problems:
            raise SourceError(self.problems)
        check_height(self.program.units, OPERATORS, LEVELS)
        return self.program

    def recover(self) -> None:
        """Go on with the next unit that starts a line."""
        self.take()
        while self.token.kind != "end":
            starts = self.token.kind == "keyword" and (self.token.text in UNITS or self.token.text in TYPES)
            if starts and self.token.after_newline and self.token.location.column == 1:
                return
            self.take()

    def unit(self) -> None:
        """A declaration, proctype, claim or other part of the file, at its outermost level."""
        units = self.program.units
        if self.accept(";"):
            return
        if self.at("proctype", "D_proctype", "active"):
            units.append(self.proctype())
        elif self.at("init"):
            location = self.take().location
            priority = self.number() if self.accept("priority") else None
            units.append(ProcessDeclaration("init", "init", (), self.body(), location, priority=priority))
        elif self.at("never"):
            location = self.take().location
            claims = sum(isinstance(u, ProcessDeclaration) and u.kind == "never" for u in units)
            name = self.take().text if self.at_name() else f"never_{claims}" if claims else "never"
            units.append(ProcessDeclaration("never", name, (), self.body(), location))
        elif self.at("trace", "notrace"):
            token = self.take()
            units.append(ProcessDeclaration(token.text, token.text, (), self.body(), token.location))
        elif self.at("ltl"):
            units.append(self.formula())
        elif self.at("inline"):
            self.inline()
        elif self.at_function():
            units.append(self.function())
        elif self.at("typedef"):
            units.append(self.typedef())
        elif self.at("c_code", "c_decl", "c_state", "c_track"):
            self.embedded_c()
        elif self.at_name() and self.token.text == "scalarset" and self.ahead().text == "(":
            units.append(self.scalarset())
        elif self.at_declaration():
            units.extend(self.declarations())
        else:
            self.maybe_unknown_type()
            if self.at_name() and self.ahead().text in ("=", "!", "?", "++", "--", "("):
                self.fail(self.token.location, "a statement outside a proctype", "put it into a proctype or init")
            self.unexpected("a declaration, proctype, init, inline, typedef, ltl or never")

    def beyond_spin(self, location: Location, what: str) -> None:
        self.program.beyond.append((location, what))

    def embedded_c(self) -> None:
        token = self.take()
        while not self.at("{") and self.token.kind in ("op", "name", "string") and not self.token.after_newline:
            self.take()
        if self.at("{"):
            self.skip_braces()
        self.note(SourceError.at(token.location, f"{token.text} is not supported yet", "write this part in Promela"))

    def skip_braces(self) -> None:
        depth = 0
        while self.token.kind != "end":
            depth += {"{": 1, "}": -1}.get(self.take().text, 0)
            if depth == 0:
                return

    def proctype(self) -> ProcessDeclaration:
        location, active = self.token.location, None
        if self.accept("active"):
            one = Number(1, location)
            active = self.inside("[", self.expression, "]") if self.at("[") else one
        if not self.accept("proctype", "D_proctype"):
            self.unexpected("'proctype'")
        name = self.expect_name("the name of the proctype")
        if self.taken.setdefault(name.text, "a proctype") != "a proctype":
            self.fail(name.location, f"'{name.text}' is already the name of {self.taken[name.text]}")
        parameters = self.inside("(", self.parameters, ")")
        priority = self.number() if self.accept("priority") else None
        provided = self.inside("(", self.expression, ")") if self.accept("provided") else None
        return ProcessDeclaration(
            "proctype", name.text, parameters, self.body(), name.location, active, priority, provided
        )

    def at_function(self) -> bool:
        return self.at_name() and self.token.text == "function" and self.ahead().text in self.functions

    def function(self) -> FunctionDeclaration:
        """function name(parameters) : type { ... }"""
        self.take()
        name = self.take()
        if self.taken.setdefault(name.text, "a function") != "a function":
            self.fail(name.location, f"'{name.text}' is already the name of {self.taken[name.text]}")
        parameters = self.inside("(", self.parameters, ")")
        result = self.field_type() if self.accept(":") else ""
        self.in_function = True
        try:
            return FunctionDeclaration(name.text, parameters, result, self.body(), name.location)
        finally:
            self.in_function = False

    def parameters(self) -> tuple[Declaration, ...]:
        result: list[Declaration] = []
        while not self.at(")"):
            result.append(self.declaration(False))
            if self.at(","):
                self.beyond_spin(self.token.location, "a comma between parameters of different types")
            if not self.accept(";", ","):
                break
        return tuple(result)

    def body(self) -> tuple[Statement, ...]:
        self.in_body = True
        saved, self.nesting = self.nesting, 0
        opening = self.expect("{")
        known = len(self.problems)
        statements = self.sequence("}")
        self.in_body, self.nesting = False, saved
        self.close(opening, "}")
        if not statements and len(self.problems) == known:
            self.fail(opening.location, "there is no statement between these braces", "write skip")
        return statements

    def close(self, opening: Token, closing: str, wanted: str = "") -> None:
        """Expect what closes a block; if it is not there, say where the block began."""
        if not self.at(closing):
            hint = f"the '{opening.text}' of line {opening.location.line} is not closed"
            self.fail(self.token.location, f"expected {wanted or repr(closing)}, found {self.token}", hint)
        self.take()

    def formula(self) -> NamedFormula:
        location = self.take().location
        name = (
            self.take().text
            if self.at_name()
            else f"ltl_{sum(isinstance(u, NamedFormula) for u in self.program.units)}"
        )
        self.expect("{")
        self.in_formula = True
        start = self.index
        expression = self.expression()
        self.accept(";")
        text = _as_written(self.tokens[start : self.index])
        self.in_formula = False
        self.expect("}")
        return NamedFormula(name, expression, text, location)

    def inline(self) -> None:
        self.take()
        name = self.expect_name("the name of the inline")
        parameters = self.inside("(", self.inline_parameters, ")")
        start = self.index
        if not self.at("{"):
            self.unexpected("'{'")
        self.skip_braces()
        if name.text in self.inlines:
            first = self.inlines[name.text].location
            self.fail(name.location, f"inline {name.text} is defined twice", f"first at {first}")
        self.taken[name.text] = "an inline"
        self.inlines[name.text] = Inline(parameters, tuple(self.tokens[start : self.index]), name.location)

    def inline_parameters(self) -> tuple[str, ...]:
        names: list[str] = []
        while not self.at(")"):
            names.append(self.expect_name("a parameter").text)
            if not self.accept(","):
                break
        return tuple(names)

    # ---------------------------------------------------------------- sequences

    def sequence(self, *closing: str) -> tuple[Statement, ...]:
        with self.deeper():
            return self.steps(*closing)

    def steps(self, *closing: str) -> tuple[Statement, ...]:
        """Statements up to a closing token; after a mistake it goes on with the next one."""
        statements: list[Statement] = []
        while self.accept(";", "->"):
            pass
        while not self.at(*closing) and self.token.kind != "end":
            if self.at("}") or (self.choices > 0 and self.at("fi", "od", "::")):
                break  # something is not closed: whoever opened it says so
            try:
                statements.extend(self.step())
                self.separator(closing)
            except SourceError as error:
                self.note(error)
                self.nesting = 0
                if self.token.kind != "end" and not self.at(";", "->", "::", "fi", "od", "}"):
                    self.take()
                self.skip_to(";", "->", "::", "fi", "od")
                if self.at(*({"fi", "od", "::"} - set(closing))):
                    self.take()
                while self.accept(";", "->"):
                    pass
        return tuple(statements)

    def separator(self, closing: tuple[str, ...]) -> None:
        """A semicolon or arrow; may be left out at the end of a line, after a brace, and after `else`."""
        if self.accept(";", "->"):
            while self.accept(";", "->"):
                pass
            return
        before = self.tokens[self.index - 1]
        if self.at(*closing) or self.token.after_newline or before.text in ("}", "else"):
            return
        self.unexpected("';' or '->'")

    def step(self) -> list[Statement]:
        """One statement, or what one meta-statement stands for."""
        if self.at_declaration():
            return list(self.declarations())
        if self.at("xr", "xs"):
            return [self.exclusive()]
        if self.at("c_code"):
            self.embedded_c()
            return []
        statement = self.statement()
        if self.at("unless"):
            location = self.take().location
            return [Unless(statement, self.statement(), location)]
        return [statement]

    def statement(self) -> Statement:
        """Whatever a keyword begins; the rest is a condition, or begins with a name."""
        token = self.token
        if self.at("atomic", "d_step", "{"):
            return self.block()
        if self.at("if", "do"):
            return self.choice()
        if self.at("for"):
            return self.for_loop()
        if self.at("select"):
            return self.select()
        if self.accept("goto"):
            label = self.expect_name("a label")
            return Goto(label.text, span(token.location, label.location))
        if self.accept("break"):
            return Break(token.location)
        if self.accept("else"):
            return ElseGuard(token.location)
        if self.accept("assert"):
            return Assertion(self.expression(), token.location)
        if self.accept("printf"):
            return self.inside("(", lambda: self.printf(token), ")")
        if self.accept("printm"):
            value = self.inside("(", self.expression, ")")
            if not isinstance(value, Reference):
                self.beyond_spin(token.location, "printm of anything but an mtype value or a variable")
            return PrintStatement("%e", (value,), token.location)
        if self.accept("set_priority"):
            pid, value = self.inside("(", lambda: self.pair(token), ")")
            return PriorityStatement(pid, value, token.location)
        if self.at("return") and self.in_function:
            return self.returned()
        if self.at("return"):
            self.fail(token.location, "'return' outside an inline that is assigned", "write x = name(...)")
        if self.at_name():
            return self.named_statement()
        return self.condition()

    def pair(self, token: Token) -> tuple[Expression, Expression]:
        arguments = self.arguments(")")
        if len(arguments) != 2:
            self.fail(token.location, "set_priority takes a pid and a priority")
        return arguments[0], arguments[1]

    def condition(self) -> Statement:
        location = self.token.location
        return ConditionStatement(self.expression(), location)

    def printf(self, token: Token) -> PrintStatement:
        if self.token.kind != "string":
            self.unexpected("a format string")
        text = self.take().text
        arguments = self.arguments(")") if self.accept(",") else ()
        return PrintStatement(text[1:-1], arguments, token.location)

    def block(self) -> Block:
        token = self.take()
        kind = token.text if token.text != "{" else ""
        if kind:
            self.expect("{")
        saved, self.nesting = self.nesting, 0
        body = self.sequence("}")
        self.nesting = saved
        self.close(token, "}")
        return Block(kind, body, token.location)

    def choice(self) -> Selection:
        token = self.take()
        end = {"if": "fi", "do": "od"}[token.text]
        if not self.at("::"):
            self.note(SourceError.at(self.token.location, f"expected '::', found {self.token}"))
            self.skip_to("::", "fi", "od")
        options: list[tuple[Statement, ...]] = []
        self.choices += 1
        while self.at("::"):
            location, known = self.take().location, len(self.problems)
            options.append(self.sequence("::", end))
            if not options[-1] and len(self.problems) == known:
                self.note(SourceError.at(location, "this option is empty", "write skip"))
        self.choices -= 1
        self.close(token, end, f"'::' or '{end}'")
        return Selection(token.text, tuple(options), token.location)

    # ---------------------------------------------------------------- statements that start with a name

    def named_statement(self) -> Statement:
        """A label, an assignment, a message, a call, or a condition: what follows the name decides."""
        token, after = self.token, self.ahead().text
        if after == ":" and not self.remote_follows():
            return self.labelled()
        if after == "(" and token.text in self.inlines:
            return self.call(None)
        if after == "(" and token.text in self.functions:
            return self.function_call(None)
        if token.text == "delete" and (after == "(" or self.ahead().kind == "name") and not self.ahead().after_newline:
            self.take()
            return DeleteStatement(self.expression(), token.location)
        if after == "(" and not self.ahead().after_newline:
            hint = f"declare it before its use with 'inline {token.text}(...)', or start a process with 'run'"
            if close := difflib.get_close_matches(token.text, list(self.inlines), 1):
                hint = f"did you mean '{close[0]}'?"
            self.fail(token.location, f"'{token.text}' is not an inline", hint)
        self.maybe_unknown_type()
        if token.text in self.processes:
            return self.condition()
        start = self.index
        target = self.reference()
        if not self.line_ended():
            if self.at("="):
                return self.assignment(start, target)
            if self.at("++", "--"):
                one = Number(1, self.token.location)
                operation = Operation(self.token.text[0], (target, one), self.take().location)
                return Assignment(target, operation, token.location)
            if self.at("!", "!!"):
                sort = self.take().text == "!!"
                return SendStatement(target, self.message(";"), sort, token.location)
            if self.at("?", "??") and self.ahead().text != "[":
                return self.receive(target, token.location)
        self.index = start
        return self.condition()

    def remote_follows(self) -> bool:
        """`P:x == 1` starts with a remote reference, not with a label."""
        return self.token.text in self.processes and self.ahead(3).text in ("==", "!=", "<", ">", "<=", ">=", "->")

    def labelled(self) -> Statement:
        token = self.new_name("a label")
        self.take()
        if self.at("}", "fi", "od", "::", ";") or self.token.kind == "end":  # a label at the end of a sequence
            return Labelled(token.text, ConditionStatement(Number(1, token.location), token.location), token.location)
        if self.at_declaration():
            self.fail(self.token.location, "a label needs a statement, not a declaration", "move the label below")
        with self.deeper():
            return Labelled(token.text, self.statement(), token.location)

    def assignment(self, start: int, target: Reference) -> Statement:
        location = self.take().location
        if self.at_name() and self.token.text in self.inlines and self.ahead().text == "(":
            return self.call(self.tokens[start : self.index])
        if self.at_name() and self.token.text in self.functions and self.ahead().text == "(":
            return self.function_call(target)
        value = self.expression()
        return Assignment(target, value, location if isinstance(value, RunExpression) else target.location)

    def receive(self, channel: Reference, location: Location) -> ReceiveStatement:
        anywhere = self.take().text == "??"
        if self.accept("<"):
            arguments = self.message(">")
            self.expect(">")
            return ReceiveStatement(channel, arguments, anywhere, True, location)
        return ReceiveStatement(channel, self.message(";"), anywhere, False, location)

    def exclusive(self) -> ExclusiveUse:
        token = self.take()
        channels = [self.reference()]
        while self.accept(","):
            channels.append(self.reference())
        return ExclusiveUse(token.text, tuple(channels), token.location)


def _as_written(tokens: Sequence[Token]) -> str:
    """The text of tokens, with a blank where there was something between two of them."""
    text = "".join(t.text for t in tokens[:1])
    for before, token in pairwise(tokens):
        here, there = before.location, token.location
        touches = (here.file, here.line, here.column + len(before.text)) == (there.file, there.line, there.column)
        text += token.text if touches else f" {token.text}"
    return text
