"""Which permutations are symmetries of a model: finding them, and proving it.

`prepare` makes the model fit, `population` says which processes there are, `specialise` gives each its own code (one
for all who answer the same `questions`), `sorts` says which values are names (each is in a `value_class`), `describe`
turns all that into facts over the `terms` of steps and expressions, `graph` finds candidates, and `justify` checks
each.  `detect` does it all, and `symmetries` is what it finds: start there.  Code that many processes share is looked
at once (`bodies`), and so are atomic loops (`looping`).  `births` is for processes that are started at run time, and
`pid_places` finds their pids.
"""

__all__ = ["births", "detect", "justify", "pid_places", "prepare", "sorts", "specialise", "symmetries", "value_class"]
