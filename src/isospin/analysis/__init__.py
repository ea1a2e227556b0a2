"""What is known about a model without running it.

In goes a `Model`; out come facts that transformations and engines rest on: what an action may read and write
(`footprint`), when the moves of one process are enough (`ample`), which objects a pointer can name (`points`), between
which values a variable lies (`ranges`), whether anybody can tell the numbers of processes (`births`), whether a never
claim counts steps (`stutter`).  Start with `footprint`; `ample` is the hard one and builds on `effects`.
"""

__all__ = ["ample", "births", "footprint", "points", "ranges", "stutter"]
