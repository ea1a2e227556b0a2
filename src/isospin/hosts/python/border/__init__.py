"""Where a Python program leaves code that has hooks: what is known there, done step by step, or told."""
