"""Stateless search: programs that can be stepped, and the searches that step them.

`protocol` is what a program must be able to do, and what it may; `registry` has the searches by name, one file each;
`search` runs one and gathers what it finds, `shorten` makes a failing schedule small.  Start with `protocol`, then
`classical/plain` and `dpor`.
"""

__all__ = ["alike", "protocol", "registry", "renamings", "search", "shorten"]
