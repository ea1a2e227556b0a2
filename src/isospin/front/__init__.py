"""Text to `Model`: a room for each language, and what they share.

`promela` and `pointer` each have a `load` with `read_model(text, file, ...)`; a text that is wrong raises a
`SourceError` with its place.  `litmus` reads tests that become C programs.  `preprocessor` and `common` are what
readers use.  The way is always the same: lexer,
parser, names, meaning.
"""

__all__ = ["common", "litmus", "pointer", "preprocessor", "promela"]
