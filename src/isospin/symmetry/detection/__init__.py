"""Which permutations are symmetries of a model: finding them, and proving it.

`prepare` makes the model fit, `population` says which processes there are, `specialise` gives each its own code,
`sorts` says which values are names (each is in a `value_class`), `terms` turns all that into facts, `graph` finds
candidates, and `justify` checks each.  `detect` does it all: start there.  `births` is for processes that are started
at run time, and `pid_places` finds their pids.
"""

__all__ = ["births", "detect", "justify", "pid_places", "prepare", "sorts", "specialise", "value_class"]
