"""From a model to another one with the same verdict.

`optimise` applies the others by level: `merge` makes one step of several, also of loops that only choose a value
(`choosing`), `dead` and `inactive` set to 0 what will not be read, `forget` does so by conditions that `activity` finds
and `show` tells, `nullness` keeps one bit of a pointer.  Each says why the verdict stays; paths are translated back.
"""

__all__ = ["choosing", "dead", "inactive", "merge", "optimise", "show"]
