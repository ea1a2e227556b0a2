"""The C preprocessor, as Promela is used with it.

`preprocess` takes a file and its definitions to lines that know where they come from; `lines` splits and joins,
`macros` expands, `condition` decides `#if`.
"""

__all__ = ["preprocess"]
