"""Searches that decide at each state what is to be explored there, and learn nothing from executions.

Behind this door: `plain` (every interleaving), `persistent` (persistent and sleep sets, as VeriSoft has them).
"""

__all__ = ["persistent", "plain"]
