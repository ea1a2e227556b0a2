"""Where a Python program leaves code that has hooks: what is known there, done step by step, or told.

`border` decides for a call into foreign code, `known` has what is known about the standard library, `calls` and `tools`
do such calls step by step, `caches` and `spaces` keep what outlives an execution.
"""

__all__ = ["border", "caches", "calls", "known", "spaces"]
