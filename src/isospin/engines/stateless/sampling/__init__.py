"""Executions that are chosen at random: never exhaustive, and never slow to begin.

`random_walk` chooses threads, `pct` gives them priorities, `pos` gives priorities to their operations.
"""

__all__ = ["random_walk"]
