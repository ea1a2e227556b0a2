"""Litmus tests: text to `LitmusTest`.

Reference: Alglave, Maranget, Tautschnig, Herding Cats (TOPLAS 2014), and the manual of herd7 about tests in C.
Differs: the code of a thread is C, and is left to the compiler of C: loops, functions and all types of integers work.
Initial values are numbers, and of a `locations` line only the names count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NoReturn

from ...core.depth import BLOCKS
from ...core.errors import Diagnostic, Location, SourceError
from ..common.tokens import Cursor, Token
from .conditions import And, Compared, Condition, Not, Or, Truth, named_in
from .test import GivenVariable, LitmusTest, LitmusThread, Shared

__all__ = ["read_test"]

_TOKEN = re.compile(
    r"(?P<skip>\s+|\(\*.*?\*\)|/\*.*?\*/|//[^\n]*)|(?P<name>[A-Za-z_]\w*)|(?P<number>-?(0[xX][0-9a-fA-F]+|\d+))|"
    r"(?P<string>\"[^\"\n]*\")|(?P<op>/\\|\\/|==|!=|<>|[=,:;*&(){}\[\]~])|(?P<bad>.)",
    re.DOTALL,
)
_CODE = re.compile(r"/\*.*?\*/|//[^\n]*|\"(\\.|[^\"\\\n])*\"|'(\\.|[^'\\\n])*'|[{}]|[^{}/\"']+|.", re.DOTALL)
_THREAD = re.compile(r"P(\d+)$")
_QUANTIFIERS = ("exists", "forall")
_QUALIFIERS = ("volatile", "const", "restrict")
_TYPES = {"mutex": "mtx_t"}  # what herd calls a lock
MOST_THREADS = 62  # beside main


def read_test(text: str, file: str) -> LitmusTest:
    """The test in a text; SourceError where it is none."""
    return _LitmusReader(text, file).test()


def _located(text: str, file: str, start: int, length: int) -> Location:
    before = text[:start]
    return Location(file, before.count("\n") + 1, start - before.rfind("\n"), length)


class _Words:
    """The words of a text, with their places; the code of threads is cut out of it as one piece."""

    def __init__(self, text: str, file: str) -> None:
        self.text, self.file = text, file

    def between(self, start: int, end: int) -> Iterator[tuple[Token, int]]:
        """Each word, and where it ends in the text."""
        line, line_start = self.text.count("\n", 0, start) + 1, self.text.rfind("\n", 0, start) + 1
        for match in _TOKEN.finditer(self.text, start, end):
            kind, word = str(match.lastgroup), match.group()
            if kind != "skip":
                here = Location(self.file, line, match.start() - line_start + 1, len(word))
                yield Token(kind, word, here), match.end()
            if newlines := word.count("\n"):
                line += newlines
                line_start = match.start() + word.rfind("\n") + 1

    def closing(self, start: int) -> int:
        """Where the brace stands that closes the one before `start`; -1 if there is none."""
        depth = 1
        for match in _CODE.finditer(self.text, start):
            depth += (match.group() == "{") - (match.group() == "}")
            if depth == 0:
                return match.start()
        return -1


class _LitmusReader(Cursor):
    """Reads a test from front to back."""

    def __init__(self, text: str, file: str) -> None:
        self.words, self.file = _Words(text, file), file
        self.ends: list[int] = []
        super().__init__([])
        self.refill(0)

    def refill(self, start: int) -> None:
        """Go on at this place of the text."""
        found = list(self.words.between(start, len(self.words.text)))
        last = _located(self.words.text, self.file, len(self.words.text), 1)
        self.tokens = [*(token for token, _ in found), Token("end", "", last)]
        self.ends = [*(end for _, end in found), len(self.words.text)]
        self.index = 0

    # ---------------------------------------------------------------- the whole

    def test(self) -> LitmusTest:
        """All of the file."""
        name = self.head()
        initial = self.initial_values()
        threads = self.threads()
        listed = self.listed()
        quantifier, location = self.quantifier()
        condition = self.condition()
        self.ignore_rest()
        shared = self.shared(initial, threads)
        names = list(dict.fromkeys([*listed, *((c.name, c.location) for c in named_in(condition))]))
        self.check_names(names, shared, threads)
        if self.problems:
            raise SourceError(self.problems)
        shown = tuple(sorted({name for name, _ in names}, key=_natural))
        return LitmusTest(name, self.file, shared, threads, quantifier, condition, location, shown)

    def head(self) -> str:
        """The name of the test; what else stands before the initial values is for readers."""
        first = self.token
        if first.text != "C":
            hint = "the first line is `C` and the name of the test; tests for a processor, in assembly, are not read"
            self.fail(first.location, "this is no litmus test for C", hint)
        line = self.words.text.split("\n")[first.location.line - 1]
        name = line[first.location.column :].strip()
        if not name:
            self.fail(first.location, "the test has no name", "the first line is `C` and the name of the test")
        while self.token.kind != "end" and not self.at("{"):  # what people say about it
            self.take()
        return name.split()[0]

    # ---------------------------------------------------------------- initial values

    def initial_values(self) -> list[Shared]:
        self.expect("{", "'{' and the initial values")
        found: list[Shared] = []
        while not self.at("}"):
            if self.accept(";"):
                continue
            found.append(self.initial_value())
            if not self.at("}"):
                self.expect(";")
        self.take()
        return found

    def initial_value(self) -> Shared:
        """`x = 1`, `[x] = 1`, `int x = 1`, `atomic_int x`."""
        if self.token.kind == "number":
            hint = "say `int r0 = 1;` in the code of the thread"
            self.fail(self.token.location, "registers have no initial values here", hint)
        words = []
        bracket = self.accept("[")
        while self.at_name():
            words.append(self.take())
        if bracket:
            self.expect("]")
        if not words:
            self.unexpected("the name of a shared variable")
        if self.at("*", "[", "&"):
            self.fail(self.token.location, "pointers and arrays cannot be shared variables here", "use integers")
        value = self.number() if self.accept("=") else 0
        kind = " ".join(_TYPES.get(w.text, w.text) for w in words[:-1] if w.text not in _QUALIFIERS)
        return Shared(words[-1].text, kind, value, words[-1].location)

    def number(self) -> int:
        if self.at("&") or self.at_name():
            self.fail(self.token.location, "initial values are numbers", "pointers cannot be shared variables here")
        if self.token.kind != "number":
            self.unexpected("a number")
        return int(self.take().text, 0)

    # ---------------------------------------------------------------- threads

    def threads(self) -> tuple[LitmusThread, ...]:
        found: list[LitmusThread] = []
        while self.at_name() and _THREAD.match(self.token.text):
            found.append(self.thread(len(found)))
        if not found:
            self.unexpected("a thread, such as `P0 (atomic_int* x) { ... }`")
        return tuple(found)

    def thread(self, wanted: int) -> LitmusThread:
        """`P0 (atomic_int* x) { ... }`; its code is not looked into."""
        name = self.take()
        if name.text != f"P{wanted}":
            self.fail(name.location, f"this is thread P{wanted}", f"threads are P0, P1, ...; call it P{wanted}")
        if wanted >= MOST_THREADS:
            self.fail(name.location, f"there are more than {MOST_THREADS} threads")
        self.expect("(")
        parameters: list[GivenVariable] = []
        while not self.at(")"):
            parameters.append(self.parameter())
            if not self.at(")"):
                self.expect(",")
        self.take()
        opening = self.expect("{", "'{' and the code of the thread")
        start = self.ends[self.index - 1]
        end = self.words.closing(start)
        if end < 0:
            self.fail(opening.location, "this '{' is never closed")
        body, begin = self.words.text[start:end], _located(self.words.text, self.file, start, 1)
        self.refill(end + 1)
        return LitmusThread(wanted, tuple(parameters), body, name.location, begin)

    def parameter(self) -> GivenVariable:
        """`volatile atomic_int* x`."""
        words, stars = [], 0
        while self.at_name() or self.at("*"):
            stars += self.at("*")
            if (word := self.take()).kind == "name":
                words.append(word)
        if len(words) < 2 or stars != 1:
            place = words[-1].location if words else self.token.location
            self.fail(place, "a thread is given addresses of shared variables", "write `atomic_int* x` or `int* x`")
        kind = " ".join(_TYPES.get(w.text, w.text) for w in words[:-1] if w.text not in _QUALIFIERS)
        return GivenVariable(words[-1].text, kind, words[-1].location)

    # ---------------------------------------------------------------- the question

    def listed(self) -> list[tuple[str, Location]]:
        """`locations [x; 0:r0;]`: what else a final state tells."""
        found: list[tuple[str, Location]] = []
        if self.token.text != "locations":
            return found
        self.take()
        self.expect("[")
        while not self.at("]"):
            found.append(self.place())
            self.accept(";")
        self.take()
        return found

    def quantifier(self) -> tuple[str, Location]:
        if self.token.text == "filter":
            self.fail(self.token.location, "filters are not read", "make it a part of the condition")
        first = self.token
        negated = bool(self.accept("~")) or (first.text == "not" and bool(self.take()))
        if self.token.text not in _QUANTIFIERS or (negated and self.token.text == "forall"):
            self.unexpected("`exists`, `~exists` or `forall` and a condition")
        return ("~" if negated else "") + self.take().text, first.location

    def condition(self) -> Condition:
        parts = [self.conjunction()]
        while self.accept("\\/"):
            parts.append(self.conjunction())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def conjunction(self) -> Condition:
        parts = [self.atom()]
        while self.accept("/\\"):
            parts.append(self.atom())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def atom(self) -> Condition:
        """A condition without operators, or one in parentheses."""
        self.levels += 1
        if self.levels > BLOCKS:
            self.fail(self.token.location, "the condition is nested too deeply")
        try:
            if self.accept("~") or (self.token.text == "not" and self.take()):
                return Not(self.atom())
            if self.at("("):
                return self.inside("(", self.condition, ")")
            if self.token.text in ("true", "false"):
                return Truth(self.take().text == "true")
            return self.compared()
        finally:
            self.levels -= 1

    def compared(self) -> Condition:
        name, location = self.place()
        if not self.at("=", "==", "!=", "<>"):
            self.unexpected("'=' and a number")
        equal = self.take().text in ("=", "==")
        if self.token.kind != "number":
            self.unexpected("a number")
        return Compared(name, int(self.take().text, 0), equal, location)

    def place(self) -> tuple[str, Location]:
        """`0:r0`, `x` or `[x]`."""
        if self.accept("["):
            name = self.expect_name("a shared variable")
            self.expect("]")
            return name.text, name.location
        if self.token.kind == "number":
            thread = self.take()
            self.expect(":", "':' and a register")
            name = self.expect_name("a register")
            start = thread.location
            length = name.location.column + name.location.length - start.column
            return f"{int(thread.text, 0)}:{name.text}", Location(self.file, start.line, start.column, length)
        name = self.expect_name("a register such as 0:r0, or a shared variable")
        return name.text, name.location

    def ignore_rest(self) -> None:
        """Behind the condition there may be comments in quotation marks."""
        while self.token.kind == "string":
            self.take()
        if self.token.kind != "end":
            self.unexpected("the end of the test")

    # ---------------------------------------------------------------- what belongs together

    def shared(self, initial: list[Shared], threads: Iterable[LitmusThread]) -> tuple[Shared, ...]:
        """All variables with their types: of what threads are given, or of where the initial values are."""
        found = {variable.name: variable for variable in initial}
        types: dict[str, GivenVariable] = {}
        for thread in threads:
            for given in thread.parameters:
                first = types.setdefault(given.name, given)
                if first.type != given.type:
                    what = f"'{given.name}' is {first.type} in line {first.location.line}, and {given.type} here"
                    self.problems.append(Diagnostic(given.location, what, "give it the same type everywhere"))
        for name, given in types.items():
            value = found[name].value if name in found else 0
            found[name] = Shared(name, given.type, value, given.location)
        return tuple(Shared(v.name, v.type or "int", v.value, v.location) for v in found.values())

    def check_names(
        self, names: Iterable[tuple[str, Location]], shared: Iterable[Shared], threads: tuple[LitmusThread, ...]
    ) -> None:
        """What is asked about must be there."""
        variables = [variable.name for variable in shared]
        for name, location in names:
            number, colon, register = name.partition(":")
            if not colon and name not in variables:
                hint = f"there are {', '.join(variables)}; a register is written 0:{name}" if variables else ""
                self.problems.append(Diagnostic(location, f"there is no shared variable '{name}'", hint))
            elif colon and int(number) >= len(threads):
                hint = f"threads are 0 to {len(threads) - 1}"
                self.problems.append(Diagnostic(location, f"there is no thread {number}", hint))
            elif colon and not re.search(rf"\b{re.escape(register)}\b", threads[int(number)].body):
                known = dict.fromkeys(re.findall(r"\bint\s+(\w+)", threads[int(number)].body))
                hint = f"it has {', '.join(known)}" if known else ""
                self.problems.append(Diagnostic(location, f"thread {number} has no register '{register}'", hint))

    def fail(self, location: Location, message: str, hint: str = "") -> NoReturn:
        raise SourceError([*self.problems, Diagnostic(location, message, hint)])


def _natural(name: str) -> tuple[int, str]:
    """Registers by thread, then variables."""
    number, colon, register = name.partition(":")
    return (int(number), register) if colon else (MOST_THREADS, name)
