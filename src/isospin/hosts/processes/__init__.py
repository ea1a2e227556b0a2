"""Programs of processes: C programs that fork and share semaphores, queues, pipes and memory.

`build` compiles, `server` runs processes whose system calls come to us, `program` is the host, `system` the simulated
system that answers the calls, `symmetry` says which processes are alike, `permutations` reads what a user declares,
`explain` and `words` tell a schedule.
"""

__all__ = ["build", "explain", "permutations", "program", "server", "symmetry"]
