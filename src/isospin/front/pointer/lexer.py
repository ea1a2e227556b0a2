"""Text -> tokens."""

from __future__ import annotations

import re

from ...core.errors import Location, SourceError
from ..common.tokens import Token

_WORDS = "global local pointer discrete const process mode when do goto init invariant check forall exists"
KEYWORDS = frozenset(_WORDS.split())

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\f\v]+) | (?P<newline>\n) | (?P<comment>//[^\n]* | /\*.*?\*/) | (?P<open>/\*)
      | (?P<name>[A-Za-z_][A-Za-z_0-9]*) | (?P<number>[0-9]+)
      | (?P<op>-> | => | \.\. | <= | >= | == | != | && | \|\| | [-+*/!<>=?:;,(){}\[\]])""",
    re.VERBOSE | re.DOTALL,
)


def tokenize(text: str, file: str) -> list[Token]:
    """All tokens; a character that fits nowhere becomes a token of kind `bad`, for the parser to complain about."""
    tokens: list[Token] = []
    offset, line, begin = 0, 1, 0
    newline = True
    while offset < len(text):
        match = _TOKEN.match(text, offset)
        kind, piece = (match.lastgroup or "", match.group()) if match else ("bad", text[offset])
        if kind == "open":
            place = Location(file, line, offset - begin + 1, 2)
            raise SourceError.at(place, "this comment has no end", "close it with */")
        if kind not in ("space", "newline", "comment"):
            kind = "keyword" if kind == "name" and piece in KEYWORDS else kind
            tokens.append(Token(kind, piece, Location(file, line, offset - begin + 1, len(piece)), newline))
            newline = False
        if "\n" in piece:
            line, begin, newline = line + piece.count("\n"), offset + piece.rindex("\n") + 1, True
        offset += len(piece)
    last = tokens[-1].location if tokens else Location(file, 1, 1)
    tokens.append(Token("end", "", last, True))
    return tokens
