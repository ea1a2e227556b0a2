"""The C preprocessor, with every character of the result traced back to the user's file.

Reference: C99 6.10; where it leaves a choice, GNU cpp 12, which SPIN calls (`gcc -std=gnu99 -E -x c`).
Differs: an error has its column; `1..N` is three words, so that N is expanded; the compiler's own macros are not there;
and nothing is without a limit: how deep files include files, and how much macros expand to.
"""

from __future__ import annotations

import bisect
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field

from ...core.errors import Diagnostic, Location, SourceError, UsageError
from ...core.files import read_text
from ...core.records import dataclass
from .condition import holds
from .lines import File, Line, lines
from .macros import Expander, Macro, Word, definition, words, would_join

MOST_ERRORS = 20
MOST_INCLUDED = 100  # files inside each other
MOST_FILES = 10_000  # in all, each as often as it is included
MOST_CHARACTERS = 1 << 28

_DIRECTIVE = re.compile(r"\s*#\s*([A-Za-z_]\w*|\d+)?", re.ASCII)
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_IGNORED = ("line", "pragma", "ident", "sccs", "warning")
_OPTION = Location("-D", 1, 1)  # the place of what an option defines
_PREDEFINED = ("__LINE__", "__FILE__")


@dataclass
class Source:
    """Expanded text, and where each piece of it was written."""

    text: str = ""
    starts: list[int] = field(default_factory=list)
    pieces: list[tuple[Location, bool]] = field(default_factory=list)  # place, and whether it is verbatim
    warnings: list[Diagnostic] = field(default_factory=list)

    def locate(self, offset: int, length: int = 1) -> Location:
        if not self.pieces:
            return Location("-", 1, 1)
        index = max(bisect.bisect_right(self.starts, offset) - 1, 0)
        place, verbatim = self.pieces[index]
        if verbatim:
            return Location(place.file, place.line, place.column + offset - self.starts[index], length)
        return place


class _JoinedWords:
    """The words of the result, joined to text again."""

    def __init__(self) -> None:
        self.source = Source()
        self.chunks: list[str] = [""]
        self.length = 0
        self.at: tuple[str, int] | None = None

    def put(self, text: str, place: Location, verbatim: bool, before: str = "") -> None:
        for chunk in (before, text):
            if chunk:
                self.chunks.append(chunk)
        self.length += len(before)
        self.source.starts.append(self.length)
        self.source.pieces.append((place, verbatim))
        self.length += len(text)

    def word(self, word: Word) -> None:
        """As GNU cpp prints it: a newline where the file has one, but not inside of what a macro expands to."""
        blank = word.spaced or would_join(self.chunks[-1], word.text)
        newline = word.spaced and word.line is not None and word.line != self.at
        self.at = word.line if newline else self.at
        self.put(word.text, word.place, word.verbatim, "\n" if newline else " " * blank)

    def line(self, pieces: list[tuple[str, Location]]) -> None:
        """A line in which no macro is used."""
        self.at = pieces[0][1].file, pieces[0][1].line
        for i, (text, place) in enumerate(pieces):
            self.put(text, place, True, "\n" * (i == 0))

    def finished(self) -> Source:
        self.source.text = "".join(self.chunks)
        return self.source


@dataclass
class _Group:
    """An `#if` that is open: whether its lines are read now, and whether some of its groups was already."""

    directive: Location
    name: str
    reads: bool
    done: bool
    has_else: bool = False


@dataclass
class _Reading:
    """A file that is being read."""

    file: File
    lines: Iterator[Line]
    groups: list[_Group] = field(default_factory=list)


