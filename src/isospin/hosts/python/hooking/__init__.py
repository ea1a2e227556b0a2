"""What the hooks in a Python program do.

Each hook lets the scheduler decide, then does what was asked for (`hooks`): on attributes and variables (`variables`),
on containers (`containers`) and iterators (`iterators`), or by calling what has no hooks (`outside`, `reachable`,
`libraries`).
"""

__all__ = ["containers", "hooks", "iterators", "keys", "learning", "libraries", "outside", "reachable", "variables"]
