"""Macros: their definitions, and their expansion.

Reference: C99 6.10.3; where it leaves a choice, GNU cpp 12, which SPIN calls: a macro is not expanded inside of what it
expands to, and that ends where its last token was read.
Differs: every word keeps its place: one of an argument its own, any other that of the use of the macro; and there is a
limit to how much macros may expand to.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import field
from itertools import pairwise
from typing import NamedTuple

from ...core import deadline
from ...core.errors import Location, SourceError
from ...core.records import dataclass

MOST_WORDS = 1_000_000  # that macros may expand to
MOST_NESTED = 100  # calls of macros in arguments of calls
REST = "__VA_ARGS__"

_WORD = re.compile(
    r"""(?P<space>[ \t\r\f\v]+) | (?P<name>[A-Za-z_][A-Za-z_0-9]*) | (?P<number>[0-9][A-Za-z_0-9]*)
      | (?P<string>"(?:\\.|[^"\\]++)*+" | '(?:\\.|[^'\\]++)*+') | (?P<open>["'].*)
      | (?P<op>\.\.\. | -> | <-> | <> | :: | \.\. | \?\? | !! | \+\+ | -- | << | >> | <= | >= | == | != | && | \|\|
             | \#\# | /\\ | \\/ | .)""",
    re.VERBOSE | re.DOTALL,
)
# What GNU cpp keeps apart; `<>` and `!!` are no words of C, so that SPIN gets them as one.
_JOINED = frozenset({"->", "--", "++", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "::", "..", "//", "/*", "##"})


class Word(NamedTuple):
    """A token of the preprocessor."""

    kind: str  # name, number, string, open (a string without an end), op
    text: str
    place: Location
    spaced: bool = False  # something stands between it and the word before
    verbatim: bool = True  # it stands like that at its place
    line: tuple[str, int] | None = None  # file and line, if it was read from there; what macros make has none
    fixed: bool = False  # a name that is not expanded any more


def words(text: str, place: Callable[[int, int], Location]) -> list[Word]:
    """The words of one logical line."""
    found: list[Word] = []
    spaced = True  # the line before has ended
    for match in _WORD.finditer(text):
        if match.lastgroup == "space":
            spaced = True
            continue
        at = place(match.start(), match.end() - match.start())
        found.append(Word(match.lastgroup or "", match.group(), at, spaced, line=(at.file, at.line)))
        spaced = False
    return found


def would_join(left: str, right: str) -> bool:
    """Would two words that only macros brought together be read as one, or as others?"""
    if left[-1:].isalnum() or left[-1:] == "_":
        return right[:1].isalnum() or right[:1] == "_"
    return left[-1:] + right[:1] in _JOINED


@dataclass(frozen=True)
class Macro:
    """What a name is replaced by."""

    name: str
    body: tuple[Word, ...]
    parameters: tuple[str, ...] | None = None  # None: it is used without parentheses
    takes_rest: bool = False  # the last parameter takes all arguments that are left


def definition(given: list[Word], directive: Location) -> Macro:
    """What follows `#define`."""
    if not given or given[0].kind != "name" or given[0].text == "defined":
        raise SourceError.at(directive, "bad macro definition", "write #define NAME value")
    name, rest = given[0].text, given[1:]
    if not rest or rest[0].text != "(" or rest[0].spaced:
        _check_pastes(rest)
        return Macro(name, tuple(rest))
    end = next((i for i, w in enumerate(rest) if w.text == ")"), None)
    inner = [] if end is None else rest[1:end]
    names = [w.text for w in inner[::2]]
    if names and names[-1] == "...":
        names[-1] = REST
        takes_rest = True
    else:
        takes_rest = len(inner) > 1 and inner[-1].text == "..."  # GNU: #define f(rest...)
        inner = inner[:-1] if takes_rest else inner
        names = [w.text for w in inner[::2]]
    shape = all(w.kind == "name" or w.text == "..." for w in inner[::2]) and all(w.text == "," for w in inner[1::2])
    if end is None or not shape or (inner and len(inner) % 2 == 0) or len(set(names)) < len(names):
        raise SourceError.at(directive, "bad macro definition", "write #define NAME(a, b) value")
    body = rest[end + 1 :]
    _check_pastes(body)
    for sign, after in pairwise([*body, None]):
        if sign is not None and sign.text == "#" and (after is None or after.text not in names):
            raise SourceError.at(sign.place, "'#' in a macro is followed by a parameter")
    return Macro(name, tuple(body), tuple(names), takes_rest)


