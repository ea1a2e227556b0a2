"""Pointer automata (`.ptr`): text to `Model`.

`load` is the way in.  `lexer` and `parser` make the tree of `syntax`, `names` says what a name means, `meaning` turns
rules into actions.  The other modules that are listed serve tests and experiments that write such texts.
"""

__all__ = ["lexer", "load", "parser", "syntax"]