class _Preprocessor:
    """Goes through files line by line: directives are obeyed, the rest is expanded."""

    def __init__(self, folders: Sequence[str]) -> None:
        self.folders = folders
        self.macros: dict[str, Macro] = {name: Macro(name, ()) for name in _PREDEFINED}
        self.problems: list[Diagnostic] = []
        self.given: dict[str, str] = {}  # what `-D` says, by name
        self.unused: set[str] = set()  # of these names, those that have not been seen
        self.reading: list[_Reading] = []
        self.once: set[str] = set()
        self.files = self.characters = 0
        self.rest: list[Word] = []  # of the line that is being expanded, backwards
        self.text_lines = self.read()
        self.expander = Expander(self.macros, self.next_word, self.note)

    # ---------------------------------------------------------------- reading

    def open(self, text: str, name: str, place: Location) -> None:
        """Go on with this text before the rest of the file that includes it."""
        self.files += 1
        self.characters += len(text)
        if len(self.reading) >= MOST_INCLUDED:
            hint = "does a file include itself?"
            raise SourceError.at(place, f"more than {MOST_INCLUDED} files include each other", hint)
        if self.files > MOST_FILES or self.characters > MOST_CHARACTERS:
            raise SourceError.at(place, f"the files up to here have {self.characters:,} characters, which is too much")
        file = File(text, name, os.path.realpath(name))
        self.reading.append(_Reading(file, lines(file)))

    def run(self) -> Source:
        """The text without directives; lines without macros are copied as they are."""
        output = _JoinedWords()
        for line in self.text_lines:
            pieces = list(line.verbatim())
            is_one = all(place.line == pieces[0][1].line for _, place in pieces)
            if is_one and self.macros.keys().isdisjoint(_NAME.findall(line.text)):
                output.line(pieces)
                continue
            self.load(line)
            while (word := self.expander.next()) is not None:
                output.word(word)
        return output.finished()

    def load(self, line: Line) -> None:
        self.rest = words(line.text, line.place)[::-1]

    def next_word(self, more: bool) -> Word | None:
        while more and not self.rest and (line := next(self.text_lines, None)) is not None:
            self.load(line)
        return self.rest.pop() if self.rest else None

    def read(self) -> Iterator[Line]:
        """The lines that are text; what directives say is done on the way."""
        while self.reading:
            now = self.reading[-1]
            line = next(now.lines, None)
            if line is not None and self.unused:
                self.unused.difference_update(_NAME.findall(line.text))
            if line is None:
                for group in now.groups:
                    self.note(SourceError.at(group.directive, f"this #{group.name} has no #endif"))
                self.reading.pop()
            elif (found := _DIRECTIVE.match(line.text)) is not None:
                self.guarded(self.directive, now, line, found)
            elif self.reads(now) and line.text and not line.text.isspace():
                yield line

    @staticmethod
    def reads(now: _Reading) -> bool:
        return not now.groups or now.groups[-1].reads

    # ---------------------------------------------------------------- complaints

    def note(self, error: SourceError) -> None:
        """Remember an error and go on looking for more."""
        self.problems.extend(error.diagnostics)
        if len(self.problems) >= MOST_ERRORS:
            raise SourceError(self.problems)

    def guarded(self, work: Callable[[_Reading, Line, re.Match[str]], None], now: _Reading, line: Line,
                found: re.Match[str]) -> None:  # fmt: skip
        try:
            work(now, line, found)
        except SourceError as error:
            self.note(error)

    # ---------------------------------------------------------------- directives

    def directive(self, now: _Reading, line: Line, found: re.Match[str]) -> None:
        name, start = found[1] or "", line.text.index("#")
        place = line.place(start, max(len(line.text.rstrip()) - start, 1))
        after = found.end()
        given = words(line.text[after:], lambda offset, length: line.place(after + offset, length))
        if name in ("if", "ifdef", "ifndef", "elif", "else", "endif"):
            self.conditional(now, name, given, place)
        elif self.reads(now) and name and not name.isdigit():
            self.other(name, given, place, line)

    def conditional(self, now: _Reading, name: str, given: list[Word], place: Location) -> None:
        """`#if` and its relatives: does what follows count?"""
        if name in ("if", "ifdef", "ifndef"):
            group = _Group(place, name, False, True)
            now.groups.append(group)  # before the condition is looked at: it has an #endif even if it is wrong
            if len(now.groups) == 1 or now.groups[-2].reads:
                group.done = group.reads = self.truth(name, given, place)
            return
        if not now.groups:
            raise SourceError.at(place, f"#{name} without #if")
        group = now.groups[-1]
        if name == "endif":
            now.groups.pop()
            return
        if group.has_else:
            raise SourceError.at(place, f"#{name} after #else", f"the #{group.name} is at {group.directive}")
        group.reads = False
        if name == "else":
            group.has_else, group.reads, group.done = True, not group.done, True
        elif not group.done:
            group.done = group.reads = self.truth("if", given, place)

    def truth(self, name: str, given: list[Word], place: Location) -> bool:
        if name != "if":
            if not given or given[0].kind != "name":
                raise SourceError.at(place, f"#{name} needs the name of a macro")
            return (given[0].text in self.macros) == (name == "ifdef")
        return holds(self.expanded(self.with_defined(given)), place)

    def with_defined(self, given: list[Word]) -> list[Word]:
        """`defined NAME` and `defined(NAME)` as numbers."""
        result, at = list[Word](), 0
        while at < len(given):
            word, following = given[at], [w.text for w in given[at + 1 : at + 4]]
            at += 1
            if word.text == "defined":
                bare = following[:1] != ["("]
                name = following[0 if bare else 1 :][:1]
                closed = bare or following[2:] == [")"]
                if not name or not _NAME.fullmatch(name[0]) or not closed:
                    raise SourceError.at(word.place, "'defined' needs the name of a macro")
                at += 1 if bare else 3
                word = word._replace(kind="number", text=str(int(name[0] in self.macros)))
            result.append(word)
        return result

    def expanded(self, given: list[Word]) -> list[Word]:
        rest = given[::-1]
        reader = Expander(self.macros, lambda _: rest.pop() if rest else None, self.note)
        reader.expanded = self.expander.expanded
        result = []
        while (word := reader.next()) is not None:
            result.append(word)
        self.expander.expanded = reader.expanded
        return [w for w in result if w.text]

    def other(self, name: str, given: list[Word], place: Location, line: Line) -> None:
        """Directives that are not about conditions; read only where the text counts."""
        if name == "define":
            macro = definition(given, place)
            self.protect(macro, place)
            self.macros[macro.name] = macro
        elif name == "undef":
            if not given or given[0].kind != "name":
                raise SourceError.at(place, "#undef needs the name of a macro")
            self.macros.pop(given[0].text, None)
        elif name == "include":
            self.include(given, place, line)
        elif name == "error":
            text = line.text.partition("error")[2].strip().strip('"')
            raise SourceError.at(place, f"#error: {text}")
        elif name == "pragma" and given and given[0].text == "once":
            self.once.add(self.reading[-1].file.path)
        elif name not in _IGNORED:
            raise SourceError.at(place, f"there is no directive #{name}")

    def protect(self, macro: Macro, place: Location) -> None:
        """SOUND: a `#define` that silently takes the place of a `-D` gives a verdict about another model."""
        ours = self.macros.get(macro.name)
        if macro.name not in self.given or ours is None or any(word.place is not _OPTION for word in ours.body):
            return
        text, theirs = (" ".join(word.text for word in m.body) for m in (ours, macro))
        if macro.parameters is not None or theirs not in (text, "" if "=" not in self.given[macro.name] else text):
            hint = f"write #ifndef {macro.name} before and #endif after it, or leave the -D out"
            raise SourceError.at(place, f"-D {self.given[macro.name]} has no effect: the model defines it here", hint)

    def define(self, given: str) -> None:
        """What an option `-D` says."""
        name, equals, value = given.partition("=")
        if not _NAME.fullmatch(name):
            raise UsageError(f"-D {given}: expected NAME or NAME=VALUE")
        body = words(value.replace("\n", " ") if equals else "1", lambda *_: _OPTION)
        self.macros[name] = Macro(name, tuple(body))
        self.given[name] = given
        self.unused.add(name)

    def unused_definitions(self) -> list[Diagnostic]:
        place = [(Location("-D", 1, 1, len(name)), name) for name in sorted(self.unused)]
        return [Diagnostic(where, f"the model never uses {name}", "", "warning", self.given[name])
                for where, name in place]  # fmt: skip

    # ---------------------------------------------------------------- included files

    def include(self, given: list[Word], place: Location, line: Line) -> None:
        """Beside the file that includes it (in quotes), then in the folders of `--include`."""
        text = line.text.partition("include")[2].strip()
        if text[:1] not in ('"', "<"):
            expanded = self.expanded(given)
            text = "".join(" " * w.spaced + w.text for w in expanded).strip()
        close = {'"': '"', "<": ">"}.get(text[:1])
        end = text.find(close, 1) if close else -1
        if close is None or end <= 1:
            raise SourceError.at(place, "#include needs the name of a file", 'write #include "file"')
        wanted = text[1:end]
        at = line.text.find(wanted)
        spot = line.place(at, len(wanted)) if at >= 0 else place
        folder = os.path.dirname(self.reading[-1].file.name)
        folders = [folder, *self.folders] if close == '"' else self.folders
        found = next((n for f in folders if _exists(n := os.path.normpath(os.path.join(f, wanted)))), None)
        if found is None:
            raise SourceError.at(spot, f"cannot find include file {wanted}")
        if os.path.realpath(found) in self.once:
            return
        try:
            content = read_text(found)
        except UsageError as error:
            raise SourceError.at(spot, str(error)) from None
        self.open(content, found, spot)


def _exists(name: str) -> bool:
    return "\0" not in name and os.path.exists(name)


def preprocess(text: str, file: str, defines: Iterable[str] = (), folders: Sequence[str] = ()) -> Source:
    """Expand macros, conditionals and includes; raise SourceError with every problem found."""
    engine = _Preprocessor(folders)
    for given in defines:
        engine.define(given)
    engine.open(text, file, Location(file, 1, 1))
    try:
        source = engine.run()
    except SourceError as error:
        raise SourceError([*engine.problems, *error.diagnostics]) from None
    if engine.problems:
        raise SourceError(engine.problems)
    source.warnings.extend(engine.unused_definitions())
    return source
