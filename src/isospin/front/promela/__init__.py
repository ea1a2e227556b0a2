"""Promela: text to `Model`.

`load` is the way in.  `lexer` and `parser` make the tree of `syntax`; `declarations` and `names` say what a name means,
`meaning` and `pointers` what expressions and statements do, `flow` and `automaton` make locations and actions of a
body, `meta` reads what we add to the language.  Start with `load`, then `flow`.
"""

__all__ = ["load"]
