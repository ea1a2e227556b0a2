"""The C preprocessor, with every character of the result traced back to the user's file.

The preprocessor itself is the library `pcpp`.  SPIN calls the C compiler's; what users lose there is the column of
an error, so we keep a map from the expanded text to the places it came from.
"""

from __future__ import annotations

import bisect
import io
import os
import re
from collections.abc import Container, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pcpp

from ...errors import Diagnostic, Location, SourceError, UsageError

_WORD = re.compile(r"[A-Za-z_]\w*")
_SECOND_MARK = "\x01"  # stands for the second `?` of `??` while pcpp works


@dataclass
class Source:
    """Expanded text, and where each piece of it was written."""

    text: str = ""
    starts: list[int] = field(default_factory=list)
    pieces: list[tuple[Location, bool]] = field(default_factory=list)  # place, and whether it is verbatim

    def locate(self, offset: int, length: int = 1) -> Location:
        if not self.pieces:
            return Location("-", 1, 1)
        index = max(bisect.bisect_right(self.starts, offset) - 1, 0)
        place, verbatim = self.pieces[index]
        if verbatim:
            return Location(place.file, place.line, place.column + offset - self.starts[index], length)
        return place


class _Preprocessor(pcpp.Preprocessor):  # type: ignore[misc]
    """pcpp with its complaints collected instead of printed."""

    def __init__(self) -> None:
        super().__init__()
        self.problems: list[Diagnostic] = []
        self.main = ""
        # Tokens carry absolute paths; `names` turns them back into the user's.
        self.rewrite_paths: list[tuple[str, str]] = []
        self.texts: dict[str, str] = {}
        self.names: dict[str, str] = {}

    def read(self, text: str, file: str) -> str:
        """Remember a file under its absolute path, and prepare its text."""
        path = os.path.abspath(file)
        self.main = self.main or file
        folder = os.path.dirname(self.main)  # an included file is named as the user would, seen from the main file
        name = os.path.normpath(os.path.join(folder, os.path.relpath(path, os.path.abspath(folder))))
        self.names[path], self.texts[path] = (file if file == self.main else name), _prepare(text)
        return self.texts[path]

    def on_error(self, file: str, line: int, msg: str) -> None:
        if line == 0:  # pcpp does not know where; it is a directive
            file, line = self.lastdirective.source, self.lastdirective.lineno
        self.complain(file, line, *_plain(msg))

    def complain(self, file: str, line: int, message: str, word: str = "#") -> None:
        """Put the caret under a word of that line."""
        lines = self.texts.get(file, "").split("\n")
        text = lines[line - 1] if 0 < line <= len(lines) else ""
        place = Location(self.names.get(file, file), line, max(text.find(word), 0) + 1, len(word))
        if word == "#":
            place = replace(place, length=max(len(text) - place.column + 1, 1))
        self.problems.append(Diagnostic(place, message))

    def on_include_not_found(self, malformed: bool, system: bool, curdir: str, includepath: str) -> None:
        at = self.lastdirective
        self.complain(at.source, at.lineno, f"cannot find include file {includepath}", includepath)
        raise pcpp.OutputDirective(pcpp.Action.IgnoreAndRemove)

    def on_directive_unknown(self, directive: Any, toks: Any, ifpassthru: bool, precedingtoks: Any) -> Any:
        """Called for #error and #warning too."""
        text = "".join(t.value for t in toks).strip().strip('"')
        if directive.value == "error":
            self.complain(directive.source, directive.lineno, f"#error: {text}")
            return True
        return True if directive.value == "warning" else None

    def define(self, tokens: Any) -> None:
        """pcpp stumbles over an empty parameter."""
        try:
            super().define(tokens)
        except IndexError:
            at = self.lastdirective
            self.complain(at.source, at.lineno, "bad macro definition")

    def on_comment(self, tok: Any) -> bool:
        return False

    def on_file_open(self, is_system_include: bool, includepath: str) -> Any:
        text = Path(includepath).read_text(encoding="utf-8", errors="replace")
        return io.StringIO(self.read(text, includepath))


def _prepare(text: str) -> str:
    """Join continued lines (as pcpp would, so that its offsets are ours) and keep `??` from being a trigraph."""
    lines = [line.rstrip() for line in text.replace("??", "?" + _SECOND_MARK).splitlines()]
    for i in range(len(lines)):
        j = i + 1
        while lines[i].endswith("\\") and j < len(lines):
            lines[i], lines[j] = lines[i][:-1] + lines[j], ""
            j += 1
    return "\n".join(lines) + "\n"


