"""A failing schedule of a C program for people.

`explain` tells it step by step with source lines, `names` turns addresses into what the user calls them, `view` shows
values, `gdb` lets a debugger go through the schedule; `compared` says why threads are not alike, and `unlike`
asks a process for that.
"""

__all__ = ["compared", "explain", "gdb", "unlike"]
