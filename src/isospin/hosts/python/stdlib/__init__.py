"""What a controlled program gets for `threading`, `queue` and their kin.

`shim` puts the stand-ins in place: `sync` (locks), `threads`, `queues`, `futures`; `packages` has those of packages
without hooks.  `lines` is how queues and pools hand things out, `contents` what two of them are compared by,
`passing` who can go on that waits.
`api` is what a program may say to the checker itself.
"""

__all__ = ["api", "contents", "futures", "lines", "packages", "passing", "queues", "shim", "sync", "threads"]