def _plain(message: str) -> tuple[str, str]:
    """What pcpp says, in our words; and the word that it is about."""
    words = message.strip().removeprefix("Error: ").replace("\n", " ").split() or ["?"]
    if words[0] == "Macro" and len(words) > 1:
        return "macro " + " ".join(words[1:]), words[1]
    if words[0] == "Unterminated":
        return f"this {words[1] if len(words) > 1 else '#if'} has no #endif", "#"
    if words[0] == "Misplaced":
        return f"{words[-1]} without #if", "#"
    return " ".join([words[0].lower(), *words[1:]]), "#"


def preprocess(text: str, file: str, defines: Iterable[str] = ()) -> Source:
    """Expand macros, conditionals and includes; raise SourceError with every problem found."""
    engine = _Preprocessor()
    for definition in defines:
        name, _, value = definition.partition("=")
        if not name.isidentifier():
            raise UsageError(f"-D {definition}: expected NAME or NAME=VALUE")
        engine.define(f"{name} {value if _ else '1'}")
    engine.parse(engine.read(text, file), file)
    source = _collect(engine)
    if engine.problems:
        raise SourceError(engine.problems)
    return source


def _collect(engine: _Preprocessor) -> Source:
    """Join the tokens to text, and remember for each where it came from."""
    source, length = Source(), 0
    chunks: list[str] = []
    columns = _Columns(engine.texts, engine.names, engine.macros)
    while (token := engine.token()) is not None:
        if chunks and chunks[-1] == "/" and token.value.startswith("*") and source.pieces[-1][1]:
            start = replace(source.pieces[-1][0], length=2)
            engine.problems.append(Diagnostic(start, "this comment has no end", "close it with */"))
            break
        if token.type in ("CPP_COMMENT1", "CPP_COMMENT2"):
            value = "\n" * token.value.count("\n") or " "
        else:
            value = token.value
        if chunks and _would_paste(chunks[-1], value):
            chunks.append(" ")
            length += 1
        source.starts.append(length)
        source.pieces.append(columns.place(token))
        chunks.append(value)
        length += len(value)
    source.text = "".join(chunks).replace(_SECOND_MARK, "?")
    return source


def _would_paste(left: str, right: str) -> bool:
    """Two neighbours that only macro expansion brought together must stay two words."""
    return (left[-1:].isalnum() or left[-1:] == "_") and (right[:1].isalnum() or right[:1] == "_")


class _Columns:
    """Turns pcpp's offsets into columns; tokens made by a macro get the place where the macro was used."""

    def __init__(self, texts: dict[str, str], names: dict[str, str], macros: Container[str]) -> None:
        self.texts = texts
        self.names = names
        self.macros = macros
        self.lines: dict[str, list[int]] = {}
        self.last = Location()

    def line_starts(self, file: str) -> list[int]:
        if file not in self.lines:
            text = self.texts.get(file, "")
            self.lines[file] = [0] + [i + 1 for i, c in enumerate(text) if c == "\n"]
        return self.lines[file]

    def place(self, token: Any) -> tuple[Location, bool]:
        file, line, value = token.source or "-", token.lineno, token.value
        starts = self.line_starts(file)
        if 0 < line <= len(starts):
            column = token.lexpos - starts[line - 1] + 1
            if column >= 1 and self.texts.get(file, "").startswith(value, token.lexpos):
                end = starts[line] if line < len(starts) else len(self.texts.get(file, "")) + 1
                if token.lexpos < end:
                    self.last = Location(self.names[file], line, column, len(value))
                    return self.last, True
        return self.macro_use(file, line), False

    def macro_use(self, file: str, line: int) -> Location:
        """The place of the macro's name: the first macro of that line that ends after the last verbatim token."""
        starts = self.line_starts(file)
        if not 0 < line <= len(starts):
            return Location(self.names.get(file, file), line, 1)
        name = self.names[file]
        column = self.last.column + self.last.length if (self.last.file, self.last.line) == (name, line) else 1
        text = self.texts[file][starts[line - 1] :].partition("\n")[0]
        words = list(_WORD.finditer(text))
        uses = [w for w in words if w.group() in self.macros and _end_of_use(text, w.end()) >= column]
        found = next(iter(uses or [w for w in words if w.start() >= column - 1]), None)
        start, stop = (found.start(), found.end()) if found else (column - 1, column)
        return Location(name, line, start + 1, stop - start)


def _end_of_use(text: str, end: int) -> int:
    """Where the use of a macro ends whose name ends at `end`: behind its arguments, if it has any."""
    depth = 0
    for i in range(end, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0 and not text[i].isspace():
            return i + 1 if text[i] == ")" else end
    return end if depth == 0 else len(text)
