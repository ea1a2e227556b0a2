"""Promela: text to `Model`.

`load` is the way in.  `lexer` makes tokens; `expressions`, `declaration_parser`, `meta` and `parser`, each upon the one
before it, make the tree of `syntax`; `declarations` and `names` say what a name means, `meaning` and `pointers` what
expressions and statements do, `flow` and `automaton` make locations and actions of a body.  Start with `load`, then
`flow`.
"""

__all__ = ["load"]
