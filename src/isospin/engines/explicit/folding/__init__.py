"""From a strategy of symmetry to the tables and functions of the C file.

In goes a `Folding` (plain tables, `symmetry/protocol.py`) and a layout; out comes C text.  `fold` writes the tables,
`network` a sorting network where one sort is all that folding takes, `name_places` the names inside objects;
`live_set` those for processes that are started at run time.
"""

__all__ = ["fold", "live_set"]
