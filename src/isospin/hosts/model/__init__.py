"""Models as programs that can be stepped, so that stateless searches work on them too.

`program` is the host, `touch` says what a move touches, `residual` what a process will still do, `search` runs a
stateless search and answers like a stateful engine.
"""

__all__ = ["program", "search"]
