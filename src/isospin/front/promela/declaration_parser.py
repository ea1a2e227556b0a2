"""Declarations: variables, channels, mtype sets, types and scalarsets.

Reference: the grammar of SPIN 6.5 (spin.y), as its manual pages describe it.
Differs: pointers to objects of a typedef, and scalarsets, which SPIN has not.
"""

from __future__ import annotations

import difflib
from abc import abstractmethod
from typing import NoReturn

from ...core.errors import Location
from ..common.tokens import Token
from .expressions import ExpressionParser, span
from .lexer import TYPES
from .syntax import (
    ChannelInit,
    Declaration,
    Declarator,
    Expression,
    MtypeDeclaration,
    ScalarsetDeclaration,
    TypeDefinition,
)


class DeclarationParser(ExpressionParser):
    """Declarations by recursive descent; which names are types decides how the rest is read."""

    def __init__(self, tokens: list[Token]) -> None:
        super().__init__(tokens)
        self.types: set[str] = set()
        self.taken: dict[str, str] = {}  # names that cannot be variables any more, and what they are
        self.channels: dict[str, bool] = {}  # channels, and whether an array: for the two meanings of `for (x in y)`
        self.scalarsets: dict[str, int] = {}
        self.in_typedef = False

    @abstractmethod
    def beyond_spin(self, location: Location, what: str) -> None:
        """Note what SPIN does not accept and we do."""

    # ---------------------------------------------------------------- names

    def maybe_unknown_type(self) -> None:
        """Two names in a row, where the first should be a type."""
        if self.at_name() and self.ahead().kind == "name" and not self.ahead().after_newline:
            self.unknown_type(self.token)

    def unknown_type(self, token: Token) -> NoReturn:
        close = difflib.get_close_matches(token.text, [*TYPES, *self.types], 1)
        hint = f"did you mean '{close[0]}'?" if close else "declare it with typedef before its first use"
        self.fail(token.location, f"unknown type '{token.text}'", hint)

    def new_name(self, what: str) -> Token:
        token = self.expect_name(what)
        if token.text in self.taken:
            message = f"'{token.text}' is already the name of {self.taken[token.text]}"
            self.fail(token.location, message, "choose another name")
        return token

    # ---------------------------------------------------------------- types

    def typedef(self) -> TypeDefinition:
        self.take()
        name = self.expect_name("the name of the type")
        self.types.add(name.text)
        self.taken[name.text] = "a type"
        self.expect("{")
        if self.at("}"):
            self.fail(name.location, f"type '{name.text}' has no fields")
        fields: list[Declaration] = []
        self.in_typedef = True
        while not self.at("}"):
            fields.append(self.declaration(False))
            if not self.accept(";", ",") and not self.at("}") and not self.token.after_newline:
                self.unexpected("';' or '}'")
            while self.accept(";"):
                pass
        self.in_typedef = False
        self.expect("}")
        return TypeDefinition(name.text, tuple(fields), name.location)

    def scalarset(self) -> ScalarsetDeclaration:
        """scalarset(3) Value; not a keyword, so that models may use the word for something else."""
        self.take()
        self.expect("(")
        size = self.number("the number of values")
        self.expect(")")
        name = self.new_name("the name of the scalarset")
        self.types.add(name.text)
        self.taken[name.text] = "a scalarset"
        self.scalarsets[name.text] = size.value
        return ScalarsetDeclaration(name.text, size, name.location)

    # ---------------------------------------------------------------- variables

    def at_declaration(self) -> bool:
        if self.at("hidden", "show", "local"):
            return True
        if self.token.kind == "keyword" and self.token.text in TYPES:
            return True
        if self.token.kind == "name" and self.token.text not in self.types:
            return False
        return self.at_name() and (self.ahead().kind == "name" or self.ahead().text == "*")

    def declarations(self) -> list[Declaration | MtypeDeclaration]:
        if self.at("mtype"):
            after = self.ahead(3 if self.ahead().text == ":" else 1).text
            if after in ("=", "{"):
                return [self.mtype_names()]
        return [self.declaration(True)]

    def mtype_names(self) -> MtypeDeclaration:
        self.take()
        kind = self.expect_name("the name of the mtype set").text if self.accept(":") else ""
        self.accept("=")
        self.expect("{")
        names: list[tuple[str, Location]] = []
        while self.at_name():
            token = self.take()
            names.append((token.text, token.location))
            self.taken[token.text] = "an mtype value"
            if not self.accept(","):
                break
        self.expect("}", "a name or '}'")
        return MtypeDeclaration(kind, tuple(names))

    def declaration(self, several: bool) -> Declaration:
        location = self.token.location
        visibility = ""
        while self.at("hidden", "show", "local"):
            if visibility:
                self.beyond_spin(self.token.location, f"'{visibility} {self.token.text}'")
            visibility = self.take().text
        kind = self.type_name()
        location = span(location, self.tokens[self.index - 1].location)
        items = [self.declarator(kind)]
        # In a parameter list a comma may also start the next type: `byte a, chan b`.
        while self.at(",") and (several or not self.starts_type(self.ahead())):
            self.take()
            items.append(self.declarator(kind))
        return Declaration(kind, tuple(items), location, visibility)

    def starts_type(self, token: Token) -> bool:
        return token.text in TYPES or token.text in self.types

    def field_type(self) -> str:
        """The type of a message field: a scalar, a record or a pointer."""
        kind = self.type_name()
        if not self.at("*"):
            return kind
        self.check_pointed(kind, self.take())
        return f"{kind} *"

    def check_pointed(self, kind: str, star: Token) -> None:
        if kind.partition(":")[0] in TYPES:
            message = f"a pointer to {kind}"
            self.fail(star.location, message, "only objects of a typedef can be pointed to")

    def type_name(self) -> str:
        token = self.token
        if token.kind == "keyword" and token.text in TYPES:
            self.take()
            if token.text == "mtype" and self.accept(":"):
                return "mtype:" + self.expect_name("the name of an mtype set").text
            return token.text
        later = self.in_typedef and self.ahead().text == "*"  # typedefs may point to each other
        if self.at_name() and (token.text in self.types or later):
            return self.take().text
        if self.at_name():
            self.unknown_type(token)
        return self.unexpected("a type")

    def declarator(self, kind: str) -> Declarator:
        if (star := self.accept("*")) is not None:
            self.check_pointed(kind, star)
        name = self.new_name("the name of a variable")
        if star is not None:
            self.pointers.add(name.text)
        width = size = None
        if self.at(":"):
            self.take()
            width = self.number("the number of bits")
        if self.at("["):
            size = self.inside("[", self.expression, "]")
        initial = self.initial() if self.accept("=") else None
        if kind == "chan":
            self.channels[name.text] = size is not None
        return Declarator(name.text, name.location, size, width, initial, star is not None)

    def initial(self) -> Expression | ChannelInit | tuple[Expression, ...]:
        if self.at("["):
            return self.channel_init()
        if self.accept("{"):
            values = self.arguments("}")
            self.expect("}")
            return values
        return self.expression()

    def channel_init(self) -> ChannelInit:
        location = self.token.location
        capacity = self.inside("[", self.expression, "]")
        self.expect("of", "'of' and the types of the message fields")
        self.expect("{")
        fields = [self.field_type()]
        while self.accept(","):
            fields.append(self.field_type())
        self.expect("}", "',' or '}'")
        return ChannelInit(capacity, tuple(fields), location)
