"""Loops that nobody can interrupt, as single assignments in which the order is forgotten.

`loops` finds them, `rounds` executes them with names in place of numbers, `formulas` says what they compute.
"""

__all__ = ["loops", "rounds"]
