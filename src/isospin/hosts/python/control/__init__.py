"""The threads of a Python program, and who of them goes on.

`kernel` is one execution: `scheduler` holds its threads and takes one step at a time, `accesses` knows what is shared,
`outcome` what went wrong, `notes` what left control; `records` is what is remembered of it all.  `loops`, `polling` and
`waiting` know who cannot go on, `surroundings` and `watchdog` guard the process that all this happens in.
"""

__all__ = [
    "accesses",
    "frames",
    "indices",
    "kernel",
    "lifetimes",
    "loops",
    "notes",
    "outcome",
    "polling",
    "records",
    "scheduler",
    "surroundings",
    "waiting",
    "watchdog",
]  # fmt: skip
