"""Kinds of programs that can be stepped, each behind the protocol of the stateless engine.

`model` steps a `Model`, `python` a Python program with hooks, `c` a C or C++ program with our runtime, `processes` a C
program that forks; `memory` is the smallest one, for tests and to read first.  No host knows another, but that
`processes` is built like `c`.
"""

__all__ = ["c", "memory", "model", "processes", "python"]
