"""What every room knows; it knows nothing of the others.

`model` is what front ends make and engines run (its types and expressions are in `expressions`), `verdict` and `trace`
are what comes out, `errors` says whose fault a failure is: read these four first.  The rest are tools: one deadline for
a whole command (`deadline`), what is kept between commands (`cache`), tables by name (`registry`), constants for C
(`c_header`), runs that somebody makes step by step (`walk`), `permutation`, `cycles`, `partition`, `files`, `depth`,
`usage`.
"""

__all__ = [
    "c_header", "cache", "cycles", "deadline", "depth", "errors", "files", "graph", "model", "partition", "permutation",
    "records", "registry", "trace", "usage", "verdict", "walk",
]
