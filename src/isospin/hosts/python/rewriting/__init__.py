"""The source of a Python program, with hooks in it."""
