"""The search over execution graphs: one execution for each class of executions, up to renaming of alike threads.

`graph` says what a graph is, `sequential` which ones can be executed and in which order (the memory model), `revisit`
how one graph leads to the others, `folding` which of several images is explored, `worth` when it is better than `dpor`.
In goes a program behind the protocol of the stateless searches, out come its executions.  Start with `graph`, then
`search`.
"""

__all__ = ["search", "worth"]
