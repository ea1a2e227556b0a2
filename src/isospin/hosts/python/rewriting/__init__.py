"""The source of a Python program, with hooks in it.

`loading` imports the user's modules afresh for each execution; `rewrite` puts a hook at every access that another
thread may see, with `scopes` (which variables those are), `syntax` and `building`; `sites` numbers the places.
"""

__all__ = ["loading", "rewrite", "sites"]
