"""The colours of a source: which piece of a line is a keyword, a number, a comment.  Pygments knows the languages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pygments.lexer import Lexer

_POINTER_WORDS = "global local pointer discrete const process mode when do goto init invariant check forall exists"


class ColouredText(NamedTuple):
    """A piece of a line, and the class that gives it a colour; empty for plain text."""

    text: str
    kind: str


def coloured_lines(text: str, file: str) -> list[list[ColouredText]]:
    """The pieces of each line; together they are the text, letter by letter."""
    lines: list[list[ColouredText]] = [[]]
    for kind, piece in _pieces(text, file):
        for number, part in enumerate(piece.split("\n")):
            if number:
                lines.append([])
            if part:
                lines[-1].append(ColouredText(part, kind))
    return lines


def _pieces(text: str, file: str) -> Iterator[tuple[str, str]]:
    lexer = _lexer_for(file)
    if lexer is None:
        yield "", text
        return
    classes = _classes()
    for token, piece in lexer.get_tokens(text):
        yield next((name for kind, name in classes if token in kind), ""), piece


def _classes() -> list[tuple[Any, str]]:
    """The first that fits counts."""
    from pygments.token import Comment, Keyword, Name, Number, String

    return [
        (Comment.Preproc, "hp"), (Comment.PreprocFile, "hs"), (Comment, "hc"), (Keyword.Type, "ht"), (Keyword, "hk"),
        (String, "hs"), (Number, "hm"), (Name.Function, "hf"), (Name.Class, "hf"), (Name.Builtin, "ht"),
    ]  # fmt: skip


def _lexer_for(file: str) -> Lexer | None:
    """None for a language that nobody knows."""
    from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
    from pygments.util import ClassNotFound

    plain = {"stripnl": False, "ensurenl": False}
    ending = Path(file).suffix
    if ending == ".ptr":
        return _pointer_lexer()(**plain)
    try:
        if ending in (".p", ".prom", ".promela", ".pml"):
            return get_lexer_by_name("promela", **plain)
        return get_lexer_for_filename(file, **plain)
    except ClassNotFound:
        return None


def _pointer_lexer() -> type[Lexer]:
    """Pointer automata, which are our own language."""
    from pygments.lexer import RegexLexer, words
    from pygments.token import Comment, Keyword, Name, Number, Punctuation, Text

    class PointerLexer(RegexLexer):  # type: ignore[misc]
        """Words, numbers and comments of a `.ptr` file."""

        tokens = {  # noqa: RUF012  (the interface of Pygments)
            "root": [
                (r"//[^\n]*", Comment),
                (r"(?s)/\*.*?\*/", Comment),
                (words(("pointer", "discrete"), suffix=r"\b"), Keyword.Type),
                (words(tuple(_POINTER_WORDS.split()), suffix=r"\b"), Keyword),
                (r"\d+", Number),
                (r"[A-Za-z_]\w*", Name),
                (r"\s+", Text),
                (r".", Punctuation),
            ]
        }

    return PointerLexer
