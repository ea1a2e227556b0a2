"""What `#if` asks.

Reference: C99 6.6 and 6.10.1: integers of 64 bits, signed unless one of two is unsigned.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ...core.errors import Location, SourceError
from .macros import Word

MOST_NESTED = 100
_LEVELS = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7, "<<": 8, ">>": 8,
    "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip
_NUMBER = re.compile(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+)([uUlL]*)")
_ESCAPES = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "e": 27}


class _Value(NamedTuple):
    """The value of a part of a condition."""

    number: int
    unsigned: bool = False


def _fit(number: int, unsigned: bool) -> _Value:
    number &= (1 << 64) - 1
    return _Value(number - (1 << 64) if number >> 63 and not unsigned else number, unsigned)


def holds(words: list[Word], directive: Location) -> bool:
    """Is the condition true?  `words` are expanded, and `defined` is a number already."""
    if not words:
        raise SourceError.at(directive, "a condition is missing")
    reader = _ConditionReader(words, directive)
    value = reader.conditional(True)
    if reader.at < len(words):
        raise SourceError.at(words[reader.at].place, f"'{words[reader.at].text}' does not belong into this condition")
    return value.number != 0


class _ConditionReader:
    """`counts` says whether the value of a part matters: the right side of `0 && 1/0` does not."""

    def __init__(self, words: list[Word], directive: Location) -> None:
        self.words, self.directive, self.at, self.depth = words, directive, 0, 0

    def text(self) -> str:
        return self.words[self.at].text if self.at < len(self.words) else ""

    def take(self) -> Word:
        if self.at >= len(self.words):
            raise SourceError.at(self.directive, "the condition has no end")
        self.at += 1
        return self.words[self.at - 1]

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > MOST_NESTED:
            raise SourceError.at(self.directive, f"more than {MOST_NESTED} levels in this condition")

    def conditional(self, counts: bool) -> _Value:
        """`?:`; the branch that does not count may divide by zero."""
        self.deeper()
        condition = self.binary(1, counts)
        if self.text() == "?":
            self.take()
            then = self.conditional(counts and condition.number != 0)
            if self.text() != ":":
                raise SourceError.at(self.directive, "'?' without ':'")
            self.take()
            otherwise = self.conditional(counts and condition.number == 0)
            chosen = then if condition.number else otherwise
            condition = _fit(chosen.number, then.unsigned or otherwise.unsigned)
        self.depth -= 1
        return condition

    def binary(self, level: int, counts: bool) -> _Value:
        left = self.unary(counts)
        while (found := _LEVELS.get(self.text(), 0)) >= level:
            operator = self.take()
            matters = counts and not (operator.text == "&&" and not left.number)
            matters = matters and not (operator.text == "||" and left.number)
            self.deeper()
            right = self.binary(found + 1, matters)
            self.depth -= 1
            left = self.applied(operator, left, right, matters)
        return left

    def unary(self, counts: bool) -> _Value:
        """Signs, parentheses, numbers, characters; a name that is no macro is 0."""
        word = self.take()
        if word.text in ("!", "-", "+", "~"):
            self.deeper()
            value = self.unary(counts)
            self.depth -= 1
            number = {"!": int(not value.number), "-": -value.number, "+": value.number, "~": ~value.number}[word.text]
            return _fit(number, value.unsigned and word.text != "!")
        if word.text == "!!":
            return _Value(int(self.unary(counts).number != 0))
        if word.text == "(":
            inner = self.conditional(counts)
            if self.text() != ")":
                raise SourceError.at(word.place, "this parenthesis is not closed")
            self.take()
            return inner
        if word.kind == "name":
            return _Value(0)
        if word.kind == "number" and (match := _NUMBER.fullmatch(word.text)) is not None:
            return self.number(match, word)
        if word.kind == "string" and word.text[0] == "'" and (code := _character(word.text[1:-1])) is not None:
            return _Value(code)
        raise SourceError.at(word.place, f"'{word.text[:40]}' does not belong into this condition")

    def number(self, match: re.Match[str], word: Word) -> _Value:
        """With base and suffix, in 64 bits, as GNU cpp reads it."""
        digits, suffix = match.groups()
        base = {"0x": 16, "0b": 2}.get(digits[:2].lower(), 8 if digits[0] == "0" else 10)
        try:
            value = int(digits, base) if len(digits) < 80 else 1 << 64
        except ValueError:  # 089
            raise SourceError.at(word.place, f"'{word.text}' is not a number") from None
        if value >> 64:
            raise SourceError.at(word.place, "this number does not fit in 64 bits")
        return _fit(value, "u" in suffix.lower() or bool(value >> 63))

    def applied(self, operator: Word, left: _Value, right: _Value, matters: bool) -> _Value:
        """As C computes it in 64 bits, with or without a sign; `matters` says whether a fault counts."""
        a, b, unsigned = left.number, right.number, left.unsigned or right.unsigned
        if operator.text == "&&":
            return _Value(int(bool(a and b)))
        if operator.text == "||":
            return _Value(int(bool(a or b)))
        if operator.text in ("<<", ">>"):
            b = b if right.unsigned or b >= 0 else 0 if not matters else b
            shift = b if operator.text == "<<" else -b
            return _fit(a << min(shift, 64) if shift >= 0 else a >> min(-shift, 64), left.unsigned)
        a, b = _fit(a, unsigned).number, _fit(b, unsigned).number
        if operator.text in ("/", "%"):
            if b == 0:
                if matters:
                    raise SourceError.at(operator.place, "division by zero in this condition")
                return _Value(0, unsigned)
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            return _fit(quotient if operator.text == "/" else a - quotient * b, unsigned)
        match operator.text:
            case "==" | "!=" | "<" | ">" | "<=" | ">=":
                order = (a > b) - (a < b)
                truth = {"==": order == 0, "!=": order != 0, "<": order < 0, ">": order > 0, "<=": order <= 0}
                return _Value(int(truth.get(operator.text, order >= 0)))
            case "+":
                return _fit(a + b, unsigned)
            case "-":
                return _fit(a - b, unsigned)
            case "*":
                return _fit(a * b, unsigned)
            case "&":
                return _fit(a & b, unsigned)
            case "|":
                return _fit(a | b, unsigned)
        return _fit(a ^ b, unsigned)


def _character(inner: str) -> int | None:
    """The code of a character between quotes."""
    if len(inner) == 1:
        code = ord(inner)
        return code if code < 128 else None
    if len(inner) >= 2 and inner[0] == "\\":
        if len(inner) == 2 and inner[1] in _ESCAPES:
            return _ESCAPES[inner[1]]
        if re.fullmatch(r"[0-7]{1,3}", inner[1:]):
            return _fit8(int(inner[1:], 8))
        if re.fullmatch(r"x[0-9a-fA-F]{1,2}", inner[1:]):
            return _fit8(int(inner[2:], 16))
        if len(inner) == 2 and inner[1] in "\\'\"?":
            return ord(inner[1])
    return None


def _fit8(code: int) -> int:
    """A char is signed."""
    return (code & 255) - 256 if code & 128 else code & 255
