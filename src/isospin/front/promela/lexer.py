"""Text -> tokens.

Differs from SPIN's scanner: a token remembers whether a line ended before it, so that the parser decides where a
missing semicolon is meant (SPIN 6.3 and later let one leave it out at the end of a line).
"""

from __future__ import annotations

import re

from ..common.tokens import Token
from ..preprocessor.preprocess import Source

TYPES = frozenset({"bit", "bool", "byte", "chan", "int", "mtype", "pid", "short", "unsigned"})
_OTHER_WORDS = """
    active assert atomic break d_step D_proctype do else empty enabled eval false fi for full get_priority goto hidden
    if init inline len local ltl nempty never nfull notrace np_ od of pc_value printf printm priority proctype provided
    return run select set_priority show skip timeout trace true typedef unless xr xs
    c_code c_decl c_expr c_state c_track
"""
KEYWORDS = TYPES | frozenset(_OTHER_WORDS.split())

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\f\v]+) | (?P<newline>\n)
      | (?P<name>[A-Za-z_][A-Za-z_0-9]*) | (?P<number>[0-9]+)
      | (?P<string>"(?:\\.|[^"\\\n]++)*+") | (?P<char>'(?:\\.|[^'\\\n])')
      | (?P<op>-> | <-> | <> | :: | \.\. | \?\? | !! | \+\+ | -- | << | >> | <= | >= | == | != | && | \|\|
             | /\\ | \\/ | [-+*/%&|^~!<>=?:;,.@(){}\[\]])""",
    re.VERBOSE,
)


def tokenize(source: Source) -> list[Token]:
    """All tokens; a character that fits nowhere becomes a token of kind `bad`, for the parser to complain about."""
    tokens: list[Token] = []
    offset, newline, spaced = 0, False, False
    while offset < len(source.text):
        match = _TOKEN.match(source.text, offset)
        kind, text = (match.lastgroup or "", match.group()) if match else ("bad", source.text[offset])
        if kind == "newline":
            newline = True
        elif kind != "space":
            kind = "keyword" if kind == "name" and text in KEYWORDS else kind
            tokens.append(Token(kind, text, source.locate(offset, len(text)), newline, spaced or newline))
            newline = spaced = False
        else:
            spaced = True
        offset += len(text)
    tokens.append(Token("end", "", source.locate(max(len(source.text.rstrip()) - 1, 0)), True))
    return tokens
