"""A cursor over tokens: looking, expecting, recovering, and splicing in the body of an inline."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn, TypeVar

from ...core.depth import BLOCKS
from ...core.errors import Diagnostic, Location, SourceError, TooLarge
from ...core.records import dataclass

T = TypeVar("T")
MOST_ERRORS = 20


@dataclass(frozen=True)
class Token:
    """A word of the text, and where it stands."""

    kind: str  # name, keyword, number, string, char, op, bad, end
    text: str
    location: Location
    after_newline: bool = False
    spaced: bool = False  # something stands between it and the token before

    def __str__(self) -> str:
        return "end of file" if self.kind == "end" else f"'{self.text}'"


class Cursor:
    """A place in a list of tokens that moves forward: what every parser is built on."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.index = 0
        self.nesting = 0  # open parentheses and brackets: inside them a line end means nothing
        self.in_body = False
        self.levels = self.blocks = 0  # expressions and statements that are open
        self.problems: list[Diagnostic] = []

    # ---------------------------------------------------------------- looking

    @property
    def token(self) -> Token:
        return self.tokens[self.index]

    def ahead(self, distance: int = 1) -> Token:
        return self.tokens[min(self.index + distance, len(self.tokens) - 1)]

    def at(self, *texts: str) -> bool:
        token = self.token
        return token.kind in ("op", "keyword") and token.text in texts

    def at_name(self) -> bool:
        return self.token.kind == "name"

    def line_ended(self) -> bool:
        """Does the end of the previous line separate statements here, as a semicolon would?"""
        return self.in_body and self.nesting == 0 and self.token.after_newline

    # ---------------------------------------------------------------- taking

    def take(self) -> Token:
        token = self.token
        if token.kind != "end":
            self.index += 1
        return token

    def accept(self, *texts: str) -> Token | None:
        return self.take() if self.at(*texts) else None

    def expect(self, text: str, what: str = "") -> Token:
        if not self.at(text):
            self.unexpected(what or f"'{text}'")
        return self.take()

    def expect_name(self, what: str) -> Token:
        token = self.token
        if token.kind == "keyword":
            self.fail(token.location, f"'{token.text}' is a keyword and cannot be {what}", "choose another name")
        if token.kind != "name":
            self.unexpected(what)
        return self.take()

    def inside(self, opening: str, parse: Callable[[], T], closing: str) -> T:
        """Parse between brackets, where line ends mean nothing."""
        self.expect(opening)
        self.nesting += 1
        try:
            result = parse()
        finally:
            self.nesting -= 1
        self.expect(closing)
        return result

    def splice(self, start: int, tokens: list[Token]) -> None:
        """Replace the tokens from `start` up to the cursor, and go back there."""
        self.tokens[start : self.index] = tokens
        self.index = start

    # ---------------------------------------------------------------- complaining

    def unexpected(self, wanted: str) -> NoReturn:
        token, hint = self.token, ""
        if token.kind == "bad":
            if token.text in "\"'":
                self.fail(token.location, "this string or character has no end", "it ends on the line where it starts")
            self.fail(token.location, f"unexpected character '{token.text}'")
        if token.text == "=" and ("';'" in wanted or wanted == "')'"):
            hint = "comparison is '=='"
        self.fail(token.location, f"expected {wanted}, found {token}", hint)

    def fail(self, location: Location, message: str, hint: str = "") -> NoReturn:
        raise SourceError.at(location, message, hint)

    def note(self, error: SourceError) -> None:
        """Remember an error and go on looking for more."""
        self.levels = 0
        self.problems.extend(error.diagnostics)
        if isinstance(error, TooLarge) or len(self.problems) >= MOST_ERRORS:
            raise TooLarge(self.problems)

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """Statements inside of a statement."""
        before = self.blocks
        if before >= BLOCKS:
            self.too_deep(f"more than {BLOCKS} statements inside each other")
        self.blocks += 1
        try:
            yield
        finally:
            self.blocks = before

    def too_deep(self, message: str) -> NoReturn:
        raise TooLarge.at(self.token.location, message, "split it up")

    def skip_to(self, *texts: str) -> None:
        """Skip to one of the tokens on this level of braces, or to the brace that closes it."""
        depth = 0
        while self.token.kind != "end":
            if depth == 0 and self.at(*texts, "}"):
                return
            if self.at("{", "if", "do"):
                depth += 1
            elif self.at("}", "fi", "od"):
                depth = max(depth - 1, 0)
            self.take()
