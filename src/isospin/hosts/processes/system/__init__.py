"""The simulated system that processes share.

`points` is what a process waits for and gets as an answer, `world` the state of it all; `calls` is the table of calls,
the rest are calls by subject: `life` and `joins`, `memory`, `pipes`, `queues`, `semaphores`.  Functions named like
system calls are found by name.
"""

__all__ = ["calls", "joins", "life", "memory", "pipes", "points", "queues", "semaphores", "world"]
