"""What a controlled program gets for `threading`, `queue` and their kin.

`shim` puts the stand-ins in place: `sync` (locks), `threads`, `queues`, `futures`; `packages` has those of packages
without hooks.  `api` is what a program may say to the checker itself.
"""

__all__ = ["api", "futures", "packages", "queues", "shim", "sync", "threads"]
