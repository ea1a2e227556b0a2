"""The threads of a Python program, and who of them goes on.

`kernel` holds them and takes one step at a time; `accesses` knows what is shared, `records` what is remembered of it,
`waiting` and `polling` who cannot go on, `surroundings` and `watchdog` guard the process that all this happens in.
"""

__all__ = [
    "accesses", "dash", "frames", "kernel", "lifetimes", "polling", "records", "surroundings", "waiting", "watchdog",
]  # fmt: skip
