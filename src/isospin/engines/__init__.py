"""Searches: a model or a program goes in, paths to what is wrong come out.

`interp`, `explicit` and `symbolic` store states of models, `stateless` runs programs again and again.  `contract` is
what every stateful engine is asked and answers; the protocol of the stateless one is in its own room.  No engine knows
another, but that `explicit` uses the claims of `interp`.
"""

__all__ = ["contract", "explicit", "interp", "stateless", "symbolic"]
