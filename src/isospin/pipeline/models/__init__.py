"""Models: read, reduced, searched, and what was found run again.

`check` is the way of a model from its source to a verdict; `safety` and `claims` are its two halves, `tiers` says who
searches, `symbolic` and `stateless` are the ways of two engines, `runs` and `trails` single runs.  Start with `check`.
"""

__all__ = ["check", "runs", "safety", "source", "tiers", "trails"]
