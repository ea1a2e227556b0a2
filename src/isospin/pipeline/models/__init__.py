"""Models: read, reduced, searched, and what was found run again.

`check` is the way of a model from its source to a verdict; `safety` and `claims` are its two halves, `tiers` says who
searches, `symbolic` and `stateless` are the ways of two engines, `runs` and `trails` single runs; `graphs` and
`automata` are for other tools.  Start with `check`.
"""

__all__ = ["automata", "check", "graphs", "runs", "safety", "source", "tiers", "trails"]
