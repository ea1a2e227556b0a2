"""Programs: built, learnt, searched, and what was found run again.

A module for each kind (`python`, `c`, `processes`, `litmus`); `testing` and `cases` bring in tests as pytest has
them; `apart` runs a stranger's program in a process of its own, `walk` lets somebody choose its steps, `failures` keeps
what a failing test leaves behind.
"""

__all__ = ["c", "cases", "litmus", "processes", "python", "testing"]