def _check_pastes(body: list[Word]) -> None:
    for word in body[:1] + body[-1:]:
        if word.text == "##":
            raise SourceError.at(word.place, "'##' stands between two words")


@dataclass
class _Context:
    """Words that are to be read next: what a macro expanded to, or an argument (`ends`: nothing is read behind it)."""

    words: list[Word]
    macro: str = ""
    ends: bool = False
    at: int = 0


@dataclass
class Expander:
    """Reads words, expanding macros.  `source` gives the words of the text; `more`: from the next line, if need be."""

    macros: dict[str, Macro]
    source: Callable[[bool], Word | None]
    complain: Callable[[SourceError], None]
    stack: list[_Context] = field(default_factory=list)
    open: set[str] = field(default_factory=set)  # macros whose expansions are being read
    expanded: int = 0
    nested: int = 0

    def next(self) -> Word | None:
        while (word := self.raw()) is not None:
            macro = self.macros.get(word.text) if word.kind == "name" and not word.fixed else None
            if macro is None or word.fixed or not self.enter(macro, word):
                return word
        return None

    def raw(self, more: bool = False) -> Word | None:
        """The next word, which is not expanded; but a macro that is being expanded never will be here."""
        while self.stack:
            context = self.stack[-1]
            if context.at < len(context.words):
                context.at += 1
                return self.seen(context.words[context.at - 1])
            if context.ends:
                return None
            self.stack.pop()
            self.open.discard(context.macro)
        word = self.source(more)
        return None if word is None else self.seen(word)

    def seen(self, word: Word) -> Word:
        return word._replace(fixed=True) if word.text in self.open and word.kind == "name" else word

    def push(self, words: list[Word], macro: str, place: Location) -> None:
        self.expanded += len(words) + 1
        if self.expanded > MOST_WORDS:
            message = f"the macros up to here expand to more than {MOST_WORDS:,} words"
            raise SourceError.at(place, message, "does one of them use another one twice, and so on?")
        deadline.check()
        self.stack.append(_Context(words, macro))
        self.open.add(macro)

    def enter(self, macro: Macro, use: Word) -> bool:
        """Let the expansion be read next; False: it is no use of the macro."""
        if macro.parameters is None:
            result = self.substituted(macro, [], use)
        else:
            following = [self.raw(more=True)]
            while following[-1] is not None and not following[-1].text:  # what expanded to nothing
                following.append(self.raw(more=True))
            if following[-1] is None or following[-1].text != "(":
                self.stack.append(_Context([w for w in following if w is not None]))
                return False
            arguments = self.arguments(macro, use)
            if arguments is None:
                return False
            result = self.substituted(macro, arguments, use)
        if result:
            result[0] = result[0]._replace(spaced=use.spaced, line=use.line)
        elif use.line or use.spaced:  # a line starts all the same, with nothing
            result = [Word("op", "", use.place, use.spaced, False, use.line)]
        self.push(result, macro.name, use.place)
        return True

    # ---------------------------------------------------------------- arguments

    def arguments(self, macro: Macro, use: Word) -> list[list[Word]] | None:
        """What stands between the parentheses; None, and a complaint, if it does not fit."""
        found: list[list[Word]] = [[]]
        wanted, depth, last = len(macro.parameters or ()), 0, use.line
        while (word := self.raw(more=True)) is None or word.text != ")" or depth:
            if word is None:
                raise SourceError.at(use.place, f"the arguments of macro {macro.name} have no end", "close them with )")
            depth += {"(": 1, ")": -1}.get(word.text, 0)
            if word.text == "," and depth == 0 and not (macro.takes_rest and len(found) >= wanted):
                found.append([])
            elif word.text:
                found[-1].append(word._replace(spaced=word.spaced or word.line not in (None, last), line=None))
            last = word.line or last
        if macro.takes_rest and len(found) == wanted - 1:
            found.append([])
        given = 0 if wanted == 0 and found == [[]] else len(found)
        if given != wanted:
            message = f"macro {macro.name} requires {wanted} argument{'s' * (wanted != 1)} but was passed {given}"
            self.complain(SourceError.at(use.place, message))
            return None
        return found

    def expansion(self, argument: list[Word], place: Location) -> list[Word]:
        """An argument by itself, expanded to its end."""
        if not any(w.kind == "name" and w.text in self.macros for w in argument):
            return argument
        self.nested += 1
        if self.nested > MOST_NESTED:
            raise SourceError.at(place, f"more than {MOST_NESTED} calls of macros inside each other")
        context = _Context(argument, ends=True)
        self.stack.append(context)
        result = []
        while (word := self.next()) is not None:
            result.append(word)
        assert self.stack[-1] is context
        self.stack.pop()
        self.nested -= 1
        return [w for w in result if w.text]

    # ---------------------------------------------------------------- substitution

    def substituted(self, macro: Macro, arguments: list[list[Word]], use: Word) -> list[Word]:
        """The body with the arguments in it."""
        if macro.name == "__LINE__":
            return [Word("number", str(use.place.line), use.place, verbatim=False)]
        if macro.name == "__FILE__":
            return [Word("string", _quoted([Word("string", use.place.file, use.place)]), use.place, verbatim=False)]
        given = dict(zip(macro.parameters or (), arguments, strict=False))
        expanded: dict[str, list[Word]] = {}
        body, result, at, pastes = macro.body, list[Word](), 0, False
        while at < len(body):
            word = body[at]
            pasted = at + 1 < len(body) and body[at + 1].text == "##"
            if word.text == "##" and at > 0:
                pastes, at = True, at + 1
                continue
            if word.text == "#" and macro.parameters is not None:
                at += 1
                piece = [Word("string", _quoted(given[body[at].text]), use.place, word.spaced, False)]
                pasted = at + 1 < len(body) and body[at + 1].text == "##"
            elif word.kind == "name" and word.text in given:
                piece = given[word.text]
                if not pasted and not pastes:
                    if word.text not in expanded:
                        expanded[word.text] = self.expansion(piece, use.place)
                    piece = expanded[word.text]
                piece = [piece[0]._replace(spaced=word.spaced), *piece[1:]] if piece else []
            else:
                piece = [word._replace(place=use.place, verbatim=False, line=None)]
            is_rest = macro.takes_rest and word.text == (macro.parameters or ("",))[-1]
            if pastes:
                self.paste(result, piece, use, is_rest)
            else:
                result += piece or ([_NOTHING] if pasted else [])
            self.count(result, use.place)
            pastes, at = False, at + 1
        return [w for w in result if w is not _NOTHING]

    def count(self, result: list[Word], place: Location) -> None:
        if self.expanded + len(result) > MOST_WORDS:
            self.push(result, "", place)

    def paste(self, result: list[Word], right: list[Word], use: Word, is_rest: bool) -> None:
        """Join the last word of the result with the first on the right."""
        if is_rest and result and result[-1].text == ",":  # GNU: , ## __VA_ARGS__ drops the comma if nothing follows
            if not right:
                result.pop()
            result += right
            return
        left = result.pop() if result else _NOTHING
        if not right or left is _NOTHING:
            result += right or [left]
            return
        text = left.text + right[0].text
        joined = words(text, lambda *_: use.place)
        if len(joined) != 1 or joined[0].kind == "open":
            message = f"pasting '{left.text}' and '{right[0].text}' does not give a word"
            self.complain(SourceError.at(use.place, message))
            result += [left, *right]
            return
        result += [joined[0]._replace(spaced=left.spaced, verbatim=False), *right[1:]]


_NOTHING = Word("op", "", Location())


def _quoted(argument: list[Word]) -> str:
    """An argument as a string."""
    text = ""
    for i, word in enumerate(argument):
        inner = re.sub(r'(["\\])', r"\\\1", word.text) if word.kind == "string" else word.text
        text += " " * (i > 0 and word.spaced) + inner
    return f'"{text}"'
